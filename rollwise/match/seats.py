"""What is done for seats: the best player's move, the way back to the last decision of a person, and on to a throw."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from rollwise.answers.outcomes import Outcomes
from rollwise.asking.draw import drawn as drawn_move
from rollwise.asking.outcomes import outcomes
from rollwise.match.dice import below
from rollwise.match.match import Match
from rollwise.solver.model.errors import BadInput


def best_move(match: Match) -> str:
    """The move of the best player, drawn by the seed and the place in the game where the best play is a mix."""
    moves, seed = match.moves, match.seed
    if not any(each.probability for each in moves):
        return moves[0].move
    place = secrets.randbits(64) if seed is None else below(1 << 64, seed, len(match.record()), "mix")
    return drawn_move(moves, place)


def taken_back(match: Match, humans: Sequence[int]) -> Match:
    """The match at the last decision of these seats; in games of luck before the last throw.

    Raises BadInput where there is none; then the match given is as it was.
    """
    earlier = Match.of(match.record())
    chooses = any("choice" in line for line in earlier.record())
    earlier.undo()
    while chooses and not (earlier.mover in humans and len(earlier.moves) > 1):
        try:
            earlier.undo()
        except BadInput:
            raise BadInput("there is no move of yours to take back") from None
    return earlier


def on_to_the_throw(match: Match, after: Outcomes) -> Outcomes | None:
    """Where a move leads for certain to one's own next throw, what that throw brings."""
    row = after.rows[0]
    if len(after.rows) > 1 or row.thrown or row.state is None or row.mover != after.mover or match.hides:
        return None
    try:
        return outcomes(match.game, state=row.state, params=match.parameters)
    except BadInput:  # there is a choice before it
        return None
