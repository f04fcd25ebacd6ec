"""Every game is asked at the edges of every field: it answers with what can be right, or one line says why it cannot.

Everything is asked twice, as the game is solved and from the cache.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.cache.store import Store
from rollwise.games.boxes import BoxNames
from rollwise.games.dice_roulette import BETS, BetName
from rollwise.games.four_two_one import Results as Results421
from rollwise.games.mexico import Results
from rollwise.games.sevens import Opener
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.fields import FAR, Faces, Field, Number, Numbers, Pairs, Scores, YesNo
from rollwise.solver.game.model import End, TurnGame
from rollwise.solver.turn.graph import states_in_order
from tests.questions import CLOSE, Question, ask, require_sound
from tests.sizes import CHECK, EXACT, SIZES, Size, chooses


def edges(field: Field, made: TurnGame) -> list[Any]:
    """The lowest and the highest that a field holds, what lies just past them, and where play is won or cut."""
    if isinstance(field, Number):
        marks = [
            getattr(made, name)() if callable(getattr(made, name)) else getattr(made, name) for name in marked(made)
        ]
        around = [mark + field.step * n for mark in marks for n in (-1, 0, 1, 9)] if field.high == FAR else []
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
        first, last, most = field.keys[0], field.keys[-1], field.held[-1]
        return [{}, dict.fromkeys(field.keys, 0), {first: most}, {last: most}, {first: most + 1}]
    named: dict[type[Field], list[Any]] = {
        YesNo: [True, False],
        Opener: ["mine", "theirs"],
        Results421: ["none", "4-2-1,-", "-,2-2-1", "4-2-1,2-2-1", "4-2-1,4-2-1,4-2-1,4-2-1"],
        Results: ["none", "2-1,-", "-,3-1", "2-1,3-1", "2-1,2-1,2-1"],
        BetName: [BETS[0], BETS[-1], "13"],
    }
    return named[type(field)]


def marked(made: TurnGame) -> list[str]:
    """What says where a turn is won or cut."""
    return [name for name in ("target", "goal", "enough", "near", "highest_turn") if hasattr(made, name)]


def described(size: Size, draw: random.Random) -> list[Question]:
    """Some positions of a game, as a question names them: one more until all fields have been named, if they ever are.

    The first is the start, of which nothing need be said.
    """
    made, space = size.game, size.game.boards()
    boards = np.arange(space.size)
    columns = space.columns(boards)
    possible = boards[np.broadcast_to(made.possible(columns), space.size)]
    roots = np.broadcast_to(made.root(columns), space.size)
    states = [[state for state, _ in states_in_order(made.turn, [tuple(root)])] for root in made.roots()]
    found: list[Question] = [{}]
    for _ in range(500):
        board = int(draw.choice(possible))
        for said in list(made.describe(space.board(board), draw.choice(states[int(roots[board])])))[:1]:
            question = {name: value for name, value in said.items() if value is not None}
            if not set(question) <= {name for other in found for name in other}:
                found.append(question)
    return found


def questions(size: Size) -> list[Question]:
    """The start and some positions; then these with every field in turn at each of its edges."""
    before = described(size, random.Random(str(size)))
    asked = list(before)
    for field in size.game.fields():
        for edge in edges(field, size.game):
            asked += [{**question, field.name: edge} for question in before]
    return [question for place, question in enumerate(asked) if question not in asked[:place]]


def told(made: TurnGame, question: Question) -> dict[str, Any] | str:
    """The answer as plain data, or the line that says why there is none."""
    try:
        advice = ask(made, question)
    except BadInput as error:
        return str(error)
    require_sound(advice, WIDE.get(made.name, CLOSE))
    return advice.plain()


N_EXACT = 10  # questions that are asked in fractions
WIDE = {  # of turns that hardly ever come about
    "piggy-six": 0.01,  # more ahead than any board of so small a game has room for
    "zilch": 1.0,  # a special throw far past the cut has to be thrown on, for nobody knows how long
}


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_every_field_is_asked_at_its_edges(size: Size, own_cache: Store) -> None:
    asked = questions(size)
    first = [told(size.game, question) for question in asked]
    if size.why_not(CHECK) is None:  # something is kept of it, so that a second answer may be another one
        assert [told(size.game, question) for question in asked] == first
    assert not any("\n" in line for line in first if isinstance(line, str))
    for field in size.game.fields():
        taken = [line for question, line in zip(asked, first, strict=True) if field.name in question]
        assert any(isinstance(line, dict) for line in taken), f"{field.name} was never answered"
        assert any(isinstance(line, str) for line in taken) or isinstance(field, YesNo), f"{field.name} never refused"


@pytest.mark.parametrize(
    "size", [size for size in SIZES if chooses(size) and not size.why_not(EXACT) and not size.start], ids=str
)
def test_bounds_at_the_edges_hold_the_exact_values(size: Size) -> None:
    draw, asked = random.Random(str(size)), questions(size)
    answered = [question for question in asked if isinstance(told(size.game, question), dict)]
    for question in draw.sample(answered, min(N_EXACT, len(answered))):
        advice = ask(size.game, question, exact=True)
        moves = [move for move in advice.moves or [] if move.exact is not None]
        assert len(moves) == len(advice.moves or []) or size.name in WIDE
        exact = {move.move: Fraction(str(move.exact)) for move in moves}
        assert all(Fraction(move.lower) <= exact[move.move] <= Fraction(move.upper) for move in moves)
        if len(moves) == len(advice.moves or []):
            top = (max if advice.sense == "max" else min)(exact.values())
            assert sorted(advice.best or []) == sorted(move for move, value in exact.items() if value == top)


@pytest.mark.parametrize("size", [size for size in SIZES if chooses(size)], ids=str)
def test_whatever_a_question_can_name_has_a_move(size: Size) -> None:
    """An end of the solved turn is no question, unless the game says what may be done there all the same."""
    made, space = size.game, size.game.boards()
    words = [dict(states_in_order(made.turn, [tuple(root)])) for root in made.roots()]
    boards = np.random.default_rng(0).permutation(space.size)[:2000]
    boards = boards[np.broadcast_to(made.possible(space.columns(boards)), len(boards))][:10]
    for board, root in zip(
        boards.tolist(), np.broadcast_to(made.root(space.columns(boards)), len(boards)), strict=True
    ):
        for state, word in words[int(root)].items():
            if isinstance(word, End) and any(True for _ in made.describe(space.board(board), state)):
                assert made.asked(*state) is not None, state
