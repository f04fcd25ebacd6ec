"""A question about a later turn is answered from an earlier part that another process has kept, and solves nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.parsing.validate import parse_game
from rollwise.solutions import lookup
from rollwise.solver.model.game import TurnGame

LATE = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18, "three of a kind": 24}
LATE |= {"full house": 25, "small straight": 30, "chance": 20}
LATER = {**LATE, "yahtzee": 0}
REACH: dict[str, Any] = {"objective": "reach"}
TWO: dict[str, Any] = {"players": 2}
FEW = {**LATER, "large straight": 0}
STRAIGHT = {**LATE, "large straight": 0}
OPEN = {box: score for box, score in (FEW | {"four of a kind": 0}).items() if box not in ("fives", "sixes")}
HIGH = {**OPEN, "ones": 5, "twos": 10, "threes": 15, "fours": 20}
HIGHER = {**HIGH, "fives": 10}  # one six is enough for the 35; not so after ``OPEN``
ROUNDS: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    (REACH, {"filled": LATE, "target": 220}, {"filled": LATER, "target": 230}),
    (
        TWO,
        {"filled": LATER, "theirs_filled": STRAIGHT},
        {"filled": STRAIGHT, "theirs_filled": FEW},
    ),  # who moves changes
]


@pytest.fixture
def ask(own_cache: Store) -> Callable[..., float]:
    """Asks as a process of its own does: nothing is open."""

    def ask(params: dict[str, Any], state: dict[str, Any]) -> float:
        lookup._OPEN_SOLUTIONS.clear()
        value = rollwise.ask("yahtzee", params=params, state={**state, "roll": [2, 2, 2, 4, 5]}).value
        assert value is not None
        return value

    return ask


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[TurnGame]:
    """What is solved."""
    found: list[TurnGame] = []
    solve = lookup._solve

    def noted(game: TurnGame, *how: Any) -> lookup.StoredSolution:
        if game.measure == "win":  # the score is beside it, where all is decided
            found.append(game)
        return solve(game, *how)

    monkeypatch.setattr(lookup, "_solve", noted)
    return found


@pytest.mark.parametrize(("params", "earlier", "later"), ROUNDS)
def test_a_later_turn_needs_no_solve_of_its_own(
    ask: Callable[..., float],
    solved: list[TurnGame],
    monkeypatch: pytest.MonkeyPatch,
    params: dict[str, Any],
    earlier: dict[str, Any],
    later: dict[str, Any],
) -> None:
    ask(params, earlier)
    told = ask(params, later)
    assert len(solved) == 1
    monkeypatch.setattr(lookup, "_find_larger_part", lambda part, board: None)
    assert ask(params, later) == pytest.approx(told, abs=1e-12)
    assert len(solved) == 2


def test_what_does_not_hold_it_is_passed_over(ask: Callable[..., float], solved: list[TurnGame]) -> None:
    """Another game, and sheets that cannot become the one that is asked about."""
    ask(REACH, {"filled": LATE, "target": 220})
    ask(REACH | {"joker": "free"}, {"filled": LATER, "target": 220})
    ask(REACH, {"filled": OPEN, "target": 220})
    ask(REACH, {"filled": HIGHER, "target": 220})
    assert len(solved) == 4


@pytest.mark.parametrize("name", ["manifest.json", "of_row.npy", "values.npy"])
def test_a_damaged_one_is_passed_over_and_the_smaller_part_solved(
    ask: Callable[..., float], solved: list[TurnGame], own_cache: Store, name: str
) -> None:
    ask(REACH, {"filled": LATE, "target": 220})
    (key,) = own_cache.all_keys()
    file = Path(own_cache.root) / key / name
    whole = bytearray(file.read_bytes())
    if name == "manifest.json":
        whole[:] = whole.replace(b'"parameters"', b'"parameterz"')
    else:
        whole[128:] = bytes(byte ^ 1 for byte in whole[128:])
    file.write_bytes(whole)
    ask(REACH, {"filled": LATER, "target": 230})
    assert len(solved) == 2
    assert solved[1] == parse_game("yahtzee", REACH).part(solved[1].first_board() | _board(LATER))


def _board(sheet: dict[str, int]) -> dict[str, int]:
    return dict(parse_game("yahtzee", REACH).locate(filled=sheet).board)


def test_so_many_entries_are_looked_through_the_last_first_and_so_many_of_them_opened(
    ask: Callable[..., float], solved: list[TurnGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(REACH, {"filled": HIGH, "target": 220})
    ask(REACH, {"filled": FEW, "target": 220})
    monkeypatch.setattr(lookup, "MAX_ENTRIES_TRIED", 1)
    ask(REACH, {"filled": HIGHER, "target": 220})  # is in the first; the second has a box filled that is open here
    assert len(solved) == 2
    ask(REACH, {"filled": OPEN, "target": 220})
    ask(REACH, {"filled": HIGHER, "target": 220})  # ``OPEN`` is opened, and does not hold it
    assert len(solved) == 4
    monkeypatch.setattr(lookup, "MAX_MANIFESTS_READ", 1)
    ask(REACH, {"filled": {**HIGH, "sixes": 18}, "target": 220})
    assert len(solved) == 5
