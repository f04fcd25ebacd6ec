"""A rule of thumb against the best reply: the same game, in which one player follows a policy instead of choosing.

``Contest`` is a turn game like any other, so it is solved by the same solver: each board says whether the player who
moves is free or follows the rule, and the turns of the second kind have preferences where the first have choices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from rollwise.solver.game.model import (
    Boards,
    Chance,
    Choice,
    Columns,
    Go,
    Prefer,
    Settled,
    State,
    TurnGame,
    Word,
    named_moves,
)

FREE, BY_RULE = 0, 1
Order: TypeAlias = Callable[[int, State, Sequence[str]], Sequence[str]]


@dataclass(frozen=True)
class Contest(TurnGame):
    """``game`` with a field more, ``role``: whether the mover is free or plays by the rule.

    ``order_of_moves(situation, state, names)`` gives the moves of a decision in the order in which the rule would play
    them: the first that is legal is played. ``situation(board)`` is a number from 0 to ``situations - 1`` for each
    board: all that the rule sees of it. With two ``roles`` they change with the mover; with one there is nobody but the
    player with the rule.
    """

    name = "contest"
    title = "A rule of thumb against the best reply"
    source = "rollwise.solver.game.contest"
    rules = "Those of the game itself; one player follows a rule."

    game: TurnGame
    order_of_moves: Order
    situation: Callable[[Columns], Any]
    situations: int = 1
    roles: int = 2

    def __post_init__(self) -> None:
        for word in ("kind", "measure", "unit", "sense", "total", "cyclic", "endless"):
            object.__setattr__(self, word, getattr(self.game, word))

    def parameters(self) -> dict[str, Any]:
        """Those of the game."""
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def boards(self) -> Boards:
        """The game's boards, once for each role that there is."""
        roles = range(FREE, BY_RULE + 1) if self.roles > 1 else range(BY_RULE, BY_RULE + 1)
        return Boards(role=roles, **self.game.boards().parts)

    def first_board(self) -> dict[str, Any]:
        """The game's start, the player with the rule first."""
        return {"role": BY_RULE, **self.game.first_board()}

    def possible(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.possible(board)

    def roots(self) -> list[State]:
        """The game's, for a free mover and for each situation that the rule tells apart."""
        kinds = [(FREE, 0), *((BY_RULE, situation) for situation in range(self.situations))]
        return [(*kind, *root) for kind in kinds for root in self.game.roots()]

    def root(self, board: Columns) -> Any:
        """By role and situation."""
        kind = np.where(board.role == BY_RULE, 1 + np.asarray(self.situation(board)), 0)
        return kind * len(self.game.roots()) + self.game.root(board)

    def turn(self, role: int, situation: int, *state: Any) -> Word:
        """The game's words, with preferences for choices where the rule is followed."""
        return self._seen(role, situation, state, self.game.turn(*state))

    def _seen(self, role: int, situation: int, state: State, word: Word) -> Word:
        def inside(after: Word) -> Word:
            return self._seen(role, situation, state, after)

        if isinstance(word, Go):
            return Go(role, situation, *word.state)
        if isinstance(word, Chance):
            return Chance((weight, inside(after)) for weight, after in word.outcomes)
        if isinstance(word, Choice) and role == FREE:
            return Choice((name, inside(after)) for name, after in word.moves)
        if isinstance(word, Choice):
            moves = named_moves(word, self.game.turn)
            return Prefer(inside(moves[name]) for name in self.order_of_moves(situation, state, list(moves)))
        return word

    def settle(self, board: Columns, result: Any) -> Settled:
        """As in the game; the roles change with the mover."""
        said = self.game.settle(board, result)
        if said.next is None:
            return said
        role = np.where(np.asarray(said.mover, dtype=bool), FREE + BY_RULE - board.role, board.role)
        return replace(said, next={"role": role, **said.next})

    def level(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.level(board)

    def order(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.order(board)
