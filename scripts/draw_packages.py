"""Write packages.svg and face.svg into docs/, what imports what in all and in the face, and packages.md around them.

python scripts/draw_packages.py [FOLDER]     prints imports that point up and circles too: there should be none

Rooms are folders. A room stands one layer above the highest room that it imports (the longest path down); rooms that
import each other stand side by side. The same files give the same drawing, byte for byte.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("rollwise", "games", "solver", "cache")
OWN_ROOMS = ("cards", "claims", "policies")  # folders of the games; every folder of solver and face is a room
ALLOWED = {"rollwise": {"games", "solver", "cache"}, "games": {"solver"}, "solver": set(), "cache": set()}
MEANING = {  # of rooms whose package says less than a reader of the drawing wants to know
    "rollwise": "the public names, each fetched from its room when it is first used, and the command line",
}
COLOURS = {"rollwise": "#2f6db3", "games": "#2e8b57", "solver": "#b5651d", "cache": "#6b6b78"}
WIDTHS = ((3, 1.2), (9, 2.4), (10**9, 4.2))  # up to so many imports: this width of a line

WIDTH, MARGIN = 1120, 30
BOX, HIGH, GAP = 138, 46, 26  # a box's width and height, and the least room between two
LANE = 12  # what a line takes that passes a layer
STEP = 112  # from layer to layer
ROUNDS = 24

Graph: TypeAlias = "nx.DiGraph[Any]"
Layers: TypeAlias = list[list[Any]]


# --- what imports what -----------------------------------------------------------------------------------------------


def room(parts: Sequence[str]) -> str:
    """The room of a module, by the parts of its dotted name."""
    inside = list(parts[1:] if parts[0] == "rollwise" else parts)
    package = inside[0] if inside and inside[0] in PACKAGES else "rollwise"
    rest = inside[1:] if inside and package == inside[0] else inside
    if rest and (rest[0] in OWN_ROOMS or (package in ("solver", "rollwise") and (ROOT / package / rest[0]).is_dir())):
        return f"{package}/{rest[0]}"
    return package


def modules() -> Iterator[tuple[tuple[str, ...], Path]]:
    """Every file of the packages, by the parts of its name; links are not followed."""
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            if not any(place.is_symlink() for place in (file, *file.parents)) and parts != ("solver", "__init__"):
                yield ("rollwise", *parts) if package != "rollwise" else parts, file


@cache
def imported(file: Path) -> list[tuple[str, ...]]:
    """What a file imports from the project, late imports and those for types included."""
    found: list[tuple[str, ...]] = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            source = node.module or ""
            names = [source] if "." in source else [f"{source}.{alias.name}" for alias in node.names]
        else:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found += [tuple(name.split(".")) for name in names if name.partition(".")[0] == "rollwise"]
    return found


def rooms() -> Graph:
    """Rooms, with their ``lines`` and ``files``; an edge has as ``imports`` how often one imports from the other.

    The face's public names, which are fetched from their rooms when they are used, are no edge.
    """
    found: Graph = nx.DiGraph()
    for parts, file in modules():
        here = room(parts)
        if here not in found:
            found.add_node(here, lines=0, files=0)
        found.nodes[here]["lines"] += len(file.read_text().splitlines())
        found.nodes[here]["files"] += 1
    number: Counter[tuple[str, str]] = Counter()
    for parts, file in modules():
        here = room(parts)
        number.update((here, room(name)) for name in imported(file) if room(name) not in (here, "rollwise"))
    for (here, there), imports in sorted(number.items()):
        found.add_edge(here, there, imports=imports)
    return found


def face(graph: Graph) -> Graph:
    """The rooms of the face, and what they import from each other."""
    return graph.subgraph([name for name in graph if name.partition("/")[0] == "rollwise"])


def upward(graph: Graph) -> list[str]:
    """Imports from a package that stands above."""
    wrong = []
    for here, there in graph.edges:
        above, below = here.partition("/")[0], there.partition("/")[0]
        if above != below and below not in ALLOWED[above]:
            wrong.append(f"{here} imports {there}")
    return wrong


def circles() -> list[str]:
    """Modules that come back to themselves by imports."""
    known = {".".join(parts).removesuffix(".__init__") for parts, _ in modules()}
    graph: Graph = nx.DiGraph()
    for parts, file in modules():
        here = ".".join(parts).removesuffix(".__init__")
        for name in imported(file):
            there = ".".join(name)
            if there in known and there not in (here, "rollwise"):
                graph.add_edge(here, there)
    return [" and ".join(sorted(some)) for some in nx.strongly_connected_components(graph) if len(some) > 1]


# --- layers ----------------------------------------------------------------------------------------------------------


def layers_of(graph: Graph) -> Layers:
    """Rooms by layer, the highest first: each stands above all that it imports."""
    whole: Graph = nx.condensation(graph)
    layers = [
        sorted(name for part in layer for name in whole.nodes[part]["members"])
        for layer in nx.topological_generations(whole.reverse())
    ]
    return layers[::-1]


def laid_out(graph: Graph) -> tuple[Layers, Graph]:
    """Layers with a lane for every line that passes them, in an order with few crossings; and the pieces of lines."""
    layers: Layers = [list(layer) for layer in layers_of(graph)]
    at = {name: number for number, layer in enumerate(layers) for name in layer}
    pieces: Graph = nx.DiGraph()
    pieces.add_nodes_from(at)
    for here, there in sorted(graph.edges):
        if at[here] == at[there]:
            continue
        way = [here, *((here, there, layer) for layer in range(at[here] + 1, at[there])), there]
        for lane in way[1:-1]:
            layers[lane[2]].append(lane)
        nx.add_path(pieces, way)
    best, fewest = layers, inf
    for number in range(ROUNDS):
        layers = [list(layer) for layer in layers]
        down = number % 2 == 0
        for layer in range(1, len(layers)) if down else range(len(layers) - 2, -1, -1):
            near = layers[layer - 1 if down else layer + 1]
            place = {name: (number + 0.5) / len(near) for number, name in enumerate(near)}
            own = {name: (number + 0.5) / len(layers[layer]) for number, name in enumerate(layers[layer])}

            def middle(name: Any, down: bool = down, place: Any = place, own: Any = own) -> float:
                beside = [place[other] for other in (pieces.pred if down else pieces.succ)[name] if other in place]
                return sum(beside) / len(beside) if beside else float(own[name])

            layers[layer].sort(key=lambda name: (middle(name), str(name)))
        crossed = crossings(layers, pieces)
        if crossed < fewest:
            best, fewest = layers, crossed
    return best, pieces


def crossings(layers: Layers, pieces: Graph) -> int:
    """How many pairs of lines cross."""
    number = 0
    for above, below in pairwise(layers):
        place = {name: at for at, name in enumerate(below)}
        ends = [(at, place[other]) for at, name in enumerate(above) for other in pieces.succ[name]]
        number += sum(1 for a, b in ends for c, d in ends if a < c and b > d)
    return number


def placed(layers: Layers, pieces: Graph, graph: Graph) -> dict[Any, float]:
    """Where across the drawing everything stands: near what it is joined to, as far from its neighbours as it needs."""
    x = {}
    for layer in layers:
        for number, name in enumerate(layer):
            x[name] = WIDTH * (number + 0.5) / len(layer)
    for number in range(80):
        for layer in layers if number % 2 == 0 else layers[::-1]:
            wanted = []
            for name in layer:
                beside = [*pieces.pred[name], *pieces.succ[name]]
                beside += [other for other in graph.succ.get(name, ()) if other in layer] * 4
                weight = [4 if isinstance(name, tuple) and isinstance(other, tuple) else 1 for other in beside]
                pull = sum(w * x[other] for w, other in zip(weight, beside, strict=True)) + x[name]
                wanted.append(pull / (sum(weight) + 1))
            x.update(zip(layer, apart(layer, wanted), strict=True))
    off = (WIDTH - min(at - size(name) / 2 for name, at in x.items()) - max(x[n] + size(n) / 2 for n in x)) / 2
    return {name: at + off for name, at in x.items()}


def size(name: Any) -> int:
    """How wide a box or a lane is."""
    return LANE if isinstance(name, tuple) else BOX


def apart(layer: list[Any], wanted: list[float]) -> list[float]:
    """The places nearest to those wanted that keep order and distance, inside the drawing."""
    offsets = [0.0]
    for left, right in pairwise(layer):
        both_lines = isinstance(left, tuple) and isinstance(right, tuple)
        offsets.append(offsets[-1] + (size(left) + size(right)) / 2 + (0 if both_lines else GAP))
    pools: list[list[float]] = []  # (sum, number): neighbours that push each other move as one
    for want, offset in zip(wanted, offsets, strict=True):
        pools.append([want - offset, 1])
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    low, high = MARGIN + size(layer[0]) / 2, WIDTH - MARGIN - size(layer[-1]) / 2 - offsets[-1]
    base = [min(max(total / count, low), high) for total, count in pools for _ in range(int(count))]
    return [start + offset for start, offset in zip(base, offsets, strict=True)]


# --- the drawing -----------------------------------------------------------------------------------------------------


def drawing(graph: Graph) -> str:
    """The picture, as SVG."""
    layers, pieces = laid_out(graph)
    x = placed(layers, pieces, graph)
    y = {name: MARGIN + HIGH / 2 + STEP * number for number, layer in enumerate(layers) for name in layer}
    high = int(MARGIN * 2 + HIGH + STEP * (len(layers) - 1) + 44)
    steps: Graph = nx.transitive_reduction(nx.DiGraph(e for e in graph.edges if y[e[0]] != y[e[1]]))
    lines = sorted(graph.edges, key=lambda edge: (edge in steps.edges, edge))  # those in the background first
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" width="{WIDTH}" height="{high}" '
            'font-family="Helvetica, Arial, sans-serif">',
            f'<rect width="{WIDTH}" height="{high}" fill="#ffffff"/>',
            *(_line(graph, edge, x, y, edge in steps.edges) for edge in lines),
            *(_box(name, x[name], y[name]) for name in sorted(graph)),
            *_legend(high - 34),
            "</svg>",
            "",
        ]
    )


def _colour(name: str) -> str:
    return COLOURS[name.partition("/")[0]]


def _width(imports: int) -> float:
    return next(width for most, width in WIDTHS if imports <= most)


def _line(graph: Graph, edge: tuple[str, str], x: dict[Any, float], y: dict[Any, float], is_step: bool) -> str:
    """A line from the bottom of one box to the top of another, by its lanes."""
    here, there = edge
    if y[here] == y[there]:
        side = 1 if x[here] < x[there] else -1
        path = f"M{x[here] + side * BOX / 2:.1f} {y[here]:.1f}L{x[there] - side * BOX / 2:.1f} {y[there]:.1f}"
    else:
        lanes = [(here, there, layer) for layer in range(len(y)) if (here, there, layer) in x]
        last_x, last_y = x[here] + _port(graph, edge, x, here), y[here] + HIGH / 2
        path = f"M{last_x:.1f} {last_y:.1f}"
        ends = [(x[lane], y[lane] - HIGH / 2, y[lane] + HIGH / 2) for lane in lanes]
        end = y[there] - HIGH / 2
        for to_x, top, bottom in [*ends, (x[there] + _port(graph, edge, x, there), end, end)]:
            half = (last_y + top) / 2
            path += f"C{last_x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {top:.1f}"
            path += f"V{bottom:.1f}" if bottom > top else ""
            last_x, last_y = to_x, bottom
    style = "0.85" if is_step or y[here] == y[there] else "0.25"
    return (
        f'<path d="{path}" fill="none" stroke="{_colour(here)}" stroke-width="{_width(graph.edges[edge]["imports"])}" '
        f'stroke-opacity="{style}"><title>{escape(here)} imports {escape(there)}</title></path>'
    )


def _port(graph: Graph, edge: tuple[str, str], x: dict[Any, float], end: str) -> float:
    """Where along a box's edge a line starts or ends: in the order of where the lines come from."""
    here = edge[0]
    own = [e for e in graph.edges if e[0 if end == here else 1] == end and e[::-1] not in graph.edges]

    def first(e: tuple[str, str]) -> float:
        lanes = sorted((lane for lane in x if isinstance(lane, tuple) and lane[:2] == e), key=lambda lane: lane[2])
        other = e[1] if end == here else e[0]
        return x[lanes[0 if end == here else -1]] if lanes else x[other]

    own.sort(key=lambda e: (first(e), e))
    return 0.0 if len(own) == 1 else (own.index(edge) / (len(own) - 1) - 0.5) * (BOX - 30)


