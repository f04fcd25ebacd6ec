"""Claims of the rule sheets: right ones hold, a wrong figure is noticed; examples are played by the rules alone."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rollwise.games import registry
from rollwise.games.claims import (
    ALWAYS,
    EXACTLY,
    IN_WORDS,
    MOSTLY,
    WHOLE_PERCENT,
    Claim,
    check,
    claims,
    counted,
    more_than,
    rounded_to,
    stated_numbers,
)
from rollwise.games.claims import Value as ClaimValue
from rollwise.games.claims.replay import Played, Step, as_typed, by_seat, chance_to_end, moves, replay, told, turn_game
from rollwise.solver.game.dice import grouped
from rollwise.solver.game.errors import ModelError, UnknownGame
from rollwise.solver.game.fields import Field, Number, Numbers
from rollwise.solver.game.model import Boards, Columns, End, Position, Settled, TurnGame, Word
from rollwise.solver.game.model import named as named_dice
from rollwise.solver.game.spaces import Standing

CONFIRMED = {
    "421/highest": "4-2-1",
    "421/lowest": "2-2-1",
    "421/ranks": "56",
    "421/rest": "6-6-5, 2-2-1",
    "421/straights": "6-5-4, 3-2-1",
    "421/triples": "6-6-6, 1-1-1",
    "421/two-ones": "1-1-6, 1-1-2",
    "bouncer/equal-changes-nothing": "1",
    "bouncer/exact-payment-stays": "1",
    "bouncer/example": "2",
    "bouncer/higher-receives": "1",
    "bouncer/lower-pays": "1",
    "bouncer/too-large-payment-ends": "1",
    "drop-dead/example": "14, 17, 21",
    "mexico/example-lowest": "A",
    "mexico/highest": "2-1",
    "mexico/lowest": "3-1",
    "mexico/pairs": "6-6, 5-5, 4-4, 3-3, 2-2, 1-1",
    "mexico/pairs-follow-mexico": "2 to 7",
    "piggy-six/one-die-no-double-six": "0",
    "piggy-six/three-dice-more-double-sixes": "8/3",
    "shut-the-box/example": "26",
    "shut-the-box/example-forced": "shut 5 6",
    "shut-the-box/example-partial": "24",
    "shut-the-box/first-roll-high-doubles": "45, 45",
    "shut-the-box/first-rolls-that-end": "5-5, 6-6",
    "shut-the-box/highest-score": "45",
    "ten-thousand/all-six-again": "1550",
    "ten-thousand/all-six-lost": "0",
    "ten-thousand/example-banked": "1150",
    "ten-thousand/example-lost": "0",
    "ten-thousand/example-nothing": "0",
    "ten-thousand/first-roll-nothing": "5/162",
    "ten-thousand/nothing-else-counts": "0, 0, 0, 0",
    "ten-thousand/ones-in-separate-rolls": "100, 100, 100",
    "ten-thousand/single-five": "50",
    "ten-thousand/single-one": "100",
    "ten-thousand/three-of-a-kind": "200, 300, 400, 500, 600",
    "ten-thousand/three-ones": "1000",
}


def named(name: str) -> Claim:
    return next(claim for claim in claims() if claim.id == name)


def made_up(value: ClaimValue | dict[str, ClaimValue], stated: str, **others: object) -> Claim:
    about: dict[str, object] = {"precision": EXACTLY, "reading": "", **others}
    return Claim("pig/made-up", "pig", "nowhere", "made up", stated, compute=lambda: value, **about)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CONFIRMED)
def test_what_the_sheets_say_rightly_is_confirmed(name: str) -> None:
    verdict = check(named(name))
    assert (verdict.verdict, verdict.exact) == ("confirmed", CONFIRMED[name])


def test_every_claim_is_told_apart_and_complete() -> None:
    every = claims()
    assert len({claim.id for claim in every}) == len(every)
    for claim in every:
        assert claim.id.startswith(claim.game + "/")
        assert claim.source.endswith(".txt")
        assert claim.statement.endswith(".")
        assert claim.stated


def test_claims_of_one_game() -> None:
    assert {claim.game for claim in claims("ten-thousand")} == {"ten-thousand"}
    assert claims("yahtzee") == []


def test_a_name_that_no_game_has_is_refused() -> None:
    with pytest.raises(UnknownGame, match="did you mean 'drop-dead'"):
        claims("drop-ded")


@pytest.mark.parametrize("stated", ["2 %", "4 %", "3.0864 %"])
def test_a_wrong_figure_is_refuted(stated: str) -> None:
    claim = named("ten-thousand/first-roll-nothing")
    wrong = dataclasses.replace(claim, stated=stated, precision=EXACTLY if "." in stated else claim.precision)
    verdict = check(wrong)
    assert (verdict.verdict, verdict.exact, verdict.decimal) == ("refuted", "5/162", "0.0308641975309")


@pytest.mark.parametrize("stated", ["14, 17, 20", "14, 17"])
def test_each_of_several_numbers_counts(stated: str) -> None:
    assert check(dataclasses.replace(named("drop-dead/example"), stated=stated)).verdict == "refuted"


@pytest.mark.parametrize(
    ("value", "stated", "holds"),
    [
        (Fraction(5, 2) / 100, "3 %", True),  # midway: both neighbours are fair roundings
        (Fraction(5, 2) / 100, "2 %", True),
        (Fraction(2499, 100_000), "3 %", False),
        (Fraction(3501, 100_000), "3%", False),
        (Fraction(1, 2), "50 %", True),
    ],
)
def test_a_percentage_is_compared_to_the_whole_percent(value: Fraction, stated: str, holds: bool) -> None:
    verdict = check(made_up(value, stated, precision=WHOLE_PERCENT))
    assert verdict.verdict == ("confirmed" if holds else "refuted")


def test_other_precisions() -> None:
    two_decimals = rounded_to(Fraction(1, 100), "to two decimals")
    assert check(made_up(Fraction(1, 3), "0.33", precision=two_decimals)).verdict == "confirmed"
    assert check(made_up(Fraction(1, 3), "0.34", precision=two_decimals)).verdict == "refuted"
    assert check(made_up(Fraction(1), "more likely", precision=more_than(1, "more"))).verdict == "refuted"
    assert check(made_up("1-2", "1-2", precision=IN_WORDS)).decimal is None
    assert check(made_up("1-2", "1-3", precision=IN_WORDS)).verdict == "refuted"


def test_numbers_of_a_stated_text() -> None:
    assert list(stated_numbers("12,345,678 points")) == [12345678]
    assert stated_numbers("16.7 % (1/6)") == (Fraction(167, 1000), Fraction(1, 6))
    assert list(stated_numbers("14,17")) == [14, 17]


def test_a_claim_that_cannot_be_compared_is_a_mistake() -> None:
    with pytest.raises(ModelError, match="a claim of 'never' cannot be compared with 1"):
        check(made_up(Fraction(1), "never"))


@pytest.mark.parametrize(("second", "verdict"), [(1, "confirmed"), (2, "depends")])
def test_a_claim_may_depend_on_the_reading(second: int, verdict: str) -> None:
    found = check(made_up({"one way": Fraction(1), "another": Fraction(second)}, "1"))
    assert (found.verdict, found.exact, found.reading) == (verdict, "1", f"one way: 1; another: {second}")


def test_a_claim_that_holds_under_no_reading_is_refuted() -> None:
    found = check(made_up({"one way": Fraction(1), "another": Fraction(2)}, "3", reading="as read"))
    assert (found.verdict, found.reading) == ("refuted", "as read (one way: 1; another: 2)")


def test_a_claim_about_a_game_that_is_not_there_is_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(registry.REGISTRY, "ten-thousand")
    verdict = check(named("ten-thousand/first-roll-nothing"))
    assert (verdict.verdict, verdict.exact, verdict.decimal) == ("pending", None, None)
    assert "ten-thousand/first-roll-nothing" in {claim.id for claim in claims("ten-thousand")}


def test_only_claims_about_games_that_are_not_there_are_pending() -> None:
    for claim in claims():
        if claim.slow:
            continue
        verdict = check(claim).verdict
        assert verdict in ("confirmed", "refuted", "depends") or claim.game not in registry.REGISTRY, claim.id


def test_precisions_in_words() -> None:
    assert check(made_up(Fraction(1), "all", precision=ALWAYS)).verdict == "confirmed"
    assert check(made_up(Fraction(14, 15), "all", precision=ALWAYS)).verdict == "refuted"
    assert check(made_up(Fraction(1, 2), "usually", precision=MOSTLY)).verdict == "refuted"
    assert check(made_up(Fraction(5), "any but 1", precision=counted(5, "five"))).verdict == "confirmed"
    assert check(made_up(Fraction(6), "any but 1", precision=counted(5, "five"))).verdict == "refuted"


def test_a_low_roll_of_bouncer_usually_pays_twice_but_a_two_does_not() -> None:
    verdict = check(named("bouncer/low-rolls-pay-twice"))
    assert (verdict.verdict, verdict.exact) == ("depends", "41/72")
    assert verdict.reading.endswith("(a 1 or a 2: 41/72; a 1: 25/36; a 2: 4/9)")


def test_a_verdict_is_plain_data() -> None:
    plain = dataclasses.asdict(check(named("shut-the-box/example")))
    assert list(plain) == ["id", "game", "source", "statement", "stated", "exact", "decimal", "verdict", "reading"]
    assert json.loads(json.dumps(plain)) == plain


def test_listing_claims_imports_no_game() -> None:
    code = """if True:
        import sys
        from rollwise.games import claims, registry
        claims.claims()
        print(*(listed.module for listed in registry.REGISTRY.values() if listed.module in sys.modules))
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# --- playing examples again ----------------------------------------------------------------------------------------


