"""Zilch solved once more, from rules written afresh: scoring units, points still wanted, one backup of all boards.

Nothing of ``games.zilch.rules`` is used but the values that the solver found with it.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import game
from rollwise.games.zilch.rules import Zilch
from rollwise.games.zilch.scoring import keeps, roll_look
from rollwise.games.zilch.variants import ZilchPoints, ZilchTurns
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.values.board_solver import BoardSolver, BoardValues
from tests.solver.plain import Roll, Turns, fallen, parts

Floats = Any
Kept = tuple[int, int, int, bool]  # points, dice to throw next, trio on the board then, whether they must be thrown

HERE = [(dice, 0) for dice in (6, 5, 4, 3, 2, 1)] + [(dice, trio) for dice in (3, 2, 1) for trio in (2, 3, 4, 5, 6)]
WANTED = 420  # points wanted are followed up to so many steps of 50; 21,000 points are made once in 10**10 turns


@cache
def taken(dice: Roll, old: int, new: Roll) -> frozenset[tuple[Roll, int, Roll]]:
    """(dice left over, points, trios made) for every way to take scoring units off a throw, none included."""
    found = {(dice, 0, new)}

    def take(unit: Roll, points: int, trios: Roll) -> None:
        left = list(dice)
        for die in unit:
            left.remove(die)
        found.update((rest, more + points, made) for rest, more, made in taken(tuple(left), old, trios))

    for face in set(dice):
        if face in (1, 5):
            take((face,), 100 if face == 1 else 50, new)
        if face in (old, *new):
            take((face,), 100, new)
        if dice.count(face) >= 3:
            take((face,) * 3, 1000 if face == 1 else 100 * face, (*new, face))
    return frozenset(found)


@cache
def options(roll: Roll, trio: int) -> frozenset[Kept]:
    """All that can be made of a throw beside a trio."""
    found: set[Kept] = set()
    for rest, points, made in taken(roll, trio, ()):
        if len(rest) < len(roll):
            standing = [face for face in made if face > 1] or [trio]
            found.add((points, len(rest) or 6, standing[0] if rest else 0, False))
    if len(roll) == 6:
        if sorted(roll) == [1, 2, 3, 4, 5, 6]:
            found.add((1500, 6, 0, True))
        if all(roll.count(face) in (2, 4, 6) for face in roll):
            found.add((1000, 6, 0, True))
    return frozenset(found)


@cache
def throw(dice: int, trio: int) -> list[tuple[float, list[Kept]]]:
    """(chance, what can be made of it) for throws that are alike."""
    ways: Counter[frozenset[Kept]] = Counter()
    for roll, n in fallen(dice).items():
        ways[options(roll, trio)] += n
    return [(n / 6**dice, sorted(kept)) for kept, n in ways.items()]


@cache
def chances() -> tuple[list[float], dict[tuple[int, int, int], float]]:
    """P(a last turn succeeds) by steps of 50 wanted, from its start, and before any throw in it."""
    before: dict[tuple[int, int, int], float] = {}
    plain = sum(chance for chance, kept in throw(6, 0) if any(not must for *_, must in kept))
    again = sum(chance for chance, kept in throw(6, 0) if kept and all(must for *_, must in kept))
    with_enough = plain / (1 - again)  # all six must be thrown, and no more points are wanted

    def after(wanted: int, points: int, dice: int, trio: int, must: bool) -> float:
        left = max(0, wanted - points // 50)
        return before[left, dice, trio] if left else with_enough if must else 1.0

    for wanted in range(1, WANTED):
        for here in HERE:
            before[wanted, *here] = sum(
                chance * max(after(wanted, *kept) for kept in made) for chance, made in throw(*here) if made
            )
    return [before.get((wanted, 6, 0), with_enough) for wanted in range(WANTED)], before


class Plain:
    """One turn on all boards of a duel at once: lanes are (mine, theirs) with both below the goal.

    ``value``: what they are worth.
    """

    def __init__(self, goal: int, opening: int) -> None:
        self.goal, self.opening = goal, opening
        scores = [0, *range(max(opening, 50), goal, 50)]
        self.boards = [(mine, theirs) for mine in scores for theirs in scores]
        self.cut = goal + 4000
        self.value: dict[tuple[int, int], float] = {}

    def needs(self, mine: int, theirs: int) -> int:
        """Steps of 50 wanted in a last turn."""
        return max(theirs - mine + 50, 500, self.opening if mine == 0 else 0) // 50

    def stop(self, total: int, mine: int, theirs: int) -> float:
        """What stopping is worth on a board, -inf where it is not allowed."""
        score = mine + total
        if total < 350 or (mine == 0 and total < self.opening) or (score >= self.goal and total < 500):
            return -np.inf
        if score < self.goal:
            return 1 - self.value[theirs, score]
        wanted = self.needs(theirs, score)
        return 1 - (chances()[0][wanted] if wanted < WANTED else 0.0)

    def lost(self, six: bool) -> Floats:
        """What a throw that scores nothing is worth on every board."""
        after = [mine + 100 if six and 0 < mine < self.goal - 100 else mine for mine, _ in self.boards]
        return np.array([1 - self.value[theirs, score] for (_, theirs), score in zip(self.boards, after, strict=True)])

    def backup(self) -> Floats:
        """What a turn is worth on every board; past the cut one stops wherever one may."""
        nothing = {six: self.lost(six) for six in (True, False)}
        stopped = {
            total: np.array([self.stop(total, *board) for board in self.boards])
            for total in range(0, self.cut + 8000, 50)
        }
        worth: dict[tuple[int, int, int, bool], Floats] = {}

        def after(total: int, points: int, dice: int, trio: int, must: bool) -> Floats:
            known = worth.get((total + points, dice, trio, must))
            return stopped[total + points] if known is None else known  # past the cut

        def thrown(total: int, dice: int, trio: int) -> Floats:
            return sum(
                chance * (np.max([after(total, *kept) for kept in made], axis=0) if made else nothing[dice == 6])
                for chance, made in throw(dice, trio)
            )

        for total in range(self.cut + 4000, -50, -50):
            for here in HERE if total < self.cut else HERE[:1]:
                if here == (6, 0):
                    worth[total, 6, 0, True] = thrown(total, 6, 0)
                    if total < self.cut:
                        worth[total, 6, 0, False] = np.maximum(stopped[total], worth[total, 6, 0, True])
                else:
                    worth[total, *here, False] = np.maximum(stopped[total], thrown(total, *here))
        return worth[0, 6, 0, False]


@cache
def solved(goal: int = 900, opening: int = 750) -> tuple[Zilch, TurnGraph, BoardValues]:
    made = Zilch(goal=goal, opening=opening)
    graph = compile_turn(made)
    return made, graph, BoardSolver(made, graph).solve()


@pytest.mark.parametrize("trio", [0, 2, 3, 4, 5, 6])
def test_the_ways_to_keep_are_those_of_scoring_units(trio: int) -> None:
    for dice in range(1, 7 if trio == 0 else 4):
        for roll in fallen(dice):
            seen = roll_look(trio)(roll)
            found: set[Kept] = set()
            if seen:
                sets = [some for some in parts(seen[0]) if some]
                found = {(*kept, False) for some in sets for _, *kept in keeps(some, trio, dice)}  # type: ignore[misc]
                found |= {({"straight": 1500, "three pairs": 1000}[seen[1]], 6, 0, True)} if seen[1] else set()
            assert found == options(roll, trio), roll


@pytest.mark.parametrize(("goal", "opening"), [(900, 750), pytest.param(500, 350, marks=pytest.mark.slow)])
def test_the_values_found_are_those_of_the_rules_written_afresh(goal: int, opening: int) -> None:
    made, _, found = solved(goal, opening)
    plain = Plain(goal, opening)
    index = {board: made.boards().index_of(mine=board[0] // 50, theirs=board[1] // 50) for board in plain.boards}
    plain.value = {board: float(found.values[place]) for board, place in index.items()}
    assert len(plain.boards) == 16
    assert np.max(np.abs(plain.backup() - np.array(list(plain.value.values())))) < 1e-9


def test_a_last_turn_is_worth_the_chance_to_make_the_points_that_are_wanted() -> None:
    made, _, found = solved()
    known, _ = chances()
    space, plain = made.boards(), Plain(900, 750)
    for theirs in range(900, made.near() + 50, 50):
        for mine in (0, 750, 800, 850):
            board = space.index_of(mine=mine // 50, theirs=theirs // 50)
            assert abs(found.values[board] - known[plain.needs(mine, theirs)]) < 1e-9, (mine, theirs)


def test_a_chase_is_worth_the_same_chance_and_exactly_what_it_is_word_by_word() -> None:
    made, graph, found = solved()
    known, _ = chances()
    for wanted in range(made.max_chased_points() // 50 + 1):
        board = made.boards().index_of(mine=0, theirs=made.far() + wanted)
        assert abs(found.values[board] - known[wanted]) < 1e-9, wanted
    late = {"mine": 0, "theirs": made.far() + 16}
    board = made.boards().index_of(**late)
    exact = solve_exact(made, graph, boards=[board]).values
    assert Turns(made, exact).value(tuple(late.values())) == exact[board]


def test_alone_a_goal_that_one_turn_reaches_takes_as_many_turns_as_its_chance_says() -> None:
    made = game("zilch", {"goal": 50, "players": 1})
    assert isinstance(made, ZilchTurns)
    found = BoardSolver(made, compile_turn(made), compiled=False).solve()
    assert abs(found.values[0] - 1 / chances()[0][750 // 50]) < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("score", [0, 1000])
def test_the_best_single_turn_is_that_of_the_rules_written_afresh(score: int) -> None:
    made = game("zilch", {"players": 1, "objective": "points"})
    assert isinstance(made, ZilchPoints)
    found = BoardSolver(made, compile_turn(made)).solve()
    least, consolation = (350, 100.0) if score else (750, 0.0)
    top = 30_000  # nobody comes so far, and nobody would go on
    worth: dict[tuple[int, int, int, bool], float] = {}
    for total in range(top, -50, -50):
        for here in HERE:
            nothing = consolation if here[0] == 6 else 0.0
            thrown = 0.0
            for chance, kept in throw(*here):
                made_of_it = [
                    worth.get((total + points, dice, trio, must), float(total + points))
                    for points, dice, trio, must in kept
                ]
                thrown += chance * max(made_of_it, default=nothing)
            worth[total, *here, False] = max(total, thrown) if total >= least else thrown
            worth[total, *here, True] = thrown
    assert abs(worth[0, 6, 0, False] - found.values[int(score > 0)]) < 1e-6
