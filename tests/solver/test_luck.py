"""Luck games of several seats: elimination and propagation, compiled and plain, against state by state and fractions.

Another game is one more line of ``tests/sizes.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rollwise.games.registry import game
from rollwise.solver.components.strongly_connected import ranked_components, strong_components, topological_levels
from rollwise.solver.markov_chains import forwards, layout, odds as odds_module, rounds, values
from rollwise.solver.markov_chains.forwards import propagate
from rollwise.solver.markov_chains.layout import Chain, lay_out, lay_out_few, place_sort_key
from rollwise.solver.markov_chains.odds import SeatOdds, exact_odds, odds, odds_of_row
from rollwise.solver.markov_chains.values import ChainValues, eliminate
from rollwise.solver.model.errors import ModelError, NotConverged, TooLarge
from rollwise.solver.model.game import Chance, Columns, End, Goto, Node, Transition, TurnGame, chance_of
from rollwise.solver.model.outcome import next_board, one_board, only
from rollwise.solver.turn import kernel_cache
from rollwise.solver.turn.graph import compile_turn
from tests.sizes import ODDS, SIZES, Size, cases
from tests.solver.plain import After, toy, turn_by_turn

EVERY = cases(ODDS)


@cache
def laid(name: str, reached: bool = False, **parameters: Any) -> Chain:
    made = game(name, parameters)
    assert isinstance(made, TurnGame)
    start = made.boards().index_of(**made.first_board()) if reached else None
    return lay_out(made, compile_turn(made), start)


def laid_out(size: Size, reached: bool = False) -> Chain:
    return laid(size.name, reached, **size.parameters)


def start_of(chain: Chain) -> int:
    return chain.place(chain.game.boards().index_of(**chain.game.first_board()))


@cache
def odds_of(name: str) -> SeatOdds:
    """The odds of a size, without fractions."""
    chain = laid_out(next(size for size in SIZES if str(size) == name))
    return odds(chain, start_of(chain), exact=False)


def ends_of_turn(of: TurnGame, word: Node, chance: Fraction = Fraction(1)) -> Iterator[tuple[Fraction, Any]]:
    """(chance, result) of every way through a turn without choices."""
    if isinstance(word, Goto):
        yield from ends_of_turn(of, of.turn(*word.state), chance)
    elif isinstance(word, End):
        yield chance, word.result
    else:
        assert isinstance(word, Chance)
        total = sum(weight for weight, _ in word.outcomes)
        for weight, after in word.outcomes:
            yield from ends_of_turn(of, after, chance * Fraction(weight, total))


@EVERY
def test_odds_and_lengths_are_what_the_game_comes_to_state_by_state(size: Size) -> None:
    """A state is a board, and the seats of its places, the mover's first."""
    of, told = size.game, odds_of(str(size))
    names, places = of.boards().names, tuple(range(max(1, of.seats)))

    @cache
    def effects(board: Any) -> tuple[int, list[tuple[float, Any, Any]]]:
        """How many seats still stand, and of each way through the turn its chance, what is said and the next board."""
        columns = one_board(dict(zip(names, board, strict=True)))
        found: list[tuple[float, Any, Any]] = []
        for chance, result in ends_of_turn(of, Goto(*of.roots()[int(only(of.root(columns)))])):
            said = of.transition(columns, result)
            over = bool(only(said.over))
            found.append((float(chance), said, None if over else tuple(next_board(said, columns).values())))
        return int(only(of.standing(columns))), found

    def turn(at: Any) -> Iterable[After]:
        """Games end with the shares of the seats."""
        board, seats = at
        around, ways = effects(board)
        for chance, said, following in ways:
            if following is None:
                by_seat = dict(zip(seats, (only(row) / said.per for row in said.shares), strict=False))
                yield chance, None, tuple(float(by_seat.get(seat, 0)) for seat in places)
            else:
                left = int(only(said.mover)) % around
                turned = (*seats[left:around], *seats[:left])
                yield chance, (following, turned[: effects(following)[0]]), None

    assert told.lengths is not None
    shares, shared, lengths = np.zeros(len(places)), 0.0, []
    start = tuple(of.first_board().values()), places
    for (ended, _), length in zip(turn_by_turn(start, turn), told.lengths.lengths, strict=False):
        lengths.append(sum(ended.values()))
        assert abs(lengths[-1] - length) <= 1e-11
        shares += sum(chance * np.array(end) for end, chance in ended.items())
        shared += sum(chance for end, chance in ended.items() if np.count_nonzero(end) > 1)
    assert len(lengths) == len(told.lengths.lengths)
    missing = 1 - sum(lengths) + 1e-12
    for share, (_, lower, upper) in zip([*shares, shared], [*told.shares, told.shared], strict=True):
        assert lower - missing <= share <= upper


