"""Bluff at small size against its whole game tree, and what its mixes secure against every other way to play.

The rules are written down once more here, for a single die, and shared with nothing of the product.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.bluff import Bluff
from rollwise.solver.game.errors import NotConverged
from rollwise.solver.hidden.exactly import exact_value
from rollwise.solver.hidden.linear import GOOD, solve_turn
from rollwise.solver.hidden.solving import SolvedHidden, solve_hidden
from rollwise.solver.hidden.stage import Laid
from rollwise.solver.kinds.hidden import KIND, laid_out, spread
from rollwise.solver.kinds.kind import InMemory, Tools
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.parts import PARTS, in_parts
from rollwise.solver.witness.hidden import hidden_holds

Values = dict[tuple[int, int], float]  # P(the caller wins) at the start of a round, by chips of both
SMALL = [(2, 4), (2, 6), (3, 4)]  # chips each, faces of the one die


def quiet(share: float) -> None:
    """Nobody waits."""


@cache
def solved(chips: int, faces: int, dice: int = 1) -> tuple[Bluff, Laid, SolvedHidden]:
    game = Bluff(chips=chips, dice=dice, faces=faces)
    laid = laid_out(game, compile_turn(game))
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
        for total in range(1, self.faces + 1):
            calls = list(range(last + 1, self.faces + 1))
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
            if reply == "accept":
                held[caller] -= 1
                if held[caller] == 0:
                    self.ends(further, chance, float(caller == 0))
                else:
                    self.call(other, (held[0], held[1]), call, further, chance)
                continue
            giver = caller if total >= call else other
            held[giver] -= 1
            held[1 - giver] += 1
            if held[giver] == 0:
                self.ends(further, chance, float(giver == 0))
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
        aim = np.zeros(n + len(other))
        aim[n] = -1.0
        start = np.zeros(len(own))
        start[0] = 1.0
        found = linprog(
            aim,
            A_ub=np.hstack([-payoff.T, other.T]),
            b_ub=np.zeros(m),
            A_eq=np.hstack([own, np.zeros((len(own), len(other)))]),
            b_eq=start,
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


@pytest.mark.parametrize(("chips", "faces"), [(2, 4), pytest.param(3, 4, marks=pytest.mark.slow)])
def test_values_are_those_of_the_whole_tree(chips: int, faces: int) -> None:
    _, _, found = solved(chips, faces)
    for (mine, theirs), value in by_the_tree(chips, faces).items():
        assert found.values[entry(chips, faces, mine, theirs)] == pytest.approx(value, abs=1e-8)


# --- against every other way to play ---------------------------------------------------------------------------------


def best_reply(chips: int, faces: int) -> tuple[Mapping[Any, float], Mapping[Any, float]]:
    """What the stored mixes win against the best reply, as caller and against a caller, by (mine, theirs, last)."""
    game, laid, found = solved(chips, faces)
    boards = [game.boards().board(int(board)) for board in laid.boards]
    keys = [(board["mine"], board["theirs"], board["last"]) for board in boards]
    calls = {key: found.calls[i] / PARTS for i, key in enumerate(keys)}
    replies = {key: found.replies[i] / PARTS for i, key in enumerate(keys)}
    own, others = dict.fromkeys(keys, 0.0), dict.fromkeys(keys, 0.0)
    change = 1.0
    while change > 1e-15:
        change = 0.0
        for mine, theirs, last in keys:
            key = mine, theirs, last
            ways = range(1, faces + 1)
            allowed = range(last + 1, faces + 1)

            def outcomes(
                call: int, then: Mapping[Any, float], lost: float, mine: int = mine, theirs: int = theirs
            ) -> tuple[float, float, float]:
                """The fixed player's chances after accept, a true and a false challenged call; ``lost``: of a 0."""
                won = 1.0 - lost
                accepted = won if mine == 1 else then.get((theirs, mine - 1, call), 0.0)
                true = won if mine == 1 else then[theirs + 1, mine - 1, 0]
                false = lost if theirs == 1 else then[theirs - 1, mine + 1, 0]
                return accepted, true, false

            called = 0.0
            for call in allowed:
                accepted, true, false = outcomes(call, others, 0.0)
                often = [calls[key][total - 1, call - 1] / faces for total in ways]
                challenged = sum(
                    part * (true if total >= call else false) for total, part in zip(ways, often, strict=True)
                )
                called += min(challenged, sum(often) * accepted) if call < faces else challenged
            replied = 0.0
            for total in ways:
                worst = []
                for call in allowed:
                    accepted, true, false = outcomes(call, own, 1.0)
                    accept, challenge = replies[key][call - 1]
                    worst.append(accept * accepted + challenge * (true if total >= call else false))
                replied += min(worst) / faces
            change = max(change, abs(called - own[key]), abs(replied - others[key]))
            own[key], others[key] = called, replied
    return own, others


