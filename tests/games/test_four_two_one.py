"""421, by its rules (number 6 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.claims.replay import ReplayPosition, describe_position, moves, replay
from rollwise.games.four_two_one.rounds import (
    DISCHARGE,
    FOUR_TWO_ONE,
    NAMES,
    THROWN,
    count_open_rounds,
    moved_by,
    rounds_of,
)
from rollwise.games.four_two_one.rules import FOLLOWS, GIVES, OPENS, PUTS, TAKES, FourTwoOne, FourTwoOneDuel
from rollwise.solver.model.game import Chance, End, Goto, Node, TurnGame
from tests.games.helping import made, rules

Dice = tuple[int, ...]
LOW, LOWER, LOWEST = (3, 3, 1), (3, 2, 2), (2, 2, 1)


def the_game(players: int = 3) -> TurnGame:
    return made("421", players=players)


def played(*thrown: Dice, **state: Any) -> ReplayPosition:
    """A round of three players, or some of it, in which everybody stops at once."""
    return replay(the_game(), state, [(dice, "stop") for dice in thrown])


def chips_after(*thrown: Dice, **state: Any) -> tuple[int, ...]:
    """Chips by seat after such a round, with seat 0 the opener of it."""
    found = played(*thrown, **state)
    fields = describe_position(the_game(), found)
    chips = [*fields["chips"][fields["opener"] :], *fields["chips"][: fields["opener"]]]
    return tuple(chips[found.seats.index(seat)] for seat in range(3))


def outcomes(word: Node) -> list[tuple[int, Any]]:
    assert isinstance(word, Chance)
    assert all(isinstance(after, End) for _, after in word.outcomes)
    return [(weight, after.result) for weight, after in word.outcomes if isinstance(after, End)]


# --- what a result moves ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "chips"),
    [("1-1-6", 6), ("1-1-5", 5), ("1-1-2", 2), ("6-6-6 1-1-1", 3), ("6-5-4 3-2-1", 2), ("6-6-5 5-4-2 2-2-1", 1)],
)
def test_the_kind_of_the_highest_throw_says_how_many_chips_move(names: str, chips: int) -> None:
    assert {moved_by(NAMES[name]) for name in names.split()} == {chips}


# --- the charge ------------------------------------------------------------------------------------------------------


@rules(
    "highest, pot, taken",
    {
        "all but one for 4-2-1": ((4, 2, 1), 11, 10),
        "one of two": ((4, 2, 1), 2, 1),
        "and the last one": ((4, 2, 1), 1, 1),
        "six": ((1, 1, 6), 11, 6),
        "never more than there are": ((1, 1, 6), 5, 5),
        "two aces": ((1, 1, 2), 11, 2),
        "three alike": ((2, 2, 2), 2, 2),
        "a run": ((3, 2, 1), 11, 2),
        "any other": ((6, 6, 5), 11, 1),
    },
)
def test_in_the_charge_the_lowest_takes_from_the_pot(highest: Dice, pot: int, taken: int) -> None:
    state = {"pot": pot, "chips": (3, 3, 14 - pot)}
    assert chips_after(highest, LOWEST, LOW, **state) == (3, 3 + taken, 14 - pot)
    assert describe_position(the_game(), played(highest, LOWEST, LOW, **state))["pot"] == pot - taken


@pytest.mark.parametrize("lowest", range(3))
def test_who_has_taken_chips_throws_last_in_the_next_round_of_the_charge(lowest: int) -> None:
    thrown = [LOWEST if seat == lowest else (6, 6, 5) for seat in range(3)]
    found = played(*thrown)
    assert found.seats[-1] == lowest
    assert describe_position(the_game(), found)["opener"] == found.mover
    again = [(6, 6, 6), (6, 6, 5), LOWEST]  # so the same seat is lowest once more
    assert describe_position(the_game(), played(*thrown, *again))["chips"][lowest] == 3 + 1 + 3


@pytest.mark.parametrize("lowest", range(3))
def test_seat_0_opens_the_discharge(lowest: int) -> None:
    thrown = [LOWEST if seat == lowest else (6, 6, 5) for seat in range(3)]
    found = played(*thrown, pot=1, chips=(9, 4, 6))
    assert (found.mover, describe_position(the_game(), found)["pot"]) == (0, 0)
    assert moves(the_game(), replay(the_game(), {"pot": 0, "chips": (9, 4, 7)}, [((6, 5, 5), None)]))[0] == "stop"


# --- the discharge ---------------------------------------------------------------------------------------------------

FULL = {"pot": 0, "chips": (4, 7, 9)}


@rules(
    "thrown, chips, after, opener",
    {
        "1-1-6 puts six into the pot": ([LOW, (1, 1, 6), LOWEST], (4, 7, 9), (4, 1, 9), 1),
        "1-1-2 two": ([LOW, (1, 1, 2), LOWEST], (4, 7, 9), (4, 5, 9), 1),
        "three alike three": ([LOW, (5, 5, 5), LOWEST], (4, 7, 9), (4, 4, 9), 1),
        "a run two": ([LOW, (3, 4, 5), LOWEST], (4, 7, 9), (4, 5, 9), 1),
        "any other one": ([LOW, (6, 5, 5), LOWEST], (4, 7, 9), (4, 6, 9), 1),
        "one chip is left": ([LOW, LOWEST, (1, 1, 6)], (4, 7, 7), (4, 7, 1), 2),
        "4-2-1 gives all but one to the lowest": ([LOW, LOWEST, (4, 2, 1)], (4, 7, 9), (4, 15, 1), 2),
        "whoever that is": ([(4, 2, 1), LOW, LOWEST], (4, 7, 9), (1, 7, 12), 0),
        "a single chip is kept": ([LOW, LOWEST, (4, 2, 1)], (4, 7, 1), (4, 7, 1), 2),
    },
)
def test_in_the_discharge_the_highest_parts_with_chips_and_opens(
    thrown: list[Dice], chips: Dice, after: Dice, opener: int
) -> None:
    found = played(*thrown, pot=0, chips=chips)
    assert chips_after(*thrown, pot=0, chips=chips) == after
    assert (found.over, found.mover) == (False, opener)


@pytest.mark.parametrize("chips", [5, 6])
def test_who_puts_the_last_chip_into_the_pot_has_won(chips: int) -> None:
    found = played(LOW, LOWEST, (1, 1, 6), pot=0, chips=(4, 7, chips))
    assert (found.over, list(map(float, found.shares))) == (True, [0, 0, 1])


TOP = (4, 2, 1)


@rules(
    "thrown, state, ends",
    {
        "two lowest": ([LOWEST, (6, 6, 5), LOWEST], {}, [(3, (TAKES, 0)), (3, (TAKES, 2))]),
        "all lowest": ([LOWEST] * 3, {}, [(2, (TAKES, seat)) for seat in range(3)]),
        "two highest": ([(5, 5, 5), LOWEST, (5, 5, 5)], FULL, [(3, (PUTS, 0)), (3, (PUTS, 2))]),
        "two at 4-2-1": ([TOP, LOWEST, TOP], FULL, [(3, (GIVES, 0, 1)), (3, (GIVES, 2, 1))]),
        "two lowest under 4-2-1": ([LOWEST, TOP, LOWEST], FULL, [(3, (GIVES, 1, 0)), (3, (GIVES, 1, 2))]),
        "all at 4-2-1, the lowest is another than the highest": (
            [TOP] * 3,
            FULL,
            [(1, (GIVES, top, low)) for top in range(3) for low in range(3) if top != low],
        ),
    },
)
def test_a_tie_is_thrown_off(thrown: list[Dice], state: dict[str, Any], ends: list[tuple[int, Any]]) -> None:
    word = played(*thrown, **state).node
    assert isinstance(word, Goto)
    assert outcomes(FourTwoOne().turn(*word.state)) == ends


def test_two_who_are_tied_at_4_2_1_throw_off_who_gives() -> None:
    two = FourTwoOneDuel(players=2)
    assert outcomes(two.turn(GIVES, (0, 1), (0, 1))) == [(3, (GIVES, 0, 1)), (3, (GIVES, 1, 0))]


@pytest.mark.parametrize("used", [1, 2, 3])
def test_the_others_have_as_many_throws_as_the_opener_has_used(used: int) -> None:
    table = the_game()
    first: list[Any] = [((6, 4, 2), "keep 2 4"), ((3,), "keep 2 4")]
    opened = [*first[: used - 1], ((1,) if used > 1 else (6, 5, 5), "stop")]
    found = replay(table, FULL, opened)
    fields = describe_position(table, found)
    assert (found.mover, fields["rolls"], fields["rolls_left"]) == (1, used, used)
    thrown = replay(table, FULL, [*opened, ((6, 3, 2), None)])
    assert ("keep nothing" in moves(table, thrown)) == (used > 1)
    assert describe_position(table, thrown)["rolls_left"] == used - 1


def test_any_dice_may_be_thrown_again_also_those_kept_before_and_join_those_kept() -> None:
    table = the_game()
    found = replay(table, FULL, [((6, 4, 2), "keep 2 4"), ((3,), None)])
    assert moves(table, found) == [
        *("stop", "keep 2 3", "keep 2 4", "keep 3 4", "keep 2", "keep 3", "keep 4", "keep nothing")
    ]
    for who, left, wanted in (
        (OPENS, 1, ["stop", "keep 1 1", "keep 1 5", "keep 1", "keep 5", "keep nothing"]),
        (FOLLOWS, 0, ["stop"]),
    ):
        word: Any = FourTwoOne().turn(who, left, (1, 1, 5))
        assert [name for name, _ in word.moves] == wanted  # in the game's own order
    word = FourTwoOne().turn(FOLLOWS, 1, (2, 4))
    assert {after.state[2] for _, after in word.outcomes} == {
        *((1, 2, 4), (2, 2, 4), (2, 3, 4), (2, 4, 4), (2, 4, 5), (2, 4, 6))
    }


# --- rounds that go on alike are one ---------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
def test_a_round_ends_as_its_results_say_whatever_was_merged_on_the_way(players: int) -> None:
    rounds, draw = rounds_of(players), Random(players)
    every = list(product(THROWN, repeat=players))
    few = [results for results in every if len(set(results)) < players or FOUR_TWO_ONE in results]
    for results in draw.sample(every, 600) + draw.sample(few, min(len(few), 600)):
        highest, lowest = max(results), min(results)
        tops = tuple(seat for seat in range(players) if results[seat] == highest)
        lows = tuple(seat for seat in range(players) if results[seat] == lowest)
        for seat0, throws in ((0, 1), (players - 1, 1), (DISCHARGE, 1), (DISCHARGE, 3)):
            end = rounds.standing(seat0, throws, results)
            number = rounds.start[seat0] if seat0 != DISCHARGE else int(rounds.opened[results[0], throws])
            for result in results[seat0 == DISCHARGE :]:
                number = int(rounds.after[number, result])
            assert rounds.each[number] == end
            assert rounds.moves[number] == moved_by(highest)
            if seat0 != DISCHARGE:
                assert (end.lows, end.seat0) == (lows, seat0)
            else:
                assert end.tops == tops
                assert end.lows == (lows if highest == FOUR_TWO_ONE else ())


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_question_left_empty_is_the_start_and_two_play_a_duel_and_three_at_a_table() -> None:
    position = the_game().locate()
    assert (dict(position.board), position.mover) == (the_game().first_board(), 0)
    assert [the_game(players).kind for players in (2, 3)] == ["duel", "table"]
    assert the_game().parameters() == {"players": 3}


def test_seats_are_told_by_the_question_and_not_by_who_opens() -> None:
    seen = [
        rollwise.ask(
            "421", params={"players": 2}, pot=0, chips=chips, opener=opener, results=results, rolls=2, roll="222"
        )
        for opener, chips, results in ((0, (4, 2), "5-4-3"), (1, (2, 4), "-,5-4-3"))
    ]
    assert [advice.mover for advice in seen] == [1, 0]
    for one, other in zip(*(advice.moves for advice in seen), strict=True):
        assert (one.move, one.value) == (other.move, other.value)
        assert one.shares is not None
        assert one.shares[::-1] == other.shares


def test_at_the_edge_of_what_can_be_a_question_is_understood() -> None:
    table = the_game()
    for fields in (
        {"pot": 1, "chips": (3, 3, 13)},
        {"pot": 10, "chips": (3, 4, 3), "opener": 2},
        {"pot": 0, "chips": (1, 1, 18)},
        {"pot": 0, "chips": (18, 1, 1), "opener": 1},
        {"pot": 0, "chips": (1, 1, 1)},
        {"pot": 0, "chips": (2, 2, 2), "opener": 2, "results": ("4-2-1", None, "4-2-1"), "rolls": 3},
    ):
        position = table.locate(**fields)
        index = np.array([table.boards().index_of(**position.board)])
        assert table.possible(table.boards().columns(index)).all()


@pytest.mark.parametrize("players", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_rounds_are_counted_without_making_them(players: int) -> None:
    made = rounds_of(players).each
    assert count_open_rounds(players) == sum(not each.charging and each.thrown < players for each in made)
