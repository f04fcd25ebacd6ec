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

from rollwise.comparing.seen import Asked
from rollwise.games.shut_the_box import ShutTheBoxTable
from rollwise.solver.boards.table import TableSolve, TableValues, solve_table
from rollwise.solver.game.errors import ModelError, NotConverged
from rollwise.solver.game.fields import Number, Numbers
from rollwise.solver.game.model import (
    Beyond,
    Boards,
    Chance,
    Choice,
    Columns,
    End,
    Go,
    Position,
    Settled,
    TurnGame,
    Word,
    parameter,
)
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, Tools, Wanted
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.vectors import IN_ORDER, NEXT_SEAT, REVERSED, TIE, table_backup, table_replies
from rollwise.solver.witness.table import Claimed, table_holds
from tests.tables import Explicit

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


def seen_from_seat_0(g: TurnGame, solved: TableValues) -> list[float]:
    """Shares at the start, where seat 0 moves."""
    found: list[float] = solved.values[g.boards().index_of(**g.first_board())].tolist()
    return found


def refuted(g: TurnGame, graph: TurnGraph, solved: TableValues) -> str | None:
    """What the witness has to say."""
    claimed = Claimed(solved.values, solved.radius, solved.replies, solved.mixed.rows, solved.tie, solved.gain_limit)
    return table_holds(g, graph, claimed, lambda share: None)


