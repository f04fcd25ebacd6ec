"""What came of the faults of one sort: counted, told in a line, and the first of them in words, to be made again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WRONG, LOST, TRACEBACKS, HANGS, LEFT = SORTS = ("wrong", "lost", "tracebacks", "hangs", "left")
MOST_TOLD = 12
LONGEST = 400  # characters of what is told of one
LONGEST_LINE = 900  # of an error, with the path of a file in it


@dataclass
class Counts:
    """How many faults were made, and how many of them did harm.

    ``wrong``: an answer that is not the right one, or an error of no line. ``lost``: what was good is gone, or written
    over. ``left``: what lies about after the next write.
    """

    name: str
    tried: int = 0
    wrong: int = 0
    lost: int = 0
    tracebacks: int = 0
    hangs: int = 0
    left: int = 0
    seconds: float = 0.0
    told: list[str] = field(default_factory=list)

    def add(self, sort: str, what: str) -> None:
        """One that did harm of this sort."""
        setattr(self, sort, getattr(self, sort) + 1)
        self.told.append(f"{sort}: {' '.join(what.split())[:LONGEST]!r}")

    def take(self, other: Counts) -> None:
        """Add what a child has counted."""
        for sort in ("tried", *SORTS):
            setattr(self, sort, getattr(self, sort) + getattr(other, sort))
        self.told += other.told

    def judge(self, ended: Any, what: str, right: str | None = None) -> bool:
        """Look how a command ended: in time, without a traceback, and with the right answer, if one is wanted."""
        before = self.harm
        if ended.hung or ended.trace:
            self.add(HANGS if ended.hung else TRACEBACKS, f"{ended.trace}: {what}")
        elif right is not None and ended.out != right:
            self.add(WRONG, f"{difference(ended.out, right)} {ended.err}: {what}")
        elif not all(map(_is_plain, (ended.out + ended.err).splitlines())):
            self.add(WRONG, f"a terminal would obey {ended.out + ended.err!r}: {what}")
        elif right is None and ended.code and not ended.out:
            self.refuse(ended.err.partition("\nhint: ")[0].strip(), what)
        return self.harm == before

    def refuse(self, error: str, what: str) -> None:
        """Look whether an error is a line."""
        if not 0 < len(error) <= LONGEST_LINE or not _is_plain(error):
            self.add(WRONG, f"{error!r} is no line: {what}")

    @property
    def harm(self) -> int:
        """How many did harm."""
        return sum(getattr(self, sort) for sort in SORTS)

    def show(self, *, every: bool = False) -> None:
        """Print the line, and the first that did harm."""
        counted = "  ".join(f"{sort} {getattr(self, sort)}" for sort in SORTS)
        print(f"{self.name:12} tried {self.tried:6,}  {counted}  {self.seconds:.0f} s", flush=True)
        print("".join(f"    {what}\n" for what in self.told[: None if every else MOST_TOLD]), end="", flush=True)


def difference(told: str, right: str) -> str:
    """The first line in which two answers differ, and how both have it."""
    pairs = zip([*told.splitlines(), ""], [*right.splitlines(), ""], strict=False)
    return next((f"{one.strip()} for {other.strip()}" for one, other in pairs if one != other), "cut")


def _is_plain(line: str) -> bool:
    return not any(sign < " " or "\x7f" <= sign <= "\x9f" for sign in line)
