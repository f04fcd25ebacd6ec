"""Exact values: by hand, and against what the quick solver certifies."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.questions.ask.text import solution_lines
from rollwise.solver.exact import optimal
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.exact.policy_iteration import policy_iteration
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.fraction_text import fraction_of, fraction_text
from rollwise.solver.model.game import Bounded, Chance, Decision, End, Goto, Node, NodeKey, Transition, TurnGame
from rollwise.solver.model.rounding import float_interval
from rollwise.solver.turn.graph import compile_turn
from tests.exact.plain import toy
from tests.reference import explicit
from tests.reference.explicit import solve_states
from tests.reference.flatten import Earn, StateGame, flatten

HALF = Fraction(1, 2)


def turn_game(name: str, **parameters: Any) -> TurnGame:
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


def test_pig_to_three_is_won_by_the_first_player_in_36_of_43_games() -> None:
    """All nodes of the turn are priced exactly."""
    pig = turn_game("pig", target=3)
    graph, flat = compile_turn(pig), flatten(pig)
    values = solve_exact(pig, graph)
    nodes = values.nodes(0)
    assert nodes[graph.roots[0]] == values[0] == solve_states(flat)[flat.first()] == Fraction(36, 43)
    after_two = graph.node_of((2,))
    assert after_two is not None
    assert nodes[after_two] == Fraction(5, 6) + Fraction(1, 6) * (1 - values[0])  # rolls on: a 1 hands over at 0-0


def test_a_long_fraction_is_written_and_read_and_python_keeps_its_limit_of_digits(
    request: pytest.FixtureRequest,
) -> None:
    request.addfinalizer(partial(sys.set_int_max_str_digits, sys.get_int_max_str_digits()))
    sys.set_int_max_str_digits(640)
    solution = rollwise.solve("pig", params={"target": 55}, exact=True)
    assert sys.get_int_max_str_digits() == 640
    assert solution.exact is not None
    exact, (above, below) = fraction_of(solution.exact), solution.exact.split("/")
    assert Fraction(*map(docs_whole(), (above, below))) == exact
    assert fraction_text(exact) == solution.exact
    assert (solution.value, solution.lower, solution.upper) == float_interval(exact)
    ends = f"{above[:12]}...{above[-12:]} (1,054 digits) / {below[:12]}...{below[-12:]} (1,054 digits)"
    shown = " ".join(" ".join(solution_lines(solution, "Pig", exact=True)).split())
    assert ends in shown
    assert " % exact " in shown
    assert "±" not in shown


def docs_whole() -> Callable[[str], int]:
    """The function of docs/names.md that reads whole numbers of any length."""
    page = (Path(__file__).parents[2] / "docs" / "names.md").read_text()
    (code,) = re.findall(r"```python\n(from functools.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"answer": {"exact": "-36/43"}}
    exec(code, names)
    assert names["fraction"] == Fraction(-36, 43)
    whole: Callable[[str], int] = names["whole"]
    return whole


def test_only_boards_that_can_follow_are_solved() -> None:
    pig = turn_game("pig", target=100)
    late = pig.boards().index_of(mine=97, theirs=98)
    values = solve_exact(pig, compile_turn(pig), boards=[late])
    assert late in values.values
    assert len(values.values) <= 6


def test_what_takes_too_much_room_or_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pig = turn_game("pig", target=5)
    graph = compile_turn(pig)
    too_large = pytest.raises(TooLarge, match=r"fractions are too large from here[^\n]*$")
    for boards in (None, [0]):
        monkeypatch.undo()
        count = len(solve_exact(pig, graph, boards=boards).values)
        monkeypatch.setattr(optimal, "MAX_EDGES", count * graph.n_edges)
        assert len(solve_exact(pig, graph, boards=boards).values) == count
        with too_large:
            solve_exact(pig, graph, boards=boards, most_work=100)
        monkeypatch.setattr(optimal, "MAX_EDGES", count * graph.n_edges - 1)
        with too_large:
            solve_exact(pig, graph, boards=boards)


# --- games said state by state -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stated(StateGame):
    """A game given as a table of words; states whose name starts with ``min`` belong to the other player."""

    name = "stated"
    title = "A table of words"
    source = "test"
    rules = ""
    kind = "solo"
    measure = "points"
    unit = "points"

    table: tuple[tuple[str, Node], ...] = ()

    def first(self) -> NodeKey:
        return (self.table[0][0],)

    def node(self, *state: Any) -> Node:
        return dict(self.table)[state[0]]

    def minimises(self, *state: Any) -> bool:
        return str(state[0]).startswith("min")


@dataclass(frozen=True)
class Endless(Stated):
    """The same; nobody need bring it to an end."""

    name = "endless"
    endless = True


def values_of(*table: tuple[str, Node], made: type[Stated] = Stated) -> dict[str, Fraction]:
    return {state[0]: value for state, value in solve_states(made(table)).items()}


def value_of(*table: tuple[str, Node]) -> Fraction:
    return values_of(*table)[table[0][0]]


def coin(heads: Node, tails: Node) -> Chance:
    return Chance([(1, heads), (1, tails)])


ROUND: list[tuple[str, Fraction, list[tuple[str, Node]]]] = [
    ("a chance of going round", Fraction(1), [("a", coin(Goto("a"), End(1)))]),
    (
        "a chance of going round by two",
        Fraction(2, 5),
        [("a", Chance([(2, Goto("b")), (1, End(1))])), ("b", Chance([(1, Goto("a")), (3, End(0))]))],
    ),
    ("points on the way count every time", Fraction(3), [("a", coin(Earn(3, "a"), End(0)))]),
    ("waiting for ever", HALF, [("a", Decision([("wait", Goto("a")), ("take", End(HALF))]))]),
    (
        "waiting for ever is no way not to lose",
        Fraction(-1),
        [("a", Decision([("wait", Goto("a")), ("lose", End(-1))]))],
    ),
]


@pytest.mark.parametrize(("value", "table"), [row[1:] for row in ROUND], ids=[name for name, *_ in ROUND])
def test_what_comes_round_is_summed_up_exactly(value: Fraction, table: list[tuple[str, Node]]) -> None:
    assert value_of(*table) == value


def test_a_round_trip_is_left_when_something_better_turns_up() -> None:
    table = (
        ("a", Decision([("round", Goto("b")), ("out", End(Fraction(1, 3)))])),
        ("b", Decision([("round", Goto("a")), ("gamble", coin(End(1), Goto("c")))])),
        ("c", Decision([("back", Goto("a")), ("out", End(0))])),
    )
    assert value_of(*table) == 1  # gamble, and on tails come back to gamble again


FOR_EVER: dict[str, tuple[str, list[tuple[str, Node]]]] = {
    "a cycle that pays for ever": ("played for ever", [("a", Decision([("round", Earn(1, "a")), ("out", End(0))]))]),
    "two players who may both pass": (
        "played for ever",
        [
            ("max", Decision([("pass", Goto("min")), ("end", End(Fraction(3, 10)))])),
            ("min", Decision([("pass", Goto("max")), ("end", End(Fraction(6, 10)))])),
        ],
    ),
    "no end": ("never ends", [("a", coin(Goto("a"), Goto("b"))), ("b", Goto("a"))]),
}


@pytest.mark.parametrize("name", FOR_EVER)
def test_what_goes_on_for_ever_has_no_value(name: str) -> None:
    message, table = FOR_EVER[name]
    with pytest.raises(ModelError, match=message):
        value_of(*table)


def test_two_players_want_opposite_things() -> None:
    high, low = End(Fraction(9, 10)), End(Fraction(1, 10))
    table = (
        ("max", Decision([("safe", End(HALF)), ("pass", Chance([(1, low), (9, Goto("min"))]))])),
        ("min", Decision([("safe", End(Fraction(6, 10))), ("pass", Chance([(1, high), (9, Goto("max"))]))])),
    )
    values = values_of(*table)
    assert values["max"] == HALF  # to pass is worth 1/100 + 9/10 * 27/50 = 62/125 only
    assert values["min"] == Fraction(1, 10) * Fraction(9, 10) + Fraction(9, 10) * HALF


def test_every_equation_of_the_twin_is_looked_at_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(problem: Any, name: str, *, endless: bool) -> Any:
        found = policy_iteration(problem, name, endless=endless)
        problem.backed = {node: value + 1 for node, value in problem.backed.items()}
        return found

    table = (("a", coin(Goto("a"), End(1))),)
    assert value_of(*table) == 1
    monkeypatch.setattr(explicit, "policy_iteration", spoilt)
    with pytest.raises(ArithmeticError, match="does not hold"):
        value_of(*table)


def test_what_is_worth_the_same_as_going_on_for_ever_proves_nothing() -> None:
    """Max only hands over; min may end it with nothing, or hand over too, which is worth as much and never ends."""
    table = ("max", Goto("min")), ("min", Decision([("end", End(0)), ("pass", Goto("max"))]))
    with pytest.raises(ModelError, match="can be played for ever"):
        values_of(*table, made=Endless)
    better = ("max", Goto("min")), ("min", Decision([("end", End(0)), ("pass", coin(Goto("max"), End(1)))]))
    assert values_of(*better, made=Endless)["max"] == 0


def test_a_cut_matters_only_where_the_value_depends_on_it() -> None:
    far = Bounded(0, Fraction(2, 5))
    assert value_of(("a", Decision([("far", far), ("near", End(HALF))]))) == HALF
    with pytest.raises(TooLarge, match="past a cut"):
        value_of(("a", coin(far, End(HALF))))


# --- the same cut in two levels ------------------------------------------------------------------------------------


def test_exact_values_pass_over_a_cut_that_no_best_move_meets() -> None:
    """A sure number of sixths, or a throw of which one side is known only within bounds."""

    def sure(sixths: int) -> TurnGame:
        word = Decision([("sure", End(sixths)), ("throw", coin(Bounded(0, 4), End(0)))])
        return toy(lambda: word, lambda board, result: Transition(over=True, reward=result, per=6))

    far, near = sure(13), sure(3)
    values = solve_exact(far, compile_turn(far))
    assert values[0] == Fraction(13, 6)
    assert None in values.nodes(0)
    with pytest.raises(TooLarge, match="play that is only bounded"):
        solve_exact(near, compile_turn(near))


def test_a_board_without_a_legal_end_has_no_exact_value() -> None:
    stuck = toy(lambda: coin(End(0), End(1)), lambda board, result: Transition(legal=False))
    with pytest.raises(ModelError, match=r"has no legal end of the turn from \{'place': 0\}"):
        solve_exact(stuck, compile_turn(stuck))
