"""A table solved again in fractions, from the words of its file alone: what a policy is worth, and what leaving it is.

Nothing is shared with the solver but the stored shares, from which the policy is read: at every decision the first move
within the tie of the mover's best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rollwise.solver.model.game import Bounded, Chance, Columns, Decision, End, Goto, Node, TurnGame
from rollwise.solver.model.outcome import only

Line = dict[Any, Fraction]  # what a turn comes to: chances of (next board, seats passed on), and by seat what it gets
At = tuple[int, int]  # a board, and a place at it


def mean(parts: Iterable[tuple[Fraction, Line]]) -> Line:
    """What several lines come to, each with its chance."""
    found: Line = {}
    for chance, line in parts:
        for key, part in line.items():
            found[key] = found.get(key, Fraction(0)) + chance * part
    return found


@dataclass
class Explicit:
    """A small table; ``values``: its stored shares by board, from the mover."""

    game: TurnGame
    values: Any
    tie: float
    seats: int = 3

    def __post_init__(self) -> None:
        self.space = self.game.boards()
        every = self.space.columns(np.arange(self.space.size))
        possible = np.broadcast_to(np.asarray(self.game.possible(every)), self.space.size)
        self.boards = np.flatnonzero(possible).tolist()

    # --- one turn ----------------------------------------------------------------------------------------------------

    def line(self, board: int, choose: Callable[[int, list[Line]], Line]) -> Line:
        """The turn of a board if decisions are made by ``choose(board, what each move comes to)``."""
        columns = self.space.columns(np.array([board]))
        root = self.game.roots()[int(only(self.game.root(columns)))]
        found = self.follow(board, columns, Goto(*root), choose)
        assert found is not None
        return found

    def follow(self, board: int, columns: Columns, word: Node, choose: Callable[..., Line]) -> Line | None:
        """What a word comes to; None where it is illegal, or past a cut."""
        if isinstance(word, Bounded):
            return None
        if isinstance(word, Goto):
            return self.follow(board, columns, self.game.turn(*word.state), choose)
        if isinstance(word, End):
            return self.ended(columns, word.result)
        if isinstance(word, Chance):
            total = sum(weight for weight, _ in word.outcomes)
            below = [(Fraction(w, total), self.follow(board, columns, after, choose)) for w, after in word.outcomes]
            known = [(chance, line) for chance, line in below if line is not None]
            return mean(known) if len(known) == len(below) else None
        assert isinstance(word, Decision)
        options = [self.follow(board, columns, after, choose) for _, after in word.moves]
        legal = [option for option in options if option is not None]
        return choose(board, legal) if legal else None

    def ended(self, columns: Columns, result: Any) -> Line | None:
        """What a result comes to."""
        said = self.game.transition(columns, result)
        if not only(said.legal):
            return None
        if only(said.over):
            return {seat: Fraction(int(only(row)), said.per) for seat, row in enumerate(said.shares)}
        assert said.next is not None
        following = int(self.space.index(said.next, 1)[0])
        assert following >= 0
        return {(following, int(only(said.mover))): Fraction(1)}

    def own(self, line: Line, values: Any) -> Any:
        """What the mover gets of a line, from values by (board, place)."""
        ahead = [(key, chance) for key, chance in line.items() if isinstance(key, tuple)]
        return line.get(0, 0) + sum(chance * values[to, -left % self.seats] for (to, left), chance in ahead)

    def chosen(self, board: int, options: list[Line]) -> Line:
        """What the policy plays."""
        worth = [float(self.own(option, self.values)) for option in options]
        return next(o for o, w in zip(options, worth, strict=True) if w >= max(worth) - self.tie)

    # --- exact values ------------------------------------------------------------------------------------------------

    def worth(self) -> dict[At, Fraction]:
        """What the policy gives to each place of each board."""
        lines = {board: self.line(board, self.chosen) for board in self.boards}
        return self.solved({(board, place): lines[board] for board in self.boards for place in range(self.seats)})

    def best_reply(self) -> dict[At, Fraction]:
        """What each place of each board gets that alone plays its best from there on."""
        lines = {board: self.line(board, self.chosen) for board in self.boards}
        mine, changed = dict(lines), True
        while changed:
            known = self.solved(
                {(b, place): lines[b] if place else mine[b] for b in self.boards for place in range(self.seats)}
            )

            def best(board: int, options: list[Line], known: Mapping[At, Fraction] = known) -> Line:
                return max(options, key=lambda option: self.own(option, known))

            changed = False
            for board in self.boards:
                line = self.line(board, best)
                if self.own(line, known) > self.own(mine[board], known):
                    mine[board], changed = line, True
        return known

    def solved(self, line_of: Mapping[At, Line]) -> dict[At, Fraction]:
        """The values of a chain, by elimination in fractions: each row in terms of later ones only, then backwards."""
        rows: dict[At, Line] = {}
        for (board, place), line in line_of.items():
            ended = [(Fraction(1), {None: line.get(place, Fraction(0))})]
            ahead = [(chance, key) for key, chance in line.items() if isinstance(key, tuple)]
            turned = [(chance, {(to, (place - left) % self.seats): Fraction(1)}) for chance, (to, left) in ahead]
            rows[board, place] = mean([*ended, *turned])
        order = list(rows)
        for number, at in enumerate(order):
            back = rows[at].pop(at, Fraction(0))
            assert back < 1, "play goes on for ever"
            rows[at] = mean([(1 / (1 - back), rows[at])])
            for later in order[number + 1 :]:
                share = rows[later].pop(at, None)
                if share:
                    rows[later] = mean([(Fraction(1), rows[later]), (share, rows[at])])
        found: dict[Any, Fraction] = {None: Fraction(1)}
        for at in reversed(order):
            found[at] = sum((part * found[key] for key, part in rows[at].items()), Fraction(0))
        del found[None]
        return found
