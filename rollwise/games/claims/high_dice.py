"""High Dice: the win of a bet, and the banker's mean edge under either rule."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from rollwise.games.claims.replay import replay, turn_game
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame

STAKE = 5  # the sheet's example
HIGHEST = (6, 6)
ROLLS = [dice for dice, _ in throws(2)]


def outcome_of(game: TurnGame, dice: Faces, *state: object) -> int:
    """Total of the dice."""
    return sum(dice)


def brought_back(bank: Faces, thrown: Faces, rule: str = "banker_loses_1_1") -> Fraction:
    """Return of one chip when the banker and then a player throw these dice."""
    return replay(turn_game("high-dice", rule=rule), {}, [(bank, None), (thrown, None)], outcome_of=sum).points


def the_only(won: Iterable[Fraction]) -> Fraction:
    """The number that all of these are."""
    numbers = set(won)
    if len(numbers) > 1:
        raise ModelError(f"the same is not always won, but {sorted(numbers)}")
    return numbers.pop()


def against_ones() -> Fraction:
    """Chips won beside the stake of the example against the banker's 1-1, the same whatever a player would throw."""
    return the_only(STAKE * (brought_back((1, 1), dice) - 1) for dice in ROLLS)


def won_by_a_higher_roll() -> Fraction:
    """Chips won for one chip by a higher roll, the same for all of them."""
    pairs = [(bank, dice) for bank in ROLLS for dice in ROLLS if sum(dice) > sum(bank) > 2]
    return the_only(brought_back(bank, dice) - 1 for bank, dice in pairs)


def lost_by_other_rolls() -> Fraction:
    """Share of the pairs of rolls, the player's not higher, that lose the stake; without the banker's 1-1."""
    pairs = [(bank, dice) for bank in ROLLS for dice in ROLLS if 2 < sum(bank) >= sum(dice)]
    return Fraction(sum(brought_back(bank, dice) == 0 for bank, dice in pairs), len(pairs))


def won_with_sixes() -> Fraction:
    """Chips won for one chip with 6-6 under the other rule, the same against all that it beats."""
    return the_only(brought_back(bank, HIGHEST, "double_on_6_6") - 1 for bank in ROLLS if bank != HIGHEST)


def edge(rule: str) -> Fraction:
    """Mean edge of the banker, of one chip."""
    game = turn_game("high-dice", rule=rule)
    from rollwise.games.high_dice import HighDice
    from rollwise.solver.turn.graph import compile_turn

    assert isinstance(game, HighDice)
    return game.odds(compile_turn(game)).edge
