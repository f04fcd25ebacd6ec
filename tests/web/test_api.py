"""The JSON interface answers as ``--json`` does, says what is wrong in one form, and keeps to its own description."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel
from starlette.testclient import TestClient

import rollwise
from rollwise.cache.errors import StoreError
from rollwise.games.registry import REGISTRY
from rollwise.solver.game.errors import BadInput, RollwiseError, StateError
from rollwise.solver.game.giving_up import GivenUp, given_up_when
from rollwise.stored import Unsolved, is_kept
from rollwise.web import answering, bodies, questions, tables
from rollwise.web.app import make_app
from rollwise.web.questions import read_json, the_game_asked
from tests.web.problems import is_problem
from tests.web.processes import IN_PROC, is_alive, until

PIG = {"target": 30}
ASKED: dict[str, Any] = {"game": "pig", "params": PIG, "state": {"mine": 10, "theirs": 12, "turn": 6}}
HERE = "http://localhost"
POSTED = ("ask", "outcomes", "why", "solve", "export", "review", "throw")
OPENAPI = make_app().openapi()
STATUSES = {200, 202, 400, 404, 413, 429, 503}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """The page; Pig to 30 is solved."""
    rollwise.solve("pig", PIG)
    with TestClient(make_app(), base_url=HERE) as asked:
        yield asked


# --- the same answers -------------------------------------------------------------------------------------------------


def test_answers_are_those_of_python_and_of_the_command_line(client: TestClient) -> None:
    how: Any = {"params": PIG, "state": ASKED["state"]}
    moved = {**ASKED, "move": "hold"}
    assert client.post("/api/ask", json=ASKED).json() == rollwise.ask("pig", **how).plain()
    assert client.post("/api/outcomes", json=moved).json() == rollwise.outcomes("pig", move="hold", **how).plain()
    assert client.post("/api/why", json=moved).json() == rollwise.why("pig", move="hold", **how).plain()
    assert client.post("/api/why", json=ASKED).json() == rollwise.why("pig", **how).plain()
    solved = client.post("/api/solve", json={"game": "pig", "params": PIG}).json()
    assert solved == rollwise.solve("pig", PIG).plain_solution()
    assert client.get("/api/games").json() == rollwise.list_games()
    told = json.loads(json.dumps(rollwise.rules("pig", PIG)))
    assert client.get("/api/rules/pig?p.target=30").json() == told


def test_each_throw_is_told_where_that_is_wanted(client: TestClient) -> None:
    asked = {**ASKED, "move": "roll"}
    assert len(client.post("/api/outcomes", json={**asked, "each": True}).json()["rows"]) == 6


def test_a_plan_says_what_a_solve_takes(client: TestClient) -> None:
    told = client.get("/api/plan/pig", params={"p.target": "30"}).json()
    plan = rollwise.plan("pig", PIG).plain()
    assert told == {"game": "pig", "parameters": PIG, **plan, "solved": True, "allowed": True}


def test_a_game_is_reviewed_from_text_and_from_its_record(client: TestClient) -> None:
    lines = ["pig target=30", "A: 5 hold", "B: 6 6"]
    wanted = rollwise.review(lines).plain()
    assert client.post("/api/review", json={"text": "\n".join(lines)}).json() == wanted
    match = rollwise.Match("pig", PIG, seed=3)
    match.play("roll")
    match.throw([5])
    match.play("hold")
    record = match.record()
    found = client.post("/api/review", json={"record": record}).json()
    assert found == rollwise.review(record).plain()
    strict = client.post("/api/review", json={"record": record, "grades": "0,0,0"}).json()
    assert strict == rollwise.review(record, grades="0,0,0").plain()


def test_the_name_of_a_file_is_no_record(client: TestClient, tmp_path: Any) -> None:
    place = tmp_path / "game.txt"
    place.write_text("pig target=30\nA: 5 hold\n")
    for text in (str(place), "/etc/passwd", "-", f"{place}\n"):
        told = is_problem(client.post("/api/review", json={"text": text}), 400)
        assert "the game is wanted" in told["message"]


def test_dice_fall_as_the_seed_of_a_match_says(client: TestClient) -> None:
    match = rollwise.Match("pig", PIG, seed=3)
    match.play("roll")
    before = match.record()
    found = client.post("/api/throw", json={"record": before}).json()
    row = match.throw()
    assert row is not None
    assert found == {"record": match.record(), "row": row.plain(), "waiting": False, "over": False}
    assert client.post("/api/throw", json={"record": before}).json() == found
    said = client.post("/api/throw", json={"record": before, "dice": [2]}).json()
    assert said["record"][0]["next"]["state"]["turn"] == 2


def test_dice_fall_after_a_move(client: TestClient) -> None:
    asked = {**ASKED, "move": "roll", "seed": 5}
    found = client.post("/api/throw", json=asked).json()
    assert found == client.post("/api/throw", json=asked).json()
    assert found["record"][0]["seed"] == 5
    assert found["row"]["thrown"][0]["dice"] == found["record"][2]["thrown"]
    held = client.post("/api/throw", json={**ASKED, "move": "hold"}).json()
    assert (held["row"], held["waiting"]) == (None, False)
    told = is_problem(client.post("/api/throw", json=ASKED), 400, field="move")
    assert told["message"] == "dice fall after a move; say which: hold, roll"
    luck = client.post("/api/throw", json={"game": "martinetti", "seed": 1}).json()
    assert len(luck["record"][1]["thrown"]) == 3


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_a_table_is_sent_as_it_is_written(client: TestClient, format: str, tmp_path: Any) -> None:
    found = client.post("/api/export", json={**ASKED, "format": format})
    path = tmp_path / f"table.{format}"
    rollwise.export("pig", path, PIG, state=ASKED["state"])
    assert found.content == path.read_bytes()
    assert found.headers["content-disposition"] == f'attachment; filename="pig.{format}"'


def test_a_table_that_is_too_long_is_refused_with_how_long_it_is(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_ROWS", 50)
    told = is_problem(client.post("/api/export", json={"game": "pig", "params": PIG}), 413, error="TooLarge")
    assert "26,100 decisions" in told["message"]
    assert "at most 50" in told["message"]
    assert client.post("/api/export", json={**ASKED, "state": {"mine": 10, "theirs": 12}}).status_code == 200


def test_errors_come_back_from_the_process_that_writes_a_table(client: TestClient) -> None:
    told = is_problem(client.post("/api/export", json={**ASKED, "state": {"turn": 1}}), 400, error="StateError")
    assert "no decision of pig(target=30)" in told["message"]
    is_problem(client.post("/api/export", json={"game": "bouncer"}), 400, error="BadInput")
    assert type(tables.error_of({})) is RollwiseError
    assert type(tables.error_of({"error": "NotConverged", "message": "x"})) is RollwiseError
    assert type(tables.error_of({"error": "ask", "message": "x"})) is RollwiseError
    found = tables.error_of({"error": "StateError", "message": "x", "field": "y"})
    assert isinstance(found, StateError)
    assert (str(found), found.field) == ("x", "y")
    assert isinstance(tables.error_of({"error": "StoreError", "message": "x"}), StoreError)


def test_a_table_that_nobody_waits_for_is_written_no_further() -> None:
    with given_up_when(lambda: True), pytest.raises(GivenUp):
        tables.table(the_game_asked("pig", PIG), PIG, {}, "csv")


@pytest.mark.usefixtures("own_cache")
def test_a_table_of_a_game_that_is_not_solved_is_not_solved_for_it() -> None:
    with pytest.raises(Unsolved):
        tables.table(the_game_asked("pig", PIG), PIG, {}, "csv")
    assert not is_kept(the_game_asked("pig", PIG))


def test_a_table_lets_others_go_first(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = {"game": "pig", "params": PIG, "state": ASKED["state"], "format": "csv", "most": 100}
    line = json.dumps({**wanted, "path": str(tmp_path / "pig.csv")}).encode()
    done: list[str] = []
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(line)))
    monkeypatch.setattr(tables, "be_modest", lambda: done.append("modest"))
    monkeypatch.setattr(tables, "end_when_nobody_listens", lambda: done.append("ends"))
    tables.main()
    assert done == ["modest", "ends"]
    assert json.loads(capsys.readouterr().out) == {"done": True}
    assert (tmp_path / "pig.csv").exists()


LEAVES_A_CHILD = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
with open({place!r}, "w") as file:
    file.write(f"{{os.getpid()}} {{os.getsid(0)}} {{child.pid}}")
"""


