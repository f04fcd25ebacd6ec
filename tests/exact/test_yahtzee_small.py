"""A few boxes of Yahtzee, once more in the plainest way: every keep of every roll, sheets as they are written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rollwise.games.yahtzee.rules import Yahtzee
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.exact.plain import NUMBERS, PAYS, Numbers, Sheet, SheetAlone, points


class Plain(SheetAlone):
    """Boxes in ``played`` are open at first, all others hold 0."""

    def __init__(self, played: tuple[str, ...], forced: bool) -> None:
        super().__init__(5, played)
        self.forced = forced

    def legal(self, sheet: Sheet, face: int) -> list[str]:
        """Boxes for five dice of this face."""
        open_boxes = self.open(sheet)
        if "yahtzee" in open_boxes or not self.forced:
            return open_boxes
        own = [box for box in open_boxes if NUMBERS.get(box) == face]
        return own or [box for box in open_boxes if box not in NUMBERS] or open_boxes

    def written(self, sheet: Sheet, box: str) -> tuple[Numbers, Numbers]:
        throws, number = self.every.throws, self.every.throw
        scores, more = np.array([points(box, roll, PAYS["yahtzee"]) for roll in throws]), np.zeros(len(throws))
        for face in range(1, 7):
            own_open = any(NUMBERS.get(other) == face for other in self.open(sheet))
            if "yahtzee" not in self.open(sheet) and not own_open and box in ("full house", *IN_A_ROW):
                scores[number[(face,) * 5]] = PAYS["yahtzee"][box]
            if box not in self.legal(sheet, face):
                scores[number[(face,) * 5]] = -1
            more[number[(face,) * 5]] = 100 * (sheet.get("yahtzee") == 50)
        return scores, more

    def upper(self, sheet: Sheet) -> int:
        return min(63, sum(score for box, score in sheet.items() if box in NUMBERS))

    def bonuses(self, sheet: Sheet) -> int:
        return 35 * (self.upper(sheet) == 63)

    def alike(self, sheet: Sheet) -> Any:
        return frozenset(sheet), self.upper(sheet), sheet.get("yahtzee")


IN_A_ROW = ("small straight", "large straight")
SMALL = [
    ("chance",),
    ("large straight",),
    ("yahtzee",),
    ("sixes", "full house"),
    ("yahtzee", "large straight"),
    ("fives", "three of a kind", "yahtzee"),
    ("small straight", "sixes", "yahtzee"),
]
LARGER = [("fours", "fives", "sixes"), ("ones", "full house", "yahtzee", "chance")]  # with the 35, and with four boxes


@pytest.mark.parametrize("joker", ["forced", "free"])
@pytest.mark.parametrize(
    "played", [*SMALL, *(pytest.param(boxes, marks=pytest.mark.slow) for boxes in LARGER)], ids=",".join
)
def test_every_board_of_a_few_boxes_is_worth_what_plain_play_finds(played: tuple[str, ...], joker: str) -> None:
    game = Yahtzee(joker=joker, boxes=",".join(played))
    found = BoardSolver(game, compile_turn(game), workers=1, compiled=False).solve()
    plain = Plain(played, joker == "forced")
    boards = np.flatnonzero(np.isfinite(found.values))
    assert found.n_boards == len(boards)
    for index in boards.tolist():
        sheet = game.sheet(game.boards().board(index))
        assert abs(found.values[index] - plain.to_come(sheet)) <= found.radius[index] + 1e-11
        assert found.radius[index] < 1e-10


def test_one_chance_is_worth_its_known_fraction() -> None:
    # each die on its own: 7/2 with one throw, 17/4 with two (keep from 4 on), 14/3 with three (keep from 5 on)
    assert Plain(("chance",), True).value({}) == pytest.approx(5 * 14 / 3, abs=1e-12)
