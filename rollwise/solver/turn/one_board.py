"""What many results do to one board, said in one statement: a question backs up a single board over all its results.

``transition`` speaks of many boards and one result at a time, in columns. For a single board those columns have one entry
each, and what NumPy takes to look at one entry would be nearly all of the time. So the statements about one board are
laid side by side, as if each result were a board, and read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Boards, Columns, Transition
from rollwise.solver.model.spaces import Span


def side_by_side(space: Boards, board: Columns, each: Sequence[Transition]) -> tuple[Transition, NDArray[np.bool_]]:
    """The statements about one board as one, its columns one entry a statement; and which say no next board.

    Those have the board itself in ``next``. ``shares`` is left out: results that share a win are read one by one.
    """
    own = board.as_dict()
    nowhere = np.array([said.next is None for said in each])
    ahead = [own if said.next is None else said.next for said in each]
    per = lcm(*(said.per for said in each))
    following: dict[str, Any] = {}
    for name, part in space.parts.items():
        if isinstance(part, Span):
            following[name] = np.array([_number(fields[name]) for fields in ahead])
        else:
            following[name] = np.array([[_number(row) for row in fields[name]] for fields in ahead]).T
    together = Transition(
        next=following,
        mover=_column([said.mover for said in each]),
        legal=_column([said.legal for said in each]),
        over=_column([said.over for said in each]),
        won=_column([said.won for said in each]),
        drawn=_column([said.drawn for said in each]),
        reward=np.array([_number(said.reward) * (per // said.per) for said in each]),
        per=per,
    )
    return together, nowhere


def _number(column: Any) -> Any:
    """The one number of a column."""
    return column if isinstance(column, int) else np.asarray(column).item()


def _column(each: Sequence[Any]) -> Any:
    """One entry a statement; a single value where all say the same."""
    numbers = [_number(column) for column in each]
    return numbers[0] if numbers.count(numbers[0]) == len(numbers) else np.array(numbers)
