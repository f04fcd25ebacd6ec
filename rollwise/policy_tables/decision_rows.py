"""Rows of an export: every decision on a block of boards with its ranked moves, as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.policy_tables.decisions import CHUNK_BOARDS, Slice
from rollwise.policy_tables.files import GAME, rules_text
from rollwise.policy_tables.row_template import TRIED, BoardFields, DecisionPoint, Parts, Template, arrow_type, to_arrow
from rollwise.solutions.lookup import StoredSolution
from rollwise.solutions.tie_break import find_score_game, find_tie_break
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Solution
from rollwise.solver.model.game import Node, TurnGame
from rollwise.solver.turn.ranked_moves import LOWER, UPPER, VALUE, RankedMoves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PARTS_FACTOR = 4  # least ratio of boards to ranks of their parts at which fields are combined from parts
MAX_LANES = 2048
NUMBERS_A_BLOCK = 5 << 20  # float64 numbers for the nodes of one block of boards: 40 MB
MOVES_A_BATCH = 1 << 18  # moves in one batch of rows, illegal ones included
COLUMNS = {
    "best_move": "the best move; of several that are equally good within bounds the first in the game's own order",
    "value": "the value of the state for the mover",
    "lower": "the true value is not below this",
    "upper": "the true value is not above this",
    "moves": "the legal moves, best first",
    "values": "the value of each of them",
    "second_loss": "the loss of the second move against the first; 0 if equally good, absent if there is none",
}
GAME_COLUMN_HELP = "the game and its rule parameters, as in: pig target=30; the same in every row"
PROBABILITIES = "probabilities"  # of games with mixed strategies
PROBABILITIES_HELP = "the probability of each of the moves in the mixed strategy, in the order of moves"


class Targets:
    """Successors of the moves of some decisions, as places in their ``values`` on each board; the last means no move.

    ``rows``: shape (decisions, most moves), the places; ``names``: the same shape, places in ``all_names``.
    ``n_lanes``: so many boards are judged at a time.
    """

    lanes = 1
    listed: Sequence[DecisionPoint] = ()  # decisions in which several moves can be exactly equal

    def __init__(self, names: Sequence[Sequence[str]], places: Sequence[Sequence[int]], n_values: int) -> None:
        self.all_names = list(dict.fromkeys(name for of_one in names for name in of_one))
        named = {name: number for number, name in enumerate(self.all_names)}
        shape = len(names), max(map(len, names))
        self.rows: Ints = np.full(shape, n_values, dtype=np.int64)
        self.names: Ints = np.zeros(shape, dtype=np.int64)
        for i, (of_one, to) in enumerate(zip(names, places, strict=True)):
            self.rows[i, : len(to)] = to
            self.names[i, : len(to)] = [named[name] for name in of_one]

    def values(self, boards: Ints) -> Floats:
        """(value, lower, upper) of each place on each board, shape (lanes, places + 1, 3)."""
        raise NotImplementedError

    def probabilities(self) -> Floats | None:
        """The probability of each move on the boards of the last call of ``values``; None without mixed strategies."""
        return None


class ForcedTargets(Targets):
    """Decisions at the start of a turn with one forced move, whose value is that of the board.

    No backup is needed. The interval is that of the solution: certified, but perhaps wider than that of ``ask``.
    """

    lanes = CHUNK_BOARDS

    def __init__(self, solution: Solution, move: str) -> None:
        super().__init__([[move]], [[0]], 1)
        self.solution = solution

    def values(self, boards: Ints) -> Floats:
        """The values of the boards in the solution; every board has this move."""
        worths = self.solution.start_values(boards)
        assert worths is not None
        return worths[:, None]


class MixedTargets(Targets):
    """Decisions with a mixed strategy, board by board."""

    def __init__(self, solution: Solution, listed: Sequence[DecisionPoint]) -> None:
        self.solution, self.states = solution, [one.state for one in listed]
        ends = np.cumsum([len(one.moves) for one in listed]).tolist()
        self.n_moves = ends[-1]
        places = [range(end - len(one.moves), end) for one, end in zip(listed, ends, strict=True)]
        super().__init__([[move.name for move in one.moves] for one in listed], places, self.n_moves)

    def values(self, boards: Ints) -> Floats:
        """Values of the moves against best play; stores their probabilities."""
        worths = np.full((len(boards), self.n_moves + 1, 3), -np.inf)
        self.often = np.zeros((len(boards), self.n_moves + 1))
        for lane, board in enumerate(boards.tolist()):
            for i, state in enumerate(self.states):
                for place, move in zip(self.rows[i].tolist(), self.solution.moves(board, state), strict=False):
                    worths[lane, place] = move.value, move.lower, move.upper
                    self.often[lane, place] = 1.0 if move.probability is None else move.probability
        return worths

    def probabilities(self) -> Floats:
        """The probabilities, in the order of the values."""
        return self.often.ravel()


class NodeTargets(Targets):
    """Decisions whose moves lead to nodes of the turn graph, or to nodes outside it."""

    def __init__(self, solved: StoredSolution, listed: Sequence[DecisionPoint], a_board: Ints) -> None:
        self.solved, self.lanes, self.listed = solved, n_lanes(solved.solution), listed
        turns = solved.solution.turns(a_board)
        nodes = [[turns.node_of(move.after) for move in one.moves] for one in listed]
        self.nodes = np.unique([node for of_one in nodes for node in of_one if node is not None]).astype(np.int64)
        place = {node: row for row, node in enumerate(self.nodes.tolist())}
        self.words: list[Node] = []
        places: list[list[int]] = []
        for one, of_one in zip(listed, nodes, strict=True):
            places.append([])
            for move, node in zip(one.moves, of_one, strict=True):
                places[-1].append(len(self.nodes) + len(self.words) if node is None else place[node])
                self.words += [move.after] if node is None else []
        n_values = len(self.nodes) + len(self.words)
        super().__init__([[move.name for move in one.moves] for one in listed], places, n_values)

    def values(self, boards: Ints) -> Floats:
        """Intervals of nodes, of nodes outside the graph, and of illegal moves; contiguous by board."""
        turns = self.solved.solution.turns(boards)
        nodes = turns.intervals(turns.nodes[self.nodes])
        words = [turns.intervals(turns.value_of(word))[None] for word in self.words]
        illegal = np.full((1, *nodes.shape[1:]), -np.inf if turns.game.sense == "max" else np.inf)
        return np.ascontiguousarray(np.concatenate([nodes, *words, illegal]).transpose(1, 0, 2))


class DecisionRows:
    """Batches of rows, board by board; ``widest``: the widest interval of a value so far."""

    def __init__(self, solved: StoredSolution, chosen: Slice) -> None:
        self.solved, self.chosen = solved, chosen
        self.game, self.graph = chosen.game, solved.graph
        self.fields = list(self.game.fields())
        taken = {field.name for field in self.fields}
        mixes = kind_of(self.game).is_mixed
        self.help = {**COLUMNS, **({PROBABILITIES: PROBABILITIES_HELP} if mixes else {}), GAME: GAME_COLUMN_HELP}
        self.of = rules_text(self.game)
        self.names = {column: f"{column}_move" if column in taken else column for column in self.help}
        self.targets: dict[int, Targets] = {}
        self.score = find_score_game(self.game)
        self.ties: dict[Any, int] = {}  # place of the best move for the mean, by board and state
        self.parts: dict[int, Parts | None] = {}
        self.widest = 0.0

    def schema(self) -> Any:
        """The columns and their Arrow types."""
        import pyarrow as pa

        numbers = pa.list_(pa.float64())
        kinds = {"best_move": pa.string(), "moves": pa.list_(pa.string()), "values": numbers}
        kinds |= {PROBABILITIES: numbers, GAME: pa.string()}
        answers = [pa.field(name, kinds.get(column, pa.float64())) for column, name in self.names.items()]
        return pa.schema([*(pa.field(field.name, arrow_type(field)) for field in self.fields), *answers])

    def batches(self, root: int, boards: Ints) -> Iterator[tuple[Any, int]]:
        """(batch of rows, number of boards done) for these boards, whose turns all start in this root."""
        first = self.chosen.sheet(root, self.chosen.boards(boards[:1])[0]) if self.chosen.separable else None
        if root not in self.targets:
            self.targets[root] = self._targets(root, first, boards[:1])
        targets = self.targets[root]
        for begin in range(0, len(boards), targets.lanes):
            block = boards[begin : begin + targets.lanes]
            values = targets.values(block)
            if first is not None:
                places = np.searchsorted(first.used_decisions, first.decision)
                of_boards = self._board_fields(root, first, block)
                for batch in self._combine(first, places, targets, values, block, of_boards):
                    yield batch, begin + len(block)
                continue
            for lane, board in enumerate(self.chosen.boards(block)):
                sheet, there = self.chosen.sheet(root, board), block[lane : lane + 1]
                if sheet.rows:
                    alone, here = BoardFields({}, np.zeros(1)), values[lane : lane + 1]
                    for batch in self._combine(sheet, sheet.decision, targets, here, there, alone):
                        yield batch, begin + lane + 1

    def _targets(self, root: int, sheet: Template | None, a_board: Ints) -> Targets:
        """The targets of the decisions of this root; with a ``sheet`` for all boards only of those with rows."""
        listed = self.chosen.decisions(root)
        if PROBABILITIES in self.names:
            return MixedTargets(self.solved.solution, listed)
        if sheet is None:
            return NodeTargets(self.solved, listed, a_board)
        used_decisions = [listed[place] for place in sheet.used_decisions]
        start = tuple(self.game.roots()[root])
        forced = [one.state for one in used_decisions] == [start] and len(used_decisions[0].moves) == 1
        if forced and self.solved.solution.start_values(a_board) is not None:
            return ForcedTargets(self.solved.solution, used_decisions[0].moves[0].name)
        return NodeTargets(self.solved, used_decisions, a_board)

    def _board_fields(self, root: int, sheet: Template, boards: Ints) -> BoardFields:
        """The fields of the boards, combined from their parts where boards are many and the parts separable."""
        chosen = self.chosen
        if root not in self.parts:
            few = PARTS_FACTOR * sum(part.size for part in chosen.space.parts.values())
            many = chosen.space.is_product and not chosen.is_one_board and chosen.n_boards > few
            self.parts[root] = Parts.of(sheet, root, chosen.boards, chosen.sample_boards(root, TRIED)) if many else None
        parts = self.parts[root]
        return parts.on(boards) if parts else sheet.one_by_one(chosen.boards(boards))

    def _combine(
        self, sheet: Template, places: Ints, targets: Targets, values: Floats, boards: Ints, of_boards: BoardFields
    ) -> Iterator[Any]:
        """All rows of these boards, from one template.

        ``places``: of the rows' decisions among those of the targets; ``values``: of the targets on these boards.
        """
        import pyarrow as pa

        if self.chosen.separable:
            sheet.check(boards, self.chosen.boards, of_boards)
        n_rows, width = len(sheet.rows), targets.rows.shape[1]
        of_rows = {field.name: to_arrow(field, sheet.rows) for field in self.fields if field not in sheet.of_board}
        columns = {field.name: (of_rows | of_boards.columns)[field.name] for field in self.fields}
        at_once = max(1, MOVES_A_BATCH // width)
        for begin in range(0, n_rows * len(boards), at_once):
            lane, row = np.divmod(np.arange(begin, min(begin + at_once, n_rows * len(boards))), n_rows)
            place = places[row]
            leads_to = targets.rows[place] + (lane * values.shape[1])[:, None]
            worths = values.reshape(-1, 3).take(leads_to, axis=0)
            points = sheet.points[row] + of_boards.more[lane]
            worths += points[:, None, None]
            judged = RankedMoves(worths, self.game.sense)
            judged.outward(points != 0)
            if self.score and judged.decided.any():
                self._break_ties(judged, self.score, targets.listed, place, boards[lane])
            self.widest = max(self.widest, judged.widest)
            shown = {
                name: column.take(pa.array((lane if name in of_boards.columns else row)[judged.legal_rows]))
                for name, column in columns.items()
            }
            often = targets.probabilities()
            mixed = None if often is None else often.take(leads_to)
            yield self._batch(shown, judged, targets.names[place], targets.all_names, mixed)

    def _break_ties(
        self, judged: RankedMoves, score: TurnGame, listed: Sequence[DecisionPoint], places: Ints, boards: Ints
    ) -> None:
        """Where the outcome is certain, put the best move for the mean first; ``places``: of rows in ``listed``."""
        rows, names = np.flatnonzero(judged.decided), score.boards().names
        places, boards = places[judged.legal_rows[rows]], boards[judged.legal_rows[rows]]
        of_rows = np.unique(boards)
        here = dict(zip(of_rows.tolist(), self.chosen.boards(of_rows), strict=True))
        alike = {board: tuple(map(fields.get, names)) for board, fields in here.items()}
        moves = np.empty(len(rows), dtype=np.int64)
        for row, (place, board) in enumerate(zip(places.tolist(), boards.tolist(), strict=True)):
            key = alike[board], listed[place].state
            if key not in self.ties:
                self.ties[key] = self._best_for_the_mean(score, here[board], listed[place])
            moves[row] = self.ties[key]
        judged.begin_with(rows[moves >= 0], moves[moves >= 0])

    def _best_for_the_mean(self, score: TurnGame, board: Mapping[str, int], decision: DecisionPoint) -> int:
        """The place in a decision of the best move for the mean; -1 if there is none."""
        names = [move.name for move in decision.moves]
        tie = find_tie_break(score, next(iter(self.game.describe(board, decision.state)), {}), names)
        return -1 if tie is None else names.index(tie.move)

    def _batch(
        self, shown: dict[str, Any], judged: RankedMoves, names: Ints, all_names: list[str], often: Floats | None
    ) -> Any:
        import pyarrow as pa

        texts = pa.array(all_names, pa.string())
        rows = judged.legal_rows
        starts = pa.array(np.concatenate([[0], np.cumsum(judged.count)]), pa.int32())
        ordered = np.take_along_axis(names[rows], judged.order, axis=1)[judged.listed]
        answers = {
            "best_move": texts.take(pa.array(names[rows, judged.best])),
            "value": pa.array(judged.top[:, VALUE]),
            "lower": pa.array(judged.top[:, LOWER]),
            "upper": pa.array(judged.top[:, UPPER]),
            "moves": pa.ListArray.from_arrays(starts, texts.take(pa.array(ordered))),
            "values": pa.ListArray.from_arrays(starts, pa.array(judged.ranked[judged.listed])),
            "second_loss": pa.array(judged.second_loss, mask=judged.count < 2),
            GAME: pa.repeat(self.of, len(rows)),
        }
        if often is not None:
            ranked = np.take_along_axis(often[rows], judged.order, axis=1)[judged.listed]
            answers[PROBABILITIES] = pa.ListArray.from_arrays(starts, pa.array(ranked))
        return pa.RecordBatch.from_arrays(
            [*shown.values(), *(answers[column] for column in self.names)], schema=self.schema()
        )


def n_lanes(solution: Solution) -> int:
    """The number of boards in one backup, so that nodes, moves and the edges of a level fit in memory."""
    graph = solution.graph
    layers = [
        int(graph.start[end - graph.n_leaves] - graph.start[first - graph.n_leaves])
        for _, first, end in graph.segments.tolist()
    ]
    a_board = (2 * graph.n_nodes + 2 * max(layers, default=0)) * solution.n_values_per_node
    return max(1, min(MAX_LANES, NUMBERS_A_BLOCK // a_board))
