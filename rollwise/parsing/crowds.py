"""What more players than are solved would cost, in words: for the page of rules, and for whoever asks for so many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rollwise.answers.sizes import BYTES, COUNTS, in_thousands, time_in_words
from rollwise.solver.model.errors import BadInput, ParameterError
from rollwise.solver.model.game import Game, TurnGame

if TYPE_CHECKING:
    from rollwise.solver.kinds.crowd import Crowd

PLAYERS = "players"


def cost_of_crowd(crowd: Crowd) -> str:
    """What a table that is not solved would cost."""
    boards, room = in_thousands(crowd.boards, COUNTS), in_thousands(crowd.bytes, BYTES)
    time = time_in_words(crowd.seconds)
    return f"{crowd.players} players would have at least {boards} boards: about {time} and {room}"


def unsolved(game: TurnGame) -> list[dict[str, Any]]:
    """Numbers of players that the rules allow and that are not solved: what each would cost, and that in words."""
    from rollwise.solver.kinds.crowd import crowds

    return [{**crowd.plain(), "cost": cost_of_crowd(crowd)} for crowd in crowds(game)]


def refusal(cls: type[Game], parameters: Mapping[str, Any], error: ParameterError) -> ParameterError:
    """What to say where rule parameters are refused: if that is for the number of players, what so many would cost."""
    if error.field != PLAYERS:
        return error
    try:
        fewer = cls.of(**{name: value for name, value in parameters.items() if name != PLAYERS})
    except BadInput:  # something else is wrong as well
        return error
    assert isinstance(fewer, TurnGame)
    if parameters.get(PLAYERS) not in fewer.unsolved():
        return error
    cost = next(row["cost"] for row in unsolved(fewer) if row["players"] == parameters.get(PLAYERS))
    return ParameterError(f"{error}; {cost}", hint=error.hint, field=PLAYERS)
