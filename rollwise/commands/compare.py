"""``compare``: what a rule of thumb costs."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.commands.options import Game, Json, Parameters, parameters_typed, question_typed, tell, title


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
    from rollwise.asking.compare import compare
    from rollwise.text.comparison import comparison_lines
    from rollwise.text.layout import columns

    if rule is None:
        from rollwise.asking.compare.for_the_mean import FOR_THE_MEAN, HELP, is_reach
        from rollwise.games.policies import policies
        from rollwise.parsing.validate import the_game

        known = [{"policy": name, "help": house.help} for name, house in policies(game).items()]
        if is_reach(the_game(game, parameters_typed(p))):
            known.append({"policy": FOR_THE_MEAN, "help": HELP})
        rows = [[row["policy"], row["help"]] for row in known] or [["none", f"{game} has no rules of thumb of its own"]]
        tell(as_json, lambda: known, lambda: columns(rows))
        return
    parameters, fields = question_typed(game, p, state)
    comparison = compare(game, rule, params=parameters, state=fields, slice=slice)
    tell(as_json, comparison.plain, lambda: comparison_lines(comparison, title(game)))
