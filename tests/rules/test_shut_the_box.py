from __future__ import annotations

import tomllib
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.games.shut_the_box import ShutTheBox, ShutTheBoxClear, ShutTheBoxTable
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.errors import ParameterError, StateError
from rollwise.solver.game.model import Chance, Choice, End, Go, Word
from rollwise.solver.turn.graph import compile_turn

NINE = (1, 2, 3, 4, 5, 6, 7, 8, 9)
BASIC = ShutTheBox()
PARTIAL = ShutTheBox(variant="partial")
GOLDEN = Path(__file__).parents[1] / "golden" / "shut_the_box.toml"


def moves(word: Word) -> list[str | None]:
    assert isinstance(word, Choice)
    return [name for name, _ in word.moves]


def after(word: Word, move: str) -> Word:
    assert isinstance(word, Choice)
    return dict(word.moves)[move]


def thrown(word: Word) -> list[tuple[int, Word]]:
    """The outcomes of a throw that must be made."""
    rolled = after(word, "roll")
    assert isinstance(rolled, Chance)
    return list(rolled.outcomes)


def score_of(word: Word) -> int:
    assert isinstance(word, End)
    assert isinstance(word.result, int)
    return word.result


def state_after(word: Word) -> tuple[Any, ...]:
    assert isinstance(word, Go)
    return word.state


def ends(g: ShutTheBox, open: tuple[int, ...], dice: int = 2) -> list[int]:
    """Scores of the rolls that end the turn on the spot."""
    rolled = g.throw(open, dice)
    assert isinstance(rolled, Chance)
    return [score_of(word) for _, word in rolled.outcomes if isinstance(word, End)]


# --- the worked example of the rule sheet ----------------------------------------------------------------------------


@pytest.mark.parametrize("g", [BASIC, PARTIAL])
def test_the_worked_example_opens_with_5_3_and_6_5(g: ShutTheBox) -> None:
    first = g.turn(NINE, (3, 5))
    assert moves(first) == ["shut 3 5", "shut 8"]
    assert state_after(after(first, "shut 8")) == ((1, 2, 3, 4, 5, 6, 7, 9),)
    second = g.turn((1, 2, 3, 4, 5, 6, 7, 9), (5, 6))
    assert moves(second) == ["shut 5 6"]
    assert state_after(after(second, "shut 5 6")) == ((1, 2, 3, 4, 7, 9),)


def test_the_worked_example_ends_with_26_on_2_6() -> None:
    assert not BASIC.useful((1, 2, 3, 4, 7, 9), (2, 6))
    assert ends(BASIC, (1, 2, 3, 4, 7, 9)) == [26] * 9  # 1-5 2-6 3-3 3-5 4-4 4-6 5-5 5-6 6-6
    with pytest.raises(StateError, match="roll 2 6 fits no open box, the turn is over with 26 points"):
        BASIC.locate(open=(1, 2, 3, 4, 7, 9), roll=(2, 6))


def test_the_worked_example_ends_with_24_where_part_of_a_roll_may_be_used() -> None:
    last = PARTIAL.turn((1, 2, 3, 4, 7, 9), (2, 6))
    assert moves(last) == ["shut 2", "leave"]
    assert (score_of(after(last, "shut 2")), score_of(after(last, "leave"))) == (24, 26)


def test_only_a_double_five_or_six_ends_the_turn_at_once_with_45() -> None:
    first = thrown(BASIC.turn(NINE))
    ended = [(weight, score_of(word)) for weight, word in first if isinstance(word, End)]
    assert ended == [(1, 45), (1, 45)]
    assert sum(weight for weight, _ in first) == 36
    played = {word.state[1] for _, word in first if isinstance(word, Go)}
    assert len(played) == 19
    assert not {(5, 5), (6, 6)} & played


# --- single rules ----------------------------------------------------------------------------------------------------


def test_a_roll_that_fits_must_be_played() -> None:
    for g in (BASIC, PARTIAL):
        for roll in ((1, 6), (2, 2), (4, 5)):
            assert "leave" not in moves(g.turn(NINE, roll))


def test_a_double_is_no_pair() -> None:
    assert moves(BASIC.turn(NINE, (3, 3))) == ["shut 6"]


def test_one_die_may_be_thrown_only_after_7_8_and_9_are_shut() -> None:
    assert moves(BASIC.turn((1, 2, 7))) == ["roll"]
    assert moves(BASIC.turn((1, 9))) == ["roll"]
    assert moves(BASIC.turn((1, 2))) == ["one die", "two dice"]


