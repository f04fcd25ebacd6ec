"""The questions, one module each: an answer is made from a solved game."""
