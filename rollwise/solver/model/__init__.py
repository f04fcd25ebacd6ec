"""Model of a game: boards, turn nodes, transitions, fields and rule parameters."""
