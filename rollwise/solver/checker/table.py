"""Check of a table: shares within their radius, and no seat gains more by deviating than is stored.

One Bellman backup of every board carries three vectors, one number a seat from the mover: the shares V under the policy
that the stored shares imply; the value Q of a seat's own best response (where none is stored, Q is V); and the radius
R, each seat maximising it. If on every board and for every seat

    R >= max(|T V - V|, T Q - Q) + rounding + T R,

then the policy ends the game (R falls by the rounding at least in every turn), its true shares are within R of V, and
no seat gets more than Q + R, whatever it does, the others keeping to the policy. At the end R is the game's own
uncertainty, which counts once on every board that can be reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.backup import UNIT
from rollwise.solver.checker.bounds import MAX_BLOCK_NUMBERS, Failures, excess, possible_mask
from rollwise.solver.checker.transitions import read_transition
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import CHANCE, NO_RESULT, TurnGraph

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
MAX_TIE = 1e-3  # a larger tolerance of ties is an error
Counts = Callable[[tuple[Fraction, ...]], bool]
OTHER_SEAT = 1  # the first after the mover
MAX_PARTS = 1_000_000  # of a share of a win


@dataclass(frozen=True)
class Claims:
    """Claims of a table: shares and radius by board and seat, values of best responses where they are not the shares.

    ``mixed``: rows (board, node, edge, chance) of mixed decisions; ``tie``: moves within it of the best count as
    equally good; ``gain_limit``: bound of every seat's gain.
    """

    values: Floats
    radius: NDArray[np.float32]
    responses: Floats | None
    mixed: Floats
    tie: object
    gain_limit: object


class TableProof:
    """One backup of every board; ``rows`` holds shares, responses and radius side by side, shape (boards, 3, seats)."""

    def __init__(self, game: TurnGame, graph: TurnGraph, claims: Claims, tie: float) -> None:
        self.game, self.graph, self.tie = game, graph, tie
        values = claims.values
        responses = values if claims.responses is None else claims.responses
        self.rows = np.stack([values, responses, claims.radius.astype(np.float64)], axis=1)
        self.seats = values.shape[1]
        space = game.boards()
        self.root_of = np.broadcast_to(game.root(space.columns(np.arange(space.size))), space.size)
        self.possible = possible_mask(game)
        self.failures = Failures()
        self.strategies: dict[tuple[int, int], dict[int, float]] = {}
        for board, node, edge, chance in claims.mixed.tolist():
            self.strategies.setdefault((int(board), int(node)), {})[int(edge)] = chance

    def are_mixed_strategies(self) -> bool:
        """True if all mixed decisions have chances, on existing edges, that add up to 1."""
        graph = self.graph
        for (board, node), chances in self.strategies.items():
            is_node = 0 <= board < len(self.rows) and graph.n_leaves <= node < graph.n_nodes
            if not is_node or graph.kind[node - graph.n_leaves] == CHANCE:
                return False
            count = len(list(graph.children(node)))
            are_chances = all(0 <= edge < count and 0 <= chance <= 1 for edge, chance in chances.items())
            if not are_chances or sum(map(Fraction, chances.values())) != 1:
                return False
        return True

    def run(self, report: Callable[[float], None]) -> None:
        """All boards, block by block."""
        max_boards = max(1, MAX_BLOCK_NUMBERS // (8 * self.graph.n_nodes * self.seats))
        n_boards, n_done = int(self.possible.sum()), 0
        for root_number in np.unique(self.root_of[self.possible]).tolist():
            root_boards = np.flatnonzero(self.possible & (self.root_of == root_number))
            for boards in np.array_split(root_boards, -(-len(root_boards) // max_boards)):
                self.back_up(int(self.graph.roots[root_number]), boards)
                n_done += len(boards)
                report(n_done / n_boards)

    def back_up(self, root: int, boards: Ints) -> None:
        """Check the inequality on these boards."""
        graph, lanes = self.graph, np.arange(len(boards))
        is_reached = graph.reachable(root)
        values_at: dict[int, Floats] = {}  # shape (lanes, 3, seats)
        is_lost = np.zeros(len(boards), dtype=bool)
        for leaf in np.flatnonzero(is_reached[: graph.n_leaves]).tolist():
            values_at[leaf], leaf_lost = self.leaf(leaf, boards)
            is_lost |= leaf_lost
        lane_of = {board: lane for lane, board in enumerate(boards.tolist())}
        mixed_nodes = [(node, lane_of[board]) for board, node in self.strategies if board in lane_of]
        for node in range(graph.n_leaves, root + 1):
            if not is_reached[node]:
                continue
            children = list(graph.children(node))
            children_values = np.array([values_at[child] for child, _ in children])
            kind = graph.kind[node - graph.n_leaves]
            if kind == CHANCE:
                weights = np.array([weight for _, weight in children], dtype=np.float64)
                values_at[node] = np.einsum("c,cslk->slk", weights, children_values) / weights.sum()
                continue
            mover_shares = children_values[:, :, 0, 0]
            chosen = np.argmax(mover_shares >= mover_shares.max(axis=0) - self.tie, axis=0)
            node_values = children_values[chosen, lanes]
            for lane in [lane for other, lane in mixed_nodes if other == node]:
                strategy = self.strategies[int(boards[lane]), node]
                node_values[lane] = sum(chance * children_values[edge, lane] for edge, chance in strategy.items())
            node_values[:, 1:, 0] = children_values[:, :, 1:, 0].max(axis=0)  # a deviating mover takes its best edge
            values_at[node] = node_values
        self.compare(boards, values_at[root], is_lost)

    def compare(self, boards: Ints, backed_up: Floats, is_lost: NDArray[np.bool_]) -> None:
        """Record the boards where the backup, ``backed_up``, breaks the inequality."""
        stored = self.rows[boards]
        rounding = (self.graph.terms + 8) * UNIT * (1 + np.abs(backed_up[:, 2]))  # shares are at most 1
        moved = np.maximum(np.abs(backed_up[:, 0] - stored[:, 0]), backed_up[:, 1] - stored[:, 1])
        needed_radius = moved + rounding + backed_up[:, 2]
        over = np.array(
            [excess(needed, radius) for needed, radius in zip(needed_radius.T, stored[:, 2].T, strict=True)]
        )
        self.failures.add(boards, np.where(is_lost, np.inf, over.max(axis=0)), "the radius of the shares is too small")

    def leaf(self, number: int, boards: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """Vectors of a leaf on these boards, shape (lanes, 3, seats), and the mask where it leads to no board."""
        leaf = self.graph.leaves[number]
        if leaf.result == NO_RESULT:  # only a deviating seat goes past a cut
            vectors = np.full((len(boards), 3, self.seats), -np.inf)
            vectors[:, 1, 0], vectors[:, 2, 0] = float(leaf.upper), self.game.uncertain
            return vectors, np.zeros(len(boards), dtype=bool)
        transition = read_transition(self.game, boards, self.graph.results[leaf.result], self.seats)
        places = (np.arange(self.seats) - transition.passes[:, None]) % self.seats
        next_rows = self.rows[np.maximum(transition.following, 0)]
        vectors = np.take_along_axis(next_rows, np.repeat(places[:, None, :], 3, axis=1), axis=2)
        endings = np.stack(
            [transition.shares.T, transition.shares.T, np.full((len(boards), self.seats), self.game.uncertain)], axis=1
        )
        vectors = np.where(transition.over[:, None, None], endings, vectors)
        vectors[transition.illegal] = -np.inf
        is_invalid = transition.over & (np.abs(transition.shares.sum(axis=0) - 1) > 8 * UNIT)
        return vectors, transition.lost | is_invalid | bool(leaf.lower)


def table_holds(game: TurnGame, graph: TurnGraph, claims: Claims, report: Callable[[float], None]) -> str | None:
    """The error in the shares of these boards, or in the stored gain, in words; None where all holds."""
    if not isinstance(claims.tie, float) or not 0 <= claims.tie <= MAX_TIE:
        return f"the entry says that moves within {claims.tie} are as good as each other"
    proof = TableProof(game, graph, claims, claims.tie)
    if not proof.are_mixed_strategies():
        return "the mixed strategies are no chances of moves"
    with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison
        proof.run(report)
    wrong = proof.failures.first_failure(game)
    if wrong is not None:
        return wrong
    gain = float(np.nanmax((proof.rows[:, 1] - proof.rows[:, 0] + 2 * proof.rows[:, 2])[proof.possible]))
    if not isinstance(claims.gain_limit, float) or not gain <= claims.gain_limit:
        return f"a seat can gain {gain:.3g} by playing otherwise, the entry says at most {claims.gain_limit}"
    return None


class _EndingsProof(TableProof):
    """One backup of every board; ``chances``: float64, shape (boards, 2), a chance and its error."""

    def __init__(self, game: TurnGame, graph: TurnGraph, claims: Claims, chances: Floats, counted: Counts) -> None:
        assert isinstance(claims.tie, float)
        super().__init__(game, graph, claims, claims.tie)
        self.is_counted = counted
        self.rows[:, 1], self.rows[:, 2] = chances[:, 0, None], chances[:, 1, None]

    def leaf(self, number: int, boards: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """See ``TableProof``: an ending is counted, or not."""
        numbers, lost = super().leaf(number, boards)
        leaf = self.graph.leaves[number]
        if leaf.result != NO_RESULT:
            transition = read_transition(self.game, boards, self.graph.results[leaf.result], self.seats)
            for shares in np.unique(transition.shares[:, transition.over], axis=1).T:
                fractions = tuple(Fraction(float(share)).limit_denominator(MAX_PARTS) for share in shares)
                lanes = transition.over & (transition.shares == shares[:, None]).all(axis=0)
                numbers[lanes, 1] = float(self.is_counted(fractions))
        return numbers, lost

    def compare(self, boards: Ints, after: Floats, lost: NDArray[np.bool_]) -> None:
        """See ``TableProof``."""
        stored, backed_up = self.rows[boards, :, OTHER_SEAT], after[:, :, OTHER_SEAT]
        rounding = (self.graph.terms + 8) * UNIT * (1 + np.abs(backed_up[:, 2]))
        over = excess(np.abs(backed_up[:, 1] - stored[:, 1]) + rounding + backed_up[:, 2], stored[:, 2])
        self.failures.add(boards, np.where(lost, np.inf, over), "the error of an ending's chance is too small")


def endings_hold(game: TurnGame, graph: TurnGraph, claims: Claims, chances: Floats, counted: Counts) -> str | None:
    """The error in the chances of a sort of endings under proved shares, in words; None where all hold."""
    proof = _EndingsProof(game, graph, claims, chances, counted)
    with np.errstate(invalid="ignore"):  # a stored nan is found by the comparison
        proof.run(lambda share: None)
    return proof.failures.first_failure(game)
