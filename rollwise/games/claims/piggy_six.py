"""Piggy Six: sixes with one, two and three dice, how fast the score grows with them, and robots to beat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.games.claims import ALWAYS, EXACTLY, IN_WORDS, Claim, Precision, Value, more_than, stated_numbers
from rollwise.games.claims.replay import describe_position, replay, turn_game
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Decision, End, Goto, Node, TurnGame

if TYPE_CHECKING:
    from rollwise.solver.values.board_solver import BoardValues

GAME = "piggy-six"
SOURCE = "Piggy Six"
SUGGESTED_STOPS = range(8, 17)  # the sheet's stopping points for robots
ALL_STOPS = range(2, 31)  # all that the game takes
HIGH_TARGET, LOW_TARGET = 100, 50  # targets
DIGITS = 6


def _in_range(stated: str, value: Value) -> bool:
    low, high = stated_numbers(stated)
    return isinstance(value, Fraction) and low <= value <= high


def _all_different(stated: str, value: Value) -> bool:
    return isinstance(value, tuple) and len(set(value)) == len(value)


def _some_chances_differ(stated: str, value: Value) -> bool:
    """True where the chances in a text like "15 (0.55), 14 (0.56)" differ."""
    return isinstance(value, str) and len(set(stated_numbers(value)[1::2])) > 1


def _over_a_third(stated: str, value: Value) -> bool:
    return isinstance(value, str) and stated_numbers(value)[0] > Fraction(1, 3)


# --- throws and lone turns: no game is needed ----------------------------------------------------------------------


def chance_of_sixes(dice: int) -> Fraction:
    """P(two or more sixes), which reset the score to 0."""
    several = sum(ways for faces, ways in throws(dice) if faces.count(6) >= 2)
    return Fraction(several, 6**dice)


def chance_of_a_six(dice: int) -> Fraction:
    """P(the throw loses the turn)."""
    return Fraction(sum(ways for faces, ways in throws(dice) if 6 in faces), 6**dice)


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


def points_of_a_throw(dice: int) -> Fraction:
    """Mean points of a throw; one with a six counts 0."""
    return points_of_a_good_throw(dice) * Fraction(sums(dice).total(), 6**dice)


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

    @cache
    def chance(total: int) -> Fraction:
        if total >= stop:
            return Fraction(0)
        later = sum((ways * chance(total + points) for points, ways in sums(dice).items()), Fraction(0))
        return chance_of_sixes(dice) + later * Fraction(1, 6**dice)

    return chance(0)


def least_ratio_in_a_turn() -> Fraction:
    """Least ratio, over the suggested stopping points, of P(two sixes in a turn) with three dice to that with two."""
    return min(chance_of_sixes_in_a_turn(3, stop) / chance_of_sixes_in_a_turn(2, stop) for stop in SUGGESTED_STOPS)


def growth(more: int, less: int) -> dict[str, Value]:
    """Factor by which the score grows faster with more dice, in three readings."""
    return {
        "points of a throw without a six": points_of_a_good_throw(more) / points_of_a_good_throw(less),
        "points of a throw, none with a six": points_of_a_throw(more) / points_of_a_throw(less),
        "points of a whole turn that stops at the best moment": points_of_the_best_turn(more)
        / points_of_the_best_turn(less),
    }


# --- the game's own turn -------------------------------------------------------------------------------------------


def nodes(game: TurnGame, root: tuple[Any, ...]) -> Iterator[Node]:
    """All nodes of the turn that starts in ``root``."""
    visited = {root}
    pending: list[Node] = [Goto(*root)]
    while pending:
        node = pending.pop()
        if isinstance(node, Goto):
            node = game.turn(*node.state)
        yield node
        successors = [after for _, after in node.moves] if isinstance(node, Decision) else []
        successors += [after for _, after in getattr(node, "outcomes", ())]
        for after in successors:
            if not isinstance(after, Goto):
                pending.append(after)
            elif after.state not in visited:
                visited.add(after.state)
                pending.append(after)


def decisions() -> str:
    """All moves of decisions in the game."""
    game = turn_game(GAME)
    all_nodes = [node for root in game.roots() for node in nodes(game, root)]
    names = {name for node in all_nodes if isinstance(node, Decision) and len(node.moves) > 1 for name, _ in node.moves}
    return ", ".join(sorted("stop" if name == "hold" else str(name) for name in names))


def least_banked(*robots: int) -> tuple[Fraction, ...]:
    """Least points that each robot banks in a turn that earns any."""
    game = turn_game(GAME, robots=robots)
    ends = [[node.result for node in nodes(game, root) if isinstance(node, End)] for root in game.roots()[1:]]
    return tuple(Fraction(min(points for points in banked if isinstance(points, int) and points)) for banked in ends)


def scores_after(*thrown: Faces) -> tuple[Fraction, ...]:
    """Score after each of these throws of three dice, from 40."""
    from rollwise.games.piggy_six.rules import throw_effect

    game = turn_game(GAME, max_dice=3)

    def score(dice: Faces) -> int:
        played = replay(
            game, {"mine": 40}, [(None, "roll 3"), (dice, None)], outcome_of=lambda faces, *state: throw_effect(faces)
        )
        return int(describe_position(game, played)["theirs"])

    return tuple(Fraction(score(dice)) for dice in thrown)


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


def for_both_targets(compute: Callable[[int], Value]) -> dict[str, Value]:
    """Value for the long and for the short target."""
    return {f"target {target}": compute(target) for target in (HIGH_TARGET, LOW_TARGET)}


def difficulty(target: int) -> str:
    """The suggested stopping points, the hardest to beat first, each with the human's chance."""
    ranked = by_difficulty(target, SUGGESTED_STOPS)
    return ", ".join(f"{stop} ({to_digits(*chance_to_win(target, stop))})" for stop in ranked)


