"""One way that a move goes on, drawn by lot: what play needs, where looking at all of them would take longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

from rollwise.solver.game.model import Chance, Go, TurnGame, Word
from rollwise.solver.turn.following import Fall, Following


class Drawing(Following):
    """Walks the words of one game like ``Following``, but takes one outcome of every throw, as likely as it falls."""

    def __init__(self, game: TurnGame) -> None:
        super().__init__(game)
        self._random = Random()

    def drawn(self, board: Mapping[str, Any], word: Word, random: Random) -> Fall:
        """One of ``falls``, as often as its chance says; its own ``chance`` and ``ways`` mean nothing."""
        self._random = random
        return self.falls(board, word)[0]

    def _inside(
        self, place: Any, word: Word, chance: Fraction, ways: int
    ) -> Iterator[Fall | tuple[Any, Fraction, int, Go]]:
        if not isinstance(word, Chance):
            yield from super()._inside(place, word, chance, ways)
            return
        weights = [weight for weight, _ in word.outcomes]
        number = self._random.choices(range(len(weights)), weights)[0]
        thrown = self._thrown(place, word, number, weights[number])
        after = self._random.choices([place for place, _ in thrown], [some for _, some in thrown])[0]
        yield from self._inside(after, word.outcomes[number][1], chance, ways)
