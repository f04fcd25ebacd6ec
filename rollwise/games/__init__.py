"""The games, a folder each, whose ``rules.py`` reads like the rules; ``games.registry`` finds a game by its name."""
