"""The answer of ``ask`` and ``solve``: plain data for Python, the terminal and JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from rollwise.questions.question import Assumed
from rollwise.solver.model.jsonable import HIDDEN, Jsonable, as_json
from rollwise.solver.model.solution import AnyQuantity, FollowUpValue

OF_MOVES = ("best", "moves", "tie_break", "stop_from", "drawn", "reachable")  # of ``Advice``; ``solve`` has none


@dataclass(frozen=True)
class Then(Jsonable):
    """The decision that follows at once, in the same turn: its ``moves``, best first."""

    move: str
    value: float
    moves: tuple[FollowUpValue, ...]

    @classmethod
    def of(cls, moves: tuple[FollowUpValue, ...]) -> Then:
        """The decision with these moves."""
        return cls(moves[0].move, moves[0].value, moves)

    @property
    def best(self) -> list[str]:
        """The moves that are as good as the first."""
        return [move.move for move in self.moves if move is self.moves[0] or not move.loss]

    @property
    def other(self) -> FollowUpValue | None:
        """The first move that is worse."""
        return next((move for move in self.moves if move.loss), None)


@dataclass(frozen=True)
class GoesFor(Jsonable):
    """The box in which the best play most likely scores this turn, and the chance of that."""

    box: str
    chance: float


@dataclass(frozen=True)
class StopFrom(Jsonable):
    """The stopping threshold: from so many points of the ``turn`` on the best play makes this ``move``, else throws.

    ``to``: the last such number of points, if the best play throws on beyond it. ``after``: the move after which the
    threshold applies, if it is not for this decision.
    """

    move: str
    turn: int
    to: int | None = None
    after: str = ""


@dataclass(frozen=True)
class TieBreak(Jsonable):
    """The best of equal moves ``by`` a second criterion, the mean score, and its ``value`` there."""

    move: str
    by: str
    value: float


@dataclass(frozen=True)
class MoveAdvice(Jsonable):
    """One move: its value for the mover (``lower <= true value <= upper``), and its loss against the best.

    ``label`` names the value. ``then``: the next decision, where it follows at once in the same turn (Zilch, Ten
    Thousand). ``goes_for``: of the best move, on a score sheet with dice still to fall. ``probability``: of the move,
    where the best play is a mixed strategy (Bluff).
    """

    move: str
    label: str
    value: float
    lower: float
    upper: float
    exact: str | None
    loss: float
    then: Then | None = None
    goes_for: GoesFor | None = None
    probability: float | None = None
    shares: list[float] | None = None


@dataclass(frozen=True)
class Advice(Jsonable):
    """The answer to a question.

    ``moves`` are the legal moves, best first; ``best`` names the best ones: several where their intervals (or exact
    values) do not separate them. ``value`` is that of the state for the mover in ``unit``, and ``label`` names it.
    ``sense``: max or min, whether high or low values are good; None in games without choices, which have no moves but
    ``quantities``. ``drawn``: the move drawn from a mix, on request. ``stop_from``: the points of the turn from which
    the best play stops, if proved of every total. ``note``: a caveat for reading the numbers, if there is one.
    ``why_only``: the reason for a single move where others are usual. ``facts``: how the game was solved.
    ``assumed``: the throw that the dice are assumed to be. ``reachable``: False if no play from the start is known to
    reach the board; it is answered all the same. ``decided``: all moves, of several, win for certain, or all lose.
    ``tie_break``: then, in a game with a score, the move that is best for the mean, which comes first in ``moves`` and
    ``best``, if that score is solved or quickly solved.
    """

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    assumed: Assumed | None = field(default=None, kw_only=True)
    mover: int
    objective: str
    unit: str
    sense: Annotated[str, Literal["max", "min"]] | None
    label: str = ""
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    exact: str | None = field(default=None, metadata={"when": "value"})
    best: list[str] = field(default_factory=list)
    moves: list[MoveAdvice] = field(default_factory=list)
    tie_break: TieBreak | None = None
    stop_from: StopFrom | None = None
    drawn: str | None = None
    shares: list[float] | None = None
    shares_lower: list[float] | None = None
    shares_upper: list[float] | None = None
    shares_exact: list[str] | None = field(default=None, metadata={"when": "shares"})
    quantities: dict[str, AnyQuantity] = field(default_factory=dict)
    note: str = ""
    why_only: str = ""
    reachable: bool = True
    facts: dict[str, Any] = field(default_factory=dict, metadata=HIDDEN)
    decided: bool = field(default=False, metadata=HIDDEN)

    def plain_solution(self) -> dict[str, Any]:
        """As ``rollwise solve --json`` shows it: without moves, but with the facts."""
        of_start = {name: value for name, value in self.plain().items() if name not in OF_MOVES}
        return of_start | dict(as_json(self.facts))
