"""Solved games: found in the cache or solved now, forecasts beside them, proved again, cleared."""
