"""The same values as fractions, proved."""
