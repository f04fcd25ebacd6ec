"""Answers as pages show them: the verdict, the moves as bars, values by seat, reasons, all digits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import and_
from typing import Any, TypeAlias
from urllib.parse import quote_plus

from rollwise.questions.ask.data import Advice, MoveAdvice
from rollwise.questions.ask.text import (
    UNREACHABLE,
    again,
    likeliest_first,
    moves_blocks,
    next_steps,
    other_step,
    stopping,
    tie_break_words,
)
from rollwise.questions.forecast.data import NOTE, FinalScore
from rollwise.questions.forecast.text import mean_sentence, reached_words, score_steps
from rollwise.questions.head import THROWS
from rollwise.questions.why.data import Why
from rollwise.questions.why.text import PART, column_meanings, parts_table
from rollwise.solver.model.moves import parse_move
from rollwise.text.blocks import Block, CellTable, Fact, Facts, ProvedNumber, Sentence, TableCell
from rollwise.text.html import Html, bar, columns, dice, element, folded_details, join_html, scrolling, table
from rollwise.text.labels import LOW_IS_GOOD, VALUES, aim
from rollwise.text.moves import imperative, infinitive
from rollwise.text.numbers import PP, TEXT_PLACES, loss, number, page_places, percent
from rollwise.text.quantities import first_fact, headline, quantity_blocks
from rollwise.web.labels import text, texts
from rollwise.web.play_view import table_dice

ROWS_BEFORE_FOLD = 5  # moves
MAX_NAMED_MOVES = 3  # equally good moves in a row
FULL_BAR_LOSS = 0.1  # share of the best move's value from which a loss has a full bar
DECIMALS = re.compile(r"(-?\d+\.\d{3,})( %|)")


@dataclass(frozen=True)
class PageVerdict:
    """First lines of an answer: what to do, the dice of the ``throw`` with the kept ones ``lit``, a ``number``, what it
    ``counts``, remarks ``beside`` it, and the query ``onward``, with the best move."""

    first: str
    throw: tuple[int, ...] = ()
    lit: tuple[int, ...] = ()
    number: str = ""
    counts: str = ""
    beside: str = ""
    onward: str = ""


@dataclass(frozen=True)
class PageAnswer:
    """Answer to a question on a page: the verdict, and all else as ``blocks``."""

    verdict: PageVerdict
    assumed: str
    blocks: tuple[Block | Html, ...]


MoveAddress: TypeAlias = Callable[[str], str]  # from a move to the query string of the question with it
WordsAndDice: TypeAlias = list[str | tuple[int, ...]]  # words, and dice between them


def answer_of(advice: Advice, chosen: str, address: MoveAddress, *, may_forecast: bool = False) -> PageAnswer:
    """Answer with the ``chosen`` move open; with ``may_forecast`` a fold offers the distribution of final scores."""
    blocks: list[Block | Html] = [*_move_tables(advice, chosen, address)] if advice.moves else []
    notes = [UNREACHABLE] * (not advice.reachable) + [advice.note] * bool(advice.note)
    blocks += [Sentence([note], ink="faint") for note in notes]
    if len(advice.moves) > 1:
        why = f"/{advice.game}/why?{address(chosen)}"
        blocks.append(folded_details("why", text("answer.why"), address=why, page=text("answer.why_page")))
    shares, seats = enumerate(advice.shares or []), text("answer.seats")
    facts = [Fact(seats, ProvedNumber(n, n, n, "probability"), seat, seat == advice.mover, n) for seat, n in shares]
    blocks += [Facts(facts)] if facts else []
    quantities = quantity_blocks(advice.quantities, advice.mover)
    blocks += [block for block in quantities if not isinstance(block, Sentence)]
    if may_forecast:
        ends = f"/{advice.game}/ends?{address('')}"
        blocks.append(folded_details("ends", text("ends.fold"), address=ends, page=text("ends.page")))
    digits = f"/{advice.game}/digits?{address('')}"
    blocks.append(folded_details("proof", text("answer.proved"), address=digits, page=text("answer.digits")))
    assumed = text("answer.assumed", throw=THROWS[advice.assumed.throw - 1]) if advice.assumed else ""
    first = _verdict(advice, address) if advice.moves else _luck_verdict(advice)
    return PageAnswer(first, assumed, tuple(blocks))


def digits_of(advice: Advice) -> list[Block]:
    """Every number of the answer with all its digits and its error bound."""
    every = moves_blocks(advice) if advice.moves else []
    blocks = [block for part in every for block in (part if isinstance(part, Sequence) else [part])]
    bounds = zip(advice.shares or [], advice.shares_lower or [], advice.shares_upper or [], strict=False)
    shares = [ProvedNumber(*share, "probability") for share in bounds]
    facts = [Fact(text("answer.seats"), share, seat) for seat, share in enumerate(shares)]
    for block in quantity_blocks(advice.quantities, advice.mover):
        if isinstance(block, Facts):
            facts += block.rows
        elif isinstance(block, CellTable):
            blocks.append(replace(block, rows=[list(map(_exact_text, row)) for row in block.rows]))
    seats = ["" if fact.seat is None else text("answer.of_seat", seat=fact.seat) for fact in facts]
    rows = [[fact.name + seat, _exact_text(fact.value)] for fact, seat in zip(facts, seats, strict=True)]
    return [*blocks, *([CellTable([[text("answer.what"), text("answer.value")], *rows], right=[1])] if rows else [])]


def ends_of(ends: FinalScore) -> list[Block | Html]:
    """Final scores of a game: their mean, their distribution as columns, and the chance to reach each step."""
    steps = score_steps(ends.quantities["score_distribution"].value, ends.sense)
    label, heads = text("ends.fold"), [text("ends.score"), text("throws.chance"), reached_words(ends.sense)]
    rows = [[name, percent(chance, 1), percent(reached, 1)] for name, chance, reached in steps]
    drawn = columns([(name, chance) for name, chance, _ in steps], label)
    numbers = table("cells.steps", heads, rows)
    return [Sentence([mean_sentence(ends)]), drawn, numbers, Sentence([f"{NOTE}."], ink="faint")]


def _exact_text(cell: TableCell) -> TableCell:
    """A number with all digits, and its exact value or its interval."""
    return f"{cell.with_unit()} ({cell.short or cell.interval})" if isinstance(cell, ProvedNumber) else cell


# --- the verdict -----------------------------------------------------------------------------------------------------


def _verdict(advice: Advice, address: MoveAddress) -> PageVerdict:
    """Verdict: what to do, its value, and the loss of the next best move."""
    groups, unit = _group_moves(advice), advice.unit
    (top, *_), dice = groups[0], tuple(table_dice(advice.state))
    mix = [move for move in groups[0] if move.probability]
    done = parse_move(top.move)
    lit = done.kept if done.kind in ("keep", "roll") else dice
    follows = next_steps(advice, top)
    then = again(advice) + (f", {text('answer.then', move=follows)}" if follows else "")
    names, *further = (_in_words(_move_names([move.move for move in group], dice)) for group in groups[:2])
    beside = [_comparison(advice, groups[1][0].loss, name[:1].lower() + name[1:]) for name in further]
    if len(advice.moves) == 1:
        other = top.then and top.then.other
        names = text("answer.you_can_only", move=infinitive(top.move))
        beside = [text("answer.because", why=advice.why_only)] if advice.why_only else []
        beside += [_comparison(advice, other.loss, infinitive(other.move))] if other else []
    elif mix:
        shares = [f"{number(move.probability or 0.0, 'probability', 1)} {infinitive(move.move)}" for move in mix]
        names = (
            text("answer.mix", moves=", ".join(shares))
            if len(mix) > 1
            else text("answer.always", move=infinitive(mix[0].move))
        )
    elif advice.tie_break:
        names = imperative(top.move)
        beside.insert(0, text("answer.tie_break", why=tie_break_words(advice.tie_break)))
    elif len(groups[0]) > 1:
        is_proved = top.exact is not None or advice.decided
        beside.insert(0, text("answer.alike" if is_proved else "answer.alike_proved"))
    if top.goes_for:
        chance = _number_text(top.goes_for.chance, "probability")
        beside.insert(0, text("answer.going_for", box=top.goes_for.box, chance=chance))
    beside = [*([stopping(advice)] if advice.stop_from else []), *beside]
    first, shown = (names + then).replace(" %", "\u00a0%"), _number_text(top.value, unit)
    return PageVerdict(first, dice, lit, shown, _value_label(advice), " ".join(beside), address(top.move))


def _value_label(advice: Advice) -> str:
    """Words for the value, to stand behind the number."""
    name = aim(advice.objective, advice.parameters, advice.state)
    usual = VALUES.get(name, name)
    label = advice.label.removesuffix(f", {LOW_IS_GOOD}") or usual
    words = texts().get(f"counts.{name if label == usual else label}", label)
    return text("answer.low", label=words) if advice.sense == "min" else words


def _comparison(advice: Advice, lost: float, move: str) -> str:
    """Loss of a move in words."""
    return text("answer.less" if advice.sense == "max" else "answer.above", loss=_loss_text(lost, advice), move=move)


def _luck_verdict(advice: Advice) -> PageVerdict:
    """Verdict of a game of luck: the cheapest bet, else the mover's first number."""
    fact = first_fact(advice.quantities, advice.mover)
    if fact is None:
        return PageVerdict(text("answer.luck"), beside=headline(advice.quantities))
    who = "" if fact.seat is None else text("answer.of_seat", seat=fact.seat)
    shown = fact.value.with_unit(page_places(fact.value.value, fact.value.unit))
    return PageVerdict(text("answer.luck"), number=shown, counts=texts().get(f"counts.{fact.name}", fact.name) + who)


