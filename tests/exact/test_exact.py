"""Exact values: by hand, and against what the quick solver certifies."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from rollwise.games.registry import game
from rollwise.solver.exact import exact
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.exact.newton import newton
from rollwise.solver.game.errors import ModelError, TooLarge
from rollwise.solver.game.model import (
    Beyond,
    Boards,
    Chance,
    Choice,
    Columns,
    End,
    Go,
    Settled,
    State,
    StateGame,
    TurnGame,
    Word,
)
from rollwise.solver.reference import explicit
from rollwise.solver.reference.explicit import solve_states
from rollwise.solver.reference.flatten import Earn, flatten
from rollwise.solver.turn.graph import compile_turn

HALF = Fraction(1, 2)


def turn_game(name: str, **parameters: Any) -> TurnGame:
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


def exact_start(name: str, **parameters: Any) -> Fraction:
    of = turn_game(name, **parameters)
    return solve_exact(of, compile_turn(of))[of.boards().index_of(**of.first_board())]


def test_pig_to_three_is_won_by_the_first_player_in_36_of_43_games() -> None:
    assert exact_start("pig", target=3) == Fraction(36, 43)
    flat = flatten(turn_game("pig", target=3))
    assert solve_states(flat)[flat.first()] == Fraction(36, 43)


def test_nodes_of_a_turn_are_priced_exactly() -> None:
    pig = turn_game("pig", target=3)
    graph = compile_turn(pig)
    values = solve_exact(pig, graph)
    nodes = values.nodes(0)
    assert nodes[graph.roots[0]] == Fraction(36, 43)
    after_two = graph.node_of((2,))
    assert after_two is not None
    assert nodes[after_two] == Fraction(5, 6) + Fraction(1, 6) * (1 - values[0])  # rolls on: a 1 hands over at 0-0


def test_shut_the_box_alone_has_the_known_mean_score() -> None:
    assert exact_start("shut-the-box") == Fraction(135713054125, 5509980288)


def test_only_boards_that_can_follow_are_solved() -> None:
    pig = turn_game("pig", target=100)
    late = pig.boards().index_of(mine=97, theirs=98)
    values = solve_exact(pig, compile_turn(pig), boards=[late])
    assert late in values.values
    assert len(values.values) <= 6


def test_a_game_that_would_take_too_long_is_refused_in_one_line() -> None:
    large = turn_game("ten-thousand", goal=10000)
    with pytest.raises(TooLarge, match="fractions are too large from here") as caught:
        solve_exact(large, compile_turn(large))
    assert "\n" not in str(caught.value)
    pig = turn_game("pig", target=20)
    with pytest.raises(TooLarge, match="fractions are too large from here"):
        solve_exact(pig, compile_turn(pig), most_work=1000)


def test_more_boards_than_there_is_room_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pig = turn_game("pig", target=5)
    graph = compile_turn(pig)
    for boards in (None, [0]):
        monkeypatch.undo()
        count = len(solve_exact(pig, graph, boards=boards).values)
        monkeypatch.setattr(exact, "MOST_EDGES", count * graph.n_edges)
        assert len(solve_exact(pig, graph, boards=boards).values) == count
        monkeypatch.setattr(exact, "MOST_EDGES", count * graph.n_edges - 1)
        with pytest.raises(TooLarge, match="fractions are too large from here"):
            solve_exact(pig, graph, boards=boards)


def test_more_work_than_there_is_time_for_is_refused() -> None:
    pig = turn_game("pig", target=5)
    with pytest.raises(TooLarge, match="fractions are too large from here"):
        solve_exact(pig, compile_turn(pig), most_work=100)


# --- games said state by state -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stated(StateGame):
    """A game given as a table of words; states whose name starts with ``min`` belong to the other player."""

    name = "stated"
    title = "A table of words"
    source = "test"
    rules = ""
    kind = "solo"
    measure = "points"
    unit = "points"

    table: tuple[tuple[str, Word], ...] = ()

    def first(self) -> State:
        return (self.table[0][0],)

    def node(self, *state: Any) -> Word:
        return dict(self.table)[state[0]]

    def minimises(self, *state: Any) -> bool:
        return str(state[0]).startswith("min")


def value_of(*table: tuple[str, Word]) -> Fraction:
    stated = Stated(table)
    return solve_states(stated)[stated.first()]


def coin(heads: Word, tails: Word) -> Chance:
    return Chance([(1, heads), (1, tails)])


def test_a_chance_of_going_round_is_summed_up_exactly() -> None:
    assert value_of(("a", coin(Go("a"), End(1)))) == 1
    assert value_of(("a", Chance([(2, Go("b")), (1, End(1))])), ("b", Chance([(1, Go("a")), (3, End(0))]))) == HALF * (
        Fraction(4, 5)
    )


def test_points_on_the_way_count_every_time() -> None:
    assert value_of(("a", coin(Earn(3, "a"), End(0)))) == 3


def test_waiting_for_ever_is_not_taken_for_a_value() -> None:
    waiting = ("wait", Go("a"))
    assert value_of(("a", Choice([waiting, ("take", End(HALF))]))) == HALF
    assert value_of(("a", Choice([waiting, ("lose", End(-1))]))) == -1


def test_a_round_trip_is_left_when_something_better_turns_up() -> None:
    table = (
        ("a", Choice([("round", Go("b")), ("out", End(Fraction(1, 3)))])),
        ("b", Choice([("round", Go("a")), ("gamble", coin(End(1), Go("c")))])),
        ("c", Choice([("back", Go("a")), ("out", End(0))])),
    )
    assert value_of(*table) == 1  # gamble, and on tails come back to gamble again


def test_a_cycle_that_pays_for_ever_has_no_value() -> None:
    with pytest.raises(ModelError, match="played for ever"):
        value_of(("a", Choice([("round", Earn(1, "a")), ("out", End(0))])))


def test_two_players_who_may_both_pass_have_no_value() -> None:
    table = (
        ("max", Choice([("pass", Go("min")), ("end", End(Fraction(3, 10)))])),
        ("min", Choice([("pass", Go("max")), ("end", End(Fraction(6, 10)))])),
    )
    with pytest.raises(ModelError, match="played for ever"):
        value_of(*table)


def test_two_players_want_opposite_things() -> None:
    high, low = End(Fraction(9, 10)), End(Fraction(1, 10))
    table = (
        ("max", Choice([("safe", End(HALF)), ("pass", Chance([(1, low), (9, Go("min"))]))])),
        ("min", Choice([("safe", End(Fraction(6, 10))), ("pass", Chance([(1, high), (9, Go("max"))]))])),
    )
    values = solve_states(Stated(table))
    assert values["max",] == HALF  # to pass is worth 1/100 + 9/10 * 27/50 = 62/125 only
    assert values["min",] == Fraction(1, 10) * Fraction(9, 10) + Fraction(9, 10) * HALF


def test_a_state_without_an_end_is_refused() -> None:
    with pytest.raises(ModelError, match="never ends"):
        value_of(("a", coin(Go("a"), Go("b"))), ("b", Go("a")))


def test_every_equation_of_the_twin_is_looked_at_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoilt(problem: Any, name: str, *, endless: bool) -> Any:
        found = newton(problem, name, endless=endless)
        problem.backed = {node: value + 1 for node, value in problem.backed.items()}
        return found

    table = (("a", coin(Go("a"), End(1))),)
    assert value_of(*table) == 1
    monkeypatch.setattr(explicit, "newton", spoilt)
    with pytest.raises(ArithmeticError, match="does not hold"):
        value_of(*table)


@dataclass(frozen=True)
class Endless(Stated):
    """The same; nobody need bring it to an end."""

    name = "endless"
    endless = True


def test_what_is_worth_the_same_as_going_on_for_ever_proves_nothing() -> None:
    """Max only hands over; min may end it with nothing, or hand over too, which is worth as much and never ends."""
    table = ("max", Go("min")), ("min", Choice([("end", End(0)), ("pass", Go("max"))]))
    with pytest.raises(ModelError, match="can be played for ever"):
        solve_states(Endless(table))
    better = ("max", Go("min")), ("min", Choice([("end", End(0)), ("pass", coin(Go("max"), End(1)))]))
    assert solve_states(Endless(better))["max",] == 0


def test_a_cut_matters_only_where_the_value_depends_on_it() -> None:
    far = Beyond(0, Fraction(2, 5))
    assert value_of(("a", Choice([("far", far), ("near", End(HALF))]))) == HALF
    with pytest.raises(TooLarge, match="past a cut"):
        value_of(("a", coin(far, End(HALF))))


# --- the same cut in two levels ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cut(TurnGame):
    """One board: a sure half, or a throw of which one side is known only within bounds."""

    name = "cut"
    title = "Cut"
    source = "test"
    rules = ""
    kind = "solo"
    measure = "points"
    unit = "points"
    total = 0

    sure: int = 3

    def boards(self) -> Boards:
        return Boards(game=1)

    def turn(self) -> Word:
        return Choice([("sure", End(self.sure)), ("throw", coin(Beyond(0, 4), End(0)))])

    def settle(self, board: Columns, result: int) -> Settled:
        return Settled(over=True, reward=result, per=6)


def test_exact_values_pass_over_a_cut_that_no_best_move_meets() -> None:
    far = Cut(sure=13)
    values = solve_exact(far, compile_turn(far))
    assert values[0] == Fraction(13, 6)
    assert None in values.nodes(0)
    near = Cut(sure=3)
    with pytest.raises(TooLarge, match="play that is only bounded"):
        solve_exact(near, compile_turn(near))


@dataclass(frozen=True)
class Stuck(Cut):
    """The same board, on which nothing that can be thrown is legal."""

    name = "stuck"

    def turn(self) -> Word:
        return coin(End(0), End(1))

    def settle(self, board: Columns, result: int) -> Settled:
        return Settled(legal=False)


def test_a_board_without_a_legal_end_has_no_exact_value() -> None:
    with pytest.raises(ModelError, match=r"has no legal end of the turn from \{'game': 0\}"):
        solve_exact(Stuck(), compile_turn(Stuck()))
