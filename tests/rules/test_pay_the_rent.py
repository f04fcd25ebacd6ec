"""Pay the Rent by its rules: the sheet's examples, what a seat can expect, by three methods, and bad input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import sqrt
from random import Random
from statistics import fmean, pvariance
from typing import Any

import icepool
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rollwise.door import the_fields, the_game
from rollwise.games.claims import check, claims
from rollwise.games.claims.pay_the_rent import in_one_hand
from rollwise.games.claims.replay import Played, replay
from rollwise.games.pay_the_rent import HALVES, MARKERS, NOTHING, TRIPLE, PayTheRent, paid, shown
from rollwise.solver.boards.sweep import BoardSolver
from rollwise.solver.game.dice import Faces, grouped, throws
from rollwise.solver.game.errors import ModelError, ParameterError, StateError
from rollwise.solver.game.model import Columns, Settled
from rollwise.solver.turn.graph import compile_turn

FOURS, MORE_FOURS, BLANK, SIXES, THREES = (4, 4, 5), (4, 4, 1), (1, 2, 6), (6, 6, 1), (3, 3, 3)
Floats = NDArray[np.float64]
BANKERS = ["none", "always", "second_pair"]


def after(game: PayTheRent, *rolled: Faces, **state: Any) -> Played:
    return replay(game, state, [(dice, None) for dice in rolled])


def holders(game: PayTheRent, played: Played, mover: int = 0) -> dict[int, int]:
    """Markers by face and seat, when this seat is the one who rolls next."""
    board = Columns({name: np.array([place]) for name, place in played.board.items()})
    places = {face: int(game.holder(board, face)[0]) for face in MARKERS}
    return {face: (place + mover) % game.players for face, place in places.items() if place != game.table}


def shares(game: PayTheRent, *rolled: Faces) -> list[Fraction]:
    """Parts of the pot that the last roll pays, by seat; seat 0 rolls first."""
    before = after(game, *rolled[:-1])
    said = game.settle(Columns({name: np.array([place]) for name, place in before.board.items()}), shown(rolled[-1]))
    assert np.all(said.over)
    assert said.shares is not None
    places = [Fraction(int(np.ravel(part)[0]), said.per) for part in said.shares]
    return [places[(seat - len(rolled) + 1) % game.players] for seat in range(game.players)]


# --- the rules -----------------------------------------------------------------------------------------------------


def test_a_pair_of_fours_takes_the_marker_with_the_four_and_the_pot_stays() -> None:
    game = PayTheRent(4)
    played = after(game, FOURS)
    assert not played.over
    assert holders(game, played, mover=1) == {4: 0}


def test_you_hold_the_four_and_the_player_opposite_rolls_another_pair_of_fours() -> None:
    assert shares(PayTheRent(4), FOURS, BLANK, MORE_FOURS) == [Fraction(1, 2), 0, Fraction(1, 2), 0]


def test_a_roller_who_holds_the_marker_takes_the_whole_pot() -> None:
    assert shares(PayTheRent(3), FOURS, BLANK, BLANK, MORE_FOURS) == [1, 0, 0]


def test_a_triple_takes_the_whole_pot_whoever_holds_its_marker() -> None:
    assert shares(PayTheRent(3), THREES) == [1, 0, 0]
    assert shares(PayTheRent(3), (3, 3, 1), THREES) == [0, 1, 0]


def test_three_different_faces_only_pass_the_dice() -> None:
    game = PayTheRent(3)
    played = after(game, FOURS, BLANK, (2, 3, 5))
    assert holders(game, played, mover=0) == {4: 0}


def test_several_markers_may_lie_before_one_player() -> None:
    game = PayTheRent(3)
    played = after(game, FOURS, (2, 2, 1), BLANK, (5, 5, 6))
    assert holders(game, played, mover=1) == {2: 1, 4: 0, 5: 0}


def test_an_odd_chip_stays_on_the_table() -> None:
    assert paid(9, (1, 1, 0)) == ((4, 4, 0), 1)
    assert paid(8, (1, 0, 1)) == ((4, 0, 4), 0)
    assert paid(9, (0, 2, 0)) == ((0, 9, 0), 0)


def test_a_banker_who_always_has_the_six_halves_the_first_pair_of_sixes() -> None:
    assert shares(PayTheRent(4, "always"), SIXES) == [Fraction(1, 2), 0, 0, Fraction(1, 2)]


def test_a_banker_who_rolls_the_paying_sixes_takes_all() -> None:
    assert shares(PayTheRent(3, "always"), BLANK, BLANK, SIXES) == [0, 0, 1]
    assert shares(PayTheRent(3, "second_pair"), SIXES, BLANK, SIXES) == [0, 0, 1]


def test_the_second_pair_of_sixes_pays_whoever_rolled_the_first() -> None:
    game = PayTheRent(3, "second_pair")
    played = after(game, SIXES)
    assert not played.over
    assert holders(game, played, mover=1) == {6: 2}
    assert shares(game, SIXES, SIXES) == [0, Fraction(1, 2), Fraction(1, 2)]


@pytest.mark.parametrize("banker", ["always", "second_pair"])
def test_the_other_faces_of_a_game_with_a_banker_are_like_those_of_one_without(banker: str) -> None:
    assert shares(PayTheRent(4, banker), FOURS, BLANK, MORE_FOURS) == [Fraction(1, 2), 0, Fraction(1, 2), 0]


def test_a_paid_pot_takes_no_further_roll() -> None:
    with pytest.raises(ModelError, match="is over before 1 2 6"):
        after(PayTheRent(3), THREES, BLANK)


def test_throws_do_what_icepool_counts() -> None:
    def pattern(roll: Sequence[int]) -> str:
        return {1: TRIPLE, 2: "pair", 3: NOTHING}[len(set(roll))]

    found: Counter[str] = Counter()
    for faces, ways in throws(3):
        seen = shown(faces)
        found["pair" if isinstance(seen, int) else seen] += ways
    counted = (3 @ icepool.d6.map(lambda face: (face,))).map(pattern)
    assert {name: Fraction(ways, 216) for name, ways in found.items()} == {
        name: counted.probability(name) for name in (TRIPLE, "pair", NOTHING)
    }
    for faces, _ in throws(3):
        pair = shown(faces)
        assert not isinstance(pair, int) or faces.count(pair) == 2


# --- what it is worth ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(3, 7))
def test_a_pot_takes_as_many_rolls_as_computed_beforehand(players: int) -> None:
    found = told(PayTheRent(players))
    assert found["rolls_per_pot"] == found["length"] == Fraction(2065486941, 268435456)


def test_rolls_per_pot_are_those_of_the_faces_that_are_held_alone() -> None:
    """A pot with k markers out goes on after three different faces, and after a pair of the 6 - k others."""

    def rolls(held: int) -> Fraction:
        more = Fraction(15 * (6 - held), 216)
        return (1 + (more * rolls(held + 1) if more else 0)) / (1 - Fraction(120, 216))

    assert told(PayTheRent(3))["rolls_per_pot"] == rolls(0)
    assert told(PayTheRent(3, "always"))["rolls_per_pot"] == rolls(1)


@pytest.mark.parametrize("players", range(3, 7))
def test_without_a_banker_nobody_gains_in_the_long_run(players: int) -> None:
    found = told(PayTheRent(players))
    assert found["per_roll"] == found["per_pot"] == [0] * players


@pytest.mark.parametrize("banker", BANKERS[1:])
@pytest.mark.parametrize("players", range(3, 7))
def test_the_banker_gains_what_the_others_lose(players: int, banker: str) -> None:
    found = told(PayTheRent(players, banker))
    assert found["per_roll"][-1] > 0 > max(found["per_roll"][:-1])
    assert sum(found["per_roll"]) == sum(found["per_pot"]) == 0
    assert [net / found["rolls_per_pot"] for net in found["per_pot"]] == found["per_roll"]


def test_the_banker_earns_more_from_a_marker_held_at_all_times() -> None:
    for players in range(3, 7):
        always, second = (told(PayTheRent(players, banker))["per_roll"][-1] for banker in BANKERS[1:])
        assert always > second


@pytest.mark.parametrize("banker", BANKERS)
@pytest.mark.parametrize("players", [3, 4, 5])
def test_the_chips_of_a_pot_go_to_the_players_or_stay(players: int, banker: str) -> None:
    game = PayTheRent(players, banker)
    for markers, pot, mover in (({}, 0, 0), ({}, players % 2, 2), ({2: 1, 5: 1}, 9 * players, 2), ({1: 0}, 60, 1)):
        seats = game.prospects(markers, mover)
        assert sum(seat.net(pot) + seat.left(pot) for seat in seats) == pot
        assert sum(seat.last for seat in seats) == 1
        assert players % 2 or not any(seat.left(pot) for seat in seats)


def test_a_marker_is_worth_something_and_more_in_a_large_pot() -> None:
    def net(markers: dict[int, int], pot: int) -> Fraction:
        return PayTheRent(3).prospects(markers, 0)[1].net(pot)

    assert net({4: 1}, 9) > net({}, 9)
    assert net({4: 1}, 9) > net({4: 2}, 9)
    assert net({4: 1}, 30) - net({4: 2}, 30) > net({4: 1}, 9) - net({4: 2}, 9)


def told(game: PayTheRent, **given: Any) -> dict[str, Any]:
    """The quantities of a question, as fractions."""
    fields = the_fields(game, given)
    game.locate(**fields)
    found = game.quantities(compile_turn(game), fields)
    return {
        name: list(map(Fraction, quantity.exact)) if isinstance(quantity.exact, list) else Fraction(quantity.exact)
        for name, quantity in found.items()
    }


# --- the second method: pots played out roll by roll over all boards, in whole chips ---------------------------------


@dataclass(frozen=True)
class Out:
    """A pot played to its end: mean gains by seat, rolls, and the chances of (next to start, chips left over)."""

    net: list[float]
    rolls: float
    ends: dict[tuple[int, int], float]


@dataclass(frozen=True)
class Everywhere:
    """What a roll does on every board: where play goes on, and the chances of all and of half the pot, by place.

    ``shared``: the chance that two players halve it.
    """

    goes_on: Any
    whole: Floats
    half: Floats
    shared: Floats


@cache
def everywhere(game: PayTheRent) -> Everywhere:
    """As the game's own ``settle`` says."""
    space = game.boards()
    columns = space.columns(np.arange(space.size))
    goes_on = csr_array((space.size, space.size))
    whole, half, shared = np.zeros((players := game.players, space.size)), np.zeros((players, space.size)), 0.0
    for seen, ways in grouped(3, shown):
        said = game.settle(columns, seen)
        assert said.next is not None
        assert said.shares is not None
        assert said.per == HALVES
        over = np.broadcast_to(np.asarray(said.over), space.size)
        halves = np.array([np.broadcast_to(np.asarray(part), space.size) for part in said.shares]) * over
        assert (halves.sum(axis=0) == HALVES * over).all()
        on = np.flatnonzero(~over)
        edges = (np.full(len(on), ways / 216), (space.index(said.next, space.size)[on], on))
        goes_on = goes_on + csr_array(edges, shape=goes_on.shape)
        whole += ways / 216 * (halves == HALVES)
        half += ways / 216 * (halves == 1)
        shared = shared + ways / 216 * (halves == 1).any(axis=0)
    return Everywhere(goes_on, whole, half, np.asarray(shared))


