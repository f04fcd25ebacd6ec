"""A page as tests read it: its links, its controls, what stands in it, and what must not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "rect", "circle", "use", "stop", "hr"}


@dataclass
class Element:
    """A tag with its attributes and the text inside it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: list[Element] = field(default_factory=list)

    def has(self, name: str) -> bool:
        """Has it this class?"""
        return name in self.attributes.get("class", "").split()


@dataclass
class Page(HTMLParser):
    """All elements of a page, in order."""

    html: str
    elements: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.open: list[Element] = []
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``."""
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> says an attribute twice: {names}"
        found = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(found)
        for around in self.open:
            around.inside.append(found)
        if tag not in VOID:
            self.open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See ``HTMLParser``."""
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        """See ``HTMLParser``."""
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        """See ``HTMLParser``."""
        for element in self.open:
            element.text += data

    def all(self, tag: str = "", *, of: str = "") -> list[Element]:
        """Elements with this tag and this class."""
        return [each for each in self.elements if tag in ("", each.tag) and (not of or each.has(of))]

    def by_id(self, wanted: str) -> Element:
        """The element with this id, of which there is one."""
        (found,) = [each for each in self.elements if each.attributes.get("id") == wanted]
        return found

    @property
    def verdict(self) -> str:
        """The sentence."""
        return " ".join(self.by_id("verdict").text.split())

    @property
    def is_answered(self) -> bool:
        """Does it answer?"""
        return bool(self.verdict) and not self.all("p", of="wrong")

    def require_sound(self) -> None:
        """What holds of every page: whole, ids once, each control has a name, nothing inline."""
        assert not self.open, f"never closed: {[element.tag for element in self.open]}"
        ids = [element.attributes["id"] for element in self.elements if "id" in element.attributes]
        assert len(set(ids)) == len(ids), f"an id twice: {sorted(ids)}"
        named = {element.attributes.get("for") for element in self.all("label")}
        for element in self.elements:
            self._require_plain(element)
            for name in ("aria-describedby", "for"):
                for wanted in element.attributes.get(name, "").split():
                    assert wanted in ids, f"{name} of nothing: {wanted}"
            if element.tag in ("input", "select") and element.attributes.get("type") != "hidden":
                is_in_label = element.attributes.get("type") in ("radio", "checkbox")
                says = element.attributes.get("aria-label") or element.attributes.get("id") in named or is_in_label
                assert says, f"a control without a name: {element.attributes}"
        assert not re.search(r"\{[a-z_]+\}", re.sub(r'data-remove="[^"]*"', "", self.html)), "a gap that nobody filled"

    @staticmethod
    def _require_plain(element: Element) -> None:
        """Nothing that the page's own policy forbids."""
        assert "style" not in element.attributes, element
        assert element.tag != "style"
        assert not [name for name in element.attributes if name.startswith("on") or name.startswith("hx-on")], element
        if element.tag == "script":
            assert element.attributes.get("src", "").startswith("/static/")
            assert not element.text
        for name in ("href", "src", "action", "hx-get"):
            value = element.attributes.get(name, "/")
            assert re.match(r"/(?!/)|#", value), value
