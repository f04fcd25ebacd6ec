"""What it costs in the last rounds of Yahtzee for two to choose in another way than the best: a table of positions.

python scripts/two_sheets_cost.py [--open 3] [--positions 50] [--games 4]

One player decides so, the other plays its best. What a decision loses is known from the true game, so the mean of what
is lost in a game, decision by decision, is how much the chance to win falls; won and lost games would tell it far less
closely. ``cost`` takes any way to choose: a function of the fields of a question that names a move.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from statistics import fmean, stdev
from typing import Any

import rollwise
from rollwise.games.sheets import NUMBERS

Decide = Callable[[Mapping[str, Any]], str]
FOR_TWO = {"players": 2}


def for_the_mean(state: Mapping[str, Any]) -> str:
    """The move of a player who goes for points and does not look at the other sheet."""
    return rollwise.ask("yahtzee", state={name: state.get(name) for name in ("filled", "roll", "rolls_left")}).best[0]


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


def main() -> None:
    """Print a row for each position, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("open", 3), ("positions", 50), ("games", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    wanted = parser.parse_args()
    found = []
    for number in range(wanted.positions):
        mine, theirs = sheet(wanted.open, 2 * number), sheet(wanted.open, 2 * number + 1)
        start: dict[str, Any] = {"filled": mine, "theirs_filled": theirs}
        for name, held in (("mine", mine), ("theirs", theirs)):
            if held.get("yahtzee") == 50:  # no hundreds
                start[name] = sum(held.values()) + 35 * (sum(held.get(box, 0) for box in NUMBERS) >= 63)
        chance = rollwise.ask("yahtzee", params=FOR_TWO, state=start).value
        each = [cost(for_the_mean, start, 1000 * number + game) for game in range(wanted.games)]
        found.append(fmean(each))
        print(f"position {number}: chance {chance or 0:.4f}, loses {fmean(each):.4f}", flush=True)
    print(f"mean {fmean(found):.5f}, standard error {stdev(found) / len(found) ** 0.5:.5f}")


if __name__ == "__main__":
    main()
