"""A few boxes of Cameroon, once more and in the plainest way: sheets as they are written, every way to set dice aside.

Nothing of the game's own boards is used. A sheet is what each player has entered; a turn is worked out hand by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from rollwise.games.cameroon import Cameroon
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.errors import StateError
from rollwise.solver.turn.graph import compile_turn

Roll = tuple[int, ...]
Entries = tuple[tuple[str, Roll], ...]  # a player's boxes with the dice that were entered there
NAMES = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}


@cache
def fallen(dice: int) -> dict[Roll, float]:
    chances: dict[Roll, float] = {}
    for faces in product(range(1, 7), repeat=dice):
        chances[tuple(sorted(faces))] = chances.get(tuple(sorted(faces)), 0.0) + 6.0**-dice
    return chances


@cache
def subsets(roll: Roll) -> tuple[Roll, ...]:
    return tuple({kept for size in range(len(roll) + 1) for kept in combinations(roll, size)})


def joined(one: Roll, other: Roll) -> Roll:
    return tuple(sorted(one + other))


class Turns:
    """The value of a turn from what each hand of five dice is worth at its end."""

    def __init__(self, fewest: int) -> None:
        kept_dice = [kept for size in range(6) for kept in fallen(size)]
        self.place = {kept: i for i, kept in enumerate(kept_dice)}
        hand_place = {hand: i for i, hand in enumerate(fallen(5))}
        self.last = np.zeros((len(kept_dice), len(hand_place)))  # P(hand) after the last throw of what is not kept
        for kept in kept_dice:
            for more, chance in fallen(5 - len(kept)).items():
                self.last[self.place[kept], hand_place[joined(kept, more)]] += chance
        thrown = [(kept, roll, chance) for kept in kept_dice for roll, chance in fallen(5 - len(kept)).items()]
        self.chances = np.array([chance for *_, chance in thrown])
        self.throws = np.flatnonzero([i == 0 or thrown[i - 1][0] != kept for i, (kept, *_) in enumerate(thrown)])
        self.second = self.decisions([(kept, roll) for kept, roll, _ in thrown], fewest)
        self.first = self.decisions([((), roll) for roll in fallen(5)], fewest)

    def decisions(self, seen: list[tuple[Roll, Roll]], fewest: int) -> tuple[Any, Any]:
        """Places of all dice that can lie aside after each decision, and where each decision's places begin."""
        places: list[int] = []
        starts: list[int] = []
        for kept, roll in seen:
            starts.append(len(places))
            places += [self.place[joined(kept, more)] for more in subsets(roll) if len(more) >= min(fewest, len(roll))]
        return np.array(places), np.array(starts)

    def value(self, hands: Any) -> float:
        """Three throws, what was set aside stays; ``hands`` are worths in the order of ``fallen(5)``."""
        last = self.last @ hands
        decided = np.maximum.reduceat(last[self.second[0]], self.second[1])
        second = np.add.reduceat(self.chances * decided, self.throws)
        first = np.maximum.reduceat(second[self.first[0]], self.first[1])
        return float(first @ np.array(list(fallen(5).values())))


@cache
def turns(fewest: int) -> Turns:
    return Turns(fewest)


def score(box: str, roll: Roll) -> int:
    counts = sorted((roll.count(face) for face in set(roll)), reverse=True)
    if box in NAMES:
        return sum(face for face in roll if face == NAMES[box])
    if box == "five of a kind":
        return 30 if counts == [5] else 0
    if box == "big straight":
        return 20 if set(roll) == {2, 3, 4, 5, 6} else 0
    if box == "small straight":
        return 15 if set(roll) == {1, 2, 3, 4, 5} else 0
    if box == "full house":
        return sum(roll) if counts == [3, 2] else 0
    face = max(set(roll), key=roll.count)
    return 4 * face if counts[0] >= 4 else 0


