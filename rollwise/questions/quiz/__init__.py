"""``quiz``: positions of real play in which a mistake costs, hardest first.

``playing`` plays the best player against itself, ``reading`` takes positions from a file, and ``hardest`` orders them
by the mistakes of simple rules.
"""
