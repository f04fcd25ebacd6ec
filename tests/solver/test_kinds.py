"""A new kind of game is a file and a line; and an answer depends on every file that is loaded to find it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import rollwise
import rollwise.solutions.lookup
from rollwise.cache import fingerprint
from rollwise.cache.store import Store
from rollwise.games.registry import REGISTRY, RegistryEntry, find, game
from rollwise.questions.catalogue import rules
from rollwise.solutions.check import check
from rollwise.solver.kinds import KINDS
from rollwise.solver.model.game import TurnGame
from tests.sizes import first_quick

ROOT = Path(__file__).parents[2]


@pytest.fixture
def toss(monkeypatch: pytest.MonkeyPatch, own_cache: Store) -> str:
    """A game of a kind of its own: the kind's line, and the game's."""
    monkeypatch.setitem(KINDS, "tosses", "tests.toys.tosses_kind")
    monkeypatch.setitem(REGISTRY, "toss", RegistryEntry("toss", "tests.toys.toss", "Toss"))
    return "toss"


def test_a_game_of_a_new_kind_is_asked_solved_kept_and_proved(
    toss: str, own_cache: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = rollwise.ask(toss, have=3)
    assert (first.best, first.value, first.facts["cached"]) == (["toss 3"], 1.125, False)
    assert [(move.move, move.value, move.loss) for move in first.moves] == [
        ("toss 3", 1.125, 0.0),
        ("toss 2", 0.5, 0.625),
        ("toss 1", 0.0, 1.125),
    ]
    again = rollwise.ask(toss, have=3)
    assert again.facts["cached"]
    assert again.plain() == first.plain()
    exact = rollwise.ask(toss, have=2, exact=True)
    assert (exact.exact, exact.best) == ("1/2", ["toss 2"])
    solution = rollwise.solve(toss, params={"coins": 4})
    assert solution.quantities["most"].value == float(Fraction(7, 4))
    assert (solution.facts["boards"], solution.facts["method"]) == (4, "by hand")
    assert len(own_cache.keys()) == 2
    assert {row.verdict for row in check()} == {"proved"}
    monkeypatch.setattr(rollwise.solutions.identity, "changed_modules", lambda names=None: [])  # the change is not seen
    monkeypatch.setattr("tests.toys.tosses_kind._values", lambda game: [1.0, 2.0, 3.0])
    assert {row.verdict for row in check()} == {"refuted"}


def test_what_a_new_kind_does_not_do_is_refused_in_one_line(toss: str, tmp_path: Path) -> None:
    wanted = r"a rule is compared in duels, at tables and alone; toss.* is a tosses game"
    with pytest.raises(rollwise.BadInput, match=wanted):
        rollwise.compare(toss, lambda state, moves: moves[0])
    with pytest.raises(rollwise.BadInput, match=r"forecast needs a solo game .*; toss is a tosses game"):
        rollwise.forecast(toss)
    with pytest.raises(rollwise.BadInput, match="toss has no decisions to export"):
        rollwise.export(toss, tmp_path / "toss.csv")
    assert list(tmp_path.glob("*.csv")) == []


def test_a_new_kind_is_listed_and_told_at_the_terminal(toss: str, said: Callable[..., str]) -> None:
    assert rules(toss)["kind"] == "tosses"
    assert {game["name"]: game["kind"] for game in rollwise.list_games()}[toss] == "tosses"
    said("list", "Toss")
    said("rules toss", "Toss (toss), tosses: expected final score")
    said("ask toss have=3", "*  toss 3                1.1250")
    said("solve toss", "by hand")
    said("cache list", "toss")
    said("cache check", "proved")


SMALL: dict[str, tuple[str, dict[str, Any], str | None]] = {  # of each kind, and where its work is compiled
    "duel": ("pig", {"target": 5}, "rollwise.solver.values.board_solver.MAX_NUMPY_WORK"),
    "solo": ("shut-the-box", {"boxes": 4}, None),
    "solo-rows": ("yahtzee", {"boxes": "ones", "objective": "reach"}, None),
    "duel-rows": ("yahtzee", {"boxes": "ones", "players": 2}, None),
    "table": ("shut-the-box", {"players": 3, "boxes": 3}, None),
    "seats": ("big-six", {"players": 2}, "rollwise.solver.markov_chains.forwards.MAX_NUMPY_CODES"),
    "alone": ("drop-dead", {}, None),
    "hidden": ("bluff", {"chips": 1, "dice": 1}, None),
    "hidden-table": ("bluff", {"players": 3, "chips": 1, "dice": 1}, None),
}
# A process solves one game, and says which modules it has then loaded.
LOADED = f"""
import os, sys
from importlib import import_module
from rollwise.games.registry import game
from rollwise.solutions.lookup import load_or_solve
name, parameters, most = {SMALL}[sys.argv[1]]
load_or_solve(game(name, parameters), quiet=True)
if most:
    module, _, limit = most.rpartition(".")
    setattr(import_module(module), limit, 0)
    from rollwise.cache.store import Store
    Store().clear()
    load_or_solve(game(name, parameters), quiet=True)
    assert "rollwise.solver.turn.kernel_cache" in sys.modules
print(*[name for name in sys.modules if name.startswith(("rollwise.solver", "rollwise.games"))])
"""
# Which say where the modules stand that are in every fingerprint by name, and what only helps to word errors.
FINDERS = {"rollwise.games.registry", "rollwise.solver.model.names"}


def loaded(kind: str, cache: Path) -> set[str]:
    """The modules that are loaded when a game of a kind is solved in a new process."""
    around = {**os.environ, "PYTHONPATH": str(ROOT), "ROLLWISE_CACHE": str(cache)}
    command = [sys.executable, "-c", LOADED, kind]
    done = subprocess.run(command, capture_output=True, text=True, env=around, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split()) - FINDERS


def small(kind: str) -> TurnGame:
    """The small game of a kind."""
    name, parameters, _ = SMALL[kind]
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    return made


def test_there_is_a_small_game_of_every_kind() -> None:
    assert {kind: small(kind).kind for kind in SMALL} == {kind: kind for kind in KINDS}


@pytest.mark.parametrize("kind", first_quick(SMALL, lambda kind: str(kind in ("duel", "seats"))))
def test_every_file_that_a_solve_loads_is_in_the_fingerprint(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = loaded(kind, tmp_path)
    assert {find(SMALL[kind][0]).module, KINDS[kind], "rollwise.solver.turn.graph"} <= names

    read: list[fingerprint.SourceTrace] = []

    def traced(modules: Iterable[str], packages: Sequence[str]) -> fingerprint.SourceTrace:
        read.append(fingerprint.trace_sources(modules, packages))
        return read[0]

    monkeypatch.setattr(rollwise.solutions.identity, "trace_sources", traced)
    rollwise.solutions.identity.identity(small(kind))
    files = {file for file, _ in read[0].stamps}
    assert {name for name in names if getattr(find_spec(name), "origin", None) not in files} == set()
