from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest

from rollwise.games.shut_the_box.variants import ShutTheBoxTable
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Tools
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Columns, Decision, End, Node, Transition, TurnGame, parameter
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.vectors import IN_ORDER, NEXT_SEAT, REVERSED, TIE, table_backup, table_replies
from rollwise.solver.values.table import TableSolve, solve_table
from tests.solver.plain import thorough
from tests.toys.seats import Toy, opened, refuted, toy

Vector = tuple[Fraction, ...]
Pick = Callable[[int, Sequence[Vector]], Vector]
LOST = 1000


# --- Shut the Box at a table, written again from the rule reading, in fractions --------------------------------------


def first_best(mover: int, options: Sequence[Vector]) -> Vector:
    return max(options, key=lambda vector: vector[mover])  # max takes the first of equals


def mean(vectors: Sequence[Vector]) -> Vector:
    return tuple(sum(column, Fraction(0)) / len(vectors) for column in zip(*vectors, strict=True))


def start_vector(g: ShutTheBoxTable, pick: Pick) -> Vector:
    """Shares at the start: the score of everyone who has moved is remembered, or LOST."""

    def with_score(scores: tuple[int, ...], score: int) -> Vector:
        now = (*scores, score)
        return before_turn(tuple(score if score == min(now) else LOST for score in now))

    @cache
    def before_turn(scores: tuple[int, ...]) -> Vector:
        if len(scores) == g.players:
            winners = [score != LOST for score in scores]
            return tuple(Fraction(won, sum(winners)) for won in winners)
        return one_turn(cache(lambda score: with_score(scores, score)), len(scores))

    def one_turn(end: Callable[[int], Vector], mover: int) -> Vector:
        @cache
        def throw(open: frozenset[int]) -> Vector:
            if not open:
                return end(0)
            two = mean([after_two(open, first, second) for first, second in product(range(1, 7), repeat=2)])
            if max(open) > 6:
                return two
            return pick(mover, [mean([after_one(open, die) for die in range(1, 7)]), two])

        def after_one(open: frozenset[int], die: int) -> Vector:
            return throw(open - {die}) if die in open else end(sum(open))

        @cache
        def after_two(open: frozenset[int], first: int, second: int) -> Vector:
            fits = [{first, second}] if first != second else []
            fits += [{first + second}] if max(open) > 6 else []
            ahead = [throw(open - shut) for shut in fits if shut <= open]
            if ahead:
                return pick(mover, ahead)
            partly = [die for die in (first, second) if die in open and g.variant == "partial"]
            return pick(mover, [*(end(sum(open) - die) for die in partly[:1]), end(sum(open))])

        return throw(frozenset(range(1, g.boxes + 1)))

    return before_turn(())


SMALL_TABLES = [
    ShutTheBoxTable(players=players, variant=variant, objective="win", boxes=boxes)
    for players, variant, boxes in ((3, "basic", 4), (3, "partial", 3), (4, "partial", 3))
]
by_both_makes = pytest.mark.parametrize("compiled", [False, True], ids=["numpy", "compiled"])


@cache
def at_start(g: ShutTheBoxTable) -> Vector:
    """Shares by the recursion where everybody plays their best."""
    return start_vector(g, first_best)


@by_both_makes
@pytest.mark.parametrize("g", [*SMALL_TABLES[:2], *thorough((SMALL_TABLES[2],))])
def test_a_table_is_what_the_recursion_in_fractions_says_and_nobody_gains_by_leaving_the_policy(
    g: ShutTheBoxTable, compiled: bool
) -> None:
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled)
    start = g.boards().index_of(**g.first_board())
    for found, exact, radius in zip(solved.values[start], at_start(g), solved.radius[start], strict=True):
        assert abs(Fraction(float(found)) - exact) <= Fraction(float(radius))
    assert refuted(g, graph, solved) is None
    assert 0 <= solved.gain <= solved.gain_limit <= 1e-12
    can_be = np.isfinite(solved.radius).all(axis=1)
    assert solved.n_boards == can_be.sum() == np.isfinite(solved.values).all(axis=1).sum()
    assert np.nanmax(np.abs(np.nansum(solved.values[can_be], axis=1) - 1)) <= 1e-12


