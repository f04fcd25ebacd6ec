"""Cost estimates of tables with more players than are solved: boards, seconds and bytes.

The game declares its number of boards (``Game.unsolved``). The cost of a board is measured at the largest solved number
of players: its transitions, read once, and one backup of its turn for every seat, or several where boards come again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rollwise.solver.kinds.cost_model import PROGRAM_BYTES, TABLE_RATES, BoardCost, estimate_board_cost
from rollwise.solver.kinds.table import table_bytes
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn

CACHED_GAMES = 32  # whose estimates are cached


@dataclass(frozen=True)
class UnsolvedTable:
    """A table that is not solved, with at least ``boards`` that cost ``each``."""

    players: int
    boards: int
    each: BoardCost

    @property
    def seconds(self) -> float:
        """Seconds of a solve, about."""
        return TABLE_RATES.seconds(self.each, self.boards, self.players)

    @property
    def bytes(self) -> int:
        """Memory of a solve, about."""
        return PROGRAM_BYTES + table_bytes(self.each, self.boards, self.players)


@lru_cache(maxsize=CACHED_GAMES)  # some turns take seconds to compile
def unsolved_tables(game: TurnGame) -> tuple[UnsolvedTable, ...]:
    """The unsolved tables of a game, fewest players first; their boards are assumed to cost as much as solved ones."""
    boards = game.unsolved()
    if not boards:
        return ()
    board_cost = estimate_board_cost(game, game.turn_size() or compile_turn(game))
    return tuple(UnsolvedTable(n, boards[n], board_cost) for n in sorted(boards))
