"""Two sheets, against a plain recursion in whole numbers: every throw, every keep, every box of both.

The recursion is written apart; it knows the rules of Yahtzee and nothing of the solver.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
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

NUMBERS = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight", "yahtzee", "chance")
PAYS = {"full house": 25, "small straight": 30, "large straight": 40, "yahtzee": 50}
WAYS = {n: Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=n)) for n in range(6)}
ROLLS = list(WAYS[5])
KEEPS = {roll: {kept for n in range(6) for kept in combinations(roll, n)} for roll in ROLLS}
LEADS = {  # of dice that are kept, every roll that they become, in ways of all five dice
    kept: [(tuple(sorted((*kept, *dice))), ways * 6 ** len(kept)) for dice, ways in WAYS[5 - len(kept)].items()]
    for n in range(6)
    for kept in combinations_with_replacement(range(1, 7), n)
}
Sheet = tuple[tuple[str, int], ...]


def fits(box: str, roll: tuple[int, ...]) -> bool:
    most, runs = max(Counter(roll).values()), "".join(map(str, sorted(set(roll))))
    if box.endswith("straight"):
        return any(run in runs for run in (("12345", "23456") if box == "large straight" else ("1234", "2345", "3456")))
    if box == "full house":
        return sorted(Counter(roll).values()) in ([2, 3], [5])
    return most >= {"three of a kind": 3, "four of a kind": 4, "yahtzee": 5}.get(box, 1)


@cache
def entries(sheet: Sheet, roll: tuple[int, ...]) -> dict[str, tuple[Sheet, int]]:
    """The sheet after each box that these dice may fill, and the points of that, bonuses included."""
    held, face = dict(sheet), roll[0]
    boxes = [box for box in (*NUMBERS, *LOWER) if box not in held]
    further = len(set(roll)) == 1 and "yahtzee" in held
    joker = further and NUMBERS[face - 1] in held
    if further:  # the number box of its face, else a lower box, else any
        lower = [box for box in boxes if box in LOWER]
        boxes = ([] if joker else [NUMBERS[face - 1]]) or lower or boxes
    found = {}
    for box in boxes:
        if box in NUMBERS:
            points = roll.count(NUMBERS.index(box) + 1) * (NUMBERS.index(box) + 1)
        else:
            points = PAYS.get(box, sum(roll)) if fits(box, roll) or (joker and box in PAYS) else 0
        before = sum(held.get(name, 0) for name in NUMBERS)
        bonus = 35 * (box in NUMBERS and before < 63 <= before + points)
        hundred = 100 * (further and held["yahtzee"] == 50)
        found[box] = tuple(sorted({**held, box: points}.items())), points + bonus + hundred
    return found


class Turn:
    """Twice the chance that who began wins, in parts of 7776 for each throw to come: of boxes, and of dice kept."""

    def __init__(self, mine: Sheet, theirs: Sheet, ahead: int, began: bool) -> None:
        best = max if began else min
        self.boxes = {
            roll: {
                box: at_start(theirs, sheet, ahead + (points if began else -points), not began)
                for box, (sheet, points) in entries(mine, roll).items()
            }
            for roll in ROLLS
        }
        worth = {roll: best(boxes.values()) for roll, boxes in self.boxes.items()}
        self.keeps: list[dict[tuple[int, ...], int]] = []  # before the last throw, before two, before three
        for _ in range(3):
            means = {kept: sum(ways * worth[roll] for roll, ways in rolls) for kept, rolls in LEADS.items()}
            worth = {roll: best(means[kept] for kept in KEEPS[roll]) for roll in ROLLS}
            self.keeps.append(means)


@cache
def at_start(mine: Sheet, theirs: Sheet, ahead: int, began: bool) -> int:
    """The same before a turn: ``mine`` is the mover's sheet, ``ahead`` are the points of who began less the other's."""
    if len(mine) == len(NUMBERS) + len(LOWER):
        return (ahead > 0) * 2 + (ahead == 0)
    return Turn(mine, theirs, ahead, began).keeps[2][()]


def told(mine: Sheet, theirs: Sheet, ahead: int, roll: tuple[int, ...], rolls_left: int) -> dict[str, Fraction]:
    """The mover's chance after each keep and each box of a decision; ``ahead``: the mover's points less the other's."""
    began = len(mine) == len(theirs)
    turn = Turn(mine, theirs, ahead if began else -ahead, began)
    after = 3 * (2 * 13 - len(mine) - len(theirs) - 1)  # throws of the turns that follow
    parts = {f"score {box}": (part, after) for box, part in turn.boxes[roll].items()}
    if rolls_left:
        parts |= {
            f"keep {' '.join(map(str, kept)) or 'nothing'}": (turn.keeps[rolls_left - 1][kept], after + rolls_left)
            for kept in KEEPS[roll]
            if len(kept) < 5
        }
    whole = {move: Fraction(part, 2 * 7776**throws) for move, (part, throws) in parts.items()}
    return {move: chance if began else 1 - chance for move, chance in whole.items()}


def sheet(open_boxes: str, **scores: int) -> dict[str, int]:
    """A sheet with these boxes open; the others hold what is said, numbers three dice each, chance 20, else nothing."""
    held = {box: 3 * (NUMBERS.index(box) + 1) if box in NUMBERS else 0 for box in (*NUMBERS, *LOWER)} | {"chance": 20}
    return {box: scores.get(box.replace(" ", "_"), held[box]) for box in held if box not in open_boxes.split(",")}


def total(held: dict[str, int]) -> int:
    return sum(held.values()) + 35 * (sum(held.get(name, 0) for name in NUMBERS) >= 63)


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
    names = tuple(sorted(mine.items())), tuple(sorted(theirs.items()))
    exact = told(*names, total(mine) - total(theirs), roll, rolls_left)
    advice = asked(mine, theirs, roll=roll, rolls_left=rolls_left)
    assert {move.move for move in advice.moves} == set(exact)
    for move in advice.moves:
        assert move.lower <= exact[move.move] <= move.upper, move.move
    assert all(move.upper - move.lower < 1e-10 for move in advice.moves)
    fractions = asked(mine, theirs, roll=roll, rolls_left=rolls_left, exact=True)
    assert {move.move: Fraction(move.exact or 0) for move in fractions.moves} == exact


YAHTZEE = Fraction(347897, 7558272)  # five equal dice within three throws: one box that is all there is to go for
PAIR = {"full_house": 25, "three_of_a_kind": 25}


@pytest.mark.parametrize(
    ("mine", "theirs", "chance"),
    [
        pytest.param(sheet("yahtzee"), sheet("yahtzee"), Fraction(1, 2), id="level, as good for both"),
        pytest.param(sheet("yahtzee"), sheet("yahtzee", chance=30), YAHTZEE * (1 - YAHTZEE), id="10 behind"),
        pytest.param(sheet("yahtzee", chance=30), sheet("yahtzee"), 1 - YAHTZEE * (1 - YAHTZEE), id="10 ahead"),
        pytest.param(sheet("yahtzee"), sheet("yahtzee", **PAIR), YAHTZEE * (1 - YAHTZEE) / 2, id="50 behind"),
        pytest.param(sheet("yahtzee", chance=19), sheet("yahtzee", **PAIR), Fraction(0), id="51 behind"),
        pytest.param(sheet("yahtzee", chance=21), sheet("", **PAIR), YAHTZEE, id="49 behind, the last turn"),
        pytest.param(sheet("yahtzee"), sheet("", **PAIR), YAHTZEE / 2, id="50 behind, the last turn"),
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


SIX = {box: 6 * (place + 1) for place, box in enumerate(NUMBERS)}


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
