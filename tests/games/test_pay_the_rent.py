"""Pay the Rent by its rules: the sheet's examples, pots counted by hand, what a seat can expect, and bad input."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from rollwise.games.claims.replay import parse_steps
from rollwise.games.pay_the_rent.claims import in_one_hand
from rollwise.games.pay_the_rent.prospects import MARKERS, roll_effect
from rollwise.games.pay_the_rent.rules import PayTheRent, pay_out
from rollwise.parsing.validate import parse_fields
from rollwise.solver.model.dice import throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Columns
from tests.games.helping import played, quantities, refused, rules, settles, thorough

HALF = Fraction(1, 2)
BANKERS = ["none", "always", "second_pair"]


def holders(game: PayTheRent, board: Mapping[str, Any], mover: int) -> dict[int, int]:
    """Markers by face and seat, when this seat is the one who rolls next."""
    columns = Columns({name: np.array([place]) for name, place in board.items()})
    places = {face: int(game.holder(columns, face)[0]) for face in MARKERS}
    return {face: (place + mover) % game.players for face, place in places.items() if place != game.table}


# --- the rules -------------------------------------------------------------------------------------------------------


@rules(
    "game, play, held",
    {
        "a pair of fours takes the marker with the four": (PayTheRent(4), "445", {4: 0}),
        "three different faces only pass the dice": (PayTheRent(3), "445, 126, 235", {4: 0}),
        "several markers may lie before one player": (PayTheRent(3), "445, 221, 126, 556", {2: 1, 4: 0, 5: 0}),
        "the first pair of sixes takes the banker's marker": (PayTheRent(3, "second_pair"), "661", {6: 2}),
    },
)
def test_markers_are_taken_and_the_pot_stays(game: PayTheRent, play: str, held: dict[int, int]) -> None:
    after = played(game, {}, play)
    assert not after.over
    assert holders(game, after.board, mover=len(parse_steps(play)) % game.players) == held


@rules(
    "game, play, wanted",
    {
        "the holder and the player opposite halve the pot": (PayTheRent(4), "445, 126, 441", [HALF, 0, HALF, 0]),
        "a roller who holds the marker takes all": (PayTheRent(3), "445, 126, 126, 441", [1, 0, 0]),
        "a triple takes all": (PayTheRent(3), "333", [1, 0, 0]),
        "whoever holds its marker": (PayTheRent(3), "331, 333", [0, 1, 0]),
        "a banker who always has the six halves": (PayTheRent(4, "always"), "661", [HALF, 0, 0, HALF]),
        "or takes all": (PayTheRent(3, "always"), "126, 126, 661", [0, 0, 1]),
        "whoever rolled the first, the second pair pays": (PayTheRent(3, "second_pair"), "661, 661", [0, HALF, HALF]),
        "or all to the banker": (PayTheRent(3, "second_pair"), "661, 126, 661", [0, 0, 1]),
        "other faces are as without a banker": (PayTheRent(4, "always"), "445, 126, 441", [HALF, 0, HALF, 0]),
        "also with the second pair": (PayTheRent(4, "second_pair"), "445, 126, 441", [HALF, 0, HALF, 0]),
    },
)
def test_the_pot_is_paid(game: PayTheRent, play: str, wanted: list[Fraction]) -> None:
    *before, (dice, _) = parse_steps(play)
    at = played(game, {}, ", ".join(play.split(", ")[:-1]))
    assert dice is not None
    found = settles(game, roll_effect(dice), **at.board)
    assert found["over"]
    assert [found["shares"][(seat - len(before)) % game.players] for seat in range(game.players)] == wanted


def test_throws_and_odd_chips() -> None:
    for pot, shares, paid in (
        (9, (1, 1, 0), ((4, 4, 0), 1)),
        (8, (1, 0, 1), ((4, 0, 4), 0)),
        (9, (0, 2, 0), ((0, 9, 0), 0)),
    ):
        assert pay_out(pot, shares) == paid
    with pytest.raises(ModelError, match="is over before 1 2 6"):
        played(PayTheRent(3), {}, "333, 126")
    found: Counter[int | str] = Counter()
    for dice, ways in throws(3):
        found[roll_effect(dice)] += ways
        assert len(set(dice)) != 2 or dice.count(int(roll_effect(dice))) == 2
    assert found == Counter({"triple": 6, "nothing": 120}) + Counter(dict.fromkeys(range(1, 7), 15))


@pytest.mark.parametrize("banker", BANKERS)
def test_pots_of_any_rolls_are_paid_as_by_hand(banker: str) -> None:
    """Who rolls and who holds which face, kept in a mapping; every board that comes is settled with each roll."""
    game, draw = PayTheRent(4, banker), Random(1)
    for _ in range(25):
        board, markers, sixes, roller, over = game.first_board(), dict[int, int](), banker == "always", 0, False
        while not over:
            dice = tuple(draw.choices(range(1, 7), k=3))
            face, count = Counter(dice).most_common(1)[0]
            winners: set[int] = set()
            if count == 3:
                winners = {roller}
            elif count == 2 and face == 6 and banker != "none":
                winners, sixes = ({roller, 3} if sixes else set()), True
            elif count == 2 and face in markers:
                winners = {roller, markers[face]}
            elif count == 2:
                markers[face] = roller
            found = settles(game, roll_effect(dice), **board)
            over = bool(winners)
            assert (found["over"], found["worth"]) == (over, 1)
            if over:
                parts = {(roller + place) % 4: part for place, part in enumerate(found["shares"]) if part}
                assert parts == dict.fromkeys(winners, Fraction(1, len(winners)))
                break
            roller, board = (roller + 1) % 4, {name: found[name] for name in board}
            assert holders(game, board, roller) == markers | ({6: 3} if banker != "none" and sixes else {})


# --- what it is worth ------------------------------------------------------------------------------------------------


def told(game: PayTheRent, **given: Any) -> dict[str, Any]:
    """The quantities of a question, as fractions."""
    return {
        name: list(map(Fraction, quantity.exact)) if isinstance(quantity.exact, list) else Fraction(quantity.exact)
        for name, quantity in quantities(game, **given).items()
    }


@pytest.mark.parametrize("players", [3, 4, *thorough(5, 6)])
def test_without_a_banker_nobody_gains_and_a_banker_gains_what_the_others_lose(players: int) -> None:
    fair, always, second = (told(PayTheRent(players, banker)) for banker in BANKERS)
    assert fair["rolls_per_pot"] == fair["length"] == Fraction(2065486941, 268435456)  # as computed beforehand
    assert fair["per_roll"] == fair["per_pot"] == [0] * players
    for found in (always, second):
        assert found["per_roll"][-1] > 0 > max(found["per_roll"][:-1])
        assert sum(found["per_roll"]) == sum(found["per_pot"]) == 0
        assert [net / found["rolls_per_pot"] for net in found["per_pot"]] == found["per_roll"]
    assert always["per_roll"][-1] > second["per_roll"][-1]  # from a marker held at all times


@pytest.mark.parametrize("banker", BANKERS)
@pytest.mark.parametrize("players", [3, 4])
def test_the_chips_of_a_pot_go_to_the_players_or_stay(players: int, banker: str) -> None:
    game = PayTheRent(players, banker)
    for markers, pot, mover in (({}, 0, 0), ({}, players % 2, 2), ({2: 1, 5: 1}, 9 * players, 2), ({1: 0}, 60, 1)):
        seats = game.prospects(markers, mover)
        assert sum(seat.net(pot) + seat.p_odd_chip(pot) for seat in seats) == pot
        assert sum(seat.last for seat in seats) == 1
        assert players % 2 or not any(seat.p_odd_chip(pot) for seat in seats)


# --- pots by hand: how many markers each seat holds is all that counts of them ---------------------------------------

State = tuple[tuple[int, ...], bool]  # markers by seat, without a banker's; does a pair of sixes pay the banker?


@dataclass
class Out:
    """A pot played to its end: mean gains by seat, rolls, chances of (next to start, chips left over), states seen."""

    net: list[float]
    rolls: float = 0.0
    ends: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    seen: dict[State, float] = field(default_factory=lambda: defaultdict(float))


def by_hand(players: int, banker: str, start: State, mover: int = 0, pot: int = 0) -> Out:
    """Forward, roll by roll, until hardly any pot is left: the pot is an ordinary number of chips."""
    out, faces = Out([0.0] * players), 6 if banker == "none" else 5
    now: dict[State, float] = {start: 1.0}
    while (alive := sum(now.values())) > 1e-16:
        pot += players
        out.rolls += alive
        out.net = [net - alive for net in out.net]
        following: dict[State, float] = defaultdict(float)
        for state, chance in now.items():
            held, sixes = state
            out.seen[state] += chance
            pays = [(6, {mover}), *((15 * number, {mover, seat}) for seat, number in enumerate(held))]
            taken = (*held[:mover], held[mover] + 1, *held[mover + 1 :])
            goes_on = [(120, state)]
            if sum(held) < faces:
                goes_on.append((15 * (faces - sum(held)), (taken, sixes)))
            if banker != "none" and sixes:
                pays.append((15, {mover, players - 1}))
            elif banker != "none":
                goes_on.append((15, (held, True)))
            for ways, winners in pays:
                for seat in winners:
                    out.net[seat] += chance * ways / 216 * (pot // len(winners))
                out.ends[(mover + 1) % players, pot % len(winners)] += chance * ways / 216
            for ways, after in goes_on:
                following[after] += chance * ways / 216
        now, mover = following, (mover + 1) % players
    return out


def new_pot(players: int, banker: str) -> State:
    return (0,) * players, banker == "always"


@pytest.mark.parametrize(
    ("players", "banker"), [(3, "none"), (3, "second_pair"), *thorough((3, "always"), (4, "second_pair"))]
)
def test_a_new_pot_and_the_long_run_are_worth_the_same_by_hand(players: int, banker: str) -> None:
    game, odd = PayTheRent(players, banker), range(1 + players % 2)
    pots = {at: by_hand(players, banker, new_pot(players, banker), *at) for at in product(range(players), odd)}
    for (mover, pot), out in pots.items():
        seats = game.prospects({}, mover)
        assert out.net == pytest.approx([float(seat.net(pot)) for seat in seats], abs=1e-11)
        assert out.rolls == pytest.approx(float(seats[0].rolls), abs=1e-11)
        for seat, prospects in enumerate(seats):
            starts = (seat + 1) % players
            assert out.ends[starts, 0] + out.ends[starts, 1] == pytest.approx(float(prospects.last))
            assert out.ends[starts, 1] == pytest.approx(float(prospects.p_odd_chip(pot)), abs=1e-11)
    often = dict.fromkeys(pots, 1 / len(pots))
    for _ in range(300):
        often = {at: sum(share * pots[before].ends[at] for before, share in often.items()) for at in pots}
    rolls = sum(share * pots[at].rolls for at, share in often.items())
    net = [sum(share * pots[at].net[seat] for at, share in often.items()) for seat in range(players)]
    found = told(game)
    assert [gain / rolls for gain in net] == pytest.approx([float(gain) for gain in found["per_roll"]], abs=1e-11)
    assert net == pytest.approx([float(gain) for gain in found["per_pot"]], abs=1e-10)


@pytest.mark.parametrize(
    ("banker", "markers", "state", "pot", "mover"),
    [
        ("none", {4: 0}, ((1, 0, 0), False), 3, 1),
        ("none", {1: 2, 3: 2, 4: 0}, ((1, 0, 2), False), 22, 1),
        ("none", {face: face % 3 for face in MARKERS}, ((2, 2, 2), False), 36, 0),
        ("always", {2: 2, 5: 0}, ((1, 0, 1), True), 16, 2),
        ("second_pair", {2: 2, 5: 0}, ((1, 0, 1), False), 15, 1),
        ("second_pair", {2: 2, 6: 2}, ((0, 0, 1), True), 16, 0),
    ],
)
def test_a_pot_on_its_way_is_worth_the_same_by_hand(
    banker: str, markers: dict[int, int], state: State, pot: int, mover: int
) -> None:
    out = by_hand(3, banker, state, mover, pot)
    found = told(PayTheRent(3, banker), markers=markers, pot=pot, mover=mover)
    assert out.net == pytest.approx([float(net) for net in found["this_pot"]], abs=1e-11)
    assert out.rolls == pytest.approx(float(found["length"]), abs=1e-11)


def test_markers_in_one_hand_are_as_frequent_as_by_hand() -> None:
    seen = by_hand(3, "none", new_pot(3, "none")).seen
    several = {held: chance for (held, _), chance in seen.items() if sum(held) > 1}
    together = sum(chance for held, chance in several.items() if max(held) == sum(held))
    assert float(in_one_hand(3)) == pytest.approx(together / sum(several.values()), abs=1e-12)


# --- questions -------------------------------------------------------------------------------------------------------


def test_a_question_may_say_little_and_markers_as_text_or_a_mapping() -> None:
    for banker in BANKERS:
        game = PayTheRent(3, banker)
        assert dict(game.locate().board) == game.first_board()
    game = PayTheRent(3, "always")
    assert game.locate(markers={6: 2}, mover=1) == game.locate(mover=1)
    assert told(game, markers={6: 2}, mover=1) == told(game, mover=1)
    some: Any = ("4:0, 6:2", {4: 0, 6: 2}, {"6": "2", "4": 0}, "none", "-")
    held = [parse_fields(PayTheRent(3), {"markers": given})["markers"] for given in some]
    assert held == [{4: 0, 6: 2}] * 3 + [{}] * 2


@pytest.mark.parametrize(("banker", "sixes"), [("none", False), ("second_pair", False), ("second_pair", True)])
@pytest.mark.parametrize("rolls", [1, 2, 4, 7])
def test_exactly_the_pots_that_can_be_are_accepted(rolls: int, banker: str, sixes: bool) -> None:
    """Three players, seat 1 to roll: every roll before may have taken a marker; one may have been the first sixes."""
    game = PayTheRent(3, banker)
    faces = [face for face in MARKERS if face != 6 or banker == "none"]
    rollers = [(1 - back) % 3 for back in range(1, rolls + 1)]
    can = {
        tuple(sum(one for one, roller in zip(took, rollers, strict=True) if roller == seat) for seat in range(3))
        for took in product((0, 1), repeat=rolls)
        if sum(took) + sixes <= rolls
    }
    for counts in product(range(len(faces) + 1), repeat=3):
        if sum(counts) > len(faces):
            continue
        held = [seat for seat, count in enumerate(counts) for _ in range(count)]
        markers = dict(zip(faces, held, strict=False)) | ({6: 2} if sixes else {})
        if counts in can:
            game.locate(markers=markers, pot=3 * rolls, mover=1)
        else:
            assert "these markers take" in str(refused(game, {"markers": markers, "pot": 3 * rolls, "mover": 1}))
