"""A series of games, drawn by lot and played by the best play: what the solver says, seen from the other side.

Games are played side by side in compiled turns. The turn of a board is backed up once for all games that come there,
which says what is played in each of its decisions; throws are drawn by their whole weights, and ends of turns lead
where the game's ``transition`` says. The same seed plays the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import by_root
from rollwise.solver.model.errors import ModelError, StateError, TooLarge
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants, read
from rollwise.solver.turn.query import Turns
from rollwise.solver.turn.transition_reader import TransitionReader, Uses
from rollwise.solver.turn.vectors import IN_ORDER, edges_taken

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MOST_BYTES, AT_ONCE = 1 << 26, 1 << 21  # of turns that are kept for further games; numbers backed up together
LONGEST = 100_000  # turns of a game


@dataclass(frozen=True)
class Simulation:
    """``mean`` of what each seat got in ``n_games`` games, and its standard ``error``; the same of how many turns.

    Where a team shares all, and alone, there is one number. What a seat gets is what the game's values count.
    """

    mean: tuple[float, ...]
    error: tuple[float, ...]
    turns: float
    turns_error: float
    n_games: int


def simulate(
    game: TurnGame,
    graph: TurnGraph,
    uses: Uses,
    turns: Callable[[Ints], Turns],
    start: Position,
    n_games: int,
    seed: int,
) -> Simulation:
    """Play ``n_games`` games from a position; of equally good moves the first is made.

    ``turns`` are the solved turns of boards that start in one root; they are not asked for where nobody chooses.
    Raises StateError for a position that no solved turn comes to, and TooLarge where a game goes on for ever.
    """
    node = graph.node_of(tuple(start.state))
    if node is None:
        raise StateError(f"no turn of {game} comes to {start.state}")
    boards, draw = _Boards(game, graph, uses, turns), np.random.default_rng(seed)
    series = (_Shared if uses.n_shares else _Valued)(game, uses, start, n_games)
    board = np.full(n_games, game.boards().index_of(**start.board))
    lengths, running = np.zeros(n_games), np.arange(n_games)
    for length in range(1, LONGEST + 1):
        lengths[running] = length
        over = np.zeros(len(running), dtype=bool)
        for some, slot in boards.slots_of(board[running]):
            games = running[some]
            leaf = boards.walk(slot, boards.root[slot] if length > 1 else np.full(len(slot), node), draw)
            code, points = boards.code[slot, leaf], boards.points[slot, leaf]
            following, passed = read(code, boards.constants.bits)
            ended = following >= boards.constants.n_boards
            series.ended(games[ended], boards.worths()[following[ended] - boards.constants.n_boards], points[ended])
            on = games[~ended]
            series.goes_on(on, passed[~ended], boards.standing[slot[~ended]], points[~ended])
            board[on] = following[~ended]
            over[some] = ended
        running = running[~over]
        if not len(running):
            gained = series.gained()
            if np.isnan(gained).any():
                raise ModelError(f"a series of {game} came to what is illegal, or past a cut")
            (mean, error), (turns_mean, turns_error) = map(_of_columns, (gained, lengths[:, None]))
            return Simulation(mean, error, turns_mean[0], turns_error[0], n_games)
    raise TooLarge(f"a game of {game} is not over after {LONGEST:,} turns")


def _of_columns(rows: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The mean of each column and its standard error."""
    errors = rows.std(axis=0) / np.sqrt(max(1, len(rows) - 1))
    return tuple(rows.mean(axis=0).tolist()), tuple(errors.tolist())


