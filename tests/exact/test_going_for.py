"""What a turn that is played best comes to and goes for: against walks through its words, and what can be known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.asking import ask as ask_game
from rollwise.cache.store import Store
from rollwise.games.registry import game
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.game.model import Chance, Choice, End, Go, State, TurnGame, Word
from rollwise.solver.game.points import PointGame, PointSpread
from rollwise.solver.game.sheet import Boxes
from rollwise.solver.kinds.duel import OpenedValues
from rollwise.solver.play.going_for import ends, going_for
from rollwise.solver.play.points import best_play, spread
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.query import LOWER, UPPER, OneTurn, moves_asked
from rollwise.stored import stored
from tests.exact.plain import Turns
from tests.questions import ask

SIZES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("yahtzee", {"boxes": "ones,full house,chance"}, {"roll": (1, 1, 3, 3, 5), "rolls_left": 1}),
    ("yahtzee", {"boxes": "fives,full house,small straight"}, {"roll": (2, 3, 4, 5, 5), "rolls_left": 2}),
    ("yahtzee", {"boxes": "ones,full house,yahtzee"}, {"filled": {"ones": 3}, "roll": (1, 1, 1, 1, 2)}),
    ("sixzee", {"boxes": "twos,3-2-1"}, {"roll": (1, 1, 2, 2, 2, 6), "rolls_left": 1}),
    ("cameroon", {"boxes": "full house", "objective": "win"}, {"roll": (1, 1, 2, 5, 6)}),
    ("killer", {"boxes": "trebles,sixes"}, {"roll": (1, 3, 3, 6, 6)}),
    ("killer", {"boxes": "sixes,twos,ones"}, {"roll": (1, 1, 1, 1, 4)}),
    ("killer", {"boxes": "ones,doubles"}, {"roll": (1, 1, 1, 3, 4)}),
]


def the_game(name: str, parameters: Mapping[str, Any]) -> TurnGame:
    made = game(name, dict(parameters))
    assert isinstance(made, TurnGame)
    return made


# --- which box a move goes for ---------------------------------------------------------------------------------------


class Walked:
    """The same by the words of the turn: every throw split, of equally good moves the first one played."""

    def __init__(self, turn: OneTurn) -> None:
        self.turn, self.game = turn, turn.game
        self.board = self.game.boards().columns(np.array([self.game.boards().index_of(**turn.board)]))
        self.known: dict[State, Counter[str]] = {}

    def boxes(self, word: Word) -> Counter[str]:
        if isinstance(word, Go):
            if word.state not in self.known:
                self.known[word.state] = self.boxes(self.game.turn(*word.state))
            return self.known[word.state]
        if isinstance(word, End):
            assert isinstance(self.game, Boxes)
            return Counter({box: 1 for box in self.game.scored_in(self.board, word.result, word.reward)})
        found: Counter[str] = Counter()
        if isinstance(word, Chance):
            total = sum(weight for weight, _ in word.outcomes)
            for weight, after in word.outcomes:
                for box, chance in self.boxes(after).items():
                    found[box] += Fraction(weight, total) * chance  # type: ignore[assignment]
            return found
        assert isinstance(word, Choice)
        rows = [self.turn.worth(after) for _, after in word.moves]
        legal = [i for i, row in enumerate(rows) if np.isfinite(row[0])]
        best = max(rows[i][LOWER] for i in legal)
        first = next(i for i in legal if rows[i][UPPER] >= best)
        return self.boxes(word.moves[first][1])


@pytest.mark.parametrize(("name", "parameters", "question"), SIZES, ids=[f"{name} {p}" for name, p, _ in SIZES])
def test_every_keep_goes_for_the_box_that_a_walk_through_the_words_comes_to_most_often(
    name: str, parameters: dict[str, Any], question: dict[str, Any]
) -> None:
    made = the_game(name, parameters)
    assert isinstance(made, Boxes)
    position, opened = made.locate(**question), stored(made).opened
    assert isinstance(opened, OpenedValues)
    turn = opened.turn_on(position.board)
    walked = Walked(turn)
    n_told = 0
    for move in moves_asked(made, position.state):
        chances = Counter() if isinstance(move.after, End) else walked.boxes(move.after)
        found = going_for(turn, move.after)
        assert (found is None) == (not chances)
        if found is not None:
            assert found[1] == pytest.approx(float(max(chances.values())), rel=1e-12)
            likeliest = [box for box in made.played if chances[box] == max(chances.values())]
            assert found[0] == likeliest[0]  # the first on the sheet
            n_told += 1
    assert n_told > 1
    root = int(turn.graph.roots[0])
    assert ends(turn.graph, turn.rows(), root, made.sense).sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("rolls_left", [1, 2])
@pytest.mark.parametrize(("box", "worth"), [("full house", 25), ("large straight", 40), ("yahtzee", 50)])
def test_with_one_box_left_its_chance_is_its_value_by_its_points(box: str, worth: int, rolls_left: int) -> None:
    made = the_game("yahtzee", {"boxes": box})
    for roll in ((1, 1, 2, 2, 3), (2, 3, 4, 5, 5), (1, 2, 4, 6, 6), (4, 4, 4, 5, 6)):
        for exact in (False, True):
            advice = ask(made, {"roll": roll, "rolls_left": rolls_left}, exact)
            assert advice.moves is not None
            assert advice.value is not None
            best, *others = advice.moves
            assert best.goes_for is not None
            assert best.goes_for.box == box
            assert best.goes_for.chance == pytest.approx(advice.value / worth, rel=1e-9)
            assert best.plain()["goes_for"] == {"box": box, "chance": best.goes_for.chance}
            assert all(move.goes_for is None for move in others)


def test_a_joker_scores_in_the_full_house() -> None:
    made = the_game("yahtzee", {})
    assert isinstance(made, Boxes)
    for filled, boxes in (({"twos": 6, "yahtzee": 0}, ("full house",)), ({"twos": 6}, ())):
        space, position = made.boards(), made.locate(filled=filled)
        board = space.columns(np.array([space.index_of(**position.board)]))
        assert made.scored_in(board, ("full house", 0, 2), 0) == boxes


def test_a_move_that_ends_the_turn_and_a_throw_that_must_be_made_go_for_nothing(own_cache: Store) -> None:
    made = the_game("yahtzee", {"boxes": "ones,chance"})
    for question in ({}, {"roll": (6, 6, 6, 6, 6), "rolls_left": 2}, {"roll": (1, 1, 2, 3, 4), "rolls_left": 0}):
        solved, cached = ask(made, question), ask(made, question)
        assert solved.moves is not None
        assert [move.goes_for for move in solved.moves] == [None] * len(solved.moves)
        assert solved.plain() == cached.plain()


# --- all points of a turn, against plain recursion ------------------------------------------------------------------


def best(made: TurnGame, **fields: Any) -> PointSpread:
    assert isinstance(made, PointGame)
    position = made.locate(**fields)
    turn = stored(made, quiet=True).opened.turn_on(position.board)
    return spread(made, position.board, position.state, best_play(turn))


SMALL = [
    ("pig", {"target": 12}, {}),
    ("pig", {"target": 12}, {"mine": 5, "theirs": 9, "turn": 3}),
    ("piggy-six", {"target": 4}, {"mine": 2}),
    ("piggy-six", {"target": 4}, {"mine": 2, "theirs": 9, "seat": 1}),
    ("ten-thousand", {"goal": 500}, {"mine": 200, "theirs": 400}),
    ("ten-thousand", {"goal": 600, "players": 1}, {}),
    ("ten-thousand", {"players": 1, "objective": "points"}, {"turn": 8500, "roll": (1, 5, 5, 6)}),
    ("sevens", {"goal": 1}, {}),
    ("sevens", {"goal": 1}, {"opener": "theirs", "result": 7, "rolls": 2}),
    ("mexico", {"lives": 2}, {}),
    ("mexico", {"lives": 2}, {"results": ("6-5", None), "roll": (4, 6)}),
    ("shut-the-box", {}, {"open": (1, 2, 4, 5, 6, 7, 9)}),
    ("shut-the-box", {"variant": "partial"}, {"open": (1, 2, 3, 4, 5, 6, 7, 9), "roll": (3, 4)}),
    ("shut-the-box", {"objective": "clear"}, {"open": (1, 2, 3, 4, 5, 6, 7)}),
]


@pytest.mark.parametrize(("name", "parameters", "fields"), SMALL)
def test_the_best_play_makes_what_plain_recursion_says(
    name: str, parameters: dict[str, Any], fields: dict[str, Any]
) -> None:
    made = the_game(name, parameters)
    assert isinstance(made, PointGame)
    position = made.locate(**fields)
    values: Mapping[int, Fraction] = {}
    if made.boards().size > 1:  # else the turn is all there is
        values = solve_exact(made, compile_turn(made), boards=[made.boards().index_of(**position.board)]).values
    numbers = tuple(position.board[name] for name in made.boards().names)
    points: dict[int, Fraction] = {}
    for end, chance in Turns(made, values).ends(numbers, position.state).items():
        number = made.ended(position.board, end.result).points
        points[number] = points.get(number, Fraction(0)) + chance
    found = best(made, **fields)
    assert {**found.chances, **dict([found.beyond] if found.beyond else [])} == points
    assert found.open_ == 0


@pytest.mark.parametrize(
    ("name", "parameters", "fields"),
    [
        ("shut-the-box", {}, {}),
        ("ten-thousand", {"players": 1, "objective": "points"}, {"turn": 300, "dice": 3}),
    ],
)
def test_where_points_are_all_that_counts_their_mean_is_the_value(
    name: str, parameters: dict[str, Any], fields: dict[str, Any]
) -> None:
    told = ask_game(name, parameters, **fields)
    found = best(the_game(name, parameters), **fields)
    assert found.mean is not None
    least, most = found.mean
    assert told.lower is not None
    assert told.upper is not None
    assert told.lower <= most <= least + Fraction(1, 10**12) <= told.upper + 2e-12


def test_at_a_table_the_mover_plays_for_its_own_share() -> None:
    found = best(the_game("shut-the-box", {"players": 2}), mover=1, best=0, holders=(0,), open=(1, 2, 3))
    alone = best(the_game("shut-the-box", {"objective": "clear"}), open=(1, 2, 3))
    assert found.chances == alone.chances  # only 0 shares the win
