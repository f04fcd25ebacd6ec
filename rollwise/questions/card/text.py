"""Renderings of a card: text for the terminal, Markdown, HTML for one sheet of A4, and its rows as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import floor, log10
from pathlib import Path, PurePath

from rollwise.questions.card.data import EXACT, READ_OFF, Band, Card, CardRow, FinishBand, Keep, Minimum, SimplerCard
from rollwise.questions.head import heading
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.moves import keep_move, parse_move
from rollwise.solver.model.plain import count_of
from rollwise.text.blocks import Block, CellTable, Heading, Sentence
from rollwise.text.html import document, render_html
from rollwise.text.markdown import render_markdown
from rollwise.text.numbers import MAX_PLACES, TEXT_PLACES, cost, scaled
from rollwise.text.screen import limit_width
from rollwise.text.terminal import render_text

STYLE = Path(__file__).with_name("card.css")
FORMATS = ("text", "markdown", "html", "csv")
ZERO_COST = 1e-8  # a smaller cost counts as none
TEXT_CHARS = 78  # columns of text
SEARCH_NOTES = {
    "best": "No card of this form is cheaper: every one was tried.",
    "best found": "It is the best found by a search from {starts}; not every card of this form was tried.",
    READ_OFF: "Its numbers are those with which the best play disagrees least; a search could find cheaper ones.",
}


ASK_HINT = ": rollwise ask {} filled=... roll=..."  # the command for positions beyond the card


def card_blocks(card: Card, ask: str = ASK_HINT) -> list[Block]:
    """The blocks of a card: title, rule, tables, notes; ``ask``: the hint for positions that the card leaves out."""
    rule, tables, notes = _WORDS[type(card.rows[0])](card)
    where = ask.format(card.game) or "."
    notes = [*(note.format(where) for note in notes), *_cost_notes(card), *_threshold_notes(card)]
    return [Heading(heading(card, card.title)), Sentence([rule]), *tables, *(Sentence([note]) for note in notes)]


def card_texts(card: Card) -> list[str]:
    """The rule and the notes as texts."""
    return [text for block in card_blocks(card) if isinstance(block, Sentence) for text in block.texts]


def render(card: Card, form: str = "text") -> str:
    """The card in one of ``FORMATS``; raises BadInput for another."""
    blocks = card_blocks(card)
    match card_format(form, ""):
        case "csv":
            return _csv(card.rows)
        case "html":
            return document(heading(card, card.title), f"\n{STYLE.read_text()}", render_html(blocks))
        case "markdown":
            return render_markdown(blocks)
    with limit_width(TEXT_CHARS):
        return "\n".join(render_text([blocks[:2], *blocks[2:]])) + "\n"


def _table(heading: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, is_long: bool = False) -> CellTable:
    """A table of a card; with ``is_long`` the second column is a list."""
    return CellTable([columns, *rows], () if is_long else range(1, len(columns)), heading=heading, is_long=is_long)


def card_format(form: str | None, output: str) -> str:
    """The format given by name, or by the suffix of the output file.

    >>> card_format(None, "pig.html"), card_format(None, ""), card_format("csv", "pig.txt")
    ('html', 'text', 'csv')
    """
    named = {".html": "html", ".htm": "html", ".md": "markdown", ".csv": "csv"}
    card_form = form or named.get(PurePath(output).suffix.lower(), "text")
    if card_form not in FORMATS:
        raise BadInput(f"a card is written as {', '.join(FORMATS)}, got '{card_form}'", field="format")
    return card_form


# --- words -----------------------------------------------------------------------------------------------------------


def _bands(card: Card) -> tuple[str, list[CellTable], list[str]]:
    target = card.parameters["target"]
    holds = [row for row in card.rows if isinstance(row, Band)]
    ends = [row for row in card.rows if isinstance(row, FinishBand)]
    columns = list(dict.fromkeys(row.theirs for row in holds))
    at = {(row.mine, row.theirs): row.hold_at for row in holds}
    rows = [
        [_range(mine), *("go" if at[mine, theirs] is None else f"{at[mine, theirs]}" for theirs in columns)]
        for mine in dict.fromkeys(row.mine for row in holds)
    ]
    rule = (
        "Hold as soon as your turn has so many points. Left: your score; above: the other player's. "
        f"go: roll on until you have {target}. Hold too whenever that brings you to {target}."
    )
    tables = [_table("", ["you \\ they", *map(_range, columns)], rows)]
    notes = []
    if ends:
        row = ["hold with", *(f"{end.hold_with}" for end in ends)]
        tables.append(_table("First in the round, past the target", ["they have", *map(_range, columns)], [row]))
        notes.append(
            f"If you are first in the round, {target} is not yet the end: hold only with the total of the second "
            f"table. In the last turn of a game roll until you are ahead."
        )
    return rule, tables, notes


def _minimums(card: Card) -> tuple[str, list[CellTable], list[str]]:
    goal = card.parameters["goal"]
    rows = [row for row in card.rows if isinstance(row, Minimum)]
    columns = ["dice left", "stop with"]
    if card.near is not None:
        columns.append(f"if they need {card.near:,} or less")
    body = [
        [f"{dice}", *(_stop_text(row.stop_at) for row in of_dice), f"{of_dice[0].worth:,}"]
        for dice in dict.fromkeys(row.dice for row in rows)
        for of_dice in [[row for row in rows if row.dice == dice]]
    ]
    rule = (
        "Count all that scores. If your turn then has at least the points for the dice left (6: all are used, you may "
        "throw all again), keep it all and stop. Else throw on: keep what makes the points kept, and the last column "
        "for the dice then left, the most together."
    )
    tables = [_table("", [*columns, "dice in hand are worth"], body)]
    if card.simpler is not None:
        less = [row for row in card.simpler.rows if isinstance(row, Minimum)]
        body = [[f"{row.dice}", _stop_text(row.stop_at), f"{row.worth:,}"] for row in less]
        tables.append(_table("Simpler, whatever they need", ["dice left", "stop with", "dice in hand are worth"], body))
    end = f"Stop once your turn brings you to {goal:,}"
    if "opening" in card.parameters:  # Zilch: limits of stopping, and a last turn
        end = (
            f"As soon as the rules allow, stop once your turn brings you to {goal:,}; in a last turn once you are ahead"
        )
    notes = [f"{end}. never: stop only then."]
    if card.simpler is not None:
        notes.append(f"The simpler card costs {_cost_words(card.simpler, card.unit)}.")
    return rule, tables, notes


def _stop_text(points: int | None) -> str:
    return "never" if points is None else f"{points:,}"


def _keeps(card: Card) -> tuple[str, list[CellTable], list[str]]:
    rows = [row for row in card.rows if isinstance(row, Keep)]
    tables = []
    for n_throws in dict.fromkeys(row.rolls_left for row in rows):
        groups: dict[str, list[str]] = {}
        for row in rows:
            if row.rolls_left == n_throws and row.move != _default_keep(row.roll):
                groups.setdefault(row.move, []).append("".join(map(str, row.roll)))
        moves = {move: parse_move(move) for move in groups}  # scores last, then by the number of dice kept
        ordered = sorted(groups, key=lambda move: (moves[move].kind == "score", len(moves[move].kept), move))
        heading = f"With {count_of(n_throws, 'more throw')}: all exceptions"
        body = [["".join(map(str, moves[move].kept)) or move, " ".join(groups[move])] for move in ordered]
        tables.append(_table(heading, ["keep", "of"], body, is_long=True))
    rule = (
        "What to keep of a throw in the first turn, on an empty sheet: the largest group of equal dice, of two as "
        "large the higher one. The exceptions stand below, throws written low dice first."
    )
    return rule, tables, ["After the first turn it depends on the boxes that are filled{}"]


def _default_keep(roll: Sequence[int]) -> str:
    """The largest group of equal dice, the higher one of two."""
    face = max(roll, key=lambda face: (roll.count(face), face))
    return keep_move((face,) * roll.count(face))


_WORDS: dict[type[CardRow], Callable[[Card], tuple[str, list[CellTable], list[str]]]] = {
    Band: _bands,
    Minimum: _minimums,
    Keep: _keeps,
}


def _cost_notes(card: Card) -> list[str]:
    """Notes on the cost of the card, and on how it was found."""
    if card.found == EXACT:
        return ["This is the best play itself, so in the first turn it costs nothing."]
    if card.cost is None:
        return ["What it costs would take too long to work out.", SEARCH_NOTES[card.found]]
    if card.cost.upper < ZERO_COST:
        return ["Playing by this card costs nothing, as far as was proved."]
    costs = f"This card costs {_cost_words(card, card.unit)}."
    starts = {1: "one start", 3: "three starts"}.get(card.starts or 0, f"{card.starts} starts")
    return [f"{costs} {SEARCH_NOTES[card.found].format(starts=starts)}"]


def _cost_words(card: Card | SimplerCard, unit: str) -> str:
    """The cost of a card, and its cost against the best player, in words."""
    assert card.cost is not None
    costs = f"{_points(card.cost.value, unit)} per game to a player who knows it"
    best = card.cost_to_best
    return costs if best is None else f"{costs}, {_points(best.value, unit)} to the best player"


def _points(value: float, unit: str) -> str:
    """A cost with two significant digits; chances in percentage points."""
    shown = scaled(value, unit)
    places = max(TEXT_PLACES, 1 - floor(log10(abs(shown)))) if abs(shown) > 1e-9 else TEXT_PLACES
    return cost(value, unit, min(places, MAX_PLACES))


def _threshold_notes(card: Card) -> list[str]:
    """A note on how far the best play is from thresholds."""
    if card.best_play is None:
        return []
    play = card.best_play
    where = "" if play.every == 1 else f" at scores in steps of {play.every}"
    if not play.violations:
        return [
            f"The best play itself is made of thresholds: at none of the {play.decisions:,} decisions that it comes "
            f"to{where} does it roll on although it would stop with fewer points."
        ]
    share = play.violations / play.decisions
    places = max(1, 1 - floor(log10(100 * share)))
    return [
        f"The best play itself is not quite made of thresholds: at {play.violations:,} of the {play.decisions:,} "
        f"decisions that it comes to{where} ({100 * share:.{places}f} %) it rolls on although it would "
        "stop with fewer points, all else equal."
    ]


def _range(band: tuple[int, int]) -> str:
    first, last = band
    return f"{first}" if first == last else f"{first}-{last}"


# --- forms -----------------------------------------------------------------------------------------------------------


def _csv(rows: Sequence[CardRow]) -> str:
    """The rows as CSV; bands as first-last, empty cells for absent values."""
    lines = [asdict(row) for row in rows]
    names = list(dict.fromkeys(name for line in lines for name in line))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for line in lines:
        writer.writerow([_cell(name, line.get(name)) for name in names])
    return out.getvalue()


def _cell(name: str, value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(map(str, value)) if name == "roll" else _range(value)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value