def hardest_of_all(target: int) -> Fraction:
    """Stopping point that is hardest to beat, of all that the game takes."""
    return Fraction(by_difficulty(target, ALL_STOPS)[0])


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


CLAIMS = (
    Claim(
        "piggy-six/three-dice-more-double-sixes",
        GAME,
        SOURCE,
        "How many times likelier two or more sixes are with three dice than with two.",
        "much more likely",
        more_than(1, "more than 1"),
        lambda: chance_of_sixes(3) / chance_of_sixes(2),
        "three sixes count as two; 'much' has no figure, so the claim holds if the ratio is above 1",
    ),
    Claim(
        "piggy-six/three-dice-more-double-sixes-in-a-turn",
        GAME,
        SOURCE,
        "The same for a whole turn that goes on to 8 points, or any number up to 16: the smallest of these ratios.",
        "much more likely",
        more_than(1, "more than 1"),
        least_ratio_in_a_turn,
        "taken of turns instead of throws: three dice are thrown less often for the same points",
    ),
    "piggy-six/one-die-no-double-six",
    Claim(
        "piggy-six/odds-change-with-dice",
        GAME,
        SOURCE,
        "The chance that a throw of one, two and three dice loses the turn.",
        "the odds change",
        Precision("all different", _all_different),
        lambda: tuple(map(chance_of_a_six, (1, 2, 3))),
    ),
    Claim(
        "piggy-six/one-die-slow",
        GAME,
        SOURCE,
        "How many times as fast the score grows with two dice as with one.",
        "slowly with one",
        more_than(1, "more than 1"),
        partial(growth, 2, 1),
        "one die is slow if two are faster; a resetting of the score is left aside",
    ),
    Claim(
        "piggy-six/three-dice-quick",
        GAME,
        SOURCE,
        "How many times as fast the score grows with three dice as with two.",
        "quickly with three",
        more_than(1, "more than 1"),
        partial(growth, 3, 2),
        "three dice are quick if they are faster than two; a resetting of the score is left aside",
    ),
    Claim(
        "piggy-six/triple-sixes-count-as-double",
        GAME,
        SOURCE,
        "What is left of a score of 40 after throwing 6-1-1, 6-6-1 and 6-6-6.",
        "40, 0, 0",
        EXACTLY,
        lambda: scores_after((6, 1, 1), (6, 6, 1), (6, 6, 6)),
        "stated in words: one six takes the turn only, two the score, three no more than two",
    ),
    Claim(
        "piggy-six/one-decision",
        GAME,
        SOURCE,
        "All that a player ever chooses between in the game of two dice.",
        "roll, stop",
        IN_WORDS,
        decisions,
    ),
    Claim(
        "piggy-six/double-sixes-worse",
        GAME,
        SOURCE,
        "The part of all boards on which two sixes lower the chance to win more than one six does.",
        "a six is bad, double sixes very bad",
        ALWAYS,
        two_sixes_cost_more,
        "two players to 100 who play best; boards on which the mover has points and this turn is not the last",
        slow=True,
    ),
    Claim(
        "piggy-six/robots-of-the-example",
        GAME,
        SOURCE,
        "The fewest points that the two robots of the example bank in a turn that earns them any.",
        "8, 14",
        EXACTLY,
        lambda: least_banked(8, 14),
    ),
    Claim(
        "piggy-six/hardest-robot",
        GAME,
        SOURCE,
        "The robots that stop at 8 to 16, the hardest to beat first, each with the chance of a human who plays best.",
        "some are harder to beat than others",
        Precision("not all equal", _some_chances_differ),
        partial(for_both_targets, difficulty),
        "the sheet leaves open which; one robot at a time, the human first, a shared win counts one half",
        slow=True,
    ),
    Claim(
        "piggy-six/good-stopping-points",
        GAME,
        SOURCE,
        "The stopping point from 2 to 30 that is hardest to beat.",
        "between 8 and 16",
        Precision("a number of this range", _in_range),
        partial(for_both_targets, hardest_of_all),
        "the range that the sheet calls good holds the hardest of all; one robot, the human first",
        slow=True,
    ),
    Claim(
        "piggy-six/beat-both-robots",
        GAME,
        SOURCE,
        "The chance of a human who plays best against the robots of 8 and 14 in the game to 50.",
        "see if you can beat them",
        Precision("more than a third", _over_a_third),
        lambda: to_digits(*chance_to_win(LOW_TARGET, 8, 14)),
        "beaten if the human wins more often than a third, the share of one player in three",
        slow=True,
    ),
)
