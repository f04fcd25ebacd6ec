"""Faults made on purpose: whatever is killed, damaged or sent, no answer is wrong and nothing is lost."""
