"""Absorbing Markov chains of games without decisions: absorption odds, expected turns, reward distributions."""
