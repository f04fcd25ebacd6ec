"""Jinja environment of the pages: templates with texts, blocks as HTML, and dice."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from starlette.templating import Jinja2Templates

from rollwise import __version__
from rollwise.text.html import dice, die, join_html, render_html
from rollwise.web.labels import finalized, player_name, text

FOLDER = Path(__file__).parent
SHARE, OVER = "share", "over"  # events for pages: progress, and the end
PAGE_BYTES = b"".join(file.read_bytes() for file in sorted(FOLDER.rglob("*.*")) if file.suffix != ".pyc")
VERSION_MARK = f"{__version__}-{hashlib.sha256(PAGE_BYTES).hexdigest()[:12]}"  # changes with any file of the page


def _template_source(name: str) -> str:
    """Source of a template, with the version in addresses of static files."""
    template = (FOLDER / "templates" / name).read_text(encoding="utf-8")
    return re.sub(r'"(/static/[^"?]+)"', rf'"\1?v={VERSION_MARK}"', template)


ENVIRONMENT = Environment(
    loader=FunctionLoader(_template_source),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    finalize=finalized,
    trim_blocks=True,
    lstrip_blocks=True,
)
ENVIRONMENT.filters["seated"] = join_html  # text with the names of seats
ENVIRONMENT.globals |= {"T": text, "html": render_html, "rolled": dice, "die": die, "player": player_name}
ENVIRONMENT.globals |= {"SHARE": SHARE, "OVER": OVER, "MARK": VERSION_MARK}
templates = Jinja2Templates(env=ENVIRONMENT)
