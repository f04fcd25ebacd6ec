"""The drawing of the packages in docs/ is what its script draws now, and there is nothing in it that should not be."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import networkx as nx
import pytest

from scripts import draw_packages

DOCS = Path(__file__).parents[2] / "docs"
AGAIN = "python scripts/draw_packages.py writes it anew"


@pytest.fixture(scope="module")
def graph() -> draw_packages.Graph:
    return draw_packages.rooms()


def test_the_drawing_is_what_the_script_draws_now(graph: draw_packages.Graph) -> None:
    for name, drawn in (("packages", graph), ("face", draw_packages.face(graph))):
        assert (DOCS / f"{name}.svg").read_text() == draw_packages.drawing(drawn), AGAIN


def test_the_page_is_what_the_script_writes_now_its_counts_of_files_and_lines_apart(graph: draw_packages.Graph) -> None:
    written, now = (DOCS / "packages.md").read_text(), draw_packages.page(graph)
    counts = re.compile(r"\| [\d,]+ \| [\d,]+ \|$", re.MULTILINE)
    assert counts.sub("", written) == counts.sub("", now), AGAIN
    assert len(counts.findall(now)) == len(graph)


def test_nothing_is_imported_from_above_and_no_module_comes_back_to_itself(graph: draw_packages.Graph) -> None:
    assert draw_packages.upward(graph) == []
    assert draw_packages.circles() == []


def test_an_import_from_above_would_be_found() -> None:
    wrong: draw_packages.Graph = nx.DiGraph(
        [("cache", "rollwise/solver/model"), ("games", "rollwise"), ("games", "rollwise/solver/model")]
    )
    assert draw_packages.upward(wrong) == ["cache imports rollwise/solver/model", "games imports rollwise"]


def test_every_room_has_a_box_above_all_that_it_imports(graph: draw_packages.Graph) -> None:
    layers = draw_packages.layers_of(graph)
    at = {name: number for number, layer in enumerate(layers) for name in layer}
    assert at.keys() == set(graph)
    assert all(at[here] < at[there] for here, there in graph.edges)
    picture = ET.parse(DOCS / "packages.svg").getroot()
    words = {"".join(part.itertext()) for part in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {name.rpartition("/")[2] for name in graph} <= words
    titles = [part.text for part in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert sorted(str(title) for title in titles) == sorted(f"{here} imports {there}" for here, there in graph.edges)
