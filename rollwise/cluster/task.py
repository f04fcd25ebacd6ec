"""The unit of work that runs here or on another machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Task(NamedTuple):
    """A call that another process can make: a function of a module, and plain arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
