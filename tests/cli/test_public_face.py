"""The public face: names, types as others see them, and a state said in one mapping."""

from __future__ import annotations

import ast
import doctest
import inspect
import math
import pickle
import pydoc
import re
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.cache import errors as cache_errors
from rollwise.policy_tables.export import export
from rollwise.questions.ask.compute import ask
from rollwise.questions.forecast.compute import forecast
from rollwise.solver.model import errors
from rollwise.solver.model.fields import Number
from tests.typed import user_program
from tests.usual import FUNCTIONS, TINY, usual

ROOT = Path(__file__).parents[2]
STUB = {
    alias.asname
    for node in ast.parse((ROOT / "rollwise" / "__init__.pyi").read_text()).body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
    if alias.asname
}
PROGRAM = ROOT / "tests" / "typed" / "user_program.py"
ERRORS = sorted(
    {
        found.__name__
        for module in (errors, cache_errors)
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, Exception)
    }
)
Run = Callable[..., tuple[int, str, str]]

# --- names ---------------------------------------------------------------------------------------------------------


def test_every_error_is_a_public_name_that_a_traceback_says_and_survives_a_trip_between_processes() -> None:
    for name in ERRORS:
        error: type[Exception] = getattr(rollwise, name)
        made = (
            error("key", "reason") if name == "DamagedEntry" else error(*("gap", 0.5)[: 1 + (name == "NotConverged")])
        )
        assert "".join(traceback.format_exception_only(made)).startswith(f"rollwise.{name}: ")
        back = pickle.loads(pickle.dumps(made))
        assert (type(back), str(back), vars(back)) == (error, str(made), vars(made))


def test_what_is_over_says_so_after_a_trip_between_processes() -> None:
    made = rollwise.StateError("no box fits", over="the turn is over", field="roll", hint="open=1,2")
    back = pickle.loads(pickle.dumps(made))
    assert (str(back), back.over, back.reason) == ("no box fits, the turn is over", "the turn is over", "no box fits")
    assert (back.line(), vars(back)) == ("The turn is over: no box fits.", vars(made))
    assert rollwise.StateError("no box fits").line() == "error: no box fits"


def test_the_public_names_are_functions_and_what_they_return_and_raise() -> None:
    others = {name for name in rollwise.__all__ if not isinstance(getattr(rollwise, name), type | str)}
    assert others == {name for name in STUB if name.islower()} | {"Policy"}
    assert {*rollwise.__all__} == {*STUB, "__version__"}
    assert [name for name in rollwise.__all__ if isinstance(getattr(rollwise, name), str)] == ["__version__"]
    assert dir(rollwise) == rollwise.__all__
    with pytest.raises(AttributeError, match="no attribute 'play'"):
        rollwise.play  # type: ignore[attr-defined]  # noqa: B018  the access itself is the test
    advice, luck = rollwise.ask("pig", params={"target": 4}, turn=2), rollwise.solve("big-six", params={"players": 2})
    assert [type(advice), *{type(move) for move in advice.moves}] == [rollwise.Advice, rollwise.MoveAdvice]
    assert {type(quantity) for quantity in luck.quantities.values()} == {rollwise.Quantity}


def test_help_tells_of_the_functions_first() -> None:
    shown = pydoc.plain(pydoc.render_doc(rollwise))
    first, rest = shown.split("\nPACKAGE CONTENTS\n")  # which pydoc lists of every package
    assert {*re.findall(r"^ {8}(\w+)  ", first, re.MULTILINE)} == {*FUNCTIONS}
    assert "SUBMODULES" not in rest


FIRST = {  # what cannot be left out, or is said first, and so by position, if not the game alone; all else by name
    **{"best": ["table"], "compare": ["game", "rule"], "export": ["game", "output"], "list_games": [], "solve_all": []},
    **{"outcomes": ["game", "move"], "review": ["path_or_lines"], "why": ["game", "move"]},
}


