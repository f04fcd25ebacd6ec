"""Games in play and in review: the match, its dice and moves, its record, and what each choice lost."""
