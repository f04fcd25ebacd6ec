"""``warm``: compile and solve beforehand, so that the first answers on a new machine need not wait."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Annotated, Any

import typer

from rollwise.cache.errors import StoreError
from rollwise.parsing.validate import parse_game
from rollwise.questions.forecast.compute import forecast
from rollwise.questions.options import Json, print_answer
from rollwise.questions.solve import solve
from rollwise.solutions.lookup import require_stored
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.turn.kernel_cache import kernels_root, require_ours
from rollwise.solver.turn.kernel_compiles import KERNEL_COMPILES
from rollwise.text.layout import align_columns

ELSEWHERE = "ROLLWISE_KERNELS=FOLDER rollwise warm"
MIN_FREE_BYTES = 1 << 20  # machine code takes at least as much
Sizes = Sequence[tuple[str, Mapping[str, int]]]  # games and their parameters
# the fewest games that compile all kernels but those of the largest games
SOLVED: Sizes = (
    ("pig", {}),  # duels
    ("zilch", {"goal": 2500}),  # and their levels of few boards
    ("piggy-six", {"players": 3, "target": 20}),  # tables
    ("thunderstorm", {"players": 5}),  # luck
)
FORECAST: Sizes = (("yahtzee", {}),)


@dataclass(frozen=True)
class WarmupStep:
    """A finished step of warming: its description, seconds, and number of kernels compiled."""

    done: str
    seconds: float
    kernels: int

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {"done": self.done, "seconds": round(self.seconds, 1), "kernels": self.kernels}


def warm(games: Sequence[str], to_solve: Sizes, to_forecast: Sizes) -> list[WarmupStep]:
    """Compile and store the kernels that these sizes need, and nothing else of them; then solve and store ``games``.

    Raises BadInput for an unknown game, RollwiseError where machine code cannot be stored, StoreError where a solution
    cannot.
    """
    for name in games:
        parse_game(name, {})
    with _temporary_cache() as root:
        _require_place(root)
        steps = [_timed(f"solve {name}", solve, name, params) for name, params in to_solve]
        steps += [_timed(f"forecast {name}", forecast, name, params) for name, params in to_forecast]
        if not any(root.glob("*/*-*")):
            raise RollwiseError(
                f"machine code cannot be stored in {root}: it must be yours, and writable by no other user"
            )
    for name in games:
        steps.append(_timed(f"solve {name}, kept", solve, name, {}))
        require_stored(parse_game(name, {}))
    return steps


def _require_place(root: Path) -> None:
    """Raise RollwiseError, with the reason, if machine code cannot be stored in this folder."""
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        require_ours(root)
        with TemporaryFile(dir=root) as file:
            file.write(bytes(MIN_FREE_BYTES))
    except OSError as error:
        reason = error.strerror or str(error)
        raise RollwiseError(f"machine code cannot be stored in {root}: {reason}", hint=ELSEWHERE) from error


def _timed(label: str, function: Callable[..., Any], name: str, params: Mapping[str, int]) -> WarmupStep:
    start_s, n_before = time.monotonic(), KERNEL_COMPILES.n_begun
    function(name, params=params)
    return WarmupStep(label, time.monotonic() - start_s, KERNEL_COMPILES.n_begun - n_before)


@contextmanager
def _temporary_cache() -> Iterator[Path]:
    """Solve into a temporary cache inside; machine code goes to its usual folder, which this yields."""
    names = "ROLLWISE_CACHE", "ROLLWISE_KERNELS"
    before = {name: os.environ.get(name) for name in names}
    try:
        root = kernels_root()
    except (RuntimeError, StoreError):
        raise BadInput("there is no folder for machine code: this user has no home folder", hint=ELSEWHERE) from None
    with TemporaryDirectory() as folder:
        os.environ |= dict(zip(names, (folder, str(root)), strict=True))
        try:
            yield root
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def warm_command(
    games: Annotated[list[str] | None, typer.Argument(metavar="GAME...", help="games to solve as well")] = None,
    as_json: Json = False,
) -> None:
    """Compile machine code before the first answers need it, and solve games: for installers and images."""
    steps = warm(games or [], SOLVED, FORECAST)
    rows = [["done", "kernels compiled", "seconds"]]
    rows += [[step.done, str(step.kernels), f"{step.seconds:.1f}"] for step in steps]
    print_answer(as_json, lambda: [step.plain() for step in steps], lambda: align_columns(rows, right=(1, 2)))
