"""``sweep`` and ``solve_all``: many games solved, kept, and put beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from rollwise.answers.labels import counted, quantity_label
from rollwise.answers.plan import SolvePlan
from rollwise.answers.sizes import time_in_words
from rollwise.answers.sweep import FAILED, KEPT, LEFT_OUT, NOTHING, SOLVED, SolvedRow
from rollwise.asking.plan import plan_of
from rollwise.asking.solve import solve
from rollwise.cache.store import StoreError
from rollwise.cluster.anywhere import spread
from rollwise.cluster.task import Task
from rollwise.games.registry import REGISTRY, find
from rollwise.parsing.consent import DOOR, announce_work, at_door
from rollwise.parsing.spans import games_of
from rollwise.parsing.validate import checked, known_parameters, some_names, the_game
from rollwise.solutions.carried import Carried, keep, solved_here, solved_there
from rollwise.solutions.games import is_kept
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.notes import note
from rollwise.solutions.plans import UNASKED_SECONDS, too_much
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.game import TurnGame

NO_WORK = SolvePlan(0, 0, 0.0, 0, 0, solved=True)


@checked
def sweep(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    most_seconds: float = UNASKED_SECONDS,
    scheduler: str | None = None,
    yes: bool = False,
) -> list[SolvedRow]:
    """Solve a game for several values of its rule parameters, keep all of them, and say what each start is worth.

    ``params``: of each parameter one value or several, in a list, or as text: ``10..50``, ``10..50..5``, ``a,b,c``.
    A solve that is planned to take more than ``most_seconds``, or without ``yes`` more than 2 GB or than there is room
    for, is left out, and its row says so; what the others take together is told before they begin.
    ``scheduler``: the address of a dask scheduler whose workers solve; what comes back is looked at, and kept, here.
    Raises BadInput for a game that cannot be, before anything is solved.

    >>> [(row.said["target"], round(row.value, 4)) for row in sweep("pig", params={"target": "2..4"})]
    [(2, 0.8571), (3, 0.8372), (4, 0.8182)]
    """
    return _rows(
        [_Wanted(made.name, said, made) for made, said in games_of(game, params or {})], most_seconds, scheduler
    )


@checked
def solve_all(
    *,
    games: Sequence[str] = (),
    most_seconds: float = UNASKED_SECONDS,
    scheduler: str | None = None,
    yes: bool = False,
) -> list[SolvedRow]:
    """Solve every game, or these, with every number of players, and keep all of them; else as ``sweep``.

    What is kept already is not solved again, so that what was stopped goes on where it was.
    """
    wanted = []
    for name in list(dict.fromkeys(find(said).name for said in some_names("games", games))) or REGISTRY:
        players = known_parameters(name).get("players")
        numbers: Sequence[int] = (players.metadata["choices"] or ()) if players else ()
        if players and not numbers:
            numbers = range(players.metadata["low"], players.metadata["high"] + 1)
        wanted += [_Wanted(name, {"players": number}) for number in sorted(numbers)] or [_Wanted(name, {})]
    return _rows(wanted, most_seconds, scheduler)


@dataclass
class _Wanted:
    """A game that is wanted, and what becomes of it."""

    name: str
    said: dict[str, Any]
    made: TurnGame | None = None
    row: SolvedRow | None = None
    plan: SolvePlan = NO_WORK

    def look(self, most_seconds: float, is_here: bool) -> None:
        """Find out what there is to do: nothing where there is a row then."""
        try:
            self.made = made = self.made or the_game(self.name, self.said)
            if is_kept(made):
                self.tell(KEPT if kind_of(made).keeps else NOTHING)
                return
            self.plan = plan = plan_of(made.part())
        except (RollwiseError, StoreError) as error:
            self.fail(LEFT_OUT, str(error))
            return
        if plan.seconds > most_seconds:
            self.fail(LEFT_OUT, f"that would take {time_in_words(plan.seconds)}")
            return
        reasons, door = too_much(replace(plan, seconds=0.0, memory=plan.memory if is_here else 0)), DOOR.get()
        if reasons and door and not door.yes:
            why = f"{' and '.join(reasons)}; {door.option} begins it"
            self.fail(LEFT_OUT, f"that would take {plan.takes}: {why}")

    def fail(self, state: str, reason: str) -> None:
        """There is no answer, and that is why."""
        parameters = plain_parameters(self.made) if self.made else self.said
        self.row = SolvedRow(self.name, parameters, self.said, state, reason)

    def tell(self, state: str) -> None:
        """What its start is worth, of a game that is kept."""
        assert self.made is not None
        try:
            advice = solve(self.name, params=self.said)
        except (RollwiseError, StoreError) as error:
            self.fail(FAILED, str(error))
            return
        facts = {name: advice.facts[name] for name in ("boards", "seconds")}
        row = SolvedRow(self.name, advice.parameters, self.said, state, **facts)
        if advice.value is not None:
            self.row = replace(row, **{name: getattr(advice, name) for name in ("label", "unit", *BOUNDS)})
            return
        name = counted(self.made, advice.parameters, advice.state).name
        first = advice.quantities.get(name) or next(iter(advice.quantities.values()))
        label = first.label or quantity_label(name)
        is_shown = not isinstance(first.value, Mapping)
        self.row = replace(row, label=label, unit=first.unit, **{n: getattr(first, n) for n in BOUNDS if is_shown})

    def take(self, came: Any) -> None:
        """What a task has come to: it is kept, or has to be kept now, or has failed."""
        assert self.made is not None
        try:
            if isinstance(came, BaseException):
                raise came
            if isinstance(came, Carried):
                keep(self.made, came)
        except (RollwiseError, StoreError, MemoryError) as error:
            self.fail(FAILED, str(error) or type(error).__name__)
            return
        self.tell(SOLVED)


BOUNDS = ("value", "lower", "upper")


def _rows(wanted: list[_Wanted], most_seconds: float, scheduler: str | None) -> list[SolvedRow]:
    if not most_seconds >= 0:  # nan is not
        raise BadInput(f"most_seconds is a number from 0, got {most_seconds}", field="most_seconds")
    with Progress(f"{len(wanted)} games", verb="looking at") as progress:
        for place, one in enumerate(wanted):
            progress.share(place / len(wanted))
            one.look(most_seconds, scheduler is None)
    to_do = [one for one in wanted if one.row is None]
    total, done = sum(one.plan.seconds for one in to_do) or 1.0, 0.0
    if scheduler is not None:  # the longest first, so that none is left alone at the end
        to_do.sort(key=lambda one: -one.plan.seconds)
    elif to_do:
        disk, memory = sum(one.plan.kept for one in to_do), max(one.plan.memory for one in to_do)
        work = SolvePlan(0, 0, total, memory, disk, solved=False)
        announce_work(f"{len(to_do)} of these games are not solved yet: that takes", work)
    function = solved_here if scheduler is None else solved_there
    tasks = [Task(function, (one.name, one.said)) for one in to_do]
    with (
        at_door(None),  # each has been looked at
        Progress(f"{len(to_do)} games", planned=lambda: total) as progress,
        closing(spread(tasks, scheduler)) as coming,
    ):
        try:
            for place, came in coming if tasks else ():
                to_do[place].take(came)
                done += to_do[place].plan.seconds
                progress.share(done / total)
        except BaseException as error:
            kept = sum(one.row is not None and one.row.state == SOLVED for one in to_do)
            if kept and not isinstance(error, BadInput):
                note(f"{kept} of {len(to_do)} games are kept, the same command goes on from there")
            raise
    return [one.row for one in wanted if one.row is not None]
