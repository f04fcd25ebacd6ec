"""Six-Dice Zilch: the table of odds at the end of the sheet, and the rounds that it plays through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from rollwise.games.claims import ALWAYS, EXACTLY, IN_WORDS, WHOLE_PERCENT, Claim, Value, equal_to, more_than
from rollwise.games.claims.replay import ReplayPosition, Step, begin, describe_position, moves, replay, turn_game
from rollwise.games.patterns import in_a_row, of_a_kind, only_pairs
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.moves import keep_move, parse_move

GAME = "zilch"
SOURCE = "Six-Dice Zilch"
DICE = 6
STEP = 50
WITH_TRIO = {"trio of twos, threes, fours or sixes": (2, 3, 4, 6), "trio of ones or fives, which adds nothing": (1, 5)}

# The sample rounds of the sheet, each from its score at the start; A is 'mine' in A's rounds, B in B's.
ROUNDS: dict[str, tuple[dict[str, int], list[Step]]] = {
    "A": (
        {"mine": 8400, "theirs": 6300},
        [
            ((6, 5, 4, 1, 6, 3), "keep 1 for 100"),
            (None, "roll"),
            ((3, 5, 1, 3, 3), "keep 1 3 3 3 5 for 450"),
            (None, "roll"),
            ((4, 2, 4, 2, 6, 3), None),
        ],
    ),
    "B": (
        {"mine": 6300, "theirs": 8500},
        [((6, 2, 4, 1, 5, 3), "score straight"), ((1, 4, 6, 1, 6, 1), "keep 1 1 1 for 1000"), (None, "stop")],
    ),
    "A again": (
        {"mine": 8500, "theirs": 8800},
        [
            ((4, 2, 4, 6, 5, 4), "keep 4 4 4 for 400"),
            (None, "roll"),
            ((5, 4, 6), "keep 4 5 for 150"),
            (None, "roll"),
            ((1,), "keep 1 for 100"),
            (None, "roll"),
            ((1, 2, 1, 1, 4, 2), "keep 1 1 1 for 1000"),
            (None, "stop"),
        ],
    ),
    "B again": (
        {"mine": 8800, "theirs": 10150},
        [((4, 1, 4, 4, 1, 4), "score three pairs"), ((5, 3, 1, 3, 4, 3), "keep 1 3 3 3 5 for 450"), (None, "stop")],
    ),
}


# --- odds of a throw: no game is needed ----------------------------------------------------------------------------


def chance(dice: int, of: Callable[[Faces], bool]) -> Fraction:
    """P(``of`` is true for a throw of so many dice)."""
    return Fraction(sum(ways for faces, ways in throws(dice) if of(faces)), 6**dice)


def hits(faces: Faces, trio: int | None = None, *, pairs_count: bool = True) -> bool:
    """True for a throw that scores: a one or five, three of a kind, a match of the trio; of six dice, three pairs."""
    if any(face in (1, 5, trio) for face in faces) or of_a_kind(faces, 3):
        return True
    return pairs_count and len(faces) == DICE and only_pairs(faces)


def chance_to_hit(dice: int, trio: int | None = None) -> Fraction:
    """P(a throw scores), with the face of the trio on the board."""
    return chance(dice, partial(hits, trio=trio))


def chance_with_trio(dice: int) -> dict[str, Value]:
    """P(a throw scores) with a trio on the board, by its face: one that scores by itself adds nothing."""
    chance_by_reading: dict[str, Value] = {}
    for reading, faces in WITH_TRIO.items():
        chances = {chance_to_hit(dice, trio) for trio in faces}
        if len(chances) != 1:
            raise ModelError(f"trios of {show(faces)} are not alike, got {chances}")
        chance_by_reading[reading] = chances.pop()
    return chance_by_reading


def six_dice() -> dict[str, Value]:
    """P(a throw of six dice scores), in two readings."""
    return {
        "three pairs count": chance_to_hit(DICE),
        "three pairs do not count": chance(DICE, partial(hits, pairs_count=False)),
    }


def equal(faces: Faces, face: int, at_least: int = 3) -> bool:
    """True where at least so many dice show this face."""
    return faces.count(face) >= at_least


def six_dice_three_ones() -> dict[str, Value]:
    """Readings of '6 (3 ones)', each with its chance."""
    three = chance(DICE, partial(equal, face=1))
    return {
        "three ones or more in six dice": three,
        "exactly three ones in six dice": three - chance(DICE, partial(equal, face=1, at_least=4)),
        "three ones or more, if the six dice score at all": three / chance_to_hit(DICE),
        "three of a kind of any face in six dice": chance(DICE, lambda faces: of_a_kind(faces, 3)),
        "three ones on the board, the other three dice score": chance_to_hit(3, 1),
        "six dice score nothing": 1 - chance_to_hit(DICE),
    }


def ones_or_sixes(dice: int) -> Fraction:
    """P(three ones or three sixes in a throw)."""
    return chance(dice, lambda faces: equal(faces, 1) or equal(faces, 6))


def more_dice_are_better() -> Fraction:
    """Least factor by which one die more raises the chance of three ones or sixes, from three dice to six."""
    return min(ones_or_sixes(more) / ones_or_sixes(less) for less, more in pairwise(range(3, DICE + 1)))


def three_of_a_kind(dice: int) -> Fraction:
    """P(a throw has three of a kind)."""
    return chance(dice, lambda faces: of_a_kind(faces, 3))


def pairs_examples() -> str:
    """Examples of the sheet, and throws of its last round, that are three pairs."""
    examples = ("22 44 66", "33 33 55", "22 22 22", "41 44 14")
    return ", ".join(pairs for pairs in examples if only_pairs(tuple(map(int, pairs.replace(" ", "")))))


# --- the sample rounds ---------------------------------------------------------------------------------------------


def duel() -> TurnGame:
    """Game as the sheet plays it: two players to 10,000."""
    return turn_game(GAME)


def after(name: str, steps: int | None = None) -> ReplayPosition:
    """Position of a sample round after so many steps, or at its end."""
    state, every = ROUNDS[name]
    return replay(duel(), state, every[:steps])


def number(played: ReplayPosition, field: str) -> Fraction:
    """Field of the question about a position."""
    return Fraction(int(describe_position(duel(), played)[field]))


def turn_after(name: str, steps: int) -> Fraction:
    """Turn total after so many steps of a round."""
    return number(after(name, steps), "turn")


def banked(name: str) -> Fraction:
    """Score after a round of the player whose round it was; the other one moves next."""
    return number(after(name), "theirs")


def lead_of_b() -> Fraction:
    """Lead of B after banking."""
    return banked("B") - number(after("B"), "mine")


def past_the_goal() -> Fraction:
    """Points of A past the goal."""
    return banked("A again") - int(duel().parameters()["goal"])


def parts_of_550() -> tuple[Fraction, ...]:
    """Parts of A's first 550: three threes, the five, the one, the one kept before."""
    state, steps = ROUNDS["A"]
    later = (3, 5, 1, 3, 3)
    rolled = [*steps[:2], (later, None)]
    return (*(most_for(dice, state, rolled) for dice in ((3, 3, 3), (5,), (1,))), turn_after("A", 1))


