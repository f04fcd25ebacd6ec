"""Cost model of player counts that are not solved, in words: for the page of rules and for errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rollwise.solver.model.errors import BadInput, ParameterError
from rollwise.solver.model.game import Game, TurnGame
from rollwise.solver.model.jsonable import pick
from rollwise.text.numbers import BYTES, COUNTS, in_thousands, time_in_words

if TYPE_CHECKING:
    from rollwise.solver.kinds.table import UnsolvedTable

PLAYERS = "players"


def describe_cost(table: UnsolvedTable) -> str:
    """The cost of a player count that is not solved, in words."""
    boards, memory = in_thousands(table.boards, COUNTS), in_thousands(table.bytes, BYTES)
    time = time_in_words(table.seconds)
    return f"{table.players} players would have at least {boards} boards: about {time} and {memory}"


def unsolved_player_counts(game: TurnGame) -> list[dict[str, Any]]:
    """Player counts that the rules allow and that are not solved, each with its cost in numbers and in words."""
    from rollwise.solver.kinds.table import unsolved_tables

    return [
        {
            **pick(table, "players", "boards"),
            "seconds": float(f"{table.seconds:.2g}"),
            "bytes": table.bytes,
            "cost": describe_cost(table),
        }
        for table in unsolved_tables(game)
    ]


def explain_refusal(game_class: type[Game], parameters: Mapping[str, Any], error: ParameterError) -> ParameterError:
    """The error for refused rule parameters; if the number of players is refused, it adds what so many would cost."""
    if error.field != PLAYERS:
        return error
    try:
        usual = game_class.of(**{name: value for name, value in parameters.items() if name != PLAYERS})
    except BadInput:  # something else is wrong as well
        return error
    assert isinstance(usual, TurnGame)
    if parameters.get(PLAYERS) not in usual.unsolved():
        return error
    cost = next(row["cost"] for row in unsolved_player_counts(usual) if row["players"] == parameters.get(PLAYERS))
    return ParameterError(f"{error}; {cost}", hint=error.hint, field=PLAYERS)
