"""Cops and Robbers: points of throws, missed turns, throws that do not count, captures and wins."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from rollwise.games.claims.replay import ReplayPosition, replay, share, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError

GAME = "cops-and-robbers"
COP, NEAR, OTHER_COP, FAR = range(4)  # seats, around the table
FACES = range(1, 7)
SIX = 6
BOTH_READINGS = ("bonus_too", "bonus_only")
MIDDLE: dict[str, Any] = {"scores": (60, 40, 50, 30), "mover": COP, "last": 1}  # too far apart for a capture


def thrown(state: Mapping[str, Any], *dice: int, six: str = BOTH_READINGS[0]) -> ReplayPosition:
    """Position after a turn with these throws, the bonus roll among them."""
    game = turn_game(GAME, six=six)
    from rollwise.games.cops_and_robbers.rules import extra

    mover, first_round = game.locate(**state).state

    def outcome_of(faces: Faces, *turn: Any) -> Any:
        (face,) = faces
        if turn:  # the first throw; a six that is followed by a bonus roll does not end the turn
            return None if face == SIX and not first_round else (mover, first_round, face, face)
        return mover, False, SIX, (SIX if six == BOTH_READINGS[0] else 0) + extra(faces)

    return replay(game, state, [(dice, None)], outcome_of)


def after(state: Mapping[str, Any], *dice: int, six: str = BOTH_READINGS[0]) -> Mapping[str, Any]:
    """Question after this turn: ``scores`` and ``mover`` by seat.

    A board looks the same from both sides of the table; the cops who only watched are known by their points.
    """
    game, played = turn_game(GAME, six=six), thrown(state, *dice, six=six)
    watching = [cop for cop in (COP, OTHER_COP) if cop != state["mover"]]
    for fields in () if played.over else game.describe(played.board, ()):
        if all(fields["scores"][cop] == state["scores"][cop] for cop in watching):
            return fields
    raise ModelError(f"{game} comes to no table at which the others have kept their points")


def six_takes_off(six: str) -> tuple[Fraction, ...]:
    """Points that a six takes off with each bonus roll of 1 to 3, and with each of 4 to 6."""

    def points(bonus: int) -> Fraction:
        return Fraction(MIDDLE["scores"][COP] - after(MIDDLE, SIX, bonus, six=six)["scores"][COP])

    return (*sorted(set(map(points, FACES[:3]))), *sorted(set(map(points, FACES[3:]))))


def first_round_is_plain() -> Fraction:
    """Share of throws of the first turn that take off their face and pass the turn to the next player."""
    before = {"scores": (75, 64, 75, 66), "mover": COP}
    tables = {face: after(before, face) for face in FACES}
    return share((table["scores"][COP], table["mover"]) == (75 - face, NEAR) for face, table in tables.items())


def moves_after(dice: Faces) -> Fraction:
    """Seat that moves after the cop in seat 0 has thrown these."""
    return Fraction(after(MIDDLE, *dice)["mover"])


def bonus_skips_nobody() -> Fraction:
    """Share of bonus rolls of 4 and 5 after which the next player moves."""
    return share(moves_after((SIX, bonus)) == NEAR for bonus in (4, 5))


def repeated_does_nothing() -> Fraction:
    """Share of repeated throws that leave all points unchanged and pass the turn to the next player.

    The game's turn is the same on every board, so a six has its second throw here too, for nothing.
    """
    repeated = [(face,) if face != SIX else (face, 1) for face in FACES]
    tables = [after({**MIDDLE, "last": dice[0]}, *dice) for dice in repeated]
    return share((table["scores"], table["mover"]) == (MIDDLE["scores"], NEAR) for table in tables)


def bonus_is_not_compared() -> Fraction:
    """Share of throws that count, of those that repeat the bonus roll of the turn before, and not its six."""

    def counts(face: int) -> bool:
        table = after(MIDDLE, SIX, face)
        return bool(after(table, face)["scores"][NEAR] == table["scores"][NEAR] - face)

    return share(counts(face) for face in FACES if face != SIX)


def caught_at_or_below() -> Fraction:
    """Share of throws by a cop close behind a robber that catch him exactly if they bring the cop level or below."""

    def rightly(gap: int, face: int) -> bool:
        robber = MIDDLE["scores"][NEAR]
        table = after({**MIDDLE, "scores": (robber + gap, robber, 50, 30), "last": SIX}, face)
        return bool((table["scores"][NEAR] is None) == (robber + gap - face <= robber))

    return share(rightly(gap, face) for gap, face in product(range(1, 6), FACES) if face != SIX)


def other_goes_on() -> str:
    """State of the far robber after the near one is caught, in words."""
    table = after({**MIDDLE, "scores": (41, 40, 50, 30)}, 2)
    return "still runs" if table["scores"] == (39, None, 50, 30) else "does not run"


def winners(scores: str, mover: int, face: int) -> str:
    """Winners after this turn, in words."""
    by_seat = tuple(None if score == "-" else int(score) for score in scores.split(","))
    played = thrown({"scores": by_seat, "mover": mover, "last": SIX}, face)
    return ("the robbers" if played.shares[0] else "the cops") if played.over else "nobody"
