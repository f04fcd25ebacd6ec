"""Check of a duel with hidden dice: the stored mixed strategies secure the stored bounds, in whole numbers.

A player with these strategies wins at least ``lower`` as caller and at least ``1 - upper`` as the replier (security
levels: von Neumann 1928). Bounds are multiples of one in 2^53, strategies too, and throws fall in a whole number of
ways: so one turn against every call and every reply is computed without rounding. A bound holds where it is at most the
backup of the next bounds, if play ends: states from which the other player can put off the fixed one's win for ever are
searched, and must have the bound 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.bounds import possible_mask
from rollwise.solver.checker.transitions import CheckedTransition, read_transition
from rollwise.solver.model.game import Chance, Decision, End, Goto, Node, NodeKey, TurnGame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Whole = NDArray[Any]  # Python integers
PARTS_PER_ONE = 1 << 53
Turn = list[tuple[int, dict[str, dict[str, Any]]]]  # of every throw its ways, and the result by call and reply


def hidden_holds(
    game: TurnGame, arrays: dict[str, NDArray[Any]], names: tuple[list[str], list[str]], report: Callable[[float], None]
) -> str | None:
    """The error in the stored ``values``, ``lower``, ``upper``, ``calls`` and ``replies``, in words; None if they hold.

    ``names``: of calls and of replies, in the order of the arrays.
    """
    boards = np.flatnonzero(possible_mask(game))
    proof = _StrategyProof(game, arrays, names, boards)
    wrong = proof.check_mixes() or proof.check_bounds()
    if wrong is not None:
        return wrong
    never_won = proof.never_won(report)
    for done, board in enumerate(boards.tolist()):
        wrong = proof.check_board(board, never_won)
        if wrong is not None:
            return wrong
        report((done + 1) / len(boards))
    return None


class _StrategyProof:
    """The stored arrays, and the game's own transitions from each board."""

    def __init__(
        self, game: TurnGame, arrays: dict[str, NDArray[Any]], names: tuple[list[str], list[str]], boards: Ints
    ) -> None:
        self.game, self.arrays, self.boards = game, arrays, boards
        self.call_of = {name: place for place, name in enumerate(names[0])}
        self.reply_of = {name: place for place, name in enumerate(names[1])}
        self.turns = [_turn(game, tuple(root)) for root in game.roots()]
        columns = game.boards().columns(np.arange(game.boards().size))
        self.root_of = np.broadcast_to(game.root(columns), game.boards().size)
        self.place = {board: lane for lane, board in enumerate(boards.tolist())}
        results = {result for turn in self.turns for result in _results(turn)}
        self.transitions: dict[Any, CheckedTransition] = {one: read_transition(game, boards, one) for one in results}

    def turn(self, board: int) -> Turn:
        """The turn of a board."""
        return self.turns[int(self.root_of[board])]

    def check_mixes(self) -> str | None:
        """The mix, in words, that does not add up to one on legal moves."""
        for board in self.boards.tolist():
            turn = self.turn(board)
            replies_to = turn[0][1]
            calls, replies = self.arrays["calls"][board], self.arrays["replies"][board]
            allowed = [self.call_of[call] for call in replies_to]
            if len(calls) != len(turn) or not _is_whole_mix(calls, allowed):
                return f"the calls on board {board} are no mix of what may be called"
            for call, answers in replies_to.items():
                if not _is_whole_mix(replies[self.call_of[call]][None], [self.reply_of[reply] for reply in answers]):
                    return f"the replies to {call} on board {board} are no mix of what may be replied"
        return None

    def check_bounds(self) -> str | None:
        """The error, in words, where values lie outside their bounds, or bounds outside 0..1 or between whole parts."""
        value, lower, upper = (self.arrays[name][self.boards] for name in ("values", "lower", "upper"))
        if not ((lower >= 0) & (lower <= value) & (value <= upper) & (upper <= 1)).all():
            return "a value does not lie within its bounds"
        if any((bound * PARTS_PER_ONE != np.floor(bound * PARTS_PER_ONE)).any() for bound in (lower, 1 - upper)):
            return "a bound is not a whole number of parts"
        return None

    def parts(self, role: int, board: int) -> int:
        """The fixed player's bound, in PARTS_PER_ONE: as caller (0) or as replier (1)."""
        bound = float(self.arrays["lower"][board]) if role == 0 else 1.0 - float(self.arrays["upper"][board])
        return int(bound * PARTS_PER_ONE)

    def after(self, role: int, board: int, result: Any) -> int | tuple[int, int]:
        """The fixed player's certain parts at the end of the game, or the next (role, board)."""
        transition, lane = self.transitions[result], self.place[board]
        if transition.over[lane]:
            worth = int(transition.worth[lane] * PARTS_PER_ONE)
            return worth if role == 0 else PARTS_PER_ONE - worth
        successor = int(transition.following[lane])
        if transition.illegal[lane] or successor not in self.place or transition.points[lane]:
            raise ValueError(f"{result} on board {board} leads nowhere")
        return role ^ int(transition.passes[lane]), successor

    def check_board(self, board: int, never_won: set[tuple[int, int]]) -> str | None:
        """The bound of a board, in words, that exceeds its backup."""
        turn = self.turn(board)
        ways = sum(weight for weight, _ in turn)
        for role, secured in ((0, self._calling), (1, self._replying)):
            bound = self.parts(role, board)
            if (role, board) in never_won:
                if bound:
                    return f"board {board} has a bound above 0, and play may never end there"
            elif bound * ways * PARTS_PER_ONE > secured(board, turn):
                return f"the mixes on board {board} are not sure of its {'lower' if role == 0 else 'upper'} bound"
        return None

    def _secured_parts(self, role: int, board: int, result: Any) -> int:
        after = self.after(role, board, result)
        return after if isinstance(after, int) else self.parts(*after)

    def _calling(self, board: int, turn: Turn) -> int:
        """Security level of the fixed player's calls against the worst reply to each, times ways and PARTS_PER_ONE."""
        calls, total = self.arrays["calls"][board], 0
        for call, answers in turn[0][1].items():
            weights = [weight * int(calls[throw, self.call_of[call]]) for throw, (weight, _) in enumerate(turn)]
            total += min(
                sum(
                    weight_of * self._secured_parts(0, board, turn[throw][1][call][reply])
                    for throw, weight_of in enumerate(weights)
                    if weight_of
                )
                for reply in answers
            )
        return total

    def _replying(self, board: int, turn: Turn) -> int:
        """Security level of its replies against the worst call after each throw, times ways and PARTS_PER_ONE."""
        replies, total = self.arrays["replies"][board], 0
        for weight, answers_to in turn:
            total += weight * min(
                sum(
                    int(replies[self.call_of[call], self.reply_of[reply]]) * self._secured_parts(1, board, result)
                    for reply, result in answers.items()
                )
                for call, answers in answers_to.items()
            )
        return total

    def never_won(self, report: Callable[[float], None]) -> set[tuple[int, int]]:
        """(role, board) from which the other player can keep the fixed one from ever winning."""
        states = {(role, board) for role in (0, 1) for board in self.boards.tolist()}
        while True:
            staying = {state for state in states if self._stays(*state, states)}
            if staying == states:
                return states
            states = staying

    def _stays(self, role: int, board: int, states: set[tuple[int, int]]) -> bool:
        """True if the other player can force one turn into ``states`` again, or into the fixed player's loss."""
        turn = self.turn(board)

        def is_lost(result: Any) -> bool:
            after = self.after(role, board, result)
            return after == 0 if isinstance(after, int) else after in states

        if role == 0:
            calls = self.arrays["calls"][board]
            return all(
                any(
                    all(
                        is_lost(turn[throw][1][call][reply])
                        for throw in np.flatnonzero(calls[:, self.call_of[call]]).tolist()
                    )
                    for reply in answers
                )
                for call, answers in turn[0][1].items()
            )
        replies = self.arrays["replies"][board]
        return all(
            any(
                all(
                    is_lost(result)
                    for reply, result in answers.items()
                    if replies[self.call_of[call], self.reply_of[reply]]
                )
                for call, answers in answers_to.items()
            )
            for _, answers_to in turn
        )


