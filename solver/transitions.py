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
    """``codes``: int32, shape (leaves, boards), see ``solver.duel``; ``rewards``: float64, the same shape or no rows."""

    codes: Codes
    rewards: NDArray[np.float64]

    def of(self, columns: slice | NDArray[Any]) -> Transitions:
        """The same for some of the boards."""
        rewards = self.rewards[:, columns] if len(self.rewards) else self.rewards
        return Transitions(np.ascontiguousarray(self.codes[:, columns]), np.ascontiguousarray(rewards))


class Settler:
    """Settles blocks of boards of one game."""

    def __init__(self, game: TurnGame, graph: TurnGraph, constants: Constants) -> None:
        self.game = game
        self.graph = graph
        self.space: Boards = game.boards()
        self.constants = constants

    def transitions(self, leaves: NDArray[np.int64], boards: NDArray[np.int64]) -> Transitions:
        """Codes and rewards of these leaves from these boards."""
        columns = self.space.columns(boards)
        codes = np.empty((len(leaves), len(boards)), dtype=np.int32)
        rewards: dict[int, NDArray[np.float64]] = {}
        settled: dict[int, tuple[Codes, NDArray[np.float64] | None]] = {}
        for row, leaf_id in enumerate(leaves):
            leaf = self.graph.leaves[leaf_id]
            if leaf.result == NO_RESULT:
                codes[row] = self.constants.code((leaf.lower, leaf.upper))
                continue
            if leaf.result not in settled:
                result = self.graph.results[leaf.result]
                settled[leaf.result] = self._coded(self.game.settle(columns, result), boards, result)
            codes[row], reward = settled[leaf.result]
            if leaf.lower:
                reward = (0.0 if reward is None else reward) + np.full(len(boards), float(leaf.lower))
            if reward is not None:
                rewards[row] = reward
        table = np.zeros((len(leaves) if rewards else 0, len(boards)))
        for row, reward in rewards.items():
            table[row] = reward
        return Transitions(codes, table)

    def _coded(self, said: Settled, boards: NDArray[np.int64], result: Any) -> tuple[Codes, NDArray[np.float64] | None]:
        count = len(boards)
        legal, over, won, drawn = (
            np.broadcast_to(np.asarray(part, dtype=bool), count) for part in (said.legal, said.over, said.won, said.drawn)
        )
        reward = np.broadcast_to(np.asarray(said.reward, dtype=np.int64), count)
        over = over | won | drawn
        codes = np.full(count, self.constants.code(ILLEGAL), dtype=np.int32)
        goes_on = legal & ~over
        if goes_on.any():
            if said.next is None:
                raise ModelError(f"ModelError: result {result} of {self._name(boards[goes_on][0])} leads nowhere")
            following = self.space.index(said.next, count)
            if (following[goes_on] < 0).any():
                lost = boards[goes_on & (following < 0)][0]
                raise ModelError(f"ModelError: result {result} of {self._name(lost)} leads off the boards")
            mover = np.broadcast_to(np.asarray(said.mover, dtype=np.int64), count)
            codes[goes_on] = (2 * following + mover)[goes_on]
        ended = legal & over
        per = 2 * said.per
        worth = 2 * reward + per * won + said.per * drawn  # in units of 1 / per
        for number in np.unique(worth[ended]) if ended.any() else ():
            codes[ended & (worth == number)] = self.constants.code(Fraction(int(number), per))
        kept = np.where(goes_on, reward, 0)
        return codes, kept / said.per if kept.any() else None

    def _name(self, board: int) -> str:
        return str(self.space.board(int(board)))
