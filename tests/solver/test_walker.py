"""Every game keeps the rules for game files, and the walker sees it when one does not."""

from __future__ import annotations

import gc
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from rollwise.games.registry import game
from rollwise.solver.model.errors import ModelError, NotConverged, TooLarge
from rollwise.solver.model.fields import Field, Number, YesNo
from rollwise.solver.model.game import (
    Boards,
    Chance,
    Columns,
    Decision,
    End,
    FirstLegal,
    Goto,
    Node,
    Position,
    Transition,
    TurnGame,
)
from rollwise.solver.turn.graph import compile_turn, from_plain
from rollwise.solver.values.board_solver import BoardSolver
from tests.reference import walk as walk_module
from tests.reference.walk import walk
from tests.sizes import WALK, Size, cases

# Sizes in which more of the rules can come up than in those of ``tests/sizes.py``.
LARGER: dict[str, list[dict[str, Any]]] = {
    "421": [dict(players=2)],
    "aces-in-the-pot": [dict(players=5)],
    "busted": [dict(players=2)],
    "cops-and-robbers": [dict(distance=4), dict(six="bonus_only", distance=2)],
    "bouncer": [dict()],
    "finish": [dict(players=4, chips=3), dict(players=2, chips=3, placing="free")],
    "killer": [dict(boxes="bull's eye,twos,sixes"), dict(boxes="trebles,doubles,threes,fours", must_score=True)],
    "martinetti": [dict(players=3), dict(crossing="free")],
    "mexico": [dict(lives=3), dict(lives=2, players=3), dict(lives=1, players=4, opener="rotating")],
    "pig": [dict(target=20)],
    "piggy-six": [
        dict(target=10),
        dict(target=8, max_dice=3),
        dict(target=8, max_dice=3, choose="roll"),
        dict(target=9, robots=(4,)),
        dict(players=3, target=6),
        dict(players=3, target=3, max_dice=3, choose="roll"),
    ],
    "shut-the-box": [dict(players=2), dict(players=4)],
    "six-by-6": [dict(), dict(posting="free"), dict(players=4, limit=1, posting="free")],
    "sixzee": [dict(boxes="ones,3-2-1,sixzee,chance")],
    "slam": [dict(players=3)],
    "ten-thousand": [dict(goal=1000), dict(players=1, goal=1000)],
    "thunderstorm": [dict(players=4, house=3)],
}
LARGEST: dict[str, list[dict[str, Any]]] = {
    "421": [dict(chips=1, pot=3)],
    "busted": [dict(fewer=9)],
    "cameroon": [
        dict(boxes="ones,twos,sixes,big straight,full house"),
        dict(boxes="threes,five of a kind,four of a kind", four_of_a_kind=True, must_keep=True),
        dict(boxes="fives,small straight,full house", objective="win"),
    ],
    "sixzee": [
        dict(boxes="fours,fives,sixes,3-2-1,low straight,sixzee", bonus_when="possible"),
        dict(boxes="twos,low straight,high straight,super straight,sixzee", joker=False),
    ],
    "shut-the-box": [dict(objective="clear")],
    "ten-thousand": [dict(players=1, objective="points")],
    "yahtzee": [dict(boxes="ones,twos,chance,yahtzee")],
    "zilch": [dict(goal=500, opening=350), dict(players=1, goal=1500), dict(players=1, goal=500, objective="reach")],
}

# Not all boards that no play comes to are told from others here: where a board stands for higher scores too, or a robot
# moves; and where play would have to be followed back further, or throws in their order. ``within`` may be anything.
UNSAID = ("piggy-six", "finish", "busted(players=3", "cops-and-robbers", "zilch")


def sized(sizes: dict[str, list[dict[str, Any]]], mark: pytest.MarkDecorator) -> list[Any]:
    return [
        pytest.param(name, parameters, id=f"{name} {parameters}", marks=mark)
        for name in sizes
        for parameters in sizes[name]
    ]


@pytest.mark.parametrize(("name", "parameters"), sized(LARGER, pytest.mark.thorough) + sized(LARGEST, pytest.mark.slow))
def test_a_game_keeps_the_rules_for_game_files(name: str, parameters: dict[str, Any]) -> None:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    require_walked(made)


@cases(WALK)
def test_every_small_game_keeps_them(size: Size) -> None:
    require_walked(size.game)


def require_walked(made: TurnGame) -> None:
    try:
        report = walk(made)
    except TooLarge:
        pytest.fail(f"{made} is too large to be walked: choose a smaller one")
    assert 0 < report.n_reachable <= report.n_boards
    assert report.n_unsaid == 0 or str(made).startswith(UNSAID)


