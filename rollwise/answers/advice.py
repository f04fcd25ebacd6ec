"""What every question is answered with: plain data that Python, the terminal and JSON all show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from rollwise.solver.kinds.kind import FollowUpValue
from rollwise.solver.model.jsonable import Jsonable, shown
from rollwise.solver.model.solution import AnyQuantity

HEAD = "game parameters state assumed? mover objective unit sense value?(label value lower upper exact)"
TAIL = "shares?(shares shares_lower shares_upper shares_exact) quantities? note? why_only?"
SOLUTION = f"{HEAD} {TAIL} *facts"  # of ``solve``, which has no moves


def picked(of: object, *names: str) -> dict[str, Any]:
    """What something has under these names, as JSON shows it."""
    return {name: getattr(of, name) for name in names}


@dataclass(frozen=True)
class Labelled:
    """A value with its bounds, and what it is."""

    label: str
    value: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Then(Jsonable):
    """The decision that follows at once, in the same turn: its ``moves``, best first."""

    JSON = "move value moves"

    moves: tuple[FollowUpValue, ...]

    @property
    def move(self) -> str:
        """The best of them."""
        return self.moves[0].move

    @property
    def value(self) -> float:
        """What that is worth."""
        return self.moves[0].value

    @property
    def best(self) -> list[str]:
        """Those that are as good as the first."""
        return [move.move for move in self.moves if move is self.moves[0] or not move.loss]

    @property
    def other(self) -> FollowUpValue | None:
        """The first that is not."""
        return next((move for move in self.moves if move.loss), None)


@dataclass(frozen=True)
class GoesFor(Jsonable):
    """The box that is most likely scored in by the end of this turn, and how likely that is, under the best play."""

    box: str
    chance: float


@dataclass(frozen=True)
class Assumed(Jsonable):
    """What nobody said: the dice are taken for this ``throw`` of the turn, from 1 on; in ``field``, ``left`` follow."""

    field: str
    left: int
    throw: int

    def plain(self) -> dict[str, int]:
        """As JSON shows it: the field, as it would be said."""
        return {self.field: self.left}


@dataclass(frozen=True)
class StopFrom(Jsonable):
    """From so many points of the ``turn`` on the best play makes this ``move``, all else as it is; below it throws on.

    ``to``: up to so many points; beyond it throws on again, be it until the game is won. ``after``: that is so at the
    choice right after this move.
    """

    JSON = "move turn to? after?"

    move: str
    turn: int
    to: int | None = None
    after: str = ""


@dataclass(frozen=True)
class TieBreak(Jsonable):
    """Of equal moves the ``move`` that is best ``by`` a second criterion, the mean score, and its ``value`` there."""

    move: str
    by: str
    value: float


@dataclass(frozen=True)
class MoveAdvice(Jsonable):
    """One move: what it is worth to the mover (``lower <= true value <= upper``) and how much worse than the best.

    ``label`` says what the value is. ``then``: where another decision of the same turn follows at once (Zilch, Ten
    Thousand). ``goes_for``: of the best move, where a score sheet is played and dice are still to fall.
    ``probability``: where the best play is a mix (Bluff), how often the move is made.
    """

    JSON = "move label value lower upper exact loss then? goes_for? probability? shares?"

    move: str
    value: float
    lower: float
    upper: float
    loss: float
    exact: str | None = None
    shares: list[float] | None = None
    label: str = ""
    then: Then | None = None
    goes_for: GoesFor | None = None
    probability: float | None = None


@dataclass(frozen=True)
class Advice(Jsonable):
    """The answer to a question.

    ``moves`` are the legal moves, best first; ``best`` names those that are equally good: no other move is, and where
    it names several, their intervals (or exact values) do not tell them apart. ``value`` is what the state is worth to
    the mover in ``unit``, and ``label`` says what that is. ``sense``: does the mover want it high (max) or low (min);
    None where nobody chooses. Games without decisions have no moves but ``quantities``. ``drawn`` is the move that was
    drawn from a mix, where that was asked for. ``stop_from``: from how many points of the turn on one stops, where that
    is proved of every total. ``note`` says what has to be known to read the numbers right, where there is something.
    ``why_only``: why the only move is the only one, where another is usual. ``facts`` tell how the game was solved.
    ``assumed``: which throw the dice are taken for, where nobody said it. ``reachable``: False where it is known that
    no play from the start comes to the board, be it played well or not: it is answered as it stands. ``decided``: every
    move, of several, wins for certain, or every one loses. ``tie_break``: of a game with a score the move that is best
    for the mean then, which ``moves`` and ``best`` begin with, where that score is solved or is solved in no time.
    """

    JSON = f"{HEAD} moves?(best moves) tie_break? stop_from? drawn? {TAIL} unreachable?(reachable)"

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    mover: int
    objective: str
    unit: str
    sense: Annotated[str, Literal["max", "min"]] | None
    label: str = ""
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    exact: str | None = None
    best: list[str] = field(default_factory=list)
    moves: list[MoveAdvice] = field(default_factory=list)
    stop_from: StopFrom | None = None
    drawn: str | None = None
    shares: list[float] | None = None
    shares_lower: list[float] | None = None
    shares_upper: list[float] | None = None
    shares_exact: list[str] | None = None
    quantities: dict[str, AnyQuantity] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    why_only: str = ""
    assumed: Assumed | None = None
    reachable: bool = True
    decided: bool = False
    tie_break: TieBreak | None = None

    @property
    def unreachable(self) -> bool:
        """Is it known that no play comes to it?"""
        return not self.reachable

    def plain_solution(self) -> dict[str, Any]:
        """As JSON shows it: ``rollwise solve --json``."""
        return shown(self, SOLUTION)
