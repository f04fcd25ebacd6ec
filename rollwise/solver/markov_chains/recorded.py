"""Tapes of a luck game: levels, roots and transitions of boards, recorded once and run over all boards.

One tape has the level of a board, one its root and its standing. A third has a list a root: all results of its turn,
with index and place of the boards that follow. A result that cannot be recorded is read in NumPy, and so are single
boards on which a record does not hold (``NO_RESULT_ON_TAPE``): those on which a share of the win depends on the board,
and mistakes of the game, which ``transition`` itself raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Boards, Transition, TurnGame
from rollwise.solver.model.spaces import Enumerated, Nested, Part, Span, Split, Standing
from rollwise.solver.turn.record import CannotTrace
from rollwise.solver.turn.tape import NO_RESULT_ON_TAPE, Tape, compile_tape
from rollwise.solver.turn.tape_kernel import unrank
from rollwise.solver.turn.tracing import Recording, Traced, traced_boards, traced_index
from rollwise.solver.turn.transitions import UsedFields

Codes = NDArray[np.int32]
Endings = Mapping[tuple[Fraction, ...], int]
Ints = NDArray[np.int64]


class RecordedBoards(NamedTuple):
    """Tapes of boards: ``level`` has the level, ``none`` for impossible boards; ``about`` has root and standing."""

    unranking: Unranking
    level: Tape
    about: Tape

    def rows(self, boards: NDArray[Any]) -> Codes:
        """The rows of boards by index, as tapes read them."""
        rows = np.empty((self.unranking.n_rows, len(boards)), dtype=np.int32)
        unrank(self.unranking, boards.astype(np.int64, copy=False), rows)
        return rows


class RecordedResults(NamedTuple):
    """Tape of results: ``tape`` has a list for each root, the codes of its ``results``, by number.

    ``plain``: by root and number, the reason why a result is not recorded.
    """

    tape: Tape
    results: NDArray[np.int64]
    plain: list[dict[int, str]]

    def of_root(self, root: int) -> Sequence[int]:
        """Numbers of the recorded results of a root."""
        low, high = self.tape.cuts[root : root + 2, 2]
        numbers: list[int] = self.results[low:high].tolist()
        return numbers


def trace_boards(game: TurnGame, space: Boards, none: int) -> RecordedBoards:
    """Record possible boards, level, root and standing of a game; raises CannotTrace."""
    record = Recording()
    board = traced_boards(record, space)

    def field_column(method: str, usual: int) -> Any:
        """A method of the game; the default where the game inherits it, since the inherited one counts boards."""
        is_usual = getattr(type(game), method) is getattr(TurnGame, method)
        return record.column(usual if is_usual else getattr(game, method)(board))

    with _mistakes_cannot_trace():
        level: Any = np.where(field_column("possible", 1).astype(bool), field_column("level", 0), none)
        about = [int(field_column("root", 0).ids), int(field_column("standing", game.seats).ids)]
        tapes = compile_tape(record, [int(level.ids)]), compile_tape(record, about)
    low, high = record.bounds[about[0]]
    if record.faults or low < 0 or high >= len(game.roots()):
        raise CannotTrace("what boards are there and what root they have")
    return RecordedBoards(unranking_tables(space), *tapes)


def trace_results(
    game: TurnGame, space: Boards, results: Sequence[tuple[Any, ...]], uses: UsedFields, endings: Endings, bits: int
) -> RecordedResults:
    """Record all results of each root; only ``endings`` have a code."""
    record = Recording()
    plain: list[dict[int, str]] = []
    codes: list[dict[int, int]] = []
    for of_root in results:
        plain.append({})
        codes.append({})
        for number, result in enumerate(of_root):
            record.faults.clear()
            try:
                with _mistakes_cannot_trace():
                    transition = game.transition(traced_boards(record, space), result)
                    codes[-1][number] = _code(record, space, transition, uses, endings, bits)
            except CannotTrace as error:
                plain[-1][number] = str(error)
    tape = compile_tape(record, *(list(of_root.values()) for of_root in codes))
    return RecordedResults(tape, np.array([number for of_root in codes for number in of_root], dtype=np.int64), plain)


@contextmanager
def _mistakes_cannot_trace() -> Iterator[None]:
    """Turn mistakes of a game into CannotTrace; the plain call raises them again where they matter."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CannotTrace(f"what raises {type(error).__name__} ({error})") from error