def _box(name: str, x: float, y: float) -> str:
    package, _, inside = name.partition("/")
    above = f'<text x="{x:.1f}" y="{y - 6:.1f}" font-size="11" fill="#555">{package}/</text>' if inside else ""
    return (
        f'<g text-anchor="middle"><rect x="{x - BOX / 2:.1f}" y="{y - HIGH / 2:.1f}" width="{BOX}" height="{HIGH}" '
        f'rx="7" fill="#ffffff" stroke="{_colour(name)}" stroke-width="2"/>'
        f'<rect x="{x - BOX / 2:.1f}" y="{y - HIGH / 2:.1f}" width="{BOX}" height="{HIGH}" rx="7" '
        f'fill="{_colour(name)}" fill-opacity="0.1"/>{above}'
        f'<text x="{x:.1f}" y="{y + (11 if inside else 5):.1f}" font-size="15" font-weight="bold" fill="#222">'
        f"{inside or name}</text></g>"
    )


def _legend(y: int) -> Iterator[str]:
    """What the lines mean."""
    at, least = MARGIN, 1
    for most, width in WIDTHS:
        words = f"{least} to {most} imports" if most < WIDTHS[-1][0] else f"{least} and more"
        yield f'<path d="M{at} {y}h34" stroke="#555" stroke-width="{width}"/>'
        yield f'<text x="{at + 42}" y="{y + 4}" font-size="12" fill="#444">{words}</text>'
        at, least = at + 150, most + 1
    yield f'<path d="M{at} {y}h34" stroke="#555" stroke-width="{WIDTHS[1][1]}" stroke-opacity="0.25"/>'
    words = "pale: it also gets there by way of others"
    yield f'<text x="{at + 42}" y="{y + 4}" font-size="12" fill="#444">{words}</text>'


