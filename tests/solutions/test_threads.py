"""Several threads may ask at once, as those of a server do: each gets the answers that one alone gets."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import count
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.parsing.validate import parse_game
from rollwise.questions.question import all_fields
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds import duel, kind_of
from rollwise.solver.kinds.hidden import MixedSolution
from rollwise.solver.kinds.kind import Tools
from rollwise.solver.model import limits
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.limits import evict_oldest
from rollwise.solver.turn import graph as turn_graph, transition_reader
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.query import OneTurn
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.turn.successors import Successors
from rollwise.solver.turn.transition_reader import TransitionReader

PARAMS = {"target": 12}
PIG = parse_game("pig", PARAMS)


@pytest.fixture
def hasty() -> Any:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("hasty")
def test_many_threads_get_the_answers_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duel, "MAX_CACHED_TURNS", 1)
    draw = Random(1)
    states = [{"mine": draw.randrange(12), "theirs": draw.randrange(12)} for _ in range(40)]
    alone = [rollwise.ask("pig", params=PARAMS, state=state).plain() for state in states]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            assert (
                list(threads.map(lambda state: rollwise.ask("pig", params=PARAMS, state=state).plain(), states))
                == alone
            )


@pytest.mark.usefixtures("hasty")
def test_what_many_threads_keep_is_never_more_than_a_few_too_many() -> None:
    kept: dict[int, int] = {}

    def keep(start: int) -> None:
        for number in range(start, start + 2000):
            kept[number] = number
            evict_oldest(kept, 3)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(keep, range(0, 8000, 2000)))
    assert len(kept) <= 3


@pytest.mark.usefixtures("hasty")
def test_many_threads_that_draw_from_seeds_get_the_draws_of_one() -> None:
    made = PIG
    opened, position = load_or_solve(made).solution, made.locate(mine=3)
    asked, move = all_fields(made, {"mine": 3}, position), question_moves(made, position.state)[0]

    def draws(seed: int) -> list[Any]:
        random = Random(seed)
        return [opened.sample_outcome(asked, position, move, random).thrown for _ in range(200)]

    alone = [draws(seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(draws, range(8))) == alone


class Hurried(MixedSolution):
    """Each time that a board was read, another thread reads another one."""

    _cached_turn = property(lambda self: (-1, "another board"), lambda self, read: None)


def test_hidden_dice_are_read_on_the_board_that_was_asked_about() -> None:
    made: Any = game("bluff", {"chips": 1, "dice": 1})
    found = load_or_solve(made).solution
    hurried = Hurried(found.game, found.graph, found.arrays, found.facts)
    assert hurried.hidden_turn(0).board.tolist() == [0]


class Forgetful(dict[Any, Any]):
    """What is written is gone at once, as if another thread had cleared it."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Nothing is kept."""


def test_what_another_thread_forgets_is_known_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    following: Any = Successors(PIG)
    following._asked = Forgetful()
    assert following.is_question((0, 0), (5,))
    monkeypatch.setattr(turn_graph, "_GRAPHS", Forgetful())
    assert compile_turn(PIG).roots.tolist() == compile_turn(PIG).roots.tolist()


def test_a_turn_is_compiled_once_for_as_long_as_few_others_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[Any, Any] = {}
    monkeypatch.setattr(turn_graph, "_GRAPHS", kept)
    first = compile_turn(PIG)
    assert compile_turn(parse_game("pig", PARAMS)) is first
    monkeypatch.setattr(turn_graph, "MAX_CACHED_EDGES", first.n_edges)
    others = [compile_turn(parse_game("pig", {"target": target})) for target in (11, 10)]
    assert list(kept.values()) == others[1:]
    assert compile_turn(PIG) is not first
    monkeypatch.setattr(turn_graph, "MAX_CACHED_GRAPHS", 0)
    assert compile_turn(PIG) is not compile_turn(PIG)


def test_ends_that_another_thread_comes_to_meanwhile_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    made = PIG
    reader = TransitionReader(made, compile_turn(made), Constants(made.boards().size))
    write, others = Constants.write, count(2)

    def late(self: Constants, *how: Any) -> None:
        reader.constants.code(Fraction(1, next(others)))  # as another thread may, of a game with many endings
        write(self, *how)

    monkeypatch.setattr(Constants, "write", late)
    half = np.full(3, 0.5)
    turn = OneTurn(
        made, reader.graph, {"mine": 3, "theirs": 4}, lambda some: (half[0 * some], 0 * half[0 * some]), reader
    )
    assert turn.rows().shape == (reader.graph.n_nodes, 3)


class Joined(list[Any]):
    """Whatever is added, another thread adds something next."""

    def append(self, one: Any) -> None:
        """Both of them."""
        self.extend([one, "another thread's"])


def test_look_ups_that_another_thread_makes_meanwhile_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    made = PIG
    own: Any = TransitionReader(made, compile_turn(made), Constants(made.boards().size))
    own.transitions(np.arange(own.graph.n_leaves), np.arange(2))
    name, own._joined, own._look_up = next(iter(own._ends)), {}, lambda number, block: SimpleNamespace(is_outside=None)
    own._joined[name] = Joined()
    monkeypatch.setattr(transition_reader, "LookUps", list)
    assert own._all_look_ups(name, own.block(np.arange(2))) == own._joined[name][0]


# --- how many a solve has ---------------------------------------------------------------------------------------------


def test_a_solve_has_two_threads_unless_fewer_can_run_or_another_number_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(limits.WORKERS_VARIABLE, raising=False)
    for there, n_threads in ((1, 1), (2, 2), (64, 2)):
        monkeypatch.setattr(limits, "count_processors", lambda there=there: there)
        assert limits.n_workers() == Tools().workers == n_threads
    monkeypatch.setenv(limits.WORKERS_VARIABLE, "5")
    assert limits.n_workers() == Tools().workers == 5
    for wrong in ("0", "-1", "two", "2.5", "²"):
        monkeypatch.setenv(limits.WORKERS_VARIABLE, wrong)
        with pytest.raises(BadInput, match=f"ROLLWISE_WORKERS is a whole number from 1, got '{wrong}'"):
            limits.n_workers()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no such limit here")
def test_a_process_that_may_use_one_processor_counts_one() -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert limits.count_processors.__wrapped__() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_a_solve_has_the_same_bits_whatever_the_number_of_workers() -> None:
    made = parse_game("ten-thousand", {"goal": 3000})
    graph = compile_turn(made)
    one, two = (kind_of(made).solve(made, graph, Tools(workers=workers)).arrays for workers in (1, 2))
    assert {name: (one[name].tobytes() == two[name].tobytes()) for name in one} == {"values": True, "radius": True}
