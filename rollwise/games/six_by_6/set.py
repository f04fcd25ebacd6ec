"""Six By 6 as a SET: one round for each player, and the most points win.

Where players post all that they can, there is no choice, and the distribution of a round's score gives everything.
Where a player may go on instead, a round is played for the win, against the best score so far and later rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rollwise.games.rounds import Holders, check_round, round_fields
from rollwise.games.six_by_6.bounds import NEVER
from rollwise.games.six_by_6.rules import MAX_CARRY, SixBy6Round
from rollwise.games.six_by_6.scoring import RACK
from rollwise.solver.markov_chains.chain import Distribution
from rollwise.solver.markov_chains.independent import (
    WHOLE,
    BoundedDistribution,
    convolve,
    quantity_by_seat,
    shares_of_highest,
)
from rollwise.solver.model.dice import Faces
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import LuckTransition, NodeKey, Position
from rollwise.solver.model.solution import Quantity
from rollwise.solver.turn.graph import TurnGraph

MIN_SCORE_FORCED = 22  # where these cannot be declined


@dataclass(frozen=True)
class SixBy6Set(SixBy6Round):
    """Luck; a board is one player's round, as if it were played alone."""

    outcome = "win"
    outcome_unit = "probability"

    def fields(self) -> list[Field]:
        """The mover's round, then the other players' scores."""
        return [*super().fields(), *round_fields(self.players, MIN_SCORE_FORCED, RACK + MAX_CARRY, "highest")]

    def locate(
        self, *args: Any, mover: int = 0, best: int | None = None, holders: Holders = (), **round: Any
    ) -> Position:
        """The position of a question."""
        check_best(mover, best, holders, f"{MIN_SCORE_FORCED} to {RACK + MAX_CARRY}")
        position = super().locate(*args, **round)
        return Position(position.board, position.state, position.points, mover)

    def describe(self, board: Mapping[str, int], state: NodeKey) -> Iterable[dict[str, Any]]:
        """The fields of a position, of the first player."""
        for fields in super().describe(board, state):
            yield {**fields, "mover": 0, "best": None, "holders": ()}

    def onward(self, fields: Mapping[str, Any], thrown: Faces) -> LuckTransition:
        """The same round goes on, or the next seat's begins, against the best score so far; the best share."""
        carry, posted, score = self.played_on(fields, thrown)
        mover, best, holders = fields["mover"], fields.get("best"), fields["holders"]
        nothing = (Fraction(0),) * self.players
        if score is None:
            return LuckTransition({**fields, "carry": carry, "posted": posted}, nothing)
        if best is None or score >= best:
            holders = (*(holders if score == best else ()), mover)
            best = score
        if mover + 1 < self.players:
            fresh = {"carry": 0, "posted": 0, "mover": mover + 1, "best": best, "holders": holders}
            return LuckTransition(fresh, nothing)
        return LuckTransition(None, tuple(Fraction(seat in holders, len(holders)) for seat in range(self.players)))

    def quantities(self, graph: TurnGraph, question: Mapping[str, Any]) -> dict[str, Quantity]:
        """Each seat's chance to win, the chance of a shared win, the mover's score, and the SET's remaining rolls."""
        fields = dict(question)
        mover, best, holders = fields.pop("mover", 0), fields.pop("best", None), fields.pop("holders", ())
        now, fresh = self.odds(graph, **fields), self.odds(graph)
        after = self.players - 1 - mover
        finished = [(best or 0) - (seat not in holders) for seat in range(mover)]
        win, shared = shares_of_highest(finished, [in_parts(now.score)] + [in_parts(fresh.score)] * after)
        low, high = (now.rolls[end] + after * fresh.rolls[end] for end in (0, 1))
        return {
            "win": quantity_by_seat(win),
            "shared": Quantity.between(*shared, "probability"),
            "mean_score": Quantity.between(*now.mean_score, "points"),
            "score_distribution": now.score.quantity(),
            "length": Quantity.between(low, high, "rolls"),
            "length_distribution": convolve([in_parts(now.lengths)] + [in_parts(fresh.lengths)] * after).quantity(),
        }


def in_parts(spread: BoundedDistribution) -> Distribution:
    """The certain part of a distribution, chances rounded down to parts of ``WHOLE``; the rest lies beyond."""
    first, last = min(spread.certain), max(spread.certain)
    chances = [spread.certain.get(number, Fraction(0)) for number in range(first, last + 1)]
    certain = tuple(Fraction(chance.numerator * WHOLE // chance.denominator, WHOLE) for chance in chances)
    return Distribution(first, certain, 1 - sum(certain, Fraction(0)))


def check_best(mover: int, best: int | None, holders: Holders, scores: str) -> None:
    """Raise StateError unless these can be the scores so far; ``scores`` names the range."""
    check_round(mover, best, holders, scores)
    if best == NEVER:
        raise StateError(
            f"best={best} cannot be: a rack scores {RACK + 1} or more, any other round {RACK - 1} or less", field="best"
        )
