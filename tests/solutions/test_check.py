"""``check`` proves what is stored, and refutes what was changed, however whole it looks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rollwise.solutions.check
from rollwise.cache.store import Entry, Store
from rollwise.games.registry import game
from rollwise.solutions.check import CheckedEntry, check
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.checker import backup as witness_backup, bounds
from rollwise.solver.checker.backup import TurnBackup
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model.cancellation import Token, with_token
from rollwise.solver.model.errors import UnknownName
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.arrays import backup
from tests.sizes import SIZES

PIG: dict[str, Any] = {"target": 10}
SOLVED: list[tuple[str, dict[str, Any]]] = [
    ("pig", PIG),
    ("piggy-six", {"target": 4}),
    ("ten-thousand", {"goal": 500}),
    ("shut-the-box", {"players": 3, "boxes": 4}),
    ("yahtzee", {"boxes": "ones"}),
]
MEXICO = "mexico", {"players": 3, "lives": 1}


def made(name: str, parameters: dict[str, Any]) -> TurnGame:
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


@pytest.fixture(scope="module")
def entries() -> dict[str, Entry]:
    """What the cache of the run has of each game: written again, and changed, in a cache of its own for each test."""
    found = {
        name: Store().read(load_or_solve(made(name, parameters), quiet=True).key)
        for name, parameters in [*SOLVED, MEXICO]
    }
    return {name: entry for name, entry in found.items() if entry is not None}


@pytest.fixture(autouse=True)
def store(entries: dict[str, Entry], own_cache: Store) -> Store:
    return own_cache


@pytest.fixture
def pig(entries: dict[str, Entry]) -> Entry:
    return entries["pig"]


def rewritten(entry: Entry, manifest: dict[str, Any] | None = None, **arrays: Any) -> CheckedEntry:
    """The verdict once some of an entry was changed and the whole was written, and sealed, again."""
    kept = {name: entry.array(name) for name in entry.names}
    Store().write(entry.key, {**kept, **arrays}, {**entry.manifest, **(manifest or {})})
    return only()


def only() -> CheckedEntry:
    (checked,) = check()
    return checked


def changed(entry: Entry, name: str, change: Any, board: int | None = None) -> dict[str, Any]:
    """An array of the entry with one more, or less, in the middle of those boards that can be."""
    array = entry.array(name).copy()
    array[somewhere(entry) if board is None else board] += change
    return {name: array}


def somewhere(entry: Entry) -> int:
    """A board in the middle of those that can be."""
    radius = entry.array("radius")
    possible = np.flatnonzero(np.isfinite(radius.reshape(len(radius), -1)[:, 0]))
    return int(possible[len(possible) // 2])


def test_what_the_solver_stores_is_proved_and_told(entries: dict[str, Entry]) -> None:
    entry = entries["mexico"]
    checked = rewritten(entry)
    assert (checked.key, checked.game, checked.verdict) == (entry.key, "mexico", "proved"), checked.detail
    assert f"{entry.manifest['facts']['boards']} boards" in checked.detail
    assert {"players=3", "lives=1"} <= {*checked.parameters.split(", ")}


@pytest.mark.parametrize(("name", "parameters"), SOLVED, ids=str)
def test_a_changed_value_is_refuted_by_its_board(
    entries: dict[str, Entry], name: str, parameters: dict[str, Any]
) -> None:
    entry, space = entries[name], made(name, parameters).boards()
    for change in (1e-6, -1e-6):
        checked = rewritten(entry, **changed(entry, "values", change))
        assert checked.verdict == "refuted"
        # Boards that lead to the changed one fail as well; the first of them all is named.
        named = dict(part.split("=") for part in checked.detail.removeprefix("board ").split(":")[0].split(", "))
        assert space.index_of(**{field: int(value) for field, value in named.items()}) <= somewhere(entry)


def test_the_first_failing_board_is_named(pig: Entry) -> None:
    checked = rewritten(pig, **changed(pig, "values", 1e-6, [0, 37]))  # type: ignore[arg-type]
    assert checked.detail.startswith("board mine=0, theirs=0: the lower bound is too high by 1")


def test_what_cannot_be_is_refuted(entries: dict[str, Entry], pig: Entry) -> None:
    for name, _ in SOLVED:
        shorter = entries[name].array("radius") / np.float32(1000)
        assert rewritten(entries[name], radius=shorter).verdict == "refuted", name
        Store().clear()
    turn = pig.manifest["turn"]
    assert rewritten(pig, **changed(pig, "radius", np.nan)).verdict == "refuted"
    assert rewritten(pig, values=pig.array("values")[:-1]).verdict == "refuted"
    assert rewritten(pig, {"turn": {**turn, "leaves": turn["leaves"][::-1]}}).verdict == "refuted"


def test_a_changed_turn_and_a_table_where_somebody_gains_more_are_refuted(entries: dict[str, Entry]) -> None:
    checked = rewritten(entries["pig"], **changed(entries["pig"], "turn_weight", 1, 0))
    assert (checked.verdict, checked.detail) == ("refuted", "turn_weight is not what the rules of the turn give")
    Store().clear()
    facts = entries["shut-the-box"].manifest["facts"]
    checked = rewritten(entries["shut-the-box"], {"facts": {**facts, "gain_limit": 1e-20}})
    assert (checked.verdict, "gain" in checked.detail) == ("refuted", True)


@pytest.mark.parametrize("change", [(1e-6, 0.0), (-1e-6, 0.0), (0.0, -1e-12), (np.nan, 0.0), (0.0, np.nan)])
def test_a_changed_chance_of_an_ending_is_refuted(entries: dict[str, Entry], change: tuple[float, float]) -> None:
    checked = rewritten(entries["mexico"], **changed(entries["mexico"], "ending_dead", change))
    assert checked.verdict == "refuted"
    assert "the error of an ending's chance is too small" in checked.detail


def test_other_code_makes_an_entry_stale(pig: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    now = rollwise.solutions.identity.identity
    monkeypatch.setattr(rollwise.solutions.check, "identity", lambda game: {**now(game), "fingerprint": "0" * 32})
    checked = rewritten(pig)
    assert (checked.verdict, pig.key in checked.detail, "fingerprint" in checked.detail) == ("stale", True, True)


@pytest.mark.parametrize(
    ("change", "verdict", "told"),
    [
        ({"game": "gone"}, "stale", "never served"),
        ({"parameters": {"target": -1}}, "stale", "never served"),
        ({"parameters": {"goal": 3}}, "stale", "never served"),
        ({"fingerprint": "0" * 32}, "damaged", "other code than its key"),
        ({"game": None}, "damaged", "does not say which game"),
    ],
)
def test_a_manifest_of_what_is_no_more_is_stale_and_one_against_its_key_damaged(
    pig: Entry, change: dict[str, Any], verdict: str, told: str
) -> None:
    checked = rewritten(pig, change)
    assert (checked.verdict, told in checked.detail) == (verdict, True)


@pytest.mark.parametrize("file", ["values.npy", "turn_child.npy", "manifest.json", "beside.npy"])
def test_a_flipped_byte_is_damage_even_in_what_no_proof_reads(pig: Entry, file: str, store: Store) -> None:
    assert rewritten(pig, beside=np.arange(100.0)).verdict == "proved"
    path = store.root / pig.key / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    checked = only()
    assert (checked.game, checked.verdict, file in checked.detail) == ("pig", "damaged", True)


def test_one_entry_is_checked_by_its_key_and_others_are_left(entries: dict[str, Entry], store: Store) -> None:
    for entry in entries.values():
        store.write(entry.key, {name: entry.array(name) for name in entry.names}, entry.manifest)
    key, heard = entries["pig"].key, list[float]()
    with with_token(Token(on_share=heard.append)):
        assert [checked.key for checked in check(keys=[key])] == [key]
    assert (heard == sorted(heard), heard[-1]) == (True, 1.0)
    with pytest.raises(UnknownName, match="cache list"):
        check(keys=["pig-00000000000000000000"])


def test_many_workers_and_many_blocks_say_the_same(pig: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    one = rewritten(pig, **changed(pig, "values", -1e-6))
    monkeypatch.setattr(bounds, "JOB_BOARDS", 7)
    monkeypatch.setattr(bounds, "N_LANES", 6)
    monkeypatch.setattr(witness_backup, "TILE_NUMBERS", 16)
    monkeypatch.setattr(rollwise.solutions.check, "Tools", lambda report, workers: Tools(report, workers=3))
    (many,) = check()
    assert (many.verdict, many.detail) == (one.verdict, one.detail)


def test_the_backup_written_here_is_that_of_the_solver() -> None:
    for size in {size.name: size for size in SIZES[::-1]}.values():
        graph = size.graph
        leaves = np.random.default_rng(3).random((graph.n_leaves, 5))
        for root in graph.roots.tolist():
            mine = TurnBackup(graph, root, size.game.sense)
            found = mine.run(leaves[mine.leaves], *mine.allocate(5))
            np.testing.assert_allclose(found, backup(graph, leaves, size.game.sense)[root], rtol=1e-12)
