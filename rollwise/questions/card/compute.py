"""``card``: a policy that a person can follow, on one page, and the cost of playing by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.games.card_policies import UNTIL_WON, make_policy
from rollwise.games.cards import OTHER_PARAMETERS, BestPlay, Cost, list_cards, load_card
from rollwise.parsing.validate import parse_game
from rollwise.questions.ask.compute import ask
from rollwise.questions.card.data import EXACT, READ_OFF, Band, Card, CardRow, FinishBand, Keep, Minimum, SimplerCard
from rollwise.questions.card.thresholds import Bands, bands_of, boards_without_last_turn, count_violations
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, accept_any_turn, answer_from_solution
from rollwise.solver.model.dice import show, throws
from rollwise.solver.model.errors import BadInput, TooLarge
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import pick
from rollwise.text.labels import Labelled, cost_label
from rollwise.text.spelling import shown_value


@check_arguments
def card(game: str, *, params: Mapping[str, Any] | None = None, yes: bool = False) -> Card:
    """The strategy card of a game.

    The numbers are stored for the default rules. Pig and Piggy Six (two players, two dice) have a card for any target,
    with thresholds read off the best play; Yahtzee has one for both jokers. ``yes`` as in ``ask``.
    Raises BadInput for a game without a card.

    >>> made = card("pig", params={"target": 20})
    >>> made.rows[0]
    Band(mine=(0, 1), theirs=(0, 1), hold_at=None)
    >>> made.found, made.best_play.violations
    ('read off the best play', 0)
    """
    model = parse_game(game, params)
    numbers = load_card(model.name)
    if numbers is None:
        raise BadInput(f"there is no card for {model.name}; there are cards for {', '.join(list_cards())}")
    parameters = plain_parameters(model)
    if (numbers.parameters, numbers.rules_version) == (parameters, model.rules_version):
        lean, rows = numbers.simpler, _rows(numbers.numbers, parameters)
        simpler = lean and SimplerCard(_rows(lean.numbers, parameters), *_costs("knows", lean.cost, lean.cost_to_best))
        more = {"near": numbers.numbers.get("near"), **pick(numbers, "best_play", "starts")}
        return _card(model, numbers.found, rows, numbers.cost, numbers.cost_to_best, simpler=simpler, **more)
    maker = OTHER_PARAMETERS.get(model.name)
    if maker is not None and all(getattr(model, name) == value for name, value in maker.needs.items()):
        return _CARD_MAKERS[maker.how](model, parameters)
    if numbers.parameters == parameters:
        versions = f"they are version {model.rules_version} now, and it is of version {numbers.rules_version}"
        raise BadInput(f"the card of {model.name} was found for other rules: {versions}")
    required = maker.needs if maker is not None else numbers.parameters
    rules = {name: f"{name}={shown_value(value)}" for name, value in required.items()}
    named = ", ".join(rules.values()) + (" (for any target)" if maker is not None and "target" in parameters else "")
    hint = " ".join(
        f"-p {rules[name]}" for name, value in required.items() if parameters.get(name, model.__dict__[name]) != value
    )
    raise BadInput(f"{model.name} has a card for {named} only", hint=hint)


def _card(
    game: TurnGame, how: str, rows: tuple[CardRow, ...], cost: Cost | None, to_best: Cost | None = None, **more: Any
) -> Card:
    """The card of a game under its current rules."""
    of_cost, of_best = _costs("nobody" if how == EXACT else "knows", cost, to_best)
    head = game.name, game.title, plain_parameters(game), game.rules_version, how, rows
    return Card(*head, of_cost, game.unit, cost_to_best=of_best, **{"best_play": None, **more})


def _costs(others: str, cost: Cost | None, to_best: Cost | None) -> list[Labelled | None]:
    """The cost of a card against ``others``, and that against the best player, with their labels."""
    pairs = (others, cost), ("best", to_best)
    return [Labelled(cost_label(whom), of.value, of.lower, of.upper) if of else None for whom, of in pairs]


def _rows(numbers: Mapping[str, Any], parameters: Mapping[str, Any]) -> tuple[CardRow, ...]:
    """The rows of a card, from its numbers."""
    if "keeps" in numbers:
        return tuple(
            Keep(tuple(map(int, roll)), int(rolls_left), move)
            for rolls_left, moves in numbers["keeps"].items()
            for roll, move in moves.items()
        )
    if "width" in numbers:
        return _bands(numbers["table"], numbers["width"], numbers.get("finish", ()), parameters["target"])
    return tuple(
        Minimum(dice, bool(near), stop_at if stop_at < parameters["goal"] else None, value)
        for near, row in enumerate(numbers["table"])
        for dice, (stop_at, value) in enumerate(zip(row, numbers["worth"], strict=True), start=1)
    )


def _bands(table: Any, width: int, finish: Any, target: int) -> tuple[CardRow, ...]:
    bands = [(first, min(first + width, target) - 1) for first in range(0, target, width)]
    holds = [
        Band(mine, theirs, None if hold_at == UNTIL_WON else hold_at)
        for mine, row in zip(bands, table, strict=True)
        for theirs, hold_at in zip(bands, row, strict=True)
    ]
    return (*holds, *(FinishBand(theirs, points) for theirs, points in zip(bands, finish, strict=bool(finish))))


def card_costs(game: str, numbers: Mapping[str, Any], params: Mapping[str, Any] | None = None) -> list[Cost | None]:
    """The cost of playing by a card's numbers, as in ``compare``, and the cost to the best player.

    Raises TooLarge where ``compare`` does.
    """
    from rollwise.questions.compare.compute import compare

    comparison = compare(game, make_policy(numbers), params=params)
    return [cost and Cost(*cost) for cost in (comparison.cost, comparison.cost_to_best)]


# --- cards computed on demand ----------------------------------------------------------------------------------------


def _card_from_best_play(game: TurnGame, parameters: dict[str, Any]) -> Card:
    """The card with the thresholds of least weighted disagreement with the best play, and its computed cost."""

    def read(stored: StoredSolution) -> tuple[Bands, BestPlay]:
        solution = stored.solution
        return bands_of(solution, parameters["target"]), count_violations(solution, boards_without_last_turn(game))

    bands, steady = answer_from_solution(game, accept_any_turn, read)
    numbers = asdict(bands)
    try:
        params = {name: value for name, value in game.parameters().items() if value != ()}
        cost, to_best = card_costs(game.name, numbers, params)
    except TooLarge:
        cost = to_best = None
    return _card(game, READ_OFF, _rows(numbers, parameters), cost, to_best, best_play=steady)


def _card_of_first_turn(game: TurnGame, parameters: dict[str, Any]) -> Card:
    """The card of the dice that the best play keeps of every throw of the first turn."""
    return _card(game, EXACT, _rows({"keeps": first_keeps(game)}, parameters), Cost(0.0, 0.0, 0.0))


def first_keeps(game: TurnGame) -> dict[int, dict[str, str]]:
    """By throws left and by throw, the first of the best moves on the empty sheet."""

    def best(**state: Any) -> str:
        return ask(game.name, params=game.parameters(), state=state).best[0]

    rolls = [roll for roll, _ in throws(5)]
    return {left: {show(roll).replace(" ", ""): best(roll=roll, rolls_left=left) for roll in rolls} for left in (2, 1)}


_CARD_MAKERS = {"thresholds": _card_from_best_play, "first turn": _card_of_first_turn}
