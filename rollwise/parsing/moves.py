"""The move after ``--next`` and ``--why`` on a command line: of several words, or none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

NEXT, WHY = "--next", "--why"


def moves_joined(words: Sequence[str]) -> list[str]:
    """The words of the command line, those of a move as one; an option without a move after it has an empty one.

    The words of a move are told from a game where the game stands before them.

    >>> moves_joined(["ask", "yahtzee", "--next", "keep", "3", "3", "rolls_left=1"])
    ['ask', 'yahtzee', '--next', 'keep 3 3', 'rolls_left=1']
    >>> moves_joined(["ask", "pig", "--why", "turn=4"]), moves_joined(["ask", "pig", "--next"])
    (['ask', 'pig', '--why=', 'turn=4'], ['ask', 'pig', '--next='])
    >>> moves_joined(["ask", "--next", "roll", "pig"]), moves_joined(["ask", "--why", "pig"])
    (['ask', '--next', 'roll', 'pig'], ['ask', '--why=', 'pig'])
    """
    joined = list(words)
    for option in [option for option in (NEXT, WHY) if option in words]:
        at = joined.index(option)
        before, after = joined[:at], joined[at + 1 :]
        move = list(takewhile(is_bare, after)) if sum(map(is_bare, before)) > 1 else []
        if move:
            joined = [*before, option, " ".join(move), *after[len(move) :]]
        elif option == WHY or not any(map(is_bare, after[:1])):
            joined = [*before, f"{option}=", *after]
    return joined


def is_bare(word: str) -> bool:
    """Is this neither an option nor a field?"""
    return bool(word) and not word.startswith("-") and "=" not in word
