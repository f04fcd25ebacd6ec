"""The question ``odds``: how likely a turn busts, what it will make, and the chance of boxes within a turn."""
