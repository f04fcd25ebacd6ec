"""High Dice by its rules: the sheet's example, every roll against every roll, both rules, bad input."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import icepool
import pytest

from rollwise.games.claims.replay import replay
from rollwise.games.high_dice.rules import HighDice
from rollwise.parsing.validate import parse_fields
from rollwise.solver.markov_chains.bets import Bet
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


def test_a_higher_roll_wins_even_money_and_any_other_loses_but_against_one_one_all_win() -> None:
    for bank, dice in product(ROLLS, ROLLS):
        assert brought_back(bank, dice) == (2 if sum(dice) > sum(bank) or sum(bank) == 2 else 0)


@pytest.mark.parametrize(
    ("bank", "dice", "back"),
    [((1, 1), (1, 1), 0), ((1, 1), (1, 2), 2), ((5, 6), (6, 6), 3), ((5, 5), (5, 6), 2), ((6, 6), (6, 6), 0)],
)
def test_the_other_rule_pays_twice_for_six_six(bank: tuple[int, int], dice: tuple[int, int], back: int) -> None:
    assert brought_back(bank, dice, SIXES) == back


def test_the_usual_edge_is_one_ninth_and_the_bankers_roll_may_be_given() -> None:
    usual, sixes = told(), told(SIXES)
    assert usual == {"chance": "4/9", "return": "8/9", "edge": "1/9", "fair_pay": "9/4"}
    assert sixes == {"chance": "575/1296", "return": "395/432", "edge": "37/432", "fair_pay": "1296/575"}
    assert Fraction(sixes["edge"]) < Fraction(usual["edge"])
    assert Fraction(sixes["chance"]) < Fraction(usual["chance"])  # though it wins less often
    assert told(bank="3-4") == {"chance": "5/12", "return": "5/6", "edge": "1/6", "fair_pay": "12/5"}
    assert told(bank="1-1") == {"chance": "1", "return": "2", "edge": "-1", "fair_pay": "1"}
    assert told(bank="6-6") == {"chance": "0", "return": "0", "edge": "1"}
    assert told(SIXES, bank="1-1")["chance"] == "35/36"


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
def test_a_board_is_worth_what_a_chip_returns(rule: str) -> None:
    game = HighDice(rule)
    solved = BoardSolver(game, compile_turn(game), compiled=False).solve().values
    assert solved[0] == pytest.approx(float(odds(rule).back), abs=1e-12)
    assert solved[2:] == pytest.approx([float(odds(rule, (s // 2, s - s // 2)).back) for s in range(2, 13)], abs=1e-12)


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
