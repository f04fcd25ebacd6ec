"""Luck games of several seats: elimination and propagation, compiled and plain, against state by state and fractions.

Another game is one more line of ``tests/sizes.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import REGISTRY, game, game_class
from rollwise.solver.chains import forwards, layout, values
from rollwise.solver.chains import odds as odds_module
from rollwise.solver.chains.forwards import longest, propagate
from rollwise.solver.chains.fractions import exact_odds
from rollwise.solver.chains.layout import BITS, Chain, lay_out, lay_out_few, rank
from rollwise.solver.chains.odds import odds
from rollwise.solver.chains.values import Eliminated, eliminate
from rollwise.solver.game.errors import ModelError, NotConverged, TooLarge
from rollwise.solver.game.model import Boards, Columns, End, Settled, TurnGame, Word, named
from rollwise.solver.order.components import components, strong_components
from rollwise.solver.reference.flatten import seat_turn
from rollwise.solver.turn.graph import compile_turn
from tests.sizes import ODDS, SIZES, Size, cases

EVERY = cases(ODDS)


def laid_out(size: Size, reached: bool = False) -> Chain:
    return laid(size.name, tuple(size.parameters.items()), reached)


@cache
def laid(name: str, parameters: tuple[tuple[str, Any], ...], reached: bool = False) -> Chain:
    made = game(name, dict(parameters))
    assert isinstance(made, TurnGame)
    start = made.boards().index_of(**made.first_board()) if reached else None
    return lay_out(made, compile_turn(made), start)


def start_of(chain: Chain) -> int:
    return chain.place(chain.game.boards().index_of(**chain.game.first_board()))


@cache
def outcomes(name: str) -> Callable[[Any], list[Any]]:
    """What one turn of a size of ``tests/sizes.py`` comes to from a board and its seats, each asked for once.

    (chance, where it leads or None, shares by seat, is the win shared)
    """
    of = next(size.game for size in SIZES if str(size) == name)

    @cache
    def follow(at: Any) -> list[Any]:
        found = []
        for told in seat_turn(of, dict(at[0]), at[1]):
            shares = {seat: float(share) for seat, share in zip(told.seats, told.shares, strict=False)}
            after = None if told.board is None else (tuple(told.board.items()), told.seats)
            found.append((float(told.chance), after, shares, sum(share > 0 for share in told.shares) > 1))
        return found

    return follow


def state_by_state(size: Size, turns: int) -> list[tuple[float, Any, float]]:
    """(chance over, shares by seat, chance of a shared win) after each turn, one state after another."""
    of, follow = size.game, outcomes(str(size))
    now = {(tuple(of.first_board().items()), tuple(range(max(1, of.seats)))): 1.0}
    told = []
    shares, shared, over = np.zeros(max(1, of.seats)), 0.0, 0.0
    for _ in range(turns):
        after: dict[Any, float] = defaultdict(float)
        for at, chance in now.items():
            for part, following, each, is_shared in follow(at):
                moved = chance * part
                if following is not None:
                    after[following] += moved
                    continue
                over += moved
                shared += moved * is_shared
                for seat, share in each.items():
                    shares[seat] += moved * share
        now = after
        told.append((over, shares.copy(), shared))
    return told


def test_every_luck_game_of_several_seats_is_tried() -> None:
    of_seats = {name for name in REGISTRY if getattr(game(name, {}), "seats", 0)}
    assert {size.name for size in SIZES if size.why_not(ODDS) is None} == of_seats


@EVERY
def test_propagation_follows_the_game_state_by_state(size: Size) -> None:
    chain = laid_out(size)
    found = propagate(chain, start_of(chain))
    turns = min(30, len(found.ended))
    told = state_by_state(size, turns)
    assert np.cumsum(found.lengths)[:turns] == pytest.approx([over for over, _, _ in told], abs=1e-11)
    shared = np.cumsum(found.ended[:, chain.shared].sum(axis=1))
    assert shared[:turns] == pytest.approx([part for _, _, part in told], abs=1e-11)


@EVERY
def test_elimination_gives_what_the_game_comes_to_state_by_state(size: Size) -> None:
    chain = laid_out(size)
    found = odds(chain, start_of(chain), exact=False)
    assert found.lengths is not None
    turns = len(found.lengths.ended)
    over, shares, shared = state_by_state(size, turns)[-1]
    missing = 1 - over + 1e-12
    for share, (_, lower, upper) in zip(shares, found.shares, strict=True):
        assert lower - missing <= share <= upper
    assert found.shared[1] - missing <= shared <= found.shared[2]


@EVERY
def test_certified_bounds_hold_the_exact_odds(size: Size) -> None:
    chain = laid_out(size, reached=True)
    start = start_of(chain)
    found, exact = odds(chain, start, exact=False), exact_odds(chain, start)
    assert exact is not None
    for share, (value, lower, upper) in zip(exact.shares, found.shares, strict=True):
        assert Fraction(lower) <= share <= Fraction(upper)
        assert upper - lower < 1e-11
        assert lower <= value <= upper
    assert Fraction(found.shared[1]) <= exact.shared <= Fraction(found.shared[2])
    assert Fraction(found.turns[1]) <= exact.turns <= Fraction(found.turns[2])


@EVERY
def test_compiled_and_plain_propagation_agree(size: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = laid_out(size)
    plain = propagate(chain, start_of(chain))
    monkeypatch.setattr(forwards, "PLAIN", 0)
    compiled = propagate(chain, start_of(chain))
    turns = min(len(plain.ended), len(compiled.ended))
    assert compiled.ended[:turns] == pytest.approx(plain.ended[:turns], abs=1e-14)
    assert max(compiled.tail, plain.tail) <= 1.001e-12


@EVERY
def test_sweeps_shared_by_threads_come_to_the_same(size: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = laid_out(size)
    alone = eliminate(chain)
    monkeypatch.setattr(values, "TOGETHER", 1)
    monkeypatch.setattr(values, "FEW", 30)
    shared = eliminate(chain)
    slack = alone.chance_error + shared.chance_error
    turns = alone.values[:, -1:] * 1.01
    assert (np.abs(alone.values[:, :-1] - shared.values[:, :-1]) <= slack * turns).all()


@EVERY
def test_boards_that_are_reached_have_the_odds_of_the_whole_chain(size: Size) -> None:
    whole = laid_out(size)
    some = laid_out(size, reached=True)
    assert set(some.boards.tolist()) <= set(whole.boards.tolist())
    ours, theirs = eliminate(some), eliminate(whole)
    place_of = {board: place for place, board in enumerate(whole.boards.tolist())}
    places = [place_of[board] for board in some.boards.tolist()]
    assert ours.values == pytest.approx(theirs.values[places], abs=1e-11)


# --- more of Bouncer -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", [True, False])
@pytest.mark.parametrize("players", [3, 4])
def test_chances_forwards_alone_tell_the_winners_of_bouncer(
    players: int, lengths: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = laid("bouncer", (("players", players), ("chips", 4)))
    both = odds(chain, start_of(chain), exact=False)
    monkeypatch.setattr(odds_module, "ONE_LEVEL", 0)
    forward = odds(chain, start_of(chain), exact=False, lengths=lengths)
    assert (both.eliminated is None, forward.eliminated is None) == (False, True)
    assert (forward.lengths is not None) == lengths
    for one, other in zip(
        (*both.shares, both.shared, both.turns), (*forward.shares, forward.shared, forward.turns), strict=True
    ):
        assert max(one[1], other[1]) <= min(one[2], other[2])  # the intervals meet
        assert one[1] <= other[0] <= one[2] or abs(one[0] - other[0]) < 1e-9
        assert other[2] - other[1] < 1e-7


def test_visits_that_are_wrong_are_told_as_missing() -> None:
    """Rounds that stop early give wide bounds, and those hold."""
    chain = laid("bouncer", (("chips", 4),))
    right = odds(chain, start_of(chain), exact=False)
    for missing in (1e-2, 1e-5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(forwards, "MISSING", missing)
            patch.setattr(odds_module, "ONE_LEVEL", 0)
            early = odds(chain, start_of(chain), exact=False, lengths=False)
        assert early.shares[0][2] - early.shares[0][1] > missing / 100
        for (_, lower, upper), (value, _, _) in zip(early.shares, right.shares, strict=True):
            assert lower <= value <= upper
        assert early.turns[1] <= right.turns[0] <= early.turns[2]


def test_the_longest_game_is_no_shorter_than_any() -> None:
    chain = laid("bouncer", ())
    most = float(eliminate(chain).values[:, -1].max())
    assert most <= longest(chain) < 10 * most


# --- toys: seats that go out, turns that skip, games that never end --------------------------------------------------


@dataclass(frozen=True)
class Toy(TurnGame):
    """Players in a ring of three; each throw of two faces passes the turn on or ends things, as ``rule`` says."""

    name = "toy"
    kind = "seats"
    measure = "win"
    unit = "probability"
    rule: str = "skip"

    @property
    def seats(self) -> int:
        return 3

    def boards(self) -> Boards:
        return Boards(place=2)

    def turn(self) -> Word:
        return named([("on", 1), ("over", 1)], End)

    def settle(self, board: Columns, result: str) -> Settled:
        ends = self.rule not in ("endless", "off") and result == "over"
        shares = {"uneven": [1, 1, 0], "drawn": [1, 1, 1]}.get(self.rule, [3, 0, 0])
        following = {"place": 0 * board.place + (5 if self.rule == "off" else 1)}
        return Settled(over=ends, shares=shares, per=3, next=following, mover=2 if self.rule == "skip" else 1)


def toy(rule: str) -> Chain:
    made = Toy(rule)
    return lay_out(made, compile_turn(made))


def test_a_turn_that_skips_one_player_by_hand() -> None:
    """Seat 0, then 2, then 1, then 0 again, each winning with 1/2: 4/7, 1/7, 2/7."""
    chain = toy("skip")
    found = exact_odds(chain, 0)
    assert found is not None
    assert found.shares == (Fraction(4, 7), Fraction(1, 7), Fraction(2, 7))
    assert found.turns == 2
    assert found.shared == 0
    assert eliminate(chain).values[0].tolist() == pytest.approx([4 / 7, 1 / 7, 2 / 7, 2.0])


def test_a_win_shared_by_all_is_told() -> None:
    found = odds(toy("drawn"), 0)
    assert [share[0] for share in found.shares] == pytest.approx([1 / 3] * 3)
    assert found.shared[0] == pytest.approx(1.0)


def test_shares_must_be_one_together() -> None:
    with pytest.raises(ModelError, match="shares that are not 1 together"):
        toy("uneven")


@dataclass(frozen=True)
class Backwards(Toy):
    """A toy whose turns lead to a lower level."""

    def level(self, board: Columns) -> Any:
        return 1 - board.place


def test_a_level_that_falls_is_refused() -> None:
    made = Backwards("drawn")
    with pytest.raises(ModelError, match="to a board of a lower level"):
        eliminate(lay_out(made, compile_turn(made)))


@pytest.mark.parametrize("lengths", [True, False])
def test_the_distribution_of_the_length_is_left_out_where_it_is_not_asked_for(lengths: bool) -> None:
    found = odds(toy("drawn"), 0, lengths=lengths)
    assert (found.lengths is not None) == lengths
    told = found.quantities((0, 1, 2), 3, "win")
    assert list(told) == ["win", "shared", "length"] + ["length_distribution"] * lengths
    assert list(odds_module.as_quantities({name: quantity.plain() for name, quantity in told.items()})) == list(told)
    assert ("propagation" in found.method) == lengths


def test_lengths_are_followed_unasked_in_smaller_chains_only(monkeypatch: pytest.MonkeyPatch) -> None:
    assert odds(toy("drawn"), 0).lengths is not None
    monkeypatch.setattr(odds_module, "LARGE", 2)
    assert odds(toy("drawn"), 0).lengths is None


@cases(ODDS)
def test_places_are_in_the_order_in_which_a_kept_board_is_looked_up(size: Size) -> None:
    chain = laid_out(size)
    ranks = [rank(chain.game, int(board)) for board in chain.boards[:: max(1, chain.n_boards // 200)]]
    assert ranks == sorted(set(ranks))


def test_boards_ahead_are_laid_out_only_where_they_are_few() -> None:
    chain = laid("bouncer", (("chips", 2),), True)
    start = chain.game.boards().index_of(**chain.game.first_board())
    few = [lay_out_few(chain.game, compile_turn(chain.game), start, most) for most in (1, chain.n_boards - 1)]
    assert few == [None, None]
    again = lay_out_few(chain.game, compile_turn(chain.game), start, chain.n_boards)
    assert again is not None
    assert again.boards.tolist() == chain.boards.tolist()


def test_steps_off_the_boards_are_refused() -> None:
    with pytest.raises(ModelError, match="leads off the boards"):
        toy("off")


def test_a_game_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MOST_SWEEPS", 500)
    monkeypatch.setattr(forwards, "MOST_TURNS", 500)
    with pytest.raises(NotConverged):
        eliminate(toy("endless"))
    with pytest.raises(NotConverged):
        propagate(toy("endless"), 0)
    with pytest.raises(NotConverged):
        longest(toy("endless"))


def test_wrong_values_are_not_certified() -> None:
    chain = laid("bouncer", (("chips", 2),))
    wrong = eliminate(chain).values.copy()
    wrong[3, 0] += 1e-6
    level = values.Level(chain, 0, chain.onward(0, chain.n_boards), wrong, ThreadPoolExecutor(2))
    with pytest.raises(NotConverged, match="intervals of"):
        values.certified(chain, wrong, level.residual())


def test_values_that_were_not_swept_are_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one more backup would change is looked at, however the values were found."""
    steps, solve = laid("bouncer", (("chips", 2),)), values.Level.solve

    def spoilt(level: values.Level) -> None:
        solve(level)
        level.rows[-1, 0] += 1e-6

    monkeypatch.setattr(values.Level, "solve", spoilt)
    with pytest.raises(NotConverged, match="intervals of"):
        eliminate(steps)


