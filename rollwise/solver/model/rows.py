"""Board spaces in rows: plain boards, each with all points that may still be needed there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rollwise.solver.model.spaces import Boards, Column, Ints


class Rows(Boards):
    """Some boards of a ``plain`` space, by index, with rows of these lengths: ``needed`` is one field more.

    Boards are numbered row by row, in this order; a row begins with the needed points ``lows``, 0 by default. More
    points than the last of a row count as the last, fewer than the first as the first.

    >>> space = Rows(Boards(box=9), np.array([5, 2]), np.array([3, 4]))
    >>> space.size, space.board(4), space.index_of(box=2, needed=1), space.index_of(box=5, needed=7)
    (7, {'box': 2, 'needed': 1}, 4, 2)
    """

    is_product = False

    def __init__(self, plain: Boards, boards: Ints, lengths: Ints, lows: Ints | None = None) -> None:
        self.plain, self.of_row, self.lengths = plain, boards, lengths
        self.lows = np.zeros(len(boards), dtype=np.int64) if lows is None else lows
        super().__init__(**plain.parts, needed=range(int(self.lows.min()), int((self.lows + lengths).max())))
        self.begins: Ints = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        self.size = int(self.begins[-1])
        self._ascending = np.argsort(boards, kind="stable")
        self._boards = boards[self._ascending]

    def row_of(self, indices: Ints) -> Ints:
        """The row of each of these boards."""
        row: Ints = np.searchsorted(self.begins, indices, side="right") - 1
        return row

    def ranks(self, indices: Ints) -> dict[str, Ints]:
        """See ``Boards``."""
        row = self.row_of(indices)
        place = np.asarray(indices) - self.begins[row] + self.lows[row]
        return {**self.plain.ranks(self.of_row[row]), "needed": place - self.ranges["needed"].start}

    def row(self, columns: Mapping[str, Column], count: int) -> Ints:
        """The row of each of these boards, whatever ``needed`` is; -1 where it is in none."""
        plain_index = self.plain.index(columns, count)
        place = np.minimum(np.searchsorted(self._boards, plain_index), len(self._boards) - 1)
        rows: Ints = np.where(self._boards[place] == plain_index, self._ascending[place], -1)
        return rows

    def index(self, columns: Mapping[str, Column], count: int) -> Ints:
        """See ``Boards``."""
        row = self.row(columns, count)
        place = np.clip(columns["needed"] - self.lows[row], 0, self.lengths[row] - 1)
        return np.where(row < 0, -1, self.begins[row] + place)
