"""Whatever stands in a record, at every door that it comes in by it is taken or refused in a line."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import ValidationError

import rollwise
from rollwise import BadInput, Match
from rollwise.parsing.records import MAX_TEXT_LENGTH, require_lines
from rollwise.questions.quiz.compute import read_states
from rollwise.web import endpoints
from rollwise.web.bodies import GameRecord, Thrown
from rollwise.web.play import take_step
from rollwise.web.problems import json_response
from rollwise.web.report import review_record, review_view
from rollwise.web.sitting import MatchStore

Record = list[dict[str, Any]]
GAMES: dict[str, dict[str, Any]] = {"pig": {"target": 12}, "dice-roulette": {}}
MORE: dict[str, dict[str, Any]] = {
    "bluff": {"chips": 1},
    "mexico": {"players": 3, "lives": 1},
    "zilch": {"goal": 500, "opening": 350, "players": 1},
    "piggy-six": {"target": 6, "robots": [4, 3]},
    "big-six": {},
    "shut-the-box": {},
}
GONE, TWICE = object(), object()
NESTED: list[Any] = []
for _ in range(500):
    NESTED = [NESTED]
ODD: list[Any] = [None, -1, 5, 1.5, True, "x", "", "9" * 300, [], [5], [[4], [4]], [None], ["x"], {}, {"mine": "a"}]
ODD += [{1: 2}, float("nan"), float("inf"), 10**30, 10**5000, NESTED, GONE, TWICE]


def records(games: dict[str, dict[str, Any]]) -> Iterator[Record]:
    """Games that were begun, and some that are over."""
    for name, params in games.items():
        draw = Random(name)
        match = Match(name, params=params, seed=3, state={"bet": "odd"} if name == "dice-roulette" else None)
        for place in range(9):
            if match.over:
                break
            match.throw() if match.waiting else match.play(draw.choice(match.moves).move)
            if place > 5 or match.over or match.thrown:
                yield match.record()


def places(told: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in it."""
    for key, part in told.items() if isinstance(told, dict) else enumerate(told) if isinstance(told, list) else ():
        yield (*at, key)
        yield from places(part, (*at, key))


def changed(record: Record, draw: Random) -> Any:
    """A record with another value somewhere, with one gone or there twice, or cut."""
    found = copy.deepcopy(record)
    if draw.random() < 0.1:
        return draw.choice([found[: draw.randrange(len(found))], found[::-1], found + found])
    *way, last = draw.choice([*places(record)])
    value, inside = draw.choice(ODD), found
    for key in way:
        inside = inside[key]
    if value is GONE:
        del inside[last]
    elif value is TWICE:
        inside.insert(last, inside[last]) if isinstance(inside, list) else inside.update({f"{last}2": inside[last]})
    else:
        inside[last] = value
    return found


# --- the doors -------------------------------------------------------------------------------------------------------


def taken_up(match: Match) -> None:
    """What a match is asked for once it is taken up, and a step of it."""
    assert [repr(told) for told in (match, match.state, match.result, match.thrown, match.hidden, match.legal)]
    if match.waiting:
        match.throw()
    elif match.legal:
        match.play(match.legal[0])
    assert json_response(match.record())
    match.undo()


def on_the_page(record: Any, folder: Path) -> None:
    text = json.dumps(record)
    take_step("pig", {"resume": "1", "record": text, "coach": "on"}, MatchStore())
    for act in ({"do": "throw"}, {"do": "undo"}):
        take_step("pig", {"record": text, "seats": "0", **act}, MatchStore())
    review_view(review_record(text), (0,))


def from_a_file(record: Any, folder: Path) -> None:
    path = folder / "record.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in record))
    for door in (Match.load, read_states, lambda path: rollwise.review(str(path), anyway=True)):
        with suppress(BadInput):
            door(path)


def from_a_program(record: Any, folder: Path) -> None:
    jobs: Any = None  # nothing is to be solved
    with suppress(BadInput):
        json_response(endpoints.review(GameRecord.model_validate({"record": record}), jobs))
    json_response(endpoints.throw(Thrown.model_validate({"record": record}), jobs))


DOORS: list[Callable[[Any, Path], Any]] = [
    lambda record, folder: taken_up(Match.of(record)),
    lambda record, folder: rollwise.review(record),
    from_a_file,
    from_a_program,
    on_the_page,
]


