"""Martinetti by its rules: the sheet's example, what a roll crosses off, odds, and stopping short."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from rollwise.games.martinetti.rules import SQUARES, Martinetti, MartinettiFree, MartinettiFreeTable, crossed_after
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, End, Goto, Position, TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.table import solve_table
from tests.games.helping import holds, kept, made, no_game, played, plays_out, quantities, rules, settles, thorough
from tests.tables import Explicit

ROW = [*range(1, 13), *range(12, 0, -1)]
LUCK, FREE, TABLE = Martinetti(), MartinettiFree(crossing="free"), MartinettiFreeTable(3, "free")


def reached_by(crossed: int, *dice: int) -> int:
    """Written once more: how far the roll goes without a gap."""
    sums = {sum(die for die, used in zip(dice, uses, strict=True) if used) for uses in product((0, 1), repeat=3)}
    ahead = ROW[crossed:12] if crossed < 12 else ROW[crossed:]
    missing = [place for place, number in enumerate(ahead) if number not in sums]
    return crossed + min(missing, default=len(ahead))


# --- a roll ----------------------------------------------------------------------------------------------------------


def test_odds_of_a_roll_are_those_of_all_216_and_no_first_one_crosses_off_as_much_as_one_two_four() -> None:
    for crossed in range(SQUARES):
        expected = Counter(reached_by(crossed, *dice) for dice in product(range(1, 7), repeat=3))
        word = LUCK.turn(crossed)
        assert isinstance(word, Chance)
        found: Counter[Any] = Counter()
        for ways, then in word.outcomes:
            assert isinstance(then, End | Goto)
            reached = then.result if isinstance(then, End) else then.state[0]
            assert isinstance(then, End) == (reached in (crossed, 12, 24))
            found[reached] += ways
        assert found == expected, crossed
    best = {tuple(sorted(dice)): crossed_after(0, dice) for dice in product(range(1, 7), repeat=3)}
    assert {dice: crossed for dice, crossed in best.items() if crossed >= 7} == {(1, 2, 4): 7}


def test_every_turn_counts_one_and_the_last_square_ends_the_game() -> None:
    found = [settles(LUCK, crossed, crossed=11) for crossed in range(12, SQUARES + 1)]
    assert [after["over"] for after in found] == [False] * 12 + [True]
    assert {after["worth"] for after in found} == {1}
    with pytest.raises(ModelError, match="is over before 1 1 1"):
        played(LUCK, {"positions": (20, 0)}, "112, 111")


@rules(
    "at, play, then",
    {
        "the example's first roll": (0, "114", {"state": (2,), "crossed": 0}),
        "its second": (0, "114, 356", {"state": (3,), "crossed": 0}),
        "its third ends the turn": (0, "114, 356, 126", {"crossed": 3, "points": 1}),
        "reaching twelve on the way up ends the turn": (9, "461, 661", {"crossed": 12, "points": 1}),
        "the way down is crossed off in order": (12, "651, 642, 111", {"crossed": 15, "points": 1}),
        "the last one ends the game": (23, "155", {"over": True}),
    },
)
def test_a_turn_goes_as_the_sheet_says(at: int, play: str, then: dict[str, Any]) -> None:
    plays_out(LUCK, {"positions": (at, 0)}, play, then)


# --- questions and odds ----------------------------------------------------------------------------------------------


def test_a_position_is_how_far_the_mover_is_and_seats_are_counted_from_seat_0() -> None:
    assert LUCK.locate() == Position({"crossed": 0}, (0,), mover=0)
    assert Martinetti(3).locate(positions=(4, 0, 12), mover=2) == Position({"crossed": 12}, (12,), mover=2)
    assert FREE.locate(positions=(4, 9), mover=1) == Position({"mine": 9, "second": 4}, (9,), mover=1)
    told = quantities(Martinetti(3), positions=(5, 0, 17), mover=2)
    turned = quantities(Martinetti(3), positions=(17, 5, 0), mover=0)
    assert told["win"].value == [*turned["win"].value[1:], turned["win"].value[0]]
    assert all(told[name] == turned[name] for name in told if name != "win")


@pytest.mark.parametrize("players", [2, 3, *thorough(8)])
def test_whoever_moves_first_wins_most_at_the_start(players: int) -> None:
    told = quantities(Martinetti(players))["win"]
    assert all(told.lower[seat] > told.upper[seat + 1] for seat in range(players - 1))


def test_the_last_square_by_hand_and_the_facts_of_a_question() -> None:
    """A 1 on three dice comes with 91/216: the mover wins with p / (1 - q * q), q = 125/216."""
    told = quantities(LUCK, positions=(23, 23), mover=1)
    assert told["turns_alone"].exact == told["rolls_alone"].exact == "216/91"
    assert told["win"].value[1] == pytest.approx(216 / 341, abs=1e-15)
    assert told["length"].value == pytest.approx(216 / 91, abs=1e-14)
    assert told["length_distribution"].value["2"] == pytest.approx(125 * 91 / 216**2, abs=1e-15)
    told = quantities(Martinetti(3))
    alone = ["turns_alone", "turns_alone_distribution", "rolls_alone"]
    assert list(told) == ["win", "length", "length_distribution", *alone]
    assert [told[name].unit for name in ("win", "length", "rolls_alone")] == ["probability", "turns", "rolls"]
    assert min(map(int, told["length_distribution"].value)) == 4  # a turn up and a turn down, the others one between


# --- crossing=free: the player may stop short ------------------------------------------------------------------------


def test_free_crossing_is_a_duel_and_forced_crossing_stays_luck() -> None:
    assert made("martinetti", crossing="free") == FREE
    assert made("martinetti", crossing="free", players=3) == TABLE
    assert [game.kind for game in (FREE, TABLE, LUCK, Martinetti(8))] == ["duel", "table", "alone", "alone"]
    for players in (5, 8):
        error = no_game("martinetti", crossing="free", players=players)
        assert f"crossing=free is for 2 to 4 players, got {players}" in str(error)
        assert error.field == "players"
        assert FREE.unsolved()[players] == 24**players


EXAMPLE = "114: cross 2, 356: cross 1"
AT_10, AT_TABLE = {"positions": (10, 5)}, {"positions": (3, 9, 12), "mover": 1}


@rules(
    "game, question, play, then",
    {
        "all that a roll offers or fewer": (FREE, {}, "124", {"moves": [f"cross {n}" for n in range(7, 0, -1)]}),
        "up to the first gap, but not none": (FREE, {}, "114", {"moves": ["cross 2", "cross 1"]}),
        "squares are counted from where one stands": (FREE, {"positions": (3, 9)}, "124: cross 2", {"mine": 5}),
        "the example is one way to play it": (FREE, {}, EXAMPLE, {"mover": 0}),
        "until a roll is of no use": (FREE, {}, f"{EXAMPLE}, 126", {"mine": 0, "second": 3, "mover": 1}),
        "stopping short of twelve keeps the turn": (FREE, AT_10, "561: cross 1", {"mover": 0, "mine": 11, "second": 5}),
        "reaching it ends the turn": (FREE, AT_10, "561: cross 2", {"mover": 1, "mine": 5, "second": 12}),
        "nobody crosses off both twelves": (FREE, {"positions": (11, 0)}, "666", {"moves": ["cross 1"]}),
        "the last square wins": (FREE, {"positions": (5, 20), "mover": 1}, "112: cross 4", {"shares": (0, 1)}),
        "at a table places move up": (TABLE, AT_TABLE, "116", {"mover": 2, "mine": 12, "second": 3, "third": 9}),
        "or stay": (TABLE, AT_TABLE, "461: cross 1", {"mover": 1, "mine": 10, "second": 12, "third": 3}),
        "a table is won": (TABLE, {"positions": (3, 9, 23), "mover": 2}, "116: cross 1", {"shares": (0, 0, 1)}),
    },
)
def test_whoever_may_stop_short(game: TurnGame, question: dict[str, Any], play: str, then: dict[str, Any]) -> None:
    plays_out(game, question, play, then)


def the_end_by_hand(first: int, none_too: bool = False) -> dict[tuple[int, int], float]:
    """P(the mover wins) where both have crossed off ``first`` squares or more, swept until nothing moves.

    Written once more from the rules; with ``none_too`` the player may also cross off nothing, which ends the turn.
    """
    worth = {(mine, theirs): 0.5 for mine in range(first, 24) for theirs in range(first, 24)}
    rolls = {at: Counter(reached_by(at, *dice) for dice in product(range(1, 7), repeat=3)) for at in range(first, 24)}
    for _ in range(60):
        for mine, theirs in worth:
            going_on = {24: 1.0}
            for at in range(23, mine - 1, -1):
                going_on[at] = 0.0
                for reached, ways in rolls[at].items():
                    stops = [1 - worth[theirs, at]] if none_too or reached == at else []
                    going_on[at] += max([*stops, *(going_on[then] for then in range(at + 1, reached + 1))]) * ways / 216
            worth[mine, theirs] = going_on[mine]
    return worth


def test_the_end_of_the_duel_is_worth_what_it_is_by_hand() -> None:
    by_hand = the_end_by_hand(22)
    for (mine, theirs), worth in by_hand.items():
        values, _ = kept(FREE).read(np.array([FREE.boards().index_of(mine=mine, second=theirs)]))
        assert values[0] == pytest.approx(worth, abs=1e-9)
    assert by_hand == pytest.approx(the_end_by_hand(22, none_too=True))  # to cross off nothing would be of no use


@pytest.mark.thorough
def test_the_end_of_a_table_is_an_equilibrium_in_fractions() -> None:
    solved = solve_table(TABLE, compile_turn(TABLE))
    assert solved.gain_limit < 1e-9
    explicit = Explicit(TABLE, solved.values, solved.tie)
    places = ("mine", "second", "third")
    late = product((22, 23), repeat=3)
    explicit.boards = [TABLE.boards().index_of(**dict(zip(places, at, strict=True))) for at in late]
    exact, replies = explicit.worth(), explicit.best_reply()
    for at, worth in exact.items():
        assert holds(solved, at, worth)
        assert replies[at] - worth <= Fraction(solved.gain_limit)
