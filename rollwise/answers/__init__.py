"""The answers: a dataclass for each question, the labels of its numbers, and the spelling of states."""
