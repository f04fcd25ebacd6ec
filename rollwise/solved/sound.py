"""What an entry of the cache holds is data from outside: what has not the form that is written here is damaged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rollwise.cache.entry import UNFIT
from rollwise.cache.store import DamagedEntry, Entry
from rollwise.solver.turn.graph import ARRAYS, CHANCE, CHOICE, TurnGraph, from_plain

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
def blamed(key: str, is_kept: bool) -> Iterator[None]:
    """What goes wrong in an answer is the fault of the entry if that cannot be proved: ``DamagedEntry``."""
    try:
        yield
    except OF_DATA as error:
        from rollwise.solved.check import check

        verdicts = [(one.verdict, one.detail) for one in check(keys=[key])] if is_kept else []
        for verdict, detail in verdicts:
            if verdict in ("damaged", "refuted"):
                raise DamagedEntry(key, detail) from error
        raise


def facts_in(entry: Entry) -> dict[str, Any]:
    """What an entry tells of a solve. Raises ``DamagedEntry``."""
    with read_from(entry.key):
        facts = dict(entry.manifest["facts"])
        boards, seconds, method = facts["boards"], facts["seconds"], facts["method"]
        require(type(boards) is int and 0 <= boards < 1 << 62 and isinstance(method, str), "facts")
        require(type(seconds) in (int, float) and 0 <= seconds < 1e12, "seconds")
        require(facts.get("start", True) and EXPONENT.search(json.dumps(facts)) is None, "odds")
        return facts


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
