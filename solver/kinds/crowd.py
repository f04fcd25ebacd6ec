"""What a game would cost with more players than are solved: boards, seconds and bytes, reckoned and not tried.

A game says how many boards it would have (``Game.unsolved``). Every board takes one backup of the turn, or several
where boards come again, for every seat; every seat's share of it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.graph import compile_turn

RATE = 2e9  # edges times seats in a second, on two cores: from 1e9 to 4e9 were measured
SWEEPS = 10  # backups of a board that is met again, as duels take them on average


@dataclass(frozen=True)
class Crowd:
    """A table that is not solved.

    ``boards`` that it has at least; ``edges`` of its turn; ``sweeps``: how often each board is backed up, about.
    """

    players: int
    boards: int
    edges: int
    sweeps: int

    @property
    def seconds(self) -> float:
        """What solving it would take, about."""
        return float(self.boards) * self.edges * self.players * self.sweeps / RATE

    @property
    def bytes(self) -> int:
        """What the shares of all boards alone would fill: a number a seat, and how far they may be off."""
        return self.boards * (8 * self.players + 4)

    def plain(self) -> dict[str, Any]:
        """As JSON shows it; the seconds have two digits, which is more than they are good for."""
        seconds = float(f"{self.seconds:.2g}")
        return {"players": self.players, "boards": self.boards, "seconds": seconds, "bytes": self.bytes}


def crowds(game: TurnGame) -> list[Crowd]:
    """The tables of a game that are not solved, fewest players first: its turn is taken to be theirs too."""
    boards = game.unsolved()
    if not boards:
        return []
    edges, sweeps = compile_turn(game).n_edges, SWEEPS if game.cyclic else 1
    return [Crowd(players, boards[players], edges, sweeps) for players in sorted(boards)]
