"""One turn: its graph, what its results do to boards, its backups, and what each move of it is worth."""
