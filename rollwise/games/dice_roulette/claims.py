"""Dice Roulette: the example bet, the even-money bets, and the order of the edges."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame

EVEN_MONEY = {"under 7": (1, 2), "over 7": (6, 5), "odd": (4, 5), "even": (4, 4)}  # with a roll that wins
NUMBER = "9"  # the sheet's example


def outcome_of(game: TurnGame, dice: Faces, *state: object) -> int:
    """Total of the dice."""
    return sum(dice)


def brought_back(bet: str, dice: Faces, stake: int = 1) -> Fraction:
    """Return of a stake on a bet when the banker throws these dice."""
    return stake * replay(turn_game("dice-roulette"), {"bet": bet}, [(dice, None)], outcome_of=sum).points


def won(bet: str, dice: Faces, stake: int = 1) -> Fraction:
    """Chips won beside the stake."""
    return brought_back(bet, dice, stake) - stake


def even_money() -> Fraction:
    """Chips won beside the stake of one, the same for all four even-money bets."""
    wins = {won(bet, dice) for bet, dice in EVEN_MONEY.items()}
    if len(wins) > 1:
        raise ModelError("the even-money bets do not pay the same")
    return wins.pop()


def edges() -> dict[str, Fraction]:
    """Mean edge of the banker, of one chip, by bet."""
    game: Any = turn_game("dice-roulette")
    from rollwise.games.dice_roulette.rules import BETS
    from rollwise.solver.turn.graph import compile_turn

    bets_of_sheet = [*EVEN_MONEY, NUMBER]
    odds_by_bet = game.odds(compile_turn(game), list(dict.fromkeys([*bets_of_sheet, *BETS])))
    return {bet if bet in bets_of_sheet else f"{bet} (assumed pay)": odds.edge for bet, odds in odds_by_bet.items()}
