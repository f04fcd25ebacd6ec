"""Policy iteration (Howard 1960) in fractions, as Newton's method, for a few unknown values.

Under a fixed policy every unknown is an affine function of the others, so one exact linear solve evaluates the policy;
then every decision is compared again at those values (policy improvement). Once no decision has a strictly better move,
the values satisfy every Bellman equation exactly: that proves them optimal, without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from flint import fmpq

from rollwise.solver.exact.equations import Rational, can_reach, solve
from rollwise.solver.model.errors import ModelError, NotConverged

MAX_PURE_NEWTON_STEPS = 12  # before plain backups (value iteration) come in between
MAX_BACKUPS_IN_ROW = 1 << 14  # between two Newton steps


@dataclass
class AffineValue:
    """One unknown under a fixed policy: ``constant`` plus the sum of slope times unknown, by the unknown's place.

    ``targets`` are the unknowns that play can reach from it (a slope may cancel to 0), and ``leaves`` is True if it can
    reach anything else.
    """

    constant: Rational = field(default_factory=lambda: fmpq(0))
    slope: dict[int, Rational] = field(default_factory=dict)
    targets: set[int] = field(default_factory=set)
    leaves: bool = False


class PolicyProblem(Protocol):
    """Unknowns that depend on each other, with a current policy."""

    def affine(self) -> list[AffineValue]:
        """Every unknown under the current policy."""

    def improve(self, values: list[Rational]) -> tuple[list[Rational], bool]:
        """One Bellman backup of these values; the policy takes every move that is strictly better than its own.

        Returns the backed-up values, and whether the policy changed.
        """


def policy_iteration(problem: PolicyProblem, name: str, *, endless: bool = False) -> list[Rational]:
    """Exact optimal values of a problem.

    Improves all moves at once, for both players of a duel. That can cycle; so after ``MAX_PURE_NEWTON_STEPS`` steps
    more and more plain backups come in between, which converge wherever play must end, until the next Newton step finds
    the solution. Raises ModelError where a policy never ends play, NotConverged where this does not converge. With
    ``endless``, plain backups follow such a policy instead, and the caller proves that the final policy is optimal
    against moves that never end.
    """
    n_steps, n_backups, is_proper = 0, 1, True
    backed_up: list[Rational] = []
    while n_backups <= MAX_BACKUPS_IN_ROW:
        unknowns = problem.affine()
        is_proper = is_absorbing(unknowns)
        if is_proper:
            values = solve_affine(unknowns)
            backed_up, has_changed = problem.improve(values)
            if not has_changed:
                if backed_up != values:
                    raise ArithmeticError(f"{name}: the same moves gave two values")
                return values
        elif not endless:
            break
        backed_up = backed_up or [fmpq(0)] * len(unknowns)
        n_steps += 1
        if n_steps > MAX_PURE_NEWTON_STEPS or not is_proper:
            for _ in range(n_backups):
                backed_up, _ = problem.improve([round_down(value, 64 + n_backups) for value in backed_up])
            n_backups *= 2
    if not is_proper:
        raise ModelError(f"{name} can be played for ever; say what that is worth")
    raise NotConverged(f"{name} goes on cycling between moves", float("inf"))


def round_down(value: Rational, bits: int) -> Rational:
    """The value rounded down to so many binary places (only to start the next step from)."""
    return fmpq((value.p << bits) // value.q, 1 << bits)


def is_absorbing(unknowns: list[AffineValue]) -> bool:
    """True where play reaches something outside in the end, from everywhere."""
    targets = {place: unknown.targets for place, unknown in enumerate(unknowns)}
    return len(can_reach(targets, [place for place, unknown in enumerate(unknowns) if unknown.leaves])) == len(unknowns)


def solve_affine(unknowns: list[AffineValue]) -> list[Rational]:
    """Solution of the linear equations (policy evaluation)."""
    solution = solve(
        {place: unknown.slope for place, unknown in enumerate(unknowns)},
        {place: [unknown.constant] for place, unknown in enumerate(unknowns)},
    )
    return [solution[place][0] for place in range(len(unknowns))]
