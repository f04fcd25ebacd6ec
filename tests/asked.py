"""What tests of questions share: asking a game as it stands, and what an answer must be to be right at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rollwise.cache.store import Store
from rollwise.games.dice_roulette.rules import BETS, BetName
from rollwise.games.four_two_one.questions import FourTwoOneResults as Results421
from rollwise.games.mexico.scoring import MexicoResults
from rollwise.games.sevens.rules import Opener
from rollwise.parsing.validate import check_board, parse_fields
from rollwise.questions.ask.compute import answer
from rollwise.questions.ask.data import Advice
from rollwise.solver.kinds.kind import QueryOptions
from rollwise.solver.model.box_fields import BoxNames, Scores
from rollwise.solver.model.fields import NO_LIMIT, Faces, Field, Number, Numbers, Pairs, YesNo
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.solution import Quantity

Question = dict[str, Any]
Moves = dict[str, tuple[float, float]]  # lower and upper, by move
CLOSE = 1e-8  # no interval is wider, measured by its value, but where a test says so


def ask(made: TurnGame, question: Mapping[str, Any], exact: bool = False) -> Advice:
    """As ``rollwise.ask``, of a game whose trial parameters cannot be said."""
    fields = parse_fields(made, question)
    position = made.locate(**fields)
    check_board(made, position.board)
    return answer(made, fields, position, QueryOptions(exact))


def ask_twice(store: Store, made: TurnGame, **question: Any) -> Moves:
    """The moves when the game is solved for this question; from the cache the answer is the same."""
    store.clear()
    first, again = ask(made, question), ask(made, question)
    assert (first.facts["cached"], again.facts["cached"]) == (False, True)
    assert first.plain() == again.plain()
    require_sound(first, CLOSE)
    return intervals(first)


def intervals(advice: Advice) -> Moves:
    return {move.move: (move.lower, move.upper) for move in advice.moves}


def require_sound(advice: Advice, close: float) -> None:
    """An answer that can be right: bounds around every value, chances within 0..1, and the best move is a best one."""
    for quantity in advice.quantities.values():
        require_around(quantity)
    if not advice.moves:
        assert advice.quantities
        return
    values = [move.value for move in advice.moves]
    assert len({move.move for move in advice.moves}) == len(values) > 0
    for move in advice.moves:
        assert -np.inf < move.lower <= move.value <= move.upper < np.inf
        assert move.upper - move.lower <= close * max(1.0, abs(move.value)), move
        assert advice.unit != "probability" or (move.lower >= 0 and move.upper <= 1)
        assert move.loss >= 0
        assert move.loss == 0 or move.move not in advice.best
    if close <= CLOSE:  # where intervals are wider, a later move may be as good as the first
        assert advice.best == [move.move for move in advice.moves][: len(advice.best)]
        assert [move.loss for move in advice.moves] == sorted(move.loss for move in advice.moves)
    for shares in filter(None, (advice.shares, *(move.shares for move in advice.moves))):
        assert abs(sum(shares) - 1) < 1e-9
    better = max if advice.sense == "max" else min
    assert advice.value == better(values)
    assert advice.moves[values.index(advice.value)].move in advice.best


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


def edges(field: Field, made: TurnGame) -> list[Any]:
    """The lowest and the highest that a field holds, what lies just past them, and where play is won or cut."""
    if isinstance(field, Number):
        marks = [
            getattr(made, name)() if callable(getattr(made, name)) else getattr(made, name) for name in marked(made)
        ]
        around = [mark + field.step * n for mark in marks for n in (-1, 0, 1, 9)] if field.high == NO_LIMIT else []
        ends = [field.low - field.step, field.low, field.high, field.high + field.step]
        return [*ends, *around, *([0] if field.low < 0 else []), *(["none"] if type(field) is not Number else [])]
    if isinstance(field, Numbers):
        if field.count is None:
            every = tuple(range(field.low, field.high + 1))
            return ["none", every[:1], every[-1:], every, (*every, field.high + 1)]
        low, high, rest = (field.low,), (field.high,), field.count - 1
        lists: list[Any] = [low * field.count, high * field.count, low + high * rest, high + low * rest]
        return [*lists, high * (rest + 2), *([low + (None,) * rest, high * rest + (None,)] if field.out else [])]
    if isinstance(field, Faces):
        sizes = (field.fewest, field.most)
        rolls: list[Any] = [(face,) * size for face in (1, 5, 6) for size in sizes]
        return [*rolls, (1, 2, 3, 4, 5, 6)[: field.most], (1,) * (field.most + 1), (7,) * max(1, field.fewest)]
    if isinstance(field, Scores):
        boxes = list(field.allowed)
        filled = [{box: end(field.allowed[box]) for box in some} for end in (min, max) for some in (boxes, boxes[1:])]
        return [{}, *filled, {boxes[0]: max(field.allowed[boxes[0]]) + 1}]
    if isinstance(field, BoxNames):
        return [(), field.boxes, field.boxes[:1], field.boxes[1:]]
    if isinstance(field, Pairs):
        first, last, most = field.keys[0], field.keys[-1], field.allowed[-1]
        return [{}, dict.fromkeys(field.keys, 0), {first: most}, {last: most}, {first: most + 1}]
    named: dict[type[Field], list[Any]] = {
        YesNo: [True, False],
        Opener: ["mine", "theirs"],
        Results421: ["none", "4-2-1,-", "-,2-2-1", "4-2-1,2-2-1", "4-2-1,4-2-1,4-2-1,4-2-1"],
        MexicoResults: ["none", "2-1,-", "-,3-1", "2-1,3-1", "2-1,2-1,2-1"],
        BetName: [BETS[0], BETS[-1], "13"],
    }
    return named[type(field)]


def marked(made: TurnGame) -> list[str]:
    """What says where a turn is won or cut."""
    return [name for name in ("target", "goal", "enough", "near", "highest_turn") if hasattr(made, name)]
