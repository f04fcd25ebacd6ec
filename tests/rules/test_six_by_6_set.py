"""Six By 6 as a SET: who wins with which scores, what is bounded, and both ways to post found in another way."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rollwise
from rollwise.games.claims.replay import moves, replay
from rollwise.games.registry import game
from rollwise.games.rounds import joined, shares
from rollwise.games.six_by_6 import SixBy6
from rollwise.games.six_by_6_round import SixBy6Free, full, plain
from rollwise.games.six_by_6_set import (
    FAR,
    NO_SCORE,
    TOP,
    SixBy6Chosen,
    SixBy6Duel,
    SixBy6Set,
    SixBy6Table,
    overtaken,
    promise,
    reaches_top,
)
from rollwise.solver.boards.sweep import BoardSolver, BoardValues
from rollwise.solver.boards.table import solve_table
from rollwise.solver.game.errors import ParameterError, StateError
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from tests.questions import ask
from tests.tables import Explicit

FREE: dict[str, Any] = {"posting": "free"}
DUEL = SixBy6Duel(2, "free")
TABLE = SixBy6Table(3, "free")
Faces = tuple[int, ...]


def of(**parameters: Any) -> TurnGame:
    found = game("six-by-6", parameters)
    assert isinstance(found, TurnGame)
    return found


# --- what is played --------------------------------------------------------------------------------------------------


def test_one_player_plays_a_round_as_before_and_more_play_a_set() -> None:
    assert type(of()) is SixBy6
    assert isinstance(of(posting="free"), SixBy6Free)
    assert [type(of(players=players)) for players in (2, 8)] == [SixBy6Set] * 2
    assert [type(of(players=players, **FREE)) for players in (2, 3, 4)] == [SixBy6Duel, SixBy6Table, SixBy6Table]
    assert [of(players=players, **FREE).kind for players in (1, 2, 3)] == ["solo", "duel", "table"]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"players": 9}, "players is from 1 to 8, got 9"),
        ({"players": 5, **FREE}, "with posting=free is for 1 to 4 players, got 5"),
    ],
)
def test_other_numbers_of_players_are_refused_in_one_line(parameters: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said) as refused:
        of(**parameters)
    assert refused.value.field == "players"


@pytest.mark.parametrize("players", [1, 2, 4])
def test_it_is_said_how_many_boards_more_players_would_have(players: int) -> None:
    assert list(of(players=players, **FREE).unsolved()) == [5, 6, 7, 8]
    assert of(players=players, **FREE).unsolved()[5] == 1320 * (1 + 26 * 68)  # rounds, and for each holders and score
    assert of(players=players).unsolved() == {}


def scored(made: TurnGame, *rounds: list[tuple[Faces, str | None]]) -> Any:
    """These rounds, one after another."""
    return replay(made, {}, [step for one in rounds for step in one])


RACK_47: list[tuple[Faces, str | None]] = [((1, 2, 3, 4, 5, 6), "post")]  # 36 and 11
RACK_45: list[tuple[Faces, str | None]] = [((6, 6, 6, 6, 6, 1), "go on"), ((6,), "post")]  # 36, and 8 and 1
ONE_POSTED: list[tuple[Faces, str | None]] = [((1, 2, 3, 4, 5, 6), "go on"), ((1, 2, 3, 4, 5), "go on")]  # 6 and 15


def test_the_most_points_win() -> None:
    assert scored(DUEL, RACK_47, RACK_45).shares == (1, 0)
    assert scored(DUEL, RACK_45, RACK_47).shares == (0, 1)
    assert scored(TABLE, ONE_POSTED, RACK_47, RACK_45).shares == (0, 1, 0)


def test_players_who_tie_share_the_win() -> None:
    assert scored(DUEL, RACK_47, RACK_47).shares == (Fraction(1, 2), Fraction(1, 2))
    assert scored(TABLE, RACK_47, ONE_POSTED, RACK_47).shares == (Fraction(1, 2), 0, Fraction(1, 2))
    assert scored(TABLE, RACK_45, RACK_45, RACK_45).shares == (Fraction(1, 3),) * 3


def test_a_round_that_ends_hands_over_six_dice_and_no_carry() -> None:
    played = scored(DUEL, RACK_45)
    assert (played.mover, played.over) == (1, False)
    assert played.board == {"mover": 1, "best": 45, "holders": 1, "posted": 0, "carry": 0}


def test_who_declines_twice_scores_the_least_that_can_be() -> None:
    assert scored(DUEL, ONE_POSTED).board["best"] == 21


def test_the_number_of_players_is_all_that_a_set_adds_to_a_roll() -> None:
    for roll in ((1, 2, 3, 4, 5, 6), (2,) * 6):
        assert moves(DUEL, replay(DUEL, {}, [(roll, None)])) == ["post", "go on"]
    assert moves(DUEL, replay(DUEL, {"posted": 1, "carry": 3}, [((1, 2, 3, 4, 5), None)])) == ["post", "go on"]
    assert moves(DUEL, replay(DUEL, {}, [((1, 1, 3, 4, 5, 6), None)])) == ["go on"]


def test_holders_are_replaced_by_more_and_joined_by_as_much() -> None:
    assert [int(joined(0b01, 1, difference)) for difference in (-1, 0, 1)] == [0b01, 0b11, 0b10]
    rows, per = shares(np.array([0b101]), 3)
    assert [Fraction(int(row[0]), per) for row in rows] == [Fraction(1, 2), Fraction(1, 2), 0]  # of seats 2, 0, 1


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [SixBy6Set(3), TABLE], ids=str)
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"mover": 1}, r"with mover=1 say the best score so far, best=2\d to \d+"),
        ({"best": 40}, "best=40 with mover=0, but nobody has a score before seat 0 has played"),
        ({"mover": 2, "best": 40}, r"best=40 needs holders, the seats that have it \(0 to 1\)"),
        ({"mover": 1, "best": 40, "holders": (1,)}, "holders names seat 1, which has no score yet with mover=1"),
        ({"mover": 1, "best": 36, "holders": (0,)}, "best=36 cannot be: a rack scores 37 or more, any other round 35"),
    ],
)
def test_scores_that_cannot_be_are_refused_in_one_line(made: TurnGame, state: dict[str, Any], said: str) -> None:
    with pytest.raises(StateError, match=said) as refused:
        made.locate(**state)
    assert refused.value.field in ("best", "holders")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"carry": 41}, "carry is from 0 to 40, got 41"),
        ({"mover": 1, "best": 80, "holders": "0"}, "best is from 21 to 79, got 80"),
    ],
)
def test_what_is_followed_no_further_is_not_asked(typed: dict[str, Any], said: str) -> None:
    with pytest.raises(StateError, match=said):
        rollwise.ask("six-by-6", {"players": 2, **FREE}, **typed)


def test_describe_is_the_inverse_of_locate() -> None:
    draw = np.random.default_rng(3)
    space = TABLE.boards()
    columns = space.columns(np.arange(space.size))
    possible = np.flatnonzero(TABLE.possible(columns) & (columns.carry <= 40) & (columns.best <= 79))
    for index in draw.choice(possible, 60).tolist():
        board = space.board(index)
        for state in [(board["posted"],), *([(0, (2,) * 6)] if board["posted"] == 0 else [])]:
            (fields,) = TABLE.describe(board, state)
            known = {field.name: field for field in TABLE.fields()}
            given = {name: known[name].parse(known[name].show(value)) for name, value in fields.items()}
            assert TABLE.locate(**given) == Position(board, state, mover=board["mover"])


# --- posting as forced -----------------------------------------------------------------------------------------------


@cache
def kinds_of_rolls(dice: int) -> tuple[tuple[tuple[int, int, int], tuple[int, int, int], int], ...]:
    """(what posting whole does, what posting the sixes does, ways) of each kind of roll."""
    found: dict[Any, int] = {}
    for roll in product(range(1, 7), repeat=dice):
        faces = tuple(sorted(roll))
        found[full(faces), plain(faces)] = found.get((full(faces), plain(faces)), 0) + 1
    return tuple((*both, ways) for both, ways in found.items())


def scores(carry: int = 0, posted: int = 0) -> dict[int, float]:
    """The chance of each score of a round, roll by roll."""
    now, found = {(posted, carry): 1.0}, dict[int, float]()
    while sum(now.values()) > 1e-13:
        following: dict[tuple[int, int], float] = {}
        for (out, held), chance in now.items():
            for (new, earned, left), _, ways in kinds_of_rolls(6 - out):
                p = chance * ways / 6 ** (6 - out)
                score = 36 + held + earned if out + new == 6 else 6 * (out + new) + left
                if out + new == 6 or held + earned == 0:
                    found[score] = found.get(score, 0.0) + p
                else:
                    at = (out + new, held + earned - 1)
                    following[at] = following.get(at, 0.0) + p
        now = following
    return found


def test_a_forced_set_is_shared_as_the_scores_of_single_rounds_say() -> None:
    mine, later = scores(carry=3, posted=2), scores()
    wins, shared = [0.0] * 4, 0.0
    for (
        (m, p),
        (one, q),
    ) in product(mine.items(), later.items()):
        made = [40, 40, m, one]  # seats 0 and 1 have 40
        best = [seat for seat in range(4) if made[seat] == max(made)]
        shared += p * q * (len(best) > 1)
        for seat in best:
            wins[seat] += p * q / len(best)
    told = rollwise.ask("six-by-6", {"players": 4}, carry=3, posted=2, mover=2, best=40, holders=(0, 1)).quantities
    assert told["win"].value == pytest.approx(wins, abs=1e-11)
    assert told["shared"].value == pytest.approx(shared, abs=1e-11)
    assert all(high - low < 1e-12 for low, high in zip(told["win"].lower, told["win"].upper, strict=True))


def test_in_a_forced_set_all_seats_win_as_often() -> None:
    told = rollwise.solve("six-by-6", {"players": 3}).quantities
    assert told["win"].value == pytest.approx([1 / 3] * 3, abs=1e-12)
    alone = rollwise.solve("six-by-6").quantities
    assert told["mean_score"] == alone["mean_score"]
    assert told["length"].value == pytest.approx(3 * alone["length"].value)
    assert told["length_distribution"].value["3"] == pytest.approx(alone["length_distribution"].value["1"] ** 3)


def test_a_seat_that_does_not_hold_the_best_score_wins_nothing() -> None:
    told = rollwise.ask("six-by-6", {"players": 3}, mover=2, best=50, holders=(1,)).quantities["win"]
    assert told.upper[0] < 1e-12
    assert told.value[1] > 0.9


# --- posting as one likes --------------------------------------------------------------------------------------------


CAP = 150  # carry that the slow values below know


def round_worth(utility: Callable[[NDArray[Any]], NDArray[Any]]) -> list[NDArray[Any]]:
    """The best mean of ``utility(score)`` by posted and carry, swept until nothing moves."""
    carries = np.arange(CAP + 1)
    worth = [utility(36 + carries) for _ in range(6)]
    for posted in reversed(range(6)):
        for _ in range(2000):
            found = np.zeros(CAP + 1)
            for whole, sixes, ways in kinds_of_rolls(6 - posted):
                each = []
                for new, earned, left in (whole, sixes):
                    after = np.clip(carries + earned - 1, 0, CAP)
                    if posted + new == 6:
                        each.append(utility(36 + carries + earned))
                    else:
                        broke = np.broadcast_to(utility(np.array([6 * (posted + new) + left])), CAP + 1)
                        each.append(np.where(carries + earned == 0, broke, worth[posted + new][after]))
                found += ways * np.maximum(*each)
            found /= 6 ** (6 - posted)
            moved = np.max(np.abs(found - worth[posted]))
            worth[posted] = found
            if moved < 1e-14:
                break
    return worth


@cache
def solved() -> tuple[TurnGraph, BoardValues]:
    graph = compile_turn(DUEL)
    return graph, BoardSolver(DUEL, graph, compiled=False).solve()


def against(best: int) -> list[NDArray[Any]]:
    """What the last player wins against this score, by posted and carry."""
    return round_worth(lambda score: (score > best) + (score == best) / 2)


def value(**board: int) -> float:
    found: float = solved()[1].values[DUEL.boards().index_of(**board)]
    return found


@pytest.mark.parametrize("best", [21, 35, 41, 60])
def test_the_last_player_wins_as_often_as_slow_sweeps_say(best: int) -> None:
    slow = against(best)
    for posted, carry in product(range(6), (0, 1, 2, 7, 20, 40)):
        found = value(mover=1, best=best, holders=1, posted=posted, carry=carry)
        assert found == pytest.approx(slow[posted][carry], abs=1e-9)


def test_the_first_player_plays_for_what_the_second_leaves() -> None:
    left = {score: 1 - against(score)[0][0] for score in [*range(21, 36), *range(37, 80)]}
    known = np.array([left.get(score, 1.0) for score in range(36 + CAP + 12)])
    slow = round_worth(lambda score: known[np.clip(score, 0, len(known) - 1)])
    for posted, carry in product(range(6), (0, 1, 4, 15)):
        found = value(mover=0, best=NO_SCORE, holders=0, posted=posted, carry=carry)
        assert found == pytest.approx(slow[posted][carry], abs=1e-9)


def test_every_interval_is_narrow() -> None:
    assert np.nanmax(solved()[1].radius) < 5e-10


def test_choosing_helps_the_one_who_moves_last() -> None:
    """Who comes first has no score to beat, and posts nearly always."""
    assert 0 < 0.5 - value(mover=0, best=NO_SCORE, holders=0, posted=0, carry=0) < 1e-5


def test_it_can_be_best_to_go_on_where_a_rack_is_not_enough() -> None:
    told = rollwise.ask("six-by-6", {"players": 2, **FREE}, roll=(2,) * 6, carry=1, mover=1, best=60, holders=(0,))
    assert told.best == ["go on"]
    by_score = rollwise.ask("six-by-6", FREE, roll=(2,) * 6, carry=1)
    assert by_score.best == ["post"]


# --- what is bounded -------------------------------------------------------------------------------------------------


def test_high_scores_are_no_likelier_than_their_bound() -> None:
    for posted in range(6):
        found = scores(posted=posted, carry=2)
        for score in (50, 60, 70):
            above = sum(chance for made, chance in found.items() if made >= score)
            assert above <= promise(posted) * Fraction(9, 5) ** (2 - score + 36)
    assert sum(chance for made, chance in scores().items() if made >= 75) <= reaches_top() * Fraction(9, 5) ** (
        TOP - 75
    )


def test_posting_any_other_way_keeps_below_the_bound_too() -> None:
    """The best chance to score 60 or more, whatever is posted."""
    best = round_worth(lambda score: (score >= 60) * 1.0)
    for posted in range(6):
        assert best[posted][0] <= promise(posted) * Fraction(9, 5) ** (36 - 60)


def test_a_carry_that_is_followed_no_further_makes_the_top_score() -> None:
    worst = [worth[CAP] for worth in round_worth(lambda score: (score < 36 + CAP - 60) * 1.0)]
    assert max(worst) <= 6 * (5 / 6) ** 60  # no rack within 60 rolls
    assert overtaken(2) < overtaken(4) < Fraction(1, 10**11)


def test_a_table_adds_what_it_takes_as_certain_to_every_bound() -> None:
    assert 0 < TABLE.uncertain < 1e-11
    small = SixBy6Table(3, "free", limit=1)
    assert small.uncertain == 0.0
    graph = compile_turn(small)
    exactly = solve_table(small, graph)

    class Unsure(SixBy6Table):
        @property
        def uncertain(self) -> float:
            return 1e-4

    told = solve_table(Unsure(3, "free", limit=1), graph)
    assert np.nanmax(exactly.radius) < 1e-9
    assert np.nanmin(told.radius) >= 1e-4
    assert told.gain_limit >= 2e-4


@pytest.mark.parametrize(("best", "shared"), [(47, 1.0), (46, 0.0)])
def test_a_table_says_how_likely_a_shared_win_is(best: int, shared: float) -> None:
    small = SixBy6Table(3, "free", limit=1)
    told = ask(small, {"mover": 2, "best": best, "holders": (0,), "roll": (2,) * 6})
    assert told.best == ["post"]  # 47 points
    assert told.quantities["shared"].value == pytest.approx(shared, abs=1e-9)


def test_what_is_taken_as_certain_widens_the_chance_of_a_shared_win_too() -> None:
    class Unsure(SixBy6Table):
        @property
        def uncertain(self) -> float:
            return 1e-4

    small = Unsure(3, "free", limit=1)
    told = solve_table(small, compile_turn(small)).endings["shared"]
    assert np.nanmin(told[:, 1]) >= 1e-4


def test_what_a_table_takes_as_certain_is_seen_from_every_seat() -> None:
    board = TABLE.boards()
    at = {"best": 40, "holders": 0b01, "posted": 0, "carry": FAR, "mover": 1}
    out = {**at, "best": TOP, "carry": 0}
    for result, where, wanted in (("far ahead", at, (1, 0, 0)), ("out of reach", out, (0, 0, 1))):
        said = TABLE.settle(board.columns(np.array([board.index_of(**where)])), result)
        assert [int(np.asarray(row).ravel()[0]) for row in said.shares] == [said.per * share for share in wanted]


@pytest.mark.parametrize("made", [DUEL, TABLE], ids=str)
def test_boards_that_are_bounded_are_the_only_ones_with_other_roots(made: SixBy6Chosen) -> None:
    space = made.boards()
    columns = space.columns(np.arange(space.size))
    possible = made.possible(columns)
    ahead, lost = (possible & (made.root(columns) == number) for number in (6, 7))
    assert np.array_equal(ahead, possible & (columns.carry == FAR))
    assert np.array_equal(lost, possible & (columns.best == TOP))
    assert not columns.carry[lost].any()


def test_a_small_table_is_an_equilibrium_in_fractions() -> None:
    small = SixBy6Table(3, "free", limit=1)
    found = solve_table(small, compile_turn(small))
    explicit = Explicit(small, found.values, found.tie)
    last = [board for board in explicit.boards if small.boards().board(board)["mover"] == 2]
    explicit.boards = [board for board in last if small.boards().board(board)["best"] in (21, 41)]
    exact, replies = explicit.worth(), explicit.best_reply()
    for (board, place), worth in exact.items():
        assert abs(Fraction(float(found.values[board, place])) - worth) <= Fraction(float(found.radius[board, place]))
        assert replies[board, place] - worth <= Fraction(found.gain_limit)
