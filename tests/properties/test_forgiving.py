"""Whatever comes from outside is read or refused: text as people write it, and any Python object."""

from __future__ import annotations

import random
import shlex
import string
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import fields as dataclass_fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rollwise
from rollwise.answer import shown_state
from rollwise.asking import understood
from rollwise.door import as_said, check_board, split, the_fields, the_game
from rollwise.exporting.levels import Levels
from rollwise.games.boxes import BoxNames
from rollwise.games.policies import policies
from rollwise.games.registry import REGISTRY, SYNONYMS, game_class, spelt
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.fields import Faces, Field, Numbers, Scores
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.names import folded
from rollwise.solver.game.plain import plain
from rollwise.solver.turn.graph import states_in_order
from rollwise.words import fields_joined, right_line
from tests.sizes import SIZES, Size

OTHERS: dict[str, list[dict[str, Any]]] = {  # parameters that change the fields
    "piggy-six": [{"robots": (8, 14)}, {"max_dice": 3}],
    "shut-the-box": [{"players": 3}],
    "ten-thousand": [{"players": 1}],
    "zilch": [{"players": 1}, {"players": 1, "objective": "points"}],
}
GAMES = [the_game(name, parameters) for name in REGISTRY for parameters in ({}, *OTHERS.get(name, ()))]
FIELDS = [(made, field) for made in GAMES for field in made.fields()]
SAID = [f"{made.name} {field.name} {place}" for place, (made, field) in enumerate(FIELDS)]

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


def _words() -> st.SearchStrategy[str]:
    names = [
        "ones",
        "Full House",
        "3-2-1",
        "under 7",
        "mine",
        "none",
        "-",
        "true",
        "6-5",
        "1-9",
        "[1,2]",
        "1:2",
        "é",
        "²",
    ]
    parts = st.sampled_from([*names, *string.digits, ",", " ", ":", "-", "[", "]", "\n", "=", "'"])
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
QUICKLY = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None)


def require_line(error: BadInput) -> None:
    """An error is told in one line that is not too long."""
    assert str(error).isprintable()
    assert len(str(error)) < 600


def require_read_or_refused(made: TurnGame, field: Field, value: Any) -> None:
    """A value that can be typed again, or BadInput that names the field in one line."""
    refused: BadInput | None = None
    try:
        read = the_fields(made, {field.name: value})
    except BadInput as error:
        refused = error
    if refused is not None:
        assert refused.field == field.name
        require_line(refused)
        return
    if field.name in read:
        assert field.parse(field.show(read[field.name])) == read[field.name]
    try:
        position = made.locate(**read)
        check_board(made, position.board)
    except BadInput:
        return
    shown = shown_state(understood(made, read, position))
    assert the_fields(made, split(fields_joined(made, shlex.split(shown)), "field")) if shown else True


def text_alone(value: object) -> str | None:
    """The name of a case: text as it is (a set is written in another order in each process)."""
    return value if isinstance(value, str) else None


@pytest.mark.parametrize(("made", "field"), FIELDS, ids=SAID)
def test_any_object_is_read_or_refused_by_name(made: TurnGame, field: Field) -> None:
    @given(OBJECTS)
    @QUICKLY
    def ask(value: Any) -> None:
        require_read_or_refused(made, field, value)

    for value in ODD:
        require_read_or_refused(made, field, value)
    ask()


@pytest.mark.parametrize("name", REGISTRY)
def test_any_parameter_is_taken_or_refused_by_name(name: str) -> None:
    names = [field.name for field in dataclass_fields(game_class(name)) if not field.metadata.get("trial")]
    refused: list[BadInput] = []

    def make(parameter: str, value: Any) -> None:
        try:
            the_game(name, {parameter: value})
        except BadInput as error:
            refused.append(error)
        while refused:
            assert refused[-1].field in (parameter, "")
            require_line(refused.pop())

    @given(st.sampled_from(names or ["none"]), OBJECTS)
    @QUICKLY
    def ask(parameter: str, value: Any) -> None:
        make(parameter, value)

    for parameter in names:
        for value in ODD:
            make(parameter, value)
    ask()


