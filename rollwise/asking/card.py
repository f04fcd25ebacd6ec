"""``card``: the policy as a person can use it, on one page, with what playing by it costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rollwise.answers.card import EXACT, READ_OFF, Band, Card, CardRow, FinishBand, Keep, Minimum, SimplerCard
from rollwise.answers.spelling import shown_value
from rollwise.games.cards import ANEW, CardNumbers, known_cards, numbers_of
from rollwise.games.cards.facts import BestPlay, Cost
from rollwise.games.cards.rules import TO_THE_END, rule_of
from rollwise.parsing.validate import checked, the_game
from rollwise.solutions.games import StoredSolution, anything, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solver.model.dice import show, throws
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import TurnGame


@checked
def card(game: str, *, params: Mapping[str, Any] | None = None, yes: bool = False) -> Card:
    """The strategy card of a game.

    The numbers are stored for the default rules. Pig and Piggy Six (two players, two dice) have a card for any target,
    whose thresholds are read off the best play; Yahtzee has one for both jokers. ``yes`` as in ``ask``.
    Raises BadInput where there is none.

    >>> made = card("pig", params={"target": 20})
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
    anew = ANEW.get(made.name)
    if anew is not None and all(getattr(made, name) == value for name, value in anew.needs.items()):
        return _BY[anew.how](made, parameters)
    if numbers.parameters == parameters:
        versions = f"they are version {made.rules_version} now, and it is of version {numbers.rules_version}"
        raise BadInput(f"the card of {made.name} was found for other rules: {versions}")
    needs = anew.needs if anew is not None else numbers.parameters
    rules = {name: f"{name}={shown_value(value)}" for name, value in needs.items()}
    named = ", ".join(rules.values()) + (" (for any target)" if anew is not None and "target" in parameters else "")
    hint = " ".join(
        f"-p {rules[name]}" for name, value in needs.items() if parameters.get(name, made.__dict__[name]) != value
    )
    raise BadInput(f"{made.name} has a card for {named} only", hint=hint)


def _stored(game: TurnGame, parameters: dict[str, Any], numbers: CardNumbers) -> Card:
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


def _card(game: TurnGame, found: str, rows: tuple[CardRow, ...], cost: Cost | None, **more: Any) -> Card:
    """The card of a game as its rules are now."""
    return Card(game.name, game.title, plain_parameters(game), game.rules_version, found, rows, cost, game.unit, **more)


def _rows(numbers: Mapping[str, Any], parameters: Mapping[str, Any]) -> tuple[CardRow, ...]:
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


def _bands(table: Any, width: int, finish: Any, target: int) -> tuple[CardRow, ...]:
    bands = [(first, min(first + width, target) - 1) for first in range(0, target, width)]
    holds = [
        Band(mine, theirs, None if hold_at == TO_THE_END else hold_at)
        for mine, row in zip(bands, table, strict=True)
        for theirs, hold_at in zip(bands, row, strict=True)
    ]
    return (*holds, *(FinishBand(theirs, points) for theirs, points in zip(bands, finish, strict=bool(finish))))


def card_costs(game: str, numbers: Mapping[str, Any], params: Mapping[str, Any] | None = None) -> list[Cost | None]:
    """What it costs to play by a card's numbers, as ``compare`` has it, and that to the best player.

    Raises TooLarge where it cannot be told.
    """
    from rollwise.asking.compare import compare

    comparison = compare(game, rule_of(game, numbers), params=params)
    return [cost and Cost(*cost) for cost in (comparison.cost, comparison.cost_to_best)]


# --- cards made when they are asked for ------------------------------------------------------------------------------


def _read_off(game: TurnGame, parameters: dict[str, Any]) -> Card:
    """Thresholds with which the best play disagrees least; what they cost is worked out."""
    from rollwise.asking.card_bands import Bands, bands_of
    from rollwise.asking.ladders import decided_boards, steadiness

    def read(stored: StoredSolution) -> tuple[Bands, BestPlay]:
        return bands_of(stored.opened, parameters["target"]), steadiness(stored.opened, decided_boards(game))

    bands, steady = with_solved(game, anything, read)
    numbers = asdict(bands)
    try:
        params = {name: value for name, value in game.parameters().items() if value != ()}
        cost, to_best = card_costs(game.name, numbers, params)
    except TooLarge:
        cost = to_best = None
    return _card(game, READ_OFF, _rows(numbers, parameters), cost, best_play=steady, cost_to_best=to_best)


def _first_turn(game: TurnGame, parameters: dict[str, Any]) -> Card:
    """What the best play keeps of every throw of the first turn."""
    return _card(game, EXACT, _rows({"keeps": first_keeps(game)}, parameters), Cost(0.0, 0.0, 0.0))


def first_keeps(game: TurnGame) -> dict[int, dict[str, str]]:
    """By throws left and by throw, the best move on the empty sheet, the first of those that are equally good."""
    from rollwise.asking.ask import ask

    keeps = {}
    for rolls_left in (2, 1):
        moves = {}
        for roll, _ in throws(5):
            advice = ask(game.name, params=game.parameters(), state={"roll": roll, "rolls_left": rolls_left})
            assert advice.best
            moves[show(roll).replace(" ", "")] = advice.best[0]
        keeps[rolls_left] = moves
    return keeps


_BY = {"thresholds": _read_off, "first turn": _first_turn}
