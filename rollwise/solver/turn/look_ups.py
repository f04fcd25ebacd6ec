"""Look-ups of transitions by the fields that ``transition`` reads for a result.

Where a game writes its next boards as changes (``board.but``), ``transition`` is called on columns with only the fields
read so far: reading another raises ``MissingField``, until the columns have all fields on which the result depends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.spaces import Boards, Column, Columns

Codes: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


class Block:
    """Boards whose transitions are computed together."""

    def __init__(self, space: Boards, boards: Ints, bits: int = 1) -> None:
        self.space, self.boards = space, boards
        self.own = (boards << bits).astype(np.int32)  # the codes of the boards themselves
        self._derived: dict[str, int | None] = {}
        self._entries: dict[tuple[str, ...], Ints] = {}

    @cached_property
    def columns(self) -> Columns:
        """The boards as columns."""
        return self.space.columns(self.boards)

    @cached_property
    def ranks(self) -> dict[str, Ints]:
        """The boards as ranks."""
        return self.space.ranks(self.boards)

    def derived(self, name: str, read: Callable[[Columns], Any]) -> int | None:
        """The number that all of these boards have in this derived column; None where they differ."""
        if name not in self._derived:
            column = np.asarray(read(self.columns))
            first = column.flat[0]
            self._derived[name] = first.item() if bool((column == first).all()) else None
        return self._derived[name]

    def entries(self, names: tuple[str, ...]) -> Ints:
        """The combination of these fields on each board, as ``RestrictedColumns`` numbers them."""
        if names not in self._entries:
            entry = self.ranks[names[0]] if names else np.zeros(len(self.boards), dtype=np.int64)
            for name in names[1:]:
                entry = entry * self.space.parts[name].size + self.ranks[name]
            self._entries[names] = entry
        return self._entries[names]


class MissingField(Exception):
    """``transition`` reads a field that the columns lack: its name, None for all of them."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self.name = name


class Changes(dict[str, Any]):
    """The fields of the next boards that change."""


class ProbeColumns(Columns):
    """The first board of a block, to probe whether ``transition`` returns changes or whole boards."""

    def __init__(self, block: Block) -> None:
        super().__init__(block.space.columns(block.boards[:1]).as_dict())

    def but(self, **changed: Column) -> Mapping[str, Column]:
        """The changes, and nothing else."""
        return Changes(changed)


class RestrictedColumns(Columns):
    """All combinations of some fields, the last fastest; reading any other raises ``MissingField``."""

    def __init__(self, space: Boards, names: list[str], block: Block) -> None:
        sizes = [space.place_of(name)[1] for name in names]
        self.count = int(np.prod(sizes, dtype=np.int64))
        self.block = block
        self.derived: dict[str, tuple[Callable[[Columns], Any], int]] = {}
        self.ranks: dict[str, Ints] = {}
        remaining = np.arange(self.count)
        for name, size in zip(reversed(names), reversed(sizes), strict=True):
            self.ranks[name] = remaining % size
            remaining = remaining // size
        super().__init__({name: space.parts[name].column(rank) for name, rank in self.ranks.items()})

    def __getattr__(self, name: str) -> Ints:
        if name in self._columns:
            return self._columns[name]
        if name in self.block.space.parts:
            raise MissingField(name)
        return super().__getattr__(name)

    def __len__(self) -> int:
        return self.count

    def as_dict(self) -> dict[str, Ints]:
        """Raises MissingField: a transition that reads every field cannot be tabulated."""
        raise MissingField

    def but(self, **changed: Column) -> Mapping[str, Column]:
        """The changes, and nothing else."""
        for name in changed:
            if name not in self.ranks:
                raise MissingField(name)
        return Changes(changed)

    def derive(self, name: str, read: Callable[[Columns], Any]) -> Any:
        """The number that all boards of the block have in this column."""
        number = self.block.derived(name, read)
        if number is None:
            raise MissingField
        self.derived[name] = read, number
        return number


@dataclass(frozen=True)
class LookUp:
    """The transition of a result by combination of the fields ``names``: ``codes``, relative to the board's own code
    where ``relative`` is 1; ``is_outside``: True for combinations from which it leads off the boards. It holds for
    boards that all have the ``derived`` numbers.
    """

    names: tuple[str, ...]
    derived: dict[str, tuple[Callable[[Columns], Any], int]]
    codes: Codes
    relative: Codes
    rewards: Floats | None
    is_outside: NDArray[np.bool_] | None

    def is_for(self, block: Block) -> bool:
        """True where all boards have the derived numbers of this look-up."""
        return all(block.derived(name, read) == number for name, (read, number) in self.derived.items())

    def fill(self, block: Block, codes: Codes) -> bool:
        """Fill in codes of these boards; False where one leads off the boards, which ``transition`` must report."""
        if len(self.codes) == 1:
            codes[:] = self.codes[0] + self.relative[0] * block.own
            return self.is_outside is None
        entries = block.entries(self.names)
        if self.is_outside is not None and self.is_outside[entries].any():
            return False
        np.take(self.relative, entries, out=codes, mode="clip")  # no entry is outside: clipping saves NumPy a copy
        codes *= block.own
        codes += np.take(self.codes, entries, mode="clip")
        return True

    def reward_of(self, block: Block) -> Floats | None:
        """Rewards of these boards; None where all are 0."""
        if self.rewards is None:
            return None
        rewards: Floats = np.take(self.rewards, block.entries(self.names), mode="clip")
        return rewards if rewards.any() else None


class JoinedLookUps(NamedTuple):
    """Look-ups joined; for each its start, whether it has rewards, and the number of its field names."""

    codes: Codes
    relative: Codes
    rewards: Floats
    starts: Ints
    has_rewards: NDArray[np.bool_]
    names: Ints


class LookUps:
    """The look-ups of all ends; ``flat.names`` are indices in ``names``."""

    def __init__(self, each: list[LookUp]) -> None:
        self.derived = {name: number for one in each for name, number in one.derived.items()}
        self.names = list(dict.fromkeys(one.names for one in each))
        sizes = [len(one.codes) for one in each]
        rewards = [np.zeros(n) if one.rewards is None else one.rewards for one, n in zip(each, sizes, strict=True)]
        self.flat = JoinedLookUps(
            np.concatenate([one.codes for one in each]),
            np.concatenate([one.relative for one in each]),
            np.concatenate(rewards),
            np.cumsum([0, *sizes[:-1]]),
            np.array([one.rewards is not None for one in each]),
            np.array([self.names.index(one.names) for one in each]),
        )

    def is_for(self, block: Block) -> bool:
        """True where all boards have the derived numbers of these look-ups."""
        return all(block.derived(name, read) == number for name, (read, number) in self.derived.items())

    def entries(self, block: Block) -> Codes:
        """For each of ``names`` the entry of each board, int32."""
        entries_of = np.empty((len(self.names), len(block.boards)), dtype=np.int32)
        for row, names in enumerate(self.names):
            entries_of[row] = block.entries(names)
        return entries_of
