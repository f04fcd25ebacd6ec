"""A match: whatever is played, its record says all of it, and what is taken back comes again with the same dice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rollwise
from rollwise import BadInput, DiceError, Match
from rollwise.match.chance import below, pick
from rollwise.match.throwing import drawn
from rollwise.solver.game.falls import throws_of
from rollwise.solver.game.model import TurnGame
from tests.sizes import FOLLOW, SIZES, Size, cases

Play = Callable[[TurnGame], str]
STEPS, THROWS = 40, 6  # moves and throws of one match; fewer where nobody chooses, and odds are found for each


LONG = {"martinetti": 2, "slam": 2, "drop-dead": 3, "421": 12, "sixzee": 12}  # games that take long


def steps(match: Match) -> int:
    """How far a match is followed."""
    return LONG.get(match.game, THROWS if match.luck else STEPS)


def begun(size: Size) -> dict[str, Any]:
    """The state that a match begins in; a bet has to be named."""
    return {"bet": "odd"} if size.name == "dice-roulette" else {}


def step(match: Match, draw: Random) -> None:
    """A throw, or a random move."""
    if match.waiting:
        match.throw()
    else:
        match.play(draw.choice(match.moves).move)


def again(match: Match) -> Match:
    """The match as another process takes it up."""
    return Match.of(json.loads(json.dumps(match.plain())))


@cases(FOLLOW)
def test_a_match_of_random_moves_is_taken_up_anywhere_as_it_was(size: Size, play: Play) -> None:
    match, draw = Match(play(size.game), state=begun(size), seed=3), Random(5)
    for _ in range(steps(match)):
        taken_up = again(match)
        assert taken_up.record() == match.record()
        seen = (taken_up.state, taken_up.mover, taken_up.waiting, taken_up.over, taken_up.seed)
        assert seen == (match.state, match.mover, match.waiting, match.over, match.seed)
        if match.over:
            break
        now = draw.getstate()
        step(match, draw)
        draw.setstate(now)
        step(taken_up, draw)
        assert taken_up.record() == match.record()
    assert match.over or len(match.record()) > steps(match) / 2
    if match.result is not None:
        assert len(match.result) == match.seats


def holes(state: dict[str, Any]) -> list[str]:
    """The fields of a state with nothing where a member of a list should stand."""
    return [name for name, value in state.items() if isinstance(value, list | tuple) and None in value]


@cases(FOLLOW)
def test_outcomes_answers_and_the_match_spell_a_state_in_one_way(size: Size, play: Play) -> None:
    match, draw = Match(play(size.game), state=begun(size), seed=4), Random(6)
    for _ in range(steps(match)):
        if match.over:
            break
        rows = []
        if match.waiting or not match.hides:
            found = match.outcomes(match.move or draw.choice(match.legal or ["roll"]))
            rows = [row.plain()["state"] for row in found.rows if row.state is not None]
            assert found.plain()["state"] == match.state
            assert not [name for row in found.rows for name in holes(row.state or {})]
        is_next = match.waiting and not match.thrown
        before = len(match.record())
        step(match, draw)
        if is_next and not match.over and not match.thrown and len(match.record()) == before + 1:
            assert match.state in rows
        if match.state is not None and not match.waiting and not match.luck:
            assert match.advice is not None
            assert json.loads(json.dumps(match.advice.plain()["state"])) == match.state


@pytest.mark.parametrize(
    ("game", "params", "said", "spelled"),
    [
        ("mexico", {"players": 3, "lives": 2}, {"lives": "2,0,1"}, {"lives": [2, "-", 1]}),
        ("slam", {"players": 3}, {"scores": "15,2,0", "mover": 1}, {"scores": ["-", 2, 0]}),
    ],
)
def test_a_seat_that_is_said_to_be_out_by_a_number_is_spelled_as_one_that_goes_out(
    game: str, params: dict[str, Any], said: dict[str, Any], spelled: dict[str, Any]
) -> None:
    match = Match(game, params, state=said, seed=1)
    assert {name: (match.state or {})[name] for name in spelled} == spelled
    assert match.outcomes("roll").plain()["state"] == match.state
    match.play("roll")
    match.throw()
    held = match.state or {}
    assert all(held[name][seat] == "-" for name in spelled for seat in [spelled[name].index("-")])


@cases(FOLLOW)
def test_what_is_taken_back_and_made_again_brings_the_same_dice(size: Size, play: Play) -> None:
    match, draw = Match(play(size.game), state=begun(size), seed=11), Random(2)
    for _ in range(steps(match) // 2):
        if match.over:
            break
        step(match, draw)
    while match.waiting and match.advice is None and not match.over and "choice" in match.record()[-1]:
        match.throw()
    whole = match.record()
    match.undo()
    done = whole[len(match.record()) :]
    assert done
    if "choice" in done[0]:
        match.play(done[0]["choice"])
    if match.waiting:
        match.throw()
    assert match.record() == whole
    while len(match.record()) > 1:
        match.undo()
    start = Match(size.game.name, state=begun(size), seed=11)
    assert (match.state, match.mover, match.record()) == (start.state, start.mover, start.record())
    with pytest.raises(BadInput, match="nothing to take back"):
        match.undo()


def test_another_choice_brings_dice_that_do_not_hang_on_what_was_taken_back() -> None:
    """The second throw is the same one whichever dice were typed for the first, or kept of it."""
    found = set()
    for keep in ("keep 6 6", "keep 5 6"):
        match = Match("yahtzee", state={"filled": "chance:20"}, seed=9)
        match.play("roll")
        match.throw("1 2 5 6 6")
        match.play(keep)
        row = match.throw()
        assert row is not None
        found.add(row.thrown[0].dice)
        match.undo()
        assert (match.state or {})["roll"] == [1, 2, 5, 6, 6]
    assert len(found) == 1


def test_throws_differ_by_seed_by_number_and_by_seat() -> None:
    def throws(seed: int) -> list[Any]:
        match = Match("piggy-six", {"target": 100}, seed=seed)
        for _ in range(12):
            step(match, Random(0))
        return [line["thrown"] for line in match.record() if "thrown" in line]

    assert throws(1) == throws(1)
    assert len({str(throws(seed)) for seed in range(5)}) == 5


def test_dice_fall_as_often_as_they_should() -> None:
    """Throws of a pair of dice, by seed: a chi-square of 21 throws, within what chance does."""
    throws = {dice: Fraction(ways, 36) for dice, ways in throws_of(2, 6)}
    counts = Counter(drawn(throws, seed, 0, 0, 0) for seed in range(3000))
    assert len(counts) == 21
    due = {dice: float(3000 * share) for dice, share in throws.items()}
    assert 5 < sum((counts[dice] - due[dice]) ** 2 / due[dice] for dice in counts) < 45


def test_numbers_of_a_place_are_these_wherever_they_are_drawn() -> None:
    """Written down, so that a record made today has the same dice in later versions."""
    assert [below(6, 42, number, 0, 0) for number in range(10)] == [2, 4, 2, 1, 4, 5, 2, 3, 1, 0]
    assert below(10**90, 42) % 10**9 == 182689669
    assert {pick([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], seed) for seed in range(40)} == {0, 1, 2}


# --- what is said to it -----------------------------------------------------------------------------------------------


@pytest.fixture
def thrown_once() -> Match:
    match = Match("yahtzee", state={"filled": "chance:20"})
    match.play("Roll")
    return match


@pytest.mark.parametrize("dice", ["6 1 5 2 6", "61526", [6, 1, 5, 2, 6], "6,1,5,2,6", (6, 1, 5, 2, 6)])
def test_typed_dice_are_read_in_any_order(thrown_once: Match, dice: Any) -> None:
    row = thrown_once.throw(dice)
    assert row is not None
    assert row.thrown[0].dice == (1, 2, 5, 6, 6)
    assert (thrown_once.state or {})["roll"] == [1, 2, 5, 6, 6]
    assert thrown_once.seed is None


@pytest.mark.parametrize(
    ("dice", "told"),
    [
        ("6 1 5 2", "5 dice fall here, got 4: 1 2 5 6"),
        ("1 2 3 4 7", "a die shows 1 to 6, got 1 2 3 4 7"),
        ("0 2 3 4 5", "a die shows 1 to 6, got 0 2 3 4 5"),
        ("six", "5 dice fall here, each 1 to 6; got 'six'"),
        ([], r"5 dice fall here, each 1 to 6; got \[\]"),
        ([1, 2, 3, 4, 5.5], "5 dice fall here"),
        (object(), "5 dice fall here"),
    ],
)
def test_dice_that_cannot_fall_are_refused_in_a_line_and_change_nothing(
    thrown_once: Match, dice: Any, told: str
) -> None:
    before = thrown_once.record()
    with pytest.raises(DiceError, match=told) as raised:
        thrown_once.throw(dice)
    assert "\n" not in str(raised.value)
    assert thrown_once.record() == before


@pytest.mark.parametrize("move", ["stop", "", 4, None, ["roll"]])
def test_a_move_that_is_not_legal_names_those_that_are_and_changes_nothing(move: Any) -> None:
    match = Match("shut-the-box", state={"open": "1-9", "roll": "53"})
    before = match.record()
    with pytest.raises(BadInput, match="the moves are: shut 3 5, shut 8" if isinstance(move, str) else "move is text"):
        match.play(move)
    assert match.record() == before
    assert match.play("SHUT 3-5").loss == pytest.approx(3.531, abs=1e-3)


def test_what_is_not_its_turn_is_refused() -> None:
    match = Match("pig", {"target": 3})
    with pytest.raises(BadInput, match="no dice are to be thrown before a move: roll"):
        match.throw("3")
    match.play("roll")
    with pytest.raises(BadInput, match="roll is played, and the dice are to be thrown now"):
        match.play("roll")
    match.throw("3")
    match.play("hold")
    assert (match.over, match.result, match.moves, match.state) == (True, [1, 0], [], None)
    for act in (lambda: match.play("roll"), match.throw, match.outcomes):
        with pytest.raises(BadInput, match="the game is over"):
            act()
    match.undo()
    assert match.state == {"mine": 0, "theirs": 0, "turn": 3}


def test_in_games_of_luck_there_are_only_throws() -> None:
    match = Match("big-six", state={"chips": [1, 1]})
    assert (match.moves, match.waiting) == ([], True)
    assert match.advice is not None
    assert match.advice.quantities["win"].value == [1.0, 0.0]
    match.play("roll")
    row = match.throw(3)
    assert row is not None
    assert (match.over, match.result) == (True, [1, 0])
    line = match.record()[1]
    assert (line["thrown"], line["seat"], line["after"]) == ([3], 0, 1.0)
    match.undo()
    assert match.waiting
    assert not match.over


def test_the_seats_of_a_duel_take_turns() -> None:
    match = Match("pig", {"target": 10})
    for seat in (0, 1, 0, 1):
        assert match.mover == seat
        match.play("roll")
        match.throw(1)
    assert [line["seat"] for line in match.record()[1:]] == [0, 0, 1, 1, 0, 0, 1, 1]


def test_hidden_dice_are_shown_to_their_seat_and_decide_a_challenge() -> None:
    for dice, call, chips in (("345", "call 9", 6), ("111", "call 9", 4)):
        match = Match("bluff", seed=1)
        match.play("roll")
        match.throw(dice)
        assert match.hidden == ["total"]
        assert match.seen_by(0) == match.state
        assert match.seen_by(1) == {"mine": 5, "theirs": 5, "last": 0}
        match.play(call)
        assert (match.mover, match.state) == (1, {"mine": 5, "theirs": 5, "last": 0, "call": 9})
        assert again(match).record() == match.record()
        assert match.record()[-1]["hidden"] == ["total"]
        match.play("challenge")
        assert (match.mover, match.state) == (1, {"mine": chips, "theirs": 10 - chips, "last": 0})
        match.undo()
        match.undo()
        assert (match.mover, match.state) == (0, {"mine": 5, "theirs": 5, "last": 0, "total": sum(map(int, dice))})


@pytest.mark.parametrize(
    ("dice", "mine", "theirs", "result"),
    [("345", 1, 1, [1, 0]), ("111", 1, 1, [0, 1]), ("345", 1, 3, [1, 0]), ("111", 3, 1, [0, 1]), ("111", 1, 3, None)],
)
def test_the_last_chip_goes_by_what_is_under_the_cup(
    dice: str, mine: int, theirs: int, result: list[int] | None
) -> None:
    match = Match("bluff", state={"mine": mine, "theirs": theirs}, seed=1)
    match.play("roll")
    match.throw(dice)
    match.play("call 9")
    match.play("challenge")
    assert match.result == result


def test_what_is_under_the_cup_of_a_call_that_nobody_makes_is_not_known() -> None:
    match = Match("bluff", state={"call": 11})
    before = match.record()
    with pytest.raises(BadInput, match="nobody makes the call that challenge follows"):
        match.play("challenge")
    assert match.record() == before


def test_what_later_states_cannot_say_is_counted_in_the_result(play: Play) -> None:
    """A value is of what is still to come: the margin at the end is the sum of what was gained."""
    killer = next(size.game for size in SIZES if str(size) == "killer boxes=trebles")
    match, draw = Match(play(killer), seed=2), Random(1)
    gained = [0, 0]
    while not match.over:
        if match.waiting:
            match.throw()
            continue
        seat, move = match.mover, draw.choice(match.moves).move
        if move.startswith("score trebles"):
            gained[seat] += int(move.rpartition(" ")[2])
        match.play(move)
    assert any(gained)
    assert match.result == [gained[0] - gained[1], gained[1] - gained[0]]


# --- the record -------------------------------------------------------------------------------------------------------


def test_the_record_says_what_was_chosen_and_thrown() -> None:
    match = Match("pig", {"target": 10}, seed=4)
    match.play("roll")
    match.throw(5)
    match.play("hold")
    head, first, thrown, held = match.record()
    assert head == {
        "rollwise": 1,
        "game": "pig",
        "parameters": {"target": 10},
        "rules_version": 1,
        "seed": 4,
        "seats": 2,
        "next": {"state": {"mine": 0, "theirs": 5, "turn": 0}, "seat": 1},
    }
    assert (first["choice"], first["seat"], first["loss"], first["best"]) == ("roll", 0, 0.0, ["roll"])
    assert set(thrown) == {"thrown", "seat", "before", "after"}
    assert thrown["before"] == first["value"]
    asked = rollwise.ask("pig", {"target": 10}, mine=0, theirs=0, turn=5)
    assert (held["state"], held["value"], held["best"]) == (asked.state, asked.moves[1].value, ["roll"])  # type: ignore[index]
    assert thrown["after"] == asked.value
    assert held["loss"] == asked.moves[1].loss  # type: ignore[index]


def test_a_record_is_saved_and_goes_on_elsewhere(tmp_path: Path) -> None:
    match = Match("shut-the-box", seed=8)
    for number in range(6):
        match.save(tmp_path / "box.jsonl")
        assert Match.load(tmp_path / "box.jsonl").record() == match.record()
        assert len((tmp_path / "box.jsonl").read_text().splitlines()) == number + 1
        step(match, Random(0))
    assert [path.name for path in tmp_path.iterdir()] == ["box.jsonl"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the record is empty"),
        ("hello", "line 1 of .* is no JSON"),
        ("[]\n", "line 1: a choice, a throw or a result is wanted"),
        ('{"rollwise": 2}', "line 1: a record begins with"),
        ('{"rollwise": 1}', "line 1: the game is wanted"),
        ('{"rollwise": 1, "game": "pigs", "parameters": {}}', "no game 'pigs'"),
        ('{"rollwise": 1, "game": "pig", "parameters": {"target": 3}, "rules_version": 0}', "version 0 of the rules"),
        ('HEAD, "next": {}}', "line 1: a state is a mapping of fields"),
        ('HEAD, "next": {"state": {"mine": 7}, "seat": 0}}', "mine"),
        ('HEAD, "next": {"state": {}, "seat": 2}}', "seats are from 0 to 1, got 2"),
        ('HEAD, "next": {"state": {}, "seat": true}}', "line 1: a seat is a whole number"),
        ('HEAD, "next": {"state": {}, "seat": 0, "choice": "hold"}}', "the moves are: roll"),
        (
            'HEAD, "next": {"state": {}, "seat": 0, "choice": "roll", "thrown": [[7]]}}',
            "each a list of faces 1 to 6",
        ),
        ("HEAD}", "ends in the middle"),
        ('HEAD}\n{"chose": 1}', "line 2: a choice, a throw or a result is wanted"),
        ('HEAD}\n{"choice": "roll", "seat": 5, "state": {}}', "line 2: seats are from 0 to 1, got 5"),
        ('HEAD}\n{"result": 5}', "line 2: a result is a list of numbers, one a seat, got 5"),
        ('HEAD}\n{"result": [1, 0]}\n{"thr', "line 3 of .* is no JSON, so the record is cut or damaged there"),
    ],
)
def test_a_file_that_is_no_record_is_refused_in_a_line(text: str, told: str, tmp_path: Path) -> None:
    head = '{"rollwise": 1, "game": "pig", "parameters": {"target": 3}, "rules_version": 1, "seed": null'
    (tmp_path / "match.jsonl").write_text(text.replace("HEAD", head))
    with pytest.raises(BadInput, match=told) as raised:
        Match.load(tmp_path / "match.jsonl")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("path", [5, None, [], b"a", "a\0b", {}])
def test_what_is_no_path_is_refused_in_a_line(path: Any) -> None:
    for use in (Match("pig", {"target": 10}).save, Match.load):
        with pytest.raises(BadInput) as error:
            use(path)
        assert str(error.value).startswith("path is a file, as text or a Path, got ")


@pytest.mark.parametrize("move", [[], {}, 5, ["roll"], object()])
def test_what_is_no_move_has_no_outcomes(move: Any) -> None:
    with pytest.raises(BadInput) as error:
        Match("pig", {"target": 10}, state={"turn": 3}).outcomes(move)
    assert str(error.value).startswith("move is text, got ")


def test_a_record_that_cannot_go_on_says_what_has_changed_and_how_to_look_at_it(tmp_path: Path) -> None:
    path = tmp_path / "my game.jsonl"
    match = Match("pig", {"target": 10}, seed=1)
    match.play("roll")
    match.save(path)
    head, *others = path.read_text().splitlines(keepends=True)
    path.write_text("".join([head.replace('"rules_version": 1', '"rules_version": 0'), *others]))
    with pytest.raises(BadInput) as error:
        Match.load(path)
    assert "at version 1 now: no version of that number is known here" in str(error.value)
    assert error.value.hint == f"rollwise review '{path}' --anyway"
    path.write_text(head + '{"choi')
    with pytest.raises(BadInput) as error:
        Match.load(path)
    assert error.value.hint == f"rollwise review '{path}'"


def test_where_no_file_can_be_is_said() -> None:
    with pytest.raises(BadInput, match="no folder"):
        Match("pig").save("missing/pig.jsonl")
    with pytest.raises(BadInput, match="cannot be read"):
        Match.load("missing/pig.jsonl")


def test_outcomes_are_told_together_whatever_was_asked_of_each_before() -> None:
    match = Match("pig", {"target": 12}, state={"turn": 4})
    each = match.outcomes("roll", each=True)
    assert each.mean == match.outcomes("roll").mean == each.value is not None
