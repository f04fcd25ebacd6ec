"""Forecasts, against plain recursions in fractions over the games' own words: no graph, no kernel, no float."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import turn_game
from rollwise.games.sixzee.rules import Sixzee
from rollwise.games.yahtzee.rules import Yahtzee
from rollwise.solver.model.dice import d6
from rollwise.solver.model.errors import BadInput, ModelError, NotConverged, TooLarge
from rollwise.solver.model.game import Boards, Columns, Decision, End, Node, Transition, TurnGame, chance_of
from rollwise.solver.model.sheet import Line, ScoreSheet
from rollwise.solver.policy import flow
from rollwise.solver.policy.flow import Forecast, ForwardPass
from rollwise.solver.policy.forecast import forecast
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.solver.plain import Board, Turns, fallen, thorough, toy

Read = Callable[[Any], tuple[Any, Any]]


class Plain(Turns):
    """One game played alone, with all points that are still to come."""

    def __init__(self, of: TurnGame) -> None:
        super().__init__(of)
        self.final = cache(self._final)

    def _final(self, board: Board) -> dict[int, Fraction]:
        """The chances of points still to come."""
        found: dict[int, Fraction] = defaultdict(Fraction)
        for end, chance in self.ends(board).items():
            said = self.outcome(board, end.result)
            later = {0: Fraction(1)} if said.following is None else self.final(said.following)
            for points, part in later.items():
                found[int(said.value + Fraction(end.reward)) + points] += chance * part
        return found

    def reached(self, start: Board) -> dict[Board, Fraction]:
        """Boards that are come to, and their chances: level by level."""
        found, done = defaultdict(Fraction, {start: Fraction(1)}), set[Board]()
        while waiting := found.keys() - done:
            board = min(waiting, key=lambda board: int(np.ravel(self.game.level(self.columns(board)))[0]))
            done.add(board)
            for end, chance in self.ends(board).items():
                following = self.outcome(board, end.result).following
                if following is not None:
                    found[following] += found[board] * chance
        return found

    def lines(self, start: Board) -> dict[str, tuple[Fraction, Fraction]]:
        """(mean, chance of points) by line; where points may come again and again, the mean number of times."""
        of = self.game
        assert isinstance(of, ScoreSheet)
        means, chances = defaultdict[str, Fraction](Fraction), defaultdict[str, Fraction](Fraction)
        for board, here in self.reached(start).items():
            for end, chance in self.ends(board).items():
                booked = of.booked(self.columns(board), end.result)
                made = Counter({line: int(np.ravel(column)[0]) for line, column in booked.items()})
                made[of.line(end.result)] += int(end.reward)
                for line, points in made.items():
                    means[line] += here * chance * points
                    chances[line] += here * chance * (points > 0)
        return {line: (means[line], chances[line]) for line in of.lines()}


def opened(of: TurnGame, start: Mapping[str, int] | None = None, **how: Any) -> tuple[TurnGraph, Read, int]:
    """The turn, what reads the values of a solve, and the board to start from."""
    graph = compile_turn(of)
    found = BoardSolver(of, graph, **how).solve()
    board = of.boards().index_of(**(start or of.first_board()))
    return graph, lambda boards: (found.values[boards], found.radius[boards].astype(np.float64)), board


def solved(of: TurnGame, start: Mapping[str, int] | None = None, workers: int = 1) -> Forecast:
    return forecast(of, *opened(of, start, compiled=False), workers=workers)


def numbers(of: TurnGame, board: Mapping[str, int] | None = None) -> Board:
    at = board or of.first_board()
    return tuple(at[name] for name in of.boards().names)


def holds(found: Forecast, exact: Mapping[int, Fraction]) -> None:
    """Every chance lies within its bounds, and none is missing."""
    off, lost = Fraction(found.off), Fraction(found.lost)
    for points in range(max(len(found.chances), max(exact) + 1)):
        told = Fraction(float(found.chances[points])) if points < len(found.chances) else Fraction(0)
        assert told * (1 - off) <= exact.get(points, 0) <= told * (1 + off) + lost, points


SMALL: list[tuple[str, dict[str, Any]]] = [
    ("yahtzee", {"boxes": "fives,small straight"}),  # moves that are equally good, but do not come to the same
    ("shut-the-box", {"variant": "partial", "boxes": 7}),
]
LARGER: list[tuple[str, dict[str, Any]]] = [
    ("yahtzee", {"boxes": "chance,yahtzee", "joker": "free"}),
    ("sixzee", {"boxes": "3-2-1"}),
    ("shut-the-box", {"boxes": 7}),
    ("yahtzee", {"boxes": "sixes,large straight,yahtzee"}),
    ("yahtzee", {"boxes": "fours,fives,sixes"}),
    ("sixzee", {"boxes": "3-2-1,sixzee"}),
    ("sixzee", {"boxes": "low straight,super straight,sixzee", "bonus_when": "possible"}),
]


@cache
def small(name: str, **parameters: Any) -> tuple[TurnGame, Plain]:
    of = turn_game(name, **parameters)
    return of, Plain(of)


@pytest.mark.parametrize(("name", "parameters"), [*SMALL, *thorough(*LARGER)])
def test_the_distribution_its_lines_and_its_boards_are_those_of_plain_play(
    name: str, parameters: dict[str, Any]
) -> None:
    of, plain = small(name, **parameters)
    start, found = numbers(of), solved(of)
    holds(found, plain.final(start))
    assert found.lost == 0
    assert found.off < 1e-12
    assert abs(Fraction(found.mean) - plain.value(start)) < Fraction(1, 10**9)
    is_sheet = isinstance(of, ScoreSheet)
    assert found.n_boards == (len(plain.reached(start)) if is_sheet else 1)
    for line, (mean, chance) in (plain.lines(start) if is_sheet else {}).items():
        told = found.lines[line]
        assert abs(Fraction(told.mean) - mean) <= Fraction(found.off_lines) * mean
        assert abs(Fraction(told.chance) - chance) <= Fraction(found.off_lines) * chance


def test_from_a_board_in_the_middle_of_a_game() -> None:
    of = Yahtzee(boxes="small straight,large straight,yahtzee")
    board = of.board({**{box: 0 for box in of.all_boxes if box not in of.played}, "yahtzee": 50})
    plain, found = Plain(of), solved(of, board)
    final, lines = plain.final(numbers(of, board)), plain.lines(numbers(of, board))
    holds(found, final)
    for line in ("small straight", "large straight", "yahtzee bonus"):
        assert abs(Fraction(found.lines[line].mean) - lines[line][0]) < Fraction(1, 10**12)
    # the straights hold 70 at most, and each further yahtzee earns a hundred: 200 and more is two of them
    two = sum(chance for points, chance in final.items() if points >= 200)
    assert two > 0
    assert abs(Fraction(found.again["yahtzee bonus"]) - lines["yahtzee bonus"][1] + two) <= Fraction(found.off_again)


def test_a_bonus_that_shows_in_the_score() -> None:
    # 20 + 30 + 40 and the bonus of 30 make 120, and nothing else does
    found = solved(Sixzee(boxes="low straight,high straight,super straight"))
    bonus = found.lines["straights bonus"]
    assert len(found.chances) > 120
    assert np.flatnonzero(found.chances).max() == 120
    assert abs(bonus.chance - found.chances[120]) < 1e-15
    assert abs(bonus.mean - 30 * bonus.chance) < 1e-12


def test_rounding_does_not_decide_between_equally_good_moves() -> None:
    of = Yahtzee(boxes="fives,small straight")
    graph, read, start = opened(of, compiled=False)
    noise = np.random.default_rng(1).uniform(-1e-13, 1e-13, of.boards().size)

    def shifted(by: float) -> Any:
        return forecast(of, graph, lambda at: (read(at)[0] + by * noise[at], np.full(len(at), 1e-11)), start).chances

    assert (shifted(1.0) == shifted(0.0)).all()
    assert (shifted(-1.0) == shifted(0.0)).all()


# --- what is left out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("boxes", "joker", "share"),
    [
        ("chance,yahtzee", "free", 0.1),
        *thorough(("sixes,large straight,yahtzee", "forced", 1e-2)),
    ],
)
def test_what_is_left_out_is_counted(boxes: str, joker: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    of, plain = small("yahtzee", boxes=boxes, joker=joker)
    assert isinstance(of, ScoreSheet)
    whole = solved(of)
    monkeypatch.setattr(flow, "LARGE_LEVEL_BOARDS", 1)
    monkeypatch.setattr(flow, "MAX_LEVEL_LOSS", share)
    found = solved(of)
    assert 0 < found.lost <= share * len(found.lines)
    assert abs(found.chances.sum() + found.lost - 1) < 1e-6 * found.lost + 1e-14
    holds(found, plain.final(numbers(of)))
    for name, (mean, chance) in plain.lines(numbers(of)).items():
        line = of.lines()[name]
        told, sure = found.lines[name], 1 - Fraction(found.off_lines)
        lost, close = Fraction(found.lost), Fraction(1, 10**9)
        assert 0 <= mean - Fraction(told.mean) * sure <= lost * line.most + close
        if not line.each:
            assert 0 <= chance - Fraction(told.chance) * sure <= lost + close
    once = whole.again["yahtzee bonus"]
    assert once - 1e-12 <= found.again["yahtzee bonus"] <= once + found.lost + 1e-12


def test_too_many_pages_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MAX_PAGES", 8)
    with pytest.raises(TooLarge, match="more than 8 pages"):
        solved(Yahtzee(boxes="sixes,large straight,yahtzee"))


@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_and_of_boards_at_once_does_not_matter(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = Yahtzee(boxes="sixes,large straight")
    alone = solved(of)
    monkeypatch.setattr(flow, "BLOCK_BOARDS", 3)
    monkeypatch.setattr(flow, "SUM_GROUP_BOARDS", 2)
    found = solved(of, workers=workers)
    np.testing.assert_allclose(found.chances, alone.chances, rtol=1e-13)
    assert found.lines.keys() == alone.lines.keys()
    for name, told in found.lines.items():
        here = alone.lines[name]
        assert (told.mean, told.chance) == pytest.approx((here.mean, here.chance), rel=1e-13)


# --- other shapes of games -------------------------------------------------------------------------------------------


def steps(per: int = 1) -> TurnGame:
    """Walk down from step 11: two dice on even steps, of which one is chosen, one die on odd ones; it is worth points,
    divided by ``per``, to land on a three or on the last step.
    """

    def turn(dice: str) -> Node:
        if dice == "one":
            return chance_of(d6, End)
        return chance_of(
            fallen(2).items(),
            lambda seen: Decision((f"take {face}", End(face, reward=int(face == 1))) for face in seen),
        )

    def transition(board: Columns, result: int) -> Transition:
        after = board.step - result
        return Transition(next={"step": after}, over=after <= 0, reward=3 * (after == 3) + 40 * (after == 0), per=per)

    return toy(
        turn,
        transition,
        cyclic=False,
        boards=lambda game: Boards(step=range(1, 12)),
        first_board=lambda game: {"step": 11},
        level=lambda game, board: 11 - board.step,
        roots=lambda game: [("two",), ("one",)],
        root=lambda game, board: board.step % 2,
    )


@pytest.mark.parametrize("many", [flow.LARGE_LEVEL_BOARDS, 1], ids=["few", "as if many"])
def test_turns_may_skip_levels_begin_differently_and_end_early(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game without lines is kept whole, however many boards it has."""
    monkeypatch.setattr(flow, "LARGE_LEVEL_BOARDS", many)
    monkeypatch.setattr(flow, "MAX_LEVEL_LOSS", 1e-2)
    of = steps()
    found, plain = solved(of), Plain(of)
    assert found.lost == 0
    holds(found, plain.final(numbers(of)))
    assert found.n_boards == len(plain.reached(numbers(of)))


