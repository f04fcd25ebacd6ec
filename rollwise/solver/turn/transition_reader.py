"""The only reader of a game's ``transition``: the next board, or end of the game, for each result and board.

The columns of a ``Transition`` become codes that every solver reads: the next board and the number of seats by which
the turn passes, or the end of the game, and the reward of the board. The fields of ``Transition`` that a game may use
depend on its kind (``UsedFields``); any other raises ModelError.

The transition of a result is the same on all boards that agree in the fields it reads. For many boards it comes from a
look-up over these fields, which is built by calling ``transition`` on columns that hold nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Boards, Columns, Transition, TurnGame
from rollwise.solver.turn.graph import NO_RESULT, Leaf, TurnGraph
from rollwise.solver.turn.joined_transitions import join_transitions
from rollwise.solver.turn.look_ups import (
    Block,
    Changes,
    Codes,
    Floats,
    Ints,
    LookUp,
    LookUps,
    MissingField,
    ProbeColumns,
    RestrictedColumns,
)
from rollwise.solver.turn.perspective import ILLEGAL, Constants, pack_codes
from rollwise.solver.turn.transitions import SCALAR, Ends, TransitionBuffer, Transitions, UsedFields, ends_of

MIN_BOARDS_LOOKED_UP = 1024  # from here on look-ups are quicker
MAX_LOOK_UP_ENTRIES = 1 << 18
MIN_BOARDS_PER_ENTRY = 8  # of the space, for each entry of a look-up
MAX_SHARE_KEYS = 1 << 62  # all shares of an end are packed into one number

Compiled: TypeAlias = Callable[..., int]  # ``solver.turn.kernels.look_up``


@dataclass(frozen=True)
class TransitionColumns:
    """The transition of one result on some boards, as columns.

    ``goes_on`` and ``ended``: True, False or a column, where the game goes on and where it ends; elsewhere the result
    is illegal. ``following``: the index of the next board (arbitrary where the game does not go on) and ``passes``: the
    number of seats by which the turn passes, a number or a column. ``points / per`` is the reward of the board where
    the game goes on. ``effect`` has the ends of the game.
    """

    count: int
    goes_on: Any
    ended: Any
    following: Ints
    passes: Any
    points: Any
    per: int
    effect: Transition

    def column(self, flags: Any) -> NDArray[np.bool_]:
        """``goes_on`` or ``ended`` as a column of its own."""
        return np.array(np.broadcast_to(flags, self.count))

    def fractions(self) -> list[Fraction]:
        """Rewards of the boards, where the game goes on (0 elsewhere), exactly."""
        points = np.where(self.column(self.goes_on), np.asarray(self.points, dtype=np.int64), 0)
        return [Fraction(number, self.per) for number in points.tolist()]


class TransitionReader:
    """Reader of the transitions of one game on blocks of boards.

    ``look_up`` reads the look-ups of all results at once, where that is compiled; ``uses`` are the fields that the game
    may set. ``constants`` number the values of finished games: Fractions, or at tables and in games of several seats
    tuples of them, the shares.
    """

    def __init__(
        self,
        game: TurnGame,
        graph: TurnGraph,
        constants: Constants,
        look_up: Compiled | None = None,
        uses: UsedFields = SCALAR,
    ) -> None:
        self.game = game
        self.graph = graph
        self.space: Boards = game.boards()
        self.constants = constants
        self.look_up = look_up
        self.uses = uses
        self.sizes = [1.0]  # of rewards and values of ends: the largest of each block (threads append)
        self.own = max((float(abs(leaf.lower)) for leaf in graph.leaves), default=0.0)  # no leaf earns more itself
        self._ends: dict[bytes, Ends] = {}
        self._look_ups: dict[int, list[LookUp]] = {}
        self._joined: dict[bytes, list[LookUps]] = {}
        self._not_looked_up: set[int] = set()  # results that read too many fields

    @property
    def largest(self) -> float:
        """Largest size so far of a reward or of a finished game's value."""
        return max(self.sizes)

    def transitions(self, leaves: Ints, boards: Ints, buffer: TransitionBuffer | None = None) -> Transitions:
        """Transitions of these leaves on these boards; with ``buffer`` valid only until that is used again."""
        name = leaves.tobytes()
        if name not in self._ends:
            self._ends[name] = ends_of(self.graph, leaves)
        ends = self._ends[name]
        block = self.block(boards)
        codes, extra = (buffer or TransitionBuffer()).of(len(ends.first), len(boards))
        extra_of = np.full(len(ends.first), -1)
        joined = self._all_look_ups(name, block) if self.look_up is not None else None
        if joined is not None and self.look_up is not None:
            n_extra = self.look_up(joined.flat, joined.entries(block), block.own, codes, extra, extra_of)
            return Transitions(codes, extra[:n_extra], extra_of, ends.of_leaf, ends.own)
        at_once = self._on_one_board(ends, block, codes, extra, extra_of) if len(boards) == 1 else None
        n_extra = self._one_by_one(ends, block, codes, extra, extra_of) if at_once is None else at_once
        self._note_size(self.own)
        return Transitions(codes, extra[:n_extra], extra_of, ends.of_leaf, ends.own)

    def _one_by_one(self, ends: Ends, block: Block, codes: Codes, extra: Floats, extra_of: Ints) -> int:
        """Fill in the transitions result by result; returns the number of rows of ``extra`` in use."""
        n_extra = 0
        for row, leaf_id in enumerate(ends.first.tolist()):
            leaf = self.graph.leaves[leaf_id]
            if leaf.result == NO_RESULT:
                self._cut(leaf, codes[row])
                continue
            reward = self.fill(leaf.result, block, codes[row])
            if reward is not None:
                extra[n_extra], extra_of[row] = reward, n_extra
                n_extra += 1
        return n_extra

    def _cut(self, leaf: Leaf, codes: Codes) -> None:
        """Fill a row of codes for a leaf past a proven cut."""
        codes[:] = self.constants.code((leaf.lower, leaf.upper))
        self._note_size(float(max(abs(leaf.lower), abs(leaf.upper))))

    def _on_one_board(self, ends: Ends, block: Block, codes: Codes, extra: Floats, extra_of: Ints) -> int | None:
        """The same on a single board, all results at once; None where they must be read one by one.

        That holds for shares, and for invalid transitions, so that the error names the result.
        """
        if "shares" in self.uses.names:
            return None
        leaves = [self.graph.leaves[leaf] for leaf in ends.first.tolist()]
        rows = np.array([row for row, leaf in enumerate(leaves) if leaf.result != NO_RESULT], dtype=np.int64)
        if not len(rows):
            return None
        results = [self.graph.results[leaf.result] for leaf in leaves if leaf.result != NO_RESULT]
        each = [self.game.transition(block.columns, result) for result in results]
        try:
            for effect, result in zip(each, results, strict=True):
                self.uses.require(self.game, effect, result)
            joined, nowhere = join_transitions(self.space, block.columns, each)
            same = np.repeat(block.boards, len(each))
            reading = self._read(joined, len(each), lambda on: self._following(joined, same, None, on), None)
            if (reading.column(reading.goes_on) & nowhere).any():
                return None
            row_codes = np.empty(len(rows), dtype=np.int32)
            points = self._code(reading, row_codes)
        except ModelError:
            return None
        codes[rows, 0] = row_codes
        for row in np.flatnonzero(np.isin(np.arange(len(leaves)), rows, invert=True)).tolist():
            self._cut(leaves[row], codes[row])
        if points is None:
            return 0
        earning = np.flatnonzero(points)
        extra[: len(earning), 0], extra_of[rows[earning]] = points[earning], np.arange(len(earning))
        return len(earning)

    def block(self, boards: Ints) -> Block:
        """A block of these boards."""
        return Block(self.space, boards, self.constants.bits)

    def read(self, number: int, block: Block) -> TransitionColumns:
        """The transition of the result of this number on a block; ModelError where it is invalid."""
        return self.read_result(self.graph.results[number], block.columns, block.boards)

    def read_result(self, result: Any, columns: Columns, boards: Ints) -> TransitionColumns:
        """The transition of a result on boards, by their columns and by index; ModelError where it is invalid."""
        effect = self.game.transition(columns, result)

        def following(goes_on: Any) -> Ints:
            return self._following(effect, boards, result, goes_on)

        return self._read(effect, len(boards), following, result)

    def fill(self, number: int, block: Block, codes: Codes) -> Floats | None:
        """Fill a row of codes for one result; returns the rewards of the boards, None where all are 0."""
        look_up = self._look_up(number, block)
        if look_up is not None and look_up.fill(block, codes):
            return look_up.reward_of(block)
        return self._code(self.read(number, block), codes)

    def _note_size(self, size: float) -> None:
        if size > self.largest:
            self.sizes.append(size)

    # --- reading -----------------------------------------------------------------------------------------------------

    def _read(self, effect: Transition, count: int, following: Callable[[Any], Ints], result: Any) -> TransitionColumns:
        """The transition as columns; ``following(goes_on)`` returns the next boards."""
        self.uses.require(self.game, effect, result)
        over = _either(effect.over, _either(effect.won, effect.drawn))
        goes_on, ended = _both(effect.legal, _not(over)), _both(effect.legal, over)
        ahead = np.zeros(count, dtype=np.int64) if goes_on is False else following(goes_on)
        passes = effect.mover if isinstance(effect.mover, bool | int) else np.asarray(effect.mover, dtype=np.int64)
        self._require_seat(passes, goes_on, result)
        return TransitionColumns(count, goes_on, ended, ahead, passes, effect.reward, effect.per, effect)

    def _require_seat(self, passes: Any, goes_on: Any, result: Any) -> None:
        """Raise ModelError where the turn passes to a seat that does not exist."""
        if isinstance(passes, int) and 0 <= passes < self.uses.seats:
            return
        beyond = (np.asarray(passes) < 0) | (np.asarray(passes) >= self.uses.seats)
        if np.any(_both(beyond, goes_on)):
            others = f"to {self.uses.seats - 1} seats" if self.uses.seats > 1 else "to nobody else"
            raise ModelError(
                f"result {result} of {self.game} hands the dice to another player; {self.uses.by} passes them {others}"
            )

    def _following(self, effect: Transition, boards: Ints, result: Any, goes_on: Any) -> Ints:
        """The next board of each board that goes on (arbitrary elsewhere)."""
        count = len(boards)
        if effect.next is None:
            first = boards[np.broadcast_to(goes_on, count)]
            if len(first):
                raise ModelError(f"result {result} of {self._name(first[0])} leads nowhere")
            return np.zeros(count, dtype=np.int64)
        following = self.space.index(effect.next, count)
        is_outside = (following < 0) & goes_on
        if is_outside.any():
            raise ModelError(f"result {result} of {self._name(boards[is_outside][0])} leads off the boards")
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
            np.copyto(codes, pack_codes(reading.following, reading.passes, constants.bits), casting="unsafe")
            if goes_on is not True:
                codes[~goes_on] = constants.code(ILLEGAL)
        if reading.ended is not False:
            ended = reading.ended
            if np.shape(ended) != (reading.count,):
                ended = np.broadcast_to(ended, reading.count)
            if ended.any():
                (self._code_shares if "shares" in self.uses.names else self._code_values)(reading.effect, ended, codes)
        points = reading.points
        if goes_on is False or (np.isscalar(points) and points == 0):
            return None
        rewards = np.asarray(points) if goes_on is True else np.where(goes_on, points, 0)
        if not rewards.any():
            return None
        self._note_size(float(np.max(np.abs(rewards))) / reading.per + self.own)
        return np.broadcast_to(rewards / reading.per, reading.count)

    def _code_values(self, ends: Transition, ended: NDArray[np.bool_], codes: Codes) -> None:
        """Codes of finished games, by value."""
        per = 2 * ends.per
        end_values = (
            2 * np.asarray(ends.reward, dtype=np.int64) + per * np.asarray(ends.won) + ends.per * np.asarray(ends.drawn)
        )
        if isinstance(ends.reward, int):  # at most three different values: lost, drawn, won
            numbers = [2 * ends.reward + extra for extra in (0, ends.per, per)]
        else:
            numbers = np.unique(np.broadcast_to(end_values, ended.shape)[ended]).tolist()
        for number in numbers:
            is_number = ended & (end_values == number)
            if is_number.any():
                exact = Fraction(number, per)
                self._note_size(abs(float(exact)))
                codes[is_number] = self.constants.code(exact)

    def _code_shares(self, effect: Transition, ended: NDArray[np.bool_], codes: Codes) -> None:
        """Codes of finished games, by their shares."""
        endings, number = self.endings(effect, ended)
        codes[ended] = np.array([self.constants.code(shares) for shares in endings], dtype=np.int32)[number]

    def endings(self, ends: Transition, ended: NDArray[np.bool_]) -> tuple[list[tuple[Fraction, ...]], Ints]:
        """Distinct shares at the ends of games, with sum 1 where there are several, and the index of each board's.

        The indices are of all boards that end, or one for all of them.
        """
        n = self.uses.n_shares
        if ends.shares is None or len(ends.shares) != n:
            how = "without shares" if ends.shares is None else f"with {len(ends.shares)} shares instead of {n}"
            raise ModelError(f"a result of {self.game} ends the game {how}")
        rows = [np.broadcast_to(np.asarray(row, dtype=np.int64), len(ended))[ended] for row in ends.shares]
        wrong = np.min(rows, axis=0) < 0
        if n > 1:
            wrong |= np.sum(rows, axis=0) != ends.per
        if wrong.any() or np.max(rows, initial=0) > ends.per:
            raise ModelError(f"a result of {self.game} gives shares that are not 1 together")
        if (ends.per + 1) ** n >= MAX_SHARE_KEYS:
            raise ModelError(f"{self.game} shares a win in too fine parts")
        key = np.zeros(len(rows[0]), dtype=np.int64)
        for row in rows:
            key = key * (ends.per + 1) + row
        if key.min() == key.max():
            key = key[:1]  # mostly all end alike
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return [tuple(Fraction(int(row[place]), ends.per) for row in rows) for place in first], number

    # --- look-ups ----------------------------------------------------------------------------------------------------

    def _look_up(self, number: int, block: Block) -> LookUp | None:
        """The look-up of a result for these boards, built if need be; None where there is none."""
        if len(block.boards) < MIN_BOARDS_LOOKED_UP or number in self._not_looked_up or not self.space.is_product:
            return None
        for look_up in self._look_ups.get(number, []):
            if look_up.is_for(block):
                return look_up
        new = self._build_look_up(number, block)
        if new is None:
            self._not_looked_up.add(number)
        else:
            self._look_ups.setdefault(number, []).append(new)
        return new

    def _all_look_ups(self, name: bytes, block: Block) -> LookUps | None:
        """Joined look-ups of all ends of that name for these boards; None where one is missing or leads off them."""
        cached = self._joined.setdefault(name, [])
        for candidate in cached:
            if candidate.is_for(block):
                return candidate
        look_ups = []
        for leaf_id in self._ends[name].first.tolist():
            leaf = self.graph.leaves[leaf_id]
            look_up = self._look_up(leaf.result, block) if leaf.result != NO_RESULT else None
            if look_up is None or look_up.is_outside is not None:
                return None
            look_ups.append(look_up)
        joined = LookUps(look_ups)
        cached.append(joined)  # other threads append theirs
        self._note_size(self.own)
        return joined

    def _build_look_up(self, number: int, block: Block) -> LookUp | None:
        """The look-up of a result over all combinations of the fields it reads; None where it is too large."""
        result = self.graph.results[number]
        if not isinstance(self.game.transition(ProbeColumns(block), result).next, Changes):
            return None
        names: list[str] = []
        while True:
            entries = prod(self.space.parts[name].size for name in names)
            if entries > min(MAX_LOOK_UP_ENTRIES, self.space.size // MIN_BOARDS_PER_ENTRY):
                return None
            watched = RestrictedColumns(self.space, names, block)
            try:
                with np.errstate(all="ignore"):  # impossible combinations may divide by 0
                    effect = self.game.transition(watched, result)
                break
            except MissingField as missing:
                if missing.name is None:
                    return None
                names.append(missing.name)
        is_outside = np.zeros(len(watched), dtype=bool)

        def following(goes_on: Any) -> Ints:
            shift = np.zeros(len(watched), dtype=np.int64)
            for name, column in (effect.next or {}).items():
                stride, _ = self.space.place_of(name)
                rank = self.space.parts[name].rank(column, len(watched))
                shift += stride * (rank - watched.ranks[name])
                is_outside[:] |= rank < 0
            is_outside[:] &= goes_on
            return shift

        codes = np.empty(len(watched), dtype=np.int32)
        try:
            reading = self._read(effect, len(watched), following, result)
            reward = self._code(reading, codes)
        except ModelError:  # perhaps only on impossible combinations: ``transition`` itself decides
            return None
        relative = reading.column(reading.goes_on).astype(np.int32)
        return LookUp(tuple(names), watched.derived, codes, relative, reward, is_outside if is_outside.any() else None)


# Three-valued columns: True, False, or an array; most results need no array at all.


def _not(column: Any) -> Any:
    return (not column) if isinstance(column, bool) else ~np.asarray(column, dtype=bool)


def _both(lhs: Any, rhs: Any) -> Any:
    if isinstance(lhs, bool):
        return rhs if lhs else False
    if isinstance(rhs, bool):
        return lhs if rhs else False
    return lhs & rhs


def _either(lhs: Any, rhs: Any) -> Any:
    if isinstance(lhs, bool):
        return True if lhs else rhs
    if isinstance(rhs, bool):
        return True if rhs else lhs
    return lhs | rhs
