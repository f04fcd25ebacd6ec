"""What tests of the JSON interface say of an error."""

from __future__ import annotations

from typing import Any


def is_problem(found: Any, status: int, **said: str) -> dict[str, str]:
    """An error in the one form, of one line."""
    assert found.status_code == status, found.text
    told: dict[str, str] = found.json()
    assert told.keys() <= {"error", "message", "hint", "field"}
    assert told["error"].isalpha()
    assert 0 < len(told["message"]) <= 600
    assert "\n" not in told["message"]
    assert told.items() >= said.items()
    return told
