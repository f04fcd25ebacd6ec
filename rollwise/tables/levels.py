"""Levels of a game's boards, which no turn lowers (boxes filled, points of both): those that an export is to have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import Columns, TurnGame
from rollwise.solver.game.plain import plain, quoted

Ints = NDArray[np.int64]
SPAN = re.compile(r"(0|[1-9][0-9]{0,8})(?:-(0|[1-9][0-9]{0,8}))?")  # a level, or first and last


@dataclass(frozen=True)
class Levels:
    """Some levels, as spans (first, last).

    >>> levels = Levels.of("14-16,3")
    >>> levels.spans, levels.holds(np.array([3, 4, 16])).tolist()
    (((14, 16), (3, 3)), [True, False, True])
    """

    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, given: Any) -> Levels:
        """The levels typed as ``14-16`` or ``0,3,5-7``, or given as a whole number or several; raises BadInput."""
        given = plain(given)
        parts = given.split(",") if isinstance(given, str) else given if isinstance(given, Iterable) else [given]
        spans = []
        for part in map(str, parts):
            match = SPAN.fullmatch(part.strip())
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
            if first > last:
                raise BadInput(f"levels are like 14-16 or 0,3,5-7, got {quoted(given)}")
            spans.append((first, last))
        if not spans:
            raise BadInput("levels are like 14-16 or 0,3,5-7, got none")
        return cls(tuple(spans))

    def holds(self, levels: Ints) -> NDArray[np.bool_]:
        """Which of these are among them."""
        found = np.zeros(levels.shape, dtype=bool)
        for first, last in self.spans:
            found |= (first <= levels) & (levels <= last)
        return found

    def __str__(self) -> str:
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in self.spans)


def levels_of(game: TurnGame, boards: Columns) -> Ints:
    """The level of each board; raises BadInput where the game has none."""
    found = game.level(boards)
    if found is None:
        raise BadInput(f"the boards of {game.name} have no levels; export it, or a slice of it, as one file")
    return np.broadcast_to(np.asarray(found, dtype=np.int64), len(boards))