@pytest.mark.parametrize(("chips", "faces"), SMALL)
def test_no_reply_gains_a_billionth_against_the_mixes_and_bounds_say_so(chips: int, faces: int) -> None:
    game, laid, found = solved(chips, faces)
    own, others = best_reply(chips, faces)
    for i, board in enumerate(laid.boards.tolist()):
        fields = game.boards().board(board)
        key = fields["mine"], fields["theirs"], fields["last"]
        assert found.lower[i] <= own[key] + 1e-14
        assert found.upper[i] >= 1 - others[key] - 1e-14
        assert own[key] <= found.values[i] + 1e-12
        assert 1 - others[key] >= found.values[i] - 1e-12
        assert found.upper[i] - found.lower[i] < 1e-9


def test_every_pair_of_chips_is_known_to_a_billionth() -> None:
    game, laid, found = solved(5, 6, dice=3)
    start = laid.game.boards().columns(laid.boards).last == 0
    pairs = laid.game.boards().columns(laid.boards)
    assert {(int(m), int(t)) for m, t in zip(pairs.mine[start], pairs.theirs[start], strict=True)} == {
        (mine, theirs) for mine in range(1, 10) for theirs in range(1, 10) if mine + theirs <= 10
    }
    assert found.gap < 1e-9
    assert game.chips == 5


def test_whoever_calls_with_one_chip_at_the_start_of_a_round_has_won() -> None:
    _, laid, found = solved(5, 6, dice=3)
    columns = laid.game.boards().columns(laid.boards)
    sure = (columns.mine == 1) & (columns.last == 0)
    assert (found.values[sure] == 1.0).all()


def test_two_who_may_go_round_for_ever_are_refused() -> None:
    game = Bluff(chips=2, dice=1, faces=2)
    with pytest.raises(NotConverged, match=r"the mixes of bluff.* are worth less than they should by up to"):
        solve_hidden(laid_out(game, compile_turn(game)), quiet)


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
    assert found.gap <= GOOD
    assert found.calls[:, 0] == pytest.approx([1.0, 1 / 3], abs=1e-14)
    assert found.replies[0] == pytest.approx([2 / 3, 1 / 3], abs=1e-14)


def test_mixes_in_parts_add_up_to_one() -> None:
    draw = np.random.default_rng(1)
    mixes = draw.random((50, 7)) ** 9
    parts = in_parts(mixes / mixes.sum(axis=1, keepdims=True))
    assert (parts >= 0).all()
    assert [sum(map(int, row)) for row in parts] == [PARTS] * 50
    assert in_parts(np.zeros((1, 3))).tolist() == [[0, 0, 0]]


# --- fractions -------------------------------------------------------------------------------------------------------


def fraction(mine: int, theirs: int, last: int = 0) -> Fraction | None:
    game, laid, found = solved(3, 6, dice=3)
    kept = InMemory({name: spread(laid, getattr(found, name)) for name in ("values", "calls", "replies")})
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


def kept() -> tuple[Bluff, dict[str, Any], tuple[list[str], list[str]], Laid]:
    game, laid, found = solved(2, 6)
    arrays = {name: spread(laid, getattr(found, name)) for name in ("values", "lower", "upper", "calls", "replies")}
    return game, arrays, (list(laid.stage.calls), list(laid.stage.replies)), laid


def test_the_witness_holds_what_is_right() -> None:
    game, arrays, names, _ = kept()
    assert hidden_holds(game, arrays, names, quiet) is None
    graph = compile_turn(game)
    assert KIND.prove(game, graph, InMemory(arrays), {}, Tools()) is None


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("lower", 1e-9, "are not sure of its lower bound"),
        ("upper", -1e-9, "are not sure of its upper bound"),
        ("values", 1e-6, "a value does not lie within its bounds"),
    ],
)
def test_the_witness_refutes_a_bound_that_promises_too_much(name: str, change: float, said: str) -> None:
    game, arrays, names, laid = kept()
    board = int(laid.boards[entry(2, 6, 2, 2)])
    step = np.round(change * 2**53) / 2**53
    arrays[name][board] += step
    if name != "values":  # the value goes along, and the other bound makes room
        arrays["values"][board] = arrays[name][board]
        arrays["upper" if name == "lower" else "lower"][board] += 2 * step
    assert refuted(said, hidden_holds(game, arrays, names, quiet))


