"""The walker: goes through a whole game once and says where its file breaks the rules for game files.

It looks at what the words themselves cannot show: that chances of dice add up, that moves are spelt as they are parsed,
that every result of every board leads somewhere, that nobody is left without a move, that levels never fall, that
questions and positions fit together, that fields belong to what they say, that a board is called reachable where play
comes to it, and that the turn is the same once it was kept: the turn walked through is the one that comes back from
plain data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import ModelError, TooLarge
from rollwise.solver.model.fields import check_same_field
from rollwise.solver.model.game import Chance, Decision, End, Node, NodeKey, Transition, TurnGame
from rollwise.solver.model.moves import parse_move
from rollwise.solver.turn.graph import (
    ARRAYS,
    CHANCE,
    NO_RESULT,
    TurnGraph,
    compile_turn,
    from_plain,
    same_type,
    states_successors_first,
    to_plain,
)

Ints = NDArray[np.int64]
MOST_BOARDS = 200_000
QUESTIONS = 300  # positions whose questions are turned back into positions
BOARDS, STATES = 40, 200  # on so many boards, and in so many states of a turn, fields are looked at
TOLD = 100  # boards that play comes to, and as many others, of which a game is asked whether it does


@dataclass(frozen=True)
class Report:
    """What was found: boards that the game says are possible, those that play from the start reaches, and the turn.

    ``n_unsaid``: of some boards that no play reaches, how many the game cannot tell from others.
    """

    game: str
    n_boards: int
    n_reachable: int
    n_unsaid: int
    n_states: int
    n_nodes: int
    n_edges: int


def walk(game: TurnGame, seed: int = 0) -> Report:
    """Check a whole game; raises ModelError, naming the state, at the first mistake, TooLarge past 200,000 boards."""
    space = game.boards()
    columns = space.columns(np.arange(space.size))
    possible = np.broadcast_to(game.possible(columns), space.size)
    if possible.sum() > MOST_BOARDS:
        raise TooLarge(f"{game} has {possible.sum()} boards; walk a smaller one, up to {MOST_BOARDS}")
    turn = cache(game.turn)
    states = [dict(states_successors_first(turn, [tuple(root)])) for root in game.roots()]
    for state, word in {state: word for of_root in states for state, word in of_root.items()}.items():
        require_sound_node(word, state)
    compiled = compile_turn(game)
    graph = from_plain(*to_plain(compiled))
    _require_same_turn(game, compiled, graph)
    levels = game.level(columns)
    level = np.broadcast_to(0 if levels is None else np.asarray(levels, dtype=np.int64), space.size)
    roots = np.broadcast_to(game.root(columns), space.size)
    leads: list[tuple[Ints, Ints]] = []
    for root in np.unique(roots[possible]):
        boards = np.flatnonzero(possible & (roots == root))
        legal, following = _settled(game, graph, int(root), boards)
        _require_possible(game, boards, following, possible)
        _require_levels(game, boards, following, level)
        _require_moves(game, graph, int(root), boards, legal)
        rows, lanes = np.nonzero(following >= 0)
        leads.append((boards[lanes], following[rows, lanes]))
    reachable = _reachable(space.index_of(**game.first_board()), leads, space.size)
    n_unsaid = _require_told(game, possible, reachable, seed)
    asked = [[state for state, word in of_root.items() if not isinstance(word, End)] for of_root in states]
    _require_questions(game, np.flatnonzero(reachable & possible), roots, asked, seed)
    if kind_of(game).has_decisions:
        _require_belonging(game, np.flatnonzero(reachable & possible), roots, asked, seed)
    n_states = len(graph.state_hash)
    return Report(
        str(game), int(possible.sum()), int(reachable.sum()), n_unsaid, n_states, graph.n_nodes, graph.n_edges
    )


def require_sound_node(word: Node, state: NodeKey) -> None:
    """The weights of every throw add up to a power of six, and a move is spelt as it is parsed, at every depth."""
    if isinstance(word, Chance):
        total = sum(weight for weight, _ in word.outcomes)
        while total > 1 and total % 6 == 0:
            total //= 6
        if total != 1:
            ways = sum(weight for weight, _ in word.outcomes)
            raise ModelError(f"turn state {state} throws dice that can fall in {ways} ways, no power of 6")
        inside = [after for _, after in word.outcomes]
    elif isinstance(word, Decision):
        inside = [after for _, after in word.moves]
        for name, _ in word.moves:
            if name is not None and str(parse_move(name)) != name:
                raise ModelError(f"the move {name!r} of {state} is read as {parse_move(name)}")
    else:
        return
    for after in inside:
        require_sound_node(after, state)


def _require_same_turn(game: TurnGame, made: TurnGraph, kept: TurnGraph) -> None:
    """A turn read back from plain data has the same results, by type at every depth, and is the same graph."""
    for result, again in zip(made.results, kept.results, strict=True):
        if not same_type(result, again):
            raise ModelError(f"the result {result!r} of {game} comes back from the cache as {again!r}")
    arrays = all(np.array_equal(getattr(made, name), getattr(kept, name)) for name in ARRAYS)
    if not arrays or (made.leaves, made.terms) != (kept.leaves, kept.terms):
        raise ModelError(f"the turn of {game} comes back from the cache as another one")


def _settled(game: TurnGame, graph: TurnGraph, root: int, boards: Ints) -> tuple[NDArray[np.bool_], Ints]:
    """Which leaves are legal, bool, and which boards they lead to (-1: none), both of shape (leaves, boards)."""
    columns, uses = game.boards().columns(boards), kind_of(game).uses(game)
    legal = np.zeros((graph.n_leaves, len(boards)), dtype=bool)
    following = np.full((graph.n_leaves, len(boards)), -1, dtype=np.int64)
    for row in np.flatnonzero(graph.root_leaves[root]):
        leaf = graph.leaves[row]
        if leaf.result == NO_RESULT:
            legal[row] = True
            continue
        result = graph.results[leaf.result]
        said: Transition = game.transition(columns, result)
        uses.require(game, said, result)
        legal[row] = said.legal
        over = np.asarray(said.over) | np.asarray(said.won) | np.asarray(said.drawn)
        goes_on = np.broadcast_to(legal[row] & ~over.astype(bool), len(boards))
        if goes_on.any():
            ahead = np.full(len(boards), -1) if said.next is None else game.boards().index(said.next, len(boards))
            _require_on_board(game, boards[goes_on & (ahead < 0)], result)
            following[row, goes_on] = ahead[goes_on]
    return legal, following


def _require_on_board(game: TurnGame, lost: Ints, result: Any) -> None:
    if len(lost):
        raise ModelError(f"result {result} of {_name(game, lost[0])} leads off the boards")


def _require_possible(game: TurnGame, boards: Ints, following: Ints, possible: NDArray[np.bool_]) -> None:
    wrong = (following >= 0) & ~possible[following]
    if wrong.any():
        row, lane = np.argwhere(wrong)[0]
        source, target = _name(game, boards[lane]), _name(game, following[row, lane])
        raise ModelError(f"{source} leads to {target}, which the game says cannot be")


def _require_levels(game: TurnGame, boards: Ints, following: Ints, level: Any) -> None:
    least = level[boards] + (0 if game.cyclic else 1)
    wrong = (following >= 0) & (level[following] < least)
    if wrong.any():
        row, lane = np.argwhere(wrong)[0]
        source, target = _name(game, boards[lane]), _name(game, following[row, lane])
        raise ModelError(f"{source} leads to {target}, whose level comes no later")


def _require_moves(game: TurnGame, graph: TurnGraph, root: int, boards: Ints, legal: NDArray[np.bool_]) -> None:
    """Somebody can always move: no board is stuck, and no throw has outcomes of which only some can be played."""
    able = np.zeros((graph.n_nodes, len(boards)), dtype=bool)
    able[: graph.n_leaves] = legal
    used = graph.reachable(int(graph.roots[root]))
    for kind, first, end in graph.segments.tolist():
        i, j = first - graph.n_leaves, end - graph.n_leaves
        children = able[graph.child[int(graph.start[i]) : int(graph.start[j])]]
        starts = graph.start[i:j] - graph.start[i]
        some = np.logical_or.reduceat(children, starts, axis=0)
        able[first:end] = some if kind != CHANCE else np.logical_and.reduceat(children, starts, axis=0)
        if kind == CHANCE:
            mixed = (some != able[first:end]) & used[first:end, None]
            if mixed.any():
                _, lane = np.argwhere(mixed)[0]
                raise ModelError(f"on {_name(game, boards[lane])} a throw can leave the mover without a move")
    stuck = ~able[graph.roots[root]]
    if stuck.any():
        raise ModelError(f"{_name(game, boards[stuck][0])} has no legal move")


def _reachable(start: int, leads: list[tuple[Ints, Ints]], size: int) -> NDArray[np.bool_]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    source = np.concatenate([pair[0] for pair in leads])
    target = np.concatenate([pair[1] for pair in leads])
    edges = csr_array((np.ones(len(source), dtype=np.int8), (source, target)), shape=(size, size))
    reachable = np.zeros(size, dtype=bool)
    reachable[breadth_first_order(edges, start, return_predecessors=False)] = True
    return reachable


def _require_told(game: TurnGame, possible: Any, reachable: NDArray[np.bool_], seed: int) -> int:
    """Where a game says that play comes to a board, or does not, it is so: some of both are asked about.

    Returns of how many of those that play does not come to the game cannot tell.
    """
    if type(game).reachable is TurnGame.reachable:
        return 0
    unsaid = 0
    for is_so in (True, False):
        boards = np.flatnonzero(possible & (reachable == is_so))
        for board in np.random.default_rng(seed).permutation(boards)[:TOLD].tolist():
            told = game.reachable(game.boards().board(board))
            if told not in (None, is_so):
                raise ModelError(f"{_name(game, board)} is reachable: {is_so}, and is said to be so: {told}")
            unsaid += told is None and not is_so
    return unsaid


def _require_questions(game: TurnGame, boards: Ints, roots: Any, states: list[list[NodeKey]], seed: int) -> None:
    """What ``describe`` says, ``locate`` understands: a sample of positions comes back from its own question."""
    fields = {field.name: field for field in game.fields()}
    draw = np.random.default_rng(seed)
    for _ in range(QUESTIONS):
        board = int(draw.choice(boards))
        of_root = states[int(roots[board])]
        if not of_root:  # all is settled at once: there is nothing to ask
            continue
        state = of_root[int(draw.integers(len(of_root)))]
        named = game.boards().board(board)
        for question in game.describe(named, state):
            parsed = {name: fields[name].parse(value) for name, value in question.items() if value is not None}
            position = game.locate(**parsed)
            if (dict(position.board), position.state) != (named, state):
                raise ModelError(
                    f"{named}, {state} is described as {question}, which is {position.board}, {position.state}"
                )


def _require_belonging(game: TurnGame, boards: Ints, roots: Any, states: list[list[NodeKey]], seed: int) -> None:
    """Fields are of the board, or of the turn, as they say: some boards, each with some states of the turn there."""
    fields, of_turn = game.fields(), dict[tuple[int, NodeKey, int], Any]()
    for board in np.random.default_rng(seed).permutation(boards)[:BOARDS].tolist():
        root, named, of_board = int(roots[board]), game.boards().board(board), None
        for state in [*states[root][:: len(states[root]) // STATES + 1], *game.answers(tuple(game.roots()[root]))]:
            for number, question in enumerate(game.describe(named, state)):
                of_board = of_board or question
                check_same_field(game, "board", fields, of_board, question)
                check_same_field(game, "turn", fields, of_turn.setdefault((root, state, number), question), question)


def _name(game: TurnGame, board: Any) -> str:
    return str(game.boards().board(int(board)))
