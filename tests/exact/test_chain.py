"""Chains without decisions: exact means and distributions, against hand-computed fractions and other sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import icepool
import pytest

from rollwise.games.drop_dead import DICE, DropDead, outcome_of
from rollwise.games.pig import Pig
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.chains import chain
from rollwise.solver.chains.chain import Distribution, absorption, collapse, reward_distribution
from rollwise.solver.game.errors import ModelError, TooLarge
from rollwise.solver.game.model import Beyond, Boards, Chance, Columns, End, Settled, State, TurnGame, Word
from rollwise.solver.turn.graph import TurnGraph, compile_turn

MEAN = Fraction(837242, 52117)

Rule = dict[int, list[tuple[int, Any, int]]]  # board: (weight, next board or "over", points)


@dataclass(frozen=True)
class Toy(TurnGame):
    """A chain given as a table; one root a board."""

    name = "toy"
    kind = "alone"
    measure = "score"
    total = 0
    size: int = 1

    def boards(self) -> Boards:
        return Boards(place=self.size)

    def roots(self) -> list[State]:
        return [(place,) for place in range(self.size)]

    def root(self, board: Columns) -> Any:
        return board.place

    def table(self) -> Rule:
        raise NotImplementedError

    def turn(self, place: int) -> Word:
        return Chance((weight, End((following, points))) for weight, following, points in self.table()[place])

    def settle(self, board: Columns, result: tuple[Any, Any]) -> Settled:
        following, points = result
        if following == "over":
            return Settled(over=True, reward=points)
        return Settled(next={"place": 0 * board.place + following}, reward=points)


def toy(rule: Rule) -> tuple[TurnGame, TurnGraph]:
    class Table(Toy):
        def table(self) -> Rule:
            return rule

    game = Table(len(rule))
    return game, compile_turn(game)


@pytest.fixture(scope="module")
def drop_dead() -> tuple[DropDead, TurnGraph]:
    game = DropDead()
    return game, compile_turn(game)


# --- one turn ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", range(1, DICE + 1))
def test_collapsed_throws_have_the_odds_that_icepool_finds(drop_dead: tuple[DropDead, TurnGraph], dice: int) -> None:
    def seen(*faces: int) -> tuple[int, int]:
        dead = sum(face in (2, 5) for face in faces)
        return (dead, 0) if dead else (0, sum(faces))

    expected = icepool.map(seen, *[icepool.d6] * dice)
    _, graph = drop_dead
    leaves = collapse(graph, int(graph.roots[dice - 1]))
    found = {graph.results[graph.leaves[leaf].result]: chance for leaf, chance in leaves}
    assert found == {result: expected.probability(result) for result in expected}


def test_a_turn_with_a_choice_does_not_collapse() -> None:
    graph = compile_turn(Pig(10))
    with pytest.raises(ModelError, match="choice"):
        collapse(graph, int(graph.roots[0]))


def test_a_throw_in_stages_collapses_to_one_distribution() -> None:
    class Staged(Toy):
        def turn(self, place: int) -> Word:
            return Chance([(1, End(("over", 1))), (1, Chance([(1, End(("over", 1))), (2, End(("over", 4)))]))])

    graph = compile_turn(Staged(1))
    by_points = {graph.results[leaf][1]: chance for leaf, chance in collapse(graph, int(graph.roots[0]))}
    assert by_points == {1: Fraction(2, 3), 4: Fraction(1, 3)}


# --- expected points -----------------------------------------------------------------------------------------------


def test_mean_score_of_drop_dead(drop_dead: tuple[DropDead, TurnGraph]) -> None:
    means = absorption(*drop_dead)
    assert means[0] == 7  # by hand: V = 14/6 + 4/6 V
    assert means[DICE - 1] == MEAN


def test_certified_sweeps_enclose_the_exact_means(drop_dead: tuple[DropDead, TurnGraph]) -> None:
    swept = BoardSolver(*drop_dead).solve()
    for board, mean in absorption(*drop_dead).items():
        assert abs(Fraction(swept.values[board]) - mean) <= Fraction(float(swept.radius[board])) < Fraction(1, 10**9)


def test_a_chain_that_goes_round_without_points_by_hand() -> None:
    """From 0 on to 1 or over with 1 point, from 1 back to 0 or over with 2: P(1) = 2/3, P(2) = 1/3."""
    game, graph = toy({0: [(1, 1, 0), (1, "over", 1)], 1: [(1, 0, 0), (1, "over", 2)]})
    assert absorption(game, graph) == {0: Fraction(4, 3), 1: Fraction(5, 3)}
    assert reward_distribution(game, graph, 0) == Distribution(
        0, (Fraction(0), Fraction(2, 3), Fraction(1, 3)), Fraction(0)
    )
    assert list(reward_distribution(game, graph, 1).chances) == [0, Fraction(1, 3), Fraction(2, 3)]


def test_staying_put_is_divided_out() -> None:
    game, graph = toy({0: [(4, 0, 0), (1, 1, 1), (1, "over", 0)], 1: [(2, 1, 0), (1, "over", 3)]})
    assert list(reward_distribution(game, graph, 0).chances) == [Fraction(1, 2), 0, 0, 0, Fraction(1, 2)]


def test_three_boards_in_a_ring_of_steps_without_points() -> None:
    """Every turn ends the game with 1/4 and the board's own points, else goes round: 16/37, 12/37, 9/37."""
    rule: Rule = {i: [(3, (i + 1) % 3, 0), (1, "over", i)] for i in range(3)}
    game, graph = toy(rule)
    assert list(reward_distribution(game, graph, 0).chances) == [Fraction(16, 37), Fraction(12, 37), Fraction(9, 37)]
    assert absorption(game, graph)[0] == Fraction(30, 37)


