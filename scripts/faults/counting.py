"""What came of the faults of one sort: counted, told in a line, and with the first of each sort to be made again."""

from __future__ import annotations

from dataclasses import dataclass, field

WRONG, LOST, TRACEBACKS, HANGS, LEFT = SORTS = ("wrong", "lost", "tracebacks", "hangs", "left")
MOST_TOLD = 12
LONGEST = 400  # characters of what is told of one


@dataclass
class Counts:
    """How many faults were made, and how many of them did harm, by sort; ``told`` says how.

    ``wrong``: an answer that is not the right one. ``lost``: what was good before and is gone, or was written over.
    ``tracebacks``: an error that is no error of ours in a line. ``hangs``: no end in time. ``left``: what lies about
    after the next write.
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

    @property
    def harm(self) -> int:
        """How many did harm."""
        return sum(getattr(self, sort) for sort in SORTS)

    def line(self) -> str:
        """All of it in a line."""
        return f"{self.name:12} tried {self.tried:6,}  " + "  ".join(f"{sort} {getattr(self, sort)}" for sort in SORTS)

    def show(self, *, every: bool = False) -> None:
        """Print the line, and the first that did harm."""
        print(f"{self.line()}  {self.seconds:.0f} s", flush=True)
        shown = self.told if every else self.told[:MOST_TOLD]
        print("".join(f"    {what}\n" for what in shown), end="", flush=True)
