"""Games that never end: what play earns in the long run, exactly.

Such a game comes back to the same state again and again. Between two visits it is an ordinary chain that ends, so the
long-run mean per step is what such a stretch earns, divided by its length, both as expectations (renewal reward).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

State = TypeVar("State", bound=Hashable)
Steps = Mapping[
    State, Mapping[State, Fraction]
]  # by state: the chance of each next one; what is missing to 1 ends play
Gains = Mapping[State, Sequence[Fraction]]  # by state: what each visit to it adds to several sums


def totals(steps: Steps[State], gains: Gains[State], sign: int = 1) -> dict[State, list[Fraction]]:
    """Expected sums of gains from each state to the end of play: x = gain + sign * (chance * x of the next, summed).

    With ``sign`` -1 every second visit counts negatively. Play must end, wherever it starts. States are eliminated in
    the order in which ``steps`` lists them, as in Gauss's method: fast where most steps lead back in that list.

    >>> half = Fraction(1, 2)
    >>> heads = totals({"toss": {"toss": half}}, {"toss": [Fraction(1)]})
    >>> signed = totals({"toss": {"toss": half}}, {"toss": [Fraction(1)]}, sign=-1)
    >>> [str(found["toss"][0]) for found in (heads, signed)]
    ['2', '2/3']
    """
    place = {state: number for number, state in enumerate(steps)}
    ahead: dict[State, dict[State, Fraction]] = {}  # each eliminated state by those that were not, with their weights
    sums: dict[State, list[Fraction]] = {}
    for state, following in steps.items():
        total = list(gains[state])
        weights = {target: sign * chance for target, chance in following.items()}
        while eliminated := [target for target in weights if target in ahead]:
            through = min(eliminated, key=place.__getitem__)
            weight = weights.pop(through)
            total = _plus(total, weight, sums[through])
            for target, onward in ahead[through].items():
                weights[target] = weights.get(target, Fraction(0)) + weight * onward
        moves = 1 - weights.pop(state, Fraction(0))
        ahead[state] = {target: weight / moves for target, weight in weights.items()}
        sums[state] = [part / moves for part in total]
    for state in reversed(place):
        for target, weight in ahead[state].items():
            sums[state] = _plus(sums[state], weight, sums[target])
    return sums


def _plus(total: list[Fraction], weight: Fraction, more: list[Fraction]) -> list[Fraction]:
    return [a + weight * b for a, b in zip(total, more, strict=True)]


def between_visits(steps: Steps[State], gains: Gains[State], state: State) -> list[Fraction]:
    """Expected sums of gains from one visit to ``state`` to the next, the first one's included.

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
    return totals(until, gains)[state]
