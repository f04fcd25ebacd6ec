"""The question ``card``: how to play a game well, on one page, read off the best play or found by a search."""
