"""The games: one file each, read like its rules; ``games.registry`` finds them by name."""
