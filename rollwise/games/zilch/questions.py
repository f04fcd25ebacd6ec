"""The state of a turn of Six-Dice Zilch as the fields of a question, and the errors for an impossible one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rollwise.games.zilch.scoring import (
    DICE,
    MUST,
    NONE,
    SPECIALS,
    STEP,
    TRIO_OF_ONES,
    roll_look,
    rolls_with,
    totals_of_pass,
    trio_counts,
    trio_face,
)
from rollwise.solver.model.dice import Faces, counted, show
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import NO_LIMIT, Faces as FacesField, Field, Number, YesNo
from rollwise.solver.model.game import NodeKey
from rollwise.solver.model.moves import parse_move

TURN_FIELDS: tuple[Field, ...] = (
    Number("turn", "points gathered this turn, without the roll", 0, NO_LIMIT, STEP, of="turn"),
    Number("dice", "how many dice will be thrown next", 1, DICE, of="turn"),
    Number("trio", "the face of the three of a kind on the board, kept from one throw", 1, 6, of="turn", if_fits=True),
    YesNo("must_roll", "true after a special throw: all six dice have to be thrown", of="turn", if_fits=True),
    FacesField("roll", "the faces on the table now", 1, DICE),
)


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