@by_both_makes
@pytest.mark.parametrize("g", [SMALL_TABLES[1], *thorough((SMALL_TABLES[2],))])
def test_the_gain_is_what_one_seat_wins_over_a_table_that_plays_the_first_move(
    g: ShutTheBoxTable, compiled: bool
) -> None:
    solved = solve_table(g, compile_turn(g), tie=2.0, compiled=compiled)  # all moves look equal
    start = g.boards().index_of(**g.first_board())
    careless = start_vector(g, lambda mover, options: options[0])
    assert solved.values[start] == pytest.approx(np.array(careless, dtype=float), abs=1e-14)
    assert solved.responses is not None
    for seat in range(g.players):

        def alone(mover: int, options: Sequence[Vector], seat: int = seat) -> Vector:
            return first_best(mover, options) if mover == seat else options[0]

        assert solved.responses[start, seat] == pytest.approx(float(start_vector(g, alone)[seat]), abs=1e-14)
    assert solved.gain_limit >= solved.gain >= (solved.responses[start] - solved.values[start]).max() > 1e-4


def test_a_question_rebuilds_a_stored_board_to_the_last_bit() -> None:
    g = ShutTheBoxTable(players=3, objective="win", boxes=7)
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=False)
    kept = InMemory({"values": solved.values, "radius": solved.radius})
    found: Any = kind_of(g).restore(g, graph, kept, {"tie": solved.tie})
    for board in np.flatnonzero(np.isfinite(solved.radius[:, 0]))[::7]:
        turn = found.turn_on(g.boards().board(int(board)))
        assert (turn.root == solved.values[board]).all()
        assert turn.radius[0] <= 2 * solved.radius[board].max()


# --- toy tables ------------------------------------------------------------------------------------------------------


def solved_toy(word: Node) -> list[list[float]]:
    g = toy(word)
    values: list[list[float]] = solve_table(g, compile_turn(g)).values.tolist()
    return values


def test_the_mover_takes_the_best_for_itself_and_the_others_take_what_comes() -> None:
    choice = Decision([("even", End((4, 3, 3))), ("own", End((5, 2, 3))), ("on", End("on"))])
    first, second = solved_toy(choice)
    assert second == [0.5, 0.2, 0.3]  # the next seat, who may not hand on
    assert first == [0.5, 0.2, 0.3]
    poor = Decision([("little", End((1, 6, 3))), ("on", End("on"))])
    assert solved_toy(poor) == [[0.3, 0.1, 0.6], [0.1, 0.6, 0.3]]  # on: the mover is the second to the left of the next


def test_a_tie_goes_to_the_first_move_even_where_rounding_favours_a_later_one() -> None:
    mixed = Chance([(1, End((1, 0, 9))), (1, End((2, 0, 8))), (1, End((3, 0, 7)))])
    assert (0.1 + 0.2 + 0.3) / 3 > 0.2
    assert solved_toy(Decision([("sure", End((2, 8, 0))), ("mixed", mixed)]))[0] == [0.2, 0.8, 0.0]
    assert solved_toy(Decision([("mixed", mixed), ("sure", End((2, 8, 0)))]))[0] == pytest.approx([0.2, 0.0, 0.8])


def test_a_single_result_needs_no_inner_node() -> None:
    assert solved_toy(End((1, 2, 7))) == [[0.1, 0.2, 0.7]] * 2


def test_a_best_reply_changes_only_the_seat_that_deviates() -> None:
    g = toy(Decision([("first", End((1, 2, 7))), ("second", End((3, 4, 3)))]))
    graph = compile_turn(g)
    (root,) = graph.roots.tolist()
    leaves = np.array([[shares] for shares in ((0.1, 0.2, 0.7), (0.3, 0.4, 0.3))])
    assert [graph.results[leaf.result] for leaf in graph.leaves] == [(1, 2, 7), (3, 4, 3)]
    careless = table_backup(graph, leaves, slack=1.0)
    assert careless[root, 0].tolist() == [0.1, 0.2, 0.7]
    assert table_replies(graph, leaves, careless, slack=1.0)[root, 0].tolist() == [0.3, 0.2, 0.7]


class Backward(Toy):
    word = Decision([("on", End("on")), ("end", End((1, 2, 7)))])

    def level(self, board: Columns) -> Any:
        return 1 - board.step


class Returning(Backward):
    cyclic = True


class Impossible(Backward):
    def level(self, board: Columns) -> Any:
        return board.step

    def possible(self, board: Columns) -> Any:
        return board.step == 0


@dataclass(frozen=True)
class ForTwo(Toy):
    word = End((1, 9))
    players: int = parameter(2, "seats", low=2, high=2)


class Says(Toy):
    """Every result says the same."""

    word = End("what")
    said: ClassVar[Callable[[Columns], Transition]]

    def transition(self, board: Columns, result: Any) -> Transition:
        return type(self).said(board)


def says(said: Callable[[Columns], Transition]) -> TurnGame:
    made: TurnGame = type("MadeToy", (Says,), {"said": staticmethod(said)})()
    return made


