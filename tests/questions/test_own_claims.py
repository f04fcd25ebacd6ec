"""``verify --claims``: a sheet of one's own. Right figures hold, figures wrong by one do not, faults are one line."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.claims import Certified, Verdict
from rollwise.games.claims.sheets import MAX_DOTS_PER_LINE
from rollwise.games.claims.stated import stated
from rollwise.questions.verify import compute as verifying
from rollwise.questions.verify.compute import MAX_SHEET_BYTES
from rollwise.solver.model.errors import TooLarge

Run = Callable[..., tuple[int, str, str]]
Said = Callable[..., str]
Sheet = Callable[..., Path]
ASK = "rollwise.questions.verify.compute.ask"
DOCS = Path(__file__).parents[2] / "docs" / "claims.md"
THROW = 'throw = { dice = 2, text = "at least two sixes" }'
PIG = 'game = "pig"\nparams = { target = 3 }\n'


def written(folder: Path, *claims: str) -> Path:
    """A sheet of claims, each with an id and a statement."""
    rows = [f'[[claim]]\nid = "c{i}"\nstatement = "Said."\n{claim}\n' for i, claim in enumerate(claims, 1)]
    path = folder / "sheet.toml"
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return lambda *claims: written(tmp_path, *claims)


def verdicts(path: Path) -> list[tuple[str, str | None]]:
    return [(row.verdict, row.exact) for row in rollwise.verify(claims=path)]


SHORT_ZILCH = "game = 'zilch'\nparams = { goal = 500, opening = 350 }\n"  # its turn is soon laid out
RIGHT = {  # one in the last digit more, or less, is not right
    f"{THROW}\nstated = 'X %'": ("2.8", "1/36"),
    f"{THROW}\nstated = X": ("0.0278", "1/36"),
    f"{PIG}ask = {{}}\nstated = X": ("0.837", None),
    f"{PIG}ask = {{ turn = 2 }}\nread = 'move:hold'\nstated = X": ("0.167", None),
    f"{PIG}ask = {{}}\nread = 'win.0'\nstated = 'X percent'": ("83.7", None),
    "game = 'aces-in-the-pot'\nask = {}\nread = 'win.1'\nstated = 'X %'": ("24.465", None),
    "game = 'dice-roulette'\nask = {}\nread = 'edge.9'\nstated = X": ("0.222", "2/9"),
    "game = 'killer'\nscore = { roll = [4, 4, 5, 5, 1], box = 'Doubles' }\nstated = 'X points'": ("18", "18"),
    "game = 'ten-thousand'\nparams = { goal = 500 }\nscore = { roll = '1,1,1,2,3,4', box = '1 1 1' }\nstated = 'X'": (
        "1000",
        "1000",
    ),
    f"{SHORT_ZILCH}score = {{ roll = [2, 2, 4, 4, 6, 6], box = 'three_pairs' }}\nstated = X": ("1000", "1000"),
    f"{SHORT_ZILCH}score = {{ roll = [2, 2, 3, 3, 4, 6], box = '3 3' }}\nstated = X": ("0", "0"),
    "game = 'yahtzee'\nparams = { joker = 'free' }\nscore = { roll = [1, 1, 1, 1, 1], box = 'chance' }\nstated = X": (
        "5",
        "5",
    ),
    "game = 'cameroon'\nscore = { roll = [1, 1, 1, 1, 2], box = 'full house' }\nstated = X": ("0", "0"),
    "game = 'yahtzee'\nodds = { box = 'yahtzee', rolls = 3 }\nstated = 'X %'": ("4.60", "347897/7558272"),
    "game = 'yahtzee'\nodds = { box = 'ones', rolls = 1, aim = 'at least 2' }\nstated = 'X %'": ("19.6", "763/3888"),
    "game = 'yahtzee'\nodds = { box = 'chance', rolls = 1, aim = 'points' }\nstated = X": ("17.5", "35/2"),
}


def changed(figure: str, by: int) -> str:
    """The same figure with so much more in its last digit."""
    decimals = len(figure.partition(".")[2])
    return f"{(int(figure.replace('.', '')) + by) / 10**decimals:.{decimals}f}"


def test_a_right_figure_is_confirmed_and_one_in_the_last_digit_more_or_less_is_refuted(sheet: Sheet) -> None:
    claims = [claim.replace("X", changed(figure, by)) for claim, (figure, _) in RIGHT.items() for by in (0, 1, -1)]
    rows = rollwise.verify(claims=sheet(*claims))
    for number, (claim, (_, exact)) in enumerate(RIGHT.items()):
        found = rows[3 * number : 3 * number + 3]
        assert [row.verdict for row in found] == ["confirmed", "refuted", "refuted"], claim
        assert {row.exact for row in found} == {found[0].exact if exact is None else exact}, claim


def test_the_page_about_claims_has_a_sheet_that_does_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "sheet.toml"
    found = []
    for block in re.findall(r"```toml\n(.*?)```", DOCS.read_text(), re.DOTALL):
        path.write_text(block)
        found.append([verdict for verdict, _ in verdicts(path)])
    assert found == [["confirmed"] * 3 + ["refuted", "confirmed"], ["confirmed"] * 4 + ["refuted"]]


def test_rows_of_one_game_or_one_source_can_be_chosen(sheet: Sheet) -> None:
    path = sheet(f"{THROW}\nstated = '2.8 %'\nsource = 'Me'", f"{PIG}ask = {{}}\nstated = '36/43'")
    assert [row.id for row in rollwise.verify("pig", claims=path)] == ["c2"]
    assert [row.id for row in rollwise.verify(claims=path, source="me")] == ["c1"]
    with pytest.raises(rollwise.BadInput, match=r"no source is called 'Six By 6'; sources: 'Me', 'sheet.toml'$"):
        rollwise.verify(claims=path, source="Six By 6")


def test_a_byte_order_mark_and_windows_lines_are_taken(sheet: Sheet) -> None:
    path = sheet(f"{THROW}\nstated = '1/36'")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert verdicts(path) == [("confirmed", "1/36")]


def test_a_best_move_is_compared_by_its_words(sheet: Sheet) -> None:
    of_pig = "game = 'pig'\nparams = { target = 10 }\nask = { mine = 7, theirs = 9, turn = 3 }\nread = 'best'\n"
    found = verdicts(sheet(f"{of_pig}stated = 'Hold'", f"{of_pig}stated = 'roll'"))
    assert found == [("confirmed", "Hold"), ("refuted", "hold")]


def test_one_of_several_best_moves_is_best_in_one_reading(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    real = rollwise.ask
    monkeypatch.setattr(
        ASK,
        lambda *words, **said: dataclasses.replace(real(*words, **said), best=["hold", "roll"]),
    )
    asked = f"{PIG}ask = {{ turn = 2 }}\nread = 'best'\n"
    one, both = rollwise.verify(claims=sheet(f"{asked}stated = 'roll'", f"{asked}stated = 'roll, hold'"))
    assert (one.verdict, one.exact) == ("depends", "hold, roll")
    assert one.reading == "all that are equally good: hold, roll; one of them: roll"
    assert both.verdict == "confirmed"


def certified(low: str, high: str, exact: str | None = None, unit: str = "points") -> Certified:
    return Certified(Fraction(low), Fraction(high), Fraction(exact) if exact else None, unit)


def test_a_certified_interval_settles_a_claim_or_does_not() -> None:
    known: list[tuple[str, Certified, bool | None]] = [
        ("42.0 %", certified("0.4195", "0.4205"), True),
        ("42.0 %", certified("0.4194", "0.4195"), None),
        ("42.0 %", certified("0.4205", "0.42051"), None),
        ("42.0 %", certified("0.42051", "0.43"), False),
        ("42.0 %", certified("0.3", "0.41949"), False),
        ("42.0 %", certified("0.41", "0.43"), None),
        ("1/3", certified("0.33", "0.34"), None),
        ("1/3", certified("0.33", "0.34", "1/3"), True),
        ("1/3", certified("0.33", "0.34", "1/4"), False),
        ("1", certified("0.9", "0.95"), True),
        ("1", certified("0.9", "0.95", unit="probability"), False),
        ("1", certified("0.9", "1", unit="probability"), None),
        ("never", certified("0", "0.1"), None),
        ("never", certified("0", "0"), True),
    ]
    for said, value, agrees in known:
        assert stated(said).agrees(value) is agrees, f"{said}: {value}"


def test_a_chance_of_one_means_always(sheet: Sheet) -> None:
    sure, likely = (f'throw = {{ dice = {dice}, text = "a pair" }}' for dice in (7, 6))
    found = verdicts(sheet(f"{sure}\nstated = 1", f"{likely}\nstated = 1", f"{THROW}\nstated = 0"))
    assert found == [("confirmed", "1"), ("refuted", "319/324"), ("refuted", "1/36")]
    assert verdicts(sheet(f"{THROW}\nstated = '0.0'", f"{THROW}\nstated = '3 %'"))[1:] == [("confirmed", "1/36")]


def test_what_an_interval_does_not_settle_is_found_as_a_fraction(sheet: Sheet, own_cache: Store) -> None:
    path = sheet(*(f"{PIG}ask = {{}}\nstated = '{figure}'" for figure in ("36/43", "35/43", "0.837")))
    for _ in range(2):  # the second time what is asked comes from the cache
        assert verdicts(path) == [("confirmed", "36/43"), ("refuted", None), ("confirmed", None)]
        assert own_cache.keys()


def test_a_refuted_figure_names_the_rules_that_it_holds_with(sheet: Sheet) -> None:
    dice = "game = 'high-dice'\nask = {}\nread = 'chance.higher'\nstated = "
    box = "game = 'shut-the-box'\nparams = { variant = 'partial' }\nask = {}\nstated = "
    right, wrong = sheet(f"{dice}'44.367 %'", f"{box}24.6304"), f"{dice}'44.368 %'"
    assert [(row.verdict, row.reading) for row in rollwise.verify(claims=right)] == [
        ("refuted", "it holds with rule=double_on_6_6"),
        ("refuted", "it holds with variant=basic"),
    ]
    assert [(row.verdict, row.reading) for row in rollwise.verify(claims=sheet(wrong))] == [("refuted", "")]


@pytest.mark.parametrize("exact", [True, False], ids=["as a fraction", "at all"])
def test_what_nothing_settles_is_pending_and_says_what_is_known(
    exact: bool, sheet: Sheet, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = rollwise.ask

    def too_large(*words: Any, **said: Any) -> object:
        if exact and not said.get("exact"):
            return real(*words, **said)
        raise TooLarge("more boards than there is room for")

    monkeypatch.setattr(ASK, too_large)
    (row,) = rollwise.verify(claims=sheet(f"{PIG}ask = {{}}\nstated = '36/43'\nreading = 'so'"))
    assert (row.verdict, row.exact, (row.decimal or "")[:10]) == ("pending", None, "0.83720930" if exact else "")
    unsettled = "so (not settled: the answer is certified to lie from 0.837209302"
    assert row.reading.startswith(unsettled if exact else "so (more boards than there is room for)")


ZILCH = "game = 'zilch'\nstated = 1\n"
PLAYED = {  # what is read from a play, with what it is
    "{ steps = '654163: keep 1 for 100' }": ("0", "0"),
    "{ steps = '654163: keep 1 for 100', read = 'turn' }": ("100", "100"),
    "{ steps = '654163: keep 1 for 100', after = 0, read = 'turn' }": ("0", "0"),
    "{ steps = '654163: keep 1 for 100, roll, 22346', read = 'mover' }": ("1", "1"),
    "{ steps = '654163: keep 1 for 100, roll, 22346', names = 'A, B', read = 'mover' }": ("B", "B"),
    "{ steps = '654163: keep 1 for 100, roll, 12344: keep 1 for 100, roll', read = 'bust' }": ("17/108", "17/108"),
    "{ steps = '654163: keep 1 for 100', read = 'moves' }": ("roll", "roll"),
    "{ steps = '654163: keep 1 for 100', read = ['may roll', 'may stop', 'over'] }": ("1, 0, 0", "1, 0, 0"),
    "{ steps = '111234: keep 1 1 1 for 1000, stop', state = { mine = 9000 }, read = 'theirs' }": ("10000", "10000"),
    "{ state = { mine = '9000', theirs = 10150 }, steps = '123456: score straight, 134466: keep 1 for 100, stop', "
    "read = ['win.0', 'win.1'] }": ("1, 0", "1, 0"),
    "[{ read = 'goal' }, { steps = '654163: keep 1 for 100', read = 'turn' }]\ncombine = 'ratio'": ("100", "100"),
    "[[{ read = 'goal' }, { read = 'mine' }], [{ read = 'dice' }]]\ncombine = 'mean'": ("5000, 6", "5000, 6"),
}


def test_values_are_read_from_plays(sheet: Sheet) -> None:
    path = sheet(*(f"{ZILCH.replace('1', repr(figure))}play = {play}" for play, (figure, _) in PLAYED.items()))
    assert verdicts(path) == [("confirmed", exact) for _, exact in PLAYED.values()]


def test_plays_of_games_that_see_less_than_the_dice_and_a_roll_in_a_turn(sheet: Sheet) -> None:
    rows = (
        "game = 'finish'\nparams = { players = 4 }\nplay = { steps = '123661, 413', read = 'placed' }\nstated = 4",
        "game = 'finish'\nparams = { players = 4 }\nplay = { steps = '123456', read = 'winner' }\nstated = 'seat 0'",
        "game = 'dice-roulette'\nplay = { state = { bet = '9' }, steps = '45' }\nstated = 7",
        "game = 'piggy-six'\nplay = { steps = '12: hold', read = 'theirs' }\nstated = 3",
        "game = 'zilch'\nstated = 100\n"
        "score = { roll = [6, 2, 3], box = '6', after = '666234: keep 6 6 6 for 600, roll' }",
        "game = 'sixzee'\nstated = 124\n"
        "score = { roll = '4,4,4,4,4,4', box = 'chance', state = { filled = 'sixzee:60,fours:16' } }",
    )
    assert {verdict for verdict, _ in verdicts(sheet(*rows))} == {"confirmed"}


BOXES = "play = { steps = '53: shut 8, 65: shut 5 6, 26', read = 'over' }"  # over, unless the last roll shuts a part


def test_readings_have_shapes_or_rules_of_their_own(sheet: Sheet) -> None:
    readings = "[claim.readings]\nbasic = {}\npartial = { params = { variant = 'partial' } }"
    asked = "[claim.readings]\n'the start' = { ask = {} }\nlater = { ask = { mine = 1 } }"
    path = sheet(
        f"game = 'shut-the-box'\nstated = 'so'\nmeans = 1\n{BOXES}\n{readings}", f"{PIG}stated = '36/43'\n{asked}"
    )
    rows = rollwise.verify(claims=path)
    assert [(row.verdict, row.stated, row.exact) for row in rows] == [
        ("depends", "so", "1"),
        ("depends", "36/43", "36/43"),
    ]
    assert rows[0].reading == "basic: 1; partial: 0"


def test_rules_that_a_refuted_reading_holds_with_are_named(sheet: Sheet) -> None:
    (row,) = rollwise.verify(claims=sheet(f"game = 'shut-the-box'\nstated = 0\n[claim.readings]\nit = {{ {BOXES} }}"))
    assert (row.verdict, row.reading) == ("refuted", "it: 1; it holds with variant=partial")


YAHTZEE = "stated = 1\ngame = 'yahtzee'\n"
FAULTS = {
    "stated = 1": "a claim has one of throw, ask, score, odds, play; this one has none",
    f"{THROW}\nstated = 1\n{PIG}ask = {{}}": "one of throw, ask, score, odds, play; this one has throw and ask",
    f"{THROW}\nstated = 1\nstatment = 'x'": "unknown key 'statment' (did you mean 'statement'?); keys: id, game,",
    f"{THROW}": "a claim says its stated; this one does not",
    "stated = 1\nask = {}": "a claim says its game; this one does not",
    f"{THROW}\nstated = 1\nread = 'value'": "read goes with ask and play, and this is a claim of throw",
    f"{THROW}\nstated = 1\nparams = {{ target = 3 }}": "a throw of dice has no params",
    f"{THROW}\nstated = 1\ngame = 'zilhc'": "did you mean 'zilch'?",
    f"{THROW}\nstated = 1\ngame = 3": "game is text, got 3",
    f"{THROW}\nstated = 1\nsource = ''": "source is empty",
    f"{THROW}\nstated = true": "stated is a number or a text like 42,",
    f"{THROW}\nstated = 1979-05-27": "got 1979-05-27",
    f"{THROW}\nstated = inf": "stated is a number that can be written out, got Infinity",
    f"{THROW}\nstated = 1{'0' * 99}": "stated is a number that can be written out, got 100",
    f"{THROW}\nstated = 'at least 42 %'": "stated is a number like 42, 42.0, 42.0 %, 30,6 %, 1/36, 1 in 42, two",
    f"{THROW}\nstated = 'seven in six'": "stated is a chance like 1 in 42, got 'seven in six'",
    f"{THROW}\nstated = ''": "stated is a number or a text like",
    f"{THROW}\nstated = '1/0'": "stated is a fraction of whole numbers like 1/36 or 1 in 36, got '1/0'",
    f"{THROW}\nstated = '0.5/3'": "stated is a fraction of whole numbers like 1/36 or 1 in 36, got '0.5/3'",
    "stated = 1\nthrow = 'a 1'": "throw is a table like {dice = ..., text = ...}, got 'a 1'",
    "stated = 1\nthrow = { dice = 2 }": "throw says no 'text'",
    "stated = 1\nthrow = { dice = true, text = 'a 1' }": "throw.dice is a whole number, got true",
    "stated = 1\nthrow = { dice = 2, text = 3 }": "throw.text is text, got 3",
    "stated = 1\nthrow = { dice = 0, text = 'a 1' }": "throw.dice is from 1 to 20, got 0",
    "stated = 1\nthrow = { dice = 21, text = 'a 1' }": "throw.dice is from 1 to 20, got 21",
    "stated = 1\nthrow = { dice = 2, text = 'a 7' }": "throw.text cannot be 'a 7'; it is one of: a 1 or 5, no 1 or 5,",
    "stated = 1\nthrow = { dice = 2, text = 'a 1', x = 1 }": "unknown key 'x' in throw; keys: dice, text",
    f"{YAHTZEE}score = {{ roll = [1, 2, 3, 4, 7], box = 'chance' }}": "roll needs 5 faces in 1..6, got 1,2,3,4,7",
    f"{YAHTZEE}score = {{ roll = [1, 2, 3, 4, 5], box = 'chanse' }}": "yahtzee has no box 'chanse'; boxes: ones,",
    f"{YAHTZEE}score = {{ roll = [1, 2, 3, 4, 5], box = 1 }}": "score.box is text, got 1",
    f"{YAHTZEE}odds = {{ box = 'yatzee', rolls = 3 }}": "has no box 'yatzee'",
    f"{YAHTZEE}odds = {{ box = 'yahtzee', rolls = 4 }}": "got 4",
    f"{YAHTZEE}odds = {{ box = 'yahtzee' }}": "odds says no 'rolls'",
    f"{YAHTZEE}odds = {{ box = 'ones', rolls = 3 }}": "odds of ones say an aim: at least 1, at least 2,",
    f"{YAHTZEE}odds = {{ box = 'yahtzee', rolls = 3, aim = 'most' }}": "odds of yahtzee say an aim: more than 0,",
    f"{PIG}stated = 1\nscore = {{ roll = [1], box = 'ones' }}": "pig has no boxes to score in",
    f"{SHORT_ZILCH}stated = 1\nscore = {{ roll = [1, 2, 3, 3, 4, 6], box = '1 1' }}": "keeps dice that the roll 1 2",
    f"{SHORT_ZILCH}stated = 1\nscore = {{ roll = [1, 2, 3], box = '1' }}": "turn=0 is impossible with 3 dice to throw",
    f"{SHORT_ZILCH}stated = 1\nscore = {{ roll = [1, 2, 3, 3, 4, 6], box = 'pairs' }}": "boxes: three pairs, straight",
    f"{PIG}stated = 1\nodds = {{ box = 'ones', rolls = 1 }}": "a turn of pig has no boxes to go for",
    f"{PIG}stated = 1\nask = 3": "ask is a table like {mine = 43, theirs = 61}, got 3",
    f"{PIG}stated = 1\nask = {{ their = 3 }}": "did you mean 'theirs'?",
    f"{PIG}stated = 1\nask = {{ turn = 1 }}": "turn=1 is impossible",
    f"{PIG}stated = 1\nask = {{}}\nread = ''": "read is empty",
    f"{PIG}stated = 1\nask = {{}}\nread = 'win.'": "read is value, best, move:NAME, or a fact like win.0, got 'win.'",
    f"{PIG}stated = 1\nask = {{}}\nread = 'win.5'": "got 'win.5'; this answer has: value, win.0, move:roll",
    f"{PIG}stated = 1\nask = {{}}\nread = 'move:stop'": "got 'move:stop'; this answer has: value, win.0, move:roll",
    f"{PIG}stated = 1\nask = {{}}\nread = 'best'": "stated is a move where the best one is read, got '1'",
    f"{PIG}stated = 'stop'\nask = {{ turn = 2 }}\nread = 'best'": "pig has no move 'stop' there, but ",
    f"{PIG}stated = 'hold'\nask = {{}}": "stated is a number like",
    "game = 'high-dice'\nstated = 'roll'\nask = {}\nread = 'best'": "high-dice has no moves, so none is best",
    "game = 'pig'\nparams = { tagret = 3 }\nstated = 1\nask = {}": "did you mean 'target'?",
    f"{ZILCH}play = 3": "play is a table like {steps = ..., read = ...}, got 3",
    f"{ZILCH}play = [3]": "play is a table like {steps = ..., read = ...}, got 3",
    f"{ZILCH}play = {{ of = 'x' }}": "play is of a [[play]] of the sheet, got 'x'",
    f"{ZILCH}play = {{ step = '' }}": "unknown key 'step' (did you mean 'steps'?) in play; keys: of, state, steps,",
    f"{ZILCH}play = {{ state = {{ min = 3 }} }}": "did you mean 'mine'?",
    f"{ZILCH}play = {{ state = {{ mine = 3 }} }}": "mine is",
    f"{ZILCH}play = {{ steps = 'rol' }}": "play: zilch(",
    f"{ZILCH}play = {{ steps = '789' }}": "has no move '789' here, but roll",
    f"{ZILCH}play = {{ steps = '12' }}": "does not throw 2 dice here, got 1 2",
    f"{ZILCH}play = {{ after = 1 }}": "after is a number of steps from 0 to 0, or a list of them",
    f"{ZILCH}play = {{ after = 'x' }}": "after is a number of steps from 0 to 0, or a list of them",
    f"{ZILCH}play = {{ after = [] }}": "after is a number of steps from 0 to 0, or a list of them",
    f"{ZILCH}play = {{ read = 3 }}": "play.read is text, or a list of it, got 3",
    f"{ZILCH}play = {{ read = 'chips' }}": "read is points, final points, mover, winner, win.SEAT, moves, may",
    f"{ZILCH}play = {{ read = 'final points' }}": "final points are read where the play ends the game",
    f"{ZILCH}play = {{ read = 'win.2' }}": "read names a seat from 0 to 1, got 'win.2'",
    f"{ZILCH}play = [{{ read = 'moves' }}, {{}}]": "several values are numbers",
    f"{ZILCH}play = [{{}}, {{}}]\ncombine = 'ratio'": "a ratio to 0 is no number",
    f"{ZILCH}play = [{{}}, {{}}]\ncombine = 'product'": "combine is one of ratio, difference, sum, least, most, mean,",
    "game = 'zilch'\nstated = 'often'\nplay = {}": "stated is a number like",
    "game = 'zilch'\nstated = 'often'\nmeans = 'more than some'\nplay = {}": "stated is a number like",
    f"{ZILCH}score = {{ roll = [6, 2, 3], box = '6', after = 'rol' }}": "after: zilch(",
    f"{ZILCH}score = {{ roll = [1, 2, 3, 3, 4, 6], box = '1', state = {{ min = 3 }} }}": "did you mean 'mine'?",
    f"{ZILCH}play = {{ read = 'roll' }}": "there is no roll at this point of the play",
    f"{ZILCH}compute = 'needed'": "unknown key 'compute'",
    f"{ZILCH}slow = true": "unknown key 'slow'",
    f"{ZILCH}readings = 3": "readings is a table of readings, each a table like {throw = ...}, got 3",
    f"{ZILCH}readings = {{ a = 3 }}": "reading 'a' is a table like {throw = ...}",
    f"{ZILCH}readings = {{ a = {{ stated = 3 }} }}": "reading 'a' is a table like {throw = ...}",
    f"{ZILCH}readings = {{ a = {{}} }}": "one of throw, ask, score, odds, play; this one has none",
    "stated = 1\nthrow = [{ dice = 2, text = 'a 7' }]": "throw.text cannot be 'a 7'",
    "game = 'pig'\nparams = 3\nstated = 1\nask = {}": "params is a table like {target = 50}, got 3",
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sheet of all the FAULTS, between a right claim and a wrong one."""
    return written(tmp_path_factory.mktemp("faults"), f"{THROW}\nstated = '1/36'", *FAULTS, f"{THROW}\nstated = '1/3'")


