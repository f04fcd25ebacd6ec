"""Write docs/sixzee.md: how Sixzee is best played, and what its rules are worth.

python research/sixzee_findings.py [FILE]

Every number is computed by the solver when this is run: five solves of 29 million boards, of about a minute each unless
they are in the cache (where they take 335 MB each), and a forecast of three.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rollwise
from rollwise.games.sheets import NUMBERS
from rollwise.games.sixzee.rules import BOXES, DICE, THROWS, Sixzee
from rollwise.questions.forecast.data import FinalScore
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.turn.query import VALUE, OneTurn

OUTPUT = Path(__file__).resolve().parents[1] / "docs" / "sixzee.md"
WAYS = 6**DICE
VARIANTS: dict[str, dict[str, Any]] = {
    "as on the sheet": {},
    "without the joker": {"joker": False},
    "without the 100 for further sixzees": {"sixzee_bonus": 0},
    "without both": {"joker": False, "sixzee_bonus": 0},
    "the 100 whenever the sixzee could be placed for more than 0": {"bonus_when": "possible"},
}
SHOWN = 12  # rows of a table of throws


@dataclass(frozen=True)
class Kept:
    """The best answer to a first throw of the game."""

    dice: Faces
    ways: int
    best: str
    second: str
    loss: float

    @property
    def held(self) -> Faces:
        """The dice that are kept: all of them where the turn ends."""
        if self.best.startswith("score"):
            return self.dice
        words = self.best.removeprefix("keep ").split()
        return () if words == ["nothing"] else tuple(map(int, words))


def first_throws() -> list[Kept]:
    """The best answer to every first throw."""
    found = load_or_solve(Sixzee())
    turn = OneTurn(found.game, found.graph, found.game.first_board(), found.solution.read)
    answers = []
    for dice, ways in throws(DICE):
        moves = sorted(turn.moves((THROWS - 1, dice, "roll")), key=lambda move: -move[1][VALUE])
        (best, worth), (second, next_worth) = moves[:2]
        answers.append(Kept(dice, ways, best, second, float(worth[VALUE] - next_worth[VALUE])))
    return answers


def shape(dice: Faces) -> str:
    """How many dice show each face, most first."""
    return "-".join(str(count) for count in sorted(Counter(dice).values(), reverse=True))


# --- parts of the page ----------------------------------------------------------------------------------------------


def table(*rows: tuple[Any, ...]) -> Iterator[str]:
    """A table, the first row its heading."""
    for place, row in enumerate(rows):
        yield "| " + " | ".join(map(str, row)) + " |"
        if place == 0:
            yield "|" + "---|" * len(row)
    yield ""


def preface() -> Iterator[str]:
    """What the page is."""
    boards = load_or_solve(Sixzee()).facts["boards"]
    yield f"Six dice, three throws, seventeen boxes: {boards:,} boards, and from each the best play is known. Every"
    yield "number here was computed when `python research/sixzee_findings.py` wrote this page; the intervals are proven"
    yield "bounds, rounding included."
    yield ""
    yield "## What the rules are worth"
    yield ""


def variants() -> Iterator[str]:
    """What the joker and the 100 are worth."""
    rows: list[tuple[Any, ...]] = [("rules", "best expected score", "against the sheet")]
    sheet = 0.0
    for name, parameters in VARIANTS.items():
        found = rollwise.ask("sixzee", params=parameters)
        assert found.value is not None
        assert found.upper is not None
        sheet = sheet or found.value
        rows.append((name, f"{found.value:.9f} ± {found.upper - found.value:.0e}", f"{found.value - sheet:+.6f}"))
    yield from table(*rows)


def how_many(answers: list[Kept]) -> Iterator[str]:
    """How many dice are kept of the first throw."""
    kept: Counter[int] = Counter()
    for answer in answers:
        kept[len(answer.held)] += answer.ways
    yield from table(
        ("dice kept", "of all first throws"),
        *((n if n < DICE else "all, and scored", f"{100 * kept[n] / WAYS:.3f} %") for n in sorted(kept)),
    )


def by_shape(answers: list[Kept]) -> Iterator[str]:
    """For each shape of a throw, what is kept of it, most frequent answer first."""
    rows: list[tuple[Any, ...]] = [("equal dice in the throw", "of all throws", "kept: how often, as equal dice")]
    for one in sorted({shape(answer.dice) for answer in answers}, reverse=True):
        of_shape = [answer for answer in answers if shape(answer.dice) == one]
        total = sum(answer.ways for answer in of_shape)
        kept: Counter[str] = Counter()
        for answer in of_shape:
            scores = answer.best.startswith("score")
            kept[answer.best if scores else shape(answer.held) or "nothing"] += answer.ways
        said = ", ".join(f"{name} {100 * ways / total:.1f} %" for name, ways in kept.most_common(5))
        rows.append((one, f"{100 * total / WAYS:.3f} %", said + (", ..." if len(kept) > 5 else "")))
    yield from table(*rows)


def decisions(answers: list[Kept]) -> Iterator[str]:
    """Some first throws and what to keep of them."""
    yield from table(
        ("first throw", f"ways of {WAYS:,}", "best", "next best", "which costs"),
        *((show(a.dice), a.ways, a.best, a.second, f"{a.loss:.4f}") for a in answers),
    )


def final_score(found: FinalScore) -> Iterator[str]:
    """How a game ends."""
    told = found.quantities
    mean, deviation = told["mean_score"], told["standard_deviation"]
    yield f"The mean is {mean.value:.6f}, the standard deviation {deviation.value:.4f}."
    yield ""
    yield from table(
        ("of all games", "end with no more than"),
        *((f"{percent} %", score) for percent, score in told["percentiles"].value.items()),
    )
    yield from table(
        ("at least", "chance"), *((score, f"{100 * p:.4f} %") for score, p in told["at_least"].value.items())
    )


def lines_of_the_sheet(found: FinalScore) -> Iterator[str]:
    """What each box and each bonus brings."""
    told = found.quantities
    rows = [("line", "points on average", "chance of more than 0", "how often on average")]
    numbers = told["line_numbers"].value
    for name, mean in told["lines"].value.items():
        chance = told["line_chances"].value[name]
        times = f"{numbers[name]:.5f}" if name in numbers else ""
        rows.append((name, f"{mean:.4f}", f"{100 * chance:.3f} %", times))
    yield from table(*rows)


def single_turns() -> Iterator[str]:
    """A turn that goes for one box and nothing else."""
    wanted = ("more than 0", "at least 4")
    found = {(one.box, one.rolls): one.best for one in rollwise.odds("sixzee").odds if one.aim in wanted}
    boxes = [box for box in BOXES if box != "chance"]
    yield from table(
        ("box", "one roll", "two rolls", "three rolls", "exactly, in three"),
        *(
            (
                f"{box}, four dice or more" if box in NUMBERS else box,
                *(f"{100 * found[box, rolls].value:.4f} %" for rolls in range(1, THROWS + 1)),
                found[box, THROWS].exact,
            )
            for box in boxes
        ),
    )


def filled_with_nothing() -> Iterator[str]:
    """What it costs to begin with a 0 in a box."""
    start = rollwise.ask("sixzee").value
    assert start is not None
    rows = []
    for box in BOXES:
        if box != "chance":  # which cannot hold 0
            worth = rollwise.ask("sixzee", filled={box: 0}).value
            assert worth is not None
            rows.append((box, f"{start - worth:.4f}"))
    yield from table(("a 0 in", "on the first turn costs"), *sorted(rows, key=lambda row: float(row[1])))


def main(output: Path) -> None:
    """Compute everything and write the page."""
    answers = first_throws()
    forecast = rollwise.forecast("sixzee", at_least=[300, 350, 400, 450, 500, 600, 700, 800])
    dear = sorted(answers, key=lambda answer: -answer.loss)
    page = [
        "# Sixzee, solved",
        "",
        *preface(),
        *variants(),
        "## What the best player keeps first",
        "",
        *how_many(answers),
        *by_shape(answers),
        "The first throws that leave least to choose between:",
        "",
        *decisions(dear[: -SHOWN - 1 : -1]),
        "and those where the second best costs most:",
        "",
        *decisions(dear[:SHOWN]),
        "## How a game ends under the best play",
        "",
        *final_score(forecast),
        *lines_of_the_sheet(forecast),
        "## One turn that goes for one box",
        "",
        *single_turns(),
        "## What a box is worth",
        "",
        *filled_with_nothing(),
    ]
    output.parent.mkdir(exist_ok=True)
    output.write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")
    print(output)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path, nargs="?", default=OUTPUT, help="where the page goes (%(default)s)")
    main(parser.parse_args().file)
