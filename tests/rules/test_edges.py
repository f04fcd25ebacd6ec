"""Every game is asked at the edges of every field, and past the goal of a turn or its cut, where one may still play.

Each question is asked twice, where nothing is solved and where the cache knows it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rollwise.answer import Advice
from rollwise.asking import answer
from rollwise.cache.store import Store
from rollwise.door import check_board, the_fields
from rollwise.games import piggy_six
from rollwise.games.boxes import BoxNames
from rollwise.games.dice_roulette import BETS, BetName
from rollwise.games.mexico import Results
from rollwise.games.pay_the_rent import MarkerHolders
from rollwise.games.piggy_six import PiggySix, PiggySixAgainstRobots
from rollwise.games.registry import game
from rollwise.games.sevens import Opener
from rollwise.games.ten_thousand import keeps, scoring
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.game.dice import grouped
from rollwise.solver.game.errors import BadInput, StateError
from rollwise.solver.game.fields import FAR, Faces, Field, Number, Numbers, Scores, YesNo
from rollwise.solver.game.model import (
    Beyond,
    Boards,
    Chance,
    Choice,
    Columns,
    End,
    Prefer,
    Settled,
    TurnGame,
    Word,
    no_worse,
)
from rollwise.solver.game.solution import Quantity
from rollwise.solver.turn.graph import compile_turn, states_in_order
from rollwise.solver.turn.query import LOWER, UPPER, ExactTurn, OneTurn
from tests.sizes import CHECK, SIZES, Size, chooses

Question = dict[str, Any]
Moves = dict[str, tuple[float, float]]  # lower and upper, by move
CLOSE = 1e-8  # no interval is wider, measured by its value, but where a test says so


def ask(made: TurnGame, question: Mapping[str, Any], exact: bool = False) -> Advice:
    """As ``rollwise.ask``, of a game whose trial parameters cannot be said."""
    fields = the_fields(made, question)
    position = made.locate(**fields)
    check_board(made, position.board)
    return answer(made, fields, position, exact)


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


# --- every field of every game -------------------------------------------------------------------------------------


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
    if isinstance(field, MarkerHolders):
        return [{}, {face: 0 for face in range(1, 7)}, {1: field.seats - 1}, {6: field.seats - 1}, {1: field.seats}]
    named: dict[type[Field], list[Any]] = {
        YesNo: [True, False],
        Opener: ["mine", "theirs"],
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


# --- past the goal, past the cut -----------------------------------------------------------------------------------


def one(made: TurnGame, move: str, **question: Any) -> tuple[float, float]:
    return intervals(ask(made, question))[move]


def meet(found: tuple[float, float], *parts: tuple[Fraction, tuple[float, float]]) -> bool:
    """Is the mean of some intervals, each with its chance, the interval that was found, but for rounding?"""
    assert sum(chance for chance, _ in parts) == 1
    ends = [sum(float(chance) * interval[end] for chance, interval in parts) for end in (0, 1)]
    tiny = 1e-15 * max(1.0, abs(ends[1]))
    return found[0] <= ends[1] + tiny and ends[0] - tiny <= found[1]


def other_side(interval: tuple[float, float]) -> tuple[float, float]:
    return 1 - interval[1], 1 - interval[0]


SURE = (1.0, 1.0)


@pytest.mark.parametrize("turn", [12, 13, 17, 10_000, FAR])
@pytest.mark.parametrize(("mine", "theirs"), [(0, 0), (0, 5), (11, 0), (11, 11)])
def test_in_pig_one_may_roll_on_with_enough_and_hold_after_that(
    mine: int, theirs: int, turn: int, own_cache: Store
) -> None:
    made = game("pig", {"target": 12})
    assert isinstance(made, TurnGame)
    found = ask_twice(own_cache, made, mine=mine, theirs=theirs, turn=turn)
    assert list(found) == ["hold", "roll"]
    assert meet(found["hold"], (Fraction(1), SURE))
    lost = other_side(one(made, "roll", mine=theirs, theirs=mine))
    assert meet(found["roll"], (Fraction(5, 6), SURE), (Fraction(1, 6), lost))


def test_the_exact_value_of_rolling_on_with_enough_is_a_fraction() -> None:
    made = game("pig", {"target": 3})
    assert isinstance(made, TurnGame)
    hold, roll = ask(made, {"turn": 7, "theirs": 2}, exact=True).moves or []
    assert hold.exact == "1"
    theirs = Fraction(str(ask(made, {"mine": 2}, exact=True).exact))
    assert Fraction(str(roll.exact)) == Fraction(5, 6) + Fraction(1, 6) * (1 - theirs)


def lost_chance(dice: int) -> Fraction:
    return Fraction(dict(grouped(dice, scoring))[()], 6**dice)


@pytest.mark.parametrize("dice", [1, 6])
@pytest.mark.parametrize("turn", [500, 950, 10_450, FAR])
def test_in_ten_thousand_one_may_throw_on_with_enough_and_stop_after_that(
    turn: int, dice: int, own_cache: Store
) -> None:
    duel, alone = game("ten-thousand", {"goal": 500}), game("ten-thousand", {"goal": 500, "players": 1})
    assert isinstance(duel, TurnGame)
    assert isinstance(alone, TurnGame)
    lost = lost_chance(dice)
    found = ask_twice(own_cache, duel, mine=450, theirs=300, turn=turn, dice=dice)
    bust = other_side(one(duel, "roll", mine=300, theirs=450))
    assert list(found) == ["stop", "roll"]
    assert meet(found["stop"], (Fraction(1), SURE))
    assert meet(found["roll"], (1 - lost, SURE), (lost, bust))
    found = ask_twice(own_cache, alone, mine=100, turn=turn, dice=dice)
    low, high = one(alone, "roll", mine=100)
    assert list(found) == ["stop", "roll"]
    assert meet(found["stop"], (Fraction(1), SURE))
    assert meet(found["roll"], (1 - lost, SURE), (lost, (1 + low, 1 + high)))


@pytest.mark.parametrize("turn", [450, 500, 10_450, FAR])
def test_with_enough_on_the_table_every_way_to_keep_dice_wins(turn: int, own_cache: Store) -> None:
    duel = game("ten-thousand", {"goal": 500})
    assert isinstance(duel, TurnGame)
    found = ask_twice(own_cache, duel, theirs=300, turn=turn, roll=(1, 5, 2))
    assert list(found) == ["keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"]
    assert all(meet(interval, (Fraction(1), SURE)) for interval in found.values())


@pytest.mark.parametrize("turn", [10_050, 10_100, 10_450, 20_000, 1_000_000])
def test_a_single_turn_past_its_cut_is_worth_itself_or_one_throw_more(turn: int) -> None:
    made = game("ten-thousand", {"players": 1, "objective": "points"})
    assert isinstance(made, TurnGame)
    for dice in (1, 2, 6):
        advice = ask(made, {"turn": turn, "dice": dice})
        require_sound(advice, CLOSE)
        assert advice.best == ["stop"]
        after = sum(ways * (turn + best_keep(seen)) for seen, ways in grouped(dice, scoring) if seen)
        assert meet(intervals(advice)["stop"], (Fraction(1), (turn, turn)))
        assert meet(intervals(advice)["roll"], (Fraction(1), (after / 6**dice,) * 2))
    assert intervals(ask(made, {"turn": turn, "roll": (5, 2, 2, 2, 1)}))["keep 1 2 2 2 for 300"][0] > turn + 299


def best_keep(seen: tuple[int, ...]) -> int:
    return max(points for *_, points in keeps(seen))


def solved(made: TurnGame) -> Callable[[Question], Moves]:
    """Asks a game without a cache, by the file of it that is here now."""
    graph = compile_turn(made)
    found = BoardSolver(made, graph).solve()

    def read(boards: Any) -> Any:
        return found.values[boards], found.radius[boards].astype(float)

    def moves(question: Question) -> Moves:
        position = made.locate(**the_fields(made, question))
        turn = OneTurn(made, graph, position.board, read)
        return {name: (float(row[LOWER]), float(row[UPPER])) for name, row in turn.moves(position.state)}

    return moves


PIGGY_SIX: list[dict[str, Any]] = [
    {"target": 5},
    {"target": 4, "max_dice": 3},
    {"target": 4, "max_dice": 3, "choose": "roll"},
]


@pytest.mark.parametrize("parameters", PIGGY_SIX, ids=str)
def test_far_ahead_in_piggy_six_the_answer_is_that_of_a_turn_followed_further(
    parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = PiggySix(**parameters)
    cut, last = made.enough(), made.enough() + 5 * made.max_dice
    chosen: list[dict[str, int]] = [{"dice": 1}, {"dice": 3}] if made.dice_field() else [{}]
    asked = [
        {"mine": mine, "theirs": theirs, "seat": seat, "turn": turn, **dice}
        for mine, theirs in ((0, 0), (made.target - 1, 0), (0, made.target - 1))
        for seat in (0, 1)
        for turn in (cut - 1, cut, cut + 4, last - 1, last, last + 4, last + 40)
        for dice in chosen
    ]
    asked += [{"theirs": theirs, "seat": 1, "turn": last + 60, **chosen[0]} for theirs in (made.target, last)]
    here = solved(made)
    found = [here(question) for question in asked]
    monkeypatch.setattr(piggy_six, "PAST_TARGET", 3 * piggy_six.PAST_TARGET)
    further = solved(made)
    for question, moves in zip(asked, found, strict=True):
        true = further(question)
        assert moves.keys() == true.keys()
        for move, (lower, upper) in moves.items():
            assert true[move][1] - true[move][0] < 1e-9
            assert lower <= true[move][1], (question, move)
            assert true[move][0] <= upper, (question, move)
            sure = question["turn"] < last - 5 * made.max_dice or question["seat"] == 1
            assert upper - lower < (1e-9 if sure else 0.01), (question, move)


def test_far_ahead_in_piggy_six_rolling_is_known_as_well_as_holding(own_cache: Store) -> None:
    """The question that was answered with a roll worth 12 %, give or take 40."""
    made = game("piggy-six", {"target": 50})
    assert isinstance(made, TurnGame)
    found = ask_twice(own_cache, made, turn=110)
    assert 0.998 < found["hold"][0] < found["hold"][1] < 0.999
    assert 0.81 < found["roll"][0] < found["roll"][1] < 0.82


def test_more_points_ahead_are_never_worth_less() -> None:
    made = PiggySix(target=4)
    moves = solved(made)
    for seat in (0, 1):
        held = [moves({"seat": seat, "turn": turn})["hold"] for turn in (*range(55, 160, 5), FAR)]
        assert all(low <= later for (low, _), (_, later) in pairwise(held))
        assert all(later > low - 1e-12 for (low, _), (later, _) in pairwise(held))


class FollowedFurther(PiggySixAgainstRobots):
    """The lone game, in which a human who cannot be caught is still followed."""

    def furthest(self) -> int:
        """More than is needed."""
        return super().furthest() + 20


def test_against_robots_one_may_roll_on_from_a_score_that_none_of_them_can_reach() -> None:
    made, further = (cls(target=5, robots=(4,)) for cls in (PiggySixAgainstRobots, FollowedFurther))
    here, there = solved(made), solved(further)
    for mine, turn in ((0, made.furthest()), (3, made.furthest() + 12), (4, made.furthest() + 19)):
        found, true = (moves({"mine": mine, "theirs": (2,), "turn": turn}) for moves in (here, there))
        assert list(found) == list(true) == ["hold", "roll"]
        assert all(meet(found[move], (Fraction(1), true[move])) for move in found)
    assert meet(here({"turn": FAR})["hold"], (Fraction(1), SURE))


def test_a_leader_of_piggy_six_that_has_won_may_roll_on() -> None:
    """In a last turn two dice lose with a six, in 11 of 36 throws, and with them the game."""
    moves = solved(PiggySix(target=5))({"theirs": 70, "seat": 1, "mine": 4, "turn": FAR})
    assert meet(moves["hold"], (Fraction(1), SURE))
    assert meet(moves["roll"], (Fraction(25, 36), SURE), (Fraction(11, 36), (0.0, 0.0)))


# --- Zilch ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def zilch() -> TurnGame:
    made = game("zilch", {"goal": 500, "opening": 350})
    assert isinstance(made, TurnGame)
    return made


@pytest.mark.parametrize("turn", [4450, 4500, 6000, 11_000, FAR])
def test_in_a_last_turn_of_zilch_one_may_throw_on_with_more_than_is_wanted(turn: int, zilch: TurnGame) -> None:
    advice = ask(zilch, {"mine": 400, "theirs": 600, "turn": turn, "dice": 1})
    require_sound(advice, CLOSE)
    found = intervals(advice)
    assert meet(found["stop"], (Fraction(1), SURE))
    assert meet(found["roll"], (Fraction(1, 3), SURE), (Fraction(2, 3), (0.0, 0.0)))


@pytest.mark.parametrize("turn", [4500, 5000, 6950, 8000, 10_400, 10_500, 20_000])
def test_past_its_cut_a_throw_of_zilch_is_worth_what_may_follow_it(turn: int, zilch: TurnGame) -> None:
    """One die that scores is the last of six: one may stop, or throw all six again, which nobody so far ahead does."""
    board = {"mine": 400, "theirs": 350}
    advice = ask(zilch, {**board, "turn": turn, "dice": 1})
    require_sound(advice, 1e-3)
    assert advice.best == ["stop"]
    five, one_more = (one(zilch, "stop", **board, turn=turn + points, dice=6) for points in (50, 100))
    lost = other_side(one(zilch, "roll", mine=350, theirs=400))
    assert meet(
        intervals(advice)["roll"], *((Fraction(1, 6), part) for part in (five, one_more)), (Fraction(2, 3), lost)
    )
    table = intervals(ask(zilch, {**board, "turn": turn, "roll": (5,)}))
    assert meet(table["keep 5 for 50"], (Fraction(1), five))


@pytest.mark.parametrize("turn", [500, 700, 2450, 4450, FAR])
def test_alone_with_enough_one_may_throw_on_and_stop_after_that(turn: int) -> None:
    made = game("zilch", {"goal": 500, "opening": 350, "players": 1})
    assert isinstance(made, TurnGame)
    advice = ask(made, {"mine": 400, "turn": turn, "dice": 1})
    require_sound(advice, CLOSE)
    low, high = one(made, "roll", mine=400)
    assert advice.best == ["stop"]
    assert meet(intervals(advice)["stop"], (Fraction(1), SURE))
    assert meet(intervals(advice)["roll"], (Fraction(1, 3), SURE), (Fraction(2, 3), (1 + low, 1 + high)))
    table = ask(made, {"mine": 400, "turn": turn, "roll": (1, 5, 2)})
    assert sorted(table.best or []) == ["keep 1 5 for 150", "keep 1 for 100", "keep 5 for 50"]
    assert table.value == pytest.approx(1, abs=1e-9)


@pytest.mark.slow
def test_a_single_turn_of_zilch_past_its_cut_is_worth_itself_or_one_throw_more() -> None:
    made = game("zilch", {"players": 1, "objective": "points"})
    assert isinstance(made, TurnGame)
    for turn in (17_200, 20_000, 100_000):
        advice = ask(made, {"mine": 800, "turn": turn, "dice": 1})
        assert list(intervals(advice)) == ["stop", "roll"]
        assert meet(intervals(advice)["stop"], (Fraction(1), (turn, turn)))
        assert meet(intervals(advice)["roll"], (Fraction(1), ((2 * turn + 150) / 6,) * 2))


# --- what is refused, and what a game can say ----------------------------------------------------------------------


def test_a_turn_has_totals_that_no_throws_make_and_one_that_is_beyond_counting() -> None:
    made = game("pig", {"target": 12})
    assert isinstance(made, TurnGame)
    with pytest.raises(StateError, match="no turn of pig can come to mine=0 theirs=0 turn=1"):
        ask(made, {"turn": 1})
    with pytest.raises(StateError, match="turn is from 0 to 1000000000, got 1000000001"):
        ask(made, {"turn": FAR + 1})


class Ends(TurnGame):
    """Two kinds of turns, each with an end of its own; asked about the first kind, more can be done."""

    name = "ends"
    kind = "solo"
    measure = "points"
    unit = "points"
    total = 0
    said: Word | None = None

    def boards(self) -> Boards:
        """Which kind of turn, and the end of the game."""
        return Boards(side=2)

    def roots(self) -> list[tuple[int]]:
        """One each."""
        return [(0,), (1,)]

    def root(self, board: Columns) -> Any:
        """By side."""
        return board.side

    def turn(self, side: int) -> Word:
        """A single end."""
        return Choice([("near", End(1))]) if side == 0 else Choice([("other", End(5))])

    def asked(self, side: int) -> Word | None:
        """More than the turn says."""
        return self.said if side == 0 else None

    def settle(self, board: Columns, result: int) -> Settled:
        """As many points; none for 7, which is against the rules."""
        return Settled(legal=result != 7, over=True, reward=result)

    def level(self, board: Columns) -> Any:
        """Nothing follows."""
        return board.side * 0


def test_a_question_may_have_ends_that_no_solved_turn_has() -> None:
    moves = solved_ends(
        Choice(
            [
                ("near", End(1)),
                ("of the other kind", End(5)),
                ("of none", End(9)),
                ("forbidden", End(7)),
                ("bounded", Beyond(2, 4)),
                ("a throw", Chance([(1, End(9)), (3, End(1))])),
                ("the first that is legal", Prefer([End(7), End(11), End(3)])),
                ("no worse", no_worse(End(9), Beyond(0, 20))),
            ]
        )
    )
    assert {move: (round(low, 9), round(high, 9)) for move, (low, high) in moves[0].items()} == {
        "near": (1, 1),
        "of the other kind": (5, 5),
        "of none": (9, 9),
        "bounded": (2, 4),
        "a throw": (3, 3),
        "the first that is legal": (11, 11),
        "no worse": (9, 20),
    }
    assert moves[1] == {"near": 1, "of the other kind": 5, "of none": 9, "a throw": 3, "the first that is legal": 11}


def solved_ends(said: Word) -> tuple[Moves, dict[str, Fraction]]:
    """The moves where this is what can be done, in floats and in fractions."""
    made = Ends()
    made.said = said
    graph = compile_turn(made)
    turn = OneTurn(made, graph, {"side": 0}, lambda boards: (np.zeros(len(boards)), np.zeros(len(boards))))
    found = {name: (float(row[LOWER]), float(row[UPPER])) for name, row in turn.moves((0,))}
    exact = solve_exact(made, graph, boards=[0])
    return found, ExactTurn(made, graph, {"side": 0}, exact.nodes(0), exact.values).fractions((0,))


def test_a_state_without_a_move_is_no_question() -> None:
    with pytest.raises(StateError, match="no move is left here, the turn is over"):
        solved_ends(End(1))
    with pytest.raises(StateError, match="no move is left here, the turn is over"):
        solved_ends(Choice([("forbidden", End(7))]))