def _number_text(value: float, unit: str) -> str:
    """A number with the digits of the page."""
    return number(value, unit, page_places(value, unit))


def _loss_text(lost: float, advice: Advice) -> str:
    """A loss with as many digits as the values of the moves."""
    return loss(lost, advice.unit, page_places(advice.moves[0].value, advice.unit)).removesuffix(f" {PP}")


# --- moves -----------------------------------------------------------------------------------------------------------


def _group_moves(advice: Advice) -> list[list[MoveAdvice]]:
    """Group the moves, best first, by equal value (as far as proved) and equal continuation."""
    groups: list[list[MoveAdvice]] = []
    for move in likeliest_first(advice.moves, advice.best):
        first = groups[-1][0] if groups else None
        if first is not None and _are_alike(first, move, advice):
            groups[-1].append(move)
        else:
            groups.append([move])
    return groups


def _are_alike(first: MoveAdvice, move: MoveAdvice, advice: Advice) -> bool:
    if first.move in advice.best or move.move in advice.best:
        is_same = first.move in advice.best and move.move in advice.best
    elif first.exact is not None and move.exact is not None:
        is_same = first.exact == move.exact
    else:
        is_same = first.lower <= move.upper and move.lower <= first.upper
    return is_same and next_steps(advice, first) == next_steps(advice, move)


