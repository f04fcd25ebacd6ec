"""Chains without decisions: means, distributions and visits, against fractions by hand and other sources."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from sympy import Rational, eye, zeros

from rollwise.games.drop_dead.rules import DICE, DropDead
from rollwise.games.pig.rules import Pig
from rollwise.solver.markov_chains import chain
from rollwise.solver.markov_chains.chain import (
    OVER,
    Distribution,
    Steps,
    chain_from,
    collapse,
    expected_rewards,
    expected_visits,
    reward_distribution,
    turns_to_end,
)
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import Bounded, Chance, End, Node, Transition, TurnGame
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from tests.solver.plain import fallen, toy

MEAN = Fraction(837242, 52117)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
Compiled = tuple[TurnGame, TurnGraph]
Rule = dict[int, list[tuple[int, Any, int]]]  # board: (weight, next board or "over", points)


def table(rule: Rule) -> Compiled:
    """A chain given as a table; one root a board."""

    def transition(board: Any, result: Any) -> Transition:
        following, points = result
        ends = following == "over"
        return Transition(over=ends, reward=points, next=None if ends else {"place": 0 * board.place + following})

    made = toy(
        lambda place: Chance((weight, End((following, points))) for weight, following, points in rule[place]),
        transition,
        len(rule),
        kind="alone",
        roots=lambda game: [(place,) for place in rule],
        root=lambda game, board: board.place,
    )
    return made, compile_turn(made)


def one_turn(word: Node, said: Transition | None = None) -> Compiled:
    """One board and one turn, whose result is the points that end the game, or does what is ``said``."""
    made = toy(lambda: word, lambda board, points: said or Transition(over=True, reward=points), kind="alone")
    return made, compile_turn(made)


@pytest.fixture(scope="module")
def drop_dead() -> Compiled:
    game = DropDead()
    return game, compile_turn(game)


# --- distributions and means ---------------------------------------------------------------------------------------


def test_a_throw_in_stages_collapses_to_one_distribution() -> None:
    _, graph = one_turn(Chance([(1, End(1)), (1, Chance([(1, End(1)), (2, End(4))]))]))
    by_points = {graph.results[leaf]: chance for leaf, chance in collapse(graph, int(graph.roots[0]))}
    assert by_points == {1: Fraction(2, 3), 4: THIRD}


TOYS: dict[str, tuple[Rule, list[Fraction]]] = {  # the chances of 0, 1, 2, ... points from board 0
    "round without points, each to the other or over": (
        {0: [(1, 1, 0), (1, "over", 1)], 1: [(1, 0, 0), (1, "over", 2)]},
        [Fraction(0), 2 * THIRD, THIRD],
    ),
    "staying put is divided out": (
        {0: [(4, 0, 0), (1, 1, 1), (1, "over", 0)], 1: [(2, 1, 0), (1, "over", 3)]},
        [HALF, Fraction(0), Fraction(0), Fraction(0), HALF],
    ),
    "a ring of three, each with its own points": (
        {i: [(3, (i + 1) % 3, 0), (1, "over", i)] for i in range(3)},
        [Fraction(16, 37), Fraction(12, 37), Fraction(9, 37)],
    ),
    "it must end": ({0: [(1, 1, 5), (2, "over", 0)], 1: [(1, "over", 1)]}, [2 * THIRD, *[Fraction(0)] * 5, THIRD]),
}


@pytest.mark.parametrize("name", TOYS)
def test_toys_by_hand(name: str) -> None:
    rule, chances = TOYS[name]
    assert reward_distribution(*table(rule), 0, tail=Fraction(0)) == Distribution(0, tuple(chances), Fraction(0))
    assert expected_rewards(*table(rule))[0] == sum(points * chance for points, chance in enumerate(chances))


def test_points_of_the_turn_and_of_the_board_add_up() -> None:
    assert list(reward_distribution(*one_turn(End(2, reward=3)), 0).chances) == [0, 0, 0, 0, 0, 1]


def test_over_a_hundred_boards_are_solved_exactly() -> None:
    """Heads goes on, tails goes back to the start: 2 ** (n + 1) - 2 throws until n heads in a row."""
    n = 120
    rule: Rule = {i: [(1, i + 1 if i + 1 < n else "over", 1), (1, 0, 1)] for i in range(n)}
    assert expected_rewards(*table(rule))[0] == 2 ** (n + 1) - 2


@cache
def outcomes(dice: int) -> Counter[tuple[int, int]]:
    """(dice lost, points) of a throw, with the ways in which it comes."""
    found: Counter[tuple[int, int]] = Counter()
    for faces, ways in fallen(dice).items():
        dead = faces.count(2) + faces.count(5)
        found[dead, 0 if dead else sum(faces)] += ways
    return found


@cache
def chance_by_recursion(dice: int, points: int) -> Fraction:
    """P(so many points to come), straight from the rule: a throw either scores or loses dice."""
    if dice == 0 or points < 0:
        return Fraction(points == 0)
    found = Fraction(0)
    for (lost, made), ways in outcomes(dice).items():
        found += Fraction(ways, 6**dice) * chance_by_recursion(dice - lost, points - made)
    return found


@pytest.mark.parametrize("dice", range(1, DICE + 1))
def test_the_distribution_agrees_with_a_recursion_by_hand(drop_dead: Compiled, dice: int) -> None:
    found = reward_distribution(*drop_dead, dice - 1)
    assert all(found.chance(points) == chance_by_recursion(dice, points) for points in range(60))
    assert sum(found.chances) + found.beyond == 1
    assert 0 < found.beyond <= Fraction(1, 10**12) < found.beyond + found.chances[-1]


def test_the_mean_of_the_distribution_is_the_mean_score(drop_dead: Compiled) -> None:
    for tail in (Fraction(1, 10**3), Fraction(1, 10**12), Fraction(1, 10**30)):
        found = reward_distribution(*drop_dead, DICE - 1, tail)
        below = sum(total * found.chance(total) for total in range(found.first, found.end)) + found.end * found.beyond
        assert below < MEAN < below + 100 * tail


def test_a_distribution_shows_its_tail_rounded_up_where_it_is_cut() -> None:
    whole = Distribution(5, (2 * THIRD, Fraction(0), THIRD), Fraction(0))
    assert whole.plain() == {"value": {"5": 2 / 3, "7": 1 / 3}}
    plain = Distribution(3, (HALF, Fraction(0), Fraction(1, 6)), THIRD).plus(10).plain()
    assert plain["value"] == {"13": 0.5, "15": 1 / 6}
    assert plain["tail"]["from"] == 16
    assert THIRD <= Fraction(plain["tail"]["upper"]) < THIRD + Fraction(1, 10**15)


# --- refusals ------------------------------------------------------------------------------------------------------


REFUSED: list[tuple[str, Callable[[], Compiled]]] = [
    ("never ends from {'place': 1}", lambda: table({0: [(1, 1, 1), (1, "over", 0)], 1: [(1, 1, 1)]})),
    ("never ends from {'place': 0}", lambda: table({0: [(1, 0, 0)]})),
    ("gives -1 points in a step", lambda: table({0: [(1, "over", -1)]})),
    ("gives 1/2 points in a step", lambda: one_turn(End(0), Transition(over=True, reward=1, per=2))),
    ("gives 1/2 points in a step", lambda: one_turn(End(0), Transition(drawn=True))),
    ("is illegal", lambda: one_turn(End(0), Transition(over=True, legal=False))),
    ("leads nowhere", lambda: one_turn(End(0), Transition())),
    ("hands the dice to another player", lambda: one_turn(End(0), Transition(next={"place": 0}, mover=True))),
    ("cuts its turn", lambda: one_turn(Chance([(1, End(0)), (1, Bounded(0, 1))]))),
    ("a turn with a choice", lambda: (Pig(3), compile_turn(Pig(3)))),
]


@pytest.mark.parametrize(("message", "made"), REFUSED, ids=[message for message, _ in REFUSED])
def test_what_is_no_chain_or_cannot_be_answered_says_why(message: str, made: Callable[[], Compiled]) -> None:
    with pytest.raises(ModelError, match=message):
        reward_distribution(*made(), 0)


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rule: Rule = {i: [(1, i + 1 if i < 9 else "over", 1)] for i in range(10)}
    limits: list[tuple[str, int, str, Callable[[], Any]]] = [
        ("MAX_UNKNOWNS", 9, "10 boards, an exact solve takes 9", lambda: expected_rewards(*table(rule))),
        ("MAX_TOTALS", 5, "more than 5 points", lambda: reward_distribution(*table(rule), 0)),
        ("MAX_BOARDS", 7, "more than 7 boards", lambda: reward_distribution(*table(rule), 0)),
    ]
    for name, most, message, solve in limits:
        monkeypatch.setattr(chain, name, most)
        with pytest.raises(TooLarge, match=message):
            solve()


# --- visits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_visits_are_those_of_the_fundamental_matrix(seed: int) -> None:
    """Several steps may lead to one board with different points."""
    draw = random.Random(seed)
    size = draw.randrange(2, 9)
    leads, steps = zeros(size), dict[int, Steps]()
    for board in range(size):
        targets = [(OVER, 0), *draw.sample([*product(range(size), range(3))], draw.randrange(1, size + 1))]
        weights = [draw.randrange(1, 6) for _ in targets]
        steps[7 * board] = {}
        for (target, points), weight in zip(targets, weights, strict=True):
            steps[7 * board][7 * target if target != OVER else OVER, Fraction(points)] = Fraction(weight, sum(weights))
            if target != OVER:
                leads[board, target] += Rational(weight, sum(weights))
    found = expected_visits(steps, 0)
    for board, number in enumerate((eye(size) - leads).inv().row(0)):
        assert found.get(7 * board, 0) == Fraction(int(number.p), int(number.q))


def board(drop_dead: Compiled, dice: int) -> int:
    return drop_dead[0].boards().index_of(dice=dice)


def test_points_and_turns_are_what_visits_bring(drop_dead: Compiled) -> None:
    start = board(drop_dead, DICE)
    steps = chain_from(*drop_dead, [start])
    seen = expected_visits(steps, start)
    assert sum(seen[at] * p * points for at, ways in steps.items() for (_, points), p in ways.items()) == MEAN
    mean = sum(turn * chance for turn, chance in turns_to_end(steps, start).items())
    assert 0 < sum(seen.values()) - mean < Fraction(1, 10**8)


def test_a_walk_may_stop_and_counts_what_comes_there(drop_dead: Compiled) -> None:
    """Drop Dead with one or two dice unknown: the part that comes there is the part that is not over before."""
    start, stop = board(drop_dead, DICE), {board(drop_dead, dice) for dice in (1, 2)}
    steps = chain_from(*drop_dead, [start], stop)
    assert steps.keys() == {board(drop_dead, dice) for dice in (3, 4, 5)}
    seen = expected_visits(steps, start)
    over = sum(seen[at] * p for at, ways in steps.items() for (target, _), p in ways.items() if target == OVER)
    assert sum(seen[at] for at in stop) + over == 1
    whole = expected_visits(chain_from(*drop_dead, [start]), start)
    assert all(seen[at] == whole[at] for at in steps)


def test_one_die_of_drop_dead_lasts_as_long_as_a_coin_of_one_third(drop_dead: Compiled) -> None:
    start = board(drop_dead, 1)
    found = turns_to_end(chain_from(*drop_dead, [start]), start)
    for turn, chance in found.items():
        exact = THIRD * (1 - THIRD) ** (turn - 1)
        assert exact * (1 - Fraction(1, 10**11)) <= chance <= exact
    assert 0 < 1 - sum(found.values()) < Fraction(1, 10**11)
