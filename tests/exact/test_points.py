"""The odds of a turn: against icepool where the way to play is fixed, against plain recursion where it is the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import icepool
import pytest
from icepool import Die, d6

from rollwise.answer import Advice
from rollwise.asking import ask
from rollwise.door import the_game
from rollwise.games.claims import check, claims
from rollwise.games.claims import zilch as zilch_claims
from rollwise.games.sevens import Sevens
from rollwise.solver.exact.exact import solve_exact
from rollwise.solver.game.errors import ModelError, StateError
from rollwise.solver.game.model import Beyond, Chance, Choice, End, Go, State, Word
from rollwise.solver.game.outcome import outcome
from rollwise.solver.game.points import Hand, Made, PointGame, PointSpread
from rollwise.solver.play.points import (
    CUT,
    OneMore,
    best_play,
    by_rule,
    chance_to_bust,
    dice_of,
    endings,
    nobody,
    one_more,
    spread,
    throws_of,
)
from rollwise.solver.turn.graph import compile_turn
from rollwise.stored import stored

Faces = tuple[int, ...]
Rule = Callable[[Mapping[str, Any], Sequence[str]], str]


def point_game(name: str, **parameters: Any) -> PointGame:
    made = the_game(name, parameters)
    assert isinstance(made, PointGame)
    return made


def under(game: PointGame, rule: Rule | None, **fields: Any) -> PointSpread:
    """The points of a turn from a state on, played by a rule, or by nobody."""
    position = game.locate(**fields)

    def seen(state: State) -> dict[str, Any] | None:
        told = next(iter(game.describe(position.board, state)), None)
        return None if told is None else {**game.parameters(), **told}

    choose = nobody if rule is None else by_rule(game, position.board, rule, seen)
    return spread(game, position.board, position.state, choose)


def chances(die: Die[Any]) -> dict[Any, Fraction]:
    return {outcome: die.probability(outcome) for outcome in die.outcomes()}


def thrown(dice: int) -> Die[Faces]:
    """A throw, faces ascending."""
    found: Die[Faces] = icepool.d6.pool(dice).expand()
    return found


# --- busts -----------------------------------------------------------------------------------------------------------


def scores_at_ten_thousand(faces: Faces) -> bool:
    return any(face in (1, 5) or count >= 3 for face, count in Counter(faces).items())


def scores_at_zilch(faces: Faces, trio: int | None) -> bool:
    pairs = len(faces) == 6 and all(count % 2 == 0 for count in Counter(faces).values())
    return scores_at_ten_thousand(faces) or trio in faces or pairs or len(set(faces)) == 6


BUSTS: dict[str, Callable[[Faces, int | None], bool]] = {
    "pig": lambda faces, _: 1 in faces,
    "piggy-six": lambda faces, _: 6 in faces,
    "zilch": lambda faces, trio: not scores_at_zilch(faces, trio),
    "ten-thousand": lambda faces, _: not scores_at_ten_thousand(faces),
    "drop-dead": lambda faces, _: 2 in faces or 5 in faces,
    "slam": lambda faces, _: 3 not in faces,
    "thunderstorm": lambda faces, _: 1 not in faces,
}
HANDS = {
    "pig": [(1, None)],
    "piggy-six": [(dice, None) for dice in (1, 2, 3)],
    "zilch": [(dice, None) for dice in range(1, 7)] + [(dice, trio) for trio in range(1, 7) for dice in (1, 2, 3)],
    "ten-thousand": [(dice, None) for dice in range(1, 7)],
    "drop-dead": [(dice, None) for dice in range(1, 6)],
    "slam": [(3, None)],
    "thunderstorm": [(dice, None) for dice in range(1, 7)],
}


def hands(game: PointGame) -> dict[tuple[int, int | None], Fraction]:
    position = game.locate()
    told = game.hands(position.board, position.state)
    return {(hand.dice, hand.trio): chance_to_bust(game, position.board, hand) for hand in told}


@pytest.mark.parametrize("name", list(BUSTS))
def test_icepool_counts_as_many_busts_for_every_hand(name: str) -> None:
    found = hands(point_game(name, **({"max_dice": 3} if name == "piggy-six" else {})))
    assert list(found) == HANDS[name]
    for (dice, trio), chance in found.items():
        assert chance == thrown(dice).map(lambda faces, trio=trio: BUSTS[name](faces, trio)).probability(True)


def test_with_two_dice_always_there_is_no_other_hand_to_tell_of() -> None:
    assert hands(point_game("piggy-six")) == {(2, None): Fraction(11, 36)}


def test_near_the_goal_a_slam_may_be_a_bust_too() -> None:
    slam = point_game("slam")
    position = slam.locate(scores=(11, 0))
    (hand,) = slam.hands(position.board, position.state)
    chance = thrown(3).map(lambda faces: faces.count(3) in (0, 2)).probability(True)
    assert chance_to_bust(slam, position.board, hand) == chance == Fraction(35, 54)


@pytest.mark.parametrize("name", ["sevens", "mexico", "shut-the-box"])
def test_where_nothing_is_lost_no_hand_is_told(name: str) -> None:
    game = point_game(name)
    assert hands(game) == {}
    assert not game.busts


def test_busts_agree_with_the_claims_that_the_ledger_checks() -> None:
    zilch, ten_thousand = hands(point_game("zilch")), hands(point_game("ten-thousand"))
    for (dice, trio), chance in zilch.items():
        assert chance == 1 - zilch_claims.chance_to_hit(dice, trio)
    (claim,) = (row for row in claims("ten-thousand") if row.id == "ten-thousand/first-roll-nothing")
    assert str(ten_thousand[6, None]) == check(claim).exact


# --- one throw -------------------------------------------------------------------------------------------------------


def most_at_ten_thousand(faces: Faces) -> int:
    points = 0
    for face, count in Counter(faces).items():
        triple, single = {1: (1000, 100), 5: (500, 50)}.get(face, (100 * face, 0))
        points += count // 3 * triple + count % 3 * single
    return points


def most_at_zilch(faces: Faces, trio: int | None = None) -> int:
    """The most that a throw counts: singles, trios with their matches, or one of the specials."""
    points = 0
    for face, count in Counter(faces).items():
        single = 100 if face in (1, trio) else 50 if face == 5 else 0
        ways = [single * count]
        if count >= 3:
            ways.append((1000 if face == 1 else 100 * face) + 100 * (count - 3))
        if count == 6:
            ways.append(2 * (1000 if face == 1 else 100 * face))
        points += max(ways)
    if len(faces) == 6 and len(set(faces)) == 6:
        points = max(points, 1500)
    if len(faces) == 6 and all(count % 2 == 0 for count in Counter(faces).values()):
        points = max(points, 1000)
    return points


def one(game: PointGame, throw: int | None = None, **fields: Any) -> OneMore | None:
    position = game.locate(**fields)
    return one_more(game, position.board, position.state, lambda state, word: word.moves[-1][1], throw)


def mean_of(die: Die[int]) -> Fraction:
    return sum((Fraction(outcome) * die.probability(outcome) for outcome in die.outcomes()), Fraction(0))


@pytest.mark.parametrize("total", [0, 2, 20, 99, 150])
def test_a_throw_at_pig_gains_20_sixths_and_loses_a_sixth_of_the_turn(total: int) -> None:
    assert one(point_game("pig"), turn=total) == OneMore(1, total, Fraction(20, 6), Fraction(total, 6))


@pytest.mark.parametrize("dice", [1, 2, 3])
def test_two_sixes_cost_the_score_too(dice: int) -> None:
    game = point_game("piggy-six", max_dice=3)
    found = one(game, turn=18, dice=dice, mine=43)
    after = thrown(dice).map(lambda faces: {0: sum(faces), 1: -18}.get(faces.count(6), -18 - 43))
    assert found is not None
    assert (found.dice, found.made) == (dice, 18)
    assert found.gain == mean_of(after.map(lambda change: max(0, change)))
    assert found.loss == mean_of(after.map(lambda change: max(0, -change)))


@pytest.mark.parametrize("dice", range(1, 7))
def test_a_throw_at_ten_thousand_counts_for_the_most_it_can_make(dice: int) -> None:
    found = one(point_game("ten-thousand"), turn=1000, dice=dice)
    lost = thrown(dice).map(lambda faces: not scores_at_ten_thousand(faces)).probability(True)
    assert found == OneMore(dice, 1000, mean_of(thrown(dice).map(most_at_ten_thousand)), 1000 * lost)


@pytest.mark.parametrize(
    ("dice", "trio", "turn"), [(1, None, 1000), (2, None, 1000), (3, 2, 1200), (2, 4, 1450), (5, None, 1000)]
)
def test_a_throw_at_zilch_counts_matches_of_the_trio(dice: int, trio: int | None, turn: int) -> None:
    found = one(point_game("zilch"), turn=turn, dice=dice, trio=trio)
    lost = thrown(dice).map(lambda faces: not scores_at_zilch(faces, trio)).probability(True)
    assert found == OneMore(dice, turn, mean_of(thrown(dice).map(lambda f: most_at_zilch(f, trio))), turn * lost)


@pytest.mark.parametrize(("mine", "back"), [(0, 0), (1000, 100)])
def test_the_consolation_for_six_dice_makes_a_loss_smaller(mine: int, back: int) -> None:
    found = one(point_game("zilch"), turn=1000, dice=6, mine=mine)
    assert found == OneMore(6, 1000, mean_of(thrown(6).map(most_at_zilch)), (1000 - back) * Fraction(5, 216))


def sum_left(faces: Faces) -> int:
    count = Counter(faces)
    return sum(face * max(0, count[face] - count[7 - face]) for face in range(1, 7))


def test_at_sevens_fewer_points_are_a_gain() -> None:
    found = one(point_game("sevens"), left=(2, 4, 6, 6), rolls_left=2)
    off = thrown(4).map(lambda faces: 18 - sum_left(faces))
    assert found is not None
    assert (found.gain, found.loss) == tuple(mean_of(off.map(lambda n, s=s: max(0, s * n))) for s in (1, -1))
    assert one(point_game("sevens"), left=(2, 4, 6, 6), rolls_left=0) is None
    assert one(point_game("sevens")) is None


def test_at_mexico_a_throw_comes_out_higher_or_lower() -> None:
    def rank(faces: Faces) -> tuple[int, ...]:
        low, high = faces
        return (3,) if faces == (1, 2) else (2, high) if low == high else (1, high, low)

    found = one(point_game("mexico"), roll=(4, 6))
    assert found is not None
    higher = thrown(2).map(lambda faces: rank(faces) > (1, 6, 4)).probability(True)
    lower = thrown(2).map(lambda faces: rank(faces) < (1, 6, 4)).probability(True)
    assert (found.dice, found.gain, found.loss) == (2, higher, lower)
    assert one(point_game("mexico")) is None
    assert one(point_game("mexico"), roll=(4, 6), rolls_left=0) is None


@pytest.mark.parametrize(("dice", "gain"), [(1, Fraction(1 + 2 + 4, 6)), (2, Fraction(2 * (3 + 5 + 6), 36))])
def test_at_shut_the_box_one_throw_shuts_what_its_dice_show(dice: int, gain: Fraction) -> None:
    assert one(point_game("shut-the-box"), dice, open=(1, 2, 4)) == OneMore(dice, 7, gain, Fraction(0))


def test_nothing_that_was_made_is_lost_at_slam_and_drop_dead() -> None:
    points = {1: 1, 2: 5, 3: 15, 0: 0}
    gain = mean_of(thrown(3).map(lambda faces: points[faces.count(3)]))
    assert one(point_game("slam")) == OneMore(3, 0, gain, Fraction(0))
    alive = thrown(4).map(lambda faces: 0 if {2, 5} & set(faces) else sum(faces))
    assert one(point_game("drop-dead"), dice=4) == OneMore(4, 0, mean_of(alive), Fraction(0))


def test_a_turn_of_one_throw_has_no_throw_more() -> None:
    assert one(point_game("thunderstorm")) is None


# --- turns that are played in a fixed way ----------------------------------------------------------------------------


def hold_at(points: int) -> Rule:
    return lambda state, moves: "hold" if state["turn"] >= points and "hold" in moves else "roll"


def test_pig_held_at_20_is_what_icepool_says() -> None:
    def turn(total: int) -> Any:
        return total if total >= 20 else d6.map(lambda face: 0 if face == 1 else turn(total + face))

    found = under(point_game("pig"), hold_at(20))
    assert found.chances == chances(turn(0))
    assert found.bust == found.chances[0] == Fraction(9440899, 15116544)
    assert found.mean == (sum(n * chance for n, chance in found.chances.items()),) * 2
    assert found.beyond is None


def test_piggy_six_loses_the_score_with_two_sixes() -> None:
    @cache
    def turn(total: int) -> Die[int]:
        def after(faces: Faces) -> Any:
            sixes = faces.count(6)
            return turn(total + sum(faces)) if sixes == 0 else -43 if sixes == 2 else 0

        return Die([total]) if total >= 18 else thrown(2).map(after)

    found = under(point_game("piggy-six"), hold_at(18), mine=43)
    told = chances(turn(0))
    assert found.chances == told
    assert found.bust == told[0] + told[-43]


SPECIALS = {"score straight": 1500, "score three pairs": 1000}


def keep_most(stop_at: int) -> Rule:
    def rule(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        if "stop" in moves or "roll" in moves:
            return "stop" if "stop" in moves and state["turn"] >= stop_at else "roll"
        return max(moves, key=lambda move: int(SPECIALS.get(move) or move.rpartition(" for ")[2]))

    return rule


def test_ten_thousand_stopped_at_300_is_what_icepool_says() -> None:
    @cache
    def turn(total: int, dice: int) -> Die[int]:
        def after(faces: Faces) -> Any:
            count = Counter(faces)
            kept = sum(n if face in (1, 5) else n // 3 * 3 for face, n in count.items())
            return turn(total + most_at_ten_thousand(faces), dice - kept or 6) if kept else 0

        return Die([total]) if total >= 300 else thrown(dice).map(after)

    game = point_game("ten-thousand")
    assert under(game, keep_most(300)).chances == chances(turn(0, 6))
    assert under(game, keep_most(300), roll=(1, 2, 2, 3, 4, 6)).chances == chances(turn(100, 5))


def test_zilch_beside_a_trio_is_what_icepool_says() -> None:
    """Stop at 350, three dice beside a trio of threes: the first throw is the last, or all six are thrown again."""

    def after(faces: Faces) -> int:
        return 300 + most_at_zilch(faces, 3) if scores_at_zilch(faces, 3) else 0

    found = under(point_game("zilch", opening=350), keep_most(350), turn=300, dice=3, trio=3)
    assert found.chances == chances(thrown(3).map(after))


def test_sevens_and_mexico_are_what_icepool_says() -> None:
    def left(faces: Faces) -> Faces:
        count = Counter(faces)
        return tuple(face for face in range(1, 7) for _ in range(count[face] - count[7 - face]))

    @cache
    def sevens(rolls: int, on_table: Faces) -> Die[int]:
        if rolls == 0 or sum(on_table) <= 8:
            return Die([sum(on_table)])
        return thrown(len(on_table)).map(lambda faces: sevens(rolls - 1, left(faces)))

    def stop_at_8(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        return "stop" if sum(state["left"]) <= 8 else "roll"

    assert under(Sevens(dice=4), stop_at_8).chances == chances(sevens(3, (6,) * 4))

    def pairs_stay(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        return "stop" if state["roll"][0] == state["roll"][1] else "roll"

    game = point_game("mexico")
    told = {game.shown(n): chance for n, chance in under(game, pairs_stay).chances.items()}
    no_pair = Fraction(5, 6)
    assert told["4-4"] == (1 + no_pair + no_pair**2) / 36
    assert told["6-1"] == told["2-1"] == no_pair**2 / 18
    assert sum(told.values()) == 1


def test_slam_is_what_icepool_says() -> None:
    @cache
    def turn(score: int) -> Die[int]:
        def after(faces: Faces) -> Any:
            reached = 15 if faces.count(3) == 3 else score + {0: 99, 1: 1, 2: 5}[faces.count(3)]
            return reached if reached == 15 else turn(reached) if reached < 15 else score

        return thrown(3).map(after)

    found = under(point_game("slam"), None, scores=(7, 0))
    assert {7 + points: chance for points, chance in found.chances.items()} == chances(turn(7))
    assert found.bust == found.chances[0]


def test_thunderstorm_counts_ones() -> None:
    assert under(point_game("thunderstorm"), None, dice=4).chances == chances(thrown(4).map(lambda f: f.count(1)))


def test_a_go_of_drop_dead_is_the_distribution_that_ask_tells() -> None:
    game = point_game("drop-dead")
    position = game.locate(turn=14, dice=3)
    found = game.go(compile_turn(game), position)
    assert found is not None
    told = ask("drop-dead", turn=14, dice=3).quantities
    assert {str(n): float(chance) for n, chance in found.chances.items()} == told["score_distribution"].value
    assert found.mean is not None
    assert str(found.mean[0]) == told["mean_score"].exact
    assert found.beyond is not None
    assert sum(found.chances.values()) + found.beyond[1] == 1


# --- the best play, against plain recursion --------------------------------------------------------------------------


class Twin:
    """Values and points of one board's turn, word by word in fractions; ``values`` are exact ones of boards."""

    def __init__(self, game: PointGame, board: Mapping[str, int], values: Mapping[int, Fraction]) -> None:
        self.game, self.board, self.values = game, board, values
        self.best = max if game.sense == "max" else min
        self.known: dict[State, tuple[Fraction | None, dict[int, Fraction]]] = {}

    def of(self, word: Word) -> tuple[Fraction | None, dict[int, Fraction]]:
        """What a word is worth, None where it is forbidden, and the chances of points if the first best is played."""
        if isinstance(word, Go):
            if word.state not in self.known:
                self.known[word.state] = self.of(self.game.turn(*word.state))
            return self.known[word.state]
        if isinstance(word, End):
            return self._worth(word), {self.game.ended(self.board, word.result).points: Fraction(1)}
        if isinstance(word, Choice):
            told = [self.of(after) for _, after in word.moves]
            legal = [value for value, _ in told if value is not None]
            if not legal:
                return None, {}
            return next((value, points) for value, points in told if value == self.best(legal))
        if isinstance(word, Beyond):  # the least that it can be worth: the best play does not go there
            return Fraction(word.lower), {}
        assert isinstance(word, Chance)
        total, mean = sum(weight for weight, _ in word.outcomes), Fraction(0)
        points: dict[int, Fraction] = {}
        for weight, after in word.outcomes:
            value, some = self.of(after)
            if value is None:
                return None, {}
            mean += value * weight / total
            for number, chance in some.items():
                points[number] = points.get(number, Fraction(0)) + chance * weight / total
        return mean, points

    def _worth(self, word: End) -> Fraction | None:
        space = self.game.boards()
        after = outcome(self.game, tuple(self.board[name] for name in space.names), word.result)
        if not after.legal:
            return None
        worth = after.worth + Fraction(word.reward)
        if after.following is None:
            return worth
        value = self.values[space.index_of(**dict(zip(space.names, after.following, strict=True)))]
        return worth + (self.game.total - value if after.other else value)


