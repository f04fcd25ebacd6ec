"""Templates, and what they share: texts, blocks as HTML, and dice."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.templating import Jinja2Templates

from rollwise.saying.html import dice, die, html, joined
from rollwise.web.jobs import OVER, SHARE
from rollwise.web.labels import finished, player
from rollwise.web.texts import text

FOLDER = Path(__file__).parent


def made_templates() -> Jinja2Templates:
    """The templates; ``T`` is a text by its key, ``html`` makes blocks HTML, ``SHARE`` and ``OVER`` tell of a solve."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        finalize=finished,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["seated"] = joined  # with whose names may stand there
    environment.globals |= {
        "T": text,
        "html": html,
        "rolled": dice,
        "die": die,
        "player": player,
        "SHARE": SHARE,
        "OVER": OVER,
    }
    return Jinja2Templates(env=environment)


templates = made_templates()
