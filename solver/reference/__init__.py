"""Slow and obvious twins, for tests and the walker."""
