"""Find a rule of thumb by name, as a function, as a function in a file, or as a table."""

from __future__ import annotations

import re
import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rollwise.games.policies import Policy, policies, policy
from rollwise.parsing.validate import parse_game
from rollwise.policy_tables.files import SUFFIXES, is_folder
from rollwise.policy_tables.table_reader import read_table
from rollwise.questions.compare.function_policy import error_text
from rollwise.questions.compare.table_policy import ExportedPolicy
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import plain, quoted

FUNCTION = re.compile(r"^def (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class ResolvedPolicy:
    """A rule of thumb: its name, a line of help, and the function that plays it, or the ``table``."""

    name: str
    help: str
    function: Policy | None = None
    table: Path | None = None


def resolve_policy(game: str, rule: str | Path | Policy) -> ResolvedPolicy:
    """The rule of this name, file or function; raises BadInput or UnknownName."""
    if callable(rule):
        return _function(getattr(rule, "__name__", "rule"), rule)
    if not isinstance(rule, str | Path):
        raise BadInput(f"a policy is a name, a file or a function, got {quoted(plain(rule))}", field="policy")
    text = str(rule)
    path, _, name = text.rpartition(":")
    if name and path.endswith(".py"):
        return _from_file(Path(path), name)
    if _is_table(text):
        return ResolvedPolicy(text, "a table", table=Path(text))
    if text.removesuffix(":").endswith(".py"):
        text = text.removesuffix(":")
        names = FUNCTION.findall(Path(text).read_text(errors="replace")) if Path(text).is_file() else []
        raise BadInput(
            f"say which function of {text}: " + (" or ".join(f"{text}:{name}" for name in names) or f"{text}:NAME")
        )
    rule_of_thumb = policy(game, text)
    return ResolvedPolicy(matched(text, policies(game)) or text, rule_of_thumb.help, rule_of_thumb.policy)


def _is_table(rule: object) -> bool:
    return isinstance(rule, str | Path) and (Path(rule).suffix.lower() in SUFFIXES or is_folder(rule))


def game_of(game: str, params: Mapping[str, Any] | None, rule: object) -> TurnGame:
    """The game of a comparison: parameters that are not given come from the description of a table."""
    model = parse_game(game, params)
    if not _is_table(rule) or not Path(str(rule)).exists():
        return model
    description = read_table(Path(str(rule)))[0].description or {}
    of_table = description.get("parameters")
    if description.get("game") != model.name or not isinstance(of_table, Mapping):
        return model
    own = params or {}
    return parse_game(game, {**{name: value for name, value in of_table.items() if not matched(name, own)}, **own})


def function_of(game: TurnGame, rule: str | Path | Policy) -> tuple[str, Policy]:
    """A rule's name, and a function that plays it; a table then needs a row for every state in question."""
    resolved = resolve_policy(game.name, rule)
    if resolved.table is not None:
        return resolved.name, ExportedPolicy(game, resolved.table, is_slice=False).plays
    assert resolved.function is not None
    return resolved.name, resolved.function


def _function(name: str, function: Policy) -> ResolvedPolicy:
    return ResolvedPolicy(name, (function.__doc__ or "").strip().partition("\n")[0], function)


def _from_file(path: Path, name: str) -> ResolvedPolicy:
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    try:
        function = runpy.run_path(str(path.absolute()), run_name="rollwise_rule").get(name)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{path} cannot be read as Python: {error_text(error)}") from error
    if not callable(function):
        raise BadInput(f"{path} has no function {name}")
    return _function(f"{path}:{name}", function)
