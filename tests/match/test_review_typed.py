"""``review``: what is typed by hand or saved, what it says, and one line for everything that cannot be reviewed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

import rollwise
from rollwise.games.pig.rules import Pig
from rollwise.games.registry import game as game_of
from rollwise.match.review import typed
from rollwise.match.review.text import column_meanings
from rollwise.parsing import records
from rollwise.solver.model.errors import BadInput

Said = Callable[..., str]
Line = dict[str, Any]
HEAD = '{"rollwise": 1, "game": "pig", "rules_version": 1}\n'
PIG = ["pig target=12", "A: 5 hold", "B: 4 4 hold", "A: 6 hold", "B: 1", "A: 3"]
RECORDS = (Path(__file__).parents[2] / "docs" / "records.md").read_text()
RECORDED, ZILCH = (  # those of the page; the second has the sample rounds of the rule sheet, one after the other
    block for block in re.findall(r"^```\n((?:.*\n)*?)```$", RECORDS, re.MULTILINE) if block[0] in "{z"
)


def recorded(*, target: int = 12, seed: int = 5) -> list[Line]:
    """A match of pig in which everybody holds with 4 points or more."""
    match = rollwise.Match("pig", params={"target": target}, seed=seed)
    while not match.over:
        if match.waiting:
            match.throw()
            continue
        legal = [move.move for move in match.moves]
        match.play("hold" if "hold" in legal and (match.state or {})["turn"] >= 4 else "roll")
    found: list[Line] = match.record()
    return found


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Any] | str], None]:
    """Writes the lines of ``game.txt`` in a folder of one's own."""
    monkeypatch.chdir(tmp_path)

    def write(lines: list[Any] | str) -> None:
        Path("game.txt").write_text(lines if isinstance(lines, str) else text_of(lines))

    return write


def text_of(lines: list[Any]) -> str:
    return "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)


def refused(lines: Any, **how: Any) -> str:
    with pytest.raises(BadInput) as raised:
        rollwise.review(lines, **how)
    text = str(raised.value)
    assert "\n" not in text
    return text


def losses(game: str, params: dict[str, Any], **state: Any) -> dict[str, float]:
    """What each move costs there, as ``ask`` says."""
    return {move.move: move.loss for move in rollwise.ask(game, params=params, state=state).moves}


# --- what was played -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_only_mistake_of_the_sample_rounds_of_zilch_is_keeping_the_five_beside_the_four() -> None:
    told = rollwise.review(ZILCH)
    (worst,) = told.choices
    assert (worst.at, worst.seat, worst.move, worst.best) == (4, 0, "keep 4 5 for 150", ["keep 4 for 100"])
    assert worst.loss == pytest.approx(0.0037, abs=0.00005)
    assert worst.grade == "fine"
    assert told.complete
    assert all(note.startswith("Counted for most points: line 4, ") for note in told.notes)
    assert [seat.decisions for seat in told.seats] == [10, 6]
    assert [seat.result for seat in told.seats] == [0.0, 1.0]
    assert told.seats[0].own == pytest.approx(-worst.loss, abs=1e-15)
    assert told.seats[1].others == pytest.approx(worst.loss, abs=1e-15)
    state = dict(word.split("=", 1) for word in shlex.split(worst.ask)[3:])
    assert losses("zilch", {}, **state)[worst.move] == worst.loss
    assert rollwise.ask("zilch", state=state).best == worst.best


def test_the_worst_choice_comes_first_with_the_command_that_asks_it_again() -> None:
    told = rollwise.review(PIG)
    assert told.complete  # to hold with 11 + 3 goes without saying
    first = told.choices[0]
    *command, option, parameters = shlex.split(first.ask)
    assert (command[:3], option, parameters) == (["rollwise", "ask", "pig"], "-p", "target=12")
    assert losses("pig", {"target": 12}, **dict(word.split("=") for word in command[3:]))[first.move] == first.loss
    assert sum(choice.loss for choice in told.choices if choice.seat == 0) == pytest.approx(-told.seats[0].own)


