"""``export``: every decision of a game, or of a slice of it, as a table file."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cache.store import DamagedEntry
from rollwise.decisions import Fields, Interwoven, Slice
from rollwise.door import the_fields, the_game
from rollwise.progress import Progress
from rollwise.rows import COLUMNS, Rows
from rollwise.stored import Stored, forget, note, plain_parameters, stored, versions
from rollwise.tables import TableFile, check_output, the_format
from solver.errors import BadInput, StateError, TooLarge
from solver.model import TurnGame

MOST_ROWS = 50_000_000  # more are written only when asked for


@dataclass(frozen=True)
class Exported:
    """What was written: ``bytes`` is the size of the file, ``seconds`` the whole time, a solve included."""

    path: Path
    rows: int
    format: str
    bytes: int
    seconds: float


def export(
    game: str,
    output: str | Path,
    params: Mapping[str, Any] | None = None,
    *,
    format: str | None = None,
    all: bool = False,
    **state: Any,
) -> Exported:
    """Write every decision of the slice that the fields in ``state`` name, a row each, to ``output``.

    A decision belongs to the slice if its fields agree with all those given (``mine=8400, theirs=6300`` fixes the
    scores, ``roll=...`` the roll); without any, every board that can be is exported. The columns are the game's fields,
    then those of ``rollwise.rows.COLUMNS``; the values are those of ``ask``. ``format`` is parquet, csv or jsonl, by
    default that of the suffix. More than 50 million rows are written only with ``all``: TooLarge says how many there
    would be. Raises BadInput, before anything is solved, for a file that can not be written or a slice that is empty.

    >>> export("pig", "missing/pig.parquet", {"target": 10})
    Traceback (most recent call last):
    solver.errors.BadInput: missing/pig.parquet can not be written: there is no folder 'missing'
    """
    began = time.perf_counter()
    path = Path(output)
    file_format = the_format(path, format)
    made = the_game(game, params)
    if made.kind == "luck":
        raise BadInput(f"BadInput: {game} has no decisions to export")
    given = the_fields(made, state)
    target = check_output(path)
    try:
        rows, size = _export(made, given, target, file_format, all, apart=True)
    except Interwoven:
        rows, size = _export(made, given, target, file_format, all, apart=False)
    return Exported(path, rows, file_format, size, time.perf_counter() - began)


def _export(game: TurnGame, given: Fields, path: Path, file_format: str, all: bool, apart: bool) -> tuple[int, int]:
    chosen = Slice(game, given, apart)
    if chosen.n_rows > MOST_ROWS and not all:
        names = ", ".join(field.name for field in game.fields())
        raise TooLarge(
            f"TooLarge: that would be about {chosen.n_rows / 1e6:,.0f} million decisions of {game}; narrow it down by "
            f"fields ({names}), or say --all (all=True)"
        )
    found = stored(game)
    try:
        return _write(found, chosen, path, file_format)
    except DamagedEntry as error:
        note(str(error))
        forget(found.key)
        return _write(stored(game), chosen, path, file_format)


def _write(found: Stored, chosen: Slice, path: Path, file_format: str) -> tuple[int, int]:
    table = Rows(found, chosen)
    with TableFile(path, file_format, table.schema()) as file, Progress(str(found.game), verb="exporting") as progress:
        n_boards, done = int(chosen.chosen.sum()), 0
        for root, boards in chosen.blocks(table.lanes):
            for batch in table.batches(root, boards):
                file.write(batch)
            done += len(boards)
            progress.share(done / n_boards)
        if file.rows == 0:
            raise StateError(f"StateError: no decision of {found.game} there has a legal move")
        return file.rows, file.finish(_description(found, chosen, table, file.rows))


def _description(found: Stored, chosen: Slice, table: Rows, rows: int) -> dict[str, Any]:
    """What a table says of itself."""
    from importlib.metadata import version

    game = found.game
    fields = {field.name: field.help for field in game.fields()}
    return {
        "game": game.name,
        "parameters": plain_parameters(game),
        "rules_version": game.rules_version,
        "slice": {
            field.name: field.show(chosen.given[field.name]) for field in game.fields() if field.name in chosen.given
        },
        "objective": game.measure,
        "best_is": "highest" if game.sense == "max" else "lowest",
        "unit": game.unit,
        "method": found.facts["method"],
        "widest": table.widest,
        "boards": int(chosen.chosen.sum()),
        "rows": rows,
        "columns": fields | {name: COLUMNS[column] for column, name in table.names.items()},
        "versions": {**versions(), "pyarrow": version("pyarrow")},
    }