class _Boards:
    """Turns of the boards that games stand on, a *slot* each, as many as have room.

    By slot: ``root``, the node that the turn starts in, and ``standing``, how many places it goes round; ``move``:
    int32, shape (slots, inner nodes), the child played in each decision, below 0 where it is drawn (-1 less the lot);
    ``code`` and ``points``, shape (slots, leaves): where leaves lead (``solver.turn.perspective``), what they earn.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph, uses: Uses, turns: Callable[[Ints], Turns]) -> None:
        self.game, self.graph, self.turns, self.space = game, graph, turns, game.boards()
        self.seats = max(1, uses.n_shares)
        self.constants = Constants(self.space.size, max(1, (uses.seats - 1).bit_length()))
        self.settler = TransitionReader(game, graph, self.constants, uses=uses)
        self.is_chance = graph.kind == CHANCE
        self.cut = np.array([leaf.result == NO_RESULT for leaf in graph.leaves])
        self.upto = np.cumsum(graph.weight)  # of all edges: a throw is a place between those of its node
        self.before = self.upto[graph.start[:-1]] - graph.weight[graph.start[:-1]] if len(graph.kind) else self.upto
        self.n_slots = max(1, MOST_BYTES // (4 * len(graph.kind) + 12 * graph.n_leaves))
        self.root, self.standing = np.zeros(self.n_slots, dtype=np.int64), np.zeros(self.n_slots, dtype=np.int64)
        self.move = np.zeros((self.n_slots, len(graph.kind)), dtype=np.int32)
        self.code = np.zeros((self.n_slots, graph.n_leaves), dtype=np.int32)
        self.points = np.zeros((self.n_slots, graph.n_leaves))
        self.slot: dict[int, int] = {}
        self.lots: list[tuple[Ints, Floats]] = []  # the nodes of each lot, and their chances

    def slots_of(self, boards: Ints) -> Iterator[tuple[Ints, Ints]]:
        """(places of some of these boards, the slot of each), as many as have room; slots hold until the next some."""
        each, which = np.unique(boards, return_inverse=True)
        for first in range(0, len(each), self.n_slots):
            part = each[first : first + self.n_slots]
            new = [board for board in part.tolist() if board not in self.slot]
            if len(self.slot) + len(new) > self.n_slots:
                self.slot, self.lots, new = {}, [], part.tolist()
            self._prepare(np.array(new, dtype=np.int64))
            slots = np.array([self.slot[board] for board in part.tolist()])
            some = np.flatnonzero((which >= first) & (which < first + len(part)))
            yield some, slots[which[some] - first]

    def _prepare(self, boards: Ints) -> None:
        for root, some in by_root(self.game, boards, max(1, AT_ONCE // (self.graph.n_nodes * max(3, self.seats)))):
            self._fill(root, boards[some])

    def _fill(self, root: int, boards: Ints) -> None:
        """Settle the turns of boards that start in one root, and choose in all their decisions."""
        slots = slice(len(self.slot), len(self.slot) + len(boards))
        leaves = np.flatnonzero(self.graph.root_leaves[root])
        moves = self.settler.transitions(leaves, boards)
        self.root[slots] = self.graph.roots[root]
        self.standing[slots] = self.game.standing(self.space.columns(boards)) if self.game.seats else self.seats
        self.code[slots, leaves] = moves.codes.T
        self.points[slots, leaves] = moves.rewards.T if len(moves.rewards) else 0.0
        if not self.is_chance.all():
            self._choose(slots, self.turns(boards))
        self.slot.update(zip(boards.tolist(), range(slots.start, slots.stop), strict=True))

    def _choose(self, slots: slice, turns: Turns) -> None:
        """The first of the best moves in each decision; nobody goes past a cut."""
        own, tie = turns.own()
        own[: self.graph.n_leaves][self.cut] = -np.inf
        n = self.graph.n_leaves
        for layer in self.graph.layers:
            if layer.kind == CHANCE:
                continue
            first = edges_taken(own[layer.child][..., None], layer.starts, tie, IN_ORDER)
            self.move[slots, layer.first - n : layer.end - n] = layer.child[first].T
        for lot in turns.draws:
            below = np.array([child for child, _ in self.graph.children(lot.node)])
            self.move[slots.start + lot.lane, lot.node - n] = -1 - len(self.lots)
            self.lots.append((below[list(lot.chances)], np.array(list(lot.chances.values()))))

    def walk(self, slot: Ints, node: Ints, draw: np.random.Generator) -> Ints:
        """The leaf that each turn ends in, from a node of it on."""
        graph, node = self.graph, node.copy()
        going = np.flatnonzero(node >= graph.n_leaves)
        while len(going):
            inner = node[going] - graph.n_leaves
            throws = self.is_chance[inner]
            thrown, chosen = inner[throws], going[~throws]
            way = self.before[thrown] + draw.integers(graph.total[thrown])
            node[going[throws]] = graph.child[np.searchsorted(self.upto, way, side="right")]
            node[chosen] = self.move[slot[chosen], inner[~throws]]
            for lot in np.unique(node[chosen[node[chosen] < 0]]).tolist():
                there = np.flatnonzero(node == lot)
                below, chances = self.lots[-1 - lot]
                node[there] = draw.choice(below, len(there), p=chances / chances.sum())
            going = going[node[going] >= graph.n_leaves]
        return node

    def worths(self) -> Floats:
        """What each ending that was met is worth, shape (endings, seats); nan for what is illegal or past a cut."""
        place = self.constants.place
        found = np.full((len(place), self.seats), np.nan)
        for worth, row in place.items():
            shares = (worth,) if isinstance(worth, Fraction) else worth
            if isinstance(shares, tuple) and len(shares) == self.seats:
                found[row] = [float(share) for share in shares]
        return found


class _Valued:
    """What games come to that are worth one number to the mover: in all, ``base`` and ``sign`` times what is ahead."""

    def __init__(self, game: TurnGame, uses: Uses, start: Position, n_games: int) -> None:
        self.game, self.is_duel, self.mover = game, uses.seats > 1, start.mover
        self.base, self.sign = np.full(n_games, float(start.points)), np.ones(n_games)

    def ended(self, games: Ints, worth: Floats, points: Floats) -> None:
        """These are over."""
        self.base[games] += self.sign[games] * (worth[:, 0] + points)

    def goes_on(self, games: Ints, passed: Ints, standing: Ints, points: Floats) -> None:
        """The turns of these are over; ``passed`` is 1 where the other player moves next."""
        self.base[games] += self.sign[games] * (points + passed * float(self.game.total))
        self.sign[games] *= 1 - 2 * passed

    def gained(self) -> Floats:
        """By seat, shape (games, seats)."""
        both = np.stack([self.base, self.game.total - self.base], axis=1)
        return np.roll(both, self.mover, axis=1) if self.is_duel else both[:, :1]


class _Shared:
    """What games come to that are shared: ``seat`` is whose place is which, those of who is out last."""

    def __init__(self, game: TurnGame, uses: Uses, start: Position, n_games: int) -> None:
        n = uses.n_shares
        seats = start.seats or tuple((start.mover + place) % n for place in range(n))
        self.seat = np.tile([*seats, *(seat for seat in range(n) if seat not in seats)][:n], (n_games, 1))
        self.shares = np.full((n_games, n), np.nan)

    def ended(self, games: Ints, worth: Floats, points: Floats) -> None:
        """These are over."""
        shares = np.empty_like(worth)
        np.put_along_axis(shares, self.seat[games], worth, axis=1)
        self.shares[games] = shares

    def goes_on(self, games: Ints, passed: Ints, standing: Ints, points: Floats) -> None:
        """The turns of these are over, and ``passed`` seats further on among those ``standing`` the next begins."""
        place = np.arange(self.shares.shape[1])
        around = np.minimum(standing, len(place))[:, None]
        turned = np.where(place < around, (place + passed[:, None]) % around, place)
        self.seat[games] = np.take_along_axis(self.seat[games], turned, axis=1)

    def gained(self) -> Floats:
        """By seat, shape (games, seats)."""
        return self.shares
