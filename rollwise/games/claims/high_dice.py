"""High Dice: the win of a bet, and the banker's mean edge under either rule."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims import ALWAYS, EXACTLY, IMPOSSIBLE, Claim, equal_to, more_than
from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.turn.graph import compile_turn

GAME = "high-dice"
SOURCE = "TACTIC rules for dice games"
RULES = {"banker's 1-1 loses": "banker_loses_1_1", "player's 6-6 wins twice the stake": "double_on_6_6"}
STAKE = 5  # the sheet's example
HIGHEST = (6, 6)


def brought_back(bank: tuple[int, ...], thrown: tuple[int, ...], rule: str = "banker_loses_1_1") -> Fraction:
    """Return of one chip when the banker and then a player throw these dice."""
    return replay(turn_game(GAME, rule=rule), {}, [(bank, None), (thrown, None)], outcome_of=sum).points


def against_ones() -> Fraction:
    """Chips won beside the stake of the example against the banker's 1-1, the same whatever a player would throw."""
    won = {STAKE * (brought_back((1, 1), dice) - 1) for dice, _ in throws(2)}
    if len(won) > 1:
        raise ModelError("not everybody wins the same against the banker's 1-1")
    return won.pop()


def won_by_a_higher_roll() -> Fraction:
    """Chips won for one chip by a higher roll, the same for all of them."""
    won = {brought_back(bank, dice) - 1 for bank, _ in throws(2) for dice, _ in throws(2) if sum(dice) > sum(bank) > 2}
    if len(won) > 1:
        raise ModelError("not every higher roll wins the same")
    return won.pop()


def lost_by_other_rolls() -> Fraction:
    """Share of the pairs of rolls, the player's not higher, that lose the stake; without the banker's 1-1."""
    pairs = [(bank, dice) for bank, _ in throws(2) for dice, _ in throws(2) if 2 < sum(bank) >= sum(dice)]
    return Fraction(sum(brought_back(bank, dice) == 0 for bank, dice in pairs), len(pairs))


def won_with_sixes() -> Fraction:
    """Chips won for one chip with 6-6 under the other rule, the same against all that it beats."""
    won = {brought_back(bank, HIGHEST, "double_on_6_6") - 1 for bank, _ in throws(2) if bank != HIGHEST}
    if len(won) > 1:
        raise ModelError("6-6 does not always win the same")
    return won.pop()


def edge(rule: str) -> Fraction:
    """Mean edge of the banker, of one chip."""
    from rollwise.games.high_dice.rules import HighDice

    game = turn_game(GAME, rule=rule)
    assert isinstance(game, HighDice)
    return game.odds(compile_turn(game)).edge


CLAIMS = (
    Claim(
        "high-dice/example",
        GAME,
        SOURCE,
        "A bet of five chips wins this many from the banker when the banker throws 1-1.",
        "another 5 chips",
        EXACTLY,
        against_ones,
    ),
    Claim(
        "high-dice/higher-wins",
        GAME,
        SOURCE,
        "Chips won for one chip by a player who throws higher than the banker.",
        "even money",
        equal_to(1, "one for one"),
        won_by_a_higher_roll,
        "under the usual rule",
    ),
    Claim(
        "high-dice/others-lose",
        GAME,
        SOURCE,
        "A player who throws lower than the banker, or the same, loses the bet.",
        "loses",
        ALWAYS,
        lost_by_other_rolls,
    ),
    Claim(
        "high-dice/ones-tie",
        GAME,
        SOURCE,
        "Under the other rule a player's 1-1 against the banker's brings back this many chips.",
        "the bet is lost",
        IMPOSSIBLE,
        lambda: brought_back((1, 1), (1, 1), "double_on_6_6"),
    ),
    Claim(
        "high-dice/sixes",
        GAME,
        SOURCE,
        "Under the other rule a winning 6-6 wins this many chips for one.",
        "twice the bet",
        equal_to(2, "two for one"),
        won_with_sixes,
        "the banker's 6-6 is a tie, which the banker wins",
    ),
    Claim(
        "high-dice/banker-ahead",
        GAME,
        SOURCE,
        "The banker is better off than the players: what the banker keeps of a chip on average, by the rule in use.",
        "take turns as the banker, to be fair",
        more_than(0, "more than 0"),
        lambda: {reading: edge(rule) for reading, rule in RULES.items()},
        "implied; the rule with the smaller edge is the better one for the players",
    ),
)
