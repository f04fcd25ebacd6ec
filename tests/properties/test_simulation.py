"""Games played by chance end as the solver says. Another game is one more line of PLAYED."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from rollwise.games.registry import REGISTRY, game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.errors import ModelError
from rollwise.solver.game.model import TurnGame
from rollwise.solver.reference.simulate import optimal_policy, simulate
from rollwise.solver.turn.graph import compile_turn

AT_999 = 3.2905  # standard errors to either side that hold 99.9 % of a normal distribution


@dataclass(frozen=True)
class Series:
    """So many games of one kind; their mean must lie within ``half_width``, and that must be the 99.9 % half-width."""

    name: str
    parameters: dict[str, Any]
    n_games: int
    half_width: float
    seed: int = 1


PLAYED = [
    Series("421", {"players": 2, "chips": 1, "pot": 2}, 60_000, 0.007),
    Series("pig", {"target": 20}, 130_000, 0.005),
    Series("piggy-six", {"target": 10}, 130_000, 0.005),
    Series("piggy-six", {"target": 20, "robots": (6,)}, 130_000, 0.005),
    Series("ten-thousand", {"goal": 500}, 130_000, 0.005),
    Series("ten-thousand", {"goal": 500, "players": 1}, 400_000, 0.005),
    Series("martinetti", {"crossing": "free"}, 8_000, 0.019),
    Series("busted", {"players": 2, "fewer": 8}, 130_000, 0.005),
    Series("mexico", {"lives": 2}, 130_000, 0.005),
    Series("sevens", {"goal": 3, "dice": 4}, 130_000, 0.005),
    Series("shut-the-box", {"objective": "clear"}, 60_000, 0.005),
    Series("shut-the-box", {"objective": "clear", "variant": "partial"}, 60_000, 0.005),
    Series("zilch", {"goal": 500, "players": 1}, 60_000, 0.025),  # half-width in turns
    # a chance of 0.005 more or less to score 50
    Series("yahtzee", {"boxes": "yahtzee"}, 25_000, 0.25),
    Series("sixzee", {"boxes": "3-2-1,sixzee"}, 6_000, 0.6),  # half-width in points
    # means of wide distributions of points: half-widths in points
    Series("shut-the-box", {}, 40_000, 0.2),
    Series("shut-the-box", {"players": 2, "variant": "partial"}, 8_000, 0.019),
    Series("cameroon", {"boxes": "sixes"}, 30_000, 0.2),
    Series("killer", {"boxes": "trebles"}, 30_000, 0.4),
    Series("drop-dead", {}, 40_000, 0.3),
    Series("six-by-6", {}, 60_000, 0.1),
    Series("six-by-6", {"posting": "free"}, 60_000, 0.1),
    # turns until a player alone is out or home; chips that a bet of ten brings back
    Series("slam", {}, 30_000, 0.3),
    Series("martinetti", {}, 30_000, 0.3),
    Series("dice-roulette", {}, 60_000, 0.5),
    Series("high-dice", {}, 60_000, 0.02),
]
ELSEWHERE = {
    "bluff": "tests/exact/test_hidden.py: its mixes are drawn from",
    "pay-the-rent": "pots are played by hand in tests/rules/test_pay_the_rent.py: they have no one value",
    **dict.fromkeys(
        (name for name in REGISTRY if getattr(game(name), "seats", 0)), "tests/properties/test_luck_simulation.py"
    ),
}


def test_every_game_is_played() -> None:
    assert {series.name for series in PLAYED} | ELSEWHERE.keys() == set(REGISTRY)
    assert not {series.name for series in PLAYED} & ELSEWHERE.keys()


@pytest.mark.parametrize("series", PLAYED, ids=lambda series: f"{series.name} {series.parameters}")
def test_games_end_as_often_as_the_solver_says(series: Series) -> None:
    of = game(series.name, series.parameters)
    assert isinstance(of, TurnGame)
    graph = compile_turn(of)
    solved = BoardSolver(of, graph, compiled=False).solve()
    played = simulate(of, optimal_policy(of, graph, solved.values), series.n_games, series.seed)
    assert played.error * AT_999 <= series.half_width
    assert abs(played.mean - solved.values[of.boards().index_of(**of.first_board())]) <= series.half_width


def test_a_bad_policy_does_worse_than_the_best_one() -> None:
    pig = game("pig", {"target": 20})
    assert isinstance(pig, TurnGame)
    graph = compile_turn(pig)
    best = optimal_policy(pig, graph, BoardSolver(pig, graph, compiled=False).solve().values)
    first = simulate(pig, [lambda board, state, names: names[0], best], 20_000, 1)  # holds after every throw
    second = simulate(pig, [best, lambda board, state, names: names[0]], 20_000, 1)
    assert first.mean + 0.1 < second.mean


def test_the_same_seed_plays_the_same_games() -> None:
    pig = game("pig", {"target": 10})
    assert isinstance(pig, TurnGame)
    series = [simulate(pig, lambda board, state, names: names[-1], 500, 7) for _ in range(2)]
    assert series[0] == series[1]


def test_a_policy_that_invents_a_move_is_told_so() -> None:
    pig = game("pig", {"target": 10})
    assert isinstance(pig, TurnGame)
    with pytest.raises(ModelError, match="the policy plays 'cheat'"):
        simulate(pig, lambda board, state, names: "cheat", 1, 1)
