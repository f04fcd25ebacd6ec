"""What a solve will take, reckoned from some boards and not tried: how many boards can be, and about how many seconds.

The seconds are those of two cores that have nothing else to do; ``python -m scripts.bench planned`` says how right
they are on thirteen games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rollwise.solver.kinds.kind import Ints, n_possible
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame, TurnSize
from rollwise.solver.model.outcome import outcome
from rollwise.solver.model.spaces import Columns
from rollwise.solver.turn.graph import TurnGraph

SAMPLE = 4096  # boards that tell what is typical of all
FOLLOWED = 4  # boards of each of so many turns whose results are followed
MOST_COUNTED = 1 << 21  # boards of a space that are looked at one by one to count those that can be
ESTIMATED = 1 << 17  # boards that tell how many can be of a space with more, unless so FEW of them can
FEW = 1000
PROGRAM = 180_000_000  # bytes that the program takes by itself, once compiled loops are loaded
START = 0.3  # seconds until a solve is under way: compiled functions are loaded


@dataclass(frozen=True)
class Typical:
    """What solving one board takes, on average: ``ends`` that its turn can have, ``edges`` of the turn.

    ``possible``: the part of all boards that can be. ``together``: the part of those that are swept at once, because
    they may lead to each other; 0 unless ``cyclic``. ``endings``: so many sorts of ends are counted. ``swept`` is
    the same of boards where a turn leads from one to another, of those that are half as many at least; 0 where none do.
    """

    ends: float
    edges: float
    possible: float
    together: float
    endings: int
    cyclic: bool
    swept: float = 0.0


@dataclass(frozen=True)
class Rates:
    """What a kind of solve takes, as measured: ``settling`` seconds to find where a result leads from a board,
    ``edges`` times seats followed in a second, ``beside`` edges that could be followed while the rest of a backup is
    done (rows read and written, sweeps mixed), ``more`` backups of a board where all boards are swept at once, and
    ``laying`` seconds for an edge of the turn, once. ``once``: seconds to find where a result leads where each board is
    met once, for nothing has to be remembered then.
    """

    settling: float
    edges: float
    beside: float
    more: float
    laying: float
    once: float

    def seconds(self, each: Typical, boards: int, seats: int = 1) -> float:
        """What solving so many boards like ``each`` takes, about."""
        backups = BACKUPS + self.more * each.swept if each.cyclic else 1
        turns = (each.edges + self.beside) * seats * backups / self.edges
        settling = self.settling if each.cyclic else self.once
        return START + each.edges * self.laying + boards * (each.ends * settling + turns)


BACKUPS = 10  # of a board that is met again, as duels take them on average
# A duel follows from 1e9 edges in a second (Piggy Six, of few edges) to 21e9 (Sixzee), a table 1e9 to 4e9; a table
# settles a result in 1e-7 seconds (421) to 3e-7 (Mexico).
DUEL = Rates(settling=2e-8, edges=16e9, beside=1500, more=250, laying=4e-6, once=2e-9)
TABLE = Rates(settling=2e-7, edges=2e9, beside=400, more=30, laying=0.0, once=2e-7)


def _from_root(turn: TurnGraph | TurnSize, at: int) -> tuple[int, int, Sequence[Any]]:
    """How many results a turn from this root can have, how many edges, and results to look at."""
    if isinstance(turn, TurnSize):
        return *turn.by_root[at], turn.some_results
    ends = np.unique(np.array([leaf.result for leaf in turn.leaves])[turn.root_leaves[at]])
    there = turn.reachable(int(turn.roots[at]))[turn.n_leaves :]
    return len(ends), int(np.diff(turn.start)[there].sum()), [turn.results[i] for i in ends]


def typical(game: TurnGame, turn: TurnGraph | TurnSize, *, is_followed: bool = True) -> Typical:
    """What is typical of a game's boards, from some of them, always the same.

    ``is_followed``: is it looked up whether boards that are swept at once lead to each other?
    """
    space = game.boards()
    some = np.arange(space.size)
    if space.size > SAMPLE:
        some = np.random.default_rng(0).integers(space.size, size=SAMPLE)
        some[0] = space.index_of(**game.first_board())  # one that can be
    columns = space.columns(some)
    can_be = np.broadcast_to(np.asarray(game.possible(columns)), len(some))
    root = np.broadcast_to(np.asarray(game.root(columns), dtype=np.int64), len(some))[can_be]
    level = np.broadcast_to(np.asarray(_levels(game, columns)), len(some))[can_be]
    number, often = np.unique(root, return_counts=True)
    of_root = {at: _from_root(turn, at) for at in number.tolist()}
    possible = float(can_be.mean())
    ends_met, edges_met = (float(np.average([of[i] for of in of_root.values()], weights=often)) for i in (0, 1))
    together = swept = 0.0
    if game.cyclic:
        levels, n_there = np.unique(level, return_counts=True)
        together = float(n_there.max() / len(level))
        large = np.isin(level, levels[2 * n_there > n_there.max()])
        starts, n_there = np.unique(np.stack([level, root])[:, large], axis=1, return_counts=True)
        for of, at in starts[:, np.argsort(-n_there, kind="stable")][:, :FOLLOWED].T.tolist():
            boards = some[can_be][(level == of) & (root == at)]
            if not is_followed or _leads_on(game, boards[:: 1 + len(boards) // FOLLOWED], of, of_root[at][2]):
                swept = float((level == of).mean())
                break
    return Typical(ends_met, edges_met, possible, together, len(game.endings()), game.cyclic, swept)


def _levels(game: TurnGame, columns: Columns) -> Any:
    level = game.level(columns) if game.cyclic else None
    return 0 if level is None else level


def _leads_on(game: TurnGame, boards: Ints, level: Any, results: Sequence[Any]) -> bool:
    """Does a result lead from one of these boards to another of this level?"""
    space = game.boards()
    for board in boards.tolist():
        here = tuple(space.board(board).values())
        following = {_following(game, here, result) for result in results}
        there = [space.index_of(**dict(zip(space.names, to, strict=True))) for to in following - {here} if to]
        if there and np.any(_levels(game, space.columns(np.array(there))) == level):
            return True
    return False


def _following(game: TurnGame, board: tuple[Any, ...], result: Any) -> tuple[Any, ...] | None:
    """The next board; None where there is none, or where only more of the turn tells which."""
    try:
        return outcome(game, board, result).following
    except ModelError:
        return None


def about_possible(game: TurnGame) -> int:
    """How many boards can be: counted, or of more than two million by index told from some of them."""
    space = game.boards()
    if space.size <= MOST_COUNTED:
        return n_possible(game)
    some = np.random.default_rng(0).integers(space.size, size=ESTIMATED)
    can_be = np.broadcast_to(np.asarray(game.possible(space.columns(some)), dtype=bool), len(some))
    return round(space.size * float(can_be.mean())) if can_be.sum() > FEW else n_possible(game)
