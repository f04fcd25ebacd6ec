"""``quiz``: positions that people meet, in which it matters what they do, hardest first.

``playing`` plays the best player against itself, ``reading`` takes positions from a file; ``rules`` says what simple
rules would do there. ``session`` asks them at the terminal.
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
from rollwise.asking.quiz.hardest import hardest_first, judged
from rollwise.asking.quiz.playing import AT_ONCE, Boards, Met, PlayedGame, Player
from rollwise.asking.quiz.reading import Lines, read_states
from rollwise.asking.quiz.rules import QuizRules
from rollwise.games.registry import find, spelt
from rollwise.reading.door import as_said, checked, the_game
from rollwise.solved.games import Stored, note, with_solved
from rollwise.solved.identity import plain_parameters
from rollwise.solved.progress import Progress
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import Position, TurnGame
from rollwise.solver.game.plain import quoted
from rollwise.solver.kinds import kind_of
from rollwise.solver.kinds.kind import Wanted
from rollwise.solver.turn.query import can_be_asked

QUESTIONS = 10
LEAST = 0.5  # hundredths of a game's scale
PLAIN = 10  # the same: where the second-best move costs more everybody sees what to do
LOOKED_AT, MOST_LOOKED_AT = 2000, 100_000  # decisions
SEEDS = 1_000_000  # of these one is taken where none is said
Found = dict[tuple[int, Any], Met]  # positions that differ, by board and state


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
    Raises BadInput where nobody chooses, and for what cannot be, of a file with the line.

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
    lines = None if file is None else read_states(Path(file))
    made = the_game(game, params) if lines is None else _of_file(game, params, lines)
    wanted, looks = _count("n", n, MOST_LOOKED_AT), _count("look", look, MOST_LOOKED_AT)
    costs = _least(least) * made.scale / 100
    kind = kind_of(made)
    if not kind.chooses:
        if kind.mixes:
            answer(made, {}, made.locate(), Wanted())  # says why nothing is solved
        raise BadInput(f"nobody chooses anything in {made.title} ({_as_typed(made)}), so there is nothing to ask")
    if lines is not None:
        if seed is not None or state is not None:
            said = "seed" if seed is not None else "state"
            raise BadInput(f"all positions of a file are looked at; leave out {said}, or file", field=said)
        return _sorted(made, *_from_file(made, lines, costs), wanted, None, str(lines.path))
    given, position = question(made, as_said(state, {}))
    chosen = secrets.randbelow(SEEDS) if seed is None else seed
    return _sorted(made, *_played(made, given, position, costs, chosen, looks), wanted, chosen, None)


# --- what was asked for ----------------------------------------------------------------------------------------------


def _count(name: str, given: int, most: int) -> int:
    if not 1 <= given <= most:
        raise BadInput(f"{name} is 1 to {most:,}, got {given}", field=name)
    return given


def _least(given: float) -> float:
    if not 0 <= given < math.inf:
        raise BadInput(f"least is a number from 0 on, got {given}", field="least")
    return float(given)


def _as_typed(made: TurnGame) -> str:
    """Its rule parameters as they are typed."""
    return ", ".join(f"{name}={shown_value(value)}" for name, value in plain_parameters(made).items()) or "as it is"


def _of_file(game: str, params: Mapping[str, Any] | None, lines: Lines) -> TurnGame:
    """The game of a file: a record says its parameters, which need not be said again."""
    if lines.game is None:
        return the_game(game, params)
    name = find(game).name
    if spelt(lines.game) != name:
        raise BadInput(f"{lines.path} is a record of {quoted(lines.game)}, not of {name}", field="game")
    try:
        made = the_game(name, lines.parameters)
    except BadInput as error:
        raise lines.wrong(1, error) from None
    if params and the_game(name, params) != made:
        raise BadInput(f"{lines.path} is a record of {name} with {_as_typed(made)}; leave out -p", field="parameters")
    if lines.version is not None and lines.version != made.rules_version:
        note(f"{lines.path} was played by other rules ({lines.version}, now {made.rules_version}); asked by today's")
    return made


# --- positions -------------------------------------------------------------------------------------------------------


class _Looking:
    """Keeps the positions that differ; counts those where the second-best move costs more than ``costs``."""

    def __init__(self, made: TurnGame, costs: float) -> None:
        self.space, self.costs = made.boards(), costs
        self.found: Found = {}
        self.seen: set[tuple[int, Any]] = set()
        self.dearest = 0.0

    def look(self, met: Met) -> None:
        """One decision more."""
        key = self.space.index_of(**met.position.board), met.position.state
        if key in self.seen:
            return
        self.seen.add(key)
        self.dearest = max(self.dearest, met.second_loss)
        if met.second_loss > self.costs:
            self.found[key] = met


def _played(
    made: TurnGame, given: Mapping[str, Any], position: Position, costs: float, seed: int, looks: int
) -> tuple[_Looking, PlayedGame]:
    """The positions that the best player meets."""

    def play(found: Stored) -> tuple[_Looking, PlayedGame]:
        looking = _Looking(made, costs)
        with Progress(str(made), verb="playing") as progress:
            played = Player(found.opened, given, position, seed, looking.look).play(looks, progress.share)
        return looking, played

    return with_solved(made, reachable(made, given, position), play)


def _from_file(made: TurnGame, lines: Lines, costs: float) -> tuple[_Looking, PlayedGame]:
    """The positions of a file in which there is a choice."""
    questions = []
    for line, said in lines.states:
        try:
            questions.append((line, *question(made, said)))
        except BadInput as error:
            raise lines.wrong(line, error) from None

    def check(graph: Any) -> None:
        for line, given, position in questions:
            if not can_be_asked(made, graph, position.state):
                try:
                    reachable(made, given, position)(graph)
                except BadInput as error:
                    raise lines.wrong(line, error) from None

    def read(found: Stored) -> tuple[_Looking, PlayedGame]:
        looking, played, boards = _Looking(made, costs), PlayedGame(), Boards(found.opened)
        with Progress(str(made), verb="looking at") as progress:
            for begin in range(0, len(questions), AT_ONCE):
                some = questions[begin : begin + AT_ONCE]
                boards.ready([boards.board(position) for _, _, position in some])
                for _, given, position in some:
                    met = boards.met(given, position)
                    played.questions += 1
                    if len(met.moves) > 1:
                        played.decisions += 1
                        looking.look(met)
                progress.share((begin + len(some)) / len(questions))
        return looking, played

    return with_solved(made, check, read)


def _sorted(
    made: TurnGame, looking: _Looking, played: PlayedGame, wanted: int, seed: int | None, file: str | None
) -> Quiz:
    """The hardest of the positions, with what ``ask`` says of them."""
    rules = QuizRules(made)
    found = [judged(rules, met) for met in looking.found.values()]
    usual = plain_parameters(the_game(made.name))
    return Quiz(
        game=made.name,
        parameters=plain_parameters(made),
        objective=made.measure,
        unit=made.unit,
        least=looking.costs,
        scale=made.scale,
        seed=seed,
        file=file,
        games=played.games,
        looked_at=played.decisions,
        differ=len(looking.seen),
        qualified=len(found),
        dearest=looking.dearest,
        broken_off=played.broken_off,
        positions=[
            _position(made, met, wrong, usual)
            for met, wrong in islice(hardest_first(found, PLAIN * made.scale / 100), wanted)
        ],
    )


def _position(made: TurnGame, met: Met, wrong: list[WrongRule], usual: Mapping[str, Any]) -> QuizPosition:
    """A position as it is handed out."""
    advice = answer(made, met.fields, met.position, Wanted())
    choices = [move.name for move in met.moves]
    command = command_of(made.name, advice.parameters, usual, advice.state)
    return QuizPosition(replace(advice, facts={}), choices, met.second_loss, wrong, command)
