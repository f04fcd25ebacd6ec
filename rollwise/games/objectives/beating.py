"""A sheet that is played to end with more points than all others, whose further throws are not watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, lcm
from typing import Any, ClassVar

import numpy as np

from rollwise.games.objectives.reaching import MAX_POINTS, ReachSheet
from rollwise.games.sheets import FURTHER, SheetGame
from rollwise.solver.model.box_fields import Scores
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Position, parameter
from rollwise.solver.model.kind_mixins import Ending
from rollwise.solver.model.list_fields import ListField, ScoreValues

MAX_OTHERS = 9  # finished sheets, and as many again that go on
NEEDED_AT_ZERO = 2 * (MAX_POINTS + 1)  # where each final score has a value, ``needed`` is this less the points so far
MAX_VALUE_PARTS = 1 << 52  # a value is rounded to such parts where its own denominator is larger
CHANCE_PARTS = 1 << 80  # weights that a chance of 1 is divided into
NOTE = (
    "It is the best you can do without watching their further throws, so a lower bound for your chance against players "
    "for the mean; asking again each turn can only help."
)


def ties_parameter() -> Any:
    """The parameter ``ties``: how the win is shared between those who have the most points."""
    return parameter(
        "share",
        "with as many points as the best of the others: share the win, lose or win",
        choices=("share", "lose", "win"),
        only=("objective", "beat"),
    )


@dataclass(frozen=True)
class BeatSheet(ReachSheet):
    """Mixin for a sheet with a target. The value of a board is the highest expected value of the final score.

    Against final scores alone, ``needed`` on a board is the points that pass the best of them. Sheets that go on give
    each final score of one's own a value; ``needed`` is then NEEDED_AT_ZERO less the points so far.
    """

    labels: ClassVar = {
        **SheetGame.labels,
        "theirs": "Final scores of others",
        "theirs_filled": "Sheets of others who go on",
        "worth": "Or what a final score is worth",
    }
    most_needed: ClassVar[int] = NEEDED_AT_ZERO
    wants: ClassVar[tuple[str, ...]] = ("theirs", "theirs_filled", "worth")

    ties: str = ties_parameter()

    # --- the others --------------------------------------------------------------------------------------------------

    def others(self, fields: Mapping[str, Any]) -> tuple[list[int], list[tuple[dict[str, int], int]]]:
        """Final scores, and the sheets that go on with their points; raises StateError for impossible points."""
        finished, unfinished = list(fields.get("theirs") or ()), []
        for sheet_fields in fields.get("theirs_filled") or ():
            sheet = self.whole({box: score for box, score in sheet_fields.items() if box in self.played})
            points = self.points_so_far(
                sheet, sheet_fields.get("points"), sheet_fields.get(FURTHER), ("points", FURTHER), "theirs_filled"
            )
            if len(sheet) == len(self.all_boxes):
                finished.append(points)
            else:
                unfinished.append((sheet, points))
        return finished, unfinished

    def beside(self, fields: Mapping[str, Any]) -> list[tuple[SheetGame, Mapping[str, int]]]:
        """The sheets that go on, as boards of the game for the mean."""
        parameters = self.whole_game().parameters()
        game: Any = self.of(**{name: value for name, value in parameters.items() if name not in BEATING})
        return [(game, game.board(sheet)) for sheet, _ in self.others(fields)[1]]

    def note(self, fields: Mapping[str, Any], certain: Fraction | None = None) -> str:
        """A note that further throws of others are not watched; against final scores alone, that all is decided."""
        if self.by_final_score(fields):
            return NOTE if self.others(fields)[1] else ""
        return "" if certain is None else super().note(fields, certain)

    # --- the value of a final score ----------------------------------------------------------------------------------

    def part(
        self,
        board: Mapping[str, int] | None = None,
        fields: Mapping[str, Any] | None = None,
        endings: Sequence[Ending] = (),
    ) -> ReachSheet:
        """The sheets that this one can become, with the value of each final score against these others."""
        if self.below:
            return self
        if fields is not None and not any(fields.get(name) for name in self.wants):
            raise StateError(
                "theirs is missing: the scores to beat",
                hint="theirs=231,187 are final scores, theirs_filled the sheets of those who go on",
                field="theirs",
            )
        fields = fields or {"theirs": (0,)}
        finished, unfinished = self.others(fields)
        error_bound = sum((_error_bound(ends) for ends in endings), Fraction(0))
        if self.by_final_score(fields):
            chances = [_score_weights(points, ends) for (_, points), ends in zip(unfinished, endings, strict=True)]
            steps: Mapping[int, Fraction] | None = fields.get("worth")
            final_values = _values_of_steps(steps) if steps else _values_against(finished, chances, self.ties)
            zero, needed = NEEDED_AT_ZERO, -1 if board is None else board["needed"]
        else:
            tied = _tie_value(finished.count(max(finished)), self.ties)
            final_values, zero, needed = [Fraction(0), tied, Fraction(1)], 2, -1
        top, parts, per, off_parts = _in_parts(final_values, error_bound)
        part = super().part(board)
        return replace(part, worths=parts, per=per, off=off_parts, needed_low=zero - top, wanted=needed)

    @staticmethod
    def by_final_score(fields: Mapping[str, Any]) -> bool:
        """True where each final score of one's own has its own value."""
        return bool(fields.get("theirs_filled") or fields.get("worth"))

    # --- questions ---------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The turn, one's own points where the sheet does not show them, and the others."""
        boxes = {box: self.can_hold(box) for box in self.played}
        line = {FURTHER: range(0, each.high + 1, each.step)} if (each := self.further_field) else {}
        sheet = Scores("theirs_filled", "a sheet", {**boxes, **line, "points": range(MAX_POINTS + 1)})
        first_box, last_box = self.played[0], self.played[-1]
        most = max(self.can_hold(last_box))
        example = f"{first_box}:0/{last_box}:{most},points:{most}"
        sheets = f"sheets of others who go on, their points where they have {self.unseen}, as {example}"
        return [
            *(field for field in super().fields() if field.name != "target"),
            ListField("theirs", "final scores of others", Number("theirs", "a final score", 0, MAX_POINTS), MAX_OTHERS),
            ListField("theirs_filled", sheets, sheet, MAX_OTHERS, "/"),
            ScoreValues("worth", "instead of others: the value of a final score from these points on", 0, MAX_POINTS),
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
            raise StateError("worth sets the value of every score; leave theirs and theirs_filled out", field="worth")
        finished, _ = self.others(fields)
        target = NEEDED_AT_ZERO if self.by_final_score(fields) else max(finished) + 1 if finished else None
        return super().locate(filled, roll, rolls_left, yahtzee_bonus, target, mine)

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the question, with those that its board implies; others and unseen points are never implied."""
        implied = {name: described[name] for name in described if name not in ("mine", *self.wants)}
        return self.with_further({**implied, **fields})

    def aimed_at(self, points: int) -> dict[str, Any]:
        """The final score to pass; values of final scores are not on the board."""
        return {"theirs": (max(points - 1, 0),)} if points <= MAX_POINTS + 1 else {}


BEATING = ("objective", "ties")


def _tie_value(others: int, ties: str) -> Fraction:
    """The value of having the most points together with this many others."""
    return {"share": Fraction(1, 1 + others), "lose": Fraction(others == 0), "win": Fraction(1)}[ties]


def _score_weights(points: int, ends: Ending) -> list[int]:
    """Weights of each final score from 0 on, whole numbers with the sum CHANCE_PARTS."""
    return [0] * points + [int(chance * CHANCE_PARTS) for chance in ends.chances.tolist()]


def _error_bound(ends: Ending) -> Fraction:
    """The largest error of any value that these chances cause.

    The chances' errors add up to that, and to as much again once they are scaled to the sum 1; half of it counts, since
    chances too high are balanced by others too low. ``CHANCE_PARTS`` is fine enough for a million chances.
    """
    return Fraction(1.01 * (ends.off + ends.lost)) + Fraction(1, MAX_VALUE_PARTS)


def _values_against(finished: Sequence[int], unfinished: Sequence[Sequence[int]], ties: str) -> list[Fraction]:
    """The value of each final score of one's own, from 0 on to one above all others.

    ``unfinished``: for each sheet that goes on, weights of its final scores from 0 on.
    """
    best = max(finished, default=-1)
    size, all_ways = max([best + 1, *map(len, unfinished)]) + 1, 1
    ways = [np.array([1] * size, dtype=object)]  # by the number of sheets with the same score, none having more
    for chances in unfinished:
        at = np.array([*chances, *[0] * (size - len(chances))], dtype=object)
        below = np.cumsum(at) - at
        ways = [fewer * at + same * below for fewer, same in zip([0, *ways], [*ways, 0], strict=True)]
        all_ways *= sum(chances)
    values = [Fraction(0)] * size
    for score in range(max(best, 0), size):
        others = finished.count(score)
        value = sum(_tie_value(others + more, ties) * way[score] for more, way in enumerate(ways))
        values[score] = value / all_ways
    return values


def _values_of_steps(steps: Mapping[int, Fraction]) -> list[Fraction]:
    """The value of each final score, from 0 on to the last that is listed."""
    values = [Fraction(0)] * (max(steps) + 1)
    for score, value in steps.items():
        values[score:] = [value] * (len(values) - score)
    return values


def _in_parts(final_values: Sequence[Fraction], error_bound: Fraction) -> tuple[int, tuple[int, ...], int, int]:
    """(score from which on all values are equal, values from there down in parts, parts of 1, error in parts).

    ``final_values`` are of scores from 0 on, each wrong by ``error_bound`` at most; above the last they do not change.
    """
    per = MAX_VALUE_PARTS + 1 if error_bound else lcm(*(value.denominator for value in final_values))
    is_rounded = per > MAX_VALUE_PARTS
    per = min(per, MAX_VALUE_PARTS)
    parts = [round(value * per) for value in final_values]
    while len(parts) > 1 and parts[-1] == parts[-2]:
        parts.pop()
    same = next((score for score, part in enumerate(parts) if part != parts[0]), len(parts))
    return len(parts) - 1, tuple(parts[same - 1 :][::-1]), per, ceil(error_bound * per) + is_rounded
