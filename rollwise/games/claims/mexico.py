"""Mexico: the order of all throws, and the round that the sheet plays through."""

from __future__ import annotations

from collections.abc import Sequence

from rollwise.games.claims import IN_WORDS, Claim, Precision, Value
from rollwise.games.claims.replay import replay, turn_game
from rollwise.games.ranks import MEXICO, mexico_name, mexico_rank, ranking
from rollwise.solver.model.dice import Faces

GAME = "mexico"
SOURCE = "TACTIC rules for dice games"
ROUND = {"A": (5, 4), "B": (2, 2), "C": (6, 1), "D": (4, 4)}  # by player, as the sheet has it
SHARED = Precision("in words", lambda stated, value: value == "shared by 0 and 1")


def ranked() -> list[Faces]:
    """All throws, highest first."""
    return ranking(2, mexico_rank)


def pairs() -> list[Faces]:
    """The pairs, highest first."""
    return [dice for dice in ranked() if len(set(dice)) == 1]


def unequal() -> list[Faces]:
    """Two different dice, highest first, without Mexico itself."""
    return [dice for dice in ranked() if len(set(dice)) == 2 and dice != MEXICO]


def names(listed: Sequence[Faces]) -> str:
    """Throws as the sheet names them."""
    return ", ".join(map(mexico_name, listed))


def place_of_pairs() -> str:
    """Places of the pairs, from the top."""
    places = [place + 1 for place, dice in enumerate(ranked()) if len(set(dice)) == 1]
    return f"{min(places)} to {max(places)}" if len(places) == max(places) - min(places) + 1 else str(places)


def lowest_of_the_round() -> str:
    """Players with the lowest throw of the example."""
    lowest = min(mexico_rank(dice) for dice in ROUND.values())
    return " and ".join(player for player, dice in ROUND.items() if mexico_rank(dice) == lowest)


def lives_after(*thrown: Faces) -> Value:
    """Lives by seat after the first round, played at a table of so many."""
    played = replay(turn_game(GAME, players=len(thrown)), {}, [(dice, "stop") for dice in thrown])
    lives = dict(zip(played.seats, played.board["lives"], strict=True))
    return ", ".join(str(lives[seat]) for seat in sorted(lives))


def tie_of_the_last_two() -> Value:
    """End of the game after two players with a life each stop with the same first throw, in words."""
    played = replay(turn_game(GAME), {"lives": (1, 1)}, [((5, 3), "stop"), ((5, 3), "stop")])
    if not played.over:
        return "goes on"
    return "shared by " + " and ".join(str(seat) for seat, share in enumerate(played.shares) if share)


CLAIMS = (
    Claim("mexico/highest", GAME, SOURCE, "The highest throw.", "2-1", IN_WORDS, lambda: names(ranked()[:1])),
    Claim("mexico/lowest", GAME, SOURCE, "The lowest throw.", "3-1", IN_WORDS, lambda: names(ranked()[-1:])),
    Claim(
        "mexico/pairs",
        GAME,
        SOURCE,
        "The pairs, from the highest to the lowest.",
        "6-6, 5-5, 4-4, 3-3, 2-2, 1-1",
        IN_WORDS,
        lambda: names(pairs()),
        "the sheet names the first and the last",
    ),
    Claim(
        "mexico/pairs-follow-mexico",
        GAME,
        SOURCE,
        "The places of the pairs in the whole order: right below the highest throw.",
        "2 to 7",
        IN_WORDS,
        place_of_pairs,
        "stated in words: just below 2-1, and above all unequal dice",
    ),
    Claim(
        "mexico/unequal",
        GAME,
        SOURCE,
        "Unequal dice, from the highest on: the first seven.",
        "6-5, 6-4, 6-3, 6-2, 6-1, 5-4, 5-3",
        IN_WORDS,
        lambda: names(unequal()[:7]),
    ),
    Claim(
        "mexico/ranking",
        GAME,
        SOURCE,
        "All 21 throws, from the highest to the lowest.",
        "2-1, 6-6, 5-5, 4-4, 3-3, 2-2, 1-1, 6-5, 6-4, 6-3, 6-2, 6-1, 5-4, 5-3, 5-2, 5-1, 4-3, 4-2, 4-1, 3-2, 3-1",
        IN_WORDS,
        lambda: names(ranked()),
        "what the sheet leaves out between 5-3 and 3-1 is filled in by its rule, the higher die first",
    ),
    Claim(
        "mexico/example-lowest",
        GAME,
        SOURCE,
        "Of A with 5-4, B with 2-2, C with 6-1 and D with 4-4, the player who has the lowest throw.",
        "A",
        IN_WORDS,
        lowest_of_the_round,
    ),
    Claim(
        "mexico/example",
        GAME,
        SOURCE,
        "Lives by seat after a first round of 5-4, 2-2, 6-1 and 4-4.",
        "5, 6, 6, 6",
        IN_WORDS,
        lambda: lives_after(*ROUND.values()),
    ),
    Claim(
        "mexico/equally-low",
        GAME,
        SOURCE,
        "Lives by seat after a first round of 5-4, 2-2, 5-4 and 4-4: all who are equally low lose one.",
        "5, 6, 5, 6",
        IN_WORDS,
        lambda: lives_after((5, 4), (2, 2), (5, 4), (4, 4)),
        "the throws are ours",
    ),
    Claim(
        "mexico/mexico-costs-two",
        GAME,
        SOURCE,
        "Lives by seat after a first round of 5-4, 2-1, 6-1 and 4-4: with a 2-1 in it the round costs two.",
        "4, 6, 6, 6",
        IN_WORDS,
        lambda: lives_after((5, 4), (2, 1), (6, 1), (4, 4)),
        "the throws are ours",
    ),
    Claim(
        "mexico/dead-game",
        GAME,
        SOURCE,
        "What comes of a tie between the last two players when each of them has one life.",
        "a dead game",
        SHARED,
        tie_of_the_last_two,
        "no winner is read as a win that both share",
    ),
)
