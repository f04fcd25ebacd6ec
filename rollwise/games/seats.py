"""Seats that keep their place though they hold nothing: the dice go round among those that hold something."""

from __future__ import annotations

import numpy as np

from rollwise.solver.model.spaces import Ints


def next_holder(held: Ints) -> tuple[Ints, Ints]:
    """Pass the dice to the next seat on the left that holds something; it may be the mover's own.

    ``held``: shape (seats, n), what each seat holds, the mover's first; somebody holds something. Returns the same seen
    from whoever moves next, and how many seats to the left that is, 0 to seats - 1, shape (n,).

    >>> seen, left = next_holder(np.array([[2, 2], [0, 0], [1, 0]]))
    >>> seen.T.tolist(), left.tolist()
    ([[1, 2, 0], [2, 0, 0]], [2, 0])
    """
    left = np.zeros_like(held[0])
    for place in reversed(range(1, len(held))):
        left = np.where(held[place] != 0, place, left)
    seen, turned = held, 1
    while turned < len(held):  # a board is turned by as many seats as the bits of ``left`` say
        seen = np.where(left & turned != 0, np.roll(seen, -turned, axis=0), seen)
        turned *= 2
    return seen, left


def seen_from(rows: Ints, left: Ints | int) -> Ints:
    """Lists by seat, shape (seats, n), as seen from so many seats further to the left.

    >>> seen_from(np.array([[5, 5], [6, 6], [7, 7]]), np.array([1, 2])).T.tolist()
    [[6, 7, 5], [7, 5, 6]]
    """
    places = np.arange(len(rows))[:, None] + (left + np.zeros_like(rows[0]))
    return np.take_along_axis(rows, places % len(rows), axis=0)


def first_holder(held: Ints, start: Ints | int) -> Ints:
    """The first place from ``start`` on to the left, ``start`` included, that holds something, shape (n,).

    >>> first_holder(np.array([[1, 1], [0, 0], [1, 0]]), np.array([1, 1])).tolist()
    [2, 0]
    """
    found: Ints = (start + np.argmax(seen_from(held, start) > 0, axis=0)) % len(held)
    return found
