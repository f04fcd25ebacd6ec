"""Aces in the Pot: ones put coins in the pot, sixes pass them to the left; hold the last coin and roll no 6 to win.

Number 17 of TACTIC's 21 dice games. There is no choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.games.seats import next_holder
from rollwise.solver.model.dice import Faces, grouped
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
    Columns,
    End,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    chance_of,
    parameter,
)
from rollwise.solver.model.spaces import Split

DICE = 2
LAST_THROWS = 3  # of both dice, by the holder of the last coin
LEFT = 1
SEVERAL, LAST = "several coins", "the last coin"  # outside the pot when a turn begins
Moved = tuple[int, int]  # coins for the pot, coins for the player on the left


def coins_moved(faces: Faces) -> Moved:
    """(ones, sixes) of a throw: coins for the pot, coins for the player on the left.

    >>> coins_moved((1, 6)), coins_moved((1, 1)), coins_moved((2, 5))
    ((1, 1), (2, 0), (0, 0))
    """
    return faces.count(1), faces.count(6)


def last_coin_fate(faces: Faces) -> str:
    """The fate of the last coin in three throws of both dice.

    >>> last_coin_fate((1, 2, 1, 1, 3, 5)), last_coin_fate((1, 2, 1, 1, 3, 6))
    ('wins', 'passes')
    """
    return "passes" if 6 in faces else "wins"


@dataclass(frozen=True)
class AcesInThePot(TurnGame):
    """Luck; a board has the next player to roll first, who holds a coin."""

    name = "aces-in-the-pot"
    labels: ClassVar = {"coins": "Coins: the others are in the pot"}
    title = "Aces in the Pot"
    source = "TACTIC rules for dice games"
    rules = (
        "Each player starts with 2 coins. Throw two dice: first each 1 puts one of your coins in the pot, then each 6 "
        "gives one to the player on your left, as far as your coins go; but the last coin outside the pot never goes "
        "in. Players without coins do not roll, but stay in, since a neighbour may pass them one. When only one coin "
        "is left outside, whoever holds it throws both dice three times: without any 6 that player wins the pot; "
        "otherwise coin and dice go to the player on the left, who tries the same."
    )
    kind = "seats"
    measure = "win"
    unit = "probability"

    players: int = parameter(4, "players", low=4, high=10)
    coins: int = parameter(2, "coins of each player at the start", low=1, high=2, trial=True)

    @property
    def total_coins(self) -> int:
        """All coins there are, in the pot and outside."""
        return self.players * self.coins

    def boards(self) -> Boards:
        """Each player's coins; the others are in the pot."""
        low = [1] + [0] * (self.players - 1)
        return Boards(coins=Split(self.players, self.total_coins, low=low, at_most=True))

    def first_board(self) -> dict[str, Any]:
        """The pot is empty."""
        return {"coins": (self.coins,) * self.players}

    def roots(self) -> list[NodeKey]:
        """One throw, or the three throws for the last coin."""
        return [(SEVERAL,), (LAST,)]

    def root(self, board: Columns) -> Any:
        """1 for the last coin, else 0."""
        return board.coins.sum(axis=0) == 1

    def turn(self, stage: str) -> Node:
        """One throw of both dice, or all three for the last coin."""
        if stage == LAST:
            return chance_of(grouped(LAST_THROWS * DICE, last_coin_fate), End)
        return chance_of(grouped(DICE, coins_moved), End)

    def transition(self, board: Columns, result: Moved | str) -> Transition:
        """Coins go to the pot and to the left, the dice to the next player who has a coin."""
        if isinstance(result, str):  # the next holder of the last coin has the same board
            return Transition(
                over=result == "wins", shares=[1] + [0] * (self.players - 1), next={"coins": board.coins}, mover=LEFT
            )
        ones, sixes = result
        mine, neighbour, *others = board.coins
        paid = np.minimum(np.minimum(ones, mine), board.coins.sum(axis=0) - 1)
        passed = np.minimum(sixes, mine - paid)
        coins, steps = next_holder(np.stack([mine - paid - passed, neighbour + passed, *others]))
        return Transition(next={"coins": coins}, mover=steps)

    def level(self, board: Columns) -> Any:
        """Coins in the pot."""
        return self.total_coins - board.coins.sum(axis=0)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """Coins by seat, and the next to roll."""
        return [
            Numbers("coins", "coins by seat; the others are in the pot", 0, self.total_coins, self.players),
            Number("mover", "the seat that rolls next, one that has a coin", 0, self.players - 1),
        ]

    def locate(self, coins: Sequence[int] | None = None, mover: int = 0) -> Position:
        """The position of a question."""
        by_seat = list(coins) if coins is not None else [self.coins] * self.players
        if sum(by_seat) > self.total_coins:
            raise StateError(f"the game holds {self.total_coins} coins, got {sum(by_seat)}")
        if not any(by_seat):
            raise StateError("the last coin never goes into the pot, so a seat has a coin, got none")
        if not by_seat[mover]:
            holders = ", ".join(str(seat) for seat in range(self.players) if by_seat[seat])
            raise StateError(f"mover is a seat that has a coin ({holders}), got {mover}")
        stage = LAST if sum(by_seat) == 1 else SEVERAL
        return Position({"coins": (*by_seat[mover:], *by_seat[:mover])}, (stage,), mover=mover)

    def describe(self, board: Mapping[str, Any], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, the mover in seat 0."""
        yield {"coins": board["coins"], "mover": 0}
