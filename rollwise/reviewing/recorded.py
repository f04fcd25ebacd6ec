"""The record of a match, line by line: what it says is played again, and every number in it is computed anew."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rollwise.door import the_game
from rollwise.match.saved import changed
from rollwise.reviewing.places import Place, placed
from rollwise.reviewing.sources import Source
from rollwise.reviewing.walking import Walk
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.falls import Faces
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.plain import plain, quoted, whole
from rollwise.solver.kinds.kind import Report, unheard

FORMAT = 1  # of records
SORTS = ("choice", "thrown", "result")
Lines = list[tuple[Place, Any]]


def game_of(source: Source, anyway: bool) -> tuple[TurnGame, list[str]]:
    """The game of a record, and what there is to say of its rules; raises BadInput for other rules than today's."""
    place, head = source.lines[0]
    if head.get("rollwise") != FORMAT:
        came = quoted(plain(head.get("rollwise"))) if "rollwise" in head else quoted(plain(dict(head)))
        raise BadInput(f'{place}: a record begins with {{"rollwise": {FORMAT}, "game": ...}}, got {came}')
    if not isinstance(head.get("game"), str):
        raise BadInput(f"{place}: the game is wanted, got {quoted(plain(head.get('game')))}", field="game")
    with placed(place):
        game = the_game(head["game"], head.get("parameters"))
    said, now = head.get("rules_version"), game.rules_version
    if said == now:
        return game, []
    told = f"version {quoted(plain(said))} of the rules of {game.name}, which are at version {now} now"
    if anyway:
        return game, [f"The record is of {told}: {changed(game, said)}."]
    raise BadInput(
        f"{place}: the record is of {told}: {changed(game, said)}",
        hint=f"rollwise review {source.file} --anyway" if source.file else "anyway=True",
        field="rules_version",
    )


def play_again(lines: Lines, walk: Walk, report: Report = unheard) -> None:
    """Go through the lines of a record; raises BadInput for the first that cannot be."""
    head = lines[0][1]
    over = False
    for number, (place, line) in enumerate(lines[1:], 1):
        report(number / len(lines))
        sorts = [sort for sort in SORTS if sort in line]
        if len(sorts) != 1:
            raise BadInput(f"{place}: a choice, a throw or a result is wanted, got {quoted(plain(dict(line)))}")
        if over:
            raise BadInput(f"{place}: nothing follows the result")
        seat = _seat(line, place)
        if sorts == ["result"]:
            _begun(walk, place)
            walk.end(_numbers(line["result"], place), place)
            over = True
            continue
        state = line.get("state")
        if state is not None or not walk.begun:
            if not isinstance(state, Mapping | None):
                raise BadInput(f"{place}: a state is a mapping of fields, got {quoted(plain(state))}", field="state")
            walk.stand(state or {}, seat, place)
        if sorts == ["choice"]:
            _choice(line, walk, place)
        else:
            _throw(line, walk, place)
    _begun(walk, lines[0][0])
    _where_it_stands(head.get("next"), walk, lines[-1][0])
    seats = head.get("seats")
    if seats is not None and seats != walk.n_seats:
        raise BadInput(f"{lines[0][0]}: {walk.game.name} has {walk.n_seats} seats here, got {quoted(plain(seats))}")


def _begun(walk: Walk, place: Place) -> None:
    if not walk.begun:
        walk.begin({}, None, place)


def _choice(line: Mapping[str, Any], walk: Walk, place: Place) -> None:
    move = line["choice"]
    if not isinstance(move, str):
        raise BadInput(f"{place}: a choice is a move in words, got {quoted(plain(move))}", field="choice")
    walk.choose(move, place)
    made = walk.made
    numbers = {"value": (made.own, made.before), "loss": (made.loss,)}
    for name, found in numbers.items():
        if line.get(name) is not None:
            walk.check(place, name, _number(line[name], name, place), *found)


def _throw(line: Mapping[str, Any], walk: Walk, place: Place) -> None:
    throws = [line["thrown"], *(line.get("then") or [])]
    if isinstance(line["thrown"], list) and any(isinstance(dice, list) for dice in line["thrown"]):
        throws = line["thrown"]
    if not any(throws) and not walk.waiting:
        return  # what nobody saw changed nothing
    seat = line.get("seat")
    if seat is not None and seat != walk.seat:
        raise BadInput(f"{place}: it is seat {walk.seat} that throws here, got seat {seat}", field="seat")
    before, after = (
        None if line.get(name) is None else _number(line[name], name, place) for name in ("before", "after")
    )
    walk.expect(place, before, after)
    for dice in throws:
        faces = _dice(dice, place)
        if faces:
            walk.throw(faces, place)


def _where_it_stands(here: Any, walk: Walk, place: Place) -> None:
    """The head of a match that goes on says where: that may tell what nobody saw fall."""
    if isinstance(here, Mapping) and isinstance(here.get("state"), Mapping) and "choice" not in here:
        try:
            walk.stand(here["state"], None, place)
        except BadInput:  # of another moment: the record was cut after it was written
            return


def _seat(line: Mapping[str, Any], place: Place) -> int | None:
    seat = line.get("seat")
    if seat is not None and (isinstance(seat, bool) or not isinstance(seat, int)):
        raise BadInput(f"{place}: a seat is a whole number, got {quoted(plain(seat))}", field="seat")
    return seat


def _number(told: Any, name: str, place: Place) -> float:
    if isinstance(told, bool) or not isinstance(told, int | float) or not math.isfinite(told):
        raise BadInput(f"{place}: {name} is a number, got {quoted(plain(told))}", field=name)
    return float(told)


def _numbers(told: Any, place: Place) -> list[float]:
    if not isinstance(told, list | tuple):
        raise BadInput(f"{place}: a result is a list of numbers, one a seat, got {quoted(plain(told))}", field="result")
    return [_number(number, "result", place) for number in told]


def _dice(told: Any, place: Place) -> Faces:
    faces = [whole(plain(face)) for face in told] if isinstance(told, list | tuple) else [None]
    if None in faces or not all(1 <= (face or 0) <= 6 for face in faces):
        raise BadInput(f"{place}: a throw is a list of faces 1 to 6, got {quoted(plain(told))}", field="thrown")
    return tuple(face or 0 for face in faces)
