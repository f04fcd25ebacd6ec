"""A match: its dice, what is said to it, and its record; ``test_sampled.py`` has what holds of every game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import rollwise
from rollwise import BadInput, DiceError, Match
from rollwise.match.dice import draw_below, draw_index, draw_throw
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.throws import throws_with_ways
from tests.sizes import SIZES

SHEET = "ones:3,twos:6,threes:9,fours:12,fives:15,three of a kind:20,four of a kind:0,full house:25,small straight:30,"
SHEET += "large straight:40,yahtzee:0,chance:20"


def step(match: Match) -> None:
    """A throw, or the first of the moves in a random order."""
    if match.waiting:
        match.throw()
    else:
        match.play(Random(0).choice(match.moves).move)


def after(match: Match, *done: str | list[int]) -> Match:
    """The match after these moves, and throws of these dice."""
    for move in done:
        match.play(move) if isinstance(move, str) else match.throw(move)
    return match


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
    match = Match(game, params=params, state=said, seed=1)
    assert {name: (match.state or {})[name] for name in spelled} == spelled
    assert match.outcomes("roll").plain()["state"] == match.state
    match.play("roll")
    match.throw()
    held = match.state or {}
    assert all(held[name][seat] == "-" for name in spelled for seat in [spelled[name].index("-")])


def test_another_choice_brings_dice_that_do_not_hang_on_what_was_taken_back() -> None:
    """The second throw is the same one whichever dice were typed for the first, or kept of it."""
    found = set()
    for keep in ("keep 6 6", "keep 5 6"):
        match = after(Match("yahtzee", state={"filled": SHEET}, seed=9), "roll", [1, 2, 5, 6, 6], keep)
        row = match.throw()
        assert row is not None
        found.add(row.thrown[0].dice)
        match.undo()
        assert (match.state or {})["roll"] == [1, 2, 5, 6, 6]
    assert len(found) == 1


def test_throws_differ_by_seed_by_number_and_by_seat() -> None:
    def throws(seed: int) -> str:
        match = Match("pig", params={"target": 30}, seed=seed)
        for _ in range(8):
            step(match)
        return str([line["thrown"] for line in match.record() if "thrown" in line])

    assert throws(1) == throws(1)
    assert len({throws(seed) for seed in range(4)}) == 4
    assert len({draw_below(1000, 42, number, seat) for number in range(9) for seat in (0, 1)}) == 18


def test_dice_fall_as_often_as_they_should() -> None:
    """Throws of a pair of dice, by seed: a chi-square of 21 throws, within what chance does."""
    throws = {dice: Fraction(ways, 36) for dice, ways in throws_with_ways(2, 6)}
    counts = Counter(draw_throw(throws, seed, 0, 0, 0) for seed in range(3000))
    assert len(counts) == 21
    due = {dice: float(3000 * share) for dice, share in throws.items()}
    assert 5 < sum((counts[dice] - due[dice]) ** 2 / due[dice] for dice in counts) < 45


def test_numbers_of_a_place_are_these_wherever_they_are_drawn() -> None:
    """Written down, so that a record made today has the same dice in later versions."""
    assert [draw_below(6, 42, number, 0, 0) for number in range(10)] == [2, 4, 2, 1, 4, 5, 2, 3, 1, 0]
    assert draw_below(10**90, 42) % 10**9 == 182689669
    assert {draw_index([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], seed) for seed in range(40)} == {0, 1, 2}


# --- what is said to it -----------------------------------------------------------------------------------------------


def test_typed_dice_are_read_in_any_order() -> None:
    for dice in ("6 1 5 2 6", "61526", [6, 1, 5, 2, 6], "6,1,5,2,6", (6, 1, 5, 2, 6)):
        match = after(Match("yahtzee", state={"filled": SHEET}), "Roll")
        row = match.throw(dice)
        assert row is not None
        assert list(row.thrown[0].dice) == (match.state or {})["roll"] == [1, 2, 5, 6, 6]
        assert match.seed is None


def test_dice_that_cannot_fall_are_refused_in_a_line_and_change_nothing() -> None:
    match = after(Match("yahtzee", state={"filled": SHEET}), "roll")
    before = match.record()
    wrong: list[tuple[Any, str]] = [
        ("6 1 5 2", "5 dice fall here, got 4: 1 2 5 6"),
        ("1 2 3 4 7", "a die shows 1 to 6, got 1 2 3 4 7"),
        ("0 2 3 4 5", "a die shows 1 to 6, got 0 2 3 4 5"),
        ("six", "5 dice fall here, each 1 to 6; got 'six'"),
        ([], r"5 dice fall here, each 1 to 6; got \[\]"),
        ([1, 2, 3, 4, 5.5], "5 dice fall here"),
        (object(), "5 dice fall here"),
    ]
    for dice, told in wrong:
        with pytest.raises(DiceError, match=told) as raised:
            match.throw(dice)
        assert "\n" not in str(raised.value)
        assert match.record() == before


def test_a_move_that_is_not_legal_names_those_that_are_and_changes_nothing() -> None:
    match = Match("shut-the-box", state={"open": "1-9", "roll": "53"})
    before, wrong = match.record(), list[Any](["stop", "", 4, None, ["roll"]])
    for move in wrong:
        told = "the moves are: shut 3 5, shut 8" if isinstance(move, str) else "move is text"
        with pytest.raises(BadInput, match=told):
            match.play(move)
        assert match.record() == before
    assert match.play("SHUT 3-5").loss == pytest.approx(3.531, abs=1e-3)


def test_what_is_not_its_turn_is_refused() -> None:
    match = Match("pig", params={"target": 3})
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
    match.throw(3)
    assert (match.over, match.result) == (True, [1, 0])
    line = match.record()[1]
    assert (line["thrown"], line["seat"], line["after"]) == ([3], 0, 1.0)
    match.undo()
    assert (match.waiting, match.over) == (True, False)


def test_the_seats_of_a_duel_take_turns() -> None:
    match = Match("pig", params={"target": 10})
    for seat in (0, 1, 0, 1):
        assert match.mover == seat
        after(match, "roll", [1])
    assert [line["seat"] for line in match.record()[1:]] == [0, 0, 1, 1, 0, 0, 1, 1]


def test_hidden_dice_are_shown_to_their_seat_and_decide_a_challenge() -> None:
    for dice, chips in (([3, 4, 5], 3), ([1, 1, 1], 1)):
        match = after(Match("bluff", params={"chips": 2}, seed=1), "roll", dice)
        assert match.hidden == ["total"]
        assert match.seen_by(0) == match.state
        assert match.seen_by(1) == {"mine": 2, "theirs": 2, "last": 0}
        match.play("call 9")
        assert (match.mover, match.state) == (1, {"mine": 2, "theirs": 2, "last": 0, "call": 9})
        assert Match.of(match.plain()).record() == match.record()
        assert match.record()[-1]["hidden"] == ["total"]
        match.play("challenge")
        assert (match.mover, match.state) == (1, {"mine": chips, "theirs": 4 - chips, "last": 0})
        match.undo()
        match.undo()
        assert (match.mover, match.state) == (0, {"mine": 2, "theirs": 2, "last": 0, "total": sum(dice)})


HIGH, LOW = [3, 4, 5], [1, 1, 1]


@pytest.mark.parametrize(
    ("dice", "mine", "theirs", "result"),
    [(HIGH, 1, 1, [1, 0]), (LOW, 1, 1, [0, 1]), (HIGH, 1, 3, [1, 0]), (LOW, 3, 1, [0, 1]), (LOW, 1, 3, None)],
)
def test_the_last_chip_goes_by_what_is_under_the_cup(
    dice: list[int], mine: int, theirs: int, result: list[int] | None
) -> None:
    match = Match("bluff", params={"chips": 2}, state={"mine": mine, "theirs": theirs}, seed=1)
    assert after(match, "roll", dice, "call 9", "challenge").result == result


def test_what_is_under_the_cup_of_a_call_that_nobody_makes_is_not_known() -> None:
    match = Match("bluff", params={"chips": 2}, state={"call": 11})
    before = match.record()
    with pytest.raises(BadInput, match="the call before challenge is never made"):
        match.play("challenge")
    assert match.record() == before


def test_what_later_states_cannot_say_is_counted_in_the_result(play: Callable[[TurnGame], str]) -> None:
    """A value is of what is still to come: the margin at the end is the sum of what was gained."""
    killer = next(size.game for size in SIZES if str(size) == "killer boxes=trebles")
    match, gained = Match(play(killer), state={"roll": "33344", "rolls_left": 0}, seed=2), [9, 0]
    match.play("score trebles 9")
    while not match.over:
        if not match.waiting and match.moves[0].move.startswith("score trebles"):
            gained[match.mover] += int(match.moves[0].move.rpartition(" ")[2])
        match.throw() if match.waiting else match.play(match.moves[0].move)
    assert match.result == [gained[0] - gained[1], gained[1] - gained[0]]


# --- the record -------------------------------------------------------------------------------------------------------


def test_the_record_says_what_was_chosen_and_thrown() -> None:
    head, first, thrown, held = after(Match("pig", params={"target": 10}, seed=4), "roll", [5], "hold").record()
    here = {"state": {"mine": 0, "theirs": 5, "turn": 0}, "seat": 1}
    known = {"rollwise": 1, "game": "pig", "parameters": {"target": 10}, "rules_version": 1, "seed": 4, "seats": 2}
    assert head == {**known, "next": here}
    assert (first["choice"], first["seat"], first["loss"], first["best"]) == ("roll", 0, 0.0, ["roll"])
    asked = rollwise.ask("pig", params={"target": 10}, mine=0, theirs=0, turn=5)
    assert thrown == {"thrown": [5], "seat": 0, "before": first["value"], "after": asked.value}
    hold = asked.moves[1]
    told = {"seat": 0, "state": asked.state, "value": hold.value, "best": ["roll"], "loss": hold.loss}
    assert held == {"choice": "hold", **told}


def test_a_record_is_saved_and_goes_on_elsewhere(tmp_path: Path) -> None:
    match = Match("shut-the-box", seed=8)
    for number in range(6):
        match.save(tmp_path / "box.jsonl")
        assert Match.load(tmp_path / "box.jsonl").record() == match.record()
        assert len((tmp_path / "box.jsonl").read_text().splitlines()) == number + 1
        step(match)
    assert [path.name for path in tmp_path.iterdir()] == ["box.jsonl"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the record is empty"),
        ("hello", "line 1 of .* is no JSON"),
        ("[]\n", "line 1: a choice, a throw or a result is expected"),
        ('{"rollwise": 2}', "line 1: a record begins with"),
        ('{"rollwise": 1}', "line 1: game is the name of a game"),
        ('{"rollwise": 1, "game": "pigs", "parameters": {}}', "no game 'pigs'"),
        ('{"rollwise": 1, "game": "pig", "parameters": {"target": 3}, "rules_version": 0}', "version 0 of the rules"),
        ('HEAD, "next": {}}', "line 1: a state is a mapping of fields"),
        ('HEAD, "next": {"state": {"mine": 7}, "seat": 0}}', "mine"),
        ('HEAD, "next": {"state": {}, "seat": 2}}', "seats are from 0 to 1, got 2"),
        ('HEAD, "next": {"state": {}, "seat": true}}', "line 1: a seat is a whole number"),
        ('HEAD, "next": {"state": {}, "seat": 0, "choice": "hold"}}', "the moves are: roll"),
        ('HEAD, "next": {"state": {}, "seat": 0, "choice": "roll", "thrown": [[7]]}}', "each a list of faces 1 to 6"),
        ("HEAD}", "ends in the middle"),
        ('HEAD}\n{"chose": 1}', "line 2: a choice, a throw or a result is expected"),
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


def test_what_is_no_path_and_no_move_is_refused_in_a_line() -> None:
    match = Match("pig", params={"target": 10}, state={"turn": 3})
    wrongs: list[Any] = [5, [], {}, ["roll"], object(), b"a"]
    for wrong in wrongs:
        for use in (match.save, Match.load):
            with pytest.raises(BadInput, match=r"^path is a file, as text or a Path, got "):
                use(wrong)
        with pytest.raises(BadInput, match=r"^move is text, got "):
            match.outcomes(wrong)


def test_a_record_that_cannot_go_on_says_what_has_changed_and_how_to_look_at_it(tmp_path: Path) -> None:
    path = tmp_path / "my game.jsonl"
    match = Match("pig", params={"target": 10}, seed=1)
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
    for use in (Match("pig").save, Match.load):
        with pytest.raises(BadInput, match=r"^path is a file, as text or a Path, got "):
            use("a\0b")
    with pytest.raises(BadInput, match="no folder"):
        Match("pig").save("missing/pig.jsonl")
    with pytest.raises(BadInput, match="cannot be read"):
        Match.load("missing/pig.jsonl")


def test_outcomes_are_told_together_whatever_was_asked_of_each_before() -> None:
    match = Match("pig", params={"target": 12}, state={"turn": 4})
    each = match.outcomes("roll", each=True)
    assert each.mean == match.outcomes("roll").mean == each.value is not None
