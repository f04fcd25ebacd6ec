"""How the server was started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

PORT = 8606
HERE = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
LOCALHOST = "localhost"

Allowed = Literal["none", "small", "all"]
ALLOWED: tuple[str, ...] = get_args(Allowed)


@dataclass(frozen=True)
class Settings:
    """Where the server listens, and what it does for whom.

    ``lan``: it is reached from other devices of the network, by its address. ``allow_hosts``: further names by which it
    may be called. ``allow_solve``: which unsolved games are solved when somebody asks (``small``: planned under 20 s
    and 1 GB). ``log_states``: are the questions themselves in the access log? ``most_seconds``: after so many
    whatever is still worked out is given up; tables that are sent take their time.
    """

    host: str = HERE
    port: int = PORT
    lan: bool = False
    allow_hosts: tuple[str, ...] = ()
    allow_solve: Allowed = "small"
    log_states: bool = False
    most_seconds: float = 60.0