def _move_names(moves: Sequence[str], throw: Sequence[int]) -> WordsAndDice:
    """Names of equally good moves in a few words.

    >>> _move_names(["keep 1 6 6", "keep 2 6 6"], [1, 2, 6, 6]), _move_names(["keep 1 6", "keep 2 6"], [1, 2, 3, 6])
    (['Keep', (6, 6), 'and any other'], ['Keep', (6,), 'and 1 or 2'])
    >>> _move_names(["score ones", "score twos", "score threes", "score fours"], [])
    ['Score ones, twos or 2 others']
    """
    done = [parse_move(move) for move in moves]
    first = done[0]
    if len(moves) > 1 and all(each.kept and each.points is None for each in done):
        every = list(map(Counter, (each.kept for each in done)))
        common = reduce(and_, every)
        others = sorted(face for dice in every for face in (dice - common).elements())
        if common and len(others) == len(moves) and all((dice - common).total() == 1 for dice in every):
            is_any = set(others) == set(Counter(throw) - common)
            faces = _any_of([*map(str, others)])
            which = text("answer.any_other") if is_any else text("answer.and_either", faces=faces)
            return [text("answer.keep"), tuple(sorted(common.elements())), which]
    if first.kept:
        points = "" if first.points is None else f"for {first.points}"
        return [text("answer.keep"), first.kept, *filter(None, [points]), *_or_others(moves[1:])]
    shown = [imperative(moves[0])]
    for each, move in zip(done[1:], moves[1:], strict=True):
        shown.append(infinitive(move).removeprefix(f"{first.kind} ") if each.kind == first.kind else infinitive(move))
    return [_any_of(shown)]


