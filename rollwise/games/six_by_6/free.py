"""Six By 6 alone, where a player may go on instead of posting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.six_by_6.bounds import unsolved_sets
from rollwise.games.six_by_6.rules import MAX_CARRY, SixBy6Round
from rollwise.games.six_by_6.scoring import full, plain, special
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.game import Columns, Decision, End, Node, NodeKey


@dataclass(frozen=True)
class SixBy6Free(SixBy6Round):
    """Alone; the value of a board is the best expected score less the carry held."""

    kind: ClassVar[Literal["alone", "solo", "duel", "table"]] = "solo"
    far = MAX_CARRY + 1

    def possible(self, board: Columns) -> Any:
        """All: after declining 1-2-3-4-5-6 one die is posted with no carry."""
        return np.ones(len(board), dtype=bool)

    def play(self, faces: Faces) -> Node:
        """A roll that may be posted whole leaves a choice; any other has one move."""
        whole, sixes = End(full(faces)), End(plain(faces))
        if special(faces) is None or whole.result == sixes.result:
            return Decision([("post" if set(faces) == {6} else "go on", sixes)])
        return Decision([("post", whole), ("go on", sixes)])

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position; of rolls only those that leave a choice."""
        for fields in super().describe(board, state):
            faces = fields.get("roll")
            if faces is None or special(faces) not in (None, plain(faces)):
                yield fields


@dataclass(frozen=True)
class SixBy6Alone(SixBy6Free):
    """Alone, with a choice."""

    def unsolved(self) -> Mapping[int, int]:
        """SETs of too many players who choose."""
        return {} if self.limit else unsolved_sets()
