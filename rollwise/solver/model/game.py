"""Base classes of games: rule parameters and texts of every game, and the methods of games of boards and turns.

A game is a set of *boards* (decision epoch states: the score sheet between turns) and one *turn* (the dice), the same
for every board. A turn ends in a *result*; ``transition`` maps a board and a result to the next board. Methods of
single kinds of game are in ``solver.model.kind_mixins``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.fields import Field, Form
from rollwise.solver.model.kind_mixins import (
    AloneMixin,
    ChoiceMixin,
    DuelMixin,
    HiddenMixin,
    ReachMixin,
    SeatsMixin,
    TableMixin,
)
from rollwise.solver.model.nodes import (
    OTHER,
    SAME,
    Bounded,
    Chance,
    Decision,
    End,
    FirstLegal,
    Goto,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnSize,
    as_plain,
    at_least,
    chance_of,
    moves_by_name,
)
from rollwise.solver.model.plain import one_line
from rollwise.solver.model.spaces import Boards, Column, Columns, derived
from rollwise.solver.model.throws import Faces

# A game's file imports all it needs from here, wherever it is defined.
__all__ = ["OTHER", "SAME", "Boards", "Bounded", "Chance", "Column", "Columns", "Decision", "End", "Goto"]
__all__ += [
    "FirstLegal",
    "LuckTransition",
    "Node",
    "NodeKey",
    "Position",
    "Transition",
    "TurnSize",
    "as_plain",
    "at_least",
    "chance_of",
    "derived",
    "moves_by_name",
]


def parameter(
    default: Any,
    help: str,
    *,
    low: int | None = None,
    high: int | None = None,
    choices: Sequence[Any] = (),
    step: int = 1,
    trial: bool = False,
    tacit: bool = False,
    option: bool = False,
    form: Form | None = None,
    only: tuple[str, str] | None = None,
) -> Any:
    """A rule parameter of a game: its default, its help text, and the values it allows.

    A ``trial`` parameter makes a game smaller for tests; users cannot set it. It is shown only where it is not at its
    default, and so is a ``tacit`` one, which few users need. ``form``: the control for it (``solver.model.fields``),
    where that does not follow from the rest. ``only``: another parameter, and the value of it that this one requires.
    """
    allowed = {"low": low, "high": high, "choices": tuple(choices), "step": step, "only": only}
    shown = {"trial": trial, "tacit": tacit, "option": option, "form": form}
    return dataclasses.field(default=default, repr=not option, metadata={"help": help, **allowed, **shown})


solver_option = partial(parameter, option=True)  # no rule: the part of a game to solve, the scale of its values


@dataclass(frozen=True)
class Game:
    """A game, with its texts. Subclasses are frozen dataclasses of rule parameters and solver options."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    rules: ClassVar[str]
    synonyms: ClassVar[Sequence[str]] = ()  # other names of this very game
    reference: ClassVar[bool] = False  # True for a game of the literature, on no rule sheet
    picture: ClassVar[tuple[int, str, str] | None] = None  # well-known: (place on the home page, dice, a line of text)
    like: ClassVar[Sequence[tuple[str, str]]] = ()  # similar games that are missing: (name, the difference)
    caveat: ClassVar[str] = ""  # a sentence beside every answer, on comparing its numbers
    rules_version: ClassVar[int] = 1
    versions: ClassVar[Mapping[int, str]] = {1: "the first reading"}  # what each version of the rules changed
    kind: ClassVar[str]  # duel, solo, table (three or more with decisions), seats, alone or hidden: ``solver.kinds``
    measure: ClassVar[str]  # quantity of a value: win, score, margin, turns or points
    unit: ClassVar[str]
    sense: ClassVar[str] = "max"  # or min: the mover's objective
    scale: ClassVar[int] = 1  # unit of losses, to grade them: 1 for chances, else a usual size of a value
    total: ClassVar[int] = 1  # duel: the mover's value plus the other's (1: probabilities, 0: margins); no duel: 0
    has_final_score: ClassVar[bool] = False  # True for a solo game whose ``forecast`` is that of a score
    cyclic: ClassVar[bool] = True  # False: every turn leads to a higher ``level``
    labels: ClassVar[Mapping[str, str]] = {}  # labels of fields, and of parameters as p.NAME; after a colon, a note

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            check_parameter(self.name, field, getattr(self, field.name))
            if not self._is_in_use(field) and getattr(self, field.name) != field.default:
                raise ParameterError(
                    f"'{self.name}' parameter {field.name} goes with {'='.join(field.metadata['only'])} alone",
                    field=field.name,
                )

    def _is_in_use(self, field: dataclasses.Field[Any]) -> bool:
        only = field.metadata.get("only")
        return only is None or getattr(self, only[0]) == only[1]

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The game with these parameters; a game whose objectives differ in shape picks the class here."""
        return cls(**parameters)

    def unsolved(self) -> Mapping[int, int]:
        """Least number of boards, by numbers of players that the rules allow but that would cost too much to solve.

        It is for a game with these rule parameters, whatever its ``players``. The page of rules shows the cost of each,
        and so does the error: the parameter, or ``of``, refuses such a number by a ParameterError with
        ``field="players"``, to which ``solver.kinds`` adds the cost. A number that would not cost too much is absent:
        ``return {3: n} if self.target > 50 else {}``.
        """
        return {}

    def parameters(self) -> dict[str, Any]:
        """Rule parameters by name, as plain data."""
        pairs = [(field, getattr(self, field.name)) for field in dataclasses.fields(self)]
        return {
            field.name: value
            for field, value in pairs
            if self._is_in_use(field)
            and not field.metadata.get("option")
            and (value != field.default or not (field.metadata.get("trial") or field.metadata.get("tacit")))
        }

    def solver_options(self) -> dict[str, Any]:
        """Solver options that are not at their defaults, by name, as plain data."""
        options = {field.name: field.default for field in dataclasses.fields(self) if field.metadata.get("option")}
        return {name: getattr(self, name) for name, default in options.items() if getattr(self, name) != default}

    def __str__(self) -> str:
        return f"{self.name}({parameter_text(self.parameters())})"


def parameter_text(parameters: Mapping[str, Any]) -> str:
    """Rule parameters as text for people, long lists cut."""
    return ", ".join(
        f"{name}={one_line(str(value)) if isinstance(value, tuple | list) else value}"
        for name, value in parameters.items()
    )


class TurnGame(Game, ChoiceMixin, DuelMixin, ReachMixin, TableMixin, HiddenMixin, SeatsMixin, AloneMixin):
    """A game of boards and turns: subclasses define ``boards``, ``turn``, ``transition`` and the fields of a question.

    The methods here are those of every game; of the mixins, a game overrides those of its own kind, if need be.
    """

    def boards(self) -> Boards:
        """The board space."""
        raise NotImplementedError

    def first_board(self) -> dict[str, int]:
        """The board a game starts from: by default every field at the start of its range."""
        return {name: r.start for name, r in self.boards().ranges.items()}

    def possible(self, board: Columns) -> Any:
        """True where a board can occur in play; others are not solved. Default: True for all."""
        return np.ones(len(board), dtype=bool)

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """True where some play from the start, good or bad, reaches this possible board; None (the default): unknown.

        An unreachable board is answered all the same, with a note: False needs a proof. Boards are seen from the mover,
        so any seat may have begun, and an objective (a target, a bet) may be anything.
        """
        return None

    def roots(self) -> Sequence[NodeKey]:
        """States in which a turn can start."""
        return [()]

    def root(self, board: Columns) -> Any:
        """Index in ``roots`` of the state in which each board's turn starts, int array."""
        return np.zeros(len(board), dtype=np.int64)

    def turn(self, *state: Any) -> Node:
        """The node of this state of the turn."""
        raise NotImplementedError

    def transition(self, board: Columns, result: Any) -> Transition:
        """The transition of a turn's result on these boards."""
        raise NotImplementedError

    def level(self, board: Columns) -> Any:
        """A topological level of each board, which no move lowers, int array; ``None`` leaves it to the solver."""
        return None

    def order(self, board: Columns) -> Any:
        """Hint for boards of one strongly connected component: a sweep best begins with those of a higher order."""
        return np.zeros(len(board), dtype=np.int64)

    def fields(self) -> Sequence[Field]:
        """Fields of a question, in the order of display; each is ``of`` the board or the turn."""
        raise NotImplementedError

    def locate(self, *args: Any, **fields: Any) -> Position:
        """The position that these fields (parsed by ``fields``) describe; raises StateError for an impossible one."""
        raise NotImplementedError

    def impossible(self, position: Position) -> str:
        """Reason why no play reaches this position, in a sentence that begins with the field; empty where unknown.

        It is only called for a position that no turn, or no game, reaches: the sentence need not be true of others.
        """
        return ""

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The inverse of ``locate``: the fields of each question with this state of the turn on this board."""
        raise NotImplementedError

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
        """All fields of a question that has these ``fields``, from those ``described`` for another on the same board.

        A board may stand for many questions: a field absent from one may differ in another.
        """
        return {**described, **fields}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> Mapping[str, Any] | None:
        """Fields of the next question that differ from those of ``describe``: a sheet, a pot, results, owners of boxes.

        A board may stand for many that go on alike, of which ``describe`` gives one. ``fields`` are all of the question
        before, ``move`` is the move played, ``thrown`` the dice of each throw since, and ``result`` the turn's result,
        None where it goes on. Together they must be the very position that play reaches: a field here replaces that of
        ``describe``, and a field of None is absent. None (the default): none differs, and where the turn goes on, the
        fields of the question before stay as far as they are still true.
        """
        return None


def check_parameter(game: str, field: dataclasses.Field[Any], value: Any) -> None:
    """Raise ParameterError unless the parameter's declaration allows ``value``."""
    subject = f"'{game}' parameter {field.name}"
    choices, low, high, step = (field.metadata.get(key) for key in ("choices", "low", "high", "step"))
    if choices:
        if value not in choices:
            raise ParameterError(f"{subject} is one of {', '.join(map(str, choices))}, got {value}", field=field.name)
    elif isinstance(field.default, bool):
        if not isinstance(value, bool):
            raise ParameterError(f"{subject} is true or false, got {value}", field=field.name)
    elif isinstance(field.default, int):
        if not isinstance(value, int) or isinstance(value, bool):
            raise ParameterError(f"{subject} is a whole number, got {value!r}", field=field.name)
        if (low is not None and value < low) or (high is not None and value > high):
            raise ParameterError(f"{subject} is from {low} to {high}, got {value}", field=field.name)
        if step and (value - (low or 0)) % step:
            raise ParameterError(f"{subject} goes in steps of {step} from {low}, got {value}", field=field.name)