def _is_whole_mix(rows: NDArray[Any], allowed: list[int]) -> bool:
    """True if every row has whole parts, none below 0, that add up to PARTS_PER_ONE on allowed places only."""
    outside = np.delete(rows, allowed, axis=1)
    return bool((rows >= 0).all() and not outside.any() and all(sum(map(int, row)) == PARTS_PER_ONE for row in rows))


def _turn(game: TurnGame, root: NodeKey) -> Turn:
    """A turn read from the game's nodes."""
    throw = _resolved(game, Goto(*root))
    while isinstance(throw, Decision) and len(throw.moves) == 1:  # a throw that must be made
        throw = throw.moves[0][1]
    assert isinstance(throw, Chance)
    turn: Turn = []
    for weight, after in throw.outcomes:
        results: dict[str, dict[str, Any]] = {}
        for call, then in _moves(game, after).items():
            results[call] = {}
            for reply, end in _moves(game, then).items():
                assert isinstance(end, End)
                results[call][reply] = end.result
        turn.append((weight, results))
    return turn


def _resolved(game: TurnGame, node: Node) -> Node:
    while isinstance(node, Goto):
        node = game.turn(*node.state)
    return node


def _moves(game: TurnGame, node: Node) -> dict[str, Node]:
    decision = _resolved(game, node)
    assert isinstance(decision, Decision)
    return {str(name): after for name, after in decision.moves}


def _results(turn: Turn) -> set[Any]:
    return {result for _, by_call in turn for answers in by_call.values() for result in answers.values()}