@EVERY
def test_a_chain_laid_out_level_by_level_has_the_same_odds(size: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    held = laid_out(size)
    monkeypatch.setattr(layout, "MOST_HELD", 0)
    chain = lay_out(held.game, compile_turn(held.game))
    assert (held.is_held, chain.is_held) == (True, False)
    assert (eliminate(chain).values == eliminate(held).values).all()
    assert not chain.is_held


def test_fractions_of_too_many_boards_are_refused() -> None:
    chain = laid("bouncer", ())
    assert exact_odds(chain, 0, quick=True) is None
    with pytest.raises(TooLarge, match="fractions are too large from here"):
        exact_odds(chain, 0)


def test_codes_hold_place_and_seat() -> None:
    chain = laid("bouncer", (("chips", 1),))
    on = chain.codes[chain.codes >= 0]
    assert set((on & (1 << BITS) - 1).tolist()) == {1}
    assert (on >> BITS).max() < chain.n_boards
    assert chain.shift() == 1


def test_the_radius_grows_with_the_turns_to_come() -> None:
    found = Eliminated(np.array([[0.5, 0.5, 10.0], [0.5, 0.5, 1.0]]), 1e-15, 1e-15)
    assert found.radius(0)[0] == pytest.approx(10 * found.radius(1)[0])


def test_the_classes_of_seat_games_name_what_shares_are_of() -> None:
    assert game_class("bouncer").outcome == "win"


# --- components ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_compiled_components_are_those_of_scipy_and_lead_to_lower_ranks(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 60))
    source = np.sort(draw.integers(0, n, int(draw.integers(0, 3 * n))))
    target = draw.integers(0, n, len(source))
    start = np.searchsorted(source, np.arange(n + 1)).astype(np.int32)
    found = strong_components(start, (target << 4 | 3).astype(np.int32), 4)
    theirs, _ = components(n, source, target)
    assert len(np.unique(found.of * n + theirs)) == len(found.sizes) == theirs.max() + 1
    assert sorted(found.order.tolist()) == list(range(n))
    ranks = np.repeat(np.arange(len(found.ranks) - 1), np.diff(found.ranks))[np.argsort(found.by_rank)][found.of]
    across = found.of[source] != found.of[target]
    assert (ranks[source[across]] > ranks[target[across]]).all()
    for component, (low, high) in enumerate(pairwise(found.starts.tolist())):
        assert (found.of[found.order[low:high]] == component).all()


def test_a_long_line_of_nodes_does_not_run_out_of_stack() -> None:
    n = 300_000
    start = np.arange(n + 1, dtype=np.int32)
    ring = strong_components(start, ((np.arange(n) + 1) % n).astype(np.int32))
    assert ring.sizes.tolist() == [n]
    line = strong_components(np.minimum(start, n - 1), np.arange(1, n, dtype=np.int32))
    assert len(line.sizes) == n
    assert line.order[0] == n - 1
