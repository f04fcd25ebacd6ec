"""Score of a roll in a box, by the game's own rules: as the last throw of a turn, on an empty sheet.

Score sheets name their boxes. In Zilch and Ten Thousand a box is the dice of a first throw that are kept, as in
``1 1 1``, or what all six of them are scored as.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any

from rollwise.games.claims.replay import ReplayPosition, Step, begin, describe_position, moves, parse_steps, replay
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.model.errors import BadInput, DiceError, ModelError, StateError, UnknownName
from rollwise.solver.model.fields import Faces as FacesField
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import quoted

FILLS = re.compile(r"score (?P<box>[^+]+?)(?: (?P<points>\d+))?")  # Killer's moves have points too
KEEPS = re.compile(r"keep (?P<box>[1-6](?: [1-6])*) for (?P<points>\d+)")
NO_STATE: Mapping[str, Any] = MappingProxyType({})
NOTHING = "nothing"  # a move, and no box


def score(game: TurnGame, roll: Any, box: str, state: Mapping[str, Any] = NO_STATE, after: str = "") -> Fraction:
    """Most points that this roll scores in a box; 0 where it may not be entered there.

    ``state``: the fields of a question before it, such as a sheet with other boxes filled; ``after``: steps of the same
    turn before it.

    Raises BadInput for a game that scores in no boxes, a box that it does not have, and a roll that it cannot have.

    >>> from rollwise.games.registry import game
    >>> score(game("killer"), (4, 4, 5, 5, 1), "doubles"), score(game("ten-thousand"), (1, 1, 1, 5, 2, 3), "1 1 1")
    (Fraction(18, 1), Fraction(1000, 1))
    """
    box_name = " ".join(box.lower().replace("_", " ").replace("-", " ").split())
    boxes, keeps = _boxes(game)
    if not boxes and not keeps:
        raise BadInput(f"{game.name} has no boxes to score in", field="box")
    dice: Faces = _dice(game).parse(roll)
    if re.fullmatch("[1-6]( [1-6])*", box_name) and keeps:
        box_name = show(tuple(sorted(map(int, box_name.split()))))
        if Counter(box_name.split()) - Counter(map(str, dice)):
            raise DiceError(f"box '{box}' keeps dice that the roll {show(dice)} does not have", field="box")
    elif box_name not in {name.replace("-", " ") for name in boxes}:
        raise UnknownName(f"{game.name} has no box {quoted(box)}; {_list_boxes(boxes, keeps)}", field="box")
    return max(_points_offered(game, dice, box_name, state, parse_steps(after)), default=Fraction(0))


def _dice(game: TurnGame) -> FacesField:
    """Field of the dice on the table."""
    fields = [field for field in game.fields() if field.name == "roll" and isinstance(field, FacesField)]
    if not fields:
        raise BadInput(f"{game.name} has no boxes to score in", field="box")
    return fields[0]


def _state(game: TurnGame, dice: Faces) -> dict[str, Any]:
    last = {"rolls_left": 0} if any(field.name == "rolls_left" for field in game.fields()) else {}
    return {"roll": dice, **last}


def _points_offered(
    game: TurnGame, dice: Faces, box_name: str, state: Mapping[str, Any], steps: list[Step]
) -> list[Fraction]:
    """Points of these dice in a box, for each move that enters them there."""
    asked: Mapping[str, Any] = state if steps else {**state, **_state(game, dice)}
    steps = [*steps, (dice, None)] if steps else []
    try:
        before = replay(game, asked, steps)
    except StateError:
        if len(dice) < _dice(game).most:
            raise
        return []  # a full first throw with nothing to score
    except ModelError as error:
        raise BadInput(f"after: {error}", field="after") from None
    points_by_move = []
    for move in moves(game, before):
        match = _match_move(move)
        if match is not None and match["box"].replace("-", " ") == box_name:
            after = replay(game, asked, [*steps, (None, move)])
            points_by_move.append(Fraction(match["points"]) if match["points"] else _points_gained(game, before, after))
    return points_by_move


def _match_move(move: str) -> re.Match[str] | None:
    match = FILLS.fullmatch(move) or KEEPS.fullmatch(move)
    return None if match is None or match["box"] == NOTHING else match


def _points_gained(game: TurnGame, before: ReplayPosition, after: ReplayPosition) -> Fraction:
    """Points that a move earned, or added to a turn that goes on."""
    gained = after.points - before.points
    goes_on = not gained and not after.over and any(field.name == "turn" for field in game.fields())
    totals = [Fraction(describe_position(game, position)["turn"]) for position in ((after, before) if goes_on else ())]
    return gained + totals[0] - totals[1] if goes_on else gained


@cache
def _boxes(game: TurnGame) -> tuple[tuple[str, ...], bool]:
    """All boxes of the game, and True where dice are kept for points."""
    boxes: dict[str, None] = {}
    keeps = False
    for dice, _ in throws(_dice(game).most):
        try:
            names = moves(game, begin(game, _state(game, dice)))
        except StateError:  # nothing scores
            continue
        for move in names:
            match = FILLS.fullmatch(move)
            if match is not None and match["box"] != NOTHING:
                boxes[match["box"]] = None
            keeps = keeps or KEEPS.fullmatch(move) is not None
    return tuple(boxes), keeps


def _list_boxes(boxes: tuple[str, ...], keeps: bool) -> str:
    dice = ["dice that are kept, as '1 1 1'"] if keeps else []
    return f"boxes: {', '.join([*boxes, *dice])}"
