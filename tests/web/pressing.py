"""A browser without script: it reads the forms of a page, presses a button, and sends what such a form holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx2
from starlette.testclient import TestClient

ELSEWHERE = "formaction"


@dataclass
class Form:
    """A form: where it is sent, what it carries, what can be ticked, and its buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    ticks: list[str] = field(default_factory=list)
    buttons: list[dict[str, str]] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.named: dict[str, Form] = {}
        self.apart: list[tuple[str, str]] = []  # boxes of forms that they do not stand in
        self.told: list[tuple[str, str, str]] = []  # and what else such forms hold
        self.pressed: list[tuple[str, dict[str, str]]] = []  # and their buttons
        self._select = ("", "")
        self._form: Form | None = None
        self._area = ""
        self.feed(html)
        for name, tick in self.apart:
            self.named[name].ticks.append(tick)
        for name, key, value in self.told:
            self.named[name].fields.setdefault(key, value)
        for name, button in self.pressed:
            self.named[name].buttons.append(button)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(told["action"])
            self.forms.append(self._form)
            self.named[told.get("id", "")] = self._form
        elif tag == "button" and "form" in told:
            self.pressed.append((told["form"], told))
        elif tag == "input" and told.get("type") == "submit":
            return
        elif tag == "input" and "form" in told and told.get("type") == "checkbox":
            self.apart.append((told["form"], told["name"]))
        elif tag == "input" and "form" in told:
            self.told.append((told["form"], told["name"], told["value"]))
        elif tag == "select":
            self._select = told.get("form", "begin"), told["name"]
        elif tag == "option" and "selected" in told:
            self.told.append((*self._select, told["value"]))
        elif self._form is None:
            return
        elif tag == "button":
            self._form.buttons.append(told)
        elif tag == "textarea":
            self._area = told["name"]
            self._form.fields[self._area] = ""
        elif tag == "input" and told.get("type") == "checkbox":
            self._form.ticks.append(told["name"])
        elif tag == "input" and "name" in told and (told.get("type") != "radio" or "checked" in told):
            self._form.fields[told["name"]] = told.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area and self._form is not None:
            self._form.fields[self._area] += data


class Page:
    """A page that came, and what can be done on it."""

    def __init__(self, client: TestClient, came: httpx2.Response) -> None:
        self.client, self.came = client, came
        self.status, self.html = came.status_code, came.text

    @property
    def forms(self) -> list[Form]:
        """All forms, in order."""
        return _Reader(self.html).forms

    def form_of(self, name: str, value: str | None) -> tuple[Form, dict[str, str]]:
        """The form that has this button, and the button."""
        for form in self.forms:
            for button in form.buttons:
                if button.get("name") == name and value in (None, button.get("value")):
                    return form, button
        raise AssertionError(f"no button {name}={value} on this page:\n{self.html}")

    def has(self, name: str, value: str | None = None) -> bool:
        """Is there such a button?"""
        buttons = [button for form in self.forms for button in form.buttons]
        return any(b.get("name") == name and value in (None, b.get("value")) for b in buttons)

    def values(self, name: str) -> list[str]:
        """What the buttons of this name send."""
        return [b["value"] for form in self.forms for b in form.buttons if b.get("name") == name]

    def press(self, name: str, value: str | None = None, **typed: str) -> Page:
        """Press a button; ``typed``: fields that are filled in, with ``_`` for the dots in their names."""
        form, button = self.form_of(name, value)
        filled = {_named(key, form): said for key, said in typed.items()}
        sent = {**form.fields, **filled, name: button.get("value", "")}
        if button.get("formmethod") == "get":
            return Page(self.client, self.client.get(form.action, params=sent))
        return Page(self.client, self.client.post(button.get(ELSEWHERE, form.action), data=sent))

    def press_at(self, action: str) -> Page:
        """Press the button of the form that is sent there."""
        form = next(form for form in self.forms if form.action == action)
        return Page(self.client, self.client.post(action, data=form.fields))

    @property
    def carried(self) -> dict[str, str]:
        """What the page's first form carries."""
        return dict(self.forms[0].fields)

    @property
    def record(self) -> list[dict[str, Any]]:
        """The record that the page carries."""
        found: list[dict[str, Any]] = json.loads(self.carried["record"])
        return found

    @property
    def over(self) -> bool:
        """Does the page tell a result?"""
        return 'class="result"' in self.html


def _named(key: str, form: Form) -> str:
    return key if key in form.fields else key.replace("_", ".", 1)


def begin(client: TestClient, game: str, **said: str) -> Page:
    """Start a game: ``p_target="12"`` is a rule, ``s_mine="4"`` a field, ``sit_1="person"`` who sits there."""
    sent = {_spelt(key): value for key, value in said.items()}
    return Page(client, client.post(f"/play/{game}", data={"start": "1", **sent}))


def play_out(page: Page, choose: Callable[[list[str]], str], most: int = 400) -> Page:
    """Press on until the game is over: moves as they are chosen, dice thrown by the program."""
    for _ in range(most):
        assert page.status == 200, page.html
        if page.over:
            return page
        moves = page.values("move")
        for name, value in (("do", "see"), ("do", "throw"), ("do", "end"), ("do", "on")):
            if page.has(name, value):
                page = page.press(name, value)
                break
        else:
            page = page.press("move", choose(moves))
    raise AssertionError(f"not over after {most} steps")


def send(client: TestClient, action: str, sent: Mapping[str, str]) -> Page:
    """Send a form that was changed by hand."""
    return Page(client, client.post(action, data=dict(sent)))


def _spelt(key: str) -> str:
    return key.replace("_", ".", 1) if key.startswith(("p_", "s_", "sit_")) else key
