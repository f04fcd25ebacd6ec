"""Newton's method in fractions: a few unknown values that depend on each other through choices.

Along fixed moves every unknown is a straight line in the others, so one exact linear solve gives what these moves are
worth; then every choice is looked at again with those values. Once no choice anywhere has a strictly better move, the
values satisfy every Bellman equation exactly: that is a proof that they are optimal, not a rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from flint import fmpq

from rollwise.solver.exact.equations import Rational, reaching, solve
from rollwise.solver.model.errors import ModelError, NotConverged

PATIENCE = 12  # Newton steps before plain backups are put between them
MOST_ROUNDS = 1 << 14  # plain backups in a row, at most


@dataclass
class Affine:
    """One unknown under fixed moves: ``constant`` plus the sum of slope times unknown, by the unknown's place.

    ``leads`` are the unknowns that it can come to at all (a slope may cancel to 0), and ``leaves`` says whether it can
    come to anything else.
    """

    constant: Rational = field(default_factory=lambda: fmpq(0))
    slope: dict[int, Rational] = field(default_factory=dict)
    leads: set[int] = field(default_factory=set)
    leaves: bool = False


class Problem(Protocol):
    """Unknowns that depend on each other, and the moves that are played at present."""

    def affine(self) -> list[Affine]:
        """Every unknown under the present moves."""

    def improve(self, values: list[Rational]) -> tuple[list[Rational], bool]:
        """Back these values up; where a move is strictly better than the present one, play it from now on.

        Returns the values backed up, and whether any move changed.
        """


def newton(problem: Problem, name: str, *, endless: bool = False) -> list[Rational]:
    """The exact optimal values of a problem.

    Improves all moves at once, for both players of a duel. That can go round in circles; so after ``PATIENCE`` steps
    more and more plain backups come in between, which converge wherever play must end, and near enough to the solution
    the next Newton step meets it. Raises ModelError where the moves found never end, NotConverged where this does not
    settle. With ``endless``, moves that never end are worth nothing yet: plain backups come instead, and whether those
    found in the end are good against moves that never end is for the caller to prove.
    """
    step, rounds, leaving = 0, 1, True
    backed: list[Rational] = []
    while rounds <= MOST_ROUNDS:
        unknowns = problem.affine()
        leaving = all_leave(unknowns)
        if leaving:
            values = solve_affine(unknowns)
            backed, moved = problem.improve(values)
            if not moved:
                if backed != values:
                    raise ArithmeticError(f"{name}: the same moves gave two values")
                return values
        elif not endless:
            break
        backed = backed or [fmpq(0)] * len(unknowns)
        step += 1
        if step > PATIENCE or not leaving:
            for _ in range(rounds):
                backed, _ = problem.improve([coarse(value, 64 + rounds) for value in backed])
            rounds *= 2
    if not leaving:
        raise ModelError(f"{name} can be played for ever; say what that is worth")
    raise NotConverged(f"{name} goes round in circles between moves", float("inf"))


def coarse(value: Rational, bits: int) -> Rational:
    """The value rounded down to so many binary places (only to start the next step from)."""
    return fmpq((value.p << bits) // value.q, 1 << bits)


def all_leave(unknowns: list[Affine]) -> bool:
    """True where play comes to something outside in the end, wherever it starts."""
    leads = {place: unknown.leads for place, unknown in enumerate(unknowns)}
    return len(reaching(leads, [place for place, unknown in enumerate(unknowns) if unknown.leaves])) == len(unknowns)


def solve_affine(unknowns: list[Affine]) -> list[Rational]:
    """The values at which all of them hold."""
    found = solve(
        {place: unknown.slope for place, unknown in enumerate(unknowns)},
        {place: [unknown.constant] for place, unknown in enumerate(unknowns)},
    )
    return [found[place][0] for place in range(len(unknowns))]
