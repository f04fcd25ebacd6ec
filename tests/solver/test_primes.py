"""Values modulo primes, put together, are the fractions of the plain way, whatever the floats are that chose."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.yahtzee.rules import Yahtzee
from rollwise.solutions import fractions
from rollwise.solutions.check import check
from rollwise.solutions.lookup import cache_only, load_or_solve
from rollwise.solver.exact import chinese_remainders, optimal
from rollwise.solver.exact.chinese_remainders import ExactProof, ModularSolver, random_primes
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.exact.primes import ModularPasses, PassResult
from rollwise.solver.model.errors import TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.board_solver import BoardSolver
from tests.solver.plain import thorough

Solved = tuple[TurnGame, Any, Any, Any, int]
BOXES = "fives,full house,yahtzee"


@dataclass(frozen=True)
class Least(Yahtzee):
    """Yahtzee for as few points as can be."""

    sense = "min"


@cache
def solved(sense: str, boxes: str = BOXES) -> Solved:
    made = (Yahtzee if sense == "max" else Least)(boxes=boxes, joker="free")
    graph = compile_turn(made)
    found = BoardSolver(made, graph, workers=1, compiled=False).solve()
    return made, graph, found.values, found.radius, made.boards().index_of(**made.first_board())


@cache
def plain(sense: str) -> optimal.ExactValues:
    game, graph, values, _, start = solved(sense)
    return solve_exact(game, graph, values, boards=[start])


def passes_through(game: Solved, off: float = 0.0) -> ModularPasses:
    """With floats that are wrong by up to ``off``, and say so."""
    made, graph, values, radius, start = game
    noise = np.random.default_rng(1).uniform(-off, off, len(values))
    return ModularPasses(made, graph, values + noise, radius + np.float32(off), start, workers=1)


def here(passes: ModularPasses, stop: int = 99) -> chinese_remainders.RunPasses:
    def run(groups: Sequence[Sequence[int]], others: Any) -> Iterable[PassResult]:
        for number, primes in enumerate(groups):
            if number == stop:
                raise KeyboardInterrupt
            yield passes.run(primes, passes.targets, others)

    return run


def found_by(passes: ModularPasses) -> ExactProof:
    return ModularSolver(passes).solve(here(passes))


def same_as_plain(found: ExactProof, sense: str) -> bool:
    return dict(zip(found.boards.tolist(), found.values, strict=True)) == {
        board: plain(sense).values[board] for board in found.boards.tolist()
    }


@pytest.mark.parametrize("sense", ["max", *thorough(("min",))])
def test_values_modulo_primes_make_the_fractions_of_the_plain_way(sense: str) -> None:
    made, graph, values, _, start = solved(sense)
    found = found_by(passes_through(solved(sense)))
    assert same_as_plain(found, sense)
    assert not len(found.others)
    known = dict(zip(found.boards.tolist(), found.values, strict=True))
    ahead = solve_exact(made, graph, values, boards=[start], boundary=known)
    assert ahead[start] == plain(sense)[start]
    assert ahead.nodes(start) == plain(sense).nodes(start)
    assert len(ahead.values) == len(known) + 1


@pytest.mark.parametrize("sense", [*thorough(("max",)), "min"])
def test_moves_that_wrong_floats_choose_are_mended_and_ties_stay(sense: str) -> None:
    """The floats are off by up to a third of a point: most moves are told apart by their differences alone."""
    passes = passes_through(solved(sense), off=0.3)
    found = found_by(passes)
    assert len(found.others) > 0
    assert len(found.listed) > len(found.others)
    assert all(value * passes.sign > 0 for value in found.worse)  # what is equally good is never listed
    assert same_as_plain(found, sense)
    tried = passes.run(random_primes(Random(1)), found.boards, found.others)
    assert found.agrees(tried, int(passes.sign)) is None
    less = replace(found, listed=found.listed[1:], worse=found.worse[1:])
    wrong = (found.values[0] + Fraction(1, 6**30), *found.values[1:])
    closer = (found.worse[0] + Fraction(1, 6**30), *found.worse[1:])
    for other in (less, replace(found, values=wrong), replace(found, worse=closer)):
        assert other.agrees(tried, int(passes.sign))


def test_a_wrong_difference_of_moves_is_not_taken_for_one() -> None:
    passes = passes_through(solved("max"), off=0.3)
    whole = ModularSolver(passes)
    whole.solve(here(passes))
    first, *others = whole.results
    differ = first.differ.copy()
    differ[0, 0] ^= 1
    whole.results = [replace(first, differ=differ), *others]
    with pytest.raises(ArithmeticError, match="differ by more"):
        whole.solve(here(passes))


@pytest.fixture
def short_primes(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that late sheets need several passes."""
    monkeypatch.setattr(chinese_remainders, "PRIME_LIMIT", 1 << 10)


