"""The way of a question's game through the code: python scripts/way.py

Each question is asked in a process of its own, and the calls that pass the game on are written down in their order:
calls of our own functions with a game among their arguments, itself or by its name. A run of such calls within one
module is a stay; a call into a layer above that of its caller is a climb (the layers stand in ``pyproject.toml``; what
a game overrides counts where it is first declared, as its caller knows no more). Asked are ``ask`` from Python and
``rollwise ask`` from the command line, each with an empty cache (the plan and the solve are not followed) and from it.

    python scripts/way.py --list               each stay, with the function that it begins with
    python scripts/way.py --list --of ask      of one of the two
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import rollwise
from rollwise.cli import main
from rollwise.solver.model.game import Game

ROOT = Path(rollwise.__file__).parent
GAME, STATE = "pig", {"turn": 20}
NOT_FOLLOWED = ("_solve", "announce")  # below these is the way of the solver and of its plan


@dataclass
class Way:
    """Where the game was, in order, and the climbs on the way."""

    stays: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    climbs: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{len(self.stays)} stays in {len(set(self.stays))} modules, {len(self.climbs)} climbs"


def layers() -> dict[str, int]:
    """The height of each room, from the contracts of the imports."""
    contracts = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    found: dict[str, int] = {}
    for contract in contracts:
        if contract["type"] == "layers" and contract["containers"] == ["rollwise"]:
            for height, names in enumerate(reversed(contract["layers"])):
                found |= {name.strip(): height for name in names.split("|")}
    return found


def module_of(code: CodeType) -> str | None:
    """The module of a function of ours, without the package's name."""
    path = Path(code.co_filename)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else None


def passes_game(frame: FrameType) -> bool:
    """Is the game among the arguments of this call, itself or by its name?"""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    values = [frame.f_locals.get(name) for name in names if name not in ("self", "cls", ".0")]
    return any(isinstance(value, Game) or value == GAME for value in values if isinstance(value, Game | str))


def declared_in(frame: FrameType, module: str) -> str:
    """The module that a method of a game is first declared in; that of the function itself otherwise."""
    owner = frame.f_locals.get("self")
    if not isinstance(owner, Game):
        return module
    for cls in reversed(type(owner).__mro__):
        if frame.f_code.co_name in vars(cls):
            source = inspect.getsourcefile(cls)
            return Path(source).relative_to(ROOT).as_posix() if source and Path(source).is_relative_to(ROOT) else module
    return module


@contextlib.contextmanager
def followed() -> Iterator[Way]:
    """The way of the game while this is open."""
    way, height = Way(), layers()
    inside: list[FrameType] = []  # a solve that is under way

    def level(module: str) -> int:
        return height.get(module.partition("/")[0].removesuffix(".py"), max(height.values()) + 1)

    def seen(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "return" and inside and frame is inside[-1]:
            inside.pop()
        if event != "call" or inside:
            return
        module = module_of(frame.f_code)
        if module is None or frame.f_code.co_name.startswith("<"):
            return
        if passes_game(frame):
            if not way.stays or way.stays[-1] != module:
                way.stays.append(module)
                way.functions.append(frame.f_code.co_name)
            caller = frame.f_back and module_of(frame.f_back.f_code)
            if caller and level(declared_in(frame, module)) > level(caller):
                way.climbs.append(f"{caller} -> {module}:{frame.f_code.co_name}")
        if frame.f_code.co_name in NOT_FOLLOWED:
            inside.append(frame)

    sys.setprofile(seen)
    try:
        yield way
    finally:
        sys.setprofile(None)


def from_python() -> None:
    """Ask from Python."""
    rollwise.ask(GAME, state=STATE)


def from_command_line() -> None:
    """Ask from the command line."""
    sys.argv = ["rollwise", "ask", GAME, *(f"{name}={value}" for name, value in STATE.items())]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()


QUESTIONS: dict[str, Callable[[], None]] = {"ask": from_python, "rollwise ask": from_command_line}


def report(name: str, listed: bool) -> None:
    """Ask a question twice, and tell the ways."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ROLLWISE_CACHE"] = folder
        for state in ("empty cache", "from the cache"):
            with followed() as way:
                QUESTIONS[name]()
            print(f"{name:12}  {state:14}  {way}")
            for at, (stay, function) in enumerate(zip(way.stays, way.functions, strict=True), 1):
                if listed:
                    print(f"    {at:3}  {stay} {function}")
            for climb in way.climbs:
                print(f"    climb  {climb}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--list", action="store_true", help="each stay, with the function that it begins with")
    parser.add_argument("--of", choices=QUESTIONS, help="of one question alone")
    asked = parser.parse_args()
    if asked.of:
        report(asked.of, asked.list)
    else:
        for each in QUESTIONS:
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--of", each], check=True)
