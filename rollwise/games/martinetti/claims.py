"""Martinetti: the turn that the sheet plays through, and the best of all first rolls."""

from __future__ import annotations

from fractions import Fraction

from rollwise.games.claims.replay import parse_steps, replay, turn_game
from rollwise.solver.model.dice import throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Goto


def crossed(rolled: str) -> tuple[int, bool]:
    """(squares crossed off after these rolls of a first turn, True once it is over)."""
    played = replay(turn_game("martinetti"), {}, parse_steps(rolled))
    if not isinstance(played.node, Goto):
        raise ModelError("no roll comes next")
    count: int = played.node.state[0]
    return count, played.board["crossed"] == count


def example() -> tuple[Fraction, ...]:
    """Squares crossed off after each roll of the example turn, which the last one must end."""
    counts = [crossed(rolled) for rolled in ("114", "114, 356", "114, 356, 126")]
    if [over for _, over in counts] != [False, False, True]:
        raise ModelError("the example turn does not end with its third roll")
    return tuple(Fraction(count) for count, _ in counts)


def first_rolls() -> dict[str, int]:
    """Number of squares that each first roll crosses off."""
    rolls = ["".join(map(str, faces)) for faces, _ in throws(3)]
    return {"-".join(rolled): crossed(rolled)[0] for rolled in rolls}


def best_first_rolls() -> str:
    """The first rolls that cross off the most."""
    return ", ".join(rolled for rolled, count in first_rolls().items() if count == most_crossed())


def most_crossed() -> Fraction:
    """Number of squares that the best first roll crosses off."""
    return Fraction(max(first_rolls().values()))
