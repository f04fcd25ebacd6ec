"""What a player writes down next: an asked state, a move, the dice, and the fields of the question that follows.

Nothing is solved here: the rules alone tell what follows. The cases stand in ``after.txt``, as a player types them.
What a call of Bluff leads to hangs on the solved mixes, so Bluff is followed in ``tests/house/test_sampled.py``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rollwise.games.registry import REGISTRY
from rollwise.parsing.validate import parse_fields, parse_game
from rollwise.questions.outcomes.compute import resolve_move
from rollwise.questions.question import full_state
from rollwise.solver.kinds.seats import seats_of
from rollwise.solver.model.game import Goto, TurnGame
from rollwise.solver.turn.questions import next_question, node_after_move
from rollwise.solver.turn.successors import Successors, ThrowOutcome

Fields = dict[str, Any]
Followed = tuple[Mapping[str, Any] | None, Fraction]


class Case(NamedTuple):
    """A move of a question, the dice of each throw, and the next question: None where the game has ended."""

    game: str
    params: Fields
    asked: Fields
    move: str
    thrown: tuple[tuple[int, ...], ...]
    next: Fields | None
    gained: int


def said(text: str) -> Fields:
    """Fields or parameters as they are typed."""
    return dict(word.split("=", 1) for word in shlex.split(text) if word != "start")


def read(line: str) -> Case:
    game, asked, move, dice, after, *gained = line.split(" | ")
    name, _, params = game.partition(" ")
    thrown = () if dice == "-" else tuple(tuple(map(int, throw.split())) for throw in dice.split(", "))
    following = None if after == "over" else said(after)
    return Case(name, said(params), said(asked), move, thrown, following, int(gained[0].split()[1]) if gained else 0)


LINES = (Path(__file__).parent / "after.txt").read_text().splitlines()
CASES = [read(line) for line in LINES if line and not line.startswith("#")]


def follow(case: Case) -> list[Followed]:
    """What the throw leads to: fields of the next question, and what they cannot say; one of each that is left open."""
    game = parse_game(case.game, case.params)
    fields = parse_fields(game, case.asked)
    position = game.locate(**fields)
    known = parse_fields(game, full_state(game, fields, position))
    if game.kind == "alone":
        onward = game.onward(known, case.thrown[0])
        return [(onward.fields and parse_fields(game, onward.fields), Fraction(0))]
    move = resolve_move(game, position, case.move, [])
    falls = Successors(game).outcomes(position.board, node_after_move(game, move))
    lying = [replace(fall, thrown=game.lies(known, fall.thrown)) for fall in falls]
    return [question(game, known, position, move.name, fall) for fall in lying if fall.thrown == case.thrown]


def question(game: TurnGame, known: Fields, position: Any, move: str, fall: ThrowOutcome) -> Followed:
    if fall.board is None:
        return None, Fraction(0)
    assert isinstance(fall.node, Goto)
    told = next_question(game, known, move, fall, fall.node.state, seat_after(game, position, fall.passed))
    assert told is not None
    fields, after = told
    turned = -1 if game.kind == "duel" and fall.passed % 2 else 1
    return fields, position.points + fall.earned - turned * Fraction(after.points)


def seat_after(game: TurnGame, position: Any, passed: int) -> int | None:
    """The seat that moves, where questions tell it."""
    if game.kind == "seats":
        seats = seats_of(game, position)
        return seats[passed % len(seats)] if len(seats) > 1 else None
    if game.kind == "table":
        return int(position.mover + passed) % int(game.parameters()["players"])
    return int(position.mover + passed) % 2 if game.kind == "duel" and game.by_seat else None


def shown(case: Case, fields: Mapping[str, Any] | None) -> Fields | None:
    """Fields with all that is left out: those that are typed, and those that are told, are the same position."""
    if fields is None:
        return None
    game = parse_game(case.game, case.params)
    parsed = parse_fields(game, fields)
    return parse_fields(game, full_state(game, parsed, game.locate(**parsed)))


@pytest.mark.parametrize("name", sorted({case.game for case in CASES}))
def test_a_move_leads_to_what_a_player_would_write_down_and_so_it_does_where_less_is_said(name: str) -> None:
    """What is left out is as it is at the start."""
    for case in CASES:
        if case.game == name:
            ((fields, gained),) = follow(case)
            assert (shown(case, fields), gained) == (shown(case, case.next), Fraction(case.gained)), case
            if case.next is not None:
                assert follow(case._replace(asked=shown(case, case.asked) or {})) == [(fields, gained)], case


def test_every_game_has_two_cases() -> None:
    assert {name for name in REGISTRY if sum(case.game == name for case in CASES) < 2} == {"bluff"}
