"""``export``: every decision as a table."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from rollwise.policy_tables.export import Exported, export
from rollwise.questions.options import Force, Game, Json, Parameters, print_json, question_typed
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.jsonable import pick
from rollwise.solver.model.plain import count_of

AS_TEXT = ("csv", "jsonl")


def export_command(
    game: Game,
    state: Annotated[
        list[str] | None,
        typer.Argument(metavar="FIELD=VALUE...", help="only these decisions; roll=none: those before the throw"),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            help="a .parquet, .csv or .jsonl file; or FOLDER/ for a Parquet file of each level: complete files of "
            "the same solution stay, so a stopped export continues; or - for standard output",
        ),
    ] = "",
    file_format: Annotated[str | None, typer.Option("--format", help="parquet, csv or jsonl")] = None,
    levels: Annotated[
        str | None,
        typer.Option(
            "--levels",
            metavar="14-16",
            help="only boards of these levels, such as 14-16 or 0,3; a level never falls during a game: boxes filled "
            "at yahtzee and sixzee, both scores together at pig",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="write even more than 50 million rows")] = False,
    force: Force = False,
    into: Annotated[bool, typer.Option("--into", help="write into a folder that holds other files")] = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Write every decision of a game, or of the slice that the fields name, to a file, or in parts to a folder."""
    if not output:
        raise BadInput("say where to write: --output FILE.parquet (or .csv, .jsonl), or FOLDER/")
    parameters, fields = question_typed(game, p, state)
    options: dict[str, Any] = {"format": file_format, "all": everything, "levels": levels, "state": fields}

    def write(path: str | Path) -> Exported:
        return export(game, path, params=parameters, force=force, into=into, **options)

    if output == "-":
        if as_json:
            raise BadInput("--json and --output - both want standard output; leave one out", field="output")
        to_standard_output(file_format, write)
        return
    done = write(output)
    if as_json:
        facts = pick(done, "rows", "format", "bytes", "seconds", "files", "already")
        print_json({"path": str(done.path), **facts})
    else:
        already = f" ({done.already} there already)" if done.already else ""
        parts = f"{count_of(done.files, 'file')}{already}, " if done.path.is_dir() else ""
        typer.echo(f"{done.path}: {parts}{count_of(done.rows, 'decision')}, {done.bytes:,} bytes, {done.seconds:.1f} s")
        if done.stand_for:
            typer.echo(f"A row stands for {done.stand_for}")


def to_standard_output(file_format: str | None, write: Callable[[Path], Exported]) -> Exported:
    """Write a table to a temporary file, then copy it to standard output: a failed export prints nothing.

    Raises BadInput for a binary format. The description, which stands beside a file, is not printed.
    """
    if file_format not in AS_TEXT:
        format_text = "no --format" if file_format is None else f"--format {file_format}"
        raise BadInput(
            f"to standard output a table goes as csv or jsonl, got {format_text}", hint="--format csv", field="format"
        )
    with tempfile.TemporaryDirectory(prefix="rollwise-") as folder:
        exported = write(Path(folder) / f"table.{file_format}")
        sys.stdout.flush()
        table = exported.path.open("rb")
    with table:  # its name is gone, so no signal leaves the file behind
        shutil.copyfileobj(table, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    return exported