@IN_PROC
def test_what_the_process_of_a_table_leaves_behind_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "processes"
    monkeypatch.setattr(tables, "PYTHON", [sys.executable, "-c", LEAVES_A_CHILD.format(place=str(place))])
    with pytest.raises(RollwiseError, match="has ended"):
        tables.table(the_game_asked("pig", PIG), PIG, {}, "csv")
    parent, session, child = map(int, place.read_text().split())
    assert parent == session  # Ctrl-C in a terminal does not reach it: the server ends it
    until(lambda: not is_alive(child))


def test_the_process_of_a_table_may_end_before_it_has_heard_what_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PYTHON", [sys.executable, "-c", "pass"])
    state = {"turn": "x" * 10**6}  # more than is written ahead
    with pytest.raises(RollwiseError, match="has ended"):
        tables.table(the_game_asked("pig", PIG), PIG, state, "csv")


def test_the_process_of_a_table_uses_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "import json, os; print(json.dumps({'error': 'BadInput', 'message': os.environ['OMP_NUM_THREADS']}))"
    monkeypatch.setattr(tables, "PYTHON", [sys.executable, "-c", said])
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    with pytest.raises(BadInput, match=r"^7$"):
        tables.table(the_game_asked("pig", PIG), PIG, {}, "csv")


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"game": "pigg"}, None),
        ({"game": 7}, "game"),
        ({}, "game"),
        ({"game": "pig", "params": []}, "params"),
        ({"game": "pig", "params": {"target": "x"}}, "target"),
        ({"game": "pig", "params": {"target": 10**19}}, "target"),
        ({"game": "pig", "params": PIG, "state": {"turn": 1}}, "turn"),
        ({"game": "pig", "params": PIG, "state": {"turn": {"a": [1]}}}, "turn"),
        ({"game": "pig", "params": PIG, "state": {"turn": "x" * 3000}}, "turn"),
        ({"game": "pig", "params": PIG, "state": {"turn": [[[[[1]]]]]}}, "turn"),
        ({"game": "pig", "params": PIG, "state": {"turn": list(range(2000))}}, "turn"),
        ({"game": "pig", "params": PIG, "state": {"x" * 70: 1}}, "state"),
        ({"game": "pig", "params": PIG, "state": {f"x{n}": 1 for n in range(60)}}, "state"),
        ({"game": "pig", "params": {f"x{n}": 1 for n in range(60)}}, "params"),
        ({"game": "pig", "params": PIG, "more": 1}, "more"),
        ({"game": "pig", "params": PIG, "move": 1}, "move"),
        ({"game": "pig", "params": PIG, "move": "x" * 201}, "move"),
        ([], None),
        ("pig", None),
        (None, None),
    ],
)
def test_bad_input_gets_one_line_and_the_field(client: TestClient, body: Any, field: str | None) -> None:
    told = is_problem(client.post("/api/ask", json=body), 400)
    if field is not None:
        assert told["field"] == field


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("x" * 2001, "turn has at most 2,000 letters, got 2,001"),
        (["x" * 2001], "turn has at most 2,000 letters, got 2,001"),
        ([[[[[1]]]]], "turn is too deep: lists in lists in lists"),
        ({"a": {"a": {"a": {"a": {}}}}}, "turn is too deep: lists in lists in lists"),
        ([1] * 1001, "turn has at most 1,000 members, got 1,001"),
    ],
)
def test_values_that_no_game_has_are_not_looked_at(client: TestClient, value: Any, said: str) -> None:
    for path in ("ask", "outcomes", "why", "export", "throw"):
        body = {**ASKED, "state": {"turn": value}, "move": "roll"}
        is_problem(client.post(f"/api/{path}", json=body), 400, message=said)
    told = is_problem(client.post("/api/solve", json={"game": "pig", "params": {"turn": value}}), 400)
    assert told["message"] == said


