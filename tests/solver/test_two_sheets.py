"""Two sheets, against a plain recursion in whole numbers: every throw, every keep, every box of both."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.objectives import two_sheets
from rollwise.games.sixzee.rules import BOXES
from rollwise.parsing.validate import parse_game
from rollwise.solutions.lookup import StoredSolution, load_or_solve
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import Position
from rollwise.solver.model.rows import Rows
from tests.solver.plain import NUMBERS, Sheet, Yahtzee

Entries = tuple[tuple[str, int], ...]  # a sheet that has a name

YAHTZEE = Yahtzee()
WHOLE = 7776**3  # parts of a turn


@cache
def at_start(mine: Entries, theirs: Entries, ahead: int) -> int:
    """Twice the mover's chance to win, who has so many points more, in parts of ``WHOLE`` for each turn to come."""
    if len(mine) == len(YAHTZEE.boxes):
        return (ahead > 0) * 2 + (ahead == 0)
    return int(YAHTZEE.before(dict(mine), lambda after, points: passed(after, theirs, ahead + points)))


def passed(mine: Sheet, theirs: Entries, ahead: int) -> int:
    """The same with the other player to move, still to whom has filled the first sheet."""
    turns = 2 * len(YAHTZEE.boxes) - len(mine) - len(theirs)
    return int(2 * WHOLE**turns) - at_start(theirs, tuple(sorted(mine.items())), -ahead)


def told(mine: Sheet, theirs: Sheet, ahead: int, roll: tuple[int, ...], rolls_left: int) -> dict[str, Fraction]:
    """The mover's chance after each keep and each box of a decision; ``ahead``: the mover's points less the other's."""
    others = tuple(sorted(theirs.items()))
    after = 3 * (2 * len(YAHTZEE.boxes) - len(mine) - len(theirs) - 1)  # throws of the turns that follow
    worth = YAHTZEE.moves(mine, lambda sheet, points: passed(sheet, others, ahead + points), roll, rolls_left)
    return {move: YAHTZEE.fraction(part, after + throws) / 2 for move, (part, throws) in worth.items()}


def sheet(open_boxes: str, **scores: int) -> dict[str, int]:
    """A sheet with these boxes open; the others hold what is said, numbers three dice each, chance 20, else nothing."""
    held = {box: 3 * NUMBERS.get(box, 0) for box in YAHTZEE.boxes} | {"chance": 20}
    return {box: scores.get(box.replace(" ", "_"), held[box]) for box in held if box not in open_boxes.split(",")}


def total(held: dict[str, int]) -> int:
    return sum(held.values()) + YAHTZEE.bonus(held)


def asked(mine: dict[str, int], theirs: dict[str, int], **more: Any) -> rollwise.Advice:
    """The answer; no hundreds have been earned."""
    points = {name: total(held) for name, held in (("mine", mine), ("theirs", theirs)) if held.get("yahtzee") == 50}
    exact = more.pop("exact", False)
    state = {"filled": mine, "theirs_filled": theirs, **points, **more}
    return rollwise.ask("yahtzee", params={"players": 2}, state=state, exact=exact)


@pytest.mark.parametrize(
    ("mine", "theirs", "roll", "rolls_left"),
    [
        pytest.param(sheet("chance"), sheet("large straight"), (1, 3, 3, 4, 6), 1, id="one box each"),
        pytest.param(sheet("sixes"), sheet("", sixes=24, full_house=25), (2, 6, 6, 6, 6), 2, id="the last turn"),
        pytest.param(sheet("threes,full house"), sheet("twos", ones=5), (3, 3, 6, 6, 6), 2, id="two and one"),
        pytest.param(
            sheet("small straight,yahtzee", sixes=12),
            sheet("ones,large straight", yahtzee=50, sixes=24),
            (5, 5, 5, 5, 6),
            1,
            id="a joker in sight",
        ),
    ],
)
def test_every_move_is_worth_what_a_plain_recursion_says(
    mine: dict[str, int], theirs: dict[str, int], roll: tuple[int, ...], rolls_left: int
) -> None:
    exact = told(mine, theirs, total(mine) - total(theirs), roll, rolls_left)
    advice = asked(mine, theirs, roll=roll, rolls_left=rolls_left)
    assert {move.move for move in advice.moves} == set(exact)
    for move in advice.moves:
        assert move.lower <= exact[move.move] <= move.upper, move.move
    assert all(move.upper - move.lower < 1e-10 for move in advice.moves)
    fractions = asked(mine, theirs, roll=roll, rolls_left=rolls_left, exact=True)
    assert {move.move: Fraction(move.exact or 0) for move in fractions.moves} == exact