@pytest.mark.parametrize("value", ODD, ids=[str(place) for place in range(len(ODD))])
def test_no_argument_raises_anything_but_bad_input(value: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: rollwise.ask(value),
        lambda: rollwise.rules(value),
        lambda: rollwise.ask("pig", value, mine=1000),
        lambda: rollwise.ask("pig", state=value, mine=1000),
        lambda: rollwise.rules("pig", {"target": value}),
        lambda: rollwise.verify("no game" if value is None else value),
        lambda: rollwise.odds("drop-dead", dice=value),
        lambda: rollwise.odds("yahtzee", boxes=value, rolls=9),
        lambda: rollwise.odds("yahtzee", boxes="ones", rolls=-1 if value is None else value),
        lambda: rollwise.forecast("pig", at_least=value),
        lambda: rollwise.forecast(value),
        lambda: rollwise.compare("pig", "no rule" if callable(value) else value),
        lambda: rollwise.export("pig", value, {"target": 0}),
        lambda: rollwise.export("pig", "no/folder/a.csv", format=value),
        lambda: rollwise.export("pig", "no/folder/a.csv", levels=value),
        lambda: rollwise.export("pig", "no/folder/a.csv", turn=value),
    ]
    for call in calls:
        refused = None
        try:
            call()
        except BadInput as error:
            refused = error
        if refused is not None:
            require_line(refused)


# --- what is shown and pasted again ----------------------------------------------------------------------------------


def positions(made: TurnGame, draw: random.Random, few: int) -> list[dict[str, Any]]:
    """Some questions of this game, as it describes them."""
    space = made.boards()
    indices = np.arange(space.size)
    indices = indices[np.broadcast_to(made.possible(space.columns(indices)), space.size)]
    indices = indices[draw.choices(range(len(indices)), k=few)]
    roots = np.broadcast_to(made.root(space.columns(indices)), len(indices))
    found: list[dict[str, Any]] = []
    for index, root in zip(indices.tolist(), roots.tolist(), strict=True):
        states = [state for state, _ in states_in_order(made.turn, [tuple(made.roots()[root])])]
        for state in draw.sample(states, min(few, len(states))):
            found += list(made.describe(space.board(index), state))
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_state_that_is_shown_and_pasted_is_the_same_state(size: Size) -> None:
    made, n_same = size.game, 0
    for said in positions(made, random.Random(str(size)), 12):
        question = {name: value for name, value in said.items() if value is not None}
        try:
            position = made.locate(**question)
        except BadInput:
            continue
        state = understood(made, question, position)
        for text in (
            shown_state(state),
            shlex.join(f"{f.name}={f.show(question[f.name])}" for f in made.fields() if f.name in question),
        ):
            typed = split(fields_joined(made, shlex.split(text)), "field") if text else {}
            again = the_fields(made, typed)
            assert made.locate(**again) == position, text
            assert understood(made, again, position) == state, text
        n_same += 1
    assert n_same or size.name == "dice-roulette"


def test_a_name_with_an_apostrophe_is_shown_in_quotes_for_the_shell() -> None:
    killer = the_game("killer")
    for said in ("bull's eye,doubles", "Bulls-Eye,Doubles", ["bull's eye", "doubles"], "bull’s eye, doubles"):
        assert the_fields(killer, {"mine": said}) == {"mine": ("bull's eye", "doubles")}
    shown = shown_state({"mine": ("bull's eye", "doubles")})
    assert shown == 'mine="bull\'s eye,doubles"'
    for pasted in (shlex.split(shown), shown.split(" ")):
        assert the_fields(killer, split(fields_joined(killer, pasted), "field")) == {"mine": ("bull's eye", "doubles")}


# --- no two names are alike ------------------------------------------------------------------------------------------


def require_apart(names: list[str]) -> None:
    assert len({folded(name) for name in names}) == len(names), names


def test_no_two_games_are_called_alike() -> None:
    called: dict[str, set[str]] = {}
    for name, game in [
        *((name, name) for name in REGISTRY),
        *((of.title, of.name) for of in REGISTRY.values()),
        *SYNONYMS.items(),
    ]:
        called.setdefault(folded(name), set()).add(game)
        assert spelt(name) == game
    assert all(len(games) == 1 for games in called.values())
    assert set(SYNONYMS.values()) <= set(REGISTRY)


