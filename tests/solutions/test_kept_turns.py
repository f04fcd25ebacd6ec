"""A compiled turn that took long is kept: the next process need not compile it, and nobody is served a wrong one."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Entry, Store
from rollwise.parsing.validate import parse_game
from rollwise.solutions import turns
from rollwise.solutions.turns import load_or_compile_turn, turn_identity, turn_store
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn import graph as turn_graph
from rollwise.solver.turn.graph import TurnGraph, build_graph, to_plain

Run = Callable[..., tuple[int, str, str]]
Says = Callable[..., str]
Capture = pytest.CaptureFixture[str]


def pig(target: int) -> TurnGame:
    """Pig to so many points."""
    return parse_game("pig", {"target": target})


@pytest.fixture
def compilings(own_cache: Store, monkeypatch: pytest.MonkeyPatch) -> list[TurnGame]:
    """The games whose turns were compiled; every turn takes long, and no process remembers one."""
    done: list[TurnGame] = []

    def compiled(game: TurnGame) -> TurnGraph:
        done.append(game)
        return build_graph(game)

    monkeypatch.setattr(turns, "build_graph", compiled)
    monkeypatch.setattr(turns, "MIN_STORED_EDGES", 1)
    monkeypatch.setattr(turn_graph, "MAX_CACHED_GRAPHS", 0)
    return done


def is_turn_of(graph: TurnGraph, game: TurnGame) -> bool:
    """Is this, to the last bit, what the rules give?"""
    (arrays, plain), (others, told) = to_plain(graph), to_plain(build_graph(game))
    same = [arrays[name].dtype == others[name].dtype and np.array_equal(arrays[name], others[name]) for name in others]
    return all(same) and plain == told and graph.leaves == build_graph(game).leaves


def test_a_turn_is_compiled_once_for_all_processes_but_again_for_other_rules_or_code(
    compilings: list[TurnGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        assert is_turn_of(load_or_compile_turn(pig(8)), pig(8))
    assert compilings == [pig(8)]
    assert is_turn_of(load_or_compile_turn(pig(9)), pig(9))
    assert compilings == [pig(8), pig(9)]
    monkeypatch.setattr(turns, "turn_identity", lambda game: {**turn_identity(game), "fingerprint": "of other code"})
    load_or_compile_turn(pig(8))
    assert compilings == [pig(8), pig(9), pig(8)]


def test_a_turn_that_cannot_come_to_the_question_is_not_kept(compilings: list[TurnGame], own_cache: Store) -> None:
    with pytest.raises(StateError):
        rollwise.ask("pig", turn=1, params={"target": 8})
    assert compilings
    assert not own_cache.root.exists()


def test_a_small_turn_is_not_kept(compilings: list[TurnGame], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MIN_STORED_EDGES", build_graph(pig(8)).n_edges + 1)
    load_or_compile_turn(pig(8))
    assert turn_store().all_keys() == []


def test_a_damaged_turn_is_told_of_and_compiled_again(compilings: list[TurnGame], capsys: Capture) -> None:
    load_or_compile_turn(pig(8))
    (file,) = turn_store().root.glob("*/turn_child.npy")
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert is_turn_of(load_or_compile_turn(pig(8)), pig(8))
    assert "is damaged" in capsys.readouterr().err
    assert is_turn_of(load_or_compile_turn(pig(8)), pig(8))
    assert (compilings, capsys.readouterr().err) == ([pig(8)] * 2, "")


def test_a_turn_that_another_process_stores_is_left_to_it(
    compilings: list[TurnGame], own_cache: Store, capsys: Capture
) -> None:
    with turn_store().lock(own_cache.key("pig", turn_identity(pig(8)))):
        assert is_turn_of(load_or_compile_turn(pig(8)), pig(8))
    assert (turn_store().keys(), capsys.readouterr().err) == ([], "")


def test_where_nothing_can_be_kept_a_turn_is_compiled_all_the_same(
    compilings: list[TurnGame], own_cache: Store, capsys: Capture
) -> None:
    own_cache.root.mkdir()
    turn_store().root.write_text("no folder")
    assert is_turn_of(load_or_compile_turn(pig(8)), pig(8))
    assert "meanwhile answers stay in memory" in capsys.readouterr().err


def test_what_was_used_longest_ago_goes_where_turns_take_too_much_room(
    compilings: list[TurnGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_or_compile_turn(pig(8))
    one = turn_store().inspect(*turn_store().keys())  # one that is open would stay in any case
    assert isinstance(one, Entry)
    monkeypatch.setattr(turns, "MAX_TURN_BYTES", int(one.size * 2.5))
    load_or_compile_turn(pig(9))
    for note in (turn_store().root / "lent").iterdir():
        os.utime(note, (1 if note.name == one.key else 2,) * 2)
    for target in (8, 10):
        load_or_compile_turn(pig(target))
    kept = map(turn_store().inspect, turn_store().keys())
    assert {entry.manifest["parameters"]["target"] for entry in kept if isinstance(entry, Entry)} == {8, 10}


def test_the_commands_of_the_cache_know_turns(compilings: list[TurnGame], run: Run, said: Says) -> None:
    load_or_compile_turn(pig(8))
    entry = turn_store().read(*turn_store().keys())
    assert entry is not None
    listed = " ".join(said("cache list").split())
    assert f"{entry.key} {entry.size:,} compiled turn: target=8" in listed
    assert "0 solved games" in listed
    assert f"proved {entry.key}" in " ".join(said("cache check pig").split())
    wrong: dict[str, Any] = {name: np.array(entry.array(name)) for name in entry.names}
    wrong["turn_weight"][-1] += 1
    turn_store().write(entry.key, wrong, entry.manifest)
    code, told, _ = run("cache", "check")
    assert (code, "turn_weight is not what the rules of the turn give" in " ".join(told.split())) == (1, True)
    assert "compiled turn" in said("cache clear pig -p target=8")
    assert turn_store().keys() == []
