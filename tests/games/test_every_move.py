"""A question lists every legal move: against enumerations written afresh from the rules, one for each game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import pytest

from rollwise.games.claims.replay import begin, moves, turn_game
from rollwise.games.registry import REGISTRY
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import ModelError, StateError
from rollwise.solver.model.game import Chance, Decision, End, Goto, moves_by_name

Dice = tuple[int, ...]
Fields = dict[str, Any]
ASKED = 60  # questions of each game
FACES = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}


def thrown(draw: Random, dice: int, faces: int = 6) -> Dice:
    """A throw, faces ascending; fewer faces make equal dice likelier."""
    some = draw.sample(range(1, 7), faces)
    return tuple(sorted(draw.choice(some) for _ in range(dice)))


def some_of(dice: Dice) -> set[Dice]:
    """Every set of these dice, the empty one too."""
    return {kept for size in range(len(dice) + 1) for kept in combinations(dice, size)}


def keep(dice: Dice) -> str:
    return "keep " + (" ".join(map(str, dice)) or "nothing")


def left_of(dice: Dice, used: Dice) -> Dice:
    left = list(dice)
    for die in used:
        left.remove(die)
    return tuple(left)


# --- points are gathered ---------------------------------------------------------------------------------------------


def pig(draw: Random) -> tuple[Fields, set[str]]:
    turn = draw.randrange(2, 30) * draw.randrange(2)
    return {"mine": 40, "turn": turn}, {"roll", "hold"} if turn else {"roll"}


def piggy_once(draw: Random) -> tuple[Fields, set[str]]:
    turn = draw.randrange(1, 20) * draw.randrange(2)
    if turn:
        return {"turn": turn, "dice": draw.randint(1, 3)}, {"hold", "roll"}
    return {"mine": 12}, {"roll 1", "roll 2", "roll 3"}


def piggy_afresh(draw: Random) -> tuple[Fields, set[str]]:
    turn = draw.randrange(1, 20) * draw.randrange(2)
    return {"turn": turn}, {"roll 1", "roll 2", "roll 3"} | ({"hold"} if turn else set())


def ten_thousand(draw: Random) -> tuple[Fields, set[str]]:
    """All dice that are kept score: as threes of a kind of this throw, or as ones and fives."""
    roll = thrown(draw, draw.randint(1, 6), draw.randint(1, 6))
    found = set()
    for kept in some_of(roll) - {()}:
        points = 0
        for face in set(kept):
            triples, singles = divmod(kept.count(face), 3)
            points += triples * (1000 if face == 1 else 100 * face) + singles * {1: 100, 5: 50}.get(face, 0)
            if singles and face not in (1, 5):
                break
        else:
            found.add(f"{keep(kept)} for {points}")
    turn = 0 if len(roll) == 6 else 400
    return {"mine": 1000, "turn": turn, "roll": roll}, found


@cache
def counted(dice: Dice, old: int, new: Dice) -> frozenset[tuple[Dice, int]]:
    """(dice not kept, points) of every way to take scoring units off a throw of Zilch beside the trios on the board."""
    found = {(dice, 0)}
    for face in set(dice):
        units: list[tuple[Dice, int, Dice]] = [((face,), 100 if face == 1 else 50, new)] if face in (1, 5) else []
        if face in (old, *new):
            units.append(((face,), 100, new))
        if dice.count(face) >= 3:
            units.append(((face,) * 3, 1000 if face == 1 else 100 * face, (*new, face)))
        for unit, points, trios in units:
            after = counted(left_of(dice, unit), old, trios)
            found |= {(rest, points + more) for rest, more in after}
    return frozenset(found)


def zilch(draw: Random) -> tuple[Fields, set[str]]:
    """Any scoring dice, counted in any way; or three pairs or a straight of all six."""
    trio = draw.choice([None, 2, 3, 4, 5, 6])
    roll = thrown(draw, draw.randint(1, 6 if trio is None else 3), draw.randint(1, 6))
    if draw.randrange(10) == 0:
        trio, roll = None, (1, 2, 3, 4, 5, 6)
    found = {
        f"{keep(left_of(roll, rest))} for {points}" for rest, points in counted(roll, trio or 0, ()) if rest != roll
    }
    if len(roll) == 6 and len(set(roll)) == 6:
        found.add("score straight")
    if len(roll) == 6 and all(roll.count(face) % 2 == 0 for face in roll):
        found.add("score three pairs")
    fields: Fields = {"mine": 1000, "turn": 0 if len(roll) == 6 else 1450, "roll": roll}
    return ({**fields, "trio": trio} if trio else fields), found


# --- the last throw counts -------------------------------------------------------------------------------------------


def bluff_called(draw: Random) -> tuple[Fields, set[str]]:
    last = draw.choice([0, *range(3, 18)])
    held = {"mine": draw.randint(1, 5), "theirs": draw.randint(1, 4)}  # after a call a chip is in the pot
    calls = {f"call {total}" for total in range(max(3, last + 1), 19)}
    return {**held, "last": last, "total": draw.randint(3, 18)}, calls


def bluff_heard(draw: Random) -> tuple[Fields, set[str]]:
    call = draw.randint(4, 18)
    last = draw.choice([0, *range(3, call)])
    held = {"mine": draw.randint(1, 5), "theirs": draw.randint(1, 4)}
    return {**held, "last": last, "call": call}, {"challenge"} if call == 18 else {"accept", "challenge"}


def mexico(draw: Random) -> tuple[Fields, set[str]]:
    left = draw.randrange(3)
    return {"roll": thrown(draw, 2), "rolls_left": left}, {"stop", "roll"} if left else {"stop"}


def four_two_one(draw: Random) -> tuple[Fields, set[str]]:
    left, roll = draw.randrange(3), thrown(draw, 3)
    again = {keep(kept) for kept in some_of(roll) if kept != roll}
    return {"pot": 0, "roll": roll, "rolls_left": left}, {"stop"} | (again if left else set())


def sevens(draw: Random) -> tuple[Fields, set[str]]:
    """What is left over is thrown again, all of it."""
    left = tuple(sorted(draw.choice([(1, 2, 3), (4, 5, 6), (1, 5, 3)])[draw.randrange(3)] for _ in range(6)))
    left, rolls_left = left[: 2 * draw.randrange(4)], draw.randrange(3)
    left = left if all(7 - die not in left for die in left) else left[:1] * 2
    return {"left": left, "rolls_left": rolls_left}, {"stop", "roll"} if left and rolls_left else {"stop"}


def six_by_6(draw: Random) -> tuple[Fields, set[str]]:
    """Six equal dice or one of each face may be posted whole, with five dice 1 to 5; sixes always are."""
    posted = draw.randrange(6)
    faces = draw.choice([1, 1, 2, 6])
    roll = thrown(draw, 6 - posted, faces)
    if draw.randrange(2) and posted < 2:
        roll = tuple(range(1, 7 - posted))
    special = (len(roll) == 6 and len(set(roll)) in (1, 6)) or roll == (1, 2, 3, 4, 5)
    fields = {"carry": 9, "posted": posted, "roll": roll}
    if set(roll) == {6}:
        return fields, {"post"}
    return fields, {"post", "go on"} if special else {"go on"}


def finish(draw: Random) -> tuple[Fields, set[str]]:
    """Any number of dice that go on in order from what is placed."""
    placed = draw.randrange(6)
    roll = thrown(draw, 6 - placed)
    most = next((number for number in range(placed, 6) if number + 1 not in roll), 6) - placed
    return {"placed": placed, "roll": roll, "chips": (6, 5)}, {f"place {count}" for count in range(1, most + 1)}


def martinetti(draw: Random) -> tuple[Fields, set[str]]:
    """Any number of squares up to all that the sums of the roll offer in a row; the second twelve has to wait."""
    crossed, roll = draw.randrange(24), thrown(draw, 3)
    sums = {sum(some) for some in some_of(roll)}
    row = [*range(1, 13), *range(12, 0, -1)][crossed : 12 if crossed < 12 else 24]
    most = next((place for place, number in enumerate(row) if number not in sums), len(row))
    return {"positions": (crossed, 3), "roll": roll}, {f"cross {count}" for count in range(1, most + 1)}


def busted(draw: Random) -> tuple[Fields, set[str]]:
    """Whoever has just taken chips may leave the roll to the next player."""
    taken = draw.randrange(2) == 1
    return {"chips": (20, 19, 19), "board": {3: 3, 7: 14}, "taken": taken}, {"pass", "roll"} if taken else {"roll"}


# --- boxes -----------------------------------------------------------------------------------------------------------


def shut_the_box(partial: bool) -> Callable[[Random], tuple[Fields, set[str]]]:
    def asked(draw: Random) -> tuple[Fields, set[str]]:
        while True:
            boxes = tuple(sorted(draw.sample(range(1, 10), draw.randint(1, 9))))
            late = not {7, 8, 9} & set(boxes)
            roll = tuple(sorted(draw.randint(1, 6) for _ in range(draw.randint(1, 2) if late else 2)))
            found = set()
            if len(roll) == 2 and roll[0] != roll[1] and set(roll) <= set(boxes):
                found.add(f"shut {roll[0]} {roll[1]}")
            if sum(roll) in boxes and (len(roll) == 1 or not late):
                found.add(f"shut {sum(roll)}")
            if partial and not found and len(roll) == 2 and set(roll) & set(boxes):
                found = {f"shut {box}" for box in set(roll) & set(boxes)} | {"leave"}
            if found and (late or not ({2, 3, 4, 5, 6} <= set(boxes) and 1 not in boxes)):  # else it cannot be
                return {"open": boxes, "roll": roll}, found

    return asked


KINDS = ("three of a kind", "four of a kind")
YAHTZEE = (*FACES, *KINDS, "full house", "small straight", "large straight", "yahtzee", "chance")
STRAIGHTS = ("low straight", "high straight", "super straight")
SIXZEE = (*FACES, *KINDS, "five of a kind", "3-2-1", "three pairs", "two triples", *STRAIGHTS, "sixzee", "chance")


def sheet(draw: Random, boxes: tuple[str, ...], equal: str) -> dict[str, int]:
    """Some boxes filled with 0, or, the one for equal dice, with what these are worth; chance holds what it must."""
    filled = {box: 0 for box in boxes if draw.randrange(2)}
    if equal in filled and draw.randrange(2):
        filled[equal] = {"yahtzee": 50, "sixzee": 60}[equal]
    if "chance" in filled:
        filled["chance"] = 20
    if len(filled) == len(boxes):
        del filled[draw.choice(boxes)]
    return filled


def keeps(roll: Dice, left: int) -> set[str]:
    """Every way to throw some dice again."""
    return {keep(kept) for kept in some_of(roll) if len(kept) < len(roll)} if left else set()


def yahtzee(joker: str) -> Callable[[Random], tuple[Fields, set[str]]]:
    def asked(draw: Random) -> tuple[Fields, set[str]]:
        filled, left = sheet(draw, YAHTZEE, "yahtzee"), draw.randrange(3)
        roll = thrown(draw, 5, draw.choice([1, 1, 2, 6]))
        may = [box for box in YAHTZEE if box not in filled]
        if joker == "forced" and len(set(roll)) == 1 and "yahtzee" in filled:
            own = [box for box in may if FACES.get(box) == roll[0]]
            may = own or [box for box in may if box not in FACES] or may
        return {"filled": filled, "roll": roll, "rolls_left": left}, keeps(roll, left) | {f"score {box}" for box in may}

    return asked


def sixzee(draw: Random) -> tuple[Fields, set[str]]:
    filled, roll, left = sheet(draw, SIXZEE, "sixzee"), thrown(draw, 6, draw.choice([1, 2, 6])), draw.randrange(3)
    may = {f"score {box}" for box in SIXZEE if box not in filled}
    return {"filled": filled, "roll": roll, "rolls_left": left}, keeps(roll, left) | may


SPECIALS = ("five of a kind", "big straight", "small straight", "full house", "four of a kind")


def fits_in_cameroon(box: str, dice: Dice) -> bool:
    counts = sorted(dice.count(face) for face in set(dice))
    return {
        "five of a kind": counts == [5],
        "four of a kind": counts in ([5], [1, 4]),
        "full house": counts == [2, 3],
        "big straight": dice == (2, 3, 4, 5, 6),
        "small straight": dice == (1, 2, 3, 4, 5),
    }.get(box, FACES.get(box) in dice)


def cameroon(must_keep: bool) -> Callable[[Random], tuple[Fields, set[str]]]:
    def asked(draw: Random) -> tuple[Fields, set[str]]:
        names: list[str] = draw.choices(["mine", "theirs", "closed", ""], k=len(FACES))
        lists: Fields = {name: tuple(b for b, n in zip(FACES, names, strict=True) if n == name) for name in set(names)}
        lists.pop("", None)
        lists["closed"] = (*lists.get("closed", ()), *(box for box in SPECIALS if draw.randrange(2)))
        if len(lists["closed"]) == 11:
            lists["closed"] = lists["closed"][1:]
        left = draw.randrange(3)
        dice = draw.choice([thrown(draw, 5, draw.choice([1, 2, 6])), (1, 2, 3, 4, 5), (2, 3, 4, 5, 6)])
        least = 2 - left if must_keep else 0
        most = 5 if left == 0 else 4 if left < 2 else 0  # with two throws to come nothing has been set aside
        kept = dice[: draw.randint(least, max(least, most))] if left < 2 else ()
        roll = left_of(dice, kept)
        closed = {*lists.get("mine", ()), *lists["closed"]}
        may = {box for box in (*FACES, *SPECIALS) if box not in closed and fits_in_cameroon(box, dice)}
        scores = {f"score {box}" for box in may} or {"pass"}
        aside = {held for held in some_of(roll) if len(held) >= 1 or not must_keep}
        found = scores | ({keep(held) for held in aside if len(held) < len(roll)} if left else set())
        fields = {**lists, "kept": kept, "rolls_left": left}
        return ({**fields, "roll": roll} if roll else fields), found

    return asked


# --- all of them -----------------------------------------------------------------------------------------------------

ENUMERATED: list[tuple[str, Mapping[str, Any], Callable[[Random], tuple[Fields, set[str]]]]] = [
    ("pig", {}, pig),
    ("piggy-six", {"max_dice": 3}, piggy_once),
    ("piggy-six", {"max_dice": 3, "choose": "roll"}, piggy_afresh),
    ("ten-thousand", {"goal": 3000}, ten_thousand),
    ("zilch", {"goal": 3000}, zilch),
    ("bluff", {}, bluff_called),
    ("bluff", {}, bluff_heard),
    ("mexico", {}, mexico),
    ("421", {}, four_two_one),
    ("sevens", {}, sevens),
    ("six-by-6", {"posting": "free"}, six_by_6),
    ("six-by-6", {"posting": "free", "players": 2}, six_by_6),
    ("finish", {"placing": "free", "players": 2}, finish),
    ("martinetti", {"crossing": "free"}, martinetti),
    ("busted", {}, busted),
    ("shut-the-box", {}, shut_the_box(partial=False)),
    ("shut-the-box", {"variant": "partial"}, shut_the_box(partial=True)),
    ("yahtzee", {}, yahtzee("forced")),
    ("yahtzee", {"joker": "free"}, yahtzee("free")),
    ("sixzee", {}, sixzee),
    ("cameroon", {"four_of_a_kind": True}, cameroon(must_keep=False)),
    ("cameroon", {"four_of_a_kind": True, "must_keep": True}, cameroon(must_keep=True)),
]


@pytest.mark.parametrize(
    ("name", "parameters", "asked"),
    ENUMERATED,
    ids=[f"{name} {parameters or ''}" for name, parameters, _ in ENUMERATED],
)
def test_a_question_lists_the_moves_of_the_rules_and_no_others(
    name: str, parameters: Mapping[str, Any], asked: Callable[[Random], tuple[Fields, set[str]]]
) -> None:
    game, draw, widest = turn_game(name, **parameters), Random(7), 0
    for _ in range(ASKED):
        fields, legal = asked(draw)
        if not legal:  # a throw that scores nothing ends the turn
            with pytest.raises(StateError, match="the turn is over"):
                begin(game, fields)
            continue
        listed = moves(game, begin(game, fields))
        assert sorted(listed) == sorted(legal), fields
        widest = max(widest, len(listed))
    assert widest > 1


def test_every_game_with_decisions_has_its_moves_enumerated() -> None:
    enumerated = {name for name, *_ in ENUMERATED} | {"killer"}
    deciding = {name for name in REGISTRY if kind_of(turn_game(name)).has_decisions}
    assert deciding <= enumerated


def test_two_moves_of_one_name_are_refused_where_they_are_different_moves() -> None:
    throw = Chance([(1, End(1)), (5, Goto(2))])
    same = Decision([("a", throw), ("b", End(3)), ("b", End(3, 0)), ("a", Chance([(1, End(1)), (5, Goto(2))]))])
    assert list(moves_by_name(same, lambda *state: End(0))) == ["a", "b"]
    for after, other in ((End(3), End(4)), (End(3), End(3, 1)), (End(3), Goto(3)), (throw, Chance([(1, End(1))]))):
        with pytest.raises(ModelError, match="two different moves are called 'b'"):
            moves_by_name(Decision([("b", after), ("a", End(0)), ("b", other)]), lambda *state: End(0))
    nested = Decision([("b", End(3)), (None, Goto("further"))])
    with pytest.raises(ModelError, match="two different moves are called 'b'"):
        moves_by_name(nested, lambda *state: Decision([("b", End(5))]))
