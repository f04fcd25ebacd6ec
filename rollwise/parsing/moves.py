"""Moves after ``--next`` and ``--why`` on a command line, joined where they have several words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

NEXT_OPTION, WHY_OPTION = "--next", "--why"


def join_moves(words: Sequence[str]) -> list[str]:
    """The words of a command line with those of a move as one; an option without a move gets an empty one.

    Words after the option are a move only if the game stands before it.

    >>> join_moves(["ask", "yahtzee", "--next", "keep", "3", "3", "rolls_left=1"])
    ['ask', 'yahtzee', '--next', 'keep 3 3', 'rolls_left=1']
    >>> join_moves(["ask", "pig", "--why", "turn=4"]), join_moves(["ask", "pig", "--next"])
    (['ask', 'pig', '--why=', 'turn=4'], ['ask', 'pig', '--next='])
    >>> join_moves(["ask", "--next", "roll", "pig"]), join_moves(["ask", "--why", "pig"])
    (['ask', '--next', 'roll', 'pig'], ['ask', '--why=', 'pig'])
    """
    joined = list(words)
    for option in [option for option in (NEXT_OPTION, WHY_OPTION) if option in words]:
        at = joined.index(option)
        before, after = joined[:at], joined[at + 1 :]
        move = list(takewhile(is_bare, after)) if sum(map(is_bare, before)) > 1 else []
        if move:
            joined = [*before, option, " ".join(move), *after[len(move) :]]
        elif option == WHY_OPTION or not any(map(is_bare, after[:1])):
            joined = [*before, f"{option}=", *after]
    return joined


def is_bare(word: str) -> bool:
    """True for a word that is neither an option nor a field."""
    return bool(word) and not word.startswith("-") and "=" not in word
