"""Piggy Six: sixes with one, two and three dice, how fast the score grows with them, and robots to beat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.games.claims import Value
from rollwise.games.claims.replay import turn_game
from rollwise.games.claims.throwing import chance
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Decision, Goto, Node, TurnGame

if TYPE_CHECKING:
    from rollwise.solver.values.board_solver import BoardValues

GAME = "piggy-six"
SUGGESTED_STOPS = range(8, 17)  # the sheet's stopping points for robots
ALL_STOPS = range(2, 31)  # all that the game takes
HIGH_TARGET = 100
DIGITS = 6


def all_different(stated: str, value: Value) -> bool:
    """True where no two values are equal."""
    return isinstance(value, tuple) and len(set(value)) == len(value)


def some_chances_differ(stated: str, value: Value) -> bool:
    """True where the chances in a text like "15 (0.55), 14 (0.56)" differ."""
    return isinstance(value, str) and len(set(re.findall(r"0\.\d+", value))) > 1


def over_a_third(stated: str, value: Value) -> bool:
    """True where the number in a text is over a third."""
    return isinstance(value, str) and Fraction(value) > Fraction(1, 3)


# --- throws and lone turns: no game is needed ----------------------------------------------------------------------


def sums(dice: int) -> Counter[int]:
    """Ways to each sum, of throws without a six."""
    ways_by_sum: Counter[int] = Counter()
    for faces, ways in throws(dice):
        if 6 not in faces:
            ways_by_sum[sum(faces)] += ways
    return ways_by_sum


def points_of_a_good_throw(dice: int) -> Fraction:
    """Mean points of a throw without a six."""
    return Fraction(sum(points * ways for points, ways in sums(dice).items()), sums(dice).total())


def points_of_the_best_turn(dice: int) -> Fraction:
    """Most mean points of a turn, by optimal stopping (the later game left aside).

    From a total on at which one more throw gains no more on average than it risks, throwing on never pays.
    """
    gains = sum(points * ways for points, ways in sums(dice).items())
    enough = -(-gains // (6**dice - sums(dice).total()))

    @cache
    def worth(total: int) -> Fraction:
        if total >= enough:
            return Fraction(total)
        after = sum((ways * worth(total + points) for points, ways in sums(dice).items()), Fraction(0))
        return max(Fraction(total), after * Fraction(1, 6**dice))

    return worth(0)


def chance_of_sixes_in_a_turn(dice: int, stop: int) -> Fraction:
    """P(a turn that goes on until it has ``stop`` points ends with two or more sixes)."""
    several = chance(dice, "at least two sixes")

    @cache
    def chance_from(total: int) -> Fraction:
        if total >= stop:
            return Fraction(0)
        later = sum((ways * chance_from(total + points) for points, ways in sums(dice).items()), Fraction(0))
        return several + later * Fraction(1, 6**dice)

    return chance_from(0)


def least_ratio_in_a_turn() -> Fraction:
    """Least ratio, over the suggested stopping points, of P(two sixes in a turn) with three dice to that with two."""
    return min(chance_of_sixes_in_a_turn(3, stop) / chance_of_sixes_in_a_turn(2, stop) for stop in SUGGESTED_STOPS)


def growth(more: int, less: int) -> dict[str, Value]:
    """Factor by which the score grows faster with more dice, in three readings."""
    good, all_good = (Fraction(of(more)) / of(less) for of in (points_of_a_good_throw, lambda dice: sums(dice).total()))
    return {
        "points of a throw without a six": good,
        "points of a throw, none with a six": good * all_good / 6 ** (more - less),
        "points of a whole turn that stops at the best moment": points_of_the_best_turn(more)
        / points_of_the_best_turn(less),
    }


def outcome_of(game: TurnGame, dice: Faces, total: int = 0, *state: Any) -> Any:
    """Effect of a throw: the turn's end, or its new total and dice."""
    from rollwise.games.piggy_six.rules import NOTHING, ZERO, throw_effect

    effect = throw_effect(dice)
    return effect if effect in (NOTHING, ZERO) else (total + int(effect), len(dice))


# --- the game's own turn -------------------------------------------------------------------------------------------