FIVE = Fraction(347897, 7558272)  # five equal dice within three throws: one box that is all there is to go for
PAIR = {"full_house": 25, "three_of_a_kind": 25}


@pytest.mark.parametrize(
    ("mine", "theirs", "chance"),
    [
        pytest.param(sheet("yahtzee"), sheet("yahtzee"), Fraction(1, 2), id="level, as good for both"),
        pytest.param(sheet("yahtzee"), sheet("yahtzee", chance=30), FIVE * (1 - FIVE), id="10 behind"),
        pytest.param(sheet("yahtzee", chance=30), sheet("yahtzee"), 1 - FIVE * (1 - FIVE), id="10 ahead"),
        pytest.param(sheet("yahtzee"), sheet("yahtzee", **PAIR), FIVE * (1 - FIVE) / 2, id="50 behind"),
        pytest.param(sheet("yahtzee", chance=19), sheet("yahtzee", **PAIR), Fraction(0), id="51 behind"),
        pytest.param(sheet("yahtzee", chance=21), sheet("", **PAIR), FIVE, id="49 behind, the last turn"),
        pytest.param(sheet("yahtzee"), sheet("", **PAIR), FIVE / 2, id="50 behind, the last turn"),
    ],
)
def test_with_a_yahtzee_to_go_for_chances_are_those_by_hand(
    mine: dict[str, int], theirs: dict[str, int], chance: Fraction
) -> None:
    assert Fraction(asked(mine, theirs, exact=True).exact or 0) == chance


@pytest.fixture(scope="module")
def sixzee() -> tuple[StoredSolution, Position]:
    """Sixzee with two boxes open each, as a question about it finds it, and the question."""
    game = parse_game("sixzee", {"players": 2})
    held = {box: 0 for box in BOXES if box not in ("fives", "3-2-1", "sixzee")} | {"chance": 20}
    start = game.locate(filled={**held, "sixzee": 60}, theirs_filled={**held, "fives": 25})
    return load_or_solve(game.part(start.board), quiet=True), start


def test_who_is_further_behind_has_no_better_chance_and_at_the_ends_all_or_none(
    sixzee: tuple[StoredSolution, Position],
) -> None:
    rows, values = sixzee[0].game.boards(), sixzee[0].solution.arrays.whole("values")
    assert isinstance(rows, Rows)
    for begin, end in pairwise(rows.begins.tolist()):
        assert (values[begin], values[end - 1]) == (pytest.approx(1, abs=1e-13), 0)
        assert (np.diff(values[begin:end]) <= 1e-15).all()


def test_games_that_are_played_come_to_what_was_found(sixzee: tuple[StoredSolution, Position]) -> None:
    solved, start = sixzee
    (value,), _ = solved.solution.read(np.array([solved.game.boards().index_of(**start.board)]))
    played = kind_of(solved.game).simulate(solved.solution, start, 20_000, seed=1)
    assert sum(played.mean) == pytest.approx(1)
    assert abs(played.mean[0] - value) < 4 * played.error[0]
    assert played.turns == 4


def test_what_is_told_of_a_board_is_that_board(sixzee: tuple[StoredSolution, Position]) -> None:
    game, solved = parse_game("yahtzee", {"players": 2}), sixzee[0].game
    assert isinstance(game, two_sheets.TwoSheets)
    assert isinstance(solved, two_sheets.TwoSheets)
    mine = {"fives": 5, "sixes": 18, "four of a kind": 0, "full house": 0, "yahtzee": 50, "chance": 7}
    theirs = {"fours": 0, "fives": 0, "sixes": 0, "three of a kind": 0, "yahtzee": 50, "chance": 5}
    drawn = np.random.default_rng(1).integers(solved.boards().size, size=60).tolist()
    boards: list[tuple[two_sheets.TwoSheets, dict[str, Any]]] = [
        (solved, solved.boards().board(index)) for index in drawn
    ]
    boards += [(game, game.pair(mine, theirs, apart)) for apart in range(-400, 401, 20)]
    n_told = 0
    for made, board in boards:
        if told := made.sheets_apart(board):
            assert made.locate(**told).board == board
            n_told += 1
    assert n_told > 60  # of others there are no sheets


