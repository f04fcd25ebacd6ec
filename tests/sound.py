"""What must hold of outcomes, of explanations and of reviews, whatever the game."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from math import fsum
from typing import Any

import numpy as np
import pytest

from rollwise.match.review.data import Review
from rollwise.questions.ask.data import Advice
from rollwise.questions.outcomes.data import OutcomeRow, Outcomes
from rollwise.questions.why.data import Why
from rollwise.questions.why.text import Digits
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.game import Bounded, Chance, Decision, End, FirstLegal, Goto, Node, NodeKey, TurnGame
from rollwise.solver.model.outcome import outcome
from rollwise.solver.policy.endings_of_turn import PAST, ending_class
from rollwise.solver.turn.query import LOWER, UPPER, VALUE, OneTableTurn, OneTurn
from tests.sizes import Size

THROW = 1  # a turn that counts
ROUNDING = 1e-12

# What a move may earn that the next question cannot say, by game: everywhere else a question says all.
GAINS: dict[str, tuple[str, set[int]]] = {
    "killer": ("no field says who is ahead by how much", set(range(-60, 61))),
    "zilch players=1": ("the turn that is over is no longer to come", {0, THROW}),
    "ten-thousand players=1": ("the turn that is over is no longer to come", {0, THROW}),
}

# --- outcomes --------------------------------------------------------------------------------------------------------


def shares_of(made: TurnGame, told: Any) -> list[float]:
    """What a quantity says of every seat; of a team, what each side has."""
    if made.team:
        return [told if seat in made.team else 1 - told for seat in range(4)]
    return told if isinstance(told, list) else [told]


def only(told: Any) -> Any:
    """The number of a quantity of one bet, or of who plays alone."""
    return next(iter(told.values())) if isinstance(told, dict) else told


def require_sums(made: TurnGame, advice: Advice, found: Outcomes) -> None:
    """Chances are 1 together; chance times value is the value of the move, or seat by seat what the seats win."""
    if any(row.chance is None for row in found.rows):
        assert all(row.chance is None for row in found.rows)
        return
    assert sum(row.chance or Fraction(0) for row in found.rows) == 1

    def mean(of: Any) -> float:
        return sum(float(row.chance or 0) * (of(row) or 0.0) for row in found.rows)

    if found.value is not None:
        assert found.lower is not None
        assert found.upper is not None
        slack = 1e-12 * max(1.0, abs(found.upper))
        assert mean(lambda row: row.lower) <= found.upper + slack
        assert mean(lambda row: row.upper) >= found.lower - slack
        return
    told = advice.quantities[made.outcome].value
    if not isinstance(told, list) and not found.rows[0].shares:  # of a bet, or who plays alone
        assert mean(lambda row: row.value) == pytest.approx(only(told), abs=1e-8)
        return
    for seat, share in enumerate(shares_of(made, told)):
        assert mean(lambda row, seat=seat: row.shares[seat]) == pytest.approx(share, abs=1e-8)


def require_unit(made: TurnGame, advice: Advice, found: Outcomes) -> None:
    """What outcomes are told in is what the answer of the state is told in, and the move is worth the same in both."""
    if found.value is not None:
        assert (found.unit, found.sense) == (advice.unit, advice.sense)
        same = next((move for move in advice.moves if move.move == found.move), None)
        assert same is None or (same.value, same.lower, same.upper) == (found.value, found.lower, found.upper)
        return
    told = advice.quantities[made.outcome]
    assert found.unit == told.unit
    if found.mean is not None and made.outcome != "this_pot" and not made.team:
        values = [*told.value.values()] if isinstance(told.value, dict) else told.value
        value = values[found.mover] if isinstance(values, list) and len(values) > 1 else values
        assert found.mean == pytest.approx(value[0] if isinstance(value, list) else value, abs=1e-8)


def require_row(size: Size, row: OutcomeRow) -> None:
    """What the next question cannot say is known by name, and little; the dice that fell last lie on the table then."""
    alone = " players=1" if size.game.measure == "turns" and size.game.kind == "solo" else ""
    _, may = GAINS.get(size.name + alone, ("it says all", {0}))
    assert row.state is None or row.gained in may, (row.gained, row.state)
    roll = (row.state or {}).get("roll")
    for throw in row.thrown if roll else ():
        assert not Counter((throw.dice, *throw.then)[-1]) - Counter(roll)


def require_same(made: TurnGame, before: Advice, row: OutcomeRow, again: Advice) -> None:
    """A state that follows is worth, asked on its own, what it was said to be worth."""
    gained = float(row.gained)
    if row.value is not None and again.value is None:  # a bet, or who plays alone
        told = again.quantities[made.outcome]
        back, low, high = map(only, (told.value, told.lower, told.upper))
        assert row.value == pytest.approx(gained + back, abs=1e-8)
        lower, upper = row.lower or 0.0, row.upper or 0.0
        assert lower <= row.value <= upper
        assert lower <= gained + high
        assert gained + low <= upper
        return
    if row.value is None:
        if made.outcome != "this_pot":  # what a new pot brings is not counted
            assert row.shares == pytest.approx(tuple(shares_of(made, again.quantities[made.outcome].value)), abs=1e-8)
        return
    assert again.value is not None
    turned = is_duel(made) and row.mover != before.mover
    there = float(made.total) - again.value if turned else again.value
    if again.shares is not None:
        there = again.shares[before.mover]
        assert row.shares == pytest.approx(tuple(again.shares), abs=1e-9)
    assert row.value == pytest.approx(gained + there, abs=1e-8)


# --- why -------------------------------------------------------------------------------------------------------------


class Walked:
    """How a turn ends, told by its words: every throw is split, of equally good moves the first is played."""

    def __init__(self, turn: OneTurn) -> None:
        self.turn, self.game = turn, turn.game
        self.numbers = tuple(turn.board[name] for name in turn.game.boards().names)
        self.marks = {name: {tuple(state) for state in marked} for name, marked in turn.game.marks().items()}
        self.known: dict[tuple[NodeKey, frozenset[str]], dict[str, Fraction]] = {}

    def classes(self, word: Node, seen: frozenset[str] = frozenset()) -> dict[str, Fraction]:
        if isinstance(word, Goto):
            seen = seen | {name for name, marked in self.marks.items() if word.state in marked}
            if (word.state, seen) not in self.known:
                self.known[word.state, seen] = self.classes(self.game.turn(*word.state), seen)
            return self.known[word.state, seen]
        if isinstance(word, Bounded):
            return {PAST: Fraction(1)}
        if isinstance(word, End):
            after = outcome(self.game, self.numbers, word.result)
            return {ending_class(self.game, self.turn.board, word.result, after, seen): Fraction(1)}
        if isinstance(word, Chance):
            total = sum(weight for weight, _ in word.outcomes)
            found: dict[str, Fraction] = defaultdict(Fraction)
            for weight, after_it in word.outcomes:
                for name, chance in self.classes(after_it, seen).items():
                    found[name] += Fraction(weight, total) * chance
            return dict(found)
        if isinstance(word, FirstLegal):
            return self.classes(next(after for after in word.nodes if self.row(after)[VALUE] > -np.inf), seen)
        return self.chosen(word, seen)

    def row(self, word: Node) -> Any:
        return self.turn.intervals(self.turn.value_of(word))

    def chosen(self, word: Decision, seen: frozenset[str]) -> dict[str, Fraction]:
        rows = [self.row(after) for _, after in word.moves]
        legal = [i for i, row in enumerate(rows) if np.isfinite(row[VALUE])]
        if isinstance(self.turn, OneTableTurn):
            best = max(rows[i][VALUE] for i in legal)
            first = next(i for i in legal if rows[i][VALUE] >= best - self.turn.tie)
        elif self.game.sense == "max":
            best = max(rows[i][LOWER] for i in legal)
            first = next(i for i in legal if rows[i][UPPER] >= best)
        else:
            best = min(rows[i][UPPER] for i in legal)
            first = next(i for i in legal if rows[i][LOWER] <= best)
        return self.classes(word.moves[first][1], seen)


def require_explained(found: Why) -> None:
    """Parts, chances, means and printed digits all add up."""
    parts = [part.part for part in found.parts]
    sign = 1 if found.sense == "max" else -1
    assert sum(parts) == sum(reversed(parts)) == fsum(parts) == found.difference
    assert found.difference == pytest.approx(sign * (found.value - found.other_value), rel=1e-12, abs=1e-12)
    for chances, means, value in (
        ([part.chance for part in found.parts], [part.value for part in found.parts], found.value),
        ([part.other_chance for part in found.parts], [part.other_value for part in found.parts], found.other_value),
    ):
        assert fsum(chances) == pytest.approx(1, abs=1e-12)
        assert [mean is None for mean in means] == [chance == 0 for chance in chances]
        mean = fsum(chance * (mean or 0.0) for chance, mean in zip(chances, means, strict=True))
        assert mean == pytest.approx(value, rel=1e-9, abs=1e-9)
    counts = [sum(part.chance > 0 for part in found.parts), sum(part.other_chance > 0 for part in found.parts)]
    assert found.reference == (found.value if counts[0] < counts[1] else found.other_value)
    for part in found.parts:
        gains = part.chance * ((part.value or 0.0) - found.reference) if part.chance else 0.0
        costs = part.other_chance * ((part.other_value or 0.0) - found.reference) if part.other_chance else 0.0
        assert part.part == pytest.approx(sign * (gains - costs), rel=1e-9, abs=1e-9)
    digits = Digits(found)
    steps = digits.parts(parts)
    assert sum(steps) == digits.total
    assert all(abs(each * digits.step - part) < 2 * digits.step for each, part in zip(steps, parts, strict=True))
    if found.seats is not None:
        assert sum(found.seats) == pytest.approx(0, abs=1e-12)
        assert found.seats[found.mover] == -found.difference
        for seat, loss in enumerate(found.seats):
            assert sum((part.seats or ())[seat] for part in found.parts) == loss


# --- review ----------------------------------------------------------------------------------------------------------


def require_reviewed(told: Review, lines: int) -> None:
    """What a seat began with, its own errors, those of others and luck are the result."""
    for seat in told.seats:
        size = max(1.0, abs(seat.start), abs(seat.result), abs(seat.luck))
        away = seat.start + seat.own + seat.others + seat.luck - seat.result
        assert abs(away) <= seat.off + ROUNDING * size * (lines + 1)
        assert seat.luck_adjusted == pytest.approx(seat.result - seat.luck)
        assert seat.mean_loss >= 0
        assert told.chooses or (seat.own, seat.others, seat.decisions) == (0.0, 0.0, 0)
    losses = [choice.loss for choice in told.choices]
    assert all(loss > 0 for loss in losses)
    assert losses == sorted(losses, reverse=True)


@cache
def described(question: str) -> Any:
    from pydantic import TypeAdapter  # here: it takes long to load, and few tests need it

    import rollwise
    from rollwise.web import shapes

    return TypeAdapter(shapes.shape_of_answer(getattr(rollwise, question)))


def as_described(question: str, answer: dict[str, Any]) -> None:
    """The values of an answer are of the types that the description of the interface tells."""
    described(question).validate_python(answer, strict=True)
