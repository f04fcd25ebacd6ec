"""Documents: what is cited is there, links lead somewhere, and every game has its rules on the page of rules."""

from __future__ import annotations

import ast
import importlib
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rollwise
import rollwise.questions.catalogue
from rollwise.games.registry import REGISTRY, game
from rollwise.solver.model.game import TurnGame

ROOT = Path(__file__).parents[2]
FOLDERS = ("rollwise", "tests", "scripts", "docs", ".ci")
FILES = sorted(
    {
        *(file for file in ROOT.glob("*") if file.is_file()),
        *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*") if file.is_file()),
    }
)
PAGES = [file for file in FILES if file.suffix == ".md"]
PROGRAMS = [file for file in FILES if file.suffix == ".py"]
SETTINGS = [file for file in FILES if file.suffix == ".toml" or file.name == "run"]
HERE = {str(file.relative_to(ROOT)) for file in FILES}
CITED = [
    re.compile(r"\b[A-Z][A-Z_-]+\.(?:md|txt|rst)\b"),  # a document by name
    re.compile(r"\b(?:docs|scripts|tests|rollwise)/[\w./-]*\w\.\w+"),  # a file by its path
]
EXAMPLE = re.compile(r"^>>> (?:.*\S.*\n?)*", re.MULTILINE)  # what is typed in it is data
ABSENT = [  # what nobody who has this repository can look up
    re.compile(r"\b\d{3}_[0-9a-f]{16}\b"),  # a rule sheet by the name of somebody's file
    re.compile(r"(?<![\w/])(?:\.\./)*shared/"),
    re.compile(r"\b[Ii]ssue #?\d+"),
    re.compile(r"\b(?:DESIGN|RULES|SOUND|STYLE|FIELDS|EXPECTED)\b"),
]
# CONTRIBUTING.md has them made
TO_BE_WRITTEN = {"rollwise/games/last_face.py", "tests/golden/last_face.toml", "tests/games/test_last_face.py"}


def wrong(text: str) -> list[str]:
    """What this text cites and is not in the repository."""
    named = [name for pattern in CITED for name in pattern.findall(text)]
    there = {name for name in named if name in HERE or f"docs/{name}" in HERE or name in TO_BE_WRITTEN}
    return [name for name in named if name not in there] + [name for part in ABSENT for name in part.findall(text)]


def told(program: str) -> Iterator[str]:
    """Comments and docstrings."""
    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield EXAMPLE.sub("", ast.get_docstring(node) or "")


def told_by(file: Path) -> str:
    """What a file tells its readers: a page everything, settings their comments."""
    text = file.read_text()
    if file.suffix == ".py":
        return "\n".join(told(text)) if wrong(text) else ""  # where nothing is wrong in all of it, nothing is in a part
    return text if file.suffix == ".md" else "\n".join(re.findall(r"#.*", text))


@pytest.mark.parametrize("files", [PROGRAMS, SETTINGS, PAGES], ids=["comments and docstrings", "settings", "pages"])
def test_only_what_is_in_the_repository_is_cited(files: list[Path]) -> None:
    found = {str(file.relative_to(ROOT)): wrong(told_by(file)) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The names under which a page's headings can be linked to."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


LINKS = [(page, link) for page in PAGES for link in LINK.findall(page.read_text()) if "://" not in link]


def test_links_lead_to_what_is_there_and_every_page_is_linked_from_another() -> None:
    linked = set()
    for page, link in LINKS:
        file, _, heading = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), (page, link)
        assert target.is_relative_to(ROOT), (page, link)
        assert not heading or heading in anchors(target), (page, link)
        linked.add(target)
    pages = {page for page in PAGES if page.parent in (ROOT, ROOT / "docs")}  # sheets in a folder of their own apart
    assert pages - linked - {ROOT / "README.md"} == set()


def test_every_game_has_its_reading_on_the_page_of_rules() -> None:
    headings = re.findall(r"^### .*\(`([a-z0-9-]+)`\)$", (ROOT / "docs" / "rules.md").read_text(), re.MULTILINE)
    assert len(headings) == len(set(headings))
    assert REGISTRY.keys() - set(headings) == set()
    assert len(set(headings) - {"pig", "yahtzee"}) == 25


# --- names ------------------------------------------------------------------------------------------------------------