def played_out(game: PayTheRent, board: dict[str, Any], mover: int, pot: int) -> Out:
    """Forward, roll by roll, until hardly any pot is left: the pot is an ordinary number of chips."""
    rules = everywhere(game)
    players = game.players
    chances = np.zeros(game.boards().size)
    chances[game.boards().index_of(**board)] = 1.0
    net, rolls, ends = np.zeros(players), 0.0, dict[tuple[int, int], float]()
    while (alive := float(chances.sum())) > 1e-16:
        pot += players
        rolls += alive
        chips = pot * (rules.whole @ chances) + pot // 2 * (rules.half @ chances)
        net += np.roll(chips, mover) - alive
        left, starts = float(rules.shared @ chances) * (pot % 2), (mover + 1) % players
        following = rules.goes_on @ chances
        ends[starts, 1] = ends.get((starts, 1), 0.0) + left
        ends[starts, 0] = ends.get((starts, 0), 0.0) + alive - float(following.sum()) - left
        chances, mover = following, starts
    return Out(net.tolist(), rolls, ends)


SMALL = [(3, banker) for banker in BANKERS] + [(4, "none"), (4, "second_pair")]


@pytest.mark.parametrize(("players", "banker"), SMALL)
def test_a_new_pot_is_worth_the_same_played_out_over_all_boards(players: int, banker: str) -> None:
    game = PayTheRent(players, banker)
    for mover in range(players if banker != "none" else 1):
        for pot in range(1 + players % 2):
            out = played_out(game, dict(game.locate(mover=mover).board), mover, pot)
            seats = game.prospects({}, mover)
            assert out.net == pytest.approx([float(seat.net(pot)) for seat in seats], abs=1e-11)
            assert out.rolls == pytest.approx(float(seats[0].rolls), abs=1e-11)
            for seat in range(players):
                starts = (seat + 1) % players
                assert out.ends[starts, 0] + out.ends.get((starts, 1), 0.0) == pytest.approx(float(seats[seat].last))
                assert out.ends.get((starts, 1), 0.0) == pytest.approx(float(seats[seat].left(pot)), abs=1e-11)


