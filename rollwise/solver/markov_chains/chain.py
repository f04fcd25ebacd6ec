"""Exact absorbing Markov chains over the boards of a game without decisions (Kemeny and Snell 1960).

A turn without choices is one distribution over its leaves, so the boards form a Markov reward chain. Two results are
rational numbers: the expected points still to come (a linear system), and the distribution of those points (a recursion
over totals, cut where the tail is proven to be small).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.strongly_connected import components_in_order
from rollwise.solver.exact.equations import Rational, can_reach, fraction, rational, solve
from rollwise.solver.markov_chains.longrun import expected_sums
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.limits import evict_oldest
from rollwise.solver.model.rounding import above
from rollwise.solver.turn.arrays import UNIT
from rollwise.solver.turn.graph import CHOICE, NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.transition_reader import TransitionColumns, TransitionReader
from rollwise.solver.turn.transitions import UsedFields

OVER = -1  # in the place of a board: the absorbing state, the game has ended
MAX_BOARDS = 20_000  # boards of a chain that are walked one by one
MAX_UNKNOWNS = 400  # boards of one rational linear system
MAX_TOTALS = 20_000  # totals of one distribution
MAX_TAIL = Fraction(1, 10**12)
MAX_MEMOIZED = 64  # results of recent calls

Result = TypeVar("Result")

Ints = NDArray[np.int64]
Target = tuple[int, Fraction]  # (next board or OVER, points of the step)
Steps = dict[Target, Fraction]  # chance of each step


@dataclass(frozen=True)
class Distribution:
    """Chances of whole-number totals: ``chances[i]`` is P(total = first + i), exactly.

    ``beyond`` is P(total >= ``end``), exactly too: 0 where nothing was cut off.
    """

    first: int
    chances: tuple[Fraction, ...]
    beyond: Fraction

    @property
    def end(self) -> int:
        """The first total whose own chance was not computed."""
        return self.first + len(self.chances)

    def chance(self, total: int) -> Fraction:
        """P(total), exactly; 0 past the cut, where only ``beyond`` is computed."""
        return self.chances[total - self.first] if self.first <= total < self.end else Fraction(0)

    def plus(self, points: int) -> Distribution:
        """The distribution shifted by points earned before."""
        return Distribution(self.first + points, self.chances, self.beyond)

    def plain(self) -> dict[str, Any]:
        """Plain data for answers: chances by total where they are not 0, and the tail where there is one."""
        value = {str(self.first + i): float(chance) for i, chance in enumerate(self.chances) if chance}
        return (
            {"value": value, "tail": {"from": self.end, "upper": above(self.beyond)}}
            if self.beyond
            else {"value": value}
        )


# --- the chain of a game -------------------------------------------------------------------------------------------


def collapse(graph: TurnGraph, root: int) -> list[tuple[int, Fraction]]:
    """(leaf, chance) pairs of a turn without choices, from the node ``root``; ModelError at a choice."""
    reached = {root: Fraction(1)}
    ahead = [-root]  # the highest node first: children have lower numbers
    while ahead and -ahead[0] >= graph.n_leaves:
        node = -heapq.heappop(ahead)
        chance = reached.pop(node)
        if graph.kind[node - graph.n_leaves] == CHOICE:
            raise ModelError("a turn with a choice is not one distribution over its results")
        total = int(graph.total[node - graph.n_leaves])
        for child, weight in graph.children(node):
            if child not in reached:
                reached[child] = Fraction(0)
                heapq.heappush(ahead, -child)
            reached[child] += chance * Fraction(weight, total)
    return sorted(reached.items())


def memoize(work: Callable[..., Result]) -> Callable[..., Result]:
    """``work(game, graph, ...)`` with a cache of its last results: many questions of one turn need the same."""
    results: dict[tuple[Any, ...], tuple[TurnGraph, Result]] = {}

    @wraps(work)
    def again(game: TurnGame, graph: TurnGraph, *rest: Any, **options: Any) -> Result:
        key = (game, id(graph), *rest, *options.items())  # the graph stays in memory, so no other has its id
        try:
            entry = results.get(key)
        except TypeError:  # a game with a list in it has no hash
            return work(game, graph, *rest, **options)
        if entry is None:  # another thread may drop it again at any time
            entry = graph, work(game, graph, *rest, **options)
            results[key] = entry
            evict_oldest(results, MAX_MEMOIZED)
        return entry[1]

    return again


def chain_from(
    game: TurnGame,
    graph: TurnGraph,
    boards: Iterable[int],
    stop: AbstractSet[int] = frozenset(),
    earlier: dict[int, Steps] | None = None,
) -> dict[int, Steps]:
    """Transitions of these boards and of all reachable from them, by board index; the walk stops at boards in ``stop``.

    Steps in ``earlier`` are taken from there, and new ones are added to it.

    Raises ModelError where a turn has choices or is cut, where the mover changes (the points of a chain belong to one
    player), or where play may go on for ever; TooLarge beyond MAX_BOARDS.
    """
    turns = [collapse(graph, int(root)) for root in graph.roots]
    reader = TransitionReader(game, graph, Constants(game.boards().size), uses=ONE_PLAYER_FIELDS)
    chain: dict[int, Steps] = {}
    ahead = set(boards)
    while ahead:
        if len(chain) + len(ahead) > MAX_BOARDS:
            raise TooLarge(f"{game} has more than {MAX_BOARDS} boards to walk one by one")
        new: dict[int, Steps] = {board: earlier[board] for board in ahead if board in earlier} if earlier else {}
        block = np.array(sorted(ahead - new.keys()), dtype=np.int64)
        columns = game.boards().columns(block)
        root_of = np.broadcast_to(np.asarray(game.root(columns)), len(block))
        for root in np.unique(root_of):
            new |= _steps(reader, turns[root], block[root_of == root])
        chain |= new
        if earlier is not None:
            earlier |= new
        ahead = {target for steps in new.values() for target, _ in steps} - chain.keys() - {OVER} - stop
    _require_absorption(game, chain, stop)
    return chain


ONE_PLAYER_FIELDS = UsedFields("a chain of one player's points", frozenset(("legal", "over", "won", "drawn", "reward")))


def _steps(reader: TransitionReader, turn: list[tuple[int, Fraction]], boards: Ints) -> dict[int, Steps]:
    block, graph = reader.block(boards), reader.graph
    steps_of: dict[int, Steps] = {int(board): {} for board in boards}
    for leaf_id, chance in turn:
        leaf = graph.leaves[leaf_id]
        if leaf.result == NO_RESULT:
            raise ModelError(f"{reader.game} cuts its turn, so its chain is not exact")
        reading = reader.read(leaf.result, block)
        illegal = ~(reading.column(reading.goes_on) | reading.column(reading.ended))
        if illegal.any():
            result, board = graph.results[leaf.result], reader.space.board(int(boards[illegal][0]))
            raise ModelError(f"{reader.game}: result {result} of {board} is illegal")
        for steps, target, points in zip(steps_of.values(), *_targets(reading), strict=True):
            step = (target, points + leaf.lower)
            steps[step] = steps.get(step, Fraction(0)) + chance
    return steps_of


def _targets(reading: TransitionColumns) -> tuple[list[int], list[Fraction]]:
    """The board that follows each board, or OVER, and the points of the step, in fractions."""
    goes_on, transition = reading.column(reading.goes_on), reading.effect
    columns = (transition.reward, transition.won, transition.drawn)
    reward, won, drawn = (np.broadcast_to(np.asarray(part, dtype=np.int64), reading.count) for part in columns)
    ending = np.where(goes_on, 0, 2 * won + drawn).tolist()
    points = [Fraction(x, transition.per) + Fraction(y, 2) for x, y in zip(reward.tolist(), ending, strict=True)]
    return np.where(goes_on, reading.following, OVER).tolist(), points


def transition_probabilities(chain: Mapping[int, Steps]) -> dict[int, dict[int, Fraction]]:
    """Transition probabilities between boards, the matrix Q of the chain; a row's missing mass to 1 ends the game."""
    matrix: dict[int, dict[int, Fraction]] = {board: {} for board in chain}
    for board, steps in chain.items():
        for (target, _), p in steps.items():
            if target != OVER:
                matrix[board][target] = matrix[board].get(target, 0) + p
    return matrix


