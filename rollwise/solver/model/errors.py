"""Errors that users can meet, each in one line (expected, received, remedy), and the log of minor faults."""

from __future__ import annotations

import logging
from typing import Any

from rollwise.solver.model.plain import one_line

MAX_MESSAGE_CHARS = 1000


class RollwiseError(Exception):
    """Base of all errors shown to a user: one line with the fault, and where possible one with a remedy.

    ``hint`` is the remedy, a line ready to paste where there is one; ``field`` is the name of the field, parameter or
    option that the error is about. Either may be empty.
    """

    hint: str
    field: str

    def __init__(self, message: str, *, hint: str = "", field: str = "") -> None:
        super().__init__(one_line(message, MAX_MESSAGE_CHARS))  # it may quote any text from outside
        self.hint = hint
        self.field = field

    def __reduce__(self) -> Any:
        """All attributes, so that the error survives a trip between processes."""
        return type(self), self.args, {"hint": self.hint, "field": self.field}

    def line(self) -> str:
        """The line that a user sees: ``error: ...``."""
        return f"error: {self}"

    def plain(self) -> dict[str, str]:
        """The error as JSON."""
        keys = {"error": type(self).__name__, "message": str(self), "hint": self.hint, "field": self.field}
        return {name: text for name, text in keys.items() if text or name == "message"}


class BadInput(RollwiseError):
    """An input that does not fit: an argument, a field, a file name."""


class UnknownGame(BadInput):
    """No game of that name."""


class UnknownName(BadInput):
    """A field, a parameter or a claim that this game does not have."""


class ParameterError(BadInput):
    """A rule parameter outside what the rules allow."""


class DiceError(BadInput):
    """Faces outside 1-6, or the wrong number of dice."""


class StateError(BadInput):
    """A state of the game that cannot occur, with the reason; or one without a question, ``over`` being how it ended.

    ``over`` is a sentence without its capital, "the turn is over with 3 points"; it comes after the reason.
    """

    def __init__(self, message: str = "", *, over: str = "", hint: str = "", field: str = "") -> None:
        super().__init__(", ".join(filter(None, (message, over))), hint=hint, field=field)
        self.reason = message
        self.over = over

    def __reduce__(self) -> Any:
        """The error, with ``over``."""
        return type(self), self.args, vars(self)

    def line(self) -> str:
        """The line that a user sees; a game or turn that is merely over is no error."""
        sentence = self.over[:1].upper() + self.over[1:]
        return (f"{sentence}: {self.reason}." if self.reason else f"{sentence}.") if self.over else super().line()


class NotConverged(RollwiseError):
    """The certified interval is wider than the tolerance; ``gap`` is the width reached."""

    def __init__(self, message: str, gap: float) -> None:
        super().__init__(message)
        self.gap = gap

    def __reduce__(self) -> Any:
        """With the gap."""
        return type(self), (str(self), self.gap)


class TooLarge(RollwiseError):
    """A valid question whose answer in this form would take too much memory or time."""


class ModelError(RollwiseError):
    """A game file breaks the rules for game files; the message names the state."""


for _error in (
    *(RollwiseError, BadInput, UnknownGame, UnknownName, ParameterError, DiceError, StateError),
    *(NotConverged, TooLarge, ModelError),
):
    _error.__module__ = "rollwise"  # where users import them from; a traceback names it


# --- minor faults that stop nothing --------------------------------------------------------------------------------

LOG = logging.getLogger("rollwise.notes")
LOG.addHandler(logging.NullHandler())  # a program that sets up no logging gets no line
NOT_LOGGED = [True]  # empty once a fault is logged


def log_once(text: str) -> None:
    """Log a minor fault in one line, the first one of a process only."""
    if NOT_LOGGED:
        NOT_LOGGED.clear()
        LOG.warning("%s", text)
