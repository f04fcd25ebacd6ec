"""The best moves of the questions that a move leads to, asked all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rollwise.answers.outcomes import Row
from rollwise.reading.door import the_fields
from rollwise.solved.games import Stored, anything, with_solved
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.kind import Wanted, Worth, unheard
from rollwise.solver.turn.judged import Judged


def next_moves(game: TurnGame, rows: Sequence[Row], mover: int) -> list[str]:
    """What ``mover`` does best after each row, in short: empty where somebody else moves or nobody is asked.

    Where a second step follows at once it stands behind a comma, ``keep 1 for 100, roll``; of a mix it is the likeliest
    move.
    """

    def ask_all(found: Stored) -> list[str]:
        return [_best(game, found, row.state) if row.state is not None and row.mover == mover else "" for row in rows]

    return with_solved(game, anything, ask_all)


def _best(game: TurnGame, found: Stored, state: dict[str, Any]) -> str:
    fields = the_fields(game, state)
    moves = found.opened.ask(game.locate(**fields), fields, Wanted(), unheard).moves
    if not moves:
        return ""
    if any(move.probability for move in moves):
        return max(moves, key=lambda move: move.probability or 0.0).move
    top = moves[_first(moves, game.sense)]
    return f"{top.move}, {top.then[0].move}" if top.then else top.move


def _first(moves: Sequence[Worth], sense: str) -> int:
    """The place of the move that an answer lists first."""
    worths = np.array([[(move.value, move.lower, move.upper) for move in moves]])
    return int(Judged(worths, sense).order[0, 0])
