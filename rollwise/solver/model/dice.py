"""Six-sided dice: throws with integer weights, and turns in which any dice may be thrown again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from rollwise.solver.model.game import Chance, Decision, Goto, Node, NodeKey, TurnGame, chance_of
from rollwise.solver.model.throws import Faces, Falls, falls

__all__ = ["Faces"]  # a word of dice too; it lives in ``solver.model.throws``

d6 = Falls(((face, 1) for face in range(1, 7)), 1, sum)
next_die = Falls(d6, 1, sum, joins=True)  # one more die of the same throw


@cache
def throws(dice: int) -> Falls:
    """Every throw of so many dice, faces ascending, with the number of ways it can fall (of ``6 ** dice``).

    >>> len(throws(5)), sum(ways for _, ways in throws(5))
    (252, 7776)
    """
    return falls(dice, tuple)


@cache
def grouped(dice: int, by: Callable[[Faces], Any]) -> Falls:
    """Throws of so many dice counted by ``by(faces)``: (what is seen, ways) pairs, in order of first appearance.

    >>> grouped(2, sum)[:3]
    ((2, 1), (3, 2), (4, 3))
    """
    return falls(dice, by)


def roll(dice: int, then: Callable[[Faces], Node]) -> Chance:
    """Throw so many dice; ``then`` says what follows each throw (faces ascending)."""
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


def dice_of(move: str) -> Faces:
    """The dice that a move names, as ``show`` has them: ``keep 5 5 6``, ``keep nothing``, ``keep 1 1 for 200``.

    >>> dice_of("keep 5 5 6"), dice_of("keep nothing"), dice_of("keep 1 1 for 200")
    ((5, 5, 6), (), (1, 1))
    """
    return tuple(int(word) for word in move.partition(" for ")[0].split() if word.isdigit())


def counted(dice: int) -> str:
    """How many dice.

    >>> counted(1), counted(3)
    ('1 die', '3 dice')
    """
    return f"{dice} {'die' if dice == 1 else 'dice'}"


class AnyDiceAgain:
    """A turn of ``throws`` throws of ``dice`` dice, in which any dice may be thrown again after each but the last.

    Dice are thrown one at a time and left one at a time, so that equal hands are one node: the states are
    ``(left, kept, "throw")`` while dice fall, ``(left, dice, "roll")`` when all lie on the table with ``left`` throws
    to come, and ``(left, held, "hold")`` while the player picks up dice. ``score(dice)`` ends the turn.
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

    def turn(self, left: int, dice: Faces, stage: str) -> Node:
        """The word of one state."""
        if stage == "throw":
            if (left, dice, stage) == self.first():
                return roll(
                    self.dice, lambda faces: Goto(left, faces, "roll")
                )  # no hand to come from but the empty one
            if len(dice) == self.dice:
                return Goto(left, dice, "roll")
            return chance_of(next_die, lambda face: Goto(left, with_face(dice, face), "throw"))
        if stage == "roll":
            if left == 0:
                return self.score(dice)
            return Decision([(None, self.score(dice)), *self._fewer(left, dice)])
        keep = ("keep " + show(dice), Goto(left - 1, dice, "throw"))
        return Decision([keep, *self._fewer(left, dice)])

    def _fewer(self, left: int, dice: Faces) -> Iterator[tuple[None, Node]]:
        for face in sorted(set(dice)):
            yield None, Goto(left, without(dice, face), "hold")


class DiceSetAside:
    """A turn of ``throws`` throws of ``dice`` dice; what is set aside after a throw stays, the rest is thrown again.

    The states are ``(left, kept)`` with ``left`` throws to come for all dice but those ``kept``, the last of them one
    die at a time, so that equal hands are one node; ``(left, kept, rolled)`` when a throw lies on the table and others
    are to come; ``(left, kept, held, sure)`` while the player decides which dice of it to hold; and ``(0, dice)`` when
    every die has its last face. ``score(dice)`` ends the turn. At least ``at_least`` dice of each throw are set aside.
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

    def turn(self, left: int, kept: Faces, held: Faces | None = None, sure: int = 0) -> Node:
        """The word of one state."""
        if held is not None:
            return Decision(self._hold(left, kept, held, sure))
        if left == 0:
            return self.score(kept)
        if left == 1:
            return chance_of(next_die, lambda face: self._on(1, with_face(kept, face)))
        return roll(self.dice - len(kept), lambda rolled: Goto(left - 1, kept, rolled))

    def _hold(self, left: int, kept: Faces, held: Faces, sure: int) -> Iterator[tuple[str | None, Node]]:
        """Dice of a throw are held, the first ``sure`` of them for good: set them aside, or hold fewer.

        After the first throw dice are given up one by one: the player comes to few different hands. Later, with dice
        set aside before, the player decides from die to die, to hold it or none of its face that are left: then what is
        still to be decided is one node, however the dice before it came to be kept.
        """
        if left == self.throws - 1:
            yield self._set_aside(left, kept, held)
            fewer = [(without(held, face), 0) for face in sorted(set(held))]
        elif sure < len(held):
            yield None, Goto(left, kept, held, sure + 1)
            fewer = [(held[:sure] + tuple(face for face in held[sure:] if face != held[sure]), sure)]
        else:
            yield self._set_aside(left, kept, held)
            fewer = []
        for hand, certain in fewer:
            if len(hand) >= self.at_least:
                yield None, Goto(left, kept, hand, certain)

    def _set_aside(self, left: int, kept: Faces, held: Faces) -> tuple[str | None, Node]:
        """These dice are set aside; all of them together end the turn, which has its own moves."""
        hand = tuple(sorted((*kept, *held)))
        return (None if len(hand) == self.dice else "keep " + show(held)), self._on(left, hand)

    def _on(self, left: int, kept: Faces) -> Node:
        return Goto(0 if len(kept) == self.dice else left, kept)


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
        """The dice say what may be thrown again; the first throw must be made."""
        word = self.dice.turn(*state)
        return Decision([("roll", word)]) if state == self.dice.first() else word

    def before_rolls(self) -> dict[int, NodeKey]:
        """By the number of throws to come, the state of a turn in which no die lies yet."""
        return self.dice.before_rolls()