def best(game: PointGame, **fields: Any) -> PointSpread:
    position = game.locate(**fields)
    turn = stored(game, quiet=True).opened.turn_on(position.board)
    return spread(game, position.board, position.state, best_play(turn))


SMALL = [
    ("pig", {"target": 12}, {}),
    ("pig", {"target": 12}, {"mine": 5, "theirs": 9, "turn": 3}),
    ("pig", {"target": 30}, {"mine": 14, "theirs": 22}),
    ("piggy-six", {"target": 4}, {"mine": 2}),
    ("piggy-six", {"target": 4}, {"mine": 2, "theirs": 9, "seat": 1}),
    ("ten-thousand", {"goal": 500}, {"mine": 200, "theirs": 400}),
    ("ten-thousand", {"goal": 600, "players": 1}, {}),
    ("ten-thousand", {"players": 1, "objective": "points"}, {"turn": 8500, "roll": (1, 5, 5, 6)}),
    ("sevens", {"goal": 8}, {}),
    ("sevens", {"goal": 8}, {"opener": "theirs", "result": 7, "rolls": 2}),
    ("mexico", {"lives": 2}, {}),
    ("mexico", {"lives": 2}, {"results": ("6-5", None), "roll": (4, 6)}),
    ("shut-the-box", {}, {"open": (1, 2, 4, 5, 6, 7, 9)}),
    ("shut-the-box", {"variant": "partial"}, {"open": (1, 2, 3, 4, 5, 6, 7, 9), "roll": (3, 4)}),
    ("shut-the-box", {"objective": "clear"}, {"open": (1, 2, 3, 4, 5, 6, 7)}),
]


