"""Play followed backwards: from a board that no play comes to, that soon leads nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Where = TypeVar("Where")

MOST = 32  # boards that are looked at: a millisecond or two


def comes_from(start: Where, board: Where, before: Callable[[Where], Iterable[Where]]) -> bool | None:
    """Does play from ``start`` come to this board? ``before``: all boards that one turn can have led to a board from.

    None where more than MOST boards would have to be looked at.

    >>> halves_of = lambda number: [] if number % 2 else [number // 2]
    >>> comes_from(3, 48, halves_of), comes_from(3, 40, halves_of), comes_from(-1, 0, lambda number: [number + 1])
    (True, False, None)
    """
    seen, ahead = {board}, [board]
    while ahead:
        at = ahead.pop()
        if at == start:
            return True
        new = [one for one in before(at) if one not in seen]
        seen.update(new)
        ahead += new
        if len(seen) > MOST:
            return None
    return False
