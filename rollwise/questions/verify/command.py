"""``verify``: the claims of rule sheets, checked."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rollwise.policy_tables.files import STDOUT
from rollwise.policy_tables.overwrite import LEDGER, writable_path, write_page
from rollwise.questions.options import Force, Json, print_json, print_lines
from rollwise.questions.verify.compute import left_out, verify
from rollwise.questions.verify.data import counts, with_verdicts
from rollwise.questions.verify.text import render_ledger, unchecked_line, verdict_lines
from rollwise.solver.model.errors import BadInput


def verify_command(
    game: Annotated[str | None, typer.Argument(metavar="GAME")] = None,
    slow: Annotated[bool, typer.Option("--slow", help="also claims that need a long solve")] = False,
    claims: Annotated[
        str | None, typer.Option("--claims", metavar="SHEET.toml", help="check your own claims: docs/claims.md")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", metavar="TITLE", help="only this source; part of its title is enough")
    ] = None,
    refuted: Annotated[bool, typer.Option("--refuted", help="show only refuted claims")] = False,
    depends: Annotated[bool, typer.Option("--depends", help="show only claims that depend on a reading")] = False,
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="write a page: .html, or Markdown; - for standard output"),
    ] = "",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Check the odds and examples that the rule sheets state, or those of a sheet of your own."""
    if output == STDOUT and as_json:
        raise BadInput("--json and --output - both want standard output; leave one out", field="output")
    path = writable_path(output, LEDGER, force=force) if output not in ("", STDOUT) else None
    every = verify(game, slow=slow, claims=claims, source=source)
    rows = with_verdicts(every, refuted=refuted, depends=depends)
    missing = 0 if slow or claims is not None else len(left_out(game, source=source))
    if path:
        write_page(path, render_ledger(path, rows, missing, of=len(every)), LEDGER, "markdown", force=force)
    for fault in (faults := [row.reading for row in every if row.verdict == "unread"]):
        print(f"error: {fault}", file=sys.stderr)
    if missing:
        print(unchecked_line(missing), file=sys.stderr)
    if output == STDOUT:
        typer.echo(render_ledger(None, rows, missing, of=len(every)), nl=False)
    elif as_json:
        print_json([{**row.plain(), "source_title": row.source} for row in rows])
    elif path:
        typer.echo(f"{path}: {counts(rows)}")
    else:
        readable = [row for row in rows if row.verdict != "unread"]
        print_lines(verdict_lines(every, readable) if every else [f"no claims about {game}"])
    if faults:
        raise typer.Exit(2)
