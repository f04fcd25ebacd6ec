"""``review`` of a finished game: the loss of every choice, and each result split into skill and luck."""