def _or_others(moves: Sequence[str]) -> WordsAndDice:
    """Names of further keeps: a single one, or their number."""
    if len(moves) > 1:
        return [text("answer.or_others", count=len(moves))]
    return ["or", parse_move(moves[0]).kept or infinitive(moves[0])] if moves else []


def _any_of(names: Sequence[str]) -> str:
    """Join alternatives with "or"; of many only the first are named."""
    if len(names) > MAX_NAMED_MOVES:
        names = [*names[: MAX_NAMED_MOVES - 1], text("answer.others", count=len(names) - 2)]
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _in_words(pieces: WordsAndDice) -> str:
    return " ".join(piece if isinstance(piece, str) else " ".join(map(str, piece)) for piece in pieces if piece)


def _with_dice(pieces: WordsAndDice) -> Html:
    """The same as HTML with drawn dice."""
    return Html(" ".join(join_html(piece) if isinstance(piece, str) else dice(piece) for piece in pieces if piece))


def _move_tables(advice: Advice, chosen: str, address: MoveAddress) -> list[Html]:
    """Table of the best moves, equal ones in a row, and of the chosen one; a fold has all others."""
    groups, throw = _group_moves(advice), tuple(table_dice(advice.state))
    is_mixed = any(move.probability for move in groups[0])
    if is_mixed:  # each move of a mixed strategy has its own row
        never = [move for move in groups[0] if not move.probability]
        groups = [[move] for move in groups[0] if move.probability] + ([never] if never else []) + groups[1:]
    shown = groups if len(groups) <= ROWS_BEFORE_FOLD + 1 else groups[:ROWS_BEFORE_FOLD]
    apart = [move for group in shown for move in group[1:]] + [move for group in groups[len(shown) :] for move in group]
    shown = shown + [[move] for move in apart if move.move == chosen]
    most = max(FULL_BAR_LOSS * abs(groups[0][0].value), *(group[0].loss for group in shown), 1e-300)

    row = partial(_row, throw=throw, most=most, advice=advice, is_mixed=is_mixed, chosen=chosen, address=address)
    bars = "" if len(advice.moves) == 1 else f" · {text('answer.bars')}"
    caption = element("caption", f"{_value_label(advice)}{bars}")
    keys = ["answer.move", "answer.often", "answer.value", "answer.loss", "answer.bar"]
    names = [text(key) for key in keys if is_mixed or key != "answer.often"]
    heads = (element("th", name, role="columnheader", scope="col") for name in names)
    head = element("thead", element("tr", *heads, role="row"), role="rowgroup")
    first = _table(text("answer.moves"), list(map(row, shown)), caption, head)
    rest = [row([move]) for move in apart if move.move != chosen]
    more = text("answer.more", count=len(rest)) if len(rest) > 1 else text("answer.one_more")
    return [first, *([folded_details("more", more, _table(text("answer.more_moves"), rest))] if rest else [])]


def _table(label: str, rows: Sequence[Html], *top: Html) -> Html:
    """Table of moves; its roles keep it a table for screen readers, whatever the style sheet does."""
    target = {"hx_target": "#answer", "hx_swap": "innerHTML show:#next:top"}
    body = element("tbody", *rows, role="rowgroup")
    return element("table.moves", *top, body, role="table", aria_label=label, **target)


