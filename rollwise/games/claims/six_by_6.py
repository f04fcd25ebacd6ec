"""Six By 6: scores of its examples, the sample round roll by roll, the extremes, and whether there is a strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

from rollwise.games.claims import EXACTLY, IN_WORDS, Claim, equal_to, more_than
from rollwise.games.claims.replay import ReplayPosition, Step, moves, replay, turn_game
from rollwise.solver.model.dice import Faces, show, throws
from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Chance, Decision, Goto, Node, TurnGame
from rollwise.solver.turn.graph import NO_RESULT, compile_turn
from rollwise.solver.turn.query import LOWER, UPPER, Turns
from rollwise.solver.values.board_solver import BoardSolver

GAME = "six-by-6"
SOURCE = "Six By 6, by Michael Williams"
DICE = 6
RACK = 36  # points of six posted dice
READINGS = ("forced", "free")
SAMPLE: tuple[Faces, ...] = (
    (1, 2, 1, 3, 3, 4),
    (2, 4, 6, 6, 5, 5),
    (4, 3, 5, 1),
    (6, 4, 4, 4),
    (2, 3, 6),
    (1, 1),
    (6, 5),
    (4,),
    (2,),
    (5,),
    (3,),
    (1,),
    (6,),
)


def by_reading(of: Callable[[TurnGame], int]) -> dict[str, Fraction]:
    """Whole number for each value of ``posting``."""
    return {f"posting={posting}": Fraction(of(turn_game(GAME, posting=posting))) for posting in READINGS}


# --- examples ------------------------------------------------------------------------------------------------------


def played(carry: int, posted: int, *rolls: Faces, move: str | None = None, posting: str = "forced") -> ReplayPosition:
    """Position after these rolls, each followed by the move, if there is one."""
    steps: list[Step] = [(dice, move) for dice in rolls]
    return replay(turn_game(GAME, posting=posting), {"carry": carry, "posted": posted}, steps)


def score(carry: int, posted: int, dice: Faces) -> Fraction:
    """Score of the round that this roll ends."""
    ended = played(carry, posted, dice)
    if not ended.over:
        raise ModelError(f"{show(dice)} does not end the round")
    return ended.points


def earned(dice: Faces, move: str | None = None, posting: str = "forced") -> Fraction:
    """Points of a roll: the carry after it, with the point that pays for the next roll, if there is one."""
    before = Fraction(1)
    after = played(1, DICE - len(dice), dice, move=move, posting=posting)
    return after.points - before - RACK if after.over else after.points - before + 1


def multiples() -> tuple[Fraction, ...]:
    """Points of two to six dice of one face when none of them is posted."""
    return tuple(earned((1,) * dice, "go on", "free") for dice in range(2, DICE + 1))


def special_rolls() -> tuple[Fraction, ...]:
    """Points of the three kinds of special rolls when they are posted."""
    return tuple(earned(dice) for dice in ((2, 2, 2, 2, 2, 2), (1, 2, 3, 4, 5, 6), (1, 2, 3, 4, 5)))


def two_dice_that_end() -> str:
    """Rolls of the last two dice that add up to 8 and, without carry, end the round."""
    ending = [dice for dice, _ in throws(2) if sum(dice) == 8 and played(0, 4, dice).over]
    return ", ".join("-".join(map(str, dice)) for dice in ending)


def sample_round() -> tuple[Fraction, ...]:
    """The carry after every roll of the sample round; the last one must rack."""
    rounds = [played(0, 0, *SAMPLE[:count]) for count in range(len(SAMPLE) + 1)]
    if not rounds[-1].over or any(before.over for before, _ in pairwise(rounds)):
        raise ModelError("the sample round does not end with its last roll")
    return (*(after.points for after in rounds[1:-1]), rounds[-1].points - RACK)


# --- extremes ------------------------------------------------------------------------------------------------------


@cache
def endings(game: TurnGame) -> frozenset[tuple[int, int]]:
    """(dice posted, score) of every way in which one roll can end a round, from any reachable position."""
    graph, space = compile_turn(game), game.boards()
    boards = np.arange(space.size)
    boards = boards[game.possible(space.columns(boards))]
    root_of = game.root(space.columns(boards))
    results: set[tuple[int, int]] = set()
    for root, used in enumerate(graph.root_leaves):
        columns = space.columns(boards[root_of == root])
        for leaf in (graph.leaves[place] for place in np.flatnonzero(used)):
            if leaf.result != NO_RESULT:
                transition = game.transition(columns, graph.results[leaf.result])
                assert transition.next is not None
                ended = np.stack([transition.next["posted"], columns.carry + transition.reward])[:, transition.over]
                results |= {(int(posted), int(points)) for posted, points in ended.T}
    return frozenset(results)


def least_rack(game: TurnGame) -> int:
    """The lowest score of a rack."""
    return min(points for posted, points in endings(game) if posted == DICE)


def most_without_rack(game: TurnGame) -> int:
    """The highest score of a round without a rack."""
    return max(points for posted, points in endings(game) if posted < DICE)


def least(game: TurnGame) -> int:
    """The lowest score."""
    return min(points for _, points in endings(game))


def fewest_posted(game: TurnGame) -> int:
    """The fewest dice that are posted when a round ends."""
    return min(posted for posted, _ in endings(game))


@cache
def score_chances(game: TurnGame) -> dict[int, float]:
    """The chance of each score."""
    distribution = game.quantities(compile_turn(game), {})["score_distribution"].value
    return {int(points): chance for points, chance in distribution.items()}


def chance(of: Callable[[int], bool]) -> Fraction:
    """P(a score for which ``of`` is true), to twelve digits."""
    total = sum(p for points, p in score_chances(turn_game(GAME)).items() if of(points))
    return Fraction(f"{total:.12g}")


# --- strategy ------------------------------------------------------------------------------------------------------


def rolls_with_a_choice(game: TurnGame) -> int:
    """Number of different rolls that leave a decision."""
    return sum(
        len(moves(game, ReplayPosition({"posted": posted, "carry": 1}, Goto(posted, dice), Fraction(0)))) > 1
        for posted in range(DICE)
        for dice, _ in throws(DICE - posted)
    )


def choices(game: TurnGame, posted: int) -> Iterator[tuple[Node, Node]]:
    """Nodes after posting and after going on, for each roll with so many dice posted that leaves the decision."""
    for dice, _ in throws(DICE - posted):
        node = game.turn(posted, dice)
        if isinstance(node, Decision) and len(node.moves) == 2:
            yield node.moves[0][1], node.moves[1][1]


def going_on_may_be_better() -> Fraction:
    """Number of positions in which going on is not proven worse than posting."""
    game = turn_game(GAME, posting="free")
    graph, space = compile_turn(game), game.boards()
    solved = BoardSolver(game, graph).solve()
    wrong = 0
    for root, state in enumerate(game.roots()):
        if not isinstance(game.turn(*state), Chance) or not any(choices(game, state[0])):
            continue
        boards = np.flatnonzero(game.root(space.columns(np.arange(space.size))) == root)
        turns = Turns(game, graph, boards, lambda index: (solved.values[index], solved.radius[index].astype(float)))
        for post, go_on in choices(game, state[0]):
            wrong += int((turns.value_of(go_on)[:, UPPER] >= turns.value_of(post)[:, LOWER]).sum())
    return Fraction(wrong)


ROUNDED = "the chance, to twelve digits; everything is posted that may be"

CLAIMS = (
    Claim(
        "six-by-6/multiples",
        GAME,
        SOURCE,
        "Two, three, four, five and six dice of one face, none of them posted, earn this much carry.",
        "1, 2, 3, 4, 5",
        EXACTLY,
        multiples,
        "six alike are not posted with posting=free only",
    ),
    Claim(
        "six-by-6/four-posted",
        GAME,
        SOURCE,
        "Four dice posted on one roll earn this much carry.",
        "7",
        EXACTLY,
        lambda: earned((1, 2, 6, 6, 6, 6)),
        "two other dice, which are not alike",
    ),
    Claim(
        "six-by-6/special-rolls",
        GAME,
        SOURCE,
        "Six alike, 1 to 6 with six dice, and 1 to 5 with five dice earn this much carry when they are posted.",
        "11, 11, 9",
        EXACTLY,
        special_rolls,
        "the sheet gives the parts: 5 or 4 for the multiple, and 1 for each die",
    ),
    Claim(
        "six-by-6/rack-carry-12",
        GAME,
        SOURCE,
        "A rack with 12 points of carry scores this much.",
        "48 points",
        EXACTLY,
        lambda: score(11, 5, (6,)),
    ),
    Claim(
        "six-by-6/rack-least",
        GAME,
        SOURCE,
        "The lowest score of a rack.",
        "37 points",
        EXACTLY,
        lambda: by_reading(least_rack),
    ),
    Claim(
        "six-by-6/no-rack-most",
        GAME,
        SOURCE,
        "The highest score of a round without a rack.",
        "35 points",
        EXACTLY,
        lambda: by_reading(most_without_rack),
    ),
    Claim(
        "six-by-6/five-posted-five-left",
        GAME,
        SOURCE,
        "Five dice posted, and a 5 on the last one, score this much.",
        "35 points",
        EXACTLY,
        lambda: score(0, 5, (5,)),
    ),
    Claim(
        "six-by-6/four-posted-eight-left",
        GAME,
        SOURCE,
        "Four dice posted, and 3 and 5 on the last two, score this much.",
        "32 points",
        EXACTLY,
        lambda: score(0, 4, (3, 5)),
    ),
    Claim(
        "six-by-6/two-dice-that-end",
        GAME,
        SOURCE,
        "With four dice posted and no carry, the only roll adding up to 8 that ends the round.",
        "3-5",
        IN_WORDS,
        two_dice_that_end,
        "the sheet says it of 4-4 and of 2-6 that they go on",
    ),
    Claim(
        "six-by-6/sample-round",
        GAME,
        SOURCE,
        "The carry after each roll of the sample round.",
        "1, 4, 3, 5, 5, 5, 5, 4, 3, 2, 1, 0, 1",
        EXACTLY,
        sample_round,
        "with the next roll paid for, but for the last",
    ),
    Claim(
        "six-by-6/sample-score",
        GAME,
        SOURCE,
        "The score of the sample round.",
        "37 points",
        EXACTLY,
        lambda: played(0, 0, *SAMPLE).points,
    ),
    Claim(
        "six-by-6/fewest-posted",
        GAME,
        SOURCE,
        "The fewest dice that can be posted when the carry runs out.",
        "2",
        EXACTLY,
        lambda: by_reading(fewest_posted),
    ),
    Claim(
        "six-by-6/score-of-22",
        GAME,
        SOURCE,
        "The chance of a score of 22, which is two dice posted and 1 to 4 on the others: it can happen.",
        "possible",
        more_than(0, "possible"),
        lambda: chance(lambda points: points == 22),
        ROUNDED,
    ),
    Claim(
        "six-by-6/lowest-score",
        GAME,
        SOURCE,
        "The lowest score that a round can have.",
        "22 points",
        EXACTLY,
        lambda: by_reading(least),
        "with posting=free, 1 to 5 declined with one die posted and no carry",
    ),
    Claim(
        "six-by-6/carry-over-20",
        GAME,
        SOURCE,
        "The chance that a rack leaves a carry of more than 20: it has happened.",
        "over 20 points",
        more_than(0, "possible"),
        lambda: chance(lambda points: points > RACK + 20),
        ROUNDED,
    ),
    Claim(
        "six-by-6/no-strategy",
        GAME,
        SOURCE,
        "The number of different rolls that leave a player anything to decide: there is no strategy.",
        "none",
        equal_to(0, "none"),
        lambda: by_reading(rolls_with_a_choice),
    ),
    Claim(
        "six-by-6/no-better-strategy",
        GAME,
        SOURCE,
        "The number of rolls and carries at which not posting may be the better choice: there is no strategy.",
        "none",
        equal_to(0, "none"),
        going_on_may_be_better,
        "posting=free; carries up to 199, each roll that leaves a choice",
    ),
)
