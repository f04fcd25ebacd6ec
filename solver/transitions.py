"""Where each leaf of a turn leads from each board: the game's ``settle``, called once a result, as codes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.duel import ILLEGAL, Constants
from solver.errors import ModelError
from solver.graph import NO_RESULT, TurnGraph
from solver.model import Boards, Settled, TurnGame

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Transitions:
    """``codes``: int32, shape (leaves, boards), see ``solver.duel``; ``rewards``: float64, so shaped or no rows.

    Where all rewards are the turn's own, ``rewards`` has one column in memory, which every board reads. ``distinct``
    are rows of ``codes`` that hold all there are (None: each row for itself): leaves of one result lead to one board.
    """

    codes: Codes
    rewards: NDArray[np.float64]
    distinct: NDArray[np.int64] | None = None

    def of(self, columns: slice | NDArray[Any]) -> Transitions:
        """The same for some of the boards."""
        codes = np.ascontiguousarray(self.codes[:, columns])
        return Transitions(codes, self._rewards_of(columns, codes.shape), self.distinct)

    def _rewards_of(self, columns: slice | NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
        if not len(self.rewards):
            return self.rewards
        if self.rewards.strides[1] == 0 and shape[1] > 1:
            return np.broadcast_to(self.rewards[:, :1], shape)
        return np.ascontiguousarray(self.rewards[:, columns])

    def leads(self) -> Codes:
        """Codes of every result, each once, shape (results, boards)."""
        return self.codes if self.distinct is None else self.codes[self.distinct]


class Settler:
    """Settles blocks of boards of one game."""

    def __init__(self, game: TurnGame, graph: TurnGraph, constants: Constants) -> None:
        self.game = game
        self.graph = graph
        self.space: Boards = game.boards()
        self.constants = constants
        self.sizes = [1.0]  # of rewards and finished games' worths: the largest of each block (threads append)

    @property
    def largest(self) -> float:
        """No reward and no finished game's worth met so far is larger in size."""
        return max(self.sizes)

    def transitions(self, leaves: NDArray[np.int64], boards: NDArray[np.int64]) -> Transitions:
        """Codes and rewards of these leaves from these boards."""
        columns = self.space.columns(boards)
        codes = np.empty((len(leaves), len(boards)), dtype=np.int32)
        own = np.zeros((len(leaves), 1))
        of_board: dict[int, NDArray[np.float64]] = {}  # rewards that the board adds, by row
        first: dict[int, int] = {}  # the row that a result was settled in
        distinct: list[int] = []
        for row, leaf_id in enumerate(leaves):
            leaf = self.graph.leaves[leaf_id]
            if leaf.result == NO_RESULT:
                distinct.append(row)
                codes[row] = self.constants.code((leaf.lower, leaf.upper))
                self._note_size(float(max(abs(leaf.lower), abs(leaf.upper))))
                continue
            own[row] = float(leaf.lower)
            if leaf.result in first:
                codes[row] = codes[first[leaf.result]]
                reward = of_board.get(first[leaf.result])
            else:
                first[leaf.result] = row
                distinct.append(row)
                result = self.graph.results[leaf.result]
                reward = self._coded(self.game.settle(columns, result), boards, result, codes[row])
            if reward is not None:
                of_board[row] = reward
        return Transitions(codes, self._rewards(own, of_board, codes.shape), np.array(distinct, dtype=np.int64))

    def _rewards(
        self, own: NDArray[np.float64], of_board: dict[int, NDArray[np.float64]], shape: tuple[int, ...]
    ) -> NDArray[np.float64]:
        """The turn's own rewards, shape (leaves, 1), and those of the boards together; no rows where all are 0."""
        if not of_board and not own.any():
            return np.zeros((0, shape[1]))
        rewards: NDArray[np.float64] = np.broadcast_to(own, shape) if shape[1] > 1 else own
        if of_board:
            rewards = rewards.copy()
            for row, reward in of_board.items():
                rewards[row] += reward
        self._note_size(float(np.max(np.abs(rewards if of_board else own))))
        return rewards

    def _note_size(self, size: float) -> None:
        if size > self.largest:
            self.sizes.append(size)

    def _coded(self, said: Settled, boards: NDArray[np.int64], result: Any, codes: Codes) -> NDArray[np.float64] | None:
        """Fill a row of codes; returns the rewards, or None where there are none."""
        count = len(boards)
        over = _either(said.over, _either(said.won, said.drawn))
        goes_on = _both(said.legal, _not(over))
        if goes_on is False:
            codes[:] = self.constants.code(ILLEGAL)
        else:
            following = self._following(said, boards, result, goes_on)
            mover = said.mover if isinstance(said.mover, bool) else np.asarray(said.mover, dtype=np.int64)
            np.copyto(codes, 2 * following + mover, casting="unsafe")
            if goes_on is not True:
                codes[~goes_on] = self.constants.code(ILLEGAL)
        ended = _both(said.legal, over)
        if ended is not False:
            self._code_ended(said, np.broadcast_to(ended, count), codes)
        reward = said.reward
        if goes_on is False or (np.isscalar(reward) and reward == 0):
            return None
        kept = np.asarray(reward) if goes_on is True else np.where(goes_on, reward, 0)
        return kept / said.per if kept.any() else None

    def _following(self, said: Settled, boards: NDArray[np.int64], result: Any, goes_on: Any) -> NDArray[np.int64]:
        """The next board of each board that goes on (anything elsewhere)."""
        count = len(boards)
        if said.next is None:
            first = boards[np.broadcast_to(goes_on, count)]
            if len(first):
                raise ModelError(f"ModelError: result {result} of {self._name(first[0])} leads nowhere")
            return np.zeros(count, dtype=np.int64)
        following = self.space.index(said.next, count)
        lost = (following < 0) & goes_on
        if lost.any():
            raise ModelError(f"ModelError: result {result} of {self._name(boards[lost][0])} leads off the boards")
        return following

    def _code_ended(self, said: Settled, ended: NDArray[np.bool_], codes: Codes) -> None:
        """Codes of finished games, by what they are worth."""
        if not ended.any():
            return
        per = 2 * said.per
        worth = (
            2 * np.asarray(said.reward, dtype=np.int64) + per * np.asarray(said.won) + said.per * np.asarray(said.drawn)
        )
        if isinstance(said.reward, int):  # at most three different worths: lost, drawn, won
            numbers = [2 * said.reward + extra for extra in (0, said.per, per)]
        else:
            numbers = np.unique(np.broadcast_to(worth, ended.shape)[ended]).tolist()
        for number in numbers:
            there = ended & (worth == number)
            if there.any():
                worth_is = Fraction(number, per)
                self._note_size(abs(float(worth_is)))
                codes[there] = self.constants.code(worth_is)

    def _name(self, board: int) -> str:
        return str(self.space.board(int(board)))


# Three-valued columns: True, False, or an array; most results need no array at all.


def _not(column: Any) -> Any:
    return (not column) if isinstance(column, bool) else ~np.asarray(column, dtype=bool)


def _both(left: Any, right: Any) -> Any:
    if isinstance(left, bool):
        return right if left else False
    if isinstance(right, bool):
        return left if right else False
    return left & right


def _either(left: Any, right: Any) -> Any:
    if isinstance(left, bool):
        return True if left else right
    if isinstance(right, bool):
        return True if right else left
    return left | right