@EVERY
def test_certified_bounds_hold_the_exact_odds(size: Size) -> None:
    chain = laid_out(size, reached=True)
    start = start_of(chain)
    told, exact = odds(chain, start, exact=False), exact_odds(chain, start)
    assert exact is not None
    for share, (value, lower, upper) in zip(
        [*exact.shares, exact.shared, exact.turns], [*told.shares, told.shared, told.turns], strict=True
    ):
        assert Fraction(lower) <= share <= Fraction(upper)
        assert upper - lower < 1e-11 * max(1, value)
        assert lower <= value <= upper


@pytest.mark.parametrize("name", ["big-six players=3 chips=2", "thunderstorm house=0"])
def test_shares_that_are_0_or_1_are_exactly_so_and_no_others(name: str) -> None:
    chain = laid_out(next(size for size in SIZES if str(size) == name))
    known, sure = eliminate(chain), set()
    for place in range(chain.n_boards):
        exact = exact_odds(chain, place)
        assert exact is not None
        for share, (_, lower, upper) in zip(exact.shares, odds_of_row(known, place, chain.seats).shares, strict=True):
            assert (lower == upper) == (share in (0, 1))
            assert lower <= share <= upper
            sure |= {share} & {0, 1}
    assert sure == ({0, 1} if "big-six" in name else {0})


