"""The command ``review``: the skill and luck of a game that was played."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rollwise.match.review.compute import review
from rollwise.match.review.text import review_lines
from rollwise.questions.options import Json, Parameters, print_answer, question_typed, title
from rollwise.solver.model.errors import BadInput
from rollwise.text.numbers import HUNDREDTHS
from rollwise.text.screen import screen


def review_command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="a record that 'play' saved, or one typed by hand: docs/records.md")
    ],
    state: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIELD=VALUE...", help="with --game: the state in which the typed game begins"),
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="the game, if the typed file does not name it")
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="also review a record of other rules, by the current rules")
    ] = False,
    grades: Annotated[
        str,
        typer.Option(
            "--grades", metavar="X,Y,Z", help=f"least loss of an inaccuracy, a mistake and a blunder, in {HUNDREDTHS}"
        ),
    ] = "0.5,2,5",
    top: Annotated[
        int | None, typer.Option("--top", metavar="N", min=1, help="list the N worst choices; by default ten")
    ] = None,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Review a game that was played: the cost of each choice, and the parts of skill and luck.

    In a typed file the first line names the game, the others have throws and moves:

    zilch mine=8400 theirs=6300

    A: 6,5,4,1,6,3 keep 1 / 3,5,1,3,3 keep 1 3 3 3 5 / 4,2,4,2,6,3
    """
    if game is None and state:
        raise BadInput("fields say the state that a typed game begins with; say --game too", field="game")
    parameters, fields = question_typed(game, p, state) if game is not None else ({}, {})
    if game is None and p:
        raise BadInput("-p says rules of a typed game; say --game too", field="game")
    answer = review(file, params=parameters, state=fields, game=game, anyway=anyway, grades=grades)
    on = screen(sys.stdout)
    print_answer(as_json, answer.plain, lambda: review_lines(answer, title(answer.game), on, top=top), on.color)