def test_a_move_that_the_rules_do_not_give_is_refused() -> None:
    with pytest.raises(ModelError, match="no move 'shut 3 4' here, but shut 3 5, shut 8"):
        replay(turn_game("shut-the-box"), {}, [((5, 3), "shut 3 4")])


def test_dice_where_none_are_thrown_are_refused() -> None:
    game = turn_game("ten-thousand")
    with pytest.raises(ModelError, match="throws no dice here"):
        replay(game, {"roll": (1, 2, 2, 3, 4, 6)}, [((1, 2), None)])


def test_the_turn_passes_to_the_next_board() -> None:
    played = replay(turn_game("pig"), {"mine": 5, "theirs": 7}, [((6,), "roll"), ((2,), "hold"), ((1,), None)])
    assert played.board == {"mine": 13, "theirs": 7}
    assert not played.over


def test_a_won_game_is_over() -> None:
    played = replay(turn_game("pig", target=10), {"mine": 5, "theirs": 7}, [((6,), "hold")])
    assert played.over


def test_chance_that_a_throw_ends_the_turn() -> None:
    assert chance_to_end(turn_game("shut-the-box"), {}) == Fraction(2, 36)
    assert chance_to_end(turn_game("pig"), {}) == Fraction(1, 6)


def test_the_mover_is_told_by_seat() -> None:
    game = turn_game("pig")
    steps: list[Step] = [((6,), "hold"), ((5,), "roll"), ((2,), "hold")]
    played = replay(game, {}, steps)
    assert (played.mover, played.seats, played.board) == (0, (0, 1), {"mine": 6, "theirs": 7})
    assert replay(game, {}, steps[:1]).mover == 1


