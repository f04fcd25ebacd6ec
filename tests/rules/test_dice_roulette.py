"""Dice Roulette by its rules: the sheet's example, every bet against every throw, the pay table, bad input."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import icepool
import numpy as np
import pytest

from rollwise.games.claims import check, claims
from rollwise.games.claims.replay import replay
from rollwise.games.dice_roulette.rules import BETS, EVEN_MONEY, NUMBERS, DiceRoulette, assumed_pay, wins
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.solver.model.errors import ParameterError, StateError, UnknownName
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver

TWO_DICE = 2 @ icepool.d6


def told(game: DiceRoulette | None = None, **given: Any) -> dict[str, Quantity]:
    made = game or DiceRoulette()
    return made.quantities(compile_turn(made), parse_fields(made, given))


def brought_back(bet: str, dice: tuple[int, int], **parameters: Any) -> Fraction:
    return replay(DiceRoulette(**parameters), {"bet": bet}, [(dice, None)], outcome_of=sum).points


def test_two_chips_on_nine_bring_back_fourteen() -> None:
    assert 2 * brought_back("9", (4, 5)) == 14
    assert 2 * brought_back("9", (3, 6)) == 14


@pytest.mark.parametrize(
    ("bet", "wins", "loses"),
    [
        ("9", "", "44"),
        ("under 7", "11 15 33", "16 34 44 66"),
        ("over 7", "26 44 66", "16 34 33 11"),
        ("odd", "12 34 56", "11 33 66"),
        ("even", "11 33 66", "12 34 56"),
    ],
)
def test_what_wins_even_money_and_what_loses(bet: str, wins: str, loses: str) -> None:
    for thrown, back in ((wins, 2), (loses, 0)):
        assert {brought_back(bet, (int(dice[0]), int(dice[1]))) for dice in thrown.split()} <= {back}


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


def test_bets_are_listed_best_first() -> None:
    found = told()
    assert list(found["return"].exact)[:4] == ["odd", "even", "under 7", "over 7"]
    returns = [Fraction(back) for back in found["return"].exact.values()]
    assert returns == sorted(returns, reverse=True)
    assert all(list(quantity.exact) == list(found["return"].exact) for quantity in (found["chance"], found["edge"]))


def test_another_pay_table_may_make_a_number_the_best_bet() -> None:
    assert next(iter(told(DiceRoulette("12:40"))["return"].exact.items())) == ("12", "10/9")


def test_a_board_is_worth_what_its_bet_returns() -> None:
    game = DiceRoulette("2:28.5")
    graph = compile_turn(game)
    odds = game.odds(graph)
    solved = BoardSolver(game, graph, compiled=False).solve().values
    assert solved[1:] == pytest.approx([float(odds[bet].back) for bet in BETS], abs=1e-12)
    assert solved[0] == pytest.approx(float(sum(bet.back for bet in odds.values())), abs=1e-12)


def test_settling_columns_is_settling_boards_one_by_one() -> None:
    game = DiceRoulette()
    said = game.transition(game.boards().columns(np.arange(1 + len(BETS))), 9)
    assert said.over is True
    each = [Fraction(int(part), said.per) for part in said.reward]
    assert each == [7 + 2 + 2, *(game.back(bet, 9) for bet in BETS)]


# --- pays ----------------------------------------------------------------------------------------------------------


def test_the_assumed_pays_are_seven_ninths_of_the_fair_ones_rounded_down() -> None:
    for number in NUMBERS:
        fair = 1 / TWO_DICE.probability(number)
        assert assumed_pay(number) <= Fraction(7, 9) * fair < assumed_pay(number) + 1
    assert assumed_pay(9) == 7


def test_assumed_pays_are_marked_wherever_they_are_shown() -> None:
    assert str(DiceRoulette()) == "dice-roulette(pays=9:7,assumed)"
    found = told()
    assert list(found["pays"].exact) == ["odd", "even", "under 7", "over 7", "9"]
    assert set(found["assumed_pays"].exact) == set(map(str, NUMBERS)) - {"9"}


def test_a_table_may_name_some_numbers_and_the_others_keep_their_pay() -> None:
    game = DiceRoulette("3:14,2:30")
    assert game.pays == "2:30,3:14,9:7,assumed"
    assert [game.pay(bet) for bet in ("2", "3", "9", "12")] == [30, 14, 7, 28]
    assert brought_back("2", (1, 1), pays="2:30") == 30


def test_a_whole_table_assumes_nothing() -> None:
    game = DiceRoulette(",".join(f"{number}:{number}" for number in NUMBERS))
    assert "assumed" not in game.pays
    assert "assumed_pays" not in told(game)
    assert game.pay("9") == 9


def test_the_same_table_is_the_same_game_however_it_is_written() -> None:
    tables: list[Any] = ["9:7, 2:30", "2:30.0", "assumed,2:30", {2: 30}, {"9": 7, "2": "30"}]
    assert {DiceRoulette(table) for table in tables} == {DiceRoulette("2:30")}
    assert DiceRoulette(DiceRoulette("2:30").pays) == DiceRoulette("2:30")
    assert DiceRoulette("") == DiceRoulette("9:7") == DiceRoulette()


def test_pays_may_have_decimals() -> None:
    assert brought_back("7", (3, 4), pays="7:5.75") == Fraction(23, 4)
    assert DiceRoulette("7:5.75").pays == "7:5.75,9:7,assumed"


def test_a_bet_that_is_paid_nothing_wins_as_often_as_any_other() -> None:
    found = told(DiceRoulette("5:0"), bet="5")
    assert {name: quantity.exact["5"] for name, quantity in found.items()} == {
        "chance": "1/9",
        "return": "0",
        "edge": "1",
        "fair_pay": "9",
        "pays": "0",
    }


@pytest.mark.parametrize(
    ("pays", "told"),
    [
        ("13:2", "pays names numbers from 2 to 12, got '13'"),
        ("1:2", "pays names numbers from 2 to 12, got '1'"),
        ("odd:2", "pays names numbers from 2 to 12, got 'odd'"),
        ("9:-3", "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got '-3'"),
        ("9:", "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got ''"),
        ("9:1/2", "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got '1/2'"),
        ("9:10001", "pays of 9 is from 0 to 10000 chips, like 7 or 6.5, got '10001'"),
        ("9:7,9:8", "pays names 9 twice"),
        ("9:7,09:8", "pays names numbers from 2 to 12, got '09'"),
        ("7", "pays is a list like 2:28,3:14, got '7'"),
        (7, "pays is a list like 2:28,3:14, got 7"),
    ],
)
def test_a_pay_table_that_cannot_be_is_refused_in_one_line(pays: Any, told: str) -> None:
    with pytest.raises(ParameterError) as refused:
        parse_game("dice-roulette", {"pays": pays})
    assert refused.value.line() == f"error: 'dice-roulette' parameter {told}"


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


@pytest.mark.parametrize(("given", "shown"), [("13", "'13'"), ("sevens", "'sevens'"), (True, "True"), (1, "1")])
def test_a_bet_that_is_not_there_is_refused_with_those_that_are(given: Any, shown: str) -> None:
    bets = "2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, under 7, over 7, odd, even"
    with pytest.raises(StateError) as refused:
        parse_fields(DiceRoulette(), {"bet": given})
    assert refused.value.line() == f"error: bet is one of {bets}, got {shown}"


def test_there_are_no_players_to_choose() -> None:
    with pytest.raises(UnknownName, match="'dice-roulette' has no parameter 'players'"):
        parse_game("dice-roulette", {"players": 4})


def test_every_sum_wins_some_bets() -> None:
    for thrown in NUMBERS:
        assert next(bet for bet in BETS if wins(bet, thrown)) == str(thrown)


def test_what_the_sheet_says_holds_and_odd_and_even_cost_nothing() -> None:
    found = {claim.id: check(claim) for claim in claims("dice-roulette")}
    assert {name: row.verdict for name, row in found.items()} == {
        "dice-roulette/example": "confirmed",
        "dice-roulette/example-gain": "confirmed",
        "dice-roulette/even-money": "confirmed",
        "dice-roulette/banker-ahead": "depends",
    }
    assert "odd: 0; even: 0; 9: 2/9; 2 (assumed pay): 2/9" in found["dice-roulette/banker-ahead"].reading
