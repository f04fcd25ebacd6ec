"""A page as tests read it: its links and controls, what stands in it, what must not, and the forms that it sends.

Whoever reads a page here is a browser without script: it presses a button, and sends what the form of it holds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx2
from starlette.testclient import TestClient

VOID = {"meta", "link", "input", "br", "img", "rect", "circle", "use", "stop", "hr"}


@dataclass
class Element:
    """A tag with its attributes, the text inside it, and all elements in it in order."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: list[Element] = field(default_factory=list)

    def __getitem__(self, attribute: str) -> str:
        return self.attributes.get(attribute, "")

    @property
    def words(self) -> str:
        """Its text, with single spaces."""
        return " ".join(self.text.split())

    def fits(self, selector: str) -> bool:
        """Is it this ``tag``, ``tag.class``, ``.class`` or ``#id``?"""
        tag, dot, name = re.split(r"([.#]|$)", selector, maxsplit=1)
        is_named = {"": True, ".": name in self["class"].split(), "#": name == self["id"]}
        return tag in ("", self.tag) and is_named[dot]

    def find(self, selector: str) -> list[Element]:
        """All elements in it that are such ones."""
        return [each for each in self.inside if each.fits(selector)]

    def links(self, selector: str = "a") -> list[str]:
        """Where they lead."""
        return [each["href"] for each in self.find(selector)]


class Form:
    """A form: where it is sent, what it carries, what can be ticked, and its buttons."""

    def __init__(self, element: Element) -> None:
        self.action = element["action"]
        self.fields: dict[str, str] = {}
        self.ticks: list[str] = []
        self.buttons: list[Element] = []

    def take(self, control: Element) -> None:
        """A control of it, wherever it stands."""
        name = control["name"]
        match control.tag, control["type"]:
            case "button", _:
                self.buttons.append(control)
            case "textarea", _:
                self.fields[name] = control.text
            case "select", _:
                for option in control.inside:
                    if "selected" in option.attributes:
                        self.fields[name] = option["value"]
            case "input", "checkbox":
                self.ticks.append(name)
            case "input", "submit":
                pass
            case "input", kind if name and (kind != "radio" or "checked" in control.attributes):
                self.fields[name] = control["value"]


