"""Moves as people type them: ``5 3`` for ``shut 3 5``, ``bank`` for ``stop``, ``chance`` for ``score chance``.

Questions, play, reviews, quizzes and the page all read moves here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.names import NUMERALS, folded, matched, words_of
from rollwise.solver.model.plain import quoted

SYNONYM_LINES = (  # a position has at most one move of each line
    "stop, hold, bank, bank it, stand, stay, stick, end, end turn, end my turn, cash in, leave, leave it",
    "roll, throw, toss, again, roll again, throw again, roll on, throw on, keep rolling, reroll, go on, continue, "
    "roll the dice, throw the dice, roll the rest, throw the rest, roll the others, throw the others",
    "pass, pass on, pass the dice, pass it on, hand on, skip",
    "keep nothing, keep none, keep no dice, roll all, throw all, reroll all, roll all again, throw all again",
    "accept, believe, i believe, i believe it, i believe you, believe it, believe you, trust",
    "challenge, doubt, doubt it, i doubt it, liar, lie, you lie, bluff, call bluff, lift, show, show me, "
    "don't believe, i don't believe it, i don't believe you",
    "post, post all, post them",
)
SYNONYM_GROUPS = tuple(frozenset(map(folded, line.split(","))) for line in SYNONYM_LINES)
ALL = frozenset(map(folded, ("all", "keep all", "take all", "keep everything", "take everything", "keep them all")))
VERBS = {  # verbs of moves, with the phrases that people use for them
    "keep": "keep, take, hold, save, set aside",
    "shut": "shut, close, flip, cover, put down, turn down, cross off",
    "place": "place, put, put on, place on, cover",
    "cross": "cross, cross off, cross out, strike, strike off, strike out, tick, tick off",
    "call": "call, i call, say, i say, bid, announce",
    "score": "score, write, enter, fill, fill in, take, use, put in, cross out, strike, strike out, scratch",
    "roll": "roll, throw, toss",
}
VERB_PHRASES = {verb: {tuple(phrase.split()) for phrase in line.split(", ")} for verb, line in VERBS.items()}
MAX_LISTED = 4  # of a question that asks which move is meant
FILLER_WORDS = {"and", "the", "my", "die", "dice", "box", "boxes"}
POINTS_SUFFIX = re.compile(r"(?<=\S)\s*\bfor\s+(\d[\d,]*)(?:\s*points?)?$")
SEPARATOR = re.compile(r"\s*(?:\+|,|&|\band\b)\s*")


class Meaning(NamedTuple):
    """The moves that typed words fit, those for most points first; the first ``n_best`` have equally many points."""

    typed: str
    fits: tuple[str, ...] = ()
    n_best: int = 0

    @property
    def move(self) -> str | None:
        """The only best fit; None where there is none, or several."""
        return self.fits[0] if self.n_best == 1 else None

    @property
    def note(self) -> str:
        """A note for a move that others would fit too; else empty."""
        return f"{quoted(self.typed)} is taken as {self.fits[0]}" if self.n_best == 1 < len(self.fits) else ""

    @property
    def doubt(self) -> str:
        """The question where several moves fit equally well; else empty."""
        more = f" or {self.n_best - MAX_LISTED} others" if self.n_best > MAX_LISTED + 1 else ""
        some = self.fits[: MAX_LISTED if more else self.n_best]
        return f"{quoted(self.typed)} may be {' or '.join(some)}{more}" if self.n_best > 1 else ""


class _Parts(NamedTuple):
    """The words behind a verb: numbers, or boxes with the score of each, and points where they are typed."""

    numbers: tuple[str, ...]
    boxes: dict[str, str]
    points: str


def numbered(moves: Sequence[str]) -> dict[str, str]:
    """Moves by their list number: their place in the list, or the number in their name where only that differs.

    >>> numbered(["hold", "roll"]), numbered(["call 4", "call 5"])
    ({'1': 'hold', '2': 'roll'}, {'4': 'call 4', '5': 'call 5'})
    """
    parted = [move.rpartition(" ") for move in moves]
    is_named = all(verb == parted[0][0] and " " not in verb and last.isdigit() for verb, _, last in parted)
    numbers = [last for *_, last in parted] if is_named else map(str, range(1, len(moves) + 1))
    return dict(zip(numbers, moves, strict=True))


def meaning(typed: object, moves: Iterable[str], *, listed: bool = False) -> Meaning:
    """The moves that typed words may mean; none for anything but text. ``listed``: list numbers of moves go first.

    Dice may stand in any order, and numbers and boxes without a verb. Where dice count in several ways and no points
    are typed, the move for most points comes first.

    >>> moves = ["keep 3 3 3 for 300", "keep 1 3 3 3 for 400", "roll", "stop"]
    >>> [meaning(typed, moves).move for typed in ("keep 3,3,3", "take 3 3 1 3", "333", "hold", "keep 5")]
    ['keep 3 3 3 for 300', 'keep 1 3 3 3 for 400', 'keep 3 3 3 for 300', 'stop', None]
    """
    legal, text = list(moves), " ".join(typed.split()) if isinstance(typed, str) else ""
    name, words = (listed and numbered(legal).get(text)) or matched(text, legal), text.rstrip("!?.")
    several = [] if name else all_dice(words, legal) or _numbers_and_boxes(words.casefold(), legal)
    if several:
        return Meaning(text, tuple(several), len(several))
    fits = [name] if name else _synonymous_moves(folded(words), legal) or _moves_with_parts(words.casefold(), legal)
    worth = {move: sum(map(int, re.findall(r"\d+", move))) for move in fits}  # they differ in nothing else
    best = [move for move in fits if worth[move] == max(worth.values())]
    return Meaning(text, (*best, *(move for move in fits if move not in best)), len(best))


def all_dice(typed: str, moves: Sequence[str]) -> list[str]:
    """All special scores of the throw, where typed words keep all dice on the table and any fewer are thrown again."""
    most: Counter[str] = reduce(or_, (Counter(map(str, parse_move(move).kept)) for move in moves), Counter())
    most += Counter(list(most)[:1]) if len(most) == 1 else Counter()  # of equal dice at most all but one are kept
    is_all = folded(typed) in ALL or _parse_parts(typed.casefold().removeprefix("keep")).numbers == tuple(
        sorted(most.elements())
    )
    return [move for move in moves if parse_move(move).kind == "score"] if most and is_all else []


def _numbers_and_boxes(typed: str, moves: Sequence[str]) -> list[str]:
    """Moves for a spelt-out number, of dice or as the start of a box's name: ``four`` of ``four of a kind``."""
    *_, number = typed.split() or [""]
    verbs = _verbs(typed.split())[0]
    boxes = [move for move in moves if (done := parse_move(move)).kind in verbs and done.box.startswith(number)]
    fits = [*_moves_with_parts(typed, moves), *boxes] if number in NUMERALS and boxes else []
    return fits if fits[1:] else []


