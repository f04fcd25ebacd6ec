"""What a game says: the words of a turn, what a result does, where a question stands.

A turn is told in six words: the dice decide (``Chance``), the mover decides (``Decision``), or follows a rule of thumb
(``FirstLegal``); it goes on (``Goto``), is over (``End``), or lies past a proven cut (``Bounded``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.spaces import Column
from rollwise.solver.model.throws import Falls

NodeKey: TypeAlias = tuple[Any, ...]
Node: TypeAlias = "Chance | Decision | FirstLegal | Goto | End | Bounded"

SAME, OTHER = False, True


class Chance:
    """The dice decide: ``outcomes`` are (integer weight, word) pairs.

    ``falls``, one entry an outcome, are the throws that it stands for; None where no dice are seen to fall. Only who
    asks what a throw leads to looks at them: two words that differ in nothing else are the same.
    """

    __slots__ = ("falls", "outcomes")

    def __init__(self, outcomes: Iterable[tuple[int, Node]], falls: Falls | None = None) -> None:
        self.outcomes = tuple(outcomes)
        self.falls = falls


class Decision:
    """The mover decides: ``moves`` are (name, word) pairs in the game's own order, which settles ties.

    A move named ``None`` leads to a further ``Decision`` that belongs to the same decision: its moves are listed
    with those of this one (so "which dice to keep" can be built one die at a time).
    """

    __slots__ = ("moves",)

    def __init__(self, moves: Iterable[tuple[str | None, Node]]) -> None:
        self.moves = tuple(moves)


class FirstLegal:
    """In questions past the solved turn (``TurnGame.asked``): the first of ``words`` that is legal follows.

    A turn that is solved cannot hold it: ``compile_turn`` refuses it.
    """

    __slots__ = ("words",)

    def __init__(self, words: Iterable[Node]) -> None:
        self.words = tuple(words)


class Goto:
    """On to another state of the same turn: ``Goto(total, dice)`` is ``game.turn(total, dice)``."""

    __slots__ = ("state",)

    def __init__(self, *state: Any) -> None:
        self.state: NodeKey = state


class End:
    """The turn is over with this result; ``reward`` (points of the turn itself) is added to its value."""

    __slots__ = ("result", "reward")

    def __init__(self, result: Hashable, reward: int | Fraction = 0) -> None:
        self.result = result
        self.reward = reward


class Bounded:
    """Past a proven cut: all that is known of the value here is ``lower <= value <= upper``."""

    __slots__ = ("lower", "upper")

    def __init__(self, lower: int | Fraction, upper: int | Fraction) -> None:
        self.lower = lower
        self.upper = upper


@dataclass(frozen=True)
class Transition:
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
    state: NodeKey
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


def chance_of(outcomes: Iterable[tuple[Any, int]], then: Callable[[Any], Node]) -> Chance:
    """The dice show one of ``outcomes`` ((what is seen, weight) pairs): ``then`` says what follows."""
    falls = outcomes if isinstance(outcomes, Falls) else None
    return Chance(((weight, then(seen)) for seen, weight in outcomes), falls)


def as_plain(word: Node) -> Any:
    """A word as plain values: two that say the same are equal."""
    if isinstance(word, Chance):
        return Chance, [(weight, as_plain(after)) for weight, after in word.outcomes]
    if isinstance(word, Decision):
        return Decision, [(name, as_plain(after)) for name, after in word.moves]
    if isinstance(word, FirstLegal):
        return FirstLegal, [as_plain(after) for after in word.words]
    return type(word), [getattr(word, name) for name in word.__slots__]


def at_least(word: Node, known: Bounded) -> Decision:
    """What is no worse for the mover than ``word``, and of which nothing more is known than these bounds."""
    return Decision([("no worse", word), ("known", known)])


def named_moves(word: Node, word_of: Callable[..., Node]) -> dict[str, Node]:
    """Every move of one decision by name, in the game's own order, those of nested choices after the outer one's.

    ``word_of(*state)`` is the word of a state that a move without a name leads to. Raises ModelError where two moves of
    one name are different moves: one of them would not be listed.
    """
    found: dict[str, Node] = {}
    seen: set[NodeKey] = set()
    level: list[Node] = [word]
    while level:
        deeper: list[Node] = []
        for here in level:
            for name, after in here.moves if isinstance(here, Decision) else ():
                if name is not None:
                    listed = found.setdefault(name, after)
                    if listed is not after and as_plain(listed) != as_plain(after):
                        raise ModelError(f"two different moves are called '{name}'")
                    continue
                inner = after
                while isinstance(inner, Goto) and inner.state not in seen:
                    seen.add(inner.state)
                    inner = word_of(*inner.state)
                if isinstance(inner, Decision):
                    deeper.append(inner)
                elif not isinstance(inner, Goto):
                    raise ModelError(f"a move without a name leads to {inner!r}, not to a choice")
        level = deeper
    return found