@pytest.mark.parametrize(
    ("banker", "markers", "pot", "mover"),
    [
        ("none", {4: 0}, 3, 1),
        ("none", {1: 2, 3: 2, 4: 0}, 22, 1),
        ("none", {face: face % 3 for face in MARKERS}, 36, 0),
        ("always", {2: 2, 5: 0}, 16, 2),
        ("second_pair", {2: 2, 5: 0}, 15, 1),
        ("second_pair", {2: 2, 6: 2}, 16, 0),
    ],
)
def test_a_pot_on_its_way_is_worth_the_same_played_out_over_all_boards(
    banker: str, markers: dict[int, int], pot: int, mover: int
) -> None:
    game = PayTheRent(3, banker)
    position = game.locate(markers=markers, pot=pot, mover=mover)
    out = played_out(game, dict(position.board), mover, pot)
    found = told(game, markers=markers, pot=pot, mover=mover)
    assert out.net == pytest.approx([float(net) for net in found["this_pot"]], abs=1e-11)
    assert out.rolls == pytest.approx(float(found["length"]), abs=1e-11)


@pytest.mark.parametrize(("players", "banker"), [(3, "always"), (3, "second_pair"), (4, "second_pair")])
def test_the_long_run_is_that_of_pots_played_one_after_another(players: int, banker: str) -> None:
    game = PayTheRent(players, banker)
    odd = range(1 + players % 2)
    out = {
        (s, left): played_out(game, dict(game.locate(mover=s).board), s, left) for s in range(players) for left in odd
    }
    often = dict.fromkeys(out, 1 / len(out))
    for _ in range(300):
        following = dict.fromkeys(out, 0.0)
        for start, share in often.items():
            for end, chance in out[start].ends.items():
                if chance:
                    following[end] += share * chance
        often = following
    rolls = sum(share * out[start].rolls for start, share in often.items())
    net = [sum(share * out[start].net[seat] for start, share in often.items()) for seat in range(players)]
    found = told(game)
    assert [gain / rolls for gain in net] == pytest.approx([float(gain) for gain in found["per_roll"]], abs=1e-11)
    assert net == pytest.approx([float(gain) for gain in found["per_pot"]], abs=1e-10)


