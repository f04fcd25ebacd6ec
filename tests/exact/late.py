"""Sheets of Yahtzee and Sixzee for a target once more, in whole numbers: dice, boxes, jokers and bonuses written anew.

Nothing of the games or of the solver is used.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np

Dice = tuple[int, ...]
Sheet = Mapping[str, int]
FACES = range(1, 7)
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")


def longest_run(dice: Dice) -> int:
    return max(n for n in FACES for low in range(1, 8 - n) if n == 1 or {*range(low, low + n)} <= {*dice})


class OneTurn:
    """Three throws of so many dice; each throw makes worths ``6 ** dice`` times as large, so that they stay whole."""

    def __init__(self, dice: int) -> None:
        self.dice, self.larger = dice, 6**dice
        of_size = [list(combinations_with_replacement(FACES, n)) for n in range(dice + 1)]
        place = [{held: number for number, held in enumerate(some)} for some in of_size]
        self.rolls = of_size[-1]
        self.one_more = [
            np.array([[place[n + 1][tuple(sorted((*held, face)))] for face in FACES] for held in of_size[n]])
            for n in range(dice)
        ]
        first = np.cumsum([0, *map(len, of_size)])
        self.parts = [sorted({part for n in range(dice + 1) for part in combinations(roll, n)}) for roll in self.rolls]
        of_roll = [[int(first[len(part)]) + place[len(part)][part] for part in parts] for parts in self.parts]
        self.listed, self.starts = np.concatenate(of_roll), np.cumsum([0, *map(len, of_roll[:-1])])
        self.place = {held: int(first[n]) + place[n][held] for n in range(dice + 1) for held in of_size[n]}

    def kept(self, worth: Any) -> Any:
        """What all that can be kept is worth, if the other dice are thrown for throws of this ``worth``."""
        found = [worth * self.larger]
        for one_more in reversed(self.one_more):
            found.append(found[-1][one_more].sum(axis=1) // 6)
        return np.concatenate(found[::-1])

    def best(self, kept: Any) -> Any:
        return np.maximum.reduceat(kept[self.listed], self.starts)


turn_of = cache(OneTurn)


class Plain:
    """A sheet played for points: P(at least so many more), in parts of ``6 ** (3 * dice)`` for each open box."""

    boxes: tuple[str, ...]
    dice: int

    def __init__(self) -> None:
        self.turn, self.known = turn_of(self.dice), dict[Any, int]()

    def scored(self, sheet: Sheet, box: str, dice: Dice) -> tuple[int, int] | None:
        """What is written in the box, and a hundred or not; None where the box may not be filled."""
        raise NotImplementedError

    def bonus(self, sheet: Sheet) -> int:
        raise NotImplementedError

    def open(self, sheet: Sheet) -> list[str]:
        return [box for box in self.boxes if box not in sheet]

    def part(self, sheet: Sheet) -> int:
        """One of so many is what chances are counted in."""
        return int(6 ** (3 * self.dice * len(self.open(sheet))))

    def filled(self, sheet: Sheet, box: str, dice: Dice) -> tuple[dict[str, int], int] | None:
        """The sheet that follows, and all points of the turn."""
        found = self.scored(sheet, box, dice)
        if found is None:
            return None
        after = {**sheet, box: found[0]}
        return after, sum(found) + self.bonus(after) - self.bonus(sheet)

    def score(self, sheet: Sheet, needed: int, dice: Dice) -> dict[str, int]:
        """What it is worth to score these dice, by box."""
        found = {}
        for box in self.open(sheet):
            filled = self.filled(sheet, box, dice)
            if filled is not None:
                found[box] = self.chance(filled[0], needed - filled[1])
        return found

    def stages(self, sheet: Sheet, needed: int) -> list[Any]:
        """By throws left, 0 first: what all that can be kept is worth before the last of them is thrown."""
        worth = np.array([max(self.score(sheet, needed, dice).values()) for dice in self.turn.rolls], dtype=object)
        found = []
        for _ in range(3):
            found.append(self.turn.kept(worth))
            worth = self.turn.best(found[-1])
        return found

    def chance(self, sheet: Sheet, needed: int) -> int:
        if not self.open(sheet):
            return int(needed <= 0)
        name = frozenset(sheet.items()), needed
        if name not in self.known:
            self.known[name] = int(self.stages(sheet, needed)[-1][self.turn.place[()]])
        return self.known[name]

    def moves(self, sheet: Sheet, needed: int, dice: Dice, left: int) -> dict[str, Fraction]:
        """What each move is worth."""
        part = self.part(sheet) // 6 ** (3 * self.dice)
        found = {f"score {box}": Fraction(n, part) for box, n in self.score(sheet, needed, dice).items()}
        if left:
            kept = self.stages(sheet, needed)[left - 1]
            for held in self.turn.parts[self.turn.rolls.index(dice)]:
                if len(held) < self.dice:
                    name = f"keep {' '.join(map(str, held)) or 'nothing'}"
                    found[name] = Fraction(int(kept[self.turn.place[held]]), part * self.turn.larger**left)
        return found


class Yahtzee(Plain):
    boxes = (
        *UPPER,
        *["three of a kind", "four of a kind", "full house", "small straight", "large straight", "yahtzee", "chance"],
    )
    dice = 5

    def __init__(self, joker: str) -> None:
        super().__init__()
        self.forced = joker == "forced"

    def bonus(self, sheet: Sheet) -> int:
        return 35 if sum(sheet.get(box, 0) for box in UPPER) >= 63 else 0

    def scored(self, sheet: Sheet, box: str, dice: Dice) -> tuple[int, int] | None:
        most, own = max(Counter(dice).values()), UPPER[dice[0] - 1]
        is_joker = most == 5 and "yahtzee" in sheet
        to_lower = box not in UPPER or all(other in UPPER for other in self.open(sheet))
        if is_joker and self.forced and box != own and (own not in sheet or not to_lower):
            return None
        straight = 5 if is_joker and own in sheet else longest_run(dice)
        if box in UPPER:
            written = (UPPER.index(box) + 1) * dice.count(UPPER.index(box) + 1)
        elif box == "full house":
            written = 25 * (sorted(Counter(dice).values()) == [2, 3] or (is_joker and own in sheet))
        elif box in ("small straight", "large straight"):
            written = 30 * (straight >= 4) if box[0] == "s" else 40 * (straight == 5)
        elif box == "yahtzee":
            written = 50 * (most == 5)
        else:
            written = sum(dice) * (most >= {"three of a kind": 3, "four of a kind": 4, "chance": 1}[box])
        return written, 100 * (most == 5 and sheet.get("yahtzee") == 50)


class Sixzee(Plain):
    kinds = ("three of a kind", "four of a kind", "five of a kind")
    shapes = ("3-2-1", "three pairs", "two triples")
    straights = ("low straight", "high straight", "super straight")
    boxes = (*UPPER, *kinds, *shapes, *straights, "sixzee", "chance")
    dice = 6

    def __init__(self, joker: bool) -> None:
        super().__init__()
        self.joker = joker

    def bonus(self, sheet: Sheet) -> int:
        groups = (self.kinds, self.shapes, self.straights)
        whole = sum(all(sheet.get(box, 0) > 0 for box in group) for group in groups)
        return 30 * (whole + (sum(sheet.get(box, 0) for box in UPPER) >= 84))

    def scored(self, sheet: Sheet, box: str, dice: Dice) -> tuple[int, int]:
        counts = sorted(Counter(dice).values())
        joker = self.joker and len(counts) == 1 and "sixzee" in sheet and UPPER[dice[0] - 1] in sheet
        if box in UPPER:
            written = (UPPER.index(box) + 1) * dice.count(UPPER.index(box) + 1)
        elif box in self.straights:
            place = self.straights.index(box)
            written = (20 + 10 * place) * (joker or longest_run(dice) >= 4 + place)
        elif box == "sixzee":
            written = 60 * (len(counts) == 1)
        else:
            fits = {
                "3-2-1": counts == [1, 2, 3],
                "three pairs": all(count % 2 == 0 for count in counts),
                "two triples": all(count % 3 == 0 for count in counts),
                "chance": True,
                **{kind: counts[-1] >= 3 + place for place, kind in enumerate(self.kinds)},
            }
            written = max(sum(dice) * fits[box], 24 * (joker and box in self.shapes))
        return written, 100 * (len(counts) == 1 and sheet.get("sixzee") == 60 and written > 0)


def played(plain: Plain, n_open: int, lot: random.Random) -> tuple[dict[str, int], int]:
    """A sheet filled by lot, with more yahtzees than there are, and all points that were made."""
    sheet, made = dict[str, int](), 0
    while len(plain.open(sheet)) > n_open:
        throws = [tuple(sorted(lot.choices(FACES, k=plain.dice))) for _ in range(lot.choice((1, 20, 200)))]
        throws = [(lot.choice(FACES),) * plain.dice] if lot.random() < 0.25 else throws
        box = lot.choice(plain.open(sheet))
        ways = [way for way in (plain.filled(sheet, box, dice) for dice in throws) if way is not None]
        if ways:
            sheet, points = max(ways, key=lambda way: way[1])
            made += points
    return sheet, made
