"""Tables on many boards where the best moves chase each other: chances that leave nobody better off elsewhere."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.solver.model.game import Boards, Chance, Columns, Decision, End, Node, Transition, TurnGame, parameter
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.vectors import MixedStrategy
from rollwise.solver.values.mixed_strategies import PolymatrixGame
from rollwise.solver.values.table import TableSolve, solve_table
from tests.solver.plain import thorough
from tests.toys.seats import RACES, potato_by_hand, refuted

PARTS = 100


@dataclass(frozen=True)
class Potatoes(TurnGame):
    """Potatoes of several kinds, a board each: take it, or hand it on; it may burst, which costs who handed it on.

    Of kind k it is worth 32 + k in a hundred to take it. With ``turns`` it is handed on as the next kind.
    """

    name, kind, measure, unit = "potatoes", "table", "win", "probability"

    players: int = parameter(3, "seats", low=3, high=3)
    kinds: int = parameter(10, "kinds", low=1, high=10)
    turns: bool = parameter(False, "handed on it is of the next kind")

    def boards(self) -> Boards:
        return Boards(kind=self.kinds)

    def turn(self) -> Node:
        return Decision([("take", End("take")), ("hand on", Chance([(1, End("burst")), (9, End("on"))]))])

    def transition(self, board: Columns, result: Any) -> Transition:
        if result == "on":
            following = (board.kind + 1) % self.kinds if self.turns else board.kind
            return Transition(next={"kind": following}, mover=1)
        taken = 32 + board.kind
        shares = [taken, 1 + 0 * taken, 99 - taken] if result == "take" else [0 * taken, 50 + 0 * taken, 50 + 0 * taken]
        return Transition(over=True, shares=np.array(shares), per=PARTS)


@dataclass(frozen=True)
class Tangle(TurnGame):
    """On every board three moves, each with shares and a next board at random: where moves chase each other is luck."""

    name, kind, measure, unit = "tangle", "table", "win", "probability"

    players: int = parameter(3, "seats", low=3, high=4)
    seed: int = parameter(0, "of the numbers", low=0, high=10_000)
    size: int = parameter(6, "boards", low=1, high=100)

    def boards(self) -> Boards:
        return Boards(at=self.size)

    def turn(self) -> Node:
        return Decision([(name, Chance([(1, End((m, "over"))), (4, End((m, "on")))])) for m, name in enumerate("abc")])

    def transition(self, board: Columns, result: Any) -> Transition:
        move, how = result
        numbers = np.random.default_rng(self.seed)
        following = numbers.integers(0, self.size, (self.size, 3))
        cuts = np.sort(numbers.integers(0, PARTS + 1, (self.size, 3, self.players - 1)), axis=-1)
        if how == "on":
            return Transition(next={"at": following[board.at, move]}, mover=1)
        shares = np.diff(cuts[board.at, move], axis=-1, prepend=0, append=PARTS)
        return Transition(over=True, shares=shares.T, per=PARTS)


@pytest.mark.parametrize("compiled", [False, True])
def test_each_of_many_boards_is_drawn_by_its_own_known_mix(compiled: bool) -> None:
    g = Potatoes()
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled)
    rows = solved.mixed.rows
    for kind in range(g.kinds):
        take, shares = potato_by_hand((32 + kind) / PARTS)
        assert 0.04 < take < 0.7
        assert solved.values[kind] == pytest.approx(shares, abs=1e-11)
        mine = rows[rows[:, 0] == kind]
        assert mine[:, 2].tolist() == [0, 1]
        assert mine[:, 3] == pytest.approx([take, 1 - take], abs=1e-10)
    assert solved.gain < 1e-12
    assert solved.gain_limit < 1e-9
    assert solved.responses is None
    assert refuted(g, graph, solved) is None


@pytest.mark.parametrize("compiled", [False, True])
def test_drawn_boards_that_lead_in_a_ring_are_an_equilibrium(compiled: bool) -> None:
    """Each potato's chances hang on those of the next three kinds, so no step of one alone finds them."""
    g = Potatoes(kinds=5, turns=True)
    graph = compile_turn(g)
    solved = solve_table(g, graph, compiled=compiled)
    chances = solved.mixed.rows[:, 3]
    assert len(set(solved.mixed.rows[:, 0])) == 5
    assert ((chances > 0.05) & (chances < 0.95)).all()
    assert solved.gain_limit < 1e-9
    assert refuted(g, graph, solved) is None


