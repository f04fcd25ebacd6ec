"""Exact values of the boards that a board leads to, where fractions in the plain way are too many: by primes, and kept.

``one_pass`` is a task of its own: plain words in, some numbers out, wherever it is done. ``PASSING`` says where.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rollwise.answers.plan import SolvePlan
from rollwise.cache.store import Entry, Store, StoreError
from rollwise.games.registry import game as registered
from rollwise.parsing.consent import DOOR
from rollwise.solutions.games import cache_only, is_only_kept, resumed, stored
from rollwise.solutions.identity import identity, is_here_alone
from rollwise.solutions.machine import rate
from rollwise.solutions.notes import note
from rollwise.solutions.plans import announce
from rollwise.solutions.sound import FRACTION, read_from, require
from rollwise.solutions.unkept import note_store_error, recall, remember
from rollwise.solutions.waiting import locked
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Report, Solution
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.long_fractions import fraction_of, fraction_text
from rollwise.solver.model.sheet import no_fractions

if TYPE_CHECKING:
    from rollwise.solver.exact.crt import Recombined, Run
    from rollwise.solver.exact.primes import Ints, Passed, Passes

PASSING: list[Run] = []  # the last of them does all passes, in the order of their primes; else they are done here
AN_EDGE = 0.6e-9  # seconds for an edge of a board and eight primes, with two workers
A_BOARD, A_LEAF, MOST_DIGITS = 80, 16, 20_000  # bytes: of memory by board, by edge; of a fraction that is read
# No wrong fraction passes eight primes drawn by lot more often: of its difference, of MOST_DIGITS and few more, at most
# 2,300 primes from 2^30 on are factors, and above each 300 numbers lead to it: (2300 * 300 / 2^30) ** 8 < 1e-20.
CHANCE = "1e-20"


def kept_fractions() -> Store:
    """Where fractions are kept: beside the solved games."""
    return Store().part("fractions")


def about_fractions(game: TurnGame, board: int) -> dict[str, Any]:
    """What fractions depend on."""
    return {**identity(game), "board": board}


def one_pass(
    name: str, parameters: Mapping[str, Any], board: int, primes: Sequence[int], others: Sequence[Sequence[int]]
) -> Passed:
    """One pass through a game that is solved, or is solved now, modulo eight primes: of boards that this one leads to.

    ``others``: moves that are played though their floats are not best.
    """
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in parameters.items()}
    made = registered(name, given)
    assert isinstance(made, TurnGame)
    passes = _prepared(made.part(), board)
    return passes.run(primes, passes.wanted, np.array(others, dtype=np.int64).reshape(-1, 3))


@lru_cache(1)
def _prepared(game: TurnGame, board: int) -> Passes:
    return passes_of(stored(game, quiet=True).opened, board)


def passes_of(opened: Solution, board: int) -> Passes:
    """What passes through a solved game take."""
    from rollwise.solver.exact.primes import Passes

    values, radius = (opened.kept.whole(name) for name in ("values", "radius"))
    return Passes(opened.game, opened.graph, values, radius, board, uses=kind_of(opened.game).uses(opened.game))


def known_ahead(opened: Solution, report: Report, board: int) -> dict[int, Fraction]:
    """The exact values of the boards that this one leads to: as they are kept, or found now and kept."""
    store = kept_fractions()
    key = store.key(opened.game.name, about_fractions(opened.game, board))
    kept = recall(store, key) or _kept(store, key, opened, board)
    if kept is None:
        if is_only_kept():  # on the page
            raise no_fractions(opened.game)
        passes = passes_of(opened, board)
        tell(opened.game, passes)
        try:
            with locked(store, key):
                kept = _kept(store, key, opened, board) or _found(store, key, passes, board, report)
        except StoreError as error:
            note_store_error(error)
            kept = _found(None, key, passes, board, report)
            remember(store, key, kept, error)
    return dict(zip(kept.boards.tolist(), kept.values, strict=True))


def may_take(game: TurnGame, boards: int, edges: int, seconds: float) -> bool:
    """May fractions in the plain way take so long? Whoever hears of large solves hears of it, and may stop it."""
    from rollwise.solver.kinds.cost_model import PROGRAM

    if is_only_kept() or DOOR.get() is None:
        return False
    plan = SolvePlan(boards, edges, float(f"{seconds * rate():.2g}"), PROGRAM + A_LEAF * boards * edges, 0, False)
    announce(game, plan)
    return True


def tell(game: TurnGame, passes: Passes) -> None:
    """Whoever hears of large solves hears of this one."""
    from rollwise.solver.exact.crt import ByPrimes
    from rollwise.solver.kinds.cost_model import PROGRAM

    n_passes = len(ByPrimes(passes).groups)
    seconds = AN_EDGE * n_passes * passes.n_boards * passes.n_edges * rate()
    memory = PROGRAM + A_BOARD * game.boards().size
    announce(game, SolvePlan(passes.n_boards, passes.n_edges, float(f"{seconds:.2g}"), memory, 1 << 20, False))


def _found(store: Store | None, key: str, passes: Passes, board: int, report: Report) -> Recombined:
    from rollwise.solver.exact.crt import ByPrimes
    from rollwise.solver.exact.primes import NONE

    began, solver, done = [time.perf_counter()], ByPrimes(passes), [0.0]

    def share(part: float) -> None:
        done[0] = (len(solver.found) + part) / len(solver.groups)
        report(done[0])

    def here(groups: Sequence[Sequence[int]], others: Ints) -> Iterator[Passed]:
        return (passes.run(primes, passes.wanted, others, share) for primes in groups)

    about = about_fractions(passes.game, board)
    checkpoint = None if store is None or is_here_alone(about) else store.checkpoint(key)
    with resumed(checkpoint, lambda: {**about, "done": min(1.0, done[0])}, solver, began=began) as save:
        try:
            found = solver.solve(PASSING[-1] if PASSING else here, save)
        except ArithmeticError as error:  # of what an earlier run has left, if all is well
            note(f"{error}; starting afresh")
            solver.found, solver.others = [], NONE
            try:
                found = solver.solve(PASSING[-1] if PASSING else here, save)
            except ArithmeticError as again:
                raise ModelError(f"{again}, and so they did before; the fraction is not believed") from None
    facts = {"boards": passes.n_boards, "seconds": round(time.perf_counter() - began[0], 3)}
    if store is not None and checkpoint is not None:
        plain = {name: list(map(fraction_text, getattr(found, name))) for name in ("values", "worse")}
        arrays = {"boards": found.boards, "others": found.others, "listed": found.listed}
        try:
            store.write(key, arrays, {**about, **plain, "facts": facts})
            checkpoint.discard()
        except StoreError as error:
            remember(store, key, found, error)
    return found


def _kept(store: Store, key: str, opened: Solution, board: int) -> Recombined | None:
    """What is kept; None where nothing is, or what there is cannot be right, which is told."""
    try:
        entry = store.read(key)
        if entry is None:
            return None
        store.use(key)
        return read_fractions(entry, opened, board)
    except StoreError as error:
        note_store_error(error)
        with suppress(StoreError):
            store.remove(key)
        return None


def read_fractions(entry: Entry, opened: Solution, board: int) -> Recombined:
    """The fractions of an entry: of the boards that this one leads to, within their intervals. Or ``DamagedEntry``."""
    from rollwise.solver.exact.crt import Recombined
    from rollwise.solver.exact.primes import boards_ahead

    game = opened.game
    arrays = {name: entry.array(name) for name in ("boards", "others", "listed") if name in entry.names}
    with read_from(entry.key):
        values, worse = (_fractions(entry.manifest[name]) for name in ("values", "worse"))
        found = Recombined(arrays["boards"], values, arrays["others"], arrays["listed"], worse)
        require(all(array.dtype == np.int64 for array in arrays.values()), "a number")
        ahead = boards_ahead(game, opened.graph, board, kind_of(game).uses(game))
        require(np.array_equal(found.boards, ahead) and len(values) == len(ahead), "boards")
        require(found.others.shape == (len(found.others), 3) and found.listed.shape == (len(worse), 4), "moves")
        near = zip(values, *map(np.ndarray.tolist, opened.read(ahead)), strict=True)
        require(all(abs(value - Fraction(middle)) <= radius for value, middle, radius in near), "a fraction")
        return found


def _fractions(told: Any) -> tuple[Fraction, ...]:
    require(
        isinstance(told, list) and all(isinstance(one, str) and len(one) < MOST_DIGITS for one in told), "fractions"
    )
    require(all(FRACTION.fullmatch(one) for one in told), "fractions")
    return tuple(map(fraction_of, told))


def wrong_with_fractions(entry: Entry, game: TurnGame) -> str | None:
    """What is wrong with fractions that are kept: they are tried at eight primes that were drawn by lot, in words.

    Raises Unsolved where the game itself is kept no more.
    """
    from rollwise.solver.exact.crt import drawn

    with read_from(entry.key):
        board = entry.manifest["board"]
        require(type(board) is int and 0 <= board < game.boards().size, "board")
    with cache_only():  # whose floats chose
        opened = stored(game, quiet=True).opened
    found, passes = read_fractions(entry, opened, board), passes_of(opened, board)
    with read_from(entry.key):
        require(passes.may_play(found.others), "moves")
    tried = passes.run(drawn(secrets.SystemRandom()), found.boards, found.others)
    return found.agrees(tried, int(passes.sign))


def proved_fractions(entry: Entry) -> str:
    """What became of it, in words."""
    count = len(entry.manifest["values"])
    return f"{count} fractions agree modulo eight primes drawn by lot; a wrong one does with a chance below {CHANCE}"
