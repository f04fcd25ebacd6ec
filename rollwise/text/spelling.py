"""The canonical spelling of a state, in answers, outcomes, matches and records.

Parsed fields have None for a seat that is out, or has nothing yet; a spelled state has ``-`` there, as it is typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

OUT = "-"


def shown_state(state: Mapping[str, Any]) -> str:
    """Fields as a user types them; a value with an apostrophe is in quotes."""
    texts = {name: shown_value(value) for name, value in state.items()}
    return " ".join(f'{name}="{text}"' if "'" in text else f"{name}={text}" for name, text in texts.items())


def shown_value(value: Any) -> str:
    """A field or parameter as a user types it."""
    if isinstance(value, Mapping):
        return ",".join(f"{box}:{score}" for box, score in value.items()) or "none"
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], Mapping):
            return "/".join(map(shown_value, value))
        return ",".join("-" if part is None else str(part) for part in value) or "none"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


def spelled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Parsed fields as a state, with ``-`` for seats that are out."""
    return {
        name: tuple(OUT if part is None else part for part in value) if isinstance(value, tuple) else value
        for name, value in fields.items()
    }


def either(numbers: Sequence[int]) -> str:
    """Numbers as a choice: ``1, 2 or 3``."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last
