"""What it costs in the last rounds of Yahtzee for two to choose in another way than the best: a table of positions.

python research/two_sheets_cost.py [--open 3] [--positions 50] [--games 4] [--write docs/findings/for_two.md]
python research/two_sheets_cost.py --knows docs/findings/for_two.md  # the second table alone, in some minutes

One player decides so, the other plays its best. What a decision loses is known from the true game, so the mean of what
is lost in a game, decision by decision, is how much the chance to win falls; won and lost games would tell it far less
closely. ``cost`` takes any way to choose: a function of the fields of a question that names a move.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import fsum
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import rollwise
from rollwise.games.sheets import NUMBERS

Decide = Callable[[Mapping[str, Any]], str]
FOR_TWO = {"players": 2}
KNOWS = "\n## Both play for the mean, and one of them knows\n"
SIX = {"threes": 9, "fours": 12, "fives": 15, "full house": 25, "small straight": 30, "chance": 22}
TEN = {**SIX, "ones": 3, "sixes": 18, "three of a kind": 22, "yahtzee": 0}
LESS = {"full house": 0, "chance": 17}  # 30 points less, and what is open goes on alike


def for_the_mean(state: Mapping[str, Any]) -> str:
    """The move of a player who goes for points and does not look at the other sheet."""
    return rollwise.ask("yahtzee", state={name: state.get(name) for name in ("filled", "roll", "rolls_left")}).best[0]


def to_beat(state: Mapping[str, Any]) -> str:
    """The move of a player who takes the other for one who plays for the mean, and asks again each turn."""
    other = dict(state["theirs_filled"])
    if state.get("theirs") is not None:
        other["points"] = state["theirs"]
    own = {name: state.get(name) for name in ("filled", "mine", "roll", "rolls_left")}
    return rollwise.ask("yahtzee", params={"objective": "beat"}, state={**own, "theirs_filled": [other]}).best[0]


WAYS: dict[str, Decide] = {"beat": to_beat, "the mean": for_the_mean}


def sheet(n_open: int, seed: int) -> dict[str, int]:
    """A sheet with so many boxes open, of a game that is played for the mean."""
    match = rollwise.Match("yahtzee", seed=seed)
    while match.state is not None and len(match.state["filled"]) < 13 - n_open:
        match.play(match.moves[0].move)
        if match.waiting:
            match.throw()
    assert match.state is not None
    return dict(match.state["filled"])


def cost(decide: Decide, start: Mapping[str, Any], seed: int) -> float:
    """What seat 0 loses in one game from here on, of its chance to win, if it decides so."""
    match, lost = rollwise.Match("yahtzee", params=FOR_TWO, state=start, seed=seed), 0.0
    while not match.over:
        is_chosen = match.mover == 0 and len(match.moves) > 1
        lost += match.play(decide(match.state or {}) if is_chosen else match.moves[0].move).loss
        if match.waiting:
            match.throw()
    return lost


def starts(n_open: int, positions: int) -> Iterator[dict[str, Any]]:
    """Two sheets each, without hundreds."""
    for number in range(positions):
        mine, theirs = sheet(n_open, 2 * number), sheet(n_open, 2 * number + 1)
        start: dict[str, Any] = {"filled": mine, "theirs_filled": theirs}
        made = {
            name: sum(held.values()) + 35 * (sum(held.get(box, 0) for box in NUMBERS) >= 63)
            for name, held in (("mine", mine), ("theirs", theirs))
        }
        for names in ((), ("mine",), ("theirs",), ("mine", "theirs")):  # said where a sheet does not tell its points
            told = {**start, **{name: made[name] for name in names}}
            with suppress(rollwise.BadInput):
                rollwise.ask("yahtzee", params=FOR_TWO, state=told)
                yield told
                break


def wins(mine: Mapping[str, int], theirs: Mapping[str, int]) -> tuple[float, float, float]:
    """Of who has the first sheet and plays for the mean, as the other does: (chance to win, lower, upper)."""
    each = [
        rollwise.forecast("yahtzee", filled=dict(sheet)).quantities["score_distribution"] for sheet in (mine, theirs)
    ]
    found = []
    for bound in ("value", "lower"):
        own, other = ({int(n): p for n, p in getattr(one, bound).items() if n.isdigit()} for one in each)
        found.append([p * q * (n > m) + p * q * (n == m) / 2 for n, p in own.items() for m, q in other.items()])
        found.append([p * q * (n < m) + p * q * (n == m) / 2 for n, p in own.items() for m, q in other.items()])
    return fsum(found[0]), fsum(found[2]), 1 - fsum(found[3])


def can_decide() -> Iterator[str]:
    """What it is worth to know the other sheet where the other plays for the mean."""
    positions: list[tuple[str, Mapping[str, int], Mapping[str, int]]] = [("13 boxes, level", {}, {})]
    for n_open, sheet in ((7, SIX), (3, TEN)):
        less = {**sheet, **LESS}
        pairs = ("level", sheet, sheet), ("30 behind", less, sheet), ("30 ahead", sheet, less)
        positions += [(f"{n_open} boxes, {name}", mine, theirs) for name, mine, theirs in pairs]
    yield "| open each | who knows | for the mean | difference | seconds |"
    yield "| :-- | --: | --: | --: | --: |"
    for name, mine, theirs in positions:
        began = time.process_time()
        state = {"filled": dict(mine), "theirs_filled": [dict(theirs)]}
        best = rollwise.ask("yahtzee", params={"objective": "beat"}, state=state)
        chance, lower, upper = wins(mine, theirs)
        assert best.value is not None
        assert (best.upper or 1) - (best.lower or 0) + upper - lower < 1e-8, "fewer digits are certain"
        assert chance <= best.value + 1e-9, "who knows is behind"
        seconds = time.process_time() - began
        gain = 100 * (best.value - chance)
        yield f"| {name} | {100 * best.value:.4f} % | {100 * chance:.4f} % | {gain:.4f} | {seconds:.0f} |"


def write(path: Path, costs: str = "", known: str = "") -> None:
    """Write one of the two parts of a page, and keep the other."""
    first, _, second = path.read_text(encoding="utf-8").partition(KNOWS) if path.exists() else ("", "", "")
    path.write_text((costs or first) + KNOWS + (known or second), encoding="utf-8")


def about_knowing(rows: Sequence[str]) -> str:
    """The second part of the page."""
    return (
        """
