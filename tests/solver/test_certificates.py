"""The two certificates, each against a small chain that is solved in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from rollwise.solver.components.certificates import (
    MAX_TURN_COST,
    bound_expected_turns,
    bound_violation,
    error_bound,
    iterate_expected_turns,
    prove_bounds,
)
from rollwise.solver.markov_chains.longrun import expected_sums
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.values import anderson

STAY = np.array([[0.0, 0.75, 0.0], [0.5, 0.0, 0.25], [0.0, 0.5, 0.25]])  # of three boards; the rest ends the game
WIN = np.array([0.25, 0.0, 0.0])
EVERY = np.arange(3)
LEADS = {i: {j: Fraction(STAY[i, j]) for j in range(3)} for i in range(3)}
CHANCE = [expected_sums(LEADS, {i: [Fraction(WIN[i])] for i in range(3)})[i][0] for i in range(3)]
TURNS = [expected_sums(LEADS, {i: [Fraction(1)] for i in range(3)})[i][0] for i in range(3)]


@pytest.mark.parametrize("turns", [[3.0, 3.0, 3.0], [6.0, 6.0, 5.0]])
def test_chances_are_as_near_as_their_change_and_the_turns_to_come_allow(turns: list[float]) -> None:
    guess, later = np.array([0.6, 0.4, 0.3]), 0.01
    waits = bound_expected_turns(np.array(turns), float(np.max(1 + STAY @ turns - turns)), "it")
    moved = float(np.max(np.abs(STAY @ guess + WIN - guess)))
    far = [abs(Fraction(part) - exact) for part, exact in zip(guess, CHANCE, strict=True)]
    assert all(off <= limit for off, limit in zip(far, error_bound(moved, waits), strict=True))
    assert max(far) > moved  # so that the turns are needed
    assert (error_bound(moved, waits, later, 2.0) >= 2 * (error_bound(moved, waits) + later) - 1e-15).all()
    assert all(wait >= exact for wait, exact in zip(waits, TURNS, strict=True))


def test_what_was_not_swept_until_it_lies_still_is_measured_by_one_more_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anderson, "iterate_to_fixed_point", lambda rows, boards, sweep, what: sweep())
    rows = np.zeros((3, 1))

    def sweep() -> None:
        for board in EVERY:  # one after the other
            rows[board] = STAY[board] @ rows + WIN[board]

    (moved,) = anderson.evaluate_linear(rows, EVERY, sweep, "it", cyclic=True)
    far = [abs(Fraction(part) - exact) for part, exact in zip(rows[:, 0], CHANCE, strict=True)]
    assert max(far) <= Fraction(moved) * max(TURNS)
    assert not anderson.evaluate_linear(rows, EVERY, sweep, "it", cyclic=False).any()


def test_turns_that_do_not_become_fewer_certify_nothing() -> None:
    for more in (1.0, np.inf, np.nan):
        with pytest.raises(NotConverged, match="it can last for ever"):
            bound_expected_turns(3.0, more, "it")


@pytest.mark.parametrize("out", [0.25, 0.0])
def test_waits_fall_with_every_turn_or_there_are_none(out: float) -> None:
    waits, leads = np.zeros(3), STAY.copy()
    leads[0, 2] = 0.25 - out
    leads[2, 2] += 0.25 - out

    def sweep() -> None:
        waits[:] = 1 + leads @ waits

    if out:
        iterate_expected_turns(waits, EVERY, sweep, "it")
        assert (waits >= 1 + leads @ waits).all()
        return
    leads[1, 2] += 0.25
    with pytest.raises(NotConverged, match="it can last for ever"):
        iterate_expected_turns(waits, EVERY, sweep, "it")


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_bound_is_one_that_a_backup_is_clear_of_or_that_says_nothing(side: float) -> None:
    turns, chance = (np.array([float(part) for part in parts]) for parts in (TURNS, CHANCE))
    costs: list[float] = []

    def bound(cost: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        costs.append(cost)
        return chance + side * (cost - 1e-12) * turns  # on the wrong side until a turn costs enough

    found = prove_bounds(bound, lambda bound: STAY @ bound + WIN, side, "it")
    assert (side * (found - chance) > 0).all()
    assert 1e-12 < costs[-1] < 4.5e-12
    with pytest.raises(NotConverged, match="it was not proved"):
        prove_bounds(lambda cost: chance - side * turns, lambda bound: STAY @ bound + WIN, side, "it")
    nothing = np.full(3, max(0.0, side))
    assert (bound_violation(nothing, nothing + side, side, nothing[0]) == -np.inf).all()
    assert (prove_bounds(lambda cost: nothing, lambda bound: bound + side, side, "it") == nothing).all()
    assert costs[-1] <= MAX_TURN_COST