def test_points_that_are_not_whole_are_refused() -> None:
    with pytest.raises(BadInput, match="a forecast is of whole points, 0 or more; toy"):
        solved(steps(per=2))


class Misbooked(Yahtzee):
    """Forgets the hundreds."""

    def booked(self, board: Columns, result: tuple[str, int, int]) -> dict[str, Any]:
        return {line: column for line, column in super().booked(board, result).items() if line != "yahtzee bonus"}

    def transition(self, board: Columns, result: tuple[str, int, int]) -> Transition:
        return Yahtzee(boxes=self.boxes).transition(board, result)


class Unlined(Yahtzee):
    """Says that no box holds more than 10."""

    def lines(self) -> dict[str, Line]:
        return {name: Line(10, line.each) for name, line in super().lines().items()}


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (Misbooked(boxes="chance,yahtzee"), "is not what transition earns"),
        (Unlined(boxes="sixes"), "has no line 'sixes' for 12 points"),
    ],
)
def test_what_is_booked_must_be_what_settle_earns_and_lines_must_be_able_to_hold_it(of: TurnGame, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        solved(of)


def test_a_forecast_must_have_the_mean_that_was_solved_and_chances_that_are_1_together() -> None:
    of = Yahtzee(boxes="sixes")
    graph, read, start = opened(of)
    with pytest.raises(NotConverged, match="off its value"):
        forecast(of, graph, lambda boards: (read(boards)[0] + 1e-9 * (boards == start), read(boards)[1]), start)
    one = ForwardPass(of, graph, read, {start: 1.0}, 1, lambda share: None)
    told = one.run()
    one._check(told)
    with pytest.raises(NotConverged, match="add up to"):  # points that nobody has do not change the mean
        one._check(replace(told, chances=np.concatenate([told.chances[:1] + 1e-9, told.chances[1:]])))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pig", {}),
        ("ten-thousand", {"goal": 500, "players": 1}),
        ("mexico", {}),
        ("shut-the-box", {"objective": "clear"}),
    ],
)
def test_only_scores_of_games_alone_have_a_forecast(name: str, said: dict[str, Any]) -> None:
    of = turn_game(name, **said)
    with pytest.raises(BadInput, match="no forecast: "):
        forecast(of, compile_turn(of), lambda boards: (np.zeros(0), np.zeros(0)), 0)


# --- the whole of Yahtzee --------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("joker", "mean", "deviation"), [("free", 254.5896, 59.6117), ("forced", 254.5877, 59.6079)])
def test_yahtzee(joker: str, mean: float, deviation: float) -> None:
    """With free jokers mean and deviation are as published for optimal solitaire play; forced ones are our own."""
    of = Yahtzee(joker=joker)
    found = forecast(of, *opened(of))
    points = np.arange(len(found.chances))
    assert found.mean == pytest.approx(mean, abs=5e-5)
    assert np.sqrt(found.chances @ (points - found.mean) ** 2) == pytest.approx(deviation, abs=5e-5)
    assert found.lost == 0
    assert sum(line.mean for line in found.lines.values()) == pytest.approx(found.mean, rel=1e-12)
    assert np.flatnonzero(found.chances).max() == 1575  # thirteen yahtzees
