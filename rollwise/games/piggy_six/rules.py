"""Piggy Six: roll and add up as often as you dare; a six loses the turn, two sixes lose the whole score.

The rule sheet's game of up to three dice, and its lone game against robots, are variants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rollwise.solver.model.dice import Faces, grouped
from rollwise.solver.model.errors import ParameterError, StateError
from rollwise.solver.model.fields import NO_LIMIT, Field, Number, number_form
from rollwise.solver.model.game import (
    OTHER,
    Boards,
    Bounded,
    Chance,
    Columns,
    Decision,
    End,
    FirstLegal,
    Game,
    Goto,
    Node,
    NodeKey,
    Position,
    Transition,
    at_least,
    chance_of,
    parameter,
)
from rollwise.solver.model.turn_points import Hand, PointGame, ResultPoints, TurnPhrases

NOTHING, ZERO = 0, "zero"  # results of a turn that banks no points: it earns nothing; the score goes to zero
AHEAD, AT_LEAST = "ahead", "at least"  # results with points: these, where boards represent them; or these at least
ROBOT = "robot"  # last in the states of a robot's turn
CHASE = "chase"  # last in the states of a game's last turn, which has to pass the other player's score
CHOOSE = 0  # instead of a number of dice still to be chosen
SEATS = 3  # at a table
MAX_ROBOTS = 2
MAX_TARGET_OF_TWO = 120  # robots: takes 6 GB
STOPS = (2, 30)  # the lowest and the highest total that a robot may stop at
MAX_TARGET_OF_THREE = 50  # the highest target for three with which policy iteration was tried and ends at stable moves
PAST_TARGET = 60  # points past the target up to which a turn is solved; rolling on from there is bounded


def throw_effect(faces: Faces) -> int | str:
    """The effect of a throw: its sum, or NOTHING with one six, or ZERO with more."""
    sixes = faces.count(6)
    return sum(faces) if sixes == 0 else NOTHING if sixes == 1 else ZERO


@dataclass(frozen=True)
class PiggySix(PointGame):
    """Duel; the value of a board is P(the player to move wins) + P(draw) / 2."""

    name = "piggy-six"
    labels: ClassVar = {"seat": "Your place in the round", "dice": "Dice chosen for this turn"}
    title = "Piggy Six"
    source = "Piggy Six"
    rules = (
        "Throw two dice and add their sum to your turn. One six: the turn is over and earns nothing. Two sixes or "
        "more: the same, and your whole score goes back to zero. After each throw you may hold and bank the turn's "
        "points, or roll again; you roll at least once. When a player holds with the target or more, the round is "
        "played to its end, so that all have had equally many turns; the highest score wins, and equal scores share. "
        "You may roll on past the target, to be harder to catch. With max_dice=3 you roll one, two or three dice, as "
        "you choose once per turn (choose=turn) or afresh for each throw (choose=roll, which to the best play is all "
        "the same). With robots=8,14 you play alone against two robots, and go first: one holds as soon as its turn "
        "has 8 points or more, the other from 14 on, whatever the score."
    )
    kind = "duel"
    measure = "win"
    unit = "probability"
    words = TurnPhrases(bust="a six loses the turn's points, two sixes the whole score too")

    target: int = parameter(100, "points that end the game", low=2, high=200)
    players: int = parameter(2, f"how many play; three with a target up to {MAX_TARGET_OF_THREE}", choices=(2, 3))
    max_dice: int = parameter(2, "two dice always, or one to three at choice", choices=(2, 3))
    choose: str = parameter(
        "turn",
        "with three dice: when to choose how many; to the best play it is all the same",
        choices=("turn", "roll"),
    )
    robots: tuple[int, ...] = parameter(
        (),
        f"robots' stopping totals, e.g. 8,14: you play alone against them; two with target up to {MAX_TARGET_OF_TWO}",
        form={"form": "list", "fewest": 0, "most": MAX_ROBOTS, "each": number_form(*STOPS)},
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        listed = ",".join(map(str, self.robots)) if isinstance(self.robots, tuple) else self.robots
        are_few = isinstance(self.robots, tuple) and len(self.robots) <= MAX_ROBOTS
        if not are_few or not all(STOPS[0] <= n <= STOPS[1] for n in self.robots):
            raise ParameterError(f"'piggy-six' parameter robots is one or two totals from 2 to 30, got {listed}")
        if self.choose == "roll" and self.max_dice == 2:
            raise ParameterError("'piggy-six' parameter choose=roll needs max_dice=3")
        if len(self.robots) == MAX_ROBOTS and self.target > MAX_TARGET_OF_TWO:
            raise ParameterError(
                f"'piggy-six' against two robots has a target up to {MAX_TARGET_OF_TWO} (more takes more memory than a "
                f"laptop has), got {self.target}",
                field="target",
            )
        if self.robots and self.players != 2:
            raise ParameterError("'piggy-six' against robots is played alone; leave out players", field="players")

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """The duel, the table of three, or the lone game where there are robots."""
        from rollwise.games.piggy_six.robots import PiggySixAgainstRobots
        from rollwise.games.piggy_six.table import PiggySixTable

        if parameters.get("players") != SEATS or parameters.get("robots"):
            return (PiggySixAgainstRobots if parameters.get("robots") else PiggySix)(**parameters)
        game = PiggySixTable(**parameters)
        if game.target > MAX_TARGET_OF_THREE:
            raise ParameterError(
                f"'piggy-six' for three is solved with target up to {MAX_TARGET_OF_THREE}, got {game.target}: in "
                "longer games more best moves follow each other in cycles, and stable moves have not been sought",
                hint=f"-p players=3 -p target={MAX_TARGET_OF_THREE}",
                field="players",
            )
        return game

    # --- the turn ------------------------------------------------------------------------------------------------

    def roots(self) -> Sequence[NodeKey]:
        """A turn starts with nothing; with three dice, their number is chosen first. The last turn is a chase."""
        dice = CHOOSE if self.max_dice == 3 else 2
        return [(0, dice), (0, dice, CHASE)]

    def root(self, board: Columns) -> Any:
        """1 for the last turn of a game, else 0."""
        return (board.theirs >= self.target) * 1

    def turn(self, total: int, dice: int, *stage: str) -> Node:
        """The mover's turn: ``total`` points so far, ``dice`` to roll (CHOOSE: as many as the mover likes)."""
        if stage and total >= self.enough(*stage):
            return Decision([("hold", self.hold_node(total, *stage))])
        return self.decision(total, dice, *stage, cut=not stage and total >= self.enough())

    def decision(self, total: int, dice: int, *stage: str, cut: bool = False) -> Decision:
        """Hold, or roll; a throw without a six leads to ``cut``, or to the next state."""
        rolls = self.rolls(total, dice, *stage, cut=cut)
        return Decision([("hold", self.hold_node(total, *stage)), *rolls] if total else rolls)

    def rolls(self, total: int, dice: int, *stage: Any, cut: bool) -> list[tuple[str, Node]]:
        """The moves that roll these dice, or, with CHOOSE, each number of them; ``cut`` as in ``decision``."""

        def roll(number: int) -> Chance:
            after = CHOOSE if self.choose == "roll" else number

            def then(shown: Any) -> Node:
                if shown in (NOTHING, ZERO):
                    return End(shown)
                return Bounded(0, 1) if cut else Goto(total + shown, after, *stage)

            return chance_of(grouped(number, throw_effect), then)

        numbers = range(1, self.max_dice + 1) if dice == CHOOSE else [dice]
        return [("roll" if dice else f"roll {number}", roll(number)) for number in numbers]

    def hold_node(self, total: int, *stage: str) -> Node:
        """Bank the total, even one above those that a solved turn can make."""
        if stage or total < self.enough() + 5 * self.max_dice:
            return End(total)
        return FirstLegal([End((AHEAD, total)), at_least(End((AT_LEAST, total)), Bounded(0, 1))])

    def unsolved_node(self, total: int, dice: int, *stage: str) -> Node | None:
        """The choice of a player so far ahead, who may still roll; after one more throw the cut applies."""
        return self.decision(total, dice, *stage) if total >= self.enough(*stage) else None

    def enough(self, *stage: str) -> int:
        """Totals from here on are cut: in a chase they win; else one more throw without a six has the bounds 0 to 1.

        These bounds are tight enough: they prove that a player so far ahead holds.
        """
        return self.target + PAST_TARGET + (self.target + 5 * self.max_dice if stage else 0)

    # --- the boards ----------------------------------------------------------------------------------------------

    def boards(self) -> Boards:
        """Scores, the mover's first, and the mover's seat in the round; only the first seat can be past the target."""
        highest = self.target + self.enough() + 5 * self.max_dice
        return Boards(mine=self.target, theirs=highest, seat=2)

    def possible(self, board: Columns) -> Any:
        """A player in seat 0 moves only while the target is not reached."""
        return (board.theirs < self.target) | (board.seat == 1)

    def reachable(self, board: Mapping[str, Any]) -> bool | None:
        """Two dice add at least 2 points; the last boards stand for higher scores and chases too, so None."""
        if board["theirs"] == self.boards().ranges["theirs"][-1]:
            return None
        if self.max_dice == 2 and 1 in (board["mine"], board["theirs"]):
            return False
        return None if board["theirs"] > self.target else True  # not every such score is a possible turn

    def transition(self, board: Columns, result: Any) -> Transition:
        """The new score and the next mover; the game ends with the round in which a player reaches the target."""
        if isinstance(result, tuple):
            return self.far_ahead_transition(board, *result)
        score = 0 * board.mine if result == ZERO else board.mine + result
        last = (board.seat == 1) & ((score >= self.target) | (board.theirs >= self.target))
        return Transition(
            won=last & (score > board.theirs),
            drawn=last & (score == board.theirs),
            over=last,
            next={"mine": board.theirs, "theirs": score, "seat": 1 - board.seat},
            mover=OTHER,
        )

    def far_ahead_transition(self, board: Columns, what: str, total: int) -> Transition:
        """A score beyond the boards: only the lead over the other player's score matters in the last turn.

        So both scores are lowered equally; where the other player's score is too low for that, the lead counts as more.
        """
        score = board.mine + total
        less = np.maximum(0, score - self.boards().ranges["theirs"].stop + 1)
        second = board.seat == 1
        return Transition(
            legal=second | (less <= board.theirs) | (what == AT_LEAST),
            won=second,
            next={"mine": np.maximum(0, board.theirs - less), "theirs": score - less, "seat": 1 - board.seat},
            mover=OTHER,
        )

    def level(self, board: Columns) -> Any:
        """The last turn of a game comes after all others; scores can go back to zero, so the rest is one component."""
        return (board.theirs >= self.target) * 1

    def order(self, board: Columns) -> Any:
        """High scores first: their values affect those of lower ones more than the other way round."""
        return board.mine + board.theirs

    # --- questions -----------------------------------------------------------------------------------------------

    def fields(self) -> Sequence[Field]:
        """Scores, the turn's total, the seat in the round and, with three dice, their number."""
        return [
            Number("mine", "the mover's score", 0, self.target - 1),
            Number("theirs", "the other player's score", 0, NO_LIMIT),
            Number("turn", "points gathered this turn", 0, NO_LIMIT, of="turn"),
            Number("seat", "0 if the mover is first in the round, 1 if second", 0, 1),
            *self.dice_field(),
        ]

    def dice_field(self) -> list[Field]:
        """The number of dice chosen, where there is a choice for the whole turn."""
        chosen = self.max_dice == 3 and self.choose == "turn"
        return [Number("dice", "how many dice were chosen for this turn", 1, 3, of="turn")] if chosen else []

    def turn_state(self, turn: int, dice: int | None) -> NodeKey:
        """The state of the turn in a question."""
        if self.max_dice == 2:
            return (turn, 2)
        if self.choose == "roll":
            return (turn, CHOOSE)
        if turn and dice is None:
            raise StateError(f"with turn={turn} say how many dice were chosen for this turn (dice=1 to 3)")
        if dice is not None and not turn:
            raise StateError("dice is chosen with the first roll; leave it out while turn=0")
        return (turn, dice or CHOOSE)

    def locate(self, mine: int = 0, theirs: int = 0, turn: int = 0, seat: int = 0, dice: int | None = None) -> Position:
        """The position of a question; scores beyond the boards are both lowered equally."""
        if theirs >= self.target and seat == 0:
            raise StateError(
                f"theirs={theirs} has reached the target of {self.target}, so this is the last turn: seat=1"
            )
        highest = self.boards().ranges["theirs"].stop - 1
        less = max(0, theirs - highest)
        if less > mine:
            raise StateError(f"theirs is from 0 to {highest + mine} with mine={mine}, got {theirs}", field="theirs")
        board = {"mine": mine - less, "theirs": theirs - less, "seat": seat}
        stage = (CHASE,) if theirs >= self.target else ()
        return Position(board, (*self.turn_state(turn, dice), *stage))

    def impossible(self, position: Position) -> str:
        """A throw that does not end the turn adds at least a point a die."""
        total, dice = position.state[:2]
        many = {2: "two", 3: "three"}.get(dice)
        return f"turn={total} is impossible: a throw of {many} dice adds {dice} points or more" if many else ""

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        total, dice, *stage = state
        if bool(stage) != (board["theirs"] >= self.target):
            return
        shown = {"dice": dice} if self.dice_field() and dice != CHOOSE else {}
        yield {"mine": board["mine"], "theirs": board["theirs"], "turn": total, "seat": board["seat"], **shown}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """Both scores as they are, even beyond the boards."""
        if result is None:
            return {"mine": fields["mine"], "theirs": fields["theirs"]}
        return {"mine": fields["theirs"], "theirs": self.score_after(fields["mine"], result)}

    def score_after(self, mine: int, result: Any) -> int:
        """The mover's score after a turn."""
        if result == ZERO:
            return 0
        return mine + int(result[1] if isinstance(result, tuple) else result)

    # --- odds of a turn ----------------------------------------------------------------------------------------------

    @property
    def most_more(self) -> int:
        """The mean gain of rolling for ever: at most five points a die, and six throws of one die until a six."""
        return 5 * self.max_dice * 6

    def question_board(self, fields: Mapping[str, Any], position: Position) -> Mapping[str, Any]:
        """Both scores as they are, even beyond the boards."""
        return {**position.board, "mine": fields.get("mine", 0), "theirs": fields.get("theirs", 0)}

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """Each number of dice that may be rolled."""
        return [Hand(dice, (0, dice)) for dice in ([2] if self.max_dice == 2 else range(1, self.max_dice + 1))]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int:
        """The turn's total is at stake."""
        return int(state[0])

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """A six loses the turn; two sixes also cost the mover's whole score."""
        if result in (NOTHING, ZERO):
            return ResultPoints(-board["mine"] if result == ZERO else 0, bust=True)
        return ResultPoints(result[1] if isinstance(result, tuple) else result)

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """Sixes by their cost; a player who reaches the target waits for those who have a turn left."""
        if result in (NOTHING, ZERO):
            return "one six: the turn is lost" if result == NOTHING else "more sixes: everything is lost"
        reached = self.score(board) + self.result_points(board, result).points >= self.target
        return "the target is reached" if reached else ""

    def score(self, board: Mapping[str, Any]) -> int:
        """The mover's score before the turn."""
        return int(board["mine"])
