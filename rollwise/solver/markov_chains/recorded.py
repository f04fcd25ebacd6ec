"""What a luck game says of boards, and what its results do to them, recorded once and run over all of them.

One tape has the level of a board, one its root and its standing. A third has a list a root: all results of its turn,
the rank of the boards that follow and their places included. A result that cannot be recorded is settled in NumPy, and
so are single boards on which a record does not hold (``UNSAID``): those on which a share of the win depends on the
board, and mistakes, which ``transition`` itself has to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.model.game import Boards, Transition, TurnGame
from rollwise.solver.turn.record import CannotTrace
from rollwise.solver.turn.tape import UNSAID, Tape, tape_of
from rollwise.solver.turn.tracing import Recording, Traced, traced_boards, traced_index
from rollwise.solver.turn.transition_reader import Uses
from rollwise.solver.turn.unrank_kernel import unrank
from rollwise.solver.turn.unranking import Unranking, unranking_of

Codes = NDArray[np.int32]
Endings = Mapping[tuple[Fraction, ...], int]


class RecordedBoards(NamedTuple):
    """``level`` says the level of a board, ``none`` where it cannot be; ``about`` its root and its standing."""

    unranking: Unranking
    level: Tape
    about: Tape

    def rows(self, boards: NDArray[Any]) -> Codes:
        """The rows of boards by index, as tapes read them."""
        rows = np.empty((self.unranking.n_rows, len(boards)), dtype=np.int32)
        unrank(self.unranking, boards.astype(np.int64, copy=False), rows)
        return rows


class RecordedResults(NamedTuple):
    """``tape`` has a list for each root: the codes of its ``results``, by number.

    ``plain``: by root, why others are not among them.
    """

    tape: Tape
    results: NDArray[np.int64]
    plain: list[dict[int, str]]

    def of_root(self, root: int) -> Sequence[int]:
        """The results of a root that are recorded."""
        low, high = self.tape.cuts[root : root + 2, 2]
        found: list[int] = self.results[low:high].tolist()
        return found


def recorded_boards(game: TurnGame, space: Boards, none: int) -> RecordedBoards:
    """What a game says of its boards; raises CannotTrace."""
    record = Recording()
    board = traced_boards(record, space)

    def said(word: str, usual: int) -> Any:
        """A word of the game; the usual number where a game leaves it to the house, which counts boards."""
        is_usual = getattr(type(game), word) is getattr(TurnGame, word)
        return record.column(usual if is_usual else getattr(game, word)(board))

    with _mistakes():
        level: Any = np.where(said("possible", 1).astype(bool), said("level", 0), none)
        about = [int(said("root", 0).ids), int(said("standing", game.seats).ids)]
        tapes = tape_of(record, [int(level.ids)]), tape_of(record, about)
    low, high = record.bounds[about[0]]
    if record.faults or low < 0 or high >= len(game.roots()):
        raise CannotTrace("what boards are there and what root they have")
    return RecordedBoards(unranking_of(space), *tapes)


def recorded_results(
    game: TurnGame, space: Boards, results: Sequence[tuple[Any, ...]], uses: Uses, endings: Endings, bits: int
) -> RecordedResults:
    """All results of each root; of endings only those that are known have a code."""
    record = Recording()
    plain: list[dict[int, str]] = []
    codes: list[dict[int, int]] = []
    for of_root in results:
        plain.append({})
        codes.append({})
        for number, result in enumerate(of_root):
            record.faults.clear()
            try:
                with _mistakes():
                    said = game.transition(traced_boards(record, space), result)
                    codes[-1][number] = _code(record, space, said, uses, endings, bits)
            except CannotTrace as error:
                plain[-1][number] = str(error)
    tape = tape_of(record, *(list(of_root.values()) for of_root in codes))
    return RecordedResults(tape, np.array([number for of_root in codes for number in of_root], dtype=np.int64), plain)


@contextmanager
def _mistakes() -> Iterator[None]:
    """A mistake is told by the words themselves, when they are asked for what cannot be recorded."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CannotTrace(f"what raises {type(error).__name__} ({error})") from error


def _code(record: Recording, space: Boards, said: Transition, uses: Uses, endings: Endings, bits: int) -> int:
    """The node of a result's codes, see ``solver.markov_chains.blocks.Follows``."""
    if not uses.keeps_to_words(said):
        raise CannotTrace("a word that this kind of game does not use")
    over = record.column(said.over).astype(bool)
    goes_on = ~over
    ending = _ending(record, said, uses.n_shares, endings)
    if ending is None:
        code, unsaid = record.column(0), over
    else:
        code, unsaid = record.column(-1 - ending), record.column(False)
    if record.value(int(goes_on.ids)) != 0:
        if said.next is None:
            raise CannotTrace("a game that leads nowhere")
        index, outside = traced_index(record, space, said.next)
        place = record.each(record.place, index)
        passes = record.column(said.mover).astype(int)
        wrong = outside | (place < 0) | (passes < 0) | (passes >= uses.seats)
        unsaid = unsaid | (goes_on & wrong)
        code = np.where(goes_on, (np.maximum(place, 0) << bits) + np.clip(passes, 0, uses.seats - 1), code)
    for fault in record.faults:
        unsaid = unsaid | Traced(record, np.array(fault), is_bool=True)
    stored: Any = np.where(unsaid, UNSAID, code)
    return int(stored.ids)


def _ending(record: Recording, said: Transition, n_shares: int, endings: Endings) -> int | None:
    """The number of the ending, where it is one and the same for all boards and has been met."""
    if said.shares is None or len(said.shares) != n_shares:
        return None
    rows = [record.column(row).ids for row in said.shares]
    numbers = [record.value(int(row)) for row in rows if not row.ndim]
    if len(numbers) < n_shares or None in numbers:
        return None
    return endings.get(tuple(Fraction(number, said.per) for number in numbers if number is not None))