@pytest.mark.parametrize("g", [Potatoes(), Potatoes(kinds=5, turns=True), Tangle(seed=8, size=12), RACES[0]], ids=str)
def test_several_lots_on_one_board_are_drawn_in_their_nodes_compiled_as_by_numpy(g: TurnGame) -> None:
    graph, numbers = compile_turn(g), np.random.default_rng(2)
    plain, fast = (TableSolve(g, graph, compiled=compiled) for compiled in (False, True))
    boards = np.flatnonzero(plain.level_of >= 0)
    rows = []
    for board in boards[::2].tolist():
        for node in plain.backups[plain.root_of[board]].decided.tolist():
            chance = numbers.random()
            rows += [(board, node, 0, chance), (board, node, 1, 1 - chance)]
    assert len(rows) >= len(boards[::2])
    found = []
    for solve in (plain, fast):
        solve.mixed = MixedStrategy(np.array(rows))
        with solve.worker_pool():
            groups = list(solve.groups(boards))
            solve.write_endings()
            solve.values[boards] = 1 / 3
            for _ in range(3):
                solve.sweep(groups)
            both = [np.concatenate(each[:2], axis=1) for each in solve.respond(groups, solve.values)]
            taken = [group.backup.edges_taken(solve, group)[np.argsort(group.backup.decided)] for group in groups]
        found.append((np.concatenate(both), taken[0], solve.decisions.edge_values.copy(), solve.values.copy()))
    for one, other in zip(*found, strict=True):
        assert one == pytest.approx(other, abs=1e-14, nan_ok=True)
    assert found[0][2].any()


TANGLES = [(3, 6, 2), (3, 28, 3), (4, 16, 2)]
LARGER = [(3, 15, 2), (3, 13, 6), (3, 25, 6), (3, 1, 12), (3, 5, 12), (3, 8, 12)]


@pytest.mark.parametrize(("players", "seed", "size"), [*TANGLES, *thorough(*LARGER)])
def test_tangled_moves_come_to_an_equilibrium_of_drawn_decisions(players: int, seed: int, size: int) -> None:
    g = Tangle(players, seed, size)
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    assert len(solved.mixed.rows)
    assert ((solved.mixed.rows[:, 3] > 0) & (solved.mixed.rows[:, 3] < 1)).all()
    assert solved.gain_limit < 1e-11
    assert "no equilibrium" not in solved.method
    assert solved.responses is None
    assert refuted(g, graph, solved) is None


class Stages(Potatoes):
    """When a potato has burst there is another one, and that is the last."""

    def boards(self) -> Boards:
        return Boards(stage=2, kind=self.kinds)

    def level(self, board: Columns) -> Any:
        return board.stage

    def transition(self, board: Columns, result: Any) -> Transition:
        found = super().transition(board, result)
        first = (board.stage == 0) & (result == "burst")
        following = {"stage": np.where(first, 1, board.stage), "kind": board.kind}
        return replace(found, over=np.array(result != "on") & ~first, next=following, mover=1)


def test_a_solve_that_stops_before_a_chase_goes_on_with_the_lots_of_the_one_before() -> None:
    g = Stages(kinds=4)
    graph = compile_turn(g)
    whole = solve_table(g, graph)
    stage = whole.mixed.rows[:, 0] // g.kinds
    assert {0, 1} == set(stage.tolist())
    solve = TableSolve(g, graph)
    kept: list[Any] = []

    def save() -> None:
        arrays, state = solve.checkpoint()
        kept.append(({name: np.array(array) for name, array in arrays.items()}, json.loads(json.dumps(state))))

    with solve.worker_pool():
        boards, report, _ = next(solve.by_level(lambda share: None))
        solve.solve_level(boards, report)
        solve.done_level = 1
        save()
    arrays, state = kept[0]
    assert len(arrays["mixed"]) == (stage == 1).sum()
    again = TableSolve(g, graph)
    assert again.fits(arrays, state)
    again.resume(arrays, state)
    found = again.run(lambda share: None, lambda: None)
    assert np.array_equal(found.values, whole.values)
    assert np.array_equal(found.mixed.rows, whole.mixed.rows)
    assert (found.gain, found.gain_limit) == (whole.gain, whole.gain_limit)
    assert refuted(g, graph, found) is None


