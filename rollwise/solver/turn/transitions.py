"""Transitions of the ends of a turn, as arrays for backups, filled by ``solver.turn.transition_reader``.

Leaves of one result lead to one board, whatever their rewards in the turn: they share an *end*.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Transition, TurnGame
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.look_ups import (
    Codes,
    Floats,
    Ints,
)

_DEFAULTS = {"legal": True, "over": False, "won": False, "drawn": False, "reward": 0, "shares": None}


@dataclass(frozen=True)
class UsedFields:
    """Fields of ``Transition`` that a kind of game uses, beside ``next``: the others must stay at their defaults.

    ``by``: the name of the kind in an error. ``names``: of legal, over, won, drawn, reward and shares. ``seats``:
    number of seats among which the turn may pass (``mover`` is below that). ``n_shares``: number of rows of ``shares``.
    """

    by: str
    names: frozenset[str]
    seats: int = 1
    n_shares: int = 0

    @cached_property
    def _unused(self) -> list[tuple[str, Any]]:
        return [(name, default) for name, default in _DEFAULTS.items() if name not in self.names]

    def is_supported(self, effect: Transition) -> bool:
        """True where the fields that the kind does not use have their defaults, whatever the boards are."""
        return (
            isinstance(effect.per, int)
            and effect.per > 0
            and all(getattr(effect, name) is default for name, default in self._unused)
        )

    def require(self, game: TurnGame, effect: Transition, result: Any) -> None:
        """Raise ModelError where a game sets a field that its kind does not use."""
        for field, default in self._unused:
            value = getattr(effect, field)
            if value is default:
                continue
            if default is None or np.any(np.asarray(value) != default):
                allowed = ", ".join(each for each in _DEFAULTS if each in self.names)
                raise ModelError(
                    f"result {result} of {game} says {field}, which {self.by} does not use; "
                    f"it says next, mover, {allowed}"
                )
        if not isinstance(effect.per, int) or effect.per < 1:
            raise ModelError(f"result {result} of {game} counts in parts of 1/{effect.per}")


SCALAR = UsedFields("a game of one value a board", frozenset(("legal", "over", "won", "drawn", "reward")), seats=2)


@dataclass(frozen=True)
class Ends:
    """Ends that some leaves of a turn share.

    ``of_leaf``: the end of each leaf; ``own``: the reward of each leaf in the turn itself (0 past a proven cut);
    ``first``: one leaf of the graph for each end.
    """

    of_leaf: Ints
    own: Floats
    first: Ints


def ends_of(graph: TurnGraph, leaves: Ints) -> Ends:
    """The ends of these leaves, in the order in which they first appear."""
    row: dict[int, int] = {}
    of_leaf: list[int] = []
    first: list[int] = []
    for leaf_id in leaves.tolist():
        result = graph.leaves[leaf_id].result
        name = -2 - leaf_id if result == NO_RESULT else result
        if name not in row:
            row[name] = len(first)
            first.append(leaf_id)
        of_leaf.append(row[name])
    leaves_used = [graph.leaves[leaf_id] for leaf_id in leaves.tolist()]
    own = np.array([0.0 if leaf.result == NO_RESULT else float(leaf.lower) for leaf in leaves_used])
    return Ends(np.array(of_leaf, dtype=np.int64), own, np.array(first, dtype=np.int64))


@dataclass(frozen=True)
class Transitions:
    """Transitions and rewards of the ends of a turn on some boards.

    ``ends``: int32, shape (ends, boards), see ``solver.turn.perspective``; ``extra``: float64, shape (some ends,
    boards), rewards of the board; ``extra_of``: the row of ``extra`` of each end, -1 for those without rewards.
    ``of_leaf`` and ``own`` are as in ``Ends``.
    """

    ends: Codes
    extra: Floats
    extra_of: Ints
    of_leaf: Ints
    own: Floats

    @classmethod
    def of_leaves(cls, codes: Codes, rewards: Floats) -> Transitions:
        """Transitions with every leaf an end of its own, with these rewards (or no rows)."""
        places = np.arange(len(codes))
        return cls(codes, rewards, places if len(rewards) else places * 0 - 1, places, np.zeros(len(codes)))

    @property
    def codes(self) -> Codes:
        """Leaf by leaf, int32, shape (leaves, boards)."""
        return self.ends[self.of_leaf]

    @property
    def rewards(self) -> Floats:
        """Total rewards of leaves, float64, shape (leaves, boards); no rows where all are 0."""
        if not len(self.extra) and not self.own.any():
            return np.zeros((0, self.ends.shape[1]))
        rewards: Floats = np.repeat(self.own[:, None], self.ends.shape[1], axis=1)
        row = self.extra_of[self.of_leaf]
        rewards[row >= 0] += self.extra[row[row >= 0]]
        return rewards

    def of(self, columns: slice | NDArray[Any]) -> Transitions:
        """The same for some of the boards."""
        ends, extra = np.ascontiguousarray(self.ends[:, columns]), np.ascontiguousarray(self.extra[:, columns])
        return Transitions(ends, extra, self.extra_of, self.of_leaf, self.own)


class TransitionBuffer:
    """Buffer for transitions of one block after the other: fresh pages would take a tenth of a long solve."""

    def __init__(self) -> None:
        self.codes: Codes = np.empty(0, dtype=np.int32)
        self.extra: Floats = np.empty(0)

    def of(self, ends: int, boards: int) -> tuple[Codes, Floats]:
        """(codes, extra), both of shape (ends, boards); rows that are never written take no memory."""
        size = ends * boards
        if len(self.codes) < size:
            self.codes, self.extra = np.empty(size, dtype=np.int32), np.empty(size)
        return self.codes[:size].reshape(ends, boards), self.extra[:size].reshape(ends, boards)
