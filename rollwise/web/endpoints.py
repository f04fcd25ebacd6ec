"""Functions behind the routes of the JSON interface: those of ``rollwise``, as plain data. They run in worker threads.

Each with a body is a route of the interface (``api.QUESTIONS``), described there by its docstring; a question of a
state stands here only if its body or its description differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import rollwise
from rollwise.policy_tables.export import ExportSpec
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import TurnGame
from rollwise.web.bodies import Compared, GameRecord, OfAMove, OfAState, Question, TableOrder, TheGame, Thrown
from rollwise.web.jobs import Jobs, plan_job
from rollwise.web.questions import listed_game
from rollwise.web.settings import Settings
from rollwise.web.tables import SentTable, make_table

Plain = dict[str, Any]
Endpoint = Callable[[Any, Jobs], Any]


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


def question_of_state(name: str, about: str = "", body_class: type[OfAState] = OfAState) -> Endpoint:
    """The endpoint of a function of ``rollwise``; ``about`` is by default the first line of its docstring."""
    function = getattr(rollwise, name)
    keys = [key for key in body_class.model_fields if key != "game" and key in signature(function).parameters]

    def answer(body: OfAState, jobs: Jobs) -> Plain:
        game = _solved_game(body, jobs).name
        plain: Plain = getattr(rollwise, name)(game, **{key: getattr(body, key) for key in keys}).plain()
        return plain

    answer.__doc__ = about or (function.__doc__ or "").split("\n")[0]
    answer.__annotations__["body"] = body_class
    return answer


ask = question_of_state("ask", "Best move in a state, and the value of every move.", Question)
outcomes = question_of_state(
    "outcomes", "All outcomes of a move with their chances; the move may be omitted if there is only one.", OfAMove
)
why = question_of_state("why", "The difference between the best move and another, by classes of outcomes.", Compared)


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