def test_dice_that_no_game_has_are_not_looked_at(client: TestClient) -> None:
    body = {**ASKED, "move": "roll", "dice": [1] * 1001}
    is_problem(client.post("/api/throw", json=body), 400, message="dice has at most 1,000 members, got 1,001")


def test_names_that_no_game_has_are_not_looked_up(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(name: str) -> Any:
        raise AssertionError(f"{name} got through")

    monkeypatch.setattr(questions, "find", careless)
    is_problem(client.post("/api/ask", json={"game": "p" * 61}), 400, error="UnknownGame", field="game")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "required"),
        (b"{", "no JSON"),
        (b"[" * 100_000, "deeper"),
        (b'{"a":' * 50_000, "deeper"),
        (b'{"game": "pig", "state": {"turn": NaN}}', "NaN is no JSON"),
        (b'{"game": "pig", "state": {"turn": -Infinity}}', "Infinity is no JSON"),
        (b'{"game": "pig", "state": {"turn": 1e999}}', "too large"),
        (b'{"game": "pig", "state": {"turn": ' + b"9" * 5_000 + b"}}", "digits"),
        (b'{"game": "pig", "state": {"turn": 1.' + b"9" * 5_000 + b"}}", "too large or too long"),
        (b'{"game": "pig", "game": "zilch"}', "said twice"),
        (b'{"game": "\xff"}', "UTF-8"),
        (b'{"game": "\\ud800"}', "there is no game"),
        (b'{"game": "pig", "params": {"target": 30}, "state": {"turn": "\\ud800"}}', "turn"),
    ],
)
def test_json_that_is_none_is_refused(client: TestClient, text: bytes, said: str) -> None:
    told = is_problem(client.post("/api/ask", content=text, headers={"content-type": "application/json"}), 400)
    assert said in told["message"]