def decisions() -> str:
    """All moves of decisions in the game."""
    game = turn_game(GAME)
    states = list(game.roots())
    names = set[str]()
    for state in states:
        pending: list[Node] = [game.turn(*state)]
        for node in pending:
            if isinstance(node, Decision) and len(node.moves) > 1:
                names |= {"stop" if name == "hold" else str(name) for name, _ in node.moves}
            after = [child for _, child in getattr(node, "moves", getattr(node, "outcomes", ()))]
            pending += [child for child in after if not isinstance(child, Goto)]
            states += {child.state for child in after if isinstance(child, Goto)} - set(states)
    return ", ".join(sorted(names))


def least_banked(robots: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Least points that each robot banks in a turn that earns any."""
    from rollwise.solver.turn.graph import compile_turn

    graph = compile_turn(turn_game(GAME, robots=robots))
    ends = [[graph.results[graph.leaves[leaf].result] for leaf in np.flatnonzero(root)] for root in graph.root_leaves]
    return tuple(Fraction(min(n for n in banked if isinstance(n, int) and n)) for banked in ends[1:])


# --- the solved game -----------------------------------------------------------------------------------------------


@cache
def solved(target: int, robots: tuple[int, ...] = ()) -> tuple[TurnGame, BoardValues]:
    """Game and certified values of its boards."""
    from rollwise.solver.turn.graph import compile_turn  # only slow claims load the solver
    from rollwise.solver.values.board_solver import BoardSolver

    game = turn_game(GAME, target=target, robots=robots)
    return game, BoardSolver(game, compile_turn(game)).solve()


def chance_to_win(target: int, *robots: int) -> tuple[float, float]:
    """P(the human beats these robots under best play), and its certified half-width."""
    game, values = solved(target, robots)
    start = game.boards().index_of(**game.first_board())
    return float(values.values[start]), float(values.radius[start])


def to_digits(value: float, radius: float) -> str:
    """Solved number to DIGITS digits, all certified."""
    low, high = (f"{value + far:.{DIGITS}f}" for far in (-radius, radius))
    if low != high:
        raise ModelError(f"wanted {DIGITS} digits that are sure, got {low} to {high}")
    return low


def by_difficulty(target: int, stops: Iterable[int]) -> list[int]:
    """Stopping points, the hardest to beat first; raises ModelError where the bounds of two overlap."""
    chances = {stop: chance_to_win(target, stop) for stop in stops}
    ranked = sorted(chances, key=lambda stop: chances[stop])
    for harder, easier in pairwise(ranked):
        (low, radius), (high, other) = chances[harder], chances[easier]
        if low + radius >= high - other:
            raise ModelError(f"robots {harder} and {easier} cannot be told apart, got {low} and {high}")
    return ranked


def difficulty(target: int) -> str:
    """The suggested stopping points, the hardest to beat first, each with the human's chance."""
    ranked = by_difficulty(target, SUGGESTED_STOPS)
    return ", ".join(f"{stop} ({to_digits(*chance_to_win(target, stop))})" for stop in ranked)


def hardest_of_all(target: int) -> Fraction:
    """Stopping point that is hardest to beat, of all that the game takes."""
    return Fraction(by_difficulty(target, ALL_STOPS)[0])


def beats_robots(target: int, robots: tuple[int, ...]) -> str:
    """P(the human beats these robots under best play), as text."""
    return to_digits(*chance_to_win(target, *robots))


def two_sixes_cost_more() -> Fraction:
    """Share of boards on which two sixes leave the mover a smaller chance to win than one six.

    It counts boards on which the mover has points to lose and the game goes on after the turn.
    """
    from rollwise.games.piggy_six.rules import NOTHING, ZERO

    game, values = solved(HIGH_TARGET)
    space = game.boards()
    boards = np.arange(space.size)
    columns = space.columns(boards)
    boards_going_on = np.flatnonzero(game.possible(columns) & (columns.mine > 0) & (columns.theirs < HIGH_TARGET))
    board = space.columns(boards_going_on)

    def others_chance(result: int | str) -> tuple[Any, Any]:
        """Values and radii for the other player, who moves next."""
        following = game.transition(board, result).next
        if following is None:
            raise ModelError(f"{game} ends where it should go on, after {result}")
        after = space.index(following, len(boards_going_on))
        return values.values[after], values.radius[after]

    one, radius_one = others_chance(NOTHING)
    two, radius_two = others_chance(ZERO)
    return Fraction(int((two - radius_two > one + radius_one).sum()), len(boards_going_on))
