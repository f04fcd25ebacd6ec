"""One way that a move goes on, drawn by lot: what play needs, where looking at all of them would take longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

from rollwise.solver.model.game import Chance, Node
from rollwise.solver.turn.successors import Stop, Successors, ThrowOutcome


class Sampler(Successors):
    """Walks the words of one game like ``Successors``, but takes one outcome of every throw, as likely as it falls."""

    def __init__(self, following: Successors, random: Random) -> None:
        vars(self).update(vars(following))  # what is remembered is shared by all, ``random`` is of this one alone
        self._random = random

    def drawn(self, board: Mapping[str, Any], word: Node) -> ThrowOutcome:
        """One of ``falls``, as often as its chance says; its own ``chance`` and ``ways`` mean nothing."""
        return self.falls(board, word)[0]

    def _inside(self, place: Any, word: Node, chance: Fraction, ways: int) -> Iterator[Stop]:
        if not isinstance(word, Chance):
            yield from super()._inside(place, word, chance, ways)
            return
        weights = [weight for weight, _ in word.outcomes]
        number = self._random.choices(range(len(weights)), weights)[0]
        thrown = self._thrown(place, word, number, weights[number])
        after = self._random.choices([place for place, _ in thrown], [some for _, some in thrown])[0]
        yield from self._inside(after, word.outcomes[number][1], chance, ways)
