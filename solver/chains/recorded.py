"""What a luck game's results do to boards, recorded once and run over all of them.

One tape a root: all results of its turn, the rank of the boards that follow and their places included. A result that
cannot be recorded is settled in NumPy, and so are single boards on which a record does not hold (``UNSAID``): those on
which a share of the win depends on the board, and mistakes, which ``settle`` itself has to tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.model import Boards, Settled, TurnGame
from rollwise.solver.turn.record import CannotTrace
from rollwise.solver.turn.settled import Uses
from rollwise.solver.turn.tape import UNSAID, Tape, tape_of
from rollwise.solver.turn.tracing import Recording, Traced, traced_boards, traced_index

Endings = Mapping[tuple[Fraction, ...], int]


class RecordedRoot(NamedTuple):
    """``tape`` stores a code for each of these ``results``, by number; ``plain``: why others are not among them."""

    tape: Tape
    results: NDArray[np.int64]
    plain: dict[int, str]


def recorded_root(
    game: TurnGame, space: Boards, results: tuple[Any, ...], uses: Uses, endings: Endings, bits: int
) -> RecordedRoot:
    """All results of a root; of endings only those that are known have a code."""
    record = Recording()
    plain: dict[int, str] = {}
    codes: dict[int, int] = {}
    for number, result in enumerate(results):
        record.faults.clear()
        try:
            said = game.settle(traced_boards(record, space), result)
            codes[number] = _code(record, space, said, uses, endings, bits)
        except CannotTrace as error:
            plain[number] = str(error)
        except (AttributeError, LookupError, TypeError, ValueError) as error:  # a mistake is told by ``settle`` itself
            plain[number] = str(CannotTrace(f"what raises {type(error).__name__} ({error})"))
    return RecordedRoot(tape_of(record, list(codes.values())), np.array(list(codes), dtype=np.int64), plain)


def _code(record: Recording, space: Boards, said: Settled, uses: Uses, endings: Endings, bits: int) -> int:
    """The node of a result's codes, see ``solver.chains.layout.Follows``."""
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


def _ending(record: Recording, said: Settled, n_shares: int, endings: Endings) -> int | None:
    """The number of the ending, where it is one and the same for all boards and has been met."""
    if said.shares is None or len(said.shares) != n_shares:
        return None
    rows = [record.column(row).ids for row in said.shares]
    numbers = [record.value(int(row)) for row in rows if not row.ndim]
    if len(numbers) < n_shares or None in numbers:
        return None
    return endings.get(tuple(Fraction(number, said.per) for number in numbers if number is not None))
