"""``ask --why`` at the terminal, and ``rollwise.why``: words, digits that add up, and what a move is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.cli import joined_words
from rollwise.parsing.moves import join_moves
from rollwise.questions.why.data import Why, WhyPart
from rollwise.questions.why.text import paragraph, why_lines
from rollwise.solver.policy.endings_of_turn import PAST
from rollwise.text.screen import Screen

Said = Callable[..., str]
PIG = "ask pig mine=4 theirs=3 turn=4 -p target=10 --why"
LINES = (
    "ask yahtzee 'filled=ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,three of a kind:20,four of a kind:22,"
    "full house:25,small straight:30,large straight:40' roll=1,4,4,4,4 rolls_left=1 --why --lines"
)


def table_of(out: str) -> list[list[str]]:
    """The rows of the table, cells apart."""
    block = next(block for block in out.split("\n\n") if "the turn ends" in block)
    return [re.split(r"  +", line.strip()) for line in block.splitlines()[2:]]


@pytest.mark.parametrize(
    "words",
    [
        "pig mine=4 theirs=3 turn=4 -p target=10",
        "shut-the-box roll=3,4",
        "shut-the-box open=1,2,3,4,5,6 -p objective=clear",
        "mexico roll=6,5 rolls_left=2 -p lives=1",
        "mexico roll=6,5 rolls_left=2 -p players=3 -p lives=1",
        "mexico roll=4,3 rolls_left=1 -p players=3 -p lives=1",
        "bluff call=11 -p chips=1",
        pytest.param(
            "ten-thousand turn=300 dice=3 -p players=1 -p objective=points -p goal=500", marks=pytest.mark.thorough
        ),
        pytest.param("zilch mine=1000 roll=1,5,2,3,4,4 -p players=1 -p objective=points", marks=pytest.mark.slow),
        "six-by-6 roll=1,2,3,4,5,6 -p posting=free",
    ],
)
def test_printed_digits_add_up(words: str, said: Said) -> None:
    out = said(f"ask {words} --why")
    *rows, together = table_of(out)
    extra = len(together) - 6  # seats
    for place in range(-1 - extra, 0):
        cells = [row[place] for row in [*rows, together]]
        assert all(re.match(r"^[+-]?\d+\.\d+$", cell) for cell in cells)
        step = 10 ** len(cells[0].partition(".")[2])
        *parts, whole = (round(float(cell) * step) for cell in cells)
        assert sum(parts) == whole
    if extra:  # what the others lose is what the mover gains
        assert sum(round(100 * float(cell)) for cell in together[6:]) == round(100 * float(together[5]))
        shares = " ".join(out.split()).partition("Of that ")[2].partition(" the turn ends")[0]
        assert all(cell.lstrip("+-") in shares for cell in together[6:])
    for place in (1, 3):
        chances = [row[place] for row in rows]
        if not any("<" in chance or ">" in chance for chance in chances):
            whole = sum(round(10 * float(chance.split()[0])) for chance in chances if chance != "-")
            assert abs(whole - 1000) <= len(chances) / 2
            assert whole == 1000 or "each chance is rounded by itself" in " ".join(out.split())
    if "<" in together[2] + together[4] or ">" in together[2] + together[4]:
        return  # what hardly ever happens is never shown as 0
    value, other = (float(together[place].split()[0]) for place in (2, 4))
    low = "saves" in out
    assert float(together[5]) == pytest.approx(other - value if low else value - other, abs=1e-9)


def test_a_chance_is_rounded_as_in_every_other_answer(said: Said) -> None:
    """A pair and 4 high are as likely, and 2-1 comes in 1 of 18 throws: 16.7, 16.7 and 5.6 %, though that is 100.1."""
    asked = "ask mexico roll=4,3 rolls_left=1 -p players=3 -p lives=1"
    told = {row[0]: row[1] for row in table_of(said(f"{asked} --why"))}
    assert (told["a pair"], told["4 high"], told["2-1"]) == ("16.7 %", "16.7 %", "5.6 %")
    said(f"{asked} --next roll --each", "[1][2]  1/18  5.56 %  ")


@pytest.fixture
def pig() -> Why:
    """Why one rolls with 4 points in hand."""
    return rollwise.why("pig", state={"mine": 4, "theirs": 3, "turn": 4}, params={"target": 10})


def test_what_cannot_be_seen_to_happen_is_left_out_of_the_table_and_kept_in_the_data(pig: Why) -> None:
    told = replace(pig, parts=(*pig.parts, WhyPart(PAST, 1e-30, 0.0, 2e-30, 0.0, 0.0)))
    assert why_lines(told, "Pig", Screen()) == why_lines(pig, "Pig", Screen())
    assert told.plain()["parts"][-1]["class"] == PAST


def test_what_is_only_bounded_has_no_worth(pig: Why) -> None:
    first, *others = pig.parts
    cut = WhyPart(PAST, 0.01, 0.0, 0.0, None, 0.0)
    told = replace(pig, parts=(replace(first, chance=first.chance - 0.01), *others, cut))
    row = next(line for line in why_lines(told, "Pig", Screen()) if line.startswith(PAST))
    assert re.split(r"  +", row)[1:4] == ["1.0 %", "bounded", "-"]


@pytest.mark.parametrize("roll", [(3, 4), (1, 2)])
def test_the_parts_of_the_paragraph_add_up_too(roll: tuple[int, int]) -> None:
    told = paragraph(rollwise.why("shut-the-box", state={"roll": roll}))
    parts = [float(number) for number in re.findall(r"\(([+-]\d+\.\d+)\)", told)]
    assert sum(parts) == pytest.approx(float(re.findall(r"saves (\d+\.\d+)", told)[0]), abs=1e-9)


def test_python_gives_the_same_twice_and_from_the_cache(pig: Why, said: Said, own_cache: Store) -> None:
    assert [json.loads(said(f"{PIG} --json")) for _ in range(2)] == [pig.plain()] * 2
    assert rollwise.why("pig", move="hold", params={"target": 10}, mine=4, theirs=3, turn=4) == pig
    assert pig.words == paragraph(pig)
    assert pig.words in " ".join(" ".join(why_lines(pig, "Pig")).split())


def test_every_line_of_the_sheet_after_both_moves(said: Said) -> None:
    lines = said(LINES).split("line of the sheet")[1].splitlines()  # so short that nobody is told how long it takes
    rows = [re.split(r"  +", line.strip()) for line in lines[1:]]
    for place in (1, 2, 3):
        *parts, whole = (round(float(row[place]) * 100) for row in rows)
        assert sum(parts) == whole
    assert rows[-2][0].endswith("others, alike")


def test_a_move_after_why_is_optional() -> None:
    for words, meant in {
        "ask pig turn=4 --why": "ask pig turn=4 --why=",
        "ask pig --why turn=4": "ask pig --why= turn=4",
        "ask --why pig turn=4": "ask --why= pig turn=4",
        "ask pig --why=hold turn=4": "ask pig --why=hold turn=4",
        "ask pig turn=4 --json": "ask pig turn=4 --json",
    }.items():
        assert join_moves(words.split()) == meant.split()


def test_a_move_of_several_words_needs_no_quotes(said: Said) -> None:
    words = "ask shut-the-box --why shut 3 4 roll=3,4 --json"
    assert joined_words(words.split()) == ["ask", "shut-the-box", "--why", "shut 3 4", "roll=3,4", "--json"]
    assert said(words) == said("ask shut-the-box roll=3,4 --why --json")


def test_moves_that_are_equally_good_differ_by_nothing() -> None:
    alone = {"players": 1, "goal": 500, "opening": 350}
    found = rollwise.why("zilch", state={"roll": (1, 2, 3, 5, 5, 5)}, params=alone)  # three fives win, alone or not
    assert found.difference == 0
    assert found.words
