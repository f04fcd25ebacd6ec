"""Kinds of game: duel, table, luck game and others, one file each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rollwise.solver.model.errors import ModelError

if TYPE_CHECKING:
    from rollwise.solver.kinds.kind import Kind
    from rollwise.solver.model.game import Game

KINDS = {  # by ``Game.kind``: the module with its ``KIND``
    "duel": "rollwise.solver.kinds.duel",
    "solo": "rollwise.solver.kinds.duel",
    "solo-rows": "rollwise.solver.kinds.reach",
    "duel-rows": "rollwise.solver.kinds.reach",
    "table": "rollwise.solver.kinds.table",
    "seats": "rollwise.solver.kinds.seats",
    "alone": "rollwise.solver.kinds.alone",
    "hidden": "rollwise.solver.kinds.hidden",
    "hidden-table": "rollwise.solver.kinds.hidden_table",
}


def kind_of(game: Game | type[Game]) -> Kind:
    """The kind of a game, imported on first use; raises ModelError for an unknown one."""
    if game.kind not in KINDS:
        raise ModelError(f"{game.name} is of kind '{game.kind}'; there are: {', '.join(KINDS)}")
    kind: Kind = import_module(KINDS[game.kind]).KIND
    return kind
