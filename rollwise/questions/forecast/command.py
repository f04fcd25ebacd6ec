"""``forecast``: the final score of a solo game."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.questions.options import Game, Json, Parameters, State, print_answer, question_typed, title


def forecast_command(
    game: Game,
    state: State = None,
    at_least: Annotated[
        list[str] | None, typer.Option("--at-least", metavar="SCORE,...", help="the chance of as much or more")
    ] = None,
    at_most: Annotated[
        list[str] | None, typer.Option("--at-most", metavar="SCORE,...", help="the chance of as much or less")
    ] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Show the final score of a solo game under the best play: its distribution, also line by line."""
    from rollwise.questions.forecast.compute import forecast
    from rollwise.questions.forecast.text import forecast_lines

    parameters, fields = question_typed(game, p, state)
    ends = forecast(game, params=parameters, at_least=at_least or (), at_most=at_most or (), state=fields)
    print_answer(as_json, ends.plain, lambda: forecast_lines(ends, title(game)))
