"""What a turn goes for: the pass over the turn against a walk through its words, and against what can be known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.cache.store import Store
from rollwise.games.registry import game
from rollwise.solver.game.model import Beyond, Chance, Choice, End, Go, State, TurnGame, Word
from rollwise.solver.game.sheet import Boxes
from rollwise.solver.kinds.duel import OpenedValues
from rollwise.solver.play.going_for import ends, going_for
from rollwise.solver.turn.query import LOWER, UPPER, OneTurn, moves_asked
from rollwise.stored import stored
from tests.questions import ask

SIZES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("yahtzee", {"boxes": "ones,full house,chance"}, {"roll": (1, 1, 3, 3, 5), "rolls_left": 1}),
    ("yahtzee", {"boxes": "fives,full house,small straight"}, {"roll": (2, 3, 4, 5, 5), "rolls_left": 2}),
    ("yahtzee", {"boxes": "ones,full house,yahtzee"}, {"filled": {"ones": 3}, "roll": (1, 1, 1, 1, 2)}),
    ("sixzee", {"boxes": "twos,3-2-1"}, {"roll": (1, 1, 2, 2, 2, 6), "rolls_left": 1}),
    ("cameroon", {"boxes": "full house", "objective": "win"}, {"roll": (1, 1, 2, 5, 6)}),
    ("cameroon", {"boxes": "sixes,full house"}, {"roll": (1, 1, 2, 6, 6)}),
    ("killer", {"boxes": "trebles,sixes"}, {"roll": (1, 3, 3, 6, 6)}),
    ("killer", {"boxes": "sixes,twos,ones"}, {"roll": (1, 1, 1, 1, 4)}),
    ("killer", {"boxes": "ones,doubles"}, {"roll": (1, 1, 1, 3, 4)}),
]


@pytest.fixture(scope="module", autouse=True)
def _cached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROLLWISE_CACHE", str(tmp_path_factory.mktemp("going for")))
        yield


def the_turn(made: TurnGame, question: dict[str, Any]) -> tuple[OneTurn, State]:
    position = made.locate(**question)
    opened = stored(made).opened
    assert isinstance(opened, OpenedValues)
    return opened.turn_on(position.board), position.state


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
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    turn, state = the_turn(made, question)
    walked = Walked(turn)
    n_told = 0
    for move in moves_asked(made, state):
        if isinstance(move.after, End):
            assert going_for(turn, move.after) is None
            continue
        chances = walked.boxes(move.after)
        found = going_for(turn, move.after)
        if not chances:
            assert found is None
            continue
        assert found is not None
        assert found[1] == pytest.approx(float(max(chances.values())), rel=1e-12)
        assert isinstance(made, Boxes)
        likeliest = [box for box in made.played if chances[box] == max(chances.values())]
        assert found[0] == likeliest[0]  # the first on the sheet
        n_told += 1
    assert n_told > 1


@pytest.mark.parametrize("rolls_left", [1, 2])
@pytest.mark.parametrize(("box", "worth"), [("full house", 25), ("large straight", 40), ("yahtzee", 50)])
def test_with_one_box_left_its_chance_is_its_value_by_its_points(box: str, worth: int, rolls_left: int) -> None:
    made = game("yahtzee", {"boxes": box})
    assert isinstance(made, TurnGame)
    for roll in ((1, 1, 2, 2, 3), (2, 3, 4, 5, 5), (1, 2, 4, 6, 6), (4, 4, 4, 5, 6)):
        for exact in (False, True):
            advice = ask(made, {"roll": roll, "rolls_left": rolls_left}, exact)
            assert advice.moves is not None
            assert advice.value is not None
            best = advice.moves[0]
            assert best.goes_for is not None
            assert best.goes_for.box == box
            assert best.goes_for.chance == pytest.approx(advice.value / worth, rel=1e-9)
            assert best.plain()["goes_for"] == {"box": box, "chance": best.goes_for.chance}
            assert all(move.goes_for is None for move in advice.moves[1:])


def test_a_joker_scores_in_the_full_house() -> None:
    made = game("yahtzee")
    assert isinstance(made, Boxes)
    space = made.boards()

    def scored(**filled: int) -> Any:
        position = made.locate(filled=filled)
        board = space.columns(np.array([space.index_of(**position.board)]))
        return made.scored_in(board, ("full house", 0, 2), 0)

    assert scored(twos=6, yahtzee=0) == ("full house",)
    assert scored(twos=6) == ()


def test_a_move_that_ends_the_turn_and_a_throw_that_must_be_made_go_for_nothing(own_cache: Store) -> None:
    made = game("yahtzee", {"boxes": "ones,chance"})
    assert isinstance(made, TurnGame)
    for question in ({}, {"roll": (6, 6, 6, 6, 6), "rolls_left": 2}, {"roll": (1, 1, 2, 3, 4), "rolls_left": 0}):
        told = [ask(made, question), ask(made, question)]  # solved, and from the cache
        for advice in told:
            assert advice.moves is not None
            assert [move.goes_for for move in advice.moves] == [None] * len(advice.moves)
        assert told[0].plain() == told[1].plain()


def test_all_chance_arrives_at_the_ends() -> None:
    for name, parameters, question in SIZES:
        made = game(name, parameters)
        assert isinstance(made, TurnGame)
        turn, _ = the_turn(made, question)
        root = int(turn.graph.roots[0])
        assert ends(turn.graph, turn.rows(), root, made.sense).sum() == pytest.approx(1, abs=1e-12)
        assert not any(isinstance(leaf, Beyond) for leaf in turn.graph.leaves)
