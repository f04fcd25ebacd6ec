"""Shut the Box: shut the boxes that your rolls name until a roll names none; the open boxes are your score, low wins.

Number 5 of TACTIC's 21 dice games. Alone for the lowest score or for shutting them all; at a table each player takes
one turn, and the lowest score wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from rollwise.solver.model.dice import Faces, roll, show
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Numbers
from rollwise.solver.model.game import (
    Boards,
    Columns,
    Decision,
    End,
    Game,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    parameter,
)
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.turn_points import PointGame, ResultPoints, TurnPhrases

Boxes = tuple[int, ...]  # box numbers, ascending

LARGEST_FACE = 6


@dataclass(frozen=True)
class ShutTheBox(PointGame):
    """Alone; the value is the lowest expected score, the sum of the boxes that are open when the turn ends."""

    name = "shut-the-box"
    labels: ClassVar = {"open": "Boxes still open", "target": "At most left open", "best": "Lowest score so far"}
    title = "Shut the Box"
    picture = (5, "34", "Two dice to shut the boxes 1 to 9.")
    has_final_score = True
    like = (("double shutter", "one row of nine boxes, and a throw shuts the box of its sum or those of its two dice"),)
    caveat = (
        "This sheet's rule is not the usual one, by which any open boxes with the throw's sum are shut: that leaves "
        "11.01 points on average, this one 24.63 (nine boxes, basic)."
    )
    source = "TACTIC rules for dice games"
    rules = (
        "Boxes 1 to 9 start open. Throw two dice and shut either the box of their sum or the two boxes of the two "
        "dice, which must differ; whatever is shut must be open before. A roll that fits has to be played, then you "
        "throw again. A roll that fits nothing ends the turn, and the open boxes add up to your score; with every box "
        "shut the turn ends at 0. Once 7, 8 and 9 are shut, choose before each throw between one die, which shuts its "
        "own box, and two dice, which then only count as a pair of boxes. In the variant partial, two dice that do "
        "not fit may still shut one box that one of them shows (never their sum) before the turn ends. At a table "
        "each player takes one turn, in seat order; the lowest score wins, and equal lowest scores share. "
    ) + caveat
    kind: ClassVar[str] = "solo"
    measure: ClassVar[Literal["score", "win"]] = "score"
    unit = "points"
    sense: ClassVar[Literal["min", "max"]] = "min"
    scale: ClassVar[int] = 45  # all nine boxes
    total = 0
    cyclic = False
    words = TurnPhrases(
        bust="one that fits nothing ends the turn, and costs nothing",
        reached="or fewer",
        gain="shuts",
        place="open",
        no_more="no box is left open",
    )
    low_is_good = True
    busts = False

    players: int = parameter(1, "one to play alone, two to six at a table", low=1, high=6)
    variant: str = parameter(
        "basic", "partial: a roll that does not fit may shut one box", choices=("basic", "partial")
    )
    objective: str = parameter(
        "score", "score, clear or reach (alone), win (table)", choices=("score", "clear", "reach", "win")
    )
    boxes: int = parameter(9, "number of boxes; fewer only to try the game out", low=3, high=9, trial=True)

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """Alone the lowest score, or the best chance to shut all or enough boxes; at a table the best chance to win."""
        from rollwise.games.shut_the_box import variants

        players = parameters.get("players", 1)
        fitting = ("score", "clear", "reach") if players == 1 else ("win",)
        objective = parameters.setdefault("objective", fitting[0])
        if objective not in fitting:
            objectives = " or ".join([", ".join(fitting[:-1]), fitting[-1]] if fitting[:-1] else fitting)
            raise ParameterError(f"'shut-the-box' with players={players} has objective {objectives}, got {objective}")
        at_table = variants.ShutTheBoxDuel if players == 2 else variants.ShutTheBoxTable
        alone = {"score": ShutTheBox, "clear": variants.ShutTheBoxClear, "reach": variants.ShutTheBoxReach}
        return {**alone, "win": at_table}[objective](**parameters)

    def boards(self) -> Boards:
        """A single board: the game is one turn."""
        return Boards(game=1)

    # --- one turn ----------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """A turn starts with every box open."""
        return [(self.all_boxes(),)]

    def turn(self, open: Boxes, roll: Faces | None = None) -> Node:
        """The ``open`` boxes before a throw, or with a ``roll`` on the table that leaves something to decide."""
        if roll is not None:
            return self.play(open, roll)
        if self.one_die_allowed(open):
            return Decision([("one die", self.throw(open, 1)), ("two dice", self.throw(open, 2))])
        return Decision([("roll", self.throw(open, 2))])

    def throw(self, open: Boxes, dice: int) -> Node:
        """Throw the dice; a useless roll ends the turn."""
        return roll(dice, lambda faces: Goto(open, faces) if self.useful(open, faces) else End(sum(open)))

    def play(self, open: Boxes, roll: Faces) -> Node:
        """Shut boxes that fit and throw again; or shut a last box, or none, and end the turn."""
        fitting = self.fitting(open, roll)
        if fitting:
            return Decision((f"shut {show(shut)}", self.left_open(open, shut)) for shut in fitting)
        last = [(f"shut {box}", End(sum(open) - box)) for box in self.last_boxes(open, roll)]
        return Decision([*last, ("leave", End(sum(open)))])

    def left_open(self, open: Boxes, shut: Boxes) -> Node:
        """The next throw once these boxes are shut, if any box is left."""
        still_open = tuple(box for box in open if box not in shut)
        return Goto(still_open) if still_open else End(0)

    def fitting(self, open: Boxes, roll: Faces) -> list[Boxes]:
        """The boxes that a roll may shut: one for each die, or (not when one die would do) their sum."""
        ways = [roll] if len(set(roll)) == len(roll) else []
        if not self.one_die_allowed(open):
            ways.append((sum(roll),))
        return [boxes for boxes in ways if set(boxes) <= set(open)]

    def last_boxes(self, open: Boxes, roll: Faces) -> Boxes:
        """Variant partial: the box that two dice may shut although they do not fit (if both could, they would fit)."""
        if self.variant == "basic" or len(roll) == 1:
            return ()
        return tuple(sorted(set(roll) & set(open)))

    def useful(self, open: Boxes, roll: Faces) -> bool:
        """True where a roll shuts any box at all."""
        return bool(self.fitting(open, roll) or self.last_boxes(open, roll))

    def one_die_allowed(self, open: Boxes) -> bool:
        """True once the boxes that no single die shows (7, 8 and 9) are shut; with six boxes or fewer, always."""
        return all(box <= LARGEST_FACE for box in open)

    def all_boxes(self) -> Boxes:
        """Every box."""
        return tuple(range(1, self.boxes + 1))

    # --- the end of a turn --------------------------------------------------------------------------------------

    def transition(self, board: Columns, score: int) -> Transition:
        """The score is the outcome."""
        return Transition(over=True, reward=score)

    # --- questions ---------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The open boxes, and the dice once they are thrown."""
        return [
            Numbers("open", "the boxes that are open", 1, self.boxes, from_to=True, of="turn", drawn="tiles"),
            FacesField("roll", "the faces on the table now", 1, 2),
        ]

    def locate(self, open: Boxes | None = None, roll: Faces | None = None) -> Position:
        """The position of a question."""
        return Position({"game": 0}, self.locate_turn(open, roll))

    def locate_turn(self, open: Boxes | None, roll: Faces | None) -> NodeKey:
        """The state of the turn; raises StateError where it is over already, or impossible."""
        boxes = self.all_boxes() if open is None else tuple(sorted(open))
        if not boxes:
            raise StateError("every box is shut", field="open", over="the turn is over with 0 points")
        large = show(self.all_boxes()[LARGEST_FACE:])
        one_die = self.one_die_allowed(boxes)
        if not one_die and 1 not in boxes and set(range(2, LARGEST_FACE + 1)) <= set(boxes):
            raise StateError(
                f"open names all of 2 to {LARGEST_FACE} but not 1: until {large} are all shut, "
                f"box 1 is only shut together with one of those"
            )
        if roll is None:
            return (boxes,)
        if len(roll) == 1 and not one_die:
            raise StateError(
                f"roll shows one die, but box {boxes[-1]} is open; until {large} are all shut give two dice"
            )
        if not self.useful(boxes, roll):
            raise StateError(
                f"roll {show(roll)} fits no open box", over=f"the turn is over with {count_of(sum(boxes), 'point')}"
            )
        return (boxes, roll)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        yield dict(zip(("open", "roll"), state, strict=False))

    # --- odds of a turn ----------------------------------------------------------------------------------------

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int | None:
        """The boxes that are open; with a roll on the table some are still to be shut."""
        return None if state[1:] else sum(state[0])

    def result_points(self, board: Mapping[str, Any], score: int) -> ResultPoints:
        """The boxes that are open at the end."""
        return ResultPoints(score)

    def ending_name(self, board: Mapping[str, Any], score: int, marks: frozenset[str]) -> str:
        """The points left open, in tens."""
        if score == 0:
            return "every box shut"
        low = score - score % 10
        return f"{max(low, 1)} to {low + 9} left open"
