"""One turn with hidden dice, and where it leads from every board, as arrays.

A turn is a throw that only the mover sees, a *call* (the mover's move), and a *reply* (the other player's, who has
heard the call and seen nothing); then it ends. ``read_stage`` takes that from the game's own words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.components.strongly_connected import components
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Decision, End, Goto, Node, NodeKey, TurnGame
from rollwise.solver.turn.graph import TurnGraph
from rollwise.solver.turn.perspective import ROOM, Constants, leaf_values, packed, read
from rollwise.solver.turn.transition_reader import TransitionReader, Uses

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NONE = -1
AT_ONCE = 2048  # boards whose turns are laid out together
USES = Uses("a duel with hidden dice", frozenset(("over", "won", "drawn", "reward")), seats=2)


@dataclass(frozen=True)
class Stage:
    """The turn from every root.

    ``weights``: int64, shape (throws,), in how many ways each throw falls, and ``throws`` the states that they lead to,
    by root; ``calls`` and ``replies``: the names of all there are, in the game's own order. ``leaf``: int64, shape
    (roots, throws, calls, replies), where a turn ends, NONE where the call or the reply is not allowed.
    """

    weights: Ints
    throws: tuple[tuple[NodeKey, ...], ...]
    calls: tuple[str, ...]
    replies: tuple[str, ...]
    leaf: Ints

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Which replies there are to which call, shape (roots, calls, replies)."""
        found: NDArray[np.bool_] = self.leaf[:, 0] != NONE
        return found

    @property
    def chances(self) -> Floats:
        """How likely each throw is, float64, shape (throws,)."""
        found: Floats = self.weights / self.weights.sum()
        return found


def read_stage(game: TurnGame, graph: TurnGraph) -> Stage:
    """The turn as arrays; raises ModelError where it is no throw, call and reply."""
    roots = [_throw(game, root) for root in game.roots()]
    weights = [weight for weight, _ in roots[0].outcomes]
    listed = [[_calls(game, after) for _, after in throw.outcomes] for throw in roots]
    calls = _in_order(game, [list(seen) for of_root in listed for seen in of_root])
    replies = _in_order(game, [list(heard) for of_root in listed for seen in of_root for heard in seen.values()])
    leaf = np.full((len(roots), len(weights), len(calls), len(replies)), NONE, dtype=np.int64)
    for i, (throw, of_root) in enumerate(zip(roots, listed, strict=True)):
        if [weight for weight, _ in throw.outcomes] != weights:
            raise ModelError(f"the dice of {game} do not fall alike in all turns")
        for j, seen in enumerate(of_root):
            for call, heard in seen.items():
                for reply, end in heard.items():
                    leaf[i, j, calls.index(call), replies.index(reply)] = graph.leaf_of[
                        end.result, Fraction(end.reward)
                    ]
        if ((leaf[i] == NONE) != (leaf[i, :1] == NONE)).any():
            raise ModelError(f"what may be called or replied in {game} tells something of the hidden dice")
    throws = tuple(tuple(_state(game, after) for _, after in throw.outcomes) for throw in roots)
    return Stage(np.array(weights, dtype=np.int64), throws, tuple(calls), tuple(replies), leaf)


def _throw(game: TurnGame, root: NodeKey) -> Chance:
    word = game.turn(*root)
    while isinstance(word, Decision) and len(word.moves) == 1:  # a throw that must be made
        word = word.moves[0][1]
    if not isinstance(word, Chance):
        raise ModelError(f"a turn of {game} with hidden dice begins with a throw, not with {word!r}")
    return word


def _state(game: TurnGame, word: Node) -> NodeKey:
    if not isinstance(word, Goto):
        raise ModelError(f"a throw of {game} leads to a state of its own, not to {word!r}")
    return word.state


def _calls(game: TurnGame, word: Node) -> dict[str, dict[str, End]]:
    """What can be called after a throw, and what each reply to it comes to."""
    found: dict[str, dict[str, End]] = {}
    for call, after in _choice(game, word).items():
        found[call] = {}
        for reply, end in _choice(game, after).items():
            if not isinstance(end, End):
                raise ModelError(f"a turn of {game} ends with the reply, not with {end!r}")
            found[call][reply] = end
    return found


def _choice(game: TurnGame, word: Node) -> dict[str, Node]:
    while isinstance(word, Goto):
        word = game.turn(*word.state)
    if not isinstance(word, Decision) or not word.moves or any(name is None for name, _ in word.moves):
        raise ModelError(f"after a throw of {game} there is a call, and then a reply, not {word!r}")
    return {str(name): after for name, after in word.moves}


def _in_order(game: TurnGame, lists: list[list[str]]) -> list[str]:
    """All names, in an order that agrees with every list: the longest one's, which has to have all of them."""
    longest = max(lists, key=len)
    for names in lists:
        if [name for name in longest if name in names] != names:
            raise ModelError(f"{game} lists its moves in different orders: {names} and {longest}")
    return longest


