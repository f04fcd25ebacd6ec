"""Games drawn in compiled turns and played the best way end as the solver says. Another game is a line of PLAYED."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import turn_game
from rollwise.games.registry import REGISTRY
from rollwise.parsing.validate import parse_fields
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import ModelError, StateError, TooLarge
from rollwise.solver.model.game import Bounded, Chance, Decision, End, Node, Position, TurnGame
from rollwise.solver.policy import simulation
from rollwise.solver.policy.simulation import Simulation
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.query import Turns
from rollwise.solver.values.board_solver import BoardSolver
from tests.asked import ask
from tests.sizes import first_quick
from tests.toys.seats import Potato, opened, toy

PIG = turn_game("pig", target=10)
AT_999 = 3.2905  # standard errors to either side that hold 99.9 % of a normal distribution


@dataclass(frozen=True)
class Series:
    """So many games of one size; every seat's mean must lie within ``half_width``, at least the 99.9 % half-width."""

    name: str
    parameters: dict[str, Any]
    n_games: int
    half_width: float

    def __str__(self) -> str:
        return f"{self.name} {self.parameters}"

    @property
    def game(self) -> TurnGame:
        """The game."""
        return turn_game(self.name, **self.parameters)


PLAYED = [
    Series("pig", {"target": 20}, 30_000, 0.01),
    Series("piggy-six", {"target": 10}, 30_000, 0.01),
    Series("piggy-six", {"target": 20, "robots": (6,)}, 30_000, 0.01),
    Series("ten-thousand", {"goal": 500}, 30_000, 0.01),
    Series("ten-thousand", {"goal": 500, "players": 1}, 60_000, 0.013),
    Series("busted", {"players": 2, "fewer": 8}, 30_000, 0.01),
    Series("mexico", {"lives": 2}, 30_000, 0.01),
    Series("sevens", {"goal": 3, "dice": 4}, 30_000, 0.01),
    Series("421", {"players": 2, "chips": 1, "pot": 1}, 20_000, 0.012),
    Series("shut-the-box", {"objective": "clear"}, 60_000, 0.005),
    Series("shut-the-box", {"objective": "clear", "variant": "partial"}, 60_000, 0.005),
    Series("ten-thousand", {"goal": 1000, "players": 1, "objective": "reach"}, 60_000, 0.005),
    Series("zilch", {"goal": 500, "players": 1}, 60_000, 0.025),  # half-width in turns
    Series("yahtzee", {"boxes": "yahtzee"}, 25_000, 0.25),  # a chance of 0.005 more or less to score 50
    # means of wide distributions of points: half-widths in points
    Series("sixzee", {"boxes": "3-2-1,sixzee"}, 6_000, 0.6),
    Series("shut-the-box", {}, 40_000, 0.2),
    Series("shut-the-box", {"players": 2, "variant": "partial"}, 8_000, 0.019),
    Series("cameroon", {"boxes": "sixes"}, 30_000, 0.2),
    Series("killer", {"boxes": "trebles"}, 30_000, 0.4),
    Series("drop-dead", {}, 40_000, 0.3),
    Series("six-by-6", {}, 20_000, 0.17),
    Series("six-by-6", {"posting": "free"}, 20_000, 0.17),
    Series("six-by-6", {"posting": "free", "objective": "reach"}, 20_000, 0.012),
    # turns until a player alone is out or home; chips that a bet of ten brings back
    Series("slam", {}, 30_000, 0.3),
    Series("martinetti", {}, 30_000, 0.3),
    Series("martinetti", {"crossing": "free"}, 8_000, 0.019),
    Series("dice-roulette", {}, 60_000, 0.5),
    Series("high-dice", {}, 60_000, 0.02),
    # tables
    Series("shut-the-box", {"players": 3, "boxes": 4}, 8_000, 0.02),
    Series("421", {"players": 3, "chips": 1, "pot": 1}, 8_000, 0.02),
    Series("busted", {"players": 3, "fewer": 4}, 8_000, 0.02),
    Series("finish", {"players": 3, "placing": "free", "chips": 2}, 8_000, 0.02),
    Series("mexico", {"players": 3, "lives": 1}, 8_000, 0.02),
    Series("mexico", {"players": 4, "lives": 1, "opener": "rotating"}, 8_000, 0.02),
    Series("piggy-six", {"players": 3, "target": 10}, 8_000, 0.02),
    Series("six-by-6", {"players": 3, "posting": "free", "limit": 1}, 8_000, 0.02),
    Series("martinetti", {"players": 3, "crossing": "free"}, 500, 0.075),
    # games of luck: the length too must lie within 99.9 %
    Series("aces-in-the-pot", {"coins": 1}, 20_000, 0.012),
    Series("big-six", {}, 20_000, 0.012),
    Series("bouncer", {}, 5_000, 0.024),
    Series("cops-and-robbers", {"distance": 3}, 5_000, 0.024),
    Series("finish", {"chips": 2}, 20_000, 0.012),
    Series("thunderstorm", {}, 20_000, 0.012),
]
ELSEWHERE = {
    "bluff": "tests/solver/test_hidden.py: its mixes are drawn from",
    "pay-the-rent": "pots are played by hand in tests/games/test_pay_the_rent.py: they have no one value",
}


def test_every_game_is_played_in_each_of_its_kinds() -> None:
    played: dict[str, set[str]] = {}
    for series in PLAYED:
        played.setdefault(series.name, set()).add(series.game.kind)
    assert played.keys() | ELSEWHERE.keys() == set(REGISTRY)
    assert not played.keys() & ELSEWHERE.keys()
    tables = {"421", "busted", "finish", "martinetti", "mexico", "piggy-six", "shut-the-box", "six-by-6"}
    assert {name for name, kinds in played.items() if "table" in kinds} == tables


