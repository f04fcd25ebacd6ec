"""Parsing and refuting of cache entries, which are data from outside: any other form is damage."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rollwise.cache.entry import FIELD_ERRORS
from rollwise.cache.store import DamagedEntry, Entry
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import SolutionArrays, Tools
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import ARRAYS, CHANCE, CHOICE, TurnGraph, from_plain, to_plain

NAMELESS = "its manifest does not say which game it is"
FRACTION = re.compile(r"-?\d+(/\d+)?")  # Fraction() takes 1e999999999 too, which fills a gigabyte
LARGE_EXPONENT = re.compile(r'"[-+\d._/]*[eE][-+_]?\d{4}')
TURN_DTYPES = dict(zip(ARRAYS, ["i8", "i8", "i4", "i8", "i8", "i1", "i4", "i8", "u8", "i4", "b1"], strict=True))
DATA_ERRORS = (*FIELD_ERRORS, ArithmeticError, AssertionError, MemoryError)  # what wrong data makes code raise


@contextmanager
def reading_entry(key: str) -> Iterator[None]:
    """Turn any error of wrong data inside the block into ``DamagedEntry``."""
    try:
        yield
    except DATA_ERRORS as error:
        raise DamagedEntry(key, f"it does not hold what is written here ({type(error).__name__}: {error})") from error


@contextmanager
def blaming_entry(key: str, refute: Callable[[], str | None]) -> Iterator[None]:
    """Turn an error inside the block into ``DamagedEntry`` where ``refute`` names a flaw of the entry."""
    try:
        yield
    except DATA_ERRORS as error:
        with reading_entry(key):
            flaw = refute()
        if flaw:
            raise DamagedEntry(key, flaw) from error
        raise


def refute_entry(entry: Entry, game: TurnGame, graph: TurnGraph, arrays: SolutionArrays, tools: Tools) -> str | None:
    """Flaw of a stored solution, in words, after a full proof from a freshly compiled turn; None where it holds."""
    facts = parse_facts(entry)
    try:
        return refute_turn(entry, graph) or kind_of(game).prove(game, graph, arrays, facts, tools)
    except RollwiseError as error:  # the stored numbers are not to blame: a game file's mistake
        return str(error)


def refute_turn(entry: Entry, graph: TurnGraph) -> str | None:
    """Difference of the stored turn from the one that the rules give, in words; None where they agree."""
    arrays, plain = to_plain(graph)
    for name in ARRAYS:
        array_name = f"turn_{name}"
        array = entry.array(array_name) if array_name in entry.names else None
        if array is None or array.dtype != arrays[array_name].dtype or not np.array_equal(array, arrays[array_name]):
            return f"{array_name} is not what the rules of the turn give"
    return None if entry.manifest.get("turn") == plain else "the turn's leaves are not what its rules give"


def parse_facts(entry: Entry) -> dict[str, Any]:
    """Facts of a solve in an entry, checked. Raises ``DamagedEntry``."""
    with reading_entry(entry.key):
        facts = dict(entry.manifest["facts"])
        boards, seconds, method = facts["boards"], facts["seconds"], facts["method"]
        require(type(boards) is int and 0 <= boards < 1 << 62 and isinstance(method, str), "facts")
        require(type(seconds) in (int, float) and 0 <= seconds < 1e12, "seconds")
        require(facts.get("start", True) and LARGE_EXPONENT.search(json.dumps(facts)) is None, "odds")
        require("values" not in entry.names or entry.files["values"].dtype == np.float64, "values")
        for name, odds in facts.get("start", {}).items():
            require(is_bounded(odds["value"], odds["lower"], odds["upper"]), "odds")
            exact = odds["exact"] if isinstance(odds["exact"], list) else [odds["exact"] or "0"]
            require(all(FRACTION.fullmatch(number) for number in exact), "fractions")
            require(not name.endswith("_distribution") or odds["tail"]["upper"] >= 0, "tail")
        return facts


def is_bounded(value: object, lower: Any, upper: Any) -> bool:
    """True where lower <= upper and all are numbers: one of each, or lists or dictionaries of one shape."""
    if isinstance(value, (list, dict)):
        places: Iterable[Any] = value if isinstance(value, dict) else range(len(value))
        same = type(value) is type(lower) is type(upper) and len(value) == len(lower) == len(upper)
        return same and all(is_bounded(value[at], lower[at], upper[at]) for at in places)
    return all(type(number) in (int, float) for number in (value, lower, upper)) and lower <= upper


def parse_turn(entry: Entry) -> TurnGraph:
    """Compiled turn of an entry, checked: children come before their parents, and all lengths agree.

    Raises ``DamagedEntry``.
    """
    arrays = {f"turn_{name}": entry.array(f"turn_{name}") for name in ARRAYS if f"turn_{name}" in entry.names}
    with reading_entry(entry.key):
        plain = entry.manifest["turn"]
        require(all(FRACTION.fullmatch(number) for leaf in plain["leaves"] for number in leaf[1:]), "leaves")
        graph = from_plain(arrays, plain)
        n, n_leaves, n_edges = len(graph.kind), graph.n_leaves, graph.n_edges
        lengths: dict[str, tuple[int, ...]] = dict.fromkeys(("kind", "total", "made"), (n,))
        lengths |= {"start": (n + 1,), "child": (n_edges,), "weight": (n_edges,)}
        lengths |= {"state_node": graph.state_hash.shape, "root_leaves": (len(graph.roots), n_leaves)}
        for name, dtype in TURN_DTYPES.items():
            array = getattr(graph, name)
            require(array.dtype == np.dtype(dtype) and array.shape == lengths.get(name, array.shape), name)
        count = np.diff(graph.start)
        require(graph.start[0] == 0 and graph.start[-1] == n_edges and (count > 0).all(), "start")
        parents = np.repeat(n_leaves + np.arange(n), count)
        require(((graph.child >= 0) & (graph.child < parents)).all() and (graph.weight >= 0).all(), "child")
        sums = np.add.reduceat(graph.weight, graph.start[:-1]) if n else graph.total
        require((sums == graph.total).all() and ((graph.total > 0) == (graph.kind == CHANCE)).all(), "total")
        kinds, firsts, ends = graph.segments.reshape(-1, 3).T
        require(np.isin(kinds, (CHANCE, CHOICE)).all() and (firsts < ends).all(), "segments")
        require([n_leaves, *ends.tolist()] == [*firsts.tolist(), n_leaves + n], "segments")
        require((np.repeat(kinds, ends - firsts) == graph.kind).all(), "kind")
        require((np.sort(graph.made) == np.arange(n)).all(), "made")
        for nodes in (graph.roots, graph.state_node):
            require(nodes.ndim == 1 and ((nodes >= 0) & (nodes < graph.n_nodes)).all(), "nodes")
        require(type(graph.terms) is int and 0 < graph.terms < 1 << 31, "terms")
        results = [leaf.result for leaf in graph.leaves]
        require(all(type(result) is int and -1 <= result < len(graph.results) for result in results), "leaves")
        return graph


def require(condition: object, subject: str) -> None:
    """Raise ``ValueError`` where the condition is false."""
    if not condition:
        raise ValueError(f"{subject} cannot be so")
