"""Exact optimal values of boards, as fractions, with their proof.

Boards are solved component by component, in topological order. In each, the policy starts from the best moves by
floats, where there are any, and policy iteration evaluates and improves it in fractions
(``solver.exact.policy_iteration``) until no decision of any board has a better move (``solver.exact.integer_turns``). A
board that does not lead back to itself takes one backup. Memory holds reached boards only, however many the game has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from rollwise.solver.components.exits import endless_play_error, find_endless_board
from rollwise.solver.components.groups import RootGroup, split_by_root
from rollwise.solver.components.strongly_connected import ranked_components, topological_levels
from rollwise.solver.exact.equations import Rational, fraction, rational
from rollwise.solver.exact.integer_turns import BoardsOfRoot, BoardTurn, IntegerTurn, LeafRules
from rollwise.solver.exact.policy_iteration import AffineValue, policy_iteration
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.sheet import no_fractions
from rollwise.solver.turn.algebra import integer_scales
from rollwise.solver.turn.backups import PlainBackup
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants, pack_codes, unpack_codes
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import SCALAR, Transitions, UsedFields

Ints = NDArray[np.int64]
LOWER, UPPER = 0, 1
Approval = Callable[[int, int, float], bool]
EDGE_S = 2e-7  # where numbers are short
SIZE_FACTOR = 30  # of the time, about, with long numbers and until the policy is optimal
MAX_EDGES = 30_000_000  # boards x edges of the turn
MAX_WORK = 100_000_000  # edge operations; one on numbers of a thousand digits counts as two


class ExactValues:
    """Exact values by board index, each a Fraction, to the mover before the turn starts."""

    def __init__(self, values: dict[int, Fraction], solver: _ExactSolver) -> None:
        self.values = values
        self._solver = solver

    def __getitem__(self, board: int) -> Fraction:
        return self.values[board]

    def nodes(self, board: int) -> list[Fraction | None]:
        """Exact values of every node of a turn on this board, by node.

        None where a node is unreachable on this board, is illegal on it, or depends on play past a cut.
        """
        return self._solver.nodes(board)


def solve_exact(
    game: TurnGame,
    graph: TurnGraph,
    values: NDArray[np.float64] | None = None,
    *,
    boards: Iterable[int] | None = None,
    most_work: float = MAX_WORK,
    uses: UsedFields = SCALAR,
    boundary: Mapping[int, Fraction] | None = None,
    beyond: Approval = lambda boards, edges, seconds: False,
) -> ExactValues:
    """Exact values of ``boards`` (by default all possible ones) and of every board that they lead to.

    ``values`` are float values by board index that give the first policy; they change the time, not the result.
    ``boundary``: boards with known values, whose successors are not examined. Where boards x edges of the turn are more
    than 30 million, or the fractions grow so long that ``most_work`` (about a minute) is spent, ``beyond`` receives the
    number of boards, the edges of each and the seconds still needed, about, and returns whether to go on: else
    TooLarge. That is raised too where a value depends on what lies past a cut. Raises ModelError where play can go on
    for ever (in an ``endless`` game: without a gain for either side).
    """
    solver = _ExactSolver(game, graph, most_work, uses, beyond)
    solver.values |= {board: rational(value) for board, value in (boundary or {}).items()}
    solver.lay_out(solver.possible() if boards is None else np.unique(np.fromiter(boards, dtype=np.int64)))
    solver.run(values)
    return ExactValues({board: fraction(value) for board, value in solver.values.items()}, solver)


class _Problem:
    """Boards that lead to each other, as a ``PolicyProblem``; ``spend`` counts the work."""

    def __init__(self, turns: list[BoardTurn], spend: Callable[[float], None]) -> None:
        self.turns, self.spend = turns, spend

    def affine(self) -> list[AffineValue]:
        """See ``PolicyProblem``."""
        self.spend(len(self.turns) ** 3 / 150)
        return [turn.affine() for turn in self.turns]

    def improve(self, values: list[Rational]) -> tuple[list[Rational], bool]:
        """See ``PolicyProblem``."""
        bits = max(int(value.q).bit_length() for value in values)
        bits += max(int(turn.common).bit_length() for turn in self.turns)
        self.spend(sum(turn.of_root.n_edges for turn in self.turns) * (1 + bits / 3300))
        backed_up = [turn.back_up(values) for turn in self.turns]
        return [value for value, _ in backed_up], any(has_changed for _, has_changed in backed_up)


def require_proper(turns: list[BoardTurn], values: list[Rational], name: str) -> None:
    """Raise ModelError unless each side's policy ends play against every reply that is as good as the best.

    For an ``endless`` game that proves ``values``, which satisfy their equations. Let w be the most turns that such
    replies can make of it: with g small, values - g w are strictly below one backup of them, whatever the reply (those
    that are worse are worse by more than g w), so by ``solver.values.component`` they are reached or exceeded.
    """
    inside = {(place, chosen) for place in range(len(turns)) for chosen in (False, True)}
    while inside:
        staying = {(place, chosen) for place, chosen in inside if turns[place].can_stay(values, inside, chosen=chosen)}
        if staying == inside:
            raise ModelError(f"{name} can be played for ever without a gain; say what that is worth")
        inside = staying


class _ExactSolver:
    """All boards of a question, with their successors."""

    def __init__(self, game: TurnGame, graph: TurnGraph, most_work: float, uses: UsedFields, beyond: Approval) -> None:
        self.game = game
        self.graph = graph
        self.space = game.boards()
        self.n_boards = self.space.size
        self.constants = Constants(self.n_boards)
        self.reader = TransitionReader(game, graph, self.constants, uses=uses)
        scaled = integer_scales(graph)
        self.turns = [IntegerTurn(graph, int(root), scaled) for root in graph.roots]
        self.groups: list[BoardsOfRoot] = []
        self.boards: Ints = np.zeros(0, dtype=np.int64)  # reached ones, ascending
        self.place: dict[int, tuple[BoardsOfRoot, int]] = {}
        self.values: dict[int, Rational] = {}
        self.most_work, self.most_edges, self.beyond = most_work, float(MAX_EDGES), beyond
        self.seconds = 0.0  # of the longest estimate so far
        self.work = 0.0

    # --- where boards lead -------------------------------------------------------------------------------------

    def possible(self) -> Ints:
        """All possible boards."""
        self._require_room(0 if self.n_boards <= MAX_EDGES else self.n_boards)
        columns = self.space.columns(np.arange(self.n_boards))
        return np.flatnonzero(np.broadcast_to(self.game.possible(columns), self.n_boards))

    def lay_out(self, boards: Ints) -> None:
        """Read the transitions of these boards (ascending) and of all that they lead to."""
        self.boards = boards
        while len(boards):
            self._require_room(len(self.boards))
            n_before = len(self.groups)
            for root, places in split_by_root(self.game, boards):
                self._read_transitions(boards[places], root)
            successors = [group.leads_to(self.n_boards)[1] for group in self.groups[n_before:]]
            boards = np.setdiff1d(
                np.concatenate(successors), np.append(self.boards, np.fromiter(self.values, np.int64))
            )
            self.boards = np.union1d(self.boards, boards)
        self.rules = self._rules(LOWER), self._rules(UPPER)

    def _places(self, boards: Ints) -> Ints:
        """Places of boards among the reached ones."""
        return np.searchsorted(self.boards, boards)

    def _is_reached(self, boards: Ints) -> NDArray[np.bool_]:
        """Mask of boards among the reached ones; all are but those with known values."""
        return np.isin(boards, self.boards) if self.values else np.ones(len(boards), dtype=bool)

    def _require_room(self, count: int) -> None:
        if count * self.graph.n_edges > self.most_edges:
            self._approve(self.n_boards, EDGE_S * SIZE_FACTOR * self.n_boards * self.graph.n_edges)
            self.most_edges = inf

    def _read_transitions(self, boards: Ints, root: int) -> None:
        turn = self.turns[root]
        transitions = self.reader.transitions(np.array(turn.leaves, dtype=np.int64), boards)
        rewards: dict[int, list[Fraction]] = {}
        block = self.reader.block(boards)
        for row, leaf_id in zip(transitions.extra_of[transitions.of_leaf].tolist(), turn.leaves, strict=True):
            leaf = self.graph.leaves[leaf_id]
            if row >= 0:
                added = self.reader.read(leaf.result, block).fractions()
                rewards[leaf_id] = [points + leaf.lower for points in added]
            elif leaf.lower and leaf.result != NO_RESULT:
                rewards[leaf_id] = [leaf.lower] * len(boards)
        group = BoardsOfRoot(boards, turn, transitions.codes, rewards)
        self.groups.append(group)
        self.place |= {int(board): (group, column) for column, board in enumerate(boards)}

    def _rules(self, end: int) -> LeafRules:
        """How leaves are read, with the lower or the upper end of every cut."""
        worths = [_constant(worth, end) for worth in self.constants.place]
        return LeafRules(self.game.total, self.game.sense, self.n_boards, self.values, worths.__getitem__)

    # --- components --------------------------------------------------------------------------------------------

    def run(self, values: NDArray[np.float64] | None) -> None:
        """Solve all components in topological order."""
        edges = [
            (group.boards[column], target)
            for group in self.groups
            for column, target in [group.leads_to(self.n_boards)]
        ]
        edges = [(source[inside], target[inside]) for source, target in edges for inside in [self._is_reached(target)]]
        source = self._places(np.concatenate([source for source, _ in edges]))
        target = self._places(np.concatenate([target for _, target in edges]))
        component, rank, is_cyclic = ranked_components(len(self.boards), source, target)
        if is_cyclic.any() and not self.game.endless:
            self._require_exits(component, is_cyclic)
        for members in topological_levels(component, rank):
            boards = self.boards[members].tolist()
            if is_cyclic[members[0]]:
                self._solve(boards, values)
            else:
                self._back_up_once(boards[0])

    def _require_exits(self, component: Ints, is_cyclic: NDArray[np.bool_]) -> None:
        """Require that play leaves every component; leaves that lead out of it count as ends."""
        constants = Constants(len(self.boards))
        illegal, out = constants.code(ILLEGAL), constants.code(Fraction(0))
        groups = []
        for group in self.groups:
            columns = np.flatnonzero(is_cyclic[self._places(group.boards)])
            if not len(columns):
                continue
            boards, codes = self._places(group.boards[columns]), group.codes[:, columns]
            successors, passes = unpack_codes(codes.astype(np.int64))
            places = np.minimum(self._places(successors), len(self.boards) - 1)  # any board, at endings
            same = (successors < self.n_boards) & (component[places] == component[boards])
            codes = np.where(same, pack_codes(places, passes), np.where(successors == self.n_boards, illegal, out))
            moves = Transitions.of_leaves(codes.astype(np.int32), np.zeros((0, len(columns))))
            groups.append(RootGroup(boards, moves, PlainBackup(self.graph, group.turn.root, self.game.sense)))
        board = find_endless_board(constants, groups, np.flatnonzero(is_cyclic))
        if board is not None:
            raise endless_play_error(self.game, int(self.boards[board]))

    def _back_up_once(self, board: int) -> None:
        """Value of a board that does not lead back to itself: one backup, which compares all moves."""
        values = []
        for rules in self.rules[: 1 + self._has_cut()]:
            turn = BoardTurn(rules, *self.place[board], {})
            self.spend(turn.of_root.n_edges * (1 + int(turn.common).bit_length() / 3300))
            values.append(turn.back_up([])[0])
        if values[0] is None:
            raise ModelError(f"{self.game} has no legal end of the turn from {self.space.board(board)}")
        self.values[board] = self._equal_ends(values[0], values[-1])

    def _solve(self, members: list[int], values: NDArray[np.float64] | None) -> None:
        """Policy iteration on boards that lead to each other."""
        place = {board: number for number, board in enumerate(members)}
        problem = _Problem([BoardTurn(self.rules[LOWER], *self.place[board], place) for board in members], self.spend)
        problem.improve([self._first_guess(board, values) for board in members])
        solution = policy_iteration(problem, str(self.game), endless=self.game.endless)
        if self.game.endless:
            require_proper(problem.turns, solution, str(self.game))
        if self._has_cut():
            high = _Problem([BoardTurn(self.rules[UPPER], *self.place[board], place) for board in members], self.spend)
            solution = self._equal_ends(solution, high.improve(solution)[0])
        self.values |= dict(zip(members, solution, strict=True))

    def _equal_ends(self, low: Any, high: Any) -> Any:
        """The values at the lower ends of cuts, required to equal those at the upper ends."""
        if low != high:
            raise TooLarge(
                "no fraction is known here, since it depends on play that is only bounded; "
                "leave out --exact (the interval is certified)"
            )
        return low

    def _has_cut(self) -> bool:
        return any(isinstance(worth, tuple) and worth[0] != worth[1] for worth in self.constants.place)

    def _first_guess(self, board: int, values: NDArray[np.float64] | None) -> Rational:
        if values is not None and isfinite(values[board]):
            return rational(Fraction(float(values[board])))
        return fmpq(self.game.total, 2)

    def spend(self, work: float) -> None:
        """Count work in edge operations on short numbers; beyond the limit it needs approval, else TooLarge."""
        self.work += work
        if self.work > self.most_work:
            parts = len(self.boards) / max(1, len(self.values))
            self._approve(len(self.boards), EDGE_S * self.work * (parts**3 - 1))  # later fractions are longer
            self.most_work = inf

    def _approve(self, boards: int, seconds: float) -> None:
        """Raise TooLarge unless such a computation is approved."""
        if seconds > 2 * self.seconds and not self.beyond(boards, self.graph.n_edges, seconds):
            raise no_fractions(self.game)
        self.seconds = max(self.seconds, seconds)

    def nodes(self, board: int) -> list[Fraction | None]:
        """See ``ExactValues``."""
        by_end: list[list[Fraction | None]] = []
        for rules in self.rules[: 1 + self._has_cut()]:
            turn = BoardTurn(rules, *self.place[board], {})
            numbers, common = turn.numbers([])
            turn.of_root.back_up(numbers, turn.chosen)
            values: list[Fraction | None] = [None] * self.graph.n_nodes
            for node in numbers:
                value = turn.value(node, numbers, common)
                values[node] = None if value is None else fraction(value)
            by_end.append(values)
        return [low if low == high else None for low, high in zip(by_end[0], by_end[-1], strict=True)]


def _constant(constant: Any, end: int) -> Rational | None:
    """Value of a finished game; None where the rules forbid that end."""
    if constant == ILLEGAL:
        return None
    return rational(constant if isinstance(constant, Fraction) else constant[end])
