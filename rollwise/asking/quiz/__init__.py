"""``quiz``: positions that people meet, in which it matters what they do, hardest first.

``playing`` plays the best player against itself, ``reading`` takes positions from a file, and ``hardest`` puts them in
order by what simple rules would do there.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from rollwise.answers.quiz import Quiz, QuizPosition, WrongRule
from rollwise.answers.spelling import shown_value
from rollwise.asking.again import command_of
from rollwise.asking.ask import answer
from rollwise.asking.question import question, reachable
from rollwise.asking.quiz.hardest import QuizRules, hardest_first, judged
from rollwise.asking.quiz.playing import AT_ONCE, Looked, Met, Player, ReadyTurns
from rollwise.asking.quiz.reading import StateFile, read_states
from rollwise.games.registry import find, spelt
from rollwise.parsing.records import placed
from rollwise.parsing.validate import as_said, checked, the_game
from rollwise.solutions.games import StoredSolution, with_solved
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.notes import note
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Question
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.plain import quoted
from rollwise.solver.turn.graph import TurnGraph

QUESTIONS = 10
LEAST = 0.5  # hundredths of a game's scale
PLAIN = 10  # the same: where the second-best move costs more everybody sees what to do
LOOKED_AT, MOST_LOOKED_AT = 2000, 100_000  # decisions
SEEDS = 1_000_000  # of these one is taken where none is said


@checked
def quiz(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    seed: int | None = None,
    n: int = QUESTIONS,
    least: float = LEAST,
    look: int = LOOKED_AT,
    file: str | PathLike[str] | None = None,
    yes: bool = False,
) -> list[QuizPosition]:
    """The ``n`` hardest positions in which the second-best move costs more than ``least``.

    ``least`` is in hundredths of the game's scale: of 1 where chances are counted, so in percentage points. Positions
    are met by the best player who plays itself, whole games from ``state`` (by default the start) until ``look``
    decisions were looked at; the same ``seed`` always meets the same. Or they are those of a ``file``: a record of
    games, or a state a line, as JSON or as ``field=value ...``. First come those that most simple rules get wrong (most
    points now, or one of the game's own rules of thumb), of these where they lose most; then the others, first where
    the second-best move loses the smallest part of what the best is worth; last those where it costs so much (ten
    hundredths) that nobody errs. No two of one kind (the same sorts of moves, as many throws left) follow each other
    while others are as hard. Where fewer than ``n`` qualify the list is shorter, and where none does it is empty.
    ``yes`` as in ``ask``. Raises BadInput where nobody chooses, and for what cannot be, of a file with the line.

    >>> first = quiz("pig", params={"target": 40}, seed=1, n=1, look=200)[0]
    >>> first.best, first.wrong[0].rule, first.wrong[0].move
    (['hold'], 'hold-at-25', 'roll')
    """
    return drawn_up(game, params, seed=seed, n=n, least=least, look=look, file=file, state=state).positions


@checked
def drawn_up(
    game: str,
    params: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    n: int = QUESTIONS,
    least: float = LEAST,
    look: int = LOOKED_AT,
    file: str | PathLike[str] | None = None,
    state: Mapping[str, Any] | None = None,
) -> Quiz:
    """The same with how the positions were found; see ``quiz``."""
    states = None if file is None else read_states(Path(file))
    made = the_game(game, params) if states is None else _of_file(game, params, states)
    for name, number in {"n": n, "look": look}.items():
        if not 1 <= number <= MOST_LOOKED_AT:
            raise BadInput(f"{name} is 1 to {MOST_LOOKED_AT:,}, got {number}", field=name)
    if not 0 <= least < math.inf:
        raise BadInput(f"least is a number from 0 on, got {least}", field="least")
    costs = float(least) * made.scale / 100
    kind = kind_of(made)
    if not kind.chooses:
        if kind.mixes:
            answer(made, {}, made.locate(), QueryOptions())  # says why nothing is solved
        raise BadInput(f"nobody chooses anything in {made.title} ({_as_typed(made)}), so there is nothing to ask")
    if states is not None:
        if seed is not None or state is not None:
            name = "seed" if seed is not None else "state"
            raise BadInput(f"all positions of a file are looked at; leave out {name}, or file", field=name)
        return _sorted(made, _looked_at(made, states, costs), n, None, str(states.path))
    chosen = secrets.randbelow(SEEDS) if seed is None else seed
    start = question(made, as_said(state, {}))
    return _sorted(made, _played(made, start, costs, chosen, look), n, chosen, None)


# --- the game --------------------------------------------------------------------------------------------------------


def _as_typed(made: TurnGame) -> str:
    """Its rule parameters as they are typed."""
    return ", ".join(f"{name}={shown_value(value)}" for name, value in plain_parameters(made).items()) or "as it is"


def _of_file(game: str, params: Mapping[str, Any] | None, states: StateFile) -> TurnGame:
    """The game of a file: a record says its parameters, which need not be said again."""
    if states.game is None:
        return the_game(game, params)
    name = find(game).name
    if spelt(states.game) != name:
        raise BadInput(f"{states.path} is a record of {quoted(states.game)}, not of {name}", field="game")
    with placed(f"{states.path}, line 1"):
        made = the_game(name, states.parameters)
    if params and the_game(name, params) != made:
        raise BadInput(f"{states.path} is a record of {name} with {_as_typed(made)}; leave out -p", field="parameters")
    if states.version is not None and states.version != made.rules_version:
        note(f"{states.path} was played by other rules ({states.version}, now {made.rules_version}); asked by today's")
    return made


# --- positions -------------------------------------------------------------------------------------------------------


def _played(made: TurnGame, start: Question, costs: float, seed: int, decisions: int) -> Looked:
    """The positions that the best player meets."""

    def play(stored: StoredSolution) -> Looked:
        player = Player(stored.opened, start, seed, Looked(made, costs))
        with Progress(str(made), verb="playing") as progress:
            player.play(decisions, progress.share)
        return player.looked

    return with_solved(made, reachable(made, *start), play)


def _looked_at(made: TurnGame, states: StateFile, costs: float) -> Looked:
    """The positions of a file in which there is a choice."""
    questions = []
    for place, state in states.states:
        with placed(place):
            questions.append((place, *question(made, state)))

    def check(graph: TurnGraph) -> None:
        for place, fields, position in questions:
            with placed(place):
                reachable(made, fields, position)(graph)

    def look(stored: StoredSolution) -> Looked:
        looked, turns = Looked(made, costs), ReadyTurns(stored.opened)
        with Progress(str(made), verb="looking at") as progress:
            for begin in range(0, len(questions), AT_ONCE):
                some = questions[begin : begin + AT_ONCE]
                turns.ready([turns.board(position) for *_, position in some])
                for _, fields, position in some:
                    looked.questions += 1
                    looked.look(turns.met(fields, position))
                progress.share((begin + len(some)) / len(questions))
        return looked

    return with_solved(made, check, look)


def _sorted(made: TurnGame, looked: Looked, n: int, seed: int | None, file: str | None) -> Quiz:
    """The hardest of the positions, with what ``ask`` says of them."""
    rules = QuizRules(made)
    every = [judged(rules, met) for met in looked.positions]
    usual = plain_parameters(the_game(made.name))
    return Quiz(
        game=made.name,
        parameters=plain_parameters(made),
        objective=made.measure,
        unit=made.unit,
        least=looked.costs,
        scale=made.scale,
        seed=seed,
        file=file,
        games=looked.games,
        looked_at=looked.decisions,
        differ=looked.differ,
        qualified=len(every),
        dearest=looked.dearest,
        broken_off=looked.broken_off,
        positions=[
            _position(made, met, wrong, usual)
            for met, wrong in islice(hardest_first(every, PLAIN * made.scale / 100), n)
        ],
    )


def _position(made: TurnGame, met: Met, wrong: list[WrongRule], usual: Mapping[str, Any]) -> QuizPosition:
    """A position as it is handed out."""
    advice = answer(made, met.fields, met.position, QueryOptions())
    choices = [move.name for move in met.moves]
    command = command_of(made.name, advice.parameters, usual, advice.state)
    return QuizPosition(replace(advice, facts={}), choices, met.second_loss, wrong, command)
