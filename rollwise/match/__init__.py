"""A game that is played: what is asked, what was chosen and thrown, and the record of it."""
