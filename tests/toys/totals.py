"""Pig asked in other words, to see what is made of the words that fields belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rollwise.games.pig.rules import Pig
from rollwise.solver.model.fields import Field, Number, Of
from rollwise.solver.model.game import NodeKey, Position


@dataclass(frozen=True)
class PigByTotals(Pig):
    """Pig, asked by what the mover would have after holding."""

    held_of: ClassVar[Of] = "both"

    def fields(self) -> list[Field]:
        """Scores, and the mover's with the turn's points."""
        return [*super().fields()[:2], Number("held", "mine + turn", 0, 2 * self.target, of=self.held_of)]

    def locate(self, mine: int = 0, theirs: int = 0, held: int = 0) -> Position:
        """The position of a question."""
        return Position({"mine": mine, "theirs": theirs}, (max(0, held - mine),))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        yield {**board, "held": board["mine"] + state[0]}


class PigHeldOfBoard(PigByTotals):
    """The same, which says that this is of the board."""

    held_of = "board"


class PigHeldOfTurn(PigByTotals):
    """The same, which says that this is of the turn."""

    held_of = "turn"


class PigThinBoards(Pig):
    """Pig that nobody asks about where the other player is one point from the target."""

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        if board["theirs"] < self.target - 1:
            yield from super().describe(board, state)
