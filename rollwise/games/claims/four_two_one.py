"""421: the order of all throws, and the chips that the highest one moves."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from rollwise.games.claims import EXACTLY, IN_WORDS, Claim, equal_to
from rollwise.games.claims.replay import describe_position, replay, turn_game
from rollwise.games.ranks import kind_421, name_421, rank_421, ranking
from rollwise.solver.model.dice import Faces

GAME = "421"
SOURCE = "TACTIC rules for dice games"
HIGHEST = (
    (4, 2, 1),
    (1, 1, 6),
    (1, 1, 2),
    (5, 5, 5),
    (3, 4, 5),
    (6, 5, 5),
)  # one of each kind, two with a pair of ones
CALLED = {"421": "4-2-1", "ones": "1-1-x", "triple": "three of a kind", "straight": "a straight", "rest": "any other"}
LOWEST = (2, 2, 1)
BETWEEN = (3, 3, 1)


def of_kind(kind: str | None = None) -> list[str]:
    """The throws of one kind, or all, from the highest to the lowest."""
    return [name_421(dice) for dice in ranking(3, rank_421) if kind in (None, kind_421(dice))]


def ends(kind: str | None = None) -> str:
    """The highest and the lowest throw of one kind, or of all."""
    throws_of_kind = of_kind(kind)
    return f"{throws_of_kind[0]}, {throws_of_kind[-1]}"


def order_of_kinds() -> str:
    """Kinds of throws from the highest down, in the sheet's words."""
    kinds = [kind_421(dice) for dice in ranking(3, rank_421)]
    return ", ".join(CALLED[kind] for kind, _ in groupby(kinds))


def n_ranks() -> Fraction:
    """Number of different ranks; throws of one rank count once."""
    return Fraction(len({rank_421(dice) for dice in ranking(3, rank_421)}))


def chips_taken(highest: Faces) -> Fraction:
    """Chips that leave the pot in the first round of the charge, with this highest throw among three."""
    played = replay(turn_game(GAME), {}, [(dice, "stop") for dice in (highest, BETWEEN, LOWEST)])
    return Fraction(11 - describe_position(turn_game(GAME), played)["pot"])


CLAIMS = (
    Claim("421/highest", GAME, SOURCE, "The highest throw.", "4-2-1", IN_WORDS, lambda: of_kind()[0]),
    Claim("421/lowest", GAME, SOURCE, "The lowest throw.", "2-2-1", IN_WORDS, lambda: of_kind()[-1]),
    Claim(
        "421/two-ones",
        GAME,
        SOURCE,
        "The highest and the lowest throw with two ones.",
        "1-1-6, 1-1-2",
        IN_WORDS,
        lambda: ends("ones"),
        "1-1-1 is a triple",
    ),
    Claim(
        "421/third-die-of-two-ones",
        GAME,
        SOURCE,
        "How many throws with two ones there are: the third die may show anything but a one.",
        "any face but 1",
        equal_to(5, "five"),
        lambda: Fraction(len(of_kind("ones"))),
    ),
    Claim(
        "421/triples",
        GAME,
        SOURCE,
        "The highest and the lowest triple.",
        "6-6-6, 1-1-1",
        IN_WORDS,
        lambda: ends("triple"),
    ),
    Claim(
        "421/straights",
        GAME,
        SOURCE,
        "The highest and the lowest straight.",
        "6-5-4, 3-2-1",
        IN_WORDS,
        lambda: ends("straight"),
    ),
    Claim(
        "421/rest",
        GAME,
        SOURCE,
        "The highest and the lowest of all other throws.",
        "6-6-5, 2-2-1",
        IN_WORDS,
        lambda: ends("rest"),
    ),
    Claim(
        "421/order",
        GAME,
        SOURCE,
        "The kinds of throws, from the highest to the lowest: each lies wholly above the next.",
        "4-2-1, 1-1-x, three of a kind, a straight, any other",
        IN_WORDS,
        order_of_kinds,
    ),
    Claim(
        "421/ranks",
        GAME,
        SOURCE,
        "How many ranks there are: no two of the 56 different throws rank alike.",
        "highest to lowest",
        equal_to(56, "all throws in one order, without ties"),
        n_ranks,
        "the sheet gives an order and no count; taken to leave no ties between different throws",
    ),
    Claim(
        "421/charge",
        GAME,
        SOURCE,
        "Chips that the first round of the charge takes from the pot when the highest throw is 4-2-1, "
        "1-1-6, 1-1-2, 5-5-5, 3-4-5 or 6-5-5.",
        "10, 6, 2, 3, 2, 1",
        EXACTLY,
        lambda: tuple(chips_taken(highest) for highest in HIGHEST),
        "all but one of the 11 chips are 10",
    ),
)
