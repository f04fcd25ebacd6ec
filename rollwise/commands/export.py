"""``export``: every decision as a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rollwise.commands.options import Force, Game, Json, Parameters, question_typed, show_json
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.plain import count_of

if TYPE_CHECKING:
    from rollwise.answers.export import Exported

AS_TEXT = ("csv", "jsonl")


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
    force: Force = False,
    into: Annotated[bool, typer.Option("--into", help="into a folder in which there are other files")] = False,
    p: Parameters = None,
    as_json: Json = False,
) -> None:
    """Write every decision of a game, or of the slice that the fields name, to a file, or in parts to a folder."""
    from rollwise.answers.advice import picked
    from rollwise.policy_tables.export import export

    if not output:
        raise BadInput("say where to write: --output FILE.parquet (or .csv, .jsonl), or FOLDER/")
    parameters, fields = question_typed(game, p, state)
    how: dict[str, Any] = {"format": file_format, "all": everything, "levels": levels, "state": fields}
    how |= {"force": force, "into": into}
    if output == "-":
        if as_json:
            raise BadInput("--json and --output - both want standard output; leave one out", field="output")
        to_standard_output(file_format, lambda path: export(game, path, params=parameters, **how))
        return
    made = export(game, output, params=parameters, **how)
    if as_json:
        facts = picked(made, "rows", "format", "bytes", "seconds", "files", "already")
        show_json({"path": str(made.path), **facts})
    else:
        already = f" ({made.already} there already)" if made.already else ""
        parts = f"{count_of(made.files, 'file')}{already}, " if made.path.is_dir() else ""
        typer.echo(f"{made.path}: {parts}{count_of(made.rows, 'decision')}, {made.bytes:,} bytes, {made.seconds:.1f} s")
        if made.stand_for:
            typer.echo(f"A row stands for {made.stand_for}")


def to_standard_output(file_format: str | None, write: Callable[[Path], Exported]) -> Exported:
    """Have a table written to a file that is nobody's, and copy it out: an export that fails halfway prints nothing.

    Raises BadInput for a format that is no text. What reads the table gets no description of it, which stands beside a
    file.
    """
    if file_format not in AS_TEXT:
        came = "no --format" if file_format is None else f"--format {file_format}"
        raise BadInput(
            f"to standard output a table goes as csv or jsonl, got {came}",
            hint="--format csv",
            field="format",
        )
    import shutil
    import sys
    import tempfile

    with tempfile.TemporaryDirectory(prefix="rollwise-") as folder:
        made = write(Path(folder) / f"table.{file_format}")
        sys.stdout.flush()
        table = made.path.open("rb")
    with table:  # whose name is gone: nothing is left of it, whoever ends this
        shutil.copyfileobj(table, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    return made
