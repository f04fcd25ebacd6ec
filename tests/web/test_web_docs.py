"""docs/web.md: every command in it works as it stands there, and no route of the interface is left out."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from starlette.testclient import TestClient

from rollwise.cli import load_command
from rollwise.web import tables
from rollwise.web.app import make_app
from rollwise.web.settings import PORT
from tests.web.asking import is_problem, write_at_once

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "web.md").read_text()
ADDRESS = f"http://127.0.0.1:{PORT}"


class Sent(NamedTuple):
    """What a curl command sends."""

    method: str
    place: str
    body: str


def sent(command: str) -> Sent:
    """A command of the page, as far as it is one of those that stand there."""
    words = shlex.split(command.replace("\\\n", " "))
    options = dict(pairwise(words))
    (url,) = (word for word in words if word.startswith(ADDRESS))
    body = options.get("-d", "")
    assert not body or options["-H"] == "Content-Type: application/json"
    return Sent(options.get("-X", "POST" if body else "GET"), url.removeprefix(ADDRESS), body)


COMMANDS = [sent(found) for found in re.findall(r"^curl (?:.*\\\n)*.*$", PAGE, re.MULTILINE)]
OF_JOBS = [command for command in COMMANDS if "/jobs/" in command.place]
QUESTIONS = [command for command in COMMANDS if command not in OF_JOBS]


@pytest.mark.parametrize("command", QUESTIONS, ids=lambda command: command.place)
def test_a_command_of_the_page_is_answered(client: TestClient, command: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_run_process", write_at_once)
    headers = {"Content-Type": "application/json"} if command.body else {}
    told = client.request(command.method, command.place, content=command.body, headers=headers)
    if told.status_code == 202:  # solved first, as the page says
        client.get(told.headers["location"])
        told = client.request(command.method, command.place, content=command.body, headers=headers)
    assert told.status_code == 200, told.text


def test_every_route_of_the_interface_has_its_command_on_the_page(client: TestClient) -> None:
    for command in OF_JOBS:
        is_problem(client.request(command.method, command.place), 404, error="NoJob")
    described = make_app().openapi()["paths"]
    routes = {(method.upper(), path) for path, methods in described.items() for method in methods}
    shown = set()
    for command in COMMANDS:
        path = command.place.partition("?")[0].replace("/jobs/ID", "/jobs/{job}")
        shown.add((command.method, re.sub(r"/(rules|plan)/\w+", r"/\1/{game}", path)))
    assert shown == routes


def test_the_page_names_every_option_and_shows_every_picture() -> None:
    options = {option for parameter in load_command("serve").params for option in parameter.opts}
    spoken = re.findall(r"`[^`\n]*`|^rollwise serve.*$", PAGE, re.MULTILINE)
    told = {option for words in spoken for option in re.findall(r"--[a-z-]+", words)}
    assert told - {"--json"} == options - {"--help"}
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    shown = set(re.findall(r"pictures/([\w-]+\.png)", PAGE + (ROOT / "README.md").read_text()))
    assert shown == {picture.name for picture in pictures}
    assert sum(picture.stat().st_size for picture in pictures) <= 1_500_000
