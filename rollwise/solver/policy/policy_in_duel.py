"""Policy evaluation of a rule of thumb in a duel or alone, against the best response and against the optimal policy.

A walk goes board by board from the start. Where the rule moves, it decides only where its own play leads, among the
moves that are legal on that board. In a duel the other player is free, so all of their legal moves are followed. Then
the game of both is solved (``solver.values``), in a duel twice: once as a Markov decision process of the other player,
whose solution is the best response, and once as a Markov chain, with the other player's optimal policy (Puterman 1994).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.checkpoints import partial_report
from rollwise.solver.components.groups import split_by_root
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.rounding import round_up
from rollwise.solver.policy.optimal_policy import leaves_past_cut, optimal_rows
from rollwise.solver.policy.policy_game import BY_POLICY, FREE, PolicyGame
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.backups import make_backup
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants, unpack_codes
from rollwise.solver.turn.policy_turn import EndsOfTurn, PolicyTurn, TurnDecision
from rollwise.solver.turn.query import Read
from rollwise.solver.turn.ranked_moves import first_best
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import UsedFields
from rollwise.solver.values.board_solver import MAX_NUMPY_WORK, BoardSolver
from rollwise.solver.values.policy_evaluation import EndsBySituation, PolicyBackup

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
BLOCK_CODES = 1 << 23  # ends x boards whose transitions are read together
BLOCK_NODES = 1 << 24  # nodes x patterns of legal ends in one array
MAX_PLACES = 20_000_000
RULE_TOLERANCE = 1e-6  # of any board's interval, which is in the answer: bad play reaches a turn's cut more often


@dataclass(frozen=True)
class Optimum:
    """The solution, for boards and decisions that the rule leaves open.

    ``leaves``: (value, lower, upper) of the leaves of the turn on a board, ``read`` (values, radius) of boards. Boards
    of a level beyond ``last_level`` have their solved values, since play is optimal from there on; the start is walked.
    """

    leaves: Callable[[int], Floats]
    read: Read
    last_level: int | None = None


@dataclass(frozen=True)
class Block:
    """Boards on which a rule has decided alike so far; ``same``: fields that are equal on all of them."""

    boards: Ints
    same: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True)
class PlayedTurns:
    """Rows of played turns, by the values of some fields of the board in the ``decision`` of that turn."""

    decision: Any
    rows: dict[Any, int]


class Policy(Protocol):
    """A rule of thumb as the walk calls it."""

    def begin(self, boards: Callable[[int], Ints | None], decisions: Sequence[TurnDecision]) -> None:
        """Begin a walk of turns with these decisions.

        ``boards(most)``: boards of the rule's turns, reachable by any play; None where they are more than ``most``.
        """

    def can_decide(self, board: int) -> bool:
        """True where the rule decides turns on this board; where no question describes them the best is played."""

    def finished(self) -> None:
        """End a turn, played on some boards."""

    def key(self, board: int, fields: frozenset[str], decision: TurnDecision) -> Any:
        """Values of these fields on a board on which this decision can be a question; None where there are none."""

    def decide(self, alike: Block, decision: TurnDecision, names: tuple[str, ...]) -> list[tuple[Block, str | None]]:
        """The move in this decision among the legal ones, on parts of the boards; None for the best."""


@dataclass(frozen=True)
class DuelValues:
    """Values of a rule: ``by_rule`` and ``free`` are (value, radius) at the start for either role, by best response.

    ``free`` is None in a game played alone. ``to_best``: both against the optimal policy; None in a game played alone,
    or where that takes too much. ``boards``: number of boards on which the rule decides.
    """

    by_rule: tuple[float, float]
    free: tuple[float, float] | None
    boards: int
    to_best: tuple[tuple[float, float], tuple[float, float]] | None = None


class PolicyInDuel:
    """Evaluation of a rule from one board on: a walk over the reachable boards, and their solve."""

    free_role, policy_role = FREE, BY_POLICY  # the role whose every move is followed, and that of the rule's turns
    max_places = MAX_PLACES

    def __init__(
        self,
        turn: PolicyTurn,
        graph: TurnGraph,
        uses: UsedFields,
        rule: Policy,
        report: Callable[[float], None],
        best: Optimum,
    ) -> None:
        self.game, self.graph, self.uses, self.rule, self.report = turn.game, graph, uses, rule, report
        self.best = best
        self._node_values: tuple[int, list[list[float]]] = -1, []  # node values on the last board
        self.space = self.game.boards()
        self.played = turn
        self.reader = TransitionReader(self.game, graph, Constants(self.space.size), uses=uses)
        self.illegal = self.reader.constants.code(ILLEGAL)
        self.visited = [np.zeros(self.space.size, dtype=bool) for _ in range(2)]
        self.row_of = np.full(self.space.size, -1, dtype=np.int32)  # of each board where the rule plays
        self.rows: list[EndsOfTurn] = []
        self.start = -1
        self._turns: dict[tuple[int, bytes], dict[frozenset[str], PlayedTurns]] = {}  # by root and legal ends
        self._first: TurnDecision | None = None  # the first decision of the turn that is played just now

    def run(self, start: Mapping[str, Any]) -> DuelValues:
        """Evaluate the rule from this board."""
        board = self.space.index_of(**start)
        self.start = board
        roles = (BY_POLICY, FREE) if self.uses.seats > 1 else (BY_POLICY,)
        self.rule.begin(lambda most: self._reachable(board, most), list(self.played.decided.values()))
        self._walk(board, roles)
        n_boards, report = int((self.row_of >= 0).sum()), self.report
        if len(roles) == 1:
            return DuelValues(self._solve(board, roles)[0], None, n_boards)
        self.report = partial_report(report, 0.0, 0.5)
        by_rule, free = self._solve(board, roles)
        self.report = partial_report(report, 0.5, 1.0)
        try:
            own, opponent = self._solve(board, roles, to_best=True)
        except TooLarge:
            return DuelValues(by_rule, free, n_boards)
        return DuelValues(by_rule, free, n_boards, (own, opponent))

    def sample(self, start: Mapping[str, Any], turns: int = 30, boards: int = 2) -> None:
        """Call the rule on a few boards that its own play reaches, turn by turn: its errors show before any solve."""
        here, draw = np.array([self.space.index_of(**start)]), np.random.default_rng(0)
        for _ in range(turns):
            ahead = [new for root, some in self._blocks(here) for _, new in self._follow(self.policy_role, root, some)]
            here = np.unique(draw.permutation(np.concatenate(ahead or [here[:0]]))[:boards])

    # --- the walk ----------------------------------------------------------------------------------------------------

    def _walk(self, start: int, roles: Sequence[int]) -> None:
        ahead: list[list[Ints]] = [[np.array([start])] if role in roles else [] for role in range(len(self.visited))]
        n_places = 0
        while any(ahead):
            for role, visited in enumerate(self.visited):
                here = np.unique(np.concatenate(ahead[role])) if ahead[role] else np.zeros(0, dtype=np.int64)
                ahead[role] = []
                here = here[~visited[here]]
                visited[here] = True
                n_places += len(here)
                if n_places > self.max_places:
                    raise TooLarge(f"play of {self.game} from there comes to more than {self.max_places:,} boards")
                for root, boards in self._blocks(here[~self._is_beyond(here)]):
                    for passes, following in self._follow(role, root, boards):
                        ahead[(role - passes) % len(ahead)].append(following)

    def _reachable(self, start: int, limit: int) -> Ints | None:
        """The boards reachable from one by any play; None where they are more than ``limit``."""
        reached, here = np.array([start]), np.array([start])
        while len(here):
            ahead = [
                boards for root, some in self._blocks(here) for _, boards in self._follow(self.free_role, root, some)
            ]
            here = np.setdiff1d(np.concatenate(ahead), reached) if ahead else here[:0]
            reached = np.union1d(reached, here)
            if len(reached) > limit:
                return None
        return reached

    def _is_beyond(self, boards: Ints) -> NDArray[np.bool_]:
        """True for boards beyond the last level of the rule."""
        if self.best.last_level is None or not len(boards):
            return np.zeros(len(boards), dtype=bool)
        levels = self.game.level(self.space.columns(np.append(boards, self.start)))
        beyond: NDArray[np.bool_] = levels[:-1] > max(self.best.last_level, levels[-1])
        return beyond

    def _blocks(self, boards: Ints) -> list[tuple[int, Ints]]:
        width = max(1, BLOCK_CODES // int(self.graph.root_leaves.sum(axis=1).max()))
        return [(root, boards[some]) for root, some in split_by_root(self.game, boards, width)]

    def _follow(self, role: int, root: int, boards: Ints) -> list[tuple[int, Ints]]:
        """The boards that follow these, by number of seats the turn passes on: of the role's policy, or of any play."""
        leaves = np.flatnonzero(self.graph.root_leaves[root])
        codes = self.reader.transitions(leaves, boards).codes
        if role == self.policy_role:
            codes = codes[self._played(root, boards, leaves, codes != self.illegal)]
        following, passes = unpack_codes(codes, self.reader.constants.bits)
        on = following < self.space.size
        by = range(self.uses.seats)
        return [(passed, np.unique(following[on & (passes == passed)]).astype(np.int64)) for passed in by]

    def _played(self, root: int, boards: Ints, leaves: Ints, legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """True for the ends that the rule's play reaches on each board, as ``legal``: shape (leaves, boards)."""
        is_reached = np.zeros(legal.shape, dtype=bool)
        packed = np.ascontiguousarray(np.packbits(legal, axis=0).T)
        _, first, number = np.unique(packed, axis=0, return_index=True, return_inverse=True)
        number = number.reshape(-1)
        by_pattern = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
        place_of = np.full(self.graph.n_leaves, -1)
        place_of[leaves] = np.arange(len(leaves))
        width = max(1, BLOCK_NODES // self.played.n_nodes)
        for low in range(0, len(first), width):
            patterns = np.zeros((self.graph.n_leaves, len(first[low : low + width])), dtype=bool)
            patterns[leaves] = legal[:, first[low : low + width]]
            nodes = self.played.legal(patterns)
            for pattern in range(nodes.shape[1]):
                lanes = by_pattern[low + pattern]
                if not self.can_decide(int(boards[lanes[0]])):
                    is_reached[:, lanes] = legal[:, lanes]
                    continue
                turns = self._turns.setdefault((root, packed[first[low + pattern]].tobytes()), {})
                new_boards = self._reuse_rows(boards[lanes], turns)
                if len(new_boards):
                    self._play(root, nodes[:, pattern].tolist(), new_boards, turns)
                for board, lane in zip(boards[lanes].tolist(), lanes.tolist(), strict=True):
                    is_reached[place_of[self.rows[self.row_of[board]].leaves], lane] = True
        return is_reached

    def can_decide(self, board: int) -> bool:
        """True where the rule decides turns on this board."""
        return self.rule.can_decide(board)

    def _reuse_rows(self, boards: Ints, turns: dict[frozenset[str], PlayedTurns]) -> Ints:
        """Reuse played turns on boards of equal fields; returns the other boards."""
        for fields, played in turns.items():
            if not fields:
                self.row_of[boards] = played.rows[()]
                return boards[:0]
            new_boards = []
            for board in boards.tolist():
                row = played.rows.get(self.rule.key(board, fields, played.decision))
                if row is None:
                    new_boards.append(board)
                else:
                    self.row_of[board] = row
            boards = np.array(new_boards, dtype=np.int64)
        return boards

    def _play(self, root: int, legal: list[bool], boards: Ints, turns: dict[frozenset[str], PlayedTurns]) -> None:
        """Play the turn on boards with the same legal nodes, and store its rows by the fields it depends on."""
        self._first = None
        for alike, row in self.played.play(root, legal, Block(boards), self._decide):
            self.row_of[alike.boards] = len(self.rows)
            self.rows.append(row)
            self.rule.finished()
            key = ()
            if alike.same:
                assert self._first is not None
                key = self.rule.key(int(alike.boards[0]), alike.same, self._first)
            if key is not None:
                turns.setdefault(alike.same, PlayedTurns(self._first, {})).rows[key] = len(self.rows) - 1

    def _decide(self, alike: Block, node: int, names: tuple[str, ...]) -> list[tuple[Block, str]]:
        """The rule's moves; where it has none, the best move on the first of the boards."""
        self._first = self._first or self.played.decided[node]
        answers = self.rule.decide(alike, self.played.decided[node], names)
        return [
            (some, self._best(int(some.boards[0]), node, names) if move is None else move) for some, move in answers
        ]

    def _best(self, board: int, node: int, names: tuple[str, ...]) -> str:
        """The best of some moves: the first that may be best by its interval."""
        if self._node_values[0] != board:
            self._node_values = board, self.played.back_up(self.best.leaves(board), self.game.sense).tolist()
        child_of = dict(zip(self.played.decided[node].names, self.played.children[node], strict=True))
        place = first_best([self._node_values[1][child_of[name]] for name in names], self.game.sense)
        assert place is not None
        return names[place]

    # --- the solve ---------------------------------------------------------------------------------------------------

    def _solve(self, start: int, roles: tuple[int, ...], *, to_best: bool = False) -> list[tuple[float, float]]:
        """(value, radius) of these roles on a board; ``to_best``: the free player follows the optimal policy."""
        game, graph = self.game, self.graph
        places = np.concatenate(
            [np.flatnonzero(visited) + role * self.space.size for role, visited in enumerate(self.visited)]
        )
        boards = places % self.space.size
        row_of_place = self.row_of[boards]
        row_of_place[places < self.space.size] = -1
        beyond = self._is_beyond(boards)
        contest = PolicyGame(game, places, (row_of_place >= 0) | to_best)
        rows = EndsBySituation.of(self.rows) if self.rows else None
        roundings = max((row.off / UNIT + len(row.chances) for row in self.rows), default=0.0)
        if to_best:
            best, of_free, behind = self._optimal_rows(places, row_of_place < 0)
            row_of_place[row_of_place < 0] = of_free + len(self.rows)
            rows, roundings = rows.append(best) if rows else best, max(roundings, behind)
            rows = replace(rows, leaves=leaves_past_cut(graph, self.played)[rows.leaves])
        both = replace(
            graph,
            roots=np.concatenate([graph.roots, graph.roots]),
            root_leaves=np.concatenate([graph.root_leaves, graph.root_leaves]),
            terms=max(graph.terms, int(roundings) + 8),
        )
        n_free = int(((row_of_place < 0) & ~beyond).sum())
        compiled = n_free * graph.n_edges > MAX_NUMPY_WORK
        free: list[Any] = [make_backup(graph, int(root), game.sense, compiled) for root in graph.roots if n_free]
        with_rule: list[Any] = [
            PolicyBackup(graph, int(root), game.sense, rows, row_of_place) for root in graph.roots if rows is not None
        ]
        solver = BoardSolver(
            contest,
            both,
            compiled=compiled,
            tolerance=np.inf if to_best else RULE_TOLERANCE,
            uses=self.uses,
            backups=[*(free or with_rule), *(with_rule or free)],
        )
        if beyond.any():
            solver.resume(*self._solved_beyond(boards, beyond))
        solution = solver.solve(self.report)
        at = [int(contest.place_of(role, np.array([start]))[0]) for role in sorted(roles, reverse=True)]
        return [(float(solution.values[place]), float(solution.radius[place])) for place in at]

    def _solved_beyond(self, boards: Ints, beyond: NDArray[np.bool_]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Optimal values of the boards beyond the rule, as a checkpoint of a solve that is done with them."""
        value, radius = np.full(len(boards), np.nan), np.full(len(boards), np.nan, dtype=np.float32)
        value[beyond], radii = self.best.read(boards[beyond])
        radius[beyond] = round_up(radii)
        level = int(np.min(self.game.level(self.space.columns(boards[beyond]))))
        state = {"level_radius": float(radius[beyond].max()), "scale": max(1.0, float(np.abs(value[beyond]).max()))}
        return {"value": value, "radius": radius}, {"slack": 0.0, "level": level, "methods": [], **state}

    def _optimal_rows(self, places: Ints, free: NDArray[np.bool_]) -> tuple[EndsBySituation, Ints, float]:
        """Rows of the optimal policy's turns, the row of each free place, and roundings behind a chance."""
        boards, row_of = np.unique(places[free] % self.space.size, return_inverse=True)
        ahead = np.unique(places % self.space.size)
        rows, row_at, roundings = optimal_rows(self.game, self.graph, self.reader, self.best.read, boards, ahead)
        return rows, row_at[row_of], roundings
