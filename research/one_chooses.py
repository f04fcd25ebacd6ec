"""What a choice is worth to one seat, in games that a sheet plays as luck; docs/tables.md shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rollwise.solver.kinds.duel import uses
from rollwise.solver.model.game import Boards, Chance, Columns, Decision, Goto, Node, NodeKey, Transition, TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver


@dataclass(frozen=True)
class OneChooses(TurnGame):
    """``game``, a duel or a table, as one seat plays it for the most: all others take the first move of each decision.

    ``place`` on a board is how many seats to the left of the mover that one sits; unless it ``chooses``, it takes the
    first move as well, and what it wins is what it wins by luck.
    """

    name = "one chooses"
    title = "One chooses"
    source = "research/one_chooses.py"
    rules = "Those of the game; the others take the first move."
    kind = "solo"
    measure = "win"
    unit = "probability"
    total = 0

    game: TurnGame
    chooses: bool = True

    def parameters(self) -> dict[str, Any]:
        """Those of the game."""
        return self.game.parameters()

    @property
    def players(self) -> int:
        """How many sit there."""
        return int(self.game.parameters()["players"])

    def boards(self) -> Boards:
        """Those of the game, for each place of the one who chooses."""
        return Boards(place=self.players, **self.game.boards().parts)

    def possible(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.possible(board)

    def level(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.level(board)

    def order(self, board: Columns) -> Any:
        """As in the game."""
        return self.game.order(board)

    def roots(self) -> Sequence[NodeKey]:
        """Those of the game where the one moves, then the same where another does."""
        return [(chooses, *state) for chooses in (True, False) for state in self.game.roots()]

    def root(self, board: Columns) -> Any:
        """Whose turn it is."""
        return self.game.root(board) + len(self.game.roots()) * ((board.place != 0) | (not self.chooses))

    def turn(self, chooses: bool, *state: Any) -> Node:
        """As in the game, with one move where another decides."""
        return self.played(chooses, self.game.turn(*state))

    def played(self, chooses: bool, word: Node) -> Node:
        """A word of the game."""
        if isinstance(word, Goto):
            return Goto(chooses, *word.state)
        if isinstance(word, Chance):
            return Chance((weight, self.played(chooses, after)) for weight, after in word.outcomes)
        if isinstance(word, Decision):
            return Decision((name, self.played(chooses, after)) for name, after in word.moves[: None if chooses else 1])
        return word

    def transition(self, board: Columns, result: Any) -> Transition:
        """As in the game; the end is worth the share of the one."""
        said, count = self.game.transition(board, result), len(board)
        over, left = (np.broadcast_to(np.asarray(column), count) for column in (said.over, said.mover))
        rows = [said.reward, said.per - said.reward] if said.shares is None else said.shares  # a duel's, or a table's
        shares = np.array([np.broadcast_to(np.asarray(row), count) for row in rows])
        following = None if said.next is None else {**said.next, "place": (board.place - left) % self.players}
        mine = np.where(over, np.take_along_axis(shares, board.place[None], axis=0)[0], 0)
        return Transition(over=over, reward=mine, per=said.per, next=following)


def what_each_wins(game: TurnGame, *, chooses: bool) -> list[float]:
    """What each seat wins that alone ``chooses``; or, if it does not either, where nobody does."""
    one = OneChooses(game, chooses)
    values = BoardSolver(one, compile_turn(one), uses=uses(one)).solve().values
    first = game.first_board()
    return [float(values[one.boards().index_of(place=seat, **first)]) for seat in range(one.players)]
