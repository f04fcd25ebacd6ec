"""A few boxes of Killer, once more and in the plainest way: every die into every box, sweeps until nothing moves."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from rollwise.games.killer.rules import Killer, named
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.solver.plain import NUMBERS, Numbers, Roll, every_keep, swept, thorough

Scored = tuple[frozenset[str], frozenset[str]]  # boxes that the mover, and the other, have scored in
NOWHERE = ""


def takes(box: str, dice: Roll, opened: bool) -> bool:
    """May these dice be entered in this box?"""
    counts = sorted(dice.count(face) for face in set(dice))
    if box in NUMBERS:
        return set(dice) == {NUMBERS[box]} and (opened or len(dice) >= 3)
    if box == "sequences":
        return dice in ((1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6))
    return counts in {"trebles": [[3]], "bull's eye": [[2, 2]], "doubles": [[2], [2, 2], [4]]}[box]


@cache
def assignments(roll: Roll, boxes: tuple[str, ...]) -> frozenset[tuple[tuple[str, Roll], ...]]:
    """Every way to put dice into boxes that may take them, once opened, or nowhere: the boxes used, with their dice."""
    found = set()
    for choice in product((NOWHERE, *boxes), repeat=5):
        given = [(box, tuple(d for d, where in zip(roll, choice, strict=True) if where == box)) for box in boxes]
        if all(takes(box, dice, True) for box, dice in given if dice):
            found.add(tuple((box, dice) for box, dice in given if dice))
    return frozenset(found)


@cache
def entered(roll: Roll, open_boxes: tuple[str, ...], opened: frozenset[str]) -> dict[frozenset[str], int]:
    """The most points for each set of boxes that may be scored in, the empty one too."""
    best: dict[frozenset[str], int] = {}
    for given in assignments(roll, open_boxes):
        if all(takes(box, dice, box in opened) for box, dice in given):
            used = frozenset(box for box, _ in given)
            best[used] = max(best.get(used, 0), sum(sum(dice) for _, dice in given))
    return best


class Plain:
    """Expected margins of the mover on every sheet of these boxes."""

    def __init__(self, boxes: tuple[str, ...], must_score: bool) -> None:
        self.boxes, self.must_score, self.every = boxes, must_score, every_keep(5)
        self.value: dict[Scored, float] = {}
        every = [frozenset(some) for size in range(len(boxes) + 1) for some in combinations(boxes, size)]
        sheets = [(mine, theirs) for mine in every for theirs in every]
        for sheet in sorted(sheets, key=lambda sheet: -len(sheet[0]) - len(sheet[1])):
            if sheet not in self.value:
                self.solve(sheet)

    def solve(self, sheet: Scored) -> None:
        """A sheet and the same seen by the other player, sweep by sweep."""
        back = sheet[1], sheet[0]
        both = dict.fromkeys((sheet, back), 0.0)
        self.value |= both
        if sheet[0] & sheet[1] == set(self.boxes):
            return
        ends = {one: self.ends(one) for one in both}

        def turn(one: Scored) -> float:
            leaving, staying = ends[one]
            rolled = np.maximum(leaving, staying - self.value[one[1], one[0]])
            return float(self.every.first(self.every.again(rolled)))

        swept(self.value, both, turn, 1e-13)

    def ends(self, sheet: Scored) -> tuple[Numbers, Numbers]:
        """By roll: the best that changes the sheet, and the most points that do not; -inf where there is neither."""
        mine, theirs = sheet
        open_boxes = tuple(box for box in self.boxes if box not in mine & theirs)
        leaving, staying = np.full((2, len(self.every.throws)), -np.inf)
        for i, roll in enumerate(self.every.throws):
            best = dict(entered(roll, open_boxes, mine & set(open_boxes)))
            if self.must_score and len(best) > 1:
                del best[frozenset()]
            for used, points in best.items():
                if used <= mine:
                    staying[i] = max(staying[i], points)
                else:
                    leaving[i] = max(leaving[i], points - self.value[theirs, mine | used])
        return leaving, staying


MORE = [(("ones",), True), (("doubles",), False), (("trebles", "fives"), True), (("bull's eye", "sixes"), False)]


@pytest.mark.parametrize(
    ("boxes", "must_score"),
    [(("trebles", "fives"), False), (("doubles",), True), *thorough(*MORE, (("doubles", "sequences"), True))],
)
def test_every_sheet_of_a_few_boxes_is_worth_what_plain_play_finds(boxes: tuple[str, ...], must_score: bool) -> None:
    game = Killer(must_score=must_score, boxes=",".join(boxes))
    found = BoardSolver(game, compile_turn(game), compiled=False).solve()
    plain = Plain(boxes, must_score).value
    possible = np.flatnonzero(np.isfinite(found.values)).tolist()
    assert len(possible) == found.n_boards == 4 ** len(boxes) - 1
    for index in possible:
        board = game.boards().board(index)
        mine, theirs = (frozenset(named(board[who])) & set(boxes) for who in ("mine", "theirs"))
        assert abs(found.values[index] - plain[mine, theirs]) <= found.radius[index] + 1e-10
        assert found.radius[index] < 1e-9