@EVERY
def test_compiled_and_plain_propagation_agree(size: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = laid_out(size)
    plain = odds_of(str(size)).lengths
    assert plain is not None
    monkeypatch.setattr(forwards, "MAX_NUMPY_CODES", 0)
    quick = propagate(chain, start_of(chain))
    turns = min(len(plain.ended), len(quick.ended))
    assert quick.ended[:turns] == pytest.approx(plain.ended[:turns], abs=1e-14)
    assert max(quick.tail, plain.tail) <= 1.001e-12


@EVERY
def test_however_a_chain_is_laid_out_and_swept_it_has_the_same_odds(
    size: Size, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled or not, level by level, only what is reached, and shared by threads."""
    chain, some = laid_out(size), laid_out(size, reached=True)
    with monkeypatch.context() as patch:
        patch.setattr(values, "MAX_INTERPRETED_TERMS", 10**9)
        patch.setattr(kernel_cache, "is_ready", lambda kernel: False)
        interpreted = eliminate(chain)
    monkeypatch.setattr(values, "MAX_INTERPRETED_TERMS", 0)
    alone = eliminate(chain)
    assert (interpreted.values == alone.values).all()
    assert interpreted.chance_error == alone.chance_error
    ranks = [place_sort_key(chain.game, int(board)) for board in chain.boards[:: max(1, chain.n_boards // 200)]]
    assert ranks == sorted(set(ranks))  # places are in the order in which a kept board is looked up
    place_of = {board: place for place, board in enumerate(chain.boards.tolist())}
    places = [place_of[board] for board in some.boards.tolist()]
    assert eliminate(some).values == pytest.approx(alone.values[places], abs=1e-11)
    with monkeypatch.context() as patch:
        patch.setattr(values, "PIECE_PLACES", 1)
        patch.setattr(values, "PARALLEL_PLACES", 1)
        patch.setattr(values, "PARALLEL_BOARDS", 30)
        shared = eliminate(chain)
    slack = alone.chance_error + shared.chance_error
    assert (np.abs(alone.values - shared.values)[:, :-1] <= slack * alone.values[:, -1:] * 1.01).all()
    with monkeypatch.context() as patch:
        patch.setattr(values, "PIECE_PLACES", 16)
        assert eliminate(chain).values == pytest.approx(alone.values, abs=1e-11)
    monkeypatch.setattr(layout, "MAX_TABLE_CODES", 0)
    by_level = lay_out(chain.game, compile_turn(chain.game))
    assert chain._whole is not None
    assert (eliminate(by_level).values == alone.values).all()
    assert by_level._whole is None


# --- more of Bouncer -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 4])
def test_rounds_of_all_seats_tell_what_elimination_does(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chain = laid("bouncer", players=players, chips=4)
    plain = odds(chain, start_of(chain), exact=False)
    monkeypatch.setattr(rounds, "MIN_ROUNDS_BOARDS", 0)
    found = odds(chain, start_of(chain), exact=False)
    assert [told.method for told in (plain, found)] == [
        f"{way}, propagation of lengths" for way in ("elimination", "rounds of all seats")
    ]
    one, other = plain.eliminated, found.eliminated
    off = np.abs(one.values - other.values) / one.values[:, -1:]
    assert off[:, :-1].max() <= one.chance_error + other.chance_error < 1e-12
    assert off[:, -1].max() <= one.turn_error + other.turn_error < 1e-10


@pytest.mark.parametrize(("missing", "is_right"), [(1e-5, False), (1e-30, True)])
def test_rounds_that_stop_early_are_not_certified_and_none_goes_on_for_ever(
    missing: float, is_right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "RESIDUAL_TOLERANCE", missing)
    with nullcontext() if is_right else pytest.raises(NotConverged, match="intervals of"):
        rounds.run_rounds(laid("bouncer", chips=2))


# --- toys: seats that go out, turns that skip, games that never end --------------------------------------------------


def ring(rule: str, **said: Any) -> Chain:
    """Players in a ring of three; each throw of two faces passes the turn on or ends things, as ``rule`` says."""

    def transition(board: Columns, result: str) -> Transition:
        ends = rule not in ("endless", "off") and result == "over"
        shares = {"uneven": [1, 1, 0], "drawn": [1, 1, 1]}.get(rule, [3, 0, 0])
        following = {"place": 0 * board.place + (5 if rule == "off" else 1)}
        return Transition(over=ends, shares=shares, per=3, next=following, mover=2 if rule == "skip" else 1)

    made = toy(lambda: chance_of([("on", 1), ("over", 1)], End), transition, 2, kind="seats", total=1, seats=3, **said)
    return lay_out(made, compile_turn(made))


def test_a_turn_that_skips_one_player_by_hand() -> None:
    """Seat 0, then 2, then 1, then 0 again, each winning with 1/2: 4/7, 1/7, 2/7."""
    chain = ring("skip")
    exact = exact_odds(chain, 0)
    assert exact is not None
    assert exact.shares == (Fraction(4, 7), Fraction(1, 7), Fraction(2, 7))
    assert (float(exact.turns), float(exact.shared)) == (2, 0)
    for solve in (eliminate, rounds.run_rounds):
        assert solve(chain).values[0].tolist() == pytest.approx([4 / 7, 1 / 7, 2 / 7, 2.0])


@pytest.mark.parametrize(
    ("rule", "message"), [("uneven", "shares that are not 1 together"), ("off", "leads off the boards")]
)
def test_turns_that_cannot_be_are_refused(rule: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        ring(rule)


def test_a_level_that_falls_is_refused() -> None:
    with pytest.raises(ModelError, match="to a board of a lower level"):
        eliminate(ring("drawn", level=lambda game, board: 1 - board.place))


@pytest.mark.parametrize("lengths", [True, False, None])
def test_lengths_are_told_where_they_are_asked_for_and_unasked_in_smaller_chains_only(
    lengths: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All share the win."""
    for large, followed in ((10**6, lengths is not False), (2, lengths is True)):
        monkeypatch.setattr(odds_module, "LARGE_CHAIN_BOARDS", large)
        found = odds(ring("drawn"), 0, lengths=lengths)
        assert [share[0] for share in (*found.shares, found.shared)] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1])
        told = found.quantities((0, 1, 2), 3, "win")
        assert list(told) == ["win", "shared", "length"] + ["length_distribution"] * followed
        assert list(odds_module.as_quantities({name: of.plain() for name, of in told.items()})) == list(told)
        assert ("propagation" in found.method) == (found.lengths is not None) == followed


def test_boards_ahead_are_laid_out_only_where_they_are_few() -> None:
    chain = laid("bouncer", True, chips=2)
    start = chain.game.boards().index_of(**chain.game.first_board())
    few = [lay_out_few(chain.game, compile_turn(chain.game), start, most) for most in (1, chain.n_boards - 1)]
    assert few == [None, None]
    again = lay_out_few(chain.game, compile_turn(chain.game), start, chain.n_boards)
    assert again is not None
    assert again.boards.tolist() == chain.boards.tolist()


