"""Text of the answer of ``compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rollwise.questions.head import heading
from rollwise.text.blocks import Block, CellTable, Heading, Sentence
from rollwise.text.numbers import SHORT_FRACTION_CHARS, TABLE_PLACES, change, cost, half_width, number, percent
from rollwise.text.spelling import shown_state
from rollwise.text.terminal import render_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rollwise.questions.compare.data import Bounds, Comparison


def comparison_lines(comparison: Comparison, title: str) -> list[str]:
    """The whole answer of ``compare``."""
    unit = comparison.unit
    costs = [_cost_sentence(comparison.cost, comparison.label, unit)]
    if comparison.cost_to_best is not None:
        costs.append(_cost_sentence(comparison.cost_to_best, comparison.label_to_best, unit))
    elif comparison.others == "knows":
        costs.append("The cost against the best player would take too much memory.")
    first: list[Block] = [Heading(heading(comparison, title))]
    first += [Sentence([f"from {shown_state(comparison.state)}"], 5)] if comparison.state else []
    first.append(Sentence([f"{comparison.policy}: {comparison.help}" if comparison.help else comparison.policy]))
    by_seat = "By seat, against a player who knows it:" if comparison.others == "knows" else ""
    tables = [_seats(comparison, comparison.rule, comparison.differences, by_seat)]
    if comparison.rule_to_best is not None:
        to_best = comparison.rule_to_best, comparison.differences_to_best
        tables.append(_seats(comparison, *to_best, "By seat, against the best player:"))
    return render_text([first, Sentence(costs), *tables, Sentence(_table_notes(comparison))])


def _seats(comparison: Comparison, rule: Sequence[Bounds], differences: Sequence[float], title: str) -> CellTable:
    """The best play, the rule and their difference by seat; one row for a game alone."""
    unit = comparison.unit
    rows = [["", comparison.heading, _short_name(comparison.policy), "difference"]]
    for seat, (best, other) in enumerate(zip(comparison.best, rule, strict=True)):
        name = f"seat {seat}" if len(rule) > 1 else comparison.values
        values = [number(value, unit, TABLE_PLACES) for value, *_ in (best, other)]
        rows.append([name, *values, change(differences[seat], unit, TABLE_PLACES)])
    return CellTable(rows, right=(1, 2, 3), heading=title)


def _cost_sentence(bounds: tuple[float, float, float], label: str, unit: str) -> str:
    """The cost of a rule, in a sentence."""
    value, lower, upper = bounds
    what = "It costs nothing" if lower <= 0 <= upper else f"It costs {cost(value, unit)} per game"
    return f"{what}{label.removeprefix('cost per game')}; proved to {half_width(lower, upper, unit)}."


def _short_name(policy: str) -> str:
    """A rule's name without its file; for a table the name of the file."""
    name = policy.rstrip("/").rpartition(":")[2].rpartition("/")[2]
    return name if len(name) <= SHORT_FRACTION_CHARS else f"{name[: SHORT_FRACTION_CHARS - 3]}..."


def _table_notes(comparison: Comparison) -> list[str]:
    """Notes on a table: how many of the decisions of play it holds, and whether it names its game."""
    if comparison.table is None:
        return []
    lines = []
    n_reached, n_held = comparison.table["reached"], comparison.table["held"]
    if comparison.table["slice"]:
        share = f", {percent(n_held / n_reached, 1)}" if n_reached else ""
        lines.append(
            f"The slice holds {n_held:,} of the {n_reached:,} decisions from which play can still reach one of its "
            f"rows{share}; elsewhere the best move is played."
        )
    if not comparison.table["described"]:
        lines.append(f"The table does not name its game; it is read as one of {comparison.game} with these parameters.")
    return lines
