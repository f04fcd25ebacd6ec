"""What the terminal states JSON has too: every number, to its printed digits, and every word but those of the form."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate, combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., tuple[int, str, str]]
NUMBER = re.compile(
    r"(?<![\w.])([<>±]?) ?-?(\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?)( ?%| p\w+ points| pp| [kM]B| bytes| thousand)?(?!\w)"
)
RECORD = ["pig target=4", "A: 2 hold", "B: 3 hold", "A: 1", "B: 2 hold"]
# Words that say how an answer is to be read, or that it is in a list; a fact does not belong here.
FORM = {
    "list": "",
    "rules pig": "question value",
    "rules mexico": "more not question solved value",
    "solve pig -p target=4 --exact": "cache exactly from solved start the",
    "solve mexico -p players=3 -p lives=1": "cache from move none often solved start than wins",
    "solve big-six -p players=2": (
        "all cache from listed more most move none not one others seat solved start together"
    ),
    "solve pig --plan -p target=4": "about answers bytes cache come from not second the thousand turn yet",
    "ask pig -p target=4 turn=2": (
        "how interval more much off percentage points proved than worse again against for holding"
    ),
    "ask pig -p target=4 turn=2 --exact": (
        "how interval more much off percentage points proved than worse again against exactly for holding"
    ),
    "ask bluff -p chips=2 total=7": (
        "how interval more much off percentage points proved than worse mix often play random"
    ),
    "ask mexico -p players=3 -p lives=1 roll=6,5": (
        "how interval more much off percentage points proved than worse against for none rolling seat "
        "after first say second taken throw"
    ),
    "ask big-six -p players=2": "all listed more most move none not one others seat together",
    "ask dice-roulette": "and average back brings cheapest for included player stake the time wins",
    "ask pig -p target=4 turn=2 --next roll": (
        "against average change fields from outcomes percentage points that the their then"
    ),
    "ask pig -p target=4 turn=2 --why": "ends how makes much the times together worth",
    "odds pig -p target=20 turn=10": (
        "adds all are ask average counts die ends hand loses more move not one played rollwise says "
        "that the this throw together which with"
    ),
    "odds yahtzee yahtzee": (
        "and average best bonuses chance dice each else exactly for goes going has its jokers most "
        "nothing one own plain play roll scores sheet that the turn way with"
    ),
    "forecast shut-the-box": "average end ends less low most play with",
    "compare pig": "",
    "compare pig hold-at-20 -p target=30": "costs difference percentage proved seat",
    "compare bluff honest -p chips=2": "costs difference percentage points proved seat",
    "compare bluff honest -p players=3 -p chips=2": "costs difference percentage points proved",
    "compare mexico stop-at-a-pair -p players=3 -p lives=1": "costs difference percentage points proved seat",
    "compare shut-the-box rule.py:first": "costs difference proved",
    "card pig": "they",
    "card zilch": "hand less need they whatever",
    "review game.txt": (
        "and are blunders changes each errors fine from inaccuracies inaccuracy left line lost "
        "mistake mistakes moves out percentage points the together was without worst"
    ),
    "verify drop-dead": "claim claims",
    "quiz pig -p target=20 --seed 1 -n 2 --look 60": (
        "answer answers are asked costs decisions different ends first hardest its more not number "
        "percentage player plays points question quit score shows than that the them with words"
    ),
    "cache list": "bytes games solved",
}
SCALES = {"": (1.0, 100.0), " bytes": (1.0,), " kB": (1e-3,), " MB": (1e-6,), " thousand": (1e-3,)}


def values(told: Any) -> Iterator[Any]:
    """All names and values, and of every list and mapping itself."""
    yield told
    if isinstance(told, dict):
        for name, value in told.items():
            yield name
            yield from values(value)
    elif isinstance(told, list):
        for value in told:
            yield from values(value)


def numbers_in(told: Any) -> set[float]:
    """All numbers, those in text too, and what a reader adds up from them: how many, how much of a distribution."""
    every = list(values(told))
    found = {float(value) for value in every if isinstance(value, int | float)}
    texts = [value for value in every if isinstance(value, str)]
    found |= {float(Fraction(text)) for text in texts if re.fullmatch(r"-?\d+(/[1-9]\d*)?", text) and len(text) < 40}
    found |= {float(number.replace(",", "")) for text in texts for number in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}
    found |= {float(len(value)) for value in every if isinstance(value, list)}
    found |= {float(count) for count in Counter(texts).values()}
    for value in every:
        if isinstance(value, dict) and value and all(isinstance(x, float) for x in value.values()):
            sums = [0.0, *accumulate(map(float, value.values()))]
            found |= {high - low for low, high in combinations(sums, 2)}
            found |= {float(int(name) - 1) for name in value if name.isdigit()}
    if isinstance(told, dict) and isinstance(told.get("value"), float):
        found |= {row["value"] - told["value"] for row in told.get("rows", [])}
    return found | {1 - number for number in found}


def flat(told: Any) -> list[float]:
    """A number, or those of a list or of a distribution."""
    found = [told] if not isinstance(told, dict | list) else list(told.values() if isinstance(told, dict) else told)
    return [float(number) for number in found if isinstance(number, int | float)]


def widths(told: dict[str, Any]) -> list[float]:
    """Half of an interval, or of each of a list of them."""
    return [(high - low) / 2 for low, high in zip(flat(told.get("lower")), flat(told.get("upper")), strict=False)]


def missing(text: str, told: Any) -> list[str]:
    """Numbers and words of a text that are not in the data."""
    known = np.array(sorted(numbers_in(told)))
    halves = np.array([half for value in values(told) if isinstance(value, dict) for half in widths(value)])
    absent = []
    for sign, digits, unit in NUMBER.findall(" ".join(text.split())):
        number, step = float(digits.replace(",", "")), 10.0 ** -len(digits.partition(".")[2])
        scales = np.array([SCALES.get(unit, (100.0,))]).T
        step = number / 10 if unit in SCALES and unit else step  # said in two digits
        if sign == "±":  # one digit, rounded up
            off = number - np.array([[1.0], [100.0]]) * halves
            is_there = ((off >= -1e-9 * number) & (off <= number / 2)).any()
        elif sign:
            left = 100 * (known if sign == "<" else 1 - known)
            is_there = ((left > 0) & (left < step)).any()
        else:
            is_there = (np.abs(np.abs(known) * scales - number) <= step * 0.51).any()
        if not is_there and not all(np.isin(float(part), known) for part in digits.split(",") if part):
            absent.append(digits + unit)
    said = set(re.findall(r"[a-z]+", json.dumps(told).casefold()))
    return absent + sorted({word for word in re.findall(r"[a-z]{3,}", text.casefold()) if word not in said})


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    Path("game.txt").write_text("\n".join(RECORD) + "\n")
    Path("rule.py").write_text('def first(state, moves):\n    """The first move."""\n    return moves[0]\n')


# What is gone is missed: a name of the data, by the command.
GONE = {
    "list": "source_title",
    "rules mexico": "source_title",
    "solve pig -p target=4 --exact": "exact",
    "ask pig -p target=4 turn=2": "moves",
    "ask pig -p target=4 turn=2 --next roll": "best",
    "ask pig -p target=4 turn=2 --why": "parts",
    "odds pig -p target=20 turn=10": "bust",
    "forecast shut-the-box": "note",
    "compare pig hold-at-20 -p target=30": "cost_to_best",
    "compare bluff honest -p chips=2": "cost",
    "compare bluff honest -p players=3 -p chips=2": "label",
    "card pig": "words",
    "verify drop-dead": "source_title",
    "quiz pig -p target=20 --seed 1 -n 2 --look 60": "looked_at",
    "cache list": "boards",
}


def without(told: Any, name: str | None) -> Any:
    """The same data without a name, wherever it stands."""
    if isinstance(told, list):
        return [without(value, name) for value in told]
    if not isinstance(told, dict):
        return told
    return {key: without(value, name) for key, value in told.items() if key != name}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("call", FORM)
def test_what_the_terminal_states_is_in_json_and_would_be_missed(call: str, run: Run) -> None:
    if call.startswith("solve"):
        run(*call.split())  # the next two are both from the cache
    (code, text, error), (code_2, data, _) = run(*call.split()), run(*call.split(), "--json")
    assert (code, code_2) == (0, 0), error
    told, form = json.loads(data), FORM[call].split()
    assert [fact for fact in missing(text, told) if fact not in form] == []
    if call in GONE:
        assert [fact for fact in missing(text, without(told, GONE[call])) if fact not in form] != []