@pytest.mark.parametrize(("name", "parameters", "fields"), SMALL)
def test_the_best_play_makes_what_plain_recursion_says(
    name: str, parameters: dict[str, Any], fields: dict[str, Any]
) -> None:
    game = point_game(name, **parameters)
    position = game.locate(**fields)
    values: Mapping[int, Fraction] = {}
    if game.boards().size > 1:  # else the turn is all there is
        values = solve_exact(game, compile_turn(game), boards=[game.boards().index_of(**position.board)]).values
    _, points = Twin(game, position.board, values).of(Go(*position.state))
    found = best(game, **fields)
    listed = dict(found.chances)
    if found.beyond is not None:
        listed[found.beyond[0]] = found.beyond[1]
    assert listed == points
    assert found.open_ == 0


@pytest.mark.parametrize(
    ("name", "parameters", "fields"),
    [
        ("shut-the-box", {}, {}),
        ("zilch", {"players": 1, "objective": "points"}, {"turn": 1100, "dice": 2, "mine": 1000}),
        ("ten-thousand", {"players": 1, "objective": "points"}, {"turn": 300, "dice": 3}),
    ],
)
def test_where_points_are_all_that_counts_their_mean_is_the_value(
    name: str, parameters: dict[str, Any], fields: dict[str, Any]
) -> None:
    told: Advice = ask(name, parameters, **fields)
    found = best(point_game(name, **parameters), **fields)
    assert found.mean is not None
    assert told.lower is not None
    assert told.upper is not None
    assert told.lower <= found.mean[1]
    assert found.mean[0] <= told.upper
    assert found.mean[1] - found.mean[0] < 1e-12


