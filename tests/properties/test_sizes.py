"""Every game, at small sizes: asked three times, exported, checked; and no game and no proof is left out."""

from __future__ import annotations

import ast
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import rollwise
from rollwise.asking import answer
from rollwise.asking import question as asked_of
from rollwise.cache.store import Store
from rollwise.check import check
from rollwise.comparing.lookup import rows_of
from rollwise.door import the_fields
from rollwise.exporting.decisions import cell
from rollwise.games.registry import REGISTRY
from rollwise.solver.game.model import Choice, End, TurnGame
from rollwise.solver.kinds.kind import Wanted
from rollwise.solver.turn.graph import CHOICE, PREFER, states_in_order
from rollwise.stored import stored
from tests.sizes import ASK, CHECK, EXPORT, PROOFS, RUN, SIZES, Size, cases, chooses

Question = dict[str, Any]
ROOT = Path(__file__).parents[2]
N_QUESTIONS = 2  # beside the start
N_ROWS = 4

# --- the list ------------------------------------------------------------------------------------------------------


def test_every_game_has_a_small_size() -> None:
    assert {size.name for size in SIZES} == set(REGISTRY)


@pytest.mark.parametrize("name", REGISTRY)
@pytest.mark.parametrize("proof", PROOFS)
def test_a_game_is_put_through_a_proof_or_it_is_said_why_not(proof: str, name: str) -> None:
    reasons = [size.why_not(proof) for size in SIZES if size.name == name]
    assert None in reasons or all(len(reason or "") > 20 for reason in reasons)


def test_every_proof_runs_on_all_that_fits_it() -> None:
    """The test files that take their cases from the list, and nothing in them that leaves a case out."""
    for proof, words in TAKEN_BY.items():
        text = (ROOT / "tests" / words).read_text()
        assert f"cases({proof.upper()})" in text
    assert TAKEN_BY.keys() == set(PROOFS)
    for proof, run in RUN.items():
        assert run in (set(), {str(size) for size in SIZES if size.why_not(proof) is None})


TAKEN_BY = {
    "walk": "properties/test_walker.py",
    "exact": "exact/test_flattened.py",
    "odds": "exact/test_luck.py",
    "ask": "properties/test_sizes.py",
    "export": "properties/test_sizes.py",
    "check": "properties/test_sizes.py",
    "follow": "properties/test_outcomes.py",
    "explain": "properties/test_why.py",
}


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_who_never_chooses_has_no_choice_in_a_turn(size: Size) -> None:
    kinds = size.graph.kind
    assert chooses(size) == bool(((kinds == CHOICE) | (kinds == PREFER)).any())


def test_sizes_are_small_enough_to_be_told_apart_by_name() -> None:
    assert len({str(size) for size in SIZES}) == len(SIZES)


# --- asked when solved, from the cache, and in another process ------------------------------------------------------

OTHER = """
import ast, json, os, sys
from rollwise.asking import answer
from rollwise.asking import question as asked_of
from rollwise.door import the_fields
from rollwise.games.registry import game
from rollwise.solver.kinds.kind import Wanted
for line in sys.stdin:
    folder, name, parameters, questions = ast.literal_eval(line)
    os.environ["ROLLWISE_CACHE"] = folder
    made, told = game(name, parameters), []
    for question in questions:
        fields = the_fields(made, question)
        advice = answer(made, fields, made.locate(**fields), Wanted())
        told.append([json.dumps(advice.plain()), advice.facts["cached"]])
    print(json.dumps(told), flush=True)
"""
Told = list[list[Any]]


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Callable[[Store, Size, list[Question]], Told]]:
    """Asks the same of a process that has solved nothing."""
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    put, got = process.stdin, process.stdout

    def ask(store: Store, size: Size, questions: list[Question]) -> Told:
        put.write(repr((str(store.root), size.name, dict(size.parameters), questions)) + "\n")
        put.flush()
        told: Told = json.loads(got.readline())
        return told

    with process:
        yield ask
        put.close()


def here(game: TurnGame, questions: list[Question]) -> Told:
    told = []
    for question in questions:
        fields = the_fields(game, question)
        advice = answer(game, fields, game.locate(**fields), Wanted())
        told.append([json.dumps(advice.plain()), advice.facts["cached"]])
    return told


