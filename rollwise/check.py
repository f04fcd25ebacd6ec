"""``check``: prove every stored answer again, with arithmetic of its own.

For a game of one value a board, with U = value + radius and L = value - radius, one backup of U that is nowhere above
U proves that no true value is, and one of L that is nowhere below L the mirror image (SOUND.md, steps 4 and 9). The
turn is compiled and settled afresh from the rules; the backup is written here, in NumPy, and shares nothing with the
kernels and the sweeps that found the values: not even the order in which sums are taken.

What is not proven again: that the players cannot go on for ever within a set of boards. The solver refuses such games
by a look at the graph alone (``solver.order.exits.require_exits``), and the proof here needs it; games that are
``endless`` need no such look, for there the inequality is strict, and that is the whole proof. And the game files are
believed: what they say of a turn and of a board is what is proven.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.cache.store import Damaged, DamagedEntry, Entry, Store
from rollwise.games.registry import game as registered
from rollwise.solver.game.errors import BadInput, RollwiseError, UnknownName
from rollwise.solver.game.model import TurnGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import ARRAYS, CHANCE, TurnGraph, compile_turn, to_plain
from rollwise.solver.turn.perspective import ROOM, Constants, leaf_values
from rollwise.solver.turn.settled import Settler
from rollwise.solver.turn.transitions import Transitions
from rollwise.stored import identity, seats_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Report = Callable[[float], None]

LANES = 512  # columns of one backup: half of them upper bounds, half lower
NUMBERS = 16 << 20  # numbers that the nodes of one backup may fill: 128 MB for each worker
TILE = 1 << 16  # numbers gathered at once: they stay in the processor's own cache
SETTLED = 4096  # boards that are settled at once
WORK = 500_000_000  # edges x boards of one job: a second or less, so that Ctrl-C is heard


@dataclass(frozen=True)
class Checked:
    """What became of one cache entry.

    ``verdict``: ``proved`` (every stored bound holds), ``stale`` (made by other rules or code, so never served),
    ``damaged`` (not what was written, so never served), or ``refuted`` (whole, but its numbers do not hold).
    """

    key: str
    game: str
    parameters: str
    verdict: str
    detail: str
    seconds: float

    def plain(self) -> dict[str, Any]:
        """As JSON shows it."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Finding:
    """Why an entry is refuted."""

    text: str


@dataclass
class Failures:
    """Boards that fail: how many times, and what is wrong with the first of them."""

    count: int = 0
    first: int = -1
    text: str = ""

    def add(self, boards: Ints, by: Floats, what: str) -> None:
        """Note those of these boards where ``by`` is above 0."""
        wrong = np.flatnonzero(by > 0)
        if len(wrong) == 0:
            return
        self.count += len(wrong)
        place = wrong[np.argmin(boards[wrong])]
        if self.first < 0 or boards[place] < self.first:
            self.first, self.text = int(boards[place]), f"{what} by {by[place]:.2g}"


def check(
    store: Store | None = None, keys: Iterable[str] | None = None, progress: Report | None = None, *, workers: int = 1
) -> list[Checked]:
    """Check these entries of the cache, or all of them, by key.

    ``progress(share)`` runs from 0 to 1. Raises UnknownName for a key that is not there, StoreError where the cache
    cannot be read. Takes up to about 200 MB for each worker; two gain little, since each NumPy call is short.
    """
    store = store or Store()
    found: dict[str, Entry | Damaged] = {entry.key: entry for entry in store.entries()}
    wanted = sorted(found) if keys is None else list(dict.fromkeys(keys))
    for key in wanted:
        if key not in found:
            raise UnknownName(f"UnknownName: there is no cache entry '{key}'; 'rollwise cache list' shows them")
    report = progress or (lambda share: None)
    checked = []
    for number, key in enumerate(wanted):

        def share(done: float, number: int = number) -> None:
            report((number + done) / len(wanted))

        began = time.perf_counter()
        verdict = _one(store, found[key], share, workers)
        if verdict is not None:
            game, parameters, name, detail = verdict
            checked.append(Checked(key, game, parameters, name, detail, round(time.perf_counter() - began, 3)))
        share(1.0)
    return checked


