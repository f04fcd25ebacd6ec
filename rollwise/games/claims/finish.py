"""Finish: what a roll that fits nothing costs, the dice of the next player, and who is in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rollwise.games.claims.replay import ReplayPosition, by_seat, parse_steps, replay, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.game import TurnGame


def outcome_of(game: TurnGame, dice: Faces, row: int) -> Any:
    """Effect of a roll on the row."""
    from rollwise.games.finish import outcome

    return outcome(dice, row)


def rolled(play: str, **state: Any) -> ReplayPosition:
    """Position after four players rolled these, one after another."""
    from rollwise.games.finish import outcome

    return replay(turn_game("finish", players=4), state, parse_steps(play), outcome)


def dice_to_roll(play: str) -> tuple[Fraction, ...]:
    """Number of dice of the next player, those not in the row, after each roll."""
    rolls = play.split(", ")
    rows = [rolled(", ".join(rolls[:count])).board["row"] for count in range(1, len(rolls) + 1)]
    return tuple(Fraction(6 - max(row, 0)) for row in rows)


def seats_in() -> str:
    """Seats that still have chips after seat 0 loses its last three."""
    played = rolled("111", chips=(3, 9, 9, 9), placed=3)
    return ", ".join(
        str(seat) for seat, n_chips in sorted(zip(played.seats, played.board["chips"], strict=True)) if n_chips
    )


def pays_for_empty_spaces() -> Fraction:
    """Share of row lengths at which a roll that adds nothing costs one chip for each empty space."""
    costs = []
    for placed in range(6):
        played = rolled(str(1 if placed else 2) * (6 - placed), chips=(10, 9, 9, 9), placed=placed)
        costs.append(10 - by_seat(turn_game("finish", players=4), played, "chips")[0])
    return Fraction(sum(cost == 6 - placed for placed, cost in enumerate(costs)), len(costs))
