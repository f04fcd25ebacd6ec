"""Proof of a duel with hidden dice: stored mixes are sure of the stored bounds, in whole numbers.

A player who keeps to the mixes wins at least ``lower`` as caller and at least ``1 - upper`` as the one who replies.
Bounds are multiples of one in 2^53, mixes too, and throws fall in a whole number of ways: so one turn against every
call and every reply is worked out without rounding. Where no bound is more than a turn makes of the bounds that follow,
it holds, if play ends: states from which the other player can put off the fixed one's win for ever are found, and must
have the bound 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.checker.bounds import possible
from rollwise.solver.checker.transitions import CheckedTransition, told
from rollwise.solver.model.game import Chance, Decision, End, Goto, Node, NodeKey, TurnGame

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Whole = NDArray[Any]  # Python's whole numbers, of any length
PARTS = 1 << 53
Turn = list[tuple[int, dict[str, dict[str, Any]]]]  # of every throw its ways, and by call and reply the result


def hidden_holds(
    game: TurnGame,
    arrays: dict[str, NDArray[Any]],
    names: tuple[list[str], list[str]],
    report: Callable[[float], None],
) -> str | None:
    """Are the stored ``values``, ``lower``, ``upper``, ``calls`` and ``replies`` right? What is wrong, in words.

    ``names``: of calls and of replies, in the order of the arrays.
    """
    boards = np.flatnonzero(possible(game))
    checked = _Checked(game, arrays, names, boards)
    wrong = checked.mixes() or checked.numbers()
    if wrong is not None:
        return wrong
    never = checked.never_won(report)
    for done, board in enumerate(boards.tolist()):
        wrong = checked.board(board, never)
        if wrong is not None:
            return wrong
        report((done + 1) / len(boards))
    return None


class _Checked:
    """The stored arrays, and the game's own words for what follows from each board."""

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
        self.told: dict[Any, CheckedTransition] = {result: told(game, boards, result) for result in results}

    def turn(self, board: int) -> Turn:
        """The turn of a board."""
        return self.turns[int(self.root_of[board])]

    def mixes(self) -> str | None:
        """Every mix adds up to one, on moves that are allowed."""
        for board in self.boards.tolist():
            turn = self.turn(board)
            heard = turn[0][1]
            calls, replies = self.arrays["calls"][board], self.arrays["replies"][board]
            allowed = [self.call_of[call] for call in heard]
            if len(calls) != len(turn) or not _whole_mix(calls, allowed):
                return f"the calls on board {board} are no mix of what may be called"
            for call, answers in heard.items():
                if not _whole_mix(replies[self.call_of[call]][None], [self.reply_of[reply] for reply in answers]):
                    return f"the replies to {call} on board {board} are no mix of what may be replied"
        return None

    def numbers(self) -> str | None:
        """Bounds around the values, within 0..1, and in whole parts."""
        value, lower, upper = (self.arrays[name][self.boards] for name in ("values", "lower", "upper"))
        if not ((lower >= 0) & (lower <= value) & (value <= upper) & (upper <= 1)).all():
            return "a value does not lie within its bounds"
        if any((bound * PARTS != np.floor(bound * PARTS)).any() for bound in (lower, 1 - upper)):
            return "a bound is not a whole number of parts"
        return None

    def parts(self, role: int, board: int) -> int:
        """What the fixed player is sure of, in PARTS: as caller (0) or where the other calls (1)."""
        bound = float(self.arrays["lower"][board]) if role == 0 else 1.0 - float(self.arrays["upper"][board])
        return int(bound * PARTS)

    def after(self, role: int, board: int, result: Any) -> int | tuple[int, int]:
        """What follows for the fixed player: parts that are sure at the end of the game, or (role, board)."""
        said, lane = self.told[result], self.place[board]
        if said.over[lane]:
            worth = int(said.worth[lane] * PARTS)
            return worth if role == 0 else PARTS - worth
        following = int(said.following[lane])
        if said.illegal[lane] or following not in self.place or said.points[lane]:
            raise ValueError(f"{result} on board {board} leads nowhere")
        return role ^ int(said.passes[lane]), following

    def board(self, board: int, never: set[tuple[int, int]]) -> str | None:
        """Neither bound of a board is more than one turn makes of those that follow."""
        turn = self.turn(board)
        ways = sum(weight for weight, _ in turn)
        for role, secured in ((0, self._calling), (1, self._replying)):
            bound = self.parts(role, board)
            if (role, board) in never:
                if bound:
                    return f"board {board} has a bound above 0, and play may never end there"
            elif bound * ways * PARTS > secured(board, turn):
                return f"the mixes on board {board} are not sure of its {'lower' if role == 0 else 'upper'} bound"
        return None

    def _sure(self, role: int, board: int, result: Any) -> int:
        after = self.after(role, board, result)
        return after if isinstance(after, int) else self.parts(*after)

    def _calling(self, board: int, turn: Turn) -> int:
        """What the fixed player's calls are sure of against the worst reply to each, times ways and PARTS."""
        calls, total = self.arrays["calls"][board], 0
        for call, answers in turn[0][1].items():
            made = [weight * int(calls[throw, self.call_of[call]]) for throw, (weight, _) in enumerate(turn)]
            total += min(
                sum(
                    often * self._sure(0, board, turn[throw][1][call][reply])
                    for throw, often in enumerate(made)
                    if often
                )
                for reply in answers
            )
        return total

    def _replying(self, board: int, turn: Turn) -> int:
        """What the fixed player's replies are sure of against the worst call after each throw, times ways and PARTS."""
        replies, total = self.arrays["replies"][board], 0
        for weight, heard in turn:
            total += weight * min(
                sum(
                    int(replies[self.call_of[call], self.reply_of[reply]]) * self._sure(1, board, result)
                    for reply, result in answers.items()
                )
                for call, answers in heard.items()
            )
        return total

    def never_won(self, report: Callable[[float], None]) -> set[tuple[int, int]]:
        """(role, board) from which the other player can keep the fixed one from ever winning."""
        never = {(role, board) for role in (0, 1) for board in self.boards.tolist()}
        while True:
            kept = {state for state in never if self._stays(*state, never)}
            if kept == never:
                return never
            never = kept

    def _stays(self, role: int, board: int, never: set[tuple[int, int]]) -> bool:
        """Can the other player see to it that one turn leads into ``never`` again, or to the fixed player's loss?"""
        turn = self.turn(board)

        def lost(result: Any) -> bool:
            after = self.after(role, board, result)
            return after == 0 if isinstance(after, int) else after in never

        if role == 0:
            calls = self.arrays["calls"][board]
            return all(
                any(
                    all(
                        lost(turn[throw][1][call][reply])
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
                    lost(result)
                    for reply, result in answers.items()
                    if replies[self.call_of[call], self.reply_of[reply]]
                )
                for call, answers in heard.items()
            )
            for _, heard in turn
        )


