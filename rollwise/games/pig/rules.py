"""Pig: roll one die as often as you dare; a 1 loses the turn, first to ``target`` wins.

The best-studied jeopardy dice game (Neller and Presser, 2004); a reference game, from no rule sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.solver.model.dice import d6
from rollwise.solver.model.fields import NO_LIMIT, Field, Number
from rollwise.solver.model.game import (
    OTHER,
    Boards,
    Columns,
    Decision,
    End,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    chance_of,
    parameter,
)
from rollwise.solver.model.turn_points import Hand, PointGame, ResultPoints, TurnPhrases


@dataclass(frozen=True)
class Pig(PointGame):
    """Duel; the value of a board is P(the player to move wins)."""

    name = "pig"
    title = "Pig"
    synonyms = ("pig dice",)
    reference = True
    picture = (3, "1", "Roll on or hold: a 1 costs you the turn.")
    like = (("pass the pigs", "one die in place of two pigs: a 1 loses the turn, 2 to 6 score as they fall"),)
    source = "Neller and Presser, Optimal Play of the Dice Game Pig, 2004"
    rules = (
        "On your turn throw one die. A 1 ends the turn and it earns nothing; any other face is added to the turn's "
        "total. After each throw you may hold, which banks the total, or roll again. You must roll at least once. "
        "The first player who holds with the target or more wins at once."
    )
    kind = "duel"
    measure = "win"
    unit = "probability"
    words = TurnPhrases(bust="a 1 loses the turn's points")

    target: int = parameter(100, "points to reach", low=2, high=1000)

    def boards(self) -> Boards:
        """Both scores, the mover's first."""
        return Boards(mine=self.target, theirs=self.target)

    def reachable(self, board: Mapping[str, Any]) -> bool:
        """A turn gathers at least 2 points, or none."""
        return 1 not in board.values()

    def roots(self) -> list[NodeKey]:
        """A turn starts with nothing."""
        return [(0,)]

    def turn(self, total: int) -> Node:
        """One turn: the same small graph whatever the scores are."""
        return End(total) if total >= self.target else self.decision(total)

    def decision(self, total: int) -> Decision:
        """Hold, or roll."""
        rolled = chance_of(d6, lambda face: End(0) if face == 1 else Goto(total + face))
        return Decision([("hold", End(total)), ("roll", rolled)]) if total else Decision([("roll", rolled)])

    def unsolved_node(self, total: int) -> Node | None:
        """The choice of a player who may roll on with enough points, though holding wins."""
        return self.decision(total) if total >= self.target else None

    def transition(self, board: Columns, result: int) -> Transition:
        """Points go to the mover's score; the dice go to the other player."""
        mine = board.mine + result
        return Transition(won=mine >= self.target, next={"mine": board.theirs, "theirs": mine}, mover=OTHER)

    def level(self, board: Columns) -> Any:
        """The sum of the scores never falls."""
        return board.mine + board.theirs

    def fields(self) -> list[Field]:
        """Scores and the turn's total."""
        return [
            Number("mine", "the mover's score", 0, self.target - 1),
            Number("theirs", "the other player's score", 0, self.target - 1),
            Number("turn", "points gathered this turn", 0, NO_LIMIT, of="turn"),
        ]

    def locate(self, mine: int = 0, theirs: int = 0, turn: int = 0) -> Position:
        """The position of a question."""
        return Position({"mine": mine, "theirs": theirs}, (turn,))

    def impossible(self, position: Position) -> str:
        """A turn gathers at least 2 points, or none."""
        return f"turn={position.state[0]} is impossible: a 1 ends the turn, so totals are 0 or at least 2"

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position."""
        yield {**board, "turn": state[0]}

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """One die, always."""
        return [Hand(1, (0,))]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int:
        """The turn's total is at stake."""
        return int(state[0])

    def result_points(self, board: Mapping[str, Any], result: int) -> ResultPoints:
        """A turn that ends with nothing ended with a 1."""
        return ResultPoints(result, bust=result == 0)