def test_what_cannot_be_missing_is_said_by_position_and_all_else_by_name_in_one_order() -> None:
    assert FIRST.keys() <= set(FUNCTIONS)
    for name in FUNCTIONS:
        arguments = inspect.signature(getattr(rollwise, name)).parameters.values()
        assert [one.name for one in arguments if one.kind is one.POSITIONAL_OR_KEYWORD] == (FIRST.get(name, ["game"]))
        named = [one.name for one in arguments if one.kind is one.KEYWORD_ONLY]
        begins = [said for said in ("params", "state") if said in named]
        assert named[: len(begins)] == begins, name
        assert [one.name for one in arguments if one.kind is one.VAR_KEYWORD] in ([], ["fields"])


def test_the_version_is_that_of_the_metadata_and_names_are_fetched_when_they_are_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "rollwise/__init__.py"
    names = "[name for name in sys.modules if name.startswith('rollwise.') or name == 'numpy']"
    watching = ["rollwise.cache", "rollwise.cache.loaded"]
    assert (
        in_a_process(f"import rollwise; print(rollwise.__version__, {names})") == f"{rollwise.__version__} {watching}"
    )


@pytest.mark.parametrize(
    "module",
    [
        "questions.ask.compute",
        pytest.param("questions.outcomes.compute", marks=pytest.mark.thorough),
        pytest.param("match.review.compute", marks=pytest.mark.thorough),
    ],
)
def test_the_names_stay_functions_whatever_is_imported_first(module: str) -> None:
    named = "(getattr(rollwise, name) for name in rollwise.__all__ if name != '__version__')"
    assert in_a_process(f"import rollwise.{module}; print(all(map(callable, {named})))") == "True"


def in_a_process(script: str) -> str:
    """What a program prints that begins with nothing loaded."""
    words = [sys.executable, "-c", f"import sys; {script}"]
    return subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


# --- types ---------------------------------------------------------------------------------------------------------


def test_a_program_with_types_runs(tmp_path: Path) -> None:
    told = user_program.main(tmp_path)
    with pytest.raises(rollwise.UnknownGame) as raised:
        rollwise.ask("pigg")
    assert told[:4] == [True, ["hold", "roll"], "36/43", f"error: {raised.value}"]
    assert told[-4:] == ["1/1296", ["1/6", {"2": 1.0}, "10/3"], {"confirmed"}, ["421", "aces-in-the-pot"]]


@pytest.mark.dev
def test_types_are_seen_from_outside_and_a_program_that_misuses_the_face_is_told(tmp_path: Path) -> None:
    """What mypy --strict says of programs where rollwise is a package among others that are installed."""
    python = tmp_path / "env" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (tmp_path / "env" / "lib" / version / "site-packages" / "rollwise.pth").write_text(f"{ROOT}\n")
    (tmp_path / "right.py").write_text(PROGRAM.read_text())
    (tmp_path / "readme.py").write_text(doctest.script_from_examples((ROOT / "README.md").read_text()))
    (tmp_path / "wrong.py").write_text(
        'import rollwise\nadvice = rollwise.ask("pig", state={"turn": 4})\nadvice.best.sorted()\nadvice.bets\n'
        'rollwise.ask("pig", state=4)\nrollwise.aks("pig")\n'
    )
    words = ["mypy", "--strict", "--no-color-output", "--python-executable", str(python)]
    files = ["right.py", "readme.py", "wrong.py"]
    told = subprocess.run(
        [sys.executable, "-m", *words, *files], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    places = [line.split(": ")[0] for line in told.stdout.splitlines() if "error" in line]
    assert places[:-1] == [f"wrong.py:{line}" for line in (3, 4, 5, 6)]


# --- a state in one mapping ------------------------------------------------------------------------------------------


def test_a_state_that_cannot_be_is_refused_in_one_line(tmp_path: Path) -> None:
    calls: list[Callable[..., object]] = [
        partial(ask, "pig", params={"target": 6}),
        partial(forecast, "shut-the-box"),
        partial(export, "pig", tmp_path / "pig.csv", params={"target": 6}),
    ]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"state": {"turn": 2}, "mine": 1}, "give a state by state= or field by field, not both; got state= and mi"),
        ({"state": {}, "mine": 1}, "give a state by state= or field by field, not both"),
        ({"state": 4}, "state is a mapping of field names to values, got 4"),
        ({"state": "turn=4"}, "state is a mapping of field names to values, got 'turn=4'"),
        ({"state": {4: 4}}, "state is a mapping of field names to values, got {4: 4}"),
        ({"state": {"their": 4}}, "has no field 'their'"),
        ({"state": {"game": 4}}, "has no field 'game'"),
    ]
    for call, (said, told) in product(calls, wrong):
        with pytest.raises(rollwise.BadInput) as raised:
            call(**said)
        assert (told in str(raised.value), str(raised.value).count("\n")) == (True, 0), raised.value


