"""Blocks as Markdown: titles, texts and tables, as cards and the ledger have them."""

from __future__ import annotations

from collections.abc import Sequence

from rollwise.text.blocks import Block, CellTable, Heading, Sentence


def markdown(blocks: Sequence[Block]) -> str:
    """Blocks with an empty line between them; raises TypeError for one that no such page has."""
    parts = [part for block in blocks for part in _parts(block)]
    return "\n\n".join(parts) + "\n"


def _parts(block: Block) -> list[str]:
    match block:
        case Heading():
            return [f"{'#' * block.level} {plain(block.text)}"]
        case Sentence():
            return list(block.texts)
        case CellTable():
            heads, *rows = [[plain(str(cell)) for cell in row] for row in block.rows]
            right = set(block.right)
            rule = ["---:" if place in right else "---" for place in range(len(heads))]
            table = "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))
            return [f"## {block.heading}", table] if block.heading else [table]
    raise TypeError(f"Markdown has no {type(block).__name__}")


def plain(text: str) -> str:
    """Text that Markdown takes for nothing else: on one line, no end of a cell, no tag."""
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
