"""What a move leads to: chances are 1 together, values add up, and every state that follows says the same of itself."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from rollwise.answer import Advice
from rollwise.asking import answer
from rollwise.door import the_fields
from rollwise.foreseeing import Outcomes, Row, what_follows
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.two_seats import is_duel
from rollwise.solver.kinds.kind import Wanted
from tests.sizes import FOLLOW, Size, cases

GAMES = 3  # played with random moves
QUESTIONS = 12  # of each
ROWS = 6  # of each move that are asked again


def ask(made: TurnGame, state: dict[str, Any]) -> Advice:
    return answer(made, state, made.locate(**state), Wanted())


def follow(made: TurnGame, state: dict[str, Any], move: str | None) -> Outcomes:
    return what_follows(made, state, made.locate(**state), move)


def require_sums(made: TurnGame, advice: Advice, found: Outcomes) -> None:
    """Chances are 1 together; chance times value is the value of the move, or seat by seat what the seats win."""
    if any(row.chance is None for row in found.rows):
        assert all(row.chance is None for row in found.rows)
        return
    chances = [row.chance or Fraction(0) for row in found.rows]
    assert sum(chances) == 1
    weights = [float(chance) for chance in chances]
    if found.value is None:
        by_seat = advice.quantities[made.outcome].value
        if isinstance(by_seat, dict):  # of a bet
            mean = sum(w * (row.value or 0.0) for w, row in zip(weights, found.rows, strict=True))
            assert mean == pytest.approx(next(iter(by_seat.values())), abs=1e-12)
            return
        for seat, share in enumerate(by_seat if isinstance(by_seat, list) else [by_seat]):
            mean = sum(w * (row.shares or ())[seat] for w, row in zip(weights, found.rows, strict=True))
            assert mean == pytest.approx(share, abs=1e-8)
        return
    assert found.lower is not None
    assert found.upper is not None
    lower = sum(w * (row.lower or 0.0) for w, row in zip(weights, found.rows, strict=True))
    upper = sum(w * (row.upper or 0.0) for w, row in zip(weights, found.rows, strict=True))
    slack = 1e-12 * max(1.0, abs(upper))
    assert lower <= found.upper + slack
    assert upper >= found.lower - slack


def require_same(made: TurnGame, before: Advice, row: Row, again: Advice) -> None:
    """A state that follows is worth, asked on its own, what it was said to be worth."""
    gained = float(row.gained)
    if row.value is not None and again.value is None:  # a bet
        (back,) = again.quantities[made.outcome].value.values()
        assert row.value == pytest.approx(gained + back, abs=1e-12)
        return
    if row.value is None and made.outcome == "this_pot":
        return  # what a new pot brings is not counted
    if row.value is None:
        by_seat = again.quantities[made.outcome].value
        assert row.shares == pytest.approx(tuple(by_seat), abs=1e-8)
        return
    assert again.value is not None
    turned = is_duel(made) and row.mover != before.mover
    there = float(made.total) - again.value if turned else again.value
    if again.shares is not None:
        there = again.shares[before.mover]
        assert row.shares == pytest.approx(tuple(again.shares), abs=1e-9)
    assert row.value == pytest.approx(gained + there, abs=1e-8)


@cases(FOLLOW)
def test_outcomes_add_up_and_every_state_that_follows_says_the_same_of_itself(size: Size) -> None:
    made, draw = size.game, Random(7)
    for _ in range(GAMES):
        state: dict[str, Any] | None = {"bet": "under 7"} if size.name == "dice-roulette" else {}
        for _ in range(QUESTIONS):
            assert state is not None
            advice = ask(made, state)
            moves = [move.move for move in advice.moves or []]
            move = draw.choice(moves) if moves else None
            found = follow(made, state, move)
            require_sums(made, advice, found)
            going = [row for row in found.rows if row.state is not None]
            for row in draw.sample(going, min(ROWS, len(going))):
                again = the_fields(made, row.state or {})
                assert again == row.state
                require_same(made, advice, row, ask(made, again))
            weights = [float(row.chance or 0) for row in found.rows]
            taken = draw.choices(found.rows, weights)[0] if sum(weights) else found.rows[0]
            state = taken.state
            if state is None:
                assert taken.ended is not None or taken.value is None
                break
