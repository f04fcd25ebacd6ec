"""Whatever comes from outside is read or refused: text as people write it, and any Python object."""

from __future__ import annotations

import shlex
import string
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import fields as dataclass_fields
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import rollwise
from rollwise.games.policies import policies
from rollwise.games.registry import REGISTRY, game_class, spelt
from rollwise.parsing.suggestions import suggest_line
from rollwise.parsing.validate import check_board, parse_assignments, parse_fields, parse_game
from rollwise.parsing.words import join_fields
from rollwise.questions.question import full_state
from rollwise.solver.model.box_fields import BoxNames, Scores
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.fields import Field
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import folded
from rollwise.text.spelling import shown_state

OTHERS: dict[str, list[dict[str, Any]]] = {  # parameters that change the fields
    "piggy-six": [{"robots": (8, 14)}, {"max_dice": 3}],
    "shut-the-box": [{"players": 3}],
    "ten-thousand": [{"players": 1}],
    "zilch": [{"players": 1}, {"players": 1, "objective": "points"}, {"players": 1, "objective": "reach"}],
}
GAMES = [parse_game(name, parameters) for name in REGISTRY for parameters in ({}, *OTHERS.get(name, ()))]

# --- any object ------------------------------------------------------------------------------------------------------


class Hostile:
    """An object that nobody can ask anything."""

    def refuse(self, *_: object) -> Any:
        raise ZeroDivisionError("no")

    __repr__ = __str__ = __eq__ = __len__ = __iter__ = __index__ = __bool__ = __getitem__ = __contains__ = refuse
    __hash__ = None  # type: ignore[assignment]
    tolist = item = keys = items = refuse


class Endless(list[Any]):
    """A list that holds itself."""

    def __init__(self) -> None:
        super().__init__([self])


class Liar:
    """An array that says another array, for ever."""

    def tolist(self) -> Liar:
        return self


NAMES = "ones|Full House|3-2-1|under 7|mine|none|-|true|6-5|1-9|[1,2]|1:2|é|²"


def _words() -> st.SearchStrategy[str]:
    parts = st.sampled_from([*NAMES.split("|"), *string.digits, *", :-[]\n='"])
    return st.text(max_size=8) | st.lists(parts, max_size=8).map("".join)


ODD: list[Any] = [
    *(Hostile, Hostile(), Endless(), Liar(), object(), int, np.ndarray, NotImplemented, ..., 10**5000, -(10**30)),
    *(range(10**12), range(3), b"13522", bytearray(b"1"), memoryview(b"1"), 1.5, float("nan"), float("inf"), 2 + 0j),
    *(np.zeros((2, 2)), np.zeros(0), np.arange(5), np.array(3), np.bool_(True), np.datetime64("2026-01-01")),
    *(np.array(["1", "x"]), np.array([None, 1], dtype=object), np.float32(2.0), np.ma.masked, np.zeros(10**6)),
    *(
        Decimal(3),
        Fraction(3),
        deque([1, 2]),
        OrderedDict(ones=1),
        frozenset({1, 5}),
        iter([1]),
        lambda: 1,
        Exception(),
    ),
]
PLAIN = st.none() | st.booleans() | st.integers() | st.integers(-3, 30) | st.floats() | _words() | st.binary(max_size=3)
HASHABLE = st.none() | st.booleans() | st.integers(-3, 30) | _words()
OBJECTS = st.sampled_from(ODD) | st.recursive(
    PLAIN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.lists(inner, max_size=4).map(tuple),
        st.sets(HASHABLE, max_size=5),
        st.dictionaries(HASHABLE, inner, max_size=4),
        st.lists(st.integers(0, 12), max_size=6).map(np.array),
    ),
    max_leaves=8,
)
QUICKLY = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)


def refusal(of: Callable[[], Any]) -> BadInput | None:
    """The error, which is told in one line that is not too long; None where nothing is refused."""
    refused: BadInput | None = None
    try:
        of()
    except BadInput as error:
        refused = error
    assert refused is None or (str(refused).isprintable() and len(str(refused)) < 600)
    return refused


def require_read_or_refused(made: TurnGame, field: Field, value: Any) -> None:
    """A value that can be typed again, or BadInput that names the field in one line."""
    refused = refusal(lambda: parse_fields(made, {field.name: value}))
    if refused is not None:
        assert refused.field == field.name
        return
    read = parse_fields(made, {field.name: value})
    if field.name in read:
        assert field.parse(field.show(read[field.name])) == read[field.name]
    try:
        position = made.locate(**read)
        check_board(made, position.board)
    except BadInput:
        return
    shown = shown_state(full_state(made, read, position))
    assert parse_fields(made, parse_assignments(join_fields(made, shlex.split(shown)), "field")) if shown else True


