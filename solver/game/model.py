"""The words a game is written in.

A game is a set of *boards* (what stands on the score sheet between turns) and one *turn* (the dice), the same for
every board. A turn ends in a *result*; ``settle`` says what that result does to a board. A ``StateGame`` says the
same in one level, state by state; ``solver.reference.flatten`` turns the first form into the second.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import numpy as np

from rollwise.solver.game.errors import ModelError, ParameterError
from rollwise.solver.game.falls import Faces, Falls
from rollwise.solver.game.fields import Field, Form
from rollwise.solver.game.spaces import Boards, Column, Columns, derived

__all__ = ["Boards", "Column", "Columns", "derived"]  # words of a game too; they live in ``solver.game.spaces``

State: TypeAlias = tuple[Any, ...]
Word: TypeAlias = "Chance | Choice | Prefer | Go | End | Beyond"

SAME, OTHER = False, True


class Chance:
    """The dice decide: ``outcomes`` are (integer weight, word) pairs.

    ``falls``, one entry an outcome, are the throws that it stands for; None where no dice are seen to fall. Only who
    asks what a throw leads to looks at them: two words that differ in nothing else are the same.
    """

    __slots__ = ("falls", "outcomes")

    def __init__(self, outcomes: Iterable[tuple[int, Word]], falls: Falls | None = None) -> None:
        self.outcomes = tuple(outcomes)
        self.falls = falls


class Choice:
    """The mover decides: ``moves`` are (name, word) pairs in the game's own order, which settles ties.

    A move named ``None`` leads to a further ``Choice`` that belongs to the same decision: its moves are listed
    with those of this one (so "which dice to keep" can be built one die at a time).
    """

    __slots__ = ("moves",)

    def __init__(self, moves: Iterable[tuple[str | None, Word]]) -> None:
        self.moves = tuple(moves)


class Prefer:
    """The mover follows a rule of thumb: the first of ``words`` that is legal on the board is what follows."""

    __slots__ = ("words",)

    def __init__(self, words: Iterable[Word]) -> None:
        self.words = tuple(words)


class Go:
    """On to another state of the same turn: ``Go(total, dice)`` is ``game.turn(total, dice)``."""

    __slots__ = ("state",)

    def __init__(self, *state: Any) -> None:
        self.state: State = state


class End:
    """The turn is over with this result; ``reward`` (points of the turn itself) is added to its value."""

    __slots__ = ("result", "reward")

    def __init__(self, result: Hashable, reward: int | Fraction = 0) -> None:
        self.result = result
        self.reward = reward


class Beyond:
    """Past a proven cut: all that is known of the value here is ``lower <= value <= upper``."""

    __slots__ = ("lower", "upper")

    def __init__(self, lower: int | Fraction, upper: int | Fraction) -> None:
        self.lower = lower
        self.upper = upper


@dataclass(frozen=True)
class Settled:
    """What one result does to a block of boards: columns, or single values for all of them.

    ``next`` are the fields of the next board; ``mover`` says whose turn it is there, seen by the present mover:
    ``SAME``, ``OTHER``, or, at tables and in luck games of several seats, how many seats to the left. Where ``over``
    holds, the game ends instead and is worth ``reward / per`` to the mover (for tables and luck games of several seats
    it is worth ``shares / per``, one row a seat, counted from the mover to the left).
    ``won`` and ``drawn`` are ``over`` with a reward of 1 and 1/2. Elsewhere ``reward / per`` is added to the value of
    the next board. ``legal`` is False where the rules forbid this result.
    """

    next: Mapping[str, Column] | None = None
    mover: Column = SAME
    legal: Column = True
    over: Column = False
    won: Column = False
    drawn: Column = False
    reward: Column = 0
    shares: Column = None
    per: int = 1


@dataclass(frozen=True)
class TurnSize:
    """How large a turn is: ``n_edges`` of its graph, and from each of ``roots``, in ``by_root``, (results, edges).

    ``some_results`` tell whether a turn leads from one board to another of its level.
    """

    n_edges: int
    by_root: tuple[tuple[int, int], ...]
    some_results: tuple[Any, ...]


@dataclass(frozen=True)
class Position:
    """Where a question stands: a board, a state of the turn, the points already made, and the seat that moves.

    ``seats``: luck games of several seats: whose place on the board is which, the mover's first (those no longer on it
    left out); where it is not said, all seats from the mover to the left.
    """

    board: Mapping[str, Any]
    state: State
    points: int | Fraction = 0
    mover: int = 0
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Onward:
    """What one throw does to everybody, in a game of luck whose boards are those of one player.

    ``fields`` of the next question, None where the game is over. ``earned``: what the throw brings each seat (one
    number for a bet) of what the game ``counts``; ``counting``: does the next question go on counting it?
    """

    fields: Mapping[str, Any] | None
    earned: tuple[Fraction, ...]
    counting: bool = True


def parameter(
    default: Any,
    help: str,
    *,
    low: int | None = None,
    high: int | None = None,
    choices: Sequence[Any] = (),
    step: int = 1,
    trial: bool = False,
    form: Form | None = None,
) -> Any:
    """A rule parameter of a game: its default, what it means, and what it may be.

    A ``trial`` parameter makes a game smaller for tests; it is shown only where it is not at its default. ``form``: how
    it is filled in (``solver.game.fields``), where the others do not tell.
    """
    allowed = {"low": low, "high": high, "choices": tuple(choices), "step": step}
    return dataclasses.field(default=default, metadata={"help": help, **allowed, "trial": trial, "form": form})


@dataclass(frozen=True)
class Game:
    """What every game says of itself. Subclasses are frozen dataclasses whose fields are the rule parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    rules: ClassVar[str]
    rules_version: ClassVar[int] = 1
    versions: ClassVar[Mapping[int, str]] = {1: "the first reading"}  # what each version of the rules changed
    kind: ClassVar[str]  # duel, solo, table (three or more who choose), seats, alone or hidden: ``solver.kinds``
    measure: ClassVar[str]  # what a value counts: win, score, margin, turns or points
    unit: ClassVar[str]
    sense: ClassVar[str] = "max"  # or min: what the mover wants
    scale: ClassVar[int] = 1  # what losses are measured by, to grade them: 1 for chances, else a usual size of a value
    total: ClassVar[int] = 1  # duel: the mover's value plus the other's (1: probabilities, 0: margins); no duel: 0
    cyclic: ClassVar[bool] = True  # False: every turn leads to a higher ``level``
    endless: ClassVar[bool] = False  # True: play may go on for ever, worth to each its lower limit (solver.component)
    pays_seats: ClassVar[bool] = False  # where odds are worked out when asked: does a result pay shares of a pot?
    outcome: ClassVar[str] = "win"  # luck games: what every outcome of a throw is told in, a quantity by name
    outcome_unit: ClassVar[str] = "probability"
    outcome_sense: ClassVar[str] = "max"  # or min: what a seat would want
    team: ClassVar[tuple[int, ...]] = ()  # luck games of two sides: the seats whose side a board's only share is of
    by_seat: ClassVar[bool] = False  # duels to win: True where a question lists both seats, so that answers do too
    two_steps: ClassVar[bool] = False  # True: what to keep of a throw, then whether to go on, are two questions

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            check_parameter(self.name, field, getattr(self, field.name))

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
            field.name: value for field, value in pairs if value != field.default or not field.metadata.get("trial")
        }

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in self.parameters().items())
        return f"{self.name}({inside})"


