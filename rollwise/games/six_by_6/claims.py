"""Six By 6: the sample round roll by roll, the extremes, and whether there is a strategy."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np

from rollwise.games.claims.replay import ReplayPosition, moves, parse_steps, positions, replay, turn_game
from rollwise.solver.model.dice import throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Decision, Goto, Node, TurnGame
from rollwise.solver.turn.graph import NO_RESULT, compile_turn
from rollwise.solver.turn.query import LOWER, UPPER, Turns
from rollwise.solver.values.board_solver import BoardSolver

DICE = 6
RACK = 36  # points of six posted dice


# --- examples ------------------------------------------------------------------------------------------------------


def special_rolls() -> tuple[Fraction, ...]:
    """Points of the three kinds of special rolls when they are posted, and rack; one point pays for the roll."""
    game, rolls = turn_game("six-by-6"), ("222222", "123456", "12345")
    racks = [replay(game, {"carry": 1, "posted": DICE - len(dice)}, parse_steps(dice)) for dice in rolls]
    return tuple(rack.points - 1 - RACK for rack in racks)


def two_dice_that_end() -> str:
    """Rolls of the last two dice that add up to 8 and, without carry, end the round."""
    game = turn_game("six-by-6")
    eights = [dice for dice, _ in throws(2) if sum(dice) == 8]
    ending = [dice for dice in eights if replay(game, {"carry": 0, "posted": 4}, [(dice, None)]).over]
    return ", ".join("-".join(map(str, dice)) for dice in ending)


def sample_round() -> tuple[Fraction, ...]:
    """The carry after every roll of the sample round; the last one must rack."""
    steps = parse_steps("121334, 246655, 4351, 6444, 236, 11, 65, 4, 2, 5, 3, 1, 6")
    _, *rounds, last = positions(turn_game("six-by-6"), {}, steps)
    if not last.over:
        raise ModelError("the sample round does not end with its last roll")
    return (*(after.points for after in rounds), last.points - RACK)


# --- extremes ------------------------------------------------------------------------------------------------------


@cache
def endings(game: TurnGame) -> frozenset[tuple[int, int]]:
    """(dice posted, score) of every way in which one roll can end a round, from any reachable position."""
    graph, space = compile_turn(game), game.boards()
    boards = np.arange(space.size)
    boards = boards[game.possible(space.columns(boards))]
    root_of = game.root(space.columns(boards))
    results: set[tuple[int, int]] = set()
    for root, used in enumerate(graph.root_leaves):
        columns = space.columns(boards[root_of == root])
        for leaf in (graph.leaves[place] for place in np.flatnonzero(used)):
            if leaf.result != NO_RESULT:
                transition = game.transition(columns, graph.results[leaf.result])
                assert transition.next is not None
                ended = np.stack([transition.next["posted"], columns.carry + transition.reward])[:, transition.over]
                results |= {(int(posted), int(points)) for posted, points in ended.T}
    return frozenset(results)


def extreme(posting: str, of: str, racks: bool | None = None, most: bool = False) -> Fraction:
    """Lowest or highest ``score``, or number of dice ``posted``, at the end of rounds, all or some."""
    ended = [both for both in endings(turn_game("six-by-6", posting=posting)) if racks in (None, both[0] == DICE)]
    return Fraction((max if most else min)(both[of == "score"] for both in ended))


def chance_of_scores(low: int, high: int | None = None) -> Fraction:
    """P(a score from ``low`` to ``high``), to twelve digits."""
    game = turn_game("six-by-6")
    chances = game.quantities(compile_turn(game), {})["score_distribution"].value
    total = sum(chances[points] for points in chances if low <= int(points) <= (high or int(points)))
    return Fraction(f"{total:.12g}")


# --- strategy ------------------------------------------------------------------------------------------------------


def rolls_with_a_choice(posting: str) -> Fraction:
    """Number of different rolls that leave a decision."""
    game = turn_game("six-by-6", posting=posting)
    choices_of_rolls = [
        moves(game, ReplayPosition({"posted": posted, "carry": 1}, Goto(posted, dice), Fraction(0)))
        for posted in range(DICE)
        for dice, _ in throws(DICE - posted)
    ]
    return Fraction(sum(len(names) > 1 for names in choices_of_rolls))


def choices(game: TurnGame, posted: int) -> Iterator[tuple[Node, Node]]:
    """Nodes after posting and after going on, for each roll with so many dice posted that leaves the decision."""
    for dice, _ in throws(DICE - posted):
        node = game.turn(posted, dice)
        if isinstance(node, Decision) and len(node.moves) == 2:
            yield node.moves[0][1], node.moves[1][1]


def going_on_may_be_better() -> Fraction:
    """Number of positions in which going on is not proven worse than posting."""
    game = turn_game("six-by-6", posting="free")
    graph, space = compile_turn(game), game.boards()
    solved = BoardSolver(game, graph).solve()
    wrong = 0
    for root, state in enumerate(game.roots()):
        if not isinstance(game.turn(*state), Chance) or not any(choices(game, state[0])):
            continue
        boards = np.flatnonzero(game.root(space.columns(np.arange(space.size))) == root)
        turns = Turns(game, graph, boards, lambda index: (solved.values[index], solved.radius[index].astype(float)))
        for post, go_on in choices(game, state[0]):
            wrong += int((turns.value_of(go_on)[:, UPPER] >= turns.value_of(post)[:, LOWER]).sum())
    return Fraction(wrong)
