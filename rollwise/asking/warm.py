"""``warm``: what the first answers of a new machine would wait for is compiled, and solved, beforehand."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from rollwise.asking.forecast import forecast
from rollwise.asking.solve import solve
from rollwise.parsing.validate import the_game
from rollwise.solutions.games import require_kept
from rollwise.solver.model.errors import BadInput, RollwiseError

ELSEWHERE = "ROLLWISE_KERNELS=FOLDER rollwise warm"
LEAST = 1 << 20  # bytes that machine code takes at least
Sizes = Sequence[tuple[str, Mapping[str, int]]]  # games and their parameters


@dataclass(frozen=True)
class Warmed:
    """What was done, how long it took, and how many kernels were compiled for it."""

    done: str
    seconds: float
    kernels: int

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {"done": self.done, "seconds": round(self.seconds, 1), "kernels": self.kernels}


def warm(games: Sequence[str], to_solve: Sizes, to_forecast: Sizes) -> list[Warmed]:
    """Compile the kernels that these sizes need, of which nothing else is kept; then solve ``games`` and keep them.

    Raises BadInput for a game that there is not, RollwiseError where what is compiled cannot be kept, StoreError where
    a game cannot.
    """
    for name in games:
        the_game(name, {})
    with _nothing_kept() as root:
        _require_place(root)
        found = [_timed(f"solve {name}", solve, name, params) for name, params in to_solve]
        found += [_timed(f"forecast {name}", forecast, name, params) for name, params in to_forecast]
        if not any(root.glob("*/*-*")):
            raise RollwiseError(
                f"what is compiled cannot be kept in {root}: it must be yours, and nobody else's to write"
            )
    for name in games:
        found.append(_timed(f"solve {name}, kept", solve, name, {}))
        require_kept(the_game(name, {}))
    return found


def _require_place(root: Path) -> None:
    """Raise RollwiseError, with the reason, before anything is compiled that cannot be kept."""
    from rollwise.solver.turn.kept_kernels import require_ours

    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        require_ours(root)
        with TemporaryFile(dir=root) as file:
            file.write(bytes(LEAST))
    except OSError as error:
        reason = error.strerror or str(error)
        raise RollwiseError(f"what is compiled cannot be kept in {root}: {reason}", hint=ELSEWHERE) from error


def _timed(what: str, do: Callable[..., Any], name: str, params: Mapping[str, int]) -> Warmed:
    from rollwise.solver.turn import compile_listeners

    compiles: list[bool] = []
    compile_listeners.LISTENERS.append(compiles.append)
    began = time.monotonic()
    try:
        do(name, params=params)
    finally:
        compile_listeners.LISTENERS.remove(compiles.append)
    return Warmed(what, time.monotonic() - began, sum(compiles))


@contextmanager
def _nothing_kept() -> Iterator[Path]:
    """Solved games are forgotten here; machine code is kept, in the folder that this gives."""
    from rollwise.solver.turn.kept_kernels import kernels_root

    names = "ROLLWISE_CACHE", "ROLLWISE_KERNELS"
    before = {name: os.environ.get(name) for name in names}
    try:
        root = kernels_root()
    except RuntimeError:
        raise BadInput("machine code has nowhere to be kept: this user has no home folder", hint=ELSEWHERE) from None
    with TemporaryDirectory() as folder:
        os.environ |= dict(zip(names, (folder, str(root)), strict=True))
        try:
            yield root
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value
