"""Nodes of a turn, the transition of a result, and the position of a question.

A node is a chance node (``Chance``), a decision (``Decision``), the first legal of several nodes (``FirstLegal``), a
link to another state (``Goto``), an end (``End``), or a value bounded past a proven cut (``Bounded``).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.spaces import Column
from rollwise.solver.model.throws import ThrowDistribution

NodeKey: TypeAlias = tuple[Any, ...]
Node: TypeAlias = "Chance | Decision | FirstLegal | Goto | End | Bounded"

SAME, OTHER = False, True


class Chance:
    """A chance node: ``outcomes`` are (integer weight, node) pairs.

    ``throws``, one entry an outcome, are the dice that it stands for; None where no dice fall. Only ``solver.turn.
    successors`` reads them: two nodes that differ in nothing else are equal.
    """

    __slots__ = ("outcomes", "throws")

    def __init__(self, outcomes: Iterable[tuple[int, Node]], throws: ThrowDistribution | None = None) -> None:
        self.outcomes = tuple(outcomes)
        self.throws = throws


class Decision:
    """A decision of the mover: ``moves`` are (name, node) pairs in the game's own order, which breaks ties.

    A move named ``None`` leads to a further ``Decision`` that belongs to the same decision: its moves are listed
    with those of this one (so "which dice to keep" can be built one die at a time).
    """

    __slots__ = ("moves",)

    def __init__(self, moves: Iterable[tuple[str | None, Node]]) -> None:
        self.moves = tuple(moves)


class FirstLegal:
    """The first legal of ``nodes`` follows: for questions past the solved turn (``TurnGame.unsolved_node``).

    ``compile_turn`` refuses it in a solved turn.
    """

    __slots__ = ("nodes",)

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(nodes)


class Goto:
    """A link to another state of the same turn: ``Goto(total, dice)`` is the node ``game.turn(total, dice)``."""

    __slots__ = ("state",)

    def __init__(self, *state: Any) -> None:
        self.state: NodeKey = state


class End:
    """An end of the turn with this result; ``reward`` (points of the turn itself) is added to its value."""

    __slots__ = ("result", "reward")

    def __init__(self, result: Hashable, reward: int | Fraction = 0) -> None:
        self.result = result
        self.reward = reward


class Bounded:
    """A node past a proven cut, with no more than bounds: ``lower <= value <= upper``."""

    __slots__ = ("lower", "upper")

    def __init__(self, lower: int | Fraction, upper: int | Fraction) -> None:
        self.lower = lower
        self.upper = upper


@dataclass(frozen=True)
class Transition:
    """The transition of one result on a block of boards: columns, or single values for all of them.

    ``next`` are the fields of the next board; ``mover`` is whose turn it is there, seen by the present mover:
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
    """Size of a turn: ``n_edges`` of its graph, and from each of ``roots``, in ``by_root``, (results, edges).

    ``some_results`` are results that show whether a turn leads from one board to another of its level.
    """

    n_edges: int
    by_root: tuple[tuple[int, int], ...]
    some_results: tuple[Any, ...]


@dataclass(frozen=True)
class Position:
    """The position of a question: a board, a state of the turn, the points scored so far, and the seat that moves.

    ``seats``: in luck games of several seats, the seat of each place on the board, the mover's first (without those no
    longer on it); None: all seats from the mover to the left.
    """

    board: Mapping[str, Any]
    state: NodeKey
    points: int | Fraction = 0
    mover: int = 0
    seats: tuple[int, ...] | None = None


@dataclass(frozen=True)
class LuckTransition:
    """The transition of one throw for all seats, in a game of luck whose boards are those of one player.

    ``fields`` of the next question, None where the game is over. ``earned``: the points of each seat (one
    number for a bet) that the game ``counts``; ``counting``: True where the next question goes on counting them.
    """

    fields: Mapping[str, Any] | None
    earned: tuple[Fraction, ...]
    counting: bool = True


def chance_of(outcomes: Iterable[tuple[Any, int]], then: Callable[[Any], Node]) -> Chance:
    """A chance node over ``outcomes``, (observation, weight) pairs; ``then(observation)`` is the node that follows."""
    throws = outcomes if isinstance(outcomes, ThrowDistribution) else None
    return Chance(((weight, then(observation)) for observation, weight in outcomes), throws)


def as_plain(node: Node) -> Any:
    """A node as plain values, by which equal nodes compare equal."""
    if isinstance(node, Chance):
        return Chance, [(weight, as_plain(after)) for weight, after in node.outcomes]
    if isinstance(node, Decision):
        return Decision, [(name, as_plain(after)) for name, after in node.moves]
    if isinstance(node, FirstLegal):
        return FirstLegal, [as_plain(after) for after in node.nodes]
    return type(node), [getattr(node, name) for name in node.__slots__]


def at_least(node: Node, bounds: Bounded) -> Decision:
    """A decision that is no worse for the mover than ``node``, and has nothing else but these bounds."""
    return Decision([("no worse", node), ("known", bounds)])


def moves_by_name(node: Node, node_for: Callable[..., Node]) -> dict[str, Node]:
    """Moves of one decision by name, in the game's own order, those of nested choices after the outer one's.

    ``node_for(*state)`` is the node of a state that a move without a name leads to. Raises ModelError where two moves
    of one name differ: one of them would not be listed.
    """
    moves: dict[str, Node] = {}
    visited: set[NodeKey] = set()
    level: list[Node] = [node]
    while level:
        deeper: list[Node] = []
        for choice in level:
            for name, after in choice.moves if isinstance(choice, Decision) else ():
                if name is not None:
                    first = moves.setdefault(name, after)
                    if first is not after and as_plain(first) != as_plain(after):
                        raise ModelError(f"two different moves are called '{name}'")
                    continue
                nested = after
                while isinstance(nested, Goto) and nested.state not in visited:
                    visited.add(nested.state)
                    nested = node_for(*nested.state)
                if isinstance(nested, Decision):
                    deeper.append(nested)
                elif not isinstance(nested, Goto):
                    raise ModelError(f"a move without a name leads to {nested!r}, not to a choice")
        level = deeper
    return moves