def _require_absorption(game: TurnGame, chain: dict[int, Steps], stop: AbstractSet[int]) -> None:
    """Raise ModelError for a board that cannot reach an end or a stop; where all can, absorption is almost sure."""
    ends = can_reach({board: [target for target, _ in steps] for board, steps in chain.items()}, {OVER, *stop})
    for board in chain.keys() - ends:
        raise ModelError(f"{game} never ends from {game.boards().board(board)}")


# --- expected points -----------------------------------------------------------------------------------------------


@memoize
def expected_rewards(game: TurnGame, graph: TurnGraph) -> dict[int, Fraction]:
    """Expected points until absorption, exactly, by index of each possible board.

    One linear system over the rationals; raises TooLarge beyond MAX_UNKNOWNS boards, and as ``chain_from``.
    """
    space = game.boards()
    if space.size > MAX_BOARDS:
        raise TooLarge(f"{game} has {space.size} boards, an exact solve takes {MAX_UNKNOWNS}")
    possible = np.broadcast_to(game.possible(space.columns(np.arange(space.size))), space.size)
    chain = chain_from(game, graph, np.flatnonzero(possible).tolist())
    if len(chain) > MAX_UNKNOWNS:
        raise TooLarge(f"{game} has {len(chain)} boards, an exact solve takes {MAX_UNKNOWNS}")
    gains = {board: [sum((p * points for (_, points), p in chain[board].items()), Fraction(0))] for board in chain}
    return {board: mean for board, (mean,) in expected_sums(transition_probabilities(chain), gains).items()}


# --- the distribution of points ------------------------------------------------------------------------------------


