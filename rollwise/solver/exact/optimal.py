"""Exact optimal values of boards, as fractions, with their proof.

Boards are taken component by component. In each, moves are fixed (those that look best in the floats, where there are
any), their worth is found exactly (``solver.exact.newton``), and then every choice of every board is looked at in the
same arithmetic (``solver.exact.wholes``); moves that turn out better are taken up until none is left. A board that does
not lead back to itself needs one look. Only boards that are reached take any room, however many the game has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from rollwise.solver.components.exits import endless_play, trapped
from rollwise.solver.components.groups import RootGroup, by_root
from rollwise.solver.components.strongly_connected import components, topological_levels
from rollwise.solver.exact.equations import Rational, fraction, rational
from rollwise.solver.exact.newton import Affine, newton
from rollwise.solver.exact.wholes import RootTurn, Rules, SettledBoards, Turn
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.sheet import no_fractions
from rollwise.solver.turn.algebra import scales
from rollwise.solver.turn.backups import PlainBackup
from rollwise.solver.turn.graph import NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import ILLEGAL, Constants, packed, read
from rollwise.solver.turn.transition_reader import WORTHS, TransitionReader, Uses
from rollwise.solver.turn.transitions import Transitions

Ints = NDArray[np.int64]
LOWER, UPPER = 0, 1
Beyond = Callable[[int, int, float], bool]
AN_EDGE = 2e-7  # seconds, where numbers are short,
AGAIN = 30  # and so many times that, about, until all choices are right and numbers are long
MOST_EDGES = 30_000_000  # boards x edges of the turn
MOST_WORK = 100_000_000  # edge operations; one on numbers of a thousand digits counts as two


class ExactValues:
    """Exact values by board index, each a Fraction that the mover gets before the turn starts."""

    def __init__(self, values: dict[int, Fraction], solver: _ExactSolver) -> None:
        self.values = values
        self._solver = solver

    def __getitem__(self, board: int) -> Fraction:
        return self.values[board]

    def nodes(self, board: int) -> list[Fraction | None]:
        """Exact values of every node of a turn on this board, by node.

        None where a node cannot come up on this board, is illegal on it, or depends on what lies past a cut.
        """
        return self._solver.nodes(board)


def solve_exact(
    game: TurnGame,
    graph: TurnGraph,
    values: NDArray[np.float64] | None = None,
    *,
    boards: Iterable[int] | None = None,
    most_work: float = MOST_WORK,
    uses: Uses = WORTHS,
    known: Mapping[int, Fraction] | None = None,
    beyond: Beyond = lambda boards, edges, seconds: False,
) -> ExactValues:
    """Exact values of ``boards`` (by default all that can be) and of every board that they lead to.

    ``values`` are float values by board index to take the first moves from; they change how long it takes, not what is
    found. Behind boards whose values are ``known`` nothing is looked at. Where boards x edges of the turn are more than
    30 million, or the fractions grow so long that ``most_work`` (about a minute) is spent, ``beyond`` hears of the
    boards, the edges of each and the seconds that it takes yet, about, and says whether to go on: else TooLarge. That
    is raised too where a value depends on what lies past a cut. Raises ModelError where play can go on for ever (in an
    ``endless`` game: without a gain for either side).
    """
    solver = _ExactSolver(game, graph, most_work, uses, beyond)
    solver.known |= {board: rational(value) for board, value in (known or {}).items()}
    solver.lay_out(solver.possible() if boards is None else np.unique(np.fromiter(boards, dtype=np.int64)))
    solver.run(values)
    return ExactValues({board: fraction(value) for board, value in solver.known.items()}, solver)


class _Component:
    """Boards that lead to each other, as a ``Problem`` of ``solver.exact.newton``; ``spend`` counts the work."""

    def __init__(self, turns: list[Turn], spend: Callable[[float], None]) -> None:
        self.turns, self.spend = turns, spend

    def affine(self) -> list[Affine]:
        """See ``Problem``."""
        self.spend(len(self.turns) ** 3 / 150)
        return [turn.affine() for turn in self.turns]

    def improve(self, values: list[Rational]) -> tuple[list[Rational], bool]:
        """See ``Problem``."""
        bits = max(int(value.q).bit_length() for value in values)
        bits += max(int(turn.common).bit_length() for turn in self.turns)
        self.spend(sum(turn.of_root.n_edges for turn in self.turns) * (1 + bits / 3300))
        found = [turn.back_up(values) for turn in self.turns]
        return [value for value, _ in found], any(moved for _, moved in found)


def require_end(turns: list[Turn], values: list[Rational], name: str) -> None:
    """Raise ModelError unless each side's chosen moves end play against every reply that is as good as the best.

    For an ``endless`` game that proves ``values``, which satisfy their equations. Let w be the most turns that such
    replies can make of it: with g small, values - g w are strictly below one backup of them, whatever the reply (those
    that are worse are worse by more than g w), so ``solver.values.component`` tells that they are reached or exceeded.
    """
    inside = {(place, chosen) for place in range(len(turns)) for chosen in (False, True)}
    while inside:
        staying = {(place, chosen) for place, chosen in inside if turns[place].can_stay(values, inside, chosen=chosen)}
        if staying == inside:
            raise ModelError(f"{name} can be played for ever without a gain; say what that is worth")
        inside = staying


class _ExactSolver:
    """All boards of a game that are asked for, with what they lead to."""

    def __init__(self, game: TurnGame, graph: TurnGraph, most_work: float, uses: Uses, beyond: Beyond) -> None:
        self.game = game
        self.graph = graph
        self.space = game.boards()
        self.n_boards = self.space.size
        self.constants = Constants(self.n_boards)
        self.settler = TransitionReader(game, graph, self.constants, uses=uses)
        scaled = scales(graph)
        self.turns = [RootTurn(graph, int(root), scaled) for root in graph.roots]
        self.settled: list[SettledBoards] = []
        self.boards: Ints = np.zeros(0, dtype=np.int64)  # all that are reached, ascending
        self.place: dict[int, tuple[SettledBoards, int]] = {}
        self.known: dict[int, Rational] = {}
        self.most_work, self.most_edges, self.beyond = most_work, float(MOST_EDGES), beyond
        self.told = 0.0  # the seconds that it takes, as was told
        self.work = 0.0

    # --- where boards lead -------------------------------------------------------------------------------------

    def possible(self) -> Ints:
        """All boards that can be."""
        self._require_room(0 if self.n_boards <= MOST_EDGES else self.n_boards)
        columns = self.space.columns(np.arange(self.n_boards))
        return np.flatnonzero(np.broadcast_to(self.game.possible(columns), self.n_boards))

    def lay_out(self, boards: Ints) -> None:
        """Settle these boards (ascending) and all that they lead to."""
        self.boards = boards
        while len(boards):
            self._require_room(len(self.boards))
            fresh = len(self.settled)
            for root, some in by_root(self.game, boards):
                self._settle(boards[some], root)
            following = [settled.leads_to(self.n_boards)[1] for settled in self.settled[fresh:]]
            boards = np.setdiff1d(np.concatenate(following), np.append(self.boards, np.fromiter(self.known, np.int64)))
            self.boards = np.union1d(self.boards, boards)
        self.rules = self._rules(LOWER), self._rules(UPPER)

    def _number(self, boards: Ints) -> Ints:
        """The places of boards among those that are reached."""
        return np.searchsorted(self.boards, boards)

    def _is_reached(self, boards: Ints) -> NDArray[np.bool_]:
        """Are these among them? All are but those that are known."""
        return np.isin(boards, self.boards) if self.known else np.ones(len(boards), dtype=bool)

    def _require_room(self, count: int) -> None:
        if count * self.graph.n_edges > self.most_edges:
            self._go_on(self.n_boards, AN_EDGE * AGAIN * self.n_boards * self.graph.n_edges)
            self.most_edges = inf

    def _settle(self, boards: Ints, root: int) -> None:
        turn = self.turns[root]
        moves = self.settler.transitions(np.array(turn.leaves, dtype=np.int64), boards)
        rewards: dict[int, list[Fraction]] = {}
        block = self.settler.block(boards)
        for row, leaf_id in zip(moves.extra_of[moves.of_leaf].tolist(), turn.leaves, strict=True):
            leaf = self.graph.leaves[leaf_id]
            if row >= 0:
                added = self.settler.read(leaf.result, block).fractions()
                rewards[leaf_id] = [points + leaf.lower for points in added]
            elif leaf.lower and leaf.result != NO_RESULT:
                rewards[leaf_id] = [leaf.lower] * len(boards)
        settled = SettledBoards(boards, turn, moves.codes, rewards)
        self.settled.append(settled)
        self.place |= {int(board): (settled, column) for column, board in enumerate(boards)}

    def _rules(self, end: int) -> Rules:
        """How leaves are read, with the lower or the upper end of every cut."""
        worths = [_end(worth, end) for worth in self.constants.place]
        return Rules(self.game.total, self.game.sense, self.n_boards, self.known, worths.__getitem__)

    # --- components --------------------------------------------------------------------------------------------

    def run(self, values: NDArray[np.float64] | None) -> None:
        """Solve all components, those that are led to first."""
        edges = [
            (settled.boards[column], target)
            for settled in self.settled
            for column, target in [settled.leads_to(self.n_boards)]
        ]
        edges = [(source[inside], target[inside]) for source, target in edges for inside in [self._is_reached(target)]]
        source = self._number(np.concatenate([source for source, _ in edges]))
        target = self._number(np.concatenate([target for _, target in edges]))
        component, rank, returns = components(len(self.boards), source, target)
        if returns.any() and not self.game.endless:
            self._require_exits(component, returns)
        for members in topological_levels(component, rank):
            boards = self.boards[members].tolist()
            if returns[members[0]]:
                self._solve(boards, values)
            else:
                self._price(boards[0])

    def _require_exits(self, component: Ints, returns: NDArray[np.bool_]) -> None:
        """No component can be played for ever: leaves out of it count as ends."""
        constants = Constants(len(self.boards))
        illegal, out = constants.code(ILLEGAL), constants.code(Fraction(0))
        groups = []
        for settled in self.settled:
            columns = np.flatnonzero(returns[self._number(settled.boards)])
            if not len(columns):
                continue
            boards, codes = self._number(settled.boards[columns]), settled.codes[:, columns]
            following, passes = read(codes.astype(np.int64))
            ahead = np.minimum(self._number(following), len(self.boards) - 1)  # any board, where the game is over
            same = (following < self.n_boards) & (component[ahead] == component[boards])
            codes = np.where(same, packed(ahead, passes), np.where(following == self.n_boards, illegal, out))
            moves = Transitions.of_leaves(codes.astype(np.int32), np.zeros((0, len(columns))))
            groups.append(RootGroup(boards, moves, PlainBackup(self.graph, settled.turn.root, self.game.sense)))
        board = trapped(constants, groups, np.flatnonzero(returns))
        if board is not None:
            raise endless_play(self.game, int(self.boards[board]))

    def _price(self, board: int) -> None:
        """A board that does not lead back to itself: one backup of its turn is its value, and looks at every choice."""
        found = []
        for rules in self.rules[: 1 + self._has_cut()]:
            turn = Turn(rules, *self.place[board], {})
            self.spend(turn.of_root.n_edges * (1 + int(turn.common).bit_length() / 3300))
            found.append(turn.back_up([])[0])
        if found[0] is None:
            raise ModelError(f"{self.game} has no legal end of the turn from {self.space.board(board)}")
        self.known[board] = self._sure(found[0], found[-1])

    def _solve(self, members: list[int], values: NDArray[np.float64] | None) -> None:
        """Boards that lead to each other."""
        place = {board: number for number, board in enumerate(members)}
        component = _Component([Turn(self.rules[LOWER], *self.place[board], place) for board in members], self.spend)
        component.improve([self._first_guess(board, values) for board in members])
        found = newton(component, str(self.game), endless=self.game.endless)
        if self.game.endless:
            require_end(component.turns, found, str(self.game))
        if self._has_cut():
            again = _Component([Turn(self.rules[UPPER], *self.place[board], place) for board in members], self.spend)
            found = self._sure(found, again.improve(found)[0])
        self.known |= dict(zip(members, found, strict=True))

    def _sure(self, low: Any, high: Any) -> Any:
        """Values with the lower and with the upper ends of cuts, where they are the same."""
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
        """Count work in edge operations on short numbers; raises TooLarge where it becomes too much."""
        self.work += work
        if self.work > self.most_work:
            parts = len(self.boards) / max(1, len(self.known))
            self._go_on(len(self.boards), AN_EDGE * self.work * (parts**3 - 1))  # later fractions are longer
            self.most_work = inf

    def _go_on(self, boards: int, seconds: float) -> None:
        """Raise TooLarge unless it may take this."""
        if seconds > 2 * self.told and not self.beyond(boards, self.graph.n_edges, seconds):
            raise no_fractions(self.game)
        self.told = max(self.told, seconds)

    def nodes(self, board: int) -> list[Fraction | None]:
        """See ``ExactValues``."""
        both: list[list[Fraction | None]] = []
        for rules in self.rules[: 1 + self._has_cut()]:
            turn = Turn(rules, *self.place[board], {})
            numbers, common = turn.numbers([])
            turn.of_root.back_up(numbers, turn.chosen)
            found: list[Fraction | None] = [None] * self.graph.n_nodes
            for node in numbers:
                value = turn.value(node, numbers, common)
                found[node] = None if value is None else fraction(value)
            both.append(found)
        return [low if low == high else None for low, high in zip(both[0], both[-1], strict=True)]


def _end(worth: Any, end: int) -> Rational | None:
    """What a finished game is worth; None where the rules forbid it."""
    if worth == ILLEGAL:
        return None
    return rational(worth if isinstance(worth, Fraction) else worth[end])
