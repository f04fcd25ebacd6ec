"""A sheet that is played against somebody: to end with more points than all others, who are not watched meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm, prod
from typing import Any, ClassVar

import numpy as np

from rollwise.games.reaching import MOST, ReachSheet
from rollwise.games.sheets import SheetGame
from rollwise.solver.game.dice import Faces
from rollwise.solver.game.errors import StateError
from rollwise.solver.game.fields import Field, Number, Scores
from rollwise.solver.game.kind_words import Ending
from rollwise.solver.game.model import Position, parameter
from rollwise.solver.game.several import Several, Worths

OTHERS = 9  # who have finished, and as many who go on
FINAL = 2 * (MOST + 1)  # where final scores are worth this and that, what is needed is so much less what was made
PER = 1 << 52  # parts that worths are counted in where they are rounded
FINE = 1 << 80  # parts that chances are counted in
NOTE = (
    "it is the best you can do without watching their further throws, so a lower bound for your chance against players "
    "for the mean; asking again each turn can only help"
)
Goes = tuple[Mapping[str, int], int]  # somebody's sheet, and all points so far


def ties_parameter() -> Any:
    """Who has the win where several have the most points."""
    return parameter(
        "share",
        "with as many points as the best of the others: share the win, lose or win",
        choices=("share", "lose", "win"),
        only=("objective", "beat"),
    )


@dataclass(frozen=True)
class BeatSheet(ReachSheet):
    """Goes before a game of one sheet for a target. The value of a board is what the final score will be worth at best.

    Against final scores alone a board says how many points are needed to pass the best of them. What others will have
    makes a worth for every final score of one's own, and ``needed`` is then FINAL less the points so far.
    """

    most_needed: ClassVar[int] = FINAL
    wants: ClassVar[tuple[str, ...]] = ("theirs", "theirs_filled", "worth")

    ties: str = ties_parameter()

    # --- the others --------------------------------------------------------------------------------------------------

    def others(self, fields: Mapping[str, Any]) -> tuple[list[int], list[Goes]]:
        """The final scores of those who have finished, and those who go on; raises StateError for impossible points."""
        finished, go_on = list(fields.get("theirs") or ()), []
        for told in fields.get("theirs_filled") or ():
            sheet = self.whole({box: score for box, score in told.items() if box != "points"})
            points = self.made_so_far(sheet, told.get("points"), "theirs_filled", "points:")
            if len(sheet) == len(self.all_boxes):
                finished.append(points)
            else:
                go_on.append((sheet, points))
        return finished, go_on

    def beside(self, fields: Mapping[str, Any]) -> list[tuple[SheetGame, Mapping[str, int]]]:
        """Those who go on play for the mean."""
        mean: Any = self.of(**{name: value for name, value in self.parameters().items() if name not in BEATING})
        return [(mean, mean.board(sheet)) for sheet, _ in self.others(fields)[1]]

    def note(self, fields: Mapping[str, Any]) -> str:
        """What others do later is not watched."""
        return NOTE if self.others(fields)[1] else ""

    # --- what a final score is worth ---------------------------------------------------------------------------------

    def part(
        self,
        board: Mapping[str, int] | None = None,
        fields: Mapping[str, Any] | None = None,
        endings: Sequence[Ending] = (),
    ) -> ReachSheet:
        """The sheets that this one can become, and what final scores are worth against these others."""
        if self.below:
            return self
        if fields is not None and not any(fields.get(name) for name in self.wants):
            raise StateError(
                "theirs is wanted: who is to be beaten?",
                hint="theirs=231,187 are final scores, theirs_filled the sheets of those who go on",
                field="theirs",
            )
        part, fields = super().part(board), fields or {"theirs": (0,)}
        finished, go_on = self.others(fields)
        best = max(finished, default=-1)
        if self.by_final_score(fields):
            steps: Mapping[int, Fraction] | None = fields.get("worth")
            field = _Field(self.ties, best, finished.count(best), [_chances(g[1], e) for g, e in zip(go_on, endings)])
            worth = field.worths() if steps is None else _of_steps(steps)
            off = sum((Fraction(1.01 * (end.off + end.lost)) + Fraction(1, PER << 8) for end in endings), Fraction(0))
            top, worths, per, off = _counted(worth, off)
            wanted = -1 if board is None else board["needed"]
            return replace(part, needed_low=FINAL - top, worths=worths, per=per, off=off, wanted=wanted)
        tied = {"share": Fraction(1, 1 + finished.count(best)), "lose": Fraction(0), "win": Fraction(1)}[self.ties]
        _, worths, per, _ = _counted([Fraction(0), tied, Fraction(1)], Fraction(0))
        return replace(part, worths=worths, per=per, needed_low=int(self.ties == "win"))

    @staticmethod
    def by_final_score(fields: Mapping[str, Any]) -> bool:
        """Does a final score of one's own have a worth of its own?"""
        return bool(fields.get("theirs_filled") or fields.get("worth"))

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The turn, one's own points where the sheet does not tell them, and the others."""
        boxes = {box: self.can_hold(box) for box in self.played}
        sheet = Scores("theirs_filled", "a sheet", {**boxes, "points": range(MOST + 1)})
        one, two = self.played[0], self.played[-1]
        sheets = f"sheets of others who go on, their points where they have {self.unseen}, as {one}:0/{two}:5,points:5"
        return [
            *(field for field in super().fields() if field.name != "target"),
            Several("theirs", "final scores of others", Number("theirs", "a final score", 0, MOST), OTHERS),
            Several("theirs_filled", sheets, sheet, OTHERS, "/"),
            Worths("worth", "instead of others: what a final score is worth from so many points on", 0, MOST),
        ]

    def locate(
        self,
        filled: Mapping[str, int] | None = None,
        roll: Faces | None = None,
        rolls_left: int | None = None,
        mine: int | None = None,
        theirs: tuple[int, ...] | None = None,
        theirs_filled: tuple[Mapping[str, int], ...] | None = None,
        worth: Mapping[int, Fraction] | None = None,
    ) -> Position:
        """The position of a question."""
        fields = {"theirs": theirs, "theirs_filled": theirs_filled, "worth": worth}
        if worth and (theirs or theirs_filled):
            raise StateError("worth says what all scores are worth; leave theirs and theirs_filled out", field="worth")
        finished, _ = self.others(fields)
        target = FINAL if self.by_final_score(fields) else max(finished) + 1 if finished else None
        return super().locate(filled, roll, rolls_left, target, mine)

    def aimed_at(self, points: int) -> dict[str, Any]:
        """The final score to be passed; worths of final scores are not on the board."""
        return {"theirs": (max(points - 1, 0),)} if points <= MOST + 1 else {}


