"""Functions behind the routes of the JSON interface: those of ``rollwise``, as plain data. They run in worker threads.

Each function with a body is a route of the interface (``api.QUESTIONS``), described there by its docstring.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rollwise
from rollwise.policy_tables.export import ExportSpec
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.web.bodies import Compared, GameRecord, OfAMove, Question, TableOrder, TheGame, Thrown
from rollwise.web.jobs import Jobs, plan_job
from rollwise.web.questions import listed_game
from rollwise.web.settings import Settings
from rollwise.web.tables import SentTable, make_table

Plain = dict[str, Any]


def rules(game: str, parameters: Mapping[str, Any]) -> Plain:
    """``rollwise rules --json``."""
    return rollwise.rules(listed_game(game, parameters).name, params=parameters)


def plan(game: str, parameters: Mapping[str, Any], settings: Settings) -> Plain:
    """``rollwise solve --plan --json``, with whether this server would begin such a solve."""
    job = plan_job(listed_game(game, parameters), settings)
    assert job.plan is not None
    return {"game": job.name, "parameters": job.parameters, **job.plan.plain(), "allowed": job.refusal is None}


def _solved_game(body: TheGame, jobs: Jobs) -> TurnGame:
    """The game of a question; raises Unsolved while it is being solved, and Busy if this server will not solve it.

    The check comes before its turn is compiled to validate the state, which takes seconds for some games.
    """
    game = body.checked_game()
    jobs.require_solved(game)
    return game


def ask(body: Question, jobs: Jobs) -> Plain:
    """Best move in a state, and the value of every move."""
    return rollwise.ask(_solved_game(body, jobs).name, params=body.params, state=body.state).plain()


def outcomes(body: OfAMove, jobs: Jobs) -> Plain:
    """All outcomes of a move with their chances; the move may be omitted if there is only one."""
    game = _solved_game(body, jobs).name
    return rollwise.outcomes(game, params=body.params, state=body.state, move=body.move, each=body.each).plain()


def why(body: Compared, jobs: Jobs) -> Plain:
    """The difference between the best move and another, by classes of outcomes."""
    return rollwise.why(_solved_game(body, jobs).name, params=body.params, state=body.state, move=body.move).plain()


def solve(body: TheGame, jobs: Jobs) -> Plain:
    """Value of the start of a game; an unsolved game is solved first, if this server may."""
    return rollwise.solve(_solved_game(body, jobs).name, params=body.params).plain_solution()


def review(body: GameRecord, jobs: Jobs) -> Plain:
    """Review of a played game."""
    how: Plain = {} if body.grades is None else {"grades": body.grades}
    return rollwise.review(body.lines(), anyway=body.anyway, **how).plain()


def throw(body: Thrown, jobs: Jobs) -> Plain:
    """Throw the dice of a match."""
    match = body.match()
    row = match.throw(body.dice) if match.waiting or body.record is not None else None
    return {
        "record": match.record(),
        "row": None if row is None else row.plain(),
        "waiting": match.waiting,
        "over": match.over,
    }


def export(body: TableOrder, jobs: Jobs) -> SentTable:
    """Table of every decision of a slice, at most 100,000 rows."""
    game = _solved_game(body, jobs)
    if kind_of(game).has_decisions:
        game = ExportSpec.of(game, body.state).game  # an invalid state is refused before a process is started
    return make_table(game, body.params, body.state, body.format)
