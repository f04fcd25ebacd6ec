"""Commands about what comes of playing in some way: ``compare``, ``odds``, ``forecast``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rollwise.commands.options import (
    Game,
    Json,
    Parameters,
    State,
    said,
    show,
    show_json,
    tell,
    title,
)


def compare_command(
    game: Game,
    rule: Annotated[
        str | None,
        typer.Argument(
            metavar="POLICY", help="a rule's name, rule.py:function, or a table (FILE, FOLDER/) that export wrote"
        ),
    ] = None,
    state: Annotated[
        list[str] | None, typer.Argument(metavar="FIELD=VALUE...", help="the board that the game goes on from")
    ] = None,
    slice: Annotated[
        bool, typer.Option("--slice", help="the table is a part of one: the best is played outside its rows")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Say what a rule of thumb costs per game, or list the rules that a game knows."""
    from rollwise.comparing import compare
    from rollwise.text import columns, comparison_lines

    if rule is None:
        from rollwise.games.policies import policies

        known = [{"policy": name, "help": house.help} for name, house in policies(game).items()]
        rows = [[row["policy"], row["help"]] for row in known] or [["none", f"{game} has no rules of thumb of its own"]]
        tell(as_json, lambda: known, lambda: columns(rows))
        return
    parameters, fields = said(game, p, state)
    found = compare(game, rule, parameters, state=fields, slice=slice)
    tell(as_json, found.plain, lambda: comparison_lines(found, title(game)))


def odds_command(
    game: Game,
    about: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIELD=VALUE...|BOX...]", help="the state of the turn; on score sheets the boxes"),
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", help="who plays: 'best', or a rule as 'compare' takes it")
    ] = None,
    dice: Annotated[int | None, typer.Option("--dice", help="so many dice in hand, by default each number")] = None,
    rolls: Annotated[int | None, typer.Option("--rolls", help="(sheets) how many rolls, by default each")] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Say how likely a turn busts, what it will make, and what one more throw is worth.

    On score sheets: how likely one turn fills a box that it goes for, and with how many points, as fractions.
    """
    from rollwise.turn_odds import TurnOdds, boxes_of, goes_for_boxes, odds
    from rollwise.words import names_joined

    words, asked = about or [], dict[str, Any]()
    if goes_for_boxes(game):
        parameters, _ = said(game, p, None)
        asked["boxes"] = names_joined(words, boxes_of(game, parameters)) or None
    else:
        parameters, asked["state"] = said(game, p, words)
    found = odds(game, parameters, policy=policy, dice=dice, rolls=rolls, **asked)
    if as_json:
        show_json(found.plain())
    elif isinstance(found, TurnOdds):
        from rollwise.text import turn_odds_lines

        show(turn_odds_lines(found, title(game), briefly=not words))
    else:
        from rollwise.risk_text import turn_risk_lines

        show(turn_risk_lines(found, title(game)))


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
    from rollwise.forecast_text import forecast_lines
    from rollwise.forecasting import forecast

    parameters, fields = said(game, p, state)
    found = forecast(game, parameters, at_least=at_least or (), at_most=at_most or (), state=fields)
    tell(as_json, found.plain, lambda: forecast_lines(found, title(game)))
