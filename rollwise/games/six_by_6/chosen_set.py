"""A SET of Six By 6 whose players choose, each round against the best score so far and later rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.games.rounds import Holders, as_bits, as_seats, joined, round_fields, shares
from rollwise.games.six_by_6.bounds import (
    FAR,
    MAX_CHOOSING_PLAYERS,
    MAX_EARNED,
    MIN_SCORE,
    NEVER,
    NO_SCORE,
    TOP,
    overtaken,
    reaches_top,
    unsolved_sets,
)
from rollwise.games.six_by_6.scoring import DICE, POINTS, RACK
from rollwise.games.six_by_6.set import check_best
from rollwise.games.six_by_6.variants import SixBy6Free, SixBy6Reach
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.duel_transition import TableForTwo
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number
from rollwise.solver.model.game import Boards, Bounded, Columns, End, Node, NodeKey, Position, Transition
from rollwise.solver.model.rounding import above
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

MAX_CARRY_CHOSEN, MAX_BEST_CHOSEN = 40, 79  # in a question of a SET in which players choose

FAR_AHEAD, OUT_OF_REACH = "far ahead", "out of reach"  # turns that are bounded, not solved


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
    order = SixBy6Reach.order

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
        self, *args: Any, mover: int = 0, best: int | None = None, holders: Holders = (), **round: Any
    ) -> Position:
        """The position of a question."""
        check_best(mover, best, holders, f"{MIN_SCORE} to {MAX_BEST_CHOSEN}")
        position = super().locate(*args, **round)
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
class SixBy6Duel(TableForTwo, SixBy6Chosen):
    """Two players: the value of a board is P(the player to move wins) + P(both share) / 2."""

    kind = "duel"
    total = 1


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
