"""Proof of bounds for boards in rows (``solver.model.rows``), a row at a time.

In a row all that is needed moves by the same points, so a result is read once, and looked up again at three boards of
the row. Chances are as they are kept: alone, or of who began. Where all are off by a part p of themselves, their means
and maxima are too; where they are off by p, as in a duel, so are those of numbers that are p more. So one backup of the
values bounds a row from above and below, with p the largest of the boards that follow. Rows whose turns can end the
game are proved board by board.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rollwise.solver.checker.backup import UNIT, TurnBackup
from rollwise.solver.checker.bounds import LANES, SETTLED, Bounds, Failures, Floats, Ints, Report, excess
from rollwise.solver.checker.transitions import told
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rows import Rows
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph

AT_ONCE = 1024  # rows that are settled at once
FAR = 1 << 40  # more than is ever needed
MOST = 1 + 1e-9  # no chance is more, but for rounding


class RowProof:
    """The proof of ``values``, by board, that are off by ``part_off``, by row; ``by_board`` proves single ones."""

    def __init__(self, game: TurnGame, graph: TurnGraph, values: Floats, part_off: Floats, by_board: Bounds) -> None:
        space = game.boards()
        assert isinstance(space, Rows)
        assert all(leaf.result != NO_RESULT and not leaf.lower and not leaf.upper for leaf in graph.leaves)
        self.game, self.graph, self.space, self.values, self.part_off = game, graph, space, values, part_off
        self.by_board, self.is_duel, self.failures = by_board, is_duel(game), Failures()
        senses = [game.sense, "min" if game.sense == "max" else "max"]
        self.backups = [TurnBackup(graph, int(graph.roots[0]), sense) for sense in senses[: 1 + self.is_duel]]
        self.others = np.broadcast_to(game.others_turn(space.columns(space.begins[:-1])), len(space.of_row))

    def run(self, report: Report) -> str | None:
        """What is wrong, in words; None where all holds."""
        n = len(self.others)
        for begin in range(0, n, AT_ONCE):
            rows = np.arange(begin, min(n, begin + AT_ONCE))
            for turn in np.unique(self.others[rows]).tolist():
                self.prove(rows[self.others[rows] == turn], turn)
            report((begin + len(rows)) / n)
        return self.failures.told(self.game)

    def prove(self, rows: Ints, turn: bool) -> None:
        """Prove these rows, in which the other player moves or not."""
        backup, space = self.backups[turn], self.space
        begins, lasts, shifts, off_after, can_end = self.ends(rows, turn)
        of_lane = np.repeat(np.arange(len(rows)), space.lengths[rows])
        boards = space.begins[rows[of_lane]] + np.arange(len(of_lane)) - np.searchsorted(of_lane, of_lane)
        no_chance = ~((self.values[boards] >= 0) & (self.values[boards] <= MOST))
        self.failures.add(boards, np.where(no_chance, np.inf, 0.0), "what is kept is no chance: off")
        alone = boards[can_end[of_lane]]
        for begin in range(0, len(alone), SETTLED):
            some = alone[begin : begin + SETTLED]
            self.add(some, *self.by_board.job(0, some))
        of_lane, boards = of_lane[~can_end[of_lane]], boards[~can_end[of_lane]]
        room, tile = backup.room(LANES)
        for begin in range(0, len(boards), LANES):
            row, some = of_lane[begin : begin + LANES], boards[begin : begin + LANES]
            to, at = begins[:, row], some - space.begins[rows[row]]
            worths = self.values[to + np.clip(at - shifts[:, row], 0, lasts[:, row])]
            worths[to < 0] = -np.inf if backup.best is np.maximum else np.inf
            found = backup.run(worths, room if len(row) == LANES else np.empty((len(room), len(row))), tile)
            own, off, then = self.values[some], self.part_off[rows[row]], off_after[row]
            slack = (self.graph.terms + 16) * UNIT * (MOST if self.is_duel else np.abs(found))
            wide, widened = (off, then) if self.is_duel else (off * own, then * found)
            upper, lower = np.minimum(own + wide, 1.0), np.maximum(own - wide, 0.0)
            above = np.where(upper == 1.0, 0.0, excess(found + widened + slack, upper))
            below = np.where(lower == 0.0, 0.0, excess(lower, found - widened - slack))
            self.add(some, above, below)

    def add(self, boards: Ints, above: Floats, below: Floats) -> None:
        """Note what fails."""
        self.failures.add(boards, above, "the upper bound is too low")
        self.failures.add(boards, below, "the lower bound is too high")

    def ends(self, rows: Ints, turn: bool) -> tuple[Ints, Ints, Ints, Floats, Any]:
        """Where the turns of these rows lead: rows begin there (-1: not allowed), their last places, and by how many
        places less is needed, each of shape (ends, rows). By row, how far off what follows is, and: can the game end?
        """
        space, count = self.space, len(rows)
        lengths = space.lengths[rows]
        looked = np.array([0 * lengths, lengths // 2, lengths - 1])
        columns = space.columns(space.begins[rows])
        columns.as_dict()["needed"] = np.full(count, FAR)
        leaves, can_end, off = self.backups[turn].leaves, np.zeros(count, dtype=bool), np.zeros(count)
        begins, lasts, shifts = (np.full((len(leaves), count), -1) for _ in range(3))
        for end, leaf in enumerate(leaves.tolist()):
            result = self.graph.results[self.graph.leaves[leaf].result]
            said = told(self.game, (space.begins[rows] + looked).ravel(), result)
            illegal, over, following = (each.reshape(3, count) for each in (said.illegal, said.over, said.following))
            can_end |= over.any(axis=0)
            on = ~(illegal | over).any(axis=0)
            to = space.row_of(following[0])
            after = self.game.transition(columns, result).next or {}
            shift = FAR - np.broadcast_to(after.get("needed", FAR), count) + space.lows[to] - space.lows[rows]
            seen = space.begins[to] + np.clip(looked - shift, 0, space.lengths[to] - 1)
            passes = said.passes.reshape(3, count) > 0
            wrong = on & ((following != seen) | (passes != (self.others[to] != turn))).any(axis=0)
            if wrong.any() or said.points.any() or (illegal != illegal[0]).any():
                raise ModelError(f"result {result} does not move all of a row alike")
            begins[end] = np.where(on, space.begins[to], -1)
            lasts[end], shifts[end] = np.where(on, space.lengths[to] - 1, 0), np.where(on, shift, 0)
            off = np.where(on, np.maximum(off, self.part_off[to]), off)
        return begins, lasts, shifts, off, can_end
