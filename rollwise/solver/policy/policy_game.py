"""A rule of thumb against the best reply: the same game on the boards that play comes to, each once for each role.

``RuleGame`` is a turn game like any other, so it is solved by the same solver: each place says whether the player who
moves is free or follows the rule. How the turns of the second kind are played is not said here but by the backup of
their roots (``solver.values.policy_evaluation``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Boards, Columns, Node, NodeKey, Transition, TurnGame

FREE, BY_RULE = 0, 1
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RuleGame(TurnGame):
    """``game`` on the ``places`` that are come to: place ``i`` is role ``i // size`` on board ``i % size`` of the game.

    ``places`` ascend; on those that are ``ruled`` the turn is played by the rule (where it cannot be asked, whoever
    follows it is free too). The roots are the game's for a free turn, then the same for one that is played by the rule.
    Ends that would lead to no place are illegal: nobody who can come there plays so.
    """

    name = "contest"
    title = "A rule of thumb against the best reply"
    source = "rollwise.solver.policy.policy_game"
    rules = "Those of the game itself; one player follows a rule."

    game: TurnGame
    places: Ints
    ruled: NDArray[np.bool_]

    def __post_init__(self) -> None:
        for word in ("kind", "measure", "unit", "sense", "total", "cyclic", "endless"):
            object.__setattr__(self, word, getattr(self.game, word))

    @cached_property
    def space(self) -> Boards:
        """The boards of the game."""
        return self.game.boards()

    def parameters(self) -> dict[str, Any]:
        """Those of the game."""
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def boards(self) -> Boards:
        """The places by number."""
        return Boards(place=len(self.places))

    def place_of(self, role: Any, boards: Any) -> Any:
        """The number of the place, -1 where there is none."""
        wanted = np.where(boards < 0, -1, role * self.space.size + boards)
        found = np.minimum(np.searchsorted(self.places, wanted), len(self.places) - 1)
        return np.where(self.places[found] == wanted, found, -1)

    def role(self, board: Columns) -> Any:
        """Who moves: FREE or BY_RULE."""
        return board.derive("role", lambda columns: self.places[columns.place] // self.space.size)

    def there(self, board: Columns) -> Columns:
        """The boards of the game."""
        found: Columns = board.derive(
            "there", lambda columns: self.space.columns(self.places[columns.place] % self.space.size)
        )
        return found

    def roots(self) -> list[NodeKey]:
        """The game's, for a free turn and for one that is played by the rule."""
        return [(role, *root) for role in (FREE, BY_RULE) for root in self.game.roots()]

    def root(self, board: Columns) -> Any:
        """By whether the turn is free."""
        return self.ruled[board.place] * len(self.game.roots()) + self.game.root(self.there(board))

    def turn(self, role: int, *state: Any) -> Node:
        """The game's words."""
        return self.game.turn(*state)

    def transition(self, board: Columns, result: Any) -> Transition:
        """As in the game; the roles change with the mover."""
        said = self.game.transition(self.there(board), result)
        if said.next is None:
            return said
        role = self.role(board)
        role = np.where(np.asarray(said.mover, dtype=bool), FREE + BY_RULE - role, role)
        place = self.place_of(role, self.space.index(said.next, len(board)))
        over = np.asarray(said.over) | np.asarray(said.won) | np.asarray(said.drawn)
        legal = np.asarray(said.legal) & (over | (place >= 0))
        return replace(said, next={"place": place}, legal=legal)

    def level(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.level(self.there(board))

    def order(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.order(self.there(board))
