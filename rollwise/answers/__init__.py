"""What an answer is: a dataclass for each question, what its numbers are called, and how states are spelt."""
