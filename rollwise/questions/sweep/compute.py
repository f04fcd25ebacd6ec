"""``sweep`` and ``solve_all``: many games solved, stored and compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.cache.store import StoreError
from rollwise.cluster.run import run_tasks
from rollwise.cluster.task import Task
from rollwise.games.registry import REGISTRY, find
from rollwise.parsing.consent import CONSENT, with_consent
from rollwise.parsing.validate import parse_game, parse_names, rule_parameters
from rollwise.questions.plan import plan_of
from rollwise.questions.solve import solve
from rollwise.questions.sweep.data import FAILED, LEFT_OUT, NOTHING, SOLVED, STORED, SolvedRow
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import is_solved
from rollwise.solutions.notes import note
from rollwise.solutions.plans import UNASKED_SECONDS, SolvePlan, announce_work, reasons_to_ask
from rollwise.solutions.progress import Progress
from rollwise.solutions.transfer import TransferredEntry, solve_and_store, solve_for_transfer, store_transfer
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, ParameterError, RollwiseError
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import pick
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import plain
from rollwise.text.labels import measure_of, quantity_label
from rollwise.text.numbers import time_in_words

NO_WORK = SolvePlan(0, 0, 0.0, 0, 0, solved=True)
SPAN = re.compile(r"\s*([0-9]{1,9})\.\.([0-9]{1,9})(?:\.\.([0-9]{1,9}))?\s*")
MAX_GAMES = 1000  # games of one sweep


@check_arguments
def sweep(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    most_seconds: float = UNASKED_SECONDS,
    scheduler: str | None = None,
    yes: bool = False,
) -> list[SolvedRow]:
    """Solve a game for several values of its rule parameters, store all solutions, and return the value of each start.

    ``params``: of each parameter one value or several, in a list, or as text: ``10..50``, ``10..50..5``, ``a,b,c``.
    A solve that is planned to take more than ``most_seconds``, or without ``yes`` more than 2 GB or the memory of the
    machine, is left out, and its row states why; a note announces what the others take together.
    ``scheduler``: the address of a dask scheduler whose workers solve; solutions are checked and stored here.
    Raises BadInput for an impossible game, before anything is solved.

    >>> [(row.said["target"], round(row.value, 4)) for row in sweep("pig", params={"target": "2..4"})]
    [(2, 0.8571), (3, 0.8372), (4, 0.8182)]
    """
    models = parse_games(game, params or {})
    return _rows([_SweepGame(model.name, values, model) for model, values in models], most_seconds, scheduler)


@check_arguments
def solve_all(
    *, games: Sequence[str] = (), most_seconds: float = UNASKED_SECONDS, scheduler: str | None = None, yes: bool = False
) -> list[SolvedRow]:
    """Solve every game, or these, with every number of players, and store all solutions; otherwise as ``sweep``.

    Stored solutions are not solved again, so a stopped run continues where it was.
    """
    sweep_games = []
    for name in list(dict.fromkeys(find(text).name for text in parse_names("games", games))) or REGISTRY:
        players = rule_parameters(name).get("players")
        numbers: Sequence[int] = (players.metadata["choices"] or ()) if players else ()
        if players and not numbers:
            numbers = range(players.metadata["low"], players.metadata["high"] + 1)
        sweep_games += [_SweepGame(name, {"players": number}) for number in sorted(numbers)] or [_SweepGame(name, {})]
    return _rows(sweep_games, most_seconds, scheduler)


@dataclass
class _SweepGame:
    """A game of a sweep, with its plan, and its row once that is settled."""

    name: str
    parameters: dict[str, Any]
    model: TurnGame | None = None
    row: SolvedRow | None = None
    plan: SolvePlan = NO_WORK

    def inspect(self, most_seconds: float, is_here: bool) -> None:
        """Plan the solve; a game that is stored already, or left out, gets its row."""
        try:
            self.model = model = self.model or parse_game(self.name, self.parameters)
            if is_solved(model):
                self.add_values(STORED if kind_of(model).is_stored else NOTHING)
                return
            self.plan = plan = plan_of(model.part())
        except (RollwiseError, StoreError) as error:
            self.fail(LEFT_OUT, str(error))
            return
        if plan.seconds > most_seconds:
            self.fail(LEFT_OUT, f"that would take {time_in_words(plan.seconds)}")
            return
        reasons, door = reasons_to_ask(replace(plan, seconds=0.0, memory=plan.memory if is_here else 0)), CONSENT.get()
        if reasons and door and not door.yes:
            why = f"{' and '.join(reasons)}; {door.option} begins it"
            self.fail(LEFT_OUT, f"that would take {plan.takes}: {why}")

    def fail(self, state: str, reason: str) -> None:
        """Make the row of a game without a solution: ``state`` and ``reason``."""
        parameters = plain_parameters(self.model) if self.model else self.parameters
        self.row = SolvedRow(self.name, parameters, self.parameters, state, reason)

    def add_values(self, state: str) -> None:
        """Make the row of a stored game: ``state`` and the value of the start."""
        assert self.model is not None
        try:
            advice = solve(self.name, params=self.parameters)
        except (RollwiseError, StoreError) as error:
            self.fail(FAILED, str(error))
            return
        facts = {name: advice.facts[name] for name in ("boards", "seconds")}
        row = SolvedRow(self.name, advice.parameters, self.parameters, state, **facts)
        if advice.value is not None:
            self.row = replace(row, **pick(advice, "label", "unit", *VALUE_FIELDS))
            return
        name = measure_of(self.model, advice.parameters, advice.state).name
        quantity = advice.quantities.get(name) or next(iter(advice.quantities.values()))
        label = quantity.label or quantity_label(name)
        values = {} if isinstance(quantity.value, Mapping) else pick(quantity, *VALUE_FIELDS)
        self.row = replace(row, label=label, unit=quantity.unit, **values)

    def take(self, result: Any) -> None:
        """Store the result of a task unless its process has; an exception becomes a failed row."""
        assert self.model is not None
        try:
            if isinstance(result, BaseException):
                raise result
            if isinstance(result, TransferredEntry):
                store_transfer(self.model, result)
        except (RollwiseError, StoreError, MemoryError) as error:
            self.fail(FAILED, str(error) or type(error).__name__)
            return
        self.add_values(SOLVED)


VALUE_FIELDS = ("value", "lower", "upper")


def _rows(games: list[_SweepGame], most_seconds: float, scheduler: str | None) -> list[SolvedRow]:
    if not most_seconds >= 0:  # nan is not
        raise BadInput(f"most_seconds is a number from 0, got {most_seconds}", field="most_seconds")
    with Progress(f"{len(games)} games", verb="looking at") as progress:
        for place, game in enumerate(games):
            progress.share(place / len(games))
            game.inspect(most_seconds, scheduler is None)
    to_do = [game for game in games if game.row is None]
    total, done = sum(game.plan.seconds for game in to_do) or 1.0, 0.0
    if scheduler is not None:  # the longest first, so that none is left alone at the end
        to_do.sort(key=lambda game: -game.plan.seconds)
    elif to_do:
        disk, memory = sum(game.plan.kept for game in to_do), max(game.plan.memory for game in to_do)
        work = SolvePlan(0, 0, total, memory, disk, solved=False)
        announce_work(f"{len(to_do)} of these games are not solved yet: that takes", work)
    function = solve_and_store if scheduler is None else solve_for_transfer
    tasks = [Task(function, (game.name, game.parameters)) for game in to_do]
    with (
        with_consent(None),  # each has been inspected
        Progress(f"{len(to_do)} games", planned=lambda: total) as progress,
        closing(run_tasks(tasks, scheduler)) as coming,
    ):
        try:
            for place, result in coming if tasks else ():
                to_do[place].take(result)
                done += to_do[place].plan.seconds
                progress.share(done / total)
        except BaseException as error:
            n_stored = sum(game.row is not None and game.row.state == SOLVED for game in to_do)
            if n_stored and not isinstance(error, BadInput):
                note(f"{n_stored} of {len(to_do)} games are stored; the same command continues from there")
            raise
    return [game.row for game in games if game.row is not None]


def parse_games(name: str, parameters: Mapping[str, Any]) -> list[tuple[TurnGame, dict[str, Any]]]:
    """The distinct games of these parameter values, each with its values; raises BadInput for one that is invalid, and
    for more than MAX_GAMES.

    >>> [values for _, values in parse_games("pig", {"target": "3,10..30..10"})]
    [{'target': 3}, {'target': 10}, {'target': 20}, {'target': 30}]
    """
    declared = rule_parameters(name)
    spans = {parameter: _values(declared, parameter, plain(value)) for parameter, value in parameters.items()}
    n_games = prod(map(len, spans.values()))
    if n_games > MAX_GAMES:
        raise ParameterError(f"a sweep has at most {MAX_GAMES:,} games, got {n_games:,}")
    games: dict[TurnGame, dict[str, Any]] = {}
    for values in product(*spans.values()):
        arguments = dict(zip(spans, values, strict=True))
        game = parse_game(name, arguments)
        by_name = {matched(parameter, declared) or parameter: value for parameter, value in arguments.items()}
        games.setdefault(game, {parameter: getattr(game, parameter, value) for parameter, value in by_name.items()})
    return list(games.items())


def _values(declared: Mapping[str, Any], parameter: str, value: Any) -> list[Any]:
    """The values of one parameter; for a parameter that is itself a list only a list of lists is several."""
    field = declared.get(matched(parameter, declared) or "")
    if field is not None and isinstance(field.default, tuple):
        return value if isinstance(value, list) and value and isinstance(value[0], list | str) else [value]
    if isinstance(value, list):
        return value or [value]
    if not isinstance(value, str):
        return [value]
    values: list[Any] = []
    for part in value.split(","):
        span = SPAN.fullmatch(part)
        if span is None:
            values.append(part)
            continue
        first, last, step = int(span[1]), int(span[2]), int(span[3] or 1)
        if last < first or not step:
            raise ParameterError(f"{parameter} from {first} to {last} by {step} has no values", field=parameter)
        if (last - first) // step >= MAX_GAMES:
            raise ParameterError(f"a sweep has at most {MAX_GAMES:,} games, {parameter}={part} more", field=parameter)
        values += range(first, last + 1, step)
    return values