@dataclass(frozen=True)
class Toy(TurnGame):
    """Three boards in a row; each mistake is one that a game file could make."""

    name = "toy"
    kind = "solo"
    measure = "score"
    unit = "points"

    mistake: str = "none"

    def boards(self) -> Boards:
        return Boards(step=3)

    def possible(self, board: Columns) -> Any:
        return board.step != 2 if self.mistake == "impossible" else board.step >= 0

    def turn(self, thrown: bool = False) -> Node:
        if self.mistake == "loop":
            return Goto(not thrown)
        if self.mistake == "no move":
            return Decision([])
        if self.mistake == "spelling":
            return Decision([("stop", End(1)), ("keep 06", End(5))])
        if self.mistake == "prefers":
            return FirstLegal([End(1), End(5)])
        weights = {"weights": [1, 4], "nothing": []}.get(self.mistake, [1, 5])
        return Chance((weight, End(weight)) for weight in weights)

    def reachable(self, board: Any) -> bool | None:
        return {"denied": board["step"] != 2, "claimed": True}.get(self.mistake)

    def transition(self, board: Columns, result: int) -> Transition:
        step = board.step + 1 + (self.mistake == "claimed")
        if result == 5:  # a step back, or none, that stays on the boards
            step = {"back": board.step + 1 - 2 * (board.step == 2), "rest": board.step}.get(self.mistake, step)
        legal = board.step != 1 if self.mistake == "stuck" else (result == 1) | (self.mistake != "mixed")
        return Transition(next={"step": step}, over=(step > 2) & (self.mistake != "off"), legal=legal, reward=result)

    def level(self, board: Columns) -> Any:
        return board.step

    def fields(self) -> list[Field]:
        step = Number("step", "the board", 0, 2, of="turn" if self.mistake == "of the turn" else "board")
        return [step, YesNo("shaken", "have the dice been shaken?")]

    def locate(self, step: int = 0, shaken: bool = False) -> Position:
        return Position({"step": step}, ())

    def describe(self, board: Any, state: Any) -> list[dict[str, Any]]:
        return {
            "question": [{}],
            "of the turn": [{**board}],
            "of the board": [{**board, "shaken": shaken} for shaken in (False, True)],
        }.get(self.mistake, [])


class OneWay(Toy):
    """The same three boards; every turn must lead to a higher level."""

    cyclic = False


# a game, what the walker says of it, and the check that sees it ("": the turn cannot even be compiled)
MISTAKES: list[tuple[Toy, str, str]] = [
    (Toy("weights"), "fall in 5 ways, no power of 6", "require_sound_node"),
    (Toy("nothing"), "fall in 0 ways", "require_sound_node"),
    (Toy("spelling"), "the move 'keep 06' of () is read as keep 6", "require_sound_node"),
    (Toy("loop"), "leads back to itself", ""),
    (Toy("no move"), "offers no move", ""),
    (
        Toy("prefers"),
        "toy(mistake=prefers): turn state () is FirstLegal; a node of a solved turn is decided by Chance or",
        "",
    ),
    (Toy("off"), "result 1 of {'step': 2} leads off the boards", "_require_on_board"),
    (Toy("impossible"), "leads to {'step': 2}, which the game says cannot be", "_require_possible"),
    (Toy("back"), "{'step': 2} leads to {'step': 1}, whose level comes no later", "_require_levels"),
    (OneWay("back"), "{'step': 2} leads to {'step': 1}, whose level comes no later", "_require_levels"),
    (OneWay("rest"), "{'step': 0} leads to {'step': 0}, whose level comes no later", "_require_levels"),
    (Toy("stuck"), "{'step': 1} has no legal move", "_require_moves"),
    (Toy("mixed"), "can leave the mover without a move", "_require_moves"),
    (Toy("denied"), "{'step': 2} is reachable: True, and is said to be so: False", "_require_told"),
    (Toy("claimed"), "{'step': 1} is reachable: False, and is said to be so: True", "_require_told"),
    (Toy("question"), "is described as", "_require_questions"),
    (Toy("of the turn"), "toy(mistake=of the turn) has the field step of the turn, but it is", "_require_belonging"),
    (Toy("of the board"), "has the field shaken of the board, but it is false and true", "_require_belonging"),
]
IDS = [f"{type(toy).__name__} {toy.mistake}" for toy, *_ in MISTAKES]


@pytest.mark.parametrize(("toy", "told", "check"), MISTAKES, ids=IDS)
def test_the_walker_names_the_mistake(toy: Toy, told: str, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=re.escape(told)):
        walk(toy)
    if check:  # it is needed: no other sees the mistake
        monkeypatch.setattr(walk_module, check, lambda *of: None)
        said = ""
        try:
            walk(toy)
        except (ModelError, IndexError) as error:
            said = str(error)
        assert told not in said


