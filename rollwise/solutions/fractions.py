"""Exact values of the successors of a board, by modular arithmetic where plain fractions cost too much; stored.

``run_pass`` is a task of its own, with plain data in and out, so that any process can do it (``PASS_RUNNERS``).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.cache.store import Entry, Store, StoreError
from rollwise.games.registry import game as registered
from rollwise.parsing.consent import CONSENT
from rollwise.solutions.entry_lock import locking
from rollwise.solutions.entry_parsing import FRACTION, reading_entry, require
from rollwise.solutions.identity import identity, is_process_local
from rollwise.solutions.in_memory import note_store_error, read_stored, recall, remember
from rollwise.solutions.lookup import cache_only, is_cache_only, load_or_solve, resuming
from rollwise.solutions.notes import note
from rollwise.solutions.plans import SolvePlan, announce, rate
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Report, Solution
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import fraction_of, fraction_text
from rollwise.solver.model.sheet import no_fractions

if TYPE_CHECKING:
    from rollwise.solver.exact.chinese_remainders import ExactProof, RunPasses
    from rollwise.solver.exact.primes import Ints, ModularPasses, PassResult

PASS_RUNNERS: list[RunPasses] = []  # the last one runs all passes, in the order of their primes; if none, this process
EDGE_S = 0.6e-9  # seconds by edge of a board and eight primes, with two workers
BOARD_BYTES, EDGE_BYTES, MAX_FRACTION_CHARS = 80, 16, 20_000  # memory by board and by edge; length of a fraction
# Chance that a wrong fraction passes eight random primes: at most 2,300 primes from 2^30 on divide its difference, of
# about MAX_FRACTION_CHARS digits, and 300 numbers below lead to each of them: (2300 * 300 / 2^30) ** 8 < 1e-20.
MAX_ERROR_CHANCE = "1e-20"


def fraction_store() -> Store:
    """Store of fractions, apart from the solved games."""
    return Store().substore("fractions")


def fraction_identity(game: TurnGame, board: int) -> dict[str, Any]:
    """Identity of the fractions of a board's successors."""
    return {**identity(game), "board": board}


def run_pass(
    name: str, parameters: Mapping[str, Any], board: int, primes: Sequence[int], others: Sequence[Sequence[int]]
) -> PassResult:
    """Values of the successors of a board modulo eight primes, by one pass through the game, solved if need be.

    ``others``: rows of moves that are played though their floating-point values are not best.
    """
    game: Any = registered(name, dict(parameters))
    passes = _load_passes(game.part(), board)
    return passes.run(primes, passes.targets, np.array(others, dtype=np.int64).reshape(-1, 3))


@lru_cache(1)
def _load_passes(game: TurnGame, board: int) -> ModularPasses:
    return prepare_passes(load_or_solve(game, quiet=True).solution, board)


def prepare_passes(solution: Solution, board: int) -> ModularPasses:
    """Modular passes through a solved game, for the successors of a board."""
    from rollwise.solver.exact.primes import ModularPasses

    values, radius = (solution.arrays.whole(name) for name in ("values", "radius"))
    game = solution.game
    return ModularPasses(game, solution.graph, values, radius, board, uses=kind_of(game).uses(game))


def load_or_compute_fractions(solution: Solution, report: Report, board: int) -> dict[int, Fraction]:
    """Exact values of the successors of a board: loaded from the cache, or computed now and stored."""
    store = fraction_store()
    key = store.key(solution.game.name, fraction_identity(solution.game, board))
    parse = partial(parse_fraction_entry, solution=solution, board=board)
    proof = recall(store, key) or read_stored(store, key, parse)
    if proof is None:
        if is_cache_only():  # on the page
            raise no_fractions(solution.game)
        passes = prepare_passes(solution, board)
        announce_fractions(solution.game, passes)
        try:
            with locking(store, key):
                stored = read_stored(store, key, parse)
                proof = stored or _compute_fractions(store, key, passes, board, report)
        except StoreError as error:
            note_store_error(error)
            proof = _compute_fractions(None, key, passes, board, report)
            remember(store, key, proof, error)
    return dict(zip(proof.boards.tolist(), proof.values, strict=True))


def is_long_solve_allowed(game: TurnGame, boards: int, edges: int, seconds: float) -> bool:
    """True where plain fractions may take this long; announced like a large solve, so that the user can stop it."""
    from rollwise.solver.kinds.cost_model import PROGRAM_BYTES

    if is_cache_only() or CONSENT.get() is None:
        return False
    memory = PROGRAM_BYTES + EDGE_BYTES * boards * edges
    plan = SolvePlan(boards, edges, float(f"{seconds * rate():.2g}"), memory, 0, False)
    announce(game, plan)
    return True


def announce_fractions(game: TurnGame, passes: ModularPasses) -> None:
    """Announce the passes with their plan, as large solves are announced."""
    from rollwise.solver.exact.chinese_remainders import ModularSolver
    from rollwise.solver.kinds.cost_model import PROGRAM_BYTES

    n_passes = len(ModularSolver(passes).groups)
    seconds = EDGE_S * n_passes * passes.n_boards * passes.n_edges * rate()
    memory = PROGRAM_BYTES + BOARD_BYTES * game.boards().size
    announce(game, SolvePlan(passes.n_boards, passes.n_edges, float(f"{seconds:.2g}"), memory, 1 << 20, False))


