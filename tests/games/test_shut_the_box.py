"""Shut the Box by its rules: the worked example, both variants, the table's scores, and values found once more."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.games.shut_the_box.rules import ShutTheBox
from rollwise.games.shut_the_box.variants import ShutTheBoxClear, ShutTheBoxDuel, ShutTheBoxReach, ShutTheBoxTable
from rollwise.solver.model.errors import StateError
from rollwise.solver.model.game import End
from rollwise.solver.turn.graph import states_successors_first
from tests.asked import ask
from tests.games.helping import holds, made, plays_out, rules, settles, solved, thorough

NINE = (1, 2, 3, 4, 5, 6, 7, 8, 9)
BASIC, PARTIAL = ShutTheBox(), ShutTheBox(variant="partial")
LEFT = (1, 2, 3, 4, 7, 9)  # open after the example's two rolls
GOLDEN = Path(__file__).parents[1] / "golden" / "shut_the_box.toml"


# --- a turn ----------------------------------------------------------------------------------------------------------


@rules(
    "games, boxes, play, then",
    {
        "the example opens with 5-3": ([BASIC, PARTIAL], NINE, "53", {"moves": ["shut 3 5", "shut 8"]}),
        "then 6-5 must shut two": ([BASIC, PARTIAL], NINE, "53: shut 8, 65", {"moves": ["shut 5 6"]}),
        "which leaves six open": ([BASIC, PARTIAL], NINE, "53: shut 8, 65: shut 5 6", {"state": (LEFT,)}),
        "2-6 ends it with 26": ([BASIC], LEFT, "26", {"over": True, "points": 26}),
        "part of 2-6 may be used": ([PARTIAL], LEFT, "26", {"moves": ["shut 2", "leave"]}),
        "which ends it with 24": ([PARTIAL], LEFT, "26: shut 2", {"over": True, "points": 24}),
        "or with 26 if it is not": ([PARTIAL], LEFT, "26: leave", {"over": True, "points": 26}),
        "a roll that fits must be played": ([BASIC, PARTIAL], NINE, "16", {"moves": ["shut 1 6", "shut 7"]}),
        "a double is no pair": ([BASIC], NINE, "33", {"moves": ["shut 6"]}),
        "one die may not be thrown while 7 is open": ([BASIC], (1, 2, 7), "", {"moves": ["roll"]}),
        "nor while 9 is": ([BASIC], (1, 9), "", {"moves": ["roll"]}),
        "it may after 7, 8 and 9": ([BASIC, PARTIAL], (1, 2), "", {"moves": ["one die", "two dice"]}),
        "then two dice count as a pair": ([BASIC], (1, 2, 3, 4, 5, 6), "two dice, 14", {"moves": ["shut 1 4"]}),
        "only": ([BASIC], (3, 5, 6), "two dice, 14", {"over": True, "points": 14}),
        "so a double ends the turn": ([BASIC], (1, 2, 3, 4, 5, 6), "two dice, 33", {"over": True, "points": 21}),
        "while 7 is open the sum counts": ([BASIC], (3, 5, 6, 7), "14", {"moves": ["shut 5"]}),
        "one die shuts its own box": ([BASIC, PARTIAL], (2, 5), "one die, 5", {"moves": ["shut 5"]}),
        "with every box shut it is over with 0": ([BASIC], (9,), "45: shut 9", {"over": True, "points": 0}),
        "also by part of a roll": ([PARTIAL], (2,), "two dice, 26: shut 2", {"over": True, "points": 0}),
        "part of a double shuts one box": ([PARTIAL], NINE, "55", {"moves": ["shut 5", "leave"]}),
        "also after 7, 8 and 9": ([PARTIAL], (1, 2, 3), "two dice, 22", {"moves": ["shut 2", "leave"]}),
    },
)
def test_a_turn_goes_as_the_sheet_says(
    games: Sequence[ShutTheBox], boxes: tuple[int, ...], play: str, then: dict[str, Any]
) -> None:
    for game in games:
        plays_out(game, {"open": boxes}, play, then)


# --- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["basic", "partial"])
def test_locate_accepts_exactly_the_states_that_play_comes_to(variant: str) -> None:
    game = ShutTheBox(variant=variant, boxes=7)
    accepted = set()
    for shut, dice in product(range(2**7), range(3)):
        boxes = tuple(box for box in range(1, 8) if not shut >> box - 1 & 1)
        for roll in combinations_with_replacement(range(1, 7), dice):
            try:
                accepted.add(game.locate(open=boxes, roll=roll or None).state)
            except StateError:
                continue
    played = {state for state, word in states_successors_first(game.turn, game.roots()) if not isinstance(word, End)}
    assert accepted == played


def test_fields_left_out_are_those_of_the_start_and_no_score_so_far_is_typed_as_none() -> None:
    table = made("shut-the-box", players=4)
    assert (table.locate().board, table.locate().state) == (table.first_board(), (NINE,))
    assert BASIC.locate(open=(9, 8, 1)).state == ((1, 8, 9),)
    best = {field.name: field for field in ShutTheBoxTable(players=3, objective="win").fields()}["best"]
    assert [best.parse(given) for given in ("none", "-", None, "7", 0)] == [None, None, None, 7, 0]
    assert (best.show(None), best.show(7)) == ("none", "7")


@rules(
    "parameters, sort",
    {
        "alone": ({}, ShutTheBox),
        "alone, to clear": ({"objective": "clear"}, ShutTheBoxClear),
        "alone, low enough": ({"objective": "reach"}, ShutTheBoxReach),
        "two": ({"players": 2}, ShutTheBoxDuel),
        "five": ({"players": 5}, ShutTheBoxTable),
    },
)
def test_the_objective_follows_the_number_of_players(parameters: dict[str, Any], sort: type) -> None:
    found = made("shut-the-box", **parameters)
    assert type(found) is sort
    objective = {"objective": "win"} if "players" in parameters else {}
    assert found.parameters().items() >= {**parameters, **objective}.items()


# --- the table's scores ----------------------------------------------------------------------------------------------


@rules(
    "mover, holders, score, then",
    {
        "a lower score replaces": (1, 0b01, 19, {"mover": 2, "best": 19, "holders": 0b10}),
        "an equal one joins": (1, 0b01, 20, {"mover": 2, "best": 20, "holders": 0b11}),
        "a higher one does neither": (1, 0b01, 21, {"mover": 2, "best": 20, "holders": 0b01}),
        "a score of 0 does not end the game early": (1, 0b01, 0, {"over": False}),
        "the lowest wins after the last seat": (2, 0b11, 19, {"over": True, "shares": (1, 0, 0)}),  # seat 2 first
        "all who have it share": (2, 0b11, 20, {"over": True, "shares": (Fraction(1, 3),) * 3}),
        "without whoever has more": (2, 0b11, 21, {"over": True, "shares": (0, Fraction(1, 2), Fraction(1, 2))}),
    },
)
def test_scores_of_a_table(mover: int, holders: int, score: int, then: dict[str, Any]) -> None:
    table = ShutTheBoxTable(players=3, objective="win")
    found = settles(table, score, mover=mover, best=20, holders=holders)
    assert {name: found[name] for name in then} == then


# --- values ----------------------------------------------------------------------------------------------------------

Worth = Callable[[int], int | Fraction]


def plain_recursion(variant: str, worth: Worth, best: Callable[..., Fraction], n_boxes: int = 9) -> Fraction:
    """The value from all boxes open, written again from the rule reading: bit b - 1 of ``open`` is box b."""

    def score(open: int) -> Fraction:
        return Fraction(worth(sum(box for box in NINE if open >> box - 1 & 1)))

    def boxes(*numbers: int) -> int:
        return sum(1 << number - 1 for number in numbers)

    def rolled(open: int, first: int, second: int, sums: bool) -> Fraction:
        fits = [boxes(first, second)] if first != second else []
        fits += [boxes(first + second)] if sums else []
        ahead = [value(open & ~shut) for shut in fits if open & shut == shut]
        if ahead:
            return best(ahead)
        last = [open & ~boxes(die) for die in (first, second)] if variant == "partial" else []
        return best([score(open), *map(score, last)])

    @cache
    def value(open: int) -> Fraction:
        if not open:
            return score(0)
        small = open < boxes(7)
        two = sum(rolled(open, a, b, not small) for a, b in product(range(1, 7), repeat=2)) / Fraction(36)
        if not small:
            return two
        one = [value(open & ~boxes(die)) if open & boxes(die) else score(open) for die in range(1, 7)]
        return best([two, sum(one) / Fraction(6)])

    return value(boxes(*NINE[:n_boxes]))


def lowest(score: int) -> int:
    return score


@pytest.mark.parametrize("variant", ["basic", "partial"])
@pytest.mark.parametrize("objective", ["score", "clear"])
def test_the_solver_agrees_with_the_plain_recursion(variant: str, objective: str) -> None:
    worth, best = {"score": (lowest, min), "clear": (lambda score: int(score == 0), max)}[objective]
    _, found = solved(made("shut-the-box", variant=variant, objective=objective))
    plain = plain_recursion(variant, worth, best)
    assert holds(found, 0, plain)
    if (variant, objective) == ("basic", "score"):  # derived beforehand
        first = tomllib.loads(GOLDEN.read_text())["value"][0]
        assert plain == Fraction(first["value"]) == Fraction(135713054125, 5509980288)


@pytest.mark.parametrize("variant", ["partial", *thorough("basic")])
def test_low_enough_is_what_the_plain_recursion_says_for_any_target(variant: str) -> None:
    game = made("shut-the-box", variant=variant, objective="reach")
    _, found = solved(game)
    for target in (0, 7, 20, 44):

        def low_enough(score: int, most: int = target) -> int:
            return int(score <= most)

        enough = plain_recursion(variant, low_enough, max)
        assert holds(found, game.boards().index_of(target=target), enough)


def test_a_target_decides_what_is_shut() -> None:
    question = {"open": (1, 2, 3, 4, 5, 7), "roll": (1, 4)}
    game = made("shut-the-box", objective="reach")
    best = {target: ask(game, {**question, "target": target}).best for target in (0, 3, 10)}
    assert best == {0: ["shut 1 4"], 3: ["shut 5"], 10: ["shut 1 4"]}
    sure = ask(game, {**question, "target": 17}, exact=True)
    assert (sure.exact, sure.best) == ("1", ["shut 5", "shut 1 4"])  # the one that leaves less on average is first


@pytest.mark.parametrize("n_boxes", [5, *thorough(7), pytest.param(9, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", ["basic", "partial"])
def test_two_players_are_a_duel_that_is_solved_exactly(variant: str, n_boxes: int) -> None:
    """The second player wins with a lower score than the first; the first knows what that leaves to the second."""

    @cache
    def second(best: int) -> Fraction:
        return plain_recursion(variant, lambda score: Fraction((score < best) + (score <= best), 2), max, n_boxes)

    first = plain_recursion(variant, lambda score: 1 - second(score), max, n_boxes)
    game = made("shut-the-box", players=2, variant=variant, boxes=n_boxes)
    told = ask(game, {}, exact=True)
    assert told.exact == str(first)
    assert told.shares_exact == [str(first), str(1 - first)]
    assert (told.value, told.shares) == (float(first), [float(first), float(1 - first)])
    late = ask(game, {"mover": 1, "best": 8, "holders": (0,)}, exact=True)
    assert (late.mover, late.exact, late.shares_exact) == (1, str(second(8)), [str(1 - second(8)), str(second(8))])


def test_a_duel_says_of_each_move_what_both_seats_win_where_its_question_has_seats() -> None:
    question = {"mover": 1, "best": 3, "holders": (0,), "open": (1, 2, 3, 4, 5, 7, 8, 9), "roll": (3, 5)}
    told = ask(made("shut-the-box", players=2), question)
    moves, shares = told.moves, told.shares or []
    assert [move.shares for move in moves] == [[1 - move.value, move.value] for move in moves]
    assert (len(moves), moves[0].shares, told.shares_exact) == (2, shares, None)
    for low, share, high in zip(told.shares_lower or [], shares, told.shares_upper or [], strict=True):
        assert 0 <= low <= share <= high <= 1
    told = rollwise.ask("pig", params={"target": 10}, mine=3, theirs=5, turn=4)
    assert told.shares is None
    assert "shares" not in told.plain()
