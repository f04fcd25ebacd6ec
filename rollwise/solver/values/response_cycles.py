"""Cycles of best responses at a table, resolved by mixed strategies.

Where the best move here makes another move best there, and so on round, best responses cycle: value iteration reaches
no stable choice of pure moves. The shares of many boards change, but few decisions do for that reason; with those
mixed, at any chances, the sweeps converge. Newton's method then looks for chances that leave every mover indifferent.
Its Jacobian comes from a few sweeps after each chance is changed a little; slow effects are left to the next step.

Where no such chances exist among those tried, those with the least gain from deviating stay, and ``gain`` reports it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.vectors import MixedStrategy
from rollwise.solver.values.anderson import CYCLE_SWEEPS, iterate_to_fixed_point
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE, PolymatrixGame, to_parts
from rollwise.solver.values.table_backups import Group, SolveState

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
EdgesTaken: TypeAlias = list[NDArray[np.int16]]
OpenEdges: TypeAlias = dict[tuple[int, int], set[int]]  # by board and node

OBSERVED_SWEEPS = 24  # in which moving boards and changing decisions are recorded
MOVING_SHARE = 1e-4  # of the largest change: boards that change less only follow
REST_TOLERANCE = 1e-12  # a share that changes by less is at rest
MAX_ROUNDS = 16  # of finding changing decisions and their chances
NEWTON_STARTS = 4  # first guesses of the chances
MAX_NEWTON_STEPS = 24  # from each start
CONVERGED_GAIN = 1e-14  # at most gained by deviating: no further step is needed
EQUILIBRIUM_GAIN = 1e-11  # at most gained by deviating from a mixed decision of an equilibrium
REST_PER_GAIN = 1e-3  # of the gain: shares that change by less need not rest before the next step
SLOW_STEP = 0.2  # after a step that leaves a larger part of the gain, the Jacobian is computed anew
STEP_SIZE = 1e-3  # change of a chance for a column of the Jacobian
MIN_JACOBIAN_SWEEPS, MAX_JACOBIAN_SWEEPS = 3, 200  # for a column
JACOBIAN_TOLERANCE = 0.02  # of a column: its sweeps end when one changes less
MIN_JACOBIAN_TOLERANCE = 1e-5  # the tolerance is divided by ten after slow steps, down to this


def find_response_cycle(solve: SolveState, groups: list[Group], boards: Ints, report: Callable[[float], None]) -> bool:
    """Find decisions whose best responses cycle, and mix them until all ``boards`` come to rest.

    Returns False where no decision changes, so that the shares only need more sweeps. Raises NotConverged where ever
    more decisions change.
    """
    cycle = ResponseCycle(solve, groups, boards)
    for number in range(MAX_ROUNDS):
        if not cycle.find_changing_decisions() and number == 0:
            return False
        if cycle.rest() and cycle.find_indifference() and not cycle.open_better_edges() and cycle.rest_everywhere():
            if cycle.gain > EQUILIBRIUM_GAIN:
                solve.methods.add("best responses cycle: a policy that is no equilibrium, see its gain")
            cycle.remove_pure_decisions()
            return True
        report((number + 1) / MAX_ROUNDS)
    raise NotConverged(f"the best responses of {solve.game} cycle on ever more boards", cycle.largest)


class ResponseCycle:
    """Moving boards of a level, and their decisions whose best responses cycle."""

    def __init__(self, solve: SolveState, groups: list[Group], boards: Ints) -> None:
        self.solve, self.every, self.boards = solve, groups, boards
        self.before = MixedStrategy(solve.mixed.rows[~np.isin(solve.mixed.rows[:, 0], boards)])
        self.edges: OpenEdges = {}  # that a mixed strategy may take
        self.changed: OpenEdges = {}  # to be opened next
        self.largest = np.inf
        self.groups, self.moving = groups, boards

    # --- what changes ------------------------------------------------------------------------------------------------

    def find_changing_decisions(self) -> bool:
        """Find boards that do not come to rest and decisions that change there, and mix those; True if any is new."""
        solve, boards = self.solve, self.boards
        moved = np.zeros(len(boards))
        for _ in range(OBSERVED_SWEEPS):
            before = solve.values[boards]
            solve.sweep(self.every)
            moved = np.maximum(moved, np.abs(solve.values[boards] - before).max(axis=1))
        self.largest = float(moved.max())
        mixed = [board for board, _ in self.edges]
        self.moving = boards[(moved > max(REST_TOLERANCE, MOVING_SHARE * self.largest)) | np.isin(boards, mixed)]
        self.groups = [part for part in (_subgroup(group, self.moving) for group in self.every) if len(part.boards)]
        edges = self._edges_taken()
        for _ in range(OBSERVED_SWEEPS):
            solve.sweep(self.groups)
            edges = self._note_changes(edges)
        return self._open_changed_edges()

    def _edges_taken(self) -> EdgesTaken:
        """The edges that all pure decisions of the moving boards take."""
        return [group.backup.edges_taken(self.solve, group) for group in self.groups]

    def _note_changes(self, edges_before: EdgesTaken) -> EdgesTaken:
        """The edges taken now; records decisions that changed between two edges that are not both open."""
        edges_now = self._edges_taken()
        for group, old, new in zip(self.groups, edges_before, edges_now, strict=True):
            for row, lane in np.argwhere(old != new).tolist():
                decision = (int(group.boards[lane]), int(group.backup.decided[row]))
                edges = {int(old[row, lane]), int(new[row, lane])}
                if not edges <= self.edges.get(decision, set()):
                    self.changed.setdefault(decision, set()).update(edges)
        return edges_now

    def _open_changed_edges(self) -> bool:
        """Let mixed strategies take the recorded edges; True if there were any."""
        changed, self.changed = self.changed, {}
        for decision, edges in changed.items():
            self.edges.setdefault(decision, set()).update(edges)
        if changed:
            self._mix_open_edges(np.ones)
        return bool(changed)

    def _mix_open_edges(self, chances: Callable[[int], Floats]) -> None:
        """Mix the changing decisions; ``chances(n)``: how likely each of n edges is, up to a factor."""
        rows = [
            (board, node, edge, chance)
            for (board, node), edges in self.edges.items()
            for edge, chance in zip(sorted(edges), _normalised(chances(len(edges))), strict=True)
        ]
        self.solve.mixed = MixedStrategy(np.concatenate([self.before.rows, np.array(rows)]))
        mixed = self.solve.decisions
        self.rows = np.flatnonzero(np.isin(mixed.board, self.boards))
        n_edges = mixed.at[self.rows + 1] - mixed.at[self.rows]
        place = np.arange(n_edges.max(initial=1))
        self.edge = place < n_edges[:, None]
        self.places = np.minimum(mixed.at[self.rows, None] + place, len(mixed.chances) - 1)
        self.open = np.zeros(self.places.shape, dtype=bool)
        for row, lot in enumerate(self.rows.tolist()):
            self.open[row, sorted(self.edges[int(mixed.board[lot]), int(mixed.node[lot])])] = True

    # --- chances -----------------------------------------------------------------------------------------------------

    def rest(self, limit: float = CONVERGED_GAIN) -> bool:
        """Sweep the moving boards until nothing changes by more than ``limit``; False where they do not converge."""
        solve = self.solve
        what = f"the shares of {solve.game}"
        return iterate_to_fixed_point(
            solve.values, self.moving, lambda: solve.sweep(self.groups), what, max(CONVERGED_GAIN, limit), CYCLE_SWEEPS
        )

    def find_indifference(self) -> bool:
        """Find chances at which no mover gains by deviating, else the least gain; False if other decisions change."""
        generator = np.random.default_rng(1)
        least_gain: tuple[float, Floats] | None = None
        for number in range(NEWTON_STARTS):
            if number:
                self._mix_open_edges(generator.random)
                if not self.rest():
                    return False
            if not self._newton(self._jacobian()):
                return False
            gain = self.gain
            if least_gain is None or gain < least_gain[0]:
                least_gain = gain, self.solve.decisions.chances.copy()
            if gain <= EQUILIBRIUM_GAIN:
                self.changed = {}
                return True
        assert least_gain is not None
        self.solve.decisions.chances[:] = least_gain[1]
        return self.rest()

    def rest_everywhere(self) -> bool:
        """Sweep all boards to rest, with the chances adapted to that; False where they do not come to rest."""
        jacobian = self.jacobian
        self.groups, self.moving = self.every, self.boards
        is_equilibrium = self.gain <= EQUILIBRIUM_GAIN
        return self.rest() and (not is_equilibrium or self._newton(jacobian))

    @property
    def gain(self) -> float:
        """The largest gain at a mixed decision by always taking its best edge."""
        return float(self.stage_game.gain.max(initial=0.0))

    @property
    def stage_game(self) -> PolymatrixGame:
        """The mixed decisions, a row each, as they are after a sweep."""
        mixed = self.solve.decisions
        return PolymatrixGame(
            np.where(self.open, mixed.chances[self.places], 0.0), mixed.edge_values[self.places], self.open
        )

    def _newton(self, jacobian: Floats) -> bool:
        """Newton steps until no mover gains by deviating, or no step helps any more.

        False where the boards do not rest, or where pure decisions change on the way, which ends it.
        """
        tolerance, ratio = JACOBIAN_TOLERANCE, 0.0
        for _ in range(MAX_NEWTON_STEPS):
            gains = self.stage_game.gain
            if gains.max(initial=0.0) <= CONVERGED_GAIN:
                break
            step_ratio = self._step(jacobian, gains)
            if step_ratio is None or (step_ratio > SLOW_STEP and not self.rest()):
                return False
            last_ratio, ratio = ratio, step_ratio
            if ratio > SLOW_STEP:
                if last_ratio > SLOW_STEP and self._open_changed_edges():  # they are on the way
                    return False
                if gains.max() <= EQUILIBRIUM_GAIN or last_ratio == ratio == 1.0:
                    break
                jacobian, tolerance = self._jacobian(tolerance), max(tolerance / 10, MIN_JACOBIAN_TOLERANCE)
        return True

    def _step(self, jacobian: Floats, gains: Floats) -> float | None:
        """Go to the equilibrium of the linearised game, or as far towards it as the gain falls.

        Returns the part of ``gains`` that is left, all decisions together; 1 where nothing helps, None where the boards
        do not rest any more.
        """
        mixed, places = self.solve.decisions, self.places[self.open]
        start, end = mixed.chances[places].copy(), self.stage_game.equilibrium(jacobian)[self.open]
        edges, self.changed = self._edges_taken(), {}
        for length in (1.0, 0.5, 0.25, 0.125, 0.0):
            mixed.chances[places] = start + length * (end - start)
            if not self.rest(REST_PER_GAIN * float(gains.max())):
                return None
            self._note_changes(edges)
            ratio = float(self.stage_game.gain.sum() / gains.sum())
            if ratio < 1 - length / 4:
                return ratio
        return 1.0

    def _jacobian(self, tolerance: float = JACOBIAN_TOLERANCE) -> Floats:
        """Derivatives of the open edges' action values by the chance of each, shape (open edges, open edges)."""
        solve, mixed = self.solve, self.solve.decisions
        at_rest, chances, worths = solve.values[self.moving], mixed.chances.copy(), mixed.edge_values.copy()
        action_values = self.stage_game.action_values[self.open]
        size = int(self.open.sum())
        row_of = np.nonzero(self.open)[0]
        now = chances[self.places[self.open]]
        jacobian = np.zeros((size, size))
        for row in range(len(self.rows)):
            here = np.flatnonzero(row_of == row)
            likeliest = here[np.argmax(now[here])]
            for edge in here[here != likeliest].tolist():
                mixed.chances[self.places[self.open][here]] = (1 - STEP_SIZE) * now[here] + STEP_SIZE * (here == edge)
                jacobian[:, edge] = self._effect_of_chance(action_values, tolerance) / STEP_SIZE
                solve.values[self.moving] = at_rest
                mixed.chances[:] = chances
            others = here[here != likeliest]
            jacobian[:, likeliest] = -(jacobian[:, others] @ now[others]) / now[likeliest]  # chances sum to 1
        mixed.edge_values[:] = worths
        self.jacobian = jacobian
        return jacobian

    def _effect_of_chance(self, action_values: Floats, tolerance: float) -> Floats:
        """Change of the open edges' action values after a few sweeps."""
        change = np.zeros_like(action_values)
        for number in range(MAX_JACOBIAN_SWEEPS):
            self.solve.sweep(self.groups)
            last, change = change, self.stage_game.action_values[self.open] - action_values
            if number >= MIN_JACOBIAN_SWEEPS and np.max(np.abs(change - last)) <= tolerance * np.max(np.abs(change)):
                break
        return change

    def open_better_edges(self) -> bool:
        """Open edges that are better than all open ones; True if there are any."""
        game, lots = self.stage_game, self.solve.decisions
        best = np.where(self.open, game.action_values, -np.inf).max(axis=1, keepdims=True)
        is_better = self.edge & ~self.open & (game.action_values > best + self.solve.tie)
        for row, edge in np.argwhere(is_better).tolist():
            self.changed.setdefault((int(lots.board[self.rows[row]]), int(lots.node[self.rows[row]])), set()).add(edge)
        return self._open_changed_edges()

    def remove_pure_decisions(self) -> None:
        """Make chances add up to exactly 1, and drop decisions that always take the one edge that is strictly best."""
        mixed = self.solve.decisions
        mixed.chances[self.places[self.open]] = (to_parts(self.stage_game.chances) / PARTS_PER_ONE)[self.open]
        game = self.stage_game
        values = np.where(self.edge, game.action_values, -np.inf)
        taken = np.argmax(game.chances, axis=1)
        rows = np.arange(len(taken))
        others = values.copy()
        others[rows, taken] = -np.inf
        is_pure = (game.chances[rows, taken] == 1) & (values[rows, taken] > others.max(axis=1) + 2 * self.solve.tie)
        strategy = mixed.strategy.rows
        pure_decisions = {(int(mixed.board[lot]), int(mixed.node[lot])) for lot in self.rows[is_pure]}
        is_mixed = [(int(board), int(node)) not in pure_decisions for board, node in strategy[:, :2].tolist()]
        self.solve.mixed = MixedStrategy(strategy[is_mixed])


def _normalised(weights: Floats) -> list[float]:
    """Weights divided by their sum."""
    shares: list[float] = (weights / weights.sum()).tolist()
    return shares


def _subgroup(group: Group, boards: Ints) -> Group:
    """The boards of a group that are among these."""
    is_inside = np.isin(group.boards, boards)
    codes = np.ascontiguousarray(group.codes[:, is_inside])
    return Group(group.backup, group.boards[is_inside], group.order[is_inside], codes, group.later_radius)
