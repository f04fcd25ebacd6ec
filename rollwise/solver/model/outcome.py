"""The transition of one result on one board, read from the game's ``transition``: for games and reference code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Columns, Transition, TurnGame

Numbers: TypeAlias = tuple[Any, ...]  # the fields of a board, in order: whole numbers, and tuples of them for lists


@dataclass(frozen=True)
class Effect:
    """The effect of one result on one board. ``following`` is the next board, or None where the game ends.

    ``value`` is the mover's: the value of the end of the game, or the reward on top of the value of the next board.
    ``passed``: number of seats to the left by which the turn passes; ``shares``: where several seats share the end of a
    game, the share of each, from the mover to the left.
    """

    legal: bool
    following: Numbers | None
    passed: int
    value: Fraction
    shares: tuple[Fraction, ...] | None = None

    @property
    def other(self) -> bool:
        """True where another seat moves next."""
        return self.passed != 0


def outcome(game: TurnGame, board: Numbers, result: Any) -> Effect:
    """Effect of one result on one board by ``game.transition``; raises ModelError where it leads off the boards."""
    names = game.boards().names
    columns = one_board(dict(zip(names, board, strict=True)))
    effect = game.transition(columns, result)
    if not only(effect.legal):
        return Effect(False, None, 0, Fraction(0))
    value = Fraction(int(only(effect.reward)), effect.per)
    won, drawn = bool(only(effect.won)), bool(only(effect.drawn))
    if won or drawn or only(effect.over):
        rows = None if effect.shares is None else tuple(Fraction(int(only(row)), effect.per) for row in effect.shares)
        return Effect(True, None, 0, value + Fraction(int(won)) + Fraction(int(drawn), 2), rows)
    if effect.next is None:
        raise ModelError(f"result {result} of {dict(zip(names, board, strict=True))} leads nowhere")
    following = next_board(effect, columns)
    if game.boards().index_of(**following) < 0:
        raise ModelError(f"result {result} of {dict(zip(names, board, strict=True))} leads off the boards")
    return Effect(True, tuple(following.values()), int(only(effect.mover)), value)


def one_board(board: Mapping[str, Any]) -> Columns:
    """One board as columns: a number has shape (1,), a list of them (length, 1)."""
    return Columns({name: np.array(value)[..., None] for name, value in board.items()})


def next_board(effect: Transition, columns: Columns) -> dict[str, Any]:
    """The next board, as whole numbers, and tuples of them for lists."""
    assert effect.next is not None
    return {
        name: tuple(int(only(part)) for part in effect.next[name]) if column.ndim > 1 else int(only(effect.next[name]))
        for name, column in columns.as_dict().items()
    }


def only(column: Any) -> Any:
    """The one entry of a column of one board, or the value that stands for all boards."""
    return np.asarray(column).reshape(-1)[0]
