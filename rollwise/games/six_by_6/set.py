"""Six By 6 as a SET: one round for each player, and the most points win.

Where players post all that they can, there is no choice, and the distribution of a round's score gives everything.
Where a player may go on instead, a round is played for the win, against the best score so far and later rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from rollwise.games.rounds import Holders, as_bits, as_seats, check_round, joined, round_fields, shares
from rollwise.games.six_by_6.rules import (
    DICE,
    MAX_CARRY,
    MAX_PLAYERS,
    POINTS,
    RACK,
    SixBy6Free,
    SixBy6Round,
    full,
    plain,
)
from rollwise.solver.markov_chains.chain import Distribution
from rollwise.solver.markov_chains.independent import (
    WHOLE,
    BoundedDistribution,
    convolve,
    quantity_by_seat,
    shares_of_highest,
)
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.duel_transition import as_duel
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number
from rollwise.solver.model.game import (
    Boards,
    Bounded,
    Columns,
    End,
    Game,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
)
from rollwise.solver.model.rounding import above
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

MIN_SCORE = 21  # of a round: decline 1 to 6 and then 1 to 5, with a die posted and 15 left
MIN_SCORE_FORCED = 22  # where these cannot be declined
NEVER = RACK  # an impossible score: a rack has carry, and five dice posted make 35 at most
NO_SCORE = MIN_SCORE - 1  # instead of the best score before there is any
MAX_EARNED = 2 * DICE - 1  # carry of one roll
MAX_CARRY_CHOSEN, MAX_BEST_CHOSEN = 40, 79  # in a question of a SET in which players choose
MAX_CHOOSING_PLAYERS = 4

TOP = 90  # best scores from here on are rare: the others' win against them is bounded
RACK_ROLLS = 165  # rolls within which there nearly always is a rack
FAR = TOP - RACK + RACK_ROLLS  # a carry with which a score below TOP is rare: rounds are followed up to it
GROWTH = Fraction(9, 5)  # the factor for a carry point in the bound on high scores
FAR_AHEAD, OUT_OF_REACH = "far ahead", "out of reach"  # turns that are bounded, not solved


@cache
def promise(posted: int) -> Fraction:
    """A bound on E(GROWTH ** (carry of the rack - carry now)), no rack counting as 0, for any choices of the player.

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
    """A bound on P(a round from its start scores TOP or more), for any choices of the player: see ``promise``."""
    return promise(0) / GROWTH ** (TOP - RACK)


@cache
def overtaken(players: int) -> Fraction:
    """A bound on P(a player with FAR carry or more does not win), the best score so far being below TOP.

    Either there is no rack within RACK_ROLLS rolls, for which some one die misses the six in each of them; or the score
    is TOP or more, and a later player reaches it.
    """
    return DICE * Fraction(5, 6) ** RACK_ROLLS + (players - 1) * reaches_top()


def the_set(parameters: Mapping[str, Any]) -> Game:
    """The SET for these parameters of Six By 6; raises ParameterError."""
    if parameters.get("posting") != "free":
        return SixBy6Set(**parameters)
    return (SixBy6Duel if parameters["players"] == 2 else SixBy6Table)(**parameters)


def unsolved_sets() -> dict[int, int]:
    """Boards by number of players, where these are too many to choose."""
    scores, rounds = TOP - MIN_SCORE - 1, DICE * (FAR + 1)
    holders = {players: sum((1 << seat) - 1 for seat in range(players)) for players in range(MAX_PLAYERS + 1)}
    return {n: rounds * (1 + scores * holders[n]) for n in range(MAX_CHOOSING_PLAYERS + 1, MAX_PLAYERS + 1)}


# --- luck: all is posted that can be --------------------------------------------------------------------------------


