"""The script that switches checks off finds them, and what it is told to edit is still there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from scripts import mutate

ROOT = Path(__file__).parents[2]
MUTANTS = mutate.mutants()
NAMES = [mutant.name for mutant in MUTANTS]


def test_checks_are_found_by_their_names() -> None:
    assert {
        "rollwise/solver/turn/graph.py require_plain",
        "rollwise/solver/turn/graph.py same_type",
        "rollwise/solver/turn/transition_reader.py TransitionReader._require_seat",
        "rollwise/solver/checker/seats.py rows_hold",
        "rollwise/cache/entry.py ArrayFile.check",
        "rollwise/games/cops_and_robbers/rules.py CopsAndRobbers._refuse_early",
    } <= {*NAMES}


def test_a_mutant_is_a_program_that_differs_from_all_others_and_has_tests() -> None:
    """``mutants`` stops where a text is not there, or more than once."""
    assert len(set(NAMES)) == len(NAMES) == len({(mutant.file, mutant.source) for mutant in MUTANTS})
    for mutant in MUTANTS:
        ast.parse(mutant.source)
        assert mutant.source != (ROOT / mutant.file).read_text(), mutant.name
        assert mutant.tests, mutant.name


@pytest.mark.parametrize("test", sorted({test for mutant in MUTANTS for test in mutant.tests}))
def test_a_test_of_a_mutant_is_there(test: str) -> None:
    file, _, name = test.partition("::")
    assert f"def {name}" in (ROOT / file).read_text()
