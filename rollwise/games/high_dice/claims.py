"""High Dice: the win of a bet, and the banker's mean edge under either rule."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims.replay import replay, share, turn_game
from rollwise.solver.model.dice import Faces, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame

ROLLS = [dice for dice, _ in throws(2)]
ONES = (1, 1)


def outcome_of(game: TurnGame, dice: Faces, *state: object) -> int:
    """Total of the dice."""
    return sum(dice)


def brought_back(bank: Faces, thrown: Faces, rule: str = "banker_loses_1_1") -> Fraction:
    """Return of one chip when the banker and then a player throw these dice."""
    return replay(turn_game("high-dice", rule=rule), {}, [(bank, None), (thrown, None)], outcome_of=sum).points


def won(rule: str = "banker_loses_1_1", thrown: Faces | None = None) -> Fraction:
    """Chips won for one chip by a higher roll, the same for all of them, but for a banker's 1-1 that loses at once."""
    banks = [bank for bank in ROLLS if bank != ONES or rule != "banker_loses_1_1"]
    pairs = [(bank, dice) for bank in banks for dice in ROLLS if thrown in (None, dice) and sum(dice) > sum(bank)]
    return the_only({brought_back(*pair, rule) - 1 for pair in pairs})


def won_against_ones(stake: int) -> Fraction:
    """Chips won beside the stake against the banker's 1-1, the same whatever a player would throw."""
    return the_only({stake * (brought_back(ONES, dice) - 1) for dice in ROLLS})


def the_only(numbers: set[Fraction]) -> Fraction:
    """The number of a set that has one."""
    if len(numbers) > 1:
        raise ModelError(f"the same is not always won, but {sorted(numbers)}")
    return numbers.pop()


def lost_by_other_rolls() -> Fraction:
    """Share of the pairs of rolls, the player's not higher, that lose the stake; without the banker's 1-1."""
    pairs = [(bank, dice) for bank in ROLLS for dice in ROLLS if 2 < sum(bank) >= sum(dice)]
    return share(brought_back(bank, dice) == 0 for bank, dice in pairs)


def edge(rule: str) -> Fraction:
    """Mean edge of the banker, of one chip."""
    game: Any = turn_game("high-dice", rule=rule)
    from rollwise.solver.turn.graph import compile_turn

    return Fraction(game.odds(compile_turn(game)).edge)
