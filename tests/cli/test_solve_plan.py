"""What a solve will take is told before it, in Python and at the terminal, and nothing is solved for that."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.door import the_game
from rollwise.games.registry import game
from rollwise.planning import SolvePlan, plan_lines
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds.reckoning import DUEL, ESTIMATED, MOST_COUNTED, TABLE, Typical, about_possible, typical
from rollwise.solver.turn.graph import compile_turn
from rollwise.stored import is_kept

Run = Callable[..., tuple[int, str, str]]


def made(name: str, **parameters: Any) -> TurnGame:
    found = game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


# --- in Python -------------------------------------------------------------------------------------------------------


def test_a_plan_is_plain_data(own_cache: Store) -> None:
    told = rollwise.plan("pig", {"target": 10})
    assert isinstance(told, rollwise.SolvePlan)
    assert json.loads(json.dumps(told.plain())) == {field.name: getattr(told, field.name) for field in fields(told)}
    assert list(told.plain()) == ["boards", "edges", "seconds", "memory", "kept", "solved"]
    assert (told.boards, told.edges, told.kept) == (100, 70, 1200)


def test_a_plan_solves_nothing_and_knows_what_is_solved(own_cache: Store) -> None:
    question = "pig", {"target": 4}
    assert not rollwise.plan(*question).solved
    assert own_cache.entries() == []
    assert not rollwise.plan(*question).solved
    rollwise.solve(*question)
    assert rollwise.plan(*question).solved
    assert not rollwise.plan("pig", {"target": 5}).solved
    own_cache.clear()
    assert not rollwise.plan(*question).solved


@pytest.mark.parametrize("name", ["421", "busted", "cops-and-robbers", "killer", "piggy-six", "sixzee", "ten-thousand"])
def test_a_large_game_is_planned_without_a_solve(name: str, own_cache: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def solved(*_: object, **__: object) -> None:
        raise AssertionError("solved")

    for kind in ("duel.Duel", "table.Table", "seats.Seats"):
        monkeypatch.setattr(f"rollwise.solver.kinds.{kind}.solve", solved)
    told = rollwise.plan(name)
    assert told.boards > 10_000
    assert told.seconds > 1
    assert told.memory > told.kept
    assert not told.solved


def test_a_turn_is_compiled_for_a_plan_once_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    first = rollwise.plan("pig", {"target": 17})

    def compiled(*_: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr("rollwise.solver.turn.graph.compile_turn", compiled)
    assert rollwise.plan("pig", {"target": 17}) == first
    with pytest.raises(AssertionError, match="compiled"):
        rollwise.plan("pig", {"target": 18})


def test_a_plan_of_a_game_that_is_not_there_is_refused() -> None:
    with pytest.raises(rollwise.UnknownGame):
        rollwise.plan("pigg")
    with pytest.raises(rollwise.ParameterError):
        rollwise.plan("pig", {"target": 1})


def test_nothing_is_solved_before_a_question_of_a_pot(own_cache: Store) -> None:
    told = rollwise.plan("pay-the-rent")
    assert (told.seconds, told.kept, told.solved) == (0, 0, True)


# --- is it kept ------------------------------------------------------------------------------------------------------


def test_an_entry_that_is_damaged_is_not_kept(own_cache: Store) -> None:
    pig = the_game("pig", {"target": 4})
    assert not is_kept(pig)
    rollwise.solve("pig", {"target": 4})
    assert is_kept(pig)
    manifest = next(Path(own_cache.root).rglob("manifest.json"))
    manifest.write_text("{}")
    assert not is_kept(pig)


def test_an_entry_that_lacks_a_part_of_a_file_is_not_kept(own_cache: Store) -> None:
    rollwise.solve("pig", {"target": 4})
    values = next(Path(own_cache.root).rglob("values.npy"))
    values.write_bytes(values.read_bytes()[:-8])
    assert not is_kept(the_game("pig", {"target": 4}))


# --- what is reckoned ------------------------------------------------------------------------------------------------


def test_boards_of_a_large_space_are_told_from_some_of_them() -> None:
    four, two = made("mexico", players=4), made("mexico")
    large = made("421")
    assert large.boards().size > MOST_COUNTED
    assert about_possible(large) == pytest.approx(1_808_592, rel=0.02)
    assert about_possible(four) == 568_080
    assert about_possible(two) == 792


def test_few_boards_of_a_large_space_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    few = made("cameroon", boxes="full house", objective="win")
    assert few.boards().size > ESTIMATED
    monkeypatch.setattr("rollwise.solver.kinds.reckoning.MOST_COUNTED", ESTIMATED)
    assert about_possible(few) == 1


def test_boards_that_lead_to_each_other_are_swept_and_those_of_last_turns_are_not() -> None:
    """Last turns of Zilch all stand on one level, but none leads to another; scores of Piggy Six can go to zero."""
    zilch, piggy = made("zilch", goal=500), made("piggy-six")
    of_zilch, of_piggy = typical(zilch, compile_turn(zilch)), typical(piggy, compile_turn(piggy))
    assert of_zilch.together > 0.2
    assert of_zilch.swept == 0.0
    assert of_piggy.swept == of_piggy.together > 0.2


def test_seconds_grow_with_boards_seats_and_sweeps() -> None:
    once = Typical(ends=10, edges=100, possible=1, together=0, endings=0, cyclic=False)
    again = Typical(ends=10, edges=100, possible=1, together=0.5, endings=0, cyclic=True)
    swept = Typical(ends=10, edges=100, possible=1, together=0.5, endings=0, cyclic=True, swept=0.5)
    for rates in (DUEL, TABLE):
        n = 10_000_000
        assert rates.seconds(once, n) < rates.seconds(again, n) < rates.seconds(swept, n)
        assert rates.seconds(swept, 10) < rates.seconds(swept, n) < rates.seconds(swept, n, 3)


# --- at the terminal -------------------------------------------------------------------------------------------------


def test_the_terminal_tells_a_plan_and_solves_nothing(own_cache: Store, run: Run) -> None:
    code, out, err = run("solve", "pig", "-p", "target=10", "--plan")
    assert (code, err) == (0, "")
    assert out == ("100 boards, 70 edges a turn: about a second, 120 MB, 1.2 KB in the cache\nit is not solved yet\n")
    assert own_cache.entries() == []
    run("solve", "pig", "-p", "target=10")
    assert run("solve", "pig", "-p", "target=10", "--plan")[1].endswith("\nit is solved: answers come from the cache\n")


def test_a_plan_as_json_is_what_python_tells(own_cache: Store, run: Run) -> None:
    code, out, _ = run("solve", "pig", "-p", "target=10", "--plan", "--json")
    assert (code, json.loads(out)) == (0, rollwise.plan("pig", {"target": 10}).plain())


def test_a_plan_where_nothing_is_solved_is_one_line(run: Run) -> None:
    told = "12 boards, 11 edges a turn: nothing is solved before a question"
    assert run("solve", "high-dice", "--plan") == (0, told + "\n", "")


def test_a_long_plan_is_told_in_minutes() -> None:
    told = SolvePlan(29_207_136, 21_271, 140.0, 2_920_000_000, 350_000_000, solved=False)
    assert plan_lines(told)[0] == (
        "29 million boards, 21,271 edges a turn: about 2.3 minutes, 2.9 GB, 350 MB in the cache"
    )