@pytest.mark.parametrize(
    ("g", "wanted"),
    [
        (Backward(), "from {'step': 0} to {'step': 1}, which comes no later"),
        (Returning(), "is of an earlier level"),
        (Impossible(), "which cannot be"),
        (ForTwo(), "two players are a duel"),
        (toy(End("on")), "no legal result on"),
        (toy(End((1, 2, 7), reward=3)), "a turn is worth shares, not points"),
        (toy(End((4, 4, 4))), "shares that are not 1 together"),
        (says(lambda board: Transition(won=True)), "says won, which a table does not use"),
        (says(lambda board: Transition(over=True)), "ends the game without shares"),
        (says(lambda board: Transition(next={"step": board.step + 2})), "leads off the boards"),
    ],
)
def test_a_game_file_that_a_table_cannot_use_is_refused(g: TurnGame, wanted: str) -> None:
    with pytest.raises(ModelError, match=wanted):
        solve_table(g, compile_turn(g))


# --- other ways to break ties ----------------------------------------------------------------------------------------


@by_both_makes
def test_ties_go_to_the_first_the_last_or_the_one_that_is_best_for_the_next_seat(compiled: bool) -> None:
    word = Decision([("a", End((5, 1, 4))), ("b", End((5, 4, 1))), ("c", End((5, 2, 3))), ("d", End((4, 6, 0)))])
    g = toy(word)
    graph = compile_turn(g)
    for ties, wanted in ((IN_ORDER, [0.5, 0.1, 0.4]), (REVERSED, [0.5, 0.2, 0.3]), (NEXT_SEAT, [0.5, 0.4, 0.1])):
        solved = solve_table(g, graph, compiled=compiled, ties=ties)
        assert solved.values[0].tolist() == wanted
        assert solved.gain_limit < 1e-12


def test_what_other_ties_change_is_said_at_the_start_and_anywhere() -> None:
    for word, at_start, anywhere in (
        (Decision([("a", End((5, 1, 4))), ("b", End((5, 4, 1)))]), 0.3, 0.3),
        (Decision([("a", End((5, 1, 4))), ("b", End((4, 4, 2)))]), 0.0, 0.0),
        (Decision([("on", End("on")), ("a", End((1, 6, 3))), ("b", End((1, 4, 5)))]), 0.2, 0.2),
    ):
        told = kind_of(toy(word)).other_ties(opened(toy(word)), Tools())
        assert told.at_start == pytest.approx(at_start, abs=1e-12)
        assert told.anywhere == pytest.approx(anywhere, abs=1e-12)


def test_what_a_wide_tie_gives_away_is_in_the_gain_and_in_every_radius() -> None:
    worse = Chance([(1, End((1, 9, 0))), (10**10, End((3, 4, 3)))])
    g = toy(Decision([("worse", worse), ("better", End((3, 4, 3)))]))
    solved = solve_table(g, compile_turn(g), tie=1e-10)
    assert solved.values[0, 0] < 0.3
    assert solved.gain == pytest.approx(2e-11, rel=1e-3)
    assert solved.gain_limit >= 2e-11
    assert solved.responses is None


# --- stopped and taken up again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tie", [TIE, 2.0])
def test_a_solve_goes_on_from_any_level_to_the_same_answer(tie: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.components.checkpoints.CheckpointTimer.save_if_due", lambda self: self._save())
    g = SMALL_TABLES[1]
    graph = compile_turn(g)
    solve, stops = TableSolve(g, graph, tie=tie), []

    def save() -> None:
        arrays, state = solve.checkpoint()
        stops.append(({name: np.array(array) for name, array in arrays.items()}, json.loads(json.dumps(state))))

    whole = solve.run(lambda share: None, save)
    for arrays, state in stops[: g.players - 1]:
        again = TableSolve(g, graph, tie=tie)
        assert again.fits(arrays, state)
        again.resume(arrays, state)
        found = again.run(lambda share: None, lambda: None)
        assert np.array_equal(found.values, whole.values, equal_nan=True)
        assert np.array_equal(found.radius, whole.radius, equal_nan=True)
        assert (found.gain, found.gain_limit, found.method) == (whole.gain, whole.gain_limit, whole.method)
        for name in arrays:
            assert not again.fits({other: array for other, array in arrays.items() if other != name}, state)
        for changed in ({"level": None}, {"level": -1}, {"gain": "0"}, {"methods": "none"}, {"level": 0}):
            assert not again.fits(arrays, {**state, **changed}), changed
        assert not again.fits({**arrays, "values": np.full_like(arrays["values"], np.nan)}, state)
