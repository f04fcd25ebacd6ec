"""Games for a target: boards in rows, one board for each number of points that may still be needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.kinds.cost_model import DUEL_RATES
from rollwise.solver.kinds.duel import Duel, ValueSolution, exact_action_value, exact_moves
from rollwise.solver.kinds.kind import Floats, Ints, Plan, QueryOptions, Report, SolutionArrays, SolveResult, Tools
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.game import Position, TurnGame, TurnSize
from rollwise.solver.model.rounding import above, below
from rollwise.solver.model.rows import Rows
from rollwise.solver.model.solution import ActionValue, Answer, PositionValue
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.successors import ThrowOutcome

ROW_ARRAYS = "of_row", "lengths", "lows"  # of ``Rows``, as they are stored
METHOD = "one backup a board, all that may be needed side by side"


def values_to_mover(game: TurnGame, boards: Ints, values: Floats, relative_error: Floats) -> tuple[Floats, Floats]:
    """(values, radius) to the player to move on these boards, from their stored ``values``; ``relative_error`` by row.

    In a duel all stored chances are one player's; the other's are 1 less these, with an absolute radius.
    """
    space = game.boards()
    assert isinstance(space, Rows)
    error = relative_error[space.row_of(boards)]
    if not is_duel(game):
        return values, values * error
    is_other = game.others_turn(space.columns(boards))
    return np.where(is_other, 1 - values, values), error


class RowSolution(ValueSolution):
    """Chance of every board; its relative error is the same for all boards of a row."""

    by_primes = False

    @cached_property
    def relative_error(self) -> Floats:
        """See ``values_to_mover``."""
        return self.arrays.whole("part_off")

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """See ``ValueSolution``."""
        game, space, stored = self.game, self.game.boards(), self.arrays.rows("values", boards)
        assert isinstance(space, Rows)
        row = space.row_of(boards)
        enough = (boards == space.begins[row]) & (is_duel(game) | (space.lows[row] == game.needed_low))
        is_won = enough & (game.worths[0] == game.per)  # whatever follows; a sum of exactly 0 is a sure loss
        values, radius = values_to_mover(game, boards, np.where(is_won, 1.0, stored), self.relative_error)
        return values, np.where(is_won | (stored == 0), 0.0, radius) + game.uncertain

    def value_at_end(self, position: Position, outcome: ThrowOutcome) -> PositionValue:
        """See ``Solution``."""
        if not self.game.uncertain:
            return super().value_at_end(position, outcome)
        share, error = Fraction(outcome.earned), Fraction(self.game.uncertain)
        return self._value_of(position, (float(share), max(0.0, below(share - error)), min(1.0, above(share + error))))

    def ask(self, position: Position, fields: Mapping[str, Any], options: QueryOptions, report: Report) -> Answer:
        """See ``Solution``; almost sure values are exact. Uncertain games have no fractions."""
        game = self.game
        answer = super().ask(position, fields, replace(options, exact=options.exact and not game.uncertain), report)
        if game.uncertain or is_duel(game):
            return replace(answer, note=game.note(fields))
        certain = Fraction(game.worths[0], game.per) if position.board["needed"] <= game.needed_low else None
        for chance in (0, 1):
            certain = Fraction(chance) if all(move.lower == move.upper == chance for move in answer.moves) else certain
        return replace(
            answer,
            moves=tuple(_with_certain_value(move, certain) for move in answer.moves),
            note=game.note(fields, certain),
        )


def _with_certain_value(move: ActionValue, certain: Fraction | None) -> ActionValue:
    if certain is None:
        return move
    return replace(move, value=float(certain), lower=below(certain), upper=above(certain), exact=certain)


@dataclass(frozen=True)
class _ValuesToMover:
    """Values (``place`` 0) or radius (1) of every board, computed when they are read."""

    game: TurnGame
    values: Floats
    relative_error: Floats
    place: int

    def __getitem__(self, boards: Ints) -> Floats:
        return values_to_mover(self.game, boards, self.values[boards], self.relative_error)[self.place]


class Reach(Duel):
    """Games for a target, alone, or in a duel for more points than the other."""

    def label(self, game: Any) -> str:
        """See ``Kind``."""
        return "duel" if is_duel(game) else "solo"

    def plan(self, game: TurnGame, turn: TurnGraph | TurnSize) -> Plan:
        """See ``Kind``."""
        space = game.boards()
        seconds = DUEL_RATES.laying * turn.n_edges + space.size * turn.n_edges / DUEL_RATES.edges
        return Plan(space.size, turn.n_edges, 10 * space.size, 8 * space.size, seconds)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> SolveResult:
        """See ``Kind``."""
        from rollwise.solver.values.rows import RowSolver, levels_of, relative_error

        solver = RowSolver(game, graph, tools.workers, self.uses(game))
        with tools.checkpointing(solver) as save:
            values = solver.solve(tools.report, save)
        space = solver.space
        errors = relative_error(graph, levels_of(game, space))
        arrays: dict[str, NDArray[Any]] = {
            "values": values,
            "part_off": errors,
            "of_row": space.of_row,
            "lengths": space.lengths,
            "lows": space.lows,
        }
        work = space.size * solver.program.n_edges
        facts = {"boards": space.size, "method": METHOD, "edge_operations": work}
        return SolveResult(arrays, facts, 2 * (float(errors.max()) + game.uncertain))

    def restore(
        self, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, facts: Mapping[str, Any]
    ) -> RowSolution:
        """See ``Kind``; the set of boards is stored with their values."""
        game.set_rows(Rows(game.plain_boards(), *(arrays.whole(name) for name in ROW_ARRAYS)))
        return RowSolution(game, graph, arrays, facts)

    def ask_exactly(
        self, game: TurnGame, position: Position, all_moves: bool, turn: Callable[[], TurnGraph]
    ) -> Answer | None:
        """See ``Kind``."""
        if game.uncertain:
            return None
        fractions, _ = exact_moves(game, turn(), None, position, all_moves)
        return Answer(position.mover, tuple(exact_action_value(move, value) for move, value in fractions.items()))

    def why_no_forecast(self, game: TurnGame, graph: TurnGraph) -> str:
        """See ``Kind``: the result is a target reached or missed, not a score."""
        return f"{game.name} is a duel" if is_duel(game) else f"{game.name} for a target has none"

    def prove(
        self, game: TurnGame, graph: TurnGraph, stored: SolutionArrays, facts: Mapping[str, Any], tools: Tools
    ) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.checker.bounds import BoundsProof
        from rollwise.solver.checker.rows import RowProof

        space = game.boards()
        assert isinstance(space, Rows)
        n = len(space.of_row)
        wrong = self.require_arrays(stored, {"values": (space.size,), "part_off": (n,)})
        for name, column in zip(ROW_ARRAYS, (space.of_row, space.lengths, space.lows), strict=True):
            if not wrong and (stored.shape(name) != ((n,), "i") or not np.array_equal(stored.whole(name), column)):
                wrong = f"{name} is not what the rules give"
        if wrong:
            return wrong
        arrays = stored.whole("values"), stored.whole("part_off")
        by_board = BoundsProof(game, graph, *(_ValuesToMover(game, *arrays, place) for place in (0, 1)))
        return RowProof(game, graph, *arrays, by_board).run(tools.report)


KIND = Reach()
