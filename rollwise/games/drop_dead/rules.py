"""Drop Dead: throw what is left of five dice until every die has shown a 2 or a 5; throws without them score.

Number 12 of TACTIC's 21 dice games. There is no choice, and no player's dice affect another, so the distribution
of the points of one player's go settles everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from rollwise.solver.markov_chains.chain import MAX_TAIL, Distribution, expected_rewards, reward_distribution
from rollwise.solver.markov_chains.independent import (
    BoundedDistribution,
    Bounds,
    convolve,
    distribution_quantity,
    quantity_by_seat,
    shares_of_highest,
)
from rollwise.solver.model.dice import Faces, counted, roll
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field, Number, Numbers
from rollwise.solver.model.game import (
    Boards,
    Columns,
    End,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    parameter,
)
from rollwise.solver.model.plain import count_of
from rollwise.solver.model.solution import Quantity
from rollwise.solver.model.turn_points import Hand, PointGame, PointSpread, ResultPoints, TurnPhrases
from rollwise.solver.turn.graph import TurnGraph

DICE = 5
DEADLY = (2, 5)
MAX_PLAYERS = 8
MAX_POINTS = 9_999  # in a question; play itself has no limit


def outcome_of(faces: Faces) -> tuple[int, int]:
    """(dice that drop dead, points) of one throw: it scores only if none drops.

    >>> outcome_of((2, 3, 4, 6, 6)), outcome_of((1, 3, 4, 6))
    ((1, 0), (0, 14))
    """
    dropped = sum(face in DEADLY for face in faces)
    return (dropped, 0) if dropped else (0, sum(faces))


@dataclass(frozen=True)
class RaceOdds:
    """The odds of a position: the mover's final score, and by seat (lower, upper) of its share of the win.

    A win shared by k players counts 1/k for each; ``shared`` bounds the chance of such a win. The bounds differ by the
    chance of a score past the cut. ``length`` is the mean number of rolls until the last player is done,
    ``lengths`` its distribution.
    """

    mean_score: Fraction
    score: Distribution
    win: tuple[Bounds, ...]
    shared: Bounds
    length: Fraction
    lengths: BoundedDistribution


@dataclass(frozen=True)
class DropDead(PointGame):
    """Luck; a board is the number of dice left, one throw is a turn, the value is the expected points still to come."""

    name = "drop-dead"
    labels: ClassVar = {"scores": "Scores: of those who have had their go", "dice": "Dice left"}
    title = "Drop Dead"
    like = (("bunco", "five dice, no number to aim at: twos and fives are lost, a throw without them scores its sum"),)
    source = "TACTIC rules for dice games"
    rules = (
        "Throw five dice. If any of them shows a 2 or a 5 the throw scores nothing and those dice are out; otherwise "
        "it scores the sum of its faces. Throw the dice that are left again, until none is, and pass five dice to the "
        "next player. Each player has one go; the most points win, and players who tie share the win."
    )
    kind = "alone"
    measure = "score"
    unit = "points"
    total = 0
    words = TurnPhrases(bust="with a 2 or a 5 the throw scores nothing, those dice are out")
    busts = False  # a go ends when no die is left, with any points

    players: int = parameter(2, "players, one go each", low=2, high=MAX_PLAYERS)

    def boards(self) -> Boards:
        """The dice left to the player who is throwing."""
        return Boards(dice=range(1, DICE + 1))

    def first_board(self) -> dict[str, int]:
        """A go starts with all dice."""
        return {"dice": DICE}

    def roots(self) -> list[NodeKey]:
        """One throw of each number of dice."""
        return [(dice,) for dice in range(1, DICE + 1)]

    def root(self, board: Columns) -> Any:
        """The root for the dice that are left."""
        return board.dice - 1

    def turn(self, dice: int) -> Node:
        """One throw."""
        return roll(dice, lambda faces: End(outcome_of(faces)))

    def transition(self, board: Columns, result: tuple[int, int]) -> Transition:
        """Dead dice are gone; with none left the go is over."""
        dropped, points = result
        dice = board.dice - dropped
        return Transition(legal=dice >= 0, over=dice == 0, next={"dice": dice}, reward=points)

    def level(self, board: Columns) -> Any:
        """Dead dice, which never come back."""
        return DICE - board.dice

    def fields(self) -> list[Field]:
        """The scores, the mover, and the mover's points and dice."""
        return [
            Numbers("scores", "scores by seat; the mover and later seats have 0", 0, MAX_POINTS, self.players),
            Number("mover", "the seat that is throwing", 0, self.players - 1),
            Number("turn", "points the mover has scored so far", 0, MAX_POINTS),
            Number("dice", "dice the mover has left", 1, DICE),
        ]

    def locate(
        self, scores: Sequence[int] | None = None, mover: int = 0, turn: int = 0, dice: int | None = None
    ) -> Position:
        """The position of a question."""
        for seat, score in enumerate(scores or ()):
            if seat >= mover and score:
                raise StateError(f"seat {seat} has not finished (mover={mover}), so its score is 0, got {score}")
        if dice is None and turn:
            raise StateError(f"with turn={turn} say how many dice are left (dice=1 to {DICE})")
        dice = dice or DICE
        if 0 < turn < dice or (dice == DICE and turn == DICE + 1):  # five dice without 2 and 5 show 5, 7, 8, 9, ...
            raise StateError(f"with {counted(dice)} left the mover cannot have {count_of(turn, 'point')}")
        return Position({"dice": dice}, (dice,), turn, mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, with no scores so far."""
        yield {"scores": (0,) * self.players, "mover": 0, "turn": 0, "dice": board["dice"]}

    # --- odds of a turn --------------------------------------------------------------------------------------------

    def hands(self, board: Mapping[str, Any], state: NodeKey) -> list[Hand]:
        """One to five dice."""
        return [Hand(dice, (dice,)) for dice in range(1, DICE + 1)]

    def points_in_hand(self, board: Mapping[str, Any], state: NodeKey) -> int:
        """0: points are never lost, so none are at stake."""
        return 0

    def result_points(self, board: Mapping[str, Any], result: tuple[int, int]) -> ResultPoints:
        """The points of a throw; a throw in which a die drops dead counts as a bust."""
        return ResultPoints(result[1], bust=result[0] > 0)

    def chain_points(self, graph: TurnGraph, position: Position) -> PointSpread:
        """The points of a whole go, until no die is left."""
        board = self.boards().index_of(**position.board)
        points = reward_distribution(self, graph, board).plus(int(position.points))
        mean = position.points + expected_rewards(self, graph)[board]
        return PointSpread(
            {points.first + i: chance for i, chance in enumerate(points.chances) if chance},
            None,
            (mean, mean),
            (points.end, points.beyond),
        )

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """Dice that drop dead are gone; with none left the next seat has its go, and the last one's ends the game."""
        mover, dice = fields.get("mover", 0), fields.get("dice", DICE)
        dropped, points = outcome_of(thrown)
        turn, dice_left = fields.get("turn", 0) + points, dice - dropped
        scores = [*(fields.get("scores") or (0,) * self.players)]
        nothing = (Fraction(0),) * self.players
        if dice_left:
            return LuckTransition({"scores": tuple(scores), "mover": mover, "turn": turn, "dice": dice_left}, nothing)
        scores[mover] = turn
        if mover + 1 < self.players:
            return LuckTransition({"scores": tuple(scores), "mover": mover + 1, "turn": 0, "dice": DICE}, nothing)
        best = [score == max(scores) for score in scores]
        return LuckTransition(None, tuple(Fraction(is_best, sum(best)) for is_best in best))

    # --- odds ------------------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """The mover's score, each seat's share of the win, and the number of rolls that the game still takes."""
        odds = self.odds(graph, **fields)
        return {
            "win": quantity_by_seat(odds.win),
            "shared": Quantity.between(*odds.shared, "probability"),
            "mean_score": Quantity.between(odds.mean_score, odds.mean_score, "points"),
            "score_distribution": distribution_quantity(odds.score),
            "length": Quantity.between(odds.length, odds.length, "rolls"),
            "length_distribution": odds.lengths.quantity(),
        }

    def outcome_at(self, graph: TurnGraph, fields: Mapping[str, Any], parent: Position) -> Any:
        """Shares of the win, without the length of the game."""
        return quantity_by_seat(self.shares_won(graph, **fields)[1])

    def shares_won(
        self,
        graph: TurnGraph,
        scores: Sequence[int] = (),
        mover: int = 0,
        turn: int = 0,
        dice: int = DICE,
        tail: Fraction | float = MAX_TAIL,
    ) -> tuple[Distribution, tuple[Bounds, ...], Bounds]:
        """The mover's score, shares of the win by seat, and the chance that it is shared (fields as ``locate``)."""
        now, fresh = (self.boards().index_of(dice=number) for number in (dice, DICE))
        mine = reward_distribution(self, graph, now, tail).plus(turn)
        later = reward_distribution(self, graph, fresh, tail)
        finished, after = [*(scores or (0,) * self.players)][:mover], self.players - 1 - mover
        return mine, *shares_of_highest(finished, [mine] + [later] * after)

    def odds(
        self,
        graph: TurnGraph,
        scores: Sequence[int] = (),
        mover: int = 0,
        turn: int = 0,
        dice: int = DICE,
        tail: Fraction | float = MAX_TAIL,
    ) -> RaceOdds:
        """The odds of a question (fields as ``locate``); distributions are cut where at most ``tail`` lies beyond."""
        now, fresh = (self.boards().index_of(dice=number) for number in (dice, DICE))
        after = self.players - 1 - mover
        mine, win, shared = self.shares_won(graph, scores, mover, turn, dice, tail)
        rolls = _Rolls(self.players)
        mean_rolls = expected_rewards(rolls, graph)
        rolls_now, rolls_fresh = (reward_distribution(rolls, graph, board, tail) for board in (now, fresh))
        return RaceOdds(
            mean_score=turn + expected_rewards(self, graph)[now],
            score=mine,
            win=win,
            shared=shared,
            length=mean_rolls[now] + after * mean_rolls[fresh],
            lengths=convolve([rolls_now] + [rolls_fresh] * after),
        )


class _Rolls(DropDead):
    """The same game with one point for every roll, so that its points are its length."""

    def transition(self, board: Columns, result: tuple[int, int]) -> Transition:
        """The same transition with a reward of 1."""
        return replace(super().transition(board, result), reward=1)
