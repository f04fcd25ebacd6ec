"""The solver: words for games, turn graphs, kernels, bounds, exact arithmetic. It knows no game."""
