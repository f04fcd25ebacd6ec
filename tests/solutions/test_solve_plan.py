"""What a solve will take is told before it, in Python and at the terminal, and nothing is solved for that."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.bouncer.rules import Bouncer
from rollwise.games.registry import REGISTRY, game, game_class
from rollwise.parsing.validate import parse_game
from rollwise.questions.plan import plan_lines
from rollwise.solutions.lookup import is_solved, load_or_solve
from rollwise.solutions.plans import SolvePlan, _estimate_work
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.cost_model import (
    DUEL_RATES,
    LARGE_SAMPLE_BOARDS,
    MAX_COUNTED_BOARDS,
    PROGRAM_BYTES,
    TABLE_RATES,
    BoardCost,
    _from_root,
    estimate_board_cost,
    estimate_n_boards,
)
from rollwise.solver.kinds.table import unsolved_tables
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn import graph as turn_graph
from rollwise.solver.turn.graph import compile_turn
from tests.sizes import SOLVED, Size, cases

Says = Callable[..., str]
Patch = pytest.MonkeyPatch
ALONE = [name for name in REGISTRY if not kind_of(game_class(name)).is_stored]


def made(name: str, **parameters: Any) -> TurnGame:
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


def further(*cases: Any) -> list[Any]:
    """Cases that say the same of further games and sizes."""
    return [pytest.param(*(case if isinstance(case, tuple) else [case]), marks=pytest.mark.thorough) for case in cases]


def forbid(monkeypatch: Patch, *places: str) -> None:
    for place in places:
        monkeypatch.setattr(f"rollwise.solver.{place}", Mock(side_effect=AssertionError("called")))


def test_a_plan_solves_nothing_and_knows_what_is_solved_and_whole(own_cache: Store) -> None:
    question: dict[str, Any] = {"game": "pig", "params": {"target": 4}}
    pig = parse_game("pig", {"target": 4})
    for harm in (own_cache.clear, "values.npy", "manifest.json"):
        assert (rollwise.plan(**question).solved, is_solved(pig)) == (False, False)
        assert own_cache.keys() == [] or isinstance(harm, str)
        rollwise.solve(**question)
        assert (rollwise.plan(**question).solved, is_solved(pig)) == (True, True)
        assert not rollwise.plan("pig", params={"target": 5}).solved
        if callable(harm):
            harm()
        else:
            file = next(Path(own_cache.root).rglob(harm))
            file.write_bytes(file.read_bytes()[:-8])
    assert not is_solved(pig)


@cases(SOLVED)
def test_a_plan_counts_what_the_solve_then_finds(size: Size) -> None:
    plan = kind_of(size.game).plan(size.game, size.graph)
    solved = load_or_solve(size.game, quiet=True)
    assert plan.boards == solved.facts["boards"]
    assert plan.edges == size.graph.n_edges
    kept = sum(solved.solution.arrays.whole(name).nbytes for name in solved.solution.arrays.names)
    assert plan.disk <= 2 * kept <= 4 * plan.disk or plan.disk == kept == 0
    assert plan.memory >= plan.disk


@pytest.mark.parametrize(
    "name", ["421", "ten-thousand", *further("busted", "cops-and-robbers", "killer", "piggy-six", "sixzee")]
)
def test_a_large_game_is_planned_without_a_solve(name: str, own_cache: Store, monkeypatch: Patch) -> None:
    forbid(monkeypatch, "kinds.duel.Duel.solve", "kinds.table.Table.solve", "kinds.seats.Seats.solve")
    told = rollwise.plan(name)
    assert told.boards > 10_000
    assert told.seconds > 1
    assert told.memory > told.kept
    assert not told.solved


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("ten-thousand", {"goal": 1500}),
        ("zilch", {"players": 1, "objective": "turns", "goal": 2000, "opening": 350}),
        *further(
            ("ten-thousand", {"goal": 2050}),
            ("ten-thousand", {"players": 1, "objective": "points", "goal": 500}),
            ("zilch", {"goal": 50}),
        ),
        *[
            pytest.param("zilch", parameters, marks=pytest.mark.slow)
            for parameters in ({}, {"goal": 5000, "opening": 350}, {"players": 1, "objective": "points"})
        ],
    ],
)
def test_games_with_large_turns_say_how_large_they_are(name: str, parameters: dict[str, Any]) -> None:
    of, size = made(name, **parameters), made(name, **parameters).turn_size()
    graph = compile_turn(of)
    assert size is not None
    counted = [_from_root(graph, root)[:2] for root in range(len(graph.roots))]
    assert (size.n_edges, [*size.by_root]) == (graph.n_edges, counted)
    assert kind_of(of).plan(of, size) == kind_of(of).plan(of, graph)


def test_no_large_turn_is_compiled_for_rules_or_a_plan_and_none_for_what_only_lists(
    own_cache: Store, monkeypatch: Patch, said: Says
) -> None:
    forbid(monkeypatch, "turn.graph._Builder.number")
    monkeypatch.setattr(turn_graph, "_GRAPHS", {})
    _estimate_work.cache_clear()
    unsolved_tables.cache_clear()
    said("list")
    for command in ("rules", "solve", "ask"):
        said(f"{command} --help")
    for words in ("goal=350", "goal=5000", "opening=350", "players=1 -p objective=points"):
        said(f"rules zilch -p {words}")
        said(f"solve zilch -p {words} --plan")


def test_races_pots_most_points_and_bets_are_worked_out_when_asked() -> None:
    wanted = {"drop-dead", "slam", "martinetti", "six-by-6", "pay-the-rent", "dice-roulette", "high-dice"}
    assert set(ALONE) == wanted
    told = rollwise.plan("pay-the-rent")  # nothing is solved before a question
    assert (told.seconds, told.kept, told.solved) == (0, 0, True)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name == "six-by-6" else ()) for name in ALONE]
)
def test_nothing_is_swept_or_kept_of_a_game_that_is_worked_out_when_asked(
    name: str, own_cache: Store, monkeypatch: Patch
) -> None:
    forbid(monkeypatch, "values.board_solver.BoardSolver.solve", "markov_chains.layout.lay_out")
    assert rollwise.ask(name).quantities
    answer = rollwise.solve(name)
    assert answer.quantities
    assert (answer.facts["cached"], answer.facts["method"]) == (
        False,
        "one player's chain, followed exactly when asked",
    )
    assert not any(own_cache.root.rglob("*.*"))


def test_boards_of_a_large_space_are_told_from_some_of_them_and_few_are_counted(monkeypatch: Patch) -> None:
    large, few = made("421"), made("cameroon", boxes="full house", objective="win")
    assert large.boards().size > MAX_COUNTED_BOARDS
    assert estimate_n_boards(large) == pytest.approx(1_808_592, rel=0.02)
    assert estimate_n_boards(made("mexico", players=4)) == 568_080
    assert estimate_n_boards(made("mexico")) == 792
    assert few.boards().size > LARGE_SAMPLE_BOARDS
    monkeypatch.setattr("rollwise.solver.kinds.cost_model.MAX_COUNTED_BOARDS", LARGE_SAMPLE_BOARDS)
    assert estimate_n_boards(few) == 1


def test_boards_that_lead_to_each_other_are_swept_and_those_of_last_turns_are_not() -> None:
    """Last turns of Zilch all stand on one level, but none leads to another; scores of Piggy Six can go to zero."""
    games = made("zilch", goal=500), made("piggy-six"), made("piggy-six", robots=(2, 2), target=10)
    zilch, piggy, robots = (estimate_board_cost(of, of.turn_size() or compile_turn(of)) for of in games)
    assert zilch.together > 0.2
    assert zilch.swept == 0.0
    assert piggy.swept == piggy.together > 0.2
    assert robots.together > robots.swept > 0.3  # last turns are more, on a level of their own


def test_seconds_grow_with_boards_seats_and_sweeps() -> None:
    once = BoardCost(ends=10, edges=100, possible=1, together=0, endings=0, cyclic=False)
    again = replace(once, together=0.5, cyclic=True)
    swept, n = replace(again, swept=0.5), 10_000_000
    for rates in (DUEL_RATES, TABLE_RATES):
        assert rates.seconds(once, n) < rates.seconds(again, n) < rates.seconds(swept, n)
        assert rates.seconds(swept, 10) < rates.seconds(swept, n) < rates.seconds(swept, n, 3)


@pytest.mark.parametrize(
    ("name", "parameters", "seconds"),  # on two cores that had nothing else to do, by scripts/bench.py
    [
        ("ten-thousand", {}, 4.43),
        ("sevens", {}, 1.91),
        ("aces-in-the-pot", {"players": 10}, 153.4),  # luck: docs/performance.md
        pytest.param("zilch", {"goal": 5000}, 4.23, marks=pytest.mark.slow),
        pytest.param("zilch", {}, 13.31, marks=pytest.mark.slow),
        *further(
            ("piggy-six", {}, 3.14),
            ("yahtzee", {}, 0.71),
            ("sixzee", {}, 29.82),
            ("cameroon", {}, 1.35),
            ("killer", {}, 13.45),
            ("thunderstorm", {"players": 8}, 44.3),
            ("finish", {"players": 5}, 43.2),
            ("cops-and-robbers", {}, 31.0),
        ),
    ],
)
def test_the_seconds_of_a_solve_are_within_two_times_of_what_was_measured(
    name: str, parameters: dict[str, Any], seconds: float
) -> None:
    of = made(name, **parameters)
    assert 1 / 2 < kind_of(of).plan(of, of.turn_size() or compile_turn(of)).seconds / seconds < 2


@pytest.mark.parametrize(
    ("name", "parameters", "megabytes"),
    [
        ("yahtzee", {}, 293),
        *further(
            ("piggy-six", {"robots": (8, 14)}, 3002),
            ("sixzee", {}, 1238),
            ("zilch", {"goal": 5000}, 330),
            ("six-by-6", {"players": 4, "posting": "free"}, 882),
            ("thunderstorm", {"players": 8}, 3458),
            ("bouncer", {"players": 6}, 3715),
        ),
    ],
)
def test_the_memory_of_a_solve_is_within_two_times_of_what_was_measured(
    name: str, parameters: dict[str, Any], megabytes: float
) -> None:
    of = made(name, **parameters)
    planned = PROGRAM_BYTES + kind_of(of).plan(of, of.turn_size() or compile_turn(of)).memory
    assert 1 / 2 < planned / 1e6 / megabytes < 2


def test_the_terminal_tells_a_plan_and_solves_nothing(own_cache: Store, said: Says) -> None:
    told = "100 boards, 70 edges a turn: about a second, 180 MB, 1.2 KB in the cache\n"
    command = "solve pig -p target=10 --plan"
    assert said(command) == f"{told}it is not solved yet\n"
    assert json.loads(said(f"{command} --json")) == rollwise.plan("pig", params={"target": 10}).plain()
    assert own_cache.keys() == []
    said("solve pig -p target=10")
    assert said(command) == f"{told}it is solved: answers come from the cache\n"
    told = "12 boards, 11 edges a turn: nothing is solved in advance\n"
    assert said("solve high-dice --plan") == told


def test_a_long_plan_is_told_in_minutes() -> None:
    told = SolvePlan(29_207_136, 21_271, 140.0, 2_920_000_000, 350_000_000, solved=False)
    assert plan_lines(told)[0] == (
        "29 million boards, 21,271 edges a turn: about 2.3 minutes, 2.9 GB, 350 MB in the cache"
    )


@pytest.mark.filterwarnings("ignore:bouncer is solved for this program alone")
def test_a_plan_says_which_results_are_settled_slowly_and_why(monkeypatch: Patch) -> None:
    plain = Bouncer.transition

    def counting(game: Bouncer, board: Any, rolled: int) -> Any:
        return plain(game, board, rolled if rolled < 6 or len(board) else 0)

    assert rollwise.plan("bouncer", params={"players": 3}).unrecorded == ()
    monkeypatch.setattr(Bouncer, "transition", counting)
    slow = rollwise.plan("bouncer", params={"players": 4})
    assert slow.unrecorded == ("result 6, for how many boards there are cannot be traced",)
    assert slow.plain()["unrecorded"] == list(slow.unrecorded)
    assert plan_lines(slow)[1] == f"slow transition: {slow.unrecorded[0]}"
