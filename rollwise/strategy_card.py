"""``card``: the policy as a person can use it, on one page, with what playing by it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from rollwise.answer import Labelled, shown_value
from rollwise.door import checked, the_game
from rollwise.games.cards import Numbers, known_cards, numbers_of
from rollwise.games.cards.facts import BestPlay, Cost
from rollwise.games.cards.rules import TO_THE_END, rule_of
from rollwise.labels import cost_label
from rollwise.solver.game.dice import show, throws
from rollwise.solver.game.errors import BadInput, TooLarge
from rollwise.solver.game.jsonable import Jsonable
from rollwise.solver.game.model import TurnGame
from rollwise.stored import anything, asked, plain_parameters

READ_OFF, EXACT = "read off the best play", "the best play itself"


@dataclass(frozen=True)
class Band:
    """Pig, Piggy Six: with scores in these bands (both ends belong to them) hold at so many points in the turn.

    ``hold_at`` None: roll on until the target is reached.
    """

    mine: tuple[int, int]
    theirs: tuple[int, int]
    hold_at: int | None


@dataclass(frozen=True)
class Finish:
    """Piggy Six, first in the round: against this band hold past the target with so many points in all."""

    theirs: tuple[int, int]
    hold_with: int


@dataclass(frozen=True)
class Minimum:
    """Ten Thousand, Zilch: with so many dice left stop with at least so many points; ``near``: the other lacks few.

    ``stop_at`` None: never, but to reach the goal. ``worth``: what so many dice in hand count when dice are kept to
    throw on.
    """

    dice: int
    near: bool
    stop_at: int | None
    worth: int


@dataclass(frozen=True)
class Keep:
    """Yahtzee: what to do with this throw of the first turn while so many throws are left."""

    roll: tuple[int, ...]
    rolls_left: int
    move: str


Row: TypeAlias = Band | Finish | Minimum | Keep


@dataclass(frozen=True)
class SimplerCard(Jsonable):
    """The same card with one term less, and what that costs."""

    JSON = "rows cost=told_cost cost_to_best=told_cost_to_best"

    rows: tuple[Row, ...]
    cost: Cost
    cost_to_best: Cost | None

    @property
    def told_cost(self) -> Labelled | None:
        """``cost`` with its label."""
        return _labelled("knows", self.cost)

    @property
    def told_cost_to_best(self) -> Labelled | None:
        """``cost_to_best`` with its label."""
        return _labelled("best", self.cost_to_best)


@dataclass(frozen=True)
class Card(Jsonable):
    """A policy on one page.

    ``found`` says how good the numbers are known to be: ``best`` (every card of this form was tried), ``best found``
    (by a search from so many ``starts``), ``read off the best play``, or ``the best play itself``. ``cost`` (in a duel
    to a player who knows the card) and ``cost_to_best`` (to the best player) are None where they would take too long to
    work out, the second in games played alone too; ``best_play`` is None where the card has no thresholds. Rows with
    ``near`` hold when the other player lacks so many points or fewer.
    """

    JSON = (
        "game title parameters rules_version found rows cost=told_cost unit best_play simpler? near? starts? "
        "cost_to_best?(cost_to_best=told_cost_to_best)"
    )

    game: str
    title: str
    parameters: dict[str, Any]
    rules_version: int
    found: str
    rows: tuple[Row, ...]
    cost: Cost | None
    unit: str
    best_play: BestPlay | None = None
    simpler: SimplerCard | None = None
    near: int | None = None
    starts: int | None = None
    cost_to_best: Cost | None = None

    @property
    def told_cost(self) -> Labelled | None:
        """``cost`` with its label."""
        return _labelled("nobody" if self.found == EXACT else "knows", self.cost)

    @property
    def told_cost_to_best(self) -> Labelled | None:
        """``cost_to_best`` with its label."""
        return _labelled("best", self.cost_to_best)


def _labelled(whom: str, cost: Cost | None) -> Labelled | None:
    return None if cost is None else Labelled(cost_label(whom), cost.value, cost.lower, cost.upper)


@checked
def card(game: str, params: Mapping[str, Any] | None = None) -> Card:
    """The strategy card of a game.

    The numbers are stored for the default rules. Pig and Piggy Six (two players, two dice) have a card for any target,
    whose thresholds are read off the best play; Yahtzee has one for both jokers. Raises BadInput where there is none.

    >>> made = card("pig", {"target": 20})
    >>> made.rows[0]
    Band(mine=(0, 1), theirs=(0, 1), hold_at=None)
    >>> made.found, made.best_play.violations
    ('read off the best play', 0)
    """
    made = the_game(game, params)
    numbers = numbers_of(made.name)
    if numbers is None:
        raise BadInput(f"there is no card for {made.name}; there are cards for {', '.join(known_cards())}")
    parameters = plain_parameters(made)
    if (numbers.parameters, numbers.rules_version) == (parameters, made.rules_version):
        return _stored(made, parameters, numbers)
    if made.name == "yahtzee":
        return _first_turn(made, parameters)
    two_dice = made.name == "piggy-six" and parameters["max_dice"] == 2 and parameters.get("players") == 2
    if made.name == "pig" or two_dice:
        return _read_off(made, parameters)
    if numbers.parameters == parameters:
        versions = f"they are version {made.rules_version} now, and it is of version {numbers.rules_version}"
        raise BadInput(f"the card of {made.name} was found for other rules: {versions}")
    told = ", ".join(f"{name}={shown_value(value)}" for name, value in numbers.parameters.items())
    others = {name: value for name, value in numbers.parameters.items() if parameters[name] != value}
    if made.name == "piggy-six":
        told = "two players and max_dice=2 (for any target)"
        others.pop("target", None)
    hint = " ".join(f"-p {name}={shown_value(value)}" for name, value in others.items())
    raise BadInput(f"{made.name} has a card for {told} only", hint=hint)


def _stored(game: TurnGame, parameters: dict[str, Any], numbers: Numbers) -> Card:
    less = numbers.simpler
    return _card(
        game,
        numbers.found,
        _rows(numbers.numbers, parameters),
        numbers.cost,
        best_play=numbers.best_play,
        simpler=None if less is None else SimplerCard(_rows(less.numbers, parameters), less.cost, less.cost_to_best),
        near=numbers.numbers.get("near"),
        starts=numbers.starts,
        cost_to_best=numbers.cost_to_best,
    )


def _card(game: TurnGame, found: str, rows: tuple[Row, ...], cost: Cost | None, **more: Any) -> Card:
    """The card of a game as its rules are now."""
    return Card(game.name, game.title, plain_parameters(game), game.rules_version, found, rows, cost, game.unit, **more)


def _rows(numbers: Mapping[str, Any], parameters: Mapping[str, Any]) -> tuple[Row, ...]:
    """The rows that the numbers of a card say."""
    if "keeps" in numbers:
        return tuple(
            Keep(tuple(map(int, roll)), int(left), move)
            for left, moves in numbers["keeps"].items()
            for roll, move in moves.items()
        )
    if "width" in numbers:
        return _bands(numbers["table"], numbers["width"], numbers.get("finish", ()), parameters["target"])
    return tuple(
        Minimum(dice, bool(near), stop_at if stop_at < parameters["goal"] else None, worth)
        for near, row in enumerate(numbers["table"])
        for dice, (stop_at, worth) in enumerate(zip(row, numbers["worth"], strict=True), start=1)
    )


def _bands(table: Any, width: int, finish: Any, target: int) -> tuple[Row, ...]:
    bands = [(first, min(first + width, target) - 1) for first in range(0, target, width)]
    holds = [
        Band(mine, theirs, None if hold_at == TO_THE_END else hold_at)
        for mine, row in zip(bands, table, strict=True)
        for theirs, hold_at in zip(bands, row, strict=True)
    ]
    return (*holds, *(Finish(theirs, points) for theirs, points in zip(bands, finish, strict=bool(finish))))


def card_costs(game: str, numbers: Mapping[str, Any], params: Mapping[str, Any] | None = None) -> list[Cost | None]:
    """What it costs to play by a card's numbers, as ``compare`` has it, and that to the best player.

    Raises TooLarge where it cannot be told.
    """
    from rollwise.comparing import compare

    found = compare(game, rule_of(game, numbers), params)
    return [cost and Cost(*cost) for cost in (found.cost, found.cost_to_best)]


# --- cards made when they are asked for ------------------------------------------------------------------------------


def _read_off(game: TurnGame, parameters: dict[str, Any]) -> Card:
    """Thresholds with which the best play disagrees least; what they cost is worked out."""
    from rollwise.card_bands import bands_of
    from rollwise.ladders import decided_boards, steadiness

    found, steady = asked(
        game,
        anything,
        lambda found: (
            bands_of(found.opened, parameters["target"]),
            steadiness(found.opened, decided_boards(game)),
        ),
    )
    numbers = asdict(found)
    try:
        said = {name: value for name, value in game.parameters().items() if value != ()}
        cost, to_best = card_costs(game.name, numbers, said)
    except TooLarge:
        cost = to_best = None
    return _card(game, READ_OFF, _rows(numbers, parameters), cost, best_play=steady, cost_to_best=to_best)


def _first_turn(game: TurnGame, parameters: dict[str, Any]) -> Card:
    """What the best play keeps of every throw of the first turn."""
    return _card(game, EXACT, _rows({"keeps": first_keeps(game)}, parameters), Cost(0.0, 0.0, 0.0))


def first_keeps(game: TurnGame) -> dict[int, dict[str, str]]:
    """By throws left and by throw, the best move on the empty sheet, the first of those that are equally good."""
    from rollwise.asking import ask

    found = {}
    for rolls_left in (2, 1):
        moves = {}
        for roll, _ in throws(5):
            advice = ask(game.name, game.parameters(), state={"roll": roll, "rolls_left": rolls_left})
            assert advice.best
            moves[show(roll).replace(" ", "")] = advice.best[0]
        found[rolls_left] = moves
    return found
