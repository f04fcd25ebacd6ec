"""What is done for seats: the best player's move, the way back to the last decision of a person, and on to a throw."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from rollwise.answers.advice import MoveAdvice
from rollwise.answers.outcomes import Outcomes
from rollwise.asking.draw import drawn as drawn_move
from rollwise.asking.outcomes import outcomes
from rollwise.match.dice import below
from rollwise.match.match import Match
from rollwise.solver.game.errors import BadInput


def best_move(match: Match) -> str:
    """The move of the best player, drawn by the seed and the place in the game where the best play is a mix."""
    moves = match.moves
    return _drawn(match, moves) if any(each.probability for each in moves) else moves[0].move


def _drawn(match: Match, moves: Sequence[MoveAdvice]) -> str:
    seed = match.seed
    place = secrets.randbits(64) if seed is None else below(1 << 64, seed, len(match.record()), "mix")
    return drawn_move(moves, place)


def taken_back(match: Match, humans: Sequence[int]) -> Match:
    """The match at the last decision of these seats; in games of luck before the last throw.

    Raises BadInput where there is none; then the match given is as it was.
    """
    found = Match.of(match.record())
    chooses = any("choice" in line for line in found.record())
    found.undo()
    while chooses and not (found.mover in humans and len(found.moves) > 1):
        try:
            found.undo()
        except BadInput:
            raise BadInput("there is no move of yours to take back") from None
    return found


def on_to_the_throw(match: Match, found: Outcomes) -> Outcomes | None:
    """Where a move leads for certain to one's own next throw, what that throw brings."""
    row = found.rows[0]
    if len(found.rows) > 1 or row.thrown or row.state is None or row.mover != found.mover or match.hides:
        return None
    try:
        return outcomes(match.game, state=row.state, params=match.parameters)
    except BadInput:  # there is a choice before it
        return None
