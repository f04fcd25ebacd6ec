"""Six-sided dice: throws with integer weights, and turns in which any dice may be thrown again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from rollwise.solver.model.game import Chance, Decision, Goto, Node, NodeKey, TurnGame, chance_of
from rollwise.solver.model.moves import keep_move
from rollwise.solver.model.throws import Faces, ThrowDistribution, throw_distribution

__all__ = ["Faces"]  # for game files; it is defined in ``solver.model.throws``

d6 = ThrowDistribution(((face, 1) for face in range(1, 7)), 1, sum)
next_die = ThrowDistribution(d6, 1, sum, joins=True)  # one more die of the same throw


@cache
def throws(dice: int) -> ThrowDistribution:
    """Every throw of so many dice, faces ascending, with the number of ways it can fall (of ``6 ** dice``).

    >>> len(throws(5)), sum(ways for _, ways in throws(5))
    (252, 7776)
    """
    return throw_distribution(dice, tuple)


@cache
def grouped(dice: int, by: Callable[[Faces], Any]) -> ThrowDistribution:
    """Throws of so many dice grouped by ``by(faces)``: (observation, ways) pairs, in order of first appearance.

    >>> grouped(2, sum)[:3]
    ((2, 1), (3, 2), (4, 3))
    """
    return throw_distribution(dice, by)


def roll(dice: int, then: Callable[[Faces], Node]) -> Chance:
    """A chance node that throws so many dice; ``then(faces)`` is the node that follows (faces ascending)."""
    return chance_of(throws(dice), then)


def without(dice: Faces, face: int) -> Faces:
    """These dice less one that shows ``face``."""
    place = dice.index(face)
    return dice[:place] + dice[place + 1 :]


def with_face(dice: Faces, face: int) -> Faces:
    """These dice and one more that shows ``face``, faces ascending."""
    return tuple(sorted((*dice, face)))


def show(dice: Faces) -> str:
    """Dice as they are named in moves: ``5 5 6``, or ``nothing``."""
    return " ".join(map(str, dice)) or "nothing"


def counted(dice: int) -> str:
    """A number of dice with its noun.

    >>> counted(1), counted(3)
    ('1 die', '3 dice')
    """
    return f"{dice} {'die' if dice == 1 else 'dice'}"


class AnyDiceAgain:
    """A turn of ``throws`` throws of ``dice`` dice, in which any dice may be thrown again after each but the last.

    Dice fall one at a time and are picked up one at a time, so that equal hands are one node: the states are
    ``(n_left, dice, "throw")`` while dice fall, ``(n_left, dice, "roll")`` when all lie on the table with ``n_left``
    throws to come, and ``(n_left, dice, "hold")`` while the player picks up dice. ``score(dice)`` ends the turn.
    """

    def __init__(self, dice: int, throws: int, score: Callable[[Faces], Node]) -> None:
        self.dice = dice
        self.throws = throws
        self.score = score

    def first(self) -> NodeKey:
        """The state before the first throw."""
        return (self.throws - 1, (), "throw")

    def before_rolls(self) -> dict[int, NodeKey]:
        """The states in which all dice are to be thrown, by how many throws are to come."""
        return {rolls: (rolls - 1, (), "throw") for rolls in range(1, self.throws + 1)}

    def turn(self, n_left: int, dice: Faces, stage: str) -> Node:
        """The node of one state."""
        if stage == "throw":
            if (n_left, dice, stage) == self.first():
                return roll(
                    self.dice, lambda faces: Goto(n_left, faces, "roll")
                )  # the empty hand is the only one before it
            if len(dice) == self.dice:
                return Goto(n_left, dice, "roll")
            return chance_of(next_die, lambda face: Goto(n_left, with_face(dice, face), "throw"))
        if stage == "roll":
            if n_left == 0:
                return self.score(dice)
            return Decision([(None, self.score(dice)), *self._fewer(n_left, dice)])
        keep = (keep_move(dice), Goto(n_left - 1, dice, "throw"))
        return Decision([keep, *self._fewer(n_left, dice)])

    def _fewer(self, n_left: int, dice: Faces) -> Iterator[tuple[None, Node]]:
        for face in sorted(set(dice)):
            yield None, Goto(n_left, without(dice, face), "hold")


class DiceSetAside:
    """A turn of ``throws`` throws of ``dice`` dice; dice set aside after a throw stay, the rest is thrown again.

    The states are ``(n_left, aside)`` with ``n_left`` throws to come for all dice but those ``aside``, the last of them
    one die at a time, so that equal hands are one node; ``(n_left, aside, rolled)`` when a throw lies on the table and
    others are to come; ``(n_left, aside, hand, n_sure)`` while the player decides which of its dice to hold; and
    ``(0, dice)`` at the end, with ``score(dice)``. At least ``at_least`` dice of each throw are set aside.
    """

    def __init__(self, dice: int, throws: int, score: Callable[[Faces], Node], at_least: int = 0) -> None:
        self.dice = dice
        self.throws = throws
        self.score = score
        self.at_least = at_least

    def first(self) -> NodeKey:
        """The state before the first throw."""
        return (self.throws, ())

    def before_rolls(self) -> dict[int, NodeKey]:
        """The states in which all dice are to be thrown, by how many throws are to come."""
        fewest = self.throws if self.at_least else 1
        return {rolls: (rolls, ()) for rolls in range(fewest, self.throws + 1)}

    def turn(self, n_left: int, aside: Faces, hand: Faces | None = None, n_sure: int = 0) -> Node:
        """The node of one state."""
        if hand is not None:
            return Decision(self._hold(n_left, aside, hand, n_sure))
        if n_left == 0:
            return self.score(aside)
        if n_left == 1:
            return chance_of(next_die, lambda face: self._on(1, with_face(aside, face)))
        return roll(self.dice - len(aside), lambda rolled: Goto(n_left - 1, aside, rolled))

    def _hold(self, n_left: int, aside: Faces, hand: Faces, n_sure: int) -> Iterator[tuple[str | None, Node]]:
        """Moves with the dice of ``hand`` held, the first ``n_sure`` of them for good: set them aside, or hold fewer.

        After the first throw the player puts back dice one by one, which makes few different hands. Later, with dice
        set aside before, the player decides from die to die, to hold it or none of the rest of its face: then the open
        decision is one node, however the dice before it were set aside.
        """
        if n_left == self.throws - 1:
            yield self._set_aside(n_left, aside, hand)
            fewer = [(without(hand, face), 0) for face in sorted(set(hand))]
        elif n_sure < len(hand):
            yield None, Goto(n_left, aside, hand, n_sure + 1)
            fewer = [(hand[:n_sure] + tuple(face for face in hand[n_sure:] if face != hand[n_sure]), n_sure)]
        else:
            yield self._set_aside(n_left, aside, hand)
            fewer = []
        for smaller, n_certain in fewer:
            if len(smaller) >= self.at_least:
                yield None, Goto(n_left, aside, smaller, n_certain)

    def _set_aside(self, n_left: int, aside: Faces, hand: Faces) -> tuple[str | None, Node]:
        """The move that sets these dice aside; all of them together end the turn, which has its own moves."""
        dice = tuple(sorted((*aside, *hand)))
        return (None if len(dice) == self.dice else keep_move(hand)), self._on(n_left, dice)

    def _on(self, n_left: int, aside: Faces) -> Node:
        return Goto(0 if len(aside) == self.dice else n_left, aside)


class DiceGame(TurnGame):
    """A game whose turns are those of its ``dice``, from before their first throw."""

    @property
    def dice(self) -> AnyDiceAgain | DiceSetAside:
        """The dice of a turn."""
        raise NotImplementedError

    def roots(self) -> list[NodeKey]:
        """Before the first throw."""
        return [self.dice.first()]

    def turn(self, *state: Any) -> Node:
        """The node of the dice; the first throw must be made."""
        node = self.dice.turn(*state)
        return Decision([("roll", node)]) if state == self.dice.first() else node

    def before_rolls(self) -> dict[int, NodeKey]:
        """The state of a turn before any die lies, by the number of throws to come."""
        return self.dice.before_rolls()