@memoize
def reward_distribution(
    game: TurnGame, graph: TurnGraph, start: int, tail: Fraction | float = MAX_TAIL
) -> Distribution:
    """Exact distribution of the points still to come from the board ``start``, cut once at most ``tail`` lies beyond.

    With G_b(s) = P(s points still to come from board b), each step (chance p, points r, next board c) adds
    p G_c(s - r) to G_b(s): totals are taken upwards, and within a total boards in an order in which steps without
    points lead to boards that are done. Raises ModelError for points that are not whole numbers >= 0, and as
    ``chain_from``; TooLarge beyond MAX_TOTALS.
    """
    from flint import fmpq

    chain = chain_from(game, graph, [start])
    for steps in chain.values():
        for _, points in steps:
            if points < 0 or points.denominator != 1:
                raise ModelError(f"{game} gives {points} points in a step, not a whole number of 0 or more")
    rows = [
        (board, [(target, int(points), rational(p)) for (target, points), p in steps.items()])
        for board, steps in _points_first(chain)
    ]
    ways: dict[int, list[Any]] = {board: [] for board, _ in rows}
    ways[OVER] = [fmpq(1)]
    limit, tail_mass, total = rational(Fraction(tail)), fmpq(1), 0
    while tail_mass > limit:
        if total >= MAX_TOTALS:
            raise TooLarge(f"{game} can earn more than {MAX_TOTALS} points with a chance above {float(tail)}")
        for board, ahead in rows:
            terms = (p * ways[to][total - points] for to, points, p in ahead if 0 <= total - points < len(ways[to]))
            ways[board].append(sum(terms, fmpq(0)))
        tail_mass -= ways[start][total]
        total += 1
    return Distribution(0, tuple(map(fraction, ways[start])), fraction(tail_mass))


def _points_first(chain: dict[int, Steps]) -> list[tuple[int, Steps]]:
    """Boards in an order in which steps without points lead to earlier boards of the list.

    Cycles of such steps are eliminated: their boards get the steps that leave the cycle in the end.
    """
    free = {board: {t: p for (t, points), p in steps.items() if points == 0} for board, steps in chain.items()}
    ordered: list[tuple[int, Steps]] = []
    for group in components_in_order(free):
        if len(group) == 1 and group[0] not in free[group[0]]:
            ordered.append((group[0], chain[group[0]]))
        else:
            ordered += _eliminate_cycle(group, chain)
    return ordered


def _eliminate_cycle(group: list[int], chain: dict[int, Steps]) -> Iterator[tuple[int, Steps]]:
    """Boards of a cycle without points, each with the steps by which play leaves the cycle, by a linear system."""
    inside: dict[int, dict[int, Rational]] = {board: {} for board in group}
    leaving: dict[int, dict[Target, Rational]] = {board: {} for board in group}
    for board in group:
        for (target, points), p in chain[board].items():
            if points == 0 and target in inside:
                inside[board][target] = rational(p)
            else:
                leaving[board][target, points] = rational(p)
    ways = list({step: None for steps in leaving.values() for step in steps})
    nothing = rational(0)
    solved = solve(inside, {board: [leaving[board].get(step, nothing) for step in ways] for board in group})
    for board in group:
        yield board, {step: fraction(p) for step, p in zip(ways, solved[board], strict=True) if p}


def expected_visits(chain: Mapping[int, Steps], start: int) -> dict[int, Fraction]:
    """Expected number of visits by board (by index) of a game that starts on ``start``, which counts as one.

    ``chain`` comes from ``solver.markov_chains.chain.chain_from``. Boards at which its walk stopped are counted too.
    """
    back: dict[int, dict[int, Fraction]] = {board: {} for board in chain}  # by board, with the chance
    for board, following in transition_probabilities(chain).items():
        for target, p in following.items():
            back.setdefault(target, {})[board] = p
    return {
        board: n for board, (n,) in expected_sums(back, {board: [Fraction(board == start)] for board in back}).items()
    }


def turns_to_end(chain: Mapping[int, Steps], start: int, tail: float = 1e-12) -> dict[int, Fraction]:
    """Lower bounds of the chance of each number of turns until the game ends, by the forward pass.

    What they lack to 1 is longer games, rounding, and games that come to a board at which ``chain`` stopped.
    """
    boards = {board: place for place, board in enumerate(chain)}
    moves = [(boards[board], target, float(p)) for board, steps in chain.items() for (target, _), p in steps.items()]
    source, target, chance = (np.array(column) for column in zip(*moves, strict=True))
    over, on = target == OVER, np.isin(target, list(boards))
    following = np.array([boards[board] for board in target[on].tolist()], dtype=np.int64)
    fan_in = int(np.bincount(following, minlength=1).max(initial=0))
    now: Any = np.zeros(len(boards))
    now[boards[start]] = 1.0
    chances: dict[int, Fraction] = {}
    turn = 0
    while now.sum() > tail:
        turn += 1
        flow = now[source] * chance
        rounding = 1 - turn * (fan_in + len(moves) + 8) * UNIT  # a lower bound of the relative rounding of the sums
        chances[turn] = Fraction(float(flow[over].sum()) * rounding)
        now = np.bincount(following, flow[on], len(boards))
    return chances
