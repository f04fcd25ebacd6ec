"""What tests of questions share: asking a game as it stands, and what an answer must be to be right at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rollwise.answer import Advice
from rollwise.asking import answer
from rollwise.cache.store import Store
from rollwise.door import check_board, the_fields
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.solution import Quantity
from rollwise.solver.kinds.kind import Wanted

Question = dict[str, Any]
Moves = dict[str, tuple[float, float]]  # lower and upper, by move
CLOSE = 1e-8  # no interval is wider, measured by its value, but where a test says so


def ask(made: TurnGame, question: Mapping[str, Any], exact: bool = False) -> Advice:
    """As ``rollwise.ask``, of a game whose trial parameters cannot be said."""
    fields = the_fields(made, question)
    position = made.locate(**fields)
    check_board(made, position.board)
    return answer(made, fields, position, Wanted(exact))


def ask_twice(store: Store, made: TurnGame, **question: Any) -> Moves:
    """The moves when the game is solved for this question; from the cache the answer is the same."""
    store.clear()
    first, again = ask(made, question), ask(made, question)
    assert (first.facts["cached"], again.facts["cached"]) == (False, True)
    assert first.plain() == again.plain()
    require_sound(first, CLOSE)
    return intervals(first)


def intervals(advice: Advice) -> Moves:
    return {move.move: (move.lower, move.upper) for move in advice.moves or []}


def require_sound(advice: Advice, close: float) -> None:
    """An answer that can be right: bounds around every value, chances within 0..1, and the best move is a best one."""
    for quantity in advice.quantities.values():
        require_around(quantity)
    if advice.moves is None:
        assert advice.quantities
        return
    values = [move.value for move in advice.moves]
    assert len({move.move for move in advice.moves}) == len(values) > 0
    for move in advice.moves:
        assert -np.inf < move.lower <= move.value <= move.upper < np.inf
        assert move.upper - move.lower <= close * max(1.0, abs(move.value)), move
        assert advice.unit != "probability" or (move.lower >= 0 and move.upper <= 1)
        assert move.loss >= 0
    better = max if advice.sense == "max" else min
    assert advice.value == better(values)
    assert advice.moves[values.index(advice.value)].move in (advice.best or [])


def require_around(quantity: Quantity) -> None:
    for value, lower, upper in zip(*map(numbers, (quantity.value, quantity.lower, quantity.upper)), strict=True):
        assert lower <= value <= upper


def numbers(told: Any) -> list[float]:
    """The numbers of a quantity, its tail left out."""
    if isinstance(told, Mapping):
        return [number for name, part in told.items() if name != "tail" for number in numbers(part)]
    if isinstance(told, list | tuple):
        return [number for part in told for number in numbers(part)]
    return [] if told is None else [float(told)]
