"""A game, as it is written: what every game says of itself, and the words that every game of boards and turns has.

A game is a set of *boards* (what stands on the score sheet between turns) and one *turn* (the dice), the same for
every board. A turn ends in a *result*; ``transition`` says what that result does to a board. What single kinds of game say
beside that stands in ``solver.model.kind_words``, by kind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.errors import ParameterError
from rollwise.solver.model.fields import Field, Form
from rollwise.solver.model.kind_words import (
    AloneWords,
    ChoiceWords,
    DuelWords,
    HiddenWords,
    ReachWords,
    SeatsWords,
    TableWords,
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
    Node,
    NodeKey,
    Onward,
    Position,
    Transition,
    TurnSize,
    as_plain,
    at_least,
    chance_of,
    named_moves,
)
from rollwise.solver.model.plain import on_a_line
from rollwise.solver.model.spaces import Boards, Column, Columns, derived
from rollwise.solver.model.throws import Faces

# A game's file finds all its words here, wherever they stand.
__all__ = ["OTHER", "SAME", "Boards", "Bounded", "Chance", "Column", "Columns", "Decision", "End", "Goto", "Onward"]
__all__ += [
    "FirstLegal",
    "Node",
    "NodeKey",
    "Position",
    "Transition",
    "TurnSize",
    "as_plain",
    "at_least",
    "chance_of",
    "derived",
    "named_moves",
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
    form: Form | None = None,
    only: tuple[str, str] | None = None,
) -> Any:
    """A rule parameter of a game: its default, what it means, and what it may be.

    A ``trial`` parameter makes a game smaller for tests; nobody can say it. It is shown only where it is not at its
    default, and so is a ``tacit`` one, which many need never hear of. ``form``: how it is filled in
    (``solver.model.fields``), where the others do not tell. ``only``: another parameter, and its value with which this
    one means something.
    """
    allowed = {"low": low, "high": high, "choices": tuple(choices), "step": step, "only": only}
    shown = {"trial": trial, "tacit": tacit, "form": form}
    return dataclasses.field(default=default, metadata={"help": help, **allowed, **shown})


@dataclass(frozen=True)
class Game:
    """What every game says of itself. Subclasses are frozen dataclasses whose fields are the rule parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    rules: ClassVar[str]
    like: ClassVar[Sequence[tuple[str, str]]] = ()  # games that are not here but alike: what this one has instead
    caveat: ClassVar[str] = ""  # what the numbers are not comparable with: a sentence beside every answer
    rules_version: ClassVar[int] = 1
    versions: ClassVar[Mapping[int, str]] = {1: "the first reading"}  # what each version of the rules changed
    kind: ClassVar[str]  # duel, solo, table (three or more who choose), seats, alone or hidden: ``solver.kinds``
    measure: ClassVar[str]  # what a value counts: win, score, margin, turns or points
    unit: ClassVar[str]
    sense: ClassVar[str] = "max"  # or min: what the mover wants
    scale: ClassVar[int] = 1  # what losses are measured by, to grade them: 1 for chances, else a usual size of a value
    total: ClassVar[int] = 1  # duel: the mover's value plus the other's (1: probabilities, 0: margins); no duel: 0
    cyclic: ClassVar[bool] = True  # False: every turn leads to a higher ``level``
    labels: ClassVar[Mapping[str, str]] = {}  # what people call fields, and parameters as p.NAME; after a colon, a note

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            check_parameter(self.name, field, getattr(self, field.name))
            if not self._means_something(field) and getattr(self, field.name) != field.default:
                raise ParameterError(
                    f"'{self.name}' parameter {field.name} goes with {'='.join(field.metadata['only'])} alone",
                    field=field.name,
                )

    def _means_something(self, field: dataclasses.Field[Any]) -> bool:
        only = field.metadata.get("only")
        return only is None or getattr(self, only[0]) == only[1]

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The game for these parameters; a game whose objectives differ in shape picks the class here."""
        return cls(**parameters)

    def unsolved(self) -> Mapping[int, int]:
        """Numbers of players that the rules allow, but that would take too much: how many boards each has, at least.

        Said of a game with these rule parameters, whatever its ``players``. From that the page of rules tells what each
        would cost, and so does the refusal: the parameter, or ``of``, refuses such a number by a ParameterError with
        ``field="players"``, and whoever asked hears the cost with it (``solver.kinds.crowd``). A number that would not
        be too much is left out: ``return {3: n} if self.target > 50 else {}``.
        """
        return {}

    def parameters(self) -> dict[str, Any]:
        """Rule parameters by name, as plain data."""
        pairs = [(field, getattr(self, field.name)) for field in dataclasses.fields(self)]
        return {
            field.name: value
            for field, value in pairs
            if self._means_something(field)
            and (value != field.default or not (field.metadata.get("trial") or field.metadata.get("tacit")))
        }

    def __str__(self) -> str:
        return f"{self.name}({in_a_line(self.parameters())})"


def in_a_line(parameters: Mapping[str, Any]) -> str:
    """Rule parameters as people see them; of a list of very many the first."""
    return ", ".join(
        f"{name}={on_a_line(str(value)) if isinstance(value, tuple | list) else value}"
        for name, value in parameters.items()
    )


class TurnGame(Game, ChoiceWords, DuelWords, ReachWords, TableWords, HiddenWords, SeatsWords, AloneWords):
    """A game of boards and turns: subclasses give ``boards``, ``turn`` and ``transition``, and what a question may say.

    The words here are those of every game. Of those of single kinds a game gives what its own kind has, if need be.
    """

    def boards(self) -> Boards:
        """The board space."""
        raise NotImplementedError

    def first_board(self) -> dict[str, int]:
        """The board a game starts from: by default every field at the start of its range."""
        return {name: r.start for name, r in self.boards().ranges.items()}

    def possible(self, board: Columns) -> Any:
        """True where a board can occur in play; others are not solved. Default: all can."""
        return np.ones(len(board), dtype=bool)

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """Does any play from the start, good or bad, come to this possible board? None (the default): not known.

        A board that none comes to is answered all the same, and the answer says so: False wants a proof. Boards are
        told from the mover on, so whoever may have begun, and what is wanted (a target, a bet) may be anything.
        """
        return None

    def roots(self) -> Sequence[NodeKey]:
        """The states that a turn can start in."""
        return [()]

    def root(self, board: Columns) -> Any:
        """Which of ``roots`` each board's turn starts in, int array."""
        return np.zeros(len(board), dtype=np.int64)

    def turn(self, *state: Any) -> Node:
        """One turn, from this state of it on."""
        raise NotImplementedError

    def transition(self, board: Columns, result: Any) -> Transition:
        """What a turn's result does to these boards."""
        raise NotImplementedError

    def level(self, board: Columns) -> Any:
        """A level of each board that no move ever lowers, int array; ``None`` leaves it to the solver."""
        return None

    def order(self, board: Columns) -> Any:
        """Hint for boards that depend on each other in a cycle: those of a higher order are best swept first."""
        return np.zeros(len(board), dtype=np.int64)

    def fields(self) -> Sequence[Field]:
        """What a question may say, in the order it is shown; each says whether it is ``of`` the board or the turn."""
        raise NotImplementedError

    def locate(self, *args: Any, **given: Any) -> Position:
        """The position that the given fields describe (parsed by ``fields``); raises StateError if it cannot be."""
        raise NotImplementedError

    def impossible(self, position: Position) -> str:
        """Why no play comes to this position, in a sentence that begins with the field; empty where nothing is known.

        It is only asked of a position that no turn, or no game, comes to: the sentence need not be true of others.
        """
        return ""

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The inverse of ``locate``: field values of each question that is this state of the turn on this board."""
        raise NotImplementedError

    def completed(self, fields: Mapping[str, Any], described: Mapping[str, Any]) -> Mapping[str, Any]:
        """All fields of a question that says these ``fields``, of which ``described`` is one on the same board.

        A board may stand for many questions: what is not said of one need not be so in another.
        """
        return {**described, **fields}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> Mapping[str, Any] | None:
        """What the question that follows says otherwise than ``describe``: a sheet, a pot, results, whose boxes.

        A board may stand for many that go on alike, and ``describe`` tells one of them. ``fields`` are all of the
        question before, ``move`` is what was done, ``thrown`` the dice of each throw since, and ``result`` how the turn
        ended, None where it goes on. It must be the very position that play comes to: what is said here stands in place
        of what ``describe`` says, and a field of None is not said. None (the default): nothing is otherwise, and where
        the turn goes on, what was asked before stays as far as it is true still.
        """
        return None


def check_parameter(game: str, field: dataclasses.Field[Any], value: Any) -> None:
    """Raise ParameterError unless ``value`` is what the parameter's declaration allows."""
    said = f"'{game}' parameter {field.name}"
    choices, low, high, step = (field.metadata.get(key) for key in ("choices", "low", "high", "step"))
    if choices:
        if value not in choices:
            raise ParameterError(f"{said} is one of {', '.join(map(str, choices))}, got {value}", field=field.name)
    elif isinstance(field.default, bool):
        if not isinstance(value, bool):
            raise ParameterError(f"{said} is true or false, got {value}", field=field.name)
    elif isinstance(field.default, int):
        if not isinstance(value, int) or isinstance(value, bool):
            raise ParameterError(f"{said} is a whole number, got {value!r}", field=field.name)
        if (low is not None and value < low) or (high is not None and value > high):
            raise ParameterError(f"{said} is from {low} to {high}, got {value}", field=field.name)
        if step and (value - (low or 0)) % step:
            raise ParameterError(f"{said} goes in steps of {step} from {low}, got {value}", field=field.name)
