"""What more players than are solved would cost, in words: for the page of rules, and for whoever asks for so many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rollwise.solver.game.errors import BadInput, ParameterError
from rollwise.solver.game.model import Game, TurnGame

if TYPE_CHECKING:
    from rollwise.solver.kinds.crowd import Crowd

PLAYERS = "players"
COUNTS = ("", " thousand", " million", " billion", " trillion")
BYTES = (" bytes", " KB", " MB", " GB", " TB", " PB")
TIMES = ((60, "second"), (60, "minute"), (24, "hour"), (365, "day"))  # how many make one of the next


def in_thousands(number: float, names: tuple[str, ...]) -> str:
    """A number to two digits, with the name of the thousands that it counts.

    >>> in_thousands(7, COUNTS), in_thousands(8_120_601, COUNTS), in_thousands(5.6e19, COUNTS)
    ('7', '8.1 million', '5.6e19')
    >>> in_thousands(999_999, BYTES), in_thousands(3e17, BYTES)
    ('1.0 MB', '300 PB')
    """
    rank = 0
    short = whole = float(f"{number:.2g}")
    while short >= 1000 and rank < len(names) - 1:
        short, rank = short / 1000, rank + 1
    if short >= 1000:
        return f"{whole:.1e}".replace("e+", "e") + names[0]
    return f"{short:.1f}{names[rank]}" if short < 10 and rank else f"{short:.0f}{names[rank]}"


def time_told(seconds: float) -> str:
    """Seconds to two digits, as minutes, hours, days or years where they are many.

    >>> time_told(0.2), time_told(59), time_told(3603), time_told(4000), time_told(86400 * 3)
    ('a second', '59 seconds', 'an hour', '1.1 hours', '3 days')
    >>> time_told(3e12), time_told(3e15)
    ('95 thousand years', '95 million years')
    """
    told, unit = seconds, "year"
    for many, name in TIMES:
        if told < many:
            unit = name
            break
        told /= many
    if float(f"{told:.2g}") <= 1:  # only seconds are fewer than one
        return f"{'an' if unit == 'hour' else 'a'} {unit}"
    return f"{told:.2g} {unit}s" if told < 100 else f"{in_thousands(told, COUNTS)} {unit}s"


def cost_told(crowd: Crowd) -> str:
    """What a table that is not solved would cost."""
    boards, room = in_thousands(crowd.boards, COUNTS), in_thousands(crowd.bytes, BYTES)
    return f"{crowd.players} players would have at least {boards} boards: about {time_told(crowd.seconds)} and {room}"


def unsolved(game: TurnGame) -> list[dict[str, Any]]:
    """Numbers of players that the rules allow and that are not solved: what each would cost, and that in words."""
    from rollwise.solver.kinds.crowd import crowds

    return [{**crowd.plain(), "cost": cost_told(crowd)} for crowd in crowds(game)]


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
    from rollwise.solver.kinds.crowd import crowds

    told = [cost_told(crowd) for crowd in crowds(fewer) if crowd.players == parameters.get(PLAYERS)]
    return ParameterError(f"{error}; {told[0]}", hint=error.hint, field=PLAYERS)
