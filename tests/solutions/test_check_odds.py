"""``cache check`` of luck games of several seats: right entries are proved, wrong ones are refuted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from rollwise.cache.store import Store
from rollwise.games.bouncer.rules import Bouncer
from rollwise.questions.ask import compute as asking
from rollwise.questions.ask.compute import ask
from rollwise.questions.outcomes.compute import outcomes_after
from rollwise.questions.solve import solve
from rollwise.solutions import check, lookup
from rollwise.solutions.identity import identity
from rollwise.solver.kinds import seats
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.markov_chains import odds, rounds
from rollwise.solver.model.errors import ModelError

GAME = Bouncer(3, 2)
AT_LATER: dict[str, Any] = {"chips": (1, 3, 2), "last": 4, "mover": 2}
LATER = GAME.locate(**AT_LATER)
Patch = pytest.MonkeyPatch


@pytest.fixture
def store(own_cache: Store) -> Store:
    lookup.load_or_solve(GAME, quiet=True)
    return own_cache


def verdict(store: Store) -> tuple[str, str]:
    (row,) = check.check(store)
    return row.verdict, row.detail


def lengthen(arrays: dict[str, Any], facts: dict[str, Any]) -> None:
    for part in ("value", "lower", "upper"):
        facts["start"]["length_distribution"][part]["3"] += 1e-6


def leave_the_start_out(arrays: dict[str, Any], facts: dict[str, Any]) -> None:
    others = arrays["boards"] != GAME.boards().index_of(**GAME.first_board())
    arrays.update({name: arrays[name][others] for name in ("values", "boards")})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda arrays, facts: np.add.at(arrays["values"], (5, 0), 1e-9), "are not those of what follows"),
        (lambda arrays, facts: np.put(arrays["values"], 1, np.nan), "are not those of what follows"),
        (lengthen, "length distribution of the start is not what comes out now"),
        (leave_the_start_out, "the start has no row"),
    ],
    ids=["a share", "no number", "another answer", "no start"],
)
def test_what_was_changed_is_refuted(store: Store, change: Callable[..., object], told: str) -> None:
    key = store.key(GAME.name, identity(GAME))
    entry = store.read(key)
    assert entry is not None
    arrays, manifest = {name: np.array(entry.array(name)) for name in entry.names}, entry.manifest
    change(arrays, manifest["facts"])
    store.write(key, arrays, manifest)
    found, detail = verdict(store)
    assert (found, told in detail) == ("refuted", True), detail


def test_a_board_from_which_much_lies_ahead_is_told_from_its_row_alone(store: Store, monkeypatch: Patch) -> None:
    whole = asking.answer(GAME, {}, LATER, QueryOptions()).quantities
    monkeypatch.setattr(seats, "MAX_UNASKED_BOARDS", 1)
    with monkeypatch.context() as patched:
        patched.setattr(seats, "lay_out", lambda *_: pytest.fail("all boards ahead were looked for"))
        short = asking.answer(GAME, {}, LATER, QueryOptions()).quantities
    assert [*short] == ["win", "shared", "length"]
    for name, quantity in short.items():
        assert np.all(np.array(quantity.lower) <= np.array(whole[name].upper))
        assert np.all(np.array(whole[name].lower) <= np.array(quantity.upper))
        assert np.max(np.array(quantity.upper) - np.array(quantity.lower)) < 1e-9
    assert asking.answer(GAME, {}, LATER, QueryOptions(exact=True)).quantities["win"].exact is not None
    assert "length_distribution" in asking.answer(GAME, {}, LATER, QueryOptions(lengths=True)).quantities


def test_a_board_that_play_does_not_come_to_has_no_row(store: Store) -> None:
    opened = lookup.load_or_solve(GAME, quiet=True).solution
    assert isinstance(opened, seats.ChainSolution)
    boards = set(opened.arrays.whole("boards").tolist())
    assert 0 < len(boards) < GAME.boards().size
    for board in range(GAME.boards().size):
        with nullcontext() if board in boards else pytest.raises(ModelError, match="does not come to"):
            opened.stored_row(board)


def test_lengths_that_a_large_game_leaves_out_are_told_when_they_are_wanted(
    own_cache: Store, monkeypatch: Patch
) -> None:
    question: dict[str, Any] = {"game": "bouncer", "params": {"players": 3}}
    first, again = solve(**question), solve(**question)
    assert (first.facts["cached"], again.facts["cached"]) == (False, True)
    told, other = (solution.quantities["length_distribution"].value for solution in (first, again))
    assert isinstance(told, dict)
    assert isinstance(other, dict)
    assert list(told) == list(other)
    own_cache.clear()
    monkeypatch.setattr(odds, "LARGE_CHAIN_BOARDS", 10)  # boards
    for _ in range(2):  # solved, and from the cache
        assert "length_distribution" not in solve(**question).quantities
        wanted: Any = solve(**question, lengths=True).quantities
        assert list(wanted) == list(first.quantities) == ["win", "shared", "length", "length_distribution"]
        assert wanted["length_distribution"].value["20"] == pytest.approx(told["20"], abs=1e-12)
        assert "length_distribution" in ask(**question, chips=[1, 20, 15], last=4, mover=2, lengths=True).quantities


def test_a_game_without_levels_keeps_all_odds_and_tells_all_throws_from_them(
    own_cache: Store, monkeypatch: Patch
) -> None:
    """What rounds find is proved and asked as what elimination does; nothing is worked out again for a later board."""
    told = outcomes_after(GAME, AT_LATER, LATER, "roll").rows
    own_cache.clear()
    monkeypatch.setattr(rounds, "MIN_ROUNDS_BOARDS", 0)
    assert lookup.load_or_solve(GAME, quiet=True).facts["method"].startswith("rounds")
    assert verdict(own_cache)[0] == "proved"
    monkeypatch.setattr(odds, "run_rounds", lambda *_: pytest.fail("all boards were worked out"))
    again = outcomes_after(GAME, AT_LATER, LATER, "roll").rows
    assert [row.state for row in again] == [row.state for row in told]
    for row, before in zip(again, told, strict=True):
        assert row.shares == pytest.approx(before.shares, abs=1e-9)