def test_what_stands_in_text_makes_nothing_deep() -> None:
    assert read_json(b'{"a": "[[[[[[[[[[[[[[[[[[\\"[["}') == {"a": '[[[[[[[[[[[[[[[[[["[['}
    with pytest.raises(BadInput, match="deeper"):
        read_json(b'["\\\\", [[[[[[[[1]]]]]]]]]')


@pytest.mark.parametrize(
    "text", [b'"' + b'\\"' * 1000, b'"' + b"[" * 1000, b'"' + b"\\\n" * 999, b'"a" "' + b"{" * 1000]
)
def test_text_without_an_end_is_passed_over_once(text: bytes) -> None:
    """Looked at again from each quotation mark in it, a body of 1 MB would hold up everybody for minutes."""
    assert questions.TEXT.sub(b"", text).strip() == b""
    with pytest.raises(BadInput, match="the body is no JSON"):
        read_json(text)


class Said(str):
    """A name that counts how often it is compared."""

    compared = 0

    def __hash__(self) -> int:
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        Said.compared += 1
        return str(self) == other


def test_names_are_compared_with_few_others() -> None:
    """Each with each other one, thirty thousand names would hold up everybody for seconds."""
    pairs = [(Said(f"a{n}"), 1) for n in range(300)]
    with pytest.raises(BadInput, match="'a299' is said twice"):
        questions._once_each([*pairs, (Said("a299"), 2)])
    assert Said.compared < 1000


def test_a_long_name_that_is_said_twice_is_told_shortly() -> None:
    with pytest.raises(BadInput, match="is said twice") as refused:
        read_json(b'{"%s": 1, "%s": 2}' % (b"a" * 3000, b"a" * 3000))
    assert refused.value.field == "a" * questions.LONGEST_NAME


def test_another_kind_of_body_is_refused(client: TestClient) -> None:
    """A form, or text, is what a page of another site can send without asking."""
    text = json.dumps(ASKED)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        is_problem(client.post("/api/ask", content=text, headers={"content-type": kind}), 400)


def test_errors_of_the_framework_have_the_same_form(client: TestClient) -> None:
    is_problem(client.get("/api/nothing"), 404, error="NotFound")
    wrong = client.put("/api/ask", json=ASKED)
    is_problem(wrong, 405, error="MethodNotAllowed")
    assert wrong.headers["allow"] == "POST"