class Rolls(PayTheRent):
    """The same game, of which only the rolls are counted."""

    def settle(self, board: Columns, seen: int | str) -> Settled:
        return replace(super().settle(board, seen), shares=None)


@pytest.mark.parametrize("banker", BANKERS)
def test_a_board_is_worth_the_rolls_that_are_left(banker: str) -> None:
    game = Rolls(3, banker)
    solved = BoardSolver(game, compile_turn(game), compiled=False).solve().values
    for markers in ({}, {4: 0}, {1: 2, 3: 2, 5: 1}):
        board = game.locate(markers=markers, pot=30, mover=1).board
        rolls = game.prospects(markers, 1)[0].rolls
        assert solved[game.boards().index_of(**board)] == pytest.approx(float(rolls), abs=1e-11)


# --- the third: played by chance, from the rules alone -------------------------------------------------------------


def pots(players: int, banker: str, seed: int) -> Iterator[tuple[list[int], int]]:
    """Gains by seat and rolls of one pot after another."""
    draw = Random(seed)
    pot, roller = 0, 0
    while True:
        gains, rolls, sixes_seen = [0] * players, 0, banker == "always"
        markers: dict[int, int] = {}
        while True:
            gains = [gain - 1 for gain in gains]
            pot += players
            rolls += 1
            dice = [draw.randrange(1, 7) for _ in range(3)]
            face, count = Counter(dice).most_common(1)[0]
            paying: list[int] = []
            if count == 3:
                paying = [roller]
            elif count == 2 and face == 6 and banker != "none":
                paying, sixes_seen = [roller, players - 1] if sixes_seen else [], True
            elif count == 2 and face in markers:
                paying = [roller, markers[face]]
            elif count == 2:
                markers[face] = roller
            if paying:
                break
            roller = (roller + 1) % players
        winners = set(paying)
        for seat in winners:
            gains[seat] += pot // len(winners)
        pot %= len(winners)
        roller = (roller + 1) % players
        yield gains, rolls


