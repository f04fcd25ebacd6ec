"""Answers to what programs ask: the functions of ``rollwise``, told as plain data. All of it runs in a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rollwise
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.tables.decisions import the_slice
from rollwise.web.bodies import OfAMove, Played, Question, Table, TheGame, Thrown
from rollwise.web.jobs import Jobs, planned
from rollwise.web.questions import require_small, the_game_asked, the_record
from rollwise.web.settings import Settings
from rollwise.web.tables import SentTable, table

Plain = dict[str, Any]


def _asked(body: TheGame, jobs: Jobs) -> TurnGame:
    """The game of a question. While it is being solved, raises Unsolved, and where it will not be, says so.

    That is before its turn is compiled to look at the state that is asked about, which takes seconds at some games.
    """
    game = the_game_asked(body.game, body.params)
    if isinstance(body, Question):
        require_small("state", body.state)
    jobs.require_solved(game)
    return game


def rules(game: str, parameters: Mapping[str, Any]) -> Plain:
    """``rollwise rules --json``."""
    return rollwise.rules(the_game_asked(game, parameters).name, params=parameters)


def plan(game: str, parameters: Mapping[str, Any], settings: Settings) -> Plain:
    """``rollwise plan --json``, and whether this server would begin such a solve."""
    job = planned(the_game_asked(game, parameters), settings)
    return {"game": job.name, "parameters": job.parameters, **job.plan.plain(), "allowed": job.allowed}


def ask(body: Question, jobs: Jobs) -> Plain:
    """``rollwise ask --json``."""
    return rollwise.ask(_asked(body, jobs).name, params=body.params, state=body.state).plain()


def outcomes(body: OfAMove, jobs: Jobs) -> Plain:
    """``rollwise ask --next --json``."""
    return rollwise.outcomes(
        _asked(body, jobs).name, state=body.state, move=body.move, params=body.params, each=body.each
    ).plain()


def why(body: Question, jobs: Jobs) -> Plain:
    """``rollwise ask --why --json``."""
    return rollwise.why(_asked(body, jobs).name, state=body.state, move=body.move, params=body.params).plain()


def solve(body: TheGame, jobs: Jobs) -> Plain:
    """``rollwise solve --json``."""
    return rollwise.solve(_asked(body, jobs).name, params=body.params).plain_solution()


def review(body: Played, jobs: Jobs) -> Plain:
    """``rollwise review --json``."""
    if (body.record is None) == (body.text is None):
        raise BadInput("a game is reviewed from its record or from text; say one of them", field="record")
    # always a list: text by itself could be taken for the name of a file
    lines = (body.text or "").split("\n") if body.record is None else the_record(body.record)
    how: Plain = {} if body.grades is None else {"grades": body.grades}
    return rollwise.review(lines, anyway=body.anyway, **how).plain()


def throw(body: Thrown, jobs: Jobs) -> Plain:
    """A match after its next throw."""
    if (body.record is None) == (body.game is None):
        raise BadInput("dice fall in a record, or in a game after a move; say one of them", field="record")
    if body.record is not None:
        if body.params or body.state or body.move is not None or body.seed is not None:
            raise BadInput(
                "a record says itself what is played; leave out params, state, move and seed", field="record"
            )
        return _after_throw(rollwise.Match.of(the_record(body.record)), body.dice)
    game = the_game_asked(body.game, body.params)
    require_small("state", body.state)
    match = rollwise.Match(game.name, params=body.params, state=body.state, seed=body.seed)
    if body.move is not None:
        match.play(body.move)
    elif kind_of(game).chooses:
        legal = ", ".join(match.legal)
        raise BadInput(f"dice fall after a move; say which: {legal}", field="move")
    return _after_throw(match, body.dice) if match.waiting else _stands(match, None)


def _after_throw(match: rollwise.Match, dice: Any) -> Plain:
    require_small("dice", {"dice": dice})
    return _stands(match, match.throw(dice))


def _stands(match: rollwise.Match, row: rollwise.Row | None) -> Plain:
    return {
        "record": match.record(),
        "row": None if row is None else row.plain(),
        "waiting": match.waiting,
        "over": match.over,
    }


def export(body: Table, jobs: Jobs) -> SentTable:
    """``rollwise export``."""
    game = _asked(body, jobs)
    if kind_of(game).chooses:
        the_slice(game, body.state)  # what cannot be is refused before a process is begun
    return table(game, body.params, body.state, body.format)
