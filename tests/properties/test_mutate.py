"""The script that switches checks off finds them, and what it is told to edit is still there."""

from __future__ import annotations

import ast
from dataclasses import replace
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


REFUSING = """
class Door:
    def require_even(self, number: int) -> None:
        '''Even, please.'''
        if number % 2:
            raise ValueError(number)

    def check_small(self, number: int) -> int:
        if number > 9:
            raise ValueError(
                number
            )
        return number

    def require_later(self) -> None:
        raise NotImplementedError

    def requirements(self) -> None:
        raise ValueError

def fits(number: int) -> bool:
    return number < 9
"""


def test_a_check_that_is_switched_off_accepts_everything() -> None:
    found = dict(mutate.checks(ast.parse(REFUSING)))
    assert list(found) == ["Door.require_even", "Door.check_small", "fits"]
    for name, given, wanted in (("require_even", 3, None), ("check_small", 10, 10), ("fits", 10, True)):
        function = next(function for dotted, function in found.items() if dotted.endswith(name))
        space: dict[str, type] = {}
        exec(mutate.accepting(REFUSING, function), space)
        check = getattr(space["Door"](), name) if name in vars(space["Door"]) else space[name]
        assert check(given) is wanted or check(given) == wanted


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


def test_a_table_knows_the_last_outcome_of_each_mutant_as_long_as_nothing_changed(tmp_path: Path) -> None:
    table = tmp_path / "mutants.jsonl"
    assert mutate.read_table(table) == mutate.read_table(None) == {}
    table.write_text('{"name": "a", "verdict": "BROKEN"}\n{"name": "a", "verdict": "killed"}\n{"name": "b", "verd')
    assert mutate.read_table(table) == {"a": {"name": "a", "verdict": "killed"}}
    one, other = MUTANTS[:2]
    assert mutate.digest(one) == mutate.digest(one) != mutate.digest(other)
    assert mutate.digest(replace(one, source=one.source + "#")) != mutate.digest(one)
    assert mutate.digest(replace(one, tests=one.tests[:1])) != mutate.digest(one) or len(one.tests) == 1


def test_the_list_is_printed_and_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["mutate.py", "--list", "--only", "same_type"])
    monkeypatch.setattr(mutate, "mutants", lambda: MUTANTS)
    monkeypatch.setattr(mutate, "Trial", None)
    assert mutate.main() == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("rollwise/solver/turn/graph.py same_type  [tests/properties/test_walker.py::")
