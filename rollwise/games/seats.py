"""Seats that stay in the circle with nothing left: the dice go round among those that hold something."""

from __future__ import annotations

import numpy as np

from rollwise.solver.model.spaces import Ints


def next_holder(holdings: Ints) -> tuple[Ints, Ints]:
    """Pass the dice to the next seat on the left that holds something; it may be the mover's own.

    ``holdings``: int64, shape (seats, n), the mover's first, not all 0. Returns the same in the next mover's order, and
    the number of seats to the left of that mover, 0 to seats - 1, shape (n,).

    >>> turned, steps = next_holder(np.array([[2, 2], [0, 0], [1, 0]]))
    >>> turned.T.tolist(), steps.tolist()
    ([[1, 2, 0], [2, 0, 0]], [2, 0])
    """
    steps = np.zeros_like(holdings[0])
    for place in reversed(range(1, len(holdings))):
        steps = np.where(holdings[place] != 0, place, steps)
    turned, bit = holdings, 1
    while bit < len(holdings):  # a board is turned by as many seats as the bits of ``steps`` say
        turned = np.where(steps & bit != 0, np.roll(turned, -bit, axis=0), turned)
        bit *= 2
    return turned, steps


def seen_from(rows: Ints, steps: Ints | int) -> Ints:
    """Rows by seat, shape (seats, n), in the order that begins ``steps`` seats further to the left.

    >>> seen_from(np.array([[5, 5], [6, 6], [7, 7]]), np.array([1, 2])).T.tolist()
    [[6, 7, 5], [7, 5, 6]]
    """
    places = np.arange(len(rows))[:, None] + (steps + np.zeros_like(rows[0]))
    return np.take_along_axis(rows, places % len(rows), axis=0)


def first_holder(holdings: Ints, start: Ints | int) -> Ints:
    """The first place from ``start`` on to the left, ``start`` included, that holds something, shape (n,).

    >>> first_holder(np.array([[1, 1], [0, 0], [1, 0]]), np.array([1, 1])).tolist()
    [2, 0]
    """
    places: Ints = (start + np.argmax(seen_from(holdings, start) > 0, axis=0)) % len(holdings)
    return places
