"""Sampling of one outcome of a move, for play, where enumerating all of them would take longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

from rollwise.solver.model.game import Chance, Node
from rollwise.solver.turn.successors import Stop, Successors, ThrowOutcome


class Sampler(Successors):
    """Walker of a game's nodes like ``Successors``, which samples one outcome of every throw by its chance."""

    def __init__(self, successors: Successors, random: Random) -> None:
        vars(self).update(vars(successors))  # all share the caches, ``random`` is private
        self._random = random

    def sample(self, board: Mapping[str, Any], node: Node) -> ThrowOutcome:
        """One of ``outcomes`` by its chance; its own ``chance`` and ``ways`` have no meaning."""
        return self.outcomes(board, node)[0]

    def _inside(self, place: Any, node: Node, chance: Fraction, ways: int) -> Iterator[Stop]:
        if not isinstance(node, Chance):
            yield from super()._inside(place, node, chance, ways)
            return
        weights = [weight for weight, _ in node.outcomes]
        number = self._random.choices(range(len(weights)), weights)[0]
        thrown = self._thrown(place, node, number, weights[number])
        after = self._random.choices([place for place, _ in thrown], [ways_of_place for _, ways_of_place in thrown])[0]
        yield from self._inside(after, node.outcomes[number][1], chance, ways)
