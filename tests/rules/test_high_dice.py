"""High Dice by its rules: the sheet's example, every roll against every roll, both rules, bad input."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest

from rollwise.games.claims import check, claims
from rollwise.games.claims.replay import replay
from rollwise.games.high_dice.rules import HighDice
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.solver.markov_chains.bets import Bet
from rollwise.solver.model.errors import DiceError, ParameterError
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver

USUAL, SIXES = "banker_loses_1_1", "double_on_6_6"
TWO_DICE = 2 @ icepool.d6
ROLLS = [(first, second) for first, second in product(range(1, 7), repeat=2)]


def told(rule: str = USUAL, **given: Any) -> dict[str, Any]:
    game = HighDice(rule)
    found = game.quantities(compile_turn(game), parse_fields(game, given))
    assert all(isinstance(quantity, Quantity) and set(quantity.exact) == {"higher"} for quantity in found.values())
    return {name: quantity.exact["higher"] for name, quantity in found.items()}


def odds(rule: str = USUAL, bank: tuple[int, int] | None = None) -> Bet:
    game = HighDice(rule)
    return game.odds(compile_turn(game), bank)


def brought_back(bank: tuple[int, int], thrown: tuple[int, int], rule: str = USUAL) -> Fraction:
    return replay(HighDice(rule), {}, [(bank, None), (thrown, None)], outcome_of=sum).points


def test_five_chips_win_five_against_the_bankers_one_one() -> None:
    assert {5 * brought_back((1, 1), dice) for dice in ROLLS} == {10}


def test_a_higher_roll_wins_even_money_and_any_other_loses() -> None:
    for bank, dice in product(ROLLS, ROLLS):
        if sum(bank) > 2:
            assert brought_back(bank, dice) == (2 if sum(dice) > sum(bank) else 0)


def test_under_the_other_rule_one_one_loses_nothing_by_itself() -> None:
    assert brought_back((1, 1), (1, 1), SIXES) == 0
    assert brought_back((1, 1), (1, 2), SIXES) == 2


def test_under_the_other_rule_a_winning_six_six_wins_twice_the_bet() -> None:
    assert brought_back((5, 6), (6, 6), SIXES) == 3
    assert brought_back((5, 5), (5, 6), SIXES) == 2
    assert brought_back((6, 6), (6, 6), SIXES) == 0


def test_nobody_wins_twice_the_bet_under_the_usual_rule() -> None:
    assert brought_back((5, 6), (6, 6)) == 2


def test_the_usual_edge_is_one_ninth_and_the_other_rule_favours_the_players() -> None:
    usual, sixes = told(), told(SIXES)
    assert usual == {"chance": "4/9", "return": "8/9", "edge": "1/9", "fair_pay": "9/4"}
    assert sixes == {"chance": "575/1296", "return": "395/432", "edge": "37/432", "fair_pay": "1296/575"}
    assert Fraction(sixes["edge"]) < Fraction(usual["edge"])
    assert Fraction(sixes["chance"]) < Fraction(usual["chance"])  # though it wins less often


@pytest.mark.parametrize("rule", [USUAL, SIXES])
def test_odds_are_those_that_icepool_counts(rule: str) -> None:
    def back(bank: int, thrown: int) -> int:
        if rule == USUAL and bank == 2:
            return 2
        if thrown <= bank:
            return 0
        return 3 if rule == SIXES and thrown == 12 else 2

    both = icepool.map(back, TWO_DICE, TWO_DICE)
    start = odds(rule)
    assert start.back == both.mean()
    assert start.chance == 1 - both.probability(0)
    for bank in TWO_DICE.outcomes():
        one = TWO_DICE.map(lambda thrown, bank=bank: back(bank, thrown))
        met = odds(rule, (bank // 2, bank - bank // 2))
        assert (met.back, met.chance) == (one.mean(), 1 - one.probability(0))


@pytest.mark.parametrize("rule", [USUAL, SIXES])
def test_the_odds_of_the_start_are_the_mean_over_the_bankers_rolls(rule: str) -> None:
    assert sum(odds(rule, roll).back for roll in ROLLS) / 36 == odds(rule).back
    assert sum(odds(rule, roll).chance for roll in ROLLS) / 36 == odds(rule).chance


@pytest.mark.parametrize("rule", [USUAL, SIXES])
def test_a_board_is_worth_what_a_chip_returns(rule: str) -> None:
    game = HighDice(rule)
    solved = BoardSolver(game, compile_turn(game), compiled=False).solve().values
    assert solved[0] == pytest.approx(float(odds(rule).back), abs=1e-12)
    assert solved[2:] == pytest.approx([float(odds(rule, (s // 2, s - s // 2)).back) for s in range(2, 13)], abs=1e-12)


def test_given_the_bankers_roll() -> None:
    assert told(bank="3-4") == {"chance": "5/12", "return": "5/6", "edge": "1/6", "fair_pay": "12/5"}
    assert told(bank="1-1") == {"chance": "1", "return": "2", "edge": "-1", "fair_pay": "1"}
    assert told(SIXES, bank="1-1")["chance"] == "35/36"


def test_a_bet_that_cannot_win_has_no_fair_pay() -> None:
    assert told(bank="6-6") == {"chance": "0", "return": "0", "edge": "1"}


@pytest.mark.parametrize("given", ["3-4", "3,4", "4-3", [4, 3], (3, 4)])
def test_the_bankers_roll_may_be_written_in_several_ways(given: Any) -> None:
    game = HighDice()
    fields = parse_fields(game, {"bank": given})
    assert fields == {"bank": (3, 4)}
    assert game.fields()[0].show(fields["bank"]) == "3-4"
    assert game.locate(**fields).board == {"bank": 7}


def test_describe_is_the_inverse_of_locate() -> None:
    game = HighDice()
    for bank in (0, *range(2, 13)):
        questions = list(game.describe({"bank": bank}, ()))
        assert questions
        for fields in questions:
            assert game.locate(**parse_fields(game, fields)).board == {"bank": bank}
    assert len(list(game.describe({"bank": 7}, ()))) == 3


@pytest.mark.parametrize(
    ("given", "shown"), [("7-1", "7,1"), ("3", "3"), ("1-2-3", "1,2,3"), ("0-1", "0,1"), ("-1-3", "-1-3"), ("x", "x")]
)
def test_a_roll_that_cannot_be_is_refused_in_one_line(given: str, shown: str) -> None:
    with pytest.raises(DiceError) as refused:
        parse_fields(HighDice(), {"bank": given})
    assert refused.value.line() == f"error: bank needs 2 faces in 1..6, got {shown}"


def test_a_rule_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(ParameterError, match="rule is one of banker_loses_1_1, double_on_6_6, got usual"):
        parse_game("high-dice", {"rule": "usual"})


def test_what_the_sheet_says_holds() -> None:
    found = {claim.id: check(claim) for claim in claims("high-dice")}
    assert {row.verdict for row in found.values()} == {"confirmed"}
    both = "banker's 1-1 loses: 1/9; player's 6-6 wins twice the stake: 37/432"
    assert both in found["high-dice/banker-ahead"].reading
