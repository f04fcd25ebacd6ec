"""Six By 6 as a SET: one round for each player, and the most points win.

Where everything is posted that can be, nobody chooses, and the scores of single rounds tell everything. Where a player
may go on instead, a round is played for the win, against the best score so far and whatever comes later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from rollwise.games.rounds import Holders, as_bits, as_seats, check_round, joined, round_fields, shares
from rollwise.games.six_by_6_round import (
    DICE,
    MOST_CARRY,
    MOST_PLAYERS,
    POINTS,
    RACK,
    SixBy6Free,
    SixBy6Round,
    full,
    plain,
)
from rollwise.solver.markov_chains.chain import Distribution
from rollwise.solver.markov_chains.independent import WHOLE, Spread, by_seat, shares_of_most, total_of
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number
from rollwise.solver.model.game import Boards, Bounded, Columns, End, Game, Node, NodeKey, Onward, Position, Transition
from rollwise.solver.model.rounding import above
from rollwise.solver.model.solution import Quantity
from rollwise.solver.model.two_seats import as_duel
from rollwise.solver.turn.graph import TurnGraph

LEAST = 21  # no round scores less: who declines 1 to 6 and then 1 to 5 has a die posted, and 15 left
LEAST_FORCED = 22  # where that is not declined
NEVER = RACK  # no score: a rack has earned carry, and five dice posted make 35 at most
NO_SCORE = LEAST - 1  # stands for the best score before there is any
MOST_EARNED = 2 * DICE - 1  # carry of one roll
MOST_HELD, MOST_BEST = 40, 79  # in a question of a SET in which players choose
MOST_AT_A_TABLE = 4

TOP = 90  # a best score of so much or more is hardly ever reached: what the others still win then is bounded
SURE = 165  # rolls after which there is hardly ever no rack
FAR = TOP - RACK + SURE  # with so much carry there is hardly ever a score below TOP: rounds are followed so far
GROWTH = Fraction(9, 5)  # what a carry point counts in the bound on high scores
FAR_AHEAD, OUT_OF_REACH = "far ahead", "out of reach"  # turns that are bounded, not followed


@cache
def promise(posted: int) -> Fraction:
    """A bound on E(GROWTH ** (carry of the rack - carry now)), no rack counting as 0, whatever the player posts.

    Rolls are had on credit, which only adds racks, and of a roll that may be posted in two ways both count in full.
    """
    stays, leaves = Fraction(0), Fraction(0)
    for faces, ways in throws(DICE - posted):
        chance = Fraction(ways, 6 ** (DICE - posted))
        for new, earned, _ in {full(faces), plain(faces)}:
            if posted + new == DICE:
                leaves += chance * GROWTH**earned
            elif new:
                leaves += chance * GROWTH ** (earned - 1) * promise(posted + new)
            else:
                stays += chance * GROWTH ** (earned - 1)
    return leaves / (1 - stays)


@cache
def reaches_top() -> Fraction:
    """A bound on P(a round from its start scores TOP or more), whatever the player posts: see ``promise``."""
    return promise(0) / GROWTH ** (TOP - RACK)


@cache
def overtaken(players: int) -> Fraction:
    """A bound on what a player with FAR carry or more does not win, the best score so far being below TOP.

    There is no rack within SURE rolls, for which some one die misses the six in each of them; or else the score is TOP
    or more, and somebody who comes later reaches it.
    """
    return DICE * Fraction(5, 6) ** SURE + (players - 1) * reaches_top()


def the_set(parameters: Mapping[str, Any]) -> Game:
    """The SET for these parameters of Six By 6; raises ParameterError."""
    if parameters.get("posting") != "free":
        return SixBy6Set(**parameters)
    return (SixBy6Duel if parameters["players"] == 2 else SixBy6Table)(**parameters)


def unsolved_sets() -> dict[int, int]:
    """Numbers of players who are too many to choose: the boards that are followed, seat by seat."""
    scores, rounds = TOP - LEAST - 1, DICE * (FAR + 1)
    holders = {players: sum((1 << seat) - 1 for seat in range(players)) for players in range(MOST_PLAYERS + 1)}
    return {n: rounds * (1 + scores * holders[n]) for n in range(MOST_AT_A_TABLE + 1, MOST_PLAYERS + 1)}


# --- everything is posted that can be --------------------------------------------------------------------------------


@dataclass(frozen=True)
class SixBy6Set(SixBy6Round):
    """Luck; a board is one player's round, as if it were played alone."""

    outcome = "win"
    outcome_unit = "probability"

    def fields(self) -> list[Field]:
        """The mover's round, then what the others have done."""
        return [*super().fields(), *round_fields(self.players, LEAST_FORCED, RACK + MOST_CARRY, "highest")]

    def locate(
        self,
        carry: int = 0,
        posted: int = 0,
        roll: Faces | None = None,
        mover: int = 0,
        best: int | None = None,
        holders: Holders = (),
    ) -> Position:
        """The position of a question."""
        check_best(mover, best, holders, f"{LEAST_FORCED} to {RACK + MOST_CARRY}")
        position = super().locate(carry, posted, roll)
        return Position(position.board, position.state, position.points, mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, of the first player."""
        for fields in super().describe(board, state):
            yield {**fields, "mover": 0, "best": None, "holders": ()}

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> Onward:
        """The same round goes on, or the next seat's begins, against the best score so far; the best shares."""
        carry, posted, score = self.played_on(fields, thrown)
        mover, best, holders = fields["mover"], fields.get("best"), fields["holders"]
        nothing = (Fraction(0),) * self.players
        if score is None:
            return Onward({**fields, "carry": carry, "posted": posted}, nothing)
        if best is None or score >= best:
            holders = (*(holders if score == best else ()), mover)
            best = score
        if mover + 1 < self.players:
            return Onward({"carry": 0, "posted": 0, "mover": mover + 1, "best": best, "holders": holders}, nothing)
        return Onward(None, tuple(Fraction(seat in holders, len(holders)) for seat in range(self.players)))

    def quantities(self, graph: TurnGraph, given: Mapping[str, Any]) -> dict[str, Quantity]:
        """Who wins how often, how often a win is shared, the mover's score, and how many rolls the SET still takes."""
        known = dict(given)
        mover, best, holders = known.pop("mover", 0), known.pop("best", None), known.pop("holders", ())
        now, fresh = self.odds(graph, **known), self.odds(graph)
        after = self.players - 1 - mover
        finished = [(best or 0) - (seat not in holders) for seat in range(mover)]
        win, shared = shares_of_most(finished, [in_parts(now.score)] + [in_parts(fresh.score)] * after)
        low, high = (now.rolls[end] + after * fresh.rolls[end] for end in (0, 1))
        return {
            "win": by_seat(win),
            "shared": Quantity.between(*shared, "probability"),
            "mean_score": Quantity.between(*now.mean_score, "points"),
            "score_distribution": now.score.quantity(),
            "length": Quantity.between(low, high, "rolls"),
            "length_distribution": total_of([in_parts(now.lengths)] + [in_parts(fresh.lengths)] * after).quantity(),
        }


def in_parts(spread: Spread) -> Distribution:
    """What is certain of a spread, each chance rounded down to parts of ``WHOLE``; all else lies beyond."""
    first, last = min(spread.certain), max(spread.certain)
    chances = [spread.certain.get(number, Fraction(0)) for number in range(first, last + 1)]
    certain = tuple(Fraction(chance.numerator * WHOLE // chance.denominator, WHOLE) for chance in chances)
    return Distribution(first, certain, 1 - sum(certain, Fraction(0)))


def check_best(mover: int, best: int | None, holders: Holders, scores: str) -> None:
    """Raise StateError unless these can be the scores so far; ``scores``: which there are."""
    check_round(mover, best, holders, scores)
    if best == NEVER:
        raise StateError(
            f"best={best} cannot be: a rack scores {RACK + 1} or more, any other round {RACK - 1} or less", field="best"
        )


# --- players choose --------------------------------------------------------------------------------------------------


class SixBy6Chosen(SixBy6Free):
    """A board has one player's round, and, as seats, the best score so far and who has it.

    A score of TOP or more counts as TOP. Two kinds of boards are not followed: with that score to beat, and with a
    carry of FAR or more; there is a bound on what the mover wins in one and does not win in the other.
    """

    outcome = "win"
    outcome_unit = "probability"
    measure = "win"
    unit = "probability"
    scale = 1
    far = FAR
    by_seat = True

    def unsolved(self) -> Mapping[int, int]:
        """More players."""
        return {} if self.limit else unsolved_sets()

    @property
    def top(self) -> int:
        """The highest best score: TOP for any from there on, or what can be made where the carry is limited."""
        return RACK + self.limit + MOST_EARNED if self.limit else TOP

    def boards(self) -> Boards:
        """Who plays, the best score so far and who has it, dice posted and carry; ``far`` and TOP stand for more."""
        return Boards(
            mover=self.players,
            best=range(NO_SCORE, self.top + 1),
            holders=1 << self.players - 1,
            posted=DICE,
            carry=(self.limit or self.far) + 1,
        )

    def first_board(self) -> dict[str, int]:
        """Nobody has a score."""
        return {"mover": 0, "best": NO_SCORE, "holders": 0, "posted": 0, "carry": 0}

    def possible(self, board: Columns) -> Any:
        """Holders sit before the mover, and there is a score as soon as somebody has had a round."""
        first = (board.mover == 0) & (board.best == NO_SCORE) & (board.holders == 0)
        later = (board.holders > 0) & (board.holders < np.left_shift(1, board.mover))
        later &= (board.best > NO_SCORE) & (board.best != NEVER)
        starts = (board.posted == 0) & (board.carry == 0)
        return first | (later & (starts | ~self.is_out_of_reach(board)))

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """Nobody has less than the least score: all who have played have that, where it is the best."""
        if board["best"] == LEAST and board["holders"] != (1 << board["mover"]) - 1:
            return False
        return None if board["best"] == TOP else True

    def is_out_of_reach(self, board: Columns) -> Any:
        """Is the best score one that is bounded?"""
        return (board.best == TOP) & (self.limit == 0)

    def level(self, board: Columns) -> Any:
        """Each seat plays once, and posted dice stay posted."""
        return DICE * board.mover + board.posted

    def order(self, board: Columns) -> Any:
        """Carry runs out where few dice are left."""
        return np.where(board.posted < 2, board.carry, -board.carry)

    # --- one roll ------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """Rolls by the number of dice posted; then what is bounded."""
        counted: list[NodeKey] = [(posted,) for posted in range(DICE)]
        return counted if self.limit else [*counted, (0, None, FAR_AHEAD), (0, None, OUT_OF_REACH)]

    def root(self, board: Columns) -> Any:
        """The dice that are not posted are rolled."""
        if self.limit:
            return board.posted
        return np.where(self.is_out_of_reach(board), DICE + 1, np.where(board.carry == self.far, DICE, board.posted))

    def turn(self, posted: int, roll: Faces | None = None, bounded: Any = False) -> Node:
        """One roll, or what is known instead."""
        if bounded:
            return self.known(bounded)
        return self.throw(posted) if roll is None else self.play(roll)

    def asked(self, posted: int, roll: Faces | None = None, bounded: Any = False) -> Node | None:
        """Rounds go on where nobody asks about them."""
        return None if bounded or roll is not None else self.turn(posted)

    def known(self, bounded: str) -> Node:
        """What is known of a board that is not followed."""
        if bounded == FAR_AHEAD:
            return Bounded(1 - overtaken(self.players), 1)
        return Bounded(0, reaches_top())

    def transition(self, board: Columns, result: Any) -> Transition:
        """Dice are posted and carry is earned and paid; a round that ends is held against the best score."""
        new, earned, left = result
        posted, carry = board.posted + new, board.carry + earned - 1
        racked = posted == DICE
        ends = racked | (carry < 0)
        score = np.where(racked, RACK + board.carry + earned, POINTS * posted + left)
        return self.played(board, score, ends, {"posted": posted, "carry": np.minimum(carry, self.limit or self.far)})

    def played(self, board: Columns, score: Any, ends: Any, on: Mapping[str, Any]) -> Transition:
        """The round ``ends`` with this ``score``, or goes ``on``."""
        holders = joined(board.holders, board.mover, score - board.best)
        parts, per = shares(holders, self.players)
        best = np.minimum(np.maximum(board.best, score), self.top)
        return Transition(
            next={
                "mover": board.mover + ends,
                "best": np.where(ends, best, board.best),
                "holders": np.where(ends, holders, board.holders),
                **{name: np.where(ends, 0, column) for name, column in on.items()},
            },
            mover=ends * 1,
            over=ends & (board.mover == self.players - 1),
            shares=parts,
            per=per,
        )

    # --- questions -----------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The mover's round, then what the others have done."""
        most = self.limit or MOST_HELD
        return [
            Number("carry", "carry points left, this roll paid for", 0, most),
            Number("posted", "dice posted before this roll", 0, DICE - 1, drawn="track"),
            FacesField("roll", "the faces on the table now", 1, DICE),
            *round_fields(self.players, LEAST, self.top if self.limit else MOST_BEST, "highest"),
        ]

    def locate(
        self,
        carry: int = 0,
        posted: int = 0,
        roll: Faces | None = None,
        mover: int = 0,
        best: int | None = None,
        holders: Holders = (),
    ) -> Position:
        """The position of a question."""
        check_best(mover, best, holders, f"{LEAST} to {MOST_BEST}")
        position = super().locate(carry, posted, roll)
        seen = {"mover": mover, "best": NO_SCORE if best is None else best, "holders": as_bits(holders)}
        return Position({**seen, **position.board}, position.state, mover=mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position; nobody asks about boards that are only there to be bounded."""
        if board["best"] > MOST_BEST or board["carry"] > MOST_HELD:
            return
        for fields in super().describe(board, state):
            yield {
                **fields,
                "mover": board["mover"],
                "best": None if board["best"] == NO_SCORE else board["best"],
                "holders": as_seats(board["holders"], self.players),
            }

    def quantities(self, graph: TurnGraph, given: Mapping[str, Any]) -> dict[str, Quantity]:
        """Nothing beside the shares."""
        return {}


@dataclass(frozen=True)
class SixBy6Duel(SixBy6Chosen):
    """Two players: the value of a board is P(the player to move wins) + P(both share) / 2."""

    kind = "duel"
    total = 1

    def transition(self, board: Columns, result: Any) -> Transition:
        """As at any table."""
        return as_duel(super().transition(board, result))


@dataclass(frozen=True)
class SixBy6Table(SixBy6Chosen):
    """Three players or more: a board is worth P(win) of each, k players who share a win counting 1/k.

    Where a duel has bounds a table plays on as if they were certain; ``uncertain`` says how far off that may be.
    """

    kind = "table"
    total = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.players > MOST_AT_A_TABLE:
            raise ParameterError(
                f"'six-by-6' with posting=free is for 1 to {MOST_AT_A_TABLE} players, got {self.players}",
                hint="-p posting=forced",
                field="players",
            )

    @property
    def uncertain(self) -> float:
        """No share on any board is off by more than this, whoever plays how, because of what is taken as certain."""
        return 0.0 if self.limit else above(overtaken(self.players))

    def endings(self) -> Mapping[str, Callable[[tuple[Fraction, ...]], bool]]:
        """``shared``: several players have the most points."""
        return {"shared": lambda won: max(won) < 1}

    def known(self, bounded: str) -> Node:
        """The far ahead are taken to win, what is out of reach to stay so."""
        return End(bounded)

    def transition(self, board: Columns, result: Any) -> Transition:
        """A round, or what is taken as certain."""
        if result == FAR_AHEAD:
            holders: Any = np.left_shift(1, board.mover)
        elif result == OUT_OF_REACH:
            holders = board.holders
        else:
            return super().transition(board, result)
        parts, per = shares(holders, self.players)
        left = self.players - 1 - board.mover  # the shares are those seen from the last seat
        rows = [np.choose((place - left) % self.players, parts) for place in range(self.players)]
        return Transition(over=True, shares=rows, per=per)