@pytest.fixture(scope="module")
def unread(faulty: Path) -> dict[str, Verdict]:
    """What is said of each fault."""
    return dict(zip(FAULTS, rollwise.verify(claims=faulty)[1:-1], strict=True))


def test_a_fault_is_one_line_with_the_row(unread: dict[str, Verdict], faulty: Path) -> None:
    begins = [line for line, text in enumerate(faulty.read_text().splitlines(), 1) if text == "[[claim]]"]
    for number, (claim, row) in enumerate(unread.items(), 2):
        assert (row.verdict, "\n" in row.reading) == ("unread", False), claim
        assert row.reading.startswith(f"sheet.toml, line {begins[number - 1]}, claim {number} (c{number}): "), claim
        assert FAULTS[claim] in row.reading


def test_faults_are_errors_with_exit_code_2_and_the_others_are_checked(
    faulty: Path, unread: dict[str, Verdict], run: Run, tmp_path: Path
) -> None:
    code, out, err = run("verify", "--claims", str(faulty))
    n_faults = len(FAULTS)
    assert code == 2
    assert out.splitlines()[-1] == f"shown: 2 of {n_faults + 2} claims: 1 confirmed, 1 refuted, {n_faults} unread"
    assert err.splitlines() == [f"error: {row.reading}" for row in unread.values()]
    path = written(tmp_path, f"{THROW}\nstated = '1/36'", f"{THROW}\nstated = 'most'")
    code, out, err = run("verify", "--json", "--claims", str(path))
    right, wrong = json.loads(out)
    assert (code, right["verdict"], wrong["verdict"], wrong["stated"]) == (2, "confirmed", "unread", "most")
    assert (wrong["exact"], err) == (None, f"error: {wrong['reading']}\n")
    for name in ("page.md", "page.html"):
        assert run("verify", "--claims", str(path), "-o", str(tmp_path / name))[0] == 2
        assert "stated is a number like" in (tmp_path / name).read_text()