@pytest.mark.parametrize("row", [7, *thorough((0,), (13,))])
def test_a_changed_chance_on_any_board_is_refuted(row: int) -> None:
    g = Potatoes()
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    pair = [row - row % 2, row - row % 2 + 1]
    solved.mixed.rows[pair, 3] += [2**-20, -(2**-20)]
    assert "too small" in (refuted(g, graph, solved) or "")


@pytest.mark.parametrize("spoilt", [1e-6, "last bit", np.nan, np.inf, -1.0], ids=str)
def test_what_is_no_chance_is_refuted_be_it_but_for_the_last_bit(spoilt: Any) -> None:
    g = Potatoes(kinds=2)
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    chances = solved.mixed.rows[:, 3]
    assert [Fraction(one) + Fraction(other) for one, other in chances.reshape(-1, 2)] == [1, 1]
    assert refuted(g, graph, solved) is None
    chances[0] = np.nextafter(chances[0], 0) if spoilt == "last bit" else chances[0] + spoilt
    assert "no chances of moves" in (refuted(g, graph, solved) or "")


def test_where_newtons_steps_find_no_equilibrium_the_policy_and_what_leaving_it_gains_are_certified() -> None:
    g = Tangle(4, 9, 2)
    graph = compile_turn(g)
    solved = solve_table(g, graph)
    assert "no equilibrium" in solved.method
    assert solved.responses is not None
    assert 1e-3 < solved.gain <= solved.gain_limit < 1e-2
    assert np.nanmax(solved.radius) < 1e-9
    assert refuted(g, graph, solved) is None


# --- the small game of chances ---------------------------------------------------------------------------------------


def balanced(worths: list[list[float]], slopes: list[list[float]], closed: Any = ()) -> list[list[float]]:
    rows = np.array(worths)
    is_open = np.isfinite(rows)
    for at in closed:
        is_open[at] = False
    chances = is_open / is_open.sum(axis=1, keepdims=True)
    found: list[list[float]] = PolymatrixGame(chances, rows, is_open).equilibrium(np.array(slopes)).tolist()
    return found


def test_matching_pennies_are_tossed() -> None:
    slopes = np.zeros((4, 4))
    slopes[:2, 2:] = [[3, -1], [-1, 1]]
    slopes[2:, :2] = [[-3, 1], [1, -1]]
    start = np.array([[0.5, 0.5], [0.5, 0.5]])
    worths = np.array([slopes[:2, 2:] @ start[1], slopes[2:, :2] @ start[0]])
    assert balanced(worths.tolist(), slopes.tolist()) == pytest.approx(np.array([[1 / 3, 2 / 3], [1 / 3, 2 / 3]]))


def test_three_decisions_that_chase_each_other_in_a_ring_are_tossed() -> None:
    """Steps towards what is better would lead away from this."""
    slopes = np.zeros((6, 6))
    for at in range(3):
        other = (at + 1) % 3
        slopes[2 * at : 2 * at + 2, 2 * other : 2 * other + 2] = [[-1, 1], [1, -1]]
    assert balanced([[0.0, 0.0]] * 3, slopes.tolist()) == pytest.approx(np.full((3, 2), 0.5))


def test_rock_paper_scissors_leaves_a_closed_edge_alone() -> None:
    beats = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    slopes = np.zeros((6, 6))
    slopes[:3, 3:], slopes[3:, :3] = beats, beats
    worths = [[0.0, 0.0, 9.0, 0.0], [0.0, 0.0, 0.0, -np.inf]]
    found = balanced(worths, slopes.tolist(), closed=[(0, 2)])
    assert found == pytest.approx(np.array([[1 / 3, 1 / 3, 0, 1 / 3], [1 / 3, 1 / 3, 1 / 3, 0]]))


def test_what_is_better_whatever_the_others_do_is_always_taken() -> None:
    assert balanced([[0.0, 1.0], [2.0, 0.0]], np.full((4, 4), 0.1).tolist()) == [[0.0, 1.0], [1.0, 0.0]]
