"""Moves as people write them at a table: dice in any order, without points that go without saying."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rollwise.solver.game.names import folded, matched

SET = re.compile(r"(keep|shut)\s*((?:\d[\s,.-]*)*)(?:for\s*(\d+)(?:\s*points)?)?", re.IGNORECASE)
ALIKE = ({"hold", "stop", "bank", "stand"}, {"roll", "throw", "roll again", "throw again"})
VERBS = ("score", "keep", "call")


def meant(said: str, moves: Iterable[str]) -> str | None:
    """The move that is meant; None where it is none.

    Dice that are kept, and boxes that are shut, may stand in any order. Where the same dice can be counted in several
    ways and none is said, the one for most points is meant.

    >>> moves = ["keep 3 3 3 for 300", "keep 1 3 3 3 for 400", "roll", "stop"]
    >>> meant("keep 3,3,3", moves), meant("Keep 3 3 1 3", moves), meant("hold", moves), meant("keep 5", moves)
    ('keep 3 3 3 for 300', 'keep 1 3 3 3 for 400', 'stop', None)
    """
    known, told = list(moves), " ".join(said.split())
    found = matched(told, known) or _of_a_set(told, known)
    if found:
        return found
    for words in ALIKE:
        if told.casefold() in words:
            alike = [move for move in known if move in words]
            return alike[0] if len(alike) == 1 else None
    return next((move for verb in VERBS if (move := matched(f"{verb} {told}", known))), None)


def _of_a_set(said: str, known: list[str]) -> str | None:
    wanted = _as_set(said)
    if wanted is None:
        return None
    alike = [(part[2], move) for move in known if (part := _as_set(move)) and part[:2] == wanted[:2]]
    alike = [(points, move) for points, move in alike if wanted[2] in (None, points)]
    return max(alike, key=lambda each: each[0] or 0)[1] if alike else None


def _as_set(move: str) -> tuple[str, tuple[str, ...], int | None] | None:
    """Verb, dice ascending, and points where they are said; None of a move that names no dice."""
    found = SET.fullmatch(move)
    if found is None or not found[2]:
        return None
    dice = tuple(sorted(re.findall(r"\d", found[2])))
    return folded(found[1]), dice, int(found[3]) if found[3] else None
