"""The question ``forecast``: how a game played alone ends, and the chances to reach a score."""
