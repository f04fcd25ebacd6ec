"""Bluff, by its rules (number 8 of TACTIC's 21) and our readings of them, and how it is asked about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.bluff.rules import FALSE, TRUE, Bluff
from rollwise.questions.ask.data import Advice
from rollwise.solver.model.errors import BadInput, ParameterError
from rollwise.solver.model.game import Transition
from tests.rules.helping import refused, rules

ROOT = Path(__file__).parents[2]
TWO = {"chips": 2}  # a game that is solved in a moment


def settled(mine: int, theirs: int, result: object) -> Transition:
    game = Bluff()
    space = game.boards()
    return game.transition(space.columns(np.array([space.index_of(mine=mine, theirs=theirs, last=0)])), result)


def after(mine: int, theirs: int, result: object) -> tuple[int, ...]:
    """(chips of the next caller, of the other, last call, does the turn pass), where the game goes on."""
    said = settled(mine, theirs, result)
    assert said.next is not None
    assert not np.any(said.over)
    assert not np.any(said.won)
    return (*(int(np.ravel(said.next[name])[0]) for name in ("mine", "theirs", "last")), int(said.mover))


def moves(**state: int) -> list[str]:
    return [move.move for move in rollwise.ask("bluff", params=TWO, state=state).moves]


# --- chips -----------------------------------------------------------------------------------------------------------


@rules(
    "result, then",
    {
        "an accepted caller puts a chip into the pot and the other calls more": (("accepted", 9), (4, 4, 9, 1)),
        "a true call gives a chip to its challenger, who begins": (TRUE, (5, 4, 0, 1)),
        "a false call takes one from its challenger, who begins": (FALSE, (3, 6, 0, 1)),
    },
)
def test_chips_after_a_reply(result: object, then: tuple[int, ...]) -> None:
    assert after(5, 4, result) == then


def test_the_first_without_chips_wins() -> None:
    for result in (("accepted", 9), TRUE):
        assert np.all(settled(1, 4, result).won)
    lost = settled(4, 1, FALSE)
    assert np.all(lost.over)
    assert not np.any(lost.won)
    assert np.all(lost.reward == 0)


def test_the_total_itself_is_a_true_call_and_so_is_less() -> None:
    game = Bluff()
    for call, result in ((7, TRUE), (10, TRUE), (11, FALSE)):
        said = game.turn(0, 10, call)
        assert said.moves[-1][1].result == result  # type: ignore[union-attr]


# --- calls and replies -----------------------------------------------------------------------------------------------


def test_calls_are_higher_than_the_last_one_up_to_eighteen() -> None:
    assert sorted(moves(total=9, mine=2, theirs=1, last=15)) == ["call 16", "call 17", "call 18"]
    assert len(moves(total=9)) == 16


def test_a_call_of_eighteen_must_be_challenged_and_others_may_be_accepted() -> None:
    assert moves(call=18) == ["challenge"]
    assert set(moves(call=17)) == {"accept", "challenge"}


def test_a_lone_chip_goes_with_any_call_that_is_not_false() -> None:
    advice = rollwise.ask("bluff", params=TWO, mine=1, theirs=2, total=3)
    assert (advice.best, advice.value) == (["call 3"], 1.0)
    reply = rollwise.ask("bluff", params=TWO, mine=2, theirs=1, call=3)
    assert reply.value == pytest.approx(0.0, abs=1e-12)  # accepted or challenged, the caller has won


def test_before_the_throw_the_only_move_is_to_roll() -> None:
    advice = rollwise.ask("bluff", params=TWO)
    assert [move.move for move in advice.moves] == ["roll"]
    assert advice.moves[0].probability is None
    assert advice.value == pytest.approx(0.655316595699, abs=1e-12)


# --- what a question says --------------------------------------------------------------------------------------------


def sound(advice: Advice) -> None:
    listed = advice.moves
    assert sum(move.probability or 0.0 for move in listed) == 1.0
    for move in listed:
        assert 0 <= move.lower <= move.value <= move.upper <= 1
        assert move.upper - move.lower < 1e-8
        assert move.loss >= 0


@pytest.mark.parametrize("total", range(3, 19))
def test_whatever_the_caller_sees_all_calls_of_the_mix_are_best(total: int) -> None:
    advice = rollwise.ask("bluff", params=TWO, total=total)
    sound(advice)
    assert {move.move for move in advice.moves if move.probability} <= set(advice.best)


@pytest.mark.parametrize("call", range(3, 19))
def test_replies_of_the_mix_are_best_where_the_call_can_be_heard(call: int) -> None:
    advice = rollwise.ask("bluff", params=TWO, call=call)
    sound(advice)
    if not advice.note:
        assert {move.move for move in advice.moves if move.probability} <= set(advice.best)


def test_what_totals_are_worth_adds_up_to_what_the_board_is() -> None:
    ways = {total: 0 for total in range(3, 19)}
    for faces in np.ndindex(6, 6, 6):
        ways[sum(faces) + 3] += 1
    mean = (
        sum(count * (rollwise.ask("bluff", params=TWO, total=total).value or 0) for total, count in ways.items()) / 216
    )
    assert mean == pytest.approx(rollwise.ask("bluff", params=TWO).value, abs=1e-12)


def test_a_call_that_nobody_makes_is_told_to_be_one() -> None:
    advice = rollwise.ask("bluff", params=TWO, call=15)
    assert "Best play would never call 15 here" in advice.note
    assert advice.plain()["note"] == advice.note
    assert rollwise.ask("bluff", params=TWO, call=9).note == ""
    assert "note" not in rollwise.ask("bluff", params=TWO, call=9).plain()


ASKED_AGAIN = """
import json, rollwise
print(json.dumps([rollwise.ask("bluff", params={"chips": 2}, total=total).plain() for total in range(3, 19)]))
"""


def in_a_new_process(script: str) -> str:
    environment, words = {**os.environ, "PYTHONPATH": str(ROOT)}, [sys.executable, "-c", script]
    return subprocess.run(words, capture_output=True, text=True, env=environment, check=True).stdout


def test_the_same_mix_is_said_when_solved_from_the_cache_and_by_another_process(own_cache: Store) -> None:
    first, again = (
        [rollwise.ask("bluff", params=TWO, total=total).plain() for total in range(3, 19)] for _ in range(2)
    )
    assert first == again
    assert json.loads(in_a_new_process(ASKED_AGAIN)) == first
    assert len(own_cache.keys()) == 1


def test_a_warm_question_solves_no_program(own_cache: Store) -> None:
    rollwise.ask("bluff", params=TWO, total=9)
    script = (
        "import sys, rollwise\nrollwise.ask('bluff', params={'chips': 2}, total=9, draw=True, seed=1)\n"
        "print({name.partition('.')[0] for name in sys.modules} & {'scipy', 'numba', 'flint', 'networkx'})"
    )
    assert in_a_new_process(script).strip() == "set()"


# --- draws -----------------------------------------------------------------------------------------------------------


def test_a_seed_draws_the_same_move_and_draws_follow_the_mix() -> None:
    asked = [rollwise.ask("bluff", params=TWO, call=9, draw=True, seed=seed) for seed in range(400)]
    again = [rollwise.ask("bluff", params=TWO, call=9, draw=True, seed=seed) for seed in range(10)]
    assert [advice.drawn for advice in asked[:10]] == [advice.drawn for advice in again]
    often = {move.move: move.probability for move in asked[0].moves}["accept"] or 0.0
    share = sum(advice.drawn == "accept" for advice in asked) / len(asked)
    assert 0.5 < often < 0.95
    assert share == pytest.approx(often, abs=4 * (often * (1 - often) / len(asked)) ** 0.5)
    assert asked[0].plain()["drawn"] == asked[0].drawn
    assert "drawn" not in rollwise.ask("bluff", params=TWO, call=9).plain()


def test_without_a_seed_draws_differ_and_a_throw_that_must_be_made_is_made() -> None:
    assert len({rollwise.ask("bluff", params=TWO, call=9, draw=True).drawn for _ in range(200)}) == 2
    assert rollwise.ask("bluff", params=TWO, draw=True).drawn == "roll"


def test_games_without_a_mix_and_seeds_without_a_draw_are_refused() -> None:
    with pytest.raises(BadInput, match=r"draw is for games whose best play is a mix .* in pig play the best move"):
        rollwise.ask("pig", params={"target": 5}, draw=True)
    with pytest.raises(BadInput, match="a seed is for a draw") as error:
        rollwise.ask("bluff", params=TWO, call=9, seed=3)
    assert error.value.field == "seed"
    with pytest.raises(BadInput, match="seed is a whole number"):
        rollwise.ask("bluff", params=TWO, call=9, draw=True, seed="x")  # type: ignore[arg-type]


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


# --- what cannot be --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "field", "said"),
    [
        ({"total": 2}, "total", "total is from 3 to 18, got 2"),
        ({"total": 19}, "total", "total is from 3 to 18, got 19"),
        ({"call": 2}, "call", "call is from 3 to 18, got 2"),
        ({"call": 9, "total": 9}, "total", "the player who replies to a call does not see the total"),
        ({"mine": 4, "last": 9, "call": 9}, "call", "call is higher than the last one, 9, got 9"),
        ({"mine": 4, "last": 18, "call": 18}, "call", "call is higher than the last one, 18, got 18"),
        ({"mine": 4, "last": 18, "total": 5}, "last", "a call of 18 must be challenged, no call follows it"),
        ({"mine": 4, "last": 2}, "last", "last is a call from 3 on, or 0 for none, got 2"),
        ({"last": 9}, "last", "last=9 was accepted, so a chip is in the pot: mine and theirs are 9 chips at most"),
        ({"mine": 6}, "theirs", "mine and theirs are 10 chips at most, got 6 + 5"),
        ({"mine": 10}, "mine", "mine is from 1 to 9, got 10"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line_that_names_the_field(state: dict[str, int], field: str, said: str) -> None:
    error = refused(Bluff(), state)
    assert said in str(error)
    assert error.field == field


def test_no_more_than_ten_chips_each() -> None:
    with pytest.raises(ParameterError, match="chips is from 1 to 10, got 11"):
        rollwise.ask("bluff", params={"chips": 11})


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
