"""Bluff at small size against its whole game tree, and what its mixes secure against every other way to play.

The rules are written down once more here, for a single die, and shared with nothing of the product.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.bluff.rules import Bluff
from rollwise.solver.hidden_information.fractions import exact_value
from rollwise.solver.hidden_information.linear import GAP_TOLERANCE, solve_turn
from rollwise.solver.hidden_information.solving import HiddenSolution, solve_hidden
from rollwise.solver.hidden_information.stage import LaidBoards
from rollwise.solver.kinds.hidden import KIND, lay_out_possible, scatter
from rollwise.solver.kinds.kind import InMemory, Tools
from rollwise.solver.model.errors import NotConverged
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.values.mixed_strategies import PARTS_PER_ONE, to_parts
from tests.solver.plain import slow, thorough

Values = dict[tuple[int, int], float]  # P(the caller wins) at the start of a round, by chips of both


def quiet(share: float) -> None:
    """Nobody waits."""


@cache
def solved(chips: int, faces: int, dice: int = 1) -> tuple[Bluff, LaidBoards, HiddenSolution]:
    game = Bluff(chips=chips, dice=dice, faces=faces)
    laid = lay_out_possible(game, compile_turn(game))
    return game, laid, solve_hidden(laid, quiet)


def entry(chips: int, faces: int, mine: int, theirs: int, last: int = 0) -> int:
    game, laid, _ = solved(chips, faces)
    return int(laid.place[game.boards().index_of(mine=mine, theirs=theirs, last=last)])


# --- a round as a tree, in the sequence form -------------------------------------------------------------------------


class Tree:
    """One round, laid out move by move: who knows what, and what both may have done to come there.

    Whoever has called remembers the dice seen. A player's *sequence* is all that it knows and did so far.
    """

    def __init__(self, mine: int, theirs: int, faces: int, values: Values) -> None:
        self.faces, self.values = faces, values
        self.sequences: tuple[dict[Any, int], dict[Any, int]] = ({(): 0}, {(): 0})
        self.choices: tuple[dict[Any, tuple[int, list[int]]], dict[Any, tuple[int, list[int]]]] = ({}, {})
        self.payoff: dict[tuple[int, int], float] = {}
        self.call(0, (mine, theirs), 0, ((), ()), 1.0)

    def add(self, player: int, known: Any, so_far: Any, moves: list[Any]) -> list[Any]:
        """The sequences that a choice leads on to."""
        found = [(*so_far, (known, move)) for move in moves]
        ids = [self.sequences[player].setdefault(one, len(self.sequences[player])) for one in found]
        self.choices[player][(so_far, known)] = self.sequences[player][so_far], ids
        return found

    def ends(self, so_far: tuple[Any, Any], chance: float, worth: float) -> None:
        place = self.sequences[0][so_far[0]], self.sequences[1][so_far[1]]
        self.payoff[place] = self.payoff.get(place, 0.0) + chance * worth

    def call(self, caller: int, chips: tuple[int, int], last: int, so_far: tuple[Any, Any], chance: float) -> None:
        calls = list(range(last + 1, self.faces + 1))
        for total in range(1, self.faces + 1):
            for call, known in zip(calls, self.add(caller, (last, total), so_far[caller], calls), strict=True):
                further = (known, so_far[1]) if caller == 0 else (so_far[0], known)
                self.reply(caller, chips, total, call, further, chance / self.faces)

    def reply(
        self, caller: int, chips: tuple[int, int], total: int, call: int, so_far: tuple[Any, Any], chance: float
    ) -> None:
        other = 1 - caller
        replies = ["accept", "challenge"] if call < self.faces else ["challenge"]
        for reply, known in zip(replies, self.add(other, call, so_far[other], replies), strict=True):
            further = (known, so_far[1]) if other == 0 else (so_far[0], known)
            held = list(chips)
            giver = caller if reply == "accept" or total >= call else other
            held[giver] -= 1
            held[1 - giver] += reply == "challenge"
            if held[giver] == 0:
                self.ends(further, chance, float(giver == 0))
            elif reply == "accept":
                self.call(other, (held[0], held[1]), call, further, chance)
            else:
                worth = self.values[held[other], held[caller]]
                self.ends(further, chance, worth if other == 0 else 1.0 - worth)

    def value(self) -> float:
        """What player 0 can secure: most of ``f q`` where ``F' q <= P' x``, ``E x = e`` and ``x >= 0``."""
        from scipy.optimize import linprog

        n, m = len(self.sequences[0]), len(self.sequences[1])
        payoff = np.zeros((n, m))
        for place, worth in self.payoff.items():
            payoff[place] = worth
        flows = []
        for player, size in ((0, n), (1, m)):
            flow = np.zeros((1 + len(self.choices[player]), size))
            flow[0, 0] = 1.0
            for row, (before, ids) in enumerate(self.choices[player].values(), start=1):
                flow[row, before] = -1.0
                flow[row, ids] = 1.0
            flows.append(flow)
        own, other = flows
        found = linprog(
            -np.eye(n + len(other))[n],
            A_ub=np.hstack([-payoff.T, other.T]),
            b_ub=np.zeros(m),
            A_eq=np.hstack([own, np.zeros((len(own), len(other)))]),
            b_eq=np.eye(len(own))[0],
            bounds=[(0, None)] * n + [(None, None)] * len(other),
            method="highs",
        )
        assert found.status == 0
        assert found.fun is not None
        return float(-found.fun)


def by_the_tree(chips: int, faces: int) -> Values:
    """Values at the start of a round, by whole rounds as trees, until no round changes them."""
    values: Values = {}
    for total in range(2, 2 * chips + 1):
        pairs = [(mine, total - mine) for mine in range(1, total)]
        values |= dict.fromkeys(pairs, 0.5)
        change = 1.0
        while change > 1e-11:
            found = {pair: Tree(*pair, faces, values).value() for pair in pairs}
            change = max(abs(found[pair] - values[pair]) for pair in pairs)
            values |= found
    return values


@pytest.mark.parametrize(("chips", "faces"), [(2, 3), *thorough((2, 4)), *slow((3, 4))])
def test_values_are_those_of_the_whole_tree(chips: int, faces: int) -> None:
    _, _, found = solved(chips, faces)
    for (mine, theirs), value in by_the_tree(chips, faces).items():
        assert found.values[entry(chips, faces, mine, theirs)] == pytest.approx(value, abs=1e-8)


def test_every_pair_of_chips_is_known_to_a_billionth_and_a_lone_chip_of_the_caller_wins_at_once() -> None:
    _, laid, found = solved(3, 6, dice=3)
    boards = laid.game.boards().columns(laid.boards)
    start = boards.last == 0
    pairs = set(zip(boards.mine[start].tolist(), boards.theirs[start].tolist(), strict=True))
    assert pairs == {(mine, theirs) for mine in range(1, 6) for theirs in range(1, 7 - mine)}
    assert found.gap < 1e-9
    assert (found.values[start & (boards.mine == 1)] == 1.0).all()


def test_two_who_may_go_round_for_ever_are_refused() -> None:
    game = Bluff(chips=2, dice=1, faces=2)
    with pytest.raises(NotConverged, match=r"the mixes of bluff.* are worth less than they should by up to"):
        solve_hidden(lay_out_possible(game, compile_turn(game)), quiet)


# --- one turn --------------------------------------------------------------------------------------------------------


def test_a_turn_without_dice_is_a_matrix_game_whose_mixes_are_known() -> None:
    payoff = np.array([[[3.0, 0.0], [1.0, 2.0]]])  # one throw: each call is replied to knowing it, so 0 and 1
    found = solve_turn(np.ones(1), payoff)
    assert (found.low, found.high) == (1.0, 1.0)
    assert found.calls[0].tolist() == [0.0, 1.0]


def test_a_good_and_a_bad_throw_are_bluffed_as_in_the_smallest_poker() -> None:
    # high or low card, bet 1 into a pot of 2 or give up: a low card bets one time in three, and is met two in three
    bet, give_up = [[3.0, 2.0], [-1.0, 2.0]], [[2.0, 2.0], [0.0, 0.0]]
    payoff = np.array([[bet[0], give_up[0]], [bet[1], give_up[1]]])
    found = solve_turn(np.array([0.5, 0.5]), payoff)
    assert found.gap <= GAP_TOLERANCE
    assert found.calls[:, 0] == pytest.approx([1.0, 1 / 3], abs=1e-14)
    assert found.replies[0] == pytest.approx([2 / 3, 1 / 3], abs=1e-14)


def test_mixes_in_parts_add_up_to_one() -> None:
    draw = np.random.default_rng(1)
    mixes = draw.random((50, 7)) ** 9
    parts = to_parts(mixes / mixes.sum(axis=1, keepdims=True))
    assert (parts >= 0).all()
    assert [sum(map(int, row)) for row in parts] == [PARTS_PER_ONE] * 50
    assert to_parts(np.zeros((1, 3))).tolist() == [[0, 0, 0]]


# --- fractions -------------------------------------------------------------------------------------------------------


def fraction(mine: int, theirs: int, last: int = 0) -> Fraction | None:
    game, laid, found = solved(3, 6, dice=3)
    kept = InMemory({name: scatter(laid, getattr(found, name)) for name in ("values", "calls", "replies")})
    place = int(laid.place[game.boards().index_of(mine=mine, theirs=theirs, last=last)])
    value = exact_value(laid, kept, place)
    assert value is None or found.lower[place] <= value <= found.upper[place]
    return value


@pytest.mark.parametrize(
    ("chips", "wanted"),
    [
        ((1, 1), Fraction(1)),
        ((2, 1), Fraction(6347, 13961)),
        ((2, 2), Fraction(13902496268932229461, 21214930859646806061)),
        ((1, 1, 9), Fraction(5, 8)),  # only a true call of 10 or more wins: P(at least 10) = 135/216
        ((4, 1), None),
        ((2, 3), None),
    ],
)
def test_values_are_fractions_where_the_equations_are_linear(chips: tuple[int, ...], wanted: Fraction | None) -> None:
    assert fraction(*chips) == wanted


# --- the witness -----------------------------------------------------------------------------------------------------


def proof(game: Bluff, arrays: dict[str, Any]) -> str:
    """What is wrong with stored arrays; empty where nothing is."""
    return KIND.prove(game, compile_turn(game), InMemory(arrays), {}, Tools()) or ""


def kept(chips: int = 2, faces: int = 6) -> tuple[Bluff, dict[str, Any]]:
    game, laid, found = solved(chips, faces)
    return game, {
        name: scatter(laid, getattr(found, name)) for name in ("values", "lower", "upper", "calls", "replies")
    }


def promise(name: str, other: str, change: float) -> Callable[[dict[str, Any], int], None]:
    """A bound moves, the value goes along, and the other bound makes room."""
    step = np.round(change * 2**53) / 2**53

    def spoil(arrays: dict[str, Any], board: int) -> None:
        arrays[name][board] += step
        arrays["values"][board] = arrays[name][board]
        arrays[other][board] += 2 * step

    return spoil


def mix_of(name: str, row: int, *parts: int) -> Callable[[dict[str, Any], int], None]:
    """Another mix; without parts, the same one turned round."""

    def spoil(arrays: dict[str, Any], board: int) -> None:
        arrays[name][board, row] = parts or arrays[name][board, row][::-1].copy()

    return spoil


def value_up(arrays: dict[str, Any], board: int) -> None:
    arrays["values"][board] += 1e-6


def calls_left_out(arrays: dict[str, Any], board: int) -> None:
    arrays["calls"] = arrays["calls"][:, :2]


@pytest.mark.parametrize(("chips", "faces"), [(2, 4), (2, 6), (3, 4)])
def test_no_reply_gains_a_billionth_against_the_mixes_and_the_witness_finds_the_bounds_right(
    chips: int, faces: int
) -> None:
    assert solved(chips, faces)[2].gap < 1e-9
    assert proof(*kept(chips, faces)) == ""


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (promise("lower", "upper", 1e-9), "are not sure of its lower bound"),
        (promise("upper", "lower", -1e-9), "are not sure of its upper bound"),
        (value_up, "a value does not lie within its bounds"),
        (mix_of("calls", 0, PARTS_PER_ONE, 0, 0, 0, 0, 1), "the calls on board .* are no mix"),
        (mix_of("calls", 2, 0, 0, 0, 0, 0, PARTS_PER_ONE), "the mixes on board .* are not sure"),
        (mix_of("replies", 5, PARTS_PER_ONE, 0), "the replies to call 6 .* are no mix"),  # which may not be accepted
        (mix_of("replies", 3), "the mixes on board .* are not sure"),
        (calls_left_out, "calls is not an array of"),
    ],
)
def test_the_witness_refutes_what_is_not_so(spoil: Callable[[dict[str, Any], int], None], said: str) -> None:
    game, arrays = kept()
    spoil(arrays, game.boards().index_of(mine=2, theirs=2, last=0))
    assert re.search(said, proof(game, arrays))


def test_the_witness_believes_no_bound_where_play_may_never_end() -> None:
    game = Bluff(chips=2, dice=1, faces=2)
    laid = lay_out_possible(game, compile_turn(game))
    calls, replies = np.zeros((laid.n, 2, 2)), np.zeros((laid.n, 2, 2))
    calls[..., 0] = replies[..., 1] = 1.0  # always call 1, which is true, and always challenge it
    later = laid.game.boards().columns(laid.boards).last == 1
    calls[later] = [0.0, 1.0]
    replies[later, 0] = 0.0
    mixes = {"calls": scatter(laid, to_parts(calls)), "replies": scatter(laid, to_parts(replies))}
    halves = {name: scatter(laid, np.full(laid.n, 0.5)) for name in ("values", "lower", "upper")}
    assert "play may never end" in proof(game, mixes | halves)


# --- played out ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_played_by_their_mixes_the_first_caller_wins_as_often_as_said() -> None:
    """Two who ask the product at every step, drawing from what it says."""
    draw, wins, games = Random(5), 0, 1500

    @cache
    def mix(**fields: int) -> tuple[Sequence[str], Sequence[float]]:
        moves = rollwise.ask("bluff", params={"chips": 2}, state=fields).moves
        return [move.move for move in moves], [move.probability or 0.0 for move in moves]

    for _ in range(games):
        chips, caller, last = [2, 2], 0, 0
        while min(chips) > 0:
            mine, theirs = chips[caller], chips[1 - caller]
            total = sum(draw.randint(1, 6) for _ in range(3))
            [called] = draw.choices(*mix(last=last, total=total, mine=mine, theirs=theirs))
            call = int(called.removeprefix("call "))
            [reply] = draw.choices(*mix(last=last, call=call, mine=theirs, theirs=mine))
            giver = caller if reply == "accept" or total >= call else 1 - caller
            last = call if reply == "accept" else 0
            chips[giver] -= 1
            chips[1 - giver] += reply == "challenge"
            caller = 1 - caller
        wins += chips[0] == 0
    assert wins / games == pytest.approx(0.655316595699, abs=0.05)  # four standard deviations
