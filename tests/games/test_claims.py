"""Claims of the rule sheets: right ones hold, a wrong figure is noticed; examples are played by the rules alone."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from rollwise.games import registry
from rollwise.games.claims import Claim, Value as ClaimValue, check, claims
from rollwise.games.claims.plays import read_play
from rollwise.games.claims.replay import (
    Step,
    by_seat,
    describe_position,
    moves,
    replay,
    turn_game,
)
from rollwise.games.claims.stated import Stated, meant, stated as figure
from rollwise.questions.verify.data import SOURCES
from rollwise.solver.model.errors import ModelError, UnknownGame
from tests.games.verdicts import verdicts

# by claim: its verdict, whether it needs its game or is counted without it, and what is so
KNOWN = {
    name.rstrip(":"): (verdict, needs, exact)
    for line in (Path(__file__).parent / "claims.txt").read_text(encoding="utf-8").splitlines()
    for verdict, needs, name, exact in [line.split(maxsplit=3)]
}
GAMES = sorted({name.partition("/")[0] for name in KNOWN})


def made_up(value: ClaimValue | dict[str, ClaimValue], stated: Stated, reading: str = "") -> Claim:
    about = ("pig/made-up", "pig", "nowhere", "made up", stated.text)
    return Claim(*about, lambda text, value: stated.agrees(value), lambda: value, reading)


@pytest.mark.parametrize("name", KNOWN)
def test_a_claim_is_judged_as_it_is_known(name: str) -> None:
    found = verdicts()[name]
    assert (found.verdict, found.exact) == (KNOWN[name][0], KNOWN[name][2])


@pytest.mark.parametrize("game", GAMES)
def test_without_its_game_a_claim_is_pending_but_odds_of_throws_are_not(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = [claim for claim in claims(game) if not claim.slow]
    assert [claim.id for claim in every] == [name for name in KNOWN if name.startswith(f"{game}/")]
    monkeypatch.delitem(registry.REGISTRY, game)
    assert {claim.id for claim in claims(game)} >= {claim.id for claim in every}
    for claim in every:
        found = check(claim)
        equal_to = found.verdict != "pending"
        assert KNOWN[claim.id][1] == ("counted" if equal_to else "played")
        assert found.exact == (KNOWN[claim.id][2] if equal_to else None)


def test_every_claim_is_told_apart_and_complete() -> None:
    every = claims()
    assert len({claim.id for claim in every}) == len(every)
    for claim in every:
        assert claim.id.startswith(claim.game + "/")
        assert claim.source in SOURCES
        assert claim.statement.endswith(".")
        assert claim.stated


def test_claims_of_one_game() -> None:
    assert {claim.game for claim in claims("ten-thousand")} == {"ten-thousand"}
    assert claims("yahtzee") == []
    with pytest.raises(UnknownGame, match="did you mean 'drop-dead'"):
        claims("drop-ded")


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        ("ten-thousand/first-roll-nothing", "2 %"),
        ("ten-thousand/first-roll-nothing", "4 %"),
        ("drop-dead/example", "14, 17, 20"),
        ("drop-dead/example", "14, 17"),
    ],
)
def test_a_wrong_figure_is_refuted_and_each_of_several_counts(name: str, stated: str) -> None:
    claim = next(claim for claim in claims() if claim.id == name)
    assert check(dataclasses.replace(claim, stated=stated)).verdict == "refuted"


@pytest.mark.parametrize(
    ("value", "stated", "verdict"),
    [
        (Fraction(5, 2) / 100, figure("3 %"), "confirmed"),  # midway: both neighbours are fair roundings
        (Fraction(5, 2) / 100, figure("2 %"), "confirmed"),
        (Fraction(1), meant("more likely", "more than 1"), "refuted"),
        (Fraction(101, 100), meant("more likely", "more than 1"), "confirmed"),
        (Fraction(84), meant("84 or more", "at least 84"), "confirmed"),
        (Fraction(83), meant("84 or more", "at least 84"), "refuted"),
        (Fraction(8), meant("from 8 to 16", "8 to 16"), "confirmed"),
        (Fraction(17), meant("from 8 to 16", "8 to 16"), "refuted"),
        ("1-2", figure("1-2"), "confirmed"),
        ("1-2", figure("1-3"), "refuted"),
        ("1, 2", figure("1, 2"), "confirmed"),
        ("shared", meant("a dead game", "shared"), "confirmed"),
        ("a dead game", meant("a dead game", "shared"), "refuted"),
        (Fraction(1), meant("all", "always"), "confirmed"),
        (Fraction(14, 15), meant("all", "always"), "refuted"),
        (Fraction(1, 2), meant("usually", "more than 1/2"), "refuted"),
        (Fraction(5), meant("any but 1", 5), "confirmed"),
        (Fraction(6), meant("any but 1", 5), "refuted"),
        ((Fraction(1), Fraction(1150)), figure("1, 1,150"), "confirmed"),
        ((Fraction(1), Fraction(1150)), figure("1, 1,151"), "refuted"),
        ((Fraction(1), Fraction(1150)), figure("1, 1,150, 3"), "refuted"),
    ],
)
def test_a_value_is_compared_with_what_is_stated_or_meant(value: ClaimValue, stated: Stated, verdict: str) -> None:
    found = check(made_up(value, stated))
    assert found.verdict == verdict
    assert (found.decimal is None) is isinstance(value, str)


def test_a_claim_that_cannot_be_compared_is_a_mistake() -> None:
    with pytest.raises(ModelError, match="a claim of 'often' cannot be compared with 1"):
        check(made_up(Fraction(1), figure("often")))


@pytest.mark.parametrize(
    ("second", "stated", "verdict", "reading"),
    [
        (1, "1", "confirmed", "one way: 1; another: 1"),
        (2, "1", "depends", "one way: 1; another: 2"),
        (2, "3", "refuted", "as read (one way: 1; another: 2)"),
    ],
)
def test_a_claim_may_depend_on_the_reading(second: int, stated: str, verdict: str, reading: str) -> None:
    value: dict[str, ClaimValue] = {"one way": Fraction(1), "another": Fraction(second)}
    found = check(made_up(value, figure(stated), reading="as read" if verdict == "refuted" else ""))
    assert (found.verdict, found.reading) == (verdict, reading)


def test_only_claims_about_games_that_are_not_there_are_pending() -> None:
    assert {row.verdict for row in verdicts().values()} == {"confirmed", "refuted", "depends"}


def test_a_low_roll_of_bouncer_usually_pays_twice_but_a_two_does_not() -> None:
    assert verdicts()["bouncer/low-rolls-pay-twice"].reading.endswith("(a 1 or a 2: 41/72; a 1: 25/36; a 2: 4/9)")


def test_listing_claims_imports_no_game() -> None:
    code = """if True:
        import sys
        from rollwise.games import claims, registry
        claims.claims()
        print(*(listed.module for listed in registry.REGISTRY.values() if listed.module in sys.modules))
        """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_what_the_rules_do_not_give_is_refused() -> None:
    for game, state, step, told in (
        ("shut-the-box", {}, ((5, 3), "shut 3 4"), "no move 'shut 3 4' here, but shut 3 5, shut 8"),
        ("ten-thousand", {"roll": (1, 2, 2, 3, 4, 6)}, ((1, 2), None), "throws no dice here"),
        ("yahtzee", {}, ((2, 5, 5, 1, 6, 6), None), "does not throw 6 dice here, got 2 5 5 1 6 6"),
    ):
        with pytest.raises(ModelError, match=told):
            replay(turn_game(game), state, [step])


def test_the_turn_passes_to_the_next_board_until_the_game_is_won() -> None:
    played = replay(turn_game("pig"), {"mine": 5, "theirs": 7}, [((6,), "roll"), ((2,), "hold"), ((1,), None)])
    assert (played.board, played.over) == ({"mine": 13, "theirs": 7}, False)
    assert replay(turn_game("pig", target=10), {"mine": 5, "theirs": 7}, [((6,), "hold")]).over


def test_chance_that_a_throw_ends_the_turn() -> None:
    for name, chance in (("shut-the-box", Fraction(2, 36)), ("pig", Fraction(1, 6))):
        assert read_play(turn_game(name), {"steps": "", "read": "bust"}) == chance


def test_the_mover_and_who_has_won_are_told_by_seat() -> None:
    game = turn_game("pig")
    steps: list[Step] = [((6,), "hold"), ((5,), "roll"), ((2,), "hold")]
    played = replay(game, {}, steps)
    assert (played.mover, played.seats, played.board) == (0, (0, 1), {"mine": 6, "theirs": 7})
    assert replay(game, {}, steps[:1]).mover == 1
    game = turn_game("pig", target=5)
    assert replay(game, {}, [((6,), None)]).shares[0] == 1
    assert replay(game, {}, [((1,), None), ((6,), None)]).shares[1] == 1


def test_fields_may_be_given_as_typed() -> None:
    game = turn_game("shut-the-box")
    typed, plain = (replay(game, state, []) for state in ({"open": "1,2,9"}, {"open": (1, 2, 9)}))
    assert describe_position(game, typed) == describe_position(game, plain) == {"open": (1, 2, 9)}


def test_moves_that_the_board_forbids_are_not_offered_and_dice_may_fall_one_by_one() -> None:
    game = turn_game("yahtzee")
    state = {"filled": "fives:15,chance:20", "roll": "1,2,5,5,6", "rolls_left": 0}
    offered = moves(game, replay(game, state, []))
    assert "score ones" in offered
    assert not {"score fives", "score chance"} & set(offered)
    with pytest.raises(ModelError, match="no move 'score fives' here"):
        replay(game, state, [(None, "score fives")])
    steps: list[Step] = [((2, 5, 5, 1, 6), "keep 5 5"), ((5, 1, 2), "keep 5 5 5"), ((5, 3), "score fives")]
    assert replay(game, {}, steps).points == 20


def test_what_a_game_sees_in_a_throw_must_be_what_it_says_and_is_not_guessed() -> None:
    for dice, seen, told_so in (
        ((6, 5), lambda dice, _: sum(dice), r"does not see 11 in 6 5 in 2 ways, but 2, 1, 0"),
        ((1, 2), lambda dice, _: int(1 in dice or 2 in dice), r"does not see 1 in 1 2 in 20 ways"),
        ((1, 2), None, "does not tell what 1 2 leads to"),
    ):
        with pytest.raises(ModelError, match=told_so):
            replay(turn_game("thunderstorm"), {"dice": 2}, [(dice, None)], outcome_of=seen)


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
    assert read_play(game, {"steps": "66, 66", "read": "holders"}) == "0,1"
    with pytest.raises(ModelError, match="has no question about"):
        describe_position(game, played)