def test_a_record_that_begins_in_the_middle_is_reviewed_from_there() -> None:
    whole = recorded()
    start = next(place for place, line in enumerate(whole) if "choice" in line and line["seat"] == 1)
    told = rollwise.review([whole[0], *whole[start:]])
    assert told.complete
    value = rollwise.ask("pig", params={"target": 12}, state=whole[start]["state"]).value or 0.0
    assert [seat.start for seat in told.seats] == pytest.approx([1 - value, value])


def test_a_game_of_one_forced_choice_has_no_decisions() -> None:
    told = rollwise.review(["high-dice bank=3-4", "5 6"])
    (seat,) = told.seats
    assert (seat.own, seat.others, seat.decisions, seat.forced, told.choices) == (0.0, 0.0, 0, 1, [])
    assert seat.start + seat.luck == pytest.approx(seat.result)
    assert told.complete


def test_bluff_counts_as_skill_what_the_chooser_knew_and_all_else_as_luck() -> None:
    told = rollwise.review(["bluff chips=1", "A: 3 4 6 call 12", "B: challenge"])
    assert told.complete
    caller, replier = told.seats
    assert (caller.result, replier.result) == (1.0, 0.0)
    for seat in told.seats:
        assert seat.start + seat.own + seat.others + seat.luck == pytest.approx(seat.result, abs=seat.off + 1e-12)
    assert caller.own == pytest.approx(-losses("bluff", {"chips": 1}, total=13)["call 12"])
    assert replier.own == pytest.approx(-losses("bluff", {"chips": 1}, call=12)["challenge"])


# --- what may be typed -----------------------------------------------------------------------------------------------


def test_the_same_game_may_be_typed_in_many_ways() -> None:
    usual = rollwise.review(["pig target=12", "5 hold", "4 4 hold", "6 hold", "1", "3 hold"])
    for lines in (
        ["pig target=12", "A: 5 hold", "B: 4 4 hold", "A: 6 hold", "B: 1", "A: 3 hold"],
        ["rollwise ask pig -p target=12", "5 hold / 44 hold / 6 hold / 1 / 3 hold"],
        ["# at home", "pig -p target=12", "", "5, hold", "4 / 4 / bank  # so few", "6; stop", "1", "3"],
        ["Pig target=12", "1: [5] hold", "2: 4,4 then hold", "3: 6 and hold", "4: 1", "5: roll / 3"],
        ["pig target=12", "seat 0: 5 hold", "seat 1: 4 4 hold turn=0", "6 hold theirs=11", "1", "3 turn=3 / hold"],
    ):
        told = rollwise.review(lines)
        assert told.seats == usual.seats, lines
        assert [choice.move for choice in told.choices] == [choice.move for choice in usual.choices], lines


def test_moves_in_a_row_and_throws_in_a_row_may_go_together() -> None:
    for game, together, apart in (
        ("ten-thousand goal=500 players=1", "1 5 2 2 3 4 keep 1 5, stop", "1 5 2 2 3 4 keep 1 5 / stop"),
        ("ten-thousand goal=500 players=1", "1 5 2 2 3 4 keep 1 and then roll", "1 5 2 2 3 4 keep 1 / roll"),
        ("pig target=12", "3 3 3 hold", "3 / roll / 3 / roll / 3 / hold"),
    ):
        assert rollwise.review([game, together]) == rollwise.review([game, apart])


def test_a_throw_that_the_next_state_tells_may_be_left_out() -> None:
    lines = recorded()
    assert rollwise.review([*lines[:2], *lines[3:]]).seats == rollwise.review(lines).seats


