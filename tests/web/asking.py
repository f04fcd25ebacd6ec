"""What tests of the pages ask: positions of small games, and which of them have rules that an address can say."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np

from rollwise.asking import question
from rollwise.door import known_parameters
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import End, TurnGame
from rollwise.solver.turn.graph import states_in_order
from tests.sizes import Size

FEW = 6  # questions of a game


def can_be_said(size: Size) -> bool:
    """Are its rules such that anybody may choose them?"""
    known = known_parameters(size.name)
    return all(name in known for name in size.parameters)


@cache
def _questions(game: TurnGame) -> tuple[dict[str, Any], ...]:
    space = game.boards()
    boards = np.arange(space.size)
    columns = space.columns(boards)
    possible = boards[np.broadcast_to(game.possible(columns), space.size)]
    roots = np.broadcast_to(game.root(columns), space.size)
    states = [
        [state for state, word in states_in_order(game.turn, [tuple(root)]) if not isinstance(word, End)]
        for root in game.roots()
    ]
    draw, found = random.Random(str(game)), list[dict[str, Any]]()
    for _ in range(20 * FEW):
        board = int(draw.choice(possible))
        for said in list(game.describe(space.board(board), draw.choice(states[int(roots[board])] or [()])))[:1]:
            asked = {field: value for field, value in said.items() if value is not None}
            try:
                question(game, asked)
            except BadInput:
                continue
            if asked not in found:
                found.append(asked)
        if len(found) >= FEW:
            break
    return tuple(found)


def few_questions(size: Size) -> list[dict[str, Any]]:
    """The start and some other positions, as a question names them."""
    return [{}, *_questions(size.game)]
