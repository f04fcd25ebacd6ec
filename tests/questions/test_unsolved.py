"""More players than are solved: what they would cost is counted from the game's own numbers, and is why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any
from unittest.mock import Mock

import pytest

import rollwise
from rollwise.games.registry import REGISTRY, game
from rollwise.parsing.player_cost import describe_cost
from rollwise.solver.kinds.cost_model import BoardCost, estimate_board_cost
from rollwise.solver.kinds.table import UnsolvedTable, table_bytes, unsolved_tables
from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.table import TableSolve

Says = Callable[..., str]
RULES_ALLOW = {
    **{"421": [4, 5, 6, 7, 8, 9, 10], "busted": [4, 5, 6, 7, 8, 9, 10], "cameroon": [3, 4], "killer": [3, 4, 5]},
    **{"mexico": [5, 6], "sevens": [3, 4, 5, 6, 7, 8], "ten-thousand": [3, 4, 5, 6], "zilch": [3, 4, 5, 6, 7]},
}


def made(name: str, **parameters: Any) -> TurnGame:
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


def unsolved(name: str, **parameters: Any) -> dict[int, int]:
    return dict(made(name, **parameters).unsolved())


def test_the_numbers_of_players_are_those_of_the_rule_sheet() -> None:
    assert {name: [*numbers] for name in REGISTRY if (numbers := unsolved(name))} == RULES_ALLOW


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name in ("421", "busted", "killer") else ())
        for name in RULES_ALLOW
    ],
)
def test_a_number_that_is_not_solved_is_refused_with_what_it_would_cost(name: str) -> None:
    told = unsolved_tables(made(name))
    for crowd in told[:1] + told[1:][-1:]:
        with pytest.raises(ParameterError) as refused:
            rollwise.ask(name, params={"players": crowd.players})
        assert str(refused.value).endswith(f"got {crowd.players}; {describe_cost(crowd)}")
        assert refused.value.field == "players"
    for row, crowd in zip(rollwise.rules(name)["unsolved"], told, strict=True):
        assert (row["players"], row["boards"], row["bytes"]) == (crowd.players, crowd.boards, crowd.bytes)
        assert row["seconds"] == pytest.approx(crowd.seconds, rel=0.05)
        assert row["cost"] == describe_cost(crowd)


def test_a_number_that_no_rules_allow_is_refused_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """And at once: nothing is laid out to refuse it."""
    monkeypatch.setattr("rollwise.solver.kinds.table.unsolved_tables", lambda game: pytest.fail(f"{game} was reckoned"))
    for players in (0, 8, 30):
        with pytest.raises(ParameterError, match=rf"players is one of 2, 1, got {players}$"):
            rollwise.ask("zilch", params={"players": players})


def test_a_turn_is_laid_out_once_however_often_a_number_of_players_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out = Mock(wraps=compile_turn)
    monkeypatch.setattr("rollwise.solver.kinds.table.compile_turn", lay_out)
    for _ in range(3):
        with pytest.raises(ParameterError, match="3 players would have"):
            rollwise.ask("ten-thousand", params={"players": 3, "goal": 950})
    assert lay_out.call_count == 1


@pytest.mark.parametrize(
    ("name", "parameters", "told"),
    [  # what else is wrong is told first, and the rule parameters count
        ("zilch", {"goal": 10}, r"goal is from 50 to 10000, got 10$"),
        ("zilch", {"objective": "turns"}, r"with players=3 has objective win, got turns$"),
        ("ten-thousand", {"goal": 500}, r"at least 1\.0 thousand boards"),
        ("ten-thousand", {"goal": 10000}, r"at least 8\.0 million boards"),
    ],
)
def test_a_refusal_looks_at_all_parameters(name: str, parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        rollwise.ask(name, params={"players": 3, **parameters})


def test_scores_of_zilch_are_none_or_the_opening_and_more() -> None:
    for goal, opening in ((1500, 750), (1500, 350), (500, 750)):
        scores = [score for score in range(0, max(goal, opening + 50), 50) if score == 0 or opening <= score < goal]
        counted = unsolved("zilch", goal=goal, opening=opening)
        assert counted[3] == len(list(product(scores, repeat=3)))


def test_boards_of_sevens_have_the_totals_and_all_results_of_the_round_so_far() -> None:
    results = {0 if sum(faces) == 7 else sum(faces) for faces in product(range(1, 7), repeat=2)}
    earlier = [(rolled, throws) for rolled in range(3) for throws in (range(3) if rolled else [None])]
    n_rounds = sum(len(list(product(results, repeat=rolled))) for rolled, _ in earlier)
    assert unsolved("sevens", goal=4, dice=2)[3] == len(list(product(range(4), repeat=3))) * n_rounds


def number_boxes(players: int) -> int:
    """Every way in which one number of Cameroon's sheet can stand: entered by whom, with how many dice in all."""
    states: set[Any] = {(frozenset(), 0)}
    new = list(states)
    while new:
        by, dice = new.pop()
        for player, entered in product(set(range(players)) - set(by), range(1, 6)):
            after: Any = (by | {player}, dice + entered)
            if after[1] >= 5 or len(after[0]) == players:
                after = "closed"
            if after not in states:
                states.add(after)
                new += [] if after == "closed" else [after]
    return len(states)