def test_at_a_table_the_mover_plays_for_its_own_share() -> None:
    found = best(point_game("shut-the-box", players=2), mover=1, best=0, holders=(0,), open=(1, 2, 3))
    alone = best(point_game("shut-the-box", objective="clear"), open=(1, 2, 3))
    assert found.chances == alone.chances  # only 0 shares the win


# --- ends that are not followed --------------------------------------------------------------------------------------


def test_what_lies_past_a_cut_is_told_apart() -> None:
    game = point_game("piggy-six", target=2)
    found = under(game, lambda state, moves: "roll", seat=0)  # never holds
    assert found.beyond is not None
    least, chance = found.beyond
    assert least > 60
    assert chance == found.open_ == 1 - sum(found.chances.values())
    assert found.chances[0] == found.bust
    assert found.mean is not None
    low, high = found.mean
    assert low == 0 < high < 30


def test_past_the_goal_points_are_so_many_or_more() -> None:
    found = under(point_game("ten-thousand", goal=500), keep_most(10_000))
    assert found.beyond is not None
    assert found.beyond[0] == 500
    assert found.open_ == 0
    assert found.bust is not None
    assert set(found.chances) == {0}
    assert found.beyond[1] == 1 - found.bust


def test_a_turn_that_stands_past_its_end_has_the_points_it_has() -> None:
    for name, fields in {"pig": {"turn": 150}, "ten-thousand": {"turn": 12_000, "dice": 3}}.items():
        found = under(point_game(name), lambda state, moves: moves[0], **fields)
        assert [*found.chances, *(found.beyond or ())[:1]] == [fields["turn"]]


