"""What a choice is worth in games that a sheet plays as luck: python scripts/free_choices.py

Finish with free placing, Martinetti with free crossing, a SET of Six By 6 with free posting: shares by seat where
nobody chooses, where everybody does, and what each seat has that alone chooses while the others do as in the game of
luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import rollwise
from rollwise.door import the_game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.model import Boards, Chance, Choice, Columns, Go, Settled, State, TurnGame, Word
from rollwise.solver.kinds.duel import uses
from rollwise.solver.turn.graph import compile_turn

GAMES: list[tuple[str, str, int]] = [
    ("finish", "placing", 2),
    ("finish", "placing", 3),
    ("martinetti", "crossing", 2),
    ("martinetti", "crossing", 3),
    ("six-by-6", "posting", 2),
    ("six-by-6", "posting", 3),
]


@dataclass(frozen=True)
class OneChooses(TurnGame):
    """``game``, a duel or a table, as one seat plays it for the most: all others take the first move of each decision.

    ``place`` on a board is how many seats to the left of the mover that one sits.
    """

    name = "one chooses"
    title = "One chooses"
    source = "scripts/free_choices.py"
    rules = "Those of the game; the others take the first move."
    kind = "solo"
    measure = "win"
    unit = "probability"
    total = 0

    game: TurnGame

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

    def roots(self) -> Sequence[State]:
        """Those of the game where the one moves, then the same where another does."""
        return [(chooses, *state) for chooses in (True, False) for state in self.game.roots()]

    def root(self, board: Columns) -> Any:
        """Whose turn it is."""
        return self.game.root(board) + len(self.game.roots()) * (board.place != 0)

    def turn(self, chooses: bool, *state: Any) -> Word:
        """As in the game, with one move where another decides."""
        return self.played(chooses, self.game.turn(*state))

    def played(self, chooses: bool, word: Word) -> Word:
        """A word of the game."""
        if isinstance(word, Go):
            return Go(chooses, *word.state)
        if isinstance(word, Chance):
            return Chance((weight, self.played(chooses, after)) for weight, after in word.outcomes)
        if isinstance(word, Choice):
            return Choice((name, self.played(chooses, after)) for name, after in word.moves[: None if chooses else 1])
        return word

    def settle(self, board: Columns, result: Any) -> Settled:
        """As in the game; the end is worth the share of the one."""
        said, count = self.game.settle(board, result), len(board)
        over, left = (np.broadcast_to(np.asarray(column), count) for column in (said.over, said.mover))
        rows = [said.reward, said.per - said.reward] if said.shares is None else said.shares  # a duel's, or a table's
        shares = np.array([np.broadcast_to(np.asarray(row), count) for row in rows])
        following = None if said.next is None else {**said.next, "place": (board.place - left) % self.players}
        mine = np.where(over, np.take_along_axis(shares, board.place[None], axis=0)[0], 0)
        return Settled(over=over, reward=mine, per=said.per, next=following)


def alone(game: TurnGame) -> list[float]:
    """What each seat wins that alone chooses."""
    one = OneChooses(game)
    values = BoardSolver(one, compile_turn(one), uses=uses(one)).solve().values
    first = game.first_board()
    return [float(values[one.boards().index_of(place=seat, **first)]) for seat in range(one.players)]


def shares(name: str, choice: str, players: int) -> dict[str, list[float]]:
    """Shares by seat, by who chooses: ``nobody``, ``all``, ``alone``."""
    chosen = {"players": players, choice: "free"}
    made = the_game(name, chosen)
    free = rollwise.solve(name, chosen)
    everybody = free.shares or [free.value or 0.0, 1 - (free.value or 0.0)]
    luck = OneChooses(made)  # a table at which nobody may choose, seen from each seat
    nobody = [float(number) for number in nobody_chooses(luck)]
    return {"nobody": nobody, "all": everybody, "alone": alone(made)}


def nobody_chooses(one: OneChooses) -> list[float]:
    """What each seat wins where all take the first move."""

    class Nobody(OneChooses):
        def roots(self) -> Sequence[State]:
            return [(False, *state) for state in self.game.roots()]

        def root(self, board: Columns) -> Any:
            return self.game.root(board)

    luck = Nobody(one.game)
    values = BoardSolver(luck, compile_turn(luck), uses=uses(luck)).solve().values
    first = one.game.first_board()
    return [float(values[luck.boards().index_of(place=seat, **first)]) for seat in range(one.players)]


def main() -> None:
    """A table in Markdown."""
    print("| game | players | seat | nobody chooses | all choose | alone chooses | alone gains |")
    print("|---|---|---|---|---|---|---|")
    for name, choice, players in GAMES:
        found = shares(name, choice, players)
        for seat in range(players):
            nobody, everybody, one = (found[who][seat] for who in ("nobody", "all", "alone"))
            print(
                f"| {name} {choice}=free | {players} | {seat} | {nobody:.4%} | {everybody:.4%} | {one:.4%} | "
                f"{100 * (one - nobody):+.4f} pp |",
                flush=True,
            )


if __name__ == "__main__":
    main()
