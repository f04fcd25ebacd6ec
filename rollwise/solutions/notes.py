"""Notes beside the answer: on stderr for a command, to a program by its ``logging``."""

from __future__ import annotations

import logging
import sys

from rollwise.solver.model.errors import LOG


class _Terminal(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        print(f"rollwise: {record.getMessage()}", file=sys.stderr)


TERMINAL = _Terminal()


def write_to_terminal() -> None:
    """Write notes, and bars of progress, to stderr from now on, as commands do."""
    LOG.addHandler(TERMINAL)
    LOG.propagate = False


def is_command_line() -> bool:
    """True in a process of the command line, or of its server."""
    return TERMINAL in LOG.handlers


def note(text: str) -> None:
    """Log a line beside the answer."""
    LOG.warning("%s", text)
