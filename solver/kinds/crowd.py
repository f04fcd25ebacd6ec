"""What a game would cost with more players than are solved: boards, seconds and bytes, reckoned and not tried.

A game says how many boards it would have (``Game.unsolved``). Where each result leads from every board is found once;
then every board takes one backup of the turn, or several where boards come again, for every seat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.table import WORKING
from rollwise.solver.turn.graph import compile_turn

RATE = 2e9  # edges times seats in a second, on two cores: from 1e9 to 4e9 were measured
SETTLING = 3e-7  # seconds to find where a result leads from a board, as at Mexico
SWEEPS = 10  # backups of a board that is met again, as duels take them on average


@dataclass(frozen=True)
class Crowd:
    """A table that is not solved.

    ``boards`` that it has at least; ``edges`` and ``results`` of its turn; ``sweeps``: how often each board is backed
    up, about.
    """

    players: int
    boards: int
    edges: int
    results: int
    sweeps: int

    @property
    def seconds(self) -> float:
        """What solving it would take, about."""
        return float(self.boards) * (self.results * SETTLING + self.edges * self.players * self.sweeps / RATE)

    @property
    def bytes(self) -> int:
        """What solving it would take of memory: so many numbers a board and seat as tables take."""
        return 8 * WORKING * self.players * self.boards

    def plain(self) -> dict[str, Any]:
        """As JSON shows it; the seconds have two digits, which is more than they are good for."""
        seconds = float(f"{self.seconds:.2g}")
        return {"players": self.players, "boards": self.boards, "seconds": seconds, "bytes": self.bytes}


def crowds(game: TurnGame) -> list[Crowd]:
    """The tables of a game that are not solved, fewest players first: its turn is taken to be theirs too."""
    boards = game.unsolved()
    if not boards:
        return []
    graph, sweeps = compile_turn(game), SWEEPS if game.cyclic else 1
    return [Crowd(n, boards[n], graph.n_edges, len(graph.results), sweeps) for n in sorted(boards)]
