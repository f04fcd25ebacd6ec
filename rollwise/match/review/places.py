"""Where in a record something stands, and errors that say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rollwise.solver.game.errors import BadInput


@dataclass(frozen=True)
class Place:
    """A line of a record, counted from 1, and in what was typed by hand a column.

    >>> print(Place(3), "/", Place(3, 7))
    line 3 / line 3, column 7
    """

    line: int
    column: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}" + ("" if self.column is None else f", column {self.column}")


@contextmanager
def placed(place: Place) -> Iterator[None]:
    """Errors inside say where they are."""
    try:
        yield
    except BadInput as error:
        raise type(error)(f"{place}: {error}", hint=error.hint, field=error.field) from None
