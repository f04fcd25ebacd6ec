"""A few boxes of Killer, once more and in the plainest way: every die into every box, sweeps until nothing moves."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from rollwise.games.killer import Killer, named
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.turn.graph import compile_turn

Roll = tuple[int, ...]
Sheet = tuple[frozenset[str], frozenset[str]]  # boxes that the mover, and the other, have scored in
Floats = NDArray[np.float64]
NAMES = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
NOWHERE = ""


@cache
def fallen(dice: int) -> dict[Roll, int]:
    counts: dict[Roll, int] = {}
    for faces in product(range(1, 7), repeat=dice):
        counts[tuple(sorted(faces))] = counts.get(tuple(sorted(faces)), 0) + 1
    return counts


ROLLS = list(fallen(5))
KEEPS = sorted({kept for roll in ROLLS for size in range(6) for kept in combinations(roll, size)})


@cache
def thrown_from() -> Floats:
    """P(roll) after each keep, shape (keeps, rolls)."""
    place = {roll: i for i, roll in enumerate(ROLLS)}
    found = np.zeros((len(KEEPS), len(ROLLS)))
    for row, kept in enumerate(KEEPS):
        for new, ways in fallen(5 - len(kept)).items():
            found[row, place[tuple(sorted(kept + new))]] += ways / 6 ** (5 - len(kept))
    return found


@cache
def kept_of() -> NDArray[np.bool_]:
    """Whether a keep can be kept of a roll, shape (rolls, keeps)."""
    return np.array([[all(kept.count(f) <= roll.count(f) for f in kept) for kept in KEEPS] for roll in ROLLS])


def takes(box: str, dice: Roll, opened: bool) -> bool:
    """May these dice be entered in this box?"""
    counts = sorted(dice.count(face) for face in set(dice))
    if box == "trebles":
        return counts == [3]
    if box == "bull's eye":
        return counts == [2, 2]
    if box == "doubles":
        return counts in ([2], [2, 2], [4])
    if box == "sequences":
        return dice in ((1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6))
    return set(dice) == {NAMES[box]} and (opened or len(dice) >= 3)


@cache
def assignments(roll: Roll, boxes: tuple[str, ...]) -> frozenset[tuple[tuple[str, Roll], ...]]:
    """Every way to put dice into boxes that may take them, once opened, or nowhere: the boxes used, with their dice."""
    found = set()
    for choice in product((NOWHERE, *boxes), repeat=5):
        given = {box: tuple(d for d, where in zip(roll, choice, strict=True) if where == box) for box in boxes}
        if all(takes(box, dice, True) for box, dice in given.items() if dice):
            found.add(tuple((box, dice) for box, dice in given.items() if dice))
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
        self.boxes = boxes
        self.must_score = must_score
        self.value: dict[Sheet, float] = {}
        every = [frozenset(some) for size in range(len(boxes) + 1) for some in combinations(boxes, size)]
        sheets = [(mine, theirs) for mine in every for theirs in every]
        for sheet in sorted(sheets, key=lambda sheet: -len(sheet[0]) - len(sheet[1])):
            if sheet not in self.value:
                self.solve(sheet)

    def solve(self, sheet: Sheet) -> None:
        """A sheet and the same seen by the other player, sweep by sweep."""
        if sheet[0] & sheet[1] == set(self.boxes):
            self.value[sheet] = 0.0
            return
        back = sheet[1], sheet[0]
        ends = {one: self.ends(one) for one in (sheet, back)}
        value = {sheet: 0.0, back: 0.0}
        for _ in range(100_000):
            swept = {}
            for one, (leaving, staying) in ends.items():
                last = np.maximum(leaving, staying - value[one[1], one[0]])
                after_keep = thrown_from() @ last
                first = np.maximum(last, np.where(kept_of(), after_keep, -np.inf).max(axis=1))
                swept[one] = float(np.array(list(fallen(5).values())) @ first / 6**5)
            moved = max(abs(swept[one] - value[one]) for one in swept)
            value = swept
            if moved < 1e-13:
                break
        self.value |= value

    def ends(self, sheet: Sheet) -> tuple[Floats, Floats]:
        """By roll: the best that changes the sheet, and the most points that do not; -inf where there is neither."""
        mine, theirs = sheet
        open_boxes = tuple(box for box in self.boxes if box not in mine & theirs)
        leaving, staying = np.full(len(ROLLS), -np.inf), np.full(len(ROLLS), -np.inf)
        for i, roll in enumerate(ROLLS):
            best = dict(entered(roll, open_boxes, mine & set(open_boxes)))
            if self.must_score and len(best) > 1:
                del best[frozenset()]
            for used, points in best.items():
                if used <= mine:
                    staying[i] = max(staying[i], points)
                else:
                    leaving[i] = max(leaving[i], points - self.value[theirs, mine | used])
        return leaving, staying


@pytest.mark.parametrize("must_score", [False, True])
@pytest.mark.parametrize(
    "boxes",
    [("ones",), ("doubles",), ("trebles", "fives"), ("bull's eye", "sixes"), ("doubles", "sequences", "twos")],
    ids=",".join,
)
def test_every_sheet_of_a_few_boxes_is_worth_what_plain_play_finds(boxes: tuple[str, ...], must_score: bool) -> None:
    game = Killer(must_score=must_score, boxes=",".join(boxes))
    found = BoardSolver(game, compile_turn(game), compiled=False).solve()
    plain = Plain(boxes, must_score).value
    space = game.boards()
    possible = np.flatnonzero(np.isfinite(found.values))
    assert len(possible) == found.n_boards == 4 ** len(boxes) - 1
    for index in possible:
        board = space.board(int(index))
        mine, theirs = (frozenset(named(board[who])) & set(boxes) for who in ("mine", "theirs"))
        assert abs(found.values[index] - plain[mine, theirs]) <= found.radius[index] + 1e-10
        assert found.radius[index] < 1e-9
