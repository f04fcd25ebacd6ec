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
        "rollwise/games/cops_and_robbers.py CopsAndRobbers._refuse_early",
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


def test_machine_code_is_shared_but_with_what_kernels_stand_in_or_take_something_from(tmp_path: Path) -> None:
    parts = ("kernels", "lanes", "graph", "kernel_cache", "look_ups")
    assert all(mutate.shapes_kernels(f"rollwise/solver/turn/{part}.py") for part in parts)
    assert not any(
        map(
            mutate.shapes_kernels,
            ("rollwise/solver/checker/table.py", "rollwise/cache/store.py", "rollwise/games/pig.py"),
        )
    )
    (tmp_path / "rollwise" / "solver" / "turn").mkdir(parents=True)
    (tmp_path / mutate.KERNELS).write_text("")
    of = {mutant.file: mutant for mutant in MUTANTS}
    for file, shared in (
        ("rollwise/cache/store.py", True),
        (mutate.KERNELS, False),
        ("rollwise/solver/turn/graph.py", False),
    ):
        mutate.share_kernels(tmp_path, of[file])
        assert (mutate.TAKEN_AS_GIVEN in (tmp_path / mutate.KERNELS).read_text()) == shared