@pytest.mark.parametrize("made", GAMES, ids=str)
def test_no_two_names_of_a_game_are_alike(made: TurnGame) -> None:
    parameters = dataclass_fields(made)
    require_apart([parameter.name for parameter in parameters])
    require_apart([field.name for field in made.fields()])
    require_apart(list(policies(made.name)))
    for parameter in parameters:
        require_apart([str(choice) for choice in parameter.metadata["choices"]])
    for field in made.fields():
        if isinstance(field, Scores | BoxNames):
            require_apart(list(field.allowed if isinstance(field, Scores) else field.boxes))


# --- dice, lists and names as people write them ----------------------------------------------------------------------

DICE = [
    *("13522", "1-3-5-2-2", "1,3,5,2,2", "1 3 5 2 2", "[1,3,5,2,2]", "[1, 3, 5, 2, 2]", "(1 3 5 2 2)", " 1, 3,5 ,2,2 "),
    *("1–3–5–2–2", "['1', '3', '5', '2', '2']", "{5,2,2,1,3}", 13522, np.int16(13522), (1, 3, 5, 2, 2), deque("13522")),
    *(np.array([1, 3, 5, 2, 2]), np.array([1.0, 3, 5, 2, 2]), ["1", 3, np.int8(5), 2.0, np.array(2)]),
]
NO_DICE = [
    *("13526", "1352", "135222", "1--3-5-2-2", "-1-3-5-2", "1,3,5,2,", "1,35,2,2", "1;3;5;2;2", "1.3.5.2.2", "0x123"),
    *(
        "[1,3,5,2,2",
        "13 522",
        "１３５２２",
        "+1,3,5,2,2",
        "1-5",
        -13522,
        1352.2,
        True,
        {1, 2},
        [True, 3, 5, 2, 2],
        None,
    ),
    *({1: 3}, [[1, 3, 5, 2, 2]], b"13522", np.array([[1, 3], [5, 2]]), "none"),
]


@pytest.mark.parametrize("said", DICE, ids=text_alone)
def test_dice_are_read_as_people_write_them(said: Any) -> None:
    assert Faces("roll", "", 5, 5).parse(said) == (1, 2, 2, 3, 5)


@pytest.mark.parametrize("said", NO_DICE[1:], ids=text_alone)
def test_what_is_no_roll_of_five_dice_is_refused(said: Any) -> None:
    with pytest.raises(rollwise.DiceError, match=r"roll needs 5 faces in 1\.\.6, got ") as refused:
        Faces("roll", "", 5, 5).parse(said)
    assert refused.value.field == "roll"


def test_ranges_are_read_where_boxes_or_spaces_are_listed_only() -> None:
    for name, field in (("shut-the-box", "open"), ("big-six", "board")):
        known = {one.name: one for one in the_game(name).fields()}[field]
        low, high = known.low, known.high  # type: ignore[attr-defined]
        every = tuple(range(low, high + 1))
        for said in (
            f"{low}-{high}",
            f"{low} - {high}",
            f"[{low}-2, 3-{high}]",
            f"{low},2 3-{high}",
            range(low, high + 1),
        ):
            assert known.parse(said) == every
        for said in (
            f"{low - 1}-{high}",
            f"{low}-{high + 1}",
            f"{high}-{low}",
            "1-2-3",
            "-3",
            "3-",
            "1-2,2",
            f"1-{10**8}",
        ):
            with pytest.raises(BadInput) as refused:
                known.parse(said)
            assert refused.value.field == field
    chips = Numbers("chips", "", 0, 9, 3)
    with pytest.raises(BadInput, match="chips is a whole number, got '1-3'"):
        chips.parse("1-3")
    holders = {one.name: one for one in the_game("shut-the-box", {"players": 3}).fields()}["holders"]
    with pytest.raises(BadInput, match="holders is a whole number, got '0-1'"):
        holders.parse("0-1")


def test_a_word_of_digits_is_dice_in_a_field_of_dice_only() -> None:
    with pytest.raises(BadInput, match="open is from 1 to 9, got 135") as refused:
        the_fields(the_game("shut-the-box"), {"open": "135"})
    assert refused.value.hint == "open=1,3,5"
    with pytest.raises(BadInput, match="chips is from 0 to 36, got 131211"):
        the_fields(the_game("bouncer"), {"chips": "131211"})