def test_a_stopped_run_goes_on_from_the_last_pass_and_takes_up_nothing_else(short_primes: None) -> None:
    passes = passes_through(solved("max"))
    begun, again, whole = (ModularSolver(passes) for _ in range(3))
    with pytest.raises(KeyboardInterrupt):
        begun.solve(here(passes, stop=1))
    arrays, state = begun.checkpoint()
    assert again.fits(arrays, state)
    again.resume(arrays, state)
    assert (len(again.results), len(again.groups)) == (1, 2)
    assert again.solve(here(passes)).values == whole.solve(here(passes)).values
    for name, array in (("residues", arrays["residues"][:, :-1]), ("others", arrays["others"].astype(float))):
        assert not whole.fits({**arrays, name: array}, state)
    assert not whole.fits(arrays, {**state, "floats": "others"})
    arrays["residues"][0, 0, 0] ^= 1
    again.resume(arrays, state)
    with pytest.raises(ArithmeticError, match="outside its interval"):
        again.solve(here(passes))


def test_what_is_kept_answers_and_is_tried_at_other_primes(
    own_cache: Store, monkeypatch: pytest.MonkeyPatch, short_primes: None
) -> None:
    opened = load_or_solve(game := Yahtzee(boxes=BOXES, joker="free"), quiet=True).solution
    start = game.boards().index_of(**game.first_board())
    told: list[float] = []
    with cache_only(), pytest.raises(TooLarge):
        fractions.load_or_compute_fractions(opened, told.append, start)

    def elsewhere(groups: Sequence[Sequence[int]], others: Any) -> Iterable[PassResult]:
        given = pickle.dumps([("yahtzee", game.parameters(), start, primes, others.tolist()) for primes in groups])
        return (pickle.loads(pickle.dumps(fractions.run_pass(*each))) for each in pickle.loads(given))

    monkeypatch.setattr(fractions, "PASS_RUNNERS", [elsewhere])
    store, begun = fractions.fraction_store(), ModularSolver(fractions.prepare_passes(opened, start))
    with pytest.raises(KeyboardInterrupt):
        begun.solve(here(begun.passes, stop=1))
    arrays, state = begun.checkpoint()
    arrays["residues"][0, 0, 0] ^= 1  # an earlier run has left what looks right: it is found out, and done again
    store.checkpoint(store.key(game.name, fractions.fraction_identity(game, start))).save(arrays, state)
    first = fractions.load_or_compute_fractions(opened, told.append, start)
    assert first == {board: plain("max").values[board] for board in first}
    (key,) = store.keys()
    (checked,) = check(store)
    assert checked.verdict == "proved"
    (solved_key,) = own_cache.keys()
    own_cache.remove(solved_key)
    (checked,) = check(store)
    assert (checked.verdict, "solve it, and check again" in checked.detail) == ("stale", True)
    assert own_cache.keys() == []  # nothing is solved unasked
    opened = load_or_solve(game, quiet=True).solution
    monkeypatch.setattr(fractions, "_compute_fractions", Mock(side_effect=KeyboardInterrupt))
    assert fractions.load_or_compute_fractions(opened, told.append, start) == first
    entry = store.read(key)
    assert entry is not None
    values = entry.manifest["values"]
    near = str(Fraction(values[0]) + Fraction(1, 6**30))
    for changed, verdict in (([near, *values[1:]], "refuted"), (["7/2", *values[1:]], "damaged")):
        with store.lock(key):
            arrays = {name: entry.array(name) for name in entry.names}
            store.write(key, arrays, {**entry.manifest, "values": changed})
        assert [one.verdict for one in check(store)] == [verdict]
    with pytest.raises(KeyboardInterrupt):
        fractions.load_or_compute_fractions(opened, told.append, start)  # the damaged one is found again
    assert store.keys() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("joker", "digest"),  # docs/findings/exact.md
    [
        ("free", "713f75b3b65024eaeb629750283fb6fe39e3be83335dfa46b517f0fa47fd0f1f"),
        ("forced", "3f38af58d8a0684396c616f116ae9b685c917efa3b4cc6b8aee00cc28c5c16fa"),
    ],
)
def test_the_best_expected_score_of_yahtzee_is_this_fraction(joker: str, digest: str) -> None:
    exact = rollwise.solve("yahtzee", params={"joker": joker}, exact=True).exact
    assert exact is not None
    assert hashlib.sha256(exact.encode()).hexdigest() == digest
