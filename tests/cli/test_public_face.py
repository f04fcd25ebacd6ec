"""The public face: names, types as others see them, and a state said in one mapping."""

from __future__ import annotations

import importlib.util
import inspect
import math
import pickle
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.asking import ask
from rollwise.cache import errors as cache_errors
from rollwise.exporting.writing import export
from rollwise.forecasting import forecast
from rollwise.solver.game import errors
from rollwise.solver.game.fields import Number
from tests.typed import user_program

ROOT = Path(__file__).parents[2]
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


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_a_public_name_and_a_traceback_says_that_name(name: str) -> None:
    error: type[Exception] = getattr(rollwise, name)
    made = error("key", "reason") if name == "DamagedEntry" else error(*("gap", 0.5)[: 1 + (name == "NotConverged")])
    assert "".join(traceback.format_exception_only(made)).startswith(f"rollwise.{name}: ")


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_survives_a_trip_between_processes(name: str) -> None:
    error: type[Exception] = getattr(rollwise, name)
    made = error("key", "reason") if name == "DamagedEntry" else error(*("gap", 0.5)[: 1 + (name == "NotConverged")])
    back = pickle.loads(pickle.dumps(made))
    assert (type(back), str(back), vars(back)) == (error, str(made), vars(made))


def test_what_is_over_says_so_after_a_trip_between_processes() -> None:
    made = rollwise.StateError("no box fits", over="the turn is over", field="roll", hint="open=1,2")
    back = pickle.loads(pickle.dumps(made))
    assert (str(back), back.over, back.reason) == ("no box fits, the turn is over", "the turn is over", "no box fits")
    assert (back.line(), vars(back)) == ("The turn is over: no box fits.", vars(made))
    assert rollwise.StateError("no box fits").line() == "error: no box fits"


def test_what_functions_return_is_a_public_name() -> None:
    advice = rollwise.ask("pig", {"target": 4}, turn=2)
    assert type(advice) is rollwise.Advice
    assert advice.moves
    assert {type(move) for move in advice.moves} == {rollwise.MoveAdvice}
    luck = rollwise.solve("big-six", {"players": 2})
    assert {type(quantity) for quantity in luck.quantities.values()} == {rollwise.Quantity}


def test_the_version_is_that_of_the_metadata_and_costs_no_import() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["hatch"]["version"]["path"] == "rollwise/__init__.py"
    script = "import sys, rollwise; print(rollwise.__version__, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == [rollwise.__version__, "False"]


def test_the_rules_of_a_game_are_plain_data() -> None:
    told = rollwise.rules("pig", {"target": 10})
    assert (told["game"], [field["name"] for field in told["fields"]]) == ("pig", ["mine", "theirs", "turn"])


def test_names_are_fetched_when_they_are_used() -> None:
    script = "import sys, rollwise; print(sorted(name for name in sys.modules if name.startswith('rollwise.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- types ---------------------------------------------------------------------------------------------------------


def test_a_program_with_types_runs(tmp_path: Path) -> None:
    told = user_program.main(tmp_path)
    assert told[:4] == [True, ["hold", "roll"], "36/43", _unknown_game()]
    assert told[-4:] == ["1/1296", ["1/6", {"2": 1.0}, "10/3"], {"confirmed"}, ["421", "aces-in-the-pot"]]


