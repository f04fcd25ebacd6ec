"""An answer as plain data for a page: the sentence, the moves as bars, what everybody has of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from rollwise.answers.advice import Advice, MoveAdvice
from rollwise.answers.labels import LOW_IS_GOOD, short_label
from rollwise.answers.moves import does
from rollwise.saying.advice import MoveInWords, in_the_mix_first, moves_in_words
from rollwise.saying.blocks import Block, Fact, Facts, ProvedNumber, Sentence
from rollwise.saying.head import THROWS, heading
from rollwise.saying.html import html
from rollwise.saying.moves import imperative, verdict
from rollwise.saying.numbers import width
from rollwise.saying.quantities import headline, quantity_blocks
from rollwise.web.texts import text

AT_ONCE = 12  # moves that are listed before the fold
LEAST, MOST = 8.0, 100.0  # lengths of bars, in per cent


@dataclass(frozen=True)
class MoveLine:
    """One move: what is told of it, its words before and behind its dice, its bar, and where a tap on it leads."""

    told: MoveInWords
    before: str
    behind: str
    dice: tuple[int, ...]
    length: float
    is_chosen: bool
    query: str


@dataclass(frozen=True)
class Answer:
    """What a page says of a question: ``sentence`` in two pieces, the first the larger.

    ``measure`` is what the numbers are, ``proved`` how exactly they are known, ``bars`` what is drawn of them,
    ``moves`` the first few, ``more`` the others, ``facts`` what everybody has, and odds and bets, as HTML.
    """

    first: str
    rest: str
    measure: str
    proved: str
    bars: str
    unit: str
    moves: tuple[MoveLine, ...]
    more: tuple[MoveLine, ...]
    is_mixed: bool
    is_forced: bool
    facts: Markup
    note: str
    assumed: str
    heading: str

    @property
    def can_be_explained(self) -> bool:
        """Are there two moves to be compared?"""
        return len(self.moves) > 1


def answer_of(advice: Advice, title: str, chosen: str, address: Callable[[str], str]) -> Answer:
    """The answer; ``chosen`` is the move that is looked at, ``address`` the address of the question with a move."""
    moves = in_the_mix_first(advice.moves, advice.best)
    is_mixed = any(move.probability for move in moves)
    lengths = _lengths(advice, moves)
    lines = [_line(move, long, chosen, address) for move, long in zip(moves_in_words(advice), lengths, strict=True)]
    luck = text("answer.luck"), headline(advice.quantities, advice.mover)
    first, rest = _split(verdict(advice)) if moves else luck
    fold = max((place + 1 for place, line in enumerate(lines) if line.is_chosen), default=0)
    shown = len(lines) if len(lines) <= AT_ONCE + 1 else AT_ONCE
    at_once = lines[:shown] + [line for line in lines[shown:fold] if line.is_chosen]
    facts = [*_seats(advice), *quantity_blocks(advice.quantities, advice.mover)]
    label = advice.label.removesuffix(f", {LOW_IS_GOOD}") or short_label(advice.objective, advice.parameters)
    return Answer(
        first=first,
        rest=rest,
        measure=text("answer.low", label=label) if advice.sense == "min" else label,
        proved=_widest(advice),
        bars=_bars(is_mixed, advice.unit),
        unit=advice.unit,
        moves=tuple(at_once),
        more=tuple(line for line in lines[shown:] if not line.is_chosen),
        is_mixed=is_mixed,
        is_forced=len(moves) == 1,
        facts=Markup(html([block for block in facts if not isinstance(block, Sentence)])),
        note=advice.note,
        assumed=text("answer.assumed", throw=THROWS[advice.assumed.throw - 1]) if advice.assumed else "",
        heading=heading(advice, title),
    )


def _bars(is_mixed: bool, unit: str) -> str:
    if is_mixed:
        return text("answer.bars_mixed")
    return text("answer.bars_share") if unit == "probability" else text("answer.bars_between")


def _split(sentence: str) -> tuple[str, str]:
    """A sentence in what to do and what it is worth.

    >>> _split("Roll again: win 61.3 % against 58.0 % for holding.")
    ('Roll again', 'win 61.3 % against 58.0 % for holding.')
    """
    found = re.match(r"(.+?)(?:: |; )(.+)", sentence)
    return (found[1], found[2]) if found else (sentence, "")


def _line(told: MoveInWords, length: float, chosen: str, address: Callable[[str], str]) -> MoveLine:
    move = does(told.move)
    return MoveLine(
        told,
        before=imperative(move.verb if move.kept else told.move),
        behind=f" for {move.points}" if move.kept and move.points is not None else "",
        dice=move.kept,
        length=length,
        is_chosen=told.move == chosen,
        query=address(told.move),
    )


def _lengths(advice: Advice, moves: Sequence[MoveAdvice]) -> list[float]:
    """How long bars are: chances as they are, of a mix how often a move is made; else from the best to the worst move.

    That is the worst before the fold.
    """
    if any(move.probability for move in moves):
        return [MOST * (move.probability or 0.0) for move in moves]
    if advice.unit == "probability":
        return [MOST * min(1.0, move.value) for move in moves]
    most = max((move.loss for move in moves[: AT_ONCE + 1]), default=0.0)
    return [MOST - (MOST - LEAST) * (min(1.0, move.loss / most) if most else 0.0) for move in moves]


def _widest(advice: Advice) -> str:
    """How exactly the values of all moves are known."""
    moves = advice.moves
    widest = max(moves, key=lambda move: move.upper - move.lower, default=None)
    return "" if widest is None else width(widest.lower, widest.upper, advice.unit)


def _seats(advice: Advice) -> list[Block]:
    """What everybody has of it."""
    name = text("answer.seats")
    shares = enumerate(advice.shares or [])
    facts = [Fact(name, ProvedNumber(n, n, n, "probability"), seat, seat == advice.mover, n) for seat, n in shares]
    return [Facts(facts)] if facts else []
