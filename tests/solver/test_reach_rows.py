"""Boards in rows: their values are those of the general solver and of fractions, proved, and refuted once changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.sixzee.rules import SixzeeReach
from rollwise.games.yahtzee.rules import YahtzeeForTwo, YahtzeeReach
from rollwise.solutions.lookup import is_solved, load_or_solve
from rollwise.solver.components import checkpoints
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import InMemory, SolveResult, Tools
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.rows import Rows
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.values import rows
from rollwise.solver.values.board_solver import BoardSolver
from rollwise.solver.values.rows import RowSolver, sweep_rows
from tests.asked import ask
from tests.solver.plain import slow, thorough

Arrays = dict[str, Any]
GAMES = {
    "free jokers": YahtzeeReach(boxes="ones,yahtzee", joker="free").part(),
    "a shared end": YahtzeeReach(boxes="yahtzee", worths=(5, 3, 3, 1, 0), per=7).part(),
    "jokers, after the last of them": YahtzeeReach(boxes="sixes,yahtzee,full house", below="yahtzee 50"),
}
LARGER = {
    "two numbers": YahtzeeReach(boxes="ones,twos").part(),
    "hundreds": YahtzeeReach(boxes="full house,yahtzee,sixes").part(),
    "straights": YahtzeeReach(boxes="ones,yahtzee,small straight,chance", joker="free").part(),
    "sixzee": SixzeeReach(boxes="ones,sixzee").part(),
    "shapes": SixzeeReach(boxes="ones,3-2-1,sixzee").part(),
}
each = pytest.mark.parametrize(
    "name", ["free jokers", *thorough(*((name,) for name in [*GAMES][1:])), *slow(*((name,) for name in LARGER))]
)
SMALL, DUEL = "free jokers", "for two"


@cache
def solved(name: str) -> tuple[TurnGame, TurnGraph, SolveResult, Rows]:
    game = YahtzeeForTwo(boxes="ones,chance", players=2).part() if name == DUEL else (GAMES | LARGER)[name]
    graph = compile_turn(game)
    space = game.boards()
    assert isinstance(space, Rows)
    return game, graph, kind_of(game).solve(game, graph, Tools()), space


def proof(name: str, **changed: Any) -> str | None:
    game, graph, found, _ = solved(name)
    arrays = {array: values.copy() for array, values in found.arrays.items()} | changed
    return kind_of(game).prove(game, graph, InMemory(arrays), found.facts, Tools())


@each
def test_rows_are_worth_what_the_general_solver_and_fractions_find(name: str) -> None:
    game, graph, found, space = solved(name)
    values, radius = found.arrays["values"], found.arrays["values"] * np.repeat(found.arrays["part_off"], space.lengths)
    boards = BoardSolver(game, graph, workers=1, compiled=False).solve()
    assert (abs(values - boards.values) <= radius + boards.radius).all()
    exact = solve_exact(game, graph, values).values
    assert len(exact) == space.size
    for board, value in exact.items():
        assert abs(value - Fraction(float(values[board]))) <= Fraction(float(radius[board])), space.board(board)
    assert proof(name) is None


CHANGES: dict[str, Callable[[Arrays], Arrays]] = {
    "a value moved up": lambda of: {"values": moved(of, 1e-9)},
    "a value moved down": lambda of: {"values": moved(of, -1e-9)},
    "a value that is none": lambda of: {"values": moved(of, np.nan)},
    "a radius shrunk": lambda of: {"part_off": of["part_off"] / 4},
    "no radius": lambda of: {"part_off": np.zeros_like(of["part_off"])},
    "a radius below 0": lambda of: {"part_off": -of["part_off"]},
    "a radius that is none": lambda of: {"part_off": np.full_like(of["part_off"], np.nan)},
    "a row longer, another shorter": lambda of: {"lengths": of["lengths"] + first_and_last(of, 1)},
    "a row begins elsewhere, its length the same": lambda of: {"lows": of["lows"] + first_and_last(of, 2)},
    "a row begins elsewhere": lambda of: {"lows": of["lows"] - 1},
    "another sheet": lambda of: {"of_row": of["of_row"][::-1]},
    "a sheet left out": lambda of: {n: of[n][:-1] for n in ("of_row", "lengths", "lows", "part_off")},
    "a number left out": lambda of: {"values": of["values"][:-1]},
    "whole numbers": lambda of: {"of_row": of["of_row"].astype(float)},
}


def first_and_last(arrays: Arrays, by: int) -> Any:
    change = np.zeros_like(arrays["lows"])
    change[0], change[-1] = by, -by
    return change


def moved(arrays: Arrays, by: float) -> Any:
    """In the middle of what is neither sure nor impossible."""
    values = arrays["values"].copy()
    places = np.flatnonzero((values > 0.01) & (values < 0.99))
    values[places[len(places) // 2]] += by
    return values


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_refuted(change: str) -> None:
    assert proof(SMALL, **CHANGES[change](dict(solved(SMALL)[2].arrays)))


@pytest.mark.parametrize("name", [SMALL, DUEL])
def test_a_value_moved_anywhere_is_refuted(name: str) -> None:
    arrays = solved(name)[2].arrays
    assert proof(name) is None
    for place in range(0, len(arrays["values"]), 200):
        for by in (1e-9, -1e-9):
            values = arrays["values"].copy()
            values[place] += by
            assert proof(name, values=values), (place, by)


@pytest.mark.parametrize("name", [SMALL, DUEL])
def test_an_interval_grows_by_rounding_and_by_what_follows(name: str) -> None:
    _, _, found, space = solved(name)
    values, off = found.arrays["values"], found.arrays["part_off"]
    assert proof(name, part_off=off.min() + 0.3 * (off - off.min()))
    higher = np.repeat(off > off.min(), space.lengths)  # where no turn ends the game
    for by in (5e-7, -5e-7):
        assert proof(name, part_off=np.full_like(off, 1e-6), values=np.where(higher, values * (1 + by), values))


def test_what_is_no_chance_is_refuted_though_its_interval_says_nothing() -> None:
    """A part of what is below 0 would be taken from the wrong side in the rows above."""
    off, values = (solved(SMALL)[2].arrays[name].copy() for name in ("part_off", "values"))
    off[0], values[: solved(SMALL)[3].lengths[0]] = -2, -1
    assert "is no chance" in (proof(SMALL, part_off=off, values=values) or "")


UNEVEN: dict[str, Callable[[Any, Any], Any]] = {
    "points": lambda said, here: replace(said, next={**said.next, "needed": said.next["needed"] + here}),
    "legal": lambda said, here: replace(said, legal=said.legal & ~here),
    "mover": lambda said, here: replace(said, mover=0),
}


@pytest.mark.parametrize(("name", "change"), [(SMALL, "points"), (SMALL, "legal"), (DUEL, "mover")])
def test_a_result_that_does_not_move_all_of_a_row_alike_is_told(
    name: str, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values of a row are shifted by what a result says once; what it says of the row's own boards must be the same."""
    made = type(solved(name)[0])
    transition = made.transition
    monkeypatch.setattr(
        made,
        "transition",
        lambda *asked: UNEVEN[change](transition(*asked), (asked[1].needed > 0) & (asked[1].needed < 1000)),
    )
    with pytest.raises(ModelError, match="does not move all of a row alike"):
        proof(name)