def most_for(dice: Faces, state: Mapping[str, Any], steps: list[Step]) -> Fraction:
    """Most points that these dice can count after these steps."""
    game = duel()
    offered = map(parse_move, moves(game, replay(game, state, steps)))
    return Fraction(max((move.points or 0 for move in offered if move.kept == dice), default=0))


def first_throw(dice: Faces, dice_kept: Faces) -> Fraction:
    """Most points that these dice of a first throw can count."""
    return most_for(dice_kept, {}, [(dice, None)])


def match(trio: int, later: Faces, dice_kept: Faces) -> Fraction:
    """Most points that dice of a second throw can count, with a trio of this face kept from the first."""
    first: Faces = (trio,) * 3 + tuple(face for face in (2, 3, 4, 6) if face != trio)[:3]
    return most_for(dice_kept, {}, [(first, keep_move((trio,) * 3, 100 * trio)), (None, "roll"), (later, None)])


def five_kept_before() -> Fraction:
    """Points of a five that was kept before three fives were thrown together."""
    steps: list[Step] = [((5, 2, 3, 4, 6, 6), "keep 5 for 50"), (None, "roll"), ((5, 5, 5, 2, 3), "keep 5 5 5 for 500")]
    return number(replay(duel(), {}, steps), "turn") - 500


def special(dice: Faces, move: str) -> Fraction:
    """Points of a special throw."""
    return number(replay(duel(), {}, [(dice, move)]), "turn")


