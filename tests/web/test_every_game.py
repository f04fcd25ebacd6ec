"""Every game on the page: its address and its form, asked and followed, typed into, and played."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from rollwise.games.registry import REGISTRY
from rollwise.parsing.validate import parse_fields, parse_game, rule_parameters
from rollwise.questions.question import question
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.model.game import TurnGame
from rollwise.web import address, shapes
from rollwise.web.forms import field_controls, parameter_controls
from rollwise.web.labels import has_label
from rollwise.web.page_question import read_question
from tests.sample import few_questions
from tests.sizes import SIZES, Size
from tests.web.playing import opened
from tests.web.reading import Page
from tests.web.test_address import ask_url

FIRST = [next(size for size in SIZES if size.name == name) for name in REGISTRY]
SAID = [size for size in SIZES if set(size.parameters) <= set(rule_parameters(size.name))]  # anybody may choose these
SMALL = {size.name: {f"p.{name}": value for name, value in size.parameters.items()} for size in reversed(SAID)}
SHAPES = {"number", "choice", "set", "sheet", "pairs", "seats", "dice", "text"}
EVIL = "<script>alert(1)</script>\"'&{{7*7}}"


def further(cases: Iterable[Any], quick: set[Any]) -> list[Any]:
    """All of these, of which only some are quick ones."""
    return [pytest.param(case, marks=() if case in quick else pytest.mark.thorough) for case in cases]


@pytest.mark.parametrize("size", further(SAID, {size for size in FIRST if size in SAID}), ids=str)
def test_an_address_read_is_the_question_it_was_written_of(size: Size) -> None:
    made = parse_game(size.name, size.parameters)
    for told in few_questions(size):
        values = parse_fields(made, told)
        written = address.question_url(made, values)
        read = ask_url(written)
        assert (read.problems, read.url, read.position) == ((), written, made.locate(**values))
        assert read.game.parameters() == made.parameters()


@pytest.mark.parametrize("name", REGISTRY)
def test_the_start_has_the_shortest_address_and_a_form_that_asks_it_as_it_stands(name: str) -> None:
    start, made = read_question(name, []), parse_game(name)
    assert (start.url, start.problems, address.question_url(made, question(made, {})[0])) == (
        f"/{name}",
        (),
        f"/{name}",
    )
    controls, items = [*field_controls(start), *parameter_controls(start)], list[tuple[str, str]]()
    assert {each.name for each in field_controls(start)} == {field.name for field in made.fields()}
    for each in controls:
        assert each.template in SHAPES
        assert each.help or has_label(made, each.name)
        assert each.label
        on = [choice.value for choice in each.choices if choice.is_on]
        if each.template == "choice":
            items += [(each.name, value) for value in on]
        elif each.template == "set":
            items += [*((value, "1") for value in on), (each.marker, "")]
        else:
            items += [(box.name, box.typed) for box in each.boxes]
    again = read_question(name, items)
    assert (again.problems, again.url) == ((), f"/{name}")


@pytest.mark.parametrize("name", REGISTRY)
def test_rules_are_told_to_programs_and_stand_on_the_page_before_the_first_step(client: TestClient, name: str) -> None:
    told = client.get(f"/api/rules/{name}", params=SMALL.get(name))
    TypeAdapter(shapes.GameRules).validate_python(told.json(), strict=True)
    form = opened(client, f"/play/{name}").form_of("start").fields
    rules = {key.removeprefix("p."): value for key, value in form.items() if key.startswith("p.")}
    usual = parse_game(name, {}).parameters()
    assert rules.keys() == rule_parameters(name).keys() >= usual.keys()
    assert parse_game(name, {key: value for key, value in rules.items() if value}).parameters() == usual


@pytest.mark.parametrize("size", FIRST, ids=str)
def test_a_game_is_asked_wherever_it_stands_and_followed(
    size: Size, pages: TestClient, play: Callable[[TurnGame], str]
) -> None:
    play(size.game)
    load_or_solve(size.game)
    for told in few_questions(size)[1:2]:
        page = opened(pages, address.question_url(size.game, parse_fields(size.game, told)))
        assert page.is_answered, (told, page.verdict)
    onward = [f"/{size.name}"]
    for _ in range(2):
        page = opened(pages, onward[-1])
        assert page.is_answered, page.verdict
        if moves := [link for row in page.find("tr.move") for link in row.links()]:
            page = opened(pages, moves[-1].partition("#")[0])
            assert page.is_answered, page.verdict
        onward = page.links("a.heat") + [link for link in page.links("a.onward") if not link.endswith("#next")]
        onward += [link for link in page.links() if link.startswith(f"/{size.name}?roll=")]
        if not onward:
            break


@pytest.mark.parametrize(
    "name", further(REGISTRY, {"pig", "busted", "dice-roulette", "mexico", "yahtzee"})
)  # all shapes
def test_nothing_typed_becomes_markup(name: str, pages: TestClient) -> None:
    names = [field.name for field in parse_game(name).fields()]
    rules = [f"p.{parameter}" for parameter in rule_parameters(name)]
    typed = [names, rules, ["move"], ["nothing", f"p.{EVIL}", EVIL], [f"{control}.{EVIL}" for control in names]]
    for controls in typed:
        asked = SMALL.get(name, {}) | dict.fromkeys(controls, EVIL)
        page = Page(pages.get(f"/{name}?{urlencode(asked)}"), pages)
        assert (page.status, "<script>alert" in page.html) == (200, False), controls