SMALL_TABLES = [
    ShutTheBoxTable(players=players, variant=variant, objective="win", boxes=boxes)
    for players, variant, boxes in (
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
    for found, exact, radius in zip(solved.values[start], wanted, solved.radius[start], strict=True):
        assert abs(Fraction(float(found)) - exact) <= Fraction(float(radius))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("g", SMALL_TABLES, ids=str)
def test_the_witness_finds_nothing_wrong(g: ShutTheBoxTable, compiled: bool) -> None:
    graph = compile_turn(g)
    assert refuted(g, graph, solve_table(g, graph, compiled=compiled)) is None


@pytest.mark.parametrize("g", SMALL_TABLES, ids=str)
def test_nobody_gains_by_leaving_the_policy_and_shares_are_1_together(g: ShutTheBoxTable) -> None:
    solved = solve_table(g, compile_turn(g))
    assert 0 <= solved.gain <= solved.gain_limit <= 1e-12
    can_be = np.isfinite(solved.radius).all(axis=1)
    assert solved.n_boards == can_be.sum() == np.isfinite(solved.values).all(axis=1).sum()
    assert np.nanmax(np.abs(np.nansum(solved.values[can_be], axis=1) - 1)) <= 1e-12


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("g", [table for table in SMALL_TABLES if table.variant == "partial"], ids=str)
def test_the_gain_is_what_one_seat_wins_over_a_table_that_plays_the_first_move(
    g: ShutTheBoxTable, compiled: bool
) -> None:
    graph = compile_turn(g)
    solved = solve_table(g, graph, tie=2.0, compiled=compiled)  # all moves look equal
    careless = start_vector(g, lambda mover, options: options[0])
    assert seen_from_seat_0(g, solved) == pytest.approx([float(share) for share in careless], abs=1e-14)
    assert solved.replies is not None
    start = g.boards().index_of(**g.first_board())
    for seat in range(g.players):

        def alone(mover: int, options: Sequence[Vector], seat: int = seat) -> Vector:
            return first_best(mover, options) if mover == seat else options[0]

        assert solved.replies[start, seat] == pytest.approx(float(start_vector(g, alone)[seat]), abs=1e-14)
    assert solved.gain_limit >= solved.gain >= (solved.replies[start] - solved.values[start]).max() > 1e-4


def test_a_question_rebuilds_a_stored_board_to_the_last_bit() -> None:
    g = ShutTheBoxTable(players=3, objective="win", boxes=7)
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=False)
    kept = InMemory({"values": solved.values, "radius": solved.radius})
    opened: Any = kind_of(g).restore(g, graph, kept, {"tie": solved.tie})
    for board in np.flatnonzero(np.isfinite(solved.radius[:, 0]))[::7]:
        turn = opened.turn_on(g.boards().board(int(board)))
        assert (turn.root == solved.values[board]).all()
        assert turn.radius[0] <= 2 * solved.radius[board].max()


# --- toy tables ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Toy(TurnGame):
    """Three seats, one throw: results are shares in tenths, from the mover; from board 0 the next seat may be handed on
    to board 1.
    """

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
            return Settled(next={"step": board.step + 1}, mover=1, legal=board.step == 0)
        return Settled(over=True, shares=np.array(result)[:, None], per=10)

    def level(self, board: Columns) -> Any:
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
    choice = Choice([("even", End((4, 3, 3))), ("own", End((5, 2, 3))), ("on", End("on"))])
    first, second = solved_toy(choice)
    assert second == [0.5, 0.2, 0.3]  # the next seat, who may not hand on
    assert first == [0.5, 0.2, 0.3]
    poor = Choice([("little", End((1, 6, 3))), ("on", End("on"))])
    assert solved_toy(poor) == [[0.3, 0.1, 0.6], [0.1, 0.6, 0.3]]  # on: the mover is the second to the left of the next


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
    leaves = np.array([[shares] for shares in ((0.1, 0.2, 0.7), (0.3, 0.4, 0.3))])
    assert [graph.results[leaf.result] for leaf in graph.leaves] == [(1, 2, 7), (3, 4, 3)]
    careless = table_backup(graph, leaves, slack=1.0)
    assert careless[root, 0].tolist() == [0.1, 0.2, 0.7]
    assert table_replies(graph, leaves, careless, slack=1.0)[root, 0].tolist() == [0.3, 0.2, 0.7]


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


class ForTwo(Toy):
    word = End((1, 9))
    players: int = parameter(2, "seats", low=2, high=2)


class Impossible(Toy):
    word = Choice([("on", End("on")), ("end", End((1, 2, 7)))])

    def possible(self, board: Columns) -> Any:
        return board.step == 0


class Returning(Backward):
    cyclic = True


def test_a_table_of_two_is_a_duel() -> None:
    g = dataclass(frozen=True)(ForTwo)()
    with pytest.raises(ModelError, match="two players are a duel"):
        solve_table(g, compile_turn(g))


@pytest.mark.parametrize(("g", "wanted"), [(Impossible(), "which cannot be"), (Returning(), "is of an earlier level")])
def test_a_turn_that_leads_to_no_board_of_the_table_is_refused(g: TurnGame, wanted: str) -> None:
    with pytest.raises(ModelError, match=wanted):
        solve_table(g, compile_turn(g))


# --- boards that come again ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Race(TurnGame):
    """Pig for three with a small die: a 1 loses the turn, and who reaches the target wins; scores from the mover."""

    name = "race"
    title = "Race"
    source = "tests"
    rules = "None."
    kind = "table"
    measure = "win"
    unit = "probability"

    players: int = parameter(3, "seats", low=3, high=4)
    target: int = parameter(4, "points that win", low=1, high=50)
    faces: int = parameter(3, "of the die", low=2, high=6)
    cut: int = parameter(100, "from this total on rolling is past the cut", low=1, high=100)

    def boards(self) -> Boards:
        return Boards(**{f"score{seat}": self.target for seat in range(self.players)})

    def turn(self, total: int = 0) -> Word:
        after = [(1, Go(total + face)) for face in range(2, self.faces + 1)]
        roll: Word = Chance([(1, End(0)), *after])
        if total >= self.cut:
            roll = Beyond(0, 1)
        return Choice([("hold", End(total)), ("roll", roll)]) if total else roll

    def roots(self) -> list[tuple[int, ...]]:
        return [(0,)]

    def settle(self, board: Columns, total: int) -> Settled:
        scores = [board.as_dict()[f"score{seat}"] for seat in range(self.players)]
        turned = [*scores[1:], np.minimum(scores[0] + total, self.target - 1)]
        return Settled(
            over=scores[0] + total >= self.target,
            shares=[1, *[0] * (self.players - 1)],
            next={f"score{seat}": score for seat, score in enumerate(turned)},
            mover=1,
        )

    def order(self, board: Columns) -> Any:
        return sum(board.as_dict()[f"score{seat}"] for seat in range(self.players))


def capped(g: Race) -> Race:
    """The same, rolling on past the target cut off, so that turns end."""
    return Race(g.players, g.target, g.faces, g.target)


RACES = [capped(Race(3, 4, 3)), capped(Race(3, 3, 6)), capped(Race(4, 2, 4))]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("g", RACES, ids=str)
def test_a_table_whose_boards_come_again_is_what_it_is_in_fractions(g: Race, compiled: bool) -> None:
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled)
    explicit = Explicit(g, solved.values, solved.tie, g.players)
    worth, best = explicit.worth(), explicit.best_reply()
    for (board, place), exact in worth.items():
        assert abs(Fraction(float(solved.values[board, place])) - exact) <= Fraction(float(solved.radius[board, place]))
        assert best[board, place] - exact <= Fraction(solved.gain_limit)
    assert solved.gain_limit < 1e-11
    assert solved.replies is None
    assert refuted(g, graph, solved) is None


