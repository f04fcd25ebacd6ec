"""Faults made on purpose: whatever is killed, damaged or sent, no answer is wrong and nothing is lost.

``python -m scripts.faults [NAME ...] [--seed N] [--quick] [--write]``; each module makes one sort of fault, and prints
a line of what came of it.
"""
