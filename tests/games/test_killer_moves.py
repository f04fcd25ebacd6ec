"""Killer lists every legal split of five dice into boxes, against an enumeration written afresh from the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import turn_game
from rollwise.games.pig.rules import Pig
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import End, Node, TurnGame
from rollwise.solver.turn.graph import TurnGraph, compile_turn
from rollwise.solver.turn.query import VALUE, OneTurn
from tests.games.test_every_move import ASKED, FACES, Dice, Fields, left_of, some_of, thrown

KILLER = ("trebles", "bull's eye", "doubles", "sequences", *FACES)


def takes(box: str, dice: Dice, opened: bool) -> bool:
    """May these dice be entered in this box?"""
    counts = sorted(dice.count(face) for face in set(dice))
    if box in FACES:
        return set(dice) == {FACES[box]} and (opened or len(dice) >= 3)
    return {
        "trebles": counts == [3],
        "bull's eye": counts == [2, 2],
        "doubles": counts in ([2], [2, 2], [4]),
        "sequences": dice in ((1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)),
    }[box]


def ways(dice: Dice, boxes: tuple[str, ...], opened: frozenset[str]) -> Iterator[tuple[tuple[str, Dice], ...]]:
    """Every way to put dice into boxes, each die into one or nowhere."""
    if not boxes:
        yield ()
        return
    box, *later = boxes
    yield from ways(dice, tuple(later), opened)
    for used in some_of(dice):
        if used and takes(box, used, box in opened):
            yield from (((box, used), *rest) for rest in ways(left_of(dice, used), tuple(later), opened))


def killer_sheet(draw: Random) -> Fields:
    """Boxes dealt out: those of the mover, of the other, of both, and the rest."""
    deal = draw.choices(["mine", "theirs", "closed", ""], weights=[4, 2, 1, 2], k=len(KILLER))
    who = ("mine", "theirs", "closed")
    return {each: tuple(box for box, to in zip(KILLER, deal, strict=True) if to == each) for each in who}


def killer_splits(fields: Fields) -> dict[str, tuple[frozenset[str], int]]:
    """Every legal split by its name: the boxes that are scored in, and the points; scoring nothing too."""
    open_boxes = tuple(box for box in KILLER if box not in fields["closed"])
    found = {}
    for way in ways(fields["roll"], open_boxes, frozenset(fields["mine"])):
        told = " + ".join(f"{box} {sum(dice)}" for box, dice in way) or "nothing"
        found[f"score {told}"] = frozenset(box for box, _ in way), sum(sum(dice) for _, dice in way)
    return found


@cache
def killer(must_score: bool) -> tuple[TurnGame, TurnGraph, Any]:
    """The game, its turn, and made-up values of its boards."""
    game = turn_game("killer", must_score=must_score)
    return game, compile_turn(game), np.random.default_rng(5).normal(size=game.boards().size)


def killer_moves(fields: Fields, must_score: bool = False) -> list[dict[str, float]]:
    """The moves that a question lists with their values, and those that it lists if all are asked for."""
    game, graph, made_up = killer(must_score)
    position = game.locate(**fields)
    uses = kind_of(game).uses(game)
    turn = OneTurn(game, graph, position.board, lambda boards: (made_up[boards], np.zeros(len(boards))), uses)
    found = []
    for all_moves in (False, True):
        listed = [(move, float(row[VALUE])) for move, row in turn.moves(position.state, all_moves=all_moves)]
        found.append(dict(listed))
        assert len(found[-1]) == len(listed)
    return found


@pytest.mark.parametrize("must_score", [False, True])
def test_killer_lists_every_split_and_calls_best_all_that_are_equally_good(must_score: bool) -> None:
    draw, several = Random(3), 0
    for _ in range(ASKED):
        fields = {**killer_sheet(draw), "roll": thrown(draw, 5, draw.choice([1, 2, 3, 6])), "rolls_left": 0}
        legal = killer_splits(fields)
        if must_score and len(legal) > 1:
            del legal["score nothing"]
        most: dict[frozenset[str], int] = {}
        for boxes, points in legal.values():
            most[boxes] = max(points, most.get(boxes, 0))
        by_default = {move for move, (boxes, points) in legal.items() if points == most[boxes]}
        listed, every = killer_moves(fields, must_score)
        assert (set(every), set(listed)) == (set(legal), by_default), fields
        for move, (boxes, points) in legal.items():  # what follows depends on the boxes alone
            best = next(other for other in by_default if legal[other][0] == boxes)
            assert every[move] == pytest.approx(listed[best] - (most[boxes] - points), abs=1e-12)
            assert points < most[boxes] or every[move] == listed[best]  # to the last bit: a tie is never a near miss
        top = {move for move in listed if listed[move] == max(listed.values())}
        assert top == {move for move in every if every[move] == max(every.values())}
        several += len(top) > 1
    assert several > ASKED // 20


def test_with_a_throw_to_come_splits_are_listed_beside_what_may_be_kept() -> None:
    fields = {"mine": ("fives", "doubles"), "theirs": ("trebles",), "closed": ("ones",), "roll": (3, 3, 5, 5, 5)}
    listed, _ = killer_moves({**fields, "rolls_left": 1})
    assert {"score doubles 6 + fives 15", "score doubles 16 + fives 5", "keep 5 5 5", "keep nothing"} <= set(listed)
    assert listed["score doubles 6 + fives 15"] == listed["score doubles 16 + fives 5"]
    assert [list(before) for before in killer_moves({})] == [["roll"], ["roll"]]


def test_what_is_left_out_is_worth_points_less_only_where_points_are_counted() -> None:
    class Mistaken(Pig):
        def left_out(self, board: Mapping[str, int], state: Any) -> list[tuple[str, Node, int]]:
            return [("hold back", End(0), -1)]

    game = Mistaken(target=4)
    turn = OneTurn(
        game, compile_turn(game), game.first_board(), lambda boards: (np.ones(len(boards)), np.zeros(len(boards)))
    )
    with pytest.raises(ModelError, match="is played to win, and no move of it is worth points less"):
        list(turn.moves((2,)))
