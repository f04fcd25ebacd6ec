"""An answer as plain data for a page: the sentence, the moves as bars, what everybody has of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rollwise.advice_text import how_often, in_the_mix_first, loss
from rollwise.answer import Advice, MoveAdvice
from rollwise.labels import LOW_IS_GOOD, short_label
from rollwise.move_words import THROWS, imperative, other_step, verdict, what_follows
from rollwise.text import fraction, heading, number, width
from rollwise.web.facts import Facts, facts_of, headline
from rollwise.web.texts import text

AT_ONCE = 12  # moves that are listed before the fold
LEAST, MOST = 8.0, 100.0  # lengths of bars, in per cent
KEPT = re.compile(r"keep ((?:[1-6] )*[1-6])( for \d+)?")


@dataclass(frozen=True)
class MoveLine:
    """One move: its words before and behind its dice, its numbers, how long its bar is, and where a tap on it leads."""

    move: str
    before: str
    behind: str
    then: str
    other: str
    dice: tuple[int, ...]
    value: str
    loss: str
    interval: str
    exact: str
    often: str
    length: float
    is_best: bool
    is_chosen: bool
    query: str


@dataclass(frozen=True)
class SeatLine:
    """What a seat has of it."""

    seat: int
    is_mover: bool
    value: str
    length: float


@dataclass(frozen=True)
class Answer:
    """What a page says of a question: ``sentence`` in two pieces, the first the larger.

    ``measure`` is what the numbers are, ``proved`` how exactly they are known, ``bars`` what is drawn of them,
    ``moves`` the first few, ``more`` the others, ``seats`` what everybody has.
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
    seats: tuple[SeatLine, ...]
    facts: Facts
    note: str
    assumed: str
    heading: str

    @property
    def can_be_explained(self) -> bool:
        """Are there two moves to be compared?"""
        return len(self.moves) > 1


def answer_of(advice: Advice, title: str, chosen: str, address: Callable[[str], str]) -> Answer:
    """The answer; ``chosen`` is the move that is looked at, ``address`` the address of the question with a move."""
    moves = in_the_mix_first(advice.moves or [], advice.best or [])
    is_mixed = any(move.probability for move in moves)
    lengths = _lengths(advice, moves)
    lines = [_line(advice, move, long, chosen, address) for move, long in zip(moves, lengths, strict=True)]
    first, rest = _split(verdict(advice)) if moves else headline(advice)
    fold = max((place + 1 for place, line in enumerate(lines) if line.is_chosen), default=0)
    shown = len(lines) if len(lines) <= AT_ONCE + 1 else AT_ONCE
    at_once = lines[:shown] + [line for line in lines[shown:fold] if line.is_chosen]
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
        seats=tuple(_seats(advice)),
        facts=facts_of(advice),
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


def _line(advice: Advice, move: MoveAdvice, length: float, chosen: str, address: Callable[[str], str]) -> MoveLine:
    is_best = move.move in (advice.best or [])
    kept = KEPT.fullmatch(move.move)
    return MoveLine(
        move=move.move,
        before=imperative(move.move if kept is None else "keep"),
        behind=(kept[2] or "") if kept else "",
        then=what_follows(advice, move),
        other=other_step(move, advice.unit),
        dice=tuple(map(int, kept[1].split())) if kept else (),
        value=number(move.value, advice.unit, 2),
        loss="" if is_best else loss(move.loss, advice.unit),
        interval=width(move.lower, move.upper, advice.unit),
        exact=fraction(move.exact) or "",
        often=how_often(move),
        length=length,
        is_best=is_best,
        is_chosen=move.move == chosen,
        query=address(move.move),
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
    moves = advice.moves or []
    widest = max(moves, key=lambda move: move.upper - move.lower, default=None)
    return "" if widest is None else width(widest.lower, widest.upper, advice.unit)


def _seats(advice: Advice) -> list[SeatLine]:
    """What everybody has of it."""
    return [
        SeatLine(seat, seat == advice.mover, number(share, "probability", 2), MOST * share)
        for seat, share in enumerate(advice.shares or [])
    ]
