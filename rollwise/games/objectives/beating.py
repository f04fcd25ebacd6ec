"""A sheet that is played against somebody: to end with more points than all others, who are not watched meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm
from typing import Any, ClassVar

import numpy as np

from rollwise.games.objectives.reaching import MOST, ReachSheet
from rollwise.games.sheets import FURTHER, SheetGame
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Scores
from rollwise.solver.model.game import Position, parameter
from rollwise.solver.model.kind_words import Ending
from rollwise.solver.model.several import Several, Worths

OTHERS = 9  # who have finished, and as many who go on
FINAL = 2 * (MOST + 1)  # where final scores are worth this and that, what is needed is so much less what was made
PER = 1 << 52  # parts that worths are counted in where they are rounded
FINE = 1 << 80  # parts that chances are counted in
NOTE = (
    "It is the best you can do without watching their further throws, so a lower bound for your chance against players "
    "for the mean; asking again each turn can only help."
)


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

    labels: ClassVar = {
        **SheetGame.labels,
        "theirs": "Final scores of others",
        "theirs_filled": "Sheets of others who go on",
        "worth": "Or what a final score is worth",
    }
    most_needed: ClassVar[int] = FINAL
    wants: ClassVar[tuple[str, ...]] = ("theirs", "theirs_filled", "worth")

    ties: str = ties_parameter()

    # --- the others --------------------------------------------------------------------------------------------------

    def others(self, fields: Mapping[str, Any]) -> tuple[list[int], list[tuple[dict[str, int], int]]]:
        """The final scores of those who have finished, and those who go on; raises StateError for impossible points."""
        finished, go_on = list(fields.get("theirs") or ()), []
        for told in fields.get("theirs_filled") or ():
            sheet = self.whole({box: score for box, score in told.items() if box in self.played})
            points = self.made_so_far(
                sheet, told.get("points"), told.get(FURTHER), ("points", FURTHER), "theirs_filled"
            )
            if len(sheet) == len(self.all_boxes):
                finished.append(points)
            else:
                go_on.append((sheet, points))
        return finished, go_on

    def beside(self, fields: Mapping[str, Any]) -> list[tuple[SheetGame, Mapping[str, int]]]:
        """Those who go on play for the mean."""
        given = self.as_asked().parameters()
        mean: Any = self.of(**{name: value for name, value in given.items() if name not in BEATING})
        return [(mean, mean.board(sheet)) for sheet, _ in self.others(fields)[1]]

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """What others do later is not watched; against final scores alone, that all is decided."""
        if self.by_final_score(fields):
            return NOTE if self.others(fields)[1] else ""
        return "" if certain is None else super().note(fields, certain)

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
        fields = fields or {"theirs": (0,)}
        finished, go_on = self.others(fields)
        off = sum((_off(ends) for ends in endings), Fraction(0))
        if self.by_final_score(fields):
            chances = [_chances(points, ends) for (_, points), ends in zip(go_on, endings, strict=True)]
            steps: Mapping[int, Fraction] | None = fields.get("worth")
            worths = _of_steps(steps) if steps else _against(finished, chances, self.ties)
            zero, wanted = FINAL, -1 if board is None else board["needed"]
        else:
            tied = _tied(finished.count(max(finished)), self.ties)
            worths, zero, wanted = [Fraction(0), tied, Fraction(1)], 2, -1
        top, parts, per, off_parts = _counted(worths, off)
        part = super().part(board)
        return replace(part, worths=parts, per=per, off=off_parts, needed_low=zero - top, wanted=wanted)

    @staticmethod
    def by_final_score(fields: Mapping[str, Any]) -> bool:
        """Does a final score of one's own have a worth of its own?"""
        return bool(fields.get("theirs_filled") or fields.get("worth"))

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The turn, one's own points where the sheet does not tell them, and the others."""
        boxes = {box: self.can_hold(box) for box in self.played}
        line = {FURTHER: range(0, each.high + 1, each.step)} if (each := self.further_field) else {}
        sheet = Scores("theirs_filled", "a sheet", {**boxes, **line, "points": range(MOST + 1)})
        one, two = self.played[0], self.played[-1]
        held = max(self.can_hold(two))
        like = f"{one}:0/{two}:{held},points:{held}"
        sheets = f"sheets of others who go on, their points where they have {self.unseen}, as {like}"
        return [
            *(field for field in super().fields() if field.name != "target"),
            Several("theirs", "final scores of others", Number("theirs", "a final score", 0, MOST), OTHERS),
            Several("theirs_filled", sheets, sheet, OTHERS, "/"),
            Worths("worth", "instead of others: what a final score is worth from so many points on", 0, MOST),
        ]

    def locate(  # type: ignore[override]  # another question
        self,
        filled: Mapping[str, int] | None = None,
        roll: Faces | None = None,
        rolls_left: int | None = None,
        yahtzee_bonus: int | None = None,
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
        return super().locate(filled, roll, rolls_left, yahtzee_bonus, target, mine)

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
        """Of others, and of points that the sheet does not tell, nothing is so that is not said."""
        implied = {name: described[name] for name in described if name not in ("mine", *self.wants)}
        return self.with_further({**implied, **fields})

    def aimed_at(self, points: int) -> dict[str, Any]:
        """The final score to be passed; worths of final scores are not on the board."""
        return {"theirs": (max(points - 1, 0),)} if points <= MOST + 1 else {}


BEATING = ("objective", "ties")


def _tied(others: int, ties: str) -> Fraction:
    """What having the most points is worth, as so many others have."""
    return {"share": Fraction(1, 1 + others), "lose": Fraction(others == 0), "win": Fraction(1)}[ties]


def _chances(points: int, ends: Ending) -> list[int]:
    """How likely each final score is, from 0 on, in whole numbers that are 1 together."""
    return [0] * points + [int(chance * FINE) for chance in ends.chances.tolist()]


def _off(ends: Ending) -> Fraction:
    """So much at most any worth is off because of these chances.

    All together they are off by so much, and by as much again once they are 1 together; half of that counts, as chances
    that are too high are paid for by others. ``FINE`` is fine enough for a million of them.
    """
    return Fraction(1.01 * (ends.off + ends.lost)) + Fraction(1, PER)


def _against(finished: Sequence[int], go_on: Sequence[Sequence[int]], ties: str) -> list[Fraction]:
    """What each final score of one's own is worth, from 0 on to one that is above all.

    ``go_on``: of each who does, how likely each final score is, from 0 on, in whole numbers.
    """
    best = max(finished, default=-1)
    size, all_ways = max([best + 1, *map(len, go_on)]) + 1, 1
    ways = [np.array([1] * size, dtype=object)]  # by how many of them have the score too, none having more
    for chances in go_on:
        at = np.array([*chances, *[0] * (size - len(chances))], dtype=object)
        below = np.cumsum(at) - at
        ways = [fewer * at + same * below for fewer, same in zip([0, *ways], [*ways, 0], strict=True)]
        all_ways *= sum(chances)
    found = [Fraction(0)] * size
    for score in range(max(best, 0), size):
        others = finished.count(score)
        worth = sum(_tied(others + more, ties) * way[score] for more, way in enumerate(ways))
        found[score] = worth / all_ways
    return found


def _of_steps(steps: Mapping[int, Fraction]) -> list[Fraction]:
    """What each final score is worth, from 0 on to the last that is named."""
    found = [Fraction(0)] * (max(steps) + 1)
    for score, worth in steps.items():
        found[score:] = [worth] * (len(found) - score)
    return found


def _counted(worths: Sequence[Fraction], off: Fraction) -> tuple[int, tuple[int, ...], int, int]:
    """(the score from which on all is worth the same, worths from there down, in parts of what, off by how many).

    ``worths`` are of scores from 0 on, each off by ``off`` at most; above the last all is worth the same.
    """
    per = PER + 1 if off else lcm(*(worth.denominator for worth in worths))
    rounded = per > PER
    per = min(per, PER)
    parts = [round(worth * per) for worth in worths]
    while len(parts) > 1 and parts[-1] == parts[-2]:
        parts.pop()
    same = next((score for score, part in enumerate(parts) if part != parts[0]), len(parts))
    return len(parts) - 1, tuple(parts[same - 1 :][::-1]), per, ceil(off * per) + rounded
