"""What an entry of the cache holds is data from outside: what has not the form that is written here is damaged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rollwise.cache.entry import UNFIT
from rollwise.cache.store import DamagedEntry, Entry
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import SolutionArrays, Tools
from rollwise.solver.model.errors import RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import ARRAYS, CHANCE, CHOICE, TurnGraph, from_plain, to_plain

FRACTION = re.compile(r"-?\d+(/\d+)?")  # 1e999999999 is one too, and takes a gigabyte
EXPONENT = re.compile(r'"[-+\d._/]*[eE][-+_]?\d{4}')
DTYPES = dict(zip(ARRAYS, ["i8", "i8", "i4", "i8", "i8", "i1", "i4", "i8", "u8", "i4", "b1"], strict=True))
OF_DATA = (*UNFIT, ArithmeticError, AssertionError, MemoryError)  # what wrong data makes code raise


@contextmanager
def read_from(key: str) -> Iterator[None]:
    """Whatever goes wrong while something is made of an entry is the entry's fault: ``DamagedEntry``."""
    try:
        yield
    except OF_DATA as error:
        raise DamagedEntry(key, f"it does not hold what is written here ({type(error).__name__}: {error})") from error


@contextmanager
def blamed(key: str, proof: Callable[[], str | None]) -> Iterator[None]:
    """What goes wrong in an answer is the fault of the entry if ``proof`` says what is wrong with it: DamagedEntry."""
    try:
        yield
    except OF_DATA as error:
        with read_from(key):
            wrong = proof()
        if wrong:
            raise DamagedEntry(key, wrong) from error
        raise


def wrong_with(entry: Entry, game: TurnGame, graph: TurnGraph, kept: SolutionArrays, tools: Tools) -> str | None:
    """What is wrong with a stored solve, in words, once all of it was proved again from a turn compiled afresh."""
    facts = facts_in(entry)
    try:
        return other_turn(entry, graph) or kind_of(game).prove(game, graph, kept, facts, tools)
    except RollwiseError as error:  # the stored numbers are not to blame: a game file's mistake
        return str(error)


def other_turn(entry: Entry, graph: TurnGraph) -> str | None:
    """The stored turn is the one that the rules give now; what is wrong with it, in words."""
    arrays, plain = to_plain(graph)
    for name in ARRAYS:
        stored = f"turn_{name}"
        there = entry.array(stored) if stored in entry.names else None
        if there is None or there.dtype != arrays[stored].dtype or not np.array_equal(there, arrays[stored]):
            return f"{stored} is not what the rules of the turn give"
    return None if entry.manifest.get("turn") == plain else "the turn's leaves are not what its rules give"


def facts_in(entry: Entry) -> dict[str, Any]:
    """What an entry tells of a solve. Raises ``DamagedEntry``."""
    with read_from(entry.key):
        facts = dict(entry.manifest["facts"])
        boards, seconds, method = facts["boards"], facts["seconds"], facts["method"]
        require(type(boards) is int and 0 <= boards < 1 << 62 and isinstance(method, str), "facts")
        require(type(seconds) in (int, float) and 0 <= seconds < 1e12, "seconds")
        require(facts.get("start", True) and EXPONENT.search(json.dumps(facts)) is None, "odds")
        require("values" not in entry.names or entry.files["values"].dtype == np.float64, "values")
        for name, odds in facts.get("start", {}).items():
            require(bounded(odds["value"], odds["lower"], odds["upper"]), "odds")
            exact = odds["exact"] if isinstance(odds["exact"], list) else [odds["exact"] or "0"]
            require(all(FRACTION.fullmatch(number) for number in exact), "fractions")
            require(not name.endswith("_distribution") or odds["tail"]["upper"] >= 0, "tail")
        return facts


def bounded(value: object, lower: Any, upper: Any) -> bool:
    """Are these numbers between bounds, one, or many of one shape?"""
    if isinstance(value, (list, dict)):
        places: Iterable[Any] = value if isinstance(value, dict) else range(len(value))
        same = type(value) is type(lower) is type(upper) and len(value) == len(lower) == len(upper)
        return same and all(bounded(value[at], lower[at], upper[at]) for at in places)
    return all(type(number) in (int, float) for number in (value, lower, upper)) and lower <= upper


def turn_in(entry: Entry) -> TurnGraph:
    """The compiled turn of an entry: children come before those who read them, and all is of one length.

    Raises ``DamagedEntry``.
    """
    arrays = {f"turn_{name}": entry.array(f"turn_{name}") for name in ARRAYS if f"turn_{name}" in entry.names}
    with read_from(entry.key):
        plain = entry.manifest["turn"]
        require(all(FRACTION.fullmatch(number) for leaf in plain["leaves"] for number in leaf[1:]), "leaves")
        graph = from_plain(arrays, plain)
        n, n_leaves, n_edges = len(graph.kind), graph.n_leaves, graph.n_edges
        lengths: dict[str, tuple[int, ...]] = dict.fromkeys(("kind", "total", "made"), (n,))
        lengths |= {"start": (n + 1,), "child": (n_edges,), "weight": (n_edges,)}
        lengths |= {"state_node": graph.state_hash.shape, "root_leaves": (len(graph.roots), n_leaves)}
        for name, dtype in DTYPES.items():
            array = getattr(graph, name)
            require(array.dtype == np.dtype(dtype) and array.shape == lengths.get(name, array.shape), name)
        count = np.diff(graph.start)
        require(graph.start[0] == 0 and graph.start[-1] == n_edges and (count > 0).all(), "start")
        readers = np.repeat(n_leaves + np.arange(n), count)
        require(((graph.child >= 0) & (graph.child < readers)).all() and (graph.weight >= 0).all(), "child")
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


def require(holds: object, what: str) -> None:
    """Raise ``ValueError`` where something does not hold."""
    if not holds:
        raise ValueError(f"{what} cannot be so")
