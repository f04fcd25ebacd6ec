"""The record of a match, line by line: what it says is played again, and every number in it is computed anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.match.review.places import Place, placed
from rollwise.match.review.sources import Source
from rollwise.match.review.walking import Walk
from rollwise.match.saved import changed
from rollwise.reading.door import the_game
from rollwise.reading.records import require_lines
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.plain import plain, quoted
from rollwise.solver.kinds.kind import Report, unheard

Lines = list[tuple[Place, Any]]


def game_of(source: Source, anyway: bool) -> tuple[TurnGame, list[str]]:
    """The game of a record, and what there is to say of its rules; raises BadInput for other rules than today's."""
    require_lines(source.lines)
    place, head = source.lines[0]
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
    for number, (place, line) in enumerate(lines[1:], 1):
        report(number / len(lines))
        if "result" in line:
            _begun(walk, place)
            walk.end(line["result"], place)
            continue
        state = line.get("state")
        if state is not None or not walk.begun:
            walk.stand(state or {}, line.get("seat"), place)
        if "choice" in line:
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
    walk.choose(line["choice"], place)
    made = walk.made
    numbers = {"value": (made.own, made.before), "loss": (made.loss,)}
    for name, found in numbers.items():
        if line.get(name) is not None:
            walk.check(place, name, line[name], *found)


def _throw(line: Mapping[str, Any], walk: Walk, place: Place) -> None:
    throws = [line["thrown"], *line.get("then", [])]
    if not any(throws) and not walk.waiting:
        return  # what nobody saw changed nothing
    seat = line.get("seat")
    if seat is not None and seat != walk.seat:
        raise BadInput(f"{place}: it is seat {walk.seat} that throws here, got seat {seat}", field="seat")
    walk.expect(place, line.get("before"), line.get("after"))
    for dice in filter(None, throws):
        walk.throw(tuple(dice), place)


def _where_it_stands(here: Any, walk: Walk, place: Place) -> None:
    """The head of a match that goes on says where: that may tell what nobody saw fall."""
    if here is not None and "choice" not in here:
        try:
            walk.stand(here["state"], None, place)
        except BadInput:  # of another moment: the record was cut after it was written
            return
