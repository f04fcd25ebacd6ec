"""What the routes of the JSON interface do: the functions of ``rollwise``, as plain data. All of it runs in a worker.

Each function that takes a body is a route of the interface (``api.QUESTIONS``), and its first lines describe it there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import rollwise
from rollwise.policy_tables.export import Wanted
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.web.bodies import Compared, GameRecord, OfAMove, Question, TableOrder, TheGame, Thrown
from rollwise.web.jobs import Jobs, planned
from rollwise.web.questions import the_game_asked
from rollwise.web.settings import Settings
from rollwise.web.tables import SentTable, table

Plain = dict[str, Any]


def rules(game: str, parameters: Mapping[str, Any]) -> Plain:
    """``rollwise rules --json``."""
    return rollwise.rules(the_game_asked(game, parameters).name, params=parameters)


def plan(game: str, parameters: Mapping[str, Any], settings: Settings) -> Plain:
    """``rollwise solve --plan --json``, and whether this server would begin such a solve."""
    job = planned(the_game_asked(game, parameters), settings)
    return {"game": job.name, "parameters": job.parameters, **job.plan.plain(), "allowed": job.allowed}


def _solved(body: TheGame, jobs: Jobs) -> TurnGame:
    """The game of a question. While it is being solved, raises Unsolved, and where it will not be, says so.

    That is before its turn is compiled to look at the state that is asked about, which takes seconds at some games.
    """
    game = body.checked_game()
    jobs.require_solved(game)
    return game


def ask(body: Question, jobs: Jobs) -> Plain:
    """Say what to do in a state, and what every move is worth."""
    return rollwise.ask(_solved(body, jobs).name, params=body.params, state=body.state).plain()


def outcomes(body: OfAMove, jobs: Jobs) -> Plain:
    """Tell everything that a move leads to, with its chances; the move may be left out where there is only one."""
    game = _solved(body, jobs).name
    return rollwise.outcomes(game, params=body.params, state=body.state, move=body.move, each=body.each).plain()


def why(body: Compared, jobs: Jobs) -> Plain:
    """Tell what makes the difference between the best move and another."""
    return rollwise.why(_solved(body, jobs).name, params=body.params, state=body.state, move=body.move).plain()


def solve(body: TheGame, jobs: Jobs) -> Plain:
    """Say what the start of a game is worth; a game that is not solved is solved, where this server does that."""
    return rollwise.solve(_solved(body, jobs).name, params=body.params).plain_solution()


def review(body: GameRecord, jobs: Jobs) -> Plain:
    """Go through a game that was played."""
    how: Plain = {} if body.grades is None else {"grades": body.grades}
    return rollwise.review(body.lines(), anyway=body.anyway, **how).plain()


def throw(body: Thrown, jobs: Jobs) -> Plain:
    """Let the dice of a match fall."""
    match = body.match()
    row = match.throw(body.dice) if match.waiting or body.record is not None else None
    return {
        "record": match.record(),
        "row": None if row is None else row.plain(),
        "waiting": match.waiting,
        "over": match.over,
    }


def export(body: TableOrder, jobs: Jobs) -> SentTable:
    """Send every decision of a slice, at most 100,000 rows."""
    game = _solved(body, jobs)
    if kind_of(game).chooses:
        game = Wanted.of(game, body.state).game  # what cannot be is refused before a process is begun
    return table(game, body.params, body.state, body.format)
