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

NUMBER = re.compile(
    r"(?<![\w.])([<>±]?) ?-?(\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?)( ?%| p\w+ points| pp| [kM]B| bytes| thousand)?(?!\w)"
)
RECORD = ["pig target=4", "A: 2 hold", "B: 3 hold", "A: 1", "B: 2 hold"]
# Words that say how an answer is to be read, or that it is in a list; a fact does not belong here.
WORDS = (
    "about adds after again against all and answer answers are ask asked average back best blunders bonuses "
    "brings bytes cache chance change changes cheapest claim claims clear come costs counts decisions dice die "
    "difference different each else end ends errors exactly fields fine first for from games goes going hand "
    "hardest has holding how inaccuracies inaccuracy included interval its jokers left less line listed loses "
    "lost low makes mistake mistakes mix more most move moves much need never none not nothing number off often one "
    "others out outcomes own percentage plain play played player plays points proved question quit random removed roll "
    "rolling rollwise say says score scores seat second used sheet shows solved stake start taken than that the "
    "their them then they this thousand throw time times together turn value was way whatever which wins with without "
    "words worse worst worth yet"
)
FORM = set(WORDS.split())
# What is gone is missed: a name of the data, by the command.
CALLS = {
    "list": "kind",
    "rules pig": "allowed",
    "rules mexico": "unsolved",
    "solve pig -p target=4 --exact": "exact",
    "solve mexico -p players=3 -p lives=1": "dead",
    "solve big-six -p players=2": "length",
    "solve pig --plan -p target=4": "edges",
    "sweep pig -p target=3..4": "state",
    "sweep pig -p target=61..62 --most-seconds 0": "reason",
    "ask pig -p target=4 turn=2": "moves",
    "ask pig -p target=4 turn=2 --exact": "exact",
    "ask bluff -p chips=2 total=7": "probability",
    "ask mexico -p players=3 -p lives=1 roll=6,5": "quantities",
    "ask big-six -p players=2": "length_distribution",
    "ask dice-roulette": "edge",
    "ask pig -p target=4 turn=2 --next roll": "best",
    "ask pig -p target=4 turn=2 --why": "parts",
    "odds pig -p target=20 turn=10": "bust",
    "odds yahtzee yahtzee": "odds",
    "forecast shut-the-box": "note",
    "compare pig": "help",
    "compare pig hold-at-20 -p target=30": "cost_to_best",
    "compare bluff honest -p chips=2": "cost",
    "compare bluff honest -p players=3 -p chips=2": "label",
    "compare mexico stop-at-a-pair -p players=3 -p lives=1": "differences",
    "compare shut-the-box rule.py:first": "cost",
    "card pig": "words",
    "card zilch": "worth",
    "review game.txt": "mean_loss",
    "verify drop-dead": "statement",
    "quiz pig -p target=20 --seed 1 -n 2 --look 60": "looked_at",
    "cache list": "boards",
    "cache size": "number",
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


def without(told: Any, name: str) -> Any:
    """The same data without a name, wherever it stands."""
    if isinstance(told, list):
        return [without(value, name) for value in told]
    if not isinstance(told, dict):
        return told
    return {key: without(value, name) for key, value in told.items() if key != name}


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("call", CALLS)
def test_what_the_terminal_states_is_in_json_and_would_be_missed(call: str, said: Callable[..., str]) -> None:
    if call.startswith("solve"):
        said(call)  # the next two are both from the cache
    text, told = said(call), json.loads(said(f"{call} --json"))
    assert [fact for fact in missing(text, told) if fact not in FORM] == []
    assert [fact for fact in missing(text, without(told, CALLS[call])) if fact not in FORM] != []