NO_SHEET: dict[str | bytes | None, str] = {
    None: "cannot be read: No such file or directory",
    b"#" * (MAX_SHEET_BYTES + 1): f"is larger than {MAX_SHEET_BYTES:,} bytes, which is no claim sheet",
    b"# caf\xe9\n": "is not TOML: it is not UTF-8 at byte 5",
    b"# caf\xc3": "is not TOML: it is not UTF-8 at byte 5",  # half a letter, which a record may end in
    "": "has no [[claim]] tables",
    "claim = 3\n": "has no [[claim]] tables",
    "claim = [3]\n": "has no [[claim]] tables",
    "claims = []\n": "a claim sheet has [[claim]] and [[play]] tables, game, source, params and nothing else",
    "[[claim]\n": "is not TOML: ",
    "\0": "is not TOML: ",
    "id = 1\nid = 2\n": "is not TOML: ",
    f"x = {'[' * 9000}": "is nested too deeply",
    f"{'.'.join('a' * (MAX_DOTS_PER_LINE + 2))} = 1\n": f"has more than {MAX_DOTS_PER_LINE} dots on line 1",
    "[[claim]]\nstated = 1\n": "claim 1: a claim has one of throw,",
    f"[[claim]]\nstated = 1\n{THROW}\n": "claim 1: a claim says its id; this one does not",
    f"[[claim]]\nid = 'a'\nstated = 1\n{THROW}\n": "claim 1 (a): a claim says its statement; this one does not",
    f"[[claim]]\nid = 3\nstatement = 'x'\nstated = 1\n{THROW}\n": "claim 1: id is text, got 3",
}