class TurnGame(Game):
    """A game of boards and turns: subclasses give ``boards``, ``turn`` and ``settle``."""

    def boards(self) -> Boards:
        """The board space."""
        raise NotImplementedError

    def first_board(self) -> dict[str, int]:
        """The board a game starts from: by default every field at the start of its range."""
        return {name: r.start for name, r in self.boards().ranges.items()}

    def possible(self, board: Columns) -> Any:
        """True where a board can occur in play; others are not solved. Default: all can."""
        return np.ones(len(board), dtype=bool)

    def roots(self) -> Sequence[State]:
        """The states that a turn can start in."""
        return [()]

    def root(self, board: Columns) -> Any:
        """Which of ``roots`` each board's turn starts in, int array."""
        return np.zeros(len(board), dtype=np.int64)

    def turn(self, *state: Any) -> Word:
        """One turn, from this state of it on."""
        raise NotImplementedError

    def turn_size(self) -> TurnSize | None:
        """How large the turn is, where compiling it to see that would take long; None: it is compiled and looked at."""
        return None

    def asked(self, *state: Any) -> Word | None:
        """The decision of a state that is only asked about: one past which ``turn`` is not followed as the rules allow.

        A turn is solved as far as anybody would go on: up to a goal, or a proven cut. At a table it may go on all the
        same, so a question may stand there, and past it, in states that no solved turn comes to. This word has all
        moves; what they lead to is what ``turn`` says of it, in states that are not solved too. ``Beyond`` may be where
        nothing better is known. None (the default) for every other state, of which ``turn`` says all.
        """
        return None

    def settle(self, board: Columns, result: Any) -> Settled:
        """What a turn's result does to these boards."""
        raise NotImplementedError

    def level(self, board: Columns) -> Any:
        """A level of each board that no move ever lowers, int array; ``None`` leaves it to the solver."""
        return None

    def order(self, board: Columns) -> Any:
        """Hint for boards that depend on each other in a cycle: those of a higher order are best swept first."""
        return np.zeros(len(board), dtype=np.int64)

    def answers(self, root: State) -> Mapping[State, str]:
        """Hidden dice: the states in which the other player, who has seen nothing, replies, with the call it heard."""
        return {}

    @property
    def seats(self) -> int:
        """Luck games: how many seats a result has shares for; 0 where one player's score is all there is."""
        return 0

    @property
    def uncertain(self) -> float:
        """Tables: what the game takes as certain is as likely at least to be so but for this, whoever plays how.

        So no share, and no chance of an ending, is further off because of it.
        """
        return 0.0

    def standing(self, board: Columns) -> Any:
        """Luck games of several seats: how many places of each board still play; turns go round among them."""
        return self.seats

    # --- questions -------------------------------------------------------------------------------------------

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

    def why_only(self, board: Mapping[str, int], state: State) -> str:
        """Why a move that is usual in this state is not legal on this board, in a clause; empty where none is."""
        return ""

    def describe(self, board: Mapping[str, int], state: State) -> Iterable[dict[str, Any]]:
        """The inverse of ``locate``: field values of each question that is this state of the turn on this board."""
        raise NotImplementedError

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

    def lies(self, fields: Mapping[str, Any], thrown: tuple[Faces, ...]) -> tuple[Faces, ...]:
        """The dice of a turn as they fall in this question: what a board holds alike may not be alike at the table."""
        return thrown

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> Onward:
        """Games of luck that are worked out when asked: what a throw leads to; ``fields`` are all of the question."""
        raise NotImplementedError

    # --- how a turn ends ---------------------------------------------------------------------------------------------

    def marks(self) -> Mapping[str, Iterable[State]]:
        """States of the turn, by a name, that a class of endings is told by: has the turn come through one of them?

        They have something to decide or dice to throw; what a turn begins with is no mark.
        """
        return {}

    def ending_name(self, board: Mapping[str, Any], result: Any, seen: frozenset[str]) -> str:
        """What a turn is called that ends so on this board; ``seen`` are the marks that it has come through.

        Empty (the default): by what it does, as that it is a bust, or that the dice pass on. Where the game is won or
        lost by it at once, that is what it is called, whatever this says.
        """
        return ""

    # --- further facts -----------------------------------------------------------------------------------------------

    def left_out(self, board: Mapping[str, int], state: State) -> Iterable[tuple[str, Word, int]]:
        """Legal moves of a decision on this board that ``turn`` leaves out, since one of its own is never worse.

        Each as (name, the word of that other move, how many points more than it the move is worth, 0 or less): what
        they lead to need not be solved. With 0 points it is as good, and belongs to every answer; the others are listed
        where all moves are asked for.
        """
        return ()

    def quantities_beside(self, graph: Any, read: Any, position: Position) -> dict[str, Any]:
        """Further facts beside the value of a decision, by name, as ``solver.game.solution.Quantity``."""
        return {}

    def endings(self) -> Mapping[str, Callable[[tuple[Fraction, ...]], bool]]:
        """Tables: sorts of endings by name, told by the shares of the players; answers say how likely each is."""
        return {}

    def quantities(self, graph: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        """Further facts of a question by name, as ``solution.Quantity``: odds of games without decisions."""
        return {}

    def outcome_at(self, graph: Any, given: Mapping[str, Any], asked: Position) -> Any:
        """Games of luck that are worked out when asked: ``outcome`` of a question's ``quantities``, and nothing else.

        ``asked`` is the question that this one follows, of which many are told at once.
        """
        return self.quantities(graph, given)[self.outcome]


class StateGame(Game):
    """A game in one level: ``node(state)`` is a word in which ``Go(state)`` leads on and ``End(x)`` is worth x.

    ``solver.reference.flatten.Earn(points, *state)`` is a ``Go`` with points on the way. In a duel every state names
    its own mover: values are those of the player who moves in the first state, and ``minimises(state)`` says where a
    choice belongs to someone who wants that value low.
    """

    def first(self) -> State:
        """The state that the game starts in."""
        raise NotImplementedError

    def node(self, *state: Any) -> Word:
        """What happens in this state."""
        raise NotImplementedError

    def minimises(self, *state: Any) -> bool:
        """True where the choice belongs to a player who wants the value low; alone, that is the game's ``sense``."""
        return self.sense == "min"


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


def named(outcomes: Iterable[tuple[Any, int]], then: Callable[[Any], Word]) -> Chance:
    """The dice show one of ``outcomes`` ((what is seen, weight) pairs): ``then`` says what follows."""
    falls = outcomes if isinstance(outcomes, Falls) else None
    return Chance(((weight, then(seen)) for seen, weight in outcomes), falls)


def told(word: Word) -> Any:
    """A word as plain values: two that say the same are equal."""
    if isinstance(word, Chance):
        return Chance, [(weight, told(after)) for weight, after in word.outcomes]
    if isinstance(word, Choice):
        return Choice, [(name, told(after)) for name, after in word.moves]
    if isinstance(word, Prefer):
        return Prefer, [told(after) for after in word.words]
    return type(word), [getattr(word, name) for name in word.__slots__]


def no_worse(word: Word, known: Beyond) -> Choice:
    """What is no worse for the mover than ``word``, and of which nothing more is known than these bounds."""
    return Choice([("no worse", word), ("known", known)])


def named_moves(word: Word, word_of: Callable[..., Word]) -> dict[str, Word]:
    """Every move of one decision by name, in the game's own order, those of nested choices after the outer one's.

    ``word_of(*state)`` is the word of a state that a move without a name leads to. Raises ModelError where two moves of
    one name are different moves: one of them would not be listed.
    """
    found: dict[str, Word] = {}
    seen: set[State] = set()
    level: list[Word] = [word]
    while level:
        deeper: list[Word] = []
        for here in level:
            for name, after in here.moves if isinstance(here, Choice) else ():
                if name is not None:
                    listed = found.setdefault(name, after)
                    if listed is not after and told(listed) != told(after):
                        raise ModelError(f"two different moves are called '{name}'")
                    continue
                inner = after
                while isinstance(inner, Go) and inner.state not in seen:
                    seen.add(inner.state)
                    inner = word_of(*inner.state)
                if isinstance(inner, Choice):
                    deeper.append(inner)
                elif not isinstance(inner, Go):
                    raise ModelError(f"a move without a name leads to {inner!r}, not to a choice")
        level = deeper
    return found
