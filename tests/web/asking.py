"""What tests of the JSON interface ask, and what they say of an error."""

from __future__ import annotations

import json
from typing import Any

import httpx2
from starlette.testclient import TestClient

from rollwise.web import tables

PIG = {"target": 12}
STATE = {"mine": 4, "theirs": 5, "turn": 6}
ASKED: dict[str, Any] = {"game": "pig", "params": PIG, "state": STATE}
POSTED = ("ask", "outcomes", "why", "solve", "export", "review", "throw")


def post(client: TestClient, path: str, body: Any) -> httpx2.Response:
    """What the interface answers to JSON."""
    return client.post(f"/api/{path}", json=body)


def is_problem(found: httpx2.Response, status: int, part: str = "", **said: str) -> None:
    """An error in the one form, of one line, which has this part."""
    assert found.status_code == status, found.text
    told: dict[str, str] = found.json()
    assert told.keys() <= {"error", "message", "hint", "field"}
    assert told["error"].isalpha()
    assert 0 < len(told["message"]) <= 600
    assert "\n" not in told["message"]
    assert part in told["message"], told
    assert told.items() >= said.items(), told


async def write_at_once(line: bytes) -> dict[str, Any]:
    """Stands for ``tables._run_process``, where it is not the process that is tested."""
    order = json.loads(line)
    assert order.pop("kind") == "table"
    tables.write_table(**order)
    return {"done": True}
