"""``best``: what a table says of a state, in the row that stands for it: of sheets that go on alike it has one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rollwise.answers.spelling import plain_state, spelled
from rollwise.asking.question import all_fields, question
from rollwise.parsing.validate import as_said, checked, the_game
from rollwise.policy_tables.decisions import told_by
from rollwise.policy_tables.reading import (
    NEEDED,
    RowCheck,
    TablePart,
    as_list,
    check_description,
    key_of,
    read_rows,
    read_table,
    shown_key,
)
from rollwise.policy_tables.sheets import cell
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.errors import BadInput, StateError, UnknownName
from rollwise.solver.model.game import Position, TurnGame
from rollwise.solver.model.plain import on_a_line, plain, quoted
from rollwise.solver.model.rounding import down, up

ANSWERS = ("best_move", "value", "lower", "upper", "moves", "values")


@checked
def best(table: str | Path, *, state: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """What a table that ``export`` wrote says of a state; nothing is solved.

    ``row`` has the cells of the row that stands for the state, perhaps another sheet that goes on alike. ``points``:
    so many more the state has than that row says; ``value``, ``lower``, ``upper`` and ``values`` count them. Raises
    BadInput for a table that does not say what it is of, that a spreadsheet has changed, or that has no such row.
    """
    parts, game = opened(table)
    said = as_said(state, fields)
    told = game.by_needed() if NEEDED in parts[0].columns else game
    try:
        known, position = question(told_by(game, said) if told is not game else game, said)
    except UnknownName as error:
        error.hint = ""  # which says params= to those who have them; the rules of a table are what they are
        raise
    standing = rows_of(told, known, position)
    fields_of = list(told.fields())
    keys = [key_of(fields_of, row) for row in standing]
    level = game.level(game.boards().columns(np.array([game.boards().index_of(**position.board)])))
    answers: dict[int, list[Any]] = {}
    for part in parts:
        check_description(game, Path(table), part)
        if level is None or (part.description or {}).get("level", int(level[0])) == int(level[0]):
            check = RowCheck(part, told)
            for number, key, cells in read_rows(part, told, ANSWERS):
                if key in keys and keys.index(key) in answers:
                    raise BadInput(f"{part.place(number)} is the second of {shown_key(fields_of, key)}: export it anew")
                if key in keys:
                    answers[keys.index(key)] = _judged(check, number, cells)
    if not answers:
        row_text = shown_key(fields_of, keys[0])
        raise BadInput(f"{table} has no row for {row_text}: nothing is chosen there, or the table is a part of one")
    row, (move, *interval, moves, values) = standing[min(answers)], answers[min(answers)]
    shown = {field.name: cell(field, row) for field in fields_of}
    points = float(position.points - told.locate(**row).points)
    is_sure = len(values) > 1 and {*interval, *values} in ({0.0}, {1.0})  # bounds too: 1.0 may be a rounded .999
    by_mean = is_sure and "tie_break" in (parts[0].description or {})
    value, lower, upper = (number + points for number in interval)
    return {
        "game": game.name,
        "parameters": plain_parameters(game),
        "state": plain_state(spelled(standing[0])),
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


def _judged(check: RowCheck, number: int, cells: list[Any]) -> list[Any]:
    """The answers of a row: texts and numbers; raises BadInput for others."""
    move, *_, moves, _ = cells
    numbers = check.numbers(number, dict(zip(ANSWERS, cells, strict=True)))
    names = as_list(moves) if isinstance(moves, str | list) else [None]
    if not all(isinstance(name, str) for name in (move, *names)):
        raise BadInput(f"{check.part.place(number)}: moves are texts, and what they are worth numbers")
    if move not in names:
        raise check.changed(number, "best_move", f"is {on_a_line(move)}, which is not among the moves of the row")
    return [move, *numbers[:3], names, numbers[3:]]


def opened(table: str | Path) -> tuple[list[TablePart], TurnGame]:
    """The files of a table, and the game that it says it is of."""
    if not isinstance(table, str | Path):
        raise BadInput(f"table is a file or a folder that export wrote, got {quoted(plain(table))}", field="table")
    parts = read_table(Path(table))
    description = parts[0].description
    if description is None:
        raise BadInput(f"{table} does not say what it is of: export it anew", field="table")
    game = the_game(description.get("game", ""), description.get("parameters"))
    return parts, game


def rows_of(game: TurnGame, known: Mapping[str, Any], position: Position) -> list[dict[str, Any]]:
    """The rows that may stand for a position: as said, without what may be left out, as the game tells it."""
    described = [
        {name: value for name, value in row.items() if value is not None}
        for row in game.describe(position.board, position.state)
    ]
    described.sort(key=lambda row: -sum(row.get(name) == value for name, value in known.items()))
    said = all_fields(game, known, position)
    usual = {field.name: said[field.name] for field in game.fields() if field.left_out is None and field.name in said}
    with suppress(StateError):
        described[:0] = [usual] if game.locate(**usual).board == position.board else []
    return [said, *described]
