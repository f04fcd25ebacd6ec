"""Six By 6: set sixes aside until all six dice are posted; every roll after the first costs a point of carry.

Michael Williams (1977) calls this game one of pure luck. So it is where players post all that they can; but three
kinds of rolls only *may* be posted, and that is the only choice of a player. A round is played alone
(here), or one round each as a SET (``set``, ``chosen_set``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from rollwise.games.six_by_6.scoring import DICE, MAX_PLAYERS, POINTS, RACK, Result, RoundOdds, expected, full
from rollwise.solver.exact.equations import Rational, fraction, rational, solve
from rollwise.solver.markov_chains.chain import OVER, Steps, chain_from, expected_visits, memoize, turns_to_end
from rollwise.solver.markov_chains.independent import BoundedDistribution
from rollwise.solver.model.dice import Faces, roll, show
from rollwise.solver.model.errors import DiceError, ParameterError, StateError
from rollwise.solver.model.fields import Faces as FacesField, Field, Number
from rollwise.solver.model.game import (
    Boards,
    Bounded,
    Columns,
    End,
    Game,
    Goto,
    LuckTransition,
    Node,
    NodeKey,
    Position,
    Transition,
    TurnGame,
    parameter,
)
from rollwise.solver.model.outcome import outcome
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

MAX_CARRY = 199  # in a question; play itself has no limit
MAX_RISE = 100  # of a carry: its distribution is followed no further, as hardly any rises so much
ROLLS_A_DIE = 6  # expected rolls until a die shows a six


@dataclass(frozen=True)
class SixBy6Round(TurnGame):
    """Luck, one player's round; one roll is a turn. ``carry`` is the carry left once the coming roll is paid for.

    The value of a board is the expected score less the carry held: a carry point is worth one point in a rack.
    """

    name = "six-by-6"
    labels: ClassVar = {
        "carry": "Carry points: this roll paid for",
        "posted": "Dice posted: before this roll",
        "best": "Highest score so far",
    }
    title = "Six By 6"
    source = "Six By 6, by Michael Williams"
    rules = (
        "Roll six dice. Every 6 is posted: set aside and not rolled again. A roll earns carry points: for each face "
        "one less than the number of dice that show it, and one for each die posted. Then one carry point pays for the "
        "next roll of the dice that are left; if you have none to pay with, the round ends. Some rolls may be posted "
        "whole though they are not all sixes: with six dice six alike or 1-2-3-4-5-6, which earn 11 carry points, and "
        "with five dice 1-2-3-4-5, which earns 9. With posting=forced that is always done; with posting=free you may "
        "go on instead, and only the sixes are posted. With all six dice posted you have a rack: the round ends with "
        "36 points and one more for each carry point left. Any other round scores 6 points for each die posted and the "
        "sum of the dice that are left. In a SET each player has one round, in seat order; the most points win, and "
        "equal scores share."
    )
    kind: ClassVar[Literal["alone", "solo", "duel", "table"]] = "alone"
    outcome: ClassVar[Literal["mean_score", "win"]] = "mean_score"
    outcome_unit: ClassVar[Literal["points", "probability"]] = "points"
    measure: ClassVar[Literal["score", "win"]] = "score"
    unit: ClassVar[Literal["points", "probability"]] = "points"
    scale: ClassVar[int] = 36  # the six dice posted
    total: ClassVar[int] = 0
    far: ClassVar[int] = MAX_CARRY + 1 + MAX_RISE  # from this carry on the score is bounded, not solved
    most_carry: ClassVar[int] = MAX_CARRY  # in a question

    players: int = parameter(1, "more than one play a SET", low=1, high=MAX_PLAYERS)
    posting: str = parameter("forced", "free: special rolls need not be posted", choices=("forced", "free"))
    limit: int = parameter(0, "most carry kept for the next roll (0: any)", low=0, high=MAX_RISE - 1, trial=True)
    objective: str = parameter(
        "score", "score, or reach (alone with posting=free), win (a SET)", choices=("score", "reach", "win")
    )

    def boards(self) -> Boards:
        """Dice posted, and the carry; ``far`` stands for any carry from there on."""
        return Boards(posted=DICE, carry=(self.limit or self.far) + 1)

    def possible(self, board: Columns) -> Any:
        """With one die posted there is carry: a first six comes with a pair, or is posted whole with 1 to 5."""
        return (board.posted != 1) | (board.carry > 0)

    def level(self, board: Columns) -> Any:
        """Posted dice stay posted."""
        return board.posted

    # --- one roll ----------------------------------------------------------------------------------------------

    def roots(self) -> list[NodeKey]:
        """Rolls by the number of dice posted; then the same with a carry that is bounded."""
        counted = [(posted,) for posted in range(DICE)]
        return counted if self.limit else [*counted, *((posted, None, True) for posted in range(DICE))]

    def root(self, board: Columns) -> Any:
        """The dice that are not posted are rolled."""
        return board.posted + DICE * (board.carry == self.far)

    def turn(self, posted: int, roll: Faces | None = None, far: bool = False) -> Node:
        """One roll; ``far``: bounds of the score instead."""
        if far:
            return Bounded(*expected(posted, self.far))
        return self.throw(posted) if roll is None else self.play(roll)

    def throw(self, posted: int) -> Node:
        """Roll what is not posted."""
        return roll(DICE - posted, lambda faces: Goto(posted, faces))

    def play(self, faces: Faces) -> Node:
        """A roll that may be posted whole is posted."""
        return End(full(faces))

    # --- the effect of a roll ----------------------------------------------------------------------------------

    def transition(self, board: Columns, result: Result) -> Transition:
        """Dice are posted, carry is earned, and the next roll is paid for."""
        new, earned, rest = result
        posted = board.posted + new
        carry = board.carry + earned - 1
        racked, broke = posted == DICE, carry < 0
        next_carry = np.minimum(carry, self.limit or self.far)
        change = next_carry - board.carry if self.limit else earned - 1
        ends = np.where(racked, RACK + earned, POINTS * posted + rest)
        return Transition(
            over=racked | broke,
            next={"posted": posted, "carry": next_carry},
            reward=np.where(racked | broke, ends, change),
        )

    def ending_name(self, board: Mapping[str, Any], result: Result, marks: frozenset[str]) -> str:
        """Whether the round goes on."""
        new, earned, _ = result
        if board["posted"] + new == DICE:
            return "a rack"
        return "the round ends" if board["carry"] + earned < 1 else "the round goes on"

    # --- questions ---------------------------------------------------------------------------------------------

    def fields(self) -> list[Field]:
        """The carry, the dice posted, and the roll once it has fallen."""
        return [
            Number("carry", "carry points left, this roll paid for", 0, self.limit or self.most_carry),
            Number("posted", "dice posted before this roll", 0, DICE - 1, drawn="track"),
            FacesField("roll", "the faces on the table now", 1, DICE),
        ]

    def locate(self, carry: int = 0, posted: int = 0, roll: Faces | None = None) -> Position:
        """The position of a question; raises StateError for a round that is over."""
        if posted == 1 and carry == 0 and self.posting == "forced":
            raise StateError(
                "posted=1 with carry=0 cannot be: a first six comes with a pair and leaves carry, or with "
                "1 to 5 and is a rack"
            )
        if roll is None:
            return Position({"posted": posted, "carry": carry}, (posted,), carry)
        if len(roll) != DICE - posted:
            raise DiceError(f"roll needs {DICE - posted} faces with posted={posted}, got {len(roll)}: {show(roll)}")
        _, earned, rest = full(roll)
        if carry == earned == 0:
            raise StateError(
                f"roll {show(roll)} earns nothing and carry=0 pays for no other",
                over=f"the round is over with {POINTS * posted + rest} points",
            )
        return Position({"posted": posted, "carry": carry}, (posted, roll), carry)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position; none for a carry that is only there to be bounded."""
        posted, *rolled = state
        if board["carry"] <= self.most_carry:
            yield {"carry": board["carry"], "posted": posted, **({"roll": rolled[0]} if rolled else {})}

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """The dice posted and the carry left after a throw; or the score of the round."""
        carry, posted, score = self.played_on(fields, thrown)
        return LuckTransition({"carry": carry, "posted": posted} if score is None else None, (Fraction(score or 0),))

    def played_on(self, fields: Mapping[str, Any], thrown: Faces) -> tuple[int, int, int | None]:
        """Carry and dice posted after a throw, and the score of a round that is over, else None."""
        new, earned, rest = full(thrown)
        carry, posted = fields["carry"] + earned, fields["posted"] + new
        if posted == DICE:
            return carry, posted, RACK + carry
        if carry == 0:
            return carry, posted, POINTS * posted + rest
        return min(carry - 1, self.limit or carry), posted, None

    # --- odds --------------------------------------------------------------------------------------------------

    def quantities(self, graph: TurnGraph, fields: Mapping[str, Any]) -> dict[str, Quantity]:
        """The score of the round, and the number of rolls still to come."""
        odds = self.odds(graph, **fields)
        return {
            "mean_score": Quantity.between(*odds.mean_score, "points"),
            "length": Quantity.between(*odds.rolls, "rolls"),
            "length_distribution": odds.lengths.quantity(),
            "score_distribution": odds.score.quantity(),
        }

    @memoize
    def means(self, graph: TurnGraph, start: int) -> dict[int, tuple[Fraction, Fraction]]:
        """Bounds on the mean score on top of the carry, by board that ``start`` can lead to."""
        columns, chain, _ = self.followed(graph, start)
        weights: dict[int, dict[int, Rational]] = {}
        points: dict[int, list[Rational]] = {}
        for board, steps in chain.items():
            weights[board] = {}
            now = Fraction(0)
            for (target, earned), chance in steps.items():
                now += chance * earned
                if target != OVER:
                    weights[board][target] = weights[board].get(target, rational(Fraction(0))) + rational(chance)
            points[board] = [rational(now)] * 2
        for board in {target for row in weights.values() for target in row} - weights.keys():
            bounds = expected(int(columns.posted[board]), int(columns.carry[board]))
            weights[board], points[board] = {}, [rational(bound) for bound in bounds]
        return {board: (fraction(low), fraction(high)) for board, (low, high) in solve(weights, points).items()}

    def followed(self, graph: TurnGraph, start: int) -> tuple[Columns, dict[int, Steps], set[int]]:
        """All boards, the Markov chain from one of them, and the boards at which it is cut."""
        space = self.boards()
        columns = space.columns(np.arange(space.size))
        unfollowed = set(np.flatnonzero(columns.carry >= min(self.far, columns.carry[start] + MAX_RISE)).tolist())
        return columns, chain_from(self, graph, [start], unfollowed, self.cached_steps(graph)), unfollowed

    @memoize
    def cached_steps(self, graph: TurnGraph) -> dict[int, Steps]:
        """Cache of the chain's steps by board: rounds from other starts meet the same boards."""
        return {}

    def odds(self, graph: TurnGraph, carry: int = 0, posted: int = 0, roll: Faces | None = None) -> RoundOdds:
        """The end of a round (fields as ``locate``); a ``roll`` on the table is no longer to come.

        Rounds are followed exactly until their carry has risen by ``MAX_RISE``; the scores of others are bounded.
        """
        if roll is not None:
            after = outcome(self, (posted, carry), full(roll))
            if after.following is None:
                score = carry + after.value
                certain = (BoundedDistribution.of({number: Fraction(1)}) for number in (int(score), 0))
                return RoundOdds((score, score), (Fraction(0), Fraction(0)), *certain)
            posted, carry = after.following
        return self.odds_on(graph, posted, carry)

    @memoize
    def odds_on(self, graph: TurnGraph, posted: int, carry: int) -> RoundOdds:
        """The same before a roll."""
        start = self.boards().index_of(posted=posted, carry=carry)
        columns, chain, unfollowed = self.followed(graph, start)
        visits = expected_visits(chain, start)
        low, scores = Fraction(carry), dict[int, Fraction]()
        for board, steps in chain.items():
            for (target, points), chance in steps.items():
                low += visits[board] * chance * points
                if target == OVER:
                    score = int(columns.carry[board] + points)
                    scores[score] = scores.get(score, Fraction(0)) + visits[board] * chance
        high = low
        for board in visits.keys() & unfollowed:
            lower, upper = expected(int(columns.posted[board]), int(columns.carry[board]))
            low, high = low + visits[board] * lower, high + visits[board] * upper
        ended = BoundedDistribution.of(scores)
        rolls = sum((visits[board] for board in chain), Fraction(0))
        lengths = BoundedDistribution.of(turns_to_end(chain, start))
        return RoundOdds((low, high), (rolls, rolls + DICE * ROLLS_A_DIE * ended.open), ended, lengths)


