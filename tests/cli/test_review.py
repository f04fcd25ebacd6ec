"""``review``: what is typed by hand or saved, what it says, and one line for everything that cannot be reviewed."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.display import Screen
from rollwise.games.pig import Pig
from rollwise.review_text import review_lines
from rollwise.reviewing import sources
from rollwise.reviewing.places import Place
from rollwise.reviewing.sources import source_of
from rollwise.reviewing.spots import Leads
from rollwise.reviewing.typed import MOST_DICE, Typist, head_of
from rollwise.reviewing.walking import Walk
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.falls import Faces

Run = Callable[..., tuple[int, str, str]]
Line = dict[str, Any]
PIG = ["pig target=12", "A: 5 hold", "B: 4 4 hold", "A: 6 hold", "B: 1", "A: 3"]
# The sample rounds of the rule sheet, one after the other: A has 8400, B 6300, and A moves.
ZILCH = """\
zilch mine=8400 theirs=6300
A: 6,5,4,1,6,3 keep 1 / 3,5,1,3,3 keep 1 3 3 3 5 / 4,2,4,2,6,3
B: 6,2,4,1,5,3 score straight / 1,4,6,1,6,1 keep 1 1 1 for 1000, stop
A: 4,2,4,6,5,4 keep 4 4 4 / 5,4,6 keep 4 5 / 1 keep 1 / 1,2,1,1,4,2 keep 1 1 1, stop
B: 4,1,4,4,1,4 score three pairs / 5,3,1,3,4,3 keep 1 3 3 3 5, stop
"""


def recorded(*, target: int = 12, seed: int = 5) -> list[Line]:
    """A match of pig in which everybody holds with 4 points or more."""
    match = rollwise.Match("pig", {"target": target}, seed=seed)
    while not match.over:
        if match.waiting:
            match.throw()
            continue
        legal = [move.move for move in match.moves]
        match.play("hold" if "hold" in legal and (match.state or {})["turn"] >= 4 else "roll")
    found: list[Line] = match.record()
    return found


def written(tmp_path: Path, lines: list[Line] | list[str] | str) -> str:
    path = tmp_path / "game.txt"
    text = (
        lines
        if isinstance(lines, str)
        else "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    )
    path.write_text(text)
    return str(path)


def refused(lines: Any, **how: Any) -> str:
    with pytest.raises(BadInput) as raised:
        rollwise.review(lines, **how)
    text = str(raised.value)
    assert "\n" not in text
    return text


# --- what was played -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_only_mistake_of_the_sample_rounds_of_zilch_is_keeping_the_five_beside_the_four() -> None:
    told = rollwise.review(ZILCH)
    (worst,) = told.choices
    assert (worst.at, worst.seat, worst.move, worst.best) == (4, 0, "keep 4 5 for 150", ["keep 4 for 100"])
    assert worst.loss == pytest.approx(0.0037, abs=0.00005)
    assert worst.grade == "fine"
    assert told.complete
    assert [seat.decisions for seat in told.seats] == [10, 6]
    assert [seat.result for seat in told.seats] == [0.0, 1.0]
    assert told.seats[0].own == pytest.approx(-worst.loss, abs=1e-15)
    assert told.seats[1].others == pytest.approx(worst.loss, abs=1e-15)
    advice = rollwise.ask("zilch", state=dict(word.split("=", 1) for word in shlex.split(worst.ask)[3:]))
    assert advice.best == worst.best
    assert {move.move: move.loss for move in advice.moves or []}[worst.move] == worst.loss


def test_the_worst_choice_comes_first_with_the_command_that_asks_it_again() -> None:
    told = rollwise.review(PIG)
    assert told.complete  # to hold with 11 + 3 goes without saying
    first = told.choices[0]
    command = shlex.split(first.ask)
    assert command[:3] == ["rollwise", "ask", "pig"]
    assert command[-2:] == ["-p", "target=12"]
    fields = dict(word.split("=") for word in command[3:-2])
    advice = rollwise.ask("pig", {"target": 12}, state=fields)
    assert {move.move: move.loss for move in advice.moves or []}[first.move] == first.loss
    assert sum(choice.loss for choice in told.choices if choice.seat == 0) == pytest.approx(-told.seats[0].own)


def test_a_record_that_begins_in_the_middle_is_reviewed_from_there() -> None:
    whole = recorded()
    start = next(place for place, line in enumerate(whole) if "choice" in line and line["seat"] == 1)
    told = rollwise.review([whole[0], *whole[start:]])
    assert told.complete
    state = whole[start]["state"]
    advice = rollwise.ask("pig", {"target": 12}, state=state)
    assert told.seats[1].start == pytest.approx(advice.value)
    assert told.seats[0].start == pytest.approx(1 - (advice.value or 0.0))


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
    asked = rollwise.ask("bluff", {"chips": 1}, total=13)
    assert caller.own == pytest.approx(-{move.move: move.loss for move in asked.moves or []}["call 12"])
    heard = rollwise.ask("bluff", {"chips": 1}, call=12)
    assert replier.own == pytest.approx(-{move.move: move.loss for move in heard.moves or []}["challenge"])


# --- what may be typed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ["pig target=12", "A: 5 hold", "B: 4 4 hold", "A: 6 hold", "B: 1", "A: 3 hold"],
        ["rollwise ask pig -p target=12", "5 hold / 44 hold / 6 hold / 1 / 3 hold"],
        ["# at home", "pig -p target=12", "", "5, hold", "4 / 4 / bank  # so few", "6; stop", "1", "3"],
        ["Pig target=12", "1: [5] hold", "2: 4,4 then hold", "3: 6 and hold", "4: 1", "5: roll / 3"],
        ["pig target=12", "seat 0: 5 hold", "seat 1: 4 4 hold turn=0", "6 hold theirs=11", "1", "3 turn=3 / hold"],
    ],
    ids=["labels", "one line", "comments", "numbers", "fields"],
)
def test_the_same_game_may_be_typed_in_many_ways(lines: list[str]) -> None:
    usual = rollwise.review(["pig target=12", "5 hold", "4 4 hold", "6 hold", "1", "3 hold"])
    told = rollwise.review(lines)
    assert told.seats == usual.seats
    assert [choice.move for choice in told.choices] == [choice.move for choice in usual.choices]


def test_dice_may_be_all_that_lie_there_or_those_thrown() -> None:
    head = 'yahtzee "filled=' + ",".join(f"{box}:0" for box in ("twos", "threes", "fours", "fives", "sixes"))
    head += ',three of a kind:0,four of a kind:0,full house:0,small straight:0,large straight:0,yahtzee:0,chance:20"'
    some = rollwise.review([head, "1 1 3 4 5 keep 1 1 / 1 2 3 keep 1,1,1 / 2 2 score ones"])
    every = rollwise.review([head, "54311 keep 1 1 / 1 1 1 2 3 keep 1,1,1 / 1 1 1 2 2 ones"])
    assert some == every
    assert some.complete


def test_game_and_state_may_be_said_beside_what_was_typed(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, "6 hold / 1\n")
    code, out, err = run("review", path, "--game", "pig", "-p", "target=12", "mine=5", "theirs=8", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["parameters"] == {"target": 12}
    assert told["complete"] is False
    assert told["seats"] == rollwise.review(["pig target=12 mine=5 theirs=8", "6 hold / 1"]).plain()["seats"]


def test_the_readme_shows_what_is_printed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    sample = re.search(r"^\$ printf '(.*)' \| rollwise review -\n((?:.*\n)*?)```$", readme, re.MULTILINE)
    assert sample
    monkeypatch.setenv("COLUMNS", "80")
    typed = io.TextIOWrapper(io.BytesIO(sample[1].replace("\\n", "\n").encode()))
    monkeypatch.setattr("sys.stdin", typed)
    assert run("review", "-") == (0, sample[2], "")


# --- what it says ----------------------------------------------------------------------------------------------------


def test_hints_name_the_file(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "our game.txt"
    path.write_text("pigg target 10\n5 hold\n")
    _, _, err = run("review", str(path))
    assert f"hint: rollwise review '{path}' --game pig" in err
    path.write_text('{"rollwise": 1, "game": "pig", "rules_version": 9}\n')
    _, _, err = run("review", str(path))
    assert f"hint: rollwise review '{path}' --anyway" in err


def test_a_long_line_of_dice_is_read_once_and_a_longer_one_refused() -> None:
    looked_at: list[int] = []

    class Stub(Walk):
        def first_throw(self, dice: Faces, place: Place) -> Faces:
            looked_at.append(len(dice))
            return dice[:1]

        def throw(self, thrown: Faces, place: Place) -> None:
            pass

    typist = Typist(Stub.__new__(Stub))
    typist._dice("3 " * MOST_DICE, Place(2))
    assert (len(looked_at), sum(looked_at) < 100 * MOST_DICE) == (MOST_DICE, True)
    with pytest.raises(BadInput, match="line 2: up to 200 dice stand between two slashes, got 201"):
        typist._dice("3 " * (MOST_DICE + 1), Place(2))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["pig target=12", "3 /" * 2500, "3 / hold /" * 2000], "line 3, column .*: .* up to 5,000 throws and moves"),
        (["pig target=12", "turn=0 /" * 5001], "line 2, column .*: .* up to 5,000 throws and moves"),
        (["pig target=12", "A: " + "a" * 100_000], "line 2, column .*: up to 2,000 letters .* got 100,001"),
        (["pig target=12", "x" + " " * 100_000 + "x"], "up to 2,000 letters stand .* between two slashes"),
        (["pig " + "x" * 100_000], "line 1: up to 2,000 letters stand on the first line"),
        (["a" * 100_000, "3"], "line 1: up to 2,000 letters stand on the first line"),
    ],
)
def test_a_game_typed_by_hand_is_bounded_by_throws_and_moves(lines: list[str], says: str) -> None:
    class Stub(Walk):
        over, n_seats = False, 1

        def first_throw(self, dice: Faces, place: Place) -> Faces:
            return dice[:1]

        def throw(self, thrown: Faces, place: Place) -> None:
            pass

        def names(self, words: str, place: Place) -> str:
            return words

        def choose(self, words: str, place: Place) -> None:
            pass

        def stand(self, fields: Any, seat: int | None, place: Place) -> None:
            pass

    source = source_of(lines)
    with pytest.raises(BadInput, match=says):
        Typist(Stub.__new__(Stub)).read(head_of(source, None, None, None).lines)


def test_questions_of_one_die_look_at_no_throw_but_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: set[int] = set()
    taken = Leads._at

    def at(leads: Leads, place: int) -> Any:
        if len(leads.throws) == 6:
            looked_at.add(place)
        return taken(leads, place)

    monkeypatch.setattr(Leads, "_at", at)
    rollwise.review(["pig target=12", "A: 5 5"])
    assert looked_at == {4}


def samples() -> list[str]:
    """The records on the page of records: those that begin with a head, and those that begin with a game."""
    blocks = re.findall(
        r"^```\n((?:.*\n)*?)```$", (Path(__file__).parents[2] / "docs" / "records.md").read_text(), re.MULTILINE
    )
    return [block for block in blocks if not block.startswith(("$", ">>>"))]


def test_every_record_on_its_page_can_be_reviewed_as_it_stands() -> None:
    assert len(samples()) >= 2
    for text in samples():
        told = rollwise.review(text)
        assert told.complete
        assert all(note.startswith("Counted for most points: line 4, ") for note in told.notes)
        assert sum(seat.decisions for seat in told.seats)


def test_json_has_the_names_of_every_review(tmp_path: Path, run: Run) -> None:
    code, out, _ = run("review", written(tmp_path, PIG), "--json")
    told = json.loads(out)
    assert code == 0
    assert {"complete", "seats", "choices"} <= told.keys()
    names = {"start", "own", "others", "luck", "result", "luck_adjusted", "decisions", "forced", "mean_loss"}
    assert all(names <= seat.keys() for seat in told["seats"])
    assert set(told["choices"][0]) == {"at", "seat", "state", "move", "best", "loss", "grade", "ask"}


def test_the_text_has_a_table_by_seat_and_the_worst_choices(tmp_path: Path, run: Run) -> None:
    path = written(tmp_path, PIG)
    code, out, err = run("review", path, "--top", "1")
    assert (code, err) == (0, "")
    assert "without luck" in out
    assert "The worst choices" in out
    assert out.count("rollwise ask pig") == 1
    assert "more that lost less; --top" in out
    assert run("review", path, "--top", "1") == (code, out, err)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_colour_changes_no_word_and_lines_are_not_too_long(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    told = rollwise.review(PIG)
    plain = review_lines(told, "Pig", Screen(width=width, color=False))
    painted = review_lines(told, "Pig", Screen(width=width, color=True))
    from rollwise.display import ESCAPES

    assert [ESCAPES.sub("", line) for line in painted] == plain
    assert any("\x1b" in line for line in painted)
    assert all(len(line) <= width or "rollwise ask" in line for line in plain)


def test_grades_are_from_the_limits_that_are_said(tmp_path: Path, run: Run) -> None:
    told = rollwise.review(PIG, grades=(0, 0, 0))
    assert {choice.grade for choice in told.choices} == {"blunder"}
    assert {choice.grade for choice in rollwise.review(PIG, grades="100,100,100").choices} == {"fine"}
    for wrong in ("1,2", "a,b,c", "3,2,1", "-1,2,3", "nan,1,2"):
        assert "grades" in refused(PIG, grades=wrong)
    assert run("review", written(tmp_path, PIG), "--grades", "5,2,1")[0] == 2


# --- what cannot be reviewed -----------------------------------------------------------------------------------------


def test_a_record_that_is_cut_is_reviewed_as_far_as_it_is_whole(tmp_path: Path, run: Run) -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in recorded())
    whole = rollwise.review(text)
    assert whole.complete
    last = text.rstrip().rindex("\n")  # before the result
    for end in range(text.index("\n") + 2, len(text) - 2, 37):
        told = rollwise.review(text[:end])
        assert told.complete is (end in (last, last + 1))
        for seat in told.seats:
            total = seat.start + seat.own + seat.others + seat.luck
            assert total == pytest.approx(seat.result, abs=seat.off + 1e-12)
    path = written(tmp_path, text[: len(text) // 2])
    code, out, _ = run("review", path)
    assert code == 0
    assert "what is whole is reviewed" in out


def test_a_record_of_other_rules_is_refused_with_what_they_changed(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = recorded()
    monkeypatch.setattr(Pig, "rules_version", 3)
    monkeypatch.setattr(Pig, "versions", {1: "the first", 2: "a two loses too", 3: "sixes count twice"})
    text = refused(lines)
    assert "a two loses too; sixes count twice" in text
    code, _, err = run("review", written(tmp_path, lines))
    assert code == 2
    assert "--anyway" in err
    told = rollwise.review(lines, anyway=True)
    assert "a two loses too" in told.notes[0]
    lines[0]["rules_version"] = 7
    assert "version 7" in refused(lines)


def test_a_line_that_is_no_json_is_named() -> None:
    lines = [json.dumps(line) for line in recorded()]
    assert refused([*lines[:3], "{what", *lines[3:]]).startswith("line 4 is no JSON")
    assert refused(['{"rollwise"']).startswith("line 1 is no JSON")
    assert "line 3: a choice" in refused([*lines[:2], "17", *lines[2:]])
    assert "line 3: a choice" in refused([*lines[:2], "{}", *lines[2:]])


def test_a_choice_that_is_not_legal_there_is_refused_with_those_that_are() -> None:
    lines = recorded()
    lines[1]["choice"] = "hold"
    assert refused(lines) == "line 2: 'hold' is no move in mine=0 theirs=0 turn=0; the moves are: roll"
    assert (
        refused(["pig", "hold"]) == "line 2, column 1: 'hold' is no move in mine=0 theirs=0 turn=0; the moves are: roll"
    )


def test_dice_that_cannot_fall_are_refused() -> None:
    lines = recorded()
    thrown = next(place for place, line in enumerate(lines) if "thrown" in line)
    for wrong in ([7], [0], ["x"], "6", [1.5]):
        bad = [*lines[:thrown], {**lines[thrown], "thrown": wrong}, *lines[thrown + 1 :]]
        assert refused(bad).startswith(f"line {thrown + 1}: a throw is a list of faces 1 to 6")
    bad = [*lines[:thrown], {**lines[thrown], "thrown": [1, 2]}, *lines[thrown + 1 :]]
    assert "cannot fall here: 'roll' throws 1 die" in refused(bad)
    assert refused(["pig", "3 / 7"]).startswith("line 2, column 5: dice show 1 to 6")
    assert "throws 6 dice" in refused(["zilch players=1 goal=500 opening=350", "1 2 3"])


def test_states_must_follow_each_other() -> None:
    lines = recorded()
    place = max(place for place, line in enumerate(lines) if "choice" in line)
    lines[place]["state"] = {**lines[place]["state"], "theirs": 11}
    text = refused(lines)
    assert text.startswith(f"line {place + 1}: the state does not follow from what was played: ")
    assert "theirs=11" in text
    lines = recorded()
    lines[3]["seat"] = 1 - lines[3]["seat"]
    assert "line 4: it is seat" in refused(lines)
    assert "is a move missing?" in refused(["pig", "A: 3", "B: 4"])


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


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("", "the record is empty"),
        ("\n \n", "the record is empty"),
        ("\x00\x01", "the game is wanted"),
        ("chess\ne4", "the game is wanted"),
        ("pig\nsay something", "'say something' is no move"),
        ("pig target=12 mine=99\n3", "line 1: mine is from 0 to 11"),
        ("pig target=12 roll=3\n3", "pig has no field 'roll'"),
        ('{"rollwise": 2, "game": "pig"}', 'line 1: a record begins with {"rollwise": 1'),
        ('{"rollwise": 1, "game": "chess", "parameters": {}}', "line 1: there is no game 'chess'"),
        ('{"rollwise": 1, "game": "pig", "parameters": {"targt": 3}}', "has no parameter 'targt'"),
        ('{"rollwise": 1, "game": "pig", "rules_version": 1}\n{"result": [1, 0]}', "line 2: the game is not over here"),
        ('{"rollwise": 1, "game": "pig", "rules_version": 1}\n{"choice": 5, "seat": 0}', "is a move in words"),
        (
            '{"rollwise": 1, "game": "pig", "rules_version": 1}\n{"choice": "roll", "seat": "x"}',
            "a seat is a whole number",
        ),
        ('{"rollwise": 1, "game": "pig", "rules_version": 1}\n{"choice": "roll", "seat": 9}', "seats are from 0 to 1"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(tmp_path: Path, run: Run, wrong: str, says: str) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text(wrong)
    code, out, err = run("review", str(path))
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) <= 2


def test_files_that_cannot_be_read_or_are_huge_are_refused(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "cannot be read" in run("review", str(tmp_path / "none"))[2]
    assert "cannot be read" in run("review", str(tmp_path))[2]
    (tmp_path / "picture").write_bytes(b"\x89PNG\xff\xfe")
    assert "is no text" in run("review", str(tmp_path / "picture"))[2]
    monkeypatch.setattr(sources, "MOST_BYTES", 1 << 20)
    (tmp_path / "huge").write_bytes(b"3 /" * (1 << 19))
    assert "is larger than 1 MB" in run("review", str(tmp_path / "huge"))[2]
    monkeypatch.setattr(sources, "MOST_LINES", 3)
    assert "more than 3 lines" in refused(["pig", "3", "3", "3", "3"])
    assert refused(17).startswith("a record is a file, or its lines")
    assert refused([["pig"]]).startswith("line 1: a choice, a throw or a result is wanted")


def test_what_has_no_best_play_that_is_known_cannot_be_reviewed() -> None:
    assert "only rules are compared" in refused(["bluff players=3", "A: 1 2 3"])


def test_a_record_says_itself_what_it_is_of() -> None:
    assert "a record says itself" in refused(recorded(), game="pig")
    assert "this is a game of pig" in refused(["pig", "3"], game="zilch")
