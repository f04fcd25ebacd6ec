"""Find the numbers of the strategy cards and write them to ``rollwise/games/GAME/cards.toml``.

python -m research.find_cards [--starts N] [GAME ...]

Coordinate descent on the cost, best of three starts: each number in turn is moved as long as that makes the card
cheaper, until a whole pass changes none. What is found so far is kept in the cache folder (``cards/GAME.json``), so a
search that was stopped goes on from there. The cost that is searched with is a fast one: that of ``compare`` itself at
Pig and Piggy Six (``card_costs``), an estimate at Ten Thousand and Zilch (``card_turns``). The cost that is stored is
worked out with bounds, as ``compare`` has it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import rollwise
from rollwise.cache.store import Store
from rollwise.games.card_policies import UNTIL_WON
from rollwise.parsing.validate import parse_game
from rollwise.questions.card.thresholds import BANDS, bands_of
from rollwise.questions.card.compute import card_costs, first_keeps
from rollwise.questions.card.data import EXACT
from rollwise.questions.card.thresholds import boards_without_last_turn, count_violations
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import load_or_solve
from research.card_costs import pig_cost, piggy_six_cost
from research.card_turns import STEP, Minimums, exact_cost, rules_of

FOLDER = Path(__file__).resolve().parents[1] / "rollwise" / "games"
WIDTH, TARGET = 10, 100
SIMPLER = ":simpler"  # a search for a card with one term less
STARTS = 3
GAMES = ("pig", "piggy-six", "ten-thousand", "zilch", "yahtzee")
SAVE_EVERY = 5.0  # seconds
Numbers = list[int]


@dataclass(frozen=True)
class Family:
    """A game's cards: where a search starts, what a card costs, which numbers to try in place of one, the TOML."""

    starts: Callable[[], list[Numbers]]
    cost: Callable[[Numbers], float]
    others: Callable[[Numbers, int], list[list[int]]]
    written: Callable[[Numbers], dict[str, Any]]


@dataclass
class Search:
    """How far a search has come: which start, where in its pass, and what earlier starts have found."""

    numbers: Numbers = field(default_factory=list)
    cost: float = float("inf")
    at: int = 0
    unchanged: int = 0  # numbers in a row of which none was changed
    asked: int = 0
    found: list[tuple[float, Numbers]] = field(default_factory=list)


def descend(game: str, family: Family, n_starts: int = STARTS) -> Numbers:
    """The best numbers of three starts, or of fewer."""
    path = Store().root / "cards" / f"{game.replace(':', '-')}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    now = Search(**json.loads(path.read_text())) if path.is_file() else Search()
    starts, saved = family.starts()[:n_starts], time.monotonic()
    while len(now.found) < len(starts):
        if not now.numbers:
            now.numbers = list(starts[len(now.found)])
            now.cost, now.at, now.unchanged = family.cost(now.numbers), 0, 0
        changed = False
        for way in family.others(now.numbers, now.at):
            for value in way:
                tried = [*now.numbers[: now.at], value, *now.numbers[now.at + 1 :]]
                cost = family.cost(tried)
                now.asked += 1
                if cost >= now.cost - 1e-10:
                    break
                now.numbers, now.cost, changed = tried, cost, True
        now.unchanged = 0 if changed else now.unchanged + 1
        now.at = (now.at + 1) % len(now.numbers)
        if now.unchanged >= len(now.numbers):
            now.found.append((now.cost, now.numbers))
            now.numbers = []
        if time.monotonic() - saved > SAVE_EVERY or not now.numbers:
            saved = time.monotonic()
            path.write_text(json.dumps(asdict(now)))
            show(game, now, len(starts))
    print(f"\n{game}: {', '.join(f'{cost:.6%}' for cost, _ in now.found)}", file=sys.stderr)
    return min(now.found[:n_starts])[1]


def show(game: str, now: Search, starts: int) -> None:
    """One line that is written over."""
    n = min(len(now.found) + 1, starts)
    text = f"{game}: start {n} of {starts}, {now.asked} cards tried, {now.unchanged} numbers settled, {now.cost:.5%}"
    print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)


# --- Pig and Piggy Six -----------------------------------------------------------------------------------------------


def by_board(table: Sequence[int]) -> Any:
    """Thresholds of the bands as an array by both scores."""
    numbers = np.array([value or TARGET for value in table]).reshape(BANDS, BANDS)
    return numbers.repeat(WIDTH, axis=0).repeat(WIDTH, axis=1)


