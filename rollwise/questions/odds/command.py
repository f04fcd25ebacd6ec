"""``odds``: the odds of one turn."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rollwise.questions.options import Game, Json, Parameters, parameters_typed, print_answer, title


def odds_command(
    game: Game,
    about: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FIELD=VALUE...|BOX...]", help="the state of the turn; on score sheets the boxes"),
    ] = None,
    policy: Annotated[
        str | None, typer.Option("--policy", help="the policy: 'best', or a rule of thumb as for 'compare'")
    ] = None,
    dice: Annotated[int | None, typer.Option("--dice", help="number of dice in hand; by default each one")] = None,
    rolls: Annotated[int | None, typer.Option("--rolls", help="(score sheets) number of rolls")] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Show the chance that a turn busts, the points it will make, and the value of one more throw.

    On score sheets: the chance that one turn fills the box it goes for, and its mean points there, as fractions.
    """
    from rollwise.parsing.words import join_names, parse_typed_fields
    from rollwise.questions.odds.compute import boxes_of, odds
    from rollwise.questions.odds.text import odds_lines

    words, parameters, turn = about or [], parameters_typed(p), dict[str, Any]()
    boxes = boxes_of(game, parameters)
    if boxes:
        turn["boxes"] = join_names(words, boxes) or None
    else:
        turn["state"] = parse_typed_fields(game, parameters, words)
    answer = odds(game, params=parameters, policy=policy, dice=dice, rolls=rolls, **turn)
    print_answer(as_json, answer.plain, lambda: odds_lines(answer, title(game), briefly=not words))
