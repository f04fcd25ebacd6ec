"""An entry that was changed and sealed again is damaged, whatever it holds: told, solved again, and never served."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
import rollwise.solutions.lookup
from rollwise.cache.store import Store
from rollwise.questions.ask.compute import ask
from rollwise.solutions.check import check
from rollwise.solutions.forecasts import forecast_store

PIG: dict[str, Any] = {"game": "pig", "params": {"target": 4}, "mine": 1, "theirs": 2, "turn": 2}
BIG_SIX: dict[str, Any] = {"game": "big-six", "params": {"players": 2}}
DEEP: list[Any] = []
for _ in range(300):
    DEEP = [DEEP]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """A cache with a game of each, and what is answered."""
    folder = tmp_path_factory.mktemp("solved")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROLLWISE_CACHE", str(folder))
        return folder, ask(**PIG).plain(), ask(**BIG_SIX).plain()


@pytest.fixture(autouse=True)
def store(own_cache: Store, monkeypatch: pytest.MonkeyPatch, solved: tuple[Path, Any, Any]) -> Store:
    monkeypatch.setattr(rollwise.solutions.lookup, "_DROPPED_KEYS", set())
    shutil.copytree(solved[0], own_cache.root)
    return own_cache


def without(*names: str) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def drop(arrays: dict[str, Any], manifest: dict[str, Any]) -> None:
        for name in names:
            arrays.pop(name, None)
            manifest.pop(name, None)

    return drop


def array_is(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda arrays, _: arrays.update({name: change(arrays[name])})


def told(part: str, **fields: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    return lambda _, manifest: manifest[part].update(fields)


def placed(place: int, value: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array.flat[place] = value
        return array

    return change


ZEROS = np.zeros_like
CHANGES: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
    **{f"no {name}": without(name) for name in ("turn", "facts", "values", "radius", "turn_child", "widest")},
    "one value": array_is("values", lambda values: values[:1]),
    "a number for values": array_is("values", lambda values: values[0]),
    "values of two": array_is("values", lambda values: np.stack([values, values], axis=1)),
    "values in half the bits": array_is("values", lambda values: values.astype(np.float32)),
    "values of text": array_is("values", lambda values: values.astype("U9")),
    "no totals": array_is("turn_total", ZEROS),
    "children of their own": array_is("turn_child", lambda child: child + 1000),
    "turns that lead back": array_is("turn_child", lambda child: np.where(child < child.max(), child, child + 1)),
    "a node with no end of children": array_is("turn_start", placed(1, 1 << 60)),
    "no kinds": array_is("turn_kind", lambda kind: kind[:0]),
    "kinds of floats": array_is("turn_kind", lambda kind: kind.astype(float)),
    "nodes far away": array_is("turn_state_node", lambda node: node + 10**6),
    "segments of nothing": array_is("turn_segments", ZEROS),
    "an order of nothing": array_is("turn_made", ZEROS),
    "facts of text": lambda _, manifest: manifest.update(facts="boards"),
    "boards of text": told("facts", boards="\x1b[2J"),
    "no method": told("facts", method=None),
    "seconds without end": told("facts", seconds=10**400),
    "a leaf of gigabytes": told("turn", leaves=[[0, "1e999999999", "1"]]),
    "a leaf of no size": told("turn", leaves=[[0, "1/0", "1"]]),
    "leaves of numbers": told("turn", leaves=7),
    "leaves beyond": told("turn", results=[]),
    "results without end": told("turn", results=DEEP),
    "terms without end": told("turn", terms=10**400),
}


def change(place: Store, name: str, how: Callable[[dict[str, Any], dict[str, Any]], None]) -> str:
    """Change the entry of a game, and seal it again; its key."""
    entry = place.read(*filter(lambda key: key.startswith(name), place.keys()))
    assert entry is not None
    arrays = {name: np.array(entry.array(name)) for name in entry.names}
    how(arrays, entry.manifest)
    place.write(entry.key, arrays, entry.manifest)
    rollwise.solutions.lookup._OPEN_SOLUTIONS.clear()
    return entry.key


@pytest.mark.parametrize("name", CHANGES)
def test_an_entry_of_another_form_is_told_and_solved_again(
    name: str, store: Store, solved: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    key = change(store, "pig", CHANGES[name])
    (before,) = check(store, [key])
    assert before.verdict in ("damaged", "refuted")
    assert ask(**PIG).plain() == solved[1]
    err = capsys.readouterr().err
    assert name == "no widest" or f"cache entry {key} is damaged: " in err  # no question asks for it
    assert "\x1b" not in err + before.detail


@pytest.mark.parametrize(
    "how",
    [
        told("facts", start={}),
        told("facts", start={"win": {"value": "1e999999999"}}),
        lambda _, manifest: manifest["facts"]["start"]["win"].update(lower={}),
        lambda _, manifest: manifest["facts"]["start"]["length_distribution"].update(tail=-1),
        lambda _, manifest: manifest["facts"]["start"]["length_distribution"].pop("tail"),
        lambda _, manifest: manifest["facts"]["start"]["win"].update(exact=["1/2", "a\nb"]),
        lambda _, manifest: manifest["facts"]["start"]["length"].update(lower=99.0),
        lambda _, manifest: manifest["facts"]["start"]["length_distribution"]["value"].update({"10": [0.5]}),
        array_is("values", lambda values: values[:, :1]),
        without("boards"),
    ],
)
def test_so_are_odds(how: Callable[..., None], store: Store, solved: Any) -> None:
    change(store, "big-six", how)
    ask(**BIG_SIX, chips=[4, 6])
    assert ask(**BIG_SIX).plain() == solved[2]


@pytest.mark.parametrize(
    "how",
    [
        *(without("forecast"), without("chances"), told("forecast", lost="x"), told("facts", seconds=None)),
        array_is("chances", lambda chances: chances[: len(chances) // 2]),
        array_is("chances", lambda chances: chances * np.nan),
    ],
)
def test_so_are_forecasts(how: Callable[..., None], store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solutions.forecasts.MIN_STORED_S", 0.0)
    right = rollwise.forecast("shut-the-box").quantities
    change(forecast_store(), "shut", how)
    again = rollwise.forecast("shut-the-box")
    assert (again.quantities, again.facts["cached"]) == (right, False)


def test_a_checkpoint_of_gigabytes_or_of_another_form_is_dropped(
    store: Store, solved: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rollwise.solutions.lookup.CHECKPOINT_SPARE_BYTES", 1000)
    (key,) = (key for key in store.all_keys() if key.startswith("pig"))
    begun: list[tuple[int, dict[str, Any]]] = [(10**6, {}), (3, {"level": []})]
    for size, state in begun:
        store.remove(key)
        store.checkpoint(key).save({"value": np.zeros(size)}, state)
        assert ask(**PIG).plain() == solved[1]
        assert "what an earlier run has left" in capsys.readouterr().err
