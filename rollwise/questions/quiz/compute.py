"""``quiz``: positions in which a mistake costs, hardest first.

They come from self-play of the best player, or from a file: a record of games, or one state per line.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from rollwise.arguments import check_arguments
from rollwise.games.registry import find, spelt
from rollwise.parsing.records import at_place, parse_json, read_text, require_lines
from rollwise.parsing.validate import parse_assignments, parse_game, question_fields
from rollwise.questions.ask.compute import answer
from rollwise.questions.question import command_of, question, reachable
from rollwise.questions.quiz.data import Quiz, QuizPosition, WrongRule
from rollwise.questions.quiz.hardest import QuizRules, hardest_first
from rollwise.questions.quiz.playing import N_PARALLEL_GAMES, DecisionLog, Player, QuizDecision, ReadyTurns
from rollwise.solutions.identity import plain_parameters
from rollwise.solutions.lookup import StoredSolution, answer_from_solution
from rollwise.solutions.notes import note
from rollwise.solutions.progress import Progress
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import QueryOptions, Question
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.jsonable import pick
from rollwise.solver.model.plain import quoted
from rollwise.solver.turn.graph import TurnCheck, TurnGraph
from rollwise.text.spelling import shown_value

QUESTIONS = 10
MIN_COST_HUNDREDTHS = 0.5  # of a game's scale, such as percentage points
PLAIN_COST_HUNDREDTHS = 10  # a second-best move that costs more is plainly wrong
N_DECISIONS, MAX_DECISIONS = 2000, 100_000  # decisions
N_SEEDS = 1_000_000  # a default seed is drawn from these
MAX_LINES = 100_000  # of a file
MARK = "rollwise"  # a key of the first line of a record, and of no state
CHOICE = "choice"  # a key of the lines of a record with a decision
FIELD = re.compile(r"\s+(?=\w+\s*=)")  # between two fields: names of boxes have spaces


@check_arguments
def quiz(
    game: str,
    *,
    params: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    seed: int | None = None,
    n: int = QUESTIONS,
    least: float = MIN_COST_HUNDREDTHS,
    look: int = N_DECISIONS,
    file: str | PathLike[str] | None = None,
    yes: bool = False,
) -> list[QuizPosition]:
    """The ``n`` hardest positions in which the second-best move costs more than ``least``.

    ``least`` is in hundredths of the game's scale: where values are chances, in percentage points. Positions come from
    self-play of the best player, whole games from ``state`` (by default the start) until ``look`` decisions were
    checked; the same ``seed`` always gives the same. Or they come from a ``file``: a record of games, or a state a
    line, as JSON or as ``field=value ...``. First come those that most simple rules get wrong (most points now, or one
    of the game's own rules of thumb), of these the largest losses; then the others, by the second-best move's loss
    relative to the best value; last those where it costs more than ten hundredths, which are plain. Two of one kind
    (the same sorts of moves, as many throws left) follow each other only if no other kind is as hard. The list is
    shorter than ``n``, or empty, where fewer qualify. ``yes`` as in ``ask``. Raises BadInput for a game without
    choices, and for an impossible state, of a file with its line.

    >>> first = quiz("pig", params={"target": 40}, seed=1, n=1, look=200)[0]
    >>> first.best, first.wrong[0].rule, first.wrong[0].move
    (['hold'], 'hold-at-25', 'roll')
    """
    return make_quiz(game, params, seed=seed, n=n, least=least, look=look, file=file, state=state).positions


@check_arguments
def make_quiz(
    game: str,
    params: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    n: int = QUESTIONS,
    least: float = MIN_COST_HUNDREDTHS,
    look: int = N_DECISIONS,
    file: str | PathLike[str] | None = None,
    state: Mapping[str, Any] | None = None,
) -> Quiz:
    """The positions of ``quiz``, with the counts of the search."""
    states = None if file is None else read_states(Path(file))
    model = parse_game(game, params) if states is None else _game_of_file(game, params, states)
    for name, number in {"n": n, "look": look}.items():
        if not 1 <= number <= MAX_DECISIONS:
            raise BadInput(f"{name} is 1 to {MAX_DECISIONS:,}, got {number}", field=name)
    if not 0 <= least < math.inf:
        raise BadInput(f"least is a number from 0 on, got {least}", field="least")
    costs = float(least) * model.scale / 100
    kind = kind_of(model)
    if not kind.has_decisions:
        if kind.is_mixed:
            answer(model, {}, model.locate(), QueryOptions())  # raises the reason why nothing is solved
        raise BadInput(f"{model.title} ({_parameters_text(model)}) has no choices, so there is nothing to ask")
    if states is not None:
        if seed is not None or state is not None:
            name = "seed" if seed is not None else "state"
            raise BadInput(f"all positions of a file are looked at; leave out {name}, or file", field=name)
        return _quiz_of(model, _positions_of_file(model, states, costs), n, None, str(states.path))
    chosen = secrets.randbelow(N_SEEDS) if seed is None else seed
    start = question(model, question_fields(state, {}))
    return _quiz_of(model, _positions_from_play(model, start, costs, chosen, look), n, chosen, None)


# --- the game --------------------------------------------------------------------------------------------------------


def _parameters_text(game: TurnGame) -> str:
    """The rule parameters of a game as a user types them."""
    return ", ".join(f"{name}={shown_value(value)}" for name, value in plain_parameters(game).items()) or "as it is"


def _game_of_file(game: str, params: Mapping[str, Any] | None, states: StateFile) -> TurnGame:
    """The game of a file, with the parameters of a record if it is one."""
    if states.game is None:
        return parse_game(game, params)
    name = find(game).name
    if spelt(states.game) != name:
        raise BadInput(f"{states.path} is a record of {quoted(states.game)}, not of {name}", field="game")
    with at_place(f"{states.path}, line 1"):
        model = parse_game(name, states.parameters)
    if params and parse_game(name, params) != model:
        rules = _parameters_text(model)
        raise BadInput(f"{states.path} is a record of {name} with {rules}; leave out -p", field="parameters")
    if states.version is not None and states.version != model.rules_version:
        note(f"{states.path} has other rules ({states.version}, now {model.rules_version}); today's rules apply")
    return model


# --- positions -------------------------------------------------------------------------------------------------------


def _positions_from_play(game: TurnGame, start: Question, costs: float, seed: int, decisions: int) -> DecisionLog:
    """The positions that the best player reaches in self-play."""

    def play(stored: StoredSolution) -> DecisionLog:
        player = Player(stored.solution, start, seed, DecisionLog(game, costs))
        with Progress(str(game), verb="playing") as progress:
            player.play(decisions, progress.share)
        return player.log

    return answer_from_solution(game, reachable(game, *start), play)


def _positions_of_file(game: TurnGame, states: StateFile, costs: float) -> DecisionLog:
    """The positions of a file in which there is a choice."""
    questions = []
    for place, state in states.states:
        with at_place(place):
            questions.append((place, *question(game, state)))

    def check(graph: TurnGraph) -> None:
        for place, fields, position in questions:
            with at_place(place):
                reachable(game, fields, position)(graph)

    def look(stored: StoredSolution) -> DecisionLog:
        log, turns = DecisionLog(game, costs), ReadyTurns(stored.solution)
        with Progress(str(game), verb="looking at") as progress:
            for begin in range(0, len(questions), N_PARALLEL_GAMES):
                batch = questions[begin : begin + N_PARALLEL_GAMES]
                turns.ready([turns.board(position) for *_, position in batch])
                for _, fields, position in batch:
                    log.questions += 1
                    log.add(turns.decision_at(fields, position))
                progress.share((begin + len(batch)) / len(questions))
        return log

    return answer_from_solution(game, TurnCheck(check), look)


def _quiz_of(game: TurnGame, log: DecisionLog, n: int, seed: int | None, file: str | None) -> Quiz:
    """The hardest of the positions, each with its advice."""
    every = list(map(QuizRules(game).rate, log.positions))
    usual = plain_parameters(parse_game(game.name))
    return Quiz(
        **pick(game, "unit", "scale"),
        **pick(log, "games", "differ", "dearest", "broken_off"),
        game=game.name,
        parameters=plain_parameters(game),
        objective=game.measure,
        least=log.costs,
        seed=seed,
        file=file,
        looked_at=log.decisions,
        qualified=len(every),
        positions=[
            _position(game, decision, wrong, usual)
            for decision, wrong in islice(hardest_first(every, PLAIN_COST_HUNDREDTHS * game.scale / 100), n)
        ],
    )


def _position(game: TurnGame, decision: QuizDecision, wrong: list[WrongRule], usual: Mapping[str, Any]) -> QuizPosition:
    """A position of the quiz, with its advice and the command that repeats it."""
    advice = answer(game, decision.fields, decision.position, QueryOptions())
    choices = [move.name for move in decision.moves]
    command = command_of(game.name, advice.parameters, usual, advice.state)
    return QuizPosition(replace(advice, facts={}), choices, decision.second_loss, wrong, command)


# --- positions from a file -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateFile:
    """The states of a file, each with its place; of a record also its ``game`` and ``parameters``."""

    path: Path
    states: list[tuple[str, Mapping[str, Any]]]
    game: str | None = None
    parameters: Mapping[str, Any] | None = None
    version: int | None = None


def read_states(path: Path) -> StateFile:
    """The states of a file; raises BadInput with the line for an invalid state.

    A record that ends in the middle of a line is read up to there, with a note.
    """
    every = ((f"{path}, line {number}", line.strip()) for number, line in enumerate(read_text(path).splitlines(), 1))
    lines = [(place, line) for place, line in every if line and not line.startswith("#")]
    if len(lines) > MAX_LINES:
        raise BadInput(f"{path} has {len(lines):,} lines; up to {MAX_LINES:,} are looked at", field="file")
    if not lines:
        raise BadInput(f"{path} has no states in it", field="file")
    head = parse_json(lines[0][1])
    if isinstance(head, Mapping) and MARK in head:
        return _record(path, lines)
    states = []
    for place, line in lines:
        with at_place(place):
            states.append((place, _state(line)))
    return StateFile(path, states)


def _state(line: str) -> Mapping[str, Any]:
    """A state as JSON or as typed; of a line of a quiz or an answer, its state."""
    if not line.startswith("{"):
        pairs = parse_assignments(FIELD.split(line), "field")
        return {name.strip(): value.strip(" \"'") for name, value in pairs.items()}
    state = parse_json(line)
    if not isinstance(state, Mapping):
        raise BadInput("a state is a JSON object, or fields as name=value, and this is neither")
    inside = state.get("state")
    return inside if isinstance(inside, Mapping) else state


def _record(path: Path, lines: list[tuple[str, str]]) -> StateFile:
    """The states of the decisions of a record."""
    parsed = [(place, parse_json(line)) for place, line in lines]
    if parsed[-1][1] is None:
        note(f"{path} ends in the middle of {lines.pop()[0].rpartition(', ')[2]}; the lines before it are used")
    whole: list[tuple[str, Any]] = [
        (place, text if line is None else line) for (place, text), (_, line) in zip(lines, parsed, strict=False)
    ]
    require_lines(whole)
    (_, head), *played = whole
    states = []
    for place, line in played:
        if CHOICE in line:
            if line.get("state") is None:
                raise BadInput(f"{place}: a choice of a record has a state", field="state")
            states.append((place, line["state"]))
    version = head.get("rules_version") if isinstance(head.get("rules_version"), int) else None
    return StateFile(path, states, head["game"], head.get("parameters") or {}, version)