def _one(store: Store, seen: Entry | Damaged, progress: Report, workers: int) -> tuple[str, str, str, str] | None:
    """(game, parameters, verdict, detail) of one entry; None if it was removed meanwhile."""
    game, parameters = seen.key.rpartition("-")[0], ""
    try:
        entry = store.read(seen.key)
        if entry is None:
            return None
        entry.verify()
        said = {name: entry.manifest.get(name) for name in ("game", "parameters", "rules_version", "fingerprint")}
        if not isinstance(said["game"], str) or not isinstance(said["parameters"], dict):
            return game, parameters, "damaged", "its manifest does not say which game it is"
        game = said["game"]
        parameters = ", ".join(f"{name}={value}" for name, value in said["parameters"].items())
        verdict, detail = _verdict(store, entry, said, progress, workers)
    except DamagedEntry as error:
        verdict, detail = "damaged", error.reason
    return game, parameters, verdict, detail


def _verdict(store: Store, entry: Entry, said: dict[str, Any], progress: Report, workers: int) -> tuple[str, str]:
    clear = f"it is never served; 'rollwise cache clear {entry.key}' frees {entry.size / 1e6:.1f} MB"
    try:
        plain = {name: tuple(value) if isinstance(value, list) else value for name, value in said["parameters"].items()}
        game = registered(said["game"], plain)
    except BadInput as error:
        return "stale", f"{error}; {clear}"
    assert isinstance(game, TurnGame)
    now = identity(game)
    if entry.key != store.key(game.name, now):
        changed = [name.replace("_", " ") for name in ("rules_version", "fingerprint") if said[name] != now[name]]
        return "stale", f"made with another {' and '.join(changed) or 'key'}; {clear}"
    if said != now:
        return "damaged", "its manifest tells of other rules or other code than its key"
    graph = compile_turn(game)
    try:
        finding = _turn(entry, graph)
        if finding is None and game.seats:
            return _seats(entry, game, graph, progress)
        finding = finding or _arrays(entry, game)
        if finding is None:
            make = _table if game.kind == "table" else _bounds
            finding = make(entry, game, graph, progress, workers)
    except RollwiseError as error:  # the stored numbers are not to blame: a game file's mistake
        finding = Finding(str(error))
    if finding is not None:
        return "refuted", finding.text
    n_boards, radius = int(_possible(game).sum()), entry.array("radius")
    return "proved", f"every bound of {n_boards} boards holds; the widest is {2 * float(np.nanmax(radius)):.2g}"


def _seats(entry: Entry, game: TurnGame, graph: TurnGraph, progress: Report) -> tuple[str, str]:
    """A luck game of several seats."""
    from rollwise.check_odds import check_odds

    wrong = check_odds(entry, game, graph, seats_of(game, game.locate()), progress)
    n_boards, kept = entry.manifest["facts"]["boards"], "values" in entry.names
    held = f"the odds of {n_boards} boards hold" if kept else "the odds of the start come out again"
    return ("refuted", wrong) if wrong else ("proved", f"{held}; the widest is {entry.manifest['widest']:.2g}")


def _turn(entry: Entry, graph: TurnGraph) -> Finding | None:
    """The stored turn is the one that the rules give now."""
    arrays, plain = to_plain(graph)
    for name in ARRAYS:
        stored = f"turn_{name}"
        if stored not in entry.names or not np.array_equal(entry.array(stored), arrays[stored]):
            return Finding(f"{stored} is not what the rules of the turn give")
    return None if entry.manifest.get("turn") == plain else Finding("the turn's leaves are not what its rules give")


def _arrays(entry: Entry, game: TurnGame) -> Finding | None:
    """Values and radius are there, in the right shape."""
    size = game.boards().size
    shapes = {
        "values": (size, int(game.parameters()["players"])) if game.kind == "table" else (size,),
        "radius": (size,),
    }
    for name, shape in shapes.items():
        if name not in entry.names or entry.checked(name).shape != shape or entry.checked(name).dtype.kind != "f":
            return Finding(f"{name} is not an array of {shape} numbers")
    return None


