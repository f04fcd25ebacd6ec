"""Six-Dice Zilch alone: the fewest turns, the best chance of a few turns, or the best single turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rollwise.games.objectives.turn_limit import TURNS_LEFT, TurnLimit
from rollwise.games.zilch.rules import Zilch
from rollwise.games.zilch.scoring import CONSOLATION, DICE, MUST, NONE, SPECIALS, STEP, max_mean_gain, stopping_total
from rollwise.games.zilch.turn import (
    AGAIN,
    BUST,
    CROSSING,
    FORCED,
    TURN_FIELDS,
    ZILCH,
    check_score,
    turn_fields,
    turn_state,
)
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.fields import Field, Number
from rollwise.solver.model.game import Boards, Bounded, Columns, Decision, End, Node, NodeKey, Position, Transition
from rollwise.solver.model.turn_points import ResultPoints


@dataclass(frozen=True)
class ZilchTurns(Zilch):
    """Alone; the value of a board is the least expected number of turns to the goal, the present one included."""

    kind = "solo"
    measure = "turns"
    unit = "turns"
    sense = "min"
    scale = 10  # half a turn lost by one choice is much
    total = 0

    def roots(self) -> Sequence[NodeKey]:
        """A turn starts with nothing and six dice; or it has made enough, but all six must be thrown again."""
        return [(0, DICE, NONE), (self.enough(), DICE, MUST)]

    def root(self, board: Columns) -> Any:
        """The root by the board's ``forced``."""
        return board.forced

    def enough(self) -> int:
        """The least points of a turn that may be stopped and reaches the goal."""
        return max(self.goal, self.opening, CROSSING)

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """With enough points the player stops; where throws are compulsory the surplus is dropped."""
        if total < self.enough() or (total == self.enough() and trio == MUST):
            return None
        return End(AGAIN) if trio == MUST else Decision([("stop", End(self.enough()))])

    def on(self, total: int, points: int, n_left: int, next_trio: Any) -> Node:
        """A player with enough points, whose throw was compulsory, stops."""
        had_to = total >= self.enough() and next_trio != MUST
        return End(self.enough()) if had_to else super().on(total, points, n_left, next_trio)

    def cut(self, total: int, trio: Any) -> Node | None:
        """No cut."""
        return None

    def boards(self) -> Boards:
        """The player's score in steps of 50, and whether the turn has enough points and must be thrown on."""
        return Boards(mine=self.goal // STEP, forced=2)

    def possible(self, board: Columns) -> Any:
        """No score is between 0 and the opening."""
        return (board.mine == 0) | (board.mine >= self.opening // STEP)

    def transition(self, board: Columns, result: Any) -> Transition:
        """One more turn, or a special throw in a turn that has enough points."""
        if result == AGAIN:
            return Transition(next={"mine": board.mine, "forced": 1})
        if result in (BUST, ZILCH):
            return Transition(next={"mine": board.mine + self.consolation(board, result), "forced": 0}, reward=1)
        score = board.mine + result // STEP
        reached = score >= self.goal // STEP
        return Transition(legal=self.counts(board, result), over=reached, next={"mine": score, "forced": 0}, reward=1)

    def level(self, board: Columns) -> Any:
        """The score never falls."""
        return board.mine

    def fields(self) -> list[Field]:
        """The score and the turn."""
        mine = Number("mine", "the player's score", 0, self.goal - STEP, STEP)
        return [mine, *TURN_FIELDS]

    def locate(self, mine: int = 0, **turn: Any) -> Position:  # type: ignore[override]  # there is no other player
        """The position of a question."""
        check_score(self.opening, "mine", mine)
        state = turn_state(**turn)
        forced = self.forced(state)
        state = (self.enough(), *state[1:]) if forced else state
        return Position({"mine": mine // STEP, "forced": int(forced)}, state)

    def forced(self, state: NodeKey) -> bool:
        """True if a turn with enough points must go on, or has just thrown on."""
        total, _, trio, *table = state
        return total >= self.enough() and (trio == MUST or bool(table))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position."""
        forced = self.forced(state)
        if forced == board["forced"] and (state[0] <= self.enough() or not forced):
            for fields in turn_fields(state):
                turn = max(state[0], DICE * STEP + min(SPECIALS.values())) if forced else state[0]  # a possible total
                yield {"mine": STEP * board["mine"], **fields, "turn": turn}

    def after(
        self, fields: Mapping[str, Any], move: str, thrown: tuple[Faces, ...], result: Any
    ) -> dict[str, Any] | None:
        """A turn that has enough points and must be thrown on is still the same turn."""
        return super().after(fields, move, thrown, None if result == AGAIN else result)

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """The surplus over the goal is not followed, nor the rest of a turn that throws all dice again."""
        if result == AGAIN:
            return ResultPoints(self.enough(), or_more=True, unsure=True)
        points = super().result_points(board, result)
        return replace(points, or_more=not points.bust and points.points >= self.enough())


@dataclass(frozen=True)
class ZilchReach(TurnLimit, ZilchTurns):  # type: ignore[misc]  # there is no other player to locate
    """Alone; the value of a board is the best P(the goal is reached ``within`` so many turns, this one included)."""

    def boards(self) -> Boards:
        """The player's score in steps of 50, the turns that are left, and whether the turn must be thrown on."""
        return Boards(mine=self.goal // STEP, within=TURNS_LEFT, forced=2)

    def transition(self, board: Columns, result: Any) -> Transition:
        """As where turns are counted, but the last turn ends with the goal reached, or without."""
        turn = super().transition(board, result)
        if result == AGAIN:
            return replace(turn, next={**(turn.next or {}), "within": board.within})
        over = turn.over | (board.within == 1)
        return replace(turn, over=over, won=turn.over, reward=0, next={**(turn.next or {}), "within": board.within - 1})


@dataclass(frozen=True)
class ZilchPoints(Zilch):
    """One turn, no goal; the value is the best expected number of points.

    The end is exact where the player may stop: a throw loses the turn with chance b and else adds m points at most on
    average, compulsory throws and the consolation included, so from ``b * total >= m`` on, for all
    dice, throwing on can only lower what is expected, and so can any later throw.
    """

    kind = "solo"
    measure = "points"
    unit = "points"
    scale = 500  # a good turn
    total = 0

    def roots(self) -> Sequence[NodeKey]:
        """The one turn."""
        return [(0, DICE, NONE)]

    def root(self, board: Columns) -> Any:
        """The same root with a score and without."""
        return board.opened * 0

    def enough(self) -> int:
        """The first total at which throwing on never pays."""
        return stopping_total()

    def past(self, total: int, dice: int, trio: Any) -> Node | None:
        """The player stops; compulsory throws are followed on, then bounded by the points they can add on average."""
        if trio == MUST:
            followed = total < self.enough() + FORCED
            return None if followed else Bounded(0, total + max_mean_gain(DICE, NONE))
        return Decision([("stop", End(total))]) if total >= self.enough() else None

    def cut(self, total: int, trio: Any) -> Node | None:
        """No other cut."""
        return None

    def boards(self) -> Boards:
        """Whether the player has a score."""
        return Boards(opened=2)

    def possible(self, board: Columns) -> Any:
        """Always possible."""
        return board.opened >= 0

    def transition(self, board: Columns, result: Any) -> Transition:
        """The game ends with the turn."""
        if result in (BUST, ZILCH):
            return Transition(over=True, reward=board.opened * (CONSOLATION if result == ZILCH else 0))
        return Transition(legal=(board.opened == 1) | (result >= self.opening), over=True, reward=result)

    def level(self, board: Columns) -> Any:
        """One level."""
        return board.opened * 0

    def fields(self) -> list[Field]:
        """The score, which matters only where it is 0, and the turn."""
        mine = Number("mine", "the player's score", 0, max(self.goal - STEP, self.opening), STEP)
        return [mine, *TURN_FIELDS]

    def locate(self, mine: int = 0, **turn: Any) -> Position:  # type: ignore[override]  # there is no other player
        """The position of a question."""
        check_score(self.opening, "mine", mine)
        return Position({"opened": int(mine > 0)}, turn_state(**turn))

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterator[dict[str, Any]]:
        """The fields of a position, with the lowest score that fits the board."""
        if state[0] <= self.enough():
            yield from ({"mine": self.opening * board["opened"], **fields} for fields in turn_fields(state))

    def result_points(self, board: Mapping[str, Any], result: Any) -> ResultPoints:
        """The consolation goes to a player with a score, however high that is."""
        if result in (BUST, ZILCH):
            return ResultPoints(CONSOLATION * board["opened"] if result == ZILCH else 0, bust=True)
        return ResultPoints(result)

    def ending_name(self, board: Mapping[str, Any], result: Any, marks: frozenset[str]) -> str:
        """Past the end every player stops."""
        followed = result in (BUST, ZILCH) or result < self.enough()
        return super().ending_name(board, result, marks) if followed else f"banked, {self.enough()} or more"