def could_be_scored() -> Fraction:
    """Share of the three totals, called scorable by the sheet, on which the player may stop."""
    totals = (after("A", 3), after("B", 2), after("A again", 3))
    return Fraction(sum("stop" in moves(duel(), played) for played in totals), len(totals))


def dice_after_clearing() -> tuple[Fraction, ...]:
    """Dice that A throws next, both times that the board is cleared."""
    return (number(after("A", 3), "dice"), number(after("A again", 5), "dice"))


def three_pairs_or_not() -> tuple[Fraction, ...]:
    """Points of B's 4-1-4-4-1-4, die by die and as three pairs."""
    state, steps = ROUNDS["B again"]
    throw = steps[0][0]
    die_by_die = replay(duel(), state, [(throw, "keep 1 1 4 4 4 4 for 700")])
    return (number(die_by_die, "turn"), turn_after("B again", 1))


def may_after(move: str) -> str:
    """Moves of B after counting 4-1-4-4-1-4 with ``move``, at a score from which 700 points are enough."""
    game = duel()
    played = replay(game, {"mine": 9500, "theirs": 10150}, [((4, 1, 4, 4, 1, 4), move)])
    return " or ".join(sorted(moves(game, played))) or "roll"  # without a choice, the dice are thrown


def needed() -> Fraction:
    """Least turn total with which B, at 8800 against 10150, wins by stopping."""
    game = duel()
    for total in range(DICE * STEP, game.parameters()["goal"], STEP):  # six dice score no less before six are thrown
        state = {"mine": 8800, "theirs": 10150, "turn": total, "dice": DICE}
        if "stop" not in moves(game, begin(game, state)):
            continue
        stopped = replay(game, state, [(None, "stop")])
        if stopped.over and stopped.shares[0] == 1:
            return Fraction(total)
    raise ModelError("no total wins")


def final_scores() -> tuple[Fraction, ...]:
    """Scores at the end: A's, and B's with the last turn, which must end the game."""
    before = after("B again", 2)
    if not after("B again").over:
        raise ModelError("the game goes on after its last turn")
    return (number(before, "theirs"), number(before, "mine") + number(before, "turn"))


def whole_game() -> tuple[Fraction, ...]:
    """Score column of the sheet: the scores after each round, played from 8400 and 6300 without a break."""
    game = duel()
    state, _ = ROUNDS["A"]
    steps: list[Step] = []
    column = []
    for _, of_round in list(ROUNDS.values())[:3]:
        steps += of_round
        column.append(number(replay(game, state, steps), "theirs"))
    return tuple(column)


def share_of_b() -> Fraction:
    """Share of the win of B at the end."""
    return after("B again").shares[0]


