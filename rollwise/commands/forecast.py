"""``forecast``: how a game played alone ends."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Game, Json, Parameters, State, question_typed, tell, title


def forecast_command(
    game: Game,
    state: State = None,
    at_least: Annotated[
        list[str] | None, typer.Option("--at-least", metavar="SCORE,...", help="how likely these scores are reached")
    ] = None,
    at_most: Annotated[
        list[str] | None, typer.Option("--at-most", metavar="SCORE,...", help="how likely these scores are not passed")
    ] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Say how a game played alone ends under the best play: the distribution of the score, and what makes it up."""
    from rollwise.asking.forecast import forecast
    from rollwise.text.forecast import forecast_lines

    parameters, fields = question_typed(game, p, state)
    ends = forecast(game, params=parameters, at_least=at_least or (), at_most=at_most or (), state=fields)
    tell(as_json, ends.plain, lambda: forecast_lines(ends, title(game)))
