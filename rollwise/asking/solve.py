"""``solve``: the value of a game at its start, and the method and size of the solve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rollwise.answers.advice import Advice
from rollwise.asking.ask import answer
from rollwise.parsing.validate import check_arguments, parse_fields, parse_game
from rollwise.solutions.fractions import is_long_solve_allowed, load_or_compute_fractions
from rollwise.solutions.lookup import StoredSolution, accept_any_turn, answer_from_solution
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Tools


@check_arguments
def solve(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    exact: bool = False,
    lengths: bool = False,
    ties: bool = False,
    yes: bool = False,
) -> Advice:
    """Solve a game, or take it from the cache, and return the value of its start.

    ``facts`` of the answer has ``boards``, ``method``, ``seconds`` (of the solve) and ``cached``; a table's
    ``quantities`` have ``gain``, the most that a single seat could gain by another policy. ``lengths`` and ``yes`` as
    in ``ask``. ``ties``: at tables, ``facts`` has ``unique_by_ties``: whether the shares stay the same under other
    tie-breaking (the last of equally good moves is played; or the one that is best for the next seat), with the
    largest ``difference`` of any seat at the start, and on any possible board (``anywhere``).

    >>> solution = solve("pig", params={"target": 3}, exact=True)
    >>> solution.exact
    '36/43'
    """
    model = parse_game(game, params)
    fields = parse_fields(model, {})
    options = QueryOptions(exact, lengths=lengths, ahead=load_or_compute_fractions, beyond=is_long_solve_allowed)
    solution = answer(model, fields, model.locate(**fields), options, of_all=True)
    facts = {name: solution.facts[name] for name in ("boards", "method", "seconds", "cached")}
    if ties:
        facts["unique_by_ties"] = answer_from_solution(model, accept_any_turn, _other_ties)
    return replace(solution, best=[], moves=[], facts=facts)


def _other_ties(stored: StoredSolution) -> dict[str, Any]:
    """The change of shares under other tie-breaking, as plain data."""
    with Progress(str(stored.game), verb="breaking ties otherwise") as progress:
        change = kind_of(stored.game).other_ties(stored.solution, Tools(progress.share))
    unique = change.anywhere <= change.radius
    return {"unique": unique, "difference": change.at_start, "anywhere": change.anywhere}
