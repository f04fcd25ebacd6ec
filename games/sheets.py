"""Score sheets: boxes that are each filled once, and what a bonus that some of them earn together still depends on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from solver.errors import ModelError

NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
SETTLED = 0  # nothing is wanted any more: the bonus is earned, or out of reach


class BonusBoxes:
    """Boxes that earn a bonus once they hold ``enough`` together, as *states*: one number of a board.

    ``scores`` are those that each box can hold, 0 among them; ``held`` are boxes that are filled from the start, in
    state 0. Sheets from which a game goes on alike share a state: it knows which boxes are filled, and how much is
    wanted for the bonus, rounded up to what the open boxes can make; nothing once the bonus is earned or out of reach.

    ``filled``: int64, shape (states,), a bit a box. ``after``: int64, shape (states, boxes, scores), the state after a
    box gets its so-manieth score, -1 where it is filled already; ``earns``: bool, so shaped, whether that earns the
    bonus. ``sheets``: of each state one sheet that is in it.

    >>> pair = BonusBoxes(("ones", "twos"), [(0, 1, 2), (0, 2, 4)], enough=3)
    >>> pair.state({"ones": 1}) == pair.state({"ones": 2}), pair.state({"ones": 0}) == pair.state({"ones": 1})
    (True, False)
    """

    def __init__(
        self,
        boxes: Sequence[str],
        scores: Sequence[Sequence[int]],
        enough: int,
        held: Mapping[str, int] | None = None,
    ) -> None:
        self.boxes = tuple(boxes)
        self.scores = tuple(tuple(of_box) for of_box in scores)
        for name, of_box in zip(self.boxes, self.scores, strict=True):
            if min(of_box) != 0:  # else what is wanted could be rounded up past what a box makes at once
                raise ModelError(f"ModelError: '{name}' must be able to hold 0 and nothing less, got {of_box}")
        self.enough = enough
        self.all_filled = (1 << len(self.boxes)) - 1
        self._sums: dict[int, list[int]] = {}
        self._reached: dict[int, NDArray[np.bool_]] = {}
        self._named: list[tuple[int, int]] = []  # (boxes filled, points wanted) of each state
        self._state: dict[tuple[int, int], int] = {}
        self.sheets: list[dict[str, int]] = []
        shape = len(self.boxes), max(len(of_box) for of_box in self.scores)
        after: list[NDArray[np.int64]] = []
        earns: list[NDArray[np.bool_]] = []
        start = {box: score for box, score in (held or {}).items() if box in self.boxes}
        self._enter(self._filled(start), enough - sum(start.values()), start)
        for filled, wanted in self._named:  # which grows
            following, earned = np.full(shape, -1, dtype=np.int64), np.zeros(shape, dtype=bool)
            for box, place, score in self._ways(filled):
                sheet = {**self.sheets[len(after)], self.boxes[box]: score}
                following[box, place] = self._enter(filled | 1 << box, wanted - score if wanted else SETTLED, sheet)
                earned[box, place] = 0 < wanted <= score
            after.append(following)
            earns.append(earned)
        self.size = len(self._named)
        self.after: NDArray[np.int64] = np.array(after)
        self.earns: NDArray[np.bool_] = np.array(earns)
        self.filled: NDArray[np.int64] = np.array([filled for filled, _ in self._named], dtype=np.int64)

    def _ways(self, filled: int) -> list[tuple[int, int, int]]:
        """(box, place of its score, score) of every way to fill one more box."""
        return [
            (box, place, score)
            for box, of_box in enumerate(self.scores)
            for place, score in enumerate(of_box)
            if not filled >> box & 1
        ]

    def _enter(self, filled: int, wanted: int, sheet: dict[str, int]) -> int:
        """The state in which these boxes are filled and so much is wanted."""
        name = self._name(filled, wanted)
        if name not in self._state:
            self._state[name] = len(self._named)
            self._named.append(name)
            self.sheets.append(sheet)
        return self._state[name]

    def _name(self, filled: int, wanted: int) -> tuple[int, int]:
        return filled, self._made_of(self.all_filled & ~filled, wanted) if wanted > 0 else SETTLED

    def _made_of(self, boxes: int, wanted: int) -> int:
        """The least that these boxes can hold together and that is not below ``wanted``; SETTLED if they cannot."""
        if boxes not in self._sums:
            sums = {0}
            for box, of_box in enumerate(self.scores):
                if boxes >> box & 1:
                    sums = {held + score for held in sums for score in of_box}
            self._sums[boxes] = sorted(sums)
        found = self._sums[boxes]
        place = bisect_left(found, wanted)
        return found[place] if place < len(found) else SETTLED

    def state(self, sheet: Mapping[str, int]) -> int:
        """The state of a sheet; boxes that are not among these do not matter."""
        wanted = self.enough - sum(sheet.get(box, 0) for box in self.boxes)
        return self._state[self._name(self._filled(sheet), wanted)]

    def _filled(self, sheet: Mapping[str, int]) -> int:
        return sum(1 << place for place, box in enumerate(self.boxes) if box in sheet)

    def earned(self, sheet: Mapping[str, int]) -> bool:
        """Has this sheet the bonus?"""
        return sum(sheet.get(box, 0) for box in self.boxes) >= self.enough


def number_boxes(dice: int, enough: int, held: Mapping[str, int] | None = None) -> BonusBoxes:
    """Ones to sixes, each the sum of that face, with a bonus for ``enough`` points."""
    return BonusBoxes(NUMBERS, [range(0, face * dice + 1, face) for face in range(1, 7)], enough, held)
