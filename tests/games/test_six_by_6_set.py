"""Six By 6 as a SET: who wins with which scores, what is bounded, and both ways to post found in another way."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.rounds import joined, shares
from rollwise.games.six_by_6.bounds import FAR, NO_SCORE, TOP, overtaken, promise, reaches_top
from rollwise.games.six_by_6.chosen_set import SixBy6Chosen, SixBy6Duel, SixBy6Table
from rollwise.games.six_by_6.rules import SixBy6
from rollwise.games.six_by_6.set import SixBy6Set
from rollwise.games.six_by_6.variants import SixBy6Alone, SixBy6Free
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.table import TableValues, solve_table
from tests.asked import ask
from tests.games.helping import holds, kept, made, may, plays_out, rules, settles
from tests.games.six_by_6_by_hand import CAP, Array, round_worth, scores
from tests.tables import Explicit

FREE: dict[str, Any] = {"posting": "free"}
DUEL, TABLE = SixBy6Duel(2, "free"), SixBy6Table(3, "free")
SMALL_TABLE = SixBy6Table(3, "free", limit=1)


def start(mover: int, best: int, **board: int) -> dict[str, int]:
    """A board of a seat that starts its round; seat 0 holds the best score."""
    return {"mover": mover, "best": best, "holders": mover, "posted": 0, "carry": 0, **board}


# --- what is played --------------------------------------------------------------------------------------------------


@rules(
    "parameters, sort, kind",
    {
        "one player": ({}, SixBy6, "alone"),
        "one who chooses": (FREE, SixBy6Alone, "solo"),
        "two": ({"players": 2}, SixBy6Set, "alone"),
        "eight": ({"players": 8}, SixBy6Set, "alone"),
        "two who choose": ({"players": 2, **FREE}, SixBy6Duel, "duel"),
        "three who choose": ({"players": 3, **FREE}, SixBy6Table, "table"),
        "four who choose": ({"players": 4, **FREE}, SixBy6Table, "table"),
    },
)
def test_one_player_plays_a_round_and_more_play_a_set(parameters: dict[str, Any], sort: type, kind: str) -> None:
    found = made("six-by-6", **parameters)
    assert (type(found), found.kind) == (sort, kind)
    boards = 1320 * (1 + 26 * 68)  # of five: rounds, and for each holders and score
    assert found.unsolved().get(5) == (boards if parameters.get("posting") else None)


R47 = "123456: post"  # 36 and 11
R45 = "666661: go on, 6: post"  # 36, and 8 and 1
R21 = "123456: go on, 12345: go on"  # one die posted, and 15
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@rules(
    "game, play, then",
    {
        "the most points win": (DUEL, f"{R47}, {R45}", {"shares": (1, 0)}),
        "also of the last": (DUEL, f"{R45}, {R47}", {"shares": (0, 1)}),
        "also of one between": (TABLE, f"{R21}, {R47}, {R45}", {"shares": (0, 1, 0)}),
        "two who tie share": (DUEL, f"{R47}, {R47}", {"shares": (HALF, HALF)}),
        "also at a table": (TABLE, f"{R47}, {R21}, {R47}", {"shares": (HALF, 0, HALF)}),
        "and all three": (TABLE, f"{R45}, {R45}, {R45}", {"shares": (THIRD,) * 3}),
        "a round hands over six dice and no carry": (DUEL, R45, {"mover": 1, **start(1, 45)}),
        "who declines twice scores the least that can be": (DUEL, R21, {"best": 21}),
    },
)
def test_a_set_goes_as_the_sheet_says(game: SixBy6Chosen, play: str, then: dict[str, Any]) -> None:
    plays_out(game, {}, play, then)


@pytest.mark.parametrize("dice", ["123456", "222222", "12345", "113456"])
def test_a_roll_of_a_set_is_played_as_one_of_a_round(dice: str) -> None:
    question = {"posted": 6 - len(dice), "carry": 3}
    assert may(DUEL, question, dice) == may(SixBy6Free(**FREE), question, dice)


def test_holders_are_replaced_by_more_and_bounded_boards_seen_from_every_seat() -> None:
    assert [int(joined(0b01, 1, difference)) for difference in (-1, 0, 1)] == [0b01, 0b11, 0b10]
    rows, per = shares(np.array([0b101]), 3)
    assert [Fraction(int(row[0]), per) for row in rows] == [HALF, HALF, 0]  # of seats 2, 0, 1
    assert settles(TABLE, "far ahead", **{**start(1, 40), "carry": FAR})["shares"] == (1, 0, 0)
    assert settles(TABLE, "out of reach", **start(1, TOP))["shares"] == (0, 0, 1)


# --- posting as forced -----------------------------------------------------------------------------------------------


def test_a_forced_set_is_shared_as_the_scores_of_single_rounds_say() -> None:
    mine, later = scores(carry=3, posted=2)[0], scores()[0]
    wins, shared = [0.0] * 3, 0.0
    for (own, p), (one, q) in product(mine.items(), later.items()):
        by_seat = [40, own, one]
        best = [seat for seat in range(3) if by_seat[seat] == max(by_seat)]
        shared += p * q * (len(best) > 1)
        for seat in best:
            wins[seat] += p * q / len(best)
    where: dict[str, Any] = {"carry": 3, "posted": 2, "mover": 1, "best": 40, "holders": (0,)}
    told: Any = rollwise.ask("six-by-6", params={"players": 3}, state=where).quantities
    assert told["win"].value == pytest.approx(wins, abs=1e-11)
    assert told["shared"].value == pytest.approx(shared, abs=1e-11)
    assert all(high - low < 1e-12 for low, high in zip(told["win"].lower, told["win"].upper, strict=True))
    last: Any = rollwise.ask("six-by-6", params={"players": 3}, mover=2, best=50, holders=(1,)).quantities["win"]
    assert (last.upper[0] < 1e-12, last.value[1] > 0.9) == (True, True)  # who does not hold the best wins nothing


def test_in_a_forced_set_all_seats_win_as_often() -> None:
    told, alone = (dict[str, Any](rollwise.solve("six-by-6", params={"players": n}).quantities) for n in (2, 1))
    assert told["win"].value == pytest.approx([1 / 2] * 2, abs=1e-12)
    assert told["mean_score"] == alone["mean_score"]
    assert told["length"].value == pytest.approx(2 * alone["length"].value)
    assert told["length_distribution"].value["2"] == pytest.approx(alone["length_distribution"].value["1"] ** 2)


# --- posting as one likes --------------------------------------------------------------------------------------------


def won_against(best: Any) -> Any:
    """What the last player wins with each score against these."""
    return lambda score: (score[:, None] > best) + (score[:, None] == best) / 2.0


@pytest.mark.thorough
def test_the_last_player_wins_as_often_as_rounds_by_hand_say() -> None:
    by_hand = round_worth(lambda score: (score > 41) + (score == 41) / 2.0, cap=100)
    for posted, carry in product(range(6), (0, 1, 2, 7, 20, 40)):
        found, _ = kept(DUEL).read(np.array([DUEL.boards().index_of(**start(1, 41, posted=posted, carry=carry))]))
        assert found[0] == pytest.approx(by_hand[posted][carry], abs=1e-9)


@pytest.mark.parametrize(("limit", "top"), [(2, 49), pytest.param(0, 79, marks=pytest.mark.slow)])
def test_the_first_player_plays_for_what_the_second_leaves(limit: int, top: int) -> None:
    """With a carry of 2 at most, all scores that there are; else whoever makes more has won."""
    game, cap = SixBy6Duel(2, "free", limit), limit or CAP
    scored = np.array([*range(21, 36), *range(37, top + 1)])
    second = round_worth(won_against(scored), cap=cap)
    left = dict(zip(scored.tolist(), 1 - second[0][0], strict=True))
    first = round_worth(lambda score: np.array([left.get(int(one), 1.0) for one in score]), cap=cap)
    for posted, carry in product(range(6), (0, 1, 2, 15)[: cap + 1]):
        for mover, best, wins in ((0, NO_SCORE, first[posted][carry]), (1, 35, second[posted][carry, 14])):
            board = start(mover, best, posted=posted, carry=carry)
            found, radius = kept(game).read(np.array([game.boards().index_of(**board)]))
            assert found[0] == pytest.approx(wins, abs=1e-9)
            assert radius[0] < 5e-10


@pytest.mark.thorough
def test_choosing_helps_the_one_who_moves_last() -> None:
    """Who comes first has no score to beat, and posts nearly always."""
    values, radius = kept(DUEL).read(np.arange(DUEL.boards().size))
    assert 0 < 0.5 - values[DUEL.boards().index_of(**start(0, NO_SCORE))] < 1e-5
    assert np.nanmax(radius) < 5e-10


def test_it_can_be_best_to_go_on_where_a_rack_is_not_enough() -> None:
    dice: dict[str, Any] = {"roll": (2,) * 6, "carry": 1}  # 48 points
    assert ask(SixBy6Duel(2, "free", 2), {**dice, "mover": 1, "best": 49, "holders": (0,)}).best == ["go on"]
    assert ask(SixBy6Alone(limit=2, **FREE), dice).best == ["post"]  # by score


# --- what is bounded -------------------------------------------------------------------------------------------------


def test_high_scores_are_no_likelier_than_their_bound() -> None:
    for posted, score in product(range(6), (50, 60, 70)):
        above = sum(chance for made_of, chance in scores(carry=2, posted=posted)[0].items() if made_of >= score)
        assert above <= promise(posted) * Fraction(9, 5) ** (2 - score + 36)
    above = sum(chance for made_of, chance in scores()[0].items() if made_of >= 75)
    assert above <= reaches_top() * Fraction(9, 5) ** (TOP - 75)


def test_posting_any_other_way_keeps_below_the_bound_too() -> None:
    """The best chance to score 60 or more, and to make less than a rack of a large carry would, whatever is posted."""

    def goals(score: Array) -> Array:
        return np.stack([score >= 60, score < 36 + CAP - 60], axis=1) * 1.0

    best = round_worth(goals)
    assert all(best[posted][0, 0] <= promise(posted) * Fraction(9, 5) ** (36 - 60) for posted in range(6))
    assert max(float(worth[CAP, 1]) for worth in best) <= 6 * (5 / 6) ** 60  # no rack within 60 rolls
    assert overtaken(2) < overtaken(4) < Fraction(1, 10**11)


@cache
def small_table() -> TableValues:
    return solve_table(SMALL_TABLE, compile_turn(SMALL_TABLE))


def test_a_table_adds_what_it_takes_as_certain_to_every_bound() -> None:
    class Unsure(SixBy6Table):
        @property
        def uncertain(self) -> float:
            return 1e-4

    game = Unsure(3, "free", limit=1)
    told = solve_table(game, compile_turn(game))
    assert 0 < TABLE.uncertain < 1e-11
    assert SMALL_TABLE.uncertain == 0.0
    assert np.nanmax(small_table().radius) < 1e-9
    assert np.nanmin(told.radius) >= 1e-4
    assert np.nanmin(told.endings["shared"][:, 1]) >= 1e-4
    assert told.gain_limit >= 2e-4


@pytest.mark.parametrize(("best", "shared"), [(47, 1.0), (46, 0.0)])
def test_a_table_says_how_likely_a_shared_win_is(best: int, shared: float) -> None:
    told = ask(SMALL_TABLE, {"mover": 2, "best": best, "holders": (0,), "roll": (2,) * 6})
    assert told.best == ["post"]  # 47 points
    assert told.quantities["shared"].value == pytest.approx(shared, abs=1e-9)


@pytest.mark.parametrize("game", [DUEL, TABLE], ids=str)
def test_boards_that_are_bounded_are_the_only_ones_with_other_roots(game: SixBy6Chosen) -> None:
    space = game.boards()
    columns = space.columns(np.arange(space.size))
    possible = game.possible(columns)
    ahead, lost = (possible & (game.root(columns) == number) for number in (6, 7))
    assert np.array_equal(ahead, possible & (columns.carry == FAR))
    assert np.array_equal(lost, possible & (columns.best == TOP))
    assert not columns.carry[lost].any()


def test_a_small_table_is_an_equilibrium_in_fractions() -> None:
    found, space = small_table(), SMALL_TABLE.boards()
    explicit = Explicit(SMALL_TABLE, found.values, found.tie)
    last = [(number, space.board(number)) for number in explicit.boards]
    explicit.boards = [
        number for number, board in last if (board["mover"], board["best"], board["holders"]) == (2, 41, 1)
    ]
    exact, replies = explicit.worth(), explicit.best_reply()
    assert exact
    for at, worth in exact.items():
        assert holds(found, at, worth)
        assert replies[at] - worth <= Fraction(found.gain_limit)
