"""``odds``: what one turn can give."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rollwise.commands.options import Game, Json, Parameters, said, show, show_json, title


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
    from rollwise.answers.odds import TurnOdds
    from rollwise.asking.odds import boxes_of, goes_for_boxes, odds
    from rollwise.reading.words import names_joined

    words, asked = about or [], dict[str, Any]()
    if goes_for_boxes(game):
        parameters, _ = said(game, p, None)
        asked["boxes"] = names_joined(words, boxes_of(game, parameters)) or None
    else:
        parameters, asked["state"] = said(game, p, words)
    found = odds(game, params=parameters, policy=policy, dice=dice, rolls=rolls, **asked)
    if as_json:
        show_json(found.plain())
    elif isinstance(found, TurnOdds):
        from rollwise.saying.odds import turn_odds_lines

        show(turn_odds_lines(found, title(game), briefly=not words))
    else:
        from rollwise.saying.odds import turn_risk_lines

        show(turn_risk_lines(found, title(game)))
