"""A sheet for a target on the page: no more is solved for a question than the sheet needs, in a process of its own."""

from __future__ import annotations

import pytest

from rollwise.solved import progress
from rollwise.solved.games import is_kept, only_kept
from rollwise.solved.identity import plain_parameters
from rollwise.solver.game.errors import TooLarge
from rollwise.solver.turn import compile_listeners
from rollwise.web.jobs import planned
from rollwise.web.page_question import PageQuestion, read_question
from rollwise.web.pages import _answer, _to_solve
from rollwise.web.settings import Settings
from rollwise.web.solving import solve

LATE = "ones:4,twos:6,threes:9,fours:12,fives:15,sixes:18,three of a kind:24,full house:25,small straight:30,chance:20"


def asked(name: str, **fields: str) -> PageQuestion:
    """What a page asks."""
    return read_question(name, [("p.objective", "reach"), *fields.items()])


def test_a_page_waits_for_what_its_sheet_can_become_and_then_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "HEARING", [])  # ``solve`` is for a process of its own
    monkeypatch.setattr(compile_listeners, "LISTENERS", [])
    question = asked("yahtzee", filled=LATE, target="237", roll="22245")
    assert not question.problems
    with only_kept():
        part = _to_solve(question)
    assert part is not None
    job = planned(part, Settings())
    assert (job.plan.boards < 5000, job.allowed, job.plan.seconds < 3) == (True, True, True)
    assert "below" not in job.refusal().hint
    solve(job.name, job.parameters)
    assert is_kept(part)
    assert not is_kept(question.game)
    with only_kept():
        assert _to_solve(question) is None
        told = _answer(question)["answer"]
    assert any("198 points so far" in str(block) for block in told.blocks)
    assert plain_parameters(part)["below"]


def test_a_sheet_that_is_too_early_is_said_to_be_so() -> None:
    with only_kept():
        part = _to_solve(asked("sixzee", target="400"))
    assert part is not None
    with pytest.raises(TooLarge, match="it goes from a later sheet on"):
        planned(part, Settings())
