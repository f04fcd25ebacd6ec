"""All possible places of the chips in a game of Busted: the players' hands, and the spaces of the board.

A space holds its number of chips or none, and space 7 whole sevens, while no player has run out of chips. The chips of
a player who runs out are too few for their space: it is filled *in part*, or space 7 holds some more beside its sevens.
That lasts until the space is emptied, and with the next player who runs out the game is over, as long as no more than
three play: so at most one space is filled in part, or space 7 has more, never both.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.spaces import Column, Ints, Part, Split

SPACES = range(3, 12)
JAIL = 7  # the space that only fills
SMALL = tuple(space for space in SPACES if space != JAIL)  # spaces that are full, empty or filled in part
ROW = {space: row for row, space in enumerate(SPACES)}
NOBODY = 0  # instead of the place that is out: the mover, in place 0, never is
SOLVED_PLAYERS = 3  # at most

# The part that is filled, as a number: 0 none, 1 to 6 so many chips beside the sevens, then chips on another space.
PARTS = [(0, 0), *((JAIL, more) for more in range(1, JAIL)), *((s, few) for s in SMALL for few in range(1, s))]
NOTHING = 0
_NUMBER = {part: number for number, part in enumerate(PARTS)}
_FIRST = {space: _NUMBER[space, 1] for space in SMALL}
SEVERAL = -1  # no number: more than one space is filled in part


def filled_in_part(lies: Sequence[Column] | Ints) -> Ints:
    """The number of the part that is filled, of boards given as rows by space; SEVERAL for more than one.

    >>> rows = np.array([[0, 3, 2], [4, 4, 3], [0, 0, 0], [6, 0, 0], [7, 15, 0], *np.zeros((4, 3), dtype=int)])
    >>> filled_in_part(rows).tolist(), PARTS[1]
    ([0, 1, -1], (7, 1))
    """
    sevens = np.asarray(lies[ROW[JAIL]]) % JAIL
    parts = np.asarray(sevens, dtype=np.int64)
    for space in SMALL:
        few = np.asarray(lies[ROW[space]])
        partly = (few != 0) & (few != space)
        if partly.any():
            alone = (parts == NOTHING) & (few > 0) & (few < space)
            parts = np.where(partly, np.where(alone, _FIRST[space] + few - 1, SEVERAL), parts)
    return parts


def can_have_taken(chips: Sequence[Column] | Ints, players: int) -> NDArray[np.bool_]:
    """True where the mover can just have taken chips from a space; ``chips``: rows as ``AllChips`` has them.

    >>> in_hand = np.array([[4, 3, 5], [2, 3, 1]])
    >>> can_have_taken([*in_hand, *np.array([[0, 0, 3], *[[0, 0, 0]] * 8])], 2).tolist()
    [True, False, True]
    """
    mine, lies = np.asarray(chips[0]), chips[players:]
    out = np.logical_or.reduce([np.asarray(chips_in_hand) == 0 for chips_in_hand in chips[:players]])
    filled_in_part_before = out & (filled_in_part(lies) == NOTHING)
    possible = np.zeros(np.shape(mine), dtype=bool)
    for space in SMALL:
        possible |= (np.asarray(lies[ROW[space]]) == 0) & (mine > np.where(filled_in_part_before, 1, space))
    return possible


def on_the_board(total: int, one_is_out: bool) -> tuple[Ints, Ints]:
    """All possible chips on the board of so many chips in all: numbers, and rows by space.

    The number is (the part that is filled, filled spaces, a bit each, sevens on space 7), the last index fastest.
    """
    shape = len(PARTS) if one_is_out else 1, 1 << len(SMALL), total // JAIL + 1
    part, mask, sevens = (index.ravel() for index in np.indices(shape))
    space, few = np.array(PARTS).T[:, part]
    lies = np.zeros((len(SPACES), len(part)), dtype=np.int64)
    lies[ROW[JAIL]] = JAIL * sevens + np.where(space == JAIL, few, 0)
    there = (space == 0) | (space == JAIL)
    for bit, small in enumerate(SMALL):
        filled = mask >> bit & 1
        lies[ROW[small]] = filled * np.where(space == small, few, small)
        there |= (space == small) & (filled == 1)
    there &= lies.sum(axis=0) <= total
    return np.flatnonzero(there), lies[:, there]


def count_boards(players: int, total: int) -> int:
    """The number of boards with at most one player out.

    >>> count_boards(3, 75) == AllChips(3, 75).size
    True
    """
    n_boards = 0
    for out in (False, True):
        standing = players - out
        if standing > 1:
            number, times = np.unique(on_the_board(total, out)[1].sum(axis=0), return_counts=True)
            splits = [comb(total - chips - 1, standing - 1) for chips in number.tolist() if chips < total]
            ways = sum(many * each for many, each in zip(times.tolist(), splits, strict=False))
            n_boards += ways * (players - 1 if out else 1)
    return n_boards


class AllChips(Part):
    """Lists of chips with the sum ``total``: by place, the mover's first, then on the spaces from 3 to 11.

    The mover is in, and at least one other; of three players one may be out, with no chips. Lists with the same player
    out and the same chips on the board stand together.

    >>> chips = AllChips(2, 5)
    >>> chips.size, chips.column(np.array([0, 3, 4])).T.tolist()
    (5, [[1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0], [4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0]])
    """

    def __init__(self, players: int, total: int) -> None:
        if not 2 <= players <= SOLVED_PLAYERS or total < players:
            raise ValueError(f"{total} chips of {players} players have no board")
        self.players = players
        self.total = total
        who = range(players if players == SOLVED_PLAYERS else 1)
        self.splits = {
            out: Split(1 + len(self.standing(out)), total, low=[0] + [1] * len(self.standing(out))) for out in who
        }
        self.number = np.full((players, len(PARTS), 1 << len(SMALL), total // JAIL + 1), -1)
        every = [self._groups(out) for out in who]
        self.out_of = np.concatenate([np.full(lies.shape[1], out) for out, (_, lies) in zip(who, every, strict=True)])
        self.lies = np.concatenate([lies for _, lies in every], axis=1)
        self.number.ravel()[np.concatenate([place for place, _ in every])] = np.arange(len(self.out_of))
        on_board = self.lies.sum(axis=0)
        self.begin, count = np.zeros((2, len(on_board)), dtype=np.int64)
        for out, split in self.splits.items():
            here = self.out_of == out
            self.begin[here], count[here] = self._run(split, on_board[here])
        self.offsets = np.concatenate([[0], np.cumsum(count)])
        self.size = int(self.offsets[-1])

    def standing(self, out: int) -> list[int]:
        """The places that are in."""
        return [place for place in range(self.players) if place != out or out == NOBODY]

    def _groups(self, out: int) -> tuple[Ints, Ints]:
        """The possible chips on the board with this place out: places in ``number`` (flat), and the rows by space."""
        number, lies = on_the_board(self.total, out != NOBODY)
        there = lies.sum(axis=0) + len(self.standing(out)) <= self.total
        return number[there] + out * self.number[0].size, lies[:, there]

    def _run(self, split: Split, on_board: Ints) -> tuple[Ints, Ints]:
        """The first split with so many chips on the board, and the number of splits."""
        ends = [
            split.rank([number, *[1] * (split.length - 2), self.total - number - (split.length - 2)], len(number))
            for number in (on_board, on_board + 1)
        ]
        return ends[0], np.where(ends[1] < 0, split.size, ends[1]) - ends[0]

    def column(self, ranks: Ints) -> Ints:
        """The lists, shape (players + spaces, n)."""
        group = np.searchsorted(self.offsets, ranks, side="right") - 1
        inside = self.begin[group] + ranks - self.offsets[group]
        lists = np.zeros((self.players + len(SPACES), len(ranks)), dtype=np.int64)
        lists[self.players :] = self.lies[:, group]
        who = self.out_of[group]
        for out, split in self.splits.items():
            for here in _places_where(who == out):
                for place, chips in zip(self.standing(out), split.column(inside[here])[1:], strict=True):
                    lists[place, here] = chips
        return lists

    def rank(self, column: Column, count: int) -> Ints:
        """The ranks of lists, given as rows."""
        rows = [np.broadcast_to(np.asarray(row, dtype=np.int64), count) for row in column]
        chips, lies = rows[: self.players], rows[self.players :]
        part, mask, outside = filled_in_part(lies), np.zeros(count, dtype=np.int64), np.zeros(count, dtype=bool)
        for bit, small in enumerate(SMALL):
            mask |= (lies[ROW[small]] > 0).astype(np.int64) << bit
        who = np.zeros(count, dtype=np.int64)
        for place in range(1, self.players):
            none = chips[place] == 0
            outside |= none & (who != NOBODY)
            who[none] = place
        on_board = sum(lies, start=np.zeros(count, dtype=np.int64))
        sevens = lies[ROW[JAIL]] // JAIL
        outside |= (part < 0) | (sevens < 0) | (sevens >= self.number.shape[-1])
        part, sevens = np.where(outside, NOTHING, part), np.where(outside, 0, sevens)
        group = self.number[who, part, mask, sevens]
        outside |= group < 0
        ranks: Ints = self.offsets[group] - self.begin[group]
        for out, split in self.splits.items():
            for here in _places_where(who == out):
                rows = [row[here] for row in (on_board, *(chips[place] for place in self.standing(out)))]
                inside = split.rank(rows, len(rows[0]))
                ranks[here] += inside
                outside[here] |= inside < 0
        ranks[outside] = -1
        return ranks


def _places_where(where: NDArray[np.bool_]) -> list[slice | Ints]:
    """The places where a column is True, in the cheapest form: none, a full slice, or indices."""
    if where.all():
        return [slice(None)]
    places = np.flatnonzero(where)
    return [places] if len(places) else []
