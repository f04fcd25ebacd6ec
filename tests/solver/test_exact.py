"""Exact values: by hand, and against what the quick solver certifies."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
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
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import Bounded, Chance, Decision, End, Node, Transition, TurnGame
from rollwise.solver.model.jsonable import fraction_of, fraction_text
from rollwise.solver.model.rounding import float_interval
from rollwise.solver.turn.graph import compile_turn
from tests.solver.plain import toy

HALF = Fraction(1, 2)


def turn_game(name: str, **parameters: Any) -> TurnGame:
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


def test_pig_to_three_is_won_by_the_first_player_in_36_of_43_games() -> None:
    """All nodes of the turn are priced exactly."""
    pig = turn_game("pig", target=3)
    graph = compile_turn(pig)
    values = solve_exact(pig, graph)
    nodes = values.nodes(0)
    assert nodes[graph.roots[0]] == values[0] == Fraction(36, 43)
    after_two = graph.node_of((2,))
    assert after_two is not None
    assert nodes[after_two] == Fraction(5, 6) + Fraction(1, 6) * (1 - values[0])  # rolls on: a 1 hands over at 0-0


@pytest.mark.thorough
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
    ends = (
        f"{above[:12]}...{above[-12:]} ({len(above):,} digits) / {below[:12]}...{below[-12:]} ({len(below):,} digits)"
    )
    assert min(len(above), len(below)) > 640
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


# --- cuts, and what cannot be -----------------------------------------------------------------------------------------


def coin(heads: Node, tails: Node) -> Chance:
    return Chance([(1, heads), (1, tails)])


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
