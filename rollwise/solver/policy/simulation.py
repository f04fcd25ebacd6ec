"""Monte Carlo simulation of games under the optimal policy, an independent check of the solver's values.

Games are played side by side in compiled turns. The turn of a board is backed up once for all games on it, which gives
the move in each of its decisions; throws are drawn by their whole weights, and ends of turns lead on by the game's
``transition``. The same seed plays the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.groups import split_by_root
from rollwise.solver.model.errors import ModelError, StateError, TooLarge
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants, unpack_codes
from rollwise.solver.turn.query import Turns
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import UsedFields
from rollwise.solver.turn.vectors import IN_ORDER, edges_taken

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_TURN_BYTES, BLOCK_SIZE = 1 << 26, 1 << 21  # of turns in memory; numbers backed up together
MAX_TURNS = 100_000  # turns of a game


@dataclass(frozen=True)
class Simulation:
    """``mean`` result of each seat in ``n_games`` games, and its standard ``error``; mean and error of the turns.

    There is one number for a team, and for a game played alone. Results are in the unit of the game's values.
    """

    mean: tuple[float, ...]
    error: tuple[float, ...]
    turns: float
    turns_error: float
    n_games: int


def simulate(
    game: TurnGame,
    graph: TurnGraph,
    uses: UsedFields,
    turns: Callable[[Ints], Turns],
    start: Position,
    n_games: int,
    seed: int,
) -> Simulation:
    """Play ``n_games`` games from a position; of equally good moves the first is played.

    ``turns`` are the solved turns of boards that start in one root; a game without choices needs none.
    Raises StateError for a position outside the solved turn, and TooLarge where a game goes on for ever.
    """
    node = graph.node_of(tuple(start.state))
    if node is None:
        raise StateError(f"no turn of {game} comes to {start.state}")
    boards, draw = _TurnSlots(game, graph, uses, turns), np.random.default_rng(seed)
    series = (_ShareResults if uses.n_shares else _ValueResults)(game, uses, start, n_games)
    board = np.full(n_games, game.boards().index_of(**start.board))
    lengths, running = np.zeros(n_games), np.arange(n_games)
    for length in range(1, MAX_TURNS + 1):
        lengths[running] = length
        over = np.zeros(len(running), dtype=bool)
        for some, slot in boards.slots_of(board[running]):
            games = running[some]
            leaf = boards.walk(slot, boards.root[slot] if length > 1 else np.full(len(slot), node), draw)
            code, points = boards.code[slot, leaf], boards.points[slot, leaf]
            following, passed = unpack_codes(code, boards.constants.bits)
            ended = following >= boards.constants.n_boards
            series.ended(games[ended], boards.endings()[following[ended] - boards.constants.n_boards], points[ended])
            on = games[~ended]
            series.goes_on(on, passed[~ended], boards.standing[slot[~ended]], points[~ended])
            board[on] = following[~ended]
            over[some] = ended
        running = running[~over]
        if not len(running):
            results = series.results()
            if np.isnan(results).any():
                raise ModelError(f"a simulated game of {game} came to an illegal end, or past a cut")
            (mean, error), (turns_mean, turns_error) = map(_mean_and_error, (results, lengths[:, None]))
            return Simulation(mean, error, turns_mean[0], turns_error[0], n_games)
    raise TooLarge(f"a game of {game} is not over after {MAX_TURNS:,} turns")


def _mean_and_error(rows: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The mean of each column and its standard error."""
    errors = rows.std(axis=0) / np.sqrt(max(1, len(rows) - 1))
    return tuple(rows.mean(axis=0).tolist()), tuple(errors.tolist())


