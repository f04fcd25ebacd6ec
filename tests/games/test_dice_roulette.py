"""Dice Roulette by its rules: the sheet's example, every bet against every throw, the pay table, bad input."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import icepool
import numpy as np
import pytest

from rollwise.games.dice_roulette.rules import BETS, EVEN_MONEY, NUMBERS, DiceRoulette, assumed_pay, wins
from rollwise.parsing.validate import parse_fields
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.games.helping import played, rules

TWO_DICE = 2 @ icepool.d6


def told(game: DiceRoulette | None = None, **given: Any) -> dict[str, Quantity]:
    made = game or DiceRoulette()
    return made.quantities(compile_turn(made), parse_fields(made, given))


@pytest.mark.parametrize("given", [True, 1])
def test_a_bet_that_is_none_is_refused_as_data_too(given: Any) -> None:
    with pytest.raises(StateError, match=f"bet is one of 2, 3, .*, over 7, odd, even, got {given}"):
        parse_fields(DiceRoulette(), {"bet": given})


@rules(
    "bet, pays, dice, back",
    {
        "two chips on nine bring back fourteen": ("9", None, "45 36", 7),
        "four and four are no nine": ("9", None, "44", 0),
        "under 7": ("under 7", None, "11 15 33", 2),
        "not 7 or more": ("under 7", None, "16 34 44 66", 0),
        "over 7": ("over 7", None, "26 44 66", 2),
        "not 7 or less": ("over 7", None, "16 34 33 11", 0),
        "odd": ("odd", None, "12 34 56", 2),
        "not even": ("odd", None, "11 33 66", 0),
        "even": ("even", None, "11 33 66", 2),
        "not odd": ("even", None, "12 34 56", 0),
        "a pay of its own": ("2", "2:30", "11", 30),
        "with decimals": ("7", "7:5.75", "34", Fraction(23, 4)),
    },
)
def test_a_bet_brings_back(bet: str, pays: str | None, dice: str, back: Fraction) -> None:
    game = DiceRoulette(pays) if pays else DiceRoulette()
    assert {played(game, {"bet": bet}, thrown, sum).points for thrown in dice.split()} == {back}


def test_a_table_may_name_some_numbers_and_the_others_keep_their_pay() -> None:
    game = DiceRoulette("3:14,2:30")
    assert (game.pays, DiceRoulette("7:5.75").pays) == ("2:30,3:14,9:7,assumed", "7:5.75,9:7,assumed")
    assert [game.pay(bet) for bet in ("2", "3", "9", "12")] == [30, 14, 7, 28]


def test_the_house_keeps_a_sixth_of_under_and_over_and_nothing_of_odd_and_even() -> None:
    edge = told()["edge"].exact
    assert [edge[bet] for bet in EVEN_MONEY] == ["1/6", "1/6", "0", "0"]
    assert edge["9"] == "2/9"


@pytest.mark.parametrize("bet", BETS)
def test_odds_are_those_that_icepool_counts(bet: str) -> None:
    game = DiceRoulette()
    odds = game.odds(compile_turn(game))[bet]
    winning = {"odd": lambda s: s % 2 == 1, "even": lambda s: s % 2 == 0}.get(
        bet,
        (lambda s: s < 7) if bet == "under 7" else (lambda s: s > 7) if bet == "over 7" else lambda s: s == int(bet),
    )
    chance = TWO_DICE.map(winning).probability(True)
    assert odds.chance == chance
    assert odds.back == chance * game.pay(bet)
    assert odds.edge == 1 - odds.back
    assert Fraction(told()["fair_pay"].exact[bet]) == 1 / chance


def test_bets_are_listed_best_first_which_another_pay_table_may_change() -> None:
    found = told()
    assert list(found["return"].exact)[:4] == ["odd", "even", "under 7", "over 7"]
    returns = [Fraction(back) for back in found["return"].exact.values()]
    assert returns == sorted(returns, reverse=True)
    assert all(list(quantity.exact) == list(found["return"].exact) for quantity in (found["chance"], found["edge"]))
    assert next(iter(told(DiceRoulette("12:40"))["return"].exact.items())) == ("12", "10/9")


def test_a_board_is_worth_what_its_bet_returns() -> None:
    game = DiceRoulette("2:28.5")
    graph = compile_turn(game)
    odds = game.odds(graph)
    solved = BoardSolver(game, graph, compiled=False).solve().values
    assert solved[1:] == pytest.approx([float(odds[bet].back) for bet in BETS], abs=1e-12)
    assert solved[0] == pytest.approx(float(sum(bet.back for bet in odds.values())), abs=1e-12)


def test_settling_columns_is_settling_boards_one_by_one_and_every_sum_wins_some_bets() -> None:
    game = DiceRoulette()
    said = game.transition(game.boards().columns(np.arange(1 + len(BETS))), 9)
    assert said.over is True
    each = [Fraction(int(part), said.per) for part in said.reward]
    assert each == [7 + 2 + 2, *(game.back(bet, 9) for bet in BETS)]
    for thrown in NUMBERS:
        assert next(bet for bet in BETS if wins(bet, thrown)) == str(thrown)


# --- pays ----------------------------------------------------------------------------------------------------------


def test_assumed_pays_are_seven_ninths_of_the_fair_ones_and_marked_wherever_they_are_shown() -> None:
    for number in NUMBERS:
        fair = 1 / TWO_DICE.probability(number)
        assert assumed_pay(number) <= Fraction(7, 9) * fair < assumed_pay(number) + 1
    assert assumed_pay(9) == 7
    assert str(DiceRoulette()) == "dice-roulette(pays=9:7,assumed)"
    found = told()
    assert list(found["pays"].exact) == ["odd", "even", "under 7", "over 7", "9"]
    assert set(found["assumed_pays"].exact) == set(map(str, NUMBERS)) - {"9"}
    game = DiceRoulette(",".join(f"{number}:{number}" for number in NUMBERS))
    assert "assumed" not in game.pays
    assert "assumed_pays" not in told(game)
    assert game.pay("9") == 9


def test_the_same_table_is_the_same_game_however_it_is_written() -> None:
    tables: list[Any] = ["9:7, 2:30", "2:30.0", "assumed,2:30", {2: 30}, {"9": 7, "2": "30"}]
    assert {DiceRoulette(table) for table in tables} == {DiceRoulette("2:30")}
    assert DiceRoulette(DiceRoulette("2:30").pays) == DiceRoulette("2:30")
    assert DiceRoulette("") == DiceRoulette("9:7") == DiceRoulette()


def test_a_bet_that_is_paid_nothing_wins_as_often_as_any_other() -> None:
    found = told(DiceRoulette("5:0"), bet="5")
    assert {name: quantity.exact["5"] for name, quantity in found.items()} == {
        "chance": "1/9",
        "return": "0",
        "edge": "1",
        "fair_pay": "9",
        "pays": "0",
    }


# --- questions -----------------------------------------------------------------------------------------------------


def test_one_bet_may_be_asked_about() -> None:
    found = told(bet="under_7")
    assert {name: quantity.exact for name, quantity in found.items()} == {
        "chance": {"under 7": "5/12"},
        "return": {"under 7": "5/6"},
        "edge": {"under 7": "1/6"},
        "fair_pay": {"under 7": "12/5"},
        "pays": {"under 7": "2"},
    }
    assert told(bet=9)["return"].exact == {"9": "7/9"}
