"""Moves as people say them: ``5 3`` for ``shut 3 5``, ``bank`` for ``stop``, ``chance`` for ``score chance``.

Whatever reads a move reads it here: questions, play, reviews, quizzes and the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from rollwise.solver.model.names import COUNTED, folded, matched, words_of
from rollwise.solver.model.plain import quoted

ALIKE = (  # of each line one move at most stands in a question
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
GROUPS = tuple(frozenset(map(folded, line.split(","))) for line in ALIKE)
ALL = frozenset(map(folded, ("all", "keep all", "take all", "keep everything", "take everything", "keep them all")))
VERBS = {  # of moves, and what people say for them
    "keep": "keep, take, hold, save, set aside",
    "shut": "shut, close, flip, cover, put down, turn down, cross off",
    "place": "place, put, put on, place on, cover",
    "cross": "cross, cross off, cross out, strike, strike off, strike out, tick, tick off",
    "call": "call, i call, say, i say, bid, announce",
    "score": "score, write, enter, fill, fill in, take, use, put in, cross out, strike, strike out, scratch",
    "roll": "roll, throw, toss",
}
SAID = {verb: {tuple(said.split()) for said in line.split(", ")} for verb, line in VERBS.items()}
NAMED = 4  # moves that a question among several names
BESIDE = {"and", "the", "my", "die", "dice", "box", "boxes"}  # which say no more
FOR = re.compile(r"(?<=\S)\s*\bfor\s+(\d[\d,]*)(?:\s*points?)?$")
AND = re.compile(r"\s*(?:\+|,|&|\band\b)\s*")


class Meaning(NamedTuple):
    """What words may mean: the moves that ``fits``, those for most points first, of which ``n_best`` are alike."""

    said: str
    fits: tuple[str, ...] = ()
    n_best: int = 0

    @property
    def move(self) -> str | None:
        """The move that is meant; None where it is none, or nobody can tell which."""
        return self.fits[0] if self.n_best == 1 else None

    @property
    def note(self) -> str:
        """What is to be told where others would fit too."""
        return f"{quoted(self.said)} is taken as {self.fits[0]}" if self.n_best == 1 < len(self.fits) else ""

    @property
    def doubt(self) -> str:
        """What is to be asked where nobody can tell."""
        more = f" or {self.n_best - NAMED} others" if self.n_best > NAMED + 1 else ""
        some = self.fits[: NAMED if more else self.n_best]
        return f"{quoted(self.said)} may be {' or '.join(some)}{more}" if self.n_best > 1 else ""


class _Parts(NamedTuple):
    """What follows a verb: numbers, or boxes with what is put into each, and points, where they are said."""

    numbers: tuple[str, ...]
    boxes: dict[str, str]
    points: str


def numbered(moves: Sequence[str]) -> dict[str, str]:
    """Moves by the number that they are listed with: in their order, or as they are named, where one number differs.

    >>> numbered(["hold", "roll"]), numbered(["call 4", "call 5"])
    ({'1': 'hold', '2': 'roll'}, {'4': 'call 4', '5': 'call 5'})
    """
    parted = [move.rpartition(" ") for move in moves]
    is_named = all(verb == parted[0][0] and " " not in verb and last.isdigit() for verb, _, last in parted)
    numbers = [last for *_, last in parted] if is_named else map(str, range(1, len(moves) + 1))
    return dict(zip(numbers, moves, strict=True))


def meaning(said: object, moves: Iterable[str], *, listed: bool = False) -> Meaning:
    """All that may be meant; nothing by what is no text. ``listed``: a number is first that of a move in a list.

    Dice may stand in any order, and numbers and boxes without a verb. Where the same can be counted in several ways and
    none is said, the one for most points is meant.

    >>> moves = ["keep 3 3 3 for 300", "keep 1 3 3 3 for 400", "roll", "stop"]
    >>> [meaning(said, moves).move for said in ("keep 3,3,3", "take 3 3 1 3", "333", "hold", "keep 5")]
    ['keep 3 3 3 for 300', 'keep 1 3 3 3 for 400', 'keep 3 3 3 for 300', 'stop', None]
    """
    known, told = list(moves), " ".join(said.split()) if isinstance(said, str) else ""
    name, words = (listed and numbered(known).get(told)) or matched(told, known), told.rstrip("!?.")
    several = [] if name else all_dice(words, known) or _numbers_and_boxes(words.casefold(), known)
    if several:
        return Meaning(told, tuple(several), len(several))
    fits = [name] if name else _alike(folded(words), known) or _in_parts(words.casefold(), known)
    worth = {move: sum(map(int, re.findall(r"\d+", move))) for move in fits}  # they differ in nothing else
    best = [move for move in fits if worth[move] == max(worth.values())]
    return Meaning(told, (*best, *(move for move in fits if move not in best)), len(best))


def all_dice(said: str, known: Sequence[str]) -> list[str]:
    """All moves that score, where all the dice that lie there are kept and any fewer would be thrown again."""
    keeps = [Counter(_parts(move.removeprefix("keep ")).numbers) for move in known if move.startswith("keep ")]
    most: Counter[str] = reduce(or_, keeps, Counter())
    most += Counter(list(most)[:1]) if len(most) == 1 else Counter()  # of dice that are alike one less is kept at most
    is_all = folded(said) in ALL or _parts(said.casefold().removeprefix("keep")).numbers == tuple(
        sorted(most.elements())
    )
    return [move for move in known if move.startswith("score ")] if most and is_all else []


def _numbers_and_boxes(said: str, known: Sequence[str]) -> list[str]:
    """Moves that a number in letters may be, of dice or as the beginning of a box: ``four`` of ``four of a kind``."""
    *_, number = said.split() or [""]
    verbs = _verbs(said.split())[0]
    boxes = [move for move in known if (parted := move.partition(" "))[0] in verbs and parted[2].startswith(number)]
    fits = [*_in_parts(said, known), *boxes] if number in COUNTED and boxes else []
    return fits if fits[1:] else []


def _alike(said: str, known: Sequence[str]) -> list[str]:
    """Moves that are said in other words, whole."""
    for group in GROUPS:
        if said in group and (found := [move for move in known if folded(move) in group]):
            return found
    if said in GROUPS[0] and set(known) == {"pass", "roll"}:
        return ["pass"]
    if said not in ALL or not any(move.startswith("keep ") for move in known):
        return []
    if "stop" in known:  # which keeps all that lies there
        return ["stop"]
    dice = {move: Counter(_parts(move.removeprefix("keep ")).numbers) for move in known}
    counted = all(re.fullmatch(r"keep .* for \d+", move) for move in known)
    return [move for move in known if counted and all(other <= dice[move] for other in dice.values())]


def _in_parts(said: str, known: Sequence[str]) -> list[str]:
    """Moves of these numbers or boxes, after this verb or any."""
    verbs, words = _verbs(said.split())
    wanted = _parts(" ".join(words))
    found = {}
    for move in known:
        verb, _, rest = move.partition(" ")
        if (verb if verb in SAID else "roll") in verbs:
            found[move] = _parts(rest if verb in SAID else move)
    for numbers in (wanted.numbers, tuple(sorted("".join(wanted.numbers)))):  # 12, or the dice 1 and 2
        fits = [move for move, parts in found.items() if _is(wanted._replace(numbers=numbers), parts)]
        if fits:
            return fits
    return []


def _verbs(words: list[str]) -> tuple[set[str], list[str]]:
    """The verbs that the first words may be, all where they are none, and the words behind them."""
    heads = (tuple(words[:n]) for n in (2, 1) if any(tuple(words[:n]) in heard for heard in SAID.values()))
    head = next(heads, ())
    return {verb for verb, heard in SAID.items() if not head or head in heard}, words[len(head) :]


def _is(wanted: _Parts, parts: _Parts) -> bool:
    """The same numbers or boxes, and the same points where they are said?"""
    same = wanted.numbers == parts.numbers and wanted.boxes.keys() == parts.boxes.keys()
    held = all(points in ("", parts.boxes.get(box)) for box, points in wanted.boxes.items())
    return same and held and wanted.points in ("", parts.points) and bool(wanted.numbers or wanted.boxes)


def _parts(text: str) -> _Parts:
    told = FOR.search(text)
    text = text[: told.start()] if told else text
    points = told[1].replace(",", "") if told else ""
    words = [word for word in words_of(text) if word not in BESIDE]
    if all(map(str.isdigit, words)):
        return _Parts(tuple(sorted(words)), {}, points)
    boxes = {}
    for part in AND.split(text):
        words = words_of(part)
        held = words.pop() if words[1:] and words[-1].isdigit() else ""
        boxes["".join(words)] = held
    return _Parts((), boxes, points)
