"""``best``: the row of an exported table for a state; one row stands for all sheets with the same continuation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from rollwise.arguments import check_arguments
from rollwise.parsing.validate import parse_game, question_fields
from rollwise.parsing.words import parse_typed_fields
from rollwise.policy_tables.decisions import described_game
from rollwise.policy_tables.row_template import cell
from rollwise.policy_tables.table_reader import TablePart, read_table
from rollwise.policy_tables.table_rows import (
    NEEDED_COLUMN,
    RowCheck,
    key_of,
    key_text,
    parse_list,
    read_rows,
    require_same_game,
)
from rollwise.questions.options import Json, State, print_json, print_lines, title
from rollwise.questions.question import all_fields, question
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput, StateError, UnknownName
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.jsonable import as_json
from rollwise.solver.model.plain import count_of, one_line, plain, quoted
from rollwise.solver.model.rounding import down, up
from rollwise.text.layout import align_columns, wrap_text
from rollwise.text.numbers import number
from rollwise.text.spelling import shown_state, spelled

ANSWER_COLUMNS = ("best_move", "value", "lower", "upper", "moves", "values")


@check_arguments
def best(table: str | Path, *, state: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """The row for a state in a table that ``export`` wrote; nothing is solved.

    ``row`` has the cells of the row that stands for the state, perhaps of another sheet with the same continuation.
    ``points``: how many more the state has than that row; ``value``, ``lower``, ``upper`` and ``values`` include them.
    Raises BadInput for a table without a description, one that a spreadsheet has changed, and one without such a row.
    """
    parts, game = open_table(table)
    state_values = question_fields(state, fields)
    row_game = game.by_needed() if NEEDED_COLUMN in parts[0].columns else game
    try:
        parsed, position = question(described_game(game, state_values) if row_game is not game else game, state_values)
    except UnknownName as error:
        error.hint = ""  # it suggests params=, and a table has its rules already
        raise
    candidates = candidate_rows(row_game, parsed, position)
    fields_of = list(row_game.fields())
    keys = [key_of(fields_of, row) for row in candidates]
    level = game.level(game.boards().columns(np.array([game.boards().index_of(**position.board)])))
    answers: dict[int, list[Any]] = {}
    for part in parts:
        require_same_game(game, Path(table), part)
        if level is None or (part.description or {}).get("level", int(level[0])) == int(level[0]):
            check = RowCheck(part, row_game)
            for number, key, cells in read_rows(part, row_game, ANSWER_COLUMNS):
                if key in keys and keys.index(key) in answers:
                    raise BadInput(f"{part.place(number)} is the second of {key_text(fields_of, key)}: export it anew")
                if key in keys:
                    answers[keys.index(key)] = _checked_answers(check, number, cells)
    if not answers:
        row_text = key_text(fields_of, keys[0])
        raise BadInput(f"{table} has no row for {row_text}: nothing is chosen there, or the table is a part of one")
    row, (move, *interval, moves, values) = candidates[min(answers)], answers[min(answers)]
    shown = {field.name: cell(field, row) for field in fields_of}
    points = float(position.points - row_game.locate(**row).points)
    is_sure = len(values) > 1 and {*interval, *values} in ({0.0}, {1.0})  # bounds too: 1.0 may be a rounded .999
    by_mean = is_sure and "tie_break" in (parts[0].description or {})
    value, lower, upper = (number + points for number in interval)
    return {
        "game": game.name,
        "parameters": plain_parameters(game),
        "state": as_json(spelled(candidates[0])),
        "row": {name: text for name, text in shown.items() if text is not None},
        "points": points,
        "unit": game.unit,
        "best_move": move,
        **({"tie_break": {"move": move, "by": "score", "value": None}} if by_mean else {}),
        "value": value,
        "lower": down(lower) if points else lower,
        "upper": up(upper) if points else upper,
        "moves": moves,
        "values": [number + points for number in values],
    }


def _checked_answers(check: RowCheck, number: int, cells: list[Any]) -> list[Any]:
    """The answer cells of a row, checked: move texts and numbers; raises BadInput for others."""
    move, *_, moves, _ = cells
    numbers = check.numbers(number, dict(zip(ANSWER_COLUMNS, cells, strict=True)))
    names = parse_list(moves) if isinstance(moves, str | list) else [None]
    if not all(isinstance(name, str) for name in (move, *names)):
        raise BadInput(f"{check.part.place(number)}: moves are texts, and what they are worth numbers")
    if move not in names:
        raise check.error(number, "best_move", f"is {one_line(move)}, which is not among the moves of the row")
    return [move, *numbers[:3], names, numbers[3:]]


def open_table(table: str | Path) -> tuple[list[TablePart], TurnGame]:
    """The files of a table, and the game of its description."""
    if not isinstance(table, str | Path):
        raise BadInput(f"table is a file or a folder that export wrote, got {quoted(plain(table))}", field="table")
    parts = read_table(Path(table))
    description = parts[0].description
    if description is None:
        raise BadInput(f"{table} does not say what it is of: export it anew", field="table")
    game = parse_game(description.get("game", ""), description.get("parameters"))
    return parts, game


def candidate_rows(game: TurnGame, values: Mapping[str, Any], position: Position) -> list[dict[str, Any]]:
    """The rows that may stand for a position: as asked, without optional fields, and as the game describes it."""
    described = [
        {name: value for name, value in row.items() if value is not None}
        for row in game.describe(position.board, position.state)
    ]
    described.sort(key=lambda row: -sum(row.get(name) == value for name, value in values.items()))
    full = all_fields(game, values, position)
    usual = {field.name: full[field.name] for field in game.fields() if field.left_out is None and field.name in full}
    with suppress(StateError):
        described[:0] = [usual] if game.locate(**usual).board == position.board else []
    return [full, *described]


def best_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table (FILE, FOLDER/) that export wrote")],
    state: State = None,
    as_json: Json = False,
) -> None:
    """Show the row of an exported table for a state: its best move and values; nothing is solved."""
    game = open_table(table)[1]
    answer = best(table, state=parse_typed_fields(game.name, game.parameters(), state or []))
    if as_json:
        print_json(answer)
        return
    row, state_text, points = shown_state(answer["row"]), shown_state(answer["state"]), answer["points"]
    more = f", with {count_of(int(points), 'point')} more here" if points else ""
    other = wrap_text(f"goes on as the row {row}{more}") if row != state_text else []
    moves = [
        [move, number(value, answer["unit"], 4)] for move, value in zip(answer["moves"], answer["values"], strict=True)
    ]
    head = f"{title(answer['game'])} ({shown_state(answer['parameters']).replace(' ', ', ')})"
    tie = ["", "All is decided: the first move is the best for the mean."] if "tie_break" in answer else []
    print_lines([head, *wrap_text(state_text), *other, "", *align_columns(moves, right=(1,)), *tie])
