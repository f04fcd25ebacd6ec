"""Commands as they are typed, and all that is said to them: the texts in ``transcripts/``, played anew.

``tests/transcripts.py`` tells their form. Three people at the terminal are among them, and games of ``play``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.transcripts import FOLDER, UPDATE, is_said, played, require_said, scenes, transcript


@pytest.mark.parametrize("path", scenes())
def test_what_is_typed_is_answered_so(path: Path, request: pytest.FixtureRequest) -> None:
    if os.environ.get(UPDATE):
        path.write_text(played(path.read_text(), request))
    else:
        require_said(path.read_text(), request, path.stem)


def test_three_people_and_six_games_have_a_scene() -> None:
    games = {"piggy-six", "yahtzee", "zilch", "shut-the-box", "bluff", "cops-and-robbers"}
    found = {path.stem: transcript(path.read_text())[2] for path in FOLDER.glob("*.txt")}
    assert {"player", "teacher", "engineer", *(f"play-{game}" for game in games)} <= found.keys()
    assert all(len(found[person]) > 8 for person in ("player", "teacher", "engineer"))


def test_what_differs_is_told_apart_and_three_points_stand_for_any_lines() -> None:
    assert is_said("one\n...\nfour", "one\ntwo\nthree\nfour")
    assert not is_said("one\n...\nfour", "one\ntwo\nfour five")
    assert not is_said("one\ntwo", "one\ntwo\nthree")
    assert is_said("...", "")
