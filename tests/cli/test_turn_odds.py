"""The command ``odds``: single turns that go for one box."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable

import pytest

import rollwise
from rollwise.cache.store import Store

Run = Callable[..., tuple[int, str, str]]
HEAVY = {"numba", "scipy", "sympy", "networkx", "pyarrow", "rich", "joblib", "flint", "tqdm"}


def test_a_sixzee_in_three_rolls(run: Run) -> None:
    code, out, err = run("odds", "sixzee", "sixzee")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["sixzee", "more", "than", "0", "1", "roll", "0.0129", "%", "1/7776"] in lines
    assert ["3", "rolls", "2.0453", "%", "33391127/1632586752"] in lines
    assert ["points", "1", "roll", "0.0077", "5/648"] in lines


@pytest.mark.parametrize("words", ["sixzee", "sixzee fours chance", "yahtzee --rolls 2", "cameroon ones"])
def test_every_answer_fits_on_a_screen_of_100_columns(words: str, run: Run) -> None:
    code, out, _ = run("odds", *words.split())
    assert code == 0
    head, *lines = out.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any(line.endswith(" ") for line in [head, *lines])


def test_without_a_box_there_is_a_line_for_each_aim_of_each_box(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _, out, _ = run("odds", "yahtzee")  # on 80 columns there is no room for the fractions
    assert out.split("\n\n")[1].splitlines()[0].split("  ")[-1].strip() == "3 rolls"
    monkeypatch.setenv("COLUMNS", "100")
    _, out, _ = run("odds", "yahtzee")
    table = out.split("\n\n")[1].splitlines()
    assert len(table) == 1 + 6 * (5 + 1) + 7 * 2
    assert table[0].split("  ")[-1].strip() == "exactly, 3 rolls"
    assert table[-3].split()[-1] == "8697425/3779136"  # 50 points for 347897/7558272 yahtzees


def test_json_has_a_row_for_each_number(run: Run) -> None:
    _, out, _ = run("odds", "sixzee", "three_of_a_kind,sixes", "--rolls", "1", "--json")
    told = json.loads(out)
    assert told["parameters"] == {"joker": True, "sixzee_bonus": 100, "bonus_when": "placed"}
    assert [(row["box"], row["aim"]) for row in told["odds"]] == [
        *(("sixes", f"at least {n}") for n in range(1, 7)),
        ("sixes", "points"),
        ("three of a kind", "more than 0"),
        ("three of a kind", "points"),
    ]
    assert told["odds"][6] == {
        "box": "sixes",
        "aim": "points",
        "rolls": 1,
        "value": 6.0,
        "lower": 6.0,
        "upper": 6.0,
        "exact": "6",
        "unit": "points",
    }
    assert told["odds"][-2]["exact"] == "119/324"


def test_python_gives_the_same() -> None:
    found = rollwise.odds("cameroon", {"big_straight": 25}, boxes=["big straight", "ones"], rolls=2)
    assert [(row.box, row.aim, row.rolls) for row in found.odds][-3:] == [
        ("ones", "points", 2),
        ("big straight", "more than 0", 2),
        ("big straight", "points", 2),
    ]
    chance, points = (row.best for row in found.odds[-2:])
    assert (chance.exact, points.exact) == ("223415/2519424", "5585375/2519424")
    assert chance.lower <= chance.value <= chance.upper


BAD = [
    ("odds killer", "there are no odds of a turn of killer; games that have them: drop-dead, mexico, pig, piggy-six, "),
    (
        "odds big-six chips=3",
        "shut-the-box, slam, ten-thousand, thunderstorm, zilch, and, by box, cameroon, sixzee, y",
    ),
    ("odds zilhc", "error: there is no game 'zilhc'"),
    ("odds sixzee fivs", "sixzee has no box 'fivs' (did you mean 'fives'?); boxes: ones, twos, "),
    ("odds sixzee large_straight", "boxes: ones, twos, threes, fours, fives, sixes, three of a kind, "),
    ("odds sixzee --rolls 4", "rolls is 1, 2 or 3 in sixzee, got 4"),
    ("odds sixzee sixzee --rolls 0", "rolls is 1, 2 or 3 in sixzee, got 0"),
    ("odds sixzee --rolls two", "'two' is not a valid integer"),
    ("odds cameroon -p must_keep=true --rolls 2", "rolls is 3 in cameroon, got 2"),
    ("odds sixzee -p players=3", "'sixzee' has no parameter 'players'"),
    ("odds sixzee -p boxes=chance", "'sixzee' has no parameter 'boxes'"),
]


@pytest.mark.parametrize(("words", "told"), BAD, ids=[words for words, _ in BAD])
def test_bad_input_gets_one_line_and_exit_code_2(words: str, told: str, run: Run) -> None:
    code, out, err = run(*words.split())
    assert (code, out) == (2, "")
    assert [line.partition(": ")[0] for line in err.splitlines()] in (["error"], ["error", "hint"])
    assert told in err


def test_it_neither_loads_anything_heavy_nor_writes_anything(own_cache: Store) -> None:
    script = (
        "import sys\n"
        "sys.argv = ['rollwise', 'odds', 'yahtzee', 'yahtzee']\n"
        "from rollwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not set(ast.literal_eval(done.stdout.splitlines()[-1])) & HEAVY
    assert not own_cache.root.exists()