def _row(
    group: Sequence[MoveAdvice],
    throw: Sequence[int],
    most: float,
    advice: Advice,
    is_mixed: bool,
    chosen: str,
    address: MoveAddress,
) -> Html:
    """Row of equally good moves with drawn dice, values and a link to the outcomes of the first."""
    move, query = group[0], address(group[0].move)
    is_best, is_chosen = move.move in advice.best, move.move == chosen
    to = {"href": f"/{advice.game}?{query}#next", "hx_get": f"/{advice.game}/answer?{query}"}
    named = _with_dice(_move_names([each.move for each in group], throw))
    name = [element("a", named, **to, aria_current="true" if is_chosen else "")]
    if follows := next_steps(advice, move):
        step = other_step(move, advice.unit, page_places(move.value, advice.unit))
        other = f" {text('answer.or', move=step)}" if step else ""
        name += [Html(" "), element("span.then", text("answer.then", move=follows) + other)]
    lost = text("answer.only") if len(advice.moves) == 1 else text("answer.best") if is_best else _deficit(move, advice)
    share = number(move.probability, "probability", 1) if move.probability else ""
    cells = {"often": text("answer.how_often", chance=share) if share else ""} if is_mixed else {}
    cells |= {"value": _number_text(move.value, advice.unit), "loss": lost}
    numbers = (element(f"td.number.{sort}", cell, role="cell") for sort, cell in cells.items())
    drawn = element("td.drawn", bar(min(1.0, move.loss / most)), role="cell")
    head = element("th", *name, scope="row", role="rowheader")
    return element(f"tr.move{'.best' * is_best}{'.chosen' * is_chosen}", head, *numbers, drawn, role="row")


def _deficit(move: MoveAdvice, advice: Advice) -> str:
    lost, sign = _loss_text(move.loss, advice), "−" if advice.sense == "max" else "+"
    return lost if lost.startswith("<") else f"{sign}{lost}"


def samples() -> dict[str, Any]:
    """Samples for the page of components: a verdict with dice and rows of moves, and a verdict without."""
    values = {"6 6 6": 246.6, "2 6 6 6": 244.3, "1 6 6 6": 244.3, "6 6": 236.2, "6": 229.0}
    moves = [MoveAdvice(f"keep {dice}", "", value, value, value, None, 246.6 - value) for dice, value in values.items()]
    advice = Advice(
        "components", {}, {"roll": [1, 2, 6, 6, 6]}, 0, "score", "points", "max", best=[moves[0].move], moves=moves
    )
    luck = PageVerdict(text("answer.luck"), number="46.5 %", counts=text("counts.win"))
    odds = columns([(str(face), ways / 36) for face, ways in enumerate((1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 2)], "2-12")
    return {"kept": _verdict(advice, str), "blocks": _move_tables(advice, "", quote_plus), "luck": luck, "spread": odds}


# --- why -------------------------------------------------------------------------------------------------------------


def reasons_of(why: Why) -> list[Block | Html]:
    """Reasons why a move is better than another: sentences, and a table of the parts of each class of outcomes."""
    (heads, *rows), _, width = parts_table(why)
    part = heads.index(PART)
    heads, *rows = [[row[0], row[part], *map(_shortened, row[1:part]), *row[part + 1 :]] for row in (heads, *rows)]
    moves = (element("th", move, scope="colgroup", colspan=str(width)) for move in (why.best, why.other))
    grid = table("cells.parts", heads, rows, over=[element("td", colspan="2"), *moves], has_sums=True)
    sentences = why.words.replace(". What it ", ".\nWhat it ").split("\n")
    return [Sentence(sentences), scrolling(grid, text("why.table")), Sentence([column_meanings(why)], ink="faint")]


def _shortened(cell: str) -> str:
    """A value rounded to two digits after its point.

    >>> _shortened("59.163421 %"), _shortened("-0.1254"), _shortened("100.0 %"), _shortened("chance")
    ('59.16 %', '-0.13', '100.0 %', 'chance')
    """
    number = DECIMALS.fullmatch(cell)
    return f"{float(number[1]):.{TEXT_PLACES}f}{number[2]}" if number else cell
