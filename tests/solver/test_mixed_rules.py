"""Rules of thumb for Bluff, mixed or not: what they win against the best reply, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.policies import policy
from rollwise.parsing.validate import parse_game
from rollwise.questions.compare.mixed_policy import MixedFunctionPolicy, parts_of
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.hidden_information.policy_evaluation import mixes_of
from rollwise.solver.kinds.hidden import lay_out_possible
from rollwise.solver.model.errors import BadInput
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE
from tests.solver.plain import thorough

TWO = {"chips": 2}


def believer(state: Mapping[str, Any], moves: Sequence[str]) -> Any:
    """Call the lowest number, and accept whatever may be accepted."""
    return "accept" if "accept" in moves else moves[0]


def doubter(state: Mapping[str, Any], moves: Sequence[str]) -> Any:
    """Call the lowest number, and challenge everything."""
    return moves[-1] if "call" in state else moves[0]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole table of two chips."""
    return Path(rollwise.export("bluff", tmp_path_factory.mktemp("bluff") / "bluff.parquet", params=TWO).path)


@pytest.mark.parametrize("ending", ["parquet", *thorough(("csv",), ("jsonl",))])
def test_the_mixes_of_an_export_cost_nothing_in_any_format(ending: str, table: Path, tmp_path: Path) -> None:
    path = table if ending == "parquet" else rollwise.export("bluff", tmp_path / f"bluff.{ending}", params=TWO).path
    found = rollwise.compare("bluff", path, params=TWO)
    assert found.cost[1] <= 0 <= found.cost[2]
    assert abs(found.cost[0]) < 1e-10
    assert found.cost_to_best is not None
    assert found.cost_to_best[1] <= 0 <= found.cost_to_best[2]
    for best, rule in zip(found.best, found.rule, strict=True):
        assert rule[1] <= best[2]
        assert rule[2] - rule[1] < 1e-9


@pytest.mark.parametrize("name", ["coin", *thorough(("honest",))])
def test_to_the_best_player_a_rule_costs_what_throws_calls_and_replies_come_to(name: str) -> None:
    """Both mixes are played through, throw by throw, until hardly a game goes on."""
    made = parse_game("bluff", TWO)
    opened = load_or_solve(made).solution
    laid, rule = lay_out_possible(made, opened.graph), MixedFunctionPolicy(made, policy("bluff", name).policy, name)
    start = int(laid.place[made.boards().index_of(**made.first_board())])
    ruled = mixes_of(laid, rule, start, lambda share: None)
    best = [opened.arrays.whole(part)[laid.boards] / PARTS_PER_ONE for part in ("calls", "replies")]
    follows, passes = laid.unpack_codes(laid.leads)
    wins = np.zeros((2, laid.n))  # of the rule: it calls, the best player calls
    for _ in range(200):
        ends = np.array([laid.shares[0], 1 - laid.shares[0]])
        for caller, (calls, replies) in enumerate(((ruled[0], best[1]), (best[0], ruled[1]))):
            often = laid.stage.chances[:, None, None] * calls[..., None] * replies[:, None]
            over, next_caller = follows >= laid.n, np.where(passes, 1 - caller, caller)
            worth = wins[next_caller, np.where(over | (follows < 0), 0, follows)]
            worth = np.where(over, ends[caller][np.where(over, follows - laid.n, 0)], worth)
            wins[caller] = np.where(follows < 0, 0.0, often * worth).sum(axis=(1, 2, 3))
    found = rollwise.compare("bluff", name, params=TWO)
    assert found.cost_to_best is not None
    assert found.cost_to_best[0] == pytest.approx(0.5 - wins[:, start].mean(), abs=1e-9)
    assert 0.001 < found.cost_to_best[2] < found.cost[1] > 0.1
    for of_best, of_rule in zip(found.best, found.rule, strict=True):
        assert 0 <= of_rule[1] <= of_rule[0] <= of_rule[2] < of_best[1]


def test_whoever_challenges_true_calls_for_ever_never_wins() -> None:
    found = rollwise.compare("bluff", doubter, params=TWO)
    value, _, upper = found.rule[0]
    assert 0.0 == value <= upper <= 1e-12  # two of its kind would go on for ever, which wins for nobody
    assert found.cost[0] > 0.2


def test_a_rule_is_worth_what_a_hand_can_count() -> None:
    """One chip each: the caller has won; a believer who replies loses the only chip that matters at once."""
    found = rollwise.compare("bluff", believer, params={"chips": 1})
    for of_rule, worth in zip((*found.rule, found.cost), (1, 0, 0), strict=True):
        assert of_rule == pytest.approx((worth,) * 3, abs=1e-12)


def test_a_rule_that_looks_at_nothing_of_the_board_says_so() -> None:
    assert rollwise.compare("bluff", believer, params=TWO).looks_at == ()

    def careful(state: Mapping[str, Any], moves: Sequence[str]) -> Any:
        return moves[-1] if state["mine"] > state["theirs"] and "call" in state else moves[0]

    found = rollwise.compare("bluff", careful, params=TWO, state={"mine": 2, "theirs": 1})
    assert (found.looks_at, found.state) == (("mine", "theirs"), {"mine": 2, "theirs": 1})


@pytest.mark.parametrize(
    ("played", "said"),
    [
        ("fold", "'fold', which is none of the moves"),
        ({"fold": 1}, "'fold', which is none of the moves"),
        ({"accept": -1}, "'accept' -1 times"),
        ({"accept": float("nan")}, "'accept' nan times"),
        ({"accept": True}, "'accept' True times"),
        ({"accept": 0}, "no move ever"),
        ({}, "neither a move nor a mix"),
        (None, "None, which is neither a move nor a mix"),
    ],
)
def test_what_is_no_mix_is_refused_in_a_line(played: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parts_of(played, ["accept", "challenge"])
    with pytest.raises(BadInput, match=r"^[^\n]*$"):
        rollwise.compare("bluff", lambda state, moves: played if "call" in state else moves[0], params=TWO)


def test_any_numbers_make_a_mix_and_only_their_ratio_counts() -> None:
    moves = ["call 3", "call 4", "call 5"]
    assert parts_of({"call 3": 1, "call 4": 2, "call 5": 1}, moves) == [
        PARTS_PER_ONE // 4,
        PARTS_PER_ONE // 2,
        PARTS_PER_ONE // 4,
    ]
    assert sum(parts_of({"call 3": 1e-9, "call 5": 0.3}, moves)) == PARTS_PER_ONE
    assert parts_of("call 4", moves) == [0, PARTS_PER_ONE, 0]


def test_a_slice_of_a_table_and_a_table_of_another_game_are_refused(tmp_path: Path, table: Path) -> None:
    path = rollwise.export("bluff", tmp_path / "bluff.csv", params=TWO, mine=2).path
    with pytest.raises(BadInput, match="has no row for"):
        rollwise.compare("bluff", path, params=TWO)
    with pytest.raises(BadInput, match="a table of bluff is compared whole"):
        rollwise.compare("bluff", path, params=TWO, slice=True)
    with pytest.raises(BadInput, match="was made with parameters chips=2"):
        rollwise.compare("bluff", table, params={"chips": 3})
