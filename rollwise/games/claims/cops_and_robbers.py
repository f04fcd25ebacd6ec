"""Cops and Robbers: points of throws, missed turns, throws that do not count, captures and wins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from rollwise.games.claims import ALWAYS, EXACTLY, IN_WORDS, Claim
from rollwise.games.claims.replay import ReplayPosition, replay, turn_game
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import ModelError

GAME = "cops-and-robbers"
SOURCE = "TACTIC rules for dice games"
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


def part(cases: Iterable[bool]) -> Fraction:
    """Share of True cases."""
    flags = list(cases)
    return Fraction(sum(flags), len(flags))


def start() -> tuple[Fraction, ...]:
    """Points of the four seats before the first move."""
    game = turn_game(GAME)
    (fields,) = game.describe(game.locate().board, ())
    return tuple(map(Fraction, fields["scores"]))


def six_takes_off(six: str) -> tuple[Fraction, ...]:
    """Points that a six takes off with each bonus roll of 1 to 3, and with each of 4 to 6."""

    def points(bonus: int) -> Fraction:
        return Fraction(MIDDLE["scores"][COP] - after(MIDDLE, SIX, bonus, six=six)["scores"][COP])

    return (*sorted(set(map(points, FACES[:3]))), *sorted(set(map(points, FACES[3:]))))


def first_round_is_plain() -> Fraction:
    """Share of throws of the first turn that take off their face and pass the turn to the next player."""
    before = {"scores": (75, 64, 75, 66), "mover": COP}
    tables = {face: after(before, face) for face in FACES}
    return part((table["scores"][COP], table["mover"]) == (75 - face, NEAR) for face, table in tables.items())


def moves_after(*dice: int) -> Fraction:
    """Seat that moves after the cop in seat 0 has thrown these."""
    return Fraction(after(MIDDLE, *dice)["mover"])


def bonus_skips_nobody() -> Fraction:
    """Share of bonus rolls of 4 and 5 after which the next player moves."""
    return part(moves_after(SIX, bonus) == NEAR for bonus in (4, 5))


def repeated_does_nothing() -> Fraction:
    """Share of repeated throws that leave all points unchanged and pass the turn to the next player.

    The game's turn is the same on every board, so a six has its second throw here too, for nothing.
    """
    repeated = [(face,) if face != SIX else (face, 1) for face in FACES]
    tables = [after({**MIDDLE, "last": dice[0]}, *dice) for dice in repeated]
    return part((table["scores"], table["mover"]) == (MIDDLE["scores"], NEAR) for table in tables)


def bonus_is_not_compared() -> Fraction:
    """Share of throws that count, of those that repeat the bonus roll of the turn before, and not its six."""

    def counts(face: int) -> bool:
        table = after(MIDDLE, SIX, face)
        return bool(after(table, face)["scores"][NEAR] == table["scores"][NEAR] - face)

    return part(counts(face) for face in FACES if face != SIX)


def caught_at_or_below() -> Fraction:
    """Share of throws by a cop close behind a robber that catch him exactly if they bring the cop level or below."""

    def rightly(gap: int, face: int) -> bool:
        robber = MIDDLE["scores"][NEAR]
        table = after({**MIDDLE, "scores": (robber + gap, robber, 50, 30), "last": SIX}, face)
        return bool((table["scores"][NEAR] is None) == (robber + gap - face <= robber))

    return part(rightly(gap, face) for gap, face in product(range(1, 6), FACES) if face != SIX)


def other_goes_on() -> str:
    """State of the far robber after the near one is caught, in words."""
    table = after({**MIDDLE, "scores": (41, 40, 50, 30)}, 2)
    return "still runs" if table["scores"] == (39, None, 50, 30) else "does not run"


def winners(state: Mapping[str, Any], *dice: int) -> str:
    """Winners after this turn, in words."""
    played = thrown(state, *dice)
    return ("the robbers" if played.shares[0] else "the cops") if played.over else "nobody"


def home(points: int, face: int) -> str:
    """Winners after a robber with so many points throws this, the other robber being caught."""
    return winners({"scores": (60, points, 50, None), "mover": NEAR, "last": SIX}, face)


CLAIMS = (
    Claim(
        "cops-and-robbers/start",
        GAME,
        SOURCE,
        "The points of cop, robber, cop and robber at the start.",
        "75, 64, 75, 66",
        EXACTLY,
        start,
    ),
    Claim(
        "cops-and-robbers/first-round",
        GAME,
        SOURCE,
        "In the first round a throw takes off its own number, and nothing else happens.",
        "no extra rules",
        ALWAYS,
        first_round_is_plain,
        "the part of all throws of the first turn for which it is so",
    ),
    Claim(
        "cops-and-robbers/six",
        GAME,
        SOURCE,
        "Points that a six takes off when 1 to 3 is thrown after it, and when 4 to 6 is.",
        "1, 2",
        EXACTLY,
        lambda: {f"six={six}": six_takes_off(six) for six in BOTH_READINGS},
        "stated for the second throw; whether the six itself counts as well is left open",
    ),
    Claim(
        "cops-and-robbers/five",
        GAME,
        SOURCE,
        "The seat that moves when seat 0 has thrown a 5.",
        "seat 2",
        EXACTLY,
        lambda: moves_after(5),
        "the seats are ours; stated in words: the player on the left misses a turn",
    ),
    Claim(
        "cops-and-robbers/four",
        GAME,
        SOURCE,
        "The seat that moves when seat 0 has thrown a 4.",
        "seat 3",
        EXACTLY,
        lambda: moves_after(4),
        "the seats are ours; stated in words: the nearest two on the left miss a turn",
    ),
    Claim(
        "cops-and-robbers/bonus-skips-nobody",
        GAME,
        SOURCE,
        "After a second throw of 4 or 5 nobody misses a turn.",
        "only the first throw counts for this",
        ALWAYS,
        bonus_skips_nobody,
        "the part of these throws for which it is so",
    ),
    Claim(
        "cops-and-robbers/repeated",
        GAME,
        SOURCE,
        "A throw equal to that of the player before takes nothing off, and the next player moves.",
        "does not count",
        ALWAYS,
        repeated_does_nothing,
        "the part of all numbers for which it is so",
    ),
    Claim(
        "cops-and-robbers/bonus-not-compared",
        GAME,
        SOURCE,
        "A throw that equals only the second throw of the player before counts.",
        "second throws do not matter here",
        ALWAYS,
        bonus_is_not_compared,
        "the part of all numbers for which it is so",
    ),
    Claim(
        "cops-and-robbers/caught",
        GAME,
        SOURCE,
        "A cop catches a robber just when he has as many points or fewer.",
        "the same number or lower",
        ALWAYS,
        caught_at_or_below,
        "the part of all throws from 1 to 5 points behind for which it is so",
    ),
    Claim(
        "cops-and-robbers/other-robber",
        GAME,
        SOURCE,
        "What the other robber does when one is caught.",
        "still runs",
        IN_WORDS,
        other_goes_on,
    ),
    Claim(
        "cops-and-robbers/home",
        GAME,
        SOURCE,
        "Who has won when the last robber, with 3 points, throws a 3.",
        "the robbers",
        IN_WORDS,
        lambda: home(3, 3),
        "the points are ours; stated in words: a robber gets down to 0",
    ),
    Claim(
        "cops-and-robbers/both-caught",
        GAME,
        SOURCE,
        "Who has won when the second robber is caught.",
        "the cops",
        IN_WORDS,
        lambda: winners({"scores": (41, 40, 50, None), "mover": COP, "last": SIX}, 1),
        "the points are ours",
    ),
)
