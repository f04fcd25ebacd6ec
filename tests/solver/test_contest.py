"""A rule of thumb against the best reply: certified by the solver, and the same in fractions, state by state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.cache.store import Store
from rollwise.games.claims.replay import turn_game
from rollwise.games.policies import Policy, policies, policy
from rollwise.games.registry import REGISTRY
from rollwise.games.zilch.rules import Zilch
from rollwise.questions.compare.compute import compare
from rollwise.questions.compare.function_policy import FunctionPolicy
from rollwise.questions.compare.table_policy import ExportedPolicy
from rollwise.solver.exact.optimal import solve_exact
from rollwise.solver.kinds.duel import uses
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import Columns, Decision, End, Node, NodeKey, Transition, TurnGame, moves_by_name
from rollwise.solver.policy import policy_in_duel
from rollwise.solver.policy.policy_in_duel import Optimum, PolicyInDuel
from rollwise.solver.turn.graph import compile_turn
from rollwise.solver.turn.policy_turn import PolicyTurn
from tests.solver.plain import Board, Turns, thorough, toy

At = tuple[int, Board]  # who moves, and the board
Play = Callable[[TurnGame], str]


def roll_to_three(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Hold at three."""
    return "hold" if state["turn"] >= 3 else "roll"


def hold_if_behind(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """Look at both scores."""
    return "hold" if state["mine"] + state["turn"] > state["theirs"] and "hold" in moves else "roll"


def first_move(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    return moves[0]


def last_move(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    return moves[-1]


class ByRule(Turns):
    """Turns of a player who does what a rule says of all fields as they are shown."""

    def __init__(self, game: TurnGame, rule: Policy) -> None:
        super().__init__(game, defaultdict(Fraction))
        self.rule = rule

    def chosen(self, board: Board, state: NodeKey, word: Decision) -> Node:
        moves = moves_by_name(word, self.game.turn)
        legal = [name for name in moves if self.worth(board, moves[name], self.known[board]) is not None]
        named = dict(zip(self.game.boards().names, board, strict=True))
        told = next(iter(self.game.describe(named, state)), {})
        return moves[self.rule(told, legal) if len(legal) > 1 else legal[0]]


class Reply(Turns):
    """Turns of a player, given what the first player gets by who moves and the board; ``found`` finds what is not."""

    def __init__(self, game: TurnGame, player: int, worth: dict[At, Fraction], found: Callable[..., Any]) -> None:
        super().__init__(game)
        self.player, self.worth_to_first, self.found = player, worth, found

    def seen(self, at: At) -> Fraction:
        if at not in self.worth_to_first:
            self.worth_to_first |= self.found([at])
        return self.game.total - self.worth_to_first[at] if self.player else self.worth_to_first[at]

    def ahead(self, board: Board, other: bool) -> Fraction:
        return self.seen((self.player ^ other, board))


def played(players: Sequence[Turns], starts: Iterable[At]) -> dict[At, Fraction]:
    """What the first player gets, by who moves and the board: a chain, its states taken out one by one."""
    rows, waiting, total = dict[At, dict[At | None, Fraction]](), list(starts), players[0].game.total
    while waiting:
        at = player, board = waiting.pop()
        if at not in rows:
            row = rows[at] = defaultdict(Fraction)
            for end, chance in players[player].ends(board).items():
                said = players[0].outcome(board, end.result)
                gain = said.value + Fraction(end.reward)
                row[None] += chance * (-gain if player else gain)
                if said.following is None:
                    row[None] += chance * total * player
                else:
                    row[player ^ said.other, said.following] += chance
            waiting += [following for following in row if following is not None]
    order = list(rows)[::-1]
    for place, at in enumerate(order):
        back = rows[at].pop(at, Fraction(0))
        assert back < 1, "it goes on for ever"
        rows[at] = {key: part / (1 - back) for key, part in rows[at].items()}
        for other in order[place + 1 :]:
            if share := rows[other].pop(at, None):
                for key, part in rows[at].items():
                    rows[other][key] = rows[other].get(key, Fraction(0)) + share * part
    worth: dict[At | None, Fraction] = {None: Fraction(1)}
    for at in reversed(order):
        worth[at] = sum((part * worth[key] for key, part in rows[at].items()), Fraction(0))
    return {at: value for at, value in worth.items() if at is not None}


def against_best_reply(rule: Turns, player: int, start: Board, reply: Turns) -> Fraction:
    """What the first player gets where this one plays the rule, and the other finds better replies until none is."""
    states, is_best = [(0, start)], False
    while not is_best:
        players = [reply, rule] if player else [rule, reply]
        worth = played(players, states)
        states = list(worth)
        reply = Reply(rule.game, 1 - player, worth, partial(played, players))
        is_best = all([reply.value(at[1]) == reply.seen(at) for at in states if at[0] != player])
        is_best &= len(worth) == len(states)
        states = list(worth)
    return worth[0, start]


CASES: list[tuple[str, dict[str, Any], Policy]] = [
    ("pig", {"target": 5}, roll_to_three),
    ("pig", {"target": 6}, hold_if_behind),
    ("piggy-six", {"target": 2}, first_move),
    ("shut-the-box", {"boxes": 5}, last_move),
]
MORE: list[tuple[str, dict[str, Any], Policy]] = [
    ("shut-the-box", {"boxes": 5}, first_move),
    ("yahtzee", {"boxes": "ones"}, last_move),
    ("mexico", {"lives": 1}, first_move),
    ("killer", {"boxes": "trebles"}, first_move),
    ("sevens", {"goal": 1, "dice": 2}, last_move),
]


@pytest.mark.parametrize(("name", "parameters", "rule"), [*CASES, *thorough(*MORE)])
def test_a_contest_is_worth_what_it_is_in_fractions(
    name: str, parameters: dict[str, Any], rule: Policy, monkeypatch: pytest.MonkeyPatch, play: Play
) -> None:
    """Against the best reply, plain and compiled, and against the best player."""
    made = turn_game(name, **parameters)
    found = []
    for work in (0, 1 << 62):
        monkeypatch.setattr(policy_in_duel, "MAX_NUMPY_WORK", work)
        found.append(compare(play(made), rule))
    best, by_rule = Turns(made, solve_exact(made, compile_turn(made)).values), ByRule(made, rule)
    start = tuple(made.first_board()[field] for field in made.boards().names)
    cost = Fraction(0)
    for player in range(len(found[0].rule)):
        against_best = played([best, by_rule] if player else [by_rule, best], [(0, start)])[0, start]
        against_all = against_best_reply(by_rule, player, start, best)
        for one in found:
            require_within(one.rule[player], against_all if player == 0 else made.total - against_all)
            if one.rule_to_best is not None:
                require_within(one.rule_to_best[player], against_best if player == 0 else made.total - against_best)
        cost += (best.value(start) - against_best) * (-1 if player else 1) / 2
    for one in found:
        assert (one.cost_to_best is None) == (one.rule_to_best is None) == (made.kind == "solo")
        if one.cost_to_best is not None:
            require_within(one.cost_to_best, cost)
            assert one.cost_to_best[1] <= one.cost[2]


def require_within(found: tuple[float, float, float], exact: Fraction) -> None:
    value, lower, upper = map(Fraction, found)
    assert lower <= exact <= upper
    assert abs(value - exact) < 1e-9


FORMATS = ["table.csv", "table.jsonl", "table.parquet", "table/"]
EXPORTED: list[tuple[str, dict[str, Any], list[str]]] = [
    ("pig", {"target": 10}, FORMATS),
    ("shut-the-box", {"boxes": 7}, FORMATS[:3]),  # its boards have no levels
    ("421", {"players": 2, "chips": 1, "pot": 0}, FORMATS[3:]),
]
FURTHER: list[tuple[str, dict[str, Any], list[str]]] = [
    ("piggy-six", {"target": 4}, FORMATS[:1]),
    ("shut-the-box", {"objective": "clear", "boxes": 7}, FORMATS[1:2]),
    ("shut-the-box", {"players": 2, "boxes": 4}, FORMATS[3:]),
    ("mexico", {"lives": 1}, FORMATS[1:2]),
    ("sevens", {"goal": 1, "dice": 4}, FORMATS[2:3]),
    ("ten-thousand", {"goal": 500, "players": 1}, FORMATS[2:3]),
    ("zilch", {"goal": 500, "opening": 350, "players": 1}, FORMATS[2:3]),
    ("killer", {"boxes": "trebles"}, FORMATS[3:]),
]


@pytest.mark.parametrize(("name", "parameters", "files"), [*EXPORTED, *thorough(*FURTHER)])
def test_an_export_as_it_was_written_costs_nothing(
    name: str, parameters: dict[str, Any], files: list[str], tmp_path: Path, play: Play
) -> None:
    made = turn_game(name, **parameters)
    play(made)
    tables = []
    for file in files:
        rollwise.export(name, f"{tmp_path}/{file}")
        tables.append(ExportedPolicy(made, tmp_path / file, is_slice=False))
        assert tables[-1].described
    moves = [{key: row.move for key, row in table.moves.items()} for table in tables]
    assert all(some == moves[0] for some in moves)  # so one of them is played
    found = compare(name, tmp_path / files[0])
    assert abs(found.cost[0]) <= 1e-9
    assert found.cost[1] <= 0 <= found.cost[2]
    assert found.table is not None
    assert found.table["held"] == found.table["reached"] > 0


def test_a_game_in_which_no_rule_is_compared_is_refused_before_it_is_solved(own_cache: Store) -> None:
    for name, message in {"big-six": "a rule is compared in duels", "drop-dead": "is a luck game"}.items():
        with pytest.raises(BadInput, match=message):
            compare(name, first_move)
    assert own_cache.keys() == []


def test_a_rule_that_looks_at_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(compare("pig", hold_if_behind, params={"target": 10}).looks_at) == {"mine", "theirs"}
    monkeypatch.setattr("rollwise.questions.compare.function_policy.MAX_QUESTIONS", 100)
    with pytest.raises(TooLarge, match="this rule looks at mine, theirs"):
        compare("pig", hold_if_behind, params={"target": 10})


def test_what_does_not_depend_on_the_board_is_asked_once() -> None:
    seen: list[tuple[int, tuple[str, ...]]] = []

    def hold_at_twelve(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        seen.append((state["turn"], tuple(moves)))
        return "hold" if state["turn"] >= 12 else "roll"

    assert compare("pig", hold_at_twelve, params={"target": 30}).looks_at == ()
    assert len(seen) == len(set(seen)) == 16  # 2 to 17 points


# sizes at which no house rule of the game is as good as the best play
COSTLY: dict[str, dict[str, Any]] = {
    "bluff": {"chips": 2},
    "busted": {"players": 2, "fewer": 24},
    "cameroon": {"boxes": "sixes"},
    "killer": {"boxes": "trebles"},
    "finish": {"players": 2, "chips": 2, "placing": "free"},
    "martinetti": {"crossing": "free"},
    "mexico": {"lives": 1},
    "pig": {"target": 30},
    "sevens": {"goal": 3, "dice": 2},
    "shut-the-box": {},
    "six-by-6": {"players": 2, "limit": 2, "posting": "free"},
    "zilch": {"goal": 500, "players": 1},
}


CHEAPER = {"busted roll-at-a-full-board": {"players": 2, "fewer": 16}}  # where fewer chips do for one of the rules
LATER = {"martinetti": {"positions": (4, 22)}}  # where to start from


HOUSES = {name: [*policies(name)] for name in REGISTRY}
FIRST = [
    (name, min(houses, key=lambda house: f"{name} {house}" not in CHEAPER)) for name, houses in HOUSES.items() if houses
]
OTHERS = [(name, house) for name, houses in HOUSES.items() for house in houses if (name, house) not in FIRST]


@pytest.mark.parametrize(("name", "house"), [*FIRST, *thorough(*OTHERS)])
def test_every_house_rule_plays_legal_moves_and_costs_something(name: str, house: str, play: Play) -> None:
    made = turn_game(name, **CHEAPER.get(f"{name} {house}", COSTLY[name]))
    found = compare(play(made), house, state=LATER.get(name))  # a move that is not legal is refused
    assert found.cost[1] > 0
    assert found.help == policy(name, house).help != ""


def test_a_table_of_two_is_worth_what_its_seats_win(play: Play) -> None:
    solve = rollwise.solve  # fetched before the game is put in its place
    found = compare(play(turn_game("shut-the-box", players=2, boxes=4)), first_move)
    first = solve("shut-the-box").value
    assert first is not None
    assert [best[0] for best in found.best] == pytest.approx([first, 1 - first], abs=1e-9)


def test_a_last_turn_of_zilch_that_no_question_describes_is_played_best() -> None:
    made = Zilch(goal=50)
    space = made.boards()
    asked = FunctionPolicy(made, policy("zilch", "few-dice").policy, "few-dice")
    assert asked.can_decide(space.index_of(**made.first_board()))
    assert not asked.can_decide(space.index_of(mine=0, theirs=made.far() + 20))


# --- boards past those that are played --------------------------------------------------------------


@pytest.mark.parametrize("last_level", [0, -1])
@pytest.mark.parametrize("known", [Fraction(1, 3), Fraction(2, 3), Fraction(100, 7)])
def test_what_is_known_of_boards_that_are_not_played_counts_within_the_radius(known: Fraction, last_level: int) -> None:
    """Two turns, in each of which one or two points are taken. Boards beyond a level are worth what is known.

    Known worths are earned in parts of a point: a third is no whole number of them. What a rule starts from is played
    even where that lies beyond all that it speaks of.
    """

    def transition(board: Columns, result: int) -> Transition:
        return Transition(over=board.place == 1, reward=result, next={"place": 1})

    word = Decision([("one", End(1)), ("two", End(2))])
    made = toy(
        lambda: word,
        transition,
        2,
        cyclic=False,
        level=lambda game, board: board.place,
        fields=lambda game: [],
        describe=lambda game, board, state: [{}],
    )
    graph = compile_turn(made)
    best = Optimum(
        lambda board: np.zeros((graph.n_leaves, 3)),
        lambda boards: (np.full(len(boards), float(known)), np.zeros(len(boards))),
        last_level,
    )
    walk = PolicyInDuel(
        PolicyTurn(made, graph), graph, uses(made), FunctionPolicy(made, first_move, ""), lambda done: None, best
    )
    value, radius = walk.run({"place": 0}).by_rule
    assert abs(Fraction(value) - 1 - Fraction(float(known))) <= Fraction(radius) < Fraction(1, 10**9)
