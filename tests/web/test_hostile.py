"""Whatever comes from outside is answered or refused: no file is named, no value and no record is a failure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import cycle
from typing import Any

import pytest
from starlette.testclient import TestClient

import rollwise
from rollwise.solver.model.errors import BadInput, UnknownGame
from rollwise.web import questions, tables
from rollwise.web.questions import listed_game, parse_json
from tests.web.asking import ASKED, PIG, POSTED, is_problem, post, write_at_once

JSON = {"content-type": "application/json"}
OF_STATES = ("ask", "outcomes", "why", "export", "throw")
OF_RECORDS = ("review", "throw")


def careless(*values: Any, **how: Any) -> Any:
    """Stands where nothing may come that is not checked."""
    raise AssertionError(f"{values} got through")


PATHS = ["../x", "/etc/passwd", "game.py", "a.b", "./pig", "pig.py", "pig/", "rollwise.games.pig", "file:///x", "pig\0"]


def test_no_game_is_a_file_or_a_module(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even by a record, which is not looked at before its game is one of the list."""
    for name in ("Pig", "pig dice", "PIG"):  # titles and other names are games' names
        assert post(client, "ask", {**ASKED, "game": name}).json()["game"] == "pig"
    assert listed_game("10.000").name == "ten-thousand"
    monkeypatch.setattr(questions, "parse_game", careless)  # whatever this takes for a game in days to come
    monkeypatch.setattr(rollwise.Match, "of", careless)
    monkeypatch.setattr(rollwise, "review", careless)
    for name in PATHS:
        for path in (*OF_STATES, "solve"):
            is_problem(post(client, path, {"game": name}), 400, error="UnknownGame")
        for path in OF_RECORDS:
            for more in ({"parameters": {}, "rules_version": 1}, {}):
                is_problem(post(client, path, {"record": [{"rollwise": 1, "game": name, **more}]}), 400)
        with pytest.raises(UnknownGame):
            listed_game(name)
    for name in ("game.py", "a.b", "%2e%2e%2fx", "..%2Fx", "%2Fetc%2Fpasswd", "x" * 200):
        for path in ("/api/rules/{}", "/api/plan/{}", "/{}", "/play/{}", "/{}/plan", "/play/{}/start"):
            assert client.get(path.format(name)).status_code in (400, 404, 405), (path, name)
    monkeypatch.setattr(questions, "find", careless)  # names that no game has are not looked up
    is_problem(post(client, "ask", {"game": "p" * 61}), 400, error="UnknownGame", field="game")
    monkeypatch.undo()
    is_problem(client.get("/api/rules/game.py"), 400, error="UnknownGame")


RULES = {"game": "pig", "params": PIG}
DEEP, MANY = "{} is too deep: lists in lists in lists", "{} has at most 1,000 members, got 1,001"
WRONG: list[tuple[Any, str, str]] = [  # what is asked, the field that it is said of, and a part of what is said
    ({"game": "pigg"}, "", ""),
    ({"game": 7}, "game", ""),
    ({}, "game", ""),
    ({"game": "pig", "params": []}, "params", ""),
    ({"game": "pig", "params": {"target": "x"}}, "target", ""),
    ({"game": "pig", "params": {"target": 10**19}}, "target", ""),
    ({**RULES, "state": {"turn": 1}}, "turn", ""),
    ({**RULES, "state": {"turn": {"a": [1]}}}, "turn", ""),
    ({**RULES, "state": {"x" * 70: 1}}, "state", ""),
    ({**RULES, "state": {f"x{n}": 1 for n in range(60)}}, "state", ""),
    ({"game": "pig", "params": {f"x{n}": 1 for n in range(60)}}, "params", ""),
    ({**RULES, "more": 1}, "more", ""),
    ({**RULES, "move": 1}, "move", ""),
    ({**RULES, "move": "x" * 201}, "move", ""),
    ([], "", ""),
    ("pig", "", ""),
    (None, "", ""),
]
NO_VALUES = [  # values that no game has, which are not looked at
    ("x" * 2001, "{} has at most 2,000 letters, got 2,001"),
    (["x" * 2001], "{} has at most 2,000 letters, got 2,001"),
    ([[[[[1]]]]], DEEP),
    ({"a": {"a": {"a": {"a": {}}}}}, DEEP),
    ([1] * 1001, MANY),
]


