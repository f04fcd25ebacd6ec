"""One list of small sizes, and which proof each of them is put through: every registered game stands here.

A proof that holds of every game takes its cases from ``cases(PROOF)``, so that a new game is one more line of SIZES and
is put through all that fits it. What does not fit is said in words: ``UNFIT`` for games of a sort, ``but`` for one size
of one game. ``tests/house/test_sizes.py`` sees that every game is here, and that every proof is given to each game
or refused in words. Most of these proofs look at one recorded
sample of each size, ``tests/sample.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from rollwise.games.registry import game
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import TurnGraph, compile_turn

WALK = "walk"  # the walker finds no mistake, and the turn comes back from plain data as it was
EXACT = "exact"  # turns word by word in fractions = exact values of boards; intervals, plain and compiled, hold them
ODDS = "odds"  # odds by seat: elimination and propagation, plain and compiled, = state by state, and hold fractions
SOLVED = "solved"  # answers when solved and from the cache are the same
EXPORT = "export"  # every row of an export is what ask says
CHECK = "check"  # what is kept is proved again by other means
FOLLOW = "follow"  # outcomes add up, a game is taken up anywhere, taken back and reviewed as it was played
EXPLAIN = "explain"  # why: parts add up to the difference, and turns end as their words say
EDGES = "edges"  # every field at its edges is answered with what can be right, or refused in a line
BOUNDS = "bounds"  # intervals at these edges hold the exact values
PROOFS = (WALK, EXACT, ODDS, SOLVED, EXPORT, CHECK, FOLLOW, EXPLAIN, EDGES, BOUNDS)


@dataclass(frozen=True)
class Size:
    """A game so small that it can be laid out state by state.

    ``start``: fields of the board to start that from where the whole game would take long. ``but``: proofs that this
    size is not put through, and why.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    start: Mapping[str, int] = field(default_factory=dict, hash=False)
    but: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.parameters.items())])

    @property
    def game(self) -> TurnGame:
        """The game, made once."""
        return _made(self)

    @property
    def graph(self) -> TurnGraph:
        """Its turn, compiled once."""
        return _compiled(self)

    @property
    def begins(self) -> dict[str, Any]:
        """The question that a game begins with: a bet has to be named."""
        return {"bet": "under 7"} if self.name == "dice-roulette" else {}

    def why_not(self, proof: str) -> str | None:
        """Why a proof does not fit; None where it does."""
        return self.but.get(proof) or next((why for why, is_so in UNFIT[proof].items() if is_so(self)), None)


@cache
def _made(size: Size) -> TurnGame:
    found = game(size.name, dict(size.parameters))
    assert isinstance(found, TurnGame)
    return found


@cache
def _compiled(size: Size) -> TurnGraph:
    return compile_turn(size.game)


def has_odds(size: Size) -> bool:
    """Are boards worth chances by seat, not one value?"""
    return bool(size.game.seats)


def chooses(size: Size) -> bool:
    """Does anybody ever choose?"""
    return size.game.kind in ("duel", "duel-rows", "solo", "table", "hidden")


@cache
def another_stands_for(size: Size) -> bool:
    """Is there an earlier size of the same rules, kind and fields? The first of a class should be the smallest."""
    return next(other for other in SIZES if _class_of(other) == _class_of(size)) != size


@cache
def _class_of(size: Size) -> tuple[object, ...]:
    made = size.game
    return type(made), made.kind, made.measure, tuple(field.name for field in made.fields())


Reasons = dict[str, Callable[[Size], bool]]
KEPT: Reasons = {"nothing is kept of it": lambda size: size.game.kind == "alone"}
ANOTHER: Reasons = {"a smaller size of the same rules and fields stands for it": another_stands_for}

UNFIT: dict[str, Reasons] = {
    WALK: {},
    EXACT: {
        "its boards are worth odds by seat, which the proof of odds looks at": has_odds,
        "a table of three or more is solved in floats only": lambda size: size.game.kind == "table",
        "not all see the dice; tests/solver/test_hidden.py has its own proof": lambda size: size.game.kind == "hidden",
    },
    ODDS: {"its boards are worth one value, which the exact proof looks at": lambda size: not has_odds(size)},
    SOLVED: {**KEPT, **ANOTHER},
    EXPORT: {"nobody chooses, so there is no decision to export": lambda size: not chooses(size), **ANOTHER},
    CHECK: KEPT,
    FOLLOW: {},
    EXPLAIN: {"nobody chooses, so there is nothing to compare": lambda size: not chooses(size)},
    EDGES: ANOTHER,
    BOUNDS: {
        "nobody chooses, so no move has an interval": lambda size: not chooses(size),
        "no exact values are known, or of a part of it only": lambda size: bool(size.why_not(EXACT) or size.start),
        **ANOTHER,
    },
}

SHARES = "what a pot brings each seat is no one value of a board: tests/games/test_pay_the_rent.py counts pots by hand"
POT = {EXACT: SHARES}

