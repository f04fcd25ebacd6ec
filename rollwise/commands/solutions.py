"""Commands about whole solutions: ``solve``, ``export``, and ``verify``, which holds claims against them."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from rollwise.commands.options import (
    Exact,
    Game,
    Json,
    Lengths,
    Parameters,
    State,
    said,
    show,
    show_json,
    tell,
    title,
)
from rollwise.solver.game.errors import BadInput


def solve_command(
    game: Game,
    lengths: Lengths = False,
    ties: Annotated[
        bool,
        typer.Option("--ties", help="at tables: how much other ways to break ties would change; solves twice more"),
    ] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="only say what solving it will take, about, and whether it is solved")
    ] = False,
    p: Parameters = None,
    as_json: Json = False,
    exact: Exact = False,
) -> None:
    """Solve a game and say what its start is worth."""
    from rollwise.door import split

    parameters = split(p or [], "parameter")
    if plan:
        from rollwise.planning import plan as planned
        from rollwise.planning import plan_lines

        told = planned(game, parameters)
        tell(as_json, told.plain, lambda: plan_lines(told))
        return
    from rollwise.advice_text import solution_lines
    from rollwise.solving import solve

    solution = solve(game, parameters, exact=exact, lengths=lengths, ties=ties)
    tell(as_json, solution.plain_solution, lambda: solution_lines(solution, title(game), exact=exact))


def export_command(
    game: Game,
    state: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIELD=VALUE...", help="which decisions; roll=none: those before the throw"),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="the file: .parquet, .csv or .jsonl; or FOLDER/ for a Parquet file of each level: those that are "
            "there, whole and of the same solution, stay, so that what was stopped goes on; or - for standard output",
        ),
    ] = "",
    file_format: Annotated[str | None, typer.Option("--format", help="parquet, csv or jsonl")] = None,
    levels: Annotated[
        str | None,
        typer.Option(
            "--levels",
            metavar="14-16",
            help="only boards of these levels, as 14-16 or 0,3; a level is what no turn lowers: boxes filled at "
            "yahtzee and sixzee, both scores together at pig",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="also more than 50 million rows in all")] = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Write every decision of a game, or of the slice that the fields name, to a file, or in parts to a folder."""
    from rollwise.answer import picked
    from rollwise.exporting.writing import export

    if not output:
        raise BadInput("say where to write: --output FILE.parquet (or .csv, .jsonl), or FOLDER/")
    parameters, fields = said(game, p, state)
    how: dict[str, Any] = {"format": file_format, "all": everything, "levels": levels, "state": fields}
    if output == "-":
        from rollwise.exporting.standard_output import to_standard_output

        if as_json:
            raise BadInput("--json and --output - both want standard output; leave one out", field="output")
        to_standard_output(file_format, lambda path: export(game, path, parameters, **how))
        return
    made = export(game, output, parameters, **how)
    if as_json:
        facts = picked(made, "rows", "format", "bytes", "seconds", "files", "already")
        show_json({"path": str(made.path), **facts})
    else:
        already = f" ({made.already} there already)" if made.already else ""
        parts = f"{made.files} file{'s' * (made.files != 1)}{already}, " if made.path.is_dir() else ""
        typer.echo(f"{made.path}: {parts}{made.rows:,} decisions, {made.bytes:,} bytes, {made.seconds:.1f} s")
        if made.stand_for:
            typer.echo(f"A row stands for {made.stand_for}")


def best_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table (FILE, FOLDER/) that export wrote")],
    state: State = None,
    as_json: Json = False,
) -> None:
    """Say what a table has of a state: the row that stands for it, its best move and values; nothing is solved."""
    from rollwise.answer import shown_state
    from rollwise.comparing.lookup import best, opened
    from rollwise.text import columns, number, wrapped
    from rollwise.words import fields_typed

    game = opened(table)[1]
    found = best(table, state=fields_typed(game.name, game.parameters(), state or []))
    if as_json:
        show_json(found)
        return
    row, asked, points = shown_state(found["row"]), shown_state(found["state"]), found["points"]
    more = f", with {points:g} points more here" if points else ""
    other = wrapped(f"goes on as the row {row}{more}") if row != asked else []
    moves = [
        [move, number(value, found["unit"], 4)] for move, value in zip(found["moves"], found["values"], strict=True)
    ]
    head = f"{title(found['game'])} ({shown_state(found['parameters']).replace(' ', ', ')})"
    show([head, *wrapped(asked), *other, "", *columns(moves, right=(1,))])


def verify_command(
    game: Annotated[str | None, typer.Argument(metavar="GAME")] = None,
    slow: Annotated[bool, typer.Option("--slow", help="also what needs a long solve")] = False,
    claims: Annotated[
        str | None, typer.Option("--claims", metavar="SHEET.toml", help="check your own claims: docs/claims.md")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TITLE", help="only this source; a part of its title will do")
    ] = None,
    refuted: Annotated[bool, typer.Option("--refuted", help="show what is not so")] = False,
    depends: Annotated[bool, typer.Option("--depends", help="show what depends on how a rule is read")] = False,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="write a page: .html, or Markdown; - for standard output"),
    ] = "",
    as_json: Json = False,
) -> None:
    """Check the odds and examples that the rule sheets state, or those of a sheet of your own."""
    from rollwise.ledger import (
        STDOUT,
        counts,
        ledger_path,
        left_out_line,
        of_verdicts,
        title_of,
        verdict_lines,
        write_ledger,
    )
    from rollwise.ledger_page import page
    from rollwise.verifying import left_out, verify

    if output == STDOUT and as_json:
        raise BadInput("--json and --output - both want standard output; leave one out", field="output")
    path = ledger_path(output) if output not in ("", STDOUT) else None
    every = verify(game, slow=slow, claims=claims, source=source)
    rows = of_verdicts(every, refuted=refuted, depends=depends)
    missing = 0 if slow or claims is not None else len(left_out(game, source=source))
    if path:
        write_ledger(path, page(path, rows, missing, of=len(every)))
    faults = [row.reading for row in every if row.verdict == "unread"]
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if missing:
        print(left_out_line(missing), file=sys.stderr)
    if output == STDOUT:
        typer.echo(page(None, rows, missing, of=len(every)), nl=False)
    elif as_json:
        show_json([{**row.plain(), "source_title": title_of(row.source)} for row in rows])
    elif path:
        typer.echo(f"{path}: {counts(rows)}")
    else:
        told = [row for row in rows if row.verdict != "unread"]
        show(verdict_lines(every, told) if every else [f"no claims about {game}"])
    if faults:
        raise typer.Exit(2)