@dataclass(frozen=True)
class LaidBoards:
    """A game on all of its boards, an entry of each array a board that can be.

    ``boards``: int64, shape (boards,), by index; ``root``: the root of each; ``place``: of every board of the space its
    entry here, NONE for those that cannot be. ``codes``: int32, shape (leaves, boards), where a leaf of the turn leads
    (as ``solver.turn.perspective`` says it, with entries for boards); NONE where the board's turn has no such leaf.
    ``shares``: what each ending is worth, shape (seats, endings).
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
        """How many boards can be."""
        return len(self.boards)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """Which replies there are to which call, shape (boards, calls, replies)."""
        return self.stage.legal[self.root]

    @cached_property
    def leads(self) -> NDArray[np.int32]:
        """The codes by board, throw, call and reply; NONE where these are not allowed."""
        found = np.full((self.n, *self.stage.leaf.shape[1:]), NONE, dtype=np.int32)
        for at, leaf in enumerate(self.stage.leaf):
            here = np.flatnonzero(self.root == at)
            found[here] = np.where(leaf == NONE, NONE, self.codes[:, here].T[:, leaf])
        return found

    def read(self, codes: NDArray[np.int32]) -> tuple[Ints, Ints]:
        """The entries that codes lead to, from ``n`` on those of endings; and how many seats the turn passes on."""
        return read(codes.astype(np.int64), self.bits)

    def payoffs(self, values: Floats, some: Ints) -> Floats:
        """What a duel's turn is worth to the mover of each of ``some`` boards when boards are worth ``values``.

        Shape (some, throws, calls, replies), nan where that is illegal.
        """
        known, codes = np.concatenate([values, self.shares[0]]), self.leads[some]
        return np.where(codes == NONE, np.nan, leaf_values(codes, known, known, 1.0))

    def edges(self) -> tuple[Ints, Ints]:
        """Which boards lead to which."""
        follows, _ = self.read(self.codes)
        on = (follows >= 0) & (follows < self.n)
        source = np.broadcast_to(np.arange(self.n), on.shape)[on]
        pairs = np.unique(source * self.n + follows[on])
        return pairs // self.n, pairs % self.n

    def in_order(self) -> Iterator[tuple[Ints, bool]]:
        """Boards after all that they lead to, and whether they lead to one another."""
        component, rank, coupled = components(self.n, *self.edges())
        for at in range(int(rank.max(initial=-1)) + 1):
            here = np.flatnonzero(rank == at)
            alone, together = here[~coupled[here]], here[coupled[here]]
            yield from ((alone[i : i + AT_ONCE], False) for i in range(0, len(alone), AT_ONCE))
            yield from ((together[component[together] == one], True) for one in np.unique(component[together]))


def reachable(n: int, source: Ints, target: Ints, start: Any) -> Ints:
    """All of ``n`` boards that play may come to from one or some, these too, ascending; edges say what leads where."""
    found, new = np.zeros((2, n), dtype=bool)
    new[start] = True
    while new.any():
        found |= new
        ahead = np.zeros(n, dtype=bool)
        ahead[target[new[source]]] = True
        new = ahead & ~found
    return np.flatnonzero(found)


def table_uses(players: int) -> Uses:
    """A table with hidden dice ends in shares."""
    return Uses("a table with hidden dice", frozenset(("over", "shares")), seats=players, n_shares=players)


def lay_out(game: TurnGame, graph: TurnGraph, boards: Ints, players: int = 2) -> LaidBoards:
    """A game on these boards (by index), which have to be all that their turns lead to."""
    if players == 2 and (game.total != 1 or game.sense != "max"):
        raise ModelError(f"{game} has hidden dice, so it is played for the chance to win")
    stage, space = read_stage(game, graph), game.boards()
    root = np.array(np.broadcast_to(np.asarray(game.root(space.columns(boards)), dtype=np.int64), len(boards)))
    constants = Constants(space.size, (players - 1).bit_length())
    settler = TransitionReader(game, graph, constants, uses=USES if players == 2 else table_uses(players))
    entry = np.full(space.size + ROOM, NONE, dtype=np.int64)  # of boards, and of endings behind them
    entry[boards], entry[space.size :] = np.arange(len(boards)), len(boards) + np.arange(ROOM)
    codes = np.full((graph.n_leaves, len(boards)), NONE, dtype=np.int32)
    for at in np.unique(root).tolist():
        here, used = np.flatnonzero(root == at), np.unique(stage.leaf[at][stage.leaf[at] != NONE])
        moves = settler.transitions(used, boards[here])
        if len(moves.rewards):
            raise ModelError(f"{game} has hidden dice, and points on the way to a win")
        following, passes = read(moves.codes, constants.bits)
        if (entry[following] == NONE).any():
            raise ModelError(f"a turn of {game} leads off the boards that can be")
        codes[np.ix_(used, here)] = packed(entry[following], passes, constants.bits)
    shares = np.full((players, len(constants.place)), np.nan)
    for worth, at in constants.place.items():
        if not isinstance(worth, str):
            shares[:, at] = np.array((worth, 1 - worth) if players == 2 else worth, dtype=np.float64)
    return LaidBoards(game, stage, constants.bits, boards, root, entry[: space.size], codes, shares)
