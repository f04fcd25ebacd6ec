"""How the server was started."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from rollwise.solver.game.errors import BadInput

PORT = 8606
HERE = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
LOCALHOST = "localhost"
MAY_BEGIN = "may begin"  # what a request is told of itself: may it begin a solve?

SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,3})?) ?([KMGT])B|0", re.IGNORECASE)

KEEP = "2GB"
Allowed = Literal["none", "small", "all"]
ALLOWED: tuple[str, ...] = get_args(Allowed)


def size_in_bytes(size: str) -> int:
    """How many bytes a size has.

    >>> size_in_bytes("2GB"), size_in_bytes("1.5 mb"), size_in_bytes("0")
    (2000000000, 1500000, 0)
    """
    number = SIZE.fullmatch(size.strip())
    if number is None:
        raise BadInput(f"--keep is a size like 2GB, 500MB or 0, got '{size}'", field="keep")
    return round(float(number[1]) * 1000 ** " KMGT".index(number[2].upper())) if number[1] else 0


@dataclass(frozen=True)
class Settings:
    """Where the server listens, and what it does for whom.

    ``lan``: it is reached from other devices of the network, by its address. ``allow_hosts``: further names by which it
    may be called. ``allow_solve``: which unsolved games are solved when somebody asks (``small``: planned under 20 s
    and 1 GB). ``log_states``: are the questions themselves in the access log? ``keep``: so many bytes of what servers
    have solved stay in the cache. ``most_seconds``: after so many whatever is still worked out is given up; tables that
    are sent take their time.
    """

    host: str = HERE
    port: int = PORT
    lan: bool = False
    allow_hosts: tuple[str, ...] = ()
    allow_solve: Allowed = "small"
    log_states: bool = False
    keep: int = size_in_bytes(KEEP)
    most_seconds: float = 60.0
