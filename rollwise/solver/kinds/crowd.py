"""What a game would cost with more players than are solved: boards, seconds and bytes, reckoned and not tried.

A game says how many boards it would have (``Game.unsolved``). What is typical of a board is looked up at the number of
players that is asked for: where each result leads from a board is found once; then the board takes one backup of its
turn, or several where boards come again, for every seat.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rollwise.solver.kinds.cost_model import PROGRAM, TABLE, Typical, typical
from rollwise.solver.kinds.table import memory
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.turn.graph import compile_turn

MOST_KEPT = 32  # games


@dataclass(frozen=True)
class Crowd(Jsonable):
    """A table that is not solved, with ``boards`` at least that are like ``each``."""

    JSON = "players boards seconds=about bytes"

    players: int
    boards: int
    each: Typical

    @property
    def seconds(self) -> float:
        """What solving it would take, about."""
        return TABLE.seconds(self.each, self.boards, self.players)

    @property
    def bytes(self) -> int:
        """What solving it would take of memory, about."""
        return PROGRAM + memory(self.each, self.boards, self.players)

    @property
    def about(self) -> float:
        """The seconds with two digits, which is more than they are good for."""
        return float(f"{self.seconds:.2g}")


@lru_cache(maxsize=MOST_KEPT)  # some of their turns take seconds to lay out
def crowds(game: TurnGame) -> tuple[Crowd, ...]:
    """The tables of a game that are not solved, fewest players first: its boards are taken to be like theirs."""
    boards = game.unsolved()
    if not boards:
        return ()
    each = typical(game, game.turn_size() or compile_turn(game))
    return tuple(Crowd(n, boards[n], each) for n in sorted(boards))