def test_a_list_by_seat_is_in_order_and_no_set() -> None:
    chips = Numbers("chips", "", 0, 9, 3)
    for said in ("5,3,4", "5 3 4", "[5, 3, 4]", (5, 3, 4), np.array([5, 3, 4]), [5.0, "3", np.uint8(4)]):
        assert chips.parse(said) == (5, 3, 4)
    with pytest.raises(BadInput, match="chips is a list in order, and a set has none"):
        chips.parse({5, 3, 4})
    scores = Numbers("scores", "", 0, 9, 3, out=True)
    with_one_out: list[Any] = ["5,-,4", "5 - 4", "[5, -, 4]", [5, None, 4], (5, "-", 4)]
    for said in with_one_out:
        assert scores.parse(said) == (5, None, 4)


@pytest.mark.parametrize(
    ("game", "said", "meant"),
    [
        (
            "yahtzee",
            {"Filled": "Full House:25, THREE-OF-A-KIND: 20"},
            {"filled": {"three of a kind": 20, "full house": 25}},
        ),
        (
            "yahtzee",
            {"filled": {"Full_House": np.int64(25), "sixes": 18.0}},
            {"filled": {"sixes": 18, "full house": 25}},
        ),
        ("yahtzee", {"rolls-left": "1", "Roll": 13522}, {"rolls_left": 1, "roll": (1, 2, 2, 3, 5)}),
        ("sixzee", {"filled": "321:10,Three Pairs:0"}, {"filled": {"3-2-1": 10, "three pairs": 0}}),
        ("cameroon", {"closed": ("Full House", "ONES")}, {"closed": ("ones", "full house")}),
        (
            "cameroon",
            {"closed": {"Full House", "ONES"}, "kept": "none"},
            {"closed": ("ones", "full house"), "kept": ()},
        ),
        ("dice-roulette", {"bet": "UNDER_7"}, {"bet": "under 7"}),
        ("dice-roulette", {"bet": np.int64(7)}, {"bet": "7"}),
        ("sevens", {"opener": "Theirs", "left": "2-4"}, {"opener": "theirs", "left": (2, 4)}),
        ("mexico", {"results": "6-5,2-2"}, {"results": ("6-5", "2-2")}),
        ("mexico", {"results": "6-5 -"}, {"results": ("6-5", None)}),
        ("mexico", {"results": np.array([[5, 6], [2, 2]])}, {"results": ("6-5", "2-2")}),
        ("pay-the-rent", {"markers": "[4: 0, 6:2]"}, {"markers": {4: 0, 6: 2}}),
        ("high-dice", {"bank": "4-3"}, {"bank": (3, 4)}),
        ("zilch", {"must-roll": "Yes"}, {"must_roll": True}),
        ("zilch", {"must_roll": np.bool_(True)}, {"must_roll": True}),
        ("pig", {"MINE": np.uint8(43), "turn": " 18 "}, {"mine": 43, "turn": 18}),
    ],
    ids=text_alone,
)
def test_names_and_values_are_told_in_one_spelling(game: str, said: dict[str, Any], meant: dict[str, Any]) -> None:
    found = the_fields(the_game(game), said)
    assert found == meant
    assert [type(value) for value in found.values()] == [type(value) for value in meant.values()]
    for value, wanted in zip(found.values(), meant.values(), strict=True):
        assert not isinstance(wanted, dict) or list(value.items()) == list(wanted.items())  # in the order of the sheet


@pytest.mark.parametrize(
    ("game", "said", "meant"),
    [
        (
            "Piggy Six",
            {"MAX-DICE": "3", "Choose": "Roll"},
            {"target": 100, "max_dice": 3, "choose": "roll", "robots": ()},
        ),
        ("piggy_six", {"robots": "[8, 14]"}, {"target": 100, "max_dice": 2, "choose": "turn", "robots": (8, 14)}),
        (
            "PiggySix",
            {"robots": np.array([8, 14])},
            {"target": 100, "max_dice": 2, "choose": "turn", "robots": (8, 14)},
        ),
        ("high dice", {"rule": "Double on 6-6"}, {"rule": "double_on_6_6"}),
        ("pig dice", {"target": np.int64(50)}, {"target": 50}),
        ("Dice Roulette", {"pays": {2: 28, 3: 14.0}}, {"pays": "2:28,3:14,9:7,assumed"}),
        ("Dice Roulette", {"pays": "9:6.5, Assumed"}, {"pays": "9:6.5,assumed"}),
        ("10,000", {"Players": "1"}, {"goal": 10000, "players": 1, "objective": "points"}),
    ],
    ids=text_alone,
)
def test_games_and_parameters_are_told_in_one_spelling(game: str, said: dict[str, Any], meant: dict[str, Any]) -> None:
    if "objective" in meant and "goal" in meant:
        said = said | {"objective": "Points"}
    assert the_game(game, said).parameters() == meant


