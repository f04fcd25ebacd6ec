"""Cost model: number of possible boards and seconds of a solve, estimated from a sample of boards without a solve.

Seconds are those of two idle cores; ``python -m scripts.bench planned`` compares them with thirteen solves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rollwise.solver.kinds.kind import Ints, count_possible
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame, TurnSize
from rollwise.solver.model.outcome import outcome
from rollwise.solver.model.spaces import Columns
from rollwise.solver.turn.graph import TurnGraph

SAMPLE_BOARDS = 4096  # from which the cost of a board is estimated
SAMPLE_TURNS = 4  # turns whose successors are examined, on as many boards each
MAX_COUNTED_BOARDS = 1 << 21  # of a space whose possible boards are counted; larger ones are sampled
LARGE_SAMPLE_BOARDS = 1 << 17  # of a larger space, unless fewer than MIN_POSSIBLE_BOARDS of them are possible
MIN_POSSIBLE = 1000
PROGRAM_BYTES = 180_000_000  # of the program itself, with compiled loops loaded
START_S = 0.3  # to load compiled functions


@dataclass(frozen=True)
class BoardCost:
    """Mean cost of solving one board: ``ends`` of its turn, ``edges`` of the turn.

    ``possible``: the part of all boards that is possible. ``together``: the part of those that is swept at once,
    because they may lead to each other; 0 unless ``cyclic``. ``endings``: number of counted sorts of endings.
    ``swept``: as ``together``, where a turn leads from one to another, on at least half as many boards; 0 where none
    does.
    """

    ends: float
    edges: float
    possible: float
    together: float
    endings: int
    cyclic: bool
    swept: float = 0.0


@dataclass(frozen=True)
class SolveRates:
    """Measured speed of a kind of solve: ``settling`` seconds to read a transition of a board, ``edges`` times seats
    backed up in a second, ``beside`` edges that take as long as the rest of a backup (rows read and written, mixing),
    ``more`` backups of a board where all boards are swept at once, and ``laying`` seconds for an edge of the turn,
    once. ``once``: seconds to read a transition where each board is met once, so that nothing is stored.
    """

    settling: float
    edges: float
    beside: float
    more: float
    laying: float
    once: float

    def seconds(self, board_cost: BoardCost, n_boards: int, seats: int = 1) -> float:
        """Seconds of a solve of so many boards, about."""
        backups = MEAN_BACKUPS + self.more * board_cost.swept if board_cost.cyclic else 1
        backup_seconds = (board_cost.edges + self.beside) * seats * backups / self.edges
        reading = self.settling if board_cost.cyclic else self.once
        return START_S + board_cost.edges * self.laying + n_boards * (board_cost.ends * reading + backup_seconds)


MEAN_BACKUPS = 10  # of a board in a cycle, the mean of duels
# A duel follows from 1e9 edges in a second (Piggy Six, of few edges) to 21e9 (Sixzee), a table 1e9 to 4e9; a table
# settles a result in 1e-7 seconds (421) to 3e-7 (Mexico).
DUEL_RATES = SolveRates(settling=2e-8, edges=16e9, beside=1500, more=250, laying=4e-6, once=2e-9)
TABLE_RATES = SolveRates(settling=2e-7, edges=2e9, beside=400, more=30, laying=0.0, once=2e-7)


def _from_root(turn: TurnGraph | TurnSize, root: int) -> tuple[int, int, Sequence[Any]]:
    """Number of results and edges of a turn from this root, and results to examine."""
    if isinstance(turn, TurnSize):
        return *turn.by_root[root], turn.some_results
    ends = np.unique(np.array([leaf.result for leaf in turn.leaves])[turn.root_leaves[root]])
    there = turn.reachable(int(turn.roots[root]))[turn.n_leaves :]
    return len(ends), int(np.diff(turn.start)[there].sum()), [turn.results[i] for i in ends]


def estimate_board_cost(game: TurnGame, turn: TurnGraph | TurnSize, *, is_followed: bool = True) -> BoardCost:
    """Mean cost of a game's boards, from a fixed sample; ``is_followed``: examine whether swept ones are connected."""
    space = game.boards()
    some = np.arange(space.size)
    if space.size > SAMPLE_BOARDS:
        some = np.random.default_rng(0).integers(space.size, size=SAMPLE_BOARDS)
        some[0] = space.index_of(**game.first_board())  # a possible one
    columns = space.columns(some)
    is_possible = np.broadcast_to(np.asarray(game.possible(columns)), len(some))
    root = np.broadcast_to(np.asarray(game.root(columns), dtype=np.int64), len(some))[is_possible]
    level = np.broadcast_to(np.asarray(_levels(game, columns)), len(some))[is_possible]
    roots, counts = np.unique(root, return_counts=True)
    by_root = {at: _from_root(turn, at) for at in roots.tolist()}
    possible = float(is_possible.mean())
    ends_met, edges_met = (float(np.average([of[i] for of in by_root.values()], weights=counts)) for i in (0, 1))
    together = swept = 0.0
    if game.cyclic:
        levels, n_there = np.unique(level, return_counts=True)
        together = float(n_there.max() / len(level))
        large = np.isin(level, levels[2 * n_there > n_there.max()])
        starts, n_there = np.unique(np.stack([level, root])[:, large], axis=1, return_counts=True)
        for of, at in starts[:, np.argsort(-n_there, kind="stable")][:, :SAMPLE_TURNS].T.tolist():
            boards = some[is_possible][(level == of) & (root == at)]
            if not is_followed or _stays_in_level(game, boards[:: 1 + len(boards) // SAMPLE_TURNS], of, by_root[at][2]):
                swept = float((level == of).mean())
                break
    return BoardCost(ends_met, edges_met, possible, together, len(game.endings()), game.cyclic, swept)


def _levels(game: TurnGame, columns: Columns) -> Any:
    level = game.level(columns) if game.cyclic else None
    return 0 if level is None else level


def _stays_in_level(game: TurnGame, boards: Ints, level: Any, results: Sequence[Any]) -> bool:
    """True if a result leads from one of these boards to another of this level."""
    space = game.boards()
    for board in boards.tolist():
        fields = tuple(space.board(board).values())
        successors = {_next_board(game, fields, result) for result in results}
        inside = [space.index_of(**dict(zip(space.names, to, strict=True))) for to in successors - {fields} if to]
        if inside and np.any(_levels(game, space.columns(np.array(inside))) == level):
            return True
    return False


def _next_board(game: TurnGame, board: tuple[Any, ...], result: Any) -> tuple[Any, ...] | None:
    """The next board; None where there is none, or where it depends on more of the turn."""
    try:
        return outcome(game, board, result).following
    except ModelError:
        return None


def estimate_n_boards(game: TurnGame) -> int:
    """Number of possible boards: counted, or estimated from a sample of a large space."""
    space = game.boards()
    if space.size <= MAX_COUNTED_BOARDS:
        return count_possible(game)
    sample = np.random.default_rng(0).integers(space.size, size=LARGE_SAMPLE_BOARDS)
    is_possible = np.broadcast_to(np.asarray(game.possible(space.columns(sample)), dtype=bool), len(sample))
    return round(space.size * float(is_possible.mean())) if is_possible.sum() > MIN_POSSIBLE else count_possible(game)
