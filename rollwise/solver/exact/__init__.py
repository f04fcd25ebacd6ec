"""Exact values as fractions: policy iteration, linear systems and modular arithmetic, with their proof."""
