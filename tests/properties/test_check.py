"""``check`` proves what is stored, and refutes what was changed, however whole it looks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rollwise.check
from rollwise.cache.store import Entry, Store
from rollwise.check import Checked, check
from rollwise.games.registry import game
from rollwise.solver.game.errors import UnknownName
from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.arrays import backup
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.witness import backup as witness_backup
from rollwise.solver.witness import bounds
from rollwise.solver.witness.backup import TurnBackup
from rollwise.solver.witness.bounds import LANES
from rollwise.stored import stored

SMALL: list[tuple[str, dict[str, Any]]] = [
    ("pig", {"target": 10}),
    ("piggy-six", {"target": 6}),
    ("piggy-six", {"target": 4, "max_dice": 3}),
    ("piggy-six", {"target": 4, "robots": (2,)}),
    ("ten-thousand", {"goal": 500}),
    ("ten-thousand", {"goal": 500, "players": 1, "objective": "turns"}),
    ("shut-the-box", {}),
    ("shut-the-box", {"objective": "clear"}),
    ("shut-the-box", {"players": 3}),
    ("mexico", {"players": 3, "lives": 1}),
    ("yahtzee", {"boxes": "ones,yahtzee,chance"}),
]
CHANGED = [("pig", {"target": 10}), ("piggy-six", {"target": 6}), ("ten-thousand", {"goal": 500}),
           ("shut-the-box", {"players": 3}), ("yahtzee", {"boxes": "ones,chance"})]  # fmt: skip


@pytest.fixture(autouse=True)
def store(own_cache: Store) -> Store:
    return own_cache


def solved(name: str, parameters: dict[str, Any]) -> Entry:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    entry = Store().read(stored(made, quiet=True).key)
    assert entry is not None
    return entry


def rewritten(entry: Entry, manifest: dict[str, Any] | None = None, **arrays: Any) -> Checked:
    """The verdict once some of an entry was changed and the whole was written, and sealed, again."""
    kept = {name: entry.array(name) for name in entry.names}
    Store().write(entry.key, {**kept, **arrays}, {**entry.manifest, **(manifest or {})})
    return only()


def only() -> Checked:
    (checked,) = check()
    return checked


def somewhere(entry: Entry) -> int:
    """A board in the middle of those that can be."""
    radius = entry.array("radius")
    possible = np.flatnonzero(np.isfinite(radius.reshape(len(radius), -1)[:, 0]))
    return int(possible[len(possible) // 2])


@pytest.mark.parametrize(("name", "parameters"), SMALL, ids=str)
def test_what_the_solver_stores_is_proved(name: str, parameters: dict[str, Any]) -> None:
    entry = solved(name, parameters)
    checked = only()
    assert (checked.key, checked.game, checked.verdict) == (entry.key, name, "proved"), checked.detail
    assert f"{entry.manifest['facts']['boards']} boards" in checked.detail
    for parameter, value in parameters.items():
        assert f"{parameter}={list(value) if isinstance(value, tuple) else value}" in checked.parameters


@pytest.mark.parametrize("change", [1e-6, -1e-6])
@pytest.mark.parametrize(("name", "parameters"), CHANGED, ids=str)
def test_a_changed_value_is_refuted_by_its_board(name: str, parameters: dict[str, Any], change: float) -> None:
    entry = solved(name, parameters)
    values, board = entry.array("values").copy(), somewhere(entry)
    values[board] += change
    checked = rewritten(entry, values=values)
    assert checked.verdict == "refuted"
    # Boards that lead to the changed one fail as well; the first of them all is named.
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    space = made.boards()
    named = dict(part.split("=") for part in checked.detail.removeprefix("board ").split(":")[0].split(", "))
    assert space.index_of(**{field: int(value) for field, value in named.items()}) <= board


def test_the_first_failing_board_is_named() -> None:
    entry = solved("pig", {"target": 10})
    values = entry.array("values").copy()
    values[[0, 37]] += 1e-6
    assert rewritten(entry, values=values).detail.startswith("board mine=0, theirs=0: the lower bound is too high by 1")


@pytest.mark.parametrize(("name", "parameters"), CHANGED, ids=str)
def test_a_radius_that_claims_too_much_is_refuted(name: str, parameters: dict[str, Any]) -> None:
    entry = solved(name, parameters)
    assert rewritten(entry, radius=entry.array("radius") / np.float32(1000)).verdict == "refuted"


@pytest.mark.parametrize("radius", [-1.0, np.nan])
def test_a_radius_that_is_none_is_refuted(radius: float) -> None:
    entry = solved("pig", {"target": 10})
    changed = entry.array("radius").copy()
    changed[somewhere(entry)] = radius
    assert rewritten(entry, radius=changed).verdict == "refuted"


def test_a_value_that_is_no_number_is_refuted() -> None:
    entry = solved("pig", {"target": 10})
    values = entry.array("values").copy()
    values[7] = np.nan
    assert rewritten(entry, values=values).verdict == "refuted"


def test_a_table_where_somebody_gains_more_is_refuted() -> None:
    entry = solved("shut-the-box", {"players": 3})
    checked = rewritten(entry, {"facts": {**entry.manifest["facts"], "gain_limit": 1e-20}})
    assert (checked.verdict, "gain" in checked.detail) == ("refuted", True)


@pytest.mark.parametrize("change", [(1e-6, 0.0), (-1e-6, 0.0), (0.0, -1e-12), (np.nan, 0.0), (0.0, np.nan)])
def test_a_changed_chance_of_an_ending_is_refuted(change: tuple[float, float]) -> None:
    entry = solved("mexico", {"players": 3, "lives": 1})
    chances, board = entry.array("ending_dead").copy(), somewhere(entry)
    chances[board] += change
    checked = rewritten(entry, ending_dead=chances)
    assert checked.verdict == "refuted"
    assert "the chance of an ending is further off than is said" in checked.detail


def test_a_changed_turn_is_refuted() -> None:
    entry = solved("pig", {"target": 10})
    weight = entry.array("turn_weight").copy()
    weight[0] += 1
    assert rewritten(entry, turn_weight=weight).detail == "turn_weight is not what the rules of the turn give"
    leaves = {**entry.manifest["turn"], "leaves": entry.manifest["turn"]["leaves"][::-1]}
    assert rewritten(entry, {"turn": leaves}).verdict == "refuted"


def test_arrays_of_another_shape_are_refuted() -> None:
    entry = solved("pig", {"target": 10})
    assert rewritten(entry, values=entry.array("values")[:-1]).verdict == "refuted"


def test_other_code_makes_an_entry_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = solved("pig", {"target": 10})
    now = rollwise.stored.identity
    monkeypatch.setattr(rollwise.check, "identity", lambda game: {**now(game), "fingerprint": "0" * 32})
    checked = only()
    assert (checked.verdict, entry.key in checked.detail) == ("stale", True)
    assert "fingerprint" in checked.detail


@pytest.mark.parametrize("change", [{"game": "gone"}, {"parameters": {"target": -1}}, {"parameters": {"goal": 3}}])
def test_a_game_that_is_no_more_makes_an_entry_stale(change: dict[str, Any]) -> None:
    checked = rewritten(solved("pig", {"target": 10}), change)
    assert (checked.verdict, "never served" in checked.detail) == ("stale", True)


def test_a_manifest_that_contradicts_its_key_is_damaged() -> None:
    assert rewritten(solved("pig", {"target": 10}), {"fingerprint": "0" * 32}).verdict == "damaged"
    assert rewritten(solved("pig", {"target": 10}), {"game": None}).verdict == "damaged"


@pytest.mark.parametrize("file", ["values.npy", "radius.npy", "turn_child.npy", "manifest.json"])
def test_a_flipped_byte_is_damage(file: str, store: Store) -> None:
    path = store.root / solved("pig", {"target": 10}).key / file
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    checked = only()
    assert (checked.game, checked.verdict, file in checked.detail) == ("pig", "damaged", True)


def test_damage_is_told_of_what_no_proof_reads(store: Store) -> None:
    entry = solved("pig", {"target": 10})
    assert rewritten(entry, beside=np.arange(100.0)).verdict == "proved"
    path = store.root / entry.key / "beside.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert (only().verdict, "beside.npy" in only().detail) == ("damaged", True)


def test_one_entry_is_checked_by_its_key_and_others_are_left() -> None:
    key = solved("pig", {"target": 10}).key
    solved("pig", {"target": 3})
    heard: list[float] = []
    assert [checked.key for checked in check(keys=[key], progress=heard.append)] == [key]
    assert (heard == sorted(heard), heard[-1]) == (True, 1.0)
    with pytest.raises(UnknownName, match="cache list"):
        check(keys=["pig-00000000000000000000"])


def test_many_workers_and_many_blocks_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = solved("pig", {"target": 30})
    values = entry.array("values").copy()
    values[500] -= 1e-6
    one = rewritten(entry, values=values)
    monkeypatch.setattr(bounds, "SETTLED", 70)
    monkeypatch.setattr(bounds, "LANES", 34)
    monkeypatch.setattr(witness_backup, "TILE", 64)
    (many,) = check(workers=3)
    assert (many.verdict, many.detail) == (one.verdict, one.detail)


@pytest.mark.parametrize(("name", "parameters"), [*SMALL, ("yahtzee", {})], ids=str)
def test_the_backup_written_here_is_that_of_the_solver(name: str, parameters: dict[str, Any]) -> None:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    graph = compile_turn(made)
    leaves = np.random.default_rng(3).random((graph.n_leaves, 5))
    for root in graph.roots.tolist():
        mine = TurnBackup(graph, root, made.sense)
        found = mine.run(leaves[mine.leaves], *mine.room(5))
        np.testing.assert_allclose(found, backup(graph, leaves, made.sense)[root], rtol=1e-12)
    assert LANES % 2 == 0
