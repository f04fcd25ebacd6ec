from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest

from rollwise.games.shut_the_box import ShutTheBoxTable
from rollwise.solver.boards import table as table_solver
from rollwise.solver.boards.table import solve_table
from rollwise.solver.game.errors import ModelError, TooLarge
from rollwise.solver.game.model import Boards, Chance, Choice, Columns, End, Settled, TurnGame, Word, parameter
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.vectors import table_backup, table_moves, table_replies, tie_slack
from rollwise.solver.witness.table import table_holds

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
    for players, variant, boxes in (
        (2, "basic", 7),
        (2, "partial", 6),
        (3, "basic", 4),
        (3, "partial", 4),
        (4, "basic", 3),
        (4, "partial", 3),
    )
]


@pytest.mark.parametrize("g", SMALL_TABLES, ids=str)
def test_the_solver_agrees_with_the_recursion_in_fractions(g: ShutTheBoxTable) -> None:
    solved = solve_table(g, compile_turn(g))
    start = g.boards().index_of(**g.first_board())
    wanted = start_vector(g, first_best)
    for found, exact in zip(solved.values[start], wanted, strict=True):
        assert abs(Fraction(float(found)) - exact) <= Fraction(float(solved.radius[start]))


@pytest.mark.parametrize("g", SMALL_TABLES, ids=str)
def test_the_radius_covers_what_follows_as_the_witness_counts_it(g: ShutTheBoxTable) -> None:
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    assert table_holds(g, graph, solved.values, solved.radius, solved.gain_limit, lambda share: None) is None


@pytest.mark.parametrize("g", SMALL_TABLES, ids=str)
def test_nobody_gains_by_leaving_the_policy_and_shares_are_1_together(g: ShutTheBoxTable) -> None:
    solved = solve_table(g, compile_turn(g))
    assert 0 <= solved.gain <= solved.gain_limit <= 1e-12
    assert solved.n_boards == np.isfinite(solved.radius).sum() == np.isfinite(solved.values).all(axis=1).sum()
    assert np.nanmax(np.abs(np.nansum(solved.values[np.isfinite(solved.radius)], axis=1) - 1)) <= 1e-12


@pytest.mark.parametrize("g", [table for table in SMALL_TABLES if table.variant == "partial"], ids=str)
def test_the_gain_is_what_one_seat_wins_over_a_table_that_plays_the_first_move(
    g: ShutTheBoxTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_solver, "tie_slack", lambda radius: np.full(len(radius), 2.0))  # all moves look equal
    solve = table_solver._Solve(g, compile_turn(g))
    solved = solve.run(None)
    start = g.boards().index_of(**g.first_board())
    careless = start_vector(g, lambda mover, options: options[0])
    assert solved.values[start] == pytest.approx([float(share) for share in careless], abs=1e-14)
    for seat in range(g.players):

        def alone(mover: int, options: Sequence[Vector], seat: int = seat) -> Vector:
            return first_best(mover, options) if mover == seat else options[0]

        assert solve.replies[start, seat] == pytest.approx(float(start_vector(g, alone)[seat]), abs=1e-14)
    assert solved.gain >= (solve.replies[start] - solved.values[start]).max() > 1e-4


def test_two_at_the_full_table_share_1_and_the_last_to_move_is_better_off() -> None:
    g = ShutTheBoxTable(players=2, objective="win")
    solved = solve_table(g, compile_turn(g))
    shares = solved.values[g.boards().index_of(**g.first_board())]
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert shares[0] < shares[1]
    assert solved.gain_limit <= 1e-12


def test_a_question_rebuilds_a_stored_board_to_the_last_bit() -> None:
    g = ShutTheBoxTable(players=3, objective="win", boxes=7)
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    (root,) = graph.roots.tolist()
    for board in np.flatnonzero(np.isfinite(solved.radius))[::7]:
        one = np.array([board])
        leaves = table_moves(g, graph, root, one).leaves(solved.values)
        mover = g.mover(g.boards().columns(one))
        nodes = table_backup(graph, leaves, mover, tie_slack(solved.radius[one]))
        assert (nodes[root, 0] == solved.values[board]).all()


# --- toy tables ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Toy(TurnGame):
    """Three seats, one throw: results are shares in tenths; the boards 0, 1, ... are moved on by seats 0, 1, ...."""

    name = "toy"
    kind = "table"
    measure = "win"
    unit = "probability"
    cyclic = False
    word: ClassVar[Word]

    players: int = parameter(3, "seats", low=3, high=3)

    def boards(self) -> Boards:
        return Boards(step=2)

    def turn(self) -> Word:
        return self.word

    def settle(self, board: Columns, result: Any) -> Settled:
        if result == "on":
            return Settled(next={"step": board.step + 1}, legal=board.step == 0)
        return Settled(over=True, shares=np.array(result)[:, None], per=10)

    def level(self, board: Columns) -> Any:
        return board.step

    def mover(self, board: Columns) -> Any:
        return board.step


