"""``cache check`` of luck games of several seats: right entries are proved, wrong ones are refuted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rollwise import asking, check, stored
from rollwise.asking import ask
from rollwise.cache.store import Store
from rollwise.foreseeing import what_follows
from rollwise.games.bouncer import Bouncer
from rollwise.solver.chains import odds
from rollwise.solver.kinds import seats
from rollwise.solver.kinds.kind import Wanted
from rollwise.solving import solve

GAME = Bouncer(3, 2)


@pytest.fixture
def store(own_cache: Store) -> Store:
    stored.stored(GAME, quiet=True)
    return own_cache


def rewrite(store: Store, arrays: dict[str, Any] | None = None, **facts: Any) -> None:
    """Write the entry again, whole by its checksums, with other numbers."""
    key = store.key(GAME.name, stored.identity(GAME))
    entry = store.read(key)
    assert entry is not None
    kept = {name: np.array(entry.array(name)) for name in entry.names}
    store.write(key, {**kept, **(arrays or {})}, {**entry.manifest, "facts": {**entry.manifest["facts"], **facts}})


def values_of(store: Store) -> Any:
    entry = store.read(store.key(GAME.name, stored.identity(GAME)))
    assert entry is not None
    return np.array(entry.array("values")), entry.manifest["facts"]


def verdict(store: Store) -> tuple[str, str]:
    (row,) = check.check(store)
    return row.verdict, row.detail


def test_what_was_solved_is_proved(store: Store) -> None:
    assert verdict(store)[0] == "proved"


def test_a_changed_share_is_refuted(store: Store) -> None:
    values, _ = values_of(store)
    values[5, 0] += 1e-9
    rewrite(store, {"values": values})
    assert verdict(store) == ("refuted", verdict(store)[1])
    assert "are not those of what follows" in verdict(store)[1]


def test_a_number_that_is_none_is_refuted(store: Store) -> None:
    values, _ = values_of(store)
    values[0, 1] = np.nan
    rewrite(store, {"values": values})
    assert verdict(store)[0] == "refuted"


def test_another_answer_of_the_start_is_refuted(store: Store) -> None:
    _, facts = values_of(store)
    lengths = facts["start"]["length_distribution"]
    for part in ("value", "lower", "upper"):
        lengths[part]["3"] += 1e-6
    rewrite(store, start=facts["start"])
    assert verdict(store) == ("refuted", "length distribution of the start is not what comes out now")


def test_a_game_too_large_to_keep_is_played_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.clear()
    monkeypatch.setattr(seats, "MOST_KEPT", 0)
    found = stored.stored(GAME, quiet=True)
    assert "values" not in found.opened.kept.names
    assert verdict(store)[0] == "proved"
    assert "the odds of the start come out again" in verdict(store)[1]


def test_questions_are_answered_with_and_without_kept_odds(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    position = GAME.locate(chips=(1, 3, 2), last=4, mover=2)
    kept = asking.answer(GAME, {}, position, Wanted()).quantities
    store.clear()
    monkeypatch.setattr(seats, "MOST_KEPT", 0)
    fresh = asking.answer(GAME, {}, position, Wanted()).quantities
    assert kept.keys() == fresh.keys()
    for low, high in zip(kept["win"].lower, fresh["win"].upper, strict=True):
        assert low <= high
    assert kept["win"].value == pytest.approx(fresh["win"].value, abs=1e-12)


def test_a_board_from_which_much_lies_ahead_is_told_from_its_row_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = GAME.locate(chips=(1, 3, 2), last=4, mover=2)
    whole = asking.answer(GAME, {}, position, Wanted()).quantities
    monkeypatch.setattr(seats, "AT_ONCE", 1)
    with monkeypatch.context() as patched:
        patched.setattr(seats, "lay_out", lambda *_: pytest.fail("all boards ahead were looked for"))
        short = asking.answer(GAME, {}, position, Wanted()).quantities
    assert [*short] == ["win", "shared", "length"]
    for name, quantity in short.items():
        assert np.all(np.array(quantity.lower) <= np.array(whole[name].upper))
        assert np.all(np.array(whole[name].lower) <= np.array(quantity.upper))
        assert np.max(np.array(quantity.upper) - np.array(quantity.lower)) < 1e-9
    assert asking.answer(GAME, {}, position, Wanted(exact=True)).quantities["win"].exact is not None
    assert "length_distribution" in asking.answer(GAME, {}, position, Wanted(lengths=True)).quantities


def test_a_board_that_play_does_not_come_to_has_no_row(store: Store) -> None:
    opened = stored.stored(GAME, quiet=True).opened
    assert isinstance(opened, seats.OpenedChain)
    boards = set(opened.kept.whole("boards").tolist())
    assert 0 < len(boards) < GAME.boards().size
    for board in range(GAME.boards().size):
        assert (opened.known(board) is not None) == (board in boards)


def test_the_start_is_told_in_the_same_order_from_the_cache(store: Store) -> None:
    first, again = (solve("bouncer", {"players": 3}) for _ in range(2))
    assert (first.facts["cached"], again.facts["cached"]) == (False, True)
    assert list(first.quantities) == list(again.quantities) == ["win", "shared", "length", "length_distribution"]
    assert list(first.quantities["length_distribution"].value) == list(again.quantities["length_distribution"].value)


def test_lengths_that_a_large_game_leaves_out_are_told_when_they_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path))
    told = solve("bouncer").quantities["length_distribution"]
    Store().clear()
    monkeypatch.setattr(odds, "LARGE", 10)  # boards
    for _ in range(2):  # solved, and from the cache
        assert "length_distribution" not in solve("bouncer").quantities
        wanted = solve("bouncer", lengths=True).quantities
        assert list(wanted) == ["win", "shared", "length", "length_distribution"]
        assert wanted["length_distribution"].value["20"] == pytest.approx(told.value["20"], abs=1e-12)
        assert "length_distribution" in ask("bouncer", chips=[1, 20, 15], last=4, mover=2, lengths=True).quantities


def test_rows_without_that_of_the_start_prove_nothing_of_the_game(store: Store) -> None:
    entry = store.read(store.key(GAME.name, stored.identity(GAME)))
    assert entry is not None
    others = np.array(entry.array("boards")) != GAME.boards().index_of(**GAME.first_board())
    rewrite(store, {name: np.array(entry.array(name))[others] for name in ("values", "boards")})
    assert verdict(store) == ("refuted", "the start has no row")


def test_throws_of_a_game_too_large_to_eliminate_are_told_each_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = GAME.locate()
    told = what_follows(GAME, {}, start, "roll").rows
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(seats, "LARGE", 1)  # boards
    monkeypatch.setattr(odds, "ONE_LEVEL", 0)
    monkeypatch.setattr(seats, "eliminate", lambda chain: pytest.fail("all boards were worked out"))
    again = what_follows(GAME, {}, start, "roll").rows
    assert [row.state for row in again] == [row.state for row in told]
    for row, before in zip(again, told, strict=True):
        assert row.shares == pytest.approx(before.shares, abs=1e-9)
