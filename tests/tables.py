"""A table solved again in fractions, from the words of its file alone: what a policy is worth, and what leaving it is.

Nothing is shared with the solver but the stored shares, from which the policy is read: at every decision the first move
within the tie of the mover's best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.game.model import Beyond, Chance, Columns, End, Go, Prefer, TurnGame, Word
from rollwise.solver.game.outcome import only

Shares = tuple[Fraction, ...]
Ahead = dict[tuple[int, int], Fraction]  # the chance of each (next board, seats passed on)


@dataclass
class Line:
    """What a turn comes to: where it leads with which chance, and shares that it ends with, times their chance."""

    ahead: Ahead
    ended: Shares

    def plus(self, other: Line, weight: Fraction) -> Line:
        ahead = dict(self.ahead)
        for to, chance in other.ahead.items():
            ahead[to] = ahead.get(to, Fraction(0)) + weight * chance
        return Line(ahead, tuple(a + weight * b for a, b in zip(self.ended, other.ended, strict=True)))


@dataclass
class Explicit:
    """A small table; ``values``: its stored shares by board, from the mover; ``draws``: chances of moves by (board,
    name of the first move), where a decision is drawn by lot.
    """

    game: TurnGame
    values: Any
    tie: float
    seats: int = 3
    draws: Mapping[tuple[int, str], list[Fraction]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.space = self.game.boards()
        every = self.space.columns(np.arange(self.space.size))
        possible = np.broadcast_to(np.asarray(self.game.possible(every)), self.space.size)
        self.boards = np.flatnonzero(possible).tolist()
        self.place = {board: place for place, board in enumerate(self.boards)}

    # --- one turn ----------------------------------------------------------------------------------------------------

    def line(self, board: int, choose: Callable[[int, list[Line]], Line]) -> Line:
        """The turn of a board if decisions are made by ``choose(board, what each move comes to)``."""
        columns = self.space.columns(np.array([board]))
        root = self.game.roots()[int(only(self.game.root(columns)))]
        found = self.follow(board, columns, Go(*root), choose)
        assert found is not None
        return found

    def follow(self, board: int, columns: Columns, word: Word, choose: Callable[..., Line]) -> Line | None:
        """What a word comes to; None where it is illegal."""
        nothing = Line({}, (Fraction(0),) * self.seats)
        if isinstance(word, Go):
            return self.follow(board, columns, self.game.turn(*word.state), choose)
        if isinstance(word, Beyond):
            return None
        if isinstance(word, End):
            said = self.game.settle(columns, word.result)
            if not only(said.legal):
                return None
            if only(said.over):
                return Line({}, tuple(Fraction(int(only(row)), said.per) for row in said.shares))
            assert said.next is not None
            following = int(self.space.index(said.next, 1)[0])
            assert following >= 0
            return Line({(following, int(only(said.mover))): Fraction(1)}, nothing.ended)
        if isinstance(word, Chance):
            total = sum(weight for weight, _ in word.outcomes)
            for weight, after in word.outcomes:
                below = self.follow(board, columns, after, choose)
                if below is None:
                    return None
                nothing = nothing.plus(below, Fraction(weight, total))
            return nothing
        options = [self.follow(board, columns, after, choose) for after in _after(word)]
        legal = [option for option in options if option is not None]
        if not legal:
            return None
        return legal[0] if isinstance(word, Prefer) else choose(board, legal)

    def own(self, line: Line, values: Any) -> Any:
        """What the mover gets of a line, from values by (board, place)."""
        return line.ended[0] + sum(chance * values(to, -left % self.seats) for (to, left), chance in line.ahead.items())

    def chosen(self, board: int, options: list[Line]) -> Line:
        """What the policy plays."""
        if (board, str(len(options))) in self.draws:
            mixed = Line({}, (Fraction(0),) * self.seats)
            for option, chance in zip(options, self.draws[board, str(len(options))], strict=True):
                mixed = mixed.plus(option, chance)
            return mixed
        worth = [float(self.own(option, lambda to, place: float(self.values[to, place]))) for option in options]
        return next(o for o, w in zip(options, worth, strict=True) if w >= max(worth) - self.tie)

    # --- exact values ------------------------------------------------------------------------------------------------

    def worth(self) -> dict[tuple[int, int], Fraction]:
        """What the policy gives to each place of each board."""
        lines = {board: self.line(board, self.chosen) for board in self.boards}
        return self.solved({(board, place): lines[board] for board in self.boards for place in range(self.seats)})

    def best_reply(self) -> dict[tuple[int, int], Fraction]:
        """What each place of each board gets that alone plays its best from there on."""
        lines = {board: self.line(board, self.chosen) for board in self.boards}
        mine = dict(lines)
        while True:
            known = self.solved(
                {(b, place): lines[b] if place else mine[b] for b in self.boards for place in range(self.seats)}
            )

            def get(to: int, place: int, known: Any = known) -> Fraction:
                found: Fraction = known[to, place]
                return found

            def better(board: int, options: list[Line], get: Any = get) -> Line:
                return max(options, key=lambda option: self.own(option, get))

            changed = False
            for board in self.boards:
                line = self.line(board, better)
                now, then = (self.own(each, get) for each in (mine[board], line))
                if then > now:
                    mine[board], changed = line, True
            if not changed:
                return known

    def solved(self, line_of: Mapping[tuple[int, int], Line]) -> dict[tuple[int, int], Fraction]:
        """The values of a chain, by elimination in fractions."""
        rows: dict[tuple[int, int], tuple[dict[tuple[int, int], Fraction], Fraction]] = {}
        for at, line in line_of.items():
            ahead: dict[tuple[int, int], Fraction] = {}
            for (to, left), chance in line.ahead.items():
                key = (to, (at[1] - left) % self.seats)
                ahead[key] = ahead.get(key, Fraction(0)) + chance
            rows[at] = (ahead, line.ended[at[1]])
        order = list(rows)
        for place, at in enumerate(order):  # each row in terms of later ones only
            rows[at] = _without(rows[at], at)
            for later in order[place + 1 :]:
                ahead, made = rows[later]
                share = ahead.pop(at, None)
                if share:
                    for key, chance in rows[at][0].items():
                        ahead[key] = ahead.get(key, Fraction(0)) + share * chance
                    rows[later] = (ahead, made + share * rows[at][1])
        found: dict[tuple[int, int], Fraction] = {}
        for at in reversed(order):
            ahead, made = rows[at]
            found[at] = made + sum(chance * found[to] for to, chance in ahead.items())
        return found


def _without(row: tuple[dict[Any, Fraction], Fraction], at: Any) -> tuple[dict[Any, Fraction], Fraction]:
    """A row in which what leads back to itself is summed up."""
    ahead, made = row
    back = ahead.pop(at, Fraction(0))
    assert back < 1, "play goes on for ever"
    return {to: chance / (1 - back) for to, chance in ahead.items()}, made / (1 - back)


def _after(word: Any) -> list[Word]:
    return list(word.words) if isinstance(word, Prefer) else [after for _, after in word.moves]
