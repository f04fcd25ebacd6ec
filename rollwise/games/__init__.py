"""The games, one file each, which reads like the game's rules; ``games.registry`` finds a game by its name."""