def test_alone_at_zilch_a_special_past_the_goal_may_still_be_lost() -> None:
    found = under(point_game("zilch", goal=50, players=1), keep_most(50), turn=0)
    assert found.beyond is not None
    assert 0 < found.open_ < found.beyond[1]
    assert found.bust is not None
    assert sum(found.chances.values()) + found.beyond[1] == 1


# --- the mechanism ---------------------------------------------------------------------------------------------------


class Toy(PointGame):
    """Two coins; only its turn is used."""

    def turn(self, *state: Any) -> Word:
        flips = {
            ("start",): Chance([(1, Chance([(1, Go("again")), (2, End("one"))])), (3, Go("again"))]),
            ("again",): Chance([(1, End("one")), (4, End("two"))]),
        }
        return flips[state]

    def ended(self, board: Mapping[str, Any], result: Any) -> Made:
        return Made({"one": 1, "two": 2}[result], bust=result == "one")


def test_throws_in_one_state_are_multiplied_and_ways_that_meet_are_added() -> None:
    again = Fraction(1, 4) / 3 + Fraction(3, 4)
    one, two = 1 - again + again / 5, again * 4 / 5
    assert endings(Toy().turn, ("start",)) == {"one": one, "two": two}


def test_the_dice_of_a_throw_are_told_by_its_weights() -> None:
    game = point_game("ten-thousand")
    for dice in range(1, 7):
        ((_, throw),) = throws_of(game, game.turn(0, dice))
        assert dice_of(throw) == dice
    assert chance_to_bust(game, {}, Hand(1, (0, 1))) == Fraction(2, 3)


