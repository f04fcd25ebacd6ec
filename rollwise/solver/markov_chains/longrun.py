"""Exact expected sums of Markov chains, and long-run means of those that never end (Kemeny and Snell 1960).

A game that never ends returns to the same state again and again. Between two visits it is an absorbing chain, so the
long-run mean per step is the mean gain of such a cycle, divided by its mean length (renewal reward theorem).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from rollwise.solver.exact.equations import fraction, rational, solve

State = TypeVar("State", bound=Hashable)
# by state: the chance of each next one; a row's missing mass to 1 ends play
Leads = Mapping[State, Mapping[State, Fraction]]
Gains = Mapping[State, Sequence[Fraction]]  # by state: the gain of each visit in several sums


def expected_sums(steps: Leads[State], gains: Gains[State], sign: int = 1) -> dict[State, list[Fraction]]:
    """Expected sums of gains from each state until absorption: x = N gain, with the fundamental matrix N = (I - Q)^-1.

    Q is ``steps`` times ``sign``: with -1 every second visit counts negatively. Play must end, wherever it starts.

    >>> half = Fraction(1, 2)
    >>> heads = expected_sums({"toss": {"toss": half}}, {"toss": [Fraction(1)]})
    >>> signed = expected_sums({"toss": {"toss": half}}, {"toss": [Fraction(1)]}, sign=-1)
    >>> [str(sums["toss"][0]) for sums in (heads, signed)]
    ['2', '2/3']
    """
    weights = {state: {t: sign * rational(p) for t, p in following.items()} for state, following in steps.items()}
    constants = {state: [rational(part) for part in gains[state]] for state in steps}
    solution = solve(weights, constants)
    return {state: [fraction(part) for part in solution[state]] for state in steps}


def between_visits(steps: Leads[State], gains: Gains[State], state: State) -> list[Fraction]:
    """Expected sums of gains between two visits to ``state``, the first one's included.

    Every state must lead there in the end. The quotient of two such sums is a long-run mean: points per throw, say.

    >>> half, one = Fraction(1, 2), Fraction(1)
    >>> weather = {"sun": {"sun": half, "rain": half}, "rain": {"sun": one}}
    >>> rainy, days = between_visits(weather, {"sun": [Fraction(0), one], "rain": [one, one]}, "sun")
    >>> str(rainy / days)
    '1/3'
    """
    until = {
        source: {target: chance for target, chance in following.items() if target != state}
        for source, following in steps.items()
    }
    return expected_sums(until, gains)[state]
