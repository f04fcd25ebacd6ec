"""Every error that a user can cause or meet: one line that says what was wanted, what came, what to do.

And the log of what is amiss and stops nothing.
"""

from __future__ import annotations

import logging
from typing import Any

from rollwise.solver.model.jsonable import Jsonable
from rollwise.solver.model.plain import on_a_line

LONGEST = 1000  # letters of a message


class RollwiseError(Jsonable, Exception):
    """Base of all errors that are shown to a user: a line that says what is wrong, and perhaps one that helps.

    ``hint`` is what to do instead, a line ready to paste where there is one; ``field`` is the name of the field,
    parameter or option that the error is about. Either is empty where there is nothing to say.
    """

    JSON = "error message hint? field?"
    hint: str
    field: str

    def __init__(self, message: str, *, hint: str = "", field: str = "") -> None:
        super().__init__(on_a_line(message, LONGEST))  # whatever it quotes of what came from outside
        self.hint = hint
        self.field = field

    def __reduce__(self) -> Any:
        """All of it, so that the error survives a trip between processes."""
        return type(self), self.args, {"hint": self.hint, "field": self.field}

    def line(self) -> str:
        """The line that a user sees: ``error: ...``."""
        return f"error: {self}"

    @property
    def error(self) -> str:
        """The kind of error."""
        return type(self).__name__

    @property
    def message(self) -> str:
        """What is wrong, in one line."""
        return str(self)


class BadInput(RollwiseError):
    """Something from outside does not fit: an argument, a field, a file name."""


class UnknownGame(BadInput):
    """No game of that name."""


class UnknownName(BadInput):
    """A field, a parameter or a claim that this game does not have."""


class ParameterError(BadInput):
    """A rule parameter outside what the rules allow."""


class DiceError(BadInput):
    """Faces outside 1-6, or the wrong number of dice."""


class StateError(BadInput):
    """A state of the game that cannot occur, and why; or that leaves nothing to ask, where ``over`` says how it ended.

    ``over`` is a sentence without its capital, "the turn is over with 3 points"; it is said behind the reason.
    """

    def __init__(self, message: str = "", *, over: str = "", hint: str = "", field: str = "") -> None:
        super().__init__(", ".join(filter(None, (message, over))), hint=hint, field=field)
        self.reason = message
        self.over = over

    def __reduce__(self) -> Any:
        """With how it ended."""
        return type(self), self.args, vars(self)

    def line(self) -> str:
        """The line that a user sees; no error is what only ended."""
        ended = self.over[:1].upper() + self.over[1:]
        return (f"{ended}: {self.reason}." if self.reason else f"{ended}.") if self.over else super().line()


class NotConverged(RollwiseError):
    """The certified interval did not become as narrow as asked; ``gap`` is the width reached."""

    def __init__(self, message: str, gap: float) -> None:
        super().__init__(message)
        self.gap = gap

    def __reduce__(self) -> Any:
        """With the gap."""
        return type(self), (str(self), self.gap)


class TooLarge(RollwiseError):
    """The question is well put, but its answer in this form would not fit or not end in time."""


class ModelError(RollwiseError):
    """A game file breaks the rules for game files; the message names the state."""


for _error in (
    *(RollwiseError, BadInput, UnknownGame, UnknownName, ParameterError, DiceError, StateError),
    *(NotConverged, TooLarge, ModelError),
):
    _error.__module__ = "rollwise"  # where users import them from; a traceback names it


# --- what is amiss and stops nothing -------------------------------------------------------------------------------

LOG = logging.getLogger("rollwise.notes")
LOG.addHandler(logging.NullHandler())  # a program that sets up no logging is told nothing
UNTOLD = [True]  # empty once it is told


def complain(text: str) -> None:
    """Note in a line what is amiss; only the first time in a process."""
    if UNTOLD:
        UNTOLD.clear()
        LOG.warning("%s", text)