class Plain:
    """``played`` boxes are open at first; the players are equally minded, for the margin or for the win."""

    def __init__(self, played: tuple[str, ...], win: bool, must_keep: bool = False) -> None:
        self.played = played
        self.win = win
        self.turns = turns(1 if must_keep else 0)
        self.known: dict[Any, float] = {}

    def is_open(self, box: str, own: Entries, other: Entries) -> bool:
        if box in dict(own):
            return False
        if box not in NAMES:
            return box not in dict(other)
        return dict(other).get(box, ()).count(NAMES[box]) < 5

    def open_boxes(self, own: Entries, other: Entries) -> tuple[str, ...]:
        return tuple(box for box in self.played if self.is_open(box, own, other))

    def lead(self, own: Entries, other: Entries) -> int:
        return sum(score(*entry) for entry in own) - sum(score(*entry) for entry in other)

    def ended(self, lead: int) -> float:
        return float(1 + np.sign(lead)) / 2 if self.win else 0.0

    def value(self, own: Entries = (), other: Entries = ()) -> float:
        """What the sheet is worth to the player with ``own``, who moves: points still to come, or the chance to win."""
        mine, theirs = self.open_boxes(own, other), self.open_boxes(other, own)
        lead = self.lead(own, other)
        if not mine and not theirs:
            return self.ended(lead)
        if (mine, theirs, lead * self.win) not in self.known:
            self.pair(own, other)
        return self.known[mine, theirs, lead * self.win]

    def pair(self, own: Entries, other: Entries) -> None:
        """The sheet and the same with the other to move: each leads to the other where the mover passes."""
        here, there = self.of_pass(own, other), self.of_pass(other, own)
        value = 0.0
        for _ in range(2000):
            other_value = there(value)
            after = here(other_value)
            if abs(after - value) < 1e-14:
                break
            value = after
        lead = self.lead(own, other) * self.win
        mine, theirs = self.open_boxes(own, other), self.open_boxes(other, own)
        self.known[theirs, mine, -lead] = other_value
        self.known[mine, theirs, lead] = value

    def of_pass(self, own: Entries, other: Entries) -> Callable[[float], float]:
        """The value of a turn, given what the sheet is worth to the other player after a pass."""
        mine = self.open_boxes(own, other)
        worths = []
        for hand in fallen(5):
            fitting = [box for box in mine if score(box, hand)]
            worths.append(max((self.after(own, other, box, hand) for box in fitting), default=np.nan))
        best = np.array(worths)
        passes = np.isnan(best)
        return lambda passed: self.turns.value(np.where(passes, self.seen(passed), best))

    def after(self, own: Entries, other: Entries, box: str, hand: Roll) -> float:
        entered = tuple(sorted((*own, (box, hand))))
        points = 0 if self.win else score(box, hand)
        if not self.open_boxes(entered, other) and not self.open_boxes(other, entered):
            return points + self.ended(self.lead(entered, other))
        return points + self.seen(self.value(other, entered))

    def seen(self, value: float) -> float:
        """The other player's value, from this side."""
        return 1 - value if self.win else -value


SMALL = [
    ("sixes",),
    ("full house",),
    ("small straight", "big straight"),
    ("ones", "five of a kind", "small straight"),
]
MORE = [("fives", "sixes"), ("twos", "full house"), ("ones", "twos", "big straight")]


def compare(played: tuple[str, ...], win: bool, **rules: bool) -> None:
    game = Cameroon.of(boxes=",".join(played), objective="win" if win else "margin", **rules)
    assert isinstance(game, Cameroon)
    found = BoardSolver(game, compile_turn(game), workers=1).solve()
    plain = Plain(played, win, rules.get("must_keep", False))
    plain.value()
    decided = 0
    for (mine, theirs, lead), value in plain.known.items():
        sheet: dict[str, Any] = {
            "mine": [box for box in theirs if box not in mine],
            "theirs": [box for box in mine if box not in theirs],
            "closed": [box for box in played if box not in (*mine, *theirs)],
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


@pytest.mark.parametrize("win", [False, True], ids=["margin", "win"])
@pytest.mark.parametrize("played", SMALL, ids=",".join)
def test_every_sheet_of_a_few_boxes_is_worth_what_plain_play_finds(played: tuple[str, ...], win: bool) -> None:
    compare(played, win)


@pytest.mark.slow
@pytest.mark.parametrize("win", [False, True], ids=["margin", "win"])
@pytest.mark.parametrize("played", MORE, ids=",".join)
def test_so_it_is_with_more_numbers(played: tuple[str, ...], win: bool) -> None:
    compare(played, win)


@pytest.mark.parametrize(("played", "win"), [(("fours", "small straight"), False), (("fours",), True)])
def test_so_it_is_where_a_die_must_be_set_aside(played: tuple[str, ...], win: bool) -> None:
    compare(played, win, must_keep=True)


@pytest.mark.parametrize(("played", "win"), [(("threes", "four of a kind"), False), (("four of a kind",), True)])
def test_so_it_is_with_four_of_a_kind(played: tuple[str, ...], win: bool) -> None:
    compare(played, win, four_of_a_kind=True)
