"""The answer of a question as a page shows it: the sentence, the moves as bars, what everybody has of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_
from typing import Any, TypeAlias
from urllib.parse import quote_plus

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.forecast import NOTE, FinalScore
from rollwise.answers.labels import LOW_IS_GOOD, VALUES, aim
from rollwise.answers.moves import does
from rollwise.answers.why import Why
from rollwise.text.advice import UNREACHABLE, in_the_mix_first, moves_blocks
from rollwise.text.blocks import Block, CellTable, Fact, Facts, ProvedNumber, Sentence, TableCell
from rollwise.text.forecast import on_average, reached_words, score_steps
from rollwise.text.head import THROWS
from rollwise.text.html import Html, bar, columns, dice, element, fold, joined, scrolling, table
from rollwise.text.moves import again, for_the_mean, imperative, order, other_step, stops, what_follows
from rollwise.text.numbers import PP, TOLD, loss, number, percent, places
from rollwise.text.quantities import first_fact, headline, quantity_blocks
from rollwise.text.why import PART, meaning, parts_table
from rollwise.web.texts import text, texts

AT_ONCE = 5  # rows of moves before the fold
NAMED = 3  # equally good moves that a row names
FULL = 0.1  # of what the best is worth: a bar is full where a move loses that, or more
LONG_NUMBER = re.compile(r"(-?\d+\.\d{3,})( %|)")


@dataclass(frozen=True)
class PageVerdict:
    """What is said first: what to do, the dice of the ``throw`` with those ``lit`` that are kept, one ``number`` and
    what it ``counts``, what stands ``beside`` it in small, and the question ``onward``, of the best move."""

    first: str
    throw: tuple[int, ...] = ()
    lit: tuple[int, ...] = ()
    number: str = ""
    counts: str = ""
    beside: str = ""
    onward: str = ""


@dataclass(frozen=True)
class PageAnswer:
    """What a page says of a question: the verdict, and all else as ``blocks``."""

    verdict: PageVerdict
    assumed: str
    blocks: tuple[Block | Html, ...]


Address: TypeAlias = Callable[[str], str]  # of a question with a move, as it stands behind the question mark
Pieces: TypeAlias = list[str | tuple[int, ...]]  # words, and dice between them


def answer_of(advice: Advice, chosen: str, address: Address, *, may_forecast: bool = False) -> PageAnswer:
    """The answer; ``chosen`` is the move that is looked at. ``may_forecast``: can it be told how the game ends?"""
    blocks: list[Block | Html] = [*_moves(advice, chosen, address)] if advice.moves else []
    notes = [UNREACHABLE] * advice.unreachable + [advice.note] * bool(advice.note)
    blocks += [Sentence([note], ink="faint") for note in notes]
    if len(advice.moves) > 1:
        why = f"/{advice.game}/why?{address(chosen)}"
        blocks.append(fold("why", text("answer.why"), address=why, page=text("answer.why_page")))
    shares, seats = enumerate(advice.shares or []), text("answer.seats")
    facts = [Fact(seats, ProvedNumber(n, n, n, "probability"), seat, seat == advice.mover, n) for seat, n in shares]
    blocks += [Facts(facts)] if facts else []
    quantities = quantity_blocks(advice.quantities, advice.mover)
    blocks += [block for block in quantities if not isinstance(block, Sentence)]
    if may_forecast:
        ends = f"/{advice.game}/ends?{address('')}"
        blocks.append(fold("ends", text("ends.fold"), address=ends, page=text("ends.page")))
    digits = f"/{advice.game}/digits?{address('')}"
    blocks.append(fold("proof", text("answer.proved"), address=digits, page=text("answer.digits")))
    assumed = text("answer.assumed", throw=THROWS[advice.assumed.throw - 1]) if advice.assumed else ""
    first = _verdict(advice, address) if advice.moves else _luck(advice)
    return PageAnswer(first, assumed, tuple(blocks))


def digits_of(advice: Advice) -> list[Block]:
    """Every number of the answer with all its digits, and how far it is off at most."""
    every = moves_blocks(advice) if advice.moves else []
    blocks = [block for part in every for block in (part if isinstance(part, Sequence) else [part])]
    bounds = zip(advice.shares or [], advice.shares_lower or [], advice.shares_upper or [], strict=False)
    shares = [ProvedNumber(*share, "probability") for share in bounds]
    facts = [Fact(text("answer.seats"), share, seat) for seat, share in enumerate(shares)]
    for block in quantity_blocks(advice.quantities, advice.mover):
        if isinstance(block, Facts):
            facts += block.rows
        elif isinstance(block, CellTable):
            blocks.append(replace(block, rows=[list(map(_exactly, row)) for row in block.rows]))
    seats = ["" if fact.seat is None else text("answer.of_seat", seat=fact.seat) for fact in facts]
    rows = [[fact.name + seat, _exactly(fact.value)] for fact, seat in zip(facts, seats, strict=True)]
    return [*blocks, *([CellTable([[text("answer.what"), text("answer.value")], *rows], right=[1])] if rows else [])]


def ends_of(ends: FinalScore) -> list[Block | Html]:
    """How a game ends: the mean, its scores as columns, and how likely each step is made, and reached."""
    steps = score_steps(ends.quantities["score_distribution"].value, ends.sense)
    label, heads = text("ends.fold"), [text("ends.score"), text("throws.chance"), reached_words(ends.sense)]
    rows = [[name, percent(chance, 1), percent(reached, 1)] for name, chance, reached in steps]
    drawn = columns([(name, chance) for name, chance, _ in steps], label)
    numbers = table("cells.steps", heads, rows)
    return [Sentence([on_average(ends)]), drawn, numbers, Sentence([f"{NOTE}."], ink="faint")]


def _exactly(cell: TableCell) -> TableCell:
    """A number with all digits, and what it is exactly, or how far it is off at most."""
    return f"{cell.with_unit()} ({cell.short or cell.interval})" if isinstance(cell, ProvedNumber) else cell


# --- the verdict -----------------------------------------------------------------------------------------------------


def _verdict(advice: Advice, address: Address) -> PageVerdict:
    """What to do, what it is worth, and how much less the next best move is."""
    groups, unit = _groups(advice), advice.unit
    (top, *_), dice = groups[0], _throw(advice)
    mix = [move for move in groups[0] if move.probability]
    done = does(top.move)
    lit = done.kept if done.verb in ("keep", "roll") else dice
    follows = what_follows(advice, top)
    then = again(advice) + (f", {text('answer.then', move=follows)}" if follows else "")
    names, *further = (_in_words(_named([move.move for move in group], dice)) for group in groups[:2])
    beside = [_by_how_much(advice, groups[1][0].loss, name[:1].lower() + name[1:]) for name in further]
    if len(advice.moves) == 1:
        other = top.then and top.then.other
        names = text("answer.you_can_only", move=order(top.move))
        beside = [text("answer.because", why=advice.why_only)] if advice.why_only else []
        beside += [_by_how_much(advice, other.loss, order(other.move))] if other else []
    elif mix:
        shares = [f"{number(move.probability or 0.0, 'probability', 1)} {order(move.move)}" for move in mix]
        names = (
            text("answer.mix", moves=", ".join(shares))
            if len(mix) > 1
            else text("answer.always", move=order(mix[0].move))
        )
    elif advice.tie_break:
        names = imperative(top.move)
        beside.insert(0, text("answer.tie_break", why=for_the_mean(advice.tie_break)))
    elif len(groups[0]) > 1:
        is_proved = top.exact is not None or advice.decided
        beside.insert(0, text("answer.alike" if is_proved else "answer.alike_proved"))
    if top.goes_for:
        chance = _told(top.goes_for.chance, "probability")
        beside.insert(0, text("answer.going_for", box=top.goes_for.box, chance=chance))
    beside = [*([stops(advice)] if advice.stop_from else []), *beside]
    first, worth = (names + then).replace(" %", "\u00a0%"), _told(top.value, unit)
    return PageVerdict(first, dice, lit, worth, _counts(advice), " ".join(beside), address(top.move))


def _throw(advice: Advice) -> tuple[int, ...]:
    """The dice on the table."""
    roll = advice.state.get("roll")
    return tuple(face for face in roll if isinstance(face, int)) if isinstance(roll, list | tuple) else ()


def _counts(advice: Advice) -> str:
    """What the number is, as one says it behind the number."""
    name = aim(advice.objective, advice.parameters, advice.state)
    usual = VALUES.get(name, name)
    label = advice.label.removesuffix(f", {LOW_IS_GOOD}") or usual
    words = texts().get(f"counts.{name if label == usual else label}", label)
    return text("answer.low", label=words) if advice.sense == "min" else words


def _by_how_much(advice: Advice, lost: float, move: str) -> str:
    """How much less a move is, and which."""
    return text("answer.less" if advice.sense == "max" else "answer.above", loss=_loss(lost, advice), move=move)


def _luck(advice: Advice) -> PageVerdict:
    """Where nobody chooses: the cheapest of bets, else the first number, that of the mover."""
    fact = first_fact(advice.quantities, advice.mover)
    if fact is None:
        return PageVerdict(text("answer.luck"), beside=headline(advice.quantities))
    who = "" if fact.seat is None else text("answer.of_seat", seat=fact.seat)
    worth = fact.value.with_unit(places(fact.value.value, fact.value.unit))
    return PageVerdict(text("answer.luck"), number=worth, counts=texts().get(f"counts.{fact.name}", fact.name) + who)


def _told(value: float, unit: str) -> str:
    """A number as the page says it."""
    return number(value, unit, places(value, unit))


def _loss(lost: float, advice: Advice) -> str:
    """What is lost, with as many digits as what moves are worth."""
    return loss(lost, advice.unit, places(advice.moves[0].value, advice.unit)).removesuffix(f" {PP}")


# --- moves -----------------------------------------------------------------------------------------------------------


def _groups(advice: Advice) -> list[list[MoveAdvice]]:
    """The moves, the best first, those together that cannot be told apart by their worth and leave the same to do."""
    groups: list[list[MoveAdvice]] = []
    for move in in_the_mix_first(advice.moves, advice.best):
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
    return is_same and what_follows(advice, first) == what_follows(advice, move)


def _named(moves: Sequence[str], throw: Sequence[int]) -> Pieces:
    """Moves that are equally good in a few words.

    >>> _named(["keep 1 6 6", "keep 2 6 6"], [1, 2, 6, 6]), _named(["keep 1 6", "keep 2 6"], [1, 2, 3, 6])
    (['Keep', (6, 6), 'and any other'], ['Keep', (6,), 'and 1 or 2'])
    >>> _named(["score ones", "score twos", "score threes", "score fours"], [])
    ['Score ones, twos or 2 others']
    """
    done = [does(move) for move in moves]
    first = done[0]
    if len(moves) > 1 and all(each.kept and each.points is None for each in done):
        every = list(map(Counter, (each.kept for each in done)))
        common = reduce(and_, every)
        others = sorted(face for kept in every for face in (kept - common).elements())
        if common and len(others) == len(moves) and all((kept - common).total() == 1 for kept in every):
            is_any = set(others) == set(Counter(throw) - common)
            faces = _either([*map(str, others)])
            which = text("answer.any_other") if is_any else text("answer.and_either", faces=faces)
            return [text("answer.keep"), tuple(sorted(common.elements())), which]
    if first.kept:
        points = "" if first.points is None else f"for {first.points}"
        return [text("answer.keep"), first.kept, *filter(None, [points]), *_or_others(moves[1:])]
    shown = [imperative(moves[0])]
    for each, move in zip(done[1:], moves[1:], strict=True):
        shown.append(order(move).removeprefix(f"{first.verb} ") if each.verb == first.verb else order(move))
    return [_either(shown)]


def _or_others(moves: Sequence[str]) -> Pieces:
    """Further keeps, the first by itself."""
    if len(moves) > 1:
        return [text("answer.or_others", count=len(moves))]
    return ["or", does(moves[0]).kept or order(moves[0])] if moves else []


def _either(names: Sequence[str]) -> str:
    """Names of which any will do, of many the first ones."""
    shown = list(names) if len(names) <= NAMED else [*names[: NAMED - 1], text("answer.others", count=len(names) - 2)]
    return " or ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _in_words(pieces: Pieces) -> str:
    return " ".join(piece if isinstance(piece, str) else " ".join(map(str, piece)) for piece in pieces if piece)


def _drawn(pieces: Pieces) -> Html:
    """The same with its dice drawn."""
    return Html(" ".join(joined(piece) if isinstance(piece, str) else dice(piece) for piece in pieces if piece))


def _moves(advice: Advice, chosen: str, address: Address) -> list[Html]:
    """The best moves, equal ones in a row, and that which is looked at; all others by themselves in a fold."""
    groups, throw = _groups(advice), _throw(advice)
    is_mixed = any(move.probability for move in groups[0])
    if is_mixed:  # what is mixed has a row each
        never = [move for move in groups[0] if not move.probability]
        groups = [[move] for move in groups[0] if move.probability] + ([never] if never else []) + groups[1:]
    shown = groups if len(groups) <= AT_ONCE + 1 else groups[:AT_ONCE]
    apart = [move for group in shown for move in group[1:]] + [move for group in groups[len(shown) :] for move in group]
    shown = shown + [[move] for move in apart if move.move == chosen]
    most = max(FULL * abs(groups[0][0].value), *(group[0].loss for group in shown), 1e-300)

    def row(group: Sequence[MoveAdvice]) -> Html:
        return _row(group, throw, most, advice, is_mixed, chosen, address)

    bars = "" if len(advice.moves) == 1 else f" · {text('answer.bars')}"
    caption = element("caption", f"{_counts(advice)}{bars}")
    keys = ["answer.move", "answer.often", "answer.value", "answer.loss", "answer.bar"]
    names = [text(key) for key in keys if is_mixed or key != "answer.often"]
    heads = (element("th", name, role="columnheader", scope="col") for name in names)
    head = element("thead", element("tr", *heads, role="row"), role="rowgroup")
    first = _table(text("answer.moves"), list(map(row, shown)), caption, head)
    rest = [row([move]) for move in apart if move.move != chosen]
    more = text("answer.more", count=len(rest)) if len(rest) > 1 else text("answer.one_more")
    return [first, *([fold("more", more, _table(text("answer.more_moves"), rest))] if rest else [])]


def _table(label: str, rows: Sequence[Html], *top: Html) -> Html:
    """Rows of moves; its roles keep it a table for who hears it, whatever the style makes of it."""
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
    address: Address,
) -> Html:
    """Moves that are equally good, their dice drawn, and what they are worth; the first leads to what follows."""
    move, query = group[0], address(group[0].move)
    is_best, is_chosen = move.move in advice.best, move.move == chosen
    to = {"href": f"/{advice.game}?{query}#next", "hx_get": f"/{advice.game}/answer?{query}"}
    named = _drawn(_named([each.move for each in group], throw))
    name = [element("a", named, **to, aria_current="true" if is_chosen else "")]
    if follows := what_follows(advice, move):
        step = other_step(move, advice.unit, places(move.value, advice.unit))
        other = f" {text('answer.or', move=step)}" if step else ""
        name += [Html(" "), element("span.then", text("answer.then", move=follows) + other)]
    lost = text("answer.only") if len(advice.moves) == 1 else text("answer.best") if is_best else _minus(move, advice)
    share = number(move.probability, "probability", 1) if move.probability else ""
    cells = {"often": text("answer.how_often", chance=share) if share else ""} if is_mixed else {}
    cells |= {"value": _told(move.value, advice.unit), "loss": lost}
    numbers = (element(f"td.number.{sort}", cell, role="cell") for sort, cell in cells.items())
    drawn = element("td.drawn", bar(min(1.0, move.loss / most)), role="cell")
    head = element("th", *name, scope="row", role="rowheader")
    return element(f"tr.move{'.best' * is_best}{'.chosen' * is_chosen}", head, *numbers, drawn, role="row")


def _minus(move: MoveAdvice, advice: Advice) -> str:
    lost, sign = _loss(move.loss, advice), "−" if advice.sense == "max" else "+"
    return lost if lost.startswith("<") else f"{sign}{lost}"


def samples() -> dict[str, Any]:
    """What the page of components shows: a verdict with dice and rows of moves, and a verdict without."""
    worths = {"6 6 6": 246.6, "2 6 6 6": 244.3, "1 6 6 6": 244.3, "6 6": 236.2, "6": 229.0}
    moves = [MoveAdvice(f"keep {kept}", worth, worth, worth, 246.6 - worth) for kept, worth in worths.items()]
    advice = Advice(
        "components", {}, {"roll": [1, 2, 6, 6, 6]}, 0, "score", "points", "max", best=[moves[0].move], moves=moves
    )
    luck = PageVerdict(text("answer.luck"), number="46.5 %", counts=text("counts.win"))
    spread = columns([(str(face), ways / 36) for face, ways in enumerate((1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1), 2)], "2-12")
    return {"kept": _verdict(advice, str), "blocks": _moves(advice, "", quote_plus), "luck": luck, "spread": spread}


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
    return f"{float(number[1]):.{TOLD}f}{number[2]}" if number else cell