# --- stopped, damaged, taken up ---------------------------------------------------------------------------------------


class Stop(RuntimeError):
    pass


def saved_checkpoints(name: str, stop_after: int) -> list[Any]:
    game, graph, _, _ = solved(name)
    kept: list[Any] = []
    solver = RowSolver(game, graph, 1)

    def save() -> None:
        arrays, state = solver.checkpoint()
        kept.append(({n: array.copy() for n, array in arrays.items()}, dict(state)))
        if len(kept) == stop_after:
            raise Stop

    with pytest.raises(Stop):
        solver.solve(lambda share: None, save)
    return kept


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every level, and jobs of a few rows each."""
    for number in ("INTERVAL_S", "ONCE_INTERVAL_S"):
        monkeypatch.setattr(checkpoints, number, -1.0)
    for number in ("SAVE_FACTOR", "ONCE_FACTOR"):
        monkeypatch.setattr(checkpoints, number, 0.0)
    monkeypatch.setattr(rows, "NUMBERS_PER_JOB", 50)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_stopped_solve_goes_on_to_the_same_bits(workers: int) -> None:
    game, graph, found, space = solved(SMALL)
    for arrays, state in saved_checkpoints(SMALL, stop_after=2):
        assert 0 < state["done"] <= space.size
        arrays["values"][state["done"] :] = np.nan  # not done: whatever is there is not believed
        told: list[float] = []
        again = RowSolver(game, graph, workers)
        assert again.fits(arrays, state)
        again.resume(arrays, state)
        assert again.solve(told.append, lambda: None).tobytes() == found.arrays["values"].tobytes()
        assert all(share > state["done"] / space.size for share in told)


WRONG: list[Callable[[Arrays, Arrays], Any]] = [
    lambda arrays, state: arrays.clear(),
    lambda arrays, state: arrays.update(more=np.zeros(1)),
    lambda arrays, state: arrays["values"].fill(np.nan),
    lambda arrays, state: arrays["values"].fill(-1),
    lambda arrays, state: arrays["values"].fill(1.1),
    lambda arrays, state: arrays.update(values=arrays["values"][:1]),
    lambda arrays, state: arrays.update(values=arrays["values"].astype(np.float32)),
    lambda arrays, state: arrays.update(values=arrays["values"][None]),
    lambda arrays, state: state.clear(),
    lambda arrays, state: state.update(done=state["done"] - 1),
    lambda arrays, state: state.update(done=-1),
    lambda arrays, state: state.update(done=str(state["done"])),
    lambda arrays, state: state.update(more=1),
]


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("number", range(len(WRONG)))
def test_what_is_no_checkpoint_does_not_fit(number: int) -> None:
    game, graph, _, _ = solved(SMALL)
    arrays, state = saved_checkpoints(SMALL, stop_after=2)[0]
    assert RowSolver(game, graph, 1).fits(arrays, state)
    WRONG[number](arrays, state)
    assert not RowSolver(game, graph, 1).fits(arrays, state)


@pytest.mark.usefixtures("often")
def test_ctrl_c_keeps_what_is_done(own_cache: Store, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    game, _, found, _ = solved(SMALL)
    plain, calls = sweep_rows, list[int]()

    def swept(*said: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        plain(*said)

    monkeypatch.setattr(rows, "sweep_rows", swept)
    with pytest.raises(KeyboardInterrupt):
        load_or_solve(game)
    assert not is_solved(game)
    assert load_or_solve(game).solution.arrays.whole("values").tobytes() == found.arrays["values"].tobytes()
    assert "going on from where" in capsys.readouterr().err
    assert is_solved(game)


@pytest.mark.parametrize("name", ["values", "part_off", "of_row", "lengths", "lows", "turn_child"])
def test_a_damaged_entry_is_told_and_solved_again(name: str, own_cache: Store, capsys: Any, play: Any) -> None:
    game = GAMES[SMALL]
    play(game)

    def chance() -> float | None:
        return rollwise.ask("yahtzee", target=5).value

    before = chance()
    (file,) = own_cache.root.glob(f"*/{name}.npy")
    whole = bytearray(file.read_bytes())
    whole[-3] ^= 1
    file.write_bytes(whole)
    capsys.readouterr()
    assert chance() == before
    assert "damaged" in capsys.readouterr().err
    assert chance() == before
    assert not capsys.readouterr().err


ONE, TWO, OTHER = {"ones": 3}, {"ones": 3, "twos": 6}, {"twos": 6}


@pytest.mark.parametrize(
    ("made", "first", "later", "apart"),
    [
        (
            YahtzeeReach(boxes="ones,twos,chance", objective="reach"),
            *({"filled": filled, "target": 20} for filled in (ONE, TWO, OTHER)),
        ),
        (
            YahtzeeForTwo(boxes="ones,twos,chance", players=2),
            *({"filled": filled, "theirs_filled": filled} for filled in (ONE, TWO, OTHER)),
        ),
    ],
    ids=["reach", "for two"],
)
def test_a_later_turn_is_answered_from_what_an_earlier_one_has_solved(
    made: TurnGame,
    first: dict[str, Any],
    later: dict[str, Any],
    apart: dict[str, Any],
    own_cache: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rollwise.solutions.lookup.SETTLED_NS", 0)
    for _ in range(2):
        ask(made, first)
    found = ask(made, later)
    assert len(own_cache.keys()) == 1
    ask(made, apart)
    assert len(own_cache.keys()) == 2
    monkeypatch.setattr("rollwise.solutions.lookup._find_larger_part", lambda part, board: None)
    assert ask(made, later).value == pytest.approx(found.value, abs=1e-14)
    assert len(own_cache.keys()) == 3
