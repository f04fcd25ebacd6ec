"""The proof's own reading and arithmetic, for checking stored answers: game words and the graph's format, no more."""