BEATING = ("objective", "ties")


def _chances(points: int, ends: Ending) -> Any:
    """Of the final scores, from 0 on, how likely each is, in whole numbers."""
    return [0] * points + [int(chance * FINE) for chance in ends.chances.tolist()]


@dataclass(frozen=True)
class _Field:
    """Others: the ``best`` final score, how many have it, and those who go on, each with chances of final scores."""

    ties: str
    best: int
    holders: int
    go_on: Sequence[Sequence[int]]

    def worths(self) -> list[Fraction]:
        """What each final score of one's own is worth, from 0 on to one that is above all."""
        size = max([self.best + 1, *map(len, self.go_on)]) + 1
        chances = [np.array([*chances, *[0] * (size - len(chances))], dtype=object) for chances in self.go_on]
        all_of = prod(int(at.sum()) for at in chances)
        none_above = [np.array([1] * size, dtype=object)]  # by how many of them have the score too
        for at in chances:
            below, zero = np.concatenate([[0], np.cumsum(at)[:-1]]), 0 * at
            none_above = [a * below + b * at for a, b in zip([*none_above, zero], [zero, *none_above], strict=True)]
        every = lcm(*range(1, len(chances) + self.holders + 2))
        found = []
        for score in range(size):
            tied = self.holders if score == self.best else 0
            parts = {"share": [every // (1 + tied + more) for more in range(len(none_above))]}.get(
                self.ties, [every * (self.ties == "win" or tied + more == 0) for more in range(len(none_above))]
            )
            sums = sum(part * int(chance[score]) for part, chance in zip(parts, none_above, strict=True))
            found.append(Fraction(sums if score >= self.best else 0, all_of * every))
        return found


def _of_steps(steps: Mapping[int, Fraction]) -> list[Fraction]:
    """What each final score is worth, from 0 on to the last that is named; the same from there on."""
    found = [Fraction(0)] * (max(steps) + 1)
    for score, worth in steps.items():
        found[score:] = [worth] * (len(found) - score)
    return found


def _counted(worths: Sequence[Fraction], off: Fraction) -> tuple[int, tuple[int, ...], int, int]:
    """The least final score from which on all is worth the same, and from there down the worths in parts of ``per``.

    That is of final scores from 0 on, the last and all above being worth the same, and each is off by ``off`` at most;
    the fourth number is by how many parts, rounding included.
    """
    per = lcm(*(worth.denominator for worth in worths)) if not off else PER + 1
    if per > PER:
        per, rounded = PER, True
    else:
        rounded = False
    parts = [round(worth * per) for worth in worths]
    while len(parts) > 1 and parts[-1] == parts[-2]:
        parts.pop()
    first = next((place for place, part in enumerate(parts) if part != parts[0]), len(parts)) - 1
    return len(parts) - 1, tuple(parts[first:][::-1]), per, ceil(off * per) + rounded
