"""Words as people type them: those that belong together, and the line that was meant by those refused."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest

import rollwise
from rollwise.match.session import Session
from rollwise.questions.quiz.command import run_quiz
from rollwise.questions.quiz.data import Quiz, QuizPosition
from rollwise.text.screen import screen

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]

SAME = [  # what is typed, and what it is
    ("ask Pig -p Target=10 MINE=3 turn=4", "ask pig -p target=10 mine=3 turn=4"),
    ("ask 'Pig Dice' -p target=10 turn=4", "ask pig -p target=10 turn=4"),
    ("ask pig dice -p target=10 turn=4", "ask pig -p target=10 turn=4"),
    ("ask -p target=10 Pig dice turn=4", "ask pig -p target=10 turn=4"),
    ("ask piggy_six turn=3 -p target=4", "ask piggy-six turn=3 -p target=4"),
    ("ask shut the box roll=5 3", "ask shut-the-box roll=5,3"),
    ("ask shut-the-box roll= 5 3 open=1-9", "ask shut-the-box roll=5,3"),
    ("ask shut-the-box open=[1-4, 6,7-9] roll=53", "ask shut-the-box open=1,2,3,4,6,7,8,9 roll=5,3"),
    ("ask shut-the-box roll=[5, 3] open=1-9", "ask shut-the-box roll=5,3"),
    ("ask shut-the-box roll=( 5 , 3 )", "ask shut-the-box roll=5,3"),
    ("ask high-dice bank=4 3", "ask high-dice bank=3-4"),
    ("ask HIGH_DICE bank=34 -p Rule=Double-On-6-6", "ask high-dice bank=3-4 -p rule=double_on_6_6"),
    ("ask dice-roulette bet=Under 7", "ask dice-roulette bet=under_7"),
    ("ask mexico -p lives=1 results=6-5, - roll=2 2", "ask mexico -p lives=1 results=6-5,- roll=2,2"),
    ("odds Yahtzee 'FULL HOUSE' --rolls 1", "odds yahtzee full_house --rolls 1"),
    (
        "odds Yahtzee Full House ones three of a kind --rolls 1",
        "odds yahtzee ones,full_house,three-of-a-kind --rolls 1",
    ),
    ("odds shut the box roll=5 3", "odds shut-the-box roll=5,3"),
    ("compare pig Hold_At_20 -p target=10", "compare pig hold-at-20 -p target=10"),
    ("rules pay the rent", "rules pay-the-rent"),
    ("verify SLAM", "verify slam"),
]


def test_what_people_type_is_what_they_mean(said: Said) -> None:
    for typed, meant in SAME:
        assert said(f"{typed} --json") == said(f"{meant} --json"), typed


MEANT = [  # what is typed, and the line that is shown
    ("ask pig 3 --json -p target=10", "ask pig mine=3 -p target=10 --json"),
    ("ask pig mine=3 5 4 -p target=10", "ask pig mine=3 theirs=5 turn=4 -p target=10"),
    ("ask pig target=10", "ask pig -p target=10"),
    ("ask pig Target=10 turn=3", "ask pig turn=3 -p target=10"),
    ("ask pig --mine=3 --target 10 --exact", "ask pig mine=3 -p target=10 --exact"),
    ("ask pig -p mine=3 -p target=10", "ask pig mine=3 -p target=10"),
    ("ask pig -p target 10", "ask pig -p target=10"),
    ("ask pig mine 3 theirs 5", "ask pig mine=3 theirs=5"),
    ("ask pig mine:3", "ask pig mine=3"),
    ("pig turn=4", "ask pig turn=4"),
    ("pig dice turn=4", "ask pig turn=4"),
    ("solve pig target=10", "solve pig -p target=10"),
    ("solve pig turn=4 -p target=10", "ask pig turn=4 -p target=10"),
    ("rules pig target=10", "rules pig -p target=10"),
    ("compare pig hold-at-20 target=10", "compare pig hold-at-20 -p target=10"),
    ("ask shut-the-box 5 3", "ask shut-the-box roll=5,3"),
    ("ask shut-the-box 53", "ask shut-the-box roll=53"),
    ("ask shut-the-box --roll 5 3", "ask shut-the-box roll=3,5"),
    ("ask shut-the-box open=12345 roll=3-1", "ask shut-the-box open=1,2,3,4,5 roll=3-1"),
    ("ask slam 3 4", "ask slam scores=3,4"),
    ("compare pig hold-at-20 -p target=10 --mine 3", "compare pig hold-at-20 mine=3 -p target=10"),
    ("odds pig 4 3 --dice 1", "odds pig mine=4 theirs=3 --dice 1"),
    ("odds yahtzee ones joker=free", "odds yahtzee ones -p joker=free"),
    ("odds yahtzee full house joker=free", "odds yahtzee 'full house' -p joker=free"),
    ("card pig target=10", "card pig -p target=10"),
]
NOT_MEANT = [  # no line can be shown for these
    *("ask mexico lives 2 1 -p lives=2", "ask pig 1000", "ask pig 1 2 3 4", "ask pig target=1"),
    *("ask pig mine=3 --mine 4", "ask pig nobody=3", "ask pig --mine 1000", "ask pig --mine"),
    *("ask pig --mine --theirs 3", "ask zilch --mine 50 --turn 1", "ask pig mine=1000", "ask pig --"),
    *("pig 3 5 turn=", "compare pig hold-at-20 --top 5", "compare pig 5", "compare pig never 5"),
    *("compare pig hold-at-20 hold-at-25 target=10", "compare slam rule players=3", "odds pig -1 4 3"),
    *("odds pig csv 4", "odds shut-the-box -o open", "odds killer must_score=true", "odds yahtzee full joker=free"),
    *("forecast pig target=50", "export pig target=50", "card pig 3", "verify pig 3", "verify pig target=50"),
    *("ask", "", "ask zilch mine=12,00"),
]


def test_what_nobody_can_put_right_gets_no_line(run: Run) -> None:
    for typed in NOT_MEANT:
        err = run(*typed.split())[2]
        assert ("hint: rollwise" in err, "params=" in err) == (False, False), typed


def test_a_refusal_shows_the_line_that_was_meant(run: Run, said: Said) -> None:
    for typed, meant in MEANT:
        code, _, err = run(*typed.split())
        lines = err.splitlines() if "--json" not in typed else ["error: ", f"hint: {json.loads(err)['hint']}"]
        assert (code, lines[0][:7], lines[1:]) == (2, "error: ", [f"hint: rollwise {meant}"]), typed
        said(meant)  # ready to paste


def test_an_export_is_put_right_too(said: Said, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    meant = "export pig turn=2 -p target=4 -o 'a b.csv'"
    said("export pig target=4 --turn 2 -o 'a b.csv'", f"\nhint: rollwise {meant}\n", code=2)
    said(meant)


def test_what_was_typed_is_called_by_its_name(said: Said) -> None:
    for typed, told in {
        "ask pig -p mine=3": "error: 'mine' is a field of pig, not a rule parameter\n",
        "ask pig 43 61 18 5": "mine, theirs, turn",
        "ask zilch 1200 3000 450": "mine, theirs, turn, dice, trio, must_roll, roll\nhint: rollwise ask zilch mine=12",
        "ask zilch mine=1,200 theirs=3000": "\nhint: rollwise ask zilch mine=1200 theirs=3000\n",
        "ask shut-the-box open=1,2,3,4 5": "a field is given as name=value, got '",  # digits join dice alone
        "ask big-six chips=5 4 mover=1": "a field is given as name=value, got '",
    }.items():
        said(typed, told, code=2)
    kin = ("ten-thousand (but: only ones, fives and threes of a kind", "zilch (but: stop from 350, first score 750")
    for command in ("ask", "solve", "rules", "verify", "compare", "odds"):
        said(f"{command} FARKLE", "error: there is no game 'FARKLE'\n", *kin, code=2)


def test_an_error_in_json_names_the_field(said: Said) -> None:
    for typed, field in (
        ("ask pig mine=x", "mine"),
        ("ask pig Mine=100", "mine"),
        ("ask yahtzee roll=1,2", "roll"),
        ("ask yahtzee filled=ones:9", "filled"),
        ("ask pig -p target=1", "target"),
        ("ask pig -p target=x", "target"),
        ("ask high-dice -p rule=mine", "rule"),
        ("ask pig their=3", "their"),
        ("ask pig -p targets=3", "targets"),
        ("ask pig target=3", "target"),
        ("ask pig mine=1 Mine=2", "mine"),
    ):
        assert json.loads(said(f"{typed} --json", code=2))["field"] == field, typed


def test_help_says_where_the_names_of_fields_are_and_how_a_game_is_typed(said: Said) -> None:
    for command in ("ask", "play", "quiz"):
        help_text = " ".join(said(f"{command} --help").replace("│", " ").split())
        assert "'rollwise rules GAME' lists the fields of a state" in help_text
    said("review --help", "zilch mine=8400 theirs=6300", "A: 6,5,4,1,6,3 keep 1 / 3,5,1,3,3 keep 1 3 3 3 5")


ZILCH = {"goal": 500, "opening": 350, "players": 1}
SAME_MOVE: list[tuple[str, dict[str, Any], dict[str, Any], str, str]] = [  # as said, and the move that is meant
    ("shut-the-box", {}, {"roll": [3, 5]}, "close 5 and 3", "shut 3 5"),
    ("zilch", ZILCH, {"roll": [1, 1, 1, 2, 3, 4]}, "keep 111", "keep 1 1 1 for 1000"),
    ("pig", {"target": 10}, {"turn": 4}, "Bank it!", "hold"),
]


@pytest.mark.parametrize(("game", "params", "state", "spoken", "move"), SAME_MOVE, ids=[each[3] for each in SAME_MOVE])
def test_a_move_is_read_alike_wherever_it_is_said(
    game: str, params: dict[str, Any], state: dict[str, Any], spoken: str, move: str
) -> None:
    found = rollwise.outcomes(game, state=state, move=spoken, params=params)
    assert found.move == move
    advice = rollwise.ask(game, params=params, state=state)
    if move not in advice.best:
        told = rollwise.why(game, state=state, move=spoken, params=params)
        assert (told.other, told.words.startswith(found.note)) == (move, True)
    match = rollwise.Match(game, params=params, state=state)
    assert match.play(spoken).move == match.record()[1]["choice"] == move
    dice = " ".join(map(str, state.get("roll", [])))
    head = shlex.join([game, *(f"{name}={value}" for name, value in {**params, **state}.items() if name != "roll")])
    reviewed = rollwise.review([head, f"{dice} {spoken}"])
    played = [choice.move for choice in reviewed.choices] or advice.best
    assert move in (played or [])
    assert all(found.note in note for note in reviewed.notes if "taken as" in note)
    lines: list[str] = []
    position = QuizPosition(advice, [each.move for each in advice.moves], 0.0, [], "")
    answers = iter([spoken])
    quiz = Quiz(game, params, "", advice.unit, 0.0, 1, None, None, 1, 1, 1, 1, 0.0, False, [position])
    score = run_quiz(quiz, game, lambda: next(answers, None), lines.extend)
    assert [answer.move for answer in score.answers] == [move]
    session = Session(
        rollwise.Match(game, params=params, state=state), [0], False, lambda prompt: None, lines.extend, screen()
    )
    assert session._parse_move(spoken, session.match.legal) == move
    assert not found.note or " ".join(lines).count(f"{found.note}.") == 2
