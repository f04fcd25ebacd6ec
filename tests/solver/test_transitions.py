"""A result settled by a table over the fields it looks at leads where ``transition`` says, board by board."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import turn_game
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Boards, Column, Columns, End, Node, Transition, TurnGame, chance_of, derived
from rollwise.solver.turn import transition_reader as settled_module
from rollwise.solver.turn.backups import CompiledBackup
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.kernels import look_up
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import Transitions
from tests.sizes import first_quick

MOST_BOARDS = 3000
SIZES: list[tuple[str, dict[str, Any]]] = [
    ("cameroon", {"boxes": "ones,twos,sixes,big straight,full house"}),
    ("mexico", {"lives": 3}),
    ("mexico", {"lives": 2, "players": 3}),
    ("pig", {"target": 40}),
    ("piggy-six", {"target": 10}),
    ("shut-the-box", {"players": 3}),
    ("sixzee", {}),
    ("sixzee", {"joker": False}),
    ("sixzee", {"bonus_when": "possible", "boxes": "ones,twos,3-2-1,low straight,chance,sixzee"}),
    ("yahtzee", {}),
    ("yahtzee", {"joker": "free"}),
]
TABULATED = {"sixzee", "yahtzee"}  # games whose results look at a few fields each
WHOLLY_TABULATED: list[tuple[str, dict[str, Any]]] = [("sixzee", {}), ("sixzee", {"joker": False})]


turn_of = cache(compile_turn)  # a turn is compiled once for all ways to settle its results


def settled(made: TurnGame, boards: Any, compiled: bool = False) -> tuple[TransitionReader, Transitions]:
    graph = turn_of(made)
    constants = Constants(made.boards().size)
    reader = TransitionReader(made, graph, constants, look_up if compiled else None, kind_of(made).uses(made))
    return reader, reader.transitions(np.flatnonzero(graph.root_leaves.any(axis=0)), boards)


def some_level(made: TurnGame, seed: int) -> Any:
    """Some possible boards, those of one level where there are levels."""
    space = made.boards()
    draw = np.random.default_rng(seed)
    boards = np.unique(draw.integers(space.size, size=min(space.size, 40 * MOST_BOARDS)))
    columns = space.columns(boards)
    boards = boards[np.broadcast_to(made.possible(columns), len(boards))]
    levels = made.level(space.columns(boards))
    if levels is not None:
        boards = boards[levels == draw.choice(levels)]
    return boards[:MOST_BOARDS]


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few boards there are, results are settled by tables."""
    monkeypatch.setattr(settled_module, "MIN_BOARDS_LOOKED_UP", 1)
    monkeypatch.setattr(settled_module, "MIN_BOARDS_PER_ENTRY", 1)


@pytest.mark.parametrize("size", first_quick(SIZES, lambda size: size[0]), ids=str)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_look_ups_say_what_settle_says(
    monkeypatch: pytest.MonkeyPatch, size: tuple[str, dict[str, Any]], seed: int
) -> None:
    name, parameters = size
    made = turn_game(name, **parameters)
    boards = some_level(made, seed)
    monkeypatch.setattr(settled_module, "MIN_BOARDS_LOOKED_UP", 10**9)
    plain, wanted = settled(made, boards)
    monkeypatch.setattr(settled_module, "MIN_BOARDS_LOOKED_UP", 1)
    monkeypatch.setattr(settled_module, "MIN_BOARDS_PER_ENTRY", 1)
    assert not plain._look_ups
    for compiled in (False, True):
        tabled, found = settled(made, boards, compiled)
        assert bool(tabled._look_ups) == (name in TABULATED)
        if size in WHOLLY_TABULATED:  # then the compiled way takes all results at once
            assert any(tabled._joined.values()) == compiled
        assert (renamed(tabled, found.codes, plain) == wanted.codes).all()
        assert (as_numbers(found.rewards, found.codes) == as_numbers(wanted.rewards, wanted.codes)).all()
        assert tabled.largest >= plain.largest