@pytest.mark.parametrize(("players", "banker"), [(3, "none"), (3, "always"), (3, "second_pair"), (5, "always")])
def test_played_by_chance_it_comes_to_the_same(players: int, banker: str) -> None:
    series = pots(players, banker, seed=1)
    played = [next(series) for _ in range(25_000)]
    found = told(PayTheRent(players, banker))
    for numbers, exact in (
        ([float(rolls) for _, rolls in played], found["rolls_per_pot"]),
        *(([float(gains[seat]) for gains, _ in played], found["per_pot"][seat]) for seat in range(players)),
    ):
        error = sqrt(pvariance(numbers) / len(numbers))
        assert error < 0.1
        assert abs(fmean(numbers) - exact) < 4 * error


# --- questions -----------------------------------------------------------------------------------------------------


def test_a_question_without_fields_is_a_new_pot() -> None:
    for banker in BANKERS:
        game = PayTheRent(3, banker)
        assert dict(game.locate().board) == game.first_board()


@pytest.mark.parametrize("banker", BANKERS)
def test_describe_is_the_inverse_of_locate(banker: str) -> None:
    game = PayTheRent(3, banker)
    space = game.boards()
    for index in range(0, space.size, 7):
        board = space.board(index)
        for fields in game.describe(board, ()):
            typed = {field.name: field.show(fields[field.name]) for field in game.fields()}
            assert dict(game.locate(**the_fields(game, typed)).board) == board


@pytest.mark.parametrize("given", ["4:0, 6:2", {4: 0, 6: 2}, {"6": "2", "4": 0}])
def test_markers_may_be_text_or_a_mapping(given: Any) -> None:
    game = PayTheRent(3)
    fields = the_fields(game, {"markers": given})
    assert fields == {"markers": {4: 0, 6: 2}}
    assert game.fields()[0].show(fields["markers"]) == "4:0,6:2"


@pytest.mark.parametrize("given", ["none", "-", "", {}])
def test_no_markers(given: Any) -> None:
    assert the_fields(PayTheRent(3), {"markers": given}) == {"markers": {}}


def test_a_banker_of_every_pot_need_not_be_told() -> None:
    game = PayTheRent(3, "always")
    assert game.locate(markers={6: 2}, mover=1) == game.locate(mover=1)
    assert told(game, markers={6: 2}, mover=1) == told(game, mover=1)