@pytest.mark.parametrize("body", [{}, {"record": [], "text": ""}, {"record": {}}, {"record": [1]}, {"record": [{}]}])
def test_what_is_no_record_is_refused(client: TestClient, body: Any) -> None:
    is_problem(client.post("/api/review", json=body), 400)
    is_problem(client.post("/api/throw", json=body), 400)


def test_records_are_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MOST_LINES", 2)
    told = is_problem(client.post("/api/throw", json={"record": [{"rollwise": 1}] * 3}), 400, field="record")
    assert "1 to 2 lines" in told["message"]
    is_problem(client.post("/api/throw", json={"record": [{}], "game": "pig"}), 400)
    is_problem(client.post("/api/throw", json={"record": [{"rollwise": 1}], "seed": 1}), 400)


def test_parameters_in_an_address_are_named_as_such(client: TestClient) -> None:
    is_problem(client.get("/api/plan/pig?target=30"), 400, field="target")
    is_problem(client.get("/api/plan/pig?p.target=30&p.target=40"), 400, field="target")
    is_problem(client.get("/api/rules/pig?p.players=3"), 400, field="players")


# --- its own description ----------------------------------------------------------------------------------------------


def resolved(schema: Any) -> Any:
    while "$ref" in schema:
        schema = OPENAPI["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def examples() -> Iterator[Any]:
    """Every body that the description shows."""
    for path, item in OPENAPI["paths"].items():
        if "post" in item:
            schema = resolved(item["post"]["requestBody"]["content"]["application/json"]["schema"])
            for number, example in enumerate(schema["examples"]):
                yield pytest.param(path, example, id=f"{path} {number}")


@pytest.mark.parametrize(("path", "body"), list(examples()))
def test_every_documented_example_is_answered_as_documented(client: TestClient, path: str, body: Any) -> None:
    found = client.post(path, json=body)
    assert found.status_code == 200, found.text
    content = OPENAPI["paths"][path]["post"]["responses"]["200"]["content"]
    kind = found.headers["content-type"].partition(";")[0]
    assert kind in content
    if kind == "application/json":
        name = content[kind]["schema"]["$ref"].rpartition("/")[2]
        model: type[BaseModel] = getattr(bodies, name)
        model.model_validate_json(found.content, strict=True)


def test_the_description_is_whole(client: TestClient) -> None:
    assert client.get("/api/openapi.json").json() == json.loads(json.dumps(OPENAPI))
    paths = {path for path in OPENAPI["paths"]}
    assert paths == {f"/api/{name}" for name in POSTED} | {
        *("/api/games", "/api/rules/{game}", "/api/plan/{game}", "/api/jobs/{job}/events", "/api/jobs/{job}"),
    }
    for item in OPENAPI["paths"].values():
        for operation in item.values():
            assert operation["description"] or operation["summary"]
            told = {int(status) for status in operation["responses"]}
            assert 422 not in told
            assert told <= STATUSES
            for status in told - {200}:
                (content,) = operation["responses"][str(status)]["content"].items()
                assert content[0] == "application/json"


def test_what_has_no_body_is_described_truly(client: TestClient) -> None:
    for line in client.get("/api/games").json():
        bodies.GameLine.model_validate(line, strict=True)
    bodies.Rules.model_validate(client.get("/api/rules/pig").json(), strict=True)
    bodies.PlanTold.model_validate(client.get("/api/plan/pig?p.target=30").json(), strict=True)
    bodies.Problem.model_validate(client.get("/api/plan/pig?target=30").json(), strict=True)


@pytest.mark.parametrize("game", REGISTRY)
def test_rules_of_every_game_are_told(client: TestClient, game: str) -> None:
    bodies.Rules.model_validate(client.get(f"/api/rules/{game}").json(), strict=True)


def test_a_number_that_is_none_is_never_sent(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "ask", lambda body, jobs: {"value": float("nan")})
    found = client.post("/api/ask", json=ASKED)
    assert found.status_code == 500
    assert "NaN" not in found.text
