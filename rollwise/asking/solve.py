"""``solve``: a game's value at the start, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rollwise.answers.advice import Advice
from rollwise.asking.ask import answer
from rollwise.parsing.validate import checked, the_fields, the_game
from rollwise.solutions.fractions import known_ahead, may_take
from rollwise.solutions.games import StoredSolution, anything, with_solved
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Tools


@checked
def solve(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    exact: bool = False,
    lengths: bool = False,
    ties: bool = False,
    yes: bool = False,
) -> Advice:
    """Solve a game (or find it solved) and return what its start is worth.

    ``facts`` of the answer has ``boards``, ``method``, ``seconds`` (of the solve) and ``cached``; a table's
    ``quantities`` have ``gain``, the most that any one seat could win more by playing otherwise. ``lengths`` and
    ``yes`` as in ``ask``. ``ties``: at tables, ``facts`` has ``unique_by_ties``: whether shares stay what they are
    where equally good moves are told apart otherwise (the last of them is played; or the one that is best for the next
    seat), with the largest ``difference`` of any seat at the start, and on any board that can be (``anywhere``).

    >>> solution = solve("pig", params={"target": 3}, exact=True)
    >>> solution.exact
    '36/43'
    """
    made = the_game(game, params)
    fields = the_fields(made, {})
    wanted = QueryOptions(exact, lengths=lengths, ahead=known_ahead, beyond=may_take)
    solution = answer(made, fields, made.locate(**fields), wanted, of_all=True)
    facts = {name: solution.facts[name] for name in ("boards", "method", "seconds", "cached")}
    if ties:
        facts["unique_by_ties"] = with_solved(made, anything, _other_ties)
    return replace(solution, best=[], moves=[], facts=facts)


def _other_ties(solved: StoredSolution) -> dict[str, Any]:
    """What telling equally good moves apart otherwise would change."""
    with Progress(str(solved.game), verb="breaking ties otherwise") as progress:
        change = kind_of(solved.game).other_ties(solved.opened, Tools(progress.share))
    unique = change.anywhere <= change.radius
    return {"unique": unique, "difference": change.at_start, "anywhere": change.anywhere}