def _whole_mix(rows: NDArray[Any], allowed: list[int]) -> bool:
    """Whole numbers of parts, none below 0, that add up to PARTS in every row, none where it is not allowed."""
    outside = np.delete(rows, allowed, axis=1)
    return bool((rows >= 0).all() and not outside.any() and all(sum(map(int, row)) == PARTS for row in rows))


def _turn(game: TurnGame, root: NodeKey) -> Turn:
    """A turn as the game's words say it."""
    throw = _word(game, Goto(*root))
    while isinstance(throw, Decision) and len(throw.moves) == 1:  # a throw that must be made
        throw = throw.moves[0][1]
    assert isinstance(throw, Chance)
    found: Turn = []
    for weight, after in throw.outcomes:
        heard: dict[str, dict[str, Any]] = {}
        for call, then in _moves(game, after).items():
            heard[call] = {}
            for reply, end in _moves(game, then).items():
                assert isinstance(end, End)
                heard[call][reply] = end.result
        found.append((weight, heard))
    return found


def _word(game: TurnGame, word: Node) -> Node:
    while isinstance(word, Goto):
        word = game.turn(*word.state)
    return word


def _moves(game: TurnGame, word: Node) -> dict[str, Node]:
    choice = _word(game, word)
    assert isinstance(choice, Decision)
    return {str(name): after for name, after in choice.moves}


def _results(turn: Turn) -> set[Any]:
    return {result for _, heard in turn for answers in heard.values() for result in answers.values()}