def test_a_game_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "MAX_SWEEPS", 500)
    monkeypatch.setattr(forwards, "MAX_TURNS", 500)
    chain = ring("endless")
    monkeypatch.setattr(rounds, "MAX_ROUNDS", 500)
    solves = eliminate, rounds.run_rounds, lambda chain: propagate(chain, 0)
    tries: list[Callable[[], Any]] = [partial(solve, chain) for solve in solves]
    for attempt in tries:
        with pytest.raises(NotConverged):
            attempt()


def test_wrong_values_are_not_certified() -> None:
    chain = laid("bouncer", chips=2)
    wrong = eliminate(chain).values.copy()
    wrong[3, 0] += 1e-6
    level = values.Level(chain, 0, chain.successors(0, chain.n_boards), wrong, ThreadPoolExecutor(2), values.Scratch())
    with pytest.raises(NotConverged, match="intervals of"):
        values.certify(chain, wrong, values.Run(level, 0, chain.n_boards, 0).residual())


def test_values_that_were_not_swept_are_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one more backup would change is looked at, however the values were found."""
    steps, solve = laid("bouncer", chips=2), values.Run.solve

    def spoilt(run: values.Run) -> bool:
        found = solve(run)
        run.rows[-1, 0] += 1e-6
        return found

    monkeypatch.setattr(values.Run, "solve", spoilt)
    with pytest.raises(NotConverged, match="intervals of"):
        eliminate(steps)


def test_fractions_of_too_many_boards_are_refused() -> None:
    chain = laid("bouncer")
    assert exact_odds(chain, 0, quick=True) is None
    with pytest.raises(TooLarge, match="fractions are too large from here"):
        exact_odds(chain, 0)


def test_the_radius_grows_with_the_turns_to_come() -> None:
    found = ChainValues(np.array([[0.5, 0.5, 10.0], [0.5, 0.5, 1.0]]), 1e-15, 1e-15)
    assert found.radius(0)[0] == pytest.approx(10 * found.radius(1)[0])


# --- components ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_components_compiled_or_not_are_those_of_scipy_and_lead_to_lower_ranks(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 60))
    source = np.sort(draw.integers(0, n, int(draw.integers(0, 3 * n))))
    target = draw.integers(0, n, len(source))
    start = np.searchsorted(source, np.arange(n + 1)).astype(np.int32)
    found = strong_components(start[:-1], start[1:], (target << 4 | 3).astype(np.int32), 4, compiled=seed % 2 == 1)
    theirs, rank, returns = ranked_components(n, source, target)
    assert len(np.unique(found.of * n + theirs)) == len(found.sizes) == theirs.max() + 1
    assert sorted(found.order.tolist()) == list(range(n))
    itself = np.isin(np.arange(n), source[source == target])
    assert (returns == (itself | (np.bincount(theirs)[theirs] > 1))).all()
    place = np.empty(n, dtype=np.int64)  # of each node's component in turn
    for number, members in enumerate(topological_levels(theirs, rank)):
        place[members] = number
        assert (np.diff(members) > 0).all()
    assert ((place[source] > place[target]) | (theirs[source] == theirs[target])).all()
    ranks = np.repeat(np.arange(len(found.ranks) - 1), np.diff(found.ranks))[np.argsort(found.by_rank)][found.of]
    across = found.of[source] != found.of[target]
    assert (ranks[source[across]] > ranks[target[across]]).all()
    for component, (low, high) in enumerate(pairwise(found.starts.tolist())):
        assert (found.of[found.order[low:high]] == component).all()


def test_256_equal_edges_are_an_edge() -> None:
    """Their sum wraps round to 0 in the int8 that holds it, and SciPy has to take a 0 that is stored for an edge."""
    source, target = np.array([*[0] * 256, 1]), np.array([*[1] * 256, 0])
    assert ranked_components(2, source, target)[0].tolist() == [0, 0]


def test_a_long_line_of_nodes_does_not_run_out_of_stack() -> None:
    n = 300_000
    start = np.arange(n + 1, dtype=np.int32)
    ring = strong_components(start[:-1], start[1:], ((np.arange(n) + 1) % n).astype(np.int32))
    assert ring.sizes.tolist() == [n]
    end = np.minimum(start, n - 1)
    line = strong_components(end[:-1], end[1:], np.arange(1, n, dtype=np.int32))
    assert len(line.sizes) == n
    assert line.order[0] == n - 1