def test_the_two_makes_of_a_backup_say_the_same_of_a_larger_table() -> None:
    g = capped(Race(3, 12, 6))
    graph = compile_turn(g)
    plain, compiled = (solve_table(g, graph, compiled=compiled) for compiled in (False, True))
    assert np.nanmax(np.abs(plain.values - compiled.values)) < 1e-13
    assert np.nanmax(plain.radius) < 1e-11


def test_one_worker_and_two_say_the_same_to_the_last_bit() -> None:
    g = capped(Race(3, 12, 6))
    graph = compile_turn(g)
    one, two = (solve_table(g, graph, compiled=True, workers=workers) for workers in (1, 2))
    assert np.array_equal(one.values, two.values, equal_nan=True)
    assert np.array_equal(one.radius, two.radius, equal_nan=True)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_careless_policy_is_certified_with_what_leaving_it_gains(compiled: bool) -> None:
    g = RACES[0]
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled, tie=1.0)  # everybody holds at once
    explicit = Explicit(g, solved.values, solved.tie, g.players)
    worth, best = explicit.worth(), explicit.best_reply()
    assert solved.replies is not None
    gains = []
    for (board, place), exact in worth.items():
        radius = Fraction(float(solved.radius[board, place]))
        assert abs(Fraction(float(solved.values[board, place])) - exact) <= radius
        assert best[board, place] <= Fraction(float(solved.replies[board, place])) + radius
        gains.append(best[board, place] - exact)
    assert solved.gain_limit >= max(gains) > 0.05
    assert solved.gain == pytest.approx(float(max(gains)), abs=1e-12)


@dataclass(frozen=True)
class Waiting(Race):
    """Nobody need ever win."""

    def turn(self, total: int = 0) -> Word:
        return Choice([("wait", End(0)), ("win", End(self.target))])


def test_a_seat_that_can_make_the_game_last_for_ever_leaves_nothing_certified() -> None:
    class Alone(Waiting):
        def turn(self, total: int = 0) -> Word:
            return End(0)

    g: Any = dataclass(frozen=True)(Alone)()
    with pytest.raises(NotConverged, match="last for ever"):
        solve_table(g, compile_turn(g))


# --- moves that chase each other -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Potato(TurnGame):
    """Take it, or hand it on; it may burst, which is worth nothing to who handed it on.

    If nobody takes it, it is worth taking; if the next one takes it, handing it on is better: no move is stable.
    """

    name = "potato"
    title = "Hot potato"
    source = "tests"
    rules = "None."
    kind = "table"
    measure = "win"
    unit = "probability"

    players: int = parameter(3, "seats", low=3, high=3)
    bursts: int = parameter(10, "chances in a hundred", low=1, high=99)

    def boards(self) -> Boards:
        return Boards(nothing=1)

    def turn(self) -> Word:
        hand_on = Chance([(self.bursts, End((0, 50, 50))), (100 - self.bursts, End("on"))])
        return Choice([("take", End((40, 1, 59))), ("hand on", hand_on)])

    def settle(self, board: Columns, result: Any) -> Settled:
        if result == "on":
            return Settled(next={"nothing": 0 * board.nothing}, mover=1)
        return Settled(over=True, shares=np.array(result)[:, None], per=100)


