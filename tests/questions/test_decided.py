"""Where every move wins, or none can, that is said, and on a sheet the move that is best for the mean is the first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.match.match import best_move
from rollwise.match.play_lines import cost_lines
from rollwise.policy_tables.files import read_description
from rollwise.questions.ask.data import Advice, TieBreak
from rollwise.questions.ask.text import verdict
from rollwise.solutions import tie_break
from rollwise.text.screen import screen
from rollwise.web.answers import answer_of
from tests.questions.test_reaching import LATE, MID, REACH

EARLY = {name: score for name, score in LATE.items() if name != "chance"}  # 177 points
LAST = {**EARLY, "four of a kind": 0, "large straight": 0}
MADE, FAR, DEAD = "Reached already: 197", "Out of reach: 197", "Out of reach with these dice: 197"


def asked(objective: str, **state: Any) -> Advice:
    rules = {"objective": objective, **({"ties": state.pop("ties")} if "ties" in state else {})}
    return rollwise.ask("yahtzee", params=rules, state={**MID, **state})


@pytest.mark.parametrize(
    ("value", "note", "objective", "state"),
    [
        (1, MADE, "reach", {"target": 197}),
        (None, "197 points so far", "reach", {"target": 198}),
        (0, FAR, "reach", {"target": 268}),
        (0, DEAD, "reach", {"target": 250, "rolls_left": 0}),
        (1, "Reached with these dice", "reach", {"target": 182, "filled": LAST}),
        (1, MADE, "beat", {"theirs": [150, 196]}),
        (1, MADE, "beat", {"theirs": [197], "ties": "win"}),
        (None, "", "beat", {"theirs": [197]}),
        (0, FAR, "beat", {"theirs": [268]}),
        (0, FAR, "beat", {"theirs": [267], "ties": "lose"}),
        (None, "", "beat", {"theirs": [267]}),
        (0, DEAD, "beat", {"theirs": [267], "rolls_left": 0}),  # as many as 70 could have come, which share
        (1, "Decided: every move", "beat", {"worth": {100: 1}}),
    ],
)
def test_a_sheet_says_that_all_is_decided_and_what_is_best_for_the_mean(
    value: int | None, note: str, objective: str, state: dict[str, Any]
) -> None:
    told = asked(objective, **state)
    assert (told.decided, told.note[: len(note)]) == (value is not None, note)
    if value is None:
        assert (told.tie_break, "tie_break" in told.plain()) == (None, False)
        return
    same = {name: state[name] for name in state.keys() & {"filled", "rolls_left"}}
    mean = rollwise.ask("yahtzee", state={**MID, **same})
    assert told.tie_break == TieBreak(mean.best[0], "score", mean.moves[0].value)
    assert {(move.lower, move.upper, move.exact) for move in told.moves} == {(value, value, str(value))}
    assert told.moves[0].move == told.best[0] == mean.best[0]
    assert sorted(told.best) == sorted(move.move for move in mean.moves)
    assert told.plain()["tie_break"] == {"move": mean.best[0], "by": "score", "value": mean.value}
    words = f"best for the mean (expected final score {mean.value:.2f})"
    assert words in verdict(told)
    page = answer_of(told, "", str).verdict
    assert (page.first.lower(), words in page.beside) == (mean.best[0], True)
    assert words in " ".join(cost_lines(told, told.moves[-1], screen()))


def test_a_score_that_is_not_solved_and_takes_long_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tie_break, "is_solved", lambda game: False)
    monkeypatch.setattr("rollwise.solutions.plans.SMALL_SOLVE_S", 0.0)
    told = asked("reach", target=197)
    assert (told.decided, told.tie_break, told.note[: len(MADE)]) == (True, None, MADE)


@pytest.mark.parametrize(("filled", "value"), [(LATE, 1), ({**LATE, "fives": 0, "fours": 0, "sixes": 0}, 0)])
def test_a_duel_says_only_that_it_is_decided(filled: dict[str, int], value: int) -> None:
    theirs = {**EARLY, "chance": 30} if not value else {**dict.fromkeys(EARLY, 0), "chance": 5}
    told = rollwise.ask("yahtzee", params={"players": 2}, state={**MID, "filled": filled, "theirs_filled": theirs})
    assert {(move.value, move.lower, move.upper) for move in told.moves} == {(value,) * 3}
    assert (told.decided, told.tie_break, told.note.startswith("Decided: ")) == (True, None, True)


def test_other_games_say_it_too() -> None:
    duel = {"lives": [1, 2], "results": ["3-1", None], "roll": [1, 1], "rolls_left": 1}
    assert rollwise.ask("mexico", params={"lives": 2, "opener": "rotating"}, state=duel).decided
    tie = rollwise.ask("shut-the-box", params=REACH, state={"open": [1], "target": 20}).tie_break
    assert tie is not None
    assert tie.move == "one die"  # the less is left the better
    assert tie.value == pytest.approx(5 / 6)


def chosen(params: dict[str, Any], **state: Any) -> list[str]:
    match = rollwise.Match("yahtzee", params=params, state=state, seed=3)
    while not match.over:
        match.throw() if match.waiting else match.play(best_move(match))
    assert not params or "choices all was decided" in rollwise.review(match).notes[0]
    return [line["choice"] for line in match.record() if "choice" in line]


def test_the_robot_plays_on_for_the_mean_and_no_quiz_asks_it() -> None:
    assert chosen(REACH, filled=LATE, target=190) == chosen({}, filled=LATE)
    assert rollwise.quiz("yahtzee", params=REACH, state={"filled": LATE, "target": 197}, seed=1, look=9, least=0) == []


def test_a_table_has_the_same_move_and_says_why(tmp_path: Path) -> None:
    state = {**MID, "target": 197}
    made = rollwise.export("yahtzee", tmp_path / "late.parquet", params=REACH, state=state)
    found = rollwise.best(made.path, state=state)
    assert found["best_move"] == found["tie_break"]["move"] == asked("reach", target=197).best[0]
    assert "best for the mean" in (read_description(made.path) or {})["tie_break"]
    made = rollwise.export("yahtzee", tmp_path / "open.parquet", params=REACH, state={**state, "target": 198})
    assert "tie_break" not in (read_description(made.path) or {})
