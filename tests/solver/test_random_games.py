"""Certified intervals contain the exact values: on random games, and on small games made to be hard to certify."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

from rollwise.games.claims.replay import turn_game
from rollwise.solver.exact.optimal import ExactValues, solve_exact
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.model.game import (
    Boards,
    Bounded,
    Chance,
    Columns,
    Decision,
    End,
    Goto,
    Node,
    NodeKey,
    Transition,
    TurnGame,
)
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver, BoardValues
from tests.solver.plain import Turns, toy

SEEDS = range(60)
NARROW = Fraction(1, 10**12)
KINDS: list[dict[str, Any]] = [
    {"kind": "duel", "measure": "win", "total": 1, "sense": "max"},
    {"kind": "duel", "measure": "score", "total": 0, "sense": "max"},
    {"kind": "duel", "measure": "score", "total": 0, "sense": "min"},
    {"kind": "solo", "measure": "score", "total": 0, "sense": "max"},
    {"kind": "solo", "measure": "score", "total": 0, "sense": "min"},
    {"kind": "alone", "measure": "score", "total": 0, "sense": "max"},
]


class Row(NamedTuple):
    """What a result does to a board."""

    legal: bool = True
    over: bool = False
    won: bool = False
    drawn: bool = False
    following: int = 0
    other: bool = False
    reward: int = 0


@dataclass(frozen=True)
class RandomGame(TurnGame):
    """Result 0 ends the game on every board, and every turn may come to it, so that no game goes on for ever."""

    name = title = source = rules = "random"
    unit = "points"

    seed: int = 0
    cut: bool = False  # values past a cut are known to within NARROW, else exactly

    def dice(self, what: str) -> random.Random:
        return random.Random(f"{self.seed} {what}")

    @cached_property
    def shape(self) -> Any:
        """How large it is, and how likely what is in it."""
        choose = self.dice("shape").choice
        return SimpleNamespace(
            stages=choose([1, 1, 2, 3]) if self.cyclic else choose([3, 6]),  # later ones never lead to earlier ones
            width=choose([1, 2, 5, 14, 14, 20]),  # boards of a stage
            depth=choose([1, 2, 3, 4]),
            breadth=choose([1, 2, 4]),  # states of each depth of the turn
            results=choose([3, 4, 6, 9]),
            scale=1 if self.total else choose([1, 1, 3, 1000]),
            per=1 if self.total else choose([1, 2, 3, 7]),
            over=choose([0.05, 0.2, 0.5]),
            illegal=choose([0.0, 0.3, 0.6]),
            other=choose([0.0, 0.5, 1.0]) if self.kind == "duel" else 0.0,
            rewarded=not self.total and choose([False, True]),
            loop=choose([1, 3, 20, 300, 2000]),  # about so many turns for each that ends the game at once
            with_levels=not self.cyclic or choose([True, False]),
        )

    @cached_property
    def always_legal(self) -> int:
        return int(self.shape.results // 2 + 1)

    # --- boards --------------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        return Boards(stage=self.shape.stages, place=self.shape.width)

    def level(self, board: Columns) -> Any:
        return board.stage if self.shape.with_levels else None

    def order(self, board: Columns) -> Any:
        return board.place % 3

    def root(self, board: Columns) -> Any:
        return (board.stage + board.place) % self.shape.breadth

    def transition(self, board: Columns, result: Any) -> Transition:
        rows = [self.rows[int(number), result] for number in board.stage * self.shape.width + board.place]
        columns = {name: np.array([getattr(row, name) for row in rows]) for name in Row._fields}
        stage, place = np.divmod(columns.pop("following"), self.shape.width)
        mover = columns.pop("other")
        return Transition(next={"stage": stage, "place": place}, mover=mover, per=self.shape.per, **columns)

    @cached_property
    def rows(self) -> dict[tuple[int, int], Row]:
        dice = self.dice("rows")
        boards = range(self.shape.stages * self.shape.width)
        return {(board, result): self.row(dice, board, result) for board in boards for result in range(9)}

    def row(self, dice: random.Random, board: int, result: int) -> Row:
        shape = self.shape
        if result >= self.always_legal and dice.random() < shape.illegal:
            return Row(legal=False)
        first = board // shape.width + (0 if self.cyclic else 1)
        if result == 0 or first == shape.stages or dice.random() < shape.over:
            return self.ending(dice)
        stage = dice.choice([first, first, dice.randrange(first, shape.stages)])
        return Row(
            following=stage * shape.width + dice.randrange(shape.width),
            other=dice.random() < shape.other,
            reward=dice.randint(-shape.scale, shape.scale) if shape.rewarded else 0,
        )

    def ending(self, dice: random.Random) -> Row:
        if self.total:
            return dice.choice([Row(won=True), Row(drawn=True), Row(over=True), Row(over=True)])
        return Row(over=True, reward=dice.randint(-self.shape.scale, self.shape.scale))

    # --- the turn ------------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        return [(0, place) for place in range(self.shape.breadth)]

    def turn(self, depth: int, place: int) -> Node:
        dice = self.dice(f"turn {depth} {place}")
        if depth and self.kind != "alone" and dice.random() < 0.5:
            return self.choice(dice, depth)
        weights = [dice.choice([1, 1, 2, 5, 36]) for _ in range(dice.randint(1, 6))]
        if depth:
            return Chance((weight, self.ahead(dice, depth)) for weight in weights)
        return Chance([*((weight * self.shape.loop, self.ahead(dice, 0)) for weight in weights), (1, End(0))])

    def choice(self, dice: random.Random, depth: int) -> Decision:
        further = [(f"move {number}", self.attempt(dice, depth)) for number in range(dice.randint(0, 3))]
        moves: list[tuple[str | None, Node]] = [("move", self.ahead(dice, depth)), *further]
        dice.shuffle(moves)
        if len(moves) > 1 and dice.random() < 0.3:
            return Decision([moves[0], (None, Decision(moves[1:]))])
        return Decision(moves)

    def ahead(self, dice: random.Random, depth: int) -> Node:
        """A word that no board makes illegal."""
        if depth < self.shape.depth and dice.random() < 0.6:
            return Goto(depth + 1, dice.randrange(self.shape.breadth))
        if dice.random() < 0.02:
            known = Fraction(dice.randint(0, 4), 4)
            return Bounded(known - NARROW, known + NARROW) if self.cut else Bounded(known, known)
        return End(dice.randrange(self.always_legal), dice.randint(0, 2) if self.shape.rewarded else 0)

    def attempt(self, dice: random.Random, depth: int) -> Node:
        """A word that may be illegal: a result, or a throw of which one outcome is."""
        number = dice.choice([0, 1, 1, 2, 3])
        results = [End(dice.randrange(self.shape.results)) for _ in range(number)]
        if number < 2:
            return results[0] if results else self.ahead(dice, depth)
        return Chance((dice.randint(1, 5), result) for result in results)


@cache
def random_game(seed: int, cut: bool = False) -> RandomGame:
    said = {**KINDS[seed % len(KINDS)], "cyclic": seed % 5 > 0, "__doc__": ""}
    return cast(RandomGame, type("SomeRandomGame", (RandomGame,), said)(seed, cut))


@cache
def exact_values(game: TurnGame) -> ExactValues:
    return solve_exact(game, compile_turn(game))


@cache
def certified(game: TurnGame, compiled: bool) -> BoardValues | None:
    """None where the solver says that it cannot."""
    try:
        return BoardSolver(game, compile_turn(game), compiled=compiled).solve()
    except NotConverged:
        return None


def misses(found: BoardValues, exact: ExactValues) -> list[int]:
    """Boards whose exact value lies outside the certified interval; compared as fractions."""
    return [
        board
        for board, value in exact.values.items()
        if abs(value - Fraction(float(found.values[board]))) > Fraction(float(found.radius[board]))
    ]


def assert_certified(game: TurnGame, method: str) -> None:
    for compiled in (False, True):
        found = certified(game, compiled)
        assert found is not None
        assert method in found.method
        assert misses(found, exact_values(game)) == []


# --- random games ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "compiled"), [*((seed, False) for seed in SEEDS), *((seed, True) for seed in SEEDS[::3])]
)
def test_the_certified_interval_contains_the_exact_value(seed: int, compiled: bool) -> None:
    found = certified(random_game(seed, cut=True), compiled)
    if found is not None:  # how often that may be is the next test's claim
        exact = exact_values(random_game(seed))
        assert len(exact.values) == found.n_boards
        assert misses(found, exact) == []


def test_the_random_games_need_every_method_and_hardly_any_is_refused() -> None:
    solved = [certified(random_game(seed, cut=True), False) for seed in SEEDS]
    methods = [found.method for found in solved if found is not None]
    assert len(methods) >= len(SEEDS) - len(SEEDS) // 20
    for method in ("one backup a board", "Newton on small components", "sweeps of a large component, certified"):
        assert sum(method in used for used in methods) >= 10


@pytest.mark.parametrize("seed", SEEDS[1:40:4])
def test_an_exact_value_is_what_a_turn_comes_to_word_by_word(seed: int) -> None:
    game = random_game(seed)
    exact, space = exact_values(game).values, game.boards()
    turns = Turns(game, exact)
    assert {board: turns.value(tuple(space.board(board).values())) for board in exact} == exact
    assert len(exact) == space.size


# --- a tie in floats that is none ------------------------------------------------------------------------------------


def trap(loop: int, win: int = 1, lose: int = 2, sure: int = 0) -> TurnGame:
    """A board without a cycle: a sure thing, or a long loop that is worth the same but for the last digits.

    The sure thing is worth so many times ``2 ** -52``.
    """
    words: list[Node] = [
        Decision([("sure", End("sure")), ("loop", End("loop"))]),
        Chance([(loop, End("loop")), (win, End("win")), (lose, End("lose"))]),
    ]

    def transition(board: Columns, result: Any) -> Transition:
        if result == "loop":
            return Transition(next={"place": np.ones_like(board.place)})
        return Transition(over=True, reward={"sure": sure, "win": 2**52, "lose": 0}[result], per=2**52)

    by_place = {"roots": lambda game: [(0,), (1,)], "root": lambda game, board: board.place}
    return toy(words.__getitem__, transition, 2, level=lambda game, board: board.place, **by_place)


def sprung(loop: int, win: int, lose: int) -> TurnGame:
    """The sure thing is worth what the floats say of the loop, so they cannot tell which move is better."""
    found = certified(trap(loop, win, lose), False)
    assert found is not None
    return trap(loop, win, lose, int(np.ceil(found.values[1] * 2.0**52)))


@pytest.mark.parametrize("loop", [10**3, 10**4, 10**5])
@pytest.mark.parametrize(("win", "lose"), [(1, 2), (1, 6), (2, 5), (3, 7), (5, 6), (3, 10)])
def test_a_board_that_ties_with_a_long_loop_is_as_uncertain_as_the_loop(loop: int, win: int, lose: int) -> None:
    assert_certified(sprung(loop, win, lose), "one backup a board")


@pytest.mark.parametrize("loop", [10**6, 10**7])
def test_a_loop_too_long_to_be_certified_is_refused(loop: int) -> None:
    assert certified(trap(loop), False) is None


# --- exact ties whose other move leads a longer way round ------------------------------------------------------------


@dataclass(frozen=True)
class Ring(TurnGame):
    """Board 0 leads on to board 1 for a short while; all others keep the dice long, the last leads back to board 0.

    Every end of the game is worth the same, so that all moves tie, and Newton and sweeps alike take the first.
    """

    name, measure, unit = "ring", "score", "points"

    around: int = 2
    worth: int = 1  # of every end, in halves; 0 is where sweeps start, so that they end with an exact tie

    def boards(self) -> Boards:
        return Boards(place=self.around)

    def roots(self) -> list[NodeKey]:
        return [("short",), ("long",)]

    def root(self, board: Columns) -> Any:
        return np.minimum(board.place, 1)

    def turn(self, kind: str) -> Node:
        if kind == "long":
            return Chance([(1022, End("again")), (1, End("on")), (1, End("over"))])
        return self.short()

    def short(self) -> Node:
        raise NotImplementedError

    def transition(self, board: Columns, result: Any) -> Transition:
        if result == "over":
            return Transition(over=True, reward=self.worth, per=2)
        steps = 0 if result == "again" else 1
        return Transition(next={"place": (board.place + steps) % self.around}, mover=result == "on, the other")


class Fork(Ring):
    """Board 0 may end the game or go round."""

    kind, total = "solo", 0

    def short(self) -> Node:
        return Chance([(1, End("over")), (1, Decision([("stop", End("over")), ("go", End("on"))]))])


class LeastFork(Fork):
    """The same where the mover wants little."""

    sense = "min"


class Handover(Ring):
    """Board 0 leads to board 1 with either player to move: seen from it, gains and losses there nearly cancel out."""

    kind, total = "duel", 1

    def short(self) -> Node:
        return Chance([(512, End("on")), (511, End("on, the other")), (1, End("over"))])


@pytest.mark.parametrize(("make", "worth"), [(Fork, 0), (Fork, 1), (LeastFork, 0), (LeastFork, 1), (Handover, 1)])
@pytest.mark.parametrize(
    ("around", "method"),
    [(2, "Newton on small components"), (8, "Newton on small components"), (12, "sweeps of a large component")],
)
def test_a_longer_way_round_that_ties_is_certified(make: type[Ring], worth: int, around: int, method: str) -> None:
    assert_certified(make(around, worth), method)


class Downward(Ring):
    """Board 0 leads to board 1 of its own level, which is solved before, to a later level, and to itself."""

    kind, cyclic = "solo", True

    def level(self, board: Columns) -> Any:
        return board.place // 2

    def roots(self) -> list[NodeKey]:
        return [("down",), ("alone",), ("last",)]

    def root(self, board: Columns) -> Any:
        return board.place

    def turn(self, kind: str) -> Node:
        ends = {"down": ("on", "again", "two on"), "alone": ("again", "over"), "last": ("half",)}[kind]
        return Chance([(1, End(end)) for end in ends])

    def transition(self, board: Columns, result: Any) -> Transition:
        if result in ("over", "half"):
            return Transition(over=True, reward=1 + (result == "over"), per=2)
        return Transition(next={"place": (board.place + ("again", "on", "two on").index(result)) % self.around})


def test_a_first_guess_leaves_solved_boards_of_the_same_level_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.values.component.MIN_EDGES_PER_END", 0)
    assert_certified(Downward(around=3), "Newton on small components")


@pytest.mark.parametrize("compiled", [False, True])
def test_workers_in_step_find_what_one_finds(compiled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Components that all workers sweep together: both are certified, so their intervals meet."""
    monkeypatch.setattr("rollwise.solver.values.board_solver.MAX_NEWTON_BOARDS", 0)
    made = turn_game("421", players=2, chips=1, pot=1)  # seven kinds of turns, which are swept one after the other
    found = []
    for workers in (1, 2):
        solver = BoardSolver(made, compile_turn(made), compiled=compiled)
        solver.workers = workers
        found.append(solver.solve())
    one, two = found
    assert "sweeps of a large component, certified" in two.work.methods
    known = np.isfinite(one.values)
    assert (np.abs(one.values - two.values) <= one.radius.astype(float) + two.radius)[known].all()
    assert two.radius[known].max() < 1e-9
