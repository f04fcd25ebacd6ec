"""What comes of the best play besides its value: against walks through the games' own words, and what can be known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.cache.store import Store
from rollwise.games.claims.replay import turn_game
from rollwise.questions.ask.compute import ask as ask_game
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.kinds.duel import ValueSolution
from rollwise.solver.model.errors import NotConverged, TooLarge
from rollwise.solver.model.game import End, Goto, Position, TurnGame
from rollwise.solver.model.sheet import Boxes
from rollwise.solver.model.turn_points import PointGame, PointSpread
from rollwise.solver.policy.ending_chances import EndingChances
from rollwise.solver.policy.going_for import going_for, leaf_chances
from rollwise.solver.policy.points_of_turn import optimal_choice, points_distribution
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.questions import question_moves
from rollwise.solver.values.board_solver import BoardSolver
from tests.asked import ask
from tests.solver.plain import Board, Turns, thorough

SIZES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("yahtzee", {"boxes": "ones,full house,yahtzee"}, {"filled": {"ones": 3}, "roll": (1, 1, 1, 1, 2)}),
    ("cameroon", {"boxes": "full house", "objective": "win"}, {"roll": (1, 1, 2, 5, 6)}),
    ("killer", {"boxes": "trebles,sixes"}, {"roll": (1, 3, 3, 6, 6)}),
]
LARGER: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("yahtzee", {"boxes": "fives,full house,small straight"}, {"roll": (2, 3, 4, 5, 5), "rolls_left": 2}),
    ("sixzee", {"boxes": "twos,3-2-1"}, {"roll": (1, 1, 2, 2, 2, 6), "rolls_left": 1}),
    ("killer", {"boxes": "sixes,twos,ones"}, {"roll": (1, 1, 1, 1, 4)}),
    ("killer", {"boxes": "ones,doubles"}, {"roll": (1, 1, 1, 3, 4)}),
]


def exactly(made: TurnGame, position: Position) -> tuple[Turns, Board]:
    """What turns of a game come to in fractions, and the board."""
    values: Mapping[int, Fraction] = {}
    if made.boards().size > 1:  # else the turn is all there is
        values = solve_exact(made, compile_turn(made), boards=[made.boards().index_of(**position.board)]).values
    return Turns(made, values), tuple(position.board[name] for name in made.boards().names)


# --- which box a move goes for ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "parameters", "question"), [*SIZES, *thorough(*LARGER)])
def test_every_keep_goes_for_the_box_that_a_walk_through_the_words_comes_to_most_often(
    name: str, parameters: dict[str, Any], question: dict[str, Any]
) -> None:
    made = turn_game(name, **parameters)
    assert isinstance(made, Boxes)
    position, opened = made.locate(**question), load_or_solve(made).solution
    assert isinstance(opened, ValueSolution)
    turn, (turns, board) = opened.turn_on(position.board), exactly(made, position)
    n_told = 0
    for move in question_moves(made, position.state):
        chances: dict[str, Fraction] = defaultdict(Fraction)
        for end, chance in {} if isinstance(move.after, End) else turns.ends(board, move.after).items():
            for box in made.scored_in(turns.columns(board), end.result, end.reward):
                chances[box] += chance
        found = going_for(turn, move.after)
        assert (found is None) == (not chances)
        if found is not None:
            assert found[1] == pytest.approx(float(max(chances.values())), rel=1e-12)
            assert found[0] == next(box for box in made.played if chances[box] == max(chances.values()))
            n_told += 1
    assert n_told > 1
    root = int(turn.graph.roots[0])
    assert leaf_chances(turn, root).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("rolls_left", [1, 2])
@pytest.mark.parametrize(("box", "worth"), [("full house", 25), ("large straight", 40), ("yahtzee", 50)])
def test_with_one_box_left_its_chance_is_its_value_by_its_points(box: str, worth: int, rolls_left: int) -> None:
    made = turn_game("yahtzee", boxes=box)
    for roll in ((1, 1, 2, 2, 3), (2, 3, 4, 5, 5)):
        for exact in (False, True):
            advice = ask(made, {"roll": roll, "rolls_left": rolls_left}, exact)
            assert advice.value is not None
            best, *others = advice.moves
            assert best.goes_for is not None
            assert best.goes_for.box == box
            assert best.goes_for.chance == pytest.approx(advice.value / worth, rel=1e-9)
            assert best.plain()["goes_for"] == {"box": box, "chance": best.goes_for.chance}
            assert all(move.goes_for is None for move in others)


def test_a_joker_scores_in_the_full_house() -> None:
    made = turn_game("yahtzee")
    assert isinstance(made, Boxes)
    for filled, boxes in (({"twos": 6, "yahtzee": 0}, ("full house",)), ({"twos": 6}, ())):
        space, position = made.boards(), made.locate(filled=filled)
        board = space.columns(np.array([space.index_of(**position.board)]))
        assert made.scored_in(board, ("full house", 0, 2), 0) == boxes


def test_a_move_that_ends_the_turn_and_a_throw_that_must_be_made_go_for_nothing(own_cache: Store) -> None:
    made = turn_game("yahtzee", boxes="ones,chance")
    for question in ({}, {"roll": (6, 6, 6, 6, 6), "rolls_left": 2}, {"roll": (1, 1, 2, 3, 4), "rolls_left": 0}):
        solved, cached = ask(made, question), ask(made, question)
        assert [move.goes_for for move in solved.moves] == [None] * len(solved.moves)
        assert solved.plain() == cached.plain()


# --- all points of a turn, against plain recursion ------------------------------------------------------------------


def best(made: TurnGame, **fields: Any) -> PointSpread:
    assert isinstance(made, PointGame)
    position = made.locate(**fields)
    turn = load_or_solve(made, quiet=True).solution.turn_on(position.board)
    return points_distribution(made, position.board, position.state, optimal_choice(turn))


SMALL: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("pig", {"target": 12}, {"mine": 5, "theirs": 9, "turn": 3}),
    ("piggy-six", {"target": 4}, {"mine": 2, "theirs": 9, "seat": 1}),
    ("ten-thousand", {"goal": 600, "players": 1}, {}),
    ("sevens", {"goal": 1, "dice": 4}, {"opener": "theirs", "result": 7, "rolls": 2}),
    ("mexico", {"lives": 2}, {"results": ("6-5", None), "roll": (4, 6)}),
    ("shut-the-box", {"variant": "partial"}, {"open": (1, 2, 5, 6, 7), "roll": (3, 4)}),
]
MORE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("pig", {"target": 12}, {}),
    ("piggy-six", {"target": 4}, {"mine": 2}),
    ("ten-thousand", {"goal": 500}, {"mine": 200, "theirs": 400}),
    ("ten-thousand", {"players": 1, "objective": "points"}, {"turn": 8500, "roll": (1, 5, 5, 6)}),
    ("sevens", {"goal": 1}, {}),
    ("mexico", {"lives": 2}, {}),
    ("shut-the-box", {"objective": "clear"}, {"open": (1, 2, 3, 4, 5, 6, 7)}),
]


@pytest.mark.parametrize(("name", "parameters", "fields"), [*SMALL, *thorough(*MORE)])
def test_the_best_play_makes_what_plain_recursion_says(
    name: str, parameters: dict[str, Any], fields: dict[str, Any]
) -> None:
    made = turn_game(name, **parameters)
    assert isinstance(made, PointGame)
    position = made.locate(**fields)
    turns, board = exactly(made, position)
    points: dict[int, Fraction] = defaultdict(Fraction)
    for end, chance in turns.ends(board, Goto(*position.state)).items():
        points[made.result_points(position.board, end.result).points] += chance
    found = best(made, **fields)
    assert {**found.chances, **dict([found.beyond] if found.beyond else [])} == points
    assert found.open_ == 0


@pytest.mark.parametrize(
    ("name", "parameters", "fields"),
    [
        ("shut-the-box", {}, {}),
        *thorough(("ten-thousand", {"players": 1, "objective": "points"}, {"turn": 300, "dice": 3})),
    ],
)
def test_where_points_are_all_that_counts_their_mean_is_the_value(
    name: str, parameters: dict[str, Any], fields: dict[str, Any]
) -> None:
    told = ask_game(name, params=parameters, **fields)
    found = best(turn_game(name, **parameters), **fields)
    assert found.mean is not None
    least, most = found.mean
    assert told.lower is not None
    assert told.upper is not None
    assert told.lower <= most <= least + Fraction(1, 10**12) <= told.upper + 2e-12


def test_at_a_table_the_mover_plays_for_its_own_share() -> None:
    found = best(turn_game("shut-the-box", players=2), mover=1, best=0, holders=(0,), open=(1, 2, 3))
    alone = best(turn_game("shut-the-box", objective="clear"), open=(1, 2, 3))
    assert found.chances == alone.chances  # only 0 shares the win


# --- the chance that a game ends so ----------------------------------------------------------------------------------


def solved(name: str, **parameters: Any) -> tuple[TurnGame, TurnGraph, Callable[[Any], Any]]:
    of = turn_game(name, **parameters)
    graph = compile_turn(of)
    found = BoardSolver(of, graph, compiled=False).solve()
    return of, graph, lambda boards: (found.values[boards], found.radius[boards].astype(np.float64))


@pytest.mark.parametrize("variant", ["basic", "partial"])
def test_the_chance_to_shut_every_box_while_playing_for_the_lowest_score(variant: str) -> None:
    of, graph, read = solved("shut-the-box", variant=variant, boxes=8)
    followed = EndingChances(of, graph, read, lambda ending: ending == 0, of.first_board())
    told = followed.quantity(of.roots()[0], "probability")
    turns, board = exactly(of, of.locate())
    assert abs(Fraction(float(read(np.array([0]))[0][0])) - turns.value(board)) < Fraction(1, 10**9)
    chance = sum(chance for end, chance in turns.ends(board).items() if end.result == 0)
    assert Fraction(told.lower) <= chance <= Fraction(told.upper)
    assert told.upper - told.lower < 1e-12


def test_a_chance_that_is_the_value_is_found_again() -> None:
    of, graph, read = solved("shut-the-box", objective="clear")
    followed = EndingChances(of, graph, read, lambda ending: ending == 1, of.first_board())
    assert abs(followed.quantity(of.roots()[0], "probability").value - read(np.array([0]))[0][0]) < 1e-12


@pytest.mark.parametrize(("counts", "chance"), [(True, 1.0), (False, 0.0)])
def test_every_game_ends_and_no_game_of_pig_is_drawn(counts: bool, chance: float) -> None:
    of, graph, read = solved("pig", target=20)
    followed = EndingChances(of, graph, read, lambda ending: counts, {"mine": 3, "theirs": 5})
    told = followed.quantity((4,), "probability")
    assert abs(told.value - chance) < 1e-9
    assert told.lower <= chance <= told.upper
    assert told.upper - told.lower < 1e-9


def test_from_a_board_only_later_ones_are_looked_at() -> None:
    of, graph, read = solved("pig", target=20)
    followed = EndingChances(of, graph, read, lambda ending: True, {"mine": 10, "theirs": 5})
    assert np.isnan(followed.chances[of.boards().index_of(mine=4, theirs=4)])
    assert followed.chances[of.boards().index_of(mine=19, theirs=19)] > 0.999


def test_what_lies_past_a_cut_is_refused() -> None:
    of, graph, read = solved("piggy-six", target=4)
    with pytest.raises(TooLarge, match="past its cut"):
        EndingChances(of, graph, read, lambda ending: ending == Fraction(1, 2), of.first_board())


def test_turns_that_do_not_come_to_an_end_certify_nothing() -> None:
    of, graph, read = solved("pig", target=5)
    found = EndingChances(of, graph, read, lambda ending: True, of.first_board())
    with pytest.raises(NotConverged, match="can last for ever"):
        found._error_bounds(np.array([0.0, 1.0]))  # after a turn there would be as many to come as before it
