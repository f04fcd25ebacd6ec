"""Games without decisions: exact chains over boards.

A turn without choices is one distribution over its leaves, so the boards form an absorbing chain whose steps earn
points. Two questions are answered in rational numbers: the expected points still to come (a linear system), and the
distribution of those points (a recursion over totals, cut where what lies beyond is proven to be small).
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

from rollwise.solver.components.strongly_connected import in_order
from rollwise.solver.exact.equations import Rational, fraction, rational, reaching, solve
from rollwise.solver.markov_chains.longrun import totals
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.memory import keep_newest
from rollwise.solver.model.rounding import above
from rollwise.solver.turn.graph import CHOICE, NO_RESULT, TurnGraph
from rollwise.solver.turn.perspective import Constants
from rollwise.solver.turn.transition_reader import TransitionColumns, TransitionReader, Uses

OVER = -1  # in the place of a board: the game has ended
MOST_BOARDS = 20_000  # boards of a chain that are walked one by one
MOST_UNKNOWNS = 400  # boards of one rational linear system
MOST_TOTALS = 20_000  # totals of one distribution
TAIL = Fraction(1, 10**12)
MOST_REMEMBERED = 64  # distributions and means of the turns asked last

Found = TypeVar("Found")

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
        """P(this total), exactly; 0 past the cut, where only ``beyond`` is known."""
        return self.chances[total - self.first] if self.first <= total < self.end else Fraction(0)

    def plus(self, points: int) -> Distribution:
        """The same with points that were made before."""
        return Distribution(self.first + points, self.chances, self.beyond)

    def plain(self) -> dict[str, Any]:
        """As it is shown: chances by total, those of 0 left out, and the tail where there is one."""
        value = {str(self.first + i): float(chance) for i, chance in enumerate(self.chances) if chance}
        return (
            {"value": value, "tail": {"from": self.end, "upper": above(self.beyond)}}
            if self.beyond
            else {"value": value}
        )


# --- the chain of a game -------------------------------------------------------------------------------------------


def collapse(graph: TurnGraph, root: int) -> list[tuple[int, Fraction]]:
    """(leaf, chance) pairs of a turn without choices, from the node ``root``; ModelError where somebody chooses."""
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


def remembered(work: Callable[..., Found]) -> Callable[..., Found]:
    """``work(game, graph, ...)`` done once for the graphs asked last: many questions of one turn want the same."""
    known: dict[tuple[Any, ...], tuple[TurnGraph, Found]] = {}

    @wraps(work)
    def again(game: TurnGame, graph: TurnGraph, *rest: Any, **how: Any) -> Found:
        key = (game, id(graph), *rest, *how.items())  # the graph is kept, so no other has its id
        try:
            found = known.get(key)
        except TypeError:  # a game with a list in it has no hash
            return work(game, graph, *rest, **how)
        if found is None:  # another thread may drop it again at any time
            found = graph, work(game, graph, *rest, **how)
            known[key] = found
            keep_newest(known, MOST_REMEMBERED)
        return found[1]

    return again


def chain_from(
    game: TurnGame,
    graph: TurnGraph,
    boards: Iterable[int],
    stop: AbstractSet[int] = frozenset(),
    known: dict[int, Steps] | None = None,
) -> dict[int, Steps]:
    """The steps of these boards and of all that they lead to, by board index; boards in ``stop`` are walked no further.

    Steps that are ``known`` from an earlier chain are taken from there, and those that are new are added.

    Raises ModelError where a turn has choices or is cut, where the mover changes (the points of a chain belong to one
    player), or where play may go on for ever; TooLarge beyond MOST_BOARDS.
    """
    turns = [collapse(graph, int(root)) for root in graph.roots]
    settler = TransitionReader(game, graph, Constants(game.boards().size), uses=ALONE)
    found: dict[int, Steps] = {}
    ahead = set(boards)
    while ahead:
        if len(found) + len(ahead) > MOST_BOARDS:
            raise TooLarge(f"{game} has more than {MOST_BOARDS} boards to walk one by one")
        new: dict[int, Steps] = {board: known[board] for board in ahead if board in known} if known else {}
        block = np.array(sorted(ahead - new.keys()), dtype=np.int64)
        columns = game.boards().columns(block)
        root_of = np.broadcast_to(np.asarray(game.root(columns)), len(block))
        for root in np.unique(root_of):
            new |= _steps(settler, turns[root], block[root_of == root])
        found |= new
        if known is not None:
            known |= new
        ahead = {target for steps in new.values() for target, _ in steps} - found.keys() - {OVER} - stop
    _require_end(game, found, stop)
    return found


ALONE = Uses("a chain of one player's points", frozenset(("legal", "over", "won", "drawn", "reward")))


def _steps(settler: TransitionReader, turn: list[tuple[int, Fraction]], boards: Ints) -> dict[int, Steps]:
    block, graph = settler.block(boards), settler.graph
    found: dict[int, Steps] = {int(board): {} for board in boards}
    for leaf_id, chance in turn:
        leaf = graph.leaves[leaf_id]
        if leaf.result == NO_RESULT:
            raise ModelError(f"{settler.game} cuts its turn, so its chain is not exact")
        reading = settler.read(leaf.result, block)
        lost = ~(reading.column(reading.goes_on) | reading.column(reading.ended))
        if lost.any():
            result, board = graph.results[leaf.result], settler.space.board(int(boards[lost][0]))
            raise ModelError(f"{settler.game}: result {result} of {board} is illegal")
        for steps, target, points in zip(found.values(), *_targets(reading), strict=True):
            step = (target, points + leaf.lower)
            steps[step] = steps.get(step, Fraction(0)) + chance
    return found


def _targets(reading: TransitionColumns) -> tuple[list[int], list[Fraction]]:
    """The board that follows each board, or OVER, and what comes to it, in fractions."""
    goes_on, said = reading.column(reading.goes_on), reading.said
    columns = (said.reward, said.won, said.drawn)
    reward, won, drawn = (np.broadcast_to(np.asarray(part, dtype=np.int64), reading.count) for part in columns)
    ending = np.where(goes_on, 0, 2 * won + drawn).tolist()
    points = [Fraction(x, said.per) + Fraction(y, 2) for x, y in zip(reward.tolist(), ending, strict=True)]
    return np.where(goes_on, reading.following, OVER).tolist(), points


def onward(chain: Mapping[int, Steps]) -> dict[int, dict[int, Fraction]]:
    """The chance of each next board, by board: what is missing to 1 ends the game."""
    found: dict[int, dict[int, Fraction]] = {board: {} for board in chain}
    for board, steps in chain.items():
        for (target, _), p in steps.items():
            if target != OVER:
                found[board][target] = found[board].get(target, 0) + p
    return found


def _require_end(game: TurnGame, chain: dict[int, Steps], stop: AbstractSet[int]) -> None:
    """Every board can come to the end of the game, or to where the walk stops; then it does so with certainty."""
    ends = reaching({board: [target for target, _ in steps] for board, steps in chain.items()}, {OVER, *stop})
    for board in chain.keys() - ends:
        raise ModelError(f"{game} never ends from {game.boards().board(board)}")


# --- expected points -----------------------------------------------------------------------------------------------


@remembered
def absorption(game: TurnGame, graph: TurnGraph) -> dict[int, Fraction]:
    """Expected points still to come, exactly, by index of each board that can occur.

    One linear system over the rationals; raises TooLarge beyond MOST_UNKNOWNS boards, and as ``chain_from``.
    """
    space = game.boards()
    if space.size > MOST_BOARDS:
        raise TooLarge(f"{game} has {space.size} boards, an exact solve takes {MOST_UNKNOWNS}")
    possible = np.broadcast_to(game.possible(space.columns(np.arange(space.size))), space.size)
    chain = chain_from(game, graph, np.flatnonzero(possible).tolist())
    if len(chain) > MOST_UNKNOWNS:
        raise TooLarge(f"{game} has {len(chain)} boards, an exact solve takes {MOST_UNKNOWNS}")
    gains = {board: [sum((p * points for (_, points), p in chain[board].items()), Fraction(0))] for board in chain}
    return {board: mean for board, (mean,) in totals(onward(chain), gains).items()}


# --- the distribution of points ------------------------------------------------------------------------------------


@remembered
def reward_distribution(game: TurnGame, graph: TurnGraph, start: int, tail: Fraction | float = TAIL) -> Distribution:
    """The points still to come from the board ``start``: exact chances, cut once at most ``tail`` lies beyond.

    With G_b(s) = P(s points still to come from board b), each step (chance p, points r, next board c) adds
    p G_c(s - r) to G_b(s): totals are taken upwards, and within a total boards in an order in which steps without
    points lead to boards that are done. Raises ModelError for points that are not whole numbers >= 0, and as
    ``chain_from``; TooLarge beyond MOST_TOTALS.
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
    limit, left, total = rational(Fraction(tail)), fmpq(1), 0
    while left > limit:
        if total >= MOST_TOTALS:
            raise TooLarge(f"{game} can earn more than {MOST_TOTALS} points with a chance above {float(tail)}")
        for board, ahead in rows:
            terms = (p * ways[to][total - points] for to, points, p in ahead if 0 <= total - points < len(ways[to]))
            ways[board].append(sum(terms, fmpq(0)))
        left -= ways[start][total]
        total += 1
    return Distribution(0, tuple(map(fraction, ways[start])), fraction(left))


def _points_first(chain: dict[int, Steps]) -> list[tuple[int, Steps]]:
    """Boards in an order in which steps without points lead back in the list.

    Where such steps go round, they are followed to the end: to the step with points, or to a board further back, that
    comes after them.
    """
    free = {board: {t: p for (t, points), p in steps.items() if points == 0} for board, steps in chain.items()}
    found: list[tuple[int, Steps]] = []
    for group in in_order(free):
        if len(group) == 1 and group[0] not in free[group[0]]:
            found.append((group[0], chain[group[0]]))
        else:
            found += _round_and_out(group, chain)
    return found


def _round_and_out(group: list[int], chain: dict[int, Steps]) -> Iterator[tuple[int, Steps]]:
    """Boards that lead to each other without points, with the steps that leave them in the end."""
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
