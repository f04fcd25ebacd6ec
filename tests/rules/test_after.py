"""What a player writes down next: an asked state, a move, the dice, and the fields of the question that follows.

Nothing is solved here: the rules alone tell what follows. Cases are worked out by hand from the rules of each game.
What a call of Bluff leads to hangs on the solved mixes, so Bluff is followed in ``tests/properties/test_outcomes.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from rollwise.asking import understood
from rollwise.door import the_fields, the_game
from rollwise.foreseeing import the_move
from rollwise.games.registry import REGISTRY
from rollwise.solver.game.model import Go, TurnGame
from rollwise.solver.kinds.seats import seats_of
from rollwise.solver.turn.following import Fall, Following
from rollwise.solver.turn.query import followed
from rollwise.solver.turn.questions import next_question

OVER = None
Fields = dict[str, Any]


class Case(NamedTuple):
    """``asked`` of a game with these ``params``, a ``move``, the dice of each throw, and what is written down ``next``.

    ``next`` as a user would type it (OVER: the game has ended), ``gained``: what it cannot say.
    """

    game: str
    params: Fields
    asked: Fields
    move: str
    thrown: tuple[tuple[int, ...], ...]
    next: Fields | None
    gained: int = 0


def made(case: Case) -> TurnGame:
    return the_game(case.game, case.params)


def following(case: Case) -> list[tuple[Mapping[str, Any] | None, Fraction]]:
    """What the throw leads to: fields of the next question, and what they cannot say; one of each that is left open."""
    game = made(case)
    fields = the_fields(game, case.asked)
    position = game.locate(**fields)
    known = the_fields(game, understood(game, fields, position))
    if game.kind == "alone":
        onward = game.onward(known, case.thrown[0])
        return [(onward.fields and the_fields(game, onward.fields), Fraction(0))]
    move = the_move(game, position, case.move, [])
    falls = Following(game).falls(position.board, followed(game, move))
    lying = [replace(fall, thrown=game.lies(known, fall.thrown)) for fall in falls]
    return [question(game, known, position, move.name, fall) for fall in lying if fall.thrown == case.thrown]


def question(
    game: TurnGame, known: Fields, position: Any, move: str, fall: Fall
) -> tuple[Mapping[str, Any] | None, Fraction]:
    if fall.board is None:
        return OVER, Fraction(0)
    assert isinstance(fall.word, Go)
    told = next_question(game, known, move, fall, fall.word.state, seat_after(game, position, fall.passed))
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


def shown(game: TurnGame, fields: Mapping[str, Any] | None) -> Fields | None:
    """Fields with all that is left out: those that are typed, and those that are told, are the same position."""
    if fields is None:
        return None
    parsed = the_fields(game, fields)
    return the_fields(game, understood(game, parsed, game.locate(**parsed)))


SHEET = {"ones": 3, "twos": 6, "threes": 9, "fours": 12, "fives": 15, "sixes": 18}
FULL = {
    **SHEET,
    "three of a kind": 20,
    "four of a kind": 0,
    "full house": 25,
    "small straight": 30,
    "large straight": 0,
    "yahtzee": 0,
}

CASES = [
    # Pig: a 1 loses the turn
    Case("pig", {}, {"mine": 20, "theirs": 30, "turn": 7}, "roll", ((5,),), {"mine": 20, "theirs": 30, "turn": 12}),
    Case("pig", {}, {"mine": 20, "theirs": 30, "turn": 7}, "roll", ((1,),), {"mine": 30, "theirs": 20}),
    Case("pig", {}, {"mine": 20, "theirs": 30, "turn": 7}, "hold", (), {"mine": 30, "theirs": 27}),
    Case("pig", {}, {"mine": 95, "theirs": 30, "turn": 7}, "hold", (), OVER),
    # Yahtzee: the very sheet, a joker's points in its box, the hundred in none
    Case("yahtzee", {}, {}, "roll", ((1, 2, 2, 5, 5),), {"roll": "12255", "rolls_left": 2}),
    Case(
        "yahtzee",
        {},
        {"filled": "chance:20,ones:3", "roll": "22255"},
        "keep 2 2 2",
        ((2, 3),),
        {"filled": "chance:20,ones:3", "roll": "22223", "rolls_left": 1},
    ),
    Case(
        "yahtzee",
        {},
        {"filled": "ones:3,twos:2", "roll": "23455", "rolls_left": 0},
        "score chance",
        (),
        {"filled": "ones:3,twos:2,chance:19"},
    ),
    Case(  # three of the face are 18 points, and the bonus of 35 stands on its own line
        "yahtzee",
        {},
        {"filled": {**SHEET, "sixes": 18} | {"ones": 3}, "roll": "12344", "rolls_left": 0},
        "score small straight",
        (),
        {"filled": {**SHEET, "small straight": 30}},
    ),
    Case(
        "yahtzee",
        {},
        {"filled": "fours:12,yahtzee:50", "roll": "44444", "rolls_left": 1},
        "score full house",
        (),
        {"filled": "fours:12,full house:25,yahtzee:50"},
        100,
    ),
    Case("yahtzee", {}, {"filled": FULL, "roll": "11111", "rolls_left": 0}, "score chance", (), OVER),
    # Sixzee
    Case(
        "sixzee",
        {},
        {"filled": "ones:3,sixzee:60", "roll": "111111", "rolls_left": 2},
        "score three pairs",
        (),
        {"filled": "ones:3,sixzee:60,three pairs:24"},
        100,
    ),
    Case(
        "sixzee",
        {},
        {"filled": "chance:21", "roll": "333444"},
        "score two triples",
        (),
        {"filled": "two triples:21,chance:21"},
    ),
    Case("sixzee", {}, {"filled": "chance:21", "roll": "333445"}, "keep 3 3 3", ((1, 3, 6),),
         {"filled": "chance:21", "roll": "133336", "rolls_left": 1}),
    # Piggy Six: two sixes cost the score; whoever is past the target in seat 0 is chased by seat 1
    Case("piggy-six", {}, {"mine": 40, "theirs": 55, "turn": 12, "seat": 1}, "roll", ((6, 6),), {"mine": 55}),
    Case("piggy-six", {}, {"mine": 40, "theirs": 55, "turn": 12, "seat": 1}, "roll", ((2, 6),),
         {"mine": 55, "theirs": 40}),
    Case("piggy-six", {}, {"mine": 90, "theirs": 55, "turn": 25}, "hold", (), {"mine": 55, "theirs": 115, "seat": 1}),
    Case("piggy-six", {}, {"mine": 95, "theirs": 60, "turn": 200}, "hold", (), {"mine": 60, "theirs": 295, "seat": 1}),
    Case("piggy-six", {}, {"mine": 60, "theirs": 295, "seat": 1, "turn": 231}, "roll", ((2, 3),),
         {"mine": 60, "theirs": 295, "seat": 1, "turn": 236}),
    Case("piggy-six", {}, {"mine": 60, "theirs": 115, "seat": 1, "turn": 30}, "hold", (), OVER),
    Case("piggy-six", {"max_dice": 3}, {"mine": 5}, "roll 3", ((1, 2, 5),), {"mine": 5, "turn": 8, "dice": 3}),
    Case("piggy-six", {"players": 3, "target": 30}, {"mine": 10, "theirs": "4,35", "turn": 6, "seat": 1}, "hold", (),
         {"mine": 4, "theirs": "35,16", "seat": 2}),
    Case("piggy-six", {"players": 3, "target": 30}, {"mine": 10, "theirs": "4,15", "turn": 6, "seat": 2}, "roll",
         ((6, 6),), {"mine": 4, "theirs": "15,0", "seat": 0}),
    # Six By 6: one carry for a pair and one for the six posted, and one pays for the next roll
    Case("six-by-6", {}, {"carry": 2, "posted": 1}, "roll", ((1, 1, 2, 3, 6),), {"carry": 3, "posted": 2}),
    Case("six-by-6", {}, {"carry": 0, "posted": 5}, "roll", ((3,),), OVER),
    Case("six-by-6", {"posting": "free"}, {}, "roll", ((1, 2, 3, 4, 5, 6),), {"roll": "123456"}),
    Case("six-by-6", {"posting": "free"}, {"roll": "123456"}, "go on", (), {"posted": 1}),
    Case("six-by-6", {"posting": "free"}, {"roll": "123456"}, "post", (), OVER),
    Case("six-by-6", {"players": 3}, {"posted": 5}, "roll", ((3,),), {"mover": 1, "best": 33, "holders": 0}),
    Case("six-by-6", {"players": 3}, {"carry": 0, "posted": 5, "mover": 1, "best": 33, "holders": 0}, "roll", ((3,),),
         {"mover": 2, "best": 33, "holders": "0,1"}),
    Case("six-by-6", {"players": 3}, {"carry": 3, "posted": 5, "mover": 1, "best": 33, "holders": 0}, "roll", ((6,),),
         {"mover": 2, "best": 40, "holders": 1}),
    Case("six-by-6", {"players": 3}, {"carry": 3, "posted": 5, "mover": 2, "best": 33, "holders": 0}, "roll", ((6,),),
         OVER),
    Case("six-by-6", {"players": 2, "posting": "free"}, {"carry": 0, "posted": 5}, "roll", ((3,),),
         {"mover": 1, "best": 33, "holders": 0}),
    # Zilch: a trio of ones lies on the board as well; special throws have to be thrown on, whatever they make
    Case("zilch", {}, {"turn": 0, "roll": "111234"}, "keep 1 1 1 for 1000", (), {"turn": 1000, "dice": 3, "trio": 1}),
    Case("zilch", {}, {"turn": 0, "roll": "111234"}, "keep 1 1 1 for 300", (), {"turn": 300, "dice": 3}),
    Case("zilch", {}, {"turn": 1000, "dice": 3, "trio": 1}, "roll", ((1, 3, 4),),
         {"turn": 1000, "trio": 1, "roll": "134"}),
    Case("zilch", {}, {"turn": 1000, "trio": 1, "roll": "134"}, "keep 1 for 100", (),
         {"turn": 1100, "dice": 2, "trio": 1}),
    Case("zilch", {}, {"turn": 600, "trio": 6, "roll": "156"}, "keep 1 5 6 for 250", (), {"turn": 850, "dice": 6}),
    Case("zilch", {}, {"mine": 750, "roll": "112244"}, "score three pairs", (),
         {"mine": 750, "turn": 1000, "dice": 6, "must_roll": True}),
    Case("zilch", {}, {"mine": 750, "turn": 1000, "must_roll": True}, "roll", ((1, 2, 3, 3, 4, 6),),
         {"mine": 750, "turn": 1000, "roll": "123346"}),
    Case("zilch", {}, {"mine": 750, "theirs": 800, "turn": 500, "dice": 6}, "roll", ((2, 2, 3, 4, 4, 6),),
         {"mine": 800, "theirs": 850}),
    Case("zilch", {}, {"mine": 750, "theirs": 800, "turn": 500, "dice": 2}, "roll", ((2, 2),),
         {"mine": 800, "theirs": 750}),
    Case("zilch", {}, {"mine": 9800, "theirs": 5000, "turn": 500, "dice": 3}, "stop", (),
         {"mine": 5000, "theirs": 10300}),
    Case("zilch", {}, {"mine": 5000, "theirs": 10300, "turn": 500, "dice": 3}, "roll", ((2, 3, 4),), OVER),
    Case("zilch", {}, {"mine": 750, "turn": 13950, "roll": "122346"}, "keep 1 for 100", (),
         {"mine": 750, "theirs": 0, "turn": 14050, "dice": 5}),
    Case("zilch", {"players": 1}, {"mine": 750, "turn": 500, "dice": 2}, "stop", (), {"mine": 1250}, 1),
    Case("zilch", {"players": 1}, {"mine": 750, "turn": 9500, "roll": "123456"}, "score straight", (),
         {"mine": 750, "turn": 11000, "dice": 6, "must_roll": True}),
    Case("zilch", {"players": 1}, {"mine": 750, "turn": 11000, "must_roll": True}, "roll", ((1, 2, 3, 3, 4, 6),),
         {"mine": 750, "turn": 11000, "roll": "123346"}),
    Case("zilch", {"players": 1}, {"mine": 750, "turn": 11000, "roll": "123346"}, "keep 1 for 100", (), OVER),
    Case("zilch", {"players": 1, "objective": "points"}, {"mine": 900, "turn": 8000, "roll": "112346"},
         "keep 1 for 100", (), {"mine": 900, "turn": 8100, "dice": 5}),
    Case("zilch", {"players": 1, "objective": "points"}, {"mine": 900, "turn": 8000, "dice": 2}, "stop", (), OVER),
    # Ten Thousand
    Case("ten-thousand", {}, {"roll": "155246"}, "keep 1 5 for 150", (), {"turn": 150, "dice": 4}),
    Case("ten-thousand", {}, {"mine": 500, "theirs": 700, "turn": 150, "dice": 4}, "roll", ((2, 3, 4, 6),),
         {"mine": 700, "theirs": 500}),
    Case("ten-thousand", {}, {"mine": 9900, "turn": 150, "dice": 4}, "stop", (), OVER),
    Case("ten-thousand", {}, {"mine": 9900, "turn": 10000, "roll": "1234"}, "keep 1 for 100", (),
         {"mine": 9900, "turn": 10100, "dice": 3}),
    Case("ten-thousand", {"players": 1}, {"mine": 500, "turn": 150, "dice": 4}, "stop", (), {"mine": 650}, 1),
    # Shut the Box
    Case("shut-the-box", {}, {"open": "1-9", "roll": "13"}, "shut 4", (), {"open": "1-3,5-9"}),
    Case("shut-the-box", {}, {"open": "2,5,8"}, "roll", ((6, 6),), OVER),
    Case("shut-the-box", {}, {"open": "1,4"}, "one die", ((4,),), {"open": "1,4", "roll": 4}),
    Case("shut-the-box", {"players": 3}, {"open": "2,5,8", "mover": 1, "best": 20, "holders": 0}, "roll", ((6, 6),),
         {"open": "1-9", "mover": 2, "best": 15, "holders": 1}),
    Case("shut-the-box", {"players": 3}, {"open": "4,5,8", "mover": 1, "best": 17, "holders": 0}, "roll", ((6, 6),),
         {"open": "1-9", "mover": 2, "best": 17, "holders": "0,1"}),
    Case("shut-the-box", {"players": 3}, {"open": "2,5,8", "mover": 2, "best": 20, "holders": 0}, "roll", ((6, 6),),
         OVER),
    # Mexico: `roll` is the throw itself; the round ends with the last who is in
    Case("mexico", {}, {"roll": "31", "rolls_left": 2}, "roll", ((5, 6),), {"roll": "56", "rolls_left": 1}),
    Case("mexico", {}, {"roll": "43"}, "stop", (), {"results": "4-3,-"}),
    Case("mexico", {}, {"results": "4-3,-", "roll": "21"}, "stop", (), {"lives": "4,6"}),
    Case("mexico", {"players": 3}, {"results": "4-3,6-5,-", "roll": "43"}, "stop", (), {"lives": "5,6,5"}),
    Case("mexico", {"players": 3, "opener": "rotating"},
         {"lives": "2,1,3", "opener": 1, "results": "-,3-1,6-6", "roll": "54"}, "stop", (),
         {"lives": "2,-,3", "opener": 2}),
    Case("mexico", {"players": 3}, {"lives": "-,2,3", "results": "-,6-1", "opener": 1, "roll": "65"}, "stop", (),
         {"lives": "-,1,3", "opener": 1}),
    Case("mexico", {}, {"lives": "2,1", "results": "6-1", "roll": "52"}, "stop", (), OVER),
    # Sevens: pairs of seven go, the opener changes, the second has no more throws
    Case("sevens", {}, {}, "roll", ((1, 1, 2, 4, 5, 6),), {"left": "14", "rolls_left": 2}),
    Case("sevens", {}, {"mine": 10, "theirs": 30, "left": "14", "rolls_left": 1}, "stop", (),
         {"mine": 30, "theirs": 10, "opener": "theirs", "result": 5, "rolls": 2}),
    Case("sevens", {}, {"mine": 30, "theirs": 10, "opener": "theirs", "result": 5, "rolls": 2, "left": "66"}, "stop",
         (), {"mine": 42, "theirs": 15}),
    Case("sevens", {}, {"mine": 70, "theirs": 10, "opener": "theirs", "result": 5, "rolls": 2, "left": "66"}, "stop",
         (), OVER),
    # Busted: a 7 always costs seven chips; the bonus roll belongs to the throw of 2 or 12
    Case("busted", {}, {"chips": "20,25,25", "board": "5:5"}, "roll", ((2, 3),),
         {"chips": "25,25,25", "board": "none", "taken": True}),
    Case("busted", {}, {"chips": "20,25,25", "board": "5:5"}, "roll", ((3, 4),),
         {"chips": "13,25,25", "board": "5:5,7:7", "taken": False, "mover": 1}),
    Case("busted", {}, {"chips": "20,25,25", "board": "5:5"}, "roll", ((1, 1), (4, 5)),
         {"chips": "16,25,25", "board": "9:9", "taken": False, "mover": 1}),
    Case("busted", {}, {"chips": "40,4,25", "board": "6:6", "mover": 1}, "roll", ((4, 5),),
         {"chips": "40,-,25", "board": "6:6,9:4", "taken": False, "mover": 2}),
    Case("busted", {"players": 2}, {"chips": "40,4", "board": "6:6", "mover": 1}, "roll", ((4, 5),), OVER),
    # 421
    Case("421", {}, {"roll": "115"}, "stop", (), {"results": "1-1-5,-,-"}),
    Case("421", {}, {"results": "1-1-5,6-4-2", "roll": "333"}, "stop", (), {"pot": 6, "chips": "3,8,3", "opener": 2}),
    Case("421", {}, {"pot": 0, "chips": "6,8,6", "roll": "333", "rolls_left": 1}, "stop", (),
         {"pot": 0, "chips": "6,8,6", "results": "3-3-3,-,-", "rolls": 2}),
    Case("421", {}, {"pot": 0, "chips": "6,8,6", "results": "3-3-3,6-4-2", "rolls": 2, "roll": "115"}, "keep 1 1",
         ((6,),),
         {"pot": 0, "chips": "6,8,6", "results": "3-3-3,6-4-2", "rolls": 2, "roll": "116", "rolls_left": 0}),
    Case("421", {}, {"pot": 0, "chips": "6,8,6", "results": "3-3-3,6-4-2", "rolls": 2, "roll": "115"}, "stop", (),
         {"pot": 0, "chips": "6,8,1", "opener": 2}),
    Case("421", {}, {"pot": 0, "chips": "6,8,1", "opener": 2, "results": "-,-,3-3-3", "rolls": 1, "roll": "421"},
         "stop", (), {"pot": 0, "chips": "6,8,1", "opener": 2, "results": "4-2-1,-,3-3-3", "rolls": 1}),
    Case("421", {}, {"pot": 0, "chips": "6,8,1", "opener": 2, "results": "-,-,3-3-3", "rolls": 2, "roll": "115"},
         "keep 1 1", ((4,),),
         {"pot": 0, "chips": "6,8,1", "opener": 2, "results": "-,-,3-3-3", "rolls": 2, "roll": "114", "rolls_left": 0}),
    Case("421", {"players": 2}, {"pot": 0, "chips": "2,9", "results": "3-3-3", "rolls": 1, "roll": "642"}, "stop", (),
         OVER),
    # Martinetti
    Case("martinetti", {}, {"positions": "3,0"}, "roll", ((4, 5, 6),), {"positions": "6,0"}),
    Case("martinetti", {}, {"positions": "3,0"}, "roll", ((5, 5, 6),), {"positions": "3,0", "mover": 1}),
    Case("martinetti", {}, {"positions": "3,10", "mover": 1}, "roll", ((1, 5, 6),), {"positions": "3,12"}),
    Case("martinetti", {}, {"positions": "3,23", "mover": 1}, "roll", ((1, 5, 6),), OVER),
    Case("martinetti", {"crossing": "free"}, {"positions": "3,10", "mover": 1}, "roll", ((1, 5, 6),),
         {"positions": "3,10", "mover": 1, "roll": "156"}),
    Case("martinetti", {"crossing": "free"}, {"positions": "3,10", "mover": 1, "roll": "156"}, "cross 2", (),
         {"positions": "3,12", "mover": 0}),
    # Slam: past 15 a throw is void and the turn is over
    Case("slam", {}, {"scores": "9,2"}, "roll", ((3, 3, 5),), {"scores": "14,2"}),
    Case("slam", {}, {"scores": "11,2"}, "roll", ((3, 3, 5),), {"scores": "11,2", "mover": 1}),
    Case("slam", {"players": 3}, {"scores": "-,2,14", "mover": 2}, "roll", ((3, 4, 5),), OVER),
    Case("slam", {"players": 3}, {"scores": "4,2,14", "mover": 2}, "roll", ((3, 4, 5),), {"scores": "4,2,15"}),
    # Cops and Robbers: a four misses the next two, a repeated throw does nothing, a robber behind a cop is caught
    Case("cops-and-robbers", {}, {}, "roll", ((4,),), {"scores": "71,64,75,66", "mover": 1}),
    Case("cops-and-robbers", {}, {"scores": "71,60,70,66", "mover": 3}, "roll", ((5,),),
         {"scores": "71,60,70,61", "last": 5, "mover": 0}),
    Case("cops-and-robbers", {}, {"scores": "40,20,38,30", "last": 2, "mover": 1}, "roll", ((4,),),
         {"scores": "40,16,38,30", "last": 4, "mover": 0}),
    Case("cops-and-robbers", {}, {"scores": "40,30,38,20", "last": 2, "mover": 1}, "roll", ((4,),),
         {"scores": "40,26,38,20", "last": 4, "mover": 0}),
    Case("cops-and-robbers", {}, {"scores": "40,20,38,30", "last": 4, "mover": 1}, "roll", ((4,),),
         {"scores": "40,20,38,30", "last": 4, "mover": 2}),
    Case("cops-and-robbers", {}, {"scores": "40,20,38,30", "last": 4, "mover": 3}, "roll", ((6,), (5,)),
         {"scores": "40,20,38,22", "last": 6, "mover": 0}),
    Case("cops-and-robbers", {}, {"scores": "40,20,35,30", "last": 4, "mover": 2}, "roll", ((5,),),
         {"scores": "40,20,30,-", "last": 5, "mover": 1}),
    Case("cops-and-robbers", {}, {"scores": "40,3,35,30", "last": 4, "mover": 1}, "roll", ((3,),), OVER),
    # Thunderstorm: the seventh failure is the last
    Case("thunderstorm", {}, {}, "roll", ((1, 1, 3, 4, 5, 6),), {"dice": 4, "mover": 1}),
    Case("thunderstorm", {}, {"failures": "2,0,0", "dice": 2}, "roll", ((1, 1),),
         {"failures": "2,0,0", "dice": 6, "mover": 1}),
    Case("thunderstorm", {}, {"failures": "2,6,0", "dice": 2, "mover": 1}, "roll", ((2, 3),),
         {"failures": "2,-,0", "dice": 2, "mover": 2}),
    Case("thunderstorm", {}, {"failures": "2,-,0", "dice": 2, "mover": 0}, "roll", ((2, 3),),
         {"failures": "3,-,0", "dice": 2, "mover": 2}),
    Case("thunderstorm", {}, {"failures": "2,-,0", "dice": 2, "mover": 2}, "roll", ((2, 3),),
         {"failures": "2,-,1", "dice": 2, "mover": 0}),
    Case("thunderstorm", {"players": 4}, {"failures": "2,-,0,6", "dice": 2, "mover": 3}, "roll", ((2, 3),),
         {"failures": "2,-,0,-", "dice": 2, "mover": 0}),
    Case("thunderstorm", {}, {"failures": "2,-,6", "dice": 2, "mover": 2}, "roll", ((2, 3),), OVER),
    # Drop Dead
    Case("drop-dead", {}, {"turn": 14, "dice": 4}, "roll", ((1, 2, 5, 6),), {"turn": 14, "dice": 2}),
    Case("drop-dead", {}, {"turn": 14, "dice": 4}, "roll", ((1, 3, 4, 6),), {"turn": 28, "dice": 4}),
    Case("drop-dead", {}, {"turn": 14, "dice": 2}, "roll", ((2, 5),), {"scores": "14,0", "mover": 1}),
    Case("drop-dead", {}, {"scores": "20,0", "mover": 1, "turn": 14, "dice": 2}, "roll", ((2, 5),), OVER),
    # Finish: who cannot place pays for what is missing, the six takes a chip from everybody
    Case("finish", {}, {}, "roll", ((1, 2, 4, 4, 5, 6),), {"placed": 2, "mover": 1}),
    Case("finish", {}, {}, "roll", ((2, 2, 4, 4, 5, 6),), {"chips": "4,10,10", "placed": 0, "opened": 1, "mover": 1}),
    Case("finish", {}, {"placed": 4, "chips": "4,10,1", "mover": 2}, "roll", ((1, 1),),
         {"placed": 4, "chips": "4,10,-"}),
    Case("finish", {}, {"placed": 4, "chips": "4,10,1", "mover": 1}, "roll", ((5, 6),), {"chips": "3,12,-"}),
    Case("finish", {}, {}, "roll", ((1, 2, 3, 4, 5, 6),), OVER),
    Case("finish", {"placing": "free"}, {"placed": 1, "mover": 1, "roll": "23456"}, "place 2", (),
         {"placed": 3, "mover": 2}),
    Case("finish", {"placing": "free"}, {"placed": 1, "mover": 1, "roll": "23456"}, "place 5", (),
         {"chips": "9,12,9", "mover": 2}),
    # Pay the Rent
    Case("pay-the-rent", {}, {}, "roll", ((4, 4, 5),), {"markers": "4:0", "pot": 3, "mover": 1}),
    Case("pay-the-rent", {}, {"markers": "4:0", "pot": 6, "mover": 2}, "roll", ((4, 4, 5),), {"pot": 1}),
    Case("pay-the-rent", {"banker": "second_pair"}, {"pot": 3, "mover": 1}, "roll", ((6, 6, 5),),
         {"markers": "6:2", "pot": 6, "mover": 2}),
    Case("pay-the-rent", {"banker": "always"}, {"pot": 3, "mover": 1}, "roll", ((6, 6, 5),), {"mover": 2}),
    # Big Six: the very space
    Case("big-six", {}, {}, "roll", ((4,),), {"chips": "4,5", "board": 4, "mover": 1}),
    Case("big-six", {}, {"chips": "4,5", "board": 4, "mover": 1}, "roll", ((4,),), {"chips": "4,6", "board": "none"}),
    Case("big-six", {}, {"chips": "4,5", "board": "4", "mover": 1}, "roll", ((1,),), {"chips": "4,4", "board": "1,4"}),
    Case("big-six", {}, {"chips": "4,5", "board": "4", "mover": 1}, "roll", ((6,),), {"chips": "4,4", "board": "4"}),
    Case("big-six", {}, {"chips": "1,1", "board": "2,4"}, "roll", ((5,),), OVER),
    # Bouncer: the first roll sets the mark, who owes more than there is ends the game
    Case("bouncer", {}, {}, "roll", ((4,),), {"last": 4, "mover": 1}),
    Case("bouncer", {}, {"last": 4, "mover": 1}, "roll", ((6,),), {"chips": "10,14,12", "last": 6, "mover": 2}),
    Case("bouncer", {}, {"chips": "10,24,2", "last": 6, "mover": 2}, "roll", ((4,),),
         {"chips": "10,26,0", "last": 4}),
    Case("bouncer", {}, {"chips": "10,24,2", "last": 6, "mover": 2}, "roll", ((3,),), OVER),
    # Aces in the Pot: ones first, then sixes; who has no coin is passed over
    Case("aces-in-the-pot", {}, {}, "roll", ((1, 6),), {"coins": "0,3,2,2", "mover": 1}),
    Case("aces-in-the-pot", {}, {"coins": "0,1,2,2", "mover": 3}, "roll", ((2, 3),), {"coins": "0,1,2,2", "mover": 1}),
    Case("aces-in-the-pot", {}, {"coins": "0,1,0,0", "mover": 1}, "roll", ((1, 2, 2, 3, 3, 6),),
         {"coins": "0,0,1,0", "mover": 2}),
    Case("aces-in-the-pot", {}, {"coins": "0,1,0,0", "mover": 1}, "roll", ((1, 2, 2, 3, 3, 4),), OVER),
    # bets
    Case("dice-roulette", {}, {"bet": "odd"}, "roll", ((3, 4),), OVER),
    Case("dice-roulette", {}, {"bet": "9"}, "roll", ((4, 5),), OVER),
    Case("high-dice", {}, {}, "roll", ((2, 5),), {"bank": "2-5"}),
    Case("high-dice", {}, {"bank": "2-5"}, "roll", ((4, 4),), OVER),
    # Cameroon: the difference is the next player's; five dice close a number to both
    Case("cameroon", {}, {"roll": "12445"}, "keep 4 4", ((1, 4, 6),), {"kept": "44", "roll": "146", "rolls_left": 1,
         "difference": 0}),
    Case("cameroon", {}, {"kept": "44", "roll": "146", "rolls_left": 1}, "keep 4", ((1, 6),),
         {"kept": "444", "roll": "16", "rolls_left": 0, "difference": 0}),
    Case("cameroon", {}, {"kept": "444", "roll": "16", "rolls_left": 0}, "score fours", (),
         {"theirs": "fours", "difference": -12}),
    Case("cameroon", {}, {"theirs": "fours", "difference": -12, "roll": "44121", "rolls_left": 0}, "score fours", (),
         {"closed": "fours", "difference": 4}),
    Case("cameroon", {}, {"theirs": "fours", "roll": "44121", "rolls_left": 0}, "score ones", (),
         {"mine": "fours", "theirs": "ones"}, 2),
    Case("cameroon", {}, {"mine": "fours", "theirs": "ones", "difference": 5, "roll": "66666", "rolls_left": 0},
         "score sixes", (), {"mine": "ones", "theirs": "fours", "closed": "sixes", "difference": -35}),
    Case("cameroon", {"objective": "win"}, {"mine": "fours", "theirs": "ones", "difference": 5, "roll": "12345",
         "rolls_left": 0}, "score small straight", (),
         {"mine": "ones", "theirs": "fours", "closed": "small straight", "difference": -20}),
    # Killer: who is ahead is not asked
    Case("killer", {}, {"mine": "trebles", "theirs": "sixes", "roll": "33344", "rolls_left": 0}, "score trebles 9", (),
         {"mine": "sixes", "theirs": "trebles"}, 9),
    Case("killer", {}, {"mine": "trebles", "theirs": "sixes", "roll": "66644"}, "score doubles 8 + sixes 18", (),
         {"theirs": "trebles,doubles", "closed": "sixes"}, 26),
    Case("killer", {}, {"mine": "trebles", "theirs": "sixes", "roll": "66644"}, "keep 6 6 6", ((1, 2),),
         {"mine": "trebles", "theirs": "sixes", "roll": "12666", "rolls_left": 0}),
    Case("killer", {}, {"mine": "trebles", "theirs": "sixes", "roll": "66644"}, "score nothing", (),
         {"mine": "sixes", "theirs": "trebles"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.game} {case.move} {CASES.index(case)}")
def test_a_move_leads_to_what_a_player_would_write_down(case: Case) -> None:
    game = made(case)
    wanted = shown(game, case.next)
    found = following(case)
    assert len(found) == 1, found
    fields, gained = found[0]
    assert shown(game, fields) == wanted
    assert gained == (case.gained if wanted is not None else 0)


@pytest.mark.parametrize("case", [case for case in CASES if case.next is not None], ids=lambda case: case.game)
def test_a_question_that_says_less_leads_to_the_same(case: Case) -> None:
    """What is left out is as it is at the start."""
    game = made(case)
    full = shown(game, case.asked)
    assert full is not None
    again = following(case._replace(asked={name: full[name] for name in full}))
    assert again == following(case)


def test_every_game_has_two_cases() -> None:
    counts = {name: sum(case.game == name for case in CASES) for name in REGISTRY}
    assert {name for name, count in counts.items() if count < 2} == {"bluff"}
