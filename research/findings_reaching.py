"""Write docs/findings/reaching.md: Yahtzee for a target, against the player who always plays for the mean.

python research/findings_reaching.py [FOLDER]

Every number is computed by the solver when this is run. Yahtzee for every target is 186 million chances: three minutes
and 2 GB of memory, unless they are in the cache (where they take 1.5 GB).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

import rollwise
from rollwise.games.yahtzee.rules import DICE, THROWS, Yahtzee, YahtzeeReach
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, OneTurn

OUTPUT = Path(__file__).resolve().parents[1] / "docs" / "findings"
MOST = 1575
ROWS = range(25, MOST + 1, 25)
CHASED = range(150, 351, 50)  # targets of the table of first throws
SEEN = range(150, 351, 10)  # those that are looked at
SHOWN = 16
WIDE, HIGH, FIRST, LAST = 640, 260, 100, 500  # the picture, and the targets it shows


class Found:
    """Both solved games, and the chances of every target from 0 on, by the best play and by play for the mean."""

    def __init__(self) -> None:
        self.reach, self.mean = load_or_solve(YahtzeeReach(objective="reach").part()), load_or_solve(Yahtzee())
        start, space = self.reach.game.first_board(), self.reach.game.boards()
        places = np.array([space.index_of(**{**start, "needed": target}) for target in range(MOST + 1)])
        values, radius = self.reach.solution.read(places)
        self.best, self.off = values.tolist(), float(np.max(radius))
        self.forecast = rollwise.forecast("yahtzee").quantities
        scores = self.forecast["score_distribution"].value
        parts = [scores.get(str(score), 0.0) for score in range(MOST, -1, -1)]
        self.usual = np.cumsum(parts)[::-1].tolist()


def table(*rows: tuple[Any, ...]) -> Iterator[str]:
    """A table, the first row its heading."""
    for place, row in enumerate(rows):
        yield "| " + " | ".join(map(str, row)) + " |"
        if place == 0:
            yield "|" + " --: |" * len(row)
    yield ""


def percent(chance: float, places: int = 4) -> str:
    """So many of a hundred, small ones by their size."""
    return f"{100 * chance:.{places}f} %" if chance >= 1e-5 or places < 4 else f"{100 * chance:.2e} %"


def targets(found: Found) -> Iterator[str]:
    """Both chances of round targets."""
    rows: list[Any] = [("at least", "best chance", "playing for the mean", "difference", "times as likely")]
    for target in ROWS:
        best, usual = found.best[target], found.usual[target]
        rows.append((target, percent(best), percent(usual), percent(best - usual, 2), f"{best / usual:.3f}"))
    yield from table(*rows)


def drawing(found: Found) -> str:
    """Both chances by target."""
    left, top, width, high = 46, 12, WIDE - 60, HIGH - 48
    x = {target: left + width * (target - FIRST) / (LAST - FIRST) for target in range(FIRST, LAST + 1)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="12">',
        f'<rect width="{WIDE}" height="{HIGH}" fill="#fff"/>',
    ]
    for share in range(0, 101, 25):
        y = top + high * (1 - share / 100)
        parts.append(f'<path d="M{left} {y:.1f}h{width}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{share} %</text>')
    for target in range(FIRST, LAST + 1, 50):
        parts.append(f'<text x="{x[target]:.1f}" y="{top + high + 18}" text-anchor="middle">{target}</text>')
    lines = ("playing for the target", "#b3261e", found.best), ("for the mean", "#1a5fb4", found.usual)
    for place, (words, colour, chances) in enumerate(lines):
        points = " ".join(f"{x[target]:.1f},{top + high * (1 - chances[target]):.1f}" for target in x)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDE - 190}" y="{top + 24 + 18 * place}" fill="{colour}">{words}</text>')
    return "\n".join([*parts, "</svg>", ""])


def turn(solved: Any, **board: int) -> Callable[[Faces], list[tuple[str, Any]]]:
    """By first throw: all moves and what they are worth, best first."""
    of = OneTurn(solved.game, solved.graph, {**solved.game.first_board(), **board}, solved.solution.read)
    return lambda dice: sorted(of.moves((THROWS - 1, dice, "roll")), key=lambda move: -move[1][VALUE])


def first_throws(found: Found) -> Iterator[str]:
    """What is kept of some first throws for some targets, and how many throws there are of which it changes."""
    usual, turns = turn(found.mean), {target: turn(found.reach, needed=target) for target in SEEN}
    rows, changing = {}, []
    for dice, ways in throws(DICE):
        kept, best, sure, cost = usual(dice)[0][0], {}, set(), 0.0
        for target in SEEN:
            moves = turns[target](dice)
            (best[target], worth), (_, second) = moves[:2]
            sure |= {best[target]} if worth[LOWER] > second[UPPER] else set()
            cost = max(cost, float(worth[VALUE] - dict(moves)[kept][VALUE]))
        changing += [ways] if len(sure) > 1 else []
        rows[f"{cost:.6f}"] = cost, dice, kept, [best[target] for target in CHASED]  # of throws that are alike, one
    share = percent(sum(changing) / 6**DICE, 1)
    yield f"Of {len(throws(DICE))} first throws there are {len(changing)} ({share} of all that fall) whose best keep is"
    yield f"not the same for all targets {SEEN[0]}, {SEEN[1]}, ..., {SEEN[-1]}. Where play for the mean costs most, one"
    yield from ("of each sort:", "")
    heading = ("first throw", "for the mean", *(f"for {target}" for target in CHASED), "costs up to")
    dear = sorted(rows.values(), reverse=True)[:SHOWN]
    yield from table(heading, *((show(dice), kept, *best, percent(cost, 2)) for cost, dice, kept, best in dear))


def page(found: Found) -> Iterator[str]:
    """The page, line by line."""
    gain = [best - usual for best, usual in zip(found.best, found.usual, strict=True)]
    most = max(range(1, MOST + 1), key=gain.__getitem__)
    mean = found.forecast["mean_score"]
    best_sum, usual_sum = fsum(found.best[1:]), fsum(found.usual[1:])
    assert abs(usual_sum - mean.value) < 1e-9 < best_sum - usual_sum
    assert min(gain) > -1e-12, "the mean player is ahead"
    yield from ("# Yahtzee for a target", "")
    yield "Who needs 300 plays otherwise than who wants many points on average. Here is the best chance to end with so"
    yield "many points at least, from an empty sheet, beside the chance of the player who always plays for the mean."
    yield "`python research/findings_reaching.py` wrote this page; `rollwise ask yahtzee -p objective=reach target=300`"
    yield f"asks for one. The best chances are proved to be off by no more than {found.off:.0e}."
    yield from ("", "![Both chances by target](reaching.svg)", "")
    yield from (f"They differ most at {most}: {percent(found.best[most])} against {percent(found.usual[most])}.", "")
    yield from targets(found)
    yield "Added up over all targets from 1, chances are a mean. Those of play for the mean come to"
    yield f"{usual_sum:.9f}, and its mean, found another way, is {mean.value:.9f}. The best chances come to"
    yield f"{best_sum:.9f}, which is more: no single play has all of them. At no target is the mean player ahead."
    yield from ("", "## First throws", "")
    yield from first_throws(found)


def main(folder: Path) -> None:
    """Compute everything, and write the page and its picture."""
    found = Found()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "reaching.svg").write_text(drawing(found), encoding="utf-8")
    (folder / "reaching.md").write_text("\n".join(page(found)).rstrip() + "\n", encoding="utf-8")
    print(folder / "reaching.md")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=OUTPUT, help="where page and picture go (%(default)s)")
    main(parser.parse_args().folder)
