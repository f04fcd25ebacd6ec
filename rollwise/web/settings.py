"""How the server was started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from rollwise.cache.settings import limit, size_in_bytes
from rollwise.solver.model.errors import BadInput

PORT = 8606
HERE = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
LOCALHOST = "localhost"
MAY_BEGIN = "may begin"  # what a request is told of itself: may it begin a solve?
BODY = "body"  # and what came with it

KEEP = 2 * 10**9  # bytes
Allowed = Literal["none", "small", "all"]
ALLOWED: tuple[str, ...] = get_args(Allowed)


def room(size: str | None) -> int:
    """So many bytes of the cache stay: what was typed after ``--keep``, else the limit of the cache, else 2 GB."""
    found = limit() if size is None else size_in_bytes(size)
    if size is not None and found is None:
        raise BadInput(f"--keep is a size like 2GB, 500MB or 0, got '{size}'", field="keep")
    return KEEP if found is None else found


@dataclass(frozen=True)
class Settings:
    """Where the server listens, and what it does for whom.

    ``lan``: it is reached from other devices of the network, by its address. ``allow_hosts``: further names by which it
    may be called. ``allow_solve``: which unsolved games are solved when somebody asks (``small``: planned under 20 s
    and 1 GB). ``log_states``: are the questions themselves in the access log? ``keep``: so many bytes of what servers
    have solved stay in the cache, or of everything where it has a limit. ``most_seconds``: after so many whatever is
    still worked out is given up; tables that are sent take their time.
    """

    host: str = HERE
    port: int = PORT
    lan: bool = False
    allow_hosts: tuple[str, ...] = ()
    allow_solve: Allowed = "small"
    log_states: bool = False
    keep: int = KEEP
    most_seconds: float = 60.0
