"""Which outcome of a move a throw brings: dice that were typed, or that are drawn by their place in the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rollwise.answers.outcomes import OutcomeRow
from rollwise.match.chance import pick
from rollwise.solver.game.errors import DiceError, ModelError
from rollwise.solver.game.falls import Faces
from rollwise.solver.game.fields import dice_said
from rollwise.solver.game.plain import plain, quoted, whole

Thrown = tuple[Faces, ...]  # the dice of one throw after the other


def thrown_in(row: OutcomeRow) -> Thrown:
    """The dice that lead to an outcome of one throw; none where nobody is seen to throw any."""
    return (row.thrown[0].dice, *row.thrown[0].then) if row.thrown else ()


def begun(rows: Sequence[OutcomeRow], so_far: Thrown) -> list[OutcomeRow]:
    """The outcomes that these throws may lead to."""
    return [row for row in rows if thrown_in(row)[: len(so_far)] == so_far]


def next_throws(rows: Sequence[OutcomeRow], so_far: Thrown) -> dict[Faces, Fraction]:
    """What can fall next, with its chance; nothing where all dice have fallen. ``rows`` are those that are begun."""
    found: dict[Faces, Fraction] = {}
    for row in rows:
        for dice in thrown_in(row)[len(so_far) : len(so_far) + 1]:
            found[dice] = found.get(dice, Fraction(0)) + chance(row)
    if found and any(len(thrown_in(row)) == len(so_far) for row in rows):
        raise ModelError(f"after {so_far} dice may fall or not, and nothing is seen that tells which")
    return found


def chance(row: OutcomeRow) -> Fraction:
    """How likely an outcome is; none where it is of a call that nobody makes."""
    return row.chance if row.chance is not None else Fraction(0)


def drawn(throws: Mapping[Faces, Fraction], *place: object) -> Faces:
    """The throw that falls at this place of the game."""
    faces = sorted(throws)
    return faces[pick([throws[each] for each in faces], *place)]


def typed(given: Any, throws: Mapping[Faces, Fraction]) -> Faces:
    """The throw that was typed, in any order; raises DiceError where it cannot fall."""
    said = plain(given)
    if not throws:
        raise DiceError(f"no further dice fall here, got {quoted(said)}")
    dice = [whole(die) for die in dice_said(said)]
    numbers, most = sorted({len(faces) for faces in throws}), max(max(faces) for faces in throws)
    wanted = f"{' or '.join(map(str, numbers))} {'die falls' if numbers == [1] else 'dice fall'}"
    if not dice or None in dice:
        raise DiceError(f"{wanted} here, each 1 to {most}; got {quoted(said)}")
    faces = tuple(sorted(die for die in dice if die is not None))
    if len(faces) not in numbers:
        raise DiceError(f"{wanted} here, got {len(faces)}: {shown(faces)}")
    if not 1 <= min(faces) <= max(faces) <= most:
        raise DiceError(f"a die shows 1 to {most}, got {shown(faces)}")
    if faces not in throws:
        raise DiceError(f"{shown(faces)} cannot fall here")
    return faces


def shown(faces: Sequence[int]) -> str:
    """A throw in a message."""
    return " ".join(map(str, faces[:20])) + (" ..." if len(faces) > 20 else "")
