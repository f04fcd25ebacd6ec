"""Martinetti by its rules: the sheet's example, what a roll crosses off, what a question may say."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import numpy as np
import pytest

from rollwise.games.claims.replay import Step, moves, replay
from rollwise.games.martinetti import (
    SQUARES,
    Martinetti,
    MartinettiFree,
    MartinettiFreeTable,
    crossed_after,
    needed,
    offered,
)
from rollwise.games.registry import game as the_game
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.boards.table import solve_table
from rollwise.solver.game.dice import throws
from rollwise.solver.game.errors import ModelError, ParameterError, StateError
from rollwise.solver.game.model import Chance, End, Go, Position
from rollwise.solver.game.solution import Quantity
from rollwise.solver.turn.graph import compile_turn
from tests.tables import Explicit

ROW = [*range(1, 13), *range(12, 0, -1)]


def odds(players: int = 2, **state: object) -> dict[str, Quantity]:
    game = Martinetti(players)
    game.locate(**state)  # type: ignore[arg-type]
    return game.quantities(compile_turn(game), state)


def test_the_example_turn_goes_as_the_sheet_says() -> None:
    rolled = [(1, 1, 4), (3, 5, 6), (1, 2, 6)]
    first, second, third = (replay(Martinetti(), {}, [(dice, None) for dice in rolled[: n + 1]]) for n in range(3))
    assert isinstance(first.word, Go)
    assert isinstance(second.word, Go)
    assert (first.word.state, second.word.state) == ((2,), (3,))
    assert first.board == second.board == {"crossed": 0}  # the turn is still on
    assert third.board == {"crossed": 3}
    assert third.points == 1  # one turn


def test_one_two_four_crosses_off_one_to_seven() -> None:
    assert offered((1, 2, 4)) == {1, 2, 3, 4, 5, 6, 7}
    assert crossed_after(0, (1, 2, 4)) == 7


def test_no_first_roll_crosses_off_as_much_as_one_two_four() -> None:
    best = {tuple(sorted(dice)): crossed_after(0, dice) for dice in product(range(1, 7), repeat=3)}
    assert [dice for dice, crossed in best.items() if crossed >= 7] == [(1, 2, 4)]


def test_a_die_may_serve_in_several_sums() -> None:
    assert offered((1, 1, 4)) == {1, 2, 4, 5, 6}
    assert offered((6, 6, 6)) == {6, 12, 18}


def test_the_row_goes_up_to_twelve_and_back() -> None:
    assert [needed(crossed) for crossed in range(SQUARES)] == ROW


@pytest.mark.parametrize("dice", [(6, 6, 1), (3, 4, 5), (6, 5, 1), (6, 6, 6)])
def test_one_roll_never_crosses_off_both_twelves(dice: tuple[int, ...]) -> None:
    assert crossed_after(11, dice) == 12


def test_reaching_twelve_on_the_way_up_ends_the_turn() -> None:
    played = replay(Martinetti(), {"positions": (9, 0)}, [((4, 6, 1), None), ((6, 6, 1), None)])
    assert played.board == {"crossed": 12}
    assert played.points == 1  # one turn, and the next one starts from there


def test_the_way_down_is_crossed_off_in_order_too() -> None:
    assert crossed_after(12, (6, 5, 1)) == 14  # 12 and 11, but no 10
    assert crossed_after(12, (5, 4, 1)) == 12  # 10, but no 12
    assert crossed_after(20, (1, 1, 2)) == 24  # 4, 3, 2, 1
    played = replay(Martinetti(), {"positions": (12, 0)}, [((6, 5, 1), None), ((6, 4, 2), None), ((1, 1, 1), None)])
    assert played.board == {"crossed": 15}
    assert played.points == 1


def test_as_many_as_the_roll_offers_must_be_crossed_off() -> None:
    word = Martinetti().turn(0)
    assert isinstance(word, Chance)  # nothing is chosen
    assert crossed_after(0, (1, 2, 3)) == 6


def test_the_last_one_ends_the_game() -> None:
    assert replay(Martinetti(), {"positions": (23, 0)}, [((1, 5, 5), None)]).over
    with pytest.raises(ModelError, match="is over before 1 1 1"):
        replay(Martinetti(), {"positions": (20, 0)}, [((1, 1, 2), None), ((1, 1, 1), None)])


def reached_by(crossed: int, *dice: int) -> int:
    """Written once more: how far the roll goes without a gap."""
    sums = {sum(die for die, used in zip(dice, uses, strict=True) if used) for uses in product((0, 1), repeat=3)}
    ahead = ROW[crossed:12] if crossed < 12 else ROW[crossed:]
    missing = [place for place, number in enumerate(ahead) if number not in sums]
    return crossed + min(missing, default=len(ahead))


@pytest.mark.parametrize("crossed", range(SQUARES))
def test_odds_of_a_roll_are_those_that_icepool_finds(crossed: int) -> None:
    expected = icepool.map(lambda *dice: reached_by(crossed, *dice), *[icepool.d6] * 3)
    word = Martinetti().turn(crossed)
    assert isinstance(word, Chance)
    found: Counter[Any] = Counter()
    for ways, then in word.outcomes:
        assert isinstance(then, End | Go)
        reached = then.result if isinstance(then, End) else then.state[0]
        assert isinstance(then, End) == (reached in (crossed, 12, 24))
        found[reached] += ways
    assert found == dict(expected.items())


def test_a_question_without_fields_is_the_start() -> None:
    assert Martinetti().locate() == Position({"crossed": 0}, (0,), mover=0)


def test_a_position_is_how_far_the_mover_is() -> None:
    assert Martinetti(3).locate(positions=(4, 0, 12), mover=2) == Position({"crossed": 12}, (12,), mover=2)


@pytest.mark.parametrize("crossed", range(SQUARES))
def test_describe_is_the_inverse_of_locate(crossed: int) -> None:
    game = Martinetti(3)
    (fields,) = game.describe({"crossed": crossed}, (crossed,))
    assert {field.name: field.parse(field.show(fields[field.name])) for field in game.fields()} == fields
    assert game.locate(**fields) == Position({"crossed": crossed}, (crossed,), mover=0)
    assert not list(
        game.describe({"crossed": crossed}, (crossed + 1,))
    )  # in a turn: asked with what is crossed by then


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"positions": (24, 15, 24)}, "only one seat can cross off all 24 squares, got seats 0, 2"),
        ({"positions": (3, 24, 3)}, "the game is over: seat 1 has won"),
    ],
)
def test_a_state_that_cannot_be_is_refused_in_one_line(state: dict[str, object], message: str) -> None:
    with pytest.raises(StateError, match=message):
        Martinetti(3).locate(**state)  # type: ignore[arg-type]


@pytest.mark.parametrize("players", [1, 9])
def test_two_to_eight_play(players: int) -> None:
    with pytest.raises(ParameterError, match=f"players is from 2 to 8, got {players}"):
        Martinetti(players)


def test_settling_columns_counts_a_turn_and_ends_with_the_last_square() -> None:
    game = Martinetti()
    board = game.boards().columns(np.arange(SQUARES))
    assert [game.settle(board, crossed).over for crossed in (12, 23, 24)] == [False, False, True]
    assert {game.settle(board, crossed).reward for crossed in range(SQUARES + 1)} == {1}


# --- odds ----------------------------------------------------------------------------------------------------------


def test_whoever_moves_first_wins_most_at_the_start() -> None:
    for players in (2, 3, 8):
        told = odds(players)["win"]
        assert all(told.lower[seat] > told.upper[seat + 1] for seat in range(players - 1))


def test_seats_are_counted_from_seat_0_whoever_moves() -> None:
    told, turned = odds(3, positions=(5, 0, 17), mover=2), odds(3, positions=(17, 5, 0), mover=0)
    assert told["win"].value == [*turned["win"].value[1:], turned["win"].value[0]]
    assert all(told[name] == turned[name] for name in told if name != "win")


def test_the_last_square_by_hand() -> None:
    """A 1 on three dice comes with 91/216: the mover wins with p / (1 - q * q), q = 125/216."""
    told = odds(2, positions=(23, 23), mover=1)
    assert told["turns_alone"].exact == "216/91"
    assert told["win"].value[1] == pytest.approx(216 / 341, abs=1e-15)
    assert told["length"].value == pytest.approx(216 / 91, abs=1e-14)
    assert told["length_distribution"].value["2"] == pytest.approx(125 * 91 / 216**2, abs=1e-15)


def test_the_facts_of_a_question() -> None:
    told = odds(3)
    assert list(told) == ["win", "length", "length_distribution", "turns_alone", "turns_alone_distribution"]
    assert [told[name].unit for name in ("win", "length", "turns_alone")] == ["probability", "turns", "turns"]
    assert min(map(int, told["length_distribution"].value)) == 4  # a turn up and a turn down, the others one between


# --- crossing=free: the player may stop short -----------------------------------------------------------------------

FREE = MartinettiFree(crossing="free")
TABLE = MartinettiFreeTable(3, "free")


def test_free_crossing_is_a_duel_and_forced_crossing_stays_luck() -> None:
    assert the_game("martinetti", {"crossing": "free"}) == FREE
    assert the_game("martinetti", {"crossing": "free", "players": 3}) == TABLE
    assert (FREE.kind, TABLE.kind) == ("duel", "table")
    assert the_game("martinetti").kind == the_game("martinetti", {"crossing": "forced", "players": 8}).kind == "alone"


def test_a_roll_lets_the_player_cross_off_all_that_it_offers_or_fewer_but_not_none() -> None:
    asked = replay(FREE, {}, [((1, 2, 4), None)])
    assert moves(FREE, asked) == [f"cross {count}" for count in (7, 6, 5, 4, 3, 2, 1)]
    assert moves(FREE, replay(FREE, {}, [((1, 1, 4), None)])) == ["cross 2", "cross 1"]


def test_the_number_of_a_move_counts_squares_from_where_the_player_stands() -> None:
    played = replay(FREE, {"positions": (3, 9)}, [((1, 2, 4), "cross 2")])
    assert played.board == {"mine": 5, "second": 9}  # 4 and 5 are crossed off, 6 and 7 are not
    assert played.mover == 0  # the turn is still on


def test_the_example_turn_is_one_way_to_play_it() -> None:
    steps: list[Step] = [((1, 1, 4), "cross 2"), ((3, 5, 6), "cross 1"), ((1, 2, 6), None)]
    played = replay(FREE, {}, steps)
    assert (played.board, played.mover) == ({"mine": 0, "second": 3}, 1)  # no 4: the turn is over
    assert replay(FREE, {}, steps[:2]).mover == 0


def test_stopping_short_of_twelve_keeps_the_turn_and_reaching_it_ends_the_turn() -> None:
    on = replay(FREE, {"positions": (10, 5)}, [((5, 6, 1), "cross 1")])
    assert (on.mover, on.board) == (0, {"mine": 11, "second": 5})
    over = replay(FREE, {"positions": (10, 5)}, [((5, 6, 1), "cross 2")])
    assert (over.mover, over.board) == (1, {"mine": 5, "second": 12})


def test_nobody_crosses_off_both_twelves_with_one_roll_in_a_duel_either() -> None:
    assert moves(FREE, replay(FREE, {"positions": (11, 0)}, [((6, 6, 6), None)])) == ["cross 1"]


def test_whoever_crosses_off_the_last_square_wins_the_duel() -> None:
    assert replay(FREE, {"positions": (5, 20), "mover": 1}, [((1, 1, 2), "cross 4")]).over


@pytest.mark.parametrize("players", [5, 8])
def test_a_table_of_five_with_free_crossing_is_refused(players: int) -> None:
    with pytest.raises(ParameterError, match=f"crossing=free is for 2 to 4 players, got {players}") as refused:
        the_game("martinetti", {"crossing": "free", "players": players})
    assert refused.value.field == "players"
    assert FREE.unsolved()[players] == 24**players


def test_at_a_table_the_places_move_up_by_one() -> None:
    played = replay(TABLE, {"positions": (3, 9, 12), "mover": 1}, [((1, 1, 6), None)])
    assert (played.mover, played.board) == (2, {"mine": 12, "second": 3, "third": 9})
    played = replay(TABLE, {"positions": (3, 9, 12), "mover": 1}, [((4, 6, 1), "cross 1")])
    assert (played.mover, played.board) == (1, {"mine": 10, "second": 12, "third": 3})
    won = replay(TABLE, {"positions": (3, 9, 23), "mover": 2}, [((1, 1, 6), "cross 1")])
    assert (won.over, [float(share) for share in won.shares]) == (True, [0, 0, 1])


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"positions": (3, 0), "roll": (1, 2, 6)}, r"roll 1 2 6 offers no 4, .* positions=3, the turn is over"),
        ({"positions": (3, 24)}, "the game is over: seat 1 has won"),
        ({"positions": (24, 24)}, "only one seat can cross off all 24 squares, got seats 0, 1"),
    ],
)
def test_a_state_of_the_duel_that_cannot_be_is_refused_in_one_line(state: dict[str, object], message: str) -> None:
    with pytest.raises(StateError, match=message):
        FREE.locate(**state)  # type: ignore[arg-type]


@pytest.mark.parametrize("crossed", range(SQUARES))
def test_describe_is_the_inverse_of_locate_in_the_duel_too(crossed: int) -> None:
    board = {"mine": crossed, "second": 7}
    asked = [(crossed,), *((crossed, dice) for dice, _ in throws(3) if needed(crossed) in offered(dice))]
    for state in asked:
        (fields,) = FREE.describe(board, state)
        read = {
            field.name: field.parse(field.show(fields[field.name])) for field in FREE.fields() if field.name in fields
        }
        assert FREE.locate(**read) == Position(board, state)


def test_seat_1_may_move() -> None:
    assert FREE.locate(positions=(4, 9), mover=1) == Position({"mine": 9, "second": 4}, (9,), mover=1)


def the_end_by_hand(first: int, none_too: bool = False) -> dict[tuple[int, int], float]:
    """P(the mover wins) where both have crossed off ``first`` squares or more, swept until nothing moves.

    Written once more from the rules; with ``none_too`` the player may also cross off nothing, which ends the turn.
    """
    worth = {(mine, theirs): 0.5 for mine in range(first, 24) for theirs in range(first, 24)}

    def ended(mine: int, theirs: int) -> float:
        return 1.0 if mine == 24 else 1 - worth[theirs, mine]

    for _ in range(60):
        for mine, theirs in worth:
            going_on = {24: 1.0}
            for at in range(23, mine - 1, -1):
                going_on[at] = 0.0
                for dice in product(range(1, 7), repeat=3):
                    reached = reached_by(at, *dice)
                    stops = [ended(at, theirs)] if none_too or reached == at else []
                    going_on[at] += max([*stops, *(going_on[then] for then in range(at + 1, reached + 1))]) / 216
            worth[mine, theirs] = going_on[mine]
    return worth


def test_the_end_of_a_table_is_an_equilibrium_in_fractions() -> None:
    solved = solve_table(TABLE, compile_turn(TABLE))
    assert solved.gain_limit < 1e-9
    explicit = Explicit(TABLE, solved.values, solved.tie)
    late = product((22, 23), repeat=3)
    explicit.boards = [
        TABLE.boards().index_of(**dict(zip(("mine", "second", "third"), at, strict=True))) for at in late
    ]
    exact, replies = explicit.worth(), explicit.best_reply()
    for (board, place), worth in exact.items():
        assert abs(Fraction(float(solved.values[board, place])) - worth) <= Fraction(float(solved.radius[board, place]))
        assert replies[board, place] - worth <= Fraction(solved.gain_limit)


def test_the_end_of_the_duel_is_worth_what_it_is_by_hand() -> None:
    by_hand = the_end_by_hand(22)
    solved = BoardSolver(FREE, compile_turn(FREE), compiled=False).solve()
    for (mine, theirs), worth in by_hand.items():
        board = FREE.boards().index_of(mine=mine, second=theirs)
        assert solved.values[board] == pytest.approx(worth, abs=1e-9)
    assert by_hand == pytest.approx(the_end_by_hand(22, none_too=True))  # to cross off nothing would be of no use
