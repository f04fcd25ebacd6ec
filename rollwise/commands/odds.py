"""``odds``: what one turn can give."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rollwise.commands.options import Game, Json, Parameters, parameters_typed, tell, title


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
    from rollwise.asking.odds import boxes_of, odds
    from rollwise.parsing.words import fields_typed, names_joined
    from rollwise.text.odds import odds_lines

    words, parameters, turn = about or [], parameters_typed(p), dict[str, Any]()
    boxes = boxes_of(game, parameters)
    if boxes:
        turn["boxes"] = names_joined(words, boxes) or None
    else:
        turn["state"] = fields_typed(game, parameters, words)
    answer = odds(game, params=parameters, policy=policy, dice=dice, rolls=rolls, **turn)
    tell(as_json, answer.plain, lambda: odds_lines(answer, title(game), briefly=not words))
