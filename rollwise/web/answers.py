"""The answer of a question as a page shows it: the sentence, the moves as bars, what everybody has of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.labels import LOW_IS_GOOD
from rollwise.answers.moves import does
from rollwise.answers.why import Why
from rollwise.saying.advice import MoveInWords, in_the_mix_first, moves_in_words
from rollwise.saying.blocks import Block, Fact, Facts, ProvedNumber, Sentence
from rollwise.saying.head import THROWS, heading
from rollwise.saying.html import Html, bar, dice, element, fold, scrolling, table
from rollwise.saying.moves import imperative, label_of, verdict
from rollwise.saying.numbers import width
from rollwise.saying.quantities import headline, quantity_blocks
from rollwise.saying.why import PART, meaning, parts_table
from rollwise.web.texts import text

AT_ONCE = 12  # moves that are listed before the fold
LEAST = 0.08  # of a bar's length
PLACES = 2
LONG_NUMBER = re.compile(r"(-?\d+\.\d{3,})( %|)")


@dataclass(frozen=True)
class PageAnswer:
    """What a page says of a question: the sentence in two pieces, ``first`` the larger, and all else as ``blocks``."""

    first: str
    rest: str
    assumed: str
    heading: str
    blocks: tuple[Block | Html, ...]


Address: TypeAlias = Callable[[str], str]  # of a question with a move, as it stands behind the question mark


def answer_of(advice: Advice, title: str, chosen: str, address: Address) -> PageAnswer:
    """The answer; ``chosen`` is the move that is looked at."""
    first, rest, blocks = text("answer.luck"), headline(advice.quantities, advice.mover), list[Block | Html]()
    if advice.moves:
        first, rest = _split(verdict(advice))
        blocks += _moves(advice, chosen, address)
    blocks += [Sentence([advice.note], ink="faint")] if advice.note else []
    if len(advice.moves) > 1:
        why = f"/{advice.game}/why?{address(chosen)}"
        blocks.append(fold("why", text("answer.why"), address=why, page=text("answer.why_page")))
    shares, seats = enumerate(advice.shares or []), text("answer.seats")
    facts = [Fact(seats, ProvedNumber(n, n, n, "probability"), seat, seat == advice.mover, n) for seat, n in shares]
    blocks += [Facts(facts)] if facts else []
    quantities = quantity_blocks(advice.quantities, advice.mover)
    blocks += [block for block in quantities if not isinstance(block, Sentence)]
    assumed = text("answer.assumed", throw=THROWS[advice.assumed.throw - 1]) if advice.assumed else ""
    return PageAnswer(first, rest, assumed, heading(advice, title), tuple(blocks))


def _split(sentence: str) -> tuple[str, str]:
    """A sentence in what to do and what it is worth.

    >>> _split("Roll again: win 61.3 % against 58.0 % for holding.")
    ('Roll again', 'win 61.3 % against 58.0 % for holding.')
    """
    pieces = re.match(r"(.+?)(?:: |; )(.+)", sentence)
    return (pieces[1], pieces[2]) if pieces else (sentence, "")


def _moves(advice: Advice, chosen: str, address: Address) -> list[Html]:
    """The first few moves, and that which is looked at; the others in a fold."""
    moves = in_the_mix_first(advice.moves, advice.best)
    is_mixed = any(move.probability for move in moves)
    lines = moves_in_words(advice)
    shares = _shares(advice, moves, is_mixed)
    rows = [
        _row(line, share, advice, is_mixed, line.move == chosen, address)
        for line, share in zip(lines, shares, strict=True)
    ]
    shown = len(rows) if len(rows) <= AT_ONCE + 1 else AT_ONCE
    far = [row for row, line in zip(rows[shown:], lines[shown:], strict=True) if line.move == chosen]
    rest = [row for row in rows[shown:] if row not in far]
    label = advice.label.removesuffix(f", {LOW_IS_GOOD}") or label_of(advice)
    measure = text("answer.low", label=label) if advice.sense == "min" else label
    is_chance = advice.unit == "probability"
    bars = text("answer.bars_mixed" if is_mixed else "answer.bars_share" if is_chance else "answer.bars_between")
    widest = max(moves, key=lambda move: move.upper - move.lower)
    proved = width(widest.lower, widest.upper, advice.unit)
    caption = element("caption", text("answer.measured", measure=measure, bars=bars, proved=proved))
    keys = ["answer.move", "answer.often", "answer.value", "answer.loss", "answer.interval", "answer.bar"]
    names = [text(key) for key in keys if is_mixed or key != "answer.often"]
    heads = (element("th", name, role="columnheader", scope="col") for name in names)
    head = element("thead", element("tr", *heads, role="row"), role="rowgroup")
    first = _table(text("answer.moves"), [*rows[:shown], *far], caption, head)
    more = text("answer.more", count=len(rest))
    return [first, *([fold("more", more, _table(text("answer.more_moves"), rest))] if rest else [])]


def _table(label: str, rows: Sequence[Html], *top: Html) -> Html:
    """Rows of moves; its roles keep it a table for who hears it, whatever the style makes of it."""
    target = {"hx_target": "#answer", "hx_swap": "innerHTML show:#next:top"}
    body = element("tbody", *rows, role="rowgroup")
    return element("table.moves", *top, body, role="table", aria_label=label, **target)


def _row(line: MoveInWords, share: float, advice: Advice, is_mixed: bool, is_chosen: bool, address: Address) -> Html:
    """A move, its dice drawn, which leads to what follows it; and what it is worth."""
    done, query = does(line.move), address(line.move)
    words = [imperative(done.verb if done.kept else line.move)]
    words += [" ", dice(done.kept), f" for {done.points}" if done.points is not None else ""] if done.kept else []
    to = {"href": f"/{advice.game}?{query}#next", "hx_get": f"/{advice.game}/answer?{query}"}
    name = [element("a", *words, **to, aria_current="true" if is_chosen else "")]
    if line.then:
        other = f" {text('answer.or', move=line.other)}" if line.other else ""
        name += [Html(" "), element("span.then", text("answer.then", move=line.then) + other)]
    loss = text("answer.only") if len(advice.moves) == 1 else text("answer.best") if line.is_best else f"−{line.loss}"
    often = text("answer.how_often", chance=line.often) if line.often else ""
    cells = {"often": often} if is_mixed else {}
    cells |= {"value": line.value.text(PLACES), "loss": loss}
    cells["interval"] = line.value.short or line.value.interval
    numbers = (element(f"td.number.{sort}", cell, role="cell") for sort, cell in cells.items())
    drawn = element("td.drawn", bar(share), role="cell")
    head = element("th", *name, scope="row", role="rowheader")
    return element(f"tr.move{'.best' * line.is_best}{'.chosen' * is_chosen}", head, *numbers, drawn, role="row")


def _shares(advice: Advice, moves: Sequence[MoveAdvice], is_mixed: bool) -> list[float]:
    """How long bars are: chances as they are, of a mix how often a move is made; else from the best to the worst move.

    That is the worst before the fold.
    """
    if is_mixed:
        return [move.probability or 0.0 for move in moves]
    if advice.unit == "probability":
        return [min(1.0, move.value) for move in moves]
    most = max((move.loss for move in moves[: AT_ONCE + 1]), default=0.0)
    return [1 - (1 - LEAST) * (min(1.0, move.loss / most) if most else 0.0) for move in moves]


# --- why -------------------------------------------------------------------------------------------------------------


def reasons_of(why: Why) -> list[Block | Html]:
    """Why a move is better than another: in sentences, and in a table with the part of each class beside its name."""
    (heads, *rows), _, width = parts_table(why)
    part = heads.index(PART)
    heads, *rows = [[row[0], row[part], *map(_shortly, row[1:part]), *row[part + 1 :]] for row in (heads, *rows)]
    moves = (element("th", move, scope="colgroup", colspan=str(width)) for move in (why.best, why.other))
    grid = table("cells.parts", heads, rows, over=[element("td", colspan="2"), *moves], has_sums=True)
    sentences = why.words.replace(". What it ", ".\nWhat it ").split("\n")
    return [Sentence(sentences), scrolling(grid, text("why.table")), Sentence([meaning(why)], ink="faint")]


def _shortly(cell: str) -> str:
    """A value with two digits after its point.

    >>> _shortly("59.163421 %"), _shortly("-0.1254"), _shortly("100.0 %"), _shortly("chance")
    ('59.16 %', '-0.13', '100.0 %', 'chance')
    """
    number = LONG_NUMBER.fullmatch(cell)
    return f"{float(number[1]):.{PLACES}f}{number[2]}" if number else cell