def test_two_spellings_of_one_name_are_that_name_twice() -> None:
    pig = the_game("pig")
    with pytest.raises(BadInput, match="field 'mine' is given twice"):
        the_fields(pig, {"mine": 1, "Mine": 1})
    with pytest.raises(BadInput, match="parameter 'target' is given twice"):
        the_game("pig", {"target": 5, "Target": 5})
    with pytest.raises(BadInput, match="filled names 'full house' twice"):
        the_fields(the_game("yahtzee"), {"filled": "full house:25,Full_House:25"})


def test_a_row_of_a_table_is_a_state() -> None:
    class Row:
        """As pandas has them."""

        def __init__(self, **values: Any) -> None:
            self.values = values

        def to_dict(self) -> dict[str, Any]:
            return self.values

    assert as_said(Row(mine=np.int64(3)), {}) == {"mine": 3}
    with pytest.raises(BadInput, match="state is a mapping of field names to values"):
        as_said(Row(**{}).to_dict, {})
    with pytest.raises(BadInput, match="turn is a whole number, got nan"):
        the_fields(the_game("pig"), as_said(Row(mine=3.0, turn=float("nan")), {}))


def test_pandas_is_taken_where_it_is_there() -> None:
    pandas = pytest.importorskip("pandas")
    pig, yahtzee = the_game("pig"), the_game("yahtzee")
    table = pandas.DataFrame({"mine": [3, 4], "turn": [5.0, None]})
    assert the_fields(pig, as_said(table[["mine"]].iloc[0], {})) == {"mine": 3}
    assert the_fields(yahtzee, {"roll": pandas.Series([1, 3, 5, 2, 2])}) == {"roll": (1, 2, 2, 3, 5)}
    for value in (pandas.NA, pandas.NaT, table, pandas.Timestamp("2026-01-01"), table["turn"]):
        with pytest.raises(BadInput, match="mine"):
            the_fields(pig, {"mine": value})


def test_numbers_of_arrays_are_taken_as_arguments() -> None:
    said: dict[str, Any] = {"boxes": np.array(["Ones", "FULL_HOUSE"]), "rolls": np.int8(1)}
    told = rollwise.odds("yahtzee", **said)
    assert told == rollwise.odds("yahtzee", boxes=["ones", "full house"], rolls=1)
    assert told == rollwise.odds("yahtzee", boxes="full house, ones", rolls=1)
    assert {row.box for row in told.odds} == {"ones", "full house"}
    assert Levels.of(np.array([3, 4])) == Levels.of("3,4") == Levels.of((3, 4))
    some = rollwise.forecast("shut-the-box", at_least=np.array([1, 40]))
    assert some.asked == (1, 40)


def test_plain_data_stays_as_it_is() -> None:
    for value in (None, True, 3, 1.5, "x", [1, [2]], {"a": [1]}, {1: 2}):
        assert plain(value) == value
        assert type(plain(value)) is type(value)


# --- the line that was meant -----------------------------------------------------------------------------------------

OPTIONS = {
    "ask": {"-p": True, "--json": False, "--exact": False},
    "solve": {"-p": True},
    "export": {"-p": True, "-o": True},
}
WORDS = [
    *(
        "ask",
        "solve",
        "export",
        "pig",
        "piggy",
        "six",
        "yahtzee",
        "-p",
        "--json",
        "-o",
        "--mine",
        "--mine=3",
        "-x",
        "--",
    ),
    *(
        "target=5",
        "target",
        "mine=1",
        "mine",
        "roll=1",
        "roll",
        "5",
        "13522",
        "43",
        "=",
        "a=",
        ":",
        "mine:3",
        "",
        "-1",
        "é",
    ),
]


@given(st.lists(st.sampled_from(WORDS) | _words(), max_size=8), st.sampled_from(["", "mine=3", "open=1-9", "="]))
@settings(max_examples=300, deadline=None, database=None)
def test_a_line_is_only_told_if_it_fits(words: list[str], better: str) -> None:
    told = right_line(words, OPTIONS, better)
    if told:
        assert told.startswith("rollwise ")
        assert right_line(shlex.split(told)[1:], OPTIONS) == ""
