"""Every value that a rule parameter may have is solved, or refused in words: at the edges of its range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.registry import REGISTRY, game_class
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import ParameterError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import compile_turn

WIDEST = 1e-9  # what a duel has to be known to
TAKES_LONG = {"zilch", "ten-thousand", "sixzee", "cameroon", "shut-the-box", "busted", "bluff"}  # to compile or count
TAKES_LONG |= {"bouncer", "thunderstorm", "aces-in-the-pot", "cops-and-robbers"}
MEMORY, HOURS = 8e9, 1.0  # no edge is allowed that needs more than a good laptop has
MORE: dict[
    str, list[dict[str, Any]]
] = {  # edges that need another parameter, or that several parameters come to together
    "piggy-six": [
        {"players": 3, "target": 50},
        {"target": 200, "max_dice": 3, "choose": "roll"},
        {"target": 2, "robots": (2,)},
        {"target": 200, "robots": (30,)},
        *({"target": target, "robots": (30, 30)} for target in (120, 121)),
    ],
    "finish": [{"players": 2, "placing": "free"}, {"players": 3, "placing": "free"}],
    "mexico": [{"players": players, "lives": lives} for players in (3, 4) for lives in (1, 50)],
    "shut-the-box": [{"players": 6, "objective": "win"}],
    "bluff": [{"players": 4, "chips": 10}],
    "busted": [{"players": 2, "chips": 30}],
    "ten-thousand": [{"goal": goal, "players": 1, "objective": "turns"} for goal in (500, 20000)],
    "zilch": [{"goal": goal, "players": 1, "objective": "turns"} for goal in (50, 10000)],
}


def edges(name: str) -> Iterator[dict[str, Any]]:
    """The lowest and the highest value of each parameter, the others as they are mostly."""
    for each in fields(game_class(name)):
        if not (each.metadata["trial"] or each.metadata["option"]):
            allowed = (each.metadata["low"], each.metadata["high"])
            yield from ({each.name: value} for value in allowed if value not in (None, each.default))
    yield from MORE.get(name, ())


EVERY = [
    pytest.param(name, edge, marks=[pytest.mark.slow] if name in TAKES_LONG else [], id=f"{name} {edge}")
    for name in REGISTRY
    for edge in edges(name)
]


@pytest.mark.parametrize(("name", "edge"), EVERY)
def test_an_edge_of_a_range_is_within_reach_or_refused_in_words(name: str, edge: Mapping[str, Any]) -> None:
    try:
        made = game_class(name).of(**edge)
        assert isinstance(made, TurnGame)
        require_within_reach(made.part())
    except (ParameterError, TooLarge) as error:
        refused = str(error)
    else:
        return
    assert name in refused
    assert "\n" not in refused


def require_within_reach(made: TurnGame) -> None:
    graph = compile_turn(made)
    plan = kind_of(made).plan(made, graph)
    assert plan.memory < MEMORY
    assert plan.seconds < HOURS * 3600
    if made.kind == "duel" and made.cyclic:
        assert reckoned_width(made, graph.terms) < WIDEST * max(1, made.scale)


def reckoned_width(made: TurnGame, terms: int) -> float:
    """Of an interval at the start: what a turn rounds by, about eight times, for a turn on each level."""
    boards = np.unique(np.linspace(0, made.boards().size - 1, 100_000, dtype=np.int64))
    levels = made.level(made.boards().columns(boards))
    return 2 * 8 * (terms + 6) * UNIT * made.scale * (1 if levels is None else int(np.max(levels)) + 1)


@pytest.mark.minutes
@pytest.mark.parametrize(
    ("name", "edge"),
    [
        ("pig", {"target": 1000}),
        ("ten-thousand", {"goal": 20000}),
        ("ten-thousand", {"goal": 20000, "players": 1, "objective": "turns"}),
        ("zilch", {"opening": 350}),
        ("piggy-six", {"target": 200}),
        ("piggy-six", {"target": 200, "max_dice": 3, "choose": "roll"}),
        ("mexico", {"lives": 50}),
        ("sevens", {"goal": 150}),
    ],
)
def test_the_longest_duels_are_known_as_closely_as_the_others(name: str, edge: Mapping[str, Any]) -> None:
    found = rollwise.solve(name, params=edge)
    assert found.upper is not None
    assert found.lower is not None
    assert found.upper - found.lower < WIDEST