def test_bad_input_gets_one_line_and_the_field(client: TestClient) -> None:
    for body, field, said in WRONG:
        is_problem(post(client, "ask", body), 400, said, **({"field": field} if field else {}))
    for value, said in NO_VALUES:
        for path in OF_STATES:
            told = post(client, path, {**ASKED, "state": {"turn": value}, "move": "roll"})
            is_problem(told, 400, message=said.format("turn"), field="turn")
        told = post(client, "solve", {"game": "pig", "params": {"turn": value}})
        is_problem(told, 400, message=said.format("turn"))
    is_problem(post(client, "throw", {**ASKED, "move": "roll", "dice": [1] * 1001}), 400, message=MANY.format("dice"))
    for path in ("plan/pig?target=30", "plan/pig?p.target=30&p.target=40"):  # a parameter is named as such, once
        is_problem(client.get(f"/api/{path}"), 400, field="target")
    is_problem(client.get("/api/rules/pig?p.players=3"), 400, field="players")


def test_what_is_no_record_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies: list[Any] = [{}, {"record": [], "text": ""}, {"record": {}}, {"record": [1]}, {"record": [{}]}]
    for body in bodies:
        for path in OF_RECORDS:
            is_problem(post(client, path, body), 400)
    monkeypatch.setattr(questions, "MAX_RECORD_LINES", 2)
    is_problem(post(client, "throw", {"record": [{"rollwise": 1}] * 3}), 400, "1 to 2 lines", field="record")
    is_problem(post(client, "throw", {"record": [{}], "game": "pig"}), 400)
    is_problem(post(client, "throw", {"record": [{"rollwise": 1}], "seed": 1}), 400)


def test_errors_of_the_framework_have_the_same_form(client: TestClient) -> None:
    is_problem(client.get("/api/nothing"), 404, error="NotFound")
    for method, path in (("PUT", "ask"), ("GET", "ask"), ("GET", "why"), ("HEAD", "outcomes")):
        refused = client.request(method, f"/api/{path}")
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
        assert method == "HEAD" or refused.json()["error"] == "MethodNotAllowed"
    for name, value in (("each", 0), ("each", "yes"), ("move", 4)):
        is_problem(post(client, "outcomes", {**ASKED, "move": "roll", name: value}), 400, field=name)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        # a form, or text, is what a page of another site can send without asking
        is_problem(client.post("/api/ask", content=json.dumps(ASKED), headers={"content-type": kind}), 400)


def test_json_that_is_none_is_refused(client: TestClient) -> None:
    for text, said in (
        (b"", "required"),
        (b"{", "no JSON"),
        (b"[" * 100_000, "deeper"),
        (b'{"a":' * 50_000, "deeper"),
        (b'["\\\\", [[[[[[[[1]]]]]]]]]', "deeper"),
        (b'{"game": "pig", "state": {"turn": NaN}}', "NaN is no JSON"),
        (b'{"game": "pig", "state": {"turn": -Infinity}}', "Infinity is no JSON"),
        (b'{"game": "pig", "state": {"turn": 1e999}}', "too large"),
        (b'{"game": "pig", "state": {"turn": ' + b"9" * 5_000 + b"}}", "digits"),
        (b'{"game": "pig", "state": {"turn": 1.' + b"9" * 5_000 + b"}}", "too large or too long"),
        (b'{"game": "pig", "game": "zilch"}', "appears twice"),
        (b'{"game": "\xff"}', "UTF-8"),
        (b'{"game": "\\ud800"}', "there is no game"),
        (b'{"game": "pig", "params": {"target": 12}, "state": {"turn": "\\ud800"}}', "turn"),
    ):
        is_problem(client.post("/api/ask", content=text, headers=JSON), 400, said)
    assert parse_json(b'{"a": "[[[[[[[[[[[[[[[[[[\\"[["}') == {"a": '[[[[[[[[[[[[[[[[[["[['}  # text makes nothing deep


