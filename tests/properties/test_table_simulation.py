"""Tables of three and more, played by chance and the stored policy: seats win as often as the solver says.

What is played are the words of ``turn`` and what ``settle`` says, board by board; the solver gives the moves alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import REGISTRY, game
from rollwise.solver.game.model import Chance, Choice, End, Go, Prefer, TurnGame, Word
from rollwise.solver.game.outcome import only
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Opened, Tools
from rollwise.solver.turn.graph import compile_turn

AT_999 = 3.2905  # standard errors to either side
TABLES: list[tuple[str, dict[str, Any]]] = [
    ("421", {"players": 3, "chips": 1, "pot": 2}),
    ("busted", {"players": 3, "fewer": 4}),
    ("finish", {"players": 3, "placing": "free", "chips": 2}),
    ("mexico", {"players": 3, "lives": 1}),
    ("mexico", {"players": 4, "lives": 1, "opener": "rotating"}),
    ("piggy-six", {"players": 3, "target": 10}),
    ("shut-the-box", {"players": 3, "boxes": 4}),
    ("six-by-6", {"players": 3, "posting": "free", "limit": 1}),
    ("martinetti", {"players": 3, "crossing": "free"}),
]
GAMES = {"martinetti": 400}
USUAL = 3000


def at_table(name: str) -> bool:
    """Is the game played at a table for some number of players?"""
    return name in {"421", "busted", "finish", "martinetti", "mexico", "piggy-six", "shut-the-box", "six-by-6"}


def test_every_table_is_played() -> None:
    assert {name for name, _ in TABLES} == {name for name in REGISTRY if at_table(name)}
    assert {kind_of(game(name, parameters)) for name, parameters in TABLES} == {kind_of(game(*TABLES[0]))}


@dataclass
class Player:
    """Plays one turn after the other."""

    game: TurnGame
    opened: Opened
    draw: Random

    def __post_init__(self) -> None:
        self.seats = int(self.game.parameters()["players"])
        self.space = self.game.boards()
        self.turns: dict[int, Any] = {}

    def shares(self) -> list[float]:
        """One game from the start: what each seat gets."""
        board, mover = self.space.index_of(**self.game.first_board()), 0
        while True:
            columns = self.space.columns(np.array([board]))
            root = self.game.roots()[int(only(self.game.root(columns)))]
            said = self.game.settle(columns, self.end(board, columns, Go(*root)))
            assert only(said.legal)
            if only(said.over):
                by_place = [float(only(row)) / said.per for row in said.shares]
                return [by_place[(seat - mover) % self.seats] for seat in range(self.seats)]
            assert said.next is not None
            board = int(self.space.index(said.next, 1)[0])
            mover = (mover + int(only(said.mover))) % self.seats

    def end(self, board: int, columns: Any, word: Word) -> Any:
        """The result that a turn comes to."""
        while not isinstance(word, End):
            if isinstance(word, Go):
                word = self.game.turn(*word.state)
            elif isinstance(word, Chance):
                weights = [weight for weight, _ in word.outcomes]
                word = self.draw.choices([after for _, after in word.outcomes], weights)[0]
            elif isinstance(word, Prefer):
                word = next(after for after in word.words if self.allowed(columns, after))
            else:
                assert isinstance(word, Choice)
                word = self.chosen(board, word)
        return word.result

    def allowed(self, columns: Any, word: Word) -> bool:
        return not isinstance(word, End) or bool(only(self.game.settle(columns, word.result).legal))

    def chosen(self, board: int, word: Choice) -> Word:
        """The first of the best moves, by the stored shares."""
        if board not in self.turns:
            self.turns[board] = self.opened.turn_on(self.space.board(board))
        turn = self.turns[board]
        worth = [turn.worth(after)[0] for _, after in word.moves]
        best = max(worth)
        return next(after for (_, after), own in zip(word.moves, worth, strict=True) if own >= best - turn.tie)


@pytest.mark.parametrize(("name", "parameters"), TABLES, ids=str)
def test_seats_win_as_often_as_the_solver_says(name: str, parameters: dict[str, Any]) -> None:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    graph = compile_turn(made)
    solved = kind_of(made).solve(made, graph, Tools(workers=1))
    opened = kind_of(made).restore(made, graph, InMemory(solved.arrays), solved.facts)
    player = Player(made, opened, Random(1))
    played = np.array([player.shares() for _ in range(GAMES.get(name, USUAL))])
    start = solved.arrays["values"][made.boards().index_of(**made.first_board())]
    error = played.std(axis=0, ddof=1) / np.sqrt(len(played))
    assert (np.abs(played.mean(axis=0) - start) <= AT_999 * error).all()
    assert played.sum(axis=1) == pytest.approx(1)
