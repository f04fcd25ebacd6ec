"""Games for a number of points: boards in rows, one for each number that may still be needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.kinds.cost_model import DUEL
from rollwise.solver.kinds.duel import Duel, OpenedValues, exact_moves, exactly
from rollwise.solver.kinds.kind import (
    ActionValue,
    Answer,
    Floats,
    Ints,
    Plan,
    PositionValue,
    QueryOptions,
    Report,
    SolutionArrays,
    Solved,
    Tools,
)
from rollwise.solver.model.game import Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.rows import Rows
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.successors import ThrowOutcome

ROWS = "of_row", "lengths", "lows"  # what is kept of ``Rows``
METHOD = "one backup a board, all that may be needed side by side"


def seen(game: TurnGame, boards: Ints, values: Floats, part_off: Floats) -> tuple[Floats, Floats]:
    """(values, radius) to whoever moves on these boards, from the ``values`` that are kept of them.

    By row ``part_off`` is how large a part of itself a chance may be off by. In a duel all chances are one player's; to
    the other they are taken from 1, so there a radius is a part of 1.
    """
    space = game.boards()
    assert isinstance(space, Rows)
    part = part_off[space.row_of(boards)]
    if not is_duel(game):
        return values, values * part
    others = game.others_turn(space.columns(boards))
    return np.where(others, 1 - values, values), part


class OpenedRows(OpenedValues):
    """The chance of every board; how far off it may be is a part of it, the same for a level."""

    by_primes = False

    @cached_property
    def part_off(self) -> Floats:
        """See ``seen``."""
        return self.kept.whole("part_off")

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """See ``OpenedValues``."""
        game, space, kept = self.game, self.game.boards(), self.kept.rows("values", boards)
        assert isinstance(space, Rows)
        row = space.row_of(boards)
        enough = (boards == space.begins[row]) & (is_duel(game) | (space.lows[row] == game.needed_low))
        is_won = enough & (game.worths[0] == game.per)  # whatever follows; what sums up to 0 is lost as surely
        values, radius = seen(game, boards, np.where(is_won, 1.0, kept), self.part_off)
        return values, np.where(is_won | (kept == 0), 0.0, radius) + game.uncertain

    def stands_at_end(self, position: Position, fall: ThrowOutcome) -> PositionValue:
        """See ``Opened``."""
        if not self.game.uncertain:
            return super().stands_at_end(position, fall)
        worth, off = Fraction(fall.earned), Fraction(self.game.uncertain)
        return self._stands(position, (float(worth), max(0.0, below(worth - off)), min(1.0, above(worth + off))))

    def ask(self, position: Position, given: Mapping[str, Any], wanted: QueryOptions, report: Report) -> Answer:
        """See ``Opened``; what is certain is so exactly: that nothing more is needed, or that nothing is enough.

        There are no fractions of what is uncertain.
        """
        game = self.game
        told = super().ask(position, given, replace(wanted, exact=wanted.exact and not game.uncertain), report)
        if game.uncertain or is_duel(game):
            return replace(told, note=game.note(given))
        sure = Fraction(game.worths[0], game.per) if position.board["needed"] <= game.needed_low else None
        for all_are in (0, 1):
            sure = Fraction(all_are) if all(move.lower == move.upper == all_are for move in told.moves) else sure
        return replace(told, moves=tuple(_certain(move, sure) for move in told.moves), note=game.note(given, sure))


def _certain(move: ActionValue, sure: Fraction | None) -> ActionValue:
    if sure is None:
        return move
    return replace(move, value=float(sure), lower=below(sure), upper=above(sure), exact=sure)


@dataclass(frozen=True)
class _Seen:
    """Values (``place`` 0) or radius (1) of every board, worked out where they are looked at."""

    game: TurnGame
    values: Floats
    part_off: Floats
    place: int

    def __getitem__(self, boards: Ints) -> Floats:
        return seen(self.game, boards, self.values[boards], self.part_off)[self.place]


class Reach(Duel):
    """Games for a number of points, alone or for more of them than the other."""

    def called(self, game: Any) -> str:
        """See ``Kind``."""
        return "duel" if is_duel(game) else "solo"

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        space = game.boards()
        seconds = DUEL.laying * turn.n_edges + space.size * turn.n_edges / DUEL.edges
        return Plan(space.size, turn.n_edges, 10 * space.size, 8 * space.size, seconds)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``."""
        from rollwise.solver.values.rows import RowSolver, levels_of, off_by

        solver = RowSolver(game, graph, tools.workers, self.uses(game))
        with tools.kept(solver) as save:
            values = solver.solve(tools.report, save)
        space = solver.space
        part_off = off_by(graph, levels_of(game, space))
        arrays: dict[str, NDArray[Any]] = {
            "values": values,
            "part_off": part_off,
            "of_row": space.of_row,
            "lengths": space.lengths,
            "lows": space.lows,
        }
        work = space.size * solver.program.n_edges
        facts = {"boards": space.size, "method": METHOD, "edge_operations": work}
        return Solved(arrays, facts, 2 * (float(part_off.max()) + game.uncertain))

    def restore(self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any]) -> OpenedRows:
        """See ``Kind``; which boards there are was kept with their values."""
        game.__dict__["rows"] = Rows(game.plain_boards(), *(kept.whole(name) for name in ROWS))
        return OpenedRows(game, graph, kept, facts)

    def ask_exactly(
        self, game: TurnGame, position: Position, all_moves: bool, turn: Callable[[], TurnGraph]
    ) -> Answer | None:
        """See ``Kind``."""
        if game.uncertain:
            return None
        found, _ = exact_moves(game, turn(), None, position, all_moves)
        return Answer(position.mover, tuple(exactly(move, value) for move, value in found.items()))

    def why_no_forecast(self, game: TurnGame, graph: TurnGraph) -> str:
        """There are no scores to be forecast, only reached or not."""
        return f"{game.name} is a duel" if is_duel(game) else f"{game.name} for a target has none"

    def prove(
        self, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.bounds import Bounds
        from rollwise.solver.checker.rows import RowProof

        space = game.boards()
        assert isinstance(space, Rows)
        n = len(space.of_row)
        wrong = self.require_arrays(kept, {"values": (space.size,), "part_off": (n,)})
        for name, here in zip(ROWS, (space.of_row, space.lengths, space.lows), strict=True):
            if not wrong and (kept.shape(name) != ((n,), "i") or not np.array_equal(kept.whole(name), here)):
                wrong = f"{name} is not what the rules give"
        if wrong:
            return wrong
        arrays = kept.whole("values"), kept.whole("part_off")
        by_board = Bounds(game, graph, *(_Seen(game, *arrays, place) for place in (0, 1)))
        return RowProof(game, graph, *arrays, by_board).run(tools.report)


KIND = Reach()