def toy(word: Word) -> TurnGame:
    made = type("MadeToy", (Toy,), {"word": word})()
    assert isinstance(made, TurnGame)
    return made


def solved_toy(word: Word) -> list[list[float]]:
    g = toy(word)
    values: list[list[float]] = solve_table(g, compile_turn(g)).values.tolist()
    return values


def test_the_mover_takes_the_best_for_itself_and_the_others_take_what_comes() -> None:
    choice = Choice([("even", End((4, 3, 3))), ("own", End((2, 5, 3))), ("on", End("on"))])
    first, second = solved_toy(choice)
    assert second == [0.2, 0.5, 0.3]  # seat 1, who may not pass on
    assert first == [0.4, 0.3, 0.3]


def test_a_tie_goes_to_the_first_move_even_where_rounding_favours_a_later_one() -> None:
    mixed = Chance([(1, End((1, 0, 9))), (1, End((2, 0, 8))), (1, End((3, 0, 7)))])
    assert (0.1 + 0.2 + 0.3) / 3 > 0.2
    assert solved_toy(Choice([("sure", End((2, 8, 0))), ("mixed", mixed)]))[0] == [0.2, 0.8, 0.0]
    assert solved_toy(Choice([("mixed", mixed), ("sure", End((2, 8, 0)))]))[0] == pytest.approx([0.2, 0.0, 0.8])


def test_an_illegal_result_is_never_chosen_and_no_legal_one_is_an_error() -> None:
    with pytest.raises(ModelError, match="no legal result on"):
        solved_toy(End("on"))


def test_a_single_result_needs_no_inner_node() -> None:
    assert solved_toy(End((1, 2, 7))) == [[0.1, 0.2, 0.7]] * 2


def test_a_best_reply_changes_only_the_seat_that_deviates() -> None:
    g = toy(Choice([("first", End((1, 2, 7))), ("second", End((3, 4, 3)))]))
    graph = compile_turn(g)
    (root,) = graph.roots.tolist()
    leaves = table_moves(g, graph, root, np.array([0])).leaves(np.zeros((2, 3)))
    mover = np.array([0])
    careless = table_backup(graph, leaves, mover, slack=1.0)
    assert careless[root, 0].tolist() == [0.1, 0.2, 0.7]
    assert table_replies(graph, leaves, careless, mover, slack=1.0)[root, 0].tolist() == [0.3, 0.2, 0.7]


class Cyclic(Toy):
    cyclic = True
    word = End((1, 2, 7))


class Backward(Toy):
    word = Choice([("on", End("on")), ("end", End((1, 2, 7)))])

    def level(self, board: Columns) -> Any:
        return 1 - board.step


class Scoring(Toy):
    word = End((1, 2, 7), reward=3)


class Won(Toy):
    word = End("won")

    def settle(self, board: Columns, result: Any) -> Settled:
        return Settled(won=True)


class NoShares(Toy):
    word = End("over")

    def settle(self, board: Columns, result: Any) -> Settled:
        return Settled(over=True)


class Generous(Toy):
    word = End((4, 4, 4))


class Beside(Toy):
    word = End("beside")

    def settle(self, board: Columns, result: Any) -> Settled:
        return Settled(next={"step": board.step + 2})


@pytest.mark.parametrize(
    ("g", "error", "wanted"),
    [
        (Backward(), ModelError, "from {'step': 0} to {'step': 1}, which comes no later"),
        (Scoring(), ModelError, "a turn is worth shares, not points"),
        (Won(), ModelError, "says won, which a table does not use"),
        (NoShares(), ModelError, "ends the game without shares"),
        (Generous(), ModelError, "shares that are not 1 together"),
        (Beside(), ModelError, "leads off the boards"),
    ],
)
def test_a_game_file_that_a_table_cannot_use_is_refused(g: TurnGame, error: type[Exception], wanted: str) -> None:
    with pytest.raises(error, match=wanted):
        solve_table(g, compile_turn(g))


def test_a_table_whose_boards_come_again_is_refused() -> None:
    g = Cyclic()
    with pytest.raises(TooLarge, match="only tables without cycles"):
        solve_table(g, compile_turn(g))