def renamed(reader: TransitionReader, codes: Any, other: TransitionReader) -> Any:
    """Codes with the worths of finished games, which may stand in any order, where the other reader has them."""
    place = np.zeros(len(reader.constants.place), dtype=np.int64)
    for worth, number in reader.constants.place.items():
        place[number] = other.constants.place.get(worth, -1)
    size = reader.constants.n_boards
    over = codes // 2 >= size
    return np.where(over, 2 * (size + place[np.where(over, codes // 2 - size, 0)]), codes)


def as_numbers(rewards: Any, codes: Any) -> Any:
    return rewards if len(rewards) else np.zeros(codes.shape)


def test_a_program_refuses_what_belongs_to_another_turn() -> None:
    other, made = turn_game("pig", target=20), turn_game("yahtzee", boxes="ones,chance")
    _, moves = settled(other, np.arange(3))
    graph = compile_turn(made)
    backup = CompiledBackup(graph, int(graph.roots[0]), "max")
    values, boards = np.zeros(10_000), np.arange(3)
    with pytest.raises(ModelError, match=r"\d+ ends for a turn of \d+"):
        backup.values(moves, values, values, 0.0, boards, values, slice(0, 3))
    with pytest.raises(ModelError, match=r"\d+ ends for a turn of \d+"):
        backup.stays(moves, values, boards, values)


@dataclass(frozen=True)
class Counter(TurnGame):
    """One die: a counter goes up by what it shows; a side counter is not looked at but by a six."""

    name = "counter"
    title = "Counter"
    source = "test"
    rules = ""
    kind = "solo"
    measure = "points"
    unit = "points"
    cyclic = False

    leads_off: bool = False

    def boards(self) -> Boards:
        return Boards(high=40, side=60, far=3)

    def possible(self, board: Columns) -> Any:
        return board.high < 34

    @derived
    def tens(self, board: Columns) -> Column:
        return board.high // 10

    def level(self, board: Columns) -> Any:
        return board.high

    def turn(self) -> Node:
        return chance_of(((face, 1) for face in range(1, 7)), End)

    def transition(self, board: Columns, face: int) -> Transition:
        limit = 36 if self.leads_off else 34
        if face == 6:
            return Transition(reward=board.side, over=board.far == 2, next=board.but(side=0, high=board.high * 0 + 33))
        over = board.high + face >= limit
        return Transition(next=board.but(high=board.high + face), over=over, reward=face * (self.tens(board) + 1))


@pytest.mark.usefixtures("tables")
def test_a_table_belongs_to_boards_with_the_same_derived_number() -> None:
    made = Counter()
    space, graph = made.boards(), compile_turn(made)
    reader = TransitionReader(made, graph, Constants(space.size))
    leaves = np.arange(graph.n_leaves)
    high = space.columns(np.arange(space.size)).high
    for number in (12, 25, 3, 12):
        rewards = reader.transitions(leaves, np.flatnonzero(high == number)).rewards
        one = graph.results.index(1)
        assert set(rewards[[leaf.result for leaf in graph.leaves].index(one)].tolist()) == {number // 10 + 1}
    mixed = reader.transitions(leaves, np.arange(0, 33 * 180, 7)).rewards[0]
    assert len(set(mixed.tolist())) == 4  # they differ in it: settled board by board


@pytest.mark.usefixtures("tables")
def test_a_result_that_leads_off_the_boards_is_told_from_a_table_too() -> None:

    class Off(Counter):
        def transition(self, board: Columns, face: int) -> Transition:
            return Transition(next=board.but(high=board.high + 2 * face))

    made = Off()
    space = made.boards()
    high = space.columns(np.arange(space.size)).high
    settled(made, np.flatnonzero(high == 12))
    with pytest.raises(ModelError, match=r"of \{'high': 33, .*\} leads off the boards"):
        settled(made, np.flatnonzero(high == 33))


@pytest.mark.parametrize("wrong", ["leads nowhere", "leads off the boards"])
def test_a_mistake_on_a_single_board_names_the_result(wrong: str) -> None:
    class Off(Counter):
        def transition(self, board: Columns, face: int) -> Transition:
            ahead = board.but(high=board.high + 2 * face)
            return Transition(next=None if face == 4 and wrong == "leads nowhere" else ahead)

    made = Off()
    board = np.flatnonzero(made.boards().columns(np.arange(made.boards().size)).high == (12 if "no" in wrong else 33))
    with pytest.raises(ModelError, match=rf"result [1-6] of \{{'high': .*\}} {wrong}"):
        settled(made, board[:1])


def test_what_results_add_in_different_parts_is_the_same_on_a_single_board() -> None:
    class Parts(Counter):
        def transition(self, board: Columns, face: int) -> Transition:
            if face % 2:
                return Transition(next=board.but(high=board.high), reward=face, per=face + 1)
            return Transition(over=True, reward=board.high + face, per=3)

    made = Parts()
    boards = np.flatnonzero(made.boards().columns(np.arange(made.boards().size)).high == 7)
    _, alone = settled(made, boards[:1])
    many, wanted = settled(made, boards[:2])
    assert (alone.rewards[:, 0] == wanted.rewards[:, 0]).all()
    assert sorted(alone.rewards[alone.rewards > 0]) == [1 / 2, 3 / 4, 5 / 6]
    assert len(many.constants.place) == 4  # three worths, and illegal
