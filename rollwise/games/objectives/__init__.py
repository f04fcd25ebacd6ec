"""Objectives of a score sheet besides its mean: reach a score, beat other sheets, end ahead of a second player."""