class Page(HTMLParser):
    """A page that came, or a part of one. A whole one is sound."""

    def __init__(self, came: httpx2.Response, client: TestClient) -> None:
        super().__init__()
        self.came, self.client = came, client
        self.status, self.html = came.status_code, came.text
        self.all = Element("", {})
        self.open = [self.all]
        self.feed(self.html)
        self.close()
        self.find, self.links = self.all.find, self.all.links
        if self.find("html"):
            require_sound(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``."""
        found = self._begin(tag, attrs)
        if tag not in VOID:
            self.open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``."""
        self._begin(tag, attrs)

    def _begin(self, tag: str, attrs: list[tuple[str, str | None]]) -> Element:
        found = Element(tag, {name: value or "" for name, value in attrs})
        assert len(found.attributes) == len(attrs), f"<{tag}> says an attribute twice: {attrs}"
        for around in self.open:
            around.inside.append(found)
        return found

    def handle_endtag(self, tag: str) -> None:
        """See ``HTMLParser``."""
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        """See ``HTMLParser``."""
        for element in self.open:
            element.text += data

    def one(self, selector: str) -> Element:
        """The only element of its sort."""
        (found,) = self.find(selector)
        return found

    def says(self, selector: str) -> str:
        """What stands in all elements of a sort."""
        return " ".join(each.words for each in self.find(selector) if each.words)

    @property
    def verdict(self) -> str:
        """The sentence."""
        return self.one("#verdict").words

    @property
    def is_answered(self) -> bool:
        """Does it answer?"""
        return bool(self.verdict) and not self.find("p.wrong")

    @property
    def over(self) -> bool:
        """Does the page tell a result?"""
        return bool(self.find(".result"))

    @property
    def forms(self) -> list[Form]:
        """All forms, in order."""
        forms = [(element, Form(element)) for element in self.find("form")]
        named = {element["id"]: form for element, form in forms}
        around = {id(control): form for element, form in forms for control in element.inside}
        for control in self.all.inside:
            form = named[control["form"]] if "form" in control.attributes else around.get(id(control))
            if form is not None:
                form.take(control)
        return [form for _, form in forms]

    @property
    def carried(self) -> dict[str, str]:
        """What the page's first form carries."""
        return dict(self.forms[0].fields)

    @property
    def record(self) -> list[dict[str, Any]]:
        """The record that the page carries."""
        found: list[dict[str, Any]] = json.loads(self.carried["record"])
        return found

    def _button(self, name: str, value: str | None) -> tuple[Form, Element]:
        found = ((form, button) for form in self.forms for button in form.buttons if button["name"] == name)
        for form, button in found:
            if value in (None, button["value"]):
                return form, button
        raise AssertionError(f"no button {name}={value} on this page:\n{self.html}")

    def form_of(self, name: str) -> Form:
        """The form that has a button of this name."""
        return self._button(name, None)[0]

    def values(self, name: str) -> list[str]:
        """What the buttons of this name send."""
        return [button["value"] for form in self.forms for button in form.buttons if button["name"] == name]

    def has(self, name: str, value: str | None = None) -> bool:
        """Is there such a button?"""
        values = self.values(name)
        return bool(values) if value is None else value in values

    def press(self, name: str, value: str | None = None, **typed: str) -> Page:
        """Press a button; ``typed``: fields that are filled in, with ``_`` for the dots in their names."""
        form, button = self._button(name, value)
        filled = {key if key in form.fields else key.replace("_", ".", 1): said for key, said in typed.items()}
        sent = {**form.fields, **filled, name: button["value"]}
        if button["formmethod"] == "get":
            return Page(self.client.get(form.action, params=sent), self.client)
        return self.send(button["formaction"] or form.action, sent)

    def press_at(self, action: str) -> Page:
        """Press the button of the form that is sent there."""
        return self.send(action, next(form for form in self.forms if form.action == action).fields)

    def send(self, action: str = "", sent: dict[str, str] | None = None, **changed: str) -> Page:
        """Send a form as it is, or with this changed by hand."""
        return Page(
            self.client.post(action or self.forms[0].action, data=(sent or self.carried) | changed), self.client
        )


def require_sound(page: Page) -> None:
    """What holds of every page: whole, ids once, each control has a name, nothing inline."""
    elements = page.all.inside
    assert page.open == [page.all], f"never closed: {[element.tag for element in page.open]}"
    ids = [element["id"] for element in elements if "id" in element.attributes]
    assert len(set(ids)) == len(ids), f"an id twice: {sorted(ids)}"
    named = {element["for"] for element in page.find("label")}
    for element in elements:
        _require_plain(element)
        wanted = [*element["aria-describedby"].split(), *element["for"].split()]
        assert set(wanted) <= set(ids), f"{element} is about nothing: {wanted}"
        if element.tag in ("input", "select") and element["type"] not in ("hidden", "radio", "checkbox"):
            assert element["aria-label"] or element["id"] in named, f"a control without a name: {element}"
    assert not re.search(r"\{[a-z_]+\}", re.sub(r'data-(remove|from|same)="[^"]*"', "", page.html)), (
        "a gap that nobody filled"
    )


def _require_plain(element: Element) -> None:
    """Nothing that the page's own policy forbids."""
    assert "style" not in (element.tag, *element.attributes), element
    assert not [name for name in element.attributes if name.startswith(("on", "hx-on"))], element
    if element.tag == "script":
        assert (element["src"].startswith("/static/"), element.text) == (True, ""), element
    for name in ("href", "src", "action", "hx-get"):
        value = element.attributes.get(name, "/")
        assert re.match(r"/(?!/)|#", value), value
