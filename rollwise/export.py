"""``export``: every decision of a game, or of a slice of it, as a table file."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cache.store import DamagedEntry
from rollwise.decisions import Board, Decision, Fields, Interwoven, Sheet, Slice
from rollwise.door import the_fields, the_game
from rollwise.progress import Progress
from rollwise.stored import Stored, forget, note, plain_parameters, stored, versions
from rollwise.tables import TableFile, check_output, the_format
from solver.errors import BadInput, StateError, TooLarge
from solver.fields import Field, Number
from solver.graph import TurnGraph
from solver.model import TurnGame
from solver.query import LOWER, UPPER, VALUE, TableTurns, Turns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_ROWS = 50_000_000  # more are written only when asked for
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


@dataclass(frozen=True)
class Exported:
    """What was written: ``bytes`` is the size of the file, ``seconds`` the whole time, a solve included."""

    path: Path
    rows: int
    format: str
    bytes: int
    seconds: float


def export(
    game: str,
    output: str | Path,
    params: Mapping[str, Any] | None = None,
    *,
    format: str | None = None,
    all: bool = False,
    **state: Any,
) -> Exported:
    """Write every decision of the slice that the fields in ``state`` name, a row each, to ``output``.

    A decision belongs to the slice if its fields agree with all those given (``mine=8400, theirs=6300`` fixes the
    scores, ``roll=...`` the roll); without any, every board that can be is exported. The columns are the game's fields,
    then those of ``COLUMNS``; the values are those of ``ask``. ``format`` is parquet, csv or jsonl, by default that of
    the suffix. More than 50 million rows are written only with ``all``: TooLarge says how many there would be. Raises
    BadInput, before anything is solved, for a file that can not be written or a slice that is empty.
    """
    began = time.perf_counter()
    path = Path(output)
    file_format = the_format(path, format)
    made = the_game(game, params)
    if made.kind == "luck":
        raise BadInput(f"BadInput: {game} has no decisions to export")
    given = the_fields(made, state)
    target = check_output(path)
    try:
        rows, size = _export(made, given, target, file_format, all, apart=True)
    except Interwoven:
        rows, size = _export(made, given, target, file_format, all, apart=False)
    return Exported(path, rows, file_format, size, time.perf_counter() - began)


def _export(game: TurnGame, given: Fields, path: Path, file_format: str, all: bool, apart: bool) -> tuple[int, int]:
    chosen = Slice(game, given, apart)
    if chosen.n_rows > MOST_ROWS and not all:
        raise TooLarge(
            f"TooLarge: {game} has about {chosen.n_rows / 1e6:,.0f} million decisions there; give fields "
            f"({', '.join(field.name for field in game.fields())}) to narrow them down, or --all (all=True) for them all"
        )
    found = stored(game)
    try:
        return _write(found, chosen, path, file_format)
    except DamagedEntry as error:
        note(str(error))
        forget(found.key)
        return _write(stored(game), chosen, path, file_format)


def _write(found: Stored, chosen: Slice, path: Path, file_format: str) -> tuple[int, int]:
    table = _Rows(found, chosen)
    with TableFile(path, file_format, table.schema()) as file, Progress(str(found.game), verb="exporting") as progress:
        n_boards, done = int(chosen.chosen.sum()), 0
        for root, boards in chosen.blocks(table.lanes):
            for batch in table.batches(root, boards):
                file.write(batch)
            done += len(boards)
            progress.share(done / n_boards)
        if file.rows == 0:
            raise StateError(f"StateError: no decision of {found.game} there has a legal move")
        return file.rows, file.finish(_description(found, chosen, table, file.rows))


def _description(found: Stored, chosen: Slice, table: _Rows, rows: int) -> dict[str, Any]:
    """What a table says of itself."""
    from importlib.metadata import version

    game = found.game
    fields = {field.name: field.help for field in game.fields()}
    return {
        "game": game.name,
        "parameters": plain_parameters(game),
        "rules_version": game.rules_version,
        "slice": {
            field.name: field.show(chosen.given[field.name]) for field in game.fields() if field.name in chosen.given
        },
        "objective": game.measure,
        "best_is": "highest" if game.sense == "max" else "lowest",
        "unit": game.unit,
        "method": found.facts["method"],
        "widest": table.widest,
        "boards": int(chosen.chosen.sum()),
        "rows": rows,
        "columns": fields | {name: COLUMNS[column] for column, name in table.names.items()},
        "versions": {**versions(), "pyarrow": version("pyarrow")},
    }


# --- rows ------------------------------------------------------------------------------------------------------------


class _Targets:
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


class _Rows:
    """Batches of rows, board by board; ``widest`` is the widest interval of a value so far."""

    def __init__(self, found: Stored, chosen: Slice) -> None:
        self.found, self.chosen = found, chosen
        self.game, self.graph = found.game, found.graph
        self.fields = list(self.game.fields())
        taken = {field.name for field in self.fields}
        self.names = {column: f"{column}_move" if column in taken else column for column in COLUMNS}
        self.lanes = lanes(self.game, self.graph)
        self.targets: dict[int, _Targets] = {}
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
            self.targets[root] = _Targets(turns, self.chosen.decisions(root))
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

    def _sheet(self, sheet: Sheet, targets: _Targets, values: Floats, boards: list[Board]) -> Iterator[Any]:
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
    ``listed`` says which of these are legal, ``top`` is the first move's interval, ``best`` a place in the game's order.
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