@pytest.mark.filterwarnings("ignore:yahtzee is solved for this program alone")
def test_play_goes_on_where_no_sheets_are_found_for_a_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(two_sheets, "_sheets_apart", lambda game, board: {})
    state = {"filled": sheet("ones,chance"), "theirs_filled": sheet("yahtzee,sixes", chance=29), "rolls_left": 1}
    for move, sheets in (("keep 1 1 1 1", ("filled", "theirs_filled")), ("score ones", ("theirs_filled", "filled"))):
        found = rollwise.outcomes("yahtzee", move, params={"players": 2}, state={**state, "roll": [1, 1, 1, 1, 6]})
        for row in found.rows:
            assert row.state is not None
            assert row.state[sheets[1]] == state["theirs_filled"]
            assert (row.state["filled"] == state["filled"]) == (sheets[0] == "filled")


def test_a_hundred_goes_on_being_counted_from_the_other_side() -> None:
    mine, theirs = sheet("ones,chance", yahtzee=50), sheet("ones,twos", yahtzee=50)
    state = {"filled": mine, "mine": total(mine), "theirs_filled": theirs, "theirs": total(theirs) + 100}
    (row,) = rollwise.outcomes(
        "yahtzee", "score ones", params={"players": 2}, state={**state, "roll": [1] * 5, "rolls_left": 0}
    ).rows
    assert row.state is not None
    assert (row.state["mine"], row.state["theirs"]) == (total(theirs) + 100, total(mine) + 5 + 35 + 100)
    assert (row.state["yahtzee_bonus"], row.state["theirs_yahtzee_bonus"]) == (100, 100)


def test_what_is_too_large_is_told_before_anything_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    game = parse_game("yahtzee", {"players": 2})
    with pytest.raises(rollwise.TooLarge, match=r"96,507,150,336 pairs of sheets at most"):
        game.part(game.first_board())
    with pytest.raises(rollwise.TooLarge, match=r"96,507,150,336 pairs of sheets at most"):
        game.part().boards()
    monkeypatch.setattr(two_sheets, "MAX_CELLS", 300)
    part = game.part(game.locate(filled=sheet("ones,twos"), theirs_filled=sheet("ones,twos")).board)
    with pytest.raises(rollwise.TooLarge, match=r"2 and 2 open boxes .* [0-9,]+ numbers of sheets .*, and 300 fit"):
        part.boards()


SIX = {box: 6 * face for box, face in NUMBERS.items()}


@pytest.mark.parametrize(
    ("game", "state", "says"),
    [
        ("yahtzee", {}, "from 13 and 13 open boxes on yahtzee for two is too large: 96,507,150,336 pairs"),
        ("sixzee", {}, "from 17 and 17 open boxes on sixzee for two is too large"),
        ("yahtzee", {"filled": "ones:3"}, "filled has 1, theirs_filled 0"),
        ("yahtzee", {"theirs_filled": "ones:3,twos:2"}, "one fewer; filled has 0, theirs_filled 2"),
        ("yahtzee", {"theirs_filled": "yahtzee:50", "theirs": 150}, "theirs=150 cannot be: .* make 50"),
        ("sixzee", {"theirs_filled": SIX | {"sixzee": 60}, "theirs": 6216, "filled": SIX}, "apart, got 6,060"),
    ],
)
def test_what_cannot_be_or_is_too_large_is_said_before_anything_is_solved(
    game: str, state: dict[str, Any], says: str
) -> None:
    with pytest.raises((rollwise.StateError, rollwise.TooLarge), match=says) as error:
        rollwise.ask(game, params={"players": 2, **({"sixzee_bonus": 1000} if game == "sixzee" else {})}, state=state)
    assert isinstance(error.value, rollwise.StateError) or "objective=beat" in str(error.value)
