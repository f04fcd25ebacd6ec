"""Many games at once: each is kept, none is left out silently, and what was stopped goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.registry import REGISTRY
from rollwise.parsing.validate import parse_game, rule_parameters
from rollwise.questions.sweep import compute as sweeping
from rollwise.questions.sweep.compute import parse_games
from rollwise.solutions import transfer
from rollwise.solutions.lookup import is_solved

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]
Patch = pytest.MonkeyPatch


def test_a_sweep_has_the_start_of_each_game_with_its_bounds_and_the_next_finds_them_kept(
    own_cache: Store, said: Said
) -> None:
    command = "sweep pig -p target=2..4..2,3"
    text = said(command, "85.7143 %", "± ", "81.8182 %", "solved: 3")
    rows = json.loads(said(f"{command} --json"))
    assert [(row["parameters"], row["state"]) for row in rows] == [({"target": n}, "was kept") for n in (2, 4, 3)]
    for row in rows:
        start = rollwise.solve("pig", params=row["parameters"])
        assert [row[name] for name in ("value", "lower", "upper", "boards", "label", "unit")] == [
            *(start.value, start.lower, start.upper, start.facts["boards"], start.label, start.unit)
        ]
    assert text.count("solved") == 4


def test_values_that_cannot_be_are_refused_before_anything_is_solved(own_cache: Store) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"target": "4..2"}, "target from 4 to 2 by 1 has no values"),
        ({"target": "2..4..0"}, "by 0 has no values"),
        ({"target": "2..4000"}, "a sweep has at most 1,000 games"),
        ({"target": "2..40", "players": "1..40"}, "a sweep has at most 1,000 games, got 1,560"),
        ({"target": "1..4"}, "target"),
        ({"goal": "2..4"}, "'pig' has no parameter 'goal'"),
    ]
    for parameters, fault in wrong:
        with pytest.raises(rollwise.BadInput, match=fault):
            rollwise.sweep("pig", params=parameters)
    assert own_cache.keys() == []


def test_a_list_that_is_one_value_stays_one() -> None:
    assert [said for _, said in parse_games("piggy-six", {"robots": "8,14", "target": [20, 30]})] == [
        {"robots": (8, 14), "target": target} for target in (20, 30)
    ]


def test_every_game_and_number_of_players_has_a_row_that_says_why_it_is_left_out(
    own_cache: Store, said: Said, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(sweeping, "plan_of", lambda made: replace(rollwise.plan("pig"), seconds=7200.0))
    start = rollwise.solve("pig", params={"target": 2})
    own_cache.clear()
    monkeypatch.setattr(sweeping, "solve", lambda name, params: start)  # what is worked out when it is asked
    rows = rollwise.solve_all()
    asked = {(row.game, row.said.get("players")) for row in rows}
    for name in REGISTRY:
        players = rule_parameters(name).get("players")
        assert players is None or (name, players.default) in asked
    assert {row.game for row in rows} == REGISTRY.keys()
    assert {row.state for row in rows} == {"left out", "nothing to keep"}
    assert own_cache.keys() == []
    said("solve-all mexico --most-seconds 60", "players=4", "left out: that would take 2 hours", "left out: 3")
    assert {row["reason"] for row in json.loads(said("solve-all mexico --json"))} == {"that would take 2 hours"}


def test_what_was_stopped_goes_on_and_what_fails_stops_no_other(own_cache: Store, run: Run, monkeypatch: Patch) -> None:
    solved: list[int] = []

    def stopped(name: str, parameters: dict[str, Any]) -> None:
        if parameters["target"] == 4 and not solved.count(4):
            solved.append(4)
            raise KeyboardInterrupt
        if parameters["target"] == 6:
            raise rollwise.TooLarge("no room")
        solved.append(parameters["target"])
        transfer.solve_and_store(name, parameters)

    monkeypatch.setattr(sweeping, "solve_and_store", stopped)
    code, _, error = run("sweep", "pig", "-p", "target=3..7")
    assert (code, error) == (1, "rollwise: 1 of 5 games are stored; the same command continues from there\nstopped\n")
    code, text, error = run("sweep", "pig", "-p", "target=3..7")
    assert (code, solved, error) == (1, [3, 4, 4, 5, 7], "error: pig(target=6) has failed: no room\n")
    assert [line.split()[-1] for line in text.splitlines()[1:6]] == ["kept", "solved", "solved", "room", "solved"]


def test_what_comes_from_elsewhere_is_kept_as_it_is_here_and_nothing_that_is_damaged(own_cache: Store) -> None:
    game, small = parse_game("pig", {"target": 5}), {"target": 5}
    came = transfer.solve_for_transfer("pig", small)
    for name, harm in {
        "values": came.arrays["values"].astype(np.float32),
        "turn_child": came.arrays["turn_child"] + 1000,
        "radius": np.array([None]),
    }.items():
        with pytest.raises(rollwise.RollwiseError, match=rf"what {came.sender} has sent of pig\(target=5\) is damaged"):
            transfer.store_transfer(game, replace(came, arrays={**came.arrays, name: harm}))
    with pytest.raises(rollwise.RollwiseError, match="has sent another game"):
        transfer.store_transfer(parse_game("pig", {"target": 6}), came)
    assert own_cache.keys() == []
    transfer.store_transfer(game, came)
    assert is_solved(game)


def test_without_its_packages_a_cluster_says_which_extra_has_them(run: Run, monkeypatch: Patch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, error = run("sweep", "pig", "-p", "target=17,18", "--scheduler", "tcp://127.0.0.1:1")
    assert (code, error) == (
        2,
        "error: more than one machine needs further packages (distributed is missing)\n"
        'hint: pip install "rollwise[cluster]"\n',
    )
