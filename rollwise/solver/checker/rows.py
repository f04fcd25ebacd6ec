"""Check of bounds for boards in rows (``solver.model.rows``), a row at a time.

Along a row all ends of the turns shift by the same points, so a transition is read once, and verified at three boards
of the row. Chances are as stored: alone, or of the player who began. Where all have a relative error p, so do their
means and maxima; where p is absolute, as in a duel, it stays p. So one backup of the values bounds a row from above and
below, with p the largest of the successors. Rows whose turns can end the game are proved board by board.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.checker.backup import UNIT, TurnBackup
from rollwise.solver.checker.bounds import JOB_BOARDS, N_LANES, BoundsProof, Failures, Floats, Ints, Report, excess
from rollwise.solver.checker.transitions import read_transition
from rollwise.solver.model.duel_transition import is_duel
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rows import Rows
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph

ROWS_PER_BLOCK = 1024  # whose transitions are read at once
MAX_NEED = 1 << 40  # more than any board needs
MAX_CHANCE = 1 + 1e-9  # chances may exceed 1 by rounding


class RowProof:
    """Proof of ``values``, by board, with ``errors``, by row; ``by_board`` proves single boards."""

    def __init__(self, game: TurnGame, graph: TurnGraph, values: Floats, errors: Floats, by_board: BoundsProof) -> None:
        space = game.boards()
        assert isinstance(space, Rows)
        assert all(leaf.result != NO_RESULT and not leaf.lower and not leaf.upper for leaf in graph.leaves)
        self.game, self.graph, self.space, self.values, self.errors = game, graph, space, values, errors
        self.by_board, self.is_duel, self.failures = by_board, is_duel(game), Failures()
        senses = [game.sense, "min" if game.sense == "max" else "max"]
        self.backups = [TurnBackup(graph, int(graph.roots[0]), sense) for sense in senses[: 1 + self.is_duel]]
        self.others = np.broadcast_to(game.others_turn(space.columns(space.begins[:-1])), len(space.of_row))

    def run(self, report: Report) -> str | None:
        """The error, in words; None where all bounds hold."""
        n = len(self.others)
        for begin in range(0, n, ROWS_PER_BLOCK):
            rows = np.arange(begin, min(n, begin + ROWS_PER_BLOCK))
            for turn in np.unique(self.others[rows]).tolist():
                self.prove(rows[self.others[rows] == turn], turn)
            report((begin + len(rows)) / n)
        return self.failures.first_failure(self.game)

    def prove(self, rows: Ints, turn: bool) -> None:
        """Prove these rows, in which the other player moves, or not."""
        backup, space = self.backups[turn], self.space
        begins, lasts, shifts, errors_after, can_end = self.ends(rows, turn)
        of_lane = np.repeat(np.arange(len(rows)), space.lengths[rows])
        boards = space.begins[rows[of_lane]] + np.arange(len(of_lane)) - np.searchsorted(of_lane, of_lane)
        no_chance = ~((self.values[boards] >= 0) & (self.values[boards] <= MAX_CHANCE))
        self.failures.add(boards, np.where(no_chance, np.inf, 0.0), "what is kept is no chance: off")
        single_boards = boards[can_end[of_lane]]
        for begin in range(0, len(single_boards), JOB_BOARDS):
            block = single_boards[begin : begin + JOB_BOARDS]
            self.add(block, *self.by_board.job(0, block))
        of_lane, boards = of_lane[~can_end[of_lane]], boards[~can_end[of_lane]]
        work, tile = backup.allocate(N_LANES)
        for begin in range(0, len(boards), N_LANES):
            row, block = of_lane[begin : begin + N_LANES], boards[begin : begin + N_LANES]
            next_begins, places = begins[:, row], block - space.begins[rows[row]]
            leaf_values = self.values[next_begins + np.clip(places - shifts[:, row], 0, lasts[:, row])]
            leaf_values[next_begins < 0] = -np.inf if backup.best is np.maximum else np.inf
            after = backup.run(leaf_values, work if len(row) == N_LANES else np.empty((len(work), len(row))), tile)
            values, error, then = self.values[block], self.errors[rows[row]], errors_after[row]
            slack = (self.graph.terms + 16) * UNIT * (MAX_CHANCE if self.is_duel else np.abs(after))
            wide, widened = (error, then) if self.is_duel else (error * values, then * after)
            upper, lower = np.minimum(values + wide, 1.0), np.maximum(values - wide, 0.0)
            above = np.where(upper == 1.0, 0.0, excess(after + widened + slack, upper))
            below = np.where(lower == 0.0, 0.0, excess(lower, after - widened - slack))
            self.add(block, above, below)

    def add(self, boards: Ints, above: Floats, below: Floats) -> None:
        """Record failures."""
        self.failures.add(boards, above, "the upper bound is too low")
        self.failures.add(boards, below, "the lower bound is too high")

    def ends(self, rows: Ints, turn: bool) -> tuple[Ints, Ints, Ints, Floats, Any]:
        """Transitions of these rows' turns.

        Of shape (ends, rows): first board of the next row (-1: illegal), its last place, and the shift of places; by
        row, the successors' largest error, and whether the game can end.
        """
        space, count = self.space, len(rows)
        lengths = space.lengths[rows]
        sample_places = np.array([0 * lengths, lengths // 2, lengths - 1])
        columns = space.columns(space.begins[rows])
        columns.as_dict()["needed"] = np.full(count, MAX_NEED)
        leaves, can_end, errors = self.backups[turn].leaves, np.zeros(count, dtype=bool), np.zeros(count)
        begins, lasts, shifts = (np.full((len(leaves), count), -1) for _ in range(3))
        for end, leaf in enumerate(leaves.tolist()):
            result = self.graph.results[self.graph.leaves[leaf].result]
            moves = read_transition(self.game, (space.begins[rows] + sample_places).ravel(), result)
            illegal, over, successor = (each.reshape(3, count) for each in (moves.illegal, moves.over, moves.following))
            can_end |= over.any(axis=0)
            goes_on = ~(illegal | over).any(axis=0)
            to = space.row_of(successor[0])
            after = self.game.transition(columns, result).next or {}
            shift = MAX_NEED - np.broadcast_to(after.get("needed", MAX_NEED), count) + space.lows[to] - space.lows[rows]
            expected = space.begins[to] + np.clip(sample_places - shift, 0, space.lengths[to] - 1)
            passes = moves.passes.reshape(3, count) > 0
            is_wrong = goes_on & ((successor != expected) | (passes != (self.others[to] != turn))).any(axis=0)
            if is_wrong.any() or moves.points.any() or (illegal != illegal[0]).any():
                raise ModelError(f"result {result} does not move all of a row alike")
            begins[end] = np.where(goes_on, space.begins[to], -1)
            lasts[end], shifts[end] = np.where(goes_on, space.lengths[to] - 1, 0), np.where(goes_on, shift, 0)
            errors = np.where(goes_on, np.maximum(errors, self.errors[to]), errors)
        return begins, lasts, shifts, errors, can_end
