"""What a roll scores in a box, by the game's own rules: the last throw of a turn lies on the table, nothing is filled.

Score sheets name their boxes. In Zilch and Ten Thousand a box is the dice of a first throw that are kept, as in
``1 1 1``, or what all six of them are scored as.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

from rollwise.games.claims.replay import begin, moves, replay, told
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.model.errors import BadInput, DiceError, StateError, UnknownName
from rollwise.solver.model.fields import Faces as FacesField
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import quoted

FILLS = re.compile(r"score (?P<box>[^+]+?)(?: (?P<points>\d+))?")  # Killer says the points too
KEEPS = re.compile(r"keep (?P<box>[1-6](?: [1-6])*) for (?P<points>\d+)")
NOTHING = "nothing"  # a move, and no box


def score(game: TurnGame, roll: Any, box: str) -> Fraction:
    """The most points that this roll scores in a box; 0 where it may not be entered there.

    Raises BadInput for a game that scores in no boxes, a box that it does not have, and a roll that it cannot have.

    >>> from rollwise.games.registry import game
    >>> score(game("killer"), (4, 4, 5, 5, 1), "doubles"), score(game("ten-thousand"), (1, 1, 1, 5, 2, 3), "1 1 1")
    (Fraction(18, 1), Fraction(1000, 1))
    """
    wanted = " ".join(box.lower().replace("_", " ").replace("-", " ").split())
    boxes, keeps = _boxes(game)
    if not boxes and not keeps:
        raise BadInput(f"{game.name} has no boxes to score in", field="box")
    dice: Faces = _dice(game).parse(roll)
    if re.fullmatch("[1-6]( [1-6])*", wanted) and keeps:
        wanted = show(tuple(sorted(map(int, wanted.split()))))
        if Counter(wanted.split()) - Counter(map(str, dice)):
            raise DiceError(f"box '{box}' keeps dice that the roll {show(dice)} does not have", field="box")
    elif wanted not in {name.replace("-", " ") for name in boxes}:
        raise UnknownName(f"{game.name} has no box {quoted(box)}; {_listed(boxes, keeps)}", field="box")
    return max(_offered(game, dice, wanted), default=Fraction(0))


def _dice(game: TurnGame) -> FacesField:
    """The field that holds the dice on the table."""
    found = [field for field in game.fields() if field.name == "roll" and isinstance(field, FacesField)]
    if not found:
        raise BadInput(f"{game.name} has no boxes to score in", field="box")
    return found[0]


def _state(game: TurnGame, dice: Faces) -> dict[str, Any]:
    last = {"rolls_left": 0} if any(field.name == "rolls_left" for field in game.fields()) else {}
    return {"roll": dice, **last}


def _offered(game: TurnGame, dice: Faces, wanted: str) -> list[Fraction]:
    """The points of these dice in a box, for each move that enters them there."""
    state = _state(game, dice)
    try:
        before = begin(game, state)
    except StateError:
        if len(dice) < _dice(game).most:
            raise
        return []  # all dice were thrown, and nothing was done before: there can be nothing to score
    found = []
    for move in moves(game, before):
        named = _named(move)
        if named is not None and named["box"].replace("-", " ") == wanted:
            points = named["points"]
            found.append(Fraction(points) if points else _gained(game, state, move))
    return found


def _named(move: str) -> re.Match[str] | None:
    named = FILLS.fullmatch(move) or KEEPS.fullmatch(move)
    return None if named is None or named["box"] == NOTHING else named


def _gained(game: TurnGame, state: dict[str, Any], move: str) -> Fraction:
    """What a move earns, or adds to the points of a turn that goes on."""
    after = replay(game, state, [(None, move)])
    gained = after.points - begin(game, state).points
    goes_on = not gained and not after.over and any(field.name == "turn" for field in game.fields())
    return gained + Fraction(told(game, after)["turn"]) if goes_on else gained


@cache
def _boxes(game: TurnGame) -> tuple[tuple[str, ...], bool]:
    """All boxes that some throw may be entered in, and whether dice are kept for points."""
    boxes: dict[str, None] = {}
    keeps = False
    for dice, _ in throws(_dice(game).most):
        try:
            names = moves(game, begin(game, _state(game, dice)))
        except StateError:  # nothing scores
            continue
        for move in names:
            named = FILLS.fullmatch(move)
            if named is not None and named["box"] != NOTHING:
                boxes[named["box"]] = None
            keeps = keeps or KEEPS.fullmatch(move) is not None
    return tuple(boxes), keeps


def _listed(boxes: tuple[str, ...], keeps: bool) -> str:
    kept = ["dice that are kept, as '1 1 1'"] if keeps else []
    return f"boxes: {', '.join([*boxes, *kept])}"