def test_a_file_that_is_no_claim_sheet_is_one_line(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for content, told in NO_SHEET.items():
        if content is not None:
            Path("sheet.toml").write_bytes(content.encode() if isinstance(content, str) else content)
        error = said("verify --claims sheet.toml", told, code=2)
        assert error.startswith("error: sheet.toml")
        assert error.count("\n") == 1


def test_a_place_that_is_no_file_is_refused() -> None:
    for place, told in {".": "cannot be read", "a\0b": "claims is a file, as text or a Path"}.items():
        with pytest.raises(rollwise.BadInput, match=told) as refused:
            rollwise.verify(claims=place)
        assert refused.value.field == "claims"


def test_a_fault_is_found_before_anything_is_solved(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ASK, lambda *words, **said: pytest.fail("something was solved"))
    path = sheet(f"{PIG}ask = {{}}\nstated = '1/2'", f"{YAHTZEE}odds = {{ box = 'yahtzee', rolls = 9 }}")
    assert ["claim 2 (c2)" in str(claim.fault) for claim in verifying.claims_of(path)] == [False, True]
    for read in ("win.", ".0"):
        with pytest.raises(rollwise.BadInput, match="claim 1"):
            rollwise.verify(claims=sheet(f"{PIG}ask = {{}}\nstated = '1/2'\nread = '{read}'"))


def test_what_needs_no_solved_game_is_found_once(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Mock(wraps=verifying.FINDERS["odds"])
    monkeypatch.setitem(verifying.FINDERS, "odds", found)
    rollwise.verify(claims=sheet("game = 'yahtzee'\nodds = { box = 'yahtzee', rolls = 1 }\nstated = '1/1296'"))
    assert found.call_count == 1


def test_an_id_is_a_claim_s_own_and_the_kind_of_error_is_kept(said: Said, sheet: Sheet, tmp_path: Path) -> None:
    path = tmp_path / "twice.toml"
    path.write_text(f"[[claim]]\nid = 'a'\nstatement = 'x'\nstated = '1/36'\n{THROW}\n" * 2)
    first, second = rollwise.verify(claims=path)
    assert (first.verdict, second.verdict) == ("confirmed", "unread")
    assert second.reading == "twice.toml, line 6, claim 2 (a): claim 1 has this id too"
    path = sheet("game = 'zilhc'\nask = {}\nstated = 1")
    assert json.loads(said(f"verify --json --claims {path}", code=2))["error"] == "UnknownGame"
