"""Rows of an export: the moves of every decision on a block of boards, judged, as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solved.games import Stored
from rollwise.solver.game.fields import Field, Number
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Opened
from rollwise.solver.turn.judged import LOWER, UPPER, VALUE, Judged
from rollwise.tables.decisions import CHUNK, Slice
from rollwise.tables.files import OF, of_words
from rollwise.tables.mixes import MixTargets
from rollwise.tables.sheets import TRIED, BoardFields, Decision, Parts, Sheet, as_column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WORTH_IT = 4  # so many times more boards than ranks of their parts: then the parts say what boards are
MOST_LANES = 2048
NUMBERS_A_BLOCK = 5 << 20  # float64 numbers that the nodes of one block of boards fill: 40 MB
MOVES_A_BATCH = 1 << 18  # moves in one batch of rows, those left out as illegal included
COLUMNS = {
    "best_move": "the best move; of several that are equally good within bounds the first in the game's own order",
    "value": "what the state is worth to the mover",
    "lower": "the true value is not below this",
    "upper": "the true value is not above this",
    "moves": "the legal moves, best first",
    "values": "what each of them is worth",
    "second_loss": "how much worse the second move is than the first; 0 if equally good, absent if there is none",
}
OF_HELP = "the game and its rule parameters, as in: pig target=30; the same in every row"
PROBABILITIES = "probabilities"  # of games whose best play is a mix
OF_A_MIX = "how often each of the moves is made, at random, in the order of moves"


@dataclass(frozen=True)
class Forced:
    """Decisions where turns start with one move, as a throw that must be made: worth what their boards are.

    So nothing is backed up. The interval is that of the solution: as true as that of ``ask``, but perhaps wider.
    ``rows`` and ``names`` as those of ``Targets``.
    """

    opened: Opened
    move: str
    lanes: int = CHUNK

    @property
    def rows(self) -> Ints:
        """The move leads to the first row of values."""
        return np.zeros((1, 1), dtype=np.int64)

    @property
    def names(self) -> Ints:
        """It has the first name."""
        return np.zeros((1, 1), dtype=np.int64)

    @property
    def all_names(self) -> list[str]:
        """The one name."""
        return [self.move]

    def values(self, boards: Ints) -> Floats:
        """(value, lower, upper) on each board as the solution has them, shape (lanes, 1, 3)."""
        worths = self.opened.at_start(boards)
        assert worths is not None
        return worths[:, None]


class Targets:
    """Where the moves of decisions lead, as rows of one array of values: nodes, further words, illegal ones.

    ``rows``: shape (decisions, most moves), padded with the row of what is illegal; ``names``: the same shape, places
    in ``all_names``.
    """

    def __init__(self, found: Stored, listed: list[Decision], a_board: Ints) -> None:
        self.found = found
        self.lanes = lanes(found.opened)
        turns = found.opened.turns(a_board)
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

    def values(self, boards: Ints) -> Floats:
        """(value, lower, upper) of each row on each board, shape (lanes, rows, 3): what a board needs lies together."""
        turns = self.found.opened.turns(boards)
        nodes = turns.intervals(turns.nodes[self.nodes])
        words = [turns.intervals(turns.worth(word))[None] for word in self.words]
        illegal = np.full((1, *nodes.shape[1:]), -np.inf if turns.game.sense == "max" else np.inf)
        return np.ascontiguousarray(np.concatenate([nodes, *words, illegal]).transpose(1, 0, 2))


class DecisionRows:
    """Batches of rows, board by board; ``widest`` is the widest interval of a value so far."""

    def __init__(self, found: Stored, chosen: Slice) -> None:
        self.found, self.chosen = found, chosen
        self.game, self.graph = found.game, found.graph
        self.fields = list(self.game.fields())
        taken = {field.name for field in self.fields}
        mixes = kind_of(self.game).mixes
        self.help = {**COLUMNS, **({PROBABILITIES: OF_A_MIX} if mixes else {}), OF: OF_HELP}
        self.of = of_words(self.game)
        self.names = {column: f"{column}_move" if column in taken else column for column in self.help}
        self.targets: dict[int, Targets | Forced | MixTargets] = {}
        self.parts: dict[int, Parts | None] = {}
        self.widest = 0.0

    def schema(self) -> Any:
        """The columns and their types."""
        import pyarrow as pa

        numbers = pa.list_(pa.float64())
        kinds = {"best_move": pa.string(), "moves": pa.list_(pa.string()), "values": numbers}
        kinds |= {PROBABILITIES: numbers, OF: pa.string()}
        answers = [pa.field(name, kinds.get(column, pa.float64())) for column, name in self.names.items()]
        return pa.schema([*(pa.field(field.name, _kind(field)) for field in self.fields), *answers])

    def batches(self, root: int, boards: Ints) -> Iterator[tuple[Any, int]]:
        """(rows, how many boards are done) of these boards, whose turns all start in this root, piece by piece."""
        first = self.chosen.sheet(root, self.chosen.boards(boards[:1])[0]) if self.chosen.apart else None
        if root not in self.targets:
            self.targets[root] = self._targets(root, first, boards[:1])
        targets = self.targets[root]
        for begin in range(0, len(boards), targets.lanes):
            block = boards[begin : begin + targets.lanes]
            values = targets.values(block)
            if first is not None:
                places = np.searchsorted(first.used, first.decision)
                said = self._said(root, first, block)
                for batch in self._laid_over(first, places, targets, values, block, said):
                    yield batch, begin + len(block)
                continue
            for lane, board in enumerate(self.chosen.boards(block)):
                sheet, there = self.chosen.sheet(root, board), block[lane : lane + 1]
                if sheet.rows:
                    said, here = sheet.one_by_one([board]), values[lane : lane + 1]
                    for batch in self._laid_over(sheet, sheet.decision, targets, here, there, said):
                        yield batch, begin + lane + 1

    def _targets(self, root: int, sheet: Sheet | None, a_board: Ints) -> Targets | Forced | MixTargets:
        """Where the moves of this root lead; if all boards have the rows of one ``sheet``, of its decisions alone."""
        listed = self.chosen.decisions(root)
        if PROBABILITIES in self.names:
            return MixTargets(self.found.opened, [(one.state, [move.name for move in one.moves]) for one in listed])
        if sheet is None:
            return Targets(self.found, listed, a_board)
        used = [listed[place] for place in sheet.used]
        start = tuple(self.game.roots()[root])
        forced = [one.state for one in used] == [start] and len(used[0].moves) == 1
        if forced and self.found.opened.at_start(a_board) is not None:
            return Forced(self.found.opened, used[0].moves[0].name)
        return Targets(self.found, used, a_board)

    def _said(self, root: int, sheet: Sheet, boards: Ints) -> BoardFields:
        """The fields of the boards: put together from what their parts say, where boards are many and that works."""
        chosen = self.chosen
        if root not in self.parts:
            few = WORTH_IT * sum(part.size for part in chosen.space.parts.values())
            many = not chosen.is_one_board and chosen.n_boards > few
            self.parts[root] = Parts.of(sheet, root, chosen.boards, chosen.some(root, TRIED)) if many else None
        parts = self.parts[root]
        return parts.on(boards) if parts else sheet.one_by_one(chosen.boards(boards))

    def _laid_over(
        self,
        sheet: Sheet,
        places: Ints,
        targets: Targets | Forced | MixTargets,
        values: Floats,
        boards: Ints,
        said: BoardFields,
    ) -> Iterator[Any]:
        """All rows of these boards, laid over one sheet.

        ``places``: of the rows' decisions among those of the targets; ``values``: of the targets on these boards.
        """
        import pyarrow as pa

        if self.chosen.apart:
            sheet.check(boards, self.chosen.boards, said)
        n_rows, width = len(sheet.rows), targets.rows.shape[1]
        columns = {
            field.name: said.columns[field.name] if field.name in said.columns else as_column(field, sheet.rows)
            for field in self.fields
        }
        at_once = max(1, MOVES_A_BATCH // width)
        for begin in range(0, n_rows * len(boards), at_once):
            lane, row = np.divmod(np.arange(begin, min(begin + at_once, n_rows * len(boards))), n_rows)
            place = places[row]
            leads_to = targets.rows[place] + (lane * values.shape[1])[:, None]
            found = values.reshape(-1, 3).take(leads_to, axis=0)
            points = sheet.points[row] + said.more[lane]
            found += points[:, None, None]
            judged = Judged(found, self.game.sense)
            judged.outward(points != 0)
            self.widest = max(self.widest, judged.widest)
            shown = {
                name: column.take(pa.array((lane if name in said.columns else row)[judged.kept]))
                for name, column in columns.items()
            }
            often = targets.probabilities.take(leads_to) if isinstance(targets, MixTargets) else None
            yield self._batch(shown, judged, targets.names[place], targets.all_names, often)

    def _batch(
        self, shown: dict[str, Any], judged: Judged, names: Ints, all_names: list[str], often: Floats | None
    ) -> Any:
        import pyarrow as pa

        texts = pa.array(all_names, pa.string())
        kept = judged.kept
        starts = pa.array(np.concatenate([[0], np.cumsum(judged.count)]), pa.int32())
        ordered = np.take_along_axis(names[kept], judged.order, axis=1)[judged.listed]
        answers = {
            "best_move": texts.take(pa.array(names[kept, judged.best])),
            "value": pa.array(judged.top[:, VALUE]),
            "lower": pa.array(judged.top[:, LOWER]),
            "upper": pa.array(judged.top[:, UPPER]),
            "moves": pa.ListArray.from_arrays(starts, texts.take(pa.array(ordered))),
            "values": pa.ListArray.from_arrays(starts, pa.array(judged.ranked[judged.listed])),
            "second_loss": pa.array(judged.second_loss, mask=judged.count < 2),
            OF: pa.repeat(self.of, len(kept)),
        }
        if often is not None:
            ranked = np.take_along_axis(often[kept], judged.order, axis=1)[judged.listed]
            answers[PROBABILITIES] = pa.ListArray.from_arrays(starts, pa.array(ranked))
        return pa.RecordBatch.from_arrays(
            [*shown.values(), *(answers[column] for column in self.names)], schema=self.schema()
        )


def lanes(opened: Opened) -> int:
    """How many boards are backed up side by side: nodes, the values of moves and the edges of a layer have to fit."""
    graph = opened.graph
    layers = [
        int(graph.start[end - graph.n_leaves] - graph.start[first - graph.n_leaves])
        for _, first, end in graph.segments.tolist()
    ]
    a_board = (2 * graph.n_nodes + 2 * max(layers, default=0)) * opened.numbers_a_node
    return max(1, min(MOST_LANES, NUMBERS_A_BLOCK // a_board))


def _kind(field: Field) -> Any:
    import pyarrow as pa

    return pa.int64() if isinstance(field, Number) else pa.string()
