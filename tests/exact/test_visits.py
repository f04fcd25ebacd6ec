"""How often boards of a chain are visited: by hand, against another elimination, and with a walk that stops."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from sympy import Matrix, Rational, eye

from rollwise.games.drop_dead import DropDead
from rollwise.games.pig import Pig
from rollwise.solver.chains.chain import OVER, Steps, absorption, chain_from
from rollwise.solver.chains.visits import turns_to_end, visits
from rollwise.solver.game.errors import ModelError
from rollwise.solver.turn.graph import compile_turn


def test_a_coin_that_repeats_is_thrown_twice() -> None:
    half = Fraction(1, 2)
    assert visits({0: {(0, half): half, (OVER, Fraction(0)): half}}, 0) == {0: 2}


def test_steps_to_the_same_board_with_different_points_count_together() -> None:
    quarter = Fraction(1, 4)
    chain: dict[int, Steps] = {
        3: {(5, Fraction(1)): quarter, (5, Fraction(2)): quarter, (OVER, Fraction(0)): 2 * quarter},
        5: {(OVER, Fraction(0)): Fraction(1)},
    }
    assert visits(chain, 3) == {3: 1, 5: Fraction(1, 2)}


@pytest.mark.parametrize("seed", range(12))
def test_visits_are_those_of_the_fundamental_matrix(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.randrange(2, 9)
    chain: dict[int, Steps] = {}
    for board in range(size):
        targets = [OVER, *draw.sample(range(size), draw.randrange(1, size + 1))]
        weights = [draw.randrange(1, 6) for _ in targets]
        chain[7 * board] = {
            (OVER if target == OVER else 7 * target, Fraction(draw.randrange(3))): Fraction(weight, sum(weights))
            for target, weight in zip(targets, weights, strict=True)
        }
    leads = Matrix(
        size,
        size,
        lambda i, j: sum(Rational(p.numerator, p.denominator) for (t, _), p in chain[7 * i].items() if t == 7 * j),
    )
    fundamental = (eye(size) - leads).inv()
    found = visits(chain, 0)
    for board in range(size):
        number = fundamental[0, board]
        assert found.get(7 * board, 0) == Fraction(int(number.p), int(number.q))


def test_points_are_what_visits_bring() -> None:
    game = DropDead()
    graph = compile_turn(game)
    start = game.boards().index_of(dice=5)
    chain = chain_from(game, graph, [start])
    seen = visits(chain, start)
    points = sum(seen[board] * p * points for board, steps in chain.items() for (_, points), p in steps.items())
    assert points == absorption(game, graph)[start]


def test_a_walk_may_stop_and_counts_what_comes_there() -> None:
    """Drop Dead with one or two dice unknown: the part that comes there is the part that is not over before."""
    game = DropDead()
    graph = compile_turn(game)
    start = game.boards().index_of(dice=5)
    stop = {game.boards().index_of(dice=dice) for dice in (1, 2)}
    chain = chain_from(game, graph, [start], stop)
    assert chain.keys() == {game.boards().index_of(dice=dice) for dice in (3, 4, 5)}
    seen = visits(chain, start)
    over = sum(seen[board] * p for board, steps in chain.items() for (target, _), p in steps.items() if target == OVER)
    assert sum(seen[board] for board in stop) + over == 1
    whole = visits(chain_from(game, graph, [start]), start)
    assert {board: seen[board] for board in chain} == {board: whole[board] for board in chain}


def test_a_chain_with_choices_has_no_visits() -> None:
    game = Pig(3)
    with pytest.raises(ModelError, match="a turn with a choice"):
        chain_from(game, compile_turn(game), [0])


def test_one_die_of_drop_dead_lasts_as_long_as_a_coin_of_one_third() -> None:
    game = DropDead()
    chain = chain_from(game, compile_turn(game), [game.boards().index_of(dice=1)])
    found = turns_to_end(chain, game.boards().index_of(dice=1))
    for turn, chance in found.items():
        exact = Fraction(1, 3) * Fraction(2, 3) ** (turn - 1)
        assert exact * (1 - Fraction(1, 10**11)) <= chance <= exact
    assert 0 < 1 - sum(found.values()) < Fraction(1, 10**11)


def test_the_mean_of_the_turns_is_that_of_the_visits() -> None:
    game = DropDead()
    start = game.boards().index_of(dice=5)
    chain = chain_from(game, compile_turn(game), [start])
    found = turns_to_end(chain, start)
    mean = sum(turn * chance for turn, chance in found.items())
    exact = sum(visits(chain, start).values())
    assert 0 < exact - mean < Fraction(1, 10**8)