def test_nobody_chooses_only_where_there_is_no_choice() -> None:
    assert nobody(("here",), Choice([("roll", End(3))])).result == 3  # type: ignore[union-attr]
    with pytest.raises(ModelError, match="somebody chooses"):
        nobody(("here",), Choice([("roll", End(3)), ("hold", End(4))]))


def test_a_rule_is_asked_with_the_moves_that_are_legal_there() -> None:
    heard: list[tuple[str, ...]] = []

    def rule(state: Mapping[str, Any], moves: Sequence[str]) -> str:
        heard.append(tuple(moves))
        assert "stop" not in moves or state["turn"] >= 750  # the opening
        return moves[0]

    under(point_game("zilch"), rule, turn=600, dice=2)
    assert all(len(moves) > 1 for moves in heard)
    assert ("stop", "roll") in heard


def test_a_state_that_no_question_can_stand_in_is_a_cut() -> None:
    game = point_game("pig")
    position = game.locate(turn=18)
    choose = by_rule(game, position.board, lambda state, moves: "roll", lambda state: None)
    word = choose(position.state, Choice([("hold", End(18)), ("roll", End(0))]))
    assert isinstance(word, End)
    assert word.result == (CUT, 18)


def test_where_no_move_is_legal_the_turn_is_over() -> None:
    game = point_game("zilch")
    board = game.locate().board
    with pytest.raises(StateError, match="the turn is over"):
        by_rule(game, board, lambda state, moves: moves[0], lambda state: {})((0,), Choice([("stop", End(350))]))