# --- the page --------------------------------------------------------------------------------------------------------


def page(graph: Graph) -> str:
    """The page around the picture: a sentence and a size for each room, from the top down."""
    rows = [
        f"| `{name}` | {_says(name)} | {graph.nodes[name]['files']} | {graph.nodes[name]['lines']:,} |"
        for layer in layers_of(graph)
        for name in layer
    ]
    return "\n".join(
        [
            "# The packages, and what imports what",
            "",
            "![Rooms in layers, each above all that it imports](packages.svg)",
            "",
            "Each room is a folder, and stands above all that it imports.",
            "`solver`, `games` and `cache` are installed as `rollwise.solver`, `rollwise.games` and `rollwise.cache`.",
            "Nothing imports from above, and no module comes back to itself by imports: tests see to it.",
            "`python scripts/draw_packages.py` wrote this page and the picture.",
            "",
            "The face alone, from a command down to what an answer is:",
            "",
            "![The rooms of the face](face.svg)",
            "",
            "Until November 2026 it was a single layer: 45 modules lay flat in `rollwise/`, and each of the eight",
            "folders beside them imported some of these and was imported by others.",
            "",
            "| room | what it holds | files | lines |",
            "| :-- | :-- | --: | --: |",
            *rows,
            "",
        ]
    )


def _says(name: str) -> str:
    """The first sentence of a room's package."""
    text = MEANING.get(name) or ast.get_docstring(ast.parse((ROOT / name / "__init__.py").read_text())) or ""
    sentence = " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".").replace("``", "`")
    return sentence[0].upper() + sentence[1:] if not sentence.startswith("`") else sentence


def main(folder: Path) -> int:
    """Write all three; returns how many imports point up or go round."""
    graph = rooms()
    (folder / "packages.svg").write_text(drawing(graph))
    (folder / "face.svg").write_text(drawing(face(graph)))
    (folder / "packages.md").write_text(page(graph))
    wrong = [*(f"upward: {said}" for said in upward(graph)), *(f"circle: {said}" for said in circles())]
    print("\n".join(wrong) or "no upward imports, no circles")
    return len(wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs", help="where they go (%(default)s)")
    sys.exit(min(main(parser.parse_args().folder), 1))
