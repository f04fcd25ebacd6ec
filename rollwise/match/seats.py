"""Seats of a match: the best player's move, undo to the last decision of a person, and the next throw."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from rollwise.match.dice import draw_below
from rollwise.match.match import Match
from rollwise.questions.ask.compute import draw_move as drawn_move
from rollwise.questions.outcomes.compute import outcomes
from rollwise.questions.outcomes.data import Outcomes
from rollwise.solver.model.errors import BadInput


def best_move(match: Match) -> str:
    """Move of the best player; of a mixed strategy one move is drawn from the seed and the place in the game."""
    moves, seed = match.moves, match.seed
    if not any(each.probability for each in moves):
        return moves[0].move
    place = secrets.randbits(64) if seed is None else draw_below(1 << 64, seed, len(match.record()), "mix")
    return drawn_move(moves, place)


def undo_to_decision(match: Match, humans: Sequence[int]) -> Match:
    """A copy of the match at the last decision of these seats, or before the last throw; raises BadInput if none."""
    earlier = Match.of(match.record())
    chooses = any("choice" in line for line in earlier.record())
    earlier.undo()
    while chooses and not (earlier.mover in humans and len(earlier.moves) > 1):
        try:
            earlier.undo()
        except BadInput:
            raise BadInput("there is no move of yours to take back") from None
    return earlier


def outcomes_of_next_throw(match: Match, after: Outcomes) -> Outcomes | None:
    """Outcomes of the next throw, where a move leads for certain to a throw of the same seat; else None."""
    row = after.rows[0]
    if len(after.rows) > 1 or row.thrown or row.state is None or row.mover != after.mover or match.hides:
        return None
    try:
        return outcomes(match.game, state=row.state, params=match.parameters)
    except BadInput:  # there is a choice before it
        return None