# Of each game that one first which fits the most proofs, so that quick tests need one sample of it.
SIZES = [
    Size("421", {"players": 2, "chips": 1, "pot": 0}),
    Size("421", {"players": 2, "chips": 1, "pot": 1}, but={EXACT: "the discharge is proved alone: the charge is long"}),
    Size("421", {"players": 3, "chips": 1, "pot": 0}),
    Size("aces-in-the-pot", {"coins": 1}),
    Size("big-six"),
    Size("big-six", {"players": 3, "chips": 2}),
    Size("bluff", {"chips": 1}),
    Size("bluff", {"chips": 2, "dice": 1}),
    Size("bouncer", {"chips": 1}),
    Size("bouncer", {"chips": 2}),
    Size("bouncer", {"players": 4, "chips": 1}),
    Size("busted", {"fewer": 3}),
    Size("busted", {"players": 2, "fewer": 4}),
    Size("cameroon", {"boxes": "full house", "objective": "win"}),
    Size("cameroon", {"boxes": "sixes"}, start={"theirs": 63}, but={EXPORT: "as the full house, to win, is exported"}),
    Size("cameroon", {"boxes": "ones", "objective": "win"}, start={"theirs": 63, "difference": -2}),
    Size("cops-and-robbers", {"distance": 2}),
    Size("dice-roulette"),
    Size("drop-dead"),
    Size("finish", {"chips": 1, "players": 2, "placing": "free"}),
    Size("finish", {"chips": 1}),
    Size("finish", {"chips": 2}),
    Size("finish", {"chips": 2, "placing": "free"}),
    Size("high-dice"),
    Size("high-dice", {"rule": "double_on_6_6"}),
    Size("killer", {"boxes": "trebles"}),
    Size("killer", {"boxes": "doubles", "must_score": True}),
    Size("martinetti", {"crossing": "free"}, start={"mine": 20, "second": 18}),
    Size("martinetti"),
    Size("mexico", {"lives": 1}),
    Size("mexico", {"lives": 2, "opener": "rotating"}),
    Size("mexico", {"players": 3, "lives": 1}),
    Size("pay-the-rent", but=POT),
    Size("pay-the-rent", {"banker": "always"}, but=POT),
    Size("pay-the-rent", {"banker": "second_pair"}, but=POT),
    Size("pig", {"target": 3}),
    Size("pig", {"target": 4}),
    Size("pig", {"target": 5}),
    Size("pig", {"target": 6}),
    Size("piggy-six", {"target": 4}),
    Size("piggy-six", {"target": 2, "max_dice": 3}),
    Size("piggy-six", {"target": 2, "max_dice": 3, "choose": "roll"}),
    Size("piggy-six", {"target": 2, "robots": (2,)}),
    Size("piggy-six", {"players": 3, "target": 2}),
    Size("piggy-six", {"players": 3, "target": 2, "max_dice": 3}, but={EXPORT: "as three with one die are exported"}),
    Size("sevens", {"goal": 3, "dice": 2}),
    Size("shut-the-box"),
    Size("shut-the-box", {"variant": "partial"}),
    Size("shut-the-box", {"objective": "clear", "boxes": 7}),
    Size("shut-the-box", {"objective": "reach", "boxes": 5}),
    Size("shut-the-box", {"players": 2, "boxes": 4}),
    Size("shut-the-box", {"players": 3, "boxes": 4}),
    Size("six-by-6", {"limit": 2, "posting": "free"}),
    Size("six-by-6", {"limit": 2}),
    Size("six-by-6", {"limit": 1, "posting": "free", "objective": "reach"}, start={"target": 38}),
    Size("six-by-6", {"players": 3, "limit": 2}),
    Size("six-by-6", {"players": 2, "limit": 1, "posting": "free"}),
    Size("six-by-6", {"players": 3, "limit": 1, "posting": "free"}),
    Size("sixzee", {"boxes": "3-2-1,sixzee"}),
    # low and high straight hold points, the sixzee box 60: a joker earns the bonus and the hundred
    Size(
        "sixzee",
        {"boxes": "low straight,high straight,super straight,sixzee", "bonus_when": "possible"},
        start={"straights": 9, "sixzee": 2},
    ),
    Size("slam"),
    Size("ten-thousand", {"goal": 500, "players": 1}),
    Size(
        "ten-thousand",
        {"goal": 500},
        start={"mine": 5, "theirs": 4},
        but={EXPORT: "as the game alone is exported, in a tenth of the time"},
    ),
    Size(
        "ten-thousand",
        {"goal": 500, "players": 1, "objective": "reach"},
        start={"mine": 4, "within": 3},
        but={EXPORT: "as the game that counts turns is exported, in a fiftieth of the time"},
    ),
    Size("thunderstorm", {"house": 0}),
    Size("thunderstorm", {"house": 1}),
    Size("yahtzee", {"boxes": "ones"}),
    Size("yahtzee", {"boxes": "yahtzee", "joker": "free"}),
    Size(
        "yahtzee",
        {"boxes": "yahtzee", "players": 2, "below": "nothing", "theirs_below": "nothing"},
        but={EXPORT: "the whole game for two is too large, so nobody can export it"},
    ),
    Size("zilch", {"goal": 500, "opening": 350, "players": 1}),
    Size(
        "zilch",
        {"goal": 500, "opening": 350, "players": 1, "objective": "reach"},
        start={"mine": 7, "within": 2, "forced": 0},
        but={EXPORT: "as the game that counts turns is exported, in a fiftieth of the time"},
    ),
]


def cases(proof: str, each: Callable[[Size], str] = lambda size: size.name) -> pytest.MarkDecorator:
    """A test of a proof, once for every size that it fits, as ``size``: the tests of a size in a file run together.

    The first size of each game, or of ``each`` of something else, is a quick test, those after it are ``thorough``.
    """
    of_game = {size.name: size for size in reversed(SIZES)}
    fitting = sorted((s for s in SIZES if s.why_not(proof) is None), key=lambda size: of_game[size.name] is not size)
    return pytest.mark.parametrize("size", first_quick(fitting, each), ids=str, scope="module")


def first_quick(cases: Iterable[Any], *each: Callable[[Any], str]) -> list[Any]:
    """Parameters of a test, of which all are ``thorough`` but the first of each of these."""
    seen: set[tuple[int, str]] = set()
    marked = []
    for case in cases:
        of = {(place, name(case)) for place, name in enumerate(each)}
        marked.append(pytest.param(case, marks=pytest.mark.thorough if of <= seen else ()))
        seen |= of
    return marked