def test_dice_may_be_all_that_lie_there_or_those_thrown() -> None:
    head = 'yahtzee "filled=' + ",".join(f"{box}:0" for box in ("twos", "threes", "fours", "fives", "sixes"))
    head += ',three of a kind:0,four of a kind:0,full house:0,small straight:0,large straight:0,yahtzee:0,chance:20"'
    some = rollwise.review([head, "1 1 3 4 5 keep 1 1 / 1 2 3 keep 1,1,1 / 2 2 score ones"])
    every = rollwise.review([head, "54311 keep 1 1 / 1 1 1 2 3 keep 1,1,1 / 1 1 1 2 2 ones"])
    assert some == every
    assert some.complete


def test_game_and_state_may_be_said_beside_what_was_typed(write: Callable[..., None], said: Said) -> None:
    write("6 hold / 1\n")
    told = json.loads(said("review game.txt --game pig -p target=12 mine=5 theirs=8 --json"))
    assert (told["parameters"], told["complete"]) == ({"target": 12}, False)
    assert told["seats"] == rollwise.review(["pig target=12 mine=5 theirs=8", "6 hold / 1"]).plain()["seats"]


# --- what it says ----------------------------------------------------------------------------------------------------


def test_a_game_typed_by_hand_is_bounded_by_throws_and_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed, "MAX_STEPS", 5)
    too_long = "up to 2,000 letters stand"
    for lines, says in (
        (["pig target=12", "turn=0 /" * 5, "turn=0"], "line 3, column .*: .* up to 5 throws and moves"),
        (
            ["pig target=12", "3 " * (typed.MAX_DICE_IN_A_ROW + 1)],
            "up to 200 dice stand between .*, got 201",
        ),
        (["pig target=12", "A: " + "a" * 100_000], "line 2, column .*: up to 2,000 letters .* got 100,001"),
        (["pig target=12", "x" + " " * 100_000 + "x"], f"{too_long} .* between two slashes"),
        (["pig " + "x" * 100_000], f"line 1: {too_long} on the first line"),
        (["a" * 100_000, "3"], f"line 1: {too_long} on the first line"),
    ):
        assert re.search(says, refused(lines)), says


def test_dice_in_a_row_are_read_in_linear_time() -> None:
    """Each throw looks at so many dice at most, however many follow."""
    replay = MagicMock(**{"first_throw.side_effect": lambda dice: dice[:1]})
    typed.TypedGameReader(replay)._replay_dice("3 " * typed.MAX_DICE_IN_A_ROW, records.Place(2))
    lengths = [len(call.args[0]) for call in replay.first_throw.call_args_list]
    assert (len(lengths), max(lengths)) == (typed.MAX_DICE_IN_A_ROW, typed.MAX_DICE_OF_A_THROW)


def test_the_record_on_its_page_can_be_reviewed_as_it_stands() -> None:
    told = rollwise.review(RECORDED)
    assert (told.complete, told.notes) == (True, [])
    assert sum(seat.decisions for seat in told.seats)


def test_grades_are_from_the_limits_that_are_said() -> None:
    assert {choice.grade for choice in rollwise.review(PIG, grades=(0, 0, 0)).choices} == {"blunder"}
    assert {choice.grade for choice in rollwise.review(PIG, grades="100,100,100").choices} == {"fine"}
    for wrong in ("1,2", "a,b,c", "3,2,1", "-1,2,3", "nan,1,2"):
        assert "grades" in refused(PIG, grades=wrong)


BOXES = ["A: 5 3 shut 8 / 4 3", "shut 7 / 6 6", "B: 6 3 shut 9 / 6 3 shut 6 3 / 1 1"]


