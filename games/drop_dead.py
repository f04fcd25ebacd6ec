"""Drop Dead: throw what is left of five dice until every die has shown a 2 or a 5; throws without them score.

One of the 21 classic games (004_cc367fea0fd9d5c8.txt, number 12). Nobody ever chooses, and no player's dice touch
another's, so one player's go is solved alone and everything else follows from the distribution of its points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm, prod
from typing import Any

from solver.chain import TAIL, Distribution, absorption, reward_distribution
from solver.dice import Faces, roll
from solver.errors import StateError
from solver.fields import Field, Number, Numbers
from solver.graph import TurnGraph
from solver.model import Boards, Columns, End, Position, Settled, State, TurnGame, Word, parameter
from solver.solution import Quantity, above, below

DICE = 5
DEADLY = (2, 5)
MOST_PLAYERS = 8
PARTS = lcm(*range(1, MOST_PLAYERS + 1))  # of a win, so that it can be shared in whole parts
Bounds = tuple[Fraction, Fraction]  # lower, upper
MOST_POINTS = 9_999  # in a question; play itself knows no limit


def thrown(faces: Faces) -> tuple[int, int]:
    """(dice that drop dead, points) of one throw: it scores only if none drops.

    >>> thrown((2, 3, 4, 6, 6)), thrown((1, 3, 4, 6))
    ((1, 0), (0, 14))
    """
    dropped = sum(face in DEADLY for face in faces)
    return (dropped, 0) if dropped else (0, sum(faces))


@dataclass(frozen=True)
class Odds:
    """What a position is worth: the mover's final score, and by seat (lower, upper) of its share of the win.

    A win shared by k players counts 1/k for each; ``shared`` bounds the chance of such a win. The bounds differ by the
    chance that somebody scores past the cut.
    """

    mean_score: Fraction
    score: Distribution
    win: tuple[Bounds, ...]
    shared: Bounds


@dataclass(frozen=True)
class DropDead(TurnGame):
    """Luck; a board is the number of dice left, one throw is a turn, the value is the expected points still to come."""

    name = "drop-dead"
    title = "Drop Dead"
    source = "004_cc367fea0fd9d5c8.txt"
    rules = (
        "Throw five dice. If any of them shows a 2 or a 5 the throw scores nothing and those dice are out; otherwise "
        "it scores the sum of its faces. Throw the dice that are left again, until none is, and pass five dice to the "
        "next player. Each player has one go; the most points win, and players who tie share the win."
    )
    kind = "luck"
    measure = "score"
    unit = "points"
    total = 0

    players: int = parameter(2, "players, one go each", low=2, high=MOST_PLAYERS)

    def boards(self) -> Boards:
        """Dice left to the player who is throwing."""
        return Boards(dice=range(1, DICE + 1))

    def start(self) -> dict[str, int]:
        """A go starts with all dice."""
        return {"dice": DICE}

    def roots(self) -> list[State]:
        """One throw of each number of dice."""
        return [(dice,) for dice in range(1, DICE + 1)]

    def root(self, board: Columns) -> Any:
        """All dice that are left are thrown."""
        return board.dice - 1

    def turn(self, dice: int) -> Word:
        """One throw."""
        return roll(dice, lambda faces: End(thrown(faces)))

    def settle(self, board: Columns, result: tuple[int, int]) -> Settled:
        """Dead dice are gone; with none left the go is over."""
        dropped, points = result
        dice = board.dice - dropped
        return Settled(legal=dice >= 0, over=dice == 0, next={"dice": dice}, reward=points)

    def level(self, board: Columns) -> Any:
        """Dice never come back."""
        return DICE - board.dice

    def fields(self) -> list[Field]:
        """Who has scored what, who throws, and how far that player is."""
        return [
            Numbers("scores", "scores by seat; the mover and later seats have 0", 0, MOST_POINTS, self.players),
            Number("mover", "the seat that is throwing", 0, self.players - 1),
            Number("turn", "points the mover has scored so far", 0, MOST_POINTS),
            Number("dice", "dice the mover has left", 1, DICE),
        ]

    def locate(
        self, scores: Sequence[int] | None = None, mover: int = 0, turn: int = 0, dice: int | None = None
    ) -> Position:
        """The position of a question."""
        for seat, score in enumerate(scores or ()):
            if seat >= mover and score:
                raise StateError(
                    f"StateError: seat {seat} has not finished (mover={mover}), so its score is 0, got {score}"
                )
        if dice is None and turn:
            raise StateError(f"StateError: with turn={turn} say how many dice are left (dice=1 to {DICE})")
        dice = dice or DICE
        if 0 < turn < dice or (dice == DICE and turn == DICE + 1):  # five dice without 2 and 5 show 5, 7, 8, 9, ...
            raise StateError(f"StateError: with {dice} dice left the mover cannot have {turn} points")
        return Position({"dice": dice}, (dice,), turn, mover)

    def describe(self, board: Mapping[str, int], state: State) -> Iterable[dict[str, Any]]:
        """The fields of a position, on a sheet where nobody has scored yet."""
        yield {"scores": (0,) * self.players, "mover": 0, "turn": 0, "dice": board["dice"]}

    # --- odds ------------------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, given: Mapping[str, Any]) -> dict[str, Quantity]:
        """The mover's score and everybody's share of the win."""
        odds = self.odds(graph, **given)
        chances = {odds.score.first + i: chance for i, chance in enumerate(odds.score.chances) if chance}
        win = [Quantity.between(*bounds, "probability") for bounds in odds.win]
        return {
            "win": Quantity(
                [part.value for part in win],
                [part.lower for part in win],
                [part.upper for part in win],
                None,
                "probability",
            ),
            "shared": Quantity.between(*odds.shared, "probability"),
            "mean_score": Quantity.between(odds.mean_score, odds.mean_score, "points"),
            "score_distribution": Quantity(
                {str(score): float(chance) for score, chance in chances.items()},
                {str(score): below(chance) for score, chance in chances.items()},
                {str(score): above(chance) for score, chance in chances.items()},
                None,
                "probability",
                odds.score.plain().get("tail"),
            ),
        }

    def odds(
        self,
        graph: TurnGraph,
        scores: Sequence[int] = (),
        mover: int = 0,
        turn: int = 0,
        dice: int = DICE,
        tail: Fraction | float = TAIL,
    ) -> Odds:
        """Mean and distribution of the mover's final score, and each seat's share of the win (fields as ``locate``)."""
        finished = list(scores)[:mover]
        now, fresh = (self.boards().index_of(dice=left) for left in (dice, DICE))
        mine = reward_distribution(self, graph, now, tail).plus(turn)
        later = reward_distribution(self, graph, fresh, tail)
        win, shared = shares_of_most(finished, [mine] + [later] * (self.players - 1 - mover))
        return Odds(turn + absorption(self, graph)[now], mine, win, shared)


def shares_of_most(finished: Sequence[int], open_: Sequence[Distribution]) -> tuple[tuple[Bounds, ...], Bounds]:
    """Shares of the win for the most points by seat, and the chance of a shared win, each as (lower, upper).

    ``finished`` seats have their scores; then come seats that each draw theirs from a distribution, independently.
    Lower bounds count only draws before every cut, where all chances are exact; upper bounds add the chance that some
    draw lies beyond its cut.
    """
    draws = _Draws(open_)
    best = max(finished, default=0)
    leaders = finished.count(best)
    totals = range(best, max(d.end for d in open_))

    def tied_with(total: int) -> int:
        return leaders if total == best else 0

    held = draws.shares(draws.ways(draws.seats, best), leaders - 1) if finished else 0
    lower = [held if score == best else 0 for score in finished]
    for seat in draws.seats:
        if seat and open_[seat] == open_[seat - 1]:
            lower.append(lower[-1])
            continue
        others = [other for other in draws.seats if other != seat]
        won = (draws.exactly(seat, t) * draws.shares(draws.ways(others, t), tied_with(t)) for t in totals)
        lower.append(sum(won))
    several = sum(sum(draws.ways(draws.seats, t)[max(0, 2 - tied_with(t)) :]) for t in totals)
    beyond = 1 - prod(1 - d.beyond for d in open_)

    def bounds(certain: Fraction) -> Bounds:
        return certain, certain + beyond

    win = tuple(bounds(Fraction(part, draws.whole * PARTS)) for part in lower)
    return win, bounds(Fraction(several, draws.whole))


class _Draws:
    """Independent draws as integers over one denominator a seat: their product ``whole`` counts all draws together."""

    def __init__(self, drawn: Sequence[Distribution]) -> None:
        self.seats = range(len(drawn))
        self.first = [d.first for d in drawn]
        scales = [lcm(*(chance.denominator for chance in (*d.chances, d.beyond))) for d in drawn]
        self.counts = [[int(chance * scale) for chance in d.chances] for d, scale in zip(drawn, scales, strict=True)]
        self.below = [[0, *accumulate(row)] for row in self.counts]
        self.whole = prod(scales)

    def exactly(self, seat: int, total: int) -> int:
        """Ways in which this seat draws this total."""
        place = total - self.first[seat]
        return self.counts[seat][place] if 0 <= place < len(self.counts[seat]) else 0

    def less(self, seat: int, total: int) -> int:
        """Ways in which it draws less (and not beyond its cut)."""
        place = total - self.first[seat]
        return self.below[seat][min(max(place, 0), len(self.counts[seat]))]

    def ways(self, seats: Iterable[int], total: int) -> list[int]:
        """Ways in which none of these seats draws more, by the number of them that draw exactly this total."""
        found = [1]
        for seat in seats:
            tie, less = self.exactly(seat, total), self.less(seat, total)
            found = [less * a + tie * b for a, b in zip([*found, 0], [0, *found], strict=True)]
        return found

    def shares(self, ways: Sequence[int], tied: int) -> int:
        """The share of a seat that ties with ``tied`` others and with as many more as ``ways`` tells, in ``PARTS``."""
        return sum(n * (PARTS // (1 + tied + more)) for more, n in enumerate(ways))
