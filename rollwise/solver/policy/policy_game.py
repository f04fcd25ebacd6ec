"""The game of a fixed policy against a free player: reachable boards, each once for each role of the mover.

Against a fixed policy the free player faces a Markov decision process, whose solution is the best response (Filar and
Vrieze 1997). ``PolicyGame`` is a turn game like any other, so the same solver solves it; the backup of their roots
(``solver.values.policy_evaluation``) plays the turns of the policy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Boards, Columns, Node, NodeKey, Transition, TurnGame

FREE, BY_POLICY = 0, 1
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PolicyGame(TurnGame):
    """``game`` on the reachable ``places``: place ``i`` is role ``i // size`` on board ``i % size`` of the game.

    ``places`` ascend; on those ``by_policy`` the policy plays the turn (where it has no decisions, its player is
    free too). The roots are the game's for a free turn, then the same for a turn by the policy. Ends that would lead to
    no place are illegal: no player who can get there plays so.
    """

    name = "contest"
    title = "A rule of thumb against the best reply"
    source = "rollwise.solver.policy.policy_game"
    rules = "Those of the game itself; one player follows a rule."

    game: TurnGame
    places: Ints
    by_policy: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for field in ("kind", "measure", "unit", "sense", "total", "cyclic", "endless"):
            object.__setattr__(self, field, getattr(self.game, field))

    @cached_property
    def space(self) -> Boards:
        """Boards of the game."""
        return self.game.boards()

    def parameters(self) -> dict[str, Any]:
        """Parameters of the game."""
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def boards(self) -> Boards:
        """The places by number."""
        return Boards(place=len(self.places))

    def place_of(self, role: Any, boards: Any) -> Any:
        """The number of the place, -1 where there is none."""
        number = np.where(boards < 0, -1, role * self.space.size + boards)
        place = np.minimum(np.searchsorted(self.places, number), len(self.places) - 1)
        return np.where(self.places[place] == number, place, -1)

    def role(self, board: Columns) -> Any:
        """Role of the mover: FREE or BY_POLICY."""
        return board.derive("role", lambda columns: self.places[columns.place] // self.space.size)

    def there(self, board: Columns) -> Columns:
        """The boards of the game."""
        columns_there: Columns = board.derive(
            "there", lambda columns: self.space.columns(self.places[columns.place] % self.space.size)
        )
        return columns_there

    def roots(self) -> list[NodeKey]:
        """The game's roots, for a free turn and for one by the policy."""
        return [(role, *root) for role in (FREE, BY_POLICY) for root in self.game.roots()]

    def root(self, board: Columns) -> Any:
        """The root of a free turn, or of one by the policy."""
        return self.by_policy[board.place] * len(self.game.roots()) + self.game.root(self.there(board))

    def turn(self, role: int, *state: Any) -> Node:
        """As in the game."""
        return self.game.turn(*state)

    def transition(self, board: Columns, result: Any) -> Transition:
        """As in the game; the roles change with the mover."""
        transition_of = self.game.transition(self.there(board), result)
        if transition_of.next is None:
            return transition_of
        role = self.role(board)
        role = np.where(np.asarray(transition_of.mover, dtype=bool), FREE + BY_POLICY - role, role)
        place = self.place_of(role, self.space.index(transition_of.next, len(board)))
        over = np.asarray(transition_of.over) | np.asarray(transition_of.won) | np.asarray(transition_of.drawn)
        legal = np.asarray(transition_of.legal) & (over | (place >= 0))
        return replace(transition_of, next={"place": place}, legal=legal)

    def level(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.level(self.there(board))

    def order(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.order(self.there(board))