def test_who_has_won_is_told_by_seat() -> None:
    game = turn_game("pig", target=5)
    assert replay(game, {}, [((6,), None)]).shares[0] == 1
    assert replay(game, {}, [((1,), None), ((6,), None)]).shares[1] == 1


def test_fields_may_be_given_as_typed() -> None:
    game = turn_game("shut-the-box")
    typed, plain = (replay(game, state, []) for state in ({"open": "1,2,9"}, {"open": (1, 2, 9)}))
    assert told(game, typed) == told(game, plain) == {"open": (1, 2, 9)}


def test_moves_that_the_board_forbids_are_not_offered() -> None:
    game = turn_game("yahtzee")
    played = replay(game, {"filled": "fives:15,chance:20", "roll": "1,2,5,5,6", "rolls_left": 0}, [])
    offered = moves(game, played)
    assert "score ones" in offered
    assert not {"score fives", "score chance"} & set(offered)
    with pytest.raises(ModelError, match="no move 'score fives' here"):
        replay(game, {"filled": "fives:15", "roll": "1,2,5,5,6", "rolls_left": 0}, [(None, "score fives")])


def test_dice_may_fall_one_by_one() -> None:
    game = turn_game("yahtzee")
    steps: list[Step] = [((2, 5, 5, 1, 6), "keep 5 5"), ((5, 1, 2), "keep 5 5 5"), ((5, 3), "score fives")]
    assert replay(game, {}, steps).points == 20
    with pytest.raises(ModelError, match="does not throw 6 dice here, got 2 5 5 1 6 6"):
        replay(game, {}, [((2, 5, 5, 1, 6, 6), None)])


