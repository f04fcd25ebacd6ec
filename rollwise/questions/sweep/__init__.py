"""The questions ``sweep`` and ``solve_all``: many games solved one after the other, a row for each."""
