"""``ask --why`` at the terminal, and ``rollwise.why``: words, digits that add up, and what is refused in one line."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.cli import as_meant
from rollwise.commands.moves import moves_joined
from rollwise.display import ESCAPES, Screen
from rollwise.explained import Part
from rollwise.solver.play.endings_of_turn import PAST
from rollwise.why_text import paragraph, why_lines

Run = Callable[..., tuple[int, str, str]]
PIG = ("ask", "pig", "mine=4", "theirs=3", "turn=4", "-p", "target=10")
HEAVY = {"numba", "scipy", "sympy", "networkx", "pyarrow", "rich", "joblib", "flint", "tqdm"}


def table_of(out: str) -> list[list[str]]:
    """The rows of the table, cells apart."""
    block = next(block for block in out.split("\n\n") if "the turn ends" in block)
    return [re.split(r"  +", line.strip()) for line in block.splitlines()[2:]]


def test_pig_in_words_and_in_a_table(run: Run) -> None:
    code, out, err = run(*PIG, "--why", "hold")
    assert (code, err) == (0, "")
    assert "Rolling wins " in out
    assert "percentage points more often than holding: " in " ".join(out.split())
    assert [row[0] for row in table_of(out)] == ["won at once", "banked", "bust", "together"]


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
        "ten-thousand turn=300 dice=3 -p players=1 -p objective=points",
        "zilch mine=1000 roll=1,5,2,3,4,4 -p players=1 -p objective=points",
        "six-by-6 roll=1,2,3,4,5,6 -p posting=free",
    ],
)
def test_printed_digits_add_up_and_lines_fit(words: str, run: Run) -> None:
    code, out, _ = run("ask", *words.split(), "--why")
    assert code == 0
    assert max(map(len, out.splitlines())) <= 100
    assert not any(line.endswith(" ") for line in out.splitlines())
    *rows, together = table_of(out)
    number = re.compile(r"^[+-]?\d+\.\d+$")
    extra = len(together) - 6  # seats
    for place in range(-1 - extra, 0):
        cells = [row[place] for row in [*rows, together]]
        assert all(number.match(cell) for cell in cells)
        step = 10 ** len(cells[0].partition(".")[2])
        *parts, whole = (round(float(cell) * step) for cell in cells)
        assert sum(parts) == whole
    if extra:  # what the others lose is what the mover gains
        assert sum(round(100 * float(cell)) for cell in together[6:]) == round(100 * float(together[5]))
        said = " ".join(out.split()).partition("Of that ")[2].partition(" the turn ends")[0]
        assert all(cell.lstrip("+-") in said for cell in together[6:])
    for place in (1, 3):
        chances = [row[place] for row in rows]
        if not any("<" in chance or ">" in chance for chance in chances):
            whole = sum(round(10 * float(chance.split()[0])) for chance in chances if chance != "-")
            assert abs(whole - 1000) <= len(chances) / 2
            assert whole == 1000 or "chances are rounded one by one" in " ".join(out.split())
    if "<" in together[2] + together[4] or ">" in together[2] + together[4]:
        return  # what hardly ever happens is never shown as 0
    value, other = (float(together[place].split()[0]) for place in (2, 4))
    low = "saves" in out
    assert float(together[5]) == pytest.approx(other - value if low else value - other, abs=1e-9)


def test_a_chance_is_rounded_as_in_every_other_answer(run: Run) -> None:
    """A pair and 4 high are as likely, and 2-1 comes in 1 of 18 throws: 16.7, 16.7 and 5.6 %, though that is 100.1."""
    words = ["ask", "mexico", "roll=4,3", "rolls_left=1", "-p", "players=3", "-p", "lives=1"]
    told = {row[0]: row[1] for row in table_of(run(*words, "--why")[1])}
    assert (told["a pair"], told["4 high"], told["2-1"]) == ("16.7 %", "16.7 %", "5.6 %")
    assert "[1][2]  1/18  5.56 %  " in run(*words, "--next", "roll", "--each")[1]


SOME = [
    "pig mine=4 theirs=3 turn=4 -p target=10",
    "mexico roll=6,5 rolls_left=2 -p players=3 -p lives=1",
    "zilch mine=1000 roll=1,5,2,3,4,4 -p players=1 -p objective=points",
]


@pytest.mark.parametrize("wide", [40, 60, 80])
@pytest.mark.parametrize("words", SOME)
def test_a_narrow_screen_is_kept_to_and_has_the_same_numbers(
    words: str, wide: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    _, whole, _ = run("ask", *words.split(), "--why")
    monkeypatch.setenv("COLUMNS", str(wide))
    _, out, _ = run("ask", *words.split(), "--why")
    assert max(map(len, out.splitlines())) <= wide
    numbers = [set(re.findall(r"[+-]?\d+\.\d+", text)) for text in (whole, out)]
    assert numbers[0] == numbers[1]


def test_colour_is_for_a_screen_that_has_it_and_says_nothing_more() -> None:
    found = rollwise.why("pig", {"mine": 4, "theirs": 3, "turn": 4}, params={"target": 10})
    plainly = why_lines(found, "Pig", Screen())
    painted = why_lines(found, "Pig", Screen(color=True))
    assert painted != plainly
    bars = str.maketrans("", "", "█▏▎▍▌▋▊▉")
    assert [ESCAPES.sub("", line).translate(bars).rstrip() for line in painted] == plainly


def test_what_cannot_be_seen_to_happen_is_left_out_of_the_table_and_kept_in_the_data() -> None:
    found = rollwise.why("pig", {"mine": 4, "theirs": 3, "turn": 4}, params={"target": 10})
    rare = Part(PAST, 1e-30, 0.0, 2e-30, 0.0, 0.0)
    told = replace(found, parts=(*found.parts, rare))
    assert why_lines(told, "Pig", Screen()) == why_lines(found, "Pig", Screen())
    assert told.plain()["parts"][-1]["class"] == PAST


def test_what_is_only_bounded_has_no_worth() -> None:
    found = rollwise.why("pig", {"mine": 4, "theirs": 3, "turn": 4}, params={"target": 10})
    first, *others = found.parts
    cut = Part(PAST, 0.01, 0.0, 0.0, None, 0.0)
    told = replace(found, parts=(replace(first, chance=first.chance - 0.01), *others, cut))
    row = next(line for line in why_lines(told, "Pig", Screen()) if line.startswith(PAST))
    assert re.split(r"  +", row)[1:4] == ["1.0 %", "bounded", "-"]


def test_the_parts_of_the_paragraph_add_up_too() -> None:
    for state in ({"roll": (3, 4)}, {"roll": (1, 2)}, {"open": (1, 2, 3, 4, 5, 6), "roll": (4,)}):
        if state == {"open": (1, 2, 3, 4, 5, 6), "roll": (4,)}:
            continue  # one way to play
        found = rollwise.why("shut-the-box", state)
        said = [float(number) for number in re.findall(r"\(([+-]\d+\.\d+)\)", paragraph(found))]
        total = float(re.findall(r"saves (\d+\.\d+)", paragraph(found))[0])
        assert sum(said) == pytest.approx(total, abs=1e-9)


def test_the_same_twice_and_from_the_cache(run: Run, own_cache: Store) -> None:
    told = [run(*PIG, "--why", "--json") for _ in range(2)]
    assert told[0][1] == told[1][1]
    own_cache.clear()
    assert run(*PIG, "--why", "--json")[1] == told[0][1]


def test_json_has_these_names(run: Run) -> None:
    _, out, _ = run(*PIG, "--why=hold", "--json")
    told = json.loads(out)
    assert {"best", "other", "difference", "reference", "parts", "words"} <= told.keys()
    assert not {"lines", "seats"} & told.keys()
    assert list(told["parts"][0]) == ["class", "chance", "value", "other_chance", "other_value", "part"]
    assert sum(part["part"] for part in told["parts"]) == told["difference"]
    _, out, _ = run("ask", "mexico", "-p", "players=3", "-p", "lives=1", "roll=6,5", "rolls_left=2", "--why", "--json")
    told = json.loads(out)
    assert len(told["seats"]) == len(told["parts"][0]["seats"]) == 3
    _, out, _ = run("ask", "yahtzee", "filled=" + SHEET, "roll=1,4,4,4,4", "rolls_left=1", "--why", "--lines", "--json")
    told = json.loads(out)
    assert list(told["parts"][0])[6:] == ["points", "rest", "other_points", "other_rest"]
    assert list(told["lines"][0]) == ["line", "value", "other_value", "part"]
    assert sum(line["part"] for line in told["lines"]) == told["difference"]
    assert sum(line["value"] for line in told["lines"]) == pytest.approx(told["value"], abs=1e-9)
    assert sum(line["other_value"] for line in told["lines"]) == pytest.approx(told["other_value"], abs=1e-9)


SHEET = (
    "ones:3,twos:6,threes:9,fours:12,fives:15,sixes:18,three of a kind:20,four of a kind:22,full house:25,"
    "small straight:30,large straight:40"
)


def test_every_line_of_the_sheet_after_both_moves(run: Run) -> None:
    code, out, err = run("ask", "yahtzee", "filled=" + SHEET, "roll=1,4,4,4,4", "rolls_left=1", "--why", "--lines")
    assert (code, err) == (0, "")  # so short that nobody is told how long it takes
    lines = out.split("line of the sheet")[1].splitlines()
    rows = [re.split(r"  +", line.strip()) for line in lines[1:]]
    for place in (1, 2, 3):
        *parts, whole = (round(float(row[place]) * 100) for row in rows)
        assert sum(parts) == whole
    assert rows[-2][0].endswith("others, alike")


BAD = [
    ("pig turn=4 --why pass", "'pass' is no move here; the moves are: "),
    ("pig turn=2 --why roll", "error: roll is the best move itself; compare it with hold"),
    ("pig --why", "error: there is nothing to compare: the only move here is roll"),
    ("pig --why roll", "error: there is nothing to compare: the only move here is roll"),
    ("bouncer --why", "error: there is nothing to compare: nobody chooses in bouncer"),
    ("pig turn=4 --lines", "error: --lines is for --why: say both"),
    ("pig turn=4 --why --lines", "error: --lines is for a score sheet: pig is a duel"),
    ("pig turn=4 --why --exact --draw", "error: --why compares two moves; leave out --draw and --exact"),
    ("shut-the-box roll=3,4 --why shut 5", "; the moves are: shut 3 4, shut 7"),
    ("shut-the-box roll=3,4 --why --lines", "error: --lines is for a score sheet: shut-the-box has none"),
]


@pytest.mark.parametrize(("words", "told"), BAD, ids=[words for words, _ in BAD])
def test_bad_input_gets_one_line(words: str, told: str, run: Run) -> None:
    code, out, err = run("ask", *words.split(), *(("-p", "target=10") if words.startswith("pig") else ()))
    assert (code, out) == (2, "")
    assert [line.partition(": ")[0] for line in err.splitlines()] in (["error"], ["error", "hint"])
    assert told in err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("ask pig turn=4 --why", "ask pig turn=4 --why="),
        ("ask pig --why turn=4", "ask pig --why= turn=4"),
        ("ask --why pig turn=4", "ask --why= pig turn=4"),
        ("ask pig --why=hold turn=4", "ask pig --why=hold turn=4"),
        ("ask pig turn=4 --json", "ask pig turn=4 --json"),
    ],
)
def test_a_move_after_why_is_optional(words: str, meant: str) -> None:
    assert moves_joined(words.split()) == meant.split()


def test_a_move_of_several_words_needs_no_quotes(run: Run) -> None:
    said = ["ask", "shut-the-box", "--why", "shut", "3", "4", "roll=3,4", "--json"]
    assert as_meant(said) == ["ask", "shut-the-box", "--why", "shut 3 4", "roll=3,4", "--json"]
    told = [json.loads(run(*words)[1]) for words in (said, ["ask", "shut-the-box", "roll=3,4", "--why", "--json"])]
    assert told[0] == told[1]


def test_python_gives_the_same(run: Run) -> None:
    found = rollwise.why("pig", {"mine": 4, "theirs": 3, "turn": 4}, params={"target": 10})
    assert json.loads(run(*PIG, "--why", "--json")[1]) == found.plain()
    assert found.words == paragraph(found)
    assert found.words in " ".join(" ".join(why_lines(found, "Pig")).split())
    assert rollwise.why("pig", move="hold", params={"target": 10}, mine=4, theirs=3, turn=4) == found


def test_moves_that_are_equally_good_differ_by_nothing() -> None:
    found = rollwise.why(
        "zilch", {"mine": 1000, "roll": (1, 1, 1, 1, 1, 1)}, params={"players": 1, "objective": "points"}
    )
    assert found.difference >= 0
    assert found.words


def test_it_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "sys.argv = ['rollwise', 'ask', 'pig', '-p', 'target=10', 'turn=4', '--why']\n"
        "from rollwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    for _ in range(2):  # the first run solves
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not set(ast.literal_eval(done.stdout.splitlines()[-1])) & HEAVY
