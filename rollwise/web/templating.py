"""Templates, and what they share: texts, blocks as HTML, and dice."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.templating import Jinja2Templates

from rollwise.saying.html import Html, dice, die, html
from rollwise.web.jobs import OVER, SHARE
from rollwise.web.texts import text

FOLDER = Path(__file__).parent


def seated(words: str) -> Html:
    """Words in which the names of seats are marked, so that a phone may put in those of players that it keeps.

    >>> seated("Seat 1 won."), seated(Html('<b title="Seat 1">'))
    ('<span data-seat="1">Seat 1</span> won.', '<b title="Seat 1">')
    """
    words = words if isinstance(words, Html) else escape(words)
    return Html(re.sub(r"\bSeat (\d+)\b(?=[^<>]*(?:<|$))", r'<span data-seat="\1">\g<0></span>', words))


def made_templates() -> Jinja2Templates:
    """The templates; ``T`` is a text by its key, ``html`` makes blocks HTML, ``SHARE`` and ``OVER`` tell of a solve."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seated"] = seated
    environment.globals |= {"T": text, "html": html, "rolled": dice, "die": die, "SHARE": SHARE, "OVER": OVER}
    return Jinja2Templates(env=environment)


templates = made_templates()