Who knows plays `objective=beat` against one who plays for the mean, and beside it is what playing for the mean would
have; as many points count half. The one who knows does not watch the other's further throws here, so it does not matter
who moves first, and asking again each turn can only add to it. The sheets are the same but, where they are not level,
for 30 points in boxes that are filled; `python research/two_sheets_cost.py --knows docs/findings/for_two.md` wrote this
table, with seconds of processor.

"""
        + "\n".join(rows)
        + "\n"
    )


def main() -> None:
    """A row for each position, and the means; as a page, if one is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("open", 3), ("positions", 50), ("games", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--knows", type=Path)
    wanted = parser.parse_args()
    if wanted.can_decide:
        write(wanted.can_decide, known=about_knowing(list(can_decide())))
        return
    rows, found = [], []
    for number, start in enumerate(starts(wanted.open, wanted.positions)):
        chance = rollwise.ask("yahtzee", params=FOR_TWO, state=start).value or 0.0
        seeds = range(1000 * number, 1000 * number + wanted.games)
        found.append([fmean(cost(decide, start, seed) for seed in seeds) for decide in WAYS.values()])
        rows.append(
            f"| {number + 1} | {100 * chance:.2f} % | " + " | ".join(f"{100 * lost:.3f}" for lost in found[-1]) + " |"
        )
        print(rows[-1], flush=True)
    means = [fmean(column) for column in zip(*found, strict=True)]
    errors = [stdev(column) / len(found) ** 0.5 for column in zip(*found, strict=True)]
    told = " | ".join(f"{100 * mean:.3f} ± {100 * error:.3f}" for mean, error in zip(means, errors, strict=True))
    rows.append(f"| mean, and its standard error | | {told} |")
    print(rows[-1])
    if wanted.write:
        write(wanted.write, costs=page(wanted.open, wanted.games, rows))


def page(n_open: int, games: int, rows: Sequence[str]) -> str:
    """The rows as a page of ``docs/findings``."""
    return (
        f"""# The last rounds for two: what other ways to choose give away

Two players have {n_open} boxes of Yahtzee open each, after games for the mean without hundreds. Who moves first decides
in another way than the best, the other plays its best: so much of the chance to win goes, in points of a hundred, as a
mean of {games} games, decision by decision. *Beat* asks `objective=beat` again each turn, as if the other played for
the mean; *the mean* does not look at the other sheet. `python research/two_sheets_cost.py --write` wrote this page.

| position | first player wins | beat | the mean |
| --: | --: | --: | --: |
"""
        + "\n".join(rows)
        + "\n"
    )


if __name__ == "__main__":
    main()
