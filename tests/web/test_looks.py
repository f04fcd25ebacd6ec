"""What holds of all pages: where their words stand, what they know of games, how light the script is, colours.

What others have written lies beside it as they gave it out, with its licence.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

import rollwise
from rollwise.games.registry import REGISTRY
from rollwise.match.review.data import GRADES
from rollwise.web.labels import texts

WEB = Path(rollwise.__file__).parent / "web"
STATIC, TEXT = WEB / "static", WEB.parent / "text"


def test_words_and_styles_are_of_what_there_is() -> None:
    code = "".join(file.read_text() for file in [*WEB.glob("*.py"), *WEB.glob("templates/**/*.html")])
    for key in re.findall(r"""(?:\btext|\bT)\(\s*["']([a-z_.]+)["'][,)]""", code):
        assert key in texts(), key
    # of which a part is a kind of game, of page, or of aim, or a name
    by_kind = ("about.", "home_groups.", "home.", "one.", "counts.", "labels.", "values.")
    used = set(re.findall(r"""["']([a-z_]+\.[a-z_]+)["']""", code))
    assert [key for key in texts() if key not in used and not key.startswith(by_kind)] == []
    css = "".join(
        re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", file.read_text(), flags=re.DOTALL) for file in STATIC.glob("*.css")
    )
    files = [*WEB.glob("*.py"), *WEB.glob("templates/**/*.html"), *STATIC.glob("*.js"), TEXT / "html.py"]
    code = "".join(file.read_text() for file in files)
    made = "|".join([r"(warm|cold|run)\d|t-\d", r"of-\w+", *GRADES])  # of numbers, of forms and of grades
    for name in set(re.findall(r"[.#]([a-z][\w-]*)", css)):
        assert re.search(rf"(?<![\w-]){name}(?![\w-])", code) or re.fullmatch(made, name), name


def test_no_page_knows_a_game_or_has_words_of_its_own() -> None:
    for file in WEB.glob("templates/**/*.html"):
        if file.name.startswith(("play", "review", "problem")):
            continue
        text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", " ", file.read_text(), flags=re.DOTALL)
        text = re.sub(r'[\w-]+="[^"]*"|<[^>]*>', " ", text)
        assert not re.findall(r"[A-Za-z]{2,}", text), (file.name, re.findall(r"[A-Za-z]{2,}", text))
    names = {name.replace("-", ".") for name in REGISTRY} - {"pig", "421"} | {"four.two"}
    for file in [*WEB.glob("*.py"), *WEB.glob("templates/**/*.html"), *WEB.glob("texts/*"), *WEB.glob("static/*.*s")]:
        if file.name == "bodies.py":  # examples of the JSON interface
            continue
        code = re.sub(r'""".*?"""|#[^\n]*|/\*.*?\*/', "", file.read_text(), flags=re.DOTALL)
        for name in names:
            assert not re.search(rf"\b{name}\b", code.lower()), (file.name, name)
    for name, most in (("dice.js", 6000), ("server.js", 9000), ("kept.js", 8000), ("sw.js", 2500)):
        script = (WEB / "static" / name).read_text()
        assert len(script) < most
        assert not re.search(r"\beval\b|new Function|innerHTML|\bstyle\b", script)


SHADES = [f"{way}{step}" for way in ("cold", "warm") for step in (1, 2, 3, 4)]
READ = [  # what is read on what, and how much it must stand out
    *(("ink", ground, 4.5) for ground in ("paper", "card", "chosen", "track", "mild", *SHADES)),
    *(("quiet", ground, 4.5) for ground in ("paper", "card", "chosen", "track")),
    *((ink, ground, 4.5) for ink in ("good", "bad", "accent") for ground in ("paper", "card", "chosen")),
    *(("on-felt", ground, 4.5) for ground in ("felt", "felt-deep")),
    *(("edge", ground, 3.0) for ground in ("paper", "card")),
]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_is_read_stands_out_from_its_ground(dark: bool) -> None:
    css = (WEB / "static" / "rollwise.css").read_text()
    tokens = {
        name: (night if dark else day)
        for name, day, night in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", css)
    }
    for ink, ground, wanted in READ:
        low, high = sorted((_luminance(tokens[ink]), _luminance(tokens[ground])))
        assert (high + 0.05) / (low + 0.05) >= wanted, (ink, ground)  # as the guidelines for accessibility count it


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("place", [WEB / "static" / "vendor", Path(__file__).parent / "vendor"], ids=["page", "tests"])
def test_vendored_files_are_what_their_digests_say_and_have_their_licence_beside_them(place: Path) -> None:
    said = {name: digest for digest, name in map(str.split, (place / "SHA256SUMS").read_text().splitlines())}
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in place.glob("*.js")} == said != {}
    for script in said:
        name = script.removesuffix(".min.js").rpartition("-")[0]  # without the version
        assert [file for file in place.glob(f"{name}-LICENSE*.txt") if file.stat().st_size], script
