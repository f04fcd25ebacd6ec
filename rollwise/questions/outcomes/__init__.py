"""The question ``outcomes``: every throw that may follow a move, and what it leads to."""