@pytest.mark.parametrize("made", GAMES, ids=str)
def test_any_object_is_read_or_refused_by_name(made: TurnGame) -> None:
    @given(st.sampled_from(made.fields()), OBJECTS)
    @QUICKLY
    def ask(field: Field, value: Any) -> None:
        require_read_or_refused(made, field, value)

    for field in made.fields():
        for value in ODD:
            require_read_or_refused(made, field, value)
    ask()


@pytest.mark.parametrize("name", REGISTRY)
def test_any_parameter_is_taken_or_refused_by_name(name: str) -> None:
    names = [field.name for field in dataclass_fields(game_class(name)) if not field.metadata.get("trial")]

    def make(parameter: str, value: Any) -> None:
        refused = refusal(lambda: parse_game(name, {parameter: value}))
        assert refused is None or refused.field in (parameter, "")

    @given(st.sampled_from(names or ["none"]), OBJECTS)
    @QUICKLY
    def ask(parameter: str, value: Any) -> None:
        make(parameter, value)

    for parameter in names:
        for value in ODD:
            make(parameter, value)
    ask()


CALLS: list[Callable[[Any], Any]] = [
    lambda value: rollwise.ask(value),
    lambda value: rollwise.rules(value),
    lambda value: rollwise.ask("pig", params=value, mine=1000),
    lambda value: rollwise.ask("pig", state=value, mine=1000),
    lambda value: rollwise.rules("pig", params={"target": value}),
    lambda value: rollwise.verify("no game" if value is None else value),
    lambda value: rollwise.odds("drop-dead", dice=value),
    lambda value: rollwise.odds("yahtzee", boxes=value, rolls=9),
    lambda value: rollwise.odds("yahtzee", boxes="ones", rolls=-1 if value is None else value),
    lambda value: rollwise.forecast("pig", at_least=value),
    lambda value: rollwise.forecast(value),
    lambda value: rollwise.compare("pig", "no rule" if callable(value) else value),
    lambda value: rollwise.export("pig", value, params={"target": 0}),
    lambda value: rollwise.export("pig", "no/folder/a.csv", format=value),
    lambda value: rollwise.export("pig", "no/folder/a.csv", levels=value),
    lambda value: rollwise.export("pig", "no/folder/a.csv", turn=value),
]


def test_no_argument_raises_anything_but_bad_input() -> None:
    for call in CALLS:
        for value in ODD:
            refusal(partial(call, value))


# --- what is shown and pasted again ----------------------------------------------------------------------------------


def test_a_name_with_an_apostrophe_is_shown_in_quotes_for_the_shell() -> None:
    killer = parse_game("killer")
    for said in ("bull's eye,doubles", "Bulls-Eye,Doubles", ["bull's eye", "doubles"], "bull’s eye, doubles"):
        assert parse_fields(killer, {"mine": said}) == {"mine": ("bull's eye", "doubles")}
    shown = shown_state({"mine": ("bull's eye", "doubles")})
    assert shown == 'mine="bull\'s eye,doubles"'
    for pasted in (shlex.split(shown), shown.split(" ")):
        assert parse_fields(killer, parse_assignments(join_fields(killer, pasted), "field")) == {
            "mine": ("bull's eye", "doubles")
        }


# --- no two names are alike ------------------------------------------------------------------------------------------


def require_apart(names: list[str]) -> None:
    assert len({folded(name) for name in names}) == len(names), names


def test_no_two_games_are_called_alike() -> None:
    called: dict[str, set[str]] = {}
    for game in REGISTRY:
        for name in (game, game_class(game).title, *game_class(game).synonyms):
            called.setdefault(folded(name), set()).add(game)
            assert spelt(name) == game
    assert all(len(games) == 1 for games in called.values())


def test_no_two_names_of_a_game_are_alike() -> None:
    for made in GAMES:
        parameters = dataclass_fields(made)
        require_apart([parameter.name for parameter in parameters])
        require_apart([field.name for field in made.fields()])
        require_apart(list(policies(made.name)))
        for parameter in parameters:
            require_apart([str(choice) for choice in parameter.metadata["choices"]])
        for field in made.fields():
            if isinstance(field, Scores | BoxNames):
                require_apart(list(field.allowed if isinstance(field, Scores) else field.boxes))


# --- the line that was meant -----------------------------------------------------------------------------------------

OPTIONS = {
    "ask": {"-p": True, "--json": False, "--exact": False},
    "solve": {"-p": True},
    "export": {"-p": True, "-o": True},
}
TYPED = """ask solve export pig piggy six yahtzee -p --json -o --mine --mine=3 -x --
target=5 target mine=1 mine roll=1 roll 5 13522 43 = a= : mine:3 -1 é"""
WORDS = ["", *TYPED.split()]


@given(st.lists(st.sampled_from(WORDS) | _words(), max_size=8))
@settings(max_examples=150, deadline=None, database=None)
def test_a_line_is_only_told_if_it_fits(words: list[str]) -> None:
    told = suggest_line(words, OPTIONS)
    if told:
        assert told.startswith("rollwise ")
        assert suggest_line(shlex.split(told)[1:], OPTIONS) == ""