def _code(
    record: Recording, space: Boards, transition: Transition, uses: UsedFields, endings: Endings, bits: int
) -> int:
    """The record's node of a result's codes, see ``solver.markov_chains.blocks.SuccessorCodes``."""
    if not uses.is_supported(transition):
        raise CannotTrace("a word that this kind of game does not use")
    over = record.column(transition.over).astype(bool)
    goes_on = ~over
    ending = _ending(record, transition, uses.n_shares, endings)
    if ending is None:
        code, unrecorded = record.column(0), over
    else:
        code, unrecorded = record.column(-1 - ending), record.column(False)
    if record.value(int(goes_on.ids)) != 0:
        if transition.next is None:
            raise CannotTrace("a game that leads nowhere")
        index, outside = traced_index(record, space, transition.next)
        place = record.each(record.place, index)
        passes = record.column(transition.mover).astype(int)
        wrong = outside | (place < 0) | (passes < 0) | (passes >= uses.seats)
        unrecorded = unrecorded | (goes_on & wrong)
        code = np.where(goes_on, (np.maximum(place, 0) << bits) + np.clip(passes, 0, uses.seats - 1), code)
    for fault in record.faults:
        unrecorded = unrecorded | Traced(record, np.array(fault), is_bool=True)
    stored: Any = np.where(unrecorded, NO_RESULT_ON_TAPE, code)
    return int(stored.ids)


def _ending(record: Recording, transition: Transition, n_shares: int, endings: Endings) -> int | None:
    """The number of the ending where it is the same on all boards and has a number."""
    if transition.shares is None or len(transition.shares) != n_shares:
        return None
    rows = [record.column(row).ids for row in transition.shares]
    numbers = [record.value(int(row)) for row in rows if not row.ndim]
    if len(numbers) < n_shares or None in numbers:
        return None
    return endings.get(tuple(Fraction(number, transition.per) for number in numbers if number is not None))


class Unranking(NamedTuple):
    """``parts``: int64, a row a part: ranks, first row, rows that are the same in a group (-1: a split), later rows,
    groups, and where the part starts in ``table``.

    There each group has its first rank, its fixed numbers, and for each later row the lowest number and a count; one
    more first rank ends them. A split has the lowest number of each place, the amount to split, then its ``ways``; its
    later rows are those with ways.
    """

    parts: Ints
    table: Ints
    n_rows: int


def unranking_tables(space: Boards) -> Unranking:
    """Tables by which ``unrank_kernel`` turns ranks of a space into numbers; CannotTrace for parts of unknown classes.

    Every part but a ``Split`` is *groups* of ranks that follow each other: the first numbers are the same in a group,
    and the later ones are the digits of the rank in it, the last one fastest.
    """
    parts, tables, row, start = [], [], 0, 0
    for name, part in space.parts.items():
        if type(part) is Split:
            shape, table = (-1, len(part.ways), part.length), np.concatenate([part.low, [part.room], *part.ways])
        else:
            shape, table = _groups(name, part)
        parts.append((part.size, row, *shape, start))
        row += len(part.bounds)
        start += len(table)
        tables.append(table)
    return Unranking(np.array(parts, dtype=np.int64), np.concatenate(tables, dtype=np.int64), row)


def _groups(name: str, part: Part) -> tuple[tuple[int, int, int], Any]:
    """Fixed rows, later rows and groups of a part, and its table."""
    firsts: Any
    fixed: Any = []
    later: list[tuple[Any, Any]] = []
    if type(part) is Span:
        firsts, later = [0, part.size], [(part.numbers.start, part.size)]
    elif type(part) is Enumerated:
        firsts, fixed = range(part.size + 1), part.lists
    elif type(part) is Nested:
        firsts, fixed, later = part.offsets, part.outer_of, list(zip(part.low, part.count, strict=True))
    elif type(part) is Standing:
        firsts, standing = part.offsets, np.arange(part.fewest, part.length + 1)
        for place in range(part.length):
            stands = standing > place
            count = np.where(stands, len(part.numbers), 1)
            later.append((np.where(stands, part.numbers.start, part.numbers.stop), count))
    else:
        raise CannotTrace(f"the boards of '{name}'")
    rows = [firsts[:-1], *fixed, *(row for numbers in later for row in numbers)]
    of_group = np.array(np.broadcast_arrays(*rows)).T
    shape = len(fixed), len(later), len(of_group)
    return shape, np.concatenate([of_group.ravel(), [part.size]])
