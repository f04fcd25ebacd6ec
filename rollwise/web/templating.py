"""Templates, and what they share: texts, blocks as HTML, and dice."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from starlette.templating import Jinja2Templates

from rollwise import __version__
from rollwise.text.html import dice, die, html, joined
from rollwise.web.jobs import OVER, SHARE
from rollwise.web.labels import finished, player
from rollwise.web.texts import text

FOLDER = Path(__file__).parent
FILES = b"".join(file.read_bytes() for file in sorted(FOLDER.rglob("*.*")) if file.suffix != ".pyc")
MARK = f"{__version__}-{hashlib.sha256(FILES).hexdigest()[:12]}"  # the version: another where any file of the page is


def made_templates() -> Jinja2Templates:
    """The templates; ``T`` is a text by its key, ``html`` makes blocks HTML, ``SHARE`` and ``OVER`` tell of a solve."""
    environment = Environment(
        loader=FunctionLoader(_source),
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
        "MARK": MARK,
    }
    return Jinja2Templates(env=environment)


def _source(name: str) -> str:
    """A template; where it names a static file, pages ask for that with its version."""
    template = (FOLDER / "templates" / name).read_text(encoding="utf-8")
    return re.sub(r'"(/static/[^"?]+)"', rf'"\1?v={MARK}"', template)


templates = made_templates()
