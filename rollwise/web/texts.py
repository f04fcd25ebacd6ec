"""Texts of the pages, in one file for each language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGE = "en"


@cache
def texts(language: str = LANGUAGE) -> Mapping[str, str]:
    """Texts of a language by key, ``section.key``."""
    sections = tomllib.loads((files(__package__) / "texts" / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{section}.{key}": text for section, keys in sections.items() for key, text in keys.items()}


def text(key: str, **named: Any) -> str:
    """A text with its placeholders filled in.

    >>> text("page.title", title="Pig")
    'Pig · rollwise'
    """
    return texts()[key].format(**named) if named else texts()[key]


def section(name: str) -> dict[str, str]:
    """All texts of a section, in order."""
    return {key.partition(".")[2]: words for key, words in texts().items() if key.startswith(f"{name}.")}
