"""`scripts/checker.py`, which knows the rules a second time: tables as exported, and with something changed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rollwise
from scripts.checker import Moves, Rules, Wrong, check, check_end

Rows = list[dict[str, str]]

TABLES = [
    pytest.param("pig", {"target": 12}, {}, id="pig"),
    pytest.param("shut-the-box", {}, {}, id="shut-the-box"),
    pytest.param(
        "ten-thousand", {"players": 1, "objective": "turns", "goal": 500}, {}, id="ten-thousand", marks=pytest.mark.slow
    ),
    pytest.param("yahtzee", {"joker": "forced"}, {"levels": "12"}, id="forced", marks=pytest.mark.slow),
    pytest.param("yahtzee", {"joker": "free"}, {"levels": "12"}, id="free", marks=pytest.mark.slow),
]


def raised(column: str, by: float) -> Callable[[Rows], Any]:
    """A bound, of the row in the middle that has two moves, that is moved by so much."""

    def change(rows: Rows) -> None:
        row = in_the_middle(rows)
        row[column] = repr(float(row[column]) + by)
        row["value"] = repr(min(max(float(row["lower"]), float(row["value"])), float(row["upper"])))

    return change


def in_the_middle(rows: Rows) -> dict[str, str]:
    """One where the second move is worse by far more than the bounds are wide."""
    choices = [row for row in rows if row["second_loss"] and float(row["second_loss"]) > 1e-6]
    return choices[len(choices) // 2]


def swapped(rows: Rows) -> None:
    """The second move is called best."""
    row = in_the_middle(rows)
    row["best_move"] = row["moves"].split("|")[1]


def shifted(rows: Rows) -> None:
    """Value and bounds together."""
    row = in_the_middle(rows)
    for column in ("lower", "value", "upper"):
        row[column] = repr(float(row[column]) + 1e-9)


def another_move(rows: Rows) -> None:
    """A move that is not there."""
    in_the_middle(rows)["moves"] += "|pass"


CHANGES = {
    "value": lambda rows: in_the_middle(rows).update(value="7"),
    "both": shifted,
    "lower": raised("lower", 1e-9),
    "upper": raised("upper", -1e-9),
    "swapped": swapped,
    "missing": lambda rows: rows.remove(in_the_middle(rows)),
    "first": lambda rows: rows.pop(min(range(len(rows)), key=lambda at: (rows[at].get("roll", ""), at))),
    "twice": lambda rows: rows.append(rows[0]),
    "moves": another_move,
}


@pytest.mark.parametrize(("game", "params", "which"), TABLES)
def test_an_export_is_proved_and_a_changed_one_is_not(
    game: str, params: dict[str, Any], which: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "policy.csv"
    rollwise.export(game, path, params=params, **which)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert check(str(path)).startswith(f"{len(rows):,} rows of {game}")
    few = len(rows) > 5_000  # each change is read and played anew
    for name, change in [(name, CHANGES[name]) for name in ("both", "first")] if few else CHANGES.items():
        changed = [dict(row) for row in rows]
        change(changed)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(changed)
        with pytest.raises(Wrong):
            pytest.fail(f"not seen: {name}: {check(str(path))}")


@pytest.mark.parametrize("move", [[(1, 0, "here")], [(1, 0, "there")]])
def test_play_that_may_go_on_is_seen(move: list[tuple[int, int, str]]) -> None:
    """Between two states, or at one, for as long as somebody likes."""
    goes: dict[str, Moves] = {
        "here": {"end": [(1, 1, None)], "stay": move},
        "there": {"back": [(1, 0, "here"), (5, 0, "there")]},
    }
    rules = Rules(lambda row: (row, 0), lambda state: goes[state], lambda rows: set(), lambda state: True, len)
    with pytest.raises(Wrong, match="for ever"):
        check_end(rules, list(goes))
    del goes["here"]["stay"]
    check_end(rules, list(goes))