CLAIMS = (
    # --- the table, and the odds that the rounds mention
    "zilch/table-one-die",
    Claim(
        "zilch/table-one-die-trio",
        GAME,
        SOURCE,
        "The chance that one die scores with a trio on the board.",
        "50 %",
        WHOLE_PERCENT,
        partial(chance_with_trio, 1),
        "the table does not say which trio",
    ),
    "zilch/table-two-dice",
    Claim(
        "zilch/table-two-dice-trio",
        GAME,
        SOURCE,
        "The chance that two dice score with a trio on the board.",
        "75 %",
        WHOLE_PERCENT,
        partial(chance_with_trio, 2),
        "the table does not say which trio",
    ),
    "zilch/table-three-dice",
    Claim(
        "zilch/table-three-dice-trio",
        GAME,
        SOURCE,
        "The chance that three dice score with a trio on the board.",
        "88 %",
        WHOLE_PERCENT,
        partial(chance_with_trio, 3),
        "the table does not say which trio",
    ),
    Claim(
        "zilch/table-six-dice",
        GAME,
        SOURCE,
        "The chance that six dice score.",
        "93 %",
        WHOLE_PERCENT,
        six_dice,
        "the stated figure would come of adding the chance of a straight to that of a one or a five, which contains it",
    ),
    Claim(
        "zilch/table-six-dice-three-ones",
        GAME,
        SOURCE,
        "The table's last row, six dice and three ones.",
        "7 %",
        WHOLE_PERCENT,
        six_dice_three_ones,
        "the table does not say what is meant; the stated figure would come of adding the chance of a straight to that "
        "of exactly three ones",
    ),
    "zilch/b-three-dice",
    "zilch/a-three-dice-beside-fours",
    "zilch/a-last-die",
    Claim(
        "zilch/more-dice-better",
        GAME,
        SOURCE,
        "From three dice to six, how many times likelier one die more makes three ones or three sixes, at least.",
        "the more dice, the better",
        more_than(1, "more than 1"),
        more_dice_are_better,
    ),
    Claim(
        "zilch/a-keeps-only-the-one",
        GAME,
        SOURCE,
        "How many times likelier three ones or sixes are with the five dice that A throws than with four.",
        "better odds",
        more_than(1, "more than 1"),
        lambda: ones_or_sixes(5) / ones_or_sixes(4),
        "four dice would be left had A kept the five as well",
    ),
    Claim(
        "zilch/a-three-dice-for-a-trio",
        GAME,
        SOURCE,
        "How much likelier three of a kind is with the three dice that A throws than with two.",
        "now an opportunity",
        more_than(0, "more than 0"),
        lambda: three_of_a_kind(3) - three_of_a_kind(2),
        "two dice would be left had A kept the five as well, and two cannot make three of a kind",
    ),
    # --- scores
    Claim(
        "zilch/single-dice",
        GAME,
        SOURCE,
        "What a one and a five score.",
        "100, 50",
        EXACTLY,
        lambda: (first_throw((1, 5, 2, 3, 6, 6), (1,)), first_throw((1, 5, 2, 3, 6, 6), (5,))),
    ),
    Claim(
        "zilch/threes-of-a-kind",
        GAME,
        SOURCE,
        "What three twos, three sixes, three fives and three ones of one throw score.",
        "200, 600, 500, 1000",
        EXACTLY,
        lambda: (
            first_throw((2, 2, 2, 3, 4, 6), (2, 2, 2)),
            first_throw((6, 6, 6, 2, 3, 4), (6, 6, 6)),
            first_throw((5, 5, 5, 2, 3, 4), (5, 5, 5)),
            first_throw((1, 1, 1, 2, 3, 4), (1, 1, 1)),
        ),
        "counted for as much as the player may",
    ),
    Claim(
        "zilch/matches",
        GAME,
        SOURCE,
        "What a six scores beside three sixes, two fours beside three fours, a five beside three fives.",
        "100, 200, 100",
        EXACTLY,
        lambda: (match(6, (6, 2, 3), (6,)), match(4, (4, 4, 2), (4, 4)), match(5, (5, 2, 3), (5,))),
        "counted for as much as the player may",
    ),
    Claim(
        "zilch/five-kept-before",
        GAME,
        SOURCE,
        "What a five still counts that was kept before three fives were thrown together.",
        "50",
        EXACTLY,
        five_kept_before,
    ),
    Claim(
        "zilch/three-pairs-examples",
        GAME,
        SOURCE,
        "Those of the three examples, and of B's last throws, that are three pairs.",
        "22 44 66, 33 33 55, 22 22 22, 41 44 14",
        IN_WORDS,
        pairs_examples,
    ),
    Claim(
        "zilch/three-pairs-score",
        GAME,
        SOURCE,
        "What the three examples of three pairs score.",
        "1000, 1000, 1000",
        EXACTLY,
        lambda: tuple(
            special(dice, "score three pairs") for dice in ((2, 2, 4, 4, 6, 6), (3, 3, 3, 3, 5, 5), (2, 2, 2, 2, 2, 2))
        ),
    ),
    Claim(
        "zilch/straight-dice",
        GAME,
        SOURCE,
        "All throws of six dice that are a straight.",
        "1 2 3 4 5 6",
        IN_WORDS,
        lambda: ", ".join(show(faces) for faces, _ in throws(DICE) if in_a_row(faces) == DICE),
    ),
    # --- the sample rounds
    Claim(
        "zilch/a-550-in-parts",
        GAME,
        SOURCE,
        "The parts of A's first total: three threes, a five, a one, and the one of the throw before.",
        "300, 50, 100, 100",
        EXACTLY,
        parts_of_550,
    ),
    Claim(
        "zilch/a-550",
        GAME,
        SOURCE,
        "A's points after 6-5-4-1-6-3, keeping the one, and 3-5-1-3-3, keeping all.",
        "550",
        EXACTLY,
        lambda: turn_after("A", 3),
    ),
    Claim(
        "zilch/a-zilch",
        GAME,
        SOURCE,
        "What A scores for 4-2-4-2-6-3, which loses the 550.",
        "100",
        EXACTLY,
        lambda: banked("A") - ROUNDS["A"][0]["mine"],
    ),
    Claim("zilch/b-1500", GAME, SOURCE, "B's points after 6-2-4-1-5-3.", "1500", EXACTLY, lambda: turn_after("B", 1)),
    Claim(
        "zilch/b-2500",
        GAME,
        SOURCE,
        "B's points after 1-4-6-1-6-1 too, keeping the ones.",
        "2500",
        EXACTLY,
        lambda: turn_after("B", 2),
    ),
    Claim(
        "zilch/b-leads",
        GAME,
        SOURCE,
        "By how much B leads after scoring these.",
        "the lead",
        more_than(0, "more than 0"),
        lead_of_b,
    ),
    Claim(
        "zilch/a-400",
        GAME,
        SOURCE,
        "A's points after 4-2-4-6-5-4, keeping the fours.",
        "400",
        EXACTLY,
        lambda: turn_after("A again", 1),
    ),
    Claim(
        "zilch/a-second-550",
        GAME,
        SOURCE,
        "A's points after 5-4-6 too, keeping the four and the five.",
        "550",
        EXACTLY,
        lambda: turn_after("A again", 3),
    ),
    Claim(
        "zilch/a-650",
        GAME,
        SOURCE,
        "A's points after a one with the last die.",
        "650",
        EXACTLY,
        lambda: turn_after("A again", 5),
    ),
    Claim(
        "zilch/a-1650",
        GAME,
        SOURCE,
        "A's points after 1-2-1-1-4-2 too, keeping the ones.",
        "1650",
        EXACTLY,
        lambda: turn_after("A again", 7),
    ),
    Claim(
        "zilch/a-crosses-by",
        GAME,
        SOURCE,
        "How far A is past the 10,000 after scoring these.",
        "150",
        EXACTLY,
        past_the_goal,
    ),
    Claim(
        "zilch/b-needs",
        GAME,
        SOURCE,
        "The least with which B, at 8800, wins the last turn against 10150.",
        "1400",
        EXACTLY,
        needed,
        "an equal score goes to A, who crossed first",
    ),
    Claim(
        "zilch/b-700-or-1000",
        GAME,
        SOURCE,
        "B's points for 4-1-4-4-1-4, die by die and as three pairs.",
        "700, 1000",
        EXACTLY,
        three_pairs_or_not,
    ),
    Claim(
        "zilch/b-700-may-stop",
        GAME,
        SOURCE,
        "What B may do after taking 700 for 4-1-4-4-1-4 where they are enough to win.",
        "roll or stop",
        IN_WORDS,
        lambda: may_after("keep 1 1 4 4 4 4 for 700"),
        "stated in words: B would not have to roll",
    ),
    Claim(
        "zilch/b-1000-must-roll",
        GAME,
        SOURCE,
        "What B may do there after taking 1000.",
        "roll",
        IN_WORDS,
        lambda: may_after("score three pairs"),
    ),
    Claim(
        "zilch/b-1450",
        GAME,
        SOURCE,
        "B's points after 5-3-1-3-4-3 too, keeping all that scores.",
        "1450",
        EXACTLY,
        lambda: turn_after("B again", 2),
    ),
    Claim(
        "zilch/b-wins",
        GAME,
        SOURCE,
        "B's part of the win after stopping on these.",
        "the win",
        equal_to(1, "all of it"),
        share_of_b,
    ),
    Claim(
        "zilch/could-be-scored",
        GAME,
        SOURCE,
        "The part of the totals 550, 2500 and 550 on which the player may stop, as the sheet says of each.",
        "could score it",
        ALWAYS,
        could_be_scored,
    ),
    Claim(
        "zilch/cleared-boards",
        GAME,
        SOURCE,
        "How many dice A throws next, both times that A clears the board.",
        "6, 6",
        EXACTLY,
        dice_after_clearing,
        "stated in words",
    ),
    Claim(
        "zilch/running-scores",
        GAME,
        SOURCE,
        "The scores that the first three rounds leave when they are played through from 8400 and 6300.",
        "8500, 8800, 10150",
        EXACTLY,
        whole_game,
    ),
    Claim("zilch/final-scores", GAME, SOURCE, "A's and B's score at the end.", "10150, 10250", EXACTLY, final_scores),
)
