"""Mexico for three or four players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from rollwise.games.mexico.rules import Mexico
from rollwise.solver.model.game import Columns, Transition


@dataclass(frozen=True)
class MexicoTable(Mexico):
    """Three or four players; a value is each one's P(win), a dead game counting as one over those who share."""

    kind = "table"

    def transition(self, board: Columns, place: int) -> Transition:
        """As in the duel."""
        return self.table_transition(board, place)

    def endings(self) -> Mapping[str, Callable[[tuple[Fraction, ...]], bool]]:
        """``dead``: no player is left, and the last ones share."""
        return {"dead": lambda shares: max(shares) < 1}
