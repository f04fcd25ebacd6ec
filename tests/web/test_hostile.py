"""Whatever comes from outside is answered or refused: no file is named, no value and no record is a failure."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.solver.game.errors import UnknownGame
from rollwise.web import answering, questions, tables
from rollwise.web.app import make_app
from rollwise.web.questions import the_game_asked
from rollwise.web.settings import Settings
from tests.web.problems import is_problem

PIG = {"target": 30}
ASKED: dict[str, Any] = {"game": "pig", "params": PIG, "state": {"mine": 10, "theirs": 12, "turn": 6}}
HERE = "http://localhost"
POSTED = ("ask", "outcomes", "why", "solve", "export", "review", "throw")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """The page; Pig to 30 is solved."""
    rollwise.solve("pig", PIG)
    with TestClient(make_app(), base_url=HERE) as asked:
        yield asked


# --- nothing from outside names a file --------------------------------------------------------------------------------

PATHS = ["../x", "/etc/passwd", "game.py", "a.b", "./pig", "pig.py", "pig/", "rollwise.games.pig", "file:///x", "pig\0"]


@pytest.mark.parametrize("name", PATHS)
def test_no_game_is_a_file_or_a_module(client: TestClient, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(name: str, params: Any = None) -> Any:
        raise AssertionError(f"{name} got through")

    monkeypatch.setattr(questions, "the_game", careless)  # whatever this takes for a game in days to come
    for path in ("ask", "outcomes", "why", "solve", "export", "throw"):
        is_problem(client.post(f"/api/{path}", json={"game": name}), 400, error="UnknownGame")
    record = [{"rollwise": 1, "game": name, "parameters": {}, "rules_version": 1}]
    for path in ("review", "throw"):
        is_problem(client.post(f"/api/{path}", json={"record": record}), 400, error="UnknownGame")
    with pytest.raises(UnknownGame):
        the_game_asked(name)


@pytest.mark.parametrize("name", PATHS)
def test_a_record_is_not_looked_at_before_its_game_is_one_of_the_list(
    client: TestClient, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(*given: Any, **how: Any) -> Any:
        raise AssertionError("it got through")

    monkeypatch.setattr(rollwise.Match, "of", careless)
    monkeypatch.setattr(rollwise, "review", careless)
    for path in ("review", "throw"):
        record = [{"rollwise": 1, "game": name}]
        is_problem(client.post(f"/api/{path}", json={"record": record}), 400, error="UnknownGame")


def test_a_game_in_an_address_is_one_of_the_list(client: TestClient) -> None:
    for name in ("game.py", "a.b", "..", "%2e%2e%2fx", "x" * 100):
        for path in ("rules", "plan"):
            assert client.get(f"/api/{path}/{name}").status_code in (400, 404)
    is_problem(client.get("/api/rules/game.py"), 400, error="UnknownGame")


def test_games_go_by_their_titles_and_other_names(client: TestClient) -> None:
    for name in ("Pig", "pig dice", "PIG"):
        assert client.post("/api/ask", json={**ASKED, "game": name}).json()["game"] == "pig"
    assert the_game_asked("10.000").name == "ten-thousand"


# --- anything ---------------------------------------------------------------------------------------------------------

STRANGE: list[Any] = [
    None,
    True,
    -1,
    0,
    10**15,
    1.5,
    "",
    "none",
    "1,2",
    "x",
    "\0",
    [],
    [None],
    [[]],
    {},
    {"a": {}},
    "-" * 300,
]


@pytest.mark.parametrize("path", POSTED)
def test_strange_values_are_never_a_failure(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any value for any name: an answer, or a refusal; 503 where the game is another one, and not solved."""

    def at_once(game: Any, params: Any, state: Any, file_format: str) -> tables.SentTable:
        """In this process: there are many."""
        with tempfile.TemporaryDirectory() as folder:
            rollwise.export(game.name, Path(folder) / f"x.{file_format}", params, state=state)
        return tables.SentTable("x", io.BytesIO())

    monkeypatch.setattr(answering, "table", at_once)
    client = TestClient(make_app(Settings(allow_solve="none")), base_url=HERE)
    base: dict[str, Any] = {**ASKED, "move": "roll"} if path not in ("solve", "review") else {}
    base |= {"game": "pig", "params": PIG} if path == "solve" else {}
    names = ("game", "params", "state", "move", "record", "text", "dice", "seed", "format", "grades", "anyway", "each")
    for name in names:
        for value in STRANGE:
            found = client.post(f"/api/{path}", json={**base, name: value})
            assert found.status_code in (200, 400, 503), (name, value, found.text)
    for field in ("mine", "theirs", "turn", "target"):
        for value in STRANGE:
            for where in ("params", "state"):
                found = client.post(f"/api/{path}", json={**base, where: {**base.get(where, {}), field: value}})
                assert found.status_code in (200, 400, 503), (field, value, found.text)


def mangled(record: list[Any]) -> Iterator[list[Any]]:
    """A record with one value of it another one, or gone."""
    for place, line in enumerate(record):
        for name in [*line, "choice"]:
            for value in (*STRANGE, "gone"):
                other = [dict(each) for each in record]
                other[place][name] = value
                if value == "gone":
                    del other[place][name]
                yield other
    yield [*record, *record]
    yield record[1:]
    yield record[::-1]


def test_a_mangled_record_is_never_a_failure(client: TestClient) -> None:
    match = rollwise.Match("pig", PIG, seed=3)
    match.play("roll")
    match.throw([5])
    match.play("roll")
    found = 0
    for record in mangled(match.record()):
        for path in ("review", "throw"):
            told = client.post(f"/api/{path}", json={"record": record})
            assert told.status_code in (200, 202, 400, 503), (record, told.text)
            found += told.status_code == 400
    assert found > 500


@pytest.mark.parametrize("path", ["/{}", "/play/{}", "/{}/plan", "/play/{}/start"])
def test_no_page_is_of_a_file_or_a_module(client: TestClient, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(name: str, params: Any = None) -> Any:
        raise AssertionError(f"{name} got through")

    monkeypatch.setattr(questions, "the_game", careless)
    for name in ("game.py", "a.b", "..%2Fx", "%2Fetc%2Fpasswd", "x" * 200):
        assert client.get(path.format(name)).status_code in (400, 404, 405)
