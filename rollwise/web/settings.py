"""Settings of the server, from its command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from rollwise.cache.settings import parse_size, read_limit
from rollwise.solver.model.errors import BadInput

PORT = 8606
LOOPBACK = "127.0.0.1"
ALL_INTERFACES = "0.0.0.0"
LOCALHOST = "localhost"
MAY_BEGIN = "may begin"  # key of a request's scope: whether it may begin a solve
BODY = "body"  # key of a request's scope: its body

DEFAULT_KEEP_BYTES = 2 * 10**9
Allowed = Literal["none", "small", "all"]
ALLOWED: tuple[str, ...] = get_args(Allowed)


def parse_keep(size: str | None) -> int:
    """Parse ``--keep`` into bytes; without it the limit of the cache, else 2 GB. Raises BadInput."""
    n_bytes = read_limit() if size is None else parse_size(size)
    if size is not None and n_bytes is None:
        raise BadInput(f"--keep is a size like 2GB, 500MB or 0, got '{size}'", field="keep")
    return DEFAULT_KEEP_BYTES if n_bytes is None else n_bytes


@dataclass(frozen=True)
class Settings:
    """Address and permissions of the server.

    ``lan``: other devices of the network reach it by its address. ``allow_hosts``: further valid host names.
    ``allow_solve``: unsolved games that are solved on request (``small``: planned under 20 s and 1 GB). ``log_states``:
    the access log has the questions. ``keep``: bytes of entries solved by servers that stay in the cache, or of all
    entries if it has a limit. ``timeout_s``: limit of an answer, except for tables.
    """

    host: str = LOOPBACK
    port: int = PORT
    lan: bool = False
    allow_hosts: tuple[str, ...] = ()
    allow_solve: Allowed = "small"
    log_states: bool = False
    keep: int = DEFAULT_KEEP_BYTES
    timeout_s: float = 60.0