def other_thresholds(numbers: Numbers, at: int) -> list[list[int]]:
    """Up, down, and all the way; the last ``BANDS`` after the table, if there are any, are final scores."""
    value = numbers[at]
    if at >= BANDS * BANDS:
        return [list(range(value + 1, TARGET + 30)), list(range(value - 1, TARGET - 1, -1))]
    highest = TARGET - at // BANDS * WIDTH  # from here on it is as much as to the end
    if value == UNTIL_WON:
        return [[start] for start in (15, 20, 25, 30) if start < highest]
    up, down = list(range(value + 1, highest)), list(range(value - 1, 1, -1))
    return [up, down, [UNTIL_WON]]


def flat(threshold: int) -> Numbers:
    """The same threshold everywhere."""
    return [threshold if threshold < TARGET - at // BANDS * WIDTH else UNTIL_WON for at in range(BANDS * BANDS)]


def table_of(numbers: Numbers) -> list[Numbers]:
    """The rows of the table."""
    return [numbers[first : first + BANDS] for first in range(0, BANDS * BANDS, BANDS)]


def pig() -> Family:
    """Pig to 100."""

    def starts() -> list[Numbers]:
        read = bands_of(load_or_solve(parse_game("pig")).solution, TARGET)
        return [[value for row in read.table for value in row], flat(20), flat(25)]

    def cost(numbers: Numbers) -> float:
        return float(pig_cost(by_board(numbers), TARGET))

    def written(numbers: Numbers) -> dict[str, Any]:
        return {"width": WIDTH, "table": table_of(numbers)}

    return Family(starts, cost, other_thresholds, written)


def piggy_six() -> Family:
    """Piggy Six to 100 with two dice."""
    near: dict[str, Any] = {}  # the values of the best card so far: others are little different

    def starts() -> list[Numbers]:
        read = bands_of(load_or_solve(parse_game("piggy-six")).solution, TARGET)
        table, end = [value for row in read.table for value in row], [TARGET] * BANDS
        bolder = [value + 2 if value else UNTIL_WON for value in table]
        return [[*table, *read.finish], [*table, *end], [*bolder, *end]]

    def cost(numbers: Numbers) -> float:
        finish = np.array(numbers[BANDS * BANDS :]).repeat(WIDTH)
        table = by_board(numbers[: BANDS * BANDS])
        found, values, _ = piggy_six_cost(table, finish, TARGET, near.get("values"), 1e-8)
        if found < near.get("cost", 1.0) or "values" not in near:
            near.update(values=values, cost=found)
        return found

    def written(numbers: Numbers) -> dict[str, Any]:
        return {"width": WIDTH, "table": table_of(numbers), "finish": numbers[BANDS * BANDS :]}

    return Family(starts, cost, other_thresholds, written)


# --- Ten Thousand and Zilch ------------------------------------------------------------------------------------------

DICE, NEAR = 6, 2000
EVERY = 500  # points: of Ten Thousand and Zilch the best play is looked at on pairs of scores so far apart
GUESSES = (  # stop with, and what dice in hand are worth, by the dice left
    ([300, 300, 400, 600, 1500, 3000], [0, 50, 150, 200, 300, 400]),
    ([250, 350, 500, 1500, 2500, 10000], [0, 50, 150, 300, 450, 600]),
    ([350, 500, 800, 1500, 3000, 6000], [0, 50, 100, 200, 300, 400]),
)


def minimums(game: str, rows: int) -> Family:
    """``rows`` rows of minimums by the dice left, and what as many dice in hand are worth (one die: nothing)."""
    made = parse_game(game)
    goal, least = made.parameters()["goal"], rules_of(made)["least"]
    costs = Minimums(made)

    def starts() -> list[Numbers]:
        return [[max(least, number) for number in stops] * rows + worth[1:] for stops, worth in GUESSES]

    def parts(numbers: Numbers) -> tuple[list[Numbers], Numbers]:
        return [numbers[DICE * row : DICE * (row + 1)] for row in range(rows)], [0, *numbers[DICE * rows :]]

    def others(numbers: Numbers, at: int) -> list[list[int]]:
        value = numbers[at]
        if at < DICE * rows:
            return [
                list(range(value + STEP, goal + 1, STEP)),
                list(range(value - STEP, least - 1, -STEP)),
                [value + 4 * STEP] if value + 4 * STEP < goal else [],
                [goal],
            ]
        return [list(range(value + STEP, 2000, STEP)), list(range(value - STEP, -1, -STEP))]

    def written(numbers: Numbers) -> dict[str, Any]:
        table, worth = parts(numbers)
        return {**({"near": NEAR} if rows > 1 else {}), "table": table, "worth": worth}

    return Family(starts, lambda numbers: costs.about(*parts(numbers), NEAR, again=True), others, written)


SMALL: dict[str, list[dict[str, Any]]] = {  # games in which all rules count that count in the card's game
    "pig": [{"target": 20}],
    "piggy-six": [{"target": 20}],
    "ten-thousand": [{"players": 1}, {"goal": 600}],
    "zilch": [{"players": 1}, {"goal": 400, "opening": 350}],
}
FAMILIES: dict[str, Callable[[], Family]] = {
    "pig": pig,
    "piggy-six": piggy_six,
    **{
        game + name: partial(minimums, game, rows)
        for game in ("ten-thousand", "zilch")
        for name, rows in (("", 2), (SIMPLER, 1))
    },
}


# --- writing ---------------------------------------------------------------------------------------------------------


def head(game: str, found: str, starts: int = 0) -> list[str]:
    """The first lines of a card's file: which game it is for."""
    made = parse_game(game)
    small = [line for parameters in SMALL.get(game, ()) for line in small_lines(game, parameters)]
    return [
        "# Written by research/find_cards.py.",
        f'game = "{game}"',
        f"rules_version = {made.rules_version}",
        f'found = "{found}"',
        *([f"starts = {starts}"] if starts else []),
        "",
        "[parameters]",
        *(f"{name} = {json.dumps(value)}" for name, value in plain_parameters(made).items()),
        *small,
    ]


def small_lines(game: str, parameters: dict[str, Any]) -> list[str]:
    """What the best play is worth in a small game."""
    told = rollwise.solve(game, params=parameters)
    shown = ", ".join(f"{name} = {json.dumps(value)}" for name, value in parameters.items())
    numbers = {"value": told.value, "lower": told.lower, "upper": told.upper}
    return ["", "[[small]]", f"parameters = {{ {shown} }}", *lines_of("", numbers)[2:]]


def lines_of(title: str, numbers: dict[str, Any]) -> list[str]:
    """Numbers, rows of a table a line each."""
    lines = ["", f"[{title}]"]
    for name, value in numbers.items():
        rows = isinstance(value, list) and value and isinstance(value[0], list)
        lines += [f"{name} = [", *(f"  {row}," for row in value), "]"] if rows else [f"{name} = {json.dumps(value)}"]
    return lines


def cost_lines(title: str, game: str, numbers: dict[str, Any]) -> list[str]:
    """What it costs to play by these numbers, and that to the best player."""
    costs = card_costs(game, numbers) if "width" in numbers else exact_cost(game, numbers)
    told = zip((title, f"{title}_to_best"), costs, strict=True)
    return [line for name, cost in told for line in lines_of(name, asdict(cost) if cost else {})]


def write(game: str, numbers: dict[str, Any], simpler: dict[str, Any] | None, starts: int) -> None:
    """The numbers as TOML, with what they cost, and how far the best play is from thresholds."""
    made = parse_game(game)
    every = EVERY if "worth" in numbers else 1
    boards = boards_without_last_turn(made, every // STEP if every > 1 else 1)
    steady = replace(count_violations(load_or_solve(made).solution, boards), every=every)
    lines = [*head(game, "best found", starts), *cost_lines("cost", game, numbers)]
    lines += [*lines_of("best_play", asdict(steady)), *lines_of("numbers", numbers)]
    if simpler is not None:
        lines += [*cost_lines("simpler.cost", game, simpler), *lines_of("simpler.numbers", simpler)]
    put(game, lines)


def write_yahtzee() -> None:
    """The best keeps of the first turn: nothing is searched for."""
    lines = [*head("yahtzee", EXACT), *lines_of("cost", {"value": 0.0, "lower": 0.0, "upper": 0.0})]
    for left, moves in first_keeps(parse_game("yahtzee")).items():
        lines += lines_of(f"numbers.keeps.{left}", moves)
    put("yahtzee", lines)


def put(game: str, lines: list[str]) -> None:
    """Write a card's file."""
    (FOLDER / game.replace("-", "_") / "cards.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(games: Sequence[str], starts: int) -> None:
    """Search, and write what was found."""
    for game in games or GAMES:
        if game == "yahtzee":
            write_yahtzee()
            continue
        families = {name: FAMILIES[name]() for name in (game, game + SIMPLER) if name in FAMILIES}
        found = [family.written(descend(name, family, starts)) for name, family in families.items()]
        write(game, found[0], found[1] if len(found) > 1 else None, starts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)}: those alone")
    parser.add_argument("--starts", type=int, default=STARTS, help="search from so many (%(default)s)")
    given = parser.parse_args()
    main(given.games, given.starts)
