"""The answer of ``forecast`` as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from math import fsum

from rollwise.answers.forecast import NOTE, FinalScore, ScoreQuantities, round_numbers
from rollwise.answers.labels import LOW_IS_GOOD
from rollwise.answers.spelling import shown_state
from rollwise.solver.model.solution import ByOutcome
from rollwise.text.blocks import Bar, CellTable, Sentence, TableCell
from rollwise.text.head import head
from rollwise.text.numbers import MOST, TOLD, digits, number, width
from rollwise.text.terminal import Blocks, printed

RARE = 1e-3  # scores that are missed, or reached, no more often stand in one line of a histogram
MOST_STEPS = 24  # lines of a histogram, besides these
LOST_TOLD = 1e-15  # smaller chances are not worth a word
BARS = 40
ALONE = "Who plays for just that score may reach it more often yet; this solves that game, and says how often"


def forecast_lines(ends: FinalScore, title: str) -> list[str]:
    """The whole answer of ``forecast``."""
    numbers, unit = ends.quantities, ends.unit
    mean, percentiles = numbers["mean_score"], numbers["percentiles"].value
    best = on_average(ends, f" {width(mean.lower, mean.upper, unit)}")
    games = [["of games", *(f"{percent} %" for percent in percentiles)]]
    games.append(["end with at most", *map(str, percentiles.values())])
    blocks: list[Blocks] = [
        head(ends, title, shown_state(ends.state)),
        Sentence([best]),
        CellTable(games, right=range(1, 1 + len(percentiles))),
        _scores(numbers["score_distribution"].value, ends.sense),
    ]
    rows = [_chance_of(numbers["at_least"], "at least", str(score)) for score in ends.asked]
    if at_best := numbers.get("best_at_least"):
        for row, score in zip(rows, ends.asked, strict=True):
            row += ["at best", *_chance_of(at_best, "", str(score))[1:]]
    rows += [_chance_of(numbers["at_most"], "at most", str(score)) for score in ends.asked_at_most]
    blocks += [CellTable(rows, right=(1, 2, 4, 5))] if rows else []
    blocks += [Sentence([f"{ALONE}: {ends.ask}"])] if ends.ask else []
    blocks += [_lines_of_sheet(numbers)] if "lines" in numbers else []
    lost = ends.facts["lost"]
    left_out = f"; what was left out has a chance of {lost:.0e} in all" if lost > LOST_TOLD else ""
    return printed([*blocks, Sentence([f"{NOTE}{left_out}."])])


def on_average(ends: FinalScore, interval: str = "") -> str:
    """The mean and how far scores are from it, in a sentence."""
    mean, deviation = (number(ends.quantities[name].value, ends.unit) for name in ("mean_score", "standard_deviation"))
    best = f"The best play ends with {mean} {ends.unit} on average{interval}; standard deviation {deviation}"
    return f"{best}; {LOW_IS_GOOD}." if ends.sense == "min" else f"{best}."


def _chance_of(chances: ByOutcome, words: str, score: str) -> list[str]:
    """A chance that was asked for, in per cent, however small."""
    chance, lower, upper = chances.value[score], chances.lower[score], chances.upper[score]
    shown = number(chance, "probability", MOST) if chance == 0 or chance >= 1e-6 else f"{100 * chance:.2e} %"
    return [f"P({words} {score})", shown, width(lower, upper, "probability")]


def score_steps(distribution: Mapping[str, float], sense: str) -> list[tuple[str, float, float]]:
    """Scores in steps of a round number; rare ends together, and a score of 0 by itself.

    With each step its chance, and that to reach it: that score or more, or, where low is good, that score or less.
    """
    chances = {int(score): chance for score, chance in distribution.items()}
    scores = sorted(chances)
    groups = [
        (low, end, fsum(chance for score, chance in chances.items() if low <= score < end))
        for low, end in pairwise(_cuts(chances, scores))
    ]
    inside = [chance for *_, chance in groups]
    so_far = list(accumulate(inside)) if sense == "min" else list(accumulate(reversed(inside)))[::-1]
    so_far[-1 if sense == "min" else 0] = 1.0  # every game ends with some score
    names = (f"{low}-{end - 1}" if end - 1 > low else str(low) for low, end, _ in groups)
    return [(name, chance, min(1.0, reached)) for name, chance, reached in zip(names, inside, so_far, strict=True)]


def reached_words(sense: str) -> str:
    """What the chance to reach a step is called."""
    return "or less" if sense == "min" else "or more"


def _scores(distribution: Mapping[str, float], sense: str) -> CellTable:
    """A histogram of scores."""
    steps = score_steps(distribution, sense)
    most = max(chance for _, chance, _ in steps)
    rows: list[list[TableCell]] = [["score", "chance", reached_words(sense), ""]]
    for name, *both in steps:
        rows.append([name, *(number(part, "probability", TOLD) for part in both), Bar(both[0] / most, BARS)])
    return CellTable(rows, right=(0, 1, 2))


def _cuts(chances: Mapping[int, float], scores: Sequence[int]) -> list[int]:
    """Where the steps of a histogram begin, and where the last one ends."""
    reached = dict(zip(reversed(scores), accumulate(chances[score] for score in reversed(scores)), strict=True))
    usual = [score for score in scores if reached[score] > RARE and reached[score] - chances[score] < 1 - RARE]
    steps = [low for low in round_numbers(usual[0], usual[-1], MOST_STEPS) if scores[0] < low <= scores[-1]]
    if scores[0] == 0 and scores[-1] > 0:
        steps = [1, *(low for low in steps if low > 1)]
    return [scores[0], *steps, scores[-1] + 1]


def _lines_of_sheet(numbers: ScoreQuantities) -> CellTable:
    """What each line of the sheet holds at the end."""
    means, chances = numbers["lines"], numbers["line_chances"].value
    often = numbers["line_numbers"].value if "line_numbers" in numbers else {}
    rows = [["line", f"{means.unit} on average", "0 points", "more than 0", ""]]
    for name, mean in means.value.items():
        places = digits(means.lower[name], means.upper[name], means.unit)
        none = 1 - chances[name] if chances[name] < 1 else 0.0
        cells = [number(chance, "probability", MOST) for chance in (none, chances[name])]
        times = f"{often[name]:.4f} times" if name in often else ""
        rows.append([name, number(mean, means.unit, places), *cells, times])
    return CellTable(rows, right=(1, 2, 3))