def test_after_7_8_and_9_two_dice_count_as_a_pair_only() -> None:
    assert moves(BASIC.turn((1, 2, 3, 4, 5, 6), (1, 4))) == ["shut 1 4"]
    assert not BASIC.useful((3, 5, 6), (1, 4))
    assert not BASIC.useful((1, 2, 3, 4, 5, 6), (3, 3))
    assert moves(BASIC.turn((3, 5, 6, 7), (1, 4))) == ["shut 5"]


def test_one_die_shuts_its_own_box_or_ends_the_turn() -> None:
    for g in (BASIC, PARTIAL):
        assert moves(g.turn((2, 5), (5,))) == ["shut 5"]
        assert ends(g, (2, 5), dice=1) == [7, 7, 7, 7]


def test_with_every_box_shut_the_turn_is_over_with_0() -> None:
    assert score_of(after(BASIC.turn((9,), (4, 5)), "shut 9")) == 0
    assert score_of(after(BASIC.turn((2, 5), (2, 5)), "shut 2 5")) == 0
    assert score_of(after(PARTIAL.turn((2,), (2, 6)), "shut 2")) == 0


def test_a_double_that_does_not_fit_may_shut_the_box_of_one_die() -> None:
    assert moves(PARTIAL.turn(NINE, (5, 5))) == ["shut 5", "leave"]
    assert moves(PARTIAL.turn((1, 2, 3), (2, 2))) == ["shut 2", "leave"]  # also once 7, 8 and 9 are shut
    assert ends(PARTIAL, (1, 7, 8, 9)) == [25] * 8  # 2-2 2-3 2-4 3-3 4-6 5-5 5-6 6-6


# --- questions -------------------------------------------------------------------------------------------------------


def every_state(g: ShutTheBox) -> set[tuple[Any, ...]]:
    found, new = set(g.roots()), list(g.roots())
    while new:
        words = [g.turn(*new.pop())]
        while words:
            word = words.pop()
            if isinstance(word, Chance | Choice):
                words += [inside for _, inside in (word.outcomes if isinstance(word, Chance) else word.moves)]
            elif isinstance(word, Go) and word.state not in found:
                found.add(word.state)
                new.append(word.state)
    return found


@pytest.mark.parametrize("variant", ["basic", "partial"])
@pytest.mark.parametrize("boxes", [3, 6, 7, 9])
def test_locate_accepts_exactly_the_states_that_play_comes_to(variant: str, boxes: int) -> None:
    g = ShutTheBox(variant=variant, boxes=boxes)
    accepted = set()
    rolls: list[tuple[int, ...] | None] = [None, *((face,) for face in range(1, 7))]
    rolls += [(low, high) for low, high in product(range(1, 7), repeat=2) if low <= high]
    for shut in range(2**boxes):
        for roll in rolls:
            try:
                accepted.add(
                    g.locate(open=tuple(b for b in range(1, boxes + 1) if not shut >> b - 1 & 1), roll=roll).state
                )
            except StateError:
                continue
    assert accepted == every_state(g)


