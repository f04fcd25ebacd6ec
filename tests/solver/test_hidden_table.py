"""Bluff against plain loops: what a rule wins, the best reply of one seat to it, and what that leaves a rule of two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.bluff.rules import Bluff
from rollwise.questions.compare.mixed_policy import parts_of
from rollwise.solver.hidden_information.one_player import FIXED, MAXIMISE, MINIMISE, OnePlayerMDP
from rollwise.solver.hidden_information.policy_evaluation import mixes_of
from rollwise.solver.hidden_information.stage import lay_out_boards, reachable
from rollwise.solver.kinds.kind import possible_boards
from rollwise.solver.model.errors import BadInput, StateError, TooLarge
from rollwise.solver.turn.graph import compile_turn
from tests.solver.plain import swept

State = tuple[tuple[int, ...], int]  # chips from the caller to the left, and the last call


def mix(rule: str, moves: Sequence[str]) -> Any:
    """Every move alike; or the lowest call, and a coin for the reply."""
    return moves[0] if rule == "lowest" and moves[0].startswith("call") else dict.fromkeys(moves, 1)


def by_loops(players: int, chips: int, faces: int, rule: str, chosen: int) -> dict[tuple[int, State], float]:
    """P(win) of a player by place and state, sweep by sweep from 0 on; who does not choose keeps to the rule.

    Chosen is the player's best, nothing, or of two by the other the player's worst.
    """
    most = players * chips
    held = [one for one in product(range(1, most), repeat=players) if sum(one) <= most]
    states = [(one, last) for one in held for last in range(faces) if last == 0 or sum(one) < most]
    values = {(place, state): 0.0 for place in range(players) for state in states}
    swept(values, values, lambda at: turn(players, faces, rule, chosen, values, at[0], *at[1]), 1e-14)
    return values


def turn(
    players: int, faces: int, rule: str, chosen: int, values: Any, place: int, chips: tuple[int, ...], last: int
) -> float:
    caller, replier, *others = chips

    def after(total: int, call: int, accepted: bool) -> float:
        true = total >= call
        first, second, next_last = caller - 1, replier + (not accepted), call if accepted else 0
        if not accepted and not true:
            first, second = caller + 1, replier - 1
        if min(first, second) == 0:
            return float(place == (0 if first == 0 else 1))
        return float(values[(place - 1) % players, ((second, *others, first), next_last)])

    allowed = range(last + 1, faces + 1)
    called = mix(rule, [f"call {call}" for call in allowed])
    share = {call: 1.0 if f"call {call}" == called else 0.0 for call in allowed}
    if not isinstance(called, str):
        share = dict.fromkeys(allowed, 1 / len(allowed))
    believed = {call: 0.5 if call < faces else 0.0 for call in allowed}

    def replied(total: int, call: int) -> float:
        yes = believed[call] and believed[call] * after(total, call, True)
        return yes + (1 - believed[call]) * after(total, call, False)

    throws, pick = range(1, faces + 1), min if chosen == MINIMISE else max
    if chosen and place == (0 if chosen == MAXIMISE else 1):
        return sum(pick(replied(total, call) for call in allowed) for total in throws) / faces
    if chosen and place < 2:
        return (
            sum(
                share[call] * pick(sum(after(t, call, yes) for t in throws) for yes in (True, False)[call == faces :])
                for call in allowed
            )
            / faces
        )
    return sum(share[call] * replied(total, call) for total in throws for call in allowed) / faces


class Stub:
    """The rule as the product asks it."""

    def __init__(self, rule: str) -> None:
        self.rule = rule

    def mix(self, board: int, state: Any, moves: Sequence[str]) -> Sequence[int]:
        return parts_of(mix(self.rule, moves), moves)


@pytest.mark.parametrize("rule", ["coin", "lowest"])
@pytest.mark.parametrize(
    ("size", "chosen"),  # players, chips each, faces of the one die
    [(size, chosen) for size in [(3, 1, 4), (3, 2, 3), (4, 1, 3)] for chosen in (MAXIMISE, FIXED)]
    + [((2, 2, 4), chosen) for chosen in (MAXIMISE, FIXED, MINIMISE)],
)
def test_bounds_hold_what_plain_loops_find_on_every_board(size: tuple[int, int, int], rule: str, chosen: int) -> None:
    players, chips, faces = size
    game: Any = Bluff.of(players=players, chips=chips, dice=1, faces=faces)
    space = game.boards()
    laid = lay_out_boards(game, compile_turn(game), np.concatenate(list(possible_boards(game))), players)
    start = int(laid.place[space.index_of(**game.first_board())])
    mixes = mixes_of(laid, Stub(rule), start, lambda share: None)
    lower, upper = OnePlayerMDP(laid, mixes, chosen).solve()
    assert (upper - lower).max() < 1e-9
    wanted = by_loops(players, chips, faces, rule, chosen)
    for entry in reachable(laid.n, *laid.edges(), start).tolist():
        board = space.board(int(laid.boards[entry]))
        for place in range(players):
            held = board["chips"] if players > 2 else (board["mine"], board["theirs"])
            value = wanted[place, (tuple(map(int, held)), int(board["last"]))]
            assert lower[place, entry] - 1e-12 <= value <= upper[place, entry] + 1e-12


def test_what_all_seats_win_with_one_rule_is_one_win() -> None:
    found = rollwise.compare("bluff", "honest", params={"players": 3, "chips": 2})
    assert sum(rule[0] for rule in found.rule) == pytest.approx(1, abs=1e-10)
    assert all(best[1] >= rule[1] - 1e-10 for best, rule in zip(found.best, found.rule, strict=True))
    assert found.cost[2] - found.cost[1] < 1e-9
    assert found.cost[1] > 0


def test_seats_are_counted_from_the_one_who_calls() -> None:
    first, turned = (
        rollwise.compare("bluff", "honest", params={"players": 3, "chips": 2}, state={"chips": chips, "mover": mover})
        for chips, mover in (((2, 1, 1), 0), ((1, 2, 1), 1))
    )
    assert first.rule == (turned.rule[1], turned.rule[2], turned.rule[0])
    assert turned.state == {"chips": (1, 2, 1), "mover": 1}


def test_a_lone_chip_of_the_caller_wins_at_once() -> None:
    found = rollwise.compare("bluff", "honest", params={"players": 4, "chips": 1})
    assert found.rule[0] == pytest.approx((1, 1, 1), abs=1e-9)
    assert found.best[1][2] < 1e-9


def test_tables_are_not_solved_and_say_so_and_the_largest_are_not_compared() -> None:
    with pytest.raises(BadInput, match=r"with 3 players .* only rules are compared") as refused:
        rollwise.ask("bluff", params={"players": 3}, total=9)
    assert refused.value.hint == "rollwise compare bluff -p players=3"
    with pytest.raises(BadInput, match="only rules are compared"):
        rollwise.solve("bluff", params={"players": 4, "chips": 1})
    with pytest.raises(TooLarge, match=r"has .* boards, of which mixes take .* GB"):
        rollwise.compare("bluff", "honest", params={"players": 4, "chips": 9})


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"chips": (5, 5, 6)}, "chips are 15 at most together, got 16"),
        ({"chips": (5, 5, 5), "last": 9}, "last=9 was accepted, so a chip is in the pot, and chips are 14 at most"),
        ({"chips": (5, 5)}, "chips is a list of 3 numbers, got 2"),
        ({"total": 9, "call": 9}, "does not see the total"),
        ({"mover": 3}, "mover is from 0 to 2, got 3"),
    ],
)
def test_what_cannot_be_at_a_table_is_refused(state: dict[str, Any], said: str) -> None:
    with pytest.raises(StateError, match=said):
        rollwise.ask("bluff", params={"players": 3}, state=state)
