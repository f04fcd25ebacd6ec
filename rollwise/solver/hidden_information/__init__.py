"""Games of incomplete information, with hidden dice: the mover sees a throw and calls, the other player replies."""
