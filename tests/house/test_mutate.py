"""The script that switches checks off finds them, and what it is told to edit is still there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scripts import mutate

ROOT = Path(__file__).parents[2]


def test_checks_are_found_by_name_and_a_mutant_differs_from_all_others_and_has_tests() -> None:
    """``mutants`` stops where a text is not there, or more than once."""
    mutants = mutate.mutants()
    names = {mutant.name for mutant in mutants}
    assert {
        "rollwise/solver/turn/graph.py require_plain",
        "rollwise/solver/turn/graph.py same_type",
        "rollwise/solver/turn/transition_reader.py TransitionReader._require_seat",
        "rollwise/solver/checker/seats.py rows_hold",
        "rollwise/cache/entry.py ArrayFile.check",
        "rollwise/games/cops_and_robbers/rules.py CopsAndRobbers._refuse_early",
    } <= names
    assert len(names) == len(mutants) == len({(mutant.file, mutant.source) for mutant in mutants})
    assert all(mutant.tests and mutant.source != (ROOT / mutant.file).read_text() for mutant in mutants)
    for test in {test for mutant in mutants for test in mutant.tests}:
        file, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / file).read_text(), test


@pytest.mark.thorough
def test_a_mutant_is_a_program() -> None:
    for mutant in mutate.mutants():
        ast.parse(mutant.source)