def drawn(made: TurnGame, n_games: int, seed: int = 1, start: Position | None = None) -> Simulation:
    """A series drawn in compiled turns."""
    opened = load_or_solve(made, quiet=True).solution
    return kind_of(made).simulate(opened, start or made.locate(), n_games, seed)


def expected(made: TurnGame) -> list[float]:
    """What the solver says that the seats get from the start, of a duel the first of them."""
    found, start = load_or_solve(made, quiet=True), made.boards().index_of(**made.first_board())
    if made.kind == "alone":  # nothing is kept of these
        return [float(BoardSolver(made, found.graph, compiled=False).solve().values[start])]
    if made.kind == "seats":
        shares = found.facts["start"][made.outcome]["value"]
        return shares if isinstance(shares, list) else [shares]
    return np.ravel(found.solution.read(np.array([start]))[0]).tolist()


def is_near(means: Sequence[float], errors: Sequence[float], wanted: Sequence[float]) -> bool:
    """Is the mean of each seat that something is said of as it should be?"""
    each = zip(means, errors, wanted, strict=False)
    return all(abs(mean - value) <= AT_999 * error for mean, error, value in each)


@pytest.mark.parametrize(
    "series", first_quick(PLAYED, lambda series: series.name, lambda series: series.game.kind), ids=str
)
def test_games_end_as_often_as_the_solver_says(series: Series) -> None:
    made, wanted = series.game, expected(series.game)
    played = drawn(made, series.n_games)
    for mean, error, value in zip(played.mean, played.error, wanted, strict=False):
        assert error * AT_999 <= series.half_width
        assert abs(mean - value) <= series.half_width
    if made.kind == "seats":
        length = load_or_solve(made, quiet=True).facts["start"]["length"]["value"]
        assert abs(played.turns - length) < AT_999 * played.turns_error
    if len(played.mean) > 1:
        assert sum(played.mean) == pytest.approx(made.total if made.kind == "duel" else 1)


@pytest.mark.parametrize(
    ("name", "parameters", "state"),
    [
        ("pig", {"target": 12}, {"mine": 3, "theirs": 7, "turn": 4}),
        ("mexico", {"lives": 2, "opener": "rotating"}, {"opener": 1, "lives": (1, 2), "roll": (3, 4), "rolls_left": 1}),
        ("mexico", {"players": 3, "lives": 1, "opener": "rotating"}, {"opener": 2, "results": (None, None, "5-4")}),
        ("zilch", {"goal": 500, "opening": 350, "players": 1}, {"mine": 400}),
        ("thunderstorm", {"house": 1}, {"failures": (1, None, 0), "dice": 2, "mover": 2}),
    ],
)
def test_games_may_go_on_from_any_question(name: str, parameters: dict[str, Any], state: dict[str, Any]) -> None:
    made = turn_game(name, **parameters)
    told: Any = ask(made, state)
    played = drawn(made, 20_000, start=made.locate(**parse_fields(made, state)))
    wanted = told.quantities[made.outcome].value if made.kind == "seats" else told.shares or [told.value]
    assert is_near(played.mean, played.error, wanted)


def test_the_same_seed_plays_the_same_games() -> None:
    one, again, other = (drawn(PIG, 500, seed) for seed in (7, 7, 8))
    assert one == again != other


def test_where_few_turns_have_room_they_are_backed_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MAX_TURN_BYTES", 20_000)
    monkeypatch.setattr(simulation, "BLOCK_SIZE", 1)
    played = drawn(PIG, 5_000)
    assert is_near(played.mean, played.error, expected(PIG))


# --- what small games made for it come to ----------------------------------------------------------------------------


def of_toy(made: TurnGame, n_games: int) -> tuple[Simulation, list[float]]:
    """What a series comes to, and what the solver says."""
    found, start = opened(made), Position(made.first_board(), tuple(made.roots()[0]))
    return kind_of(made).simulate(found, start, n_games, 1), found.arrays.whole("values")[0].tolist()


MIXED = Chance([(1, End((3, 0, 7))), (1, End((2, 0, 8))), (1, End((1, 0, 9)))])  # in floats more than 0.2


@pytest.mark.parametrize("last", [End((2, 0, 8)), MIXED])
def test_of_equally_good_moves_the_first_is_made_whatever_rounding_says(last: Node) -> None:
    word = Decision([("worse", End((1, 8, 1))), ("first", End((2, 8, 0))), ("last", last)])
    played, _ = of_toy(toy(word), 9)
    assert played.mean == pytest.approx((0.2, 0.8, 0.0))
    assert (round(max(played.error), 9), played.turns) == (0, 1)


def test_what_is_drawn_by_lot_is_drawn_as_often_as_it_says() -> None:
    played, shares = of_toy(Potato(), 4_000)
    assert is_near(played.mean, played.error, shares)


def no_turns(boards: Any) -> Turns:
    """Nobody chooses."""
    raise NotImplementedError


def test_what_cannot_be_played_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = toy(Chance([(1, Bounded(0, 1)), (1, End((1, 2, 7)))]))
    with pytest.raises(ModelError, match="came to an illegal end, or past a cut"):
        simulation.simulate(cut, compile_turn(cut), kind_of(cut).uses(cut), no_turns, Position({"step": 0}, ()), 9, 1)
    with pytest.raises(StateError, match=r"no turn of .* comes to"):
        drawn(PIG, 1, start=Position({"mine": 0, "theirs": 0}, ("nowhere",)))
    monkeypatch.setattr(simulation, "MAX_TURNS", 3)
    with pytest.raises(TooLarge, match="is not over after 3 turns"):
        drawn(PIG, 10)