def test_sheets_have_who_filled_each_box_and_each_number_of_cameroon_with_how_many_dice() -> None:
    for players in (3, 4):
        assert unsolved("cameroon")[players] == number_boxes(players) ** 6 * 2**4
        assert unsolved("cameroon", four_of_a_kind=True)[players] == number_boxes(players) ** 6 * 2**5
    assert unsolved("killer")[3] == (2**3) ** 10 - 1  # but for the one with every box closed


LIKE = BoardCost(ends=20.0, edges=100.0, possible=0.5, together=0.25, endings=0, cyclic=True)


@pytest.mark.parametrize(
    ("name", "players", "boards", "seconds", "held"),  # of solves on two cores
    [
        ("421", 3, 1_808_592, 21.0, 663e6),
        ("busted", 3, 6_679_751, 84.0, 1.29e9),
        ("mexico", 4, 568_080, 2.9, 303e6),
        ("mexico", 5, 9_441_936, 87.0, 2.9e9),  # which no parameter allows
    ],
)
def test_the_cost_is_within_three_times_of_what_was_measured(
    name: str, players: int, boards: int, seconds: float, held: float
) -> None:
    told = UnsolvedTable(players, boards, estimate_board_cost(made(name), compile_turn(made(name))))
    assert 1 / 3 < told.seconds / seconds < 3
    assert 1 / 3 < told.bytes / held < 3


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("finish", {"players": 3, "placing": "free"}),
        ("martinetti", {"players": 3, "crossing": "free"}),
        ("piggy-six", {"players": 3, "target": 10}),
        ("mexico", {"players": 3, "lives": 3}),
    ],
)
def test_memory_is_that_of_all_arrays_held_at_once(name: str, parameters: dict[str, Any]) -> None:
    table = made(name, **parameters)
    graph = compile_turn(table)
    solve = TableSolve(table, graph)
    names = ("level_of", "root_of", "order_of", "values", "expected_turns", "radius", "widest")
    held = sum(array.nbytes for array in [*(getattr(solve, of) for of in names), *solve.endings.arrays().values()])
    ahead = [
        sum(group.codes.nbytes + group.boards.nbytes for group in solve.groups(boards))
        for boards, _, _ in solve.by_level(lambda share: None)
    ]
    told = table_bytes(estimate_board_cost(table, graph), solve.n_boards, solve.seats)
    assert held + (max(ahead) if table.cyclic else 0) <= told <= 3 * held


def test_boards_that_never_come_again_are_swept_once() -> None:
    told = [(crowd.players, crowd.each.cyclic, crowd.each.together) for crowd in unsolved_tables(made("mexico"))]
    assert told == [(5, False, 0.0), (6, False, 0.0)]


def test_a_cost_is_told_in_two_digits() -> None:
    crowd = UnsolvedTable(3, 8_120_601, LIKE)
    assert describe_cost(crowd) == "3 players would have at least 8.1 million boards: about 1.6 minutes and 2.2 GB"


def test_the_page_of_rules_says_what_more_players_would_cost(said: Says) -> None:
    cost = "3 players would have at least 1.1 billion boards: about "
    said("rules killer", f"Not solved: more players\n  {cost}")
    assert "Not solved" not in said("rules pig")
    refusal = "error: 'killer' parameter players is one of 2, got 3; 3 players would have at least 1.1 bil"
    told = said("ask killer -p players=3", code=2)
    assert told.startswith(refusal)
    assert told.count("\n") == 1
    plain = json.loads(said("ask killer -p players=3 --json", code=2))
    assert (plain["error"], plain["field"]) == ("ParameterError", "players")
