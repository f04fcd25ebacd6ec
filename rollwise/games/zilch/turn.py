"""A turn of Six-Dice Zilch: its throws, the chase of a last turn, and its state as the fields of a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rollwise.games.zilch.scoring import (
    DICE,
    MUST,
    NONE,
    SPECIALS,
    STEP,
    TRIO_OF_ONES,
    keeps,
    roll_look,
    rolls_with,
    smaller_keeps,
    totals_of_pass,
    trio_counts,
)
from rollwise.solver.model.dice import Faces, counted, grouped, show
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import NO_LIMIT, Faces as FacesField, Field, Number, YesNo
from rollwise.solver.model.game import SAME, Chance, Columns, Decision, End, Goto, Node, NodeKey, Transition, chance_of
from rollwise.solver.model.moves import parse_move
from rollwise.solver.model.turn_points import PointGame

BUST, ZILCH = "bust", "zilch"  # results of a turn that earns nothing: with fewer than six dice; with six
CHASE = "chase"  # first in the states of a last turn against a player who is far past the goal
ENOUGH, AGAIN = "enough", "again"  # results of a chase: stop with these points, or throw all six dice again
PAST_GOAL = 4000  # points past the goal up to which a crossing turn is solved; beyond, it is bounded
FORCED = 4000  # points past that up to which compulsory throws are solved
CROSSING = 500  # least points of a turn that reaches the goal
MAX_THROW_POINTS = 2000  # of one throw: six ones
TURN_FIELDS: tuple[Field, ...] = (
    Number("turn", "points gathered this turn, without the roll", 0, NO_LIMIT, STEP, of="turn"),
    Number("dice", "how many dice will be thrown next", 1, DICE, of="turn"),
    Number("trio", "the face of the three of a kind on the board, kept from one throw", 1, 6, of="turn", if_fits=True),
    YesNo("must_roll", "true after a special throw: all six dice have to be thrown", of="turn", if_fits=True),
    FacesField("roll", "the faces on the table now", 1, DICE),
)


def trio_face(trio: Any) -> int:
    """The face of the trio on the board, or NONE."""
    return NONE if trio == MUST else int(trio)


def throw_beside(dice: int, trio: Any, nothing: Node, then: Callable[..., Node]) -> Chance:
    """Throw so many dice: ``then(dice that can score, special name)``, or ``nothing``."""
    return chance_of(grouped(dice, roll_look(trio_face(trio))), lambda looked: then(*looked) if looked else nothing)


def kept_or_scored(
    go: Callable[[int, int, Any], Node], before: NodeKey, dice: int, trio: int, scorers: Faces, name: str
) -> Decision:
    """The choice of dice to keep of these ``scorers``; ``go(points, dice to throw next, trio)`` is the next node.

    Ways to count all of them are moves of this state; to keep fewer is a move of the states with fewer dice seen.
    """
    moves: list[tuple[str | None, Node]] = [(f"score {name}", go(SPECIALS[name], DICE, MUST))] if name else []
    moves += [(move, go(points, n_next, trio_after)) for move, points, n_next, trio_after in keeps(scorers, trio, dice)]
    return Decision([*moves, *((None, Goto(*before, dice, trio, less, "")) for less in smaller_keeps(scorers, trio))])


class LastTurn(PointGame):
    """The chase, part by part, and the scores beyond the goal that boards hold."""

    goal: int
    opening: int

    def chase(self, total: int, dice: int, trio: Any, scorers: Faces | None = None, name: str = "") -> Node:
        """A part of a last turn that needs many points: until all six dice are used.

        The points needed after that are on the next board, so the state need not hold those of the whole turn.
        """

        def go(points: int, n_left: int, next_trio: Any) -> Node:
            return Goto(CHASE, total + points, n_left, next_trio)

        if scorers is not None:
            return kept_or_scored(go, (CHASE, total), dice, trio, scorers, name)
        stop = "stop", End((ENOUGH, total))
        if trio == MUST:
            return End((AGAIN, total))
        if dice == DICE and total:
            return Decision([stop, ("roll", End((AGAIN, total)))])
        rolled = throw_beside(dice, trio, End(BUST), lambda *table: Goto(CHASE, total, dice, trio, *table))
        return Decision([stop, ("roll", rolled)] if total else [("roll", rolled)])

    def near(self) -> int:
        """The highest score (in points) past the goal that a board holds as it is, and the highest total with fields.

        In a last turn against it the cut is reached only with more than is needed.
        """
        return self.goal + PAST_GOAL - STEP

    def far(self) -> int:
        """``theirs`` on a board of a chase that needs no more points, only a throw that scores."""
        return self.near() // STEP + 1

    def highest_turn(self) -> int:
        """The most points of a turn that is followed."""
        return self.goal + PAST_GOAL + FORCED + MAX_THROW_POINTS

    def max_chased_points(self) -> int:
        """The most points that a last turn can need: against the highest score, from none."""
        return self.goal - STEP + self.highest_turn() + STEP

    def points_needed(self, mine: Any, theirs: Any) -> Any:
        """The points a last turn needs, in steps of 50: more than the leader has, and the least that counts."""
        least = np.where(mine == 0, max(self.opening, CROSSING), CROSSING) // STEP
        return np.maximum(theirs - mine + 1, least)

    def chase_transition(self, board: Columns, what: str, total: int) -> Transition:
        """The end of a chase, or of a part of it."""
        still_needed = board.theirs - self.far() - total // STEP
        if what == ENOUGH:
            return Transition(legal=still_needed <= 0, won=True)
        return Transition(next={"mine": board.mine, "theirs": self.far() + np.maximum(still_needed, 0)}, mover=SAME)


# --- questions about a turn ------------------------------------------------------------------------------------------


def turn_state(
    turn: int = 0, dice: int | None = None, trio: int | None = None, must_roll: bool = False, roll: Faces | None = None
) -> NodeKey:
    """The state of the turn in a question; raises StateError for impossible fields."""
    if roll is not None and dice not in (None, len(roll)):
        raise StateError(f"roll shows {len(roll)} dice, but dice says {dice}; leave dice out")
    if roll is None and dice is None and turn and not must_roll:
        raise StateError(f"with turn={turn} say how many dice are left (dice=1 to {DICE}) or the roll")
    number = len(roll) if roll is not None else dice or DICE
    if trio is not None and number > DICE - 3:
        raise StateError(f"beside a trio on the board 1 to {DICE - 3} dice are left to throw, got {number}")
    if must_roll and number < DICE:
        raise StateError(f"after a special throw all {DICE} dice must be thrown, got {number}")
    stands = NONE if trio in (None, 1) else int(trio)
    check_total(turn, number, stands, TRIO_OF_ONES if trio == 1 else 0, tuple(SPECIALS.values()) if must_roll else ())
    if roll is None:
        return (turn, number, MUST if must_roll else stands)
    look = roll_look(stands)(roll)
    if look is None:
        raise StateError(f"roll {show(roll)} scores nothing", over="the turn is over")
    return (turn, number, stands, *look)


def check_score(opening: int, name: str, score: int) -> None:
    """Raise StateError for an impossible score."""
    if 0 < score < opening:
        raise StateError(f"{name} is 0, or {opening} (the opening) or more, got {score}")


def check_total(turn: int, dice: int, trio: int, least: int, first: Sequence[int]) -> None:
    """Raise StateError where no way of keeping dice gathers ``turn`` points and leaves so many dice beside this trio.

    The points are those of one pass through the dice (``first``: these points), after any that used up all six before;
    these are never fewer than six fives. A trio of ones has made 1000 points at ``least``.
    """
    passes = sorted(first or totals_of_pass()[dice, trio])
    fewest = max(passes[0], least)
    if _can_be(turn, passes, least):
        return
    with_trio = f" beside a trio of {show((trio,) * 3)}" if trio else " beside a trio of 1 1 1" if least else ""
    lowest = (
        f"the dice kept before make {fewest} points or more"
        if turn < fewest
        else "no dice that are kept make so many points"
    )
    says_none = trio == NONE and not least and not first
    by_trio = {face: sorted(totals) for (n, face), totals in totals_of_pass().items() if n == dice and trio_face(face)}
    others = [f"trio={face}" for face in sorted(by_trio) if says_none and _can_be(turn, by_trio[face], 0)]
    also = f"; it is possible with {' or '.join(others)}" if others else ""
    raise StateError(
        f"turn={turn} is impossible with {counted(dice)} to throw{with_trio}: {lowest}{also}", hint=(*others, "")[0]
    )


def _can_be(turn: int, passes: Sequence[int], least: int) -> bool:
    """True if a turn can make so many points; ``passes``: all points of one pass through the dice, ascending."""
    return turn >= max(passes[0], least) and (turn in passes or turn >= DICE * STEP + passes[0])


def table_after(fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...]) -> dict[str, Any]:
    """The dice and points on the table after a move of a turn, as fields of the next question.

    >>> table_after({"turn": 0, "roll": (1, 1, 1, 2, 3, 4)}, "keep 1 1 1 for 1000", ())
    {'turn': 1000, 'dice': 3, 'trio': 1, 'must_roll': None, 'roll': None}
    """
    turn, trio = fields["turn"], fields.get("trio")
    if thrown:
        return {"turn": turn, "dice": None, "trio": trio, "must_roll": None, "roll": thrown[-1]}
    done = parse_move(move)
    dice, points = done.dice, done.points or SPECIALS[done.box]
    if not dice:
        return {"turn": turn + points, "dice": DICE, "trio": None, "must_roll": True, "roll": None}
    n_left = len(fields["roll"]) - len(dice)
    if dice.count(1) >= 3 and points >= TRIO_OF_ONES:  # five singles make less
        trio = 1
    elif trio != 1:
        trio = next(face for worth, face in trio_counts(dice, trio or NONE) if worth == points) or None
    return {
        "turn": turn + points,
        "dice": n_left or DICE,
        "trio": trio if n_left else None,
        "must_roll": None,
        "roll": None,
    }


def turn_fields(state: NodeKey) -> Iterator[dict[str, Any]]:
    """The fields of a state of the turn, once for each roll."""
    total, dice, trio, *table = state
    shown = {"turn": total, **({"trio": trio} if trio_face(trio) else {})}
    if not table:
        yield {**shown, "dice": dice, **({"must_roll": True} if trio == MUST else {})}
    yield from ({**shown, "roll": roll} for roll in (rolls_with(dice, trio, *table) if table else ()))
