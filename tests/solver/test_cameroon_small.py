"""A few boxes of Cameroon, once more and in the plainest way: sheets as they are written, every way to set dice aside.

Nothing of the game's own boards is used. A sheet is what each player has entered; a turn is worked out hand by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.cameroon.rules import Cameroon
from rollwise.solver.model.errors import StateError
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.solver.plain import NUMBERS, Roll, every_keep, fallen, joined, parts, points, slow, swept, thorough

Entries = tuple[tuple[str, Roll], ...]  # a player's boxes with the dice that were entered there
PAYS = {"five of a kind": 30, "big straight": 20, "small straight": 15}
ROWS = {"small straight": (1, 2, 3, 4, 5), "big straight": (2, 3, 4, 5, 6)}


def score(box: str, roll: Roll) -> int:
    if box in ROWS:
        return PAYS[box] * (roll == ROWS[box])
    if box == "four of a kind":
        return next((4 * face for face in roll if roll.count(face) >= 4), 0)
    return points(box, roll, PAYS)


class Turns:
    """The value of a turn from what each hand of five dice is worth at its end."""

    def __init__(self, fewest: int) -> None:
        self.every = every_keep(5)
        thrown = [(kept, roll, ways) for kept in self.every.keeps for roll, ways in fallen(5 - len(kept)).items()]
        self.chances = np.array([ways / 6 ** (5 - len(kept)) for kept, _, ways in thrown])
        self.throws = np.flatnonzero([i == 0 or thrown[i - 1][0] != kept for i, (kept, *_) in enumerate(thrown)])
        self.second = self.decisions([(kept, roll) for kept, roll, _ in thrown], fewest)
        self.first = self.decisions([((), roll) for roll in fallen(5)], fewest)

    def decisions(self, seen: list[tuple[Roll, Roll]], fewest: int) -> tuple[Any, Any]:
        """Places of all dice that can lie aside after each decision, and where each decision's places begin."""
        aside = [
            [self.every.keep[joined(kept, more)] for more in parts(roll) if len(more) >= min(fewest, len(roll))]
            for kept, roll in seen
        ]
        return np.concatenate(aside), np.cumsum([0, *map(len, aside[:-1])])

    def value(self, hands: Any) -> float:
        """Three throws, what was set aside stays; ``hands`` are worths in the order of ``every.throws``."""
        last = self.every.kept(hands)
        decided = np.maximum.reduceat(last[self.second[0]], self.second[1])
        second = np.add.reduceat(self.chances * decided, self.throws)
        first = np.maximum.reduceat(second[self.first[0]], self.first[1])
        return float(first @ np.array(list(fallen(5).values()))) / 6**5


turns = cache(Turns)


class Plain:
    """``played`` boxes are open at first; the players are equally minded, for the margin or for the win."""

    def __init__(self, played: tuple[str, ...], win: bool, must_keep: bool = False) -> None:
        self.played, self.win = played, win
        self.turns = turns(1 if must_keep else 0)
        self.known: dict[Any, float] = {}

    def open(self, own: Entries, other: Entries) -> tuple[str, ...]:
        full = [box for box, roll in other if box not in NUMBERS or roll.count(NUMBERS[box]) == 5]
        return tuple(box for box in self.played if box not in dict(own) and box not in full)

    def name(self, own: Entries, other: Entries) -> tuple[tuple[str, ...], tuple[str, ...], int]:
        """What is the same of sheets that go on alike: the boxes open to each, and the lead."""
        lead = sum(score(*entry) for entry in own) - sum(score(*entry) for entry in other)
        return self.open(own, other), self.open(other, own), self.win * lead

    def value(self, own: Entries = (), other: Entries = ()) -> float:
        """What the sheet is worth to the player with ``own``, who moves: points still to come, or the chance to win.

        Found with the same sheet and the other to move: each leads to the other where the mover passes.
        """
        mine, theirs, lead = name = self.name(own, other)
        if not mine and not theirs:
            return float(1 + np.sign(lead)) / 2 if self.win else 0.0
        if name not in self.known:
            here, there = self.of_pass(own, other), self.of_pass(other, own)
            self.known[name] = 0.0

            def turned(name: Any) -> float:
                self.known[self.name(other, own)] = there(self.known[name])
                return here(self.known[self.name(other, own)])

            swept(self.known, [name], turned, 1e-14)
        return self.known[name]

    def of_pass(self, own: Entries, other: Entries) -> Callable[[float], float]:
        """The value of a turn, given what the sheet is worth to the other player after a pass."""
        mine = self.open(own, other)
        best = np.array(
            [
                max((self.after(own, other, box, hand) for box in mine if score(box, hand)), default=np.nan)
                for hand in self.turns.every.throws
            ]
        )
        return lambda passed: self.turns.value(np.where(np.isnan(best), self.seen(passed), best))

    def after(self, own: Entries, other: Entries, box: str, hand: Roll) -> float:
        entered = tuple(sorted((*own, (box, hand))))
        return (0 if self.win else score(box, hand)) + self.seen(self.value(other, entered))

    def seen(self, value: float) -> float:
        """The other player's value, from this side."""
        return 1 - value if self.win else -value


BOTH = (False, True)
CASES = [
    *(("full house", win, {}) for win in BOTH),
    ("fours", True, {"must_keep": True}),
    ("threes,four of a kind", False, {"four_of_a_kind": True}),
]
MORE = [
    *(("small straight,big straight", win, {}) for win in BOTH),
    *(("ones,five of a kind", win, {}) for win in BOTH),
    ("fours,small straight", False, {"must_keep": True}),
    ("four of a kind", True, {"four_of_a_kind": True}),
]
LARGER: list[tuple[str, bool, dict[str, Any]]] = [
    (boxes, True, {}) for boxes in ("fives,sixes", "twos,full house", "ones,five of a kind,small straight")
]


@pytest.mark.parametrize(("boxes", "win", "rules"), [*CASES, *thorough(*MORE), *slow(*LARGER)])
def test_every_sheet_of_a_few_boxes_is_worth_what_plain_play_finds(boxes: str, win: bool, rules: Any) -> None:
    game = Cameroon.of(boxes=boxes, objective="win" if win else "margin", **rules)
    assert isinstance(game, Cameroon)
    found = BoardSolver(game, compile_turn(game), workers=1).solve()
    plain = Plain(tuple(boxes.split(",")), win, rules.get("must_keep", False))
    plain.value()
    decided = 0
    for (mine, theirs, lead), value in plain.known.items():
        sheet: dict[str, Any] = {
            "mine": [box for box in theirs if box not in mine],
            "theirs": [box for box in mine if box not in theirs],
            "closed": [box for box in plain.played if box not in (*mine, *theirs)],
        }
        try:
            board = game.locate(**sheet, difference=lead if win else None).board
        except StateError:
            decided += 1
            assert min(value, 1 - value) == pytest.approx(0.0, abs=1e-10)
            continue
        index = game.boards().index_of(**board)
        assert found.values[index] == pytest.approx(value, abs=1e-10), board
        assert found.radius[index] < 1e-9
    assert win or not decided
    assert len(plain.known) > decided
