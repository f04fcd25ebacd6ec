"""Tables: every seat maximises its own share, so a board is worth a vector, one number a seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.solver.game.errors import BadInput, TooLarge
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.game.solution import Quantity
from rollwise.solver.kinds.kind import (
    Answer,
    Cost,
    Floats,
    InMemory,
    Ints,
    Kept,
    Kind,
    Opened,
    Plan,
    Report,
    Solved,
    Tools,
    Wanted,
    Worth,
    n_possible,
)
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.query import OneTableTurn, TableTurns
from rollwise.solver.turn.settled import Uses
from rollwise.solver.turn.vectors import n_seats, table_uses

if TYPE_CHECKING:
    from rollwise.solver.play.contested import Rule


class OpenedShares(Opened):
    """Shares of every board by seat, and a radius."""

    def read(self, boards: Ints) -> tuple[Floats, Floats]:
        """(shares, radius) of boards by index."""
        return self.kept.rows("values", boards), self.kept.rows("radius", boards).astype(np.float64)

    def ask(self, position: Position, given: Mapping[str, Any], wanted: Wanted, report: Report) -> Answer:
        """See ``Opened``; the shares are those of the move that is played, the first of equally good ones."""
        if wanted.exact:
            raise TooLarge("a table is solved without fractions; leave out --exact (the interval is certified)")
        turn = self.turn_on(position.board)
        seat, radius = turn.seat, turn.radius
        moves = tuple(
            Worth(
                name,
                _within(shares[seat]),
                _within(shares[seat] - radius),
                _within(shares[seat] + radius),
                shares=tuple(float(share) for share in shares),
            )
            for name, shares in turn.moves(position.state, all_moves=wanted.all_moves)
        )
        best = max(move.value for move in moves)
        played = next(move.shares or () for move in moves if move.value >= best - radius)
        shares = tuple(tuple(_within(share + off) for share in played) for off in (0.0, -radius, radius))
        return Answer(seat, moves, shares=(shares[0], shares[1], shares[2]))

    def turn_on(self, board: Mapping[str, Any]) -> OneTableTurn:
        """See ``Opened``."""
        return OneTableTurn(self.game, self.graph, board, self.read)

    def quantities(self) -> dict[str, Quantity]:
        """``gain``: the most that any one seat could win more by playing otherwise."""
        return {"gain": Quantity(self.facts["gain"], 0.0, self.facts["gain_limit"], None, "probability")}

    def turns(self, boards: Ints) -> TableTurns:
        """See ``Opened``."""
        return TableTurns(self.game, self.graph, boards, self.read)

    @property
    def numbers_a_node(self) -> int:
        """See ``Opened``."""
        return max(3, n_seats(self.game))


def _within(share: Any) -> float:
    return min(max(float(share), 0.0), 1.0)


class Table(Kind):
    """Tables whose boards do not come again."""

    def uses(self, game: TurnGame) -> Uses:
        """See ``Kind``."""
        return table_uses(game)

    def plan(self, game: TurnGame, graph: TurnGraph) -> Plan:
        """See ``Kind``."""
        size, a_board = game.boards().size, 8 * n_seats(game) + 4
        return Plan(n_possible(game), graph.n_edges, 3 * size * a_board, size * a_board)

    def solve(self, game: TurnGame, graph: TurnGraph, tools: Tools) -> Solved:
        """See ``Kind``."""
        from rollwise.solver.boards.table import solve_table

        table = solve_table(game, graph, tools.report)
        facts = {
            "boards": table.n_boards,
            "method": table.method,
            "gain": table.gain,
            "gain_limit": table.gain_limit,
        }
        return Solved({"values": table.values, "radius": table.radius}, facts, 2 * float(np.nanmax(table.radius)))

    def restore(self, game: TurnGame, graph: TurnGraph, kept: Kept, facts: Mapping[str, Any]) -> OpenedShares:
        """See ``Kind``."""
        return OpenedShares(game, graph, kept, facts)

    def require_comparable(self, game: TurnGame) -> None:
        """See ``Kind``: with three or more there is no one best reply."""
        if n_seats(game) > 2:
            raise BadInput(
                f"a rule is compared against one other player, or alone; {game} has {n_seats(game)} players",
                hint=f"rollwise compare {game.name} POLICY -p players=2",
            )

    def compare(self, opened: Opened, rule: Rule, start: Position, tools: Tools, last_level: int | None = None) -> Cost:
        """See ``Kind``; a table of two is a duel, and solved as one."""
        from rollwise.solver.boards.sweep import BoardSolver
        from rollwise.solver.game.two_seats import TwoSeats
        from rollwise.solver.kinds.duel import OpenedValues, compared, uses

        duel = TwoSeats(opened.game)
        found = BoardSolver(duel, opened.graph, workers=tools.workers, uses=uses(duel)).solve()
        kept = InMemory({"values": found.values, "radius": found.radius})
        return compared(OpenedValues(duel, opened.graph, kept, {}), rule, start, tools)

    def prove(self, game: TurnGame, graph: TurnGraph, kept: Kept, facts: Mapping[str, Any], tools: Tools) -> str | None:
        """See ``Kind``."""
        from rollwise.solver.witness.table import table_holds

        size = game.boards().size
        wrong = self.require_arrays(kept, {"values": (size, n_seats(game)), "radius": (size,)})
        return wrong or table_holds(
            game, graph, kept.whole("values"), kept.whole("radius"), facts.get("gain_limit"), tools.report
        )


KIND = Table()
