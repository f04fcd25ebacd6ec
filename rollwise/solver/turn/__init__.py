"""One turn: its graph, the transitions of its results, backups by reference code and kernels, and values of moves."""
