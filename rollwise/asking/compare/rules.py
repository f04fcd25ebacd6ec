"""Which rule is meant: one of the game's own, a function, a function in a file, or a table."""

from __future__ import annotations

import re
import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollwise.asking.compare.seen import raised
from rollwise.asking.compare.tables import TableRule
from rollwise.games.policies import Policy, policies, policy
from rollwise.parsing.validate import the_game
from rollwise.policy_tables.files import SUFFIXES, is_folder
from rollwise.policy_tables.reading import read_table
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import plain, quoted

FUNCTION = re.compile(r"^def (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class RuleMeant:
    """A rule's name, what it does, and the function that plays it, or the ``table``."""

    name: str
    help: str
    function: Policy | None = None
    table: Path | None = None


def rule_meant(game: str, rule: str | Path | Policy) -> RuleMeant:
    """The rule that is meant; raises BadInput or UnknownName."""
    if callable(rule):
        return _function(getattr(rule, "__name__", "rule"), rule)
    if not isinstance(rule, str | Path):
        raise BadInput(f"a policy is a name, a file or a function, got {quoted(plain(rule))}", field="policy")
    text = str(rule)
    path, _, name = text.rpartition(":")
    if name and path.endswith(".py"):
        return _from_file(Path(path), name)
    if _is_table(text):
        return RuleMeant(text, "a table", table=Path(text))
    if text.removesuffix(":").endswith(".py"):
        text = text.removesuffix(":")
        names = FUNCTION.findall(Path(text).read_text(errors="replace")) if Path(text).is_file() else []
        raise BadInput(
            f"say which function of {text}: " + (" or ".join(f"{text}:{name}" for name in names) or f"{text}:NAME")
        )
    house = policy(game, text)
    return RuleMeant(matched(text, policies(game)) or text, house.help, house.policy)


def _is_table(rule: object) -> bool:
    return isinstance(rule, str | Path) and (Path(rule).suffix.lower() in SUFFIXES or is_folder(rule))


def game_of(game: str, params: Mapping[str, Any] | None, rule: object) -> TurnGame:
    """The game that a rule is for: what is not said of the parameters is as a table says that it was made with."""
    made = the_game(game, params)
    if not _is_table(rule) or not Path(str(rule)).exists():
        return made
    described = read_table(Path(str(rule)))[0].description or {}
    of_table = described.get("parameters")
    if described.get("game") != made.name or not isinstance(of_table, Mapping):
        return made
    own = params or {}
    return the_game(game, {**{name: value for name, value in of_table.items() if not matched(name, own)}, **own})


def function_of(game: TurnGame, rule: str | Path | Policy) -> tuple[str, Policy]:
    """A rule's name, and a function that plays it, be it a table: one that has to have a row for every state asked."""
    meant = rule_meant(game.name, rule)
    if meant.table is not None:
        return meant.name, TableRule(game, meant.table, is_slice=False).plays
    assert meant.function is not None
    return meant.name, meant.function


def _function(name: str, function: Policy) -> RuleMeant:
    return RuleMeant(name, (function.__doc__ or "").strip().partition("\n")[0], function)


def _from_file(path: Path, name: str) -> RuleMeant:
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    try:
        function = runpy.run_path(str(path.absolute()), run_name="rollwise_rule").get(name)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{path} cannot be read as Python: {raised(error)}") from error
    if not callable(function):
        raise BadInput(f"{path} has no function {name}")
    return _function(f"{path}:{name}", function)