# --- games of several seats, with lists on the board ---------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Candles(TurnGame):
    """Three players with two candles each throw two dice in turn: every 1 blows one out; the last with light wins."""

    name = "candles"
    kind = "seats"
    measure = "win"
    unit = "probability"

    @property
    def seats(self) -> int:
        return 3

    def boards(self) -> Boards:
        return Boards(lights=Standing(3, range(1, 3)))

    def first_board(self) -> dict[str, Any]:
        return {"lights": (2, 2, 2)}

    def standing(self, board: Columns) -> Any:
        return (board.lights < 3).sum(axis=0)

    def turn(self) -> Word:
        return named_dice(grouped(2, lambda faces: faces.count(1)), End)

    def settle(self, board: Columns, ones: int) -> Settled:
        left, (second, third) = board.lights[0] - ones, board.lights[1:]
        out, two = left <= 0, self.standing(board) == 2
        mine = np.where(out, 3, left)
        return Settled(
            over=two & out,
            shares=[0 * left, 1 + 0 * left, 0 * left],
            next={"lights": [second, np.where(two, mine, third), np.where(two, 3, mine)]},
            mover=1,
        )

    def fields(self) -> list[Field]:
        return [Numbers("lights", "candles", 1, 2, 3, out=True), Number("mover", "the seat to move", 0, 2)]

    def locate(self, lights: tuple[int | None, ...] = (2, 2, 2), mover: int = 0) -> Position:
        seats = tuple(seat for seat in (0, 1, 2, 0, 1, 2)[mover : mover + 3] if lights[seat] is not None)
        return Position({"lights": (*(lights[seat] for seat in seats), *[3] * (3 - len(seats)))}, (), 0, mover, seats)

    def describe(self, board: Mapping[str, Any], state: Any) -> list[dict[str, Any]]:
        return [{"lights": tuple(None if left == 3 else left for left in board["lights"]), "mover": 0}]


def burnt(steps: Sequence[tuple[int, ...]], **state: Any) -> Played:
    return replay(Candles(), state, [(dice, None) for dice in steps], seen=lambda dice: dice.count(1))


def test_seats_that_go_out_leave_the_board_and_the_turn_goes_round_the_others() -> None:
    played = burnt([(2, 1), (1, 1)])
    assert (played.mover, played.seats, played.board) == (2, (2, 0), {"lights": (2, 1, 3)})
    assert by_seat(Candles(), played, "lights") == (1, None, 2)
    played = burnt([(2, 1), (1, 1), (1, 3), (4, 4)])
    assert (played.mover, played.seats, played.board) == (2, (2, 0), {"lights": (1, 1, 3)})


def test_shares_are_told_by_seat() -> None:
    played = burnt([(2, 1), (1, 1), (6, 6), (1, 6)])
    assert (played.over, played.mover) == (True, 0)
    assert list(played.shares) == [0, 0, 1]


def test_a_question_in_the_middle_says_who_sits_where() -> None:
    played = burnt([(1, 6)], lights="2,-,1", mover=2)
    assert played.over
    assert list(played.shares) == [1, 0, 0]
    played = burnt([(5, 6)], lights="2,-,1", mover=2)
    assert (played.mover, played.seats, played.board) == (0, (0, 2), {"lights": (2, 1, 3)})


def test_what_a_game_sees_in_a_throw_must_be_what_it_says() -> None:
    with pytest.raises(ModelError, match=r"candles\(\) does not see 5 in 2 3 in 4 ways, but 2, 1, 0"):
        replay(Candles(), {}, [((2, 3), None)], seen=sum)
    with pytest.raises(ModelError, match=r"does not see 1 in 1 2 in 20 ways"):
        replay(Candles(), {}, [((1, 2), None)], seen=lambda dice: int(1 in dice or 2 in dice))


def test_without_being_told_a_throw_seen_in_groups_is_not_guessed() -> None:
    with pytest.raises(ModelError, match="does not tell what 1 2 leads to"):
        replay(Candles(), {}, [((1, 2), None)])


def test_chips_of_bouncer_go_round_by_seat() -> None:
    game = turn_game("bouncer")
    played = replay(game, {}, [((4,), None), ((6,), None), ((1,), None)])
    assert (played.mover, played.seats) == (0, (0, 1, 2))
    assert by_seat(game, played, "chips", last=1) == (10, 19, 7)  # 6 takes 2 from 4, then 1 pays 5 to 6
    with pytest.raises(ModelError, match=r"in no way with \{'last': 7\}"):
        by_seat(game, played, "chips", last=7)


def test_a_win_at_bouncer_can_be_shared() -> None:
    game = turn_game("bouncer")
    played = replay(game, {"chips": (16, 4, 16), "last": 6, "mover": 1}, [((1,), None)])
    assert played.over
    assert list(played.shares) == [1, 0, 0]
    played = replay(game, {"chips": (14, 4, 18), "last": 6, "mover": 1}, [((1,), None)])
    assert list(played.shares) == [Fraction(1, 2), 0, Fraction(1, 2)]


def test_a_table_has_its_seats_on_the_board() -> None:
    game = turn_game("shut-the-box", players=3)
    nothing: Step = ((6, 6), None)
    assert [replay(game, {}, [nothing] * turns).mover for turns in range(3)] == [0, 1, 2]
    played = replay(game, {}, [nothing] * 3)
    assert (played.over, played.shares) == (True, (Fraction(1, 3),) * 3)
    assert as_typed(game, replay(game, {}, [nothing] * 2), "holders") == "0,1"
    with pytest.raises(ModelError, match="has no question about"):
        told(game, played)
