"""``quiz``: positions where a mistake costs, from play or from a file, and what is said of each."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.registry import game
from rollwise.questions.quiz.compute import make_quiz, quiz
from rollwise.questions.quiz.data import QuizPosition
from rollwise.questions.quiz.playing import QuizDecision
from rollwise.solver.model.errors import BadInput, ParameterError, StateError, UnknownName
from rollwise.solver.model.game import End, Position, TurnGame
from rollwise.solver.turn.questions import LegalMove
from tests.sizes import SIZES, chooses

Play = Callable[[TurnGame], str]
LinesOf = Callable[..., Path]
PIG = {"target": 30}
SMALL: dict[str, dict[str, Any]] = {
    "pig": PIG,
    "shut-the-box": {},
    "mexico": {"players": 3, "lives": 1},
    "zilch": {"goal": 500, "opening": 350, "players": 1},
    "bluff": {"chips": 2},
}
SEED = 7
LARGE = ("mexico", "zilch")
every_small = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name in LARGE else ()) for name in SMALL]
)


@cache
def small(name: str, *, n: int = 40, least: float = 0.1) -> list[QuizPosition]:
    return quiz(name, params=SMALL[name], seed=SEED, look=150, n=n, least=least)


@pytest.fixture
def lines_of(tmp_path: Path) -> LinesOf:
    """A file with these states, a line each."""

    def lines_of(*states: dict[str, Any] | str) -> Path:
        path = tmp_path / "states.txt"
        path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in states))
        return path

    return lines_of


def same_as_asked(name: str, params: dict[str, Any] | None, position: QuizPosition) -> None:
    """All that a position says is what ``ask`` says of its state, and what follows from that."""
    asked = rollwise.ask(name, params=params, state=position.state).plain()
    asked.pop("stop_from", None)  # looked up where it is asked alone
    assert position.advice.plain() == asked
    mixes = any(move.probability is not None for move in position.moves)
    others = [move for move in position.moves if not position.is_right(move.move)] if mixes else position.moves[1:2]
    assert position.second_loss == others[0].loss
    assert sorted(position.choices) == sorted(move.move for move in position.moves)
    for rule in position.wrong:
        assert not position.is_right(rule.move)
        assert rule.loss == position.move(rule.move).loss


@every_small
def test_what_a_position_says_is_what_ask_says_of_it(name: str) -> None:
    found = small(name)
    assert found
    for position in found[:3] + found[-3:]:
        same_as_asked(name, SMALL[name], position)


def test_of_a_sheet_too_and_most_points_now_counts_the_box_and_its_bonus(play: Play, lines_of: LinesOf) -> None:
    name = play(game("yahtzee", {"boxes": "ones,chance"}))  # type: ignore[arg-type]
    found = quiz(name, seed=SEED, n=12, look=60, least=0)
    assert found
    for position in found:
        same_as_asked(name, None, position)
    (position,) = quiz(name, file=lines_of({"roll": [1, 1, 1, 1, 2], "rolls_left": 0}), least=0)
    wrong = position.wrong[0]
    assert (position.best, wrong.rule, wrong.move) == (["score ones"], "most points now", "score chance")


def test_positions_differ_and_whole_games_are_played_until_enough_decisions_were_looked_at() -> None:
    found = make_quiz("pig", PIG, seed=SEED, look=300, n=1000, least=0)
    states = {str(position.state) for position in found.positions}
    assert len(states) == len(found.positions) == found.qualified <= found.differ < found.looked_at
    assert (found.looked_at >= 300, found.broken_off) == (True, False)
    ended = make_quiz("pig", PIG, seed=SEED, look=1)
    assert (ended.games, ended.looked_at < 300) == (16, True)


def test_games_go_on_from_the_state_that_is_given() -> None:
    found = quiz("pig", params=PIG, seed=SEED, look=100, n=100, least=0, state={"mine": 28, "theirs": 27})
    assert found
    assert all(min(position.state["mine"], position.state["theirs"]) >= 27 for position in found)


def test_both_questions_of_a_decision_are_asked_and_most_points_now_is_wrong_where_fewer_are_better() -> None:
    found = small("zilch", least=0, n=1000)
    keeps = [position for position in found if "roll" in position.state]
    others = {tuple(position.choices) for position in found if "roll" not in position.state}
    assert keeps
    assert all(position.choices[0].startswith(("keep", "score")) for position in keeps)
    assert others == {("stop", "roll")}
    counted = [rule for position in found for rule in position.wrong if rule.rule == "most points now"]
    assert counted
    assert all(" for " in rule.move for rule in counted)


# --- seeds and what the second-best costs ----------------------------------------------------------------------------


def test_the_same_seed_asks_the_same_another_one_does_not_and_without_one_it_is_told() -> None:
    first, again, other = (make_quiz("pig", PIG, seed=seed, look=60, n=100) for seed in (3, 3, 4))
    assert first == again
    assert first.positions != other.positions
    found = make_quiz("pig", PIG, look=60)
    assert found.seed is not None
    assert make_quiz("pig", PIG, look=60, seed=found.seed) == found


def test_the_second_best_has_to_cost_more_than_the_least(lines_of: LinesOf) -> None:
    file = lines_of("turn=5", "mine=10 theirs=3 turn=6", "mine=4 theirs=16 turn=9")
    every = quiz("pig", params=PIG, file=file, least=0)
    edge = sorted(position.second_loss for position in every)[1]
    near = (100 * edge, math.nextafter(100 * edge, 0), math.nextafter(100 * edge, math.inf))
    least = next(x for x in near if x / 100 == edge)
    assert len(every) == 3
    assert len(quiz("pig", params=PIG, file=file, least=least)) == 1
    assert len(quiz("pig", params=PIG, file=file, least=math.nextafter(least, 0) - 1e-12)) == 2


def test_the_least_is_in_hundredths_of_the_scale_of_a_game() -> None:
    found = make_quiz("shut-the-box", seed=SEED, look=200, least=2, n=1000)
    scale = game("shut-the-box").scale
    assert (found.least, found.scale) == (2 * scale / 100, scale)
    assert min(position.second_loss for position in found.positions) > found.least


def test_moves_that_are_equally_good_make_no_question(lines_of: LinesOf) -> None:
    assert len(quiz("shut-the-box", file=lines_of("open=1,2,3,4,5,6,7,8,9 roll=5,3"), least=0)) == 1
    tie = {"roll": "123555"}  # three fives are enough to win, with the 1 or without it
    assert len(rollwise.ask("zilch", params=SMALL["zilch"], state=tie).best) > 1
    assert quiz("zilch", params=SMALL["zilch"], file=lines_of(tie), least=0) == []


# --- files -----------------------------------------------------------------------------------------------------------


def test_states_of_a_file_are_asked_as_typed_or_as_json_each_once(lines_of: LinesOf) -> None:
    file = lines_of("# mine", "", {"mine": 10, "turn": 6}, "mine=10 turn=6", 'theirs=16  mine="4" turn=9', "mine=1")
    found = make_quiz("pig", PIG, file=file, least=0)
    assert (found.looked_at, found.differ, found.games, found.seed) == (3, 2, 0, None)
    assert {position.state["turn"] for position in found.positions} == {6, 9}
    for position in found.positions:
        same_as_asked("pig", PIG, position)


def test_a_state_may_name_boxes_with_spaces(lines_of: LinesOf) -> None:
    line = "filled=three of a kind:20,full house:25,chance:20,small straight:0,large straight:0,yahtzee:0"
    more = ",ones:0,twos:0,threes:0,fours:0,fives:0,four of a kind:0 roll=6 6 6 1 2 rolls_left=1"
    (position,) = quiz("yahtzee", file=lines_of(line + more), least=0)
    assert position.best == ["keep 6 6 6"]
    same_as_asked("yahtzee", None, position)


def test_a_line_may_be_an_answer_with_its_state(lines_of: LinesOf) -> None:
    advice = rollwise.ask("pig", params=PIG, turn=6)
    (position,) = quiz("pig", params=PIG, file=lines_of(json.dumps(advice.plain())), least=0)
    assert position.advice.plain() == advice.plain()


RECORD: list[Any] = [
    {"rollwise": 1, "game": "pig", "parameters": {"target": 30}, "rules_version": 1, "seed": 3, "seats": 2},
    {"choice": "roll", "seat": 0, "state": {}, "value": 0.6, "best": ["roll"], "loss": 0.0},
    {"thrown": [5], "seat": 0, "before": 0.6, "after": 0.61},
    {"choice": "hold", "seat": 0, "state": {"mine": 0, "theirs": 0, "turn": 5}, "value": 0.6, "best": [], "loss": 0.1},
    {"thrown": [6], "seat": 1, "before": 0.6, "after": 0.61},
    {"choice": "roll", "seat": 1, "state": {"mine": 0, "theirs": 5, "turn": 6}, "value": 0.6, "best": [], "loss": 0.1},
    {"result": [1, 0]},
]


def test_the_choices_of_a_record_are_asked_by_its_own_rules(lines_of: LinesOf) -> None:
    file = lines_of(*RECORD)
    found = make_quiz("pig", file=file, least=0)
    assert (found.parameters, found.looked_at, found.qualified) == ({"target": 30}, 2, 2)
    assert {position.state["turn"] for position in found.positions} == {5, 6}
    assert quiz("pig", params={"target": 30}, file=file, least=0)
    with pytest.raises(BadInput, match="is a record of pig with target=30"):
        quiz("pig", params={"target": 50}, file=file)


def test_a_record_that_is_cut_or_of_other_rules_says_so(lines_of: LinesOf, capsys: pytest.CaptureFixture[str]) -> None:
    cut, other = [*RECORD[:4], '{"choice": "roll", "seat": 1, "sta'], [{**RECORD[0], "rules_version": 99}, *RECORD[1:]]
    assert make_quiz("pig", file=lines_of(*cut), least=0).looked_at == 1
    assert "states.txt ends in the middle of line 5" in capsys.readouterr().err
    assert make_quiz("pig", file=lines_of(*other), least=0).looked_at == 2
    assert "has other rules (99, now 1)" in capsys.readouterr().err


WRONG_FILES: list[tuple[list[Any], type[BadInput], str]] = [
    (["turn=4", "turn=x"], StateError, "line 2: turn is a whole number"),
    (["turn=4", "# a word", "turns=4"], UnknownName, "line 3: pig has no field 'turns'"),
    (["turn=4", "mine 3"], BadInput, "line 2: a field is given as name=value, got 'mine 3'"),
    (["turn=1"], StateError, "line 1: turn=1 is impossible"),
    (["turn=4", '{"turn": 4'], BadInput, "line 2: a state is a JSON object"),
    (["turn=4", "turn=4 turn=5"], BadInput, "line 2: field 'turn' is given twice"),
    (["# nothing"], BadInput, "has no states in it"),
    ([{**RECORD[0], "game": "zilch"}], BadInput, "is a record of 'zilch', not of pig"),
    ([{**RECORD[0], "game": 3}], BadInput, "line 1: game is the name of a game, got 3"),
    ([{**RECORD[0], "parameters": {"target": 7000}}], ParameterError, "line 1: "),
    ([RECORD[0], "turn=3", RECORD[1]], BadInput, "line 2: a choice, a throw or a result is expected, got 'turn=3'"),
    ([RECORD[0], {"choice": "roll"}, RECORD[1]], BadInput, "line 2: a choice of a record has a state"),
    ([RECORD[0], {"choice": "roll", "state": {"turn": -2}}], StateError, "line 2: "),
]


def test_a_line_that_is_no_state_is_named(lines_of: LinesOf) -> None:
    for lines, error, said in WRONG_FILES:
        file = lines_of(*lines)
        with pytest.raises(BadInput) as raised:
            quiz("pig", file=file)
        assert type(raised.value) is error, said
        assert str(raised.value).startswith(str(file)), said
        assert said in str(raised.value)


def test_a_file_is_not_drawn_and_one_that_is_not_there_is_named(lines_of: LinesOf) -> None:
    hows: list[dict[str, Any]] = [{"seed": 3}, {"state": {"turn": 4}}]
    for how in hows:
        with pytest.raises(BadInput, match="all positions of a file are looked at"):
            quiz("pig", params=PIG, file=lines_of("turn=4"), **how)
    with pytest.raises(BadInput, match=r"nowhere\.txt cannot be read: No such file"):
        quiz("pig", params=PIG, file="nowhere.txt")


# --- what cannot be asked for ----------------------------------------------------------------------------------------


def test_nobody_chooses_in_a_game_of_luck(play: Play) -> None:
    for size in SIZES:
        if not chooses(size):
            with pytest.raises(BadInput, match=f"^{size.game.title} .*has no choices.*$"):
                quiz(play(size.game))


def test_what_cannot_be_is_said_in_a_line() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"n": 0}, "n is 1 to 100,000, got 0"),
        ({"n": "many"}, "n is a whole number, got 'many'"),
        ({"look": 0}, "look is 1 to 100,000, got 0"),
        ({"look": 100_001}, "look is 1 to 100,000, got 100001"),
        ({"least": -1}, "least is a number from 0 on, got -1"),
        ({"least": math.nan}, "least is a number, got nan"),
        ({"least": math.inf}, "least is a number from 0 on, got inf"),
        ({"least": True}, "least is a number, got True"),
        ({"seed": "x"}, "seed is a whole number, got 'x'"),
        ({"state": {"turn": 1}}, "turn=1 is impossible: a 1 ends the turn, so totals are 0 or at least 2"),
    ]
    for how, said in wrong:
        with pytest.raises(BadInput) as raised:
            quiz("pig", params=PIG, **how)
        assert str(raised.value) == said


# --- hidden dice -----------------------------------------------------------------------------------------------------


def test_where_the_best_play_is_a_mix_whatever_belongs_to_it_is_right() -> None:
    found = small("bluff", least=0, n=1000)
    assert {"call" in position.state for position in found} == {True, False}
    for position in found:
        parts = [move for move in position.moves if move.probability]
        assert parts
        assert all(position.is_right(move.move) for move in parts)
        assert position.second_loss > 0
        assert not position.is_right(max(position.moves, key=lambda move: move.loss).move)
    assert any(len([move for move in position.moves if move.probability]) > 1 for position in found)


def test_a_move_of_the_mix_is_right_though_it_seems_to_lose_a_little() -> None:
    moves = [LegalMove(name, End(0)) for name in ("accept", "challenge", "neither")]
    worths = np.array([[0.5] * 3, [0.4999] * 3, [0.3] * 3])
    met = QuizDecision({}, Position({}, ()), moves, worths, "max", [0.5, 0.5, 0.0])
    assert [met.is_right(place) for place in range(3)] == [True, True, False]
    assert met.second_loss == pytest.approx(0.2)
    assert replace(met, probabilities=None).second_loss == pytest.approx(0.0001)
    (first, *_) = small("bluff", least=0)
    advised = replace(first.moves[0], loss=1e-6, probability=0.5), replace(first.moves[0], loss=1e-6, probability=0.0)
    for move, right in zip(advised, (True, False), strict=True):
        assert replace(first, advice=replace(first.advice, best=[], moves=[move])).is_right(move.move) is right


def test_who_mixes_is_not_called_wrong_and_no_rule_tosses_a_coin() -> None:
    rules = {rule.rule for position in small("bluff", least=0, n=1000) for rule in position.wrong}
    assert rules
    assert "coin" not in rules
