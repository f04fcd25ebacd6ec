"""``compare``: the cost of a rule of thumb."""

from __future__ import annotations

from typing import Annotated

import typer

from rollwise.questions.options import Game, Json, Parameters, parameters_typed, print_answer, question_typed, title


def compare_command(
    game: Game,
    rule: Annotated[
        str | None,
        typer.Argument(
            metavar="POLICY", help="a rule's name, rule.py:function, or a table (FILE, FOLDER/) that export wrote"
        ),
    ] = None,
    state: Annotated[list[str] | None, typer.Argument(metavar="FIELD=VALUE...", help="the board to start from")] = None,
    slice: Annotated[
        bool, typer.Option("--slice", help="the table covers only some decisions; the best is played in the others")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Compute the cost per game of a rule of thumb, or list a game's own rules of thumb."""
    from rollwise.questions.compare.compute import compare
    from rollwise.questions.compare.text import comparison_lines
    from rollwise.text.layout import align_columns

    if rule is None:
        from rollwise.games.policies import policies
        from rollwise.parsing.validate import parse_game
        from rollwise.questions.compare.compute import FOR_THE_MEAN, HELP, is_reach

        rules = [{"policy": name, "help": rule_of_thumb.help} for name, rule_of_thumb in policies(game).items()]
        if is_reach(parse_game(game, parameters_typed(p))):
            rules.append({"policy": FOR_THE_MEAN, "help": HELP})
        none = ["none", f"{game} has no rules of thumb of its own"]
        rows = [[row["policy"], row["help"]] for row in rules] or [none]
        print_answer(as_json, lambda: rules, lambda: align_columns(rows))
        return
    parameters, fields = question_typed(game, p, state)
    comparison = compare(game, rule, params=parameters, state=fields, slice=slice)
    print_answer(as_json, comparison.plain, lambda: comparison_lines(comparison, title(game)))