@dataclass(frozen=True)
class SixBy6Set(SixBy6Round):
    """Luck; a board is one player's round, as if it were played alone."""

    outcome = "win"
    outcome_unit = "probability"

    def fields(self) -> list[Field]:
        """The mover's round, then the other players' scores."""
        return [*super().fields(), *round_fields(self.players, MIN_SCORE_FORCED, RACK + MAX_CARRY, "highest")]

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
        check_best(mover, best, holders, f"{MIN_SCORE_FORCED} to {RACK + MAX_CARRY}")
        position = super().locate(carry, posted, roll)
        return Position(position.board, position.state, position.points, mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, of the first player."""
        for fields in super().describe(board, state):
            yield {**fields, "mover": 0, "best": None, "holders": ()}

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """The same round goes on, or the next seat's begins, against the best score so far; the best share."""
        carry, posted, score = self.played_on(fields, thrown)
        mover, best, holders = fields["mover"], fields.get("best"), fields["holders"]
        nothing = (Fraction(0),) * self.players
        if score is None:
            return LuckTransition({**fields, "carry": carry, "posted": posted}, nothing)
        if best is None or score >= best:
            holders = (*(holders if score == best else ()), mover)
            best = score
        if mover + 1 < self.players:
            fresh = {"carry": 0, "posted": 0, "mover": mover + 1, "best": best, "holders": holders}
            return LuckTransition(fresh, nothing)
        return LuckTransition(None, tuple(Fraction(seat in holders, len(holders)) for seat in range(self.players)))

    def quantities(self, graph: TurnGraph, question: Mapping[str, Any]) -> dict[str, Quantity]:
        """Each seat's chance to win, the chance of a shared win, the mover's score, and the SET's remaining rolls."""
        fields = dict(question)
        mover, best, holders = fields.pop("mover", 0), fields.pop("best", None), fields.pop("holders", ())
        now, fresh = self.odds(graph, **fields), self.odds(graph)
        after = self.players - 1 - mover
        finished = [(best or 0) - (seat not in holders) for seat in range(mover)]
        win, shared = shares_of_highest(finished, [in_parts(now.score)] + [in_parts(fresh.score)] * after)
        low, high = (now.rolls[end] + after * fresh.rolls[end] for end in (0, 1))
        return {
            "win": quantity_by_seat(win),
            "shared": Quantity.between(*shared, "probability"),
            "mean_score": Quantity.between(*now.mean_score, "points"),
            "score_distribution": now.score.quantity(),
            "length": Quantity.between(low, high, "rolls"),
            "length_distribution": convolve([in_parts(now.lengths)] + [in_parts(fresh.lengths)] * after).quantity(),
        }


def in_parts(spread: BoundedDistribution) -> Distribution:
    """The certain part of a distribution, chances rounded down to parts of ``WHOLE``; the rest lies beyond."""
    first, last = min(spread.certain), max(spread.certain)
    chances = [spread.certain.get(number, Fraction(0)) for number in range(first, last + 1)]
    certain = tuple(Fraction(chance.numerator * WHOLE // chance.denominator, WHOLE) for chance in chances)
    return Distribution(first, certain, 1 - sum(certain, Fraction(0)))


def check_best(mover: int, best: int | None, holders: Holders, scores: str) -> None:
    """Raise StateError unless these can be the scores so far; ``scores`` names the range."""
    check_round(mover, best, holders, scores)
    if best == NEVER:
        raise StateError(
            f"best={best} cannot be: a rack scores {RACK + 1} or more, any other round {RACK - 1} or less", field="best"
        )


# --- players choose --------------------------------------------------------------------------------------------------


class SixBy6Chosen(SixBy6Free):
    """A board has one player's round, and, as seats, the best score so far and its holders.

    A score of TOP or more counts as TOP. Two kinds of boards are not solved: with that score to beat, and with a
    carry of FAR or more; P(the mover wins) has an upper bound in one and a lower bound in the other.
    """

    outcome = "win"
    outcome_unit = "probability"
    measure = "win"
    unit = "probability"
    scale = 1
    far = FAR
    by_seat = True

    def unsolved(self) -> Mapping[int, int]:
        """SETs of too many players who choose."""
        return {} if self.limit else unsolved_sets()

    @property
    def top(self) -> int:
        """The highest best score: TOP for any from there on, or the most points where the carry is limited."""
        return RACK + self.limit + MAX_EARNED if self.limit else TOP

    def boards(self) -> Boards:
        """The player, the best score so far and its holders, dice posted and carry; ``far`` and TOP stand for more."""
        return Boards(
            mover=self.players,
            best=range(NO_SCORE, self.top + 1),
            holders=1 << self.players - 1,
            posted=DICE,
            carry=(self.limit or self.far) + 1,
        )

    def first_board(self) -> dict[str, int]:
        """No player has a score."""
        return {"mover": 0, "best": NO_SCORE, "holders": 0, "posted": 0, "carry": 0}

    def possible(self, board: Columns) -> Any:
        """Holders sit before the mover, and there is a score once a player has had a round."""
        first = (board.mover == 0) & (board.best == NO_SCORE) & (board.holders == 0)
        later = (board.holders > 0) & (board.holders < np.left_shift(1, board.mover))
        later &= (board.best > NO_SCORE) & (board.best != NEVER)
        starts = (board.posted == 0) & (board.carry == 0)
        return first | (later & (starts | ~self.is_out_of_reach(board)))

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """If the best score is the lowest possible, all who have played have it."""
        if board["best"] == MIN_SCORE and board["holders"] != (1 << board["mover"]) - 1:
            return False
        return None if board["best"] == TOP else True

    def is_out_of_reach(self, board: Columns) -> Any:
        """True where the best score is bounded."""
        return (board.best == TOP) & (self.limit == 0)

    def level(self, board: Columns) -> Any:
        """Each seat plays once, and posted dice stay posted."""
        return DICE * board.mover + board.posted

    def order(self, board: Columns) -> Any:
        """Boards by carry: it runs out where few dice are left."""
        return np.where(board.posted < 2, board.carry, -board.carry)

    # --- one roll ------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """Rolls by the number of dice posted; then the bounded turns."""
        counted: list[NodeKey] = [(posted,) for posted in range(DICE)]
        return counted if self.limit else [*counted, (0, None, FAR_AHEAD), (0, None, OUT_OF_REACH)]

    def root(self, board: Columns) -> Any:
        """The dice that are not posted are rolled."""
        if self.limit:
            return board.posted
        return np.where(self.is_out_of_reach(board), DICE + 1, np.where(board.carry == self.far, DICE, board.posted))

    def turn(self, posted: int, roll: Faces | None = None, bounded: Any = False) -> Node:
        """One roll, or its bounds."""
        if bounded:
            return self.bounds(bounded)
        return self.throw(posted) if roll is None else self.play(roll)

    def unsolved_node(self, posted: int, roll: Faces | None = None, bounded: Any = False) -> Node | None:
        """The node of a round that goes on where no question is."""
        return None if bounded or roll is not None else self.turn(posted)

    def bounds(self, bounded: str) -> Node:
        """The bounds of a board that is not solved."""
        if bounded == FAR_AHEAD:
            return Bounded(1 - overtaken(self.players), 1)
        return Bounded(0, reaches_top())

    def transition(self, board: Columns, result: Any) -> Transition:
        """Dice are posted, carry is earned and paid; the score of a round that ends meets the best score."""
        new, earned, rest = result
        posted, carry = board.posted + new, board.carry + earned - 1
        racked = posted == DICE
        ends = racked | (carry < 0)
        score = np.where(racked, RACK + board.carry + earned, POINTS * posted + rest)
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
        """The mover's round, then the other players' scores."""
        most = self.limit or MAX_CARRY_CHOSEN
        return [
            Number("carry", "carry points left, this roll paid for", 0, most),
            Number("posted", "dice posted before this roll", 0, DICE - 1, drawn="track"),
            FacesField("roll", "the faces on the table now", 1, DICE),
            *round_fields(self.players, MIN_SCORE, self.top if self.limit else MAX_BEST_CHOSEN, "highest"),
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
        check_best(mover, best, holders, f"{MIN_SCORE} to {MAX_BEST_CHOSEN}")
        position = super().locate(carry, posted, roll)
        seats = {"mover": mover, "best": NO_SCORE if best is None else best, "holders": as_bits(holders)}
        return Position({**seats, **position.board}, position.state, mover=mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position; none for boards that are only there to be bounded."""
        if board["best"] > MAX_BEST_CHOSEN or board["carry"] > MAX_CARRY_CHOSEN:
            return
        for fields in super().describe(board, state):
            yield {
                **fields,
                "mover": board["mover"],
                "best": None if board["best"] == NO_SCORE else board["best"],
                "holders": as_seats(board["holders"], self.players),
            }

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """None beside the shares."""
        return {}


@dataclass(frozen=True)
class SixBy6Duel(SixBy6Chosen):
    """Two players: the value of a board is P(the player to move wins) + P(both share) / 2."""

    kind = "duel"
    total = 1

    def transition(self, board: Columns, result: Any) -> Transition:
        """As at any table, for two."""
        return as_duel(super().transition(board, result))


@dataclass(frozen=True)
class SixBy6Table(SixBy6Chosen):
    """Three players or more; values are shares of the win, with bounds taken as certain (``uncertain``: the error)."""

    kind = "table"
    total = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.players > MAX_CHOOSING_PLAYERS:
            raise ParameterError(
                f"'six-by-6' with posting=free is for 1 to {MAX_CHOOSING_PLAYERS} players, got {self.players}",
                hint="-p posting=forced",
                field="players",
            )

    @property
    def uncertain(self) -> float:
        """The largest error of any share on any board, for any strategies, that comes from bounds taken as certain."""
        return 0.0 if self.limit else above(overtaken(self.players))

    def endings(self) -> Mapping[str, Callable[[tuple[Fraction, ...]], bool]]:
        """``shared``: several players have the most points."""
        return {"shared": lambda won: max(won) < 1}

    def bounds(self, bounded: str) -> Node:
        """The end of a board that is not solved: a far lead wins, a score out of reach stays so."""
        return End(bounded)

    def transition(self, board: Columns, result: Any) -> Transition:
        """The next board; past a cut the payoff: a far lead wins, else the holders."""
        if result == FAR_AHEAD:
            holders: Any = np.left_shift(1, board.mover)
        elif result == OUT_OF_REACH:
            holders = board.holders
        else:
            return super().transition(board, result)
        parts, per = shares(holders, self.players)
        turns_to_come = self.players - 1 - board.mover  # the shares are those seen from the last seat
        rows = [np.choose((place - turns_to_come) % self.players, parts) for place in range(self.players)]
        return Transition(over=True, shares=rows, per=per)