class _TurnSlots:
    """Turns of the boards that games stand on, a *slot* each, as many as memory takes.

    By slot: ``root``, the node that the turn starts in, and ``standing``, the number of seats that still play;
    ``move``: int32, shape (slots, inner nodes), the child played in each decision, below 0 in a mixed decision (-1 less
    its number); ``code`` and ``points``, shape (slots, leaves): successors (``solver.turn.perspective``) and rewards.
    """

    def __init__(self, game: TurnGame, graph: TurnGraph, uses: UsedFields, turns: Callable[[Ints], Turns]) -> None:
        self.game, self.graph, self.turns, self.space = game, graph, turns, game.boards()
        self.seats = max(1, uses.n_shares)
        self.constants = Constants(self.space.size, max(1, (uses.seats - 1).bit_length()))
        self.reader = TransitionReader(game, graph, self.constants, uses=uses)
        self.is_chance = graph.kind == CHANCE
        self.cut = np.array([leaf.result == NO_RESULT for leaf in graph.leaves])
        self.upto = np.cumsum(graph.weight)  # of all edges: a throw is a place between those of its node
        self.before = self.upto[graph.start[:-1]] - graph.weight[graph.start[:-1]] if len(graph.kind) else self.upto
        self.n_slots = max(1, MAX_TURN_BYTES // (4 * len(graph.kind) + 12 * graph.n_leaves))
        self.root, self.standing = np.zeros(self.n_slots, dtype=np.int64), np.zeros(self.n_slots, dtype=np.int64)
        self.move = np.zeros((self.n_slots, len(graph.kind)), dtype=np.int32)
        self.code = np.zeros((self.n_slots, graph.n_leaves), dtype=np.int32)
        self.points = np.zeros((self.n_slots, graph.n_leaves))
        self.slot: dict[int, int] = {}
        self.mixed: list[tuple[Ints, Floats]] = []  # the children of each mixed decision, and their chances

    def slots_of(self, boards: Ints) -> Iterator[tuple[Ints, Ints]]:
        """(places of some of these boards, the slot of each), as many as fit; slots are valid until the next item."""
        each, which = np.unique(boards, return_inverse=True)
        for first in range(0, len(each), self.n_slots):
            part = each[first : first + self.n_slots]
            new = [board for board in part.tolist() if board not in self.slot]
            if len(self.slot) + len(new) > self.n_slots:
                self.slot, self.mixed, new = {}, [], part.tolist()
            self._prepare(np.array(new, dtype=np.int64))
            slots = np.array([self.slot[board] for board in part.tolist()])
            some = np.flatnonzero((which >= first) & (which < first + len(part)))
            yield some, slots[which[some] - first]

    def _prepare(self, boards: Ints) -> None:
        for root, some in split_by_root(
            self.game, boards, max(1, BLOCK_SIZE // (self.graph.n_nodes * max(3, self.seats)))
        ):
            self._fill(root, boards[some])

    def _fill(self, root: int, boards: Ints) -> None:
        """Fill the slots of boards whose turns start in one root: successors, rewards and the move of each decision."""
        slots = slice(len(self.slot), len(self.slot) + len(boards))
        leaves = np.flatnonzero(self.graph.root_leaves[root])
        moves = self.reader.transitions(leaves, boards)
        self.root[slots] = self.graph.roots[root]
        self.standing[slots] = self.game.standing(self.space.columns(boards)) if self.game.seats else self.seats
        self.code[slots, leaves] = moves.codes.T
        self.points[slots, leaves] = moves.rewards.T if len(moves.rewards) else 0.0
        if not self.is_chance.all():
            self._choose(slots, self.turns(boards))
        self.slot.update(zip(boards.tolist(), range(slots.start, slots.stop), strict=True))

    def _choose(self, slots: slice, turns: Turns) -> None:
        """Choose the first of the best moves in each decision, none past a cut."""
        own, tie = turns.own()
        own[: self.graph.n_leaves][self.cut] = -np.inf
        n = self.graph.n_leaves
        for layer in self.graph.layers:
            if layer.kind == CHANCE:
                continue
            first = edges_taken(own[layer.child][..., None], layer.starts, tie, IN_ORDER)
            self.move[slots, layer.first - n : layer.end - n] = layer.child[first].T
        for mixed in turns.draws:
            children = np.array([child for child, _ in self.graph.children(mixed.node)])
            self.move[slots.start + mixed.lane, mixed.node - n] = -1 - len(self.mixed)
            self.mixed.append((children[list(mixed.chances)], np.array(list(mixed.chances.values()))))

    def walk(self, slot: Ints, node: Ints, draw: np.random.Generator) -> Ints:
        """Draw the leaf in which each turn ends, from a node of it on."""
        graph, node = self.graph, node.copy()
        going = np.flatnonzero(node >= graph.n_leaves)
        while len(going):
            inner = node[going] - graph.n_leaves
            throws = self.is_chance[inner]
            thrown, deciding = inner[throws], going[~throws]
            draw_place = self.before[thrown] + draw.integers(graph.total[thrown])
            node[going[throws]] = graph.child[np.searchsorted(self.upto, draw_place, side="right")]
            node[deciding] = self.move[slot[deciding], inner[~throws]]
            for number in np.unique(node[deciding[node[deciding] < 0]]).tolist():
                there = np.flatnonzero(node == number)
                children, chances = self.mixed[-1 - number]
                node[there] = draw.choice(children, len(there), p=chances / chances.sum())
            going = going[node[going] >= graph.n_leaves]
        return node

    def endings(self) -> Floats:
        """Value of each ending read so far, shape (endings, seats); nan for illegal ends and ends past a cut."""
        place = self.constants.place
        values = np.full((len(place), self.seats), np.nan)
        for value, row in place.items():
            shares = (value,) if isinstance(value, Fraction) else value
            if isinstance(shares, tuple) and len(shares) == self.seats:
                values[row] = [float(share) for share in shares]
        return values


class _ValueResults:
    """Results of games with one value to the mover: ``base`` plus ``sign`` times the value still to come."""

    def __init__(self, game: TurnGame, uses: UsedFields, start: Position, n_games: int) -> None:
        self.game, self.is_duel, self.mover = game, uses.seats > 1, start.mover
        self.base, self.sign = np.full(n_games, float(start.points)), np.ones(n_games)

    def ended(self, games: Ints, values: Floats, points: Floats) -> None:
        """Add the value of games that are over."""
        self.base[games] += self.sign[games] * (values[:, 0] + points)

    def goes_on(self, games: Ints, passed: Ints, standing: Ints, points: Floats) -> None:
        """Add the points of turns after which games go on; ``passed`` is 1 where the other player moves next."""
        self.base[games] += self.sign[games] * (points + passed * float(self.game.total))
        self.sign[games] *= 1 - 2 * passed

    def results(self) -> Floats:
        """By seat, shape (games, seats)."""
        both = np.stack([self.base, self.game.total - self.base], axis=1)
        return np.roll(both, self.mover, axis=1) if self.is_duel else both[:, :1]


class _ShareResults:
    """Results of games with shares: ``seat`` is the seat of each place from the mover on, seats that are out last."""

    def __init__(self, game: TurnGame, uses: UsedFields, start: Position, n_games: int) -> None:
        n = uses.n_shares
        seats = start.seats or tuple((start.mover + place) % n for place in range(n))
        self.seat = np.tile([*seats, *(seat for seat in range(n) if seat not in seats)][:n], (n_games, 1))
        self.shares = np.full((n_games, n), np.nan)

    def ended(self, games: Ints, values: Floats, points: Floats) -> None:
        """Set the shares of games that are over."""
        shares = np.empty_like(values)
        np.put_along_axis(shares, self.seat[games], values, axis=1)
        self.shares[games] = shares

    def goes_on(self, games: Ints, passed: Ints, standing: Ints, points: Floats) -> None:
        """Rotate the seats of games that go on: the next turn begins ``passed`` seats on, of those ``standing``."""
        place = np.arange(self.shares.shape[1])
        around = np.minimum(standing, len(place))[:, None]
        turned = np.where(place < around, (place + passed[:, None]) % around, place)
        self.seat[games] = np.take_along_axis(self.seat[games], turned, axis=1)

    def results(self) -> Floats:
        """By seat, shape (games, seats)."""
        return self.shares
