"""Data beside the code: the TOML files of a package, one for each game."""

from __future__ import annotations

from importlib.resources import files

SUFFIX = ".toml"


def text_of(package: str, name: str) -> str:
    """The text of the file with this name; empty where there is none."""
    path = files(package) / f"{name}{SUFFIX}"
    return path.read_text(encoding="utf-8") if path.is_file() else ""