def _compute_fractions(store: Store | None, key: str, passes: ModularPasses, board: int, report: Report) -> ExactProof:
    from rollwise.solver.exact.chinese_remainders import ModularSolver
    from rollwise.solver.exact.primes import NO_MOVES

    began, solver, done = [time.perf_counter()], ModularSolver(passes), [0.0]

    def share(part: float) -> None:
        done[0] = (len(solver.results) + part) / len(solver.groups)
        report(done[0])

    def run_here(groups: Sequence[Sequence[int]], others: Ints) -> Iterator[PassResult]:
        return (passes.run(primes, passes.targets, others, share) for primes in groups)

    about = fraction_identity(passes.game, board)
    checkpoint = None if store is None or is_process_local(about) else store.checkpoint(key)
    with resuming(checkpoint, lambda: {**about, "done": min(1.0, done[0])}, solver, began=began) as save:
        try:
            proof = solver.solve(PASS_RUNNERS[-1] if PASS_RUNNERS else run_here, save)
        except ArithmeticError as error:  # from the checkpoint of an earlier run, most likely
            note(f"{error}; starting afresh")
            solver.results, solver.others = [], NO_MOVES
            try:
                proof = solver.solve(PASS_RUNNERS[-1] if PASS_RUNNERS else run_here, save)
            except ArithmeticError as again:
                raise ModelError(f"{again}, and so they did before; the fraction is not believed") from None
    facts = {"boards": passes.n_boards, "seconds": round(time.perf_counter() - began[0], 3)}
    if store is not None and checkpoint is not None:
        plain = {name: list(map(fraction_text, getattr(proof, name))) for name in ("values", "worse")}
        arrays = {"boards": proof.boards, "others": proof.others, "listed": proof.listed}
        try:
            store.write(key, arrays, {**about, **plain, "facts": facts})
            checkpoint.discard()
        except StoreError as error:
            remember(store, key, proof, error)
    return proof


def parse_fraction_entry(entry: Entry, solution: Solution, board: int) -> ExactProof:
    """Fractions of an entry: one for each successor, within its interval. Raises ``DamagedEntry``."""
    from rollwise.solver.exact.chinese_remainders import ExactProof
    from rollwise.solver.exact.primes import successors_of

    game = solution.game
    arrays = {name: entry.array(name) for name in ("boards", "others", "listed") if name in entry.names}
    with reading_entry(entry.key):
        values, worse = (_parse_fractions(entry.manifest[name]) for name in ("values", "worse"))
        proof = ExactProof(arrays["boards"], values, arrays["others"], arrays["listed"], worse)
        require(all(array.dtype == np.int64 for array in arrays.values()), "a number")
        ahead = successors_of(game, solution.graph, board, kind_of(game).uses(game))
        require(np.array_equal(proof.boards, ahead) and len(values) == len(ahead), "boards")
        require(proof.others.shape == (len(proof.others), 3) and proof.listed.shape == (len(worse), 4), "moves")
        exact_and_float = zip(values, *map(np.ndarray.tolist, solution.read(ahead)), strict=True)
        require(all(abs(value - Fraction(middle)) <= radius for value, middle, radius in exact_and_float), "a fraction")
        return proof


def _parse_fractions(texts: Any) -> tuple[Fraction, ...]:
    require(isinstance(texts, list) and all(isinstance(text, str) for text in texts), "fractions")
    require(all(len(text) < MAX_FRACTION_CHARS and FRACTION.fullmatch(text) for text in texts), "fractions")
    return tuple(map(fraction_of, texts))


def refute_fractions(entry: Entry, game: TurnGame) -> str | None:
    """Flaw of stored fractions, in words, from a pass modulo eight random primes; None where they agree.

    Raises Unsolved where the game itself is no longer stored.
    """
    from rollwise.solver.exact.chinese_remainders import random_primes

    with reading_entry(entry.key):
        board = entry.manifest["board"]
        require(type(board) is int and 0 <= board < game.boards().size, "board")
    with cache_only():  # its floating-point values chose the moves
        solution = load_or_solve(game, quiet=True).solution
    proof, passes = parse_fraction_entry(entry, solution, board), prepare_passes(solution, board)
    with reading_entry(entry.key):
        require(passes.may_play(proof.others), "moves")
    residues = passes.run(random_primes(secrets.SystemRandom()), proof.boards, proof.others)
    return proof.agrees(residues, int(passes.sign))


def describe_fraction_proof(entry: Entry) -> str:
    """Proof of an entry of fractions, in words."""
    count = len(entry.manifest["values"])
    agreed = f"{count} fractions agree modulo eight primes drawn by lot"
    return f"{agreed}; a wrong one does with a chance below {MAX_ERROR_CHANCE}"
