"""Numbers and texts that are read from a play: steps of a game, as ``654163: keep 1 for 100, roll``."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from rollwise.games import registry
from rollwise.games.claims.replay import (
    OutcomeOf,
    ReplayPosition,
    by_seat,
    chance_to_end,
    describe_position,
    moves,
    parse_steps,
    positions,
)
from rollwise.games.claims.sheets import members
from rollwise.solver.model.errors import BadInput, ModelError
from rollwise.solver.model.game import TurnGame

READS = "points, final points, mover, winner, win.SEAT, moves, may MOVE, bust, over"


def outcome_of(game: TurnGame) -> OutcomeOf | None:
    """What the game sees of a throw: ``outcome_of(game, dice, *state)`` beside its claims; None where that is all."""
    seen = getattr(registry.module_in_room(game.name, "claims"), "outcome_of", None)
    return partial(seen, game) if seen else None


def read_play(game: TurnGame, play: Mapping[str, Any]) -> Any:
    """The number or text that is read from a play, or several, in the order of ``read`` and ``after``.

    ``after``: how many of the steps are played, all where it is absent. ``names`` of the seats stand in place of their
    numbers. Raises BadInput for steps that the game does not allow, and for a ``read`` that it does not have.
    """
    steps, names = parse_steps(play["steps"]), [name.strip() for name in play.get("names", "").split(",")]
    reads, counts = play["read"], play.get("after", len(steps))
    if not all(type(count) is int and 0 <= count <= len(steps) for count in members(counts) or [None]):
        raise BadInput(f"after is a number of steps from 0 to {len(steps)}, or a list of them", field="after")
    try:
        played = list(
            positions(game, play.get("state", {}), steps[: max(members(counts), default=0)], outcome_of(game))
        )
        values = [_read(game, played[count], read, names) for read in members(reads) for count in members(counts)]
    except ModelError as error:
        raise BadInput(f"play: {error}", field="play") from None
    return values if isinstance(reads, list) or isinstance(counts, list) else values[0]


def _read(game: TurnGame, played: ReplayPosition, read: str, names: list[str]) -> Any:
    name, _, part = read.partition(".")
    if name in ("points", "final points"):
        if name != "points" and not played.over:
            raise BadInput("final points are read where the play ends the game", field="read")
        return played.points
    if name == "over":
        return Fraction(played.over)
    if name == "mover":
        return _name(names, played.mover) if names[0] else Fraction(played.mover)
    if name == "winner":
        return " and ".join(_name(names, seat) for seat, share in enumerate(played.shares) if share) or "nobody"
    if name == "win":
        return _part(played.shares or (0,) * len(played.seats), part, read)
    if name == "moves":
        return ", ".join(moves(game, played))
    if name == "bust":
        return chance_to_end(game, played)
    if name.startswith("may "):
        return Fraction(name.removeprefix("may ") in moves(game, played))
    for field in game.fields():
        if field.name == name:
            question = describe_position(game, played)
            if name not in question:
                raise BadInput(f"there is no {name} at this point of the play", field="read")
            if not field.by_seat:
                return Fraction(question[name]) if isinstance(question[name], int) else field.show(question[name])
            values = by_seat(game, played, name) if len(played.seats) > 1 else question[name]
            return _part(values, part, read) if part else [Fraction(value or 0) for value in values]
    if isinstance(game.parameters().get(name), int):
        return Fraction(game.parameters()[name])
    fields = ", ".join(field.name for field in game.fields())
    raise BadInput(f"read is {READS}, a rule parameter or a field ({fields}), got '{read}'", field="read")


def _name(names: list[str], seat: int) -> str:
    return names[seat] if names[0] and seat < len(names) else f"seat {seat}"


def _part(values: tuple[Any, ...], part: str, read: str) -> Fraction:
    if not part.isdecimal() or int(part) >= len(values):
        raise BadInput(f"read names a seat from 0 to {len(values) - 1}, got '{read}'", field="read")
    return Fraction(values[int(part)] or 0)