def refuted(said: str, found: str | None) -> bool:
    return found is not None and re.search(said, found) is not None


def test_the_witness_refutes_mixes_that_are_none_or_another() -> None:
    game, arrays, names, laid = kept()
    board = int(laid.boards[entry(2, 6, 2, 2)])
    arrays["calls"][board, 0, 0] += 1
    assert refuted("the calls on board .* are no mix", hidden_holds(game, arrays, names, quiet))
    game, arrays, names, laid = kept()
    arrays["calls"][board, 2] = 0
    arrays["calls"][board, 2, 5] = PARTS
    assert refuted("the mixes on board .* are not sure", hidden_holds(game, arrays, names, quiet))
    game, arrays, names, laid = kept()
    arrays["replies"][board, 5] = PARTS, 0  # a call of 6 may not be accepted
    assert refuted("the replies to call 6 .* are no mix", hidden_holds(game, arrays, names, quiet))
    game, arrays, names, laid = kept()
    arrays["replies"][board, 3] = arrays["replies"][board, 3][::-1].copy()
    assert refuted("the mixes on board .* are not sure", hidden_holds(game, arrays, names, quiet))


def test_the_witness_believes_no_bound_where_play_may_never_end() -> None:
    game = Bluff(chips=2, dice=1, faces=2)
    laid = laid_out(game, compile_turn(game))
    calls, replies = np.zeros((laid.n, 2, 2)), np.zeros((laid.n, 2, 2))
    calls[..., 0] = replies[..., 1] = 1.0  # always call 1, which is true, and always challenge it
    later = laid.game.boards().columns(laid.boards).last == 1
    calls[later] = [0.0, 1.0]
    replies[later, 0] = 0.0
    arrays = {
        "calls": spread(laid, in_parts(calls)),
        "replies": spread(laid, in_parts(replies)),
        **{name: spread(laid, np.full(laid.n, 0.5)) for name in ("values", "lower", "upper")},
    }
    assert refuted(
        "play may never end", hidden_holds(game, arrays, (["call 1", "call 2"], ["accept", "challenge"]), quiet)
    )


def test_wrong_shapes_are_told() -> None:
    game, arrays, _, _ = kept()
    graph = compile_turn(game)
    arrays["calls"] = arrays["calls"][:, :2]
    assert refuted("calls is not an array of", KIND.prove(game, graph, InMemory(arrays), {}, Tools()))


# --- played out ------------------------------------------------------------------------------------------------------


def test_played_by_their_mixes_the_first_caller_wins_as_often_as_said() -> None:
    """Two who ask the product at every step, drawing from what it says."""
    draw, wins, games = Random(5), 0, 1500
    for _ in range(games):
        chips, caller, last = [2, 2], 0, 0
        while True:
            held = {"mine": chips[caller], "theirs": chips[1 - caller]}
            total = sum(draw.randint(1, 6) for _ in range(3))
            call = int(drawn(draw, {"last": last, "total": total, **held}).removeprefix("call "))
            seen = {"mine": chips[1 - caller], "theirs": chips[caller], "last": last, "call": call}
            if drawn(draw, seen) == "accept":
                chips[caller] -= 1
                winner, last = caller, call
            else:
                winner, last = (caller if total >= call else 1 - caller), 0
                chips[winner] -= 1
                chips[1 - winner] += 1
            if chips[winner] == 0:
                wins += winner == 0
                break
            caller = 1 - caller
    assert wins / games == pytest.approx(0.655316595699, abs=0.05)  # four standard deviations


@cache
def mix(**fields: int) -> tuple[tuple[str, float], ...]:
    advice = rollwise.ask("bluff", {"chips": 2}, state=fields)
    return tuple((move.move, move.probability or 0.0) for move in advice.moves or [])


def drawn(draw: Random, fields: Mapping[str, int]) -> str:
    names, often = zip(*mix(**fields), strict=True)
    return str(draw.choices(names, often)[0])
