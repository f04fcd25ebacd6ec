"""Blocks as HTML: all that a terminal says of an answer stands there too, and nothing that was typed becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

import pytest

import rollwise
from rollwise.saying.advice import advice_blocks
from rollwise.saying.blocks import Bar, Block, CellTable, FirstThatFits, Sentence, ThrowMap, ThrownDice
from rollwise.saying.html import Html, element, html, seated
from rollwise.saying.outcomes import outcome_blocks
from rollwise.saying.terminal import Blocks
from rollwise.saying.why import why_blocks

TABLE, ALONE = {"players": 3, "lives": 1}, {"goal": 500, "opening": 350, "players": 1}
ANSWERS = {
    "moves": lambda: advice_blocks(rollwise.ask("bluff", params={"chips": 2}, mine=2, theirs=2, call=8), "Bluff"),
    "a throw of two dice": lambda: outcome_blocks(rollwise.outcomes("mexico", "roll", params=TABLE), "Mexico"),
    "many throws": lambda: outcome_blocks(rollwise.outcomes("zilch", "roll", params=ALONE), "Zilch"),
    "why, at a table": lambda: why_blocks(rollwise.why("mexico", params=TABLE, roll=[5, 5], rolls_left=1), "Mexico"),
    "why, alone": lambda: why_blocks(rollwise.why("shut-the-box", roll=[3, 5]), "Shut"),
}


def texts(block: Block) -> Iterator[str]:
    """What a block says, dice and bars left out."""
    match block:
        case Sentence():
            yield from block.texts
        case CellTable():
            yield from (str(cell) for row in block.rows for cell in row if not isinstance(cell, Bar | ThrownDice))
            yield from (name for name, *_ in block.over)
        case FirstThatFits():
            yield from (text for each in block.ways[0] for text in texts(each))
        case ThrowMap():
            yield from (text for text, _ in block.pairs.values())


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_what_a_terminal_says_stands_in_the_html(solved: None, answer: object) -> None:
    together: Sequence[Blocks] = answer()  # type: ignore[operator]
    blocks = [block for each in together for block in (each if isinstance(each, Sequence) else [each])]
    page = unescape(re.sub(r"<[^>]*>", "", html(blocks)))
    said = [text for block in blocks for text in texts(block)]
    assert len(said) > 5
    for text in said:
        assert seated(text) in page, text
    assert html(blocks).count("<table") == sum(
        isinstance(each, CellTable | FirstThatFits | ThrowMap) for each in blocks
    )


def test_what_is_no_html_yet_is_escaped_wherever_it_stands() -> None:
    evil = '<b onclick="x">&'
    page = element("p", evil, element("i", evil), title=evil)
    assert "<b" not in page
    assert page.count("&lt;b onclick=&quot;x&quot;&gt;&amp;") == 3
    assert html([Html("<hr>"), Sentence([evil])]).startswith("<hr>\n<p>&lt;b")