def _unknown_game() -> str:
    with pytest.raises(rollwise.UnknownGame) as raised:
        rollwise.ask("pigg")
    return f"error: {raised.value}"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """What mypy --strict says of a program where rollwise is a package among others that are installed."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed: .ci/run has it")
    folder = tmp_path_factory.mktemp("outside")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    (Path(packages) / "rollwise.pth").write_text(f"{ROOT}\n")

    def said(program: str) -> str:
        (folder / "program.py").write_text(program)
        words = ["mypy", "--strict", "--no-color-output", "--python-executable", str(python), "program.py"]
        done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, cwd=folder, check=False)
        return done.stdout

    return said


def test_types_are_seen_from_outside(installed: Callable[[str], str]) -> None:
    assert installed(PROGRAM.read_text()) == "Success: no issues found in 1 source file\n"


def test_a_program_that_misuses_the_face_is_told(installed: Callable[[str], str]) -> None:
    program = (
        'import rollwise\nadvice = rollwise.ask("pig", state={"turn": 4})\nadvice.best.sort()\nadvice.bets\n'
        'rollwise.ask("pig", state=4)\nrollwise.aks("pig")\n'
    )
    told = installed(program).splitlines()
    assert [line.split(": ")[0] for line in told if "error" in line][:-1] == [f"program.py:{n}" for n in (3, 4, 5, 6)]


# --- a state in one mapping ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda folder, **said: ask("pig", {"target": 6}, **said),
        lambda folder, **said: forecast("shut-the-box", **said),
        lambda folder, **said: export("pig", folder / "pig.csv", {"target": 6}, **said),
    ],
    ids=["ask", "forecast", "export"],
)
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"state": {"turn": 2}, "mine": 1}, "a state is said by state= or field by field, not both; got state= and mi"),
        ({"state": {}, "mine": 1}, "a state is said by state= or field by field, not both"),
        ({"state": 4}, "state is a mapping of field names to values, got 4"),
        ({"state": "turn=4"}, "state is a mapping of field names to values, got 'turn=4'"),
        ({"state": {4: 4}}, "state is a mapping of field names to values, got {4: 4}"),
        ({"state": {"their": 4}}, "has no field 'their'"),
        ({"state": {"game": 4}}, "has no field 'game'"),
    ],
)
def test_a_state_that_cannot_be_is_refused_in_one_line(
    call: Callable[..., object], said: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.raises(rollwise.BadInput) as raised:
        call(tmp_path, **said)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_state_in_one_mapping_is_the_state_field_by_field(tmp_path: Path) -> None:
    params, fields = {"target": 10}, {"mine": 7, "theirs": 5, "turn": 2}
    whole, parts = ask("pig", params, state=fields), ask("pig", params, mine=7, theirs=5, turn=2)
    assert whole.plain() == parts.plain()
    export("pig", tmp_path / "whole.csv", params, state={"turn": 2})
    export("pig", tmp_path / "parts.csv", params, turn=2)
    assert (tmp_path / "whole.csv").read_bytes() == (tmp_path / "parts.csv").read_bytes()
    everything = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    told = forecast("shut-the-box", state={"open": everything})
    assert told.quantities == forecast("shut-the-box", open=everything).quantities


ARGUMENTS = ("game", "params", "exact", "all_moves", "state", "output", "format", "all", "levels", "at_least")


@dataclass(frozen=True)
class Reserved:
    """Stands for a game with a field of any name."""

    name = "pig"

    def fields(self) -> list[Number]:
        return [Number(name, "a field", 0, 9) for name in ARGUMENTS]

    def locate(self, **given: int) -> None:
        raise rollwise.StateError(f"heard {given}")


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_field_may_have_the_name_of_an_argument(name: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rollwise import asking, forecasting

    for module in (asking, forecasting):
        monkeypatch.setattr(module, "the_game", lambda name, params: Reserved())
    for call in (ask, forecast):
        with pytest.raises(rollwise.StateError, match=f"heard {{'{name}': 3}}"):
            call("pig", state={name: 3})
    for command in ("ask", "forecast"):
        assert run(command, "pig", f"{name}=3") == (2, "", f"error: heard {{'{name}': 3}}\n")


def test_an_unknown_field_of_that_name_is_told_at_the_terminal(run: Run) -> None:
    for name in ARGUMENTS:
        code, _, error = run("ask", "pig", f"{name}=3")
        assert (code, error.count("\n")) == (2, 1)
        assert f"error: pig has no field '{name}'" in error


def test_a_cache_that_cannot_be_read_is_one_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "file" / "cache"))
    code, _, error = run("cache", "list")
    assert (code, error.count("\n")) == (1, 1)
    assert "ROLLWISE_CACHE" in error


# --- odd arguments ---------------------------------------------------------------------------------------------------

ODD: list[Any] = ["5", "", "\0", True, 5, -1, None, [], [None], {}, {"a": 1}, 1.5, math.nan, object(), b"x", Path("x")]
TINY: dict[str, Any] = {"params": {"target": 4}}
TURN = {"mine": 0, "theirs": 0, "turn": 2}
USUAL: dict[str, dict[str, Any]] = {  # arguments with which a call is good, and quick
    "ask": {"game": "pig", **TINY, "state": TURN},
    "best": {"table": "table.csv", "state": TURN},
    "card": {"game": "pig", **TINY},
    "compare": {"game": "pig", "rule": "hold-at-20", **TINY},
    "export": {"game": "pig", "output": "pig.csv", **TINY},
    "forecast": {"game": "shut-the-box"},
    "list_games": {},
    "odds": {"game": "pig", **TINY},
    "outcomes": {"game": "pig", **TINY, "state": TURN, "move": "roll"},
    "plan": {"game": "pig", **TINY},
    "quiz": {"game": "pig", **TINY, "n": 1, "look": 20},
    "review": {"path_or_lines": ["pig target=4", "A: 2 hold"]},
    "rules": {"game": "pig", **TINY},
    "solve": {"game": "pig", **TINY},
    "verify": {"game": "pig"},
    "why": {"game": "pig", **TINY, "state": TURN},
    "Match": {"game": "pig", **TINY, "seed": 4},
}


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


FUNCTIONS = [name for name in rollwise.__all__ if inspect.isfunction(getattr(rollwise, name)) or name == "Match"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_odd_arguments_are_answered_or_refused_in_a_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rollwise.verifying.check", lambda claim: claim)
    function, usual = getattr(rollwise, name), USUAL[name]
    if name == "best":
        rollwise.export("pig", "table.csv", **TINY)
    function(**usual)
    assert [told for what, call in odd_calls(function, usual) if (told := untold(what, call))] == []


def test_odd_arguments_of_a_match_are_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    match = rollwise.Match(**USUAL["Match"])
    methods = [name for name in vars(rollwise.Match) if not name.startswith("_") and callable(getattr(match, name))]
    assert {"load", "of", "outcomes", "play", "save", "seen_by", "throw"} <= set(methods)
    calls = [called for name in methods for called in odd_calls(getattr(match, name), {})]
    assert [told for what, call in calls if (told := untold(what, call))] == []


def test_arguments_are_read_as_what_they_mean(tmp_path: Path) -> None:
    path, tiny, odd = tmp_path / "pig.csv", {"target": 4}, True
    face: Any = rollwise
    assert face.export("pig", path, tiny, most="50").rows == face.export("pig", path, tiny).rows
    assert face.solve("pig", tiny, exact="no").exact is None
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: face.export("pig", path, tiny, most=odd), "most is a whole number, got True"),
        (lambda: face.quiz("pig", file=odd), "file is a file, as text or a Path, got True"),
        (lambda: face.verify(claims=odd), "claims is a file, as text or a Path, got True"),
        (lambda: face.verify(source=odd), "source is text, got True"),
        (lambda: face.ask("pig", exact=5), "exact is true or false, got 5"),
    ]
    for call, told in calls:
        with pytest.raises(rollwise.BadInput, match=told):
            call()
