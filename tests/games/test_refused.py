"""What games refuse, and the line that says why; the cases stand in ``refused.txt``, as they are typed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from rollwise.games.registry import game
from rollwise.parsing.validate import parse_assignments, parse_fields, parse_game
from rollwise.solver.model.errors import BadInput, ParameterError

LINES = (Path(__file__).parent / "refused.txt").read_text().splitlines()
CASES = [line.split(" | ") for line in LINES if line and not line.startswith("#")]
TRIAL: dict[str, tuple[object, ...]] = {  # boxes
    **{"cameroon": ("four of a kind", "sevens", ""), "killer": ("sevens",)},
    **{"shut-the-box": (2, 10), "sixzee": ("ones,yahtzee", ""), "yahtzee": ("ones,sevens", "")},
}


def ask(made: str, asked: str) -> list[str]:
    """Make the game and locate the question, if there is one; the names of its fields."""
    name, *parameters = made.split()
    found = parse_game(name, parse_assignments(parameters, "parameter"))
    if asked != "-":
        found.locate(**parse_fields(found, parse_assignments(shlex.split(asked), "field")))
    return [field.name for field in found.fields()]


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_what_cannot_be_is_told_why_in_one_line(case: list[str]) -> None:
    made, asked, line, *field = case
    with pytest.raises(BadInput) as refused:
        ask(made, asked)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)
    known: list[str | None] = [*field] or [None, "", *(ask(made, "-") if asked != "-" else [refused.value.field])]
    assert refused.value.field in known


@pytest.mark.parametrize(("name", "boxes"), [(name, boxes) for name, wrong in TRIAL.items() for boxes in wrong])
def test_boxes_that_there_are_not_cannot_be_played(name: str, boxes: object) -> None:
    with pytest.raises(ParameterError, match="parameter boxes is "):
        game(name, {"boxes": boxes})
