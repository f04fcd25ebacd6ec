"""Data beside the code: the TOML files of a package, a game each."""

from __future__ import annotations

from importlib.resources import files

SUFFIX = ".toml"


def named(package: str) -> list[str]:
    """What there are files for, by name without the ending."""
    return sorted(path.name.removesuffix(SUFFIX) for path in files(package).iterdir() if path.name.endswith(SUFFIX))


def text_of(package: str, name: str) -> str:
    """What the file of this name says; empty where there is none."""
    path = files(package) / f"{name}{SUFFIX}"
    return path.read_text(encoding="utf-8") if path.is_file() else ""