def mixed_by_hand() -> tuple[float, list[float]]:
    """The chance of taking it, and the shares, from the equations of indifference, by bisection."""

    def shares(take: float) -> list[float]:
        # place 0 gets 0.4 (indifferent); 1 and 2 get what the mix gives them
        first = 0.4
        second = take * 0.01 + (1 - take) * (0.05 + 0.9 * first)
        third = take * 0.59 + (1 - take) * (0.05 + 0.9 * second)
        return [first, second, third]

    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.9 * shares(middle)[2] < 0.4 else (low, middle)
    return low, shares(low)


def test_where_moves_chase_each_other_a_mix_is_found_that_leaves_the_mover_indifferent() -> None:
    g = Potato()
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    take, shares = mixed_by_hand()
    assert 0.1 < take < 0.9
    assert solved.values[0] == pytest.approx(shares, abs=1e-11)
    assert sorted(solved.mixed.rows[:, 3]) == pytest.approx(sorted([take, 1 - take]), abs=1e-10)
    assert solved.gain_limit < 1e-9
    assert solved.replies is None
    assert refuted(g, graph, solved) is None


def test_a_question_says_how_often_each_move_is_drawn_and_what_that_gives_everybody() -> None:
    g = Potato()
    graph = compile_turn(g)
    kind = kind_of(g)
    solved = kind.solve(g, graph, Tools())
    opened = kind.restore(g, graph, InMemory(solved.arrays), solved.facts)
    take, shares = mixed_by_hand()
    for seat in range(3):
        told = opened.ask(Position({"nothing": 0}, (), mover=seat), {}, Wanted(), lambda share: None)
        assert [move.move for move in told.moves] == ["take", "hand on"]
        assert [move.probability for move in told.moves] == pytest.approx([take, 1 - take], abs=1e-10)
        assert [move.value for move in told.moves] == pytest.approx([0.4, 0.4], abs=1e-11)
        assert told.shares is not None
        assert told.shares[0] == pytest.approx([*shares[-seat:], *shares[:-seat]] if seat else shares, abs=1e-11)


def test_where_no_mix_is_found_the_policy_is_certified_with_its_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.boards.chasing.MOST_DRAWN", 0)
    g = Potato()
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    assert "no equilibrium" in solved.method
    always_on = (
        0.0855 / 0.271
    )  # v = 0.9 (0.05 + 0.9 (0.05 + 0.9 v)); if all take, handing on gains more than this loses
    assert solved.values[0, 0] == pytest.approx(always_on, abs=1e-12)
    assert solved.gain == pytest.approx(0.4 - always_on, abs=1e-12)
    assert solved.gain_limit >= solved.gain
    assert solved.replies is not None
    assert refuted(g, graph, solved) is None


def test_a_changed_lot_is_refuted() -> None:
    g = Potato()
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    solved.mixed.rows[:, 3] = 0.5
    assert "further off" in (refuted(g, graph, solved) or "")
    solved.mixed.rows[0, 3] = 0.6
    assert "no chances of moves" in (refuted(g, graph, solved) or "")


# --- other ways to break ties ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [False, True])
def test_ties_go_to_the_first_the_last_or_the_one_that_is_best_for_the_next_seat(compiled: bool) -> None:
    word = Choice([("a", End((5, 1, 4))), ("b", End((5, 4, 1))), ("c", End((5, 2, 3))), ("d", End((4, 6, 0)))])
    g = toy(word)
    graph = compile_turn(g)
    for ties, wanted in ((IN_ORDER, [0.5, 0.1, 0.4]), (REVERSED, [0.5, 0.2, 0.3]), (NEXT_SEAT, [0.5, 0.4, 0.1])):
        solved = solve_table(g, graph, compiled=compiled, ties=ties)
        assert solved.values[0].tolist() == wanted
        assert solved.gain_limit < 1e-12


