"""A record of every game and size, made once a process: states of every sort, each with its answer and what follows it.

A few short games are played by fixed seeds: every third move is the best one, the others are any. Each question of them
is kept with its answer and with what its move leads to, and the match as it stood before each step. Beside these stand
states that no such game comes to soon: one of each sort of state of the turn on some board, and every field at each of
its edges. Nothing is proved here; ``tests/properties/test_sampled.py`` looks at all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from rollwise import Match
from rollwise.answer import Advice
from rollwise.foreseeing import Outcomes, Row
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import Choice, End, Position, State, TurnGame, Word
from rollwise.solver.turn.graph import states_in_order
from tests.questions import Question, ask, edges
from tests.sizes import Size, chooses

GAMES, STEPS = 3, 24  # games of a size, and moves and throws of each at most
MOST = 20  # questions of all games
OF_LUCK = 2  # questions of a game in which nobody chooses: odds are worked out for each
BEST = 3  # every so many moves the best one is made
FOLLOWED = 8  # outcomes that are asked again, beside those that the games came to
N_BOARDS, N_STATES = 8, 6  # of which states are described without being played to
Lines = list[dict[str, Any]]


class Step(NamedTuple):
    """A match before a move, or before a throw where ``move`` is None."""

    record: Lines
    seen: tuple[Any, ...]
    move: str | None


@dataclass
class Asked:
    """A question of a game: its answer, what the move that was made leads to, and the outcome that was come to."""

    state: Question
    advice: Advice
    outcomes: Outcomes
    plays_best: bool
    taken: Row | None = None
    after: Asked | None = None


class Played(NamedTuple):
    """A game: its questions, its steps, and the record at its end."""

    asked: list[Asked]
    steps: list[Step]
    record: Lines
    over: bool
    result: list[float] | None


def seen(match: Match) -> tuple[Any, ...]:
    """All that a match shows of where it stands."""
    return match.state, match.mover, match.move, match.thrown, match.waiting, match.over, match.seed, match.result


def played(size: Size, seed: int, most: int) -> Played:
    """A game of so many questions, broken off where it takes long."""
    match, draw = Match(size.game.name, state=size.begins, seed=seed), Random(f"{size} {seed}")
    questions: list[Asked] = []
    steps: list[Step] = []
    while not match.over and len(steps) < STEPS:
        record, before, here = match.record(), seen(match), match.state or {}
        row = move = None
        if match.move is None:
            if len(questions) == most:
                break
            advice = match.advice
            assert advice is not None
            best = len(questions) % BEST == 0
            move = (advice.best or [None])[0] if best else draw.choice(match.moves).move if match.moves else None
            questions.append(Asked(here, advice, match.outcomes(move), best))
            if len(questions) > 1 and not match.hides:
                questions[-2].after = questions[-1]
        if move is None:
            row = match.throw()
        else:
            match.play(move)
            row = questions[-1].outcomes.rows[0] if not match.waiting and not match.hides else None
        questions[-1].taken = row
        steps.append(Step(record, before, move))
    return Played(questions, steps, match.record(), match.over, match.result)


class Sample:
    """What is recorded of a size; each part is made when it is first looked at."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.made: TurnGame = size.game

    @cached_property
    def games(self) -> list[Played]:
        """Some games; where odds are worked out for every question, the beginning of one."""
        found: list[Played] = []
        left = MOST if chooses(self.size) else OF_LUCK
        while left > 0 and len(found) < GAMES:
            found.append(played(self.size, len(found), left))
            left -= len(found[-1].asked)
        return found

    @property
    def asked(self) -> list[Asked]:
        """The questions of all games."""
        return [asked for game in self.games for asked in game.asked]

    @cached_property
    def followers(self) -> list[tuple[Asked, Row, Advice]]:
        """Outcomes with the answer of the state that follows: those that were come to, and some others."""
        draw = Random(str(self.size))
        come_to = [(asked, asked.taken, asked.after.advice) for asked in self.asked if asked.taken and asked.after]
        others = []
        for asked in self.asked:
            rows = [row for row in asked.outcomes.rows if row.state is not None and row is not asked.taken]
            others += [(asked, row) for row in draw.sample(rows, min(1, len(rows)))]
        some = draw.sample(others, min(FOLLOWED if chooses(self.size) else 1, len(others)))
        return [*come_to, *((asked, row, self.ask(row.state or {})) for asked, row in some)]

    def ask(self, question: Question) -> Advice:
        """The answer of a question, worked out once."""
        key = repr(question)
        if key not in self._answers:
            self._answers[key] = ask(self.made, question)
        return self._answers[key]

    @cached_property
    def _answers(self) -> dict[str, Advice]:
        return {}

    # --- what is not played to --------------------------------------------------------------------------------------

    @cached_property
    def words(self) -> list[dict[State, Word]]:
        """All states of the turn with their words, for each of its roots."""
        turn = cache(self.made.turn)
        return [dict(states_in_order(turn, [tuple(root)])) for root in self.made.roots()]

    @cached_property
    def possible(self) -> Any:
        """The boards that games come to."""
        space = self.made.boards()
        return np.flatnonzero(np.broadcast_to(self.made.possible(space.columns(np.arange(space.size))), space.size))

    def states_on(self, board: int) -> dict[State, Word]:
        """The states of a turn on this board."""
        space = self.made.boards()
        return self.words[int(np.broadcast_to(self.made.root(space.columns(np.array([board]))), 1)[0])]

    def some_boards(self, draw: Random) -> list[int]:
        """Some possible boards."""
        return [int(board) for board in draw.choices(self.possible.tolist(), k=N_BOARDS)]

    @cached_property
    def described(self) -> list[Question]:
        """States on some boards, as questions name them: fields that are None are left out."""
        draw, found = Random(str(self.size)), []
        for board in self.some_boards(draw):
            states = self.states_on(board)
            by_sort: dict[str, list[State]] = {}
            for state, word in states.items():
                by_sort.setdefault(sort_of(word), []).append(state)
            some = [draw.choice(of_sort) for of_sort in by_sort.values()]
            for state in [*some, *draw.sample([*states], min(N_STATES, len(states)))]:
                for said in self.made.describe(self.made.boards().board(board), state):
                    found.append({name: value for name, value in said.items() if value is not None})
        return found

    @cached_property
    def located(self) -> list[tuple[Question, Position]]:
        """Those of them that can be asked, and where they stand."""
        found = []
        for said in self.described:
            with suppress(BadInput):
                found.append((said, self.made.locate(**said)))
        return found

    @cached_property
    def by_sort(self) -> dict[str, Question]:
        """One question of each sort of state of the turn."""
        found: dict[str, Question] = {}
        for said, position in self.located:
            word = self.states_on(self.made.boards().index_of(**position.board)).get(position.state)
            if word is not None and not isinstance(word, End):
                found.setdefault(sort_of(word), said)
        return found

    @cached_property
    def at_edges(self) -> list[tuple[Question, Advice | str]]:
        """The start and some positions, every field in turn at each of its edges: the answer, or why there is none."""
        return [(question, self._told(question)) for question in self._edges()]

    def _told(self, question: Question) -> Advice | str:
        try:
            return self.ask(question)
        except BadInput as error:
            return str(error)

    def _edges(self) -> Iterator[Question]:
        before: list[Question] = [{}]
        for said in self.described:
            if not set(said) <= {name for other in before for name in other}:
                before.append(said)
        yield from before
        for field in self.made.fields():
            for edge in edges(field, self.made):
                yield from ({**question, field.name: edge} for question in before)


def sort_of(word: Word) -> str:
    """What can be done in a state of the turn."""
    if isinstance(word, Choice):
        return "a choice" if len(word.moves) > 1 else "the only move"
    return "an end" if isinstance(word, End) else "a throw"


@lru_cache(maxsize=2)
def sample_of(size: Size) -> Sample:
    """The sample of this size: tests of one size follow each other, so that few are kept."""
    return Sample(size)