def _possible(game: TurnGame) -> NDArray[np.bool_]:
    """True for the boards that can occur."""
    space = game.boards()
    possible = np.empty(space.size, dtype=np.bool_)
    for begin in range(0, space.size, 1 << 20):
        some = np.arange(begin, min(space.size, begin + (1 << 20)))
        possible[some] = game.possible(space.columns(some))
    return possible


# --- one backup, written once more -----------------------------------------------------------------------------------


class TurnBackup:
    """One backup of all that a turn from one root comes to, any number of lanes side by side.

    Nodes are grouped by layer, kind and number of children, so that a group is a few NumPy calls: the rows of the
    children of some nodes, gathered, and reduced to a mean or to the best.
    """

    def __init__(self, graph: TurnGraph, root: int, sense: str) -> None:
        used = graph.reachable(root)
        self.leaves = np.flatnonzero(used[: graph.n_leaves])
        self.best = np.maximum if sense == "max" else np.minimum
        arity = np.diff(graph.start)
        row = np.full(graph.n_nodes, -1, dtype=np.int64)
        row[self.leaves] = np.arange(len(self.leaves))
        self.n_rows, self.n_edges = len(self.leaves), 0
        self.groups: list[tuple[int, Ints, Floats | None, Floats]] = []
        for kind, first, end in graph.segments.tolist():
            inside = first + np.flatnonzero(used[first:end]) - graph.n_leaves
            for count in np.unique(arity[inside]).tolist():
                nodes = inside[arity[inside] == count]
                edges = graph.start[nodes][:, None] + np.arange(count)
                weights = graph.weight[edges].astype(np.float64) if kind == CHANCE else None
                totals = graph.total[nodes].astype(np.float64)[:, None]
                self.groups.append((self.n_rows, row[graph.child[edges]], weights, totals))
                row[nodes + graph.n_leaves] = self.n_rows + np.arange(len(nodes))
                self.n_rows += len(nodes)
                self.n_edges += edges.size
        self.root = int(row[root])
        self.widest = max((children.shape[1] for _, children, _, _ in self.groups), default=1)

    def room(self, lanes: int) -> tuple[Floats, Floats]:
        """Memory for ``run``."""
        return np.empty((self.n_rows, lanes)), np.empty(max(TILE, self.widest * lanes))

    def run(self, leaves: Floats, rows: Floats, tile: Floats) -> Floats:
        """The root's values; ``leaves``: float64, shape (leaves used, lanes)."""
        lanes = leaves.shape[1]
        rows[: len(leaves)] = leaves
        for first, children, weights, totals in self.groups:
            count = children.shape[1]
            step = max(1, tile.size // (lanes * count))
            for begin in range(0, len(children), step):
                some = slice(begin, min(begin + step, len(children)))
                here = children[some]
                gathered = tile[: here.size * lanes].reshape(*here.shape, lanes)
                np.take(rows, here, axis=0, out=gathered, mode="clip")
                out = rows[first + some.start : first + some.stop]
                if weights is None:
                    self.best.reduce(gathered, axis=1, out=out)
                else:
                    np.matmul(weights[some, None, :], gathered, out=out[:, None, :])
                    out /= totals[some]
        found: Floats = rows[self.root]
        return found


# --- bounds ---------------------------------------------------------------------------------------------------------


def _bounds(entry: Entry, game: TurnGame, graph: TurnGraph, progress: Report, workers: int) -> Finding | None:
    return _Bounds(game, graph, entry.array("values"), entry.array("radius")).run(progress, workers)


class _Bounds:
    """One backup of the bounds of every possible board."""

    def __init__(self, game: TurnGame, graph: TurnGraph, values: Floats, radius: NDArray[np.float32]) -> None:
        self.game = game
        self.graph = graph
        self.space = game.boards()
        self.values = values
        self.radius = radius
        self.total = float(game.total)
        self.backups = [TurnBackup(graph, int(root), game.sense) for root in graph.roots]

    def run(self, progress: Report, workers: int) -> Finding | None:
        """Jobs of some boards each, shared out."""
        jobs = list(self.jobs())
        failures = Failures()
        pool = ThreadPoolExecutor(max(1, workers))
        try:
            for number, (job, found) in enumerate(zip(jobs, pool.map(lambda job: self.job(*job), jobs), strict=True)):
                above, below = found
                failures.add(job[1], above, "the upper bound is too low")
                failures.add(job[1], below, "the lower bound is too high")
                progress((number + 1) / len(jobs))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return _finding(self.game, failures)

    def jobs(self) -> Iterator[tuple[int, Ints]]:
        """(root, boards whose turns start there)."""
        possible = np.flatnonzero(_possible(self.game))
        for begin in range(0, len(possible), 1 << 20):
            some = possible[begin : begin + (1 << 20)]
            roots = np.broadcast_to(self.game.root(self.space.columns(some)), len(some))
            for root in np.unique(roots).tolist():
                boards = some[roots == root]
                least = WORK // max(1, self.backups[root].n_edges)
                at_once = min(SETTLED, max(LANES // 2, least))
                for block in np.array_split(boards, -(-len(boards) // at_once)):
                    yield root, block

    def job(self, root: int, boards: Ints) -> tuple[Floats, Floats]:
        """By how much the bounds of these boards fail; 0 where they hold."""
        backup = self.backups[root]
        constants = Constants(self.space.size)
        moves = Settler(self.game, self.graph, constants).transitions(backup.leaves, boards)
        ends = Constants(0)
        ends.place = constants.place
        highest, lowest = np.zeros(ROOM), np.zeros(ROOM)
        ends.write(highest, self.game.sense, 1)
        ends.write(lowest, self.game.sense, -1)
        above, below = np.empty(len(boards)), np.empty(len(boards))
        side = max(1, min(LANES // 2, NUMBERS // backup.n_rows // 2, len(boards)))
        rows, tile = backup.room(2 * side)
        with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison below
            for begin in range(0, len(boards), side):
                some = slice(begin, min(begin + side, len(boards)))
                lanes = some.stop - begin
                upper, lower = self.upper_and_lower(boards[some])
                leaves, spare = self.leaves(moves.of(some), highest, lowest)
                found = backup.run(
                    leaves, rows[:, : 2 * lanes] if lanes == side else np.empty((len(rows), 2 * lanes)), tile
                )
                slack = self.slack(found, leaves, spare)
                above[some] = _excess(found[:lanes] + slack[:lanes], upper)
                below[some] = _excess(lower, found[lanes:] - slack[lanes:])
        return above, below

    def upper_and_lower(self, boards: Ints) -> tuple[Floats, Floats]:
        """The stored bounds, exactly as a question reads them; nan where the radius is not one."""
        values, radius = self.values[boards], self.radius[boards].astype(np.float64)
        radius[radius < 0] = np.nan
        return values + radius, values - radius

    def leaves(self, moves: Transitions, highest: Floats, lowest: Floats) -> tuple[Floats, Floats]:
        """What the leaves are worth, upper bounds beside lower ones, shape (leaves, 2 lanes), and ``spare``, a lane.

        No leaf, before and after its reward is added, and no reward is less than ``-spare``.
        """
        following = moves.codes >> 1
        over = following >= self.space.size
        place = np.where(over, following - self.space.size, 0)
        upper, lower = self.upper_and_lower(np.where(over, 0, following))
        upper[over], lower[over] = highest[place[over]], lowest[place[over]]
        here = 2 * np.arange(upper.size).reshape(upper.shape) + (moves.codes & 1)
        leaves = np.concatenate(
            [
                leaf_values(here, upper.ravel(), lower.ravel(), self.total),
                leaf_values(here, lower.ravel(), upper.ravel(), self.total),
            ],
            axis=1,
        )
        spare = np.maximum(0.0, -_finite(leaves).min(axis=0, initial=0.0))
        if len(moves.rewards):
            rewards = np.concatenate([moves.rewards, moves.rewards], axis=1)
            leaves += rewards
            spare += np.maximum(0.0, -rewards.min(axis=0, initial=0.0))
        return leaves, spare

    def slack(self, found: Floats, leaves: Floats, spare: Floats) -> Floats:
        """A bound on the rounding of one backup, of reading the leaves and of the comparison.

        A mean of n numbers rounds by (n + 3) units of the mean of their sizes, and the size of a number x that is not
        below -s is at most x + 2 s: so by induction a node of value v is off by at most its terms times (v + 2 s).
        Where that is more, as with losses as large as the gains, the largest leaf bounds every size.
        """
        size = np.minimum(np.abs(found + 2 * spare), 3 * np.abs(_finite(leaves)).max(axis=0, initial=0.0) + spare)
        bound: Floats = (self.graph.terms + 8) * UNIT * size
        return bound


def _finite(numbers: Floats) -> Floats:
    """0 for results that are illegal."""
    return np.where(np.isinf(numbers), 0.0, numbers)


def _excess(number: Floats, limit: Floats) -> Floats:
    """How far ``number`` is above ``limit``: 0 where it is not, inf where they cannot be compared."""
    return np.where(number <= limit, 0.0, np.where(number > limit, number - limit, np.inf))


def _finding(game: TurnGame, failures: Failures) -> Finding | None:
    if not failures.count:
        return None
    board = ", ".join(f"{name}={value}" for name, value in game.boards().board(failures.first).items())
    more = f" (first of {failures.count} failures)" if failures.count > 1 else ""
    return Finding(f"board {board}: {failures.text}{more}")


# --- tables ---------------------------------------------------------------------------------------------------------


def _table(entry: Entry, game: TurnGame, graph: TurnGraph, progress: Report, _: int) -> Finding | None:
    """One backup a board with ``solver.boards.table``: shares within their radius, and nobody gains more than is said.

    By induction, last level first: the true shares of the policy are within the radius of a board if one backup of the
    stored shares is, with the radius of the boards that follow and the backup's rounding added.
    """
    from rollwise.solver.turn.arrays import rounding
    from rollwise.solver.turn.vectors import n_seats, table_backup, table_moves, table_replies, tie_slack

    values, radius = entry.array("values"), entry.array("radius")
    space = game.boards()
    columns = space.columns(np.arange(space.size))
    levels = game.level(columns)
    level_of = np.where(_possible(game), 0 if levels is None else levels, -1)
    root_of = np.broadcast_to(game.root(columns), space.size)
    mover_of = np.broadcast_to(game.mover(columns), space.size)
    replies = np.full(values.shape, np.nan)
    failures = Failures()
    at_once = max(1, NUMBERS // (4 * graph.n_nodes * n_seats(game)))
    done = 0
    for level in np.unique(level_of[level_of >= 0])[::-1]:
        for number in np.unique(root_of[level_of == level]).tolist():
            of_root = np.flatnonzero((level_of == level) & (root_of == number))
            root = int(graph.roots[number])
            for boards in np.array_split(of_root, -(-len(of_root) // at_once)):
                moves = table_moves(game, graph, root, boards)
                ahead = moves.following
                back = ((ahead >= 0) & (level_of[ahead] <= level)).any(axis=0)
                leaves = moves.leaves(values)
                vectors = table_backup(graph, leaves, mover_of[boards], tie_slack(radius[boards]))
                own = rounding(graph, leaves).max(axis=-1) + 6 * UNIT
                off = np.abs(vectors[root] - values[boards]).max(axis=-1) + moves.radius(radius) + own
                by = np.where(back, np.inf, _excess(off, radius[boards].astype(np.float64)))
                failures.add(boards, by, "the shares are further off than their radius,")
                best = table_replies(graph, moves.leaves(replies), vectors, mover_of[boards], tie_slack(radius[boards]))
                replies[boards] = best[root]
                done += len(boards)
                progress(done / int((level_of >= 0).sum()))
    if failures.count:
        return _finding(game, failures)
    gain = max(0.0, float(np.nanmax(replies - values))) + 2 * float(np.nanmax(radius))
    said = entry.manifest["facts"].get("gain_limit")
    if not isinstance(said, float) or not gain <= said:
        return Finding(f"a seat can gain {gain:.3g} by playing otherwise, the entry says at most {said}")
    return None