def questions_of(size: Size) -> list[Question]:
    """Some positions, as a question names them, and the start as the last of them."""
    game = size.game
    space = game.boards()
    boards = np.arange(space.size)
    columns = space.columns(boards)
    possible = boards[np.broadcast_to(game.possible(columns), space.size)]
    roots = np.broadcast_to(game.root(columns), space.size)
    turn = cache(game.turn)
    states = [
        [state for state, word in states_in_order(turn, [tuple(root)]) if not isinstance(word, End)]
        for root in game.roots()
    ]
    draw = random.Random(str(size))
    found: list[Question] = []
    for _ in range(20 * N_QUESTIONS):
        board = int(draw.choice(possible))
        state = draw.choice(states[int(roots[board])] or [()])  # none where all is settled at once
        for question in list(game.describe(space.board(board), state))[:1]:
            said = {name: value for name, value in question.items() if value is not None}
            if said not in found and can_be(game, said):
                found.append(said)
        if len(found) == N_QUESTIONS:
            break
    return [*found, {}]


def can_be(game: TurnGame, said: Mapping[str, Any]) -> bool:
    """Is this a question that can be written down, as it is sent to another process?"""
    return bool(ast.literal_eval(repr(said)) == said) and bool(the_fields(game, said) or not said)


@cases(ASK)
def test_an_answer_is_the_same_when_solved_from_the_cache_and_in_another_process(
    size: Size, own_cache: Store, elsewhere: Callable[[Store, Size, list[Question]], Told]
) -> None:
    questions = questions_of(size)
    assert len(questions) > 1
    first = here(size.game, questions)
    again = here(size.game, questions)
    assert [told for told, _ in again] == [told for told, _ in first]
    assert elsewhere(own_cache, size, questions) == again
    kept = size.why_not(CHECK) is None
    assert not first[0][1]
    assert all(cached == kept for _, cached in again)


# --- exported, checked ------------------------------------------------------------------------------------------------


@cases(EXPORT)
def test_every_row_of_an_export_says_what_ask_says(size: Size, play: Callable[[TurnGame], str], tmp_path: Path) -> None:
    made = rollwise.export(play(size.game), tmp_path / "all.parquet")
    rows = pq.read_table(made.path).to_pylist()
    assert made.rows == len(rows) > 0
    names = [field.name for field in size.game.fields()]
    for row in random.Random(str(size)).sample(rows, min(N_ROWS, len(rows))):
        advice = rollwise.ask(size.name, **{name: row[name] for name in names if row[name] is not None})
        assert row["best_move" if "best_move" in row else "best"] in (advice.best or [])
        forced = row["moves"] == ["roll"]  # then its interval may be that of the solution, which is wider
        near = 1e-12 if forced else 1e-15
        assert row["value"] == pytest.approx(advice.value, rel=1e-14, abs=1e-15)
        assert (row["lower"], row["upper"]) == pytest.approx((advice.lower, advice.upper), rel=1e-14, abs=near)
        moves = advice.moves or []
        second = pytest.approx(moves[1].loss, abs=1e-14) if len(moves) > 1 else None
        assert row["second_loss"] == second
        told = {move.move: move.value for move in moves}
        assert row["values"] == pytest.approx([told[move] for move in row["moves"]], rel=1e-14, abs=1e-15)
        assert row["values"] == pytest.approx(list(told.values()), rel=1e-14, abs=1e-15)

    times, alone = Counter(tuple(row[name] for name in names) for row in rows), size.parameters.get("players") == 1
    for state in states_met(size, random.Random(str(size))):
        given, position = asked_of(size.game, state)
        if not isinstance(size.game.turn(*position.state), Choice):
            continue  # the turn is over, or a throw must be made: nothing to decide
        cells = [tuple(cell(field, row) for field in size.game.fields()) for row in rows_of(size.game, given, position)]
        is_made = state.get("mine", 0) + state.get("turn", 0) >= getattr(size.game, "goal", np.inf) if alone else False
        rows_there = [times[found] for found in cells if found in times][:1]
        assert rows_there == ([] if is_made else [1]), state  # where all that counts is made no table goes on


def states_met(size: Size, draw: random.Random) -> Iterator[Question]:
    """Decisions of a game played at random, as those who play it say them."""
    state: Question | None = {}
    for _ in range(N_ROWS):
        if state is None:
            return
        moves = rollwise.ask(size.name, state=state).moves or []
        yield state
        told = rollwise.outcomes(size.name, move=draw.choice(moves).move, state=state)
        state = draw.choice(told.rows).state


@cases(CHECK)
def test_what_is_kept_is_proved_again(size: Size) -> None:
    (checked,) = check(Store(), [stored(size.game, quiet=True).key])
    assert checked.verdict == "proved", checked.detail
    assert checked.game == size.name