def test_every_check_of_the_walker_has_a_mistake_that_it_sees() -> None:
    checks = {name for name in vars(walk_module) if name.startswith(("require_", "_require_"))}
    assert checks == {check for *_, check in MISTAKES if check} | {"_require_same_turn"}


# --- throws that cannot be, and results that the cache would give back as something else ------------------------------


class Pair(NamedTuple):
    """Equal to a plain tuple, which has no names."""

    left: int
    right: int


@dataclass(frozen=True)
class Thrown(Toy):
    """The same boards; every turn is one throw, of these weights and results."""

    outcomes: tuple[tuple[Any, Any], ...] = ()

    def turn(self, thrown: bool = False) -> Node:
        return Chance((weight, End(result)) for weight, result in self.outcomes)


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        ((), "has no outcome|fall in 0 ways"),
        (((0, "a"), (6, "b")), "has the weight 0, not a positive integer"),
        (((7, "a"), (-1, "b")), "has the weight -1, not a positive integer"),
        (((0.5, "a"), (0.5, "b")), "has the weight 0.5, not a positive integer"),
        *[(((1, result),), "which cannot be kept") for result in (Pair(1, 2), (0, (Pair(1, 2), 3)), np.int64(3))],
    ],
)
def test_a_throw_that_cannot_be_or_be_kept_is_refused_when_the_turn_is_compiled(outcomes: Any, told: str) -> None:
    for refusing in (compile_turn, walk):
        with pytest.raises(ModelError, match=told):
            refusing(Thrown(outcomes=outcomes))


@dataclass(frozen=True)
class Rewarded(Toy):
    """The same boards; every face of the die earns one of these."""

    rewards: tuple[Any, ...] = ()

    def turn(self, thrown: bool = False) -> Node:
        return Chance((1, End("end", reward)) for reward in self.rewards)


def test_ends_of_one_worth_are_one_leaf_however_it_is_written_and_the_collector_goes_on() -> None:
    graph = compile_turn(Rewarded(rewards=(1, Fraction(1, 2), Fraction(2, 2), 0.5, 1.0, 0)))
    assert [(leaf.lower, leaf.upper) for leaf in graph.leaves] == [(x, x) for x in (1, Fraction(1, 2), 0)]
    assert all(type(leaf.lower) is Fraction for leaf in graph.leaves)
    assert graph.weight.tolist() == [3, 2, 1]
    with pytest.raises(ModelError):
        compile_turn(Toy("no move"))
    assert gc.isenabled()


@pytest.mark.parametrize(
    "toy",
    [
        Toy(),
        OneWay(),
        Toy("rest"),
        *[Thrown(outcomes=((1, result),)) for result in ((1, (2, ("a", None, True))), "text")],
    ],
    ids=str,
)
def test_a_right_game_passes(toy: Toy) -> None:
    report = walk(toy)
    assert (report.n_boards, report.n_reachable) == (3, 3)


@pytest.mark.parametrize(
    "changed", [{"terms": 99}, {"leaves": ()}, {"results": (Pair(1, 2), 5)}, {"roots": np.ones(1)}]
)
def test_a_turn_that_comes_back_as_another_one_is_refused(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk_module, "from_plain", lambda *kept: replace(from_plain(*kept), **changed))
    with pytest.raises(ModelError, match="comes back from the cache as"):
        walk(Toy())


def test_the_solver_refuses_a_board_without_a_legal_result() -> None:
    toy = Toy("stuck")
    with pytest.raises(ModelError, match="no legal result on"):
        BoardSolver(toy, compile_turn(toy), compiled=False).solve()


@pytest.mark.parametrize("compiled", [False, True], ids=["plain", "compiled"])
@pytest.mark.parametrize("toy", [OneWay("back"), OneWay("rest"), Toy("back")], ids=["back", "rest", "back in levels"])
def test_the_solver_refuses_a_turn_that_leads_to_a_board_not_solved_before(toy: Toy, compiled: bool) -> None:
    with pytest.raises(ModelError, match="which comes no later"):
        BoardSolver(toy, compile_turn(toy), compiled=compiled).solve()


def test_bounds_that_are_wider_than_asked_are_not_given() -> None:
    for toy in (Toy(), OneWay()):
        widest = 2 * BoardSolver(toy, compile_turn(toy), compiled=False).solve().radius.max()
        with pytest.raises(NotConverged, match="known to within"):
            BoardSolver(toy, compile_turn(toy), tolerance=float(widest) / 100, compiled=False).solve()


def test_no_board_is_left_without_a_bound() -> None:
    solver = BoardSolver(Toy(), compile_turn(Toy()), compiled=False)
    solver.solve()
    solver.arrays.radius[1] = np.nan
    with pytest.raises(NotConverged):
        solver._result()