@pytest.mark.parametrize("players", [1, 3])
def test_describe_and_locate_are_inverse(players: int) -> None:
    g = game("shut-the-box", {"players": players, "boxes": 7, "variant": "partial"})
    assert isinstance(g, ShutTheBox)
    space = g.boards()
    every = np.arange(space.size)
    boards = [space.board(int(b)) for b in every[np.broadcast_to(g.possible(space.columns(every)), space.size)]]
    fields = {field.name: field for field in g.fields()}
    states = sorted(every_state(g), key=repr)
    step = max(1, len(boards) // 2)
    for first, board in enumerate(boards):
        for state in states[first % step :: step]:
            (given,) = g.describe(board, state)
            position = g.locate(**{name: fields[name].parse(fields[name].show(value)) for name, value in given.items()})
            assert (position.board, position.state) == (board, state)


def test_fields_left_out_are_those_of_the_start() -> None:
    table = game("shut-the-box", {"players": 4})
    assert isinstance(table, ShutTheBoxTable)
    position = table.locate()
    assert (position.board, position.state) == (table.first_board(), (NINE,))
    assert table.locate(open=(9, 8, 1)).state == ((1, 8, 9),)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"open": ()}, "every box is shut, the turn is over with 0 points"),
        ({"open": (2, 3, 4, 5, 6, 7)}, "until 7 8 9 are all shut, box 1 is only shut together"),
        ({"open": (1, 2, 8), "roll": (2,)}, "roll shows one die, but box 8 is open"),
        ({"open": (3, 5, 6), "roll": (1, 4)}, "roll 1 4 fits no open box, the turn is over with 14 points"),
        ({"mover": 1}, "with mover=1 say the best score so far, best=0 to 45"),
        ({"mover": 1, "best": 12}, "best=12 needs holders"),
        ({"mover": 1, "best": 12, "holders": (1,)}, "holders names seat 1, which has no score yet with mover=1"),
        ({"mover": 1, "holders": (0,)}, "with mover=1 say the best score"),
        ({"best": 12}, "best=12 with mover=0, but nobody has a score"),
        ({"mover": 2, "best": 44, "holders": (0,)}, "best=44 cannot be"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(given: dict[str, Any], wanted: str) -> None:
    table = game("shut-the-box", {"players": 3})
    assert isinstance(table, ShutTheBoxTable)
    with pytest.raises(StateError, match=wanted):
        table.locate(**given)


def test_a_shut_box_cannot_be_named_open_twice() -> None:
    with pytest.raises(StateError, match="open names 3 twice"):
        BASIC.fields()[0].parse("1,3,3")


def test_no_score_so_far_is_typed_as_none() -> None:
    best = {field.name: field for field in ShutTheBoxTable(players=2, objective="win").fields()}["best"]
    assert [best.parse(given) for given in ("none", "-", None, "7", 0)] == [None, None, None, 7, 0]
    assert (best.show(None), best.show(7)) == ("none", "7")
    with pytest.raises(StateError, match="best is from 0 to 45, got 46"):
        best.parse(46)


# --- parameters ------------------------------------------------------------------------------------------------------


def test_the_objective_follows_the_number_of_players() -> None:
    assert type(game("shut-the-box")) is ShutTheBox
    assert type(game("shut-the-box", {"objective": "clear"})) is ShutTheBoxClear
    table = game("shut-the-box", {"players": 5})
    assert type(table) is ShutTheBoxTable
    assert table.parameters() == {"players": 5, "variant": "basic", "objective": "win"}


@pytest.mark.parametrize(
    ("parameters", "wanted"),
    [
        ({"objective": "win"}, "with players=1 has objective score or clear, got win"),
        ({"players": 2, "objective": "clear"}, "with players=2 has objective win, got clear"),
        ({"objective": "best"}, "has objective score or clear, got best"),
        ({"players": 7}, "players is from 1 to 6, got 7"),
        ({"variant": "full"}, "variant is one of basic, partial, got full"),
        ({"boxes": 10}, "boxes is from 3 to 9, got 10"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], wanted: str) -> None:
    with pytest.raises(ParameterError, match=wanted):
        game("shut-the-box", parameters)


# --- the table's scores ----------------------------------------------------------------------------------------------


def settled(board: dict[str, int], score: int, players: int = 3) -> Any:
    g = ShutTheBoxTable(players=players, objective="win")
    space = g.boards()
    return g.settle(space.columns(np.array([space.index_of(**board)])), score)


def test_a_lower_score_replaces_and_an_equal_one_joins() -> None:
    board = {"mover": 1, "best": 20, "holders": 0b01}
    for score, best, holders in ((19, 19, 0b10), (20, 20, 0b11), (21, 20, 0b01)):
        following = settled(board, score).next
        assert {name: int(np.ravel(column)[0]) for name, column in following.items()} == {
            "mover": 2,
            "best": best,
            "holders": holders,
        }


def test_the_lowest_share_the_win_after_the_last_seat() -> None:
    board = {"mover": 2, "best": 20, "holders": 0b11}
    for score, wanted in ((19, (1, 0, 0)), (20, (1 / 3, 1 / 3, 1 / 3)), (21, (0, 0.5, 0.5))):  # seat 2 first
        said = settled(board, score)
        assert said.over.all()
        assert (said.shares[:, 0] / said.per).tolist() == pytest.approx(wanted)


def test_a_score_of_0_does_not_end_the_game_early() -> None:
    assert not settled({"mover": 1, "best": 20, "holders": 0b01}, 0).over.any()


# --- values ----------------------------------------------------------------------------------------------------------


def plain_recursion(partial: bool, worth: Callable[[int], int | Fraction], best: Callable[..., Fraction]) -> Fraction:
    """The value from nine open boxes, written again from the rule reading: bit b - 1 of ``open`` is box b."""

    def score(open: int) -> Fraction:
        return Fraction(worth(sum(box for box in NINE if open >> box - 1 & 1)))

    def boxes(*numbers: int) -> int:
        return sum(1 << number - 1 for number in numbers)

    def rolled(open: int, first: int, second: int, sums: bool) -> Fraction:
        fits = [boxes(first, second)] if first != second else []
        fits += [boxes(first + second)] if sums else []
        ahead = [value(open & ~shut) for shut in fits if open & shut == shut]
        if ahead:
            return best(ahead)
        last = [open & ~boxes(die) for die in (first, second)] if partial else []
        return best([score(open), *map(score, last)])

    @cache
    def value(open: int) -> Fraction:
        if not open:
            return score(0)
        small = open < boxes(7)
        two = sum(rolled(open, a, b, not small) for a, b in product(range(1, 7), repeat=2)) / Fraction(36)
        if not small:
            return two
        one = [value(open & ~boxes(die)) if open & boxes(die) else score(open) for die in range(1, 7)]
        return best([two, sum(one) / Fraction(6)])

    return value(boxes(*NINE))


def plain_value(g: ShutTheBox) -> Fraction:
    partial = g.variant == "partial"
    if g.objective == "score":
        return plain_recursion(partial, lambda score: score, min)
    return plain_recursion(partial, lambda score: int(score == 0), max)


def test_the_best_expected_score_is_the_one_derived_independently() -> None:
    first = tomllib.loads(GOLDEN.read_text())["value"][0]
    assert plain_value(BASIC) == Fraction(first["value"]) == Fraction(135713054125, 5509980288)


@pytest.mark.parametrize("variant", ["basic", "partial"])
@pytest.mark.parametrize("objective", ["score", "clear"])
def test_the_solver_agrees_with_the_plain_recursion(variant: str, objective: str) -> None:
    g = game("shut-the-box", {"variant": variant, "objective": objective})
    assert isinstance(g, ShutTheBox)
    solved = BoardSolver(g, compile_turn(g)).solve()
    assert abs(Fraction(float(solved.values[0])) - plain_value(g)) <= Fraction(float(solved.radius[0]))


# --- two players -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["basic", "partial"])
def test_two_players_are_a_duel_that_is_solved_exactly(variant: str) -> None:
    """The second player wins with a lower score than the first; the first knows what that leaves to the second."""
    partial = variant == "partial"

    @cache
    def second(best: int) -> Fraction:
        return plain_recursion(partial, lambda score: Fraction((score < best) + (score <= best), 2), max)

    first = plain_recursion(partial, lambda score: 1 - second(score), max)
    told = rollwise.ask("shut-the-box", {"players": 2, "variant": variant}, exact=True)
    assert told.exact == str(first)
    assert told.shares_exact == [str(first), str(1 - first)]
    assert told.shares == [told.value, 1 - (told.value or 0)]
    late = rollwise.ask("shut-the-box", {"players": 2, "variant": variant}, exact=True, mover=1, best=12, holders=[0])
    assert (late.mover, late.exact, late.shares_exact) == (1, str(second(12)), [str(1 - second(12)), str(second(12))])


def test_a_duel_says_of_each_move_what_both_seats_win() -> None:
    told = rollwise.ask(
        "shut-the-box", {"players": 2}, mover=1, best=3, holders=[0], open=[1, 2, 3, 4, 5, 7, 8, 9], roll=[3, 5]
    )
    assert told.moves is not None
    assert len(told.moves) == 2
    for move in told.moves:
        assert move.shares == [1 - move.value, move.value]
    assert told.shares == told.moves[0].shares
    assert told.shares_lower is not None
    assert told.shares_upper is not None
    for low, share, high in zip(told.shares_lower, told.shares or [], told.shares_upper, strict=True):
        assert 0 <= low <= share <= high <= 1
    assert told.shares_exact is None


def test_a_duel_without_seats_in_its_question_has_no_shares() -> None:
    told = rollwise.ask("pig", {"target": 10}, mine=3, theirs=5, turn=4)
    assert told.shares is None
    assert "shares" not in told.plain()
