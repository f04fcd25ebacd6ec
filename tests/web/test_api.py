"""The JSON interface answers as ``--json`` does, and keeps to its own description."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import rollwise
from rollwise.cache.errors import StoreError
from rollwise.parsing.records import require_lines
from rollwise.solutions.lookup import Unsolved, is_solved
from rollwise.solver.model.cancellation import Cancelled, Token, with_token
from rollwise.solver.model.errors import BadInput, RollwiseError, StateError
from rollwise.web import api, child, endpoints, shapes, tables
from rollwise.web.app import make_app
from rollwise.web.questions import listed_game
from tests.web.asking import ASKED, PIG, POSTED, STATE, is_problem, post, write_at_once
from tests.web.solves import fake

OPENAPI = make_app().openapi()
DESCRIBED = {  # what is answered, by path
    f"/api{route.path}": TypeAdapter(route.responses[200]["model"])
    for route in api.router.routes
    if isinstance(route, APIRoute) and "model" in route.responses.get(200, {})
}
STATUSES = {200, 202, 400, 404, 413, 429, 503}
HELD, ROLLED = {**ASKED, "move": "hold"}, {**ASKED, "move": "roll"}


def test_answers_are_those_of_python_and_of_the_command_line(client: TestClient) -> None:
    how: Any = {"params": PIG, "state": STATE}
    rules = {"game": "pig", "params": PIG}
    for path, body, wanted in (
        ("ask", ASKED, rollwise.ask("pig", **how).plain()),
        ("outcomes", HELD, rollwise.outcomes("pig", move="hold", **how).plain()),
        ("outcomes", {**ROLLED, "each": True}, rollwise.outcomes("pig", move="roll", each=True, **how).plain()),
        ("why", HELD, rollwise.why("pig", move="hold", **how).plain()),
        ("why", ASKED, rollwise.why("pig", **how).plain()),
        ("solve", rules, rollwise.solve("pig", params=PIG).plain_solution()),
    ):
        assert post(client, path, body).json() == wanted, path
    plan = rollwise.plan("pig", params=PIG).plain()
    for path, told in (
        ("games", rollwise.list_games()),
        ("rules/pig?p.target=12", json.loads(json.dumps(rollwise.rules("pig", params=PIG)))),
        ("plan/pig?p.target=12", {"game": "pig", "parameters": PIG, **plan, "solved": True, "allowed": True}),
    ):
        assert client.get(f"/api/{path}").json() == told, path


def test_a_game_is_reviewed_from_text_and_from_its_record(client: TestClient, tmp_path: Path) -> None:
    lines = ["pig target=12", "A: 5 hold", "B: 6 6"]
    assert post(client, "review", {"text": "\n".join(lines)}).json() == rollwise.review(lines).plain()
    match = rollwise.Match("pig", params=PIG, seed=3)
    match.play("roll")
    match.throw([5])
    match.play("hold")
    record = match.record()
    wanted: list[Any] = [{}, {"grades": "0,0,0"}]
    for how in wanted:
        assert post(client, "review", {"record": record, **how}).json() == rollwise.review(record, **how).plain()
    place = tmp_path / "game.txt"
    place.write_text("\n".join(lines))
    for text in (str(place), "/etc/passwd", "-", f"{place}\n"):  # the name of a file is no record
        is_problem(post(client, "review", {"text": text}), 400, "the game is wanted")


def test_dice_fall_as_the_seed_of_a_match_says_and_after_a_move(client: TestClient) -> None:
    match = rollwise.Match("pig", params=PIG, seed=3)
    match.play("roll")
    before = match.record()
    found = post(client, "throw", {"record": before}).json()
    row = match.throw()
    assert row is not None
    assert found == {"record": match.record(), "row": row.plain(), "waiting": False, "over": False}
    assert post(client, "throw", {"record": before}).json() == found
    said = post(client, "throw", {"record": before, "dice": [2]}).json()
    assert said["record"][0]["next"]["state"]["turn"] == 2
    found, again = (post(client, "throw", {**ROLLED, "seed": 5}).json() for _ in range(2))
    assert found == again
    assert (found["record"][0]["seed"], found["record"][2]["thrown"]) == (5, found["row"]["thrown"][0]["dice"])
    held = post(client, "throw", HELD).json()
    assert (held["row"], held["waiting"]) == (None, False)
    is_problem(post(client, "throw", ASKED), 400, "dice fall after a move; say which: hold, roll", field="move")
    luck = post(client, "throw", {"game": "martinetti", "seed": 1}).json()
    assert len(luck["record"][1]["thrown"]) == 3


def test_a_number_that_is_none_is_never_sent(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "ask", lambda body, jobs: {"value": float("nan")})
    found = post(client, "ask", ASKED)
    assert found.status_code == 500
    assert "NaN" not in found.text


def pigs_table(state: Any = None) -> tables.SentTable:
    """The table of a short game of Pig."""
    return tables.make_table(listed_game("pig", PIG), PIG, state or {}, "csv")


def test_a_table_is_sent_as_it_is_written(client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_ROWS", 5)
    with monkeypatch.context() as here:
        here.setattr(tables, "_run_process", write_at_once)
        is_problem(post(client, "export", {"game": "pig", "params": PIG}), 413, "1,584 decisions", error="TooLarge")
    found, path = post(client, "export", {**ASKED, "format": "csv"}), tmp_path / "table.csv"
    rollwise.export("pig", path, params=PIG, state=STATE)
    assert found.content == path.read_bytes()
    assert found.headers["content-disposition"] == 'attachment; filename="pig.csv"'
    for error in ({}, {"error": "NotConverged", "message": "x"}, {"error": "ask", "message": "x"}):
        assert type(tables.error_of(error)) is RollwiseError
    told = tables.error_of({"error": "StateError", "message": "x", "field": "y"})
    assert isinstance(told, StateError)
    assert (str(told), told.field) == ("x", "y")
    assert isinstance(tables.error_of({"error": "StoreError", "message": "x"}), StoreError)


def test_a_table_that_nobody_waits_for_is_written_no_further(solved: None) -> None:
    with with_token(Token(lambda: True)), pytest.raises(Cancelled):
        pigs_table()


@pytest.mark.usefixtures("own_cache")
def test_a_table_of_a_game_that_is_not_solved_is_not_solved_for_it() -> None:
    with pytest.raises(Unsolved):
        pigs_table()
    assert not is_solved(listed_game("pig", PIG))


def test_the_process_of_a_table_writes_it_and_says_so(
    solved: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    child.obey({"kind": "table", **ASKED, "format": "csv", "most": 100, "path": str(tmp_path / "pig.csv")})
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {"done": True}
    assert (tmp_path / "pig.csv").exists()


def test_the_process_of_a_table_may_end_before_it_has_heard_what_is_wanted_and_uses_few_threads(
    solved: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "CHILD", fake("pass"))
    with pytest.raises(RollwiseError, match="has ended"):
        pigs_table({"turn": "x" * 10**6})  # more than is written ahead
    said = "import json, os; print(json.dumps({'error': 'BadInput', 'message': os.environ['OMP_NUM_THREADS']}))"
    monkeypatch.setattr(tables, "CHILD", fake(said))
    monkeypatch.setattr("rollwise.web.processes.count_processors", lambda: 8)
    with pytest.raises(BadInput, match=r"^7$"):
        pigs_table()


def examples() -> Iterator[Any]:
    """Every body that the description shows."""
    for path, item in OPENAPI["paths"].items():
        if "post" in item:
            schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
            while "$ref" in schema:
                schema = OPENAPI["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            for number, example in enumerate(schema["examples"]):
                yield pytest.param(path, example, id=f"{path} {number}")


@pytest.mark.parametrize(("path", "body"), list(examples()))
def test_every_documented_example_is_answered_as_documented(
    client: TestClient, path: str, body: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_run_process", write_at_once)
    rollwise.solve("pig", params={"target": 30})  # that of most examples
    found = client.post(path, json=body)
    assert found.status_code == 200, found.text
    content = OPENAPI["paths"][path]["post"]["responses"]["200"]["content"]
    kind = found.headers["content-type"].partition(";")[0]
    assert kind in content
    if kind == "application/json":
        DESCRIBED[path].validate_json(found.content, strict=True)


def test_the_description_is_whole(client: TestClient) -> None:
    assert client.get("/api/openapi.json").json() == json.loads(json.dumps(OPENAPI))
    assert set(OPENAPI["paths"]) == {f"/api/{name}" for name in POSTED} | {
        *("/api/games", "/api/rules/{game}", "/api/plan/{game}", "/api/jobs/{job}/events", "/api/jobs/{job}")
    }
    for path in ("/api/rules/{game}", "/api/plan/{game}"):
        assert [each["name"] for each in OPENAPI["paths"][path]["get"]["parameters"]] == ["game", "p.NAME"]
    for operation in (operation for item in OPENAPI["paths"].values() for operation in item.values()):
        assert operation["description"] or operation["summary"]
        told = {int(status) for status in operation["responses"]}
        assert told <= STATUSES
        for status in told - {200}:
            assert [*operation["responses"][str(status)]["content"]] == ["application/json"]
    for line in client.get("/api/games").json():  # what has no body is described truly too
        TypeAdapter(shapes.GameLine).validate_python(line, strict=True)
    TypeAdapter(shapes.PLAN).validate_python(client.get("/api/plan/pig?p.target=30").json(), strict=True)
    TypeAdapter(shapes.Problem).validate_python(client.get("/api/plan/pig?target=30").json(), strict=True)


JSON_TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "integer": int, "number": int | float}
JSON_WORDS: dict[str, Callable[[Any, Any], bool]] = {  # of a JSON schema, those that records are described in
    "minimum": lambda value, least: value >= least,
    "maximum": lambda value, most: value <= most,
    "exclusiveMinimum": lambda value, under: value > under,
    "exclusiveMaximum": lambda value, over: value < over,
    "maxLength": lambda text, most: len(text) <= most,
    "maxItems": lambda members, most: len(members) <= most,
    "minItems": lambda members, least: len(members) >= least,
    "required": lambda line, names: line.keys() >= set(names),
    "properties": lambda line, fields: all(accepts(fields[name], line[name]) for name in line.keys() & fields.keys()),
    "oneOf": lambda line, schemas: [accepts({"type": "object"} | schema, line) for schema in schemas].count(True) == 1,
    "prefixItems": lambda members, schemas: all(map(accepts, schemas, members)),
    "items": lambda members, schema: all(accepts(schema, member) for member in members),
    "description": lambda value, text: bool(text),
}


def accepts(schema: dict[str, Any], value: Any) -> bool:
    """Is this what a JSON schema says? A word that is not known here is a KeyError."""
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if value is None or isinstance(value, bool) or not any(isinstance(value, JSON_TYPES.get(of, ())) for of in types):
        return value is None and "null" in types
    words = {word: said for word, said in schema.items() if word != "type"}
    first = len(words.get("prefixItems", ()))  # of which ``items`` says nothing
    return all(JSON_WORDS[word](value[first:] if word == "items" else value, said) for word, said in words.items())


def damaged() -> Iterator[list[dict[str, Any]]]:
    """Records with another value somewhere, or with something gone."""
    match = rollwise.Match("pig", params=PIG, seed=3)
    match.play("roll")
    match.throw([5])
    whole = [*match.record(), {"result": [1, 0]}]
    odd: list[Any] = [*(None, True, -1, 0, 2, 7, 1.5, 10**12, -(10**12)), *("", "x", "x" * 199, "x" * 200)]
    odd += [[], [1], [7], ["x"]]
    odd += [[[4]], [[0]], [1] * 199, [1] * 200, {}, {"state": {}}, {"seat": 0, "state": None}, {"seat": 0, "state": {}}]
    for place, line in enumerate(whole):
        for name in {*line, "then", "hidden", "gained", "seats", "choice", "thrown"}:
            without = {key: value for key, value in line.items() if key != name}
            for changed in (without, *({**line, name: value} for value in odd)):
                yield [*whole[:place], changed, *whole[place + 1 :]]


def test_the_description_of_a_record_takes_just_what_the_reader_takes() -> None:
    schemas = OPENAPI["components"]["schemas"]
    described = schemas["GameRecord"]["properties"]["record"]["anyOf"][0]
    assert described.items() <= schemas["MatchAfter"]["properties"]["record"].items()
    taken = []
    for record in damaged():
        if any(line.get("hidden") == ["x"] for line in record):  # no schema says that it has to be in the state
            continue
        taken.append(True)
        try:
            require_lines(enumerate(record, 1))
        except BadInput:
            taken[-1] = False
        assert accepts(described, record) is taken[-1], record
    assert 0.1 < sum(taken) / len(taken) < 0.9
