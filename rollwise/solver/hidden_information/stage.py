"""One turn with hidden dice, and its transitions from every board, as arrays.

A turn is a throw that only the mover sees, a *call* (the mover's move), and a *reply* (of the other player, who has the
call as only information); then it ends. ``read_stage`` reads that from the game's own nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.strongly_connected import ranked_components
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Decision, End, Goto, Node, NodeKey, TurnGame
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import MAX_CONSTANTS, Constants, leaf_values, pack_codes, unpack_codes
from rollwise.solver.turn.transition_reader import TransitionReader
from rollwise.solver.turn.transitions import UsedFields

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NONE = -1
BLOCK_BOARDS = 2048  # boards whose turns are laid out together
DUEL_FIELDS = UsedFields("a duel with hidden dice", frozenset(("over", "won", "drawn", "reward")), seats=2)


@dataclass(frozen=True)
class Stage:
    """The turn from every root.

    ``weights``: int64, shape (throws,), the number of ways of each throw, and ``throws`` the states that they lead to,
    by root; ``calls`` and ``replies``: all names, in the game's own order. ``leaf``: int64, shape (roots, throws,
    calls, replies), the leaf of the turn, NONE where the call or the reply is illegal.
    """

    weights: Ints
    throws: tuple[tuple[NodeKey, ...], ...]
    calls: tuple[str, ...]
    replies: tuple[str, ...]
    leaf: Ints

    @property
    def legal(self) -> NDArray[np.bool_]:
        """True for the legal replies to each call, shape (roots, calls, replies)."""
        is_legal: NDArray[np.bool_] = self.leaf[:, 0] != NONE
        return is_legal

    @property
    def chances(self) -> Floats:
        """Chance of each throw, float64, shape (throws,)."""
        chances_of_throws: Floats = self.weights / self.weights.sum()
        return chances_of_throws


def read_stage(game: TurnGame, graph: TurnGraph) -> Stage:
    """The turn as arrays; raises ModelError for a turn other than throw, call and reply."""
    roots = [_first_throw(game, root) for root in game.roots()]
    weights = [weight for weight, _ in roots[0].outcomes]
    listed = [[_calls(game, after) for _, after in throw.outcomes] for throw in roots]
    calls = _merge(game, [list(of_throw) for of_root in listed for of_throw in of_root])
    replies = _merge(game, [list(ends) for of_root in listed for of_throw in of_root for ends in of_throw.values()])
    leaf = np.full((len(roots), len(weights), len(calls), len(replies)), NONE, dtype=np.int64)
    for i, (throw, of_root) in enumerate(zip(roots, listed, strict=True)):
        if [weight for weight, _ in throw.outcomes] != weights:
            raise ModelError(f"the dice of {game} do not fall alike in all turns")
        for j, of_throw in enumerate(of_root):
            for call, ends in of_throw.items():
                for reply, end in ends.items():
                    leaf[i, j, calls.index(call), replies.index(reply)] = graph.leaf_of[
                        end.result, Fraction(end.reward)
                    ]
        if ((leaf[i] == NONE) != (leaf[i, :1] == NONE)).any():
            raise ModelError(f"what may be called or replied in {game} tells something of the hidden dice")
    throws = tuple(tuple(_state(game, after) for _, after in throw.outcomes) for throw in roots)
    return Stage(np.array(weights, dtype=np.int64), throws, tuple(calls), tuple(replies), leaf)


def _first_throw(game: TurnGame, root: NodeKey) -> Chance:
    node = game.turn(*root)
    while isinstance(node, Decision) and len(node.moves) == 1:  # a throw that must be made
        node = node.moves[0][1]
    if not isinstance(node, Chance):
        raise ModelError(f"a turn of {game} with hidden dice begins with a throw, not with {node!r}")
    return node


def _state(game: TurnGame, node: Node) -> NodeKey:
    if not isinstance(node, Goto):
        raise ModelError(f"a throw of {game} leads to a state of its own, not to {node!r}")
    return node.state


def _calls(game: TurnGame, node: Node) -> dict[str, dict[str, End]]:
    """Calls after a throw, with the end after each reply."""
    by_call: dict[str, dict[str, End]] = {}
    for call, after in _named_moves(game, node).items():
        by_call[call] = {}
        for reply, end in _named_moves(game, after).items():
            if not isinstance(end, End):
                raise ModelError(f"a turn of {game} ends with the reply, not with {end!r}")
            by_call[call][reply] = end
    return by_call


def _named_moves(game: TurnGame, node: Node) -> dict[str, Node]:
    while isinstance(node, Goto):
        node = game.turn(*node.state)
    if not isinstance(node, Decision) or not node.moves or any(name is None for name, _ in node.moves):
        raise ModelError(f"after a throw of {game} there is a call, and then a reply, not {node!r}")
    return {str(name): after for name, after in node.moves}


def _merge(game: TurnGame, lists: list[list[str]]) -> list[str]:
    """All names, in an order that agrees with every list: that of the longest one, which must have all of them."""
    longest = max(lists, key=len)
    for names in lists:
        if [name for name in longest if name in names] != names:
            raise ModelError(f"{game} lists its moves in different orders: {names} and {longest}")
    return longest


@dataclass(frozen=True)
class LaidBoards:
    """A game on all of its possible boards, one entry of each array a board.

    ``boards``: int64, shape (boards,), by index; ``root``: the root of each; ``place``: of every board of the space its
    entry here, NONE for impossible ones. ``codes``: int32, shape (leaves, boards), the successor of each leaf of the
    turn (encoded as in ``solver.turn.perspective``, with entries for boards); NONE where the board's turn has no such
    leaf. ``shares``: the value of each ending, shape (seats, endings).
    """

    game: TurnGame
    stage: Stage
    bits: int
    boards: Ints
    root: Ints
    place: Ints
    codes: NDArray[np.int32]
    shares: Floats

    @property
    def n(self) -> int:
        """Number of possible boards."""
        return len(self.boards)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """True for the legal replies to each call, shape (boards, calls, replies)."""
        return self.stage.legal[self.root]

    @cached_property
    def leads(self) -> NDArray[np.int32]:
        """The codes by board, throw, call and reply; NONE where these are illegal."""
        codes = np.full((self.n, *self.stage.leaf.shape[1:]), NONE, dtype=np.int32)
        for at, leaf in enumerate(self.stage.leaf):
            here = np.flatnonzero(self.root == at)
            codes[here] = np.where(leaf == NONE, NONE, self.codes[:, here].T[:, leaf])
        return codes

    def unpack_codes(self, codes: NDArray[np.int32]) -> tuple[Ints, Ints]:
        """The entries that codes lead to, from ``n`` on those of endings; and the seats by which the turn passes on."""
        return unpack_codes(codes.astype(np.int64), self.bits)

    def payoffs(self, values: Floats, some: Ints) -> Floats:
        """Payoffs of a duel's turn to the mover of each of ``some`` boards, given the ``values`` of boards.

        Shape (some, throws, calls, replies), nan where the move is illegal.
        """
        values_and_endings, codes = np.concatenate([values, self.shares[0]]), self.leads[some]
        return np.where(codes == NONE, np.nan, leaf_values(codes, values_and_endings, values_and_endings, 1.0))

    def edges(self) -> tuple[Ints, Ints]:
        """Edges between boards, as sources and targets."""
        follows, _ = self.unpack_codes(self.codes)
        on = (follows >= 0) & (follows < self.n)
        source = np.broadcast_to(np.arange(self.n), on.shape)[on]
        pairs = np.unique(source * self.n + follows[on])
        return pairs // self.n, pairs % self.n

    def topological_blocks(self) -> Iterator[tuple[Ints, bool]]:
        """Boards in topological order of components, last level first; True with boards that lead to one another."""
        component, rank, coupled = ranked_components(self.n, *self.edges())
        for at in range(int(rank.max(initial=-1)) + 1):
            here = np.flatnonzero(rank == at)
            alone, together = here[~coupled[here]], here[coupled[here]]
            yield from ((alone[i : i + BLOCK_BOARDS], False) for i in range(0, len(alone), BLOCK_BOARDS))
            yield from ((together[component[together] == one], True) for one in np.unique(component[together]))


def reachable(n: int, source: Ints, target: Ints, start: Any) -> Ints:
    """All of ``n`` boards reachable along edges from one or some ``start`` boards, these too, ascending."""
    reached, new = np.zeros((2, n), dtype=bool)
    new[start] = True
    while new.any():
        reached |= new
        ahead = np.zeros(n, dtype=bool)
        ahead[target[new[source]]] = True
        new = ahead & ~reached
    return np.flatnonzero(reached)


def table_uses(players: int) -> UsedFields:
    """Fields of ``Transition`` at a table with hidden dice, which ends in shares."""
    return UsedFields("a table with hidden dice", frozenset(("over", "shares")), seats=players, n_shares=players)


def lay_out_boards(game: TurnGame, graph: TurnGraph, boards: Ints, players: int = 2) -> LaidBoards:
    """A game on these boards (by index), which have to be all that their turns lead to."""
    if players == 2 and (game.total != 1 or game.sense != "max"):
        raise ModelError(f"{game} has hidden dice, so it is played for the chance to win")
    stage, space = read_stage(game, graph), game.boards()
    root = np.array(np.broadcast_to(np.asarray(game.root(space.columns(boards)), dtype=np.int64), len(boards)))
    constants = Constants(space.size, (players - 1).bit_length())
    reader = TransitionReader(game, graph, constants, uses=DUEL_FIELDS if players == 2 else table_uses(players))
    entry = np.full(space.size + MAX_CONSTANTS, NONE, dtype=np.int64)  # of boards, and of endings behind them
    entry[boards], entry[space.size :] = np.arange(len(boards)), len(boards) + np.arange(MAX_CONSTANTS)
    codes = np.full((graph.n_leaves, len(boards)), NONE, dtype=np.int32)
    for at in np.unique(root).tolist():
        here, used = np.flatnonzero(root == at), np.unique(stage.leaf[at][stage.leaf[at] != NONE])
        moves = reader.transitions(used, boards[here])
        if len(moves.rewards):
            raise ModelError(f"{game} has hidden dice, and points on the way to a win")
        following, passes = unpack_codes(moves.codes, constants.bits)
        if (entry[following] == NONE).any():
            raise ModelError(f"a turn of {game} leads off the boards that can be")
        codes[np.ix_(used, here)] = pack_codes(entry[following], passes, constants.bits)
    shares = np.full((players, len(constants.place)), np.nan)
    for value, at in constants.place.items():
        if not isinstance(value, str):
            shares[:, at] = np.array((value, 1 - value) if players == 2 else value, dtype=np.float64)
    return LaidBoards(game, stage, constants.bits, boards, root, entry[: space.size], codes, shares)
