"""Transitions of many results on one board joined into one: a question backs up a single board over all its results.

``transition`` takes many boards and one result at a time, in columns. For a single board these have one entry each, and
NumPy's overhead would be nearly all of the time. So the transitions are joined, as if each result were a board.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Boards, Columns, Transition
from rollwise.solver.model.spaces import Span


def join_transitions(space: Boards, board: Columns, each: Sequence[Transition]) -> tuple[Transition, NDArray[np.bool_]]:
    """Transitions on one board as one, its columns one entry a result; and True for those without a next board.

    Those have the board itself in ``next``. ``shares`` is left out: results that share a win are read one by one.
    """
    own = board.as_dict()
    nowhere = np.array([effect.next is None for effect in each])
    ahead = [own if effect.next is None else effect.next for effect in each]
    per = lcm(*(effect.per for effect in each))
    following: dict[str, Any] = {}
    for name, part in space.parts.items():
        if isinstance(part, Span):
            following[name] = np.array([_number(fields[name]) for fields in ahead])
        else:
            following[name] = np.array([[_number(row) for row in fields[name]] for fields in ahead]).T
    joined = Transition(
        next=following,
        mover=_column([effect.mover for effect in each]),
        legal=_column([effect.legal for effect in each]),
        over=_column([effect.over for effect in each]),
        won=_column([effect.won for effect in each]),
        drawn=_column([effect.drawn for effect in each]),
        reward=np.array([_number(effect.reward) * (per // effect.per) for effect in each]),
        per=per,
    )
    return joined, nowhere


def _number(column: Any) -> Any:
    """The one number of a column."""
    return column if isinstance(column, int) else np.asarray(column).item()


def _column(each: Sequence[Any]) -> Any:
    """One entry a transition; a single value where all are equal."""
    numbers = [_number(column) for column in each]
    return numbers[0] if numbers.count(numbers[0]) == len(numbers) else np.array(numbers)
