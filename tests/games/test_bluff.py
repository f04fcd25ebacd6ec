"""Bluff, by its rules (number 8 of TACTIC's 21) and our readings of them, and how it is asked about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.bluff.rules import FALSE, TRUE, Bluff
from rollwise.questions.ask.data import Advice
from rollwise.solver.model.errors import BadInput
from tests.games.helping import rules, settles

ROOT = Path(__file__).parents[2]
TWO = {"chips": 2}  # a game that is solved in a moment


@rules(
    "result, mine, theirs, then",
    {
        "an accepted caller puts a chip into the pot and the other calls more": (
            *(("accepted", 9), 5, 4, {"mine": 4, "theirs": 4, "last": 9, "passed": 1, "over": False}),
        ),
        "a true call gives a chip to its challenger, who begins": (
            *(TRUE, 5, 4, {"mine": 5, "theirs": 4, "last": 0, "passed": 1, "over": False}),
        ),
        "a false call takes one from its challenger, who begins": (
            *(FALSE, 5, 4, {"mine": 3, "theirs": 6, "last": 0, "passed": 1, "over": False}),
        ),
        "the first without chips wins": (("accepted", 9), 1, 4, {"over": True, "worth": 1}),
        "also by a true call": (TRUE, 1, 4, {"over": True, "worth": 1}),
        "or is beaten by a false one": (FALSE, 4, 1, {"over": True, "worth": 0}),
    },
)
def test_chips_after_a_reply(result: object, mine: int, theirs: int, then: dict[str, Any]) -> None:
    found = settles(Bluff(), result, mine=mine, theirs=theirs, last=0)
    assert {name: found[name] for name in then} == then


@pytest.mark.parametrize(("call", "result"), [(7, TRUE), (10, TRUE), (11, FALSE)])
def test_the_total_itself_is_a_true_call_and_so_is_less(call: int, result: object) -> None:
    assert Bluff().turn(0, 10, call).moves[-1][1].result == result  # type: ignore[union-attr]


def moves(**state: int) -> list[str]:
    return [move.move for move in rollwise.ask("bluff", params=TWO, state=state).moves]


# --- chips -----------------------------------------------------------------------------------------------------------


# --- calls and replies -----------------------------------------------------------------------------------------------


def test_calls_are_higher_than_the_last_one_up_to_eighteen_which_must_be_challenged() -> None:
    assert sorted(moves(total=9, mine=2, theirs=1, last=15)) == ["call 16", "call 17", "call 18"]
    assert len(moves(total=9)) == 16
    assert moves(call=18) == ["challenge"]
    assert set(moves(call=17)) == {"accept", "challenge"}


def test_before_the_throw_one_must_roll_and_a_lone_chip_goes_with_any_call_that_is_not_false() -> None:
    advice = rollwise.ask("bluff", params=TWO, mine=1, theirs=2, total=3)
    assert (advice.best, advice.value) == (["call 3"], 1.0)
    reply = rollwise.ask("bluff", params=TWO, mine=2, theirs=1, call=3)
    assert reply.value == pytest.approx(0.0, abs=1e-12)  # accepted or challenged, the caller has won
    advice = rollwise.ask("bluff", params=TWO)
    assert [move.move for move in advice.moves] == ["roll"]
    assert advice.moves[0].probability is None
    assert advice.value == pytest.approx(0.655316595699, abs=1e-12)


# --- what a question says --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sees", ["total", "call"])
def test_whatever_the_mover_sees_all_moves_of_the_mix_are_best_where_it_can_be_seen(sees: str) -> None:
    for number in range(3, 19, 3):
        advice = rollwise.ask("bluff", params=TWO, state={sees: number})
        assert sum(move.probability or 0.0 for move in advice.moves) == 1.0
        for move in advice.moves:
            assert 0 <= move.lower <= move.value <= move.upper <= 1
            assert move.upper - move.lower < 1e-8
            assert move.loss >= 0
        assert advice.note or {move.move for move in advice.moves if move.probability} <= set(advice.best)
        assert not advice.note or sees == "call"


def test_what_totals_are_worth_adds_up_to_what_the_board_is() -> None:
    ways = Counter(sum(faces) for faces in product(range(1, 7), repeat=3))
    worth = {total: rollwise.ask("bluff", params=TWO, total=total).value or 0 for total in ways}
    mean = sum(count * worth[total] for total, count in ways.items()) / 216
    assert mean == pytest.approx(rollwise.ask("bluff", params=TWO).value, abs=1e-12)


def test_a_call_that_nobody_makes_is_told_to_be_one() -> None:
    rare, usual = (rollwise.ask("bluff", params=TWO, call=call) for call in (15, 9))
    assert "Best play would never call 15 here" in rare.note
    assert (rare.plain()["note"], usual.note, "note" in usual.plain()) == (rare.note, "", False)


ASKED_AGAIN = """
import json, rollwise, sys
asked = [rollwise.ask("bluff", params={"chips": 2}, total=total).plain() for total in range(3, 19, 5)]
rollwise.ask('bluff', params={'chips': 2}, total=9, draw=True, seed=1)
loaded = {name.partition('.')[0] for name in sys.modules} & {'scipy', 'numba', 'flint', 'networkx'}
print(json.dumps([asked, list(loaded)]))
"""


def test_the_same_mix_is_said_from_the_cache_and_by_a_process_that_solves_no_program(own_cache: Store) -> None:
    first, again = ([rollwise.ask("bluff", params=TWO, total=n).plain() for n in range(3, 19, 5)] for _ in range(2))
    assert first == again
    environment, words = {**os.environ, "PYTHONPATH": str(ROOT)}, [sys.executable, "-c", ASKED_AGAIN]
    said = subprocess.run(words, capture_output=True, text=True, env=environment, check=True).stdout
    assert json.loads(said) == [first, []]
    assert len(own_cache.keys()) == 1


# --- draws -----------------------------------------------------------------------------------------------------------


def drawn(**how: Any) -> Advice:
    return rollwise.ask("bluff", params=TWO, call=9, draw=True, **how)


def test_a_seed_draws_the_same_move_and_draws_follow_the_mix() -> None:
    asked, again = [drawn(seed=seed) for seed in range(100)], [drawn(seed=seed) for seed in range(10)]
    assert [advice.drawn for advice in asked[:10]] == [advice.drawn for advice in again]
    often = {move.move: move.probability for move in asked[0].moves}["accept"] or 0.0
    share = sum(advice.drawn == "accept" for advice in asked) / len(asked)
    assert 0.5 < often < 0.95
    assert share == pytest.approx(often, abs=4 * (often * (1 - often) / len(asked)) ** 0.5)
    assert asked[0].plain()["drawn"] == asked[0].drawn
    assert "drawn" not in rollwise.ask("bluff", params=TWO, call=9).plain()


def test_without_a_seed_draws_differ_and_a_throw_that_must_be_made_is_made() -> None:
    assert len({drawn().drawn for _ in range(50)}) == 2
    assert rollwise.ask("bluff", params=TWO, draw=True).drawn == "roll"


def test_games_without_a_mix_and_seeds_without_a_draw_are_refused() -> None:
    with pytest.raises(BadInput, match=r"draw is for games whose best play is a mix .* in pig play the best move"):
        rollwise.ask("pig", params={"target": 5}, draw=True)
    with pytest.raises(BadInput, match="a seed is for a draw") as error:
        rollwise.ask("bluff", params=TWO, call=9, seed=3)
    assert error.value.field == "seed"
    with pytest.raises(BadInput, match="seed is a whole number"):
        drawn(seed="x")


# --- fractions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "exact"),
    [
        ({"mine": 1, "theirs": 1}, "1"),
        ({"mine": 2, "theirs": 1}, "6347/13961"),
        ({"mine": 2, "theirs": 2}, "13902496268932229461/21214930859646806061"),
        ({"mine": 2, "theirs": 2, "total": 9}, None),
    ],
)
def test_a_board_is_told_as_a_fraction_where_it_is_one(state: dict[str, int], exact: str | None) -> None:
    assert rollwise.ask("bluff", params=TWO, exact=True, state=state).exact == exact


# --- a table of it ---------------------------------------------------------------------------------------------------


def test_both_mixes_are_exported_with_their_probabilities(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    made = rollwise.export("bluff", tmp_path / "bluff.parquet", params=TWO)
    rows = pq.read_table(made.path).to_pylist()
    assert len(rows) == made.rows
    calls = [row for row in rows if row["total"] is not None]
    replies = [row for row in rows if row["call"] is not None]
    rolls = [row for row in rows if row["total"] is None and row["call"] is None]
    assert len(calls) == 16 * len(rolls) == 16 * 51
    assert all(sum(row["probabilities"]) == 1.0 and len(row["moves"]) == len(row["probabilities"]) for row in rows)
    for row in (*calls[::37], *replies[::23], rolls[3]):
        state = {name: row[name] for name in ("mine", "theirs", "last", "total", "call") if row[name] is not None}
        advice = rollwise.ask("bluff", params=TWO, state=state)
        told = {move.move: move.probability for move in advice.moves}
        assert dict(zip(row["moves"], row["probabilities"], strict=True)) == {
            k: 1.0 if v is None else v for k, v in told.items()
        }
        assert row["best_move"] in advice.best
        assert row["value"] == advice.value


def test_a_slice_is_seen_from_whoever_decides(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    path = rollwise.export("bluff", tmp_path / "some.parquet", params=TWO, mine=2, theirs=1, last=0).path
    rows = pq.read_table(path).to_pylist()
    assert {(row["mine"], row["theirs"], row["last"]) for row in rows} == {(2, 1, 0)}
    assert len(rows) == 1 + 16 + 16
