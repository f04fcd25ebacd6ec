"""Our own line beside a peer's: python -m scripts.benched.ours JSON HOW, for ``peers``.

JSON is [game, parameters]; HOW is solve, again (the best of three), exact or odds. A second process of the same cache
folder finds what is kept.
"""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from typing import Any

import rollwise
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from scripts.benched.explicit import PigAlone, made
from scripts.benched.foreign.telling import best, tell


def by_boards(name: str, parameters: dict[str, Any], exact: bool) -> dict[str, str]:
    """A game, or a rule, that users are not offered: the solver without the face."""
    game = made(name, parameters)
    graph = compile_turn(game)
    found = BoardSolver(game, graph).solve()
    start = game.boards().index_of(**game.first_board())
    if exact:
        return only(solve_exact(game, graph, found.values, boards=[start])[start])
    value, radius = Fraction(float(found.values[start])), Fraction(float(found.radius[start]))
    return {"value": str(float(value)), "lower": str(value - radius), "upper": str(value + radius)}


def by_name(name: str, parameters: dict[str, Any], exact: bool) -> dict[str, str]:
    """As users solve it."""
    found = rollwise.solve(name, params=parameters, exact=exact)
    if exact:
        return only(found.exact)
    return {"value": repr(found.value), "lower": repr(found.lower), "upper": repr(found.upper)}


def odds(name: str, parameters: dict[str, Any]) -> dict[str, str]:
    """Every chance that is asked for, as fractions."""
    if name == "zilch":
        turn: Any = rollwise.odds(name, params=parameters)
        return only(*(bust.chance.exact for bust in turn.bust[:6]))
    chances: Any = rollwise.ask(name).quantities["chance"].exact
    return only(*(chances[str(n)] for n in range(2, 13)))


def only(*exact: Any) -> dict[str, str]:
    """Fractions are their own bounds."""
    said = " ".join(map(str, exact))
    return {"value": said, "lower": said, "upper": said}


def main() -> None:
    """One way."""
    name, parameters = json.loads(sys.argv[1])
    how = sys.argv[2]
    solve = by_boards if name == PigAlone.name or "boxes" in parameters else by_name

    def asked() -> dict[str, str]:
        return odds(name, parameters) if how == "odds" else solve(name, parameters, how == "exact")

    found, times = best(asked, 3 if how == "again" else 1)
    tell("rollwise", **times, **found)


if __name__ == "__main__":
    main()
