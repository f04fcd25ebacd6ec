"""Dice Roulette: the example bet, the even-money bets, and the order of the edges."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims import EXACTLY, Claim, equal_to, more_than
from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.errors import ModelError
from rollwise.solver.turn.graph import compile_turn

GAME = "dice-roulette"
SOURCE = "TACTIC rules for dice games"
EVEN_MONEY = {"under 7": (1, 2), "over 7": (6, 5), "odd": (4, 5), "even": (4, 4)}  # with a roll that wins
STAKE, NUMBER, ROLL = 2, "9", (4, 5)  # the sheet's example


def brought_back(bet: str, dice: tuple[int, int]) -> Fraction:
    """Return of one chip on a bet when the banker throws these dice."""
    return replay(turn_game(GAME), {"bet": bet}, [(dice, None)], outcome_of=sum).points


def even_money() -> Fraction:
    """Chips won beside the stake of one, the same for all four even-money bets."""
    won = {brought_back(bet, dice) - 1 for bet, dice in EVEN_MONEY.items()}
    if len(won) > 1:
        raise ModelError("the even-money bets do not pay the same")
    return won.pop()


def edges() -> dict[str, Fraction]:
    """Mean edge of the banker, of one chip, by bet."""
    from rollwise.games.dice_roulette.rules import BETS, DiceRoulette

    game = turn_game(GAME)
    assert isinstance(game, DiceRoulette)
    bets_of_sheet = [*EVEN_MONEY, NUMBER]
    odds_by_bet = game.odds(compile_turn(game), list(dict.fromkeys([*bets_of_sheet, *BETS])))
    return {bet if bet in bets_of_sheet else f"{bet} (assumed pay)": odds.edge for bet, odds in odds_by_bet.items()}


CLAIMS = (
    Claim(
        "dice-roulette/example",
        GAME,
        SOURCE,
        "Two chips on number 9 bring back this many in all when the dice show 4-5.",
        "14 chips",
        EXACTLY,
        lambda: STAKE * brought_back(NUMBER, ROLL),
        "the 7 for 1 that the sheet computes with is the pay of 9; the other numbers' pays are not in its text",
    ),
    Claim(
        "dice-roulette/example-gain",
        GAME,
        SOURCE,
        "Beside the stake of two chips, the example wins this many.",
        "12 more chips",
        EXACTLY,
        lambda: STAKE * (brought_back(NUMBER, ROLL) - 1),
    ),
    Claim(
        "dice-roulette/even-money",
        GAME,
        SOURCE,
        "Chips won for one chip on under 7, over 7, odd or even, the stake not counted.",
        "even money",
        equal_to(1, "one for one"),
        even_money,
    ),
    Claim(
        "dice-roulette/banker-ahead",
        GAME,
        SOURCE,
        "The banker is better off than the players: what the banker keeps of a chip on average, whatever the bet.",
        "take turns as the banker, to be fair",
        more_than(0, "more than 0"),
        edges,
        "implied; odd and even cost nothing, and our assumption for the numbers that the text does not tell is marked",
    ),
)