def test_sheets_of_several_in_a_game_for_one_are_reviewed_each_by_itself() -> None:
    told = rollwise.review(["shut-the-box", *BOXES])
    apart = [rollwise.review(["shut-the-box", *lines]) for lines in (BOXES[:2], BOXES[2:])]
    assert told.seats == [each.seats[0] for each in apart]
    assert {(choice.seat, choice.at - 2 * choice.seat) for choice in told.choices} == {
        (seat, choice.at) for seat, each in enumerate(apart) for choice in each.choices
    }
    assert told.notes[0] == "A game for one: each sheet is reviewed by itself; seat 0 is A, seat 1 is B."
    assert [step.seats[0] for step in told.steps if step.seat] == [apart[0].steps[-1].seats[0]] * len(apart[1].steps)
    assert "others" not in column_meanings(told)
    for lines, says in {
        ("shut-the-box open=1-8", *BOXES): "of one player's game, and the record is of A and B",
        ("shut-the-box", "5 3", *BOXES): "line 2: a name is wanted here, in a record of A and B",
        ("shut-the-box", "5 3 shut 8 / 5 3 shut 8"): "or each line begins with the name of one, as A: ...",
    }.items():
        assert says in refused(list(lines))


def test_all_dice_are_kept_before_a_box_without_a_move_of_their_own(play: Callable[..., str]) -> None:
    play(game_of("yahtzee", {"boxes": "ones"}))
    told = [
        rollwise.review(["yahtzee", f"1 1 1 1 2 keep 1 1 1 1 / 3 {kept}score ones"])
        for kept in ("", "keep everything / ", "keep all, ", "keep 1 1 1 1 3 / ")
    ]
    assert [(each.seats, each.complete) for each in told] == [(told[0].seats, True)] * 4


# --- what cannot be reviewed -----------------------------------------------------------------------------------------


