"""Certified values of all boards of a game."""