def test_what_other_ties_change_is_said_at_the_start_and_anywhere() -> None:
    for word, at_start, anywhere in (
        (Choice([("a", End((5, 1, 4))), ("b", End((5, 4, 1)))]), 0.3, 0.3),
        (Choice([("a", End((5, 1, 4))), ("b", End((4, 4, 2)))]), 0.0, 0.0),
        (Choice([("on", End("on")), ("a", End((1, 6, 3))), ("b", End((1, 4, 5)))]), 0.2, 0.2),
    ):
        g = toy(word)
        graph = compile_turn(g)
        kind = kind_of(g)
        solved = kind.solve(g, graph, Tools())
        told = kind.other_ties(kind.restore(g, graph, InMemory(solved.arrays), solved.facts), Tools())
        assert told.at_start == pytest.approx(at_start, abs=1e-12)
        assert told.anywhere == pytest.approx(anywhere, abs=1e-12)


# --- stopped and taken up again --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tie", [TIE, 2.0])
def test_a_solve_goes_on_from_any_level_to_the_same_answer(tie: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.order.saving.Saves.maybe", lambda self: self._save())
    g = SMALL_TABLES[1]
    graph = compile_turn(g)
    whole = solve_table(g, graph, tie=tie)
    stops: list[Any] = []

    class Stopped(Exception):
        pass

    for after in range(1, g.players):
        solve = TableSolve(g, graph, tie=tie)
        counted = iter(range(100))

        def save(solve: TableSolve = solve, counted: Any = counted, after: int = after) -> None:
            if next(counted) + 1 == after:
                arrays, state = solve.checkpoint()
                stops.append(({name: np.array(array) for name, array in arrays.items()}, json.loads(json.dumps(state))))
                raise Stopped

        with pytest.raises(Stopped):
            solve.run(lambda share: None, save)
    for arrays, state in stops:
        again = TableSolve(g, graph, tie=tie)
        assert again.fits(arrays, state)
        again.resume(arrays, state)
        found = again.run(lambda share: None, lambda: None)
        assert np.array_equal(found.values, whole.values, equal_nan=True)
        assert np.array_equal(found.radius, whole.radius, equal_nan=True)
        assert (found.gain, found.gain_limit, found.method) == (whole.gain, whole.gain_limit, whole.method)
        for name in arrays:
            assert not again.fits({other: array for other, array in arrays.items() if other != name}, state)
        for changed in (
            {"level": None},
            {"level": -1},
            {"gain": "0"},
            {"methods": "none"},
            {"level": 0},
        ):
            assert not again.fits(arrays, {**state, **changed}), changed
        broken = {**arrays, "values": np.full_like(arrays["values"], np.nan)}
        assert not again.fits(broken, state)


# --- rules of thumb --------------------------------------------------------------------------------------------------


def compared(g: TurnGame, rule: Callable[[Any, Any], str], solved: Any = None) -> Any:
    kind, graph = kind_of(g), compile_turn(g)
    solved = solved or kind.solve(g, graph, Tools())
    opened = kind.restore(g, graph, InMemory(solved.arrays), solved.facts)
    start = Position(g.first_board(), ())
    return kind.compare(opened, Asked(g, rule, "rule"), start, Tools())


class Asking(Race):
    """With the questions that a rule is shown."""

    def fields(self) -> list[Any]:
        return [
            Numbers("scores", "by place", 0, self.target - 1, self.players),
            Number("turn", "points gathered", 0, 1000),
        ]

    def describe(self, board: Any, state: Any) -> Any:
        yield {"scores": tuple(board.values()), "turn": state[0]}

    def locate(self, scores: Any = None, turn: int = 0) -> Position:
        held = scores or (0,) * self.players
        return Position({f"score{seat}": score for seat, score in enumerate(held)}, (turn,))


@pytest.mark.parametrize("target", [3, 4])
def test_a_rule_at_a_table_is_worth_what_it_is_in_fractions_while_the_others_play_the_solution(target: int) -> None:
    g = Asking(3, target, 3, target)
    solved = kind_of(g).solve(g, compile_turn(g), Tools())
    found = compared(g, lambda state, moves: moves[0], solved)  # hold at once
    explicit = Explicit(g, solved.arrays["values"], solved.facts["tie"])
    policy = {board: explicit.line(board, explicit.chosen) for board in explicit.boards}
    at_once = {board: explicit.line(board, lambda b, options: options[0]) for board in explicit.boards}
    worth = explicit.solved({(b, p): policy[b] if p else at_once[b] for b in explicit.boards for p in range(3)})
    start = g.boards().index_of(**g.first_board())
    for seat in range(3):
        value, lower, upper = found.rule[seat]
        assert Fraction(lower) <= worth[start, seat] <= Fraction(upper)
        assert upper - lower < 1e-10
        assert value == pytest.approx(float(worth[start, seat]), abs=1e-13)
        assert found.best[seat][0] == pytest.approx(solved.arrays["values"][start, seat], abs=1e-15)
    cost = sum(b[0] - r[0] for b, r in zip(found.best, found.rule, strict=True)) / 3
    assert found.cost[0] == pytest.approx(cost, abs=1e-15)
    assert found.cost[1] <= cost <= found.cost[2]
    assert found.cost[1] > 0.001


def test_a_rule_that_plays_the_solution_costs_nothing_at_a_table() -> None:
    g = Asking(3, 6, 4, 6)
    graph = compile_turn(g)
    solved = kind_of(g).solve(g, graph, Tools())
    opened = kind_of(g).restore(g, graph, InMemory(solved.arrays), solved.facts)

    def solution(state: Any, moves: Any) -> str:
        position = g.locate(state["scores"], state["turn"])
        asked = opened.ask(position, {}, Wanted(), lambda share: None)
        best = max(move.value for move in asked.moves)
        return next(move.move for move in asked.moves if move.value >= best - solved.facts["tie"])

    found = compared(g, solution, solved)
    assert abs(found.cost[0]) < 1e-14
    assert found.cost[1] <= 0 <= found.cost[2] < 1e-10


class Unsure(Asking):
    """Takes something as certain that is not quite."""

    @property
    def uncertain(self) -> float:
        return 1e-6


def test_what_a_game_takes_as_certain_is_in_what_a_rule_is_worth() -> None:
    for seat in range(3):
        (_, low, high), (_, lower, upper) = (
            compared(kind(3, 4, 3, 4), lambda state, moves: moves[0]).rule[seat] for kind in (Asking, Unsure)
        )
        assert lower <= low - 1e-6 < high + 1e-6 <= upper


def test_what_a_wide_tie_gives_away_is_in_the_gain_and_in_every_radius() -> None:
    worse = Chance([(1, End((1, 9, 0))), (10**10, End((3, 4, 3)))])
    g = toy(Choice([("worse", worse), ("better", End((3, 4, 3)))]))
    solved = solve_table(g, compile_turn(g), tie=1e-10)
    assert solved.values[0, 0] < 0.3
    assert solved.gain == pytest.approx(2e-11, rel=1e-3)
    assert solved.gain_limit >= 2e-11
    assert solved.replies is None


class Hasty(TableSolve):
    """Stops long before nothing moves."""

    def sweep_until_stable(self, groups: Any, boards: Any, progress: Any) -> bool:
        for _ in range(3):
            self.sweep(groups)
        return True


@pytest.mark.parametrize("compiled", [False, True])
def test_shares_that_still_move_are_certified_as_wide_as_that_needs(compiled: bool) -> None:
    g = RACES[0]
    graph = compile_turn(g)
    solved = Hasty(g, graph, compiled=compiled).run(lambda share: None, lambda: None)
    assert 1e-4 < np.nanmax(solved.radius) < 1
    assert refuted(g, graph, solved) is None
    worth = Explicit(g, solved.values, solved.tie, g.players).worth()
    off = [abs(Fraction(float(solved.values[at])) - exact) for at, exact in worth.items()]
    assert max(off) > Fraction(1, 10**6)
    assert all(found <= Fraction(float(solved.radius[at])) for found, at in zip(off, worth, strict=True))
