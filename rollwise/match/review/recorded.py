"""Review of a match's record: its lines are replayed, and every number in it is computed anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rollwise.match.record_files import RULES, describe_other_rules, upgrade_lines
from rollwise.match.review.replay import Replay
from rollwise.parsing.records import Line, Source, at_place, require_lines
from rollwise.parsing.validate import parse_game
from rollwise.solver.kinds.kind import Report, no_progress
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import plain, quoted


def game_of_record(source: Source, anyway: bool) -> tuple[TurnGame, list[str]]:
    """The game of a record, and notes on its rules; raises BadInput for outdated rules without ``anyway``."""
    require_lines(source.lines)
    place, head = source.lines[0]
    with at_place(place):
        game = parse_game(head["game"], head.get("parameters"))
    version = head.get("rules_version")
    if version == game.rules_version:
        return game, []
    others = describe_other_rules(game, version)
    if anyway:
        return game, [f"The record is of {others}."]
    hint = f"rollwise review {source.file} --anyway" if source.file else "anyway=True"
    raise BadInput(f"{place}: the record is of {others}", hint=hint, field=RULES)


def replay_record(lines: list[Line], replay: Replay, report: Report = no_progress) -> None:
    """Replay the lines of a record; raises BadInput for the first impossible one."""
    at, (first, head), last = replay.ledger.at, lines[0], lines[-1][0]
    *played, here = upgrade_lines(replay.game, [*(line for _, line in lines[1:]), head.get("next") or {}])
    for place, line in replay.each([(place, line) for (place, _), line in zip(lines[1:], played, strict=True)], report):
        with at(place):
            _replay_line(line, replay)
    with at(first):
        _begin(replay)
    if here and "choice" not in here:  # it may contain dice that no line has
        try:
            with at(last):
                replay.enter_state(here["state"])
        except BadInput:  # of another moment: the record was cut later
            pass
    seats = head.get("seats")
    if seats is not None and seats != replay.n_seats:
        raise BadInput(f"{first}: {replay.game.name} has {replay.n_seats} seats here, got {quoted(plain(seats))}")


def _begin(replay: Replay) -> None:
    if not replay.is_begun:
        replay.begin({})


def _replay_line(line: Mapping[str, Any], replay: Replay) -> None:
    """A choice, a throw, or the result."""
    if "result" in line:
        _begin(replay)
        replay.end(line["result"])
        return
    state, seat = line.get("state"), line.get("seat")
    if state is not None or not replay.is_begun:
        replay.enter_state(state or {}, seat)
    if "choice" in line:
        replay.choose(line["choice"], line)
        return
    throws = [line["thrown"], *line.get("then", [])]
    if not any(throws) and not replay.move:
        return  # an event without visible dice that changed nothing
    if seat is not None and seat != replay.seat:
        raise BadInput(f"it is seat {replay.seat} that throws here, got seat {seat}", field="seat")
    replay.ledger.set_throw_line(line)
    for dice in filter(None, throws):
        replay.throw(tuple(dice))
