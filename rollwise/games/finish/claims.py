"""Finish: what a roll that fits nothing costs, the dice of the next player, and who is in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims.plays import read_play
from rollwise.games.claims.replay import share, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.game import TurnGame


def outcome_of(game: TurnGame, dice: Faces, row: int) -> Any:
    """Effect of a roll on the row."""
    from rollwise.games.finish.rules import outcome

    return outcome(dice, row)


def read(steps: str, field: str, **state: Any) -> list[Any]:
    """Field after each of these rolls of four players."""
    after = list(range(1, len(steps.split(",")) + 1))
    play = {"steps": steps, "state": state, "after": after, "read": [field]}
    values: list[Any] = read_play(turn_game("finish", players=4), play)
    return values


def dice_to_roll(steps: str) -> tuple[Fraction, ...]:
    """Number of dice of the next player, those not in the row, after each roll."""
    return tuple(6 - placed for placed in read(steps, "placed"))


def seats_in() -> str:
    """Seats that still have chips after seat 0 loses its last three."""
    (chips,) = read("111", "chips", chips=(3, 9, 9, 9), placed=3)
    return ", ".join(str(seat) for seat, n_chips in enumerate(chips) if n_chips)


def pays_for_empty_spaces() -> Fraction:
    """Share of row lengths at which a roll that adds nothing costs one chip for each empty space."""
    rolls = [str(1 if placed else 2) * (6 - placed) for placed in range(6)]
    left = [read(roll, "chips.0", chips=(10, 9, 9, 9), placed=placed) for placed, roll in enumerate(rolls)]
    return share(chips == [10 - 6 + placed] for placed, chips in enumerate(left))
