"""Blocks as Markdown: the titles, texts and tables of cards and of the ledger."""

from __future__ import annotations

from collections.abc import Sequence

from rollwise.text.blocks import Block, CellTable, Heading, Sentence


def render_markdown(blocks: Sequence[Block]) -> str:
    """Blocks with an empty line between them; raises TypeError for a block without a Markdown form."""
    parts = [part for block in blocks for part in _parts(block)]
    return "\n\n".join(parts) + "\n"


def _parts(block: Block) -> list[str]:
    match block:
        case Heading():
            return [f"{'#' * block.level} {escape_markdown(block.text)}"]
        case Sentence():
            return list(block.texts)
        case CellTable():
            heads, *rows = [[escape_markdown(str(cell)) for cell in row] for row in block.rows]
            right = set(block.right)
            rule = ["---:" if place in right else "---" for place in range(len(heads))]
            table = "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))
            return [f"## {block.heading}", table] if block.heading else [table]
    raise TypeError(f"Markdown has no {type(block).__name__}")


def escape_markdown(text: str) -> str:
    """Text escaped for a table cell: on one line, without ``|`` or tags."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
