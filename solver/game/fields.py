"""Fields of a question: what they may hold, and how text from outside becomes it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rollwise.solver.game.errors import DiceError, StateError

FAR = 10**9  # the highest value of a number that has no limit, such as the points of a turn that may always go on
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")  # plain digits, no other script's, no signs or underscores


@dataclass(frozen=True)
class Field:
    """One field of a question. ``parse`` accepts text or plain data and returns the checked value."""

    name: str
    help: str

    def parse(self, given: Any) -> Any:
        """The value, checked on its own; raises StateError or DiceError in one line."""
        raise NotImplementedError

    def show(self, value: Any) -> str:
        """The value as a user would type it."""
        return str(value)


def _whole(name: str, given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int | str):
        raise StateError(f"{name} is a whole number, got {given!r}")
    if isinstance(given, str) and not WHOLE.fullmatch(given):
        raise StateError(f"{name} is a whole number, got '{given}'")
    return int(given)


def _check(name: str, value: int, low: int, high: int, step: int) -> int:
    if not low <= value <= high:
        raise StateError(f"{name} is from {low} to {high}, got {value}")
    if (value - low) % step:
        raise StateError(f"{name} is a multiple of {step}, got {value}")
    return value


def _parts(name: str, given: Any) -> list[Any]:
    if isinstance(given, str):
        return [part.strip() for part in given.split(",")] if given.strip() else []
    if isinstance(given, int) and not isinstance(given, bool):
        return [given]
    if isinstance(given, Sequence):
        return list(given)
    raise StateError(f"{name} is a list like 1,2,3, got {given!r}")


@dataclass(frozen=True)
class YesNo(Field):
    """A field that is true or false."""

    def parse(self, given: Any) -> bool:
        """True or False."""
        words = {"true": True, "false": False, "yes": True, "no": False}
        if isinstance(given, bool):
            return given
        if str(given).lower() not in words:
            raise StateError(f"{self.name} is true or false, got {given!r}")
        return words[str(given).lower()]

    def show(self, value: Any) -> str:
        """As typed: true."""
        return str(value).lower()


@dataclass(frozen=True)
class Number(Field):
    """A whole number from ``low`` to ``high``, in steps of ``step`` from ``low``."""

    low: int
    high: int
    step: int = 1

    def parse(self, given: Any) -> int:
        """The number."""
        return _check(self.name, _whole(self.name, given), self.low, self.high, self.step)


@dataclass(frozen=True)
class Numbers(Field):
    """A list of ``count`` whole numbers (any count, each once, where ``count`` is None); ``-`` or ``none`` is empty.

    In a list by seat of which some may be ``out``, these are ``-``, which is None in what ``parse`` returns.
    """

    low: int
    high: int
    count: int | None = None
    step: int = 1
    out: bool = False

    def parse(self, given: Any) -> tuple[Any, ...]:
        """The numbers, in the order given."""
        if given in ("-", "none", None):
            given = ()
        values = tuple(
            None
            if self.out and part in ("-", None)
            else _check(self.name, _whole(self.name, part), self.low, self.high, self.step)
            for part in _parts(self.name, given)
        )
        if self.count is not None and len(values) != self.count:
            raise StateError(f"{self.name} is a list of {self.count} numbers, got {len(values)}")
        if self.count is None and len(set(values)) < len(values):
            twice = next(v for v in values if values.count(v) > 1)
            raise StateError(f"{self.name} names {twice} twice")
        return values

    def show(self, value: Any) -> str:
        """As typed: 1,2,3."""
        return ",".join("-" if number is None else str(number) for number in value) if value else "none"


@dataclass(frozen=True)
class Faces(Field):
    """The dice of a roll: from ``fewest`` to ``most`` faces 1-6, kept ascending."""

    fewest: int
    most: int

    def parse(self, given: Any) -> tuple[int, ...]:
        """The faces, ascending."""
        parts = _parts(self.name, given)
        wanted = f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        shown = ",".join(map(str, parts))
        if not all(isinstance(part, int) or (isinstance(part, str) and WHOLE.fullmatch(part)) for part in parts):
            raise DiceError(f"{self.name} needs {wanted} faces in 1..6, got {shown}")
        faces = tuple(sorted(int(part) for part in parts))
        if not self.fewest <= len(faces) <= self.most or any(not 1 <= face <= 6 for face in faces):
            raise DiceError(f"{self.name} needs {wanted} faces in 1..6, got {shown}")
        return faces

    def show(self, value: Any) -> str:
        """As typed: 1,5,5."""
        return ",".join(map(str, value))


@dataclass(frozen=True)
class Scores(Field):
    """A map from box names to the scores they can hold, typed as ``sixes:18,chance:23``."""

    allowed: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def parse(self, given: Any) -> dict[str, int]:
        """Scores by box name."""
        pairs: list[tuple[str, Any]] = []
        if given in ("-", "none", None):
            return {}
        if isinstance(given, Mapping):
            pairs = list(given.items())
        else:
            for part in _parts(self.name, given):
                box, colon, score = str(part).partition(":")
                if not colon:
                    raise StateError(f"{self.name} is a list like box:score,..., got '{part}'")
                pairs.append((box.strip().replace("_", " "), score))
        scores: dict[str, int] = {}
        for box, score in pairs:
            if box not in self.allowed:
                raise StateError(f"{self.name} has no box '{box}'; boxes: {', '.join(self.allowed)}")
            if box in scores:
                raise StateError(f"{self.name} names '{box}' twice")
            value = _whole(f"{self.name} {box}", score)
            if value not in self.allowed[box]:
                raise StateError(f"box '{box}' can hold {listed(self.allowed[box])}, got {value}")
            scores[box] = value
        return scores

    def show(self, value: Any) -> str:
        """As typed: sixes:18,chance:23."""
        return ",".join(f"{box}:{score}" for box, score in value.items()) if value else "none"


def listed(values: Sequence[int]) -> str:
    """Whole numbers as a short text: runs of three or more as ``a to b``.

    >>> listed([0, 5, 6, 7, 8])
    '0, 5 to 8'
    """
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)
