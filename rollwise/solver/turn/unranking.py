"""Tables for ``solver.turn.unrank_kernel``, by which each part of a board space turns a rank into numbers.

Every part but a ``Split`` is *groups* of ranks that follow each other: the first numbers are the same in a group, and
the later ones are the digits of the rank in it, the last one fastest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.spaces import Boards, Enumerated, Nested, Part, Span, Split, Standing
from rollwise.solver.turn.record import CannotTrace

Ints = NDArray[np.int64]


class Unranking(NamedTuple):
    """``parts``: int64, a row a part: ranks, first row, rows that are the same in a group (-1: a split), later rows,
    groups, and where the part starts in ``table``.

    There each group has its first rank, its fixed numbers, and for each later row the lowest number and a count; one
    more first rank ends them. A split has the lowest number of each place, the amount to split, then its ``ways``; its
    later rows are those with ways.
    """

    parts: Ints
    table: Ints
    n_rows: int


def unranking_tables(space: Boards) -> Unranking:
    """The tables of a space; raises CannotTrace for a part of an unknown class."""
    parts, tables, row, start = [], [], 0, 0
    for name, part in space.parts.items():
        if type(part) is Split:
            shape, table = (-1, len(part.ways), part.length), np.concatenate([part.low, [part.room], *part.ways])
        else:
            shape, table = _groups(name, part)
        parts.append((part.size, row, *shape, start))
        row += len(part.bounds)
        start += len(table)
        tables.append(table)
    return Unranking(np.array(parts, dtype=np.int64), np.concatenate(tables, dtype=np.int64), row)


def _groups(name: str, part: Part) -> tuple[tuple[int, int, int], Any]:
    """Fixed rows, later rows and groups of a part, and its table."""
    firsts: Any
    fixed: Any = []
    later: list[tuple[Any, Any]] = []
    if type(part) is Span:
        firsts, later = [0, part.size], [(part.numbers.start, part.size)]
    elif type(part) is Enumerated:
        firsts, fixed = range(part.size + 1), part.lists
    elif type(part) is Nested:
        firsts, fixed, later = part.offsets, part.outer_of, list(zip(part.low, part.count, strict=True))
    elif type(part) is Standing:
        firsts, standing = part.offsets, np.arange(part.fewest, part.length + 1)
        for place in range(part.length):
            stands = standing > place
            count = np.where(stands, len(part.numbers), 1)
            later.append((np.where(stands, part.numbers.start, part.numbers.stop), count))
    else:
        raise CannotTrace(f"the boards of '{name}'")
    rows = [firsts[:-1], *fixed, *(row for numbers in later for row in numbers)]
    of_group = np.array(np.broadcast_arrays(*rows)).T
    shape = len(fixed), len(later), len(of_group)
    return shape, np.concatenate([of_group.ravel(), [part.size]])
