"""Rows of an export: the moves of every decision on a block of boards, judged, as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.decisions import Board, Decision, Fields, Sheet, Slice
from rollwise.stored import Stored
from solver.fields import Field, Number
from solver.graph import TurnGraph
from solver.model import TurnGame
from solver.query import LOWER, UPPER, VALUE, TableTurns, Turns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_LANES = 2048
NUMBERS_A_BLOCK = 5 << 20  # float64 numbers that the nodes of one block of boards fill: 40 MB
MOVES_A_BATCH = 1 << 18  # moves in one batch of rows, those left out as illegal included
COLUMNS = {
    "best": "the best move; of several that are equally good within their bounds the first in the game's own order",
    "value": "what the state is worth to the mover",
    "lower": "the true value is not below this",
    "upper": "the true value is not above this",
    "moves": "the legal moves, best first",
    "values": "what each of them is worth",
    "second_loss": "how much worse the second move is than the first; 0 if equally good, absent if there is none",
}


class Targets:
    """Where the moves of a root's decisions lead, as rows of one array of values: nodes, further words, illegal ones.

    ``rows``: shape (decisions, most moves), padded with the row of what is illegal; ``names``: the same shape, places
    in ``all_names``.
    """

    def __init__(self, turns: Turns, listed: list[Decision]) -> None:
        node_of = [[turns.node_of(move.after) for move in one.moves] for one in listed]
        self.nodes = np.unique([node for nodes in node_of for node in nodes if node is not None]).astype(np.int64)
        place = {node: row for row, node in enumerate(self.nodes.tolist())}
        self.words = [
            move.after
            for one, nodes in zip(listed, node_of, strict=True)
            for move, node in zip(one.moves, nodes, strict=True)
            if node is None
        ]
        further = iter(range(len(self.nodes), len(self.nodes) + len(self.words)))
        self.all_names = list(dict.fromkeys(move.name for one in listed for move in one.moves))
        named = {name: number for number, name in enumerate(self.all_names)}
        shape = len(listed), max(len(one.moves) for one in listed)
        self.rows = np.full(shape, len(self.nodes) + len(self.words), dtype=np.int64)
        self.names = np.zeros(shape, dtype=np.int64)
        for i, (one, nodes) in enumerate(zip(listed, node_of, strict=True)):
            self.rows[i, : len(nodes)] = [next(further) if node is None else place[node] for node in nodes]
            self.names[i, : len(nodes)] = [named[move.name] for move in one.moves]

    def values(self, turns: Turns) -> Floats:
        """(value, lower, upper) of each row on each board, shape (rows, lanes, 3)."""
        nodes = turns.intervals(turns.nodes[self.nodes])
        words = [turns.intervals(turns.worth(word))[None] for word in self.words]
        illegal = np.full((1, *nodes.shape[1:]), -np.inf if turns.game.sense == "max" else np.inf)
        return np.concatenate([nodes, *words, illegal])


class Rows:
    """Batches of rows, board by board; ``widest`` is the widest interval of a value so far."""

    def __init__(self, found: Stored, chosen: Slice) -> None:
        self.found, self.chosen = found, chosen
        self.game, self.graph = found.game, found.graph
        self.fields = list(self.game.fields())
        taken = {field.name for field in self.fields}
        self.names = {column: f"{column}_move" if column in taken else column for column in COLUMNS}
        self.lanes = lanes(self.game, self.graph)
        self.targets: dict[int, Targets] = {}
        self.widest = 0.0

    def schema(self) -> Any:
        """The columns and their types."""
        import pyarrow as pa

        kinds = {"best": pa.string(), "moves": pa.list_(pa.string()), "values": pa.list_(pa.float64())}
        answers = [pa.field(name, kinds.get(column, pa.float64())) for column, name in self.names.items()]
        return pa.schema([*(pa.field(field.name, _kind(field)) for field in self.fields), *answers])

    def batches(self, root: int, boards: Ints) -> Iterator[Any]:
        """The rows of these boards, whose turns all start in this root."""
        turns = (TableTurns if self.game.kind == "table" else Turns)(self.game, self.graph, boards, self.found.read)
        if root not in self.targets:
            self.targets[root] = Targets(turns, self.chosen.decisions(root))
        targets = self.targets[root]
        values = targets.values(turns)
        del turns
        plain = self.chosen.boards(boards)
        if self.chosen.apart:
            yield from self._sheet(self.chosen.sheet(root, plain[0]), targets, values, plain)
            return
        for lane, board in enumerate(plain):
            sheet = self.chosen.sheet(root, board)
            if sheet.rows:
                yield from self._sheet(sheet, targets, values[:, lane : lane + 1], [board])

    def _sheet(self, sheet: Sheet, targets: Targets, values: Floats, boards: list[Board]) -> Iterator[Any]:
        """All rows of these boards, laid over one sheet; ``values``: their lanes."""
        parts = [sheet.on(board) for board in boards]
        more = [sheet.more_points(board, part) for board, part in zip(boards, parts, strict=True)]
        sheet.check(boards, parts, more)
        n_rows, width = len(sheet.rows), targets.rows.shape[1]
        columns = {
            field.name: _array(field, parts if field.name in sheet.constant else sheet.rows) for field in self.fields
        }
        at_once = max(1, MOVES_A_BATCH // width)
        for begin in range(0, n_rows * len(boards), at_once):
            lane, row = np.divmod(np.arange(begin, min(begin + at_once, n_rows * len(boards))), n_rows)
            place = sheet.decision[row]
            found = values[targets.rows[place], lane[:, None]]
            found += (sheet.points[row] + np.array(more)[lane])[:, None, None]
            judged = Judged(found, 1 if self.game.sense == "max" else -1)
            self.widest = max(self.widest, judged.widest)
            shown = {
                name: column.take(_indices((lane if name in sheet.constant else row)[judged.kept]))
                for name, column in columns.items()
            }
            yield self._batch(shown, judged, targets.names[place], targets.all_names)

    def _batch(self, shown: dict[str, Any], judged: Judged, names: Ints, all_names: list[str]) -> Any:
        import pyarrow as pa

        texts = pa.array(all_names, pa.string())
        kept = judged.kept
        starts = pa.array(np.concatenate([[0], np.cumsum(judged.count)]), pa.int32())
        ordered = np.take_along_axis(names[kept], judged.order, axis=1)[judged.listed]
        answers = {
            "best": texts.take(_indices(names[kept, judged.best])),
            "value": pa.array(judged.top[:, VALUE]),
            "lower": pa.array(judged.top[:, LOWER]),
            "upper": pa.array(judged.top[:, UPPER]),
            "moves": pa.ListArray.from_arrays(starts, texts.take(_indices(ordered))),
            "values": pa.ListArray.from_arrays(starts, pa.array(judged.ranked[judged.listed])),
            "second_loss": pa.array(judged.second_loss, mask=judged.count < 2),
        }
        return pa.RecordBatch.from_arrays(
            [*shown.values(), *(answers[column] for column in self.names)], schema=self.schema()
        )


class Judged:
    """Rows of moves, judged as ``ask`` judges them: best first, and which cannot be told from the best.

    ``found``: float64, shape (rows, moves, 3), (value, lower, upper) in the game's own order, value infinite where a
    move is illegal; ``sign`` 1 where more is better, -1 where less is. Rows without a legal move are left out: ``kept``
    are the places of the others, and all that follows is theirs. ``order`` and ``ranked`` (values) are best first,
    ``listed`` says which of them are legal, ``top`` is the first move's interval, ``best`` a place in the game's own
    order.
    """

    def __init__(self, found: Floats, sign: int) -> None:
        legal = np.isfinite(found[..., VALUE])
        self.kept = np.flatnonzero(legal.any(axis=1))
        if len(self.kept) < len(found):
            found, legal = found[self.kept], legal[self.kept]
        self.count = legal.sum(axis=1)
        value = found[..., VALUE]
        self.order = np.argsort(np.where(legal, -sign * value, np.inf), axis=1, kind="stable")
        self.listed = np.arange(found.shape[1]) < self.count[:, None]
        self.ranked = np.take_along_axis(value, self.order, axis=1)
        rows = np.arange(len(found))
        self.top = found[rows, self.order[:, 0]]
        good = legal & (found[..., UPPER] >= self.top[:, None, LOWER]) & (found[..., LOWER] <= self.top[:, None, UPPER])
        self.best = np.argmax(good, axis=1)
        second = np.where(self.count > 1, self.order[:, min(1, found.shape[1] - 1)], self.order[:, 0])
        loss = np.maximum(0.0, sign * (self.top[:, VALUE] - value[rows, second]))
        self.second_loss = np.where(good[rows, second], 0.0, loss)
        self.widest = float(np.max(self.top[:, UPPER] - self.top[:, LOWER], initial=0.0))


def lanes(game: TurnGame, graph: TurnGraph) -> int:
    """How many boards are backed up side by side: nodes, the values of moves and the edges of a layer have to fit."""
    layers = [
        int(graph.start[end - graph.n_leaves] - graph.start[first - graph.n_leaves])
        for _, first, end in graph.segments.tolist()
    ]
    seats = int(game.parameters()["players"]) if game.kind == "table" else 0
    a_board = (2 * graph.n_nodes + 2 * max(layers, default=0)) * max(3, seats)
    return max(1, min(MOST_LANES, NUMBERS_A_BLOCK // a_board))


def _kind(field: Field) -> Any:
    import pyarrow as pa

    return pa.int64() if isinstance(field, Number) else pa.string()


def _array(field: Field, rows: list[Fields]) -> Any:
    """A field of some rows: numbers as they are, anything else as it is typed; absent ones null."""
    import pyarrow as pa

    if isinstance(field, Number):
        return pa.array([row.get(field.name) for row in rows], pa.int64())
    return pa.array([field.show(row[field.name]) if field.name in row else None for row in rows], pa.string())


def _indices(places: Ints) -> Any:
    import pyarrow as pa

    return pa.array(places)
