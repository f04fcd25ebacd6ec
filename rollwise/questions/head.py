"""The head of every answer: the game, its rule parameters, the state, and what was assumed."""

from __future__ import annotations

from typing import Any

from rollwise.questions.question import Assumed
from rollwise.text.blocks import Block, Heading, Sentence, StateFields
from rollwise.text.spelling import shown_value

THROWS = ("first", "second", "third")  # of a turn


def head(answer: Any, title: str, state: str = "", assumed: Assumed | None = None) -> list[Block]:
    """The head of an answer, as blocks that stand together."""
    blocks: list[Block] = [Heading(heading(answer, title))]
    blocks += [StateFields(state)] if state else []
    return [*blocks, Sentence([assumed_line(assumed)])] if assumed else blocks


def heading(answer: Any, title: str) -> str:
    """The game and the rule parameters of an answer of any command."""
    shown = {name: shown_value(value) for name, value in answer.parameters.items() if value not in ([], ())}
    parameters = ", ".join(map("=".join, shown.items()))
    return f"{title} ({parameters})" if parameters else title


def assumed_line(assumed: Assumed) -> str:
    """The assumption made about a question, and the field to give if it is wrong.

    >>> assumed_line(Assumed("rolls_left", 2, 1))
    'Taken as the first throw (rolls_left=2); say rolls_left=1 after the second.'
    """
    name, n_left, (this, other) = assumed.field, assumed.left, THROWS[assumed.throw - 1 :][:2]
    return f"Taken as the {this} throw ({name}={n_left}); say {name}={n_left - 1} after the {other}."
