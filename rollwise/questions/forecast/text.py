"""Text of the answer of ``forecast``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from math import fsum

from rollwise.questions.forecast.data import NOTE, FinalScore, ScoreQuantities, round_numbers
from rollwise.questions.head import head
from rollwise.solver.model.solution import ByOutcome
from rollwise.text.blocks import Bar, CellTable, Sentence, TableCell
from rollwise.text.labels import LOW_IS_GOOD
from rollwise.text.numbers import TABLE_PLACES, TEXT_PLACES, half_width, n_places, number
from rollwise.text.spelling import shown_state
from rollwise.text.terminal import Blocks, render_text

RARE = 1e-3  # rarer scores at either end share a line of a histogram
MAX_STEPS = 24  # lines of a histogram between the ends
MIN_CHANCE = 1e-15  # smaller chances are not mentioned
BAR_CHARS = 40
EXACT_SCORE_NOTE = "Play that aims at this score alone may reach it more often; the game of that aim"


def forecast_lines(ends: FinalScore, title: str) -> list[str]:
    """The whole answer of ``forecast``."""
    numbers, unit = ends.quantities, ends.unit
    mean, percentiles = numbers["mean_score"], numbers["percentiles"].value
    best = mean_sentence(ends, f" {half_width(mean.lower, mean.upper, unit)}")
    games = [["of games", *(f"{percent} %" for percent in percentiles)]]
    games.append(["end with at most", *map(str, percentiles.values())])
    blocks: list[Blocks] = [
        head(ends, title, shown_state(ends.state)),
        Sentence([best]),
        CellTable(games, right=range(1, 1 + len(percentiles))),
        _scores(numbers["score_distribution"].value, ends.sense),
    ]
    rows = [_chance_cells(numbers["at_least"], "at least", str(score)) for score in ends.asked]
    if at_best := numbers.get("best_at_least"):
        for row, score in zip(rows, ends.asked, strict=True):
            row += ["at best", *_chance_cells(at_best, "", str(score))[1:]]
    rows += [_chance_cells(numbers["at_most"], "at most", str(score)) for score in ends.asked_at_most]
    blocks += [CellTable(rows, right=(1, 2, 4, 5))] if rows else []
    blocks += [Sentence([f"{EXACT_SCORE_NOTE}: {ends.ask}"])] if ends.ask else []
    blocks += [_lines_of_sheet(numbers)] if "lines" in numbers else []
    lost_chance = ends.facts["lost"]
    left_out = f"; what was left out has a chance of {lost_chance:.0e} in all" if lost_chance > MIN_CHANCE else ""
    return render_text([*blocks, Sentence([f"{NOTE}{left_out}."])])


def mean_sentence(ends: FinalScore, interval: str = "") -> str:
    """The mean and the standard deviation of scores, in a sentence."""
    mean, deviation = (number(ends.quantities[name].value, ends.unit) for name in ("mean_score", "standard_deviation"))
    best = f"The best play ends with {mean} {ends.unit} on average{interval}; standard deviation {deviation}"
    return f"{best}; {LOW_IS_GOOD}." if ends.sense == "min" else f"{best}."


def _chance_cells(chances: ByOutcome, words: str, score: str) -> list[str]:
    """The cells of a chance that the question names, in per cent, however small."""
    chance, lower, upper = chances.value[score], chances.lower[score], chances.upper[score]
    shown = number(chance, "probability", TABLE_PLACES) if chance == 0 or chance >= 1e-6 else f"{100 * chance:.2e} %"
    return [f"P({words} {score})", shown, half_width(lower, upper, "probability")]


def score_steps(distribution: Mapping[str, float], sense: str) -> list[tuple[str, float, float]]:
    """Scores in steps of a round number, (name, chance, chance to reach it); rare ends together, 0 by itself.

    To reach a step is to score that or more, or, where low is good, that or less.
    """
    chances = {int(score): chance for score, chance in distribution.items()}
    scores = sorted(chances)
    groups = [
        (low, end, fsum(chance for score, chance in chances.items() if low <= score < end))
        for low, end in pairwise(_step_starts(chances, scores))
    ]
    inside = [chance for *_, chance in groups]
    so_far = list(accumulate(inside)) if sense == "min" else list(accumulate(reversed(inside)))[::-1]
    so_far[-1 if sense == "min" else 0] = 1.0  # every game ends with some score
    names = (f"{low}-{end - 1}" if end - 1 > low else str(low) for low, end, _ in groups)
    return [(name, chance, min(1.0, reached)) for name, chance, reached in zip(names, inside, so_far, strict=True)]


def reached_words(sense: str) -> str:
    """The head of the column of chances to reach a step."""
    return "or less" if sense == "min" else "or more"


def _scores(distribution: Mapping[str, float], sense: str) -> CellTable:
    """A histogram of scores."""
    steps = score_steps(distribution, sense)
    top = max(chance for _, chance, _ in steps)
    rows: list[list[TableCell]] = [["score", "chance", reached_words(sense), ""]]
    for name, *both in steps:
        rows.append([name, *(number(part, "probability", TEXT_PLACES) for part in both), Bar(both[0] / top, BAR_CHARS)])
    return CellTable(rows, right=(0, 1, 2))


def _step_starts(chances: Mapping[int, float], scores: Sequence[int]) -> list[int]:
    """The first score of each step of a histogram, and the end of the last."""
    reached = dict(zip(reversed(scores), accumulate(chances[score] for score in reversed(scores)), strict=True))
    usual = [score for score in scores if reached[score] > RARE and reached[score] - chances[score] < 1 - RARE]
    steps = [low for low in round_numbers(usual[0], usual[-1], MAX_STEPS) if scores[0] < low <= scores[-1]]
    if scores[0] == 0 and scores[-1] > 0:
        steps = [1, *(low for low in steps if low > 1)]
    return [scores[0], *steps, scores[-1] + 1]


def _lines_of_sheet(numbers: ScoreQuantities) -> CellTable:
    """The table of the lines of the sheet at the end of the game."""
    means, chances = numbers["lines"], numbers["line_chances"].value
    often = numbers["line_numbers"].value if "line_numbers" in numbers else {}
    rows = [["line", f"{means.unit} on average", "0 points", "more than 0", ""]]
    for name, mean in means.value.items():
        places = n_places(means.lower[name], means.upper[name], means.unit)
        none = 1 - chances[name] if chances[name] < 1 else 0.0
        cells = [number(chance, "probability", TABLE_PLACES) for chance in (none, chances[name])]
        times = f"{often[name]:.4f} times" if name in often else ""
        rows.append([name, number(mean, means.unit, places), *cells, times])
    return CellTable(rows, right=(1, 2, 3))
