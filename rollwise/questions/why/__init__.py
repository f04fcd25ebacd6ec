"""The question ``why``: what makes the difference between two moves, in parts that add up to it."""
