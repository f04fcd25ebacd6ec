"""Moves that are as good as another are answers; those that are worse wherever they are legal, only when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rollwise import ask
from rollwise.games.killer.rules import Killer

pytestmark = pytest.mark.filterwarnings("ignore:killer is solved for this program alone")
Run = Callable[..., tuple[int, str, str]]
STATE: dict[str, Any] = {"mine": "fives,doubles", "theirs": "trebles", "roll": "3,3,5,5,5", "rolls_left": 0}
WORDS = [f"{name}={value}" for name, value in STATE.items()]
BEST = ["score doubles 6 + fives 15", "score doubles 16 + fives 5"]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("solved")


@pytest.fixture(autouse=True)
def three_boxes(monkeypatch: pytest.MonkeyPatch, solved: Path) -> None:
    """Killer with few boxes, solved once."""
    monkeypatch.setenv("ROLLWISE_CACHE", str(solved))
    monkeypatch.setattr(Killer, "of", classmethod(lambda cls, **parameters: cls(boxes="trebles,doubles,fives")))


def test_best_names_every_split_that_is_equally_good() -> None:
    advice = ask("killer", **STATE)
    assert advice.best == BEST
    first, second, *others = advice.moves
    assert (first.value, first.lower, first.upper) == (second.value, second.lower, second.upper)
    assert first.loss == second.loss == 0
    assert "score doubles 6 + fives 10" not in [move.move for move in others]
    assert "score fives 15" in [move.move for move in others]


def test_all_moves_lists_the_same_boxes_for_fewer_points_too(run: Run) -> None:
    few = ask("killer", **STATE)
    every = ask("killer", all_moves=True, **STATE)
    assert every.best == BEST
    assert {move.move for move in few.moves} < {move.move for move in every.moves}
    losses = {move.move: move.loss for move in every.moves}
    assert losses["score doubles 6 + fives 10"] == pytest.approx(5)
    assert losses["score doubles 6 + fives 5"] == losses["score doubles 10 + fives 5"] + 4 == pytest.approx(10)
    assert losses["score fives 10"] == pytest.approx(losses["score fives 15"] + 5)
    assert all(move.lower < move.value < move.upper for move in every.moves)
    for flags, advice in ((["--all-moves"], every), ([], few)):
        code, told, _ = run("ask", "killer", *WORDS, *flags, "--json")
        assert code == 0
        assert json.loads(told)["moves"] == json.loads(json.dumps(advice.plain()["moves"]))


def test_where_no_move_is_left_out_all_moves_are_those_that_are_listed(run: Run) -> None:
    shown = [run("ask", "shut-the-box", "open=1,2,3,4,5,6,7,8,9", "roll=5,3", *flag) for flag in ((), ("--all-moves",))]
    assert shown[0] == shown[1]
    assert shown[0][0] == 0


def test_all_moves_is_a_flag_and_no_field(said: Callable[..., str]) -> None:
    said("ask killer all_moves=true", "killer has no field 'all_moves'", code=2)