@dataclass(frozen=True)
class SixBy6(SixBy6Round):
    """Luck, played alone; ``of`` chooses the other forms of the game by their parameters."""

    @classmethod
    def of(cls, **parameters: Any) -> Game:
        """A game of luck, or one with a choice, for the mean or for a target; for more players a SET."""
        from rollwise.games.six_by_6.chosen_set import SixBy6Duel, SixBy6Table
        from rollwise.games.six_by_6.set import SixBy6Set
        from rollwise.games.six_by_6.variants import SixBy6Alone, SixBy6Reach

        alone, free = parameters.get("players", 1) == 1, parameters.get("posting") == "free"
        fitting = (("score", "reach") if free else ("score",)) if alone else ("win",)
        objective = parameters.setdefault("objective", fitting[0])
        if objective not in fitting:
            raise ParameterError(
                f"'six-by-6' has objective score or reach alone with posting=free, score alone with posting=forced, "
                f"win in a SET; got {objective}",
                hint="-p posting=free" if objective == "reach" and alone else "leave objective out",
                field="objective",
            )
        if not alone:
            if not free:
                return SixBy6Set(**parameters)
            return (SixBy6Duel if parameters["players"] == 2 else SixBy6Table)(**parameters)
        return (SixBy6Reach if objective == "reach" else SixBy6Alone if free else SixBy6)(**parameters)

    def outcome_at(self, graph: TurnGraph, fields: Mapping[str, Any], parent: Position) -> Any:
        """The mean score, of all positions that one question leads to from one Markov chain."""
        start, index = (self.boards().index_of(**self.locate(**each).board) for each in (parent.board, fields))
        low, high = (fields["carry"] + more for more in self.means(graph, start)[index])
        return Quantity.between(low, high, "points")