def goes_in_everywhere(record: Any, folder: Path) -> int:
    """How often it was refused; anything but a refusal in a line comes out of here."""
    said: list[str] = []
    for door in DOORS if is_json(record) else DOORS[:2]:
        try:
            door(record, folder)
        except BadInput as error:
            said.append(str(error))
        except ValidationError as error:  # of the interface, which says its first part
            said.append(error.errors()[0]["msg"])
    assert not any("\n" in line for line in said)
    return len(said)


def is_json(record: Any) -> bool:
    """Can it be written at all?"""
    try:
        return bool(json.dumps(record))
    except (ValueError, TypeError, RecursionError):
        return False


def fuzzed(games: dict[str, dict[str, Any]], times: int, folder: Path, seed: int = 7) -> int:
    draw, every = Random(seed), [*records(games)]
    return sum(goes_in_everywhere(changed(draw.choice(every), draw), folder) for _ in range(times))


def test_a_record_with_anything_in_it_is_taken_or_refused_in_a_line_at_every_door(tmp_path: Path) -> None:
    assert fuzzed(GAMES, 25, tmp_path) > 60


@pytest.mark.slow
def test_many_such_records_of_more_games_are_too(tmp_path: Path) -> None:
    assert fuzzed(GAMES | MORE, 600, tmp_path, seed=8) > 800


HEAD = {"rollwise": 1, "game": "pig", "parameters": {"target": 12}, "rules_version": 1, "seed": 1, "seats": 2}
STATE = {"mine": 0, "theirs": 0, "turn": 0}
NEXT = {"state": STATE, "seat": 0, "choice": "roll"}
THROWN = {"thrown": [5], "seat": 0}
WRONG: list[tuple[Record, str]] = [
    ([HEAD, {"result": [1, 0]}], "the record has a result, and nothing that was played before it"),
    ([HEAD | {"next": NEXT | {"thrown": 5}}], "line 1: further throws are a list of them"),
    ([HEAD | {"next": NEXT | {"thrown": [[4], [4]]}}], "no further dice fall here, got [4]"),
    ([HEAD | {"next": {"state": STATE, "seat": 0, "thrown": [[4]]}}], "dice fall after a move"),
    ([HEAD, THROWN | {"then": 5}], "line 2: further throws are a list of them"),
    ([HEAD, {"result": [1, 0]}, THROWN], "line 3: nothing follows the result"),
    ([HEAD, THROWN | {"gained": None}], "line 2: gained is a number, got None"),
    ([HEAD, THROWN | {"after": float("inf")}], "line 2: a choice, a throw or a result is expected"),
]


@pytest.mark.parametrize(("record", "told"), WRONG)
def test_what_was_once_a_traceback_is_refused_in_a_line(record: Record, told: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as raised:
        Match.of(record)
    assert str(raised.value).startswith(told)
    goes_in_everywhere(record, tmp_path)
    if told.startswith("line"):
        with pytest.raises(BadInput) as raised:
            rollwise.review(record)
        assert str(raised.value).startswith(told)


# --- what a line may hold ---------------------------------------------------------------------------------------------

CHOICE = {"choice": "hold", "seat": 0, "state": STATE, "value": 0.5, "best": ["hold"], "loss": 0.0}
THROW = {"thrown": [1, 6], "seat": 0, "before": 0.5, "after": None}


NOT_WRITTEN = [
    *({"result": wrong} for wrong in (1, [1, "0"], [True, False], [1e300])),
    *(CHOICE | {"loss": wrong} for wrong in ("much", 10**400)),
    *(CHOICE | {"choice": wrong} for wrong in (3, "x" * MAX_TEXT_LENGTH)),
    *(CHOICE | {"hidden": wrong} for wrong in ({"turn": 1}, ["pot"], [["turn"]])),
    *(THROW | {"thrown": wrong} for wrong in ("16", [0], [7], [True], [1] * MAX_TEXT_LENGTH)),
    *(THROW | {"then": wrong} for wrong in (3, [3])),
    *(CHOICE | {"state": []}, THROW | {"before": "x"}),
]


def test_what_no_match_writes_is_none() -> None:
    for line in NOT_WRITTEN:
        with pytest.raises(BadInput, match=r"^line 2: "):
            require_lines([("line 1", HEAD), ("line 2", line)])
