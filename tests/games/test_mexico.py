"""Mexico, by its rules (number 3 of TACTIC's 21) and our readings of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import rollwise
from rollwise.games.mexico.rules import Mexico
from rollwise.games.mexico.scoring import NAMES, NEW_ROUND, THROWN, MexicoResults
from rollwise.games.policies import policies
from rollwise.solver.model.errors import DiceError, StateError
from rollwise.solver.model.game import TurnGame
from tests.games.helping import holds, in_fractions, made, played, plays_out, reads, rules, solved, thorough
from tests.solver.test_mexico_tables import ORDER as LOWEST_FIRST, Plain

DUEL = Mexico()
Lives = tuple[int, ...]


def mexico(**parameters: Any) -> TurnGame:
    return made("mexico", **parameters)


def round_of(thrown: str, lives: Lives, opener: int | None = None, rule: str = "fixed") -> dict[str, Any]:
    """What follows when everybody keeps their first throw, in the order in which they throw; lives are by seat.

    Of a round that goes on: the opener, the lowest result, who has it, whether there is a mexico.
    """
    game = mexico(players=len(lives), opener=rule)
    play = ", ".join(name.replace("-", "") + ": stop" for name in thrown.split(" "))
    after = played(game, {"lives": lives, "opener": opener}, play)
    opened, lowest, holders, with_mexico = after.board["round"]
    return {
        "lives": tuple(held for _, held in sorted(zip(after.seats, after.board["lives"], strict=True))),
        "mover": after.mover,
        "over": after.over,
        "shares": after.shares,
        "opener": after.seats[opened],
        "lowest": THROWN.get(lowest),
        "holders": {seat for place, seat in enumerate(after.seats) if holders >> place & 1},
        "mexico": bool(with_mexico),
    }


# --- a round ---------------------------------------------------------------------------------------------------------


def test_throws_rank_as_the_sheet_says() -> None:
    assert sorted(NAMES, key=lambda name: NAMES[name]) == LOWEST_FIRST


SIX, FIVE = (6,) * 4, (5, 5, 5)


@rules(
    "thrown, lives, left",
    {
        "the lowest result of the example loses one life": ("5-4 2-2 6-1 4-4", SIX, (5, 6, 6, 6)),
        "all who are equally low lose": ("5-4 2-2 5-4 4-4", SIX, (5, 6, 5, 6)),
        "also both of two": ("6-6 6-6", (6, 6), (5, 5)),
        "a mexico costs the lowest two lives": ("5-4 2-1 6-1", (6, 6, 6), (4, 6, 6)),
        "two mexicos cost no more": ("2-1 5-4 2-1 5-4", SIX, (6, 4, 6, 4)),
        "everybody with mexico is equally low": ("2-1 2-1", (6, 6), (4, 4)),
        "who is out is passed over": ("5-4 6-1 6-6", (6, 0, 6, 2), (5, 0, 6, 2)),
        "one who goes out leaves two": ("5-4 6-1 6-2", (1, 1, 1), (0, 1, 1)),
    },
)
def test_a_round_costs_lives(thrown: str, lives: Lives, left: Lives) -> None:
    found = round_of(thrown, lives)
    assert (found["lives"], found["over"]) == (left, False)


@rules(
    "thrown, lives, then",
    {
        "the second player knows the opener's result": ("6-1", (4, 5), {"mover": 1, "lowest": "6-1", "holders": {0}}),
        "of the round only the lowest matters": ("5-4 6-1", (6,) * 3, {"mover": 2, "lowest": "5-4", "holders": {0}}),
        "not what else was thrown": ("5-4 2-2", (6,) * 3, {"mover": 2, "lowest": "5-4", "mexico": False}),
        "and whether there is a mexico": ("5-4 2-1", (6,) * 3, {"lowest": "5-4", "holders": {0}, "mexico": True}),
        "all who have it": ("5-4 5-4", (6,) * 3, {"lowest": "5-4", "holders": {0, 1}}),
        "a lower one takes its place": ("5-4 3-1", (6,) * 3, {"lowest": "3-1", "holders": {1}}),
        "two mexicos are the lowest": ("2-1 2-1", (6,) * 3, {"lowest": "2-1", "holders": {0, 1}, "mexico": True}),
        "seats that are out do not throw": ("5-4", (6, 0, 6, 2), {"mover": 2}),
        "seat 0 opens every round": ("6-1 5-4", (4, 5), {"mover": 0, "opener": 0, "lowest": None}),
        "whoever lost the last": ("6-1 2-2", (4, 5), {"mover": 0, "opener": 0, "lowest": None}),
        "when it is out the next seat that is in": ("5-4 6-1 6-1", (1, 2, 2), {"mover": 1, "lives": (0, 2, 2)}),
        "also at four": ("3-1 6-1 6-1", (0, 1, 2, 2), {"mover": 2, "lives": (0, 0, 2, 2)}),
        "a life left goes on": ("2-1 6-6", (2, 3), {"over": False}),
    },
)
def test_a_round_goes_on(thrown: str, lives: Lives, then: dict[str, Any]) -> None:
    found = round_of(thrown, lives)
    assert {name: found[name] for name in then} == then


@pytest.mark.parametrize(
    ("opener", "thrown", "lives", "mover"),
    [
        (1, "6-1 5-4", (5, 4), 0),
        (0, "6-1 5-4 6-6", FIVE, 1),
        (2, "6-1 5-4 6-6", FIVE, 0),
        (0, "6-1 5-4", (5, 0, 5), 2),
        (2, "6-1 5-4", (0, 3, 5), 1),
        (1, "3-1 5-4 6-6", (3, 1, 3), 2),  # who opened goes out
    ],
)
def test_a_rotating_opener_moves_on_to_the_next_seat_that_is_in(
    opener: int, thrown: str, lives: Lives, mover: int
) -> None:
    assert round_of(thrown, lives, opener, "rotating")["mover"] == mover


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


@pytest.mark.parametrize(
    ("lives", "thrown", "shares"),
    [
        ((6, 1), "6-1 5-4", (1, 0)),
        ((1, 1), "6-1 6-1", (HALF,) * 2),
        ((2, 3), "2-1 2-1", (0, 1)),
        ((1, 1, 1), "5-4 5-4 5-4", (THIRD,) * 3),
        ((1, 0, 1, 2), "5-4 5-4 6-4", (0, 0, 0, 1)),
        ((1, 0, 1, 1), "5-4 5-4 5-4", (THIRD, 0, THIRD, THIRD)),
        ((2, 2, 2, 2), "2-1 2-1 2-1 2-1", (Fraction(1, 4),) * 4),
    ],
)
def test_the_last_player_with_a_life_wins_and_all_out_together_is_a_dead_game(
    lives: Lives, thrown: str, shares: tuple[Fraction, ...]
) -> None:
    found = round_of(thrown, lives)
    assert (found["over"], found["shares"]) == (True, shares)


# --- a turn ----------------------------------------------------------------------------------------------------------


@rules(
    "play, then",
    {
        "a turn starts with a throw": ("", {"moves": ["roll"], "state": (3,)}),
        "it may be thrown again": ("12", {"moves": ["stop", "roll"]}),
        "twice": ("12: roll, 12", {"moves": ["stop", "roll"]}),
        "and no more": ("12: roll, 12: roll, 12", {"moves": ["stop"]}),
        "a mexico thrown again is forgotten": ("12: roll", {"state": (2,)}),
        "the last throw counts": ("12: roll, 45: stop", {"round": (1, NAMES["5-4"], 0b10, 0), "mover": 1}),
    },
)
def test_up_to_three_throws_of_both_dice(play: str, then: dict[str, Any]) -> None:
    plays_out(DUEL, {}, play, then)


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lives", "rule"), [(2, "fixed"), (2, "rotating"), *thorough((4, "fixed"), (4, "rotating"))])
def test_values_and_dead_games_agree_with_the_plain_recursion(lives: int, rule: str) -> None:
    game, written_afresh = Mexico(lives=lives, opener=rule), Plain(2, rule == "rotating")
    graph, found = solved(game)
    for held in product((1, 2), repeat=2) if lives == 2 else [(4, 4)]:
        worth, _, dead = written_afresh.start(held, 0)
        board = game.boards().index_of(lives=held, round=NEW_ROUND)
        assert lives > 2 or in_fractions(game)[board] == worth
        assert holds(found, board, worth)
        told = game.quantities_beside(graph, reads(game), game.locate(lives=held))["dead"]
        assert Fraction(told.lower) <= dead <= Fraction(told.upper)
        assert told.upper - told.lower < 1e-9


# --- questions -------------------------------------------------------------------------------------------------------


def test_the_mover_is_the_opener_or_the_one_who_has_not_rolled() -> None:
    first = DUEL.locate(lives=(5, 3))
    assert (first.mover, first.board, first.state) == (0, {"lives": (5, 3), "round": NEW_ROUND}, (3,))
    second = DUEL.locate(lives=(5, 3), results=("6-5", None), roll=(2, 2))
    assert (second.mover, second.state) == (1, (2, (2, 2)))
    assert second.board == {"lives": (3, 5), "round": (1, NAMES["6-5"], 0b10, 0)}
    rotating = Mexico(opener="rotating").locate(lives=(5, 3), opener=1, results=(None, "6-5"), rolls_left=1)
    assert (rotating.mover, rotating.board["lives"], rotating.state) == (0, (5, 3), (1,))
    told = rollwise.ask("mexico", params={"players": 3, "lives": 2}, lives="-,1,2")
    assert (told.mover, told.state["opener"]) == (1, 1)  # the first seat that is in opens where nothing is said


RESULTS = MexicoResults("results", "", 2)


def test_results_are_typed_by_seat() -> None:
    for given in ("6-5", "5-6,-", ["6-5", None], [(5, 6)]):
        assert RESULTS.parse(given) == ("6-5", None)
    assert RESULTS.parse("-, 1-2") == (None, "2-1")
    assert [RESULTS.parse(given) for given in ("none", "-", (), "-,-")] == [()] * 4
    assert (RESULTS.show(("6-5", None)), RESULTS.show(())) == ("6-5,-", "none")
    with pytest.raises(StateError, match="results is a list of up to 2 throws, got 3"):
        RESULTS.parse("6-5,2-2,3-1")


@pytest.mark.parametrize("given", ["6-7", "65", "6-5-4", "6", ["6-5", 4], "6-", "12-3", "6--5", [(5, True)], "6-5;2-2"])
def test_a_result_is_a_throw_of_two_dice(given: Any) -> None:
    with pytest.raises(DiceError, match=r"names throws of two faces in 1\.\.6 like 6-5"):
        RESULTS.parse(given)


def test_an_answer_says_what_every_seat_wins() -> None:
    duel = rollwise.ask("mexico", params={"lives": 1}, exact=True, results="6-5,-", roll="64", rolls_left=1)
    assert (duel.mover, duel.shares_exact, duel.shares) == (1, ["3/4", "1/4"], [0.75, 0.25])
    assert [move.shares for move in duel.moves] == [[0.75, 0.25], [1.0, 0.0]]
    table = rollwise.ask("mexico", params={"lives": 1, "players": 3}, results="6-5,6-4", roll="63", rolls_left=1)
    assert table.mover == 2
    assert sum(table.shares or []) == pytest.approx(1)


# --- rules of thumb --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "results", "rolls"),
    [
        ("stop-at-a-pair", (), {(1, 1): "stop", (5, 6): "roll", (1, 3): "roll"}),
        ("beat-the-opener", (), {(5, 6): "stop", (4, 6): "roll", (1, 3): "roll"}),
        ("match-the-opener", (), {(1, 3): "roll"}),
        ("beat-the-opener", ("6-5", None), {(5, 6): "roll"}),
        ("match-the-opener", ("6-5", None), {(5, 6): "stop"}),
        ("beat-the-opener", ("6-5", "5-4", None), {(1, 6): "stop", (4, 5): "roll"}),
        ("match-the-opener", ("6-5", "5-4", None), {(4, 5): "stop"}),
    ],
)
def test_what_the_rules_of_thumb_play(name: str, results: tuple[Any, ...], rolls: dict[tuple[int, int], str]) -> None:
    rule = policies("mexico")[name].policy
    assert {roll: rule({"results": results, "roll": roll}, ["stop", "roll"]) for roll in rolls} == rolls