def _synonymous_moves(phrase: str, moves: Sequence[str]) -> list[str]:
    """Moves with a whole phrase of the same meaning."""
    for group in SYNONYM_GROUPS:
        if phrase in group and (matches := [move for move in moves if folded(move) in group]):
            return matches
    if phrase in SYNONYM_GROUPS[0] and set(moves) == {"pass", "roll"}:
        return ["pass"]
    if phrase not in ALL or not any(parse_move(move).kind == "keep" for move in moves):
        return []
    if "stop" in moves:  # which keeps all dice on the table
        return ["stop"]
    dice = {move: Counter(parse_move(move).kept) for move in moves}
    counted = all(dice[move] and parse_move(move).points is not None for move in moves)
    return [move for move in moves if counted and all(other <= dice[move] for other in dice.values())]


def _moves_with_parts(typed: str, moves: Sequence[str]) -> list[str]:
    """Moves with these numbers or boxes, after this verb or any."""
    verbs, words = _verbs(typed.split())
    typed_parts = _parse_parts(" ".join(words))
    parts_of = {}
    for move in moves:
        verb, _, rest = move.partition(" ")
        if (verb if verb in VERB_PHRASES else "roll") in verbs:
            parts_of[move] = _parse_parts(rest if verb in VERB_PHRASES else move)
    for numbers in (typed_parts.numbers, tuple(sorted("".join(typed_parts.numbers)))):  # 12, or the dice 1 and 2
        fits = [move for move, parts in parts_of.items() if _is_same(typed_parts._replace(numbers=numbers), parts)]
        if fits:
            return fits
    return []


def _verbs(words: list[str]) -> tuple[set[str], list[str]]:
    """The verbs that the first words may mean (all, if none fits), and the words after them."""
    heads = (tuple(words[:n]) for n in (2, 1) if any(tuple(words[:n]) in phrases for phrases in VERB_PHRASES.values()))
    head = next(heads, ())
    return {verb for verb, phrases in VERB_PHRASES.items() if not head or head in phrases}, words[len(head) :]


def _is_same(typed_parts: _Parts, parts: _Parts) -> bool:
    """True for the same numbers or boxes, and the same points where they are typed."""
    same = typed_parts.numbers == parts.numbers and typed_parts.boxes.keys() == parts.boxes.keys()
    fits = all(points in ("", parts.boxes.get(box)) for box, points in typed_parts.boxes.items())
    return same and fits and typed_parts.points in ("", parts.points) and bool(typed_parts.numbers or typed_parts.boxes)


def _parse_parts(text: str) -> _Parts:
    points_match = POINTS_SUFFIX.search(text)
    text = text[: points_match.start()] if points_match else text
    points = points_match[1].replace(",", "") if points_match else ""
    words = [word for word in words_of(text) if word not in FILLER_WORDS]
    if all(map(str.isdigit, words)):
        return _Parts(tuple(sorted(words)), {}, points)
    boxes = {}
    for part in SEPARATOR.split(text):
        words = words_of(part)
        score = words.pop() if words[1:] and words[-1].isdigit() else ""
        boxes["".join(words)] = score
    return _Parts((), boxes, points)