def test_points_of_the_turn_and_of_the_board_add_up() -> None:
    class Both(Toy):
        def turn(self, place: int) -> Word:
            return End(("over", 2), reward=3)

    game = Both(1)
    assert list(reward_distribution(game, compile_turn(game), 0).chances) == [0, 0, 0, 0, 0, 1]


def test_over_a_hundred_boards_are_solved_exactly() -> None:
    """Heads goes on, tails goes back to the start: 2 ** (n + 1) - 2 throws until n heads in a row."""
    n = 120
    rule: Rule = {i: [(1, i + 1 if i + 1 < n else "over", 1), (1, 0, 1)] for i in range(n)}
    assert absorption(*toy(rule))[0] == 2 ** (n + 1) - 2


# --- distributions -------------------------------------------------------------------------------------------------


@cache
def outcomes(dice: int) -> Counter[tuple[int, int]]:
    return Counter(outcome_of(faces) for faces in product(range(1, 7), repeat=dice))


@cache
def chance_by_recursion(dice: int, points: int) -> Fraction:
    """P(so many points to come), straight from the rule: a throw either scores or loses dice."""
    if dice == 0 or points < 0:
        return Fraction(points == 0)
    return sum(
        (
            Fraction(ways, 6**dice) * chance_by_recursion(dice - dropped, points - scored)
            for (dropped, scored), ways in outcomes(dice).items()
            if scored <= points
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("dice", range(1, DICE + 1))
def test_the_distribution_agrees_with_a_recursion_by_hand(drop_dead: tuple[DropDead, TurnGraph], dice: int) -> None:
    found = reward_distribution(*drop_dead, dice - 1)
    assert all(found.chance(points) == chance_by_recursion(dice, points) for points in range(60))


def test_one_die_by_hand(drop_dead: tuple[DropDead, TurnGraph]) -> None:
    """With one die P(0) = 1/3 and P(s) = (P(s-1) + P(s-3) + P(s-4) + P(s-6)) / 6."""
    one = reward_distribution(*drop_dead, 0)
    for s in range(1, one.end):
        assert one.chance(s) == (one.chance(s - 1) + one.chance(s - 3) + one.chance(s - 4) + one.chance(s - 6)) / 6
    assert one.chance(0) == Fraction(1, 3)


def test_chances_and_tail_make_exactly_one(drop_dead: tuple[DropDead, TurnGraph]) -> None:
    found = reward_distribution(*drop_dead, DICE - 1)
    assert sum(found.chances) + found.beyond == 1
    assert 0 < found.beyond <= Fraction(1, 10**12) < found.beyond + found.chances[-1]


def test_the_mean_of_the_distribution_is_the_mean_score(drop_dead: tuple[DropDead, TurnGraph]) -> None:
    for tail in (Fraction(1, 10**3), Fraction(1, 10**12), Fraction(1, 10**30)):
        found = reward_distribution(*drop_dead, DICE - 1, tail)
        assert found.mean_below() < MEAN < found.mean_below() + 100 * tail


def test_a_chain_that_must_end_has_no_tail() -> None:
    found = reward_distribution(*toy({0: [(1, 1, 5), (2, "over", 0)], 1: [(1, "over", 1)]}), 0, tail=0)
    assert found == Distribution(0, (Fraction(2, 3), *[Fraction(0)] * 5, Fraction(1, 3)), Fraction(0))
    assert found.plain() == {"value": {"0": 2 / 3, "6": 1 / 3}}


def test_a_cut_distribution_shows_its_tail_rounded_up() -> None:
    found = Distribution(3, (Fraction(1, 2), Fraction(0), Fraction(1, 6)), Fraction(1, 3)).plus(10)
    plain = found.plain()
    assert plain["value"] == {"13": 0.5, "15": 1 / 6}
    assert plain["tail"]["from"] == 16
    assert Fraction(1, 3) <= Fraction(plain["tail"]["upper"]) < Fraction(1, 3) + Fraction(1, 10**15)


# --- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({0: [(1, 1, 1), (1, "over", 0)], 1: [(1, 1, 1)]}, "never ends from {'place': 1}"),
        ({0: [(1, 0, 0)]}, "never ends from {'place': 0}"),
        ({0: [(1, "over", -1)]}, "gives -1 points in a step"),
    ],
)
def test_a_chain_that_cannot_be_answered_says_why(rule: Rule, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        reward_distribution(*toy(rule), 0)


def settling(said: Callable[[Columns], Settled], word: Word | None = None) -> tuple[TurnGame, TurnGraph]:
    class Other(Toy):
        def turn(self, place: int) -> Word:
            return word or End("result")

        def settle(self, board: Columns, result: Any) -> Settled:
            return said(board)

    game = Other(1)
    return game, compile_turn(game)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (Settled(over=True, reward=1, per=2), "gives 1/2 points in a step"),
        (Settled(drawn=True), "gives 1/2 points in a step"),
        (Settled(over=True, legal=False), "is illegal"),
        (Settled(), "leads nowhere"),
        (Settled(next={"place": 0}, mover=True), "hands the dice to another player"),
    ],
)
def test_results_that_are_no_step_of_a_chain_are_refused(said: Settled, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        reward_distribution(*settling(lambda board: said), 0)


def test_a_turn_that_is_cut_is_refused() -> None:
    word = Chance([(1, End("result")), (1, Beyond(0, 1))])
    with pytest.raises(ModelError, match="cuts its turn"):
        absorption(*settling(lambda board: Settled(over=True), word))


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rule: Rule = {i: [(1, i + 1 if i < 9 else "over", 1)] for i in range(10)}
    monkeypatch.setattr(chain, "MOST_UNKNOWNS", 9)
    with pytest.raises(TooLarge, match="10 boards, an exact solve takes 9"):
        absorption(*toy(rule))
    monkeypatch.setattr(chain, "MOST_TOTALS", 5)
    with pytest.raises(TooLarge, match="more than 5 points"):
        reward_distribution(*toy(rule), 0)
    monkeypatch.setattr(chain, "MOST_BOARDS", 7)
    with pytest.raises(TooLarge, match="more than 7 boards"):
        reward_distribution(*toy(rule), 0)