def test_a_record_that_is_cut_is_reviewed_as_far_as_it_is_whole(write: Callable[..., None], said: Said) -> None:
    text = text_of(recorded())
    assert rollwise.review(text).complete
    last = text.rstrip().rindex("\n")  # before the result
    for end in [*range(text.index("\n") + 2, len(text) - 2, 111), last, last + 1]:
        told = rollwise.review(text[:end])
        assert told.complete is (end in (last, last + 1))
        for seat in told.seats:
            total = seat.start + seat.own + seat.others + seat.luck
            assert total == pytest.approx(seat.result, abs=seat.off + 1e-12)
    write(text[: len(text) // 2])
    said("review game.txt", "what is whole is reviewed")


@pytest.mark.filterwarnings("ignore:pig is solved for this program alone")
def test_a_record_of_other_rules_is_refused_with_what_they_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = recorded()
    monkeypatch.setattr(Pig, "rules_version", 3)
    monkeypatch.setattr(Pig, "versions", {1: "the first", 2: "a two loses too", 3: "sixes count twice"})
    assert "a two loses too; sixes count twice" in refused(lines)
    assert "a two loses too" in rollwise.review(lines, anyway=True).notes[0]
    lines[0]["rules_version"] = 7
    assert "version 7" in refused(lines)


FACES = "a throw is a list of faces 1 to 6"


def test_a_record_with_a_wrong_line_is_refused() -> None:
    wrong: list[tuple[int, Line | str, str]] = [
        (0, {"seats": 3}, "line 1: pig has 2 seats here, got 3"),
        (1, {"choice": "hold"}, "line 2: 'hold' is no move in mine=0 theirs=0 turn=0; the moves are: roll"),
        *((2, {"thrown": no_dice}, f"line 3: {FACES}") for no_dice in ([7], [0], ["x"], "6", [1.5])),
        (2, {"thrown": [1, 2]}, "cannot fall here: 'roll' throws 1 die"),
        (2, "17", "line 3: a choice"),
        (2, "{}", "line 3: a choice"),
        (3, "{what", "line 4 is no JSON"),
        (3, {"seat": 0}, "line 4: it is seat"),
        (
            3,
            {"state": {"mine": 0, "theirs": 11, "turn": 5}},
            "line 4: the state does not follow from what was ",
        ),
    ]
    for place, change, says in wrong:
        lines: list[Any] = recorded()
        lines[place] = change if isinstance(change, str) else {**lines[place], **change}
        text = refused([line if isinstance(line, str) else json.dumps(line) for line in lines])
        assert says in text
        assert "follow" not in says or "theirs=11" in text


def test_numbers_that_are_not_what_is_computed_do_not_count_and_are_named() -> None:
    lines = recorded()
    right = rollwise.review(lines)
    assert right.notes == []
    choice = next(line for line in lines if "choice" in line)
    choice["value"] = 0.123
    thrown = next(line for line in lines if "thrown" in line)
    thrown["after"] = 0.9876
    lines[-1]["result"] = lines[-1]["result"][::-1]
    told = rollwise.review(lines)
    assert told.seats == right.seats
    assert "4 numbers in the record are not what is computed" in told.notes[0]
    assert "line 2: value 0.123, computed" in told.notes[0]


NO_RECORDS = [
    ("", "the record is empty"),
    ("\n \n", "the record is empty"),
    ("\x00\x01", "the game is wanted"),
    ("chess\ne4", "the game is wanted"),
    ("pig\nsay something", "'say something' is no move"),
    ("pig\nhold", "line 2, column 1: 'hold' is no move in mine=0 theirs=0 turn=0; the moves are: roll"),
    ("pig\n3 / 7", "line 2, column 5: dice show 1 to 6"),
    ("pig target=3\n3 hold / 4 hold", "line 2, column 10: the game is over before this"),
    (f'{HEAD}{{"seat": 0, "state": {{"turn": 5}}, "thrown": [1, 2]}}', "line 2: 1,2 cannot fall here: 'roll'"),
    ("pig\nA: 3\nB: 4", "is a move missing?"),
    ("pig target=12 mine=99\n3", "line 1: mine is from 0 to 11"),
    ("pig target=12 roll=3\n3", "pig has no field 'roll'"),
    ("zilch players=1 goal=500 opening=350\n1 2 3", "throws 6 dice"),
    ('{"rollwise"', "line 1 is no JSON"),
    ('{"rollwise": 2, "game": "pig"}', 'line 1: a record begins with {"rollwise": 1'),
    ('{"rollwise": 1, "game": "chess", "parameters": {}}', "line 1: there is no game 'chess'"),
    ('{"rollwise": 1, "game": "pig", "parameters": {"targt": 3}}', "has no parameter 'targt'"),
    (f'{HEAD}{{"result": [1, 0]}}', "line 2: the game is not over here"),
    (f'{HEAD}{{"choice": 5, "seat": 0}}', "is a move in words"),
    (f'{HEAD}{{"choice": "roll", "seat": "x"}}', "a seat is a whole number"),
    (f'{HEAD}{{"choice": "roll", "seat": 9}}', "seats are from 0 to 1"),
]


def test_what_is_no_record_is_refused_in_one_line(write: Callable[..., None], said: Said) -> None:
    for wrong, says in NO_RECORDS:
        write(wrong)
        assert len(said("review game.txt", says, code=2).splitlines()) <= 2, wrong


def test_files_that_cannot_be_read_and_what_is_too_long_are_refused(
    write: Callable[..., None], said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(PIG)
    said("review none", "cannot be read", code=2)
    said("review .", "cannot be read", code=2)
    Path("picture").write_bytes(b"\x89PNG\xff\xfe")
    said("review picture", "is no text", code=2)
    said("review game.txt --grades 5,2,1", "grades", code=2)
    monkeypatch.setattr(records, "MAX_LINES", 3)  # of a file: test_bounded
    assert "more than 3 lines" in refused(["pig", "3", "3", "3", "3"])
    assert refused(17).startswith("a record is a file or lines")
    assert refused([["pig"]]).startswith("line 1: a choice, a throw or a result is expected")


def test_what_has_no_best_play_is_not_reviewed_and_a_record_says_itself_what_it_is_of() -> None:
    assert "only rules are compared" in refused(["bluff players=3", "A: 1 2 3"])
    assert "a record says itself" in refused(recorded(), game="pig")
    assert "this is a game of pig" in refused(["pig", "3"], game="zilch")
