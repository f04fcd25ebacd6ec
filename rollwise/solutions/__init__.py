"""Solutions of games: loaded from the cache or solved now, listed, proved again and cleared; forecasts too."""