NAMES = (ROOT / "docs" / "names.md").read_text()
ASKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # parameters, and what is asked
    "pig": ({"target": 5}, {}),
    "ten-thousand": ({"goal": 500, "players": 1}, {"roll": [1, 2, 2, 3, 4, 6]}),
    "yahtzee": ({"boxes": "ones"}, {"roll": [1, 2, 2, 3, 4]}),
    "shut-the-box": ({"players": 3, "boxes": 4}, {}),
    "bluff": ({"chips": 2, "dice": 1}, {"call": 5, "draw": True}),
    "mexico": ({"lives": 1}, {}),
    "thunderstorm": ({"house": 0}, {}),
    "cops-and-robbers": ({"distance": 2}, {}),
    **{name: ({}, {}) for name in ("slam", "drop-dead", "dice-roulette", "pay-the-rent")},
}


def unnamed(told: set[str]) -> set[str]:
    """What the page of names does not have."""
    return {key for key in told if f"`{key}`" not in NAMES}


def keys(plain: Any) -> set[str]:
    """The keys of JSON, but for those that a question or an outcome gives."""
    if isinstance(plain, list):
        return set().union(*map(keys, plain))
    if not isinstance(plain, dict):
        return set()
    below = {name: part for name, part in plain.items() if name not in ("parameters", "state")}
    named = {name for name in plain if not re.fullmatch(r"[\d-]+|under 7|over 7|odd|even", name)}
    return named.union(*map(keys, below.values()))


@pytest.mark.parametrize("name", ASKED)
def test_every_key_of_an_answer_is_on_the_page_of_names(name: str, play: Callable[[TurnGame], str]) -> None:
    parameters, fields = ASKED[name]
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    play(made)
    assert not unnamed(keys(rollwise.ask(name, **fields).plain()) | keys(rollwise.solve(name).plain_solution()))


def test_what_is_played_for_and_its_unit_are_on_the_page_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rollwise.solver.kinds.table.unsolved_tables", lambda game: ())  # what more players would cost
    assert not unnamed(
        {rollwise.questions.catalogue.rules(name)[word] for name in REGISTRY for word in ("objective", "unit")}
    )


OUTCOMES = {"value", "lower", "upper", "exact"}  # objects by outcome


def test_every_key_of_the_other_answers_is_on_the_page_of_names() -> None:
    told = keys(rollwise.forecast("shut-the-box").plain())
    told |= keys(rollwise.outcomes("pig", state={}, move="roll", params={"target": 5}).plain())
    told |= keys(rollwise.outcomes("big-six").plain())
    told |= keys(rollwise.compare("pig", "hold-at-20", params={"target": 5}).plain())
    told |= keys(rollwise.odds("yahtzee", boxes="yahtzee").plain())
    told |= keys([row.plain() for row in rollwise.verify("drop-dead")])
    for name in ("pig", "piggy-six", "zilch", "yahtzee"):
        told |= keys(rollwise.card(name).plain())
    for name in ("pig", "drop-dead", "zilch", "mexico"):
        of_turn = rollwise.odds(name, params={"goal": 500, "players": 1} if name == "zilch" else None).plain()
        told |= keys({**of_turn, "turn": {part: of_turn["turn"][part] for part in of_turn["turn"].keys() - OUTCOMES}})
    assert not unnamed(told)


def test_every_function_on_the_walk_of_a_solve_is_there() -> None:
    section = (ROOT / "docs" / "method.md").read_text().partition("## The walk of a solve")[2].partition("\n## ")[0]
    picture = section.split("```")[1]
    named = re.findall(r"`((?:\w+\.)+\w+)`", section.replace(picture, "").replace("`rollwise.solver`", ""))
    called = set()
    for name in named:
        module, parts = name.split("."), list[str]()
        while not (ROOT / "rollwise" / "solver" / Path(*module)).with_suffix(".py").exists() and len(module) > 1:
            parts.insert(0, module.pop())
        found: Any = importlib.import_module(".".join(["rollwise.solver", *module]))
        for part in parts:
            assert hasattr(found, part), name
            found = getattr(found, part)
        called |= {parts[-1], ".".join(parts[-2:])}
    assert len(named) > 30
    stations = re.findall(r"\b(?:[A-Z]\w+\.\w+|[a-z]+_[a-z_]+)\b", picture)
    assert {*stations} - called <= {"Backup.values"}  # of which there are two makes
