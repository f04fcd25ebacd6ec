"""What others have written lies here as they gave it out, with its licence."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("rollwise/web/static/vendor", "tests/web/vendor")


@pytest.mark.parametrize("folder", FOLDERS)
def test_vendored_files_are_what_their_digests_say(folder: str) -> None:
    place = ROOT / folder
    lines = [line.split() for line in (place / "SHA256SUMS").read_text().splitlines()]
    said = {name: digest for digest, name in lines}
    scripts = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in place.glob("*.js")}
    assert scripts == said


@pytest.mark.parametrize("folder", FOLDERS)
def test_vendored_files_have_their_licence_beside_them(folder: str) -> None:
    for file in (ROOT / folder).glob("*.js"):
        name = file.name.removesuffix(".min.js").rpartition("-")[0]  # without the version
        licences = [other for other in (ROOT / folder).glob(f"{name}-LICENSE*.txt") if other.stat().st_size]
        assert licences, file.name