@pytest.mark.parametrize(
    ("banker", "given", "line"),
    [
        ("none", {"markers": "4:0,4:1"}, "error: markers names face 4 twice"),
        ("none", {"markers": "7:0"}, "error: markers names faces from 1 to 6, got 7"),
        ("none", {"markers": "4:3"}, "error: markers names seats from 0 to 2, got 3"),
        ("none", {"markers": "4"}, "error: markers is a list of face:seat like 4:0,6:2, got '4'"),
        ("none", {"markers": "four:0"}, "error: markers is a list of face:seat like 4:0,6:2, got 'four:0'"),
        ("none", {"markers": [4, 0]}, "error: markers is a list of face:seat like 4:0,6:2, got [4, 0]"),
        ("none", {"mover": 3}, "error: mover is from 0 to 2, got 3"),
        ("none", {"pot": -3}, "error: pot is from 0 to 999999, got -3"),
        ("none", {"pot": 5}, "error: the pot of 3 players is a multiple of 3, or one chip more, got 5"),
        (
            "none",
            {"markers": "4:2"},
            "error: these markers take 1 roll or more, so the pot holds 3 chips or more, got 0",
        ),
        (
            "none",
            {"markers": "4:1,5:1", "pot": 9},
            "error: these markers take 5 rolls or more, so the pot holds 15 chips or more, got 9",
        ),
        (
            "second_pair",
            {"markers": "1:2,6:2", "pot": 4},
            "error: these markers take 2 rolls or more, so the pot holds 6 chips or more, got 4",
        ),
        ("always", {"markers": "6:1"}, "error: the marker of the sixes is the banker's, seat 2, got seat 1"),
        (
            "second_pair",
            {"markers": "6:0", "pot": 3},
            "error: the marker of the sixes is the banker's, seat 2, got seat 0",
        ),
    ],
)
def test_a_state_that_cannot_be_is_refused_in_one_line(banker: str, given: dict[str, Any], line: str) -> None:
    game = PayTheRent(3, banker)
    with pytest.raises(StateError) as refused:
        game.locate(**the_fields(game, given))
    assert refused.value.line() == line


def test_an_even_number_of_players_never_leaves_a_chip() -> None:
    with pytest.raises(StateError, match="the pot of 4 players is a multiple of 4, got 5"):
        PayTheRent(4).locate(pot=5)


@pytest.mark.parametrize(("banker", "sixes"), [("none", False), ("second_pair", False), ("second_pair", True)])
@pytest.mark.parametrize("rolls", range(1, 8))
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
            with pytest.raises(StateError, match="these markers take"):
                game.locate(markers=markers, pot=3 * rolls, mover=1)


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"players": 7}, "players is from 3 to 6, got 7"),
        ({"players": 2}, "players is from 3 to 6, got 2"),
        ({"banker": "yes"}, "banker is one of none, always, second_pair, got yes"),
    ],
)
def test_rules_that_cannot_be_are_refused(parameters: dict[str, Any], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        the_game("pay-the-rent", parameters)


def test_what_the_sheet_says_holds_but_when_the_banker_is_paid_depends() -> None:
    found = {claim.id: check(claim) for claim in claims("pay-the-rent")}
    assert [name for name, row in found.items() if row.verdict != "confirmed"] == ["pay-the-rent/banker-second-time"]
    earned = found["pay-the-rent/banker-earns"]
    assert earned.exact == "168848655/346431328"
    assert "banker=second_pair: 3104780925/14687907136" in earned.reading


def test_markers_in_one_hand_are_as_frequent_as_over_all_boards() -> None:
    game = PayTheRent(3)
    goes_on, space = everywhere(game).goes_on, game.boards()
    visits = chances = np.eye(1, space.size, space.index_of(**game.first_board()))[0]
    for _ in range(200):
        chances = goes_on @ chances
        visits = visits + chances
    held = np.array(list(space.columns(np.arange(space.size)).as_dict().values()))
    counts = np.array([(held == place).sum(axis=0) for place in range(3)])
    several = counts.sum(axis=0) > 1
    together = several & (counts.max(axis=0) == counts.sum(axis=0))
    assert float(in_one_hand(3)) == pytest.approx(visits @ together / (visits @ several), abs=1e-12)
