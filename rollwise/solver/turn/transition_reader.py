"""The one reading of what a game's ``transition`` says: where each result of a turn leads from each board.

A game says it in columns (``Transition``). Here it becomes codes that every solver reads: the board that follows and how
many seats the turn passes on, or how the game ends, and what the board adds. Which words of ``Transition`` may be used is
said by the kind of game (``Uses``); any other word is a mistake of the game's file, and never ignored.

A result does the same to all boards that agree in the fields it looks at: many boards are settled by a look-up over
those fields, which is made by calling ``transition`` on columns that hold nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Boards, Columns, Transition, TurnGame
from rollwise.solver.turn.graph import NO_RESULT, Leaf, TurnGraph
from rollwise.solver.turn.look_ups import (
    Block,
    Changes,
    Codes,
    Floats,
    Ints,
    LookUp,
    LookUps,
    MissingField,
    Probed,
    Watched,
)
from rollwise.solver.turn.one_board import side_by_side
from rollwise.solver.turn.perspective import ILLEGAL, Constants, packed
from rollwise.solver.turn.transitions import Ends, Room, Transitions, ends_of

LOOKED_UP = 1024  # boards from which on look-ups are quicker
LARGEST = 1 << 18  # entries of a look-up
SMALLER = 8  # a look-up has at most one entry for so many boards of the space
FINEST = 1 << 62  # shares are told apart by one number

Compiled: TypeAlias = Callable[..., int]  # ``solver.turn.kernels.look_up``
_DEFAULTS = {"legal": True, "over": False, "won": False, "drawn": False, "reward": 0, "shares": None}


@dataclass(frozen=True)
class Uses:
    """Which words of ``Transition`` a kind of game uses, beside ``next``: the others have to stay at their defaults.

    ``by``: what the kind is called in an error. ``words``: of legal, over, won, drawn, reward and shares. ``seats``:
    among how many seats the turn may pass (``mover`` is below that). ``n_shares``: how many rows ``shares`` has.
    """

    by: str
    words: frozenset[str]
    seats: int = 1
    n_shares: int = 0

    @cached_property
    def _unused(self) -> list[tuple[str, Any]]:
        return [(word, default) for word, default in _DEFAULTS.items() if word not in self.words]

    def keeps_to_words(self, said: Transition) -> bool:
        """Are the words that the kind does not use as they are by default, whatever the boards are?"""
        return isinstance(said.per, int) and said.per > 0 and all(getattr(said, w) is d for w, d in self._unused)

    def require(self, game: TurnGame, said: Transition, result: Any) -> None:
        """Raise ModelError where a game says something that its kind does not use."""
        for word, default in self._unused:
            given = getattr(said, word)
            if given is default:
                continue
            if default is None or np.any(np.asarray(given) != default):
                wanted = ", ".join(name for name in _DEFAULTS if name in self.words)
                raise ModelError(
                    f"result {result} of {game} says {word}, which {self.by} does not use; "
                    f"it says next, mover, {wanted}"
                )
        if not isinstance(said.per, int) or said.per < 1:
            raise ModelError(f"result {result} of {game} counts in parts of 1/{said.per}")


WORTHS = Uses("a game of one value a board", frozenset(("legal", "over", "won", "drawn", "reward")), seats=2)


@dataclass(frozen=True)
class TransitionColumns:
    """What one result does to some boards, read once.

    ``goes_on`` and ``ended``: True, False or a column, where the game goes on and where it ends; elsewhere the result
    is illegal. ``following``: the index of the board that follows (anything where the game does not go on) and
    ``passes``: how many seats the turn passes on, a number or a column. ``points / per`` is what the board adds where
    the game goes on. ``said`` has the ends of the game.
    """

    count: int
    goes_on: Any
    ended: Any
    following: Ints
    passes: Any
    points: Any
    per: int
    said: Transition

    def column(self, words: Any) -> NDArray[np.bool_]:
        """``goes_on`` or ``ended`` as a column of its own."""
        return np.array(np.broadcast_to(words, self.count))

    def fractions(self) -> list[Fraction]:
        """What the board adds, where the game goes on (0 elsewhere), exactly."""
        kept = np.where(self.column(self.goes_on), np.asarray(self.points, dtype=np.int64), 0)
        return [Fraction(number, self.per) for number in kept.tolist()]


class TransitionReader:
    """Settles blocks of boards of one game.

    ``look_up`` reads the look-ups of all results at once, where that is compiled; ``uses`` are the words that the
    game may say. Worths of finished games are told apart by ``constants``: Fractions, or at tables and in games of
    several seats tuples of them, the shares.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        constants: Constants,
        look_up: Compiled | None = None,
        uses: Uses = WORTHS,
    ) -> None:
        self.game = game
        self.graph = graph
        self.space: Boards = game.boards()
        self.constants = constants
        self.look_up = look_up
        self.uses = uses
        self.sizes = [1.0]  # of rewards and finished games' worths: the largest of each block (threads append)
        self.own = max((float(abs(leaf.lower)) for leaf in graph.leaves), default=0.0)  # no leaf earns more itself
        self._ends: dict[bytes, Ends] = {}
        self._look_ups: dict[int, list[LookUp]] = {}
        self._together: dict[bytes, list[LookUps]] = {}
        self._not_looked_up: set[int] = set()  # results that look at too much

    @property
    def largest(self) -> float:
        """No reward and no finished game's worth met so far is larger in size."""
        return max(self.sizes)

    def transitions(self, leaves: Ints, boards: Ints, room: Room | None = None) -> Transitions:
        """Where these leaves lead from these boards; with ``room`` only until that is used again."""
        name = leaves.tobytes()
        if name not in self._ends:
            self._ends[name] = ends_of(self.graph, leaves)
        ends = self._ends[name]
        block = self.block(boards)
        codes, extra = (room or Room()).of(len(ends.first), len(boards))
        extra_of = np.full(len(ends.first), -1)
        together = self._all_look_ups(name, block) if self.look_up is not None else None
        if together is not None and self.look_up is not None:
            used = self.look_up(together.flat, together.entries(block), block.own, codes, extra, extra_of)
            return Transitions(codes, extra[:used], extra_of, ends.of_leaf, ends.own)
        at_once = self._on_one_board(ends, block, codes, extra, extra_of) if len(boards) == 1 else None
        used = self._one_by_one(ends, block, codes, extra, extra_of) if at_once is None else at_once
        self._note_size(self.own)
        return Transitions(codes, extra[:used], extra_of, ends.of_leaf, ends.own)

    def _one_by_one(self, ends: Ends, block: Block, codes: Codes, extra: Floats, extra_of: Ints) -> int:
        """Fill in the transitions result by result; how many rows of ``extra`` are used."""
        used = 0
        for row, leaf_id in enumerate(ends.first.tolist()):
            leaf = self.graph.leaves[leaf_id]
            if leaf.result == NO_RESULT:
                self._cut(leaf, codes[row])
                continue
            reward = self.fill(leaf.result, block, codes[row])
            if reward is not None:
                extra[used], extra_of[row] = reward, used
                used += 1
        return used

    def _cut(self, leaf: Leaf, codes: Codes) -> None:
        """Fill a row of codes for a leaf past a proven cut."""
        codes[:] = self.constants.code((leaf.lower, leaf.upper))
        self._note_size(float(max(abs(leaf.lower), abs(leaf.upper))))

    def _on_one_board(self, ends: Ends, block: Block, codes: Codes, extra: Floats, extra_of: Ints) -> int | None:
        """The same on a single board, all results at once; None where they have to be read one by one.

        That is so of shares, and where something is wrong, so that the error names the result.
        """
        if "shares" in self.uses.words:
            return None
        leaves = [self.graph.leaves[leaf] for leaf in ends.first.tolist()]
        rows = np.array([row for row, leaf in enumerate(leaves) if leaf.result != NO_RESULT], dtype=np.int64)
        if not len(rows):
            return None
        results = [self.graph.results[leaf.result] for leaf in leaves if leaf.result != NO_RESULT]
        each = [self.game.transition(block.columns, result) for result in results]
        try:
            for said, result in zip(each, results, strict=True):
                self.uses.require(self.game, said, result)
            together, nowhere = side_by_side(self.space, block.columns, each)
            same = np.repeat(block.boards, len(each))
            reading = self._read(together, len(each), lambda on: self._following(together, same, None, on), None)
            if (reading.column(reading.goes_on) & nowhere).any():
                return None
            found = np.empty(len(rows), dtype=np.int32)
            points = self._code(reading, found)
        except ModelError:
            return None
        codes[rows, 0] = found
        for row in np.flatnonzero(np.isin(np.arange(len(leaves)), rows, invert=True)).tolist():
            self._cut(leaves[row], codes[row])
        if points is None:
            return 0
        earning = np.flatnonzero(points)
        extra[: len(earning), 0], extra_of[rows[earning]] = points[earning], np.arange(len(earning))
        return len(earning)

    def block(self, boards: Ints) -> Block:
        """These boards, to be settled together."""
        return Block(self.space, boards, self.constants.bits)

    def read(self, number: int, block: Block) -> TransitionColumns:
        """What the result of this number does to the boards of a block; ModelError for what cannot be."""
        return self.read_result(self.graph.results[number], block.columns, block.boards)

    def read_result(self, result: Any, columns: Columns, boards: Ints) -> TransitionColumns:
        """What a result does to boards, given by their columns and by index; ModelError for what cannot be."""
        said = self.game.transition(columns, result)

        def following(goes_on: Any) -> Ints:
            return self._following(said, boards, result, goes_on)

        return self._read(said, len(boards), following, result)

    def fill(self, number: int, block: Block, codes: Codes) -> Floats | None:
        """Fill a row of codes for one result; returns what the boards add, None where they add nothing."""
        quick = self._look_up(number, block)
        if quick is not None and quick.fill(block, codes):
            return quick.reward_of(block)
        return self._code(self.read(number, block), codes)

    def _note_size(self, size: float) -> None:
        if size > self.largest:
            self.sizes.append(size)

    # --- reading -----------------------------------------------------------------------------------------------------

    def _read(self, said: Transition, count: int, following: Callable[[Any], Ints], result: Any) -> TransitionColumns:
        """What was said, read once; ``following(goes_on)`` gives the boards that follow."""
        self.uses.require(self.game, said, result)
        over = _either(said.over, _either(said.won, said.drawn))
        goes_on, ended = _both(said.legal, _not(over)), _both(said.legal, over)
        ahead = np.zeros(count, dtype=np.int64) if goes_on is False else following(goes_on)
        passes = said.mover if isinstance(said.mover, bool | int) else np.asarray(said.mover, dtype=np.int64)
        self._require_seat(passes, goes_on, result)
        return TransitionColumns(count, goes_on, ended, ahead, passes, said.reward, said.per, said)

    def _require_seat(self, passes: Any, goes_on: Any, result: Any) -> None:
        """Raise ModelError where the turn passes to a seat that there is not."""
        if isinstance(passes, int) and 0 <= passes < self.uses.seats:
            return
        beyond = (np.asarray(passes) < 0) | (np.asarray(passes) >= self.uses.seats)
        if np.any(_both(beyond, goes_on)):
            others = f"to {self.uses.seats - 1} seats" if self.uses.seats > 1 else "to nobody else"
            raise ModelError(
                f"result {result} of {self.game} hands the dice to another player; {self.uses.by} passes them {others}"
            )

    def _following(self, said: Transition, boards: Ints, result: Any, goes_on: Any) -> Ints:
        """The next board of each board that goes on (anything elsewhere)."""
        count = len(boards)
        if said.next is None:
            first = boards[np.broadcast_to(goes_on, count)]
            if len(first):
                raise ModelError(f"result {result} of {self._name(first[0])} leads nowhere")
            return np.zeros(count, dtype=np.int64)
        following = self.space.index(said.next, count)
        lost = (following < 0) & goes_on
        if lost.any():
            raise ModelError(f"result {result} of {self._name(boards[lost][0])} leads off the boards")
        return following

    def _name(self, board: int) -> str:
        return str(self.space.board(int(board)))

    # --- codes -------------------------------------------------------------------------------------------------------

    def _code(self, reading: TransitionColumns, codes: Codes) -> Floats | None:
        """Fill a row of codes; returns the rewards, or None where there are none."""
        goes_on, constants = reading.goes_on, self.constants
        if goes_on is False:
            codes[:] = constants.code(ILLEGAL)
        else:
            np.copyto(codes, packed(reading.following, reading.passes, constants.bits), casting="unsafe")
            if goes_on is not True:
                codes[~goes_on] = constants.code(ILLEGAL)
        if reading.ended is not False:
            ended = reading.ended
            if np.shape(ended) != (reading.count,):
                ended = np.broadcast_to(ended, reading.count)
            if ended.any():
                (self._code_shares if "shares" in self.uses.words else self._code_worths)(reading.said, ended, codes)
        points = reading.points
        if goes_on is False or (np.isscalar(points) and points == 0):
            return None
        kept = np.asarray(points) if goes_on is True else np.where(goes_on, points, 0)
        if not kept.any():
            return None
        self._note_size(float(np.max(np.abs(kept))) / reading.per + self.own)
        return np.broadcast_to(kept / reading.per, reading.count)

    def _code_worths(self, said: Transition, ended: NDArray[np.bool_], codes: Codes) -> None:
        """Codes of finished games, by what they are worth."""
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

    def _code_shares(self, said: Transition, ended: NDArray[np.bool_], codes: Codes) -> None:
        """Codes of finished games, by their shares."""
        endings, number = self.endings(said, ended)
        codes[ended] = np.array([self.constants.code(shares) for shares in endings], dtype=np.int32)[number]

    def endings(self, said: Transition, ended: NDArray[np.bool_]) -> tuple[list[tuple[Fraction, ...]], Ints]:
        """The shares that games end with, together 1 where there are several, each once, and which each board's are.

        The numbers of all boards that end, or one for all of them.
        """
        n_shares = self.uses.n_shares
        if said.shares is None or len(said.shares) != n_shares:
            what = "without shares" if said.shares is None else f"with {len(said.shares)} shares instead of {n_shares}"
            raise ModelError(f"a result of {self.game} ends the game {what}")
        rows = [np.broadcast_to(np.asarray(row, dtype=np.int64), len(ended))[ended] for row in said.shares]
        wrong = np.min(rows, axis=0) < 0
        if n_shares > 1:
            wrong |= np.sum(rows, axis=0) != said.per
        if wrong.any() or np.max(rows, initial=0) > said.per:
            raise ModelError(f"a result of {self.game} gives shares that are not 1 together")
        if (said.per + 1) ** n_shares >= FINEST:
            raise ModelError(f"{self.game} shares a win in too fine parts")
        key = np.zeros(len(rows[0]), dtype=np.int64)
        for row in rows:
            key = key * (said.per + 1) + row
        if key.min() == key.max():
            key = key[:1]  # mostly all end alike
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return [tuple(Fraction(int(row[place]), said.per) for row in rows) for place in first], number

    # --- look-ups ----------------------------------------------------------------------------------------------------

    def _look_up(self, number: int, block: Block) -> LookUp | None:
        """The look-up of a result for these boards, made now if need be; None where there is none."""
        if len(block.boards) < LOOKED_UP or number in self._not_looked_up or not self.space.is_product:
            return None
        for known in self._look_ups.get(number, []):
            if known.is_for(block):
                return known
        made = self._made(number, block)
        if made is None:
            self._not_looked_up.add(number)
        else:
            self._look_ups.setdefault(number, []).append(made)
        return made

    def _all_look_ups(self, name: bytes, block: Block) -> LookUps | None:
        """The look-ups of all ends of that name for these boards; None where one has none, or leads off the boards."""
        known = self._together.setdefault(name, [])
        for together in known:
            if together.is_for(block):
                return together
        found = []
        for leaf_id in self._ends[name].first.tolist():
            leaf = self.graph.leaves[leaf_id]
            one = self._look_up(leaf.result, block) if leaf.result != NO_RESULT else None
            if one is None or one.lost is not None:
                return None
            found.append(one)
        made = LookUps(found)
        known.append(made)  # other threads append theirs
        self._note_size(self.own)
        return made

    def _made(self, number: int, block: Block) -> LookUp | None:
        """A result on all combinations of the fields that it looks at; None where that is not worth a look-up."""
        result = self.graph.results[number]
        if not isinstance(self.game.transition(Probed(block), result).next, Changes):
            return None
        names: list[str] = []
        while True:
            entries = prod(self.space.parts[name].size for name in names)
            if entries > min(LARGEST, self.space.size // SMALLER):
                return None
            watched = Watched(self.space, names, block)
            try:
                with np.errstate(all="ignore"):  # combinations that cannot be may divide by what is 0 there
                    said = self.game.transition(watched, result)
                break
            except MissingField as wanted:
                if wanted.name is None:
                    return None
                names.append(wanted.name)
        lost = np.zeros(len(watched), dtype=bool)

        def following(goes_on: Any) -> Ints:
            shift = np.zeros(len(watched), dtype=np.int64)
            for name, column in (said.next or {}).items():
                stride, _ = self.space.place_of(name)
                rank = self.space.parts[name].rank(column, len(watched))
                shift += stride * (rank - watched.ranks[name])
                lost[:] |= rank < 0
            lost[:] &= goes_on
            return shift

        codes = np.empty(len(watched), dtype=np.int32)
        try:
            reading = self._read(said, len(watched), following, result)
            reward = self._code(reading, codes)
        except ModelError:  # perhaps only of combinations that cannot be: ``transition`` itself has to tell
            return None
        relative = reading.column(reading.goes_on).astype(np.int32)
        return LookUp(tuple(names), watched.derived, codes, relative, reward, lost if lost.any() else None)


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
