"""Which rule is meant: one of the game's own, a function, a function in a file, or a table."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

from rollwise.comparing.seen import raised
from rollwise.comparing.tables import TableRule
from rollwise.exporting.files import SUFFIXES, is_folder
from rollwise.games.policies import Policy, policies, policy
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.names import matched
from rollwise.solver.game.plain import plain, quoted


@dataclass(frozen=True)
class Found:
    """A rule's name, what it does, and the function that plays it, or the ``table``."""

    name: str
    help: str
    function: Policy | None = None
    table: Path | None = None


def found(game: str, rule: str | Path | Policy) -> Found:
    """The rule that is meant; raises BadInput or UnknownName."""
    if callable(rule):
        return _function(getattr(rule, "__name__", "rule"), rule)
    if not isinstance(rule, str | Path):
        raise BadInput(f"a policy is a name, a file or a function, got {quoted(plain(rule))}", field="policy")
    text = str(rule)
    path, _, name = text.rpartition(":")
    if name and path.endswith(".py"):
        return _from_file(Path(path), name)
    if Path(text).suffix.lower() in SUFFIXES or is_folder(text):
        return Found(text, "a table", table=Path(text))
    if text.removesuffix(":").endswith(".py"):
        text = text.removesuffix(":")
        raise BadInput(f"say which function of {text}: {text}:NAME", hint=f"rollwise compare {game} {text}:NAME")
    house = policy(game, text)
    return Found(matched(text, policies(game)) or text, house.help, house.policy)


def function_of(game: TurnGame, rule: str | Path | Policy) -> tuple[str, Policy]:
    """A rule's name, and a function that plays it, be it a table: one that has to have a row for every state asked."""
    meant = found(game.name, rule)
    if meant.table is not None:
        return meant.name, TableRule(game, meant.table, is_slice=False).plays
    assert meant.function is not None
    return meant.name, meant.function


def _function(name: str, function: Policy) -> Found:
    return Found(name, (function.__doc__ or "").strip().partition("\n")[0], function)


def _from_file(path: Path, name: str) -> Found:
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location("rollwise_rule", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for the module that they stand in
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{path} cannot be read as Python: {raised(error)}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise BadInput(f"{path} has no function {name}")
    return _function(f"{path}:{name}", function)
