"""High Dice: the banker throws two dice, and each player with a higher sum wins as much as was staked.

Number 19 of TACTIC's 21 dice games. The size of the stake is the only choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.markov_chains.bets import Bet, bet_quantities, bets_on
from rollwise.solver.model.dice import grouped
from rollwise.solver.model.fields import Faces, Field
from rollwise.solver.model.game import (
    Boards,
    Columns,
    End,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    chance_of,
    parameter,
)
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

LOWEST, HIGHEST = 2, 12  # 1-1 and 6-6
NOT_THROWN = 0
BET = "higher"


@dataclass(frozen=True)
class BankRoll(Faces):
    """The banker's two dice, typed as 3-4 or 3,4."""

    def show(self, value: Any) -> str:
        """As typed: 3-4."""
        return "-".join(map(str, value))


@dataclass(frozen=True)
class HighDice(TurnGame):
    """Bets; a board is the banker's sum, a throw is a turn, the value is the return of a chip staked."""

    name = "high-dice"
    labels: ClassVar = {"bank": "The banker's dice"}
    title = "High Dice"
    source = "TACTIC rules for dice games"
    rules = (
        "The players stake chips, then the banker throws two dice. A banker's 1-1 loses at once, and all players win "
        "as much as they staked. Otherwise each player throws two dice: a sum above the banker's wins as much as was "
        "staked, any other loses the stake. With double_on_6_6 a banker's 1-1 is played like any other roll, and a "
        "player who wins with 6-6 wins twice the stake; 6-6 against the banker's 6-6 is a tie and loses. All numbers "
        "are for one chip staked; what comes back includes that chip."
    )
    kind = "alone"
    outcome = "return"
    outcome_unit = "chips"
    measure = "points"
    unit = "chips"
    total = 0
    cyclic = False

    rule: str = parameter(
        "banker_loses_1_1",
        "the effect of a banker's 1-1 and a player's 6-6",
        choices=("banker_loses_1_1", "double_on_6_6"),
    )

    def back(self, bank: int, thrown: int) -> int:
        """The return of one chip when a player throws this sum against the banker's."""
        if self.rule == "banker_loses_1_1":
            return 2 if thrown > bank or bank == LOWEST else 0  # against 1-1 every throw wins
        if thrown <= bank:
            return 0
        return 3 if thrown == HIGHEST else 2

    def boards(self) -> Boards:
        """``bank``: the banker's sum, 0 before the banker's throw."""
        return Boards(bank=HIGHEST + 1)

    def possible(self, board: Columns) -> Any:
        """Two dice never show 1."""
        return board.bank != 1

    def turn(self) -> Node:
        """Two dice: the banker's, then a player's."""
        return chance_of(grouped(2, sum), End)

    def transition(self, board: Columns, thrown: int) -> Transition:
        """The banker's throw is the sum to beat; a player's settles the bet."""
        returned = np.array([self.back(bank, thrown) for bank in range(HIGHEST + 1)])
        against = board.bank != NOT_THROWN
        return Transition(over=against, reward=np.where(against, returned[board.bank], 0), next={"bank": thrown})

    def level(self, board: Columns) -> Any:
        """The banker throws once."""
        return (board.bank != NOT_THROWN).astype(np.int64)

    # --- questions -------------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The banker's roll."""
        return [BankRoll("bank", "the banker's roll, e.g. 3-4; left out: not thrown yet", 2, 2, of="board")]

    def locate(self, bank: tuple[int, ...] | None = None) -> Position:
        """The position of a question."""
        return Position({"bank": sum(bank) if bank else NOT_THROWN}, ())

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position for every roll of the banker's with this sum."""
        if board["bank"] == NOT_THROWN:
            yield {}
        for roll in combinations_with_replacement(range(1, 7), 2):
            if sum(roll) == board["bank"]:
                yield {"bank": roll}

    def onward(self, fields: Mapping[str, Any], thrown: tuple[int, ...]) -> LuckTransition:
        """The banker's throw is the sum to beat; a player's brings chips back, or none."""
        if not fields.get("bank"):
            return LuckTransition({"bank": thrown}, (Fraction(0),))
        return LuckTransition(None, (Fraction(self.back(sum(fields["bank"]), sum(thrown))),))

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """The odds of the only bet."""
        return bet_quantities({BET: self.odds(graph, **fields)})

    def odds(self, graph: TurnGraph, bank: tuple[int, ...] | None = None) -> Bet:
        """Chance and return of a chip, before the banker's throw or against a roll of the banker's."""
        return bets_on(self, graph, {BET: self.locate(bank).board})[BET]
