"""What boards say of themselves, as columns: their fields, and the points on their sheets.

To ask ``describe`` and ``locate`` takes tens of microseconds a board, half an hour where there are 29 million. But
often each part of a board says its own (a group of boxes says what is in them). So only boards are asked of which a
single part is not as in the first board of the game, and what the parts say is put together: scores by all of them, any
other field by the one part that changes it; points add up. Whether a game's boards are like that is checked on boards
taken at random, as with everything that is laid together (``decisions.Sheet.check``).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rollwise.solver.game.fields import Field, Number, Scores
from rollwise.tables.decisions import Board, Fields, Interwoven, Sheet, Slice, cell

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
WORTH_IT = 4  # so many times more boards than ranks of their parts


@dataclass(frozen=True)
class BoardFields:
    """The constant fields of a sheet on some boards: Arrow arrays by name; ``more``: points that its rows have more."""

    columns: dict[str, Any]
    more: Floats

    def of(self, lane: int) -> tuple[Fields, float]:
        """Those of one board, as cells of a table."""
        return {name: column[lane].as_py() for name, column in self.columns.items()}, float(self.more[lane])


def as_column(field: Field, rows: list[Fields]) -> Any:
    """A field of some rows: numbers as they are, anything else as it is typed; absent ones null."""
    import pyarrow as pa

    return pa.array([cell(field, row) for row in rows], pa.int64() if isinstance(field, Number) else pa.string())


def one_by_one(sheet: Sheet, boards: list[Board]) -> BoardFields:
    """Every board asked."""
    said = [sheet.on(board) for board in boards]
    more = [sheet.more_points(board, part) for board, part in zip(boards, said, strict=True)]
    columns = {name: as_column(sheet.known[name], said) for name in sheet.known if name in sheet.constant}
    return BoardFields(columns, np.array(more))


class Parts:
    """What each part of the boards of a sheet says: asked once a rank, with the other parts as in the first board.

    Raises Interwoven where that cannot tell what a board says.
    """

    def __init__(self, chosen: Slice, root: int, sheet: Sheet) -> None:
        self.space = chosen.space
        start = self.space.index_of(**chosen.game.first_board())
        self.places = [self.space.place_of(name) for name in self.space.names]
        asked = [start + (np.arange(size) - start // stride % size) * stride for stride, size in self.places]
        everywhere = np.concatenate(asked)
        columns = self.space.columns(everywhere)
        roots = np.asarray(chosen.game.root(columns))
        if start < 0 or not np.all(chosen.game.possible(columns)) or not np.all(roots == root):
            raise Interwoven
        first = chosen.boards(np.array([start]))[0]
        base = sheet.on(first)
        self.points = sheet.more_points(first, base)
        self.extra: list[Floats] = []  # points by part and rank, beyond those of the first board
        said: list[list[Fields]] = []
        for indices in asked:
            boards = chosen.boards(indices)
            said.append([sheet.on(board) for board in boards])
            more = [sheet.more_points(board, part) for board, part in zip(boards, said[-1], strict=True)]
            self.extra.append(np.array(more) - self.points)
        constant = [field for name, field in sheet.known.items() if name in sheet.constant]
        self.fields = {field.name: _Words(field, base, said) for field in constant}

    def on(self, boards: Ints) -> BoardFields:
        """The fields and points of these boards."""
        ranks = [boards // stride % size for stride, size in self.places]
        more = np.full(len(boards), self.points)
        for extra, rank in zip(self.extra, ranks, strict=True):
            if extra.any():
                more += extra[rank]
        return BoardFields({name: words.on(ranks) for name, words in self.fields.items()}, more)


class _Words:
    """One field, as the parts say it: ``columns`` are (part, what it says by rank).

    Scores stand in the order of the sheet, so a part may speak more than once; each entry begins with a comma, and
    ``empty`` is what a sheet without any is.
    """

    def __init__(self, field: Field, base: Fields, said: list[list[Fields]]) -> None:
        self.empty: str | None = None
        if isinstance(field, Scores):
            if base.get(field.name) != {}:
                raise Interwoven
            self.empty = field.show({})
            self.columns = _scores(field, [[one.get(field.name) or {} for one in of_part] for of_part in said])
            return
        at_start = cell(field, base)
        speak = [part for part, of_part in enumerate(said) if any(cell(field, one) != at_start for one in of_part)]
        if len(speak) > 1:
            raise Interwoven
        self.columns = [(part, as_column(field, said[part])) for part in speak or [0]]

    def on(self, ranks: list[Ints]) -> Any:
        """The column on boards of these ranks by part."""
        import pyarrow as pa
        import pyarrow.compute as pc

        spoken = [column.take(pa.array(ranks[part])) for part, column in self.columns]
        if self.empty is None:
            return spoken[0]
        joined = pc.binary_join_element_wise(pa.array([""] * len(ranks[0])), *spoken, "")
        return pc.if_else(pc.equal(joined, ""), self.empty, pc.utf8_slice_codeunits(joined, 1))


def _scores(field: Scores, sheets: list[list[dict[str, int]]]) -> list[tuple[int, Any]]:
    """(part, entries by rank) in the order of the sheet; ``sheets``: what each part says, by rank."""
    import pyarrow as pa

    said_by: dict[str, int] = {}
    for part, of_part in enumerate(sheets):
        for box in {box for sheet in of_part for box in sheet}:
            if said_by.setdefault(box, part) != part:
                raise Interwoven
    columns = []
    for part, boxes in groupby((box for box in field.allowed if box in said_by), key=lambda box: said_by[box]):
        together = list(boxes)
        held = [{box: sheet[box] for box in together if box in sheet} for sheet in sheets[part]]
        columns.append((part, pa.array(["," + field.show(some) if some else "" for some in held], pa.string())))
    return columns