def test_text_without_an_end_is_passed_over_once() -> None:
    """Looked at again from each quotation mark in it, a body of 1 MB would hold up everybody for minutes."""
    for text in (b'"' + b'\\"' * 1000, b'"' + b"[" * 1000, b'"' + b"\\\n" * 999, b'"a" "' + b"{" * 1000):
        assert questions.STRING_PATTERN.sub(b"", text).strip() == b""
        with pytest.raises(BadInput, match="the body is no JSON"):
            parse_json(text)


def test_a_name_that_is_said_twice_is_told_shortly_and_compared_with_few_others() -> None:
    """Each with each other one, thirty thousand names would hold up everybody for seconds."""

    class Said(str):
        compared = 0

        def __hash__(self) -> int:
            return hash(str(self))

        def __eq__(self, other: object) -> bool:
            Said.compared += 1
            return str(self) == other

    pairs = [(Said(f"a{n}"), 1) for n in range(300)]
    with pytest.raises(BadInput, match="'a299' appears twice"):
        questions._once_each([*pairs, (Said("a299"), 2)])
    assert Said.compared < 1000
    with pytest.raises(BadInput, match="appears twice") as refused:
        parse_json(b'{"%s": 1, "%s": 2}' % (b"a" * 3000, b"a" * 3000))
    assert refused.value.field == "a" * questions.MAX_NAME_CHARS


STRANGE: list[Any] = [*(None, True, -1, 10**15, 1.5, "", "1,2", "\0", "-" * 300), *([], [None], [[]], {"a": {}})]
NAMES = ("game", "params", "state", "move", "record", "text", "dice", "seed", "format", "grades", "anyway", "each")


QUICK = ("ask", "solve", "review", "throw")  # the others are asked as the first is


@pytest.mark.parametrize(
    "path", [*QUICK, *(pytest.param(p, marks=pytest.mark.thorough) for p in POSTED if p not in QUICK)]
)
def test_strange_values_are_never_a_failure(pages: TestClient, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any value for any name: an answer, or a refusal; 503 where the game is another one, and not solved."""
    monkeypatch.setattr(tables, "_run_process", write_at_once)
    base = {"solve": RULES, "review": {}}.get(path, {**ASKED, "move": "roll"})
    changed = [{name: value} for name in NAMES for value in STRANGE]
    changed += [
        {where: {**base.get(where, {}), field: value}}
        for field in ("mine", "turn", "target")
        for value in STRANGE[::2]
        for where in ("params", "state")
    ]
    for change in changed:
        found = post(pages, path, {**base, **change})
        assert found.status_code in (200, 400, 503), (change, found.text)


def mangled(record: list[Any]) -> Iterator[list[Any]]:
    """A record with one value of it another one, or gone."""
    for place, line in enumerate(record):
        for name in [*line, "choice"]:
            gone = {key: value for key, value in line.items() if key != name}
            for other in (gone, *({**gone, name: value} for value in STRANGE[::3])):
                yield [*record[:place], other, *record[place + 1 :]]
    yield from ([*record, *record], record[1:], record[::-1])


def test_a_mangled_record_is_never_a_failure(pages: TestClient) -> None:
    """Neither to programs nor on the pages that carry it."""
    match = rollwise.Match("pig", params=PIG, seed=3)
    match.play("roll")
    match.throw([5])
    acts = cycle([{"move": "roll"}, {"do": "undo"}, {"do": "throw"}, {"coach_is": "on"}, {"die": "3"}])
    doors, refused = cycle([*(f"/api/{path}" for path in OF_RECORDS), "/play/pig", "/review"]), 0
    for record, door in zip(mangled(match.record()), doors, strict=False):  # each record at one of the doors
        sent = {"record": json.dumps(record), "sit.0": "person", **next(acts)}
        told = pages.post(door, **({"json": {"record": record}} if "api" in door else {"data": sent}))
        assert told.status_code in (200, 400, 503), (door, record)
        refused += told.status_code == 400
    assert refused > 50