def test_a_state_in_one_mapping_is_the_state_field_by_field(tmp_path: Path) -> None:
    params, fields = {"target": 10}, {"mine": 7, "theirs": 5, "turn": 2}
    whole, parts = ask("pig", params=params, state=fields), ask("pig", params=params, mine=7, theirs=5, turn=2)
    assert whole.plain() == parts.plain()
    export("pig", tmp_path / "whole.csv", params=params, state={"turn": 2})
    export("pig", tmp_path / "parts.csv", params=params, turn=2)
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()
    every = list(range(1, 10))
    assert forecast("shut-the-box", state={"open": every}).quantities == forecast("shut-the-box", open=every).quantities


ARGUMENTS = ("game", "params", "exact", "all_moves", "state", "output", "format", "all", "levels", "at_least")


@dataclass(frozen=True)
class Reserved:
    """Stands for a game with a field of any name."""

    name = "pig"

    def fields(self) -> list[Number]:
        return [Number(name, "a field", 0, 9) for name in ARGUMENTS]

    def locate(self, **given: int) -> None:
        raise rollwise.StateError(f"heard {given}")


def test_a_field_may_have_the_name_of_an_argument(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("ask", "forecast"):
        monkeypatch.setattr(f"rollwise.questions.{module}.compute.parse_game", lambda name, params: Reserved())
    for name in ARGUMENTS:
        for call in (ask, forecast):
            with pytest.raises(rollwise.StateError, match=f"heard {{'{name}': 3}}"):
                call("pig", state={name: 3})
        for command in ("ask", "forecast"):
            assert run(command, "pig", f"{name}=3") == (2, "", f"error: heard {{'{name}': 3}}\n")


def test_an_unknown_field_of_that_name_is_told_at_the_terminal(said: Callable[..., str]) -> None:
    for name in ("game", "state", "at_least"):
        assert said(f"ask pig {name}=3", f"error: pig has no field '{name}'", code=2).count("\n") == 1


# --- odd arguments ---------------------------------------------------------------------------------------------------

ODD: list[Any] = ["5", "", "\0", True, 5, -1, None, [], [None], {}, {"a": 1}, 1.5, math.nan, object(), b"x", Path("x")]


def odd_calls(function: Callable[..., Any], usual: dict[str, Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls with one argument that is odd, and what they are."""
    for name, parameter in inspect.signature(function).parameters.items():
        named = "mine" if parameter.kind is inspect.Parameter.VAR_KEYWORD else name
        said = {key: value for key, value in usual.items() if key != "state" or named != "mine"}
        for odd in ODD:
            if name != "params" or odd:  # else it is the game as it stands in the sheet, and takes its time
                yield f"{function.__qualname__}({named}={odd!r})", partial(function, **{**said, named: odd})


def untold(what: str, call: Callable[[], Any]) -> str:
    """How a call ends that is neither answered nor refused in a line; empty for others."""
    try:
        call()
    except rollwise.RollwiseError as error:
        return "" if len(str(error).splitlines()) == 1 else f"{what}: {error}"
    except Exception as error:
        return f"{what}: {type(error).__name__}: {error}"
    return ""


SAID: dict[str, dict[str, Any]] = {"save": {"path": "pig.jsonl"}, "load": {"path": "none.jsonl"}, "of": {"record": []}}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_odd_arguments_are_answered_or_refused_in_a_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rollwise.questions.verify.compute.check", lambda claim: claim)
    monkeypatch.setattr("rollwise.questions.sweep.compute.REGISTRY", ["high-dice"])  # of all games
    monkeypatch.setattr("rollwise.cluster.dask_cluster.CONNECT_S", 0.1)
    function, said = getattr(rollwise, name), usual(name)
    if name == "best":
        rollwise.export("pig", "table.csv", **TINY)
    made = function(**said)
    calls = [*odd_calls(function, said)]
    if name == "Match":
        methods = [each for each in dir(function) if not each.startswith("_") and callable(getattr(made, each))]
        assert {"load", "of", "outcomes", "play", "save", "seen_by", "throw"} <= set(methods)
        calls += [call for method in methods for call in odd_calls(getattr(made, method), SAID.get(method, {}))]
    assert [told for what, call in calls if (told := untold(what, call))] == []


def test_a_score_that_is_no_number_is_refused() -> None:
    for theirs in (math.nan, None, " ", math.inf):
        with pytest.raises(rollwise.BadInput, match="theirs"):
            rollwise.ask("pig", params={"target": 10}, state={"mine": 7.0, "theirs": theirs, "turn": 3.0})


@pytest.mark.dev
def test_a_row_of_an_export_that_pandas_has_read_is_a_state(tmp_path: Path) -> None:
    import pandas

    rollwise.export("shut-the-box", tmp_path / "box.csv")
    table = pandas.read_csv(tmp_path / "box.csv").iloc[::97]
    assert {*table["roll"].isna()} == {True, False}
    for _, row in table.iterrows():
        advice = rollwise.ask("shut-the-box", state=row[["open", "roll"]])
        assert advice.best[0] == row["best_move"]
        assert advice.value == pytest.approx(row["value"])


def test_dice_are_those_in_hand_and_the_field_of_that_name() -> None:
    how: Any = {"policy": lambda state, moves: moves[0], "params": {"goal": 500}}  # nothing is solved with a policy
    both = rollwise.odds("ten-thousand", turn=300, dice=3, **how)
    assert isinstance(both, rollwise.TurnRisk)
    assert (both.state["dice"], [row.dice for row in both.bust]) == (3, [3])
    with pytest.raises(rollwise.BadInput, match="dice is given twice, as 3 and as 4"):
        rollwise.odds("ten-thousand", state={"turn": 300, "dice": 3}, dice=4, **how)


def test_what_may_be_left_out_is_said_by_name() -> None:
    face: Any = rollwise
    with pytest.raises(TypeError, match=r"ask takes game by position, all else by name, as params=\{...\}"):
        face.ask("pig", {"target": 4})
    with pytest.raises(TypeError, match="outcomes takes game, move by position"):
        face.outcomes("pig", "roll", {"target": 4})


def test_arguments_are_read_as_what_they_mean(tmp_path: Path) -> None:
    path, tiny, odd = tmp_path / "pig.csv", {"target": 4}, True
    face: Any = rollwise
    assert face.export("pig", path, params=tiny, most="50").rows == face.export("pig", path, params=tiny).rows
    assert face.solve("pig", params=tiny, exact="no").exact is None
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: face.export("pig", path, params=tiny, most=odd), "most is a whole number, got True"),
        (lambda: face.quiz("pig", file=odd), "file is a file, as text or a Path, got True"),
        (lambda: face.verify(claims=odd), "claims is a file, as text or a Path, got True"),
        (lambda: face.verify(source=odd), "source is text, got True"),
        (lambda: face.ask("pig", exact=5), "exact is true or false, got 5"),
    ]
    for call, told in calls:
        with pytest.raises(rollwise.BadInput, match=told):
            call()
