"""Blocks as HTML: all that a terminal says of an answer stands there too, and nothing that was typed becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape

import pytest

import rollwise
from rollwise.questions.ask.text import advice_blocks
from rollwise.questions.outcomes.text import outcome_blocks
from rollwise.questions.why.text import why_blocks
from rollwise.text.blocks import Bar, Block, CellTable, FirstThatFits, Sentence, ThrowMap, ThrownDice
from rollwise.text.html import Html, columns, element, name_players, render_html
from rollwise.text.terminal import Blocks

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
    page = unescape(re.sub(r"<[^>]*>", "", render_html(blocks)))
    said = [text for block in blocks for text in texts(block)]
    assert len(said) > 5
    for text in said:
        assert name_players(text) in page, text
    assert render_html(blocks).count("<table") == sum(
        isinstance(each, CellTable | FirstThatFits | ThrowMap) for each in blocks
    )


def test_what_is_no_html_is_escaped_and_columns_stand_on_an_axis_to_scale() -> None:
    evil = '<b onclick="x">&'
    page = element("p", evil, element("i", evil), title=evil)
    assert "<b" not in page
    assert page.count("&lt;b onclick=&quot;x&quot;&gt;&amp;") == 3
    assert render_html([Html("<hr>"), Sentence([evil])]).startswith("<hr>\n<p>&lt;b")
    rows = [("0", 0.1), ("1-2", 0.2), ("5-6", 0.4), ("7-8", 0.2), ("9-99", 0.1)]
    drawn = re.findall(r'<rect( class="dim"|) x="([^"]+)".*? width="([^"]+)" height="([^"]+)"', columns(rows, ""))
    scale = 100 / 11  # a unit: from 0 up to 10, where the last one is cut
    assert [float(x) / scale for _, x, _, _ in drawn] == pytest.approx([0, 1, 5, 7, 9], abs=1e-2)
    assert [float(width) / scale / 0.86 for _, _, width, _ in drawn] == pytest.approx([1, 2, 2, 2, 2], abs=1e-2)
    assert [float(height) for *_, height in drawn] == pytest.approx([50, 50, 100, 50, 50 / 91], abs=0.1)
    assert [bool(dim) for dim, *_ in drawn] == [False, False, False, False, True]
