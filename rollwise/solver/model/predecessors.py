"""Reachability of a board by search over its predecessors, which soon ends for an unreachable one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Board = TypeVar("Board")

MAX_BOARDS_VISITED = 32  # a millisecond or two


def is_reached_from(start: Board, board: Board, predecessors: Callable[[Board], Iterable[Board]]) -> bool | None:
    """True where play from ``start`` reaches this board; ``predecessors`` are all boards one turn before a board.

    None where the search would visit more than MAX_BOARDS_VISITED boards.

    >>> halves_of = lambda number: [] if number % 2 else [number // 2]
    >>> is_reached_from(3, 48, halves_of), is_reached_from(3, 40, halves_of), is_reached_from(-1, 0, lambda n: [n + 1])
    (True, False, None)
    """
    visited, stack = {board}, [board]
    while stack:
        current = stack.pop()
        if current == start:
            return True
        new = [predecessor for predecessor in predecessors(current) if predecessor not in visited]
        visited.update(new)
        stack += new
        if len(visited) > MAX_BOARDS_VISITED:
            return None
    return False
