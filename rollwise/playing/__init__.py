"""A game played in the terminal: who sits where, what can be typed, and how it looks."""
