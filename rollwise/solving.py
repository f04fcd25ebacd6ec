"""``solve``: a game's value at the start, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rollwise.answer import Advice
from rollwise.asking import answer
from rollwise.door import the_fields, the_game
from rollwise.solver.kinds.kind import Wanted


def solve(game: str, params: Mapping[str, Any] | None = None, *, exact: bool = False, lengths: bool = False) -> Advice:
    """Solve a game (or find it solved) and return what its start is worth.

    ``facts`` of the answer has ``boards``, ``method``, ``seconds`` (of the solve) and ``cached``; a table's
    ``quantities`` have ``gain``, the most that any one seat could win more by playing otherwise. ``lengths`` as in
    ``ask``.

    >>> solution = solve("pig", {"target": 3}, exact=True)
    >>> solution.exact
    '36/43'
    """
    made = the_game(game, params)
    fields = the_fields(made, {})
    solution = answer(made, fields, made.locate(**fields), Wanted(exact, lengths=lengths), of_all=True)
    wanted = ("boards", "method", "seconds", "cached")
    facts = {name: solution.facts[name] for name in wanted}
    return replace(solution, best=None, moves=None, facts=facts)
