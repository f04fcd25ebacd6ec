"""The record of a match, line by line: what it says is played again, and every number in it is computed anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.match.review.walk import Walk
from rollwise.match.saved import RULES, as_now, other_rules
from rollwise.parsing.records import Line, Source, placed, require_lines
from rollwise.parsing.validate import the_game
from rollwise.solver.kinds.kind import Report, unheard
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import plain, quoted


def game_of(source: Source, anyway: bool) -> tuple[TurnGame, list[str]]:
    """The game of a record, and what there is to say of its rules; raises BadInput for other rules than today's."""
    require_lines(source.lines)
    place, head = source.lines[0]
    with placed(place):
        game = the_game(head["game"], head.get("parameters"))
    version = head.get("rules_version")
    if version == game.rules_version:
        return game, []
    others = other_rules(game, version)
    if anyway:
        return game, [f"The record is of {others}."]
    hint = f"rollwise review {source.file} --anyway" if source.file else "anyway=True"
    raise BadInput(f"{place}: the record is of {others}", hint=hint, field=RULES)


def play_again(lines: list[Line], walk: Walk, report: Report = unheard) -> None:
    """Go through the lines of a record; raises BadInput for the first that cannot be."""
    at, (first, head), last = walk.ledger.at, lines[0], lines[-1][0]
    *played, here = as_now(walk.game, [*(line for _, line in lines[1:]), head.get("next") or {}])
    for place, line in walk.each([(place, line) for (place, _), line in zip(lines[1:], played, strict=True)], report):
        with at(place):
            _play_line(line, walk)
    with at(first):
        _begin(walk)
    if here and "choice" not in here:  # it may tell what nobody saw fall
        try:
            with at(last):
                walk.stand(here["state"])
        except BadInput:  # of another moment: the record was cut after it was written
            pass
    seats = head.get("seats")
    if seats is not None and seats != walk.n_seats:
        raise BadInput(f"{first}: {walk.game.name} has {walk.n_seats} seats here, got {quoted(plain(seats))}")


def _begin(walk: Walk) -> None:
    if not walk.begun:
        walk.begin({})


def _play_line(line: Mapping[str, Any], walk: Walk) -> None:
    """A choice, a throw, or the result."""
    if "result" in line:
        _begin(walk)
        walk.end(line["result"])
        return
    state, seat = line.get("state"), line.get("seat")
    if state is not None or not walk.begun:
        walk.stand(state or {}, seat)
    if "choice" in line:
        walk.choose(line["choice"], line)
        return
    throws = [line["thrown"], *line.get("then", [])]
    if not any(throws) and not walk.move:
        return  # what nobody saw changed nothing
    if seat is not None and seat != walk.seat:
        raise BadInput(f"it is seat {walk.seat} that throws here, got seat {seat}", field="seat")
    walk.ledger.expect(line)
    for dice in filter(None, throws):
        walk.throw(tuple(dice))
