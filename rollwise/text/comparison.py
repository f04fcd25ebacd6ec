"""The answer of ``compare`` as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollwise.answers.spelling import shown_state
from rollwise.text.blocks import Block, CellTable, Heading, Sentence
from rollwise.text.head import heading
from rollwise.text.numbers import MOST, SHORT, change, cost, number, percent, width
from rollwise.text.terminal import printed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rollwise.answers.comparison import Bounds, Comparison


def comparison_lines(comparison: Comparison, title: str) -> list[str]:
    """The whole answer of ``compare``."""
    unit = comparison.unit
    costs = [_cost_in_words(comparison.cost, comparison.label, unit)]
    if comparison.cost_to_best is not None:
        costs.append(_cost_in_words(comparison.cost_to_best, comparison.label_to_best, unit))
    elif comparison.others == "knows":
        costs.append("What it costs to the best player would take too much memory.")
    first: list[Block] = [Heading(heading(comparison, title))]
    first += [Sentence([f"from {shown_state(comparison.state)}"], 5)] if comparison.state else []
    first.append(Sentence([f"{comparison.policy}: {comparison.help}" if comparison.help else comparison.policy]))
    by_seat = "By seat, against a player who knows it:" if comparison.others == "knows" else ""
    tables = [_seats(comparison, comparison.rule, comparison.differences, by_seat)]
    if comparison.rule_to_best is not None:
        to_best = comparison.rule_to_best, comparison.differences_to_best
        tables.append(_seats(comparison, *to_best, "By seat, against the best player:"))
    return printed([first, Sentence(costs), *tables, Sentence(_of_table(comparison))])


def _seats(comparison: Comparison, rule: Sequence[Bounds], differences: Sequence[float], title: str) -> CellTable:
    """The best play and the rule by seat, with the difference; alone in a single row."""
    unit = comparison.unit
    rows = [["", comparison.heading, _short_name(comparison.policy), "difference"]]
    for seat, (best, other) in enumerate(zip(comparison.best, rule, strict=True)):
        name = f"seat {seat}" if len(rule) > 1 else comparison.values
        values = [number(value, unit, MOST) for value, *_ in (best, other)]
        rows.append([name, *values, change(differences[seat], unit, MOST)])
    return CellTable(rows, right=(1, 2, 3), heading=title)


def _cost_in_words(bounds: tuple[float, float, float], label: str, unit: str) -> str:
    """What a rule costs, in a sentence."""
    value, lower, upper = bounds
    what = "It costs nothing" if lower <= 0 <= upper else f"It costs {cost(value, unit)} per game"
    return f"{what}{label.removeprefix('cost per game')}; proved to {width(lower, upper, unit)}."


def _short_name(policy: str) -> str:
    """A rule's name without the file that it is in; of a table the file's name."""
    name = policy.rstrip("/").rpartition(":")[2].rpartition("/")[2]
    return name if len(name) <= SHORT else f"{name[: SHORT - 3]}..."


def _of_table(comparison: Comparison) -> list[str]:
    """What there is to say of a table: how much of play it holds, and whether it says what game it is of."""
    if comparison.table is None:
        return []
    lines = []
    reached, held = comparison.table["reached"], comparison.table["held"]
    if comparison.table["slice"]:
        share = f", {percent(held / reached, 1)}" if reached else ""
        lines.append(
            f"The slice holds {held:,} of the {reached:,} decisions that play comes to while it may still come to one "
            f"of its rows{share}; outside them the best is played."
        )
    if not comparison.table["described"]:
        lines.append(
            f"The table does not say what it is of; it was taken to be of {comparison.game} with these parameters."
        )
    return lines
