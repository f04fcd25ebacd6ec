"""A record of every game and size, made once a process: states of every sort, each with its answer and what follows it.

A few short games are played by fixed seeds: every third move is the best one, the others are any. Each question of them
is kept with its answer and with what its move leads to, and the match as it stood before each step. Beside these stand
states that no such game comes to soon: one of each sort of state of the turn on some board, and every field at each of
its edges. Nothing is proved here; ``tests/house/test_sampled.py`` looks at all of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

from rollwise import Match
from rollwise.parsing.validate import parse_fields
from rollwise.questions.ask.data import Advice
from rollwise.questions.outcomes.compute import outcomes_after, resolve_move
from rollwise.questions.outcomes.data import OutcomeRow, Outcomes
from rollwise.questions.question import full_state, question as asked_of
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds.kind import QueryOptions, no_progress
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import Decision, End, Node, NodeKey, Position, TurnGame
from rollwise.solver.model.jsonable import as_json
from rollwise.solver.turn.graph import states_successors_first
from tests.asked import Question, ask, edges
from tests.sizes import Size, chooses

STEPS = 16  # moves and throws of a game at most
MOST_MOVES = 150  # how long the end of a game is waited for
MOST, OF_LUCK, ALONE = 3, 2, 1  # questions of a game; where nobody chooses; where all odds are worked out for each
BEST = 3  # every so many moves the best one is made
FOLLOWED = 8  # outcomes that are asked again, beside those that the games came to
N_BOARDS, N_STATES = 8, 6  # boards with a question, and states on each beside one of each sort
MOST_BOARDS = 60  # that are looked at for these
Lines = list[dict[str, Any]]
Dice = tuple[int, ...]


class Step(NamedTuple):
    """A match before a move, or before a throw where ``move`` is None: one of these ``dice``, or whatever falls."""

    record: Lines
    seen: tuple[Any, ...]
    move: str | None
    dice: Dice | None = None

    def take(self, match: Match) -> OutcomeRow | None:
        """Do it."""
        if self.move is None:
            return match.throw(self.dice)
        match.play(self.move)
        return None


class Way(NamedTuple):
    """A question of a game that came to its end, with the move that was made and the dice that fell."""

    state: Question
    move: str | None
    thrown: tuple[Dice, ...]


@dataclass
class Asked:
    """A question of a game: its answer, what the move that was made leads to, and the outcome that was come to."""

    state: Question
    advice: Advice
    outcomes: Outcomes
    plays_best: bool
    taken: OutcomeRow | None = None
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


def played(size: Size, state: Question, seed: int, most: int, ways: Sequence[Way] = ()) -> Played:
    """A game from this state on, broken off after so many questions; along ``ways``, while it keeps to them."""
    match, draw = Match(size.game.name, state=state, seed=seed), Random(f"{size} {seed}")
    questions: list[Asked] = []
    steps: list[Step] = []
    known, thrown = {str(way.state): way for way in ways}, list[Dice]()
    while not match.over and len(steps) < STEPS:
        if match.move is None:
            advice, here = match.advice, match.state or {}
            if len(questions) == most or advice is None:
                break
            way = known.get(str(here), Way(here, None, ()))
            best, moves, thrown = len(questions) % BEST == 0, match.moves, list(way.thrown)
            if moves and way.move is None:
                way = way._replace(move=advice.best[0] if best else draw.choice(moves).move)
            questions.append(Asked(here, advice, match.outcomes(way.move if moves else None), way.move in advice.best))
            if len(questions) > 1 and not match.hides:
                questions[-2].after = questions[-1]
        is_throw = match.waiting
        steps.append(
            Step(
                match.record(),
                seen(match),
                None if is_throw else way.move,
                thrown.pop(0) if is_throw and thrown else None,
            )
        )
        row = steps[-1].take(match)
        if not is_throw and not match.waiting and not match.hides:
            row = questions[-1].outcomes.rows[0]
        questions[-1].taken = row
    return Played(questions, steps, match.record(), match.over, match.result)


class Sample:
    """What is recorded of a size; each part is made when it is first looked at."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.made: TurnGame = size.game

    @cached_property
    def games(self) -> list[Played]:
        """The beginning of a game, and the end of another."""
        most = MOST if chooses(self.size) else ALONE if self.made.kind == "alone" else OF_LUCK
        ways = self.ways_to_the_end
        return [played(self.size, self.size.begins, 0, most), played(self.size, ways[0].state, 1, most, ways)]

    @cached_property
    def ways_to_the_end(self) -> list[Way]:
        """The last questions of a game in which anything is played."""
        made, draw, opened = self.made, Random(str(self.size)), load_or_solve(self.made).solution
        given, ways = parse_fields(made, self.size.begins), deque[Way](maxlen=MOST if chooses(self.size) else 1)
        for _ in range(MOST_MOVES):
            position = made.locate(**given)
            told = full_state(made, given, position)
            known = parse_fields(made, told)
            worths = opened.ask(position, given, QueryOptions(), no_progress).moves if chooses(self.size) else ()
            names = [worth.move for worth in worths]
            move = resolve_move(made, position, draw.choice(names) if names else None, names)
            falls = opened.throw_outcomes(known, position, move)
            weights = [float(fall.chance or 0) for fall in falls]
            fall = draw.choices(falls, weights if any(weights) else None)[0]
            ways.append(Way(as_json(told), move.name, fall.thrown))
            seat = opened.seat_after(position, fall.passed)
            after = None if fall.board is None else opened.question(known, move.name, fall, seat)
            if after is None:
                break
            given = dict(after[0])
        return [*ways]

    @cached_property
    def asked(self) -> list[Asked]:
        """The questions of all games, and a choice on a board that they may not come to."""
        found = [asked for game in self.games for asked in game.asked]
        if "a choice" in self.by_sort:
            state = self.by_sort["a choice"]
            advice = self.ask(state)
            move = Random(str(self.size)).choice(advice.moves).move
            outcomes = outcomes_after(self.made, *asked_of(self.made, state), move)
            found.append(Asked(as_json(outcomes.state), advice, outcomes, False))
        return found

    @cached_property
    def followers(self) -> list[tuple[Asked, OutcomeRow, Advice]]:
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
    def words(self) -> list[dict[NodeKey, Node]]:
        """All states of the turn with their words, for each of its roots."""
        turn = cache(self.made.turn)
        return [dict(states_successors_first(turn, [tuple(root)])) for root in self.made.roots()]

    @cached_property
    def possible(self) -> Any:
        """The boards that games come to."""
        space = self.made.boards()
        return np.flatnonzero(np.broadcast_to(self.made.possible(space.columns(np.arange(space.size))), space.size))

    def states_on(self, board: int) -> dict[NodeKey, Node]:
        """The states of a turn on this board."""
        space = self.made.boards()
        return self.words[int(np.broadcast_to(self.made.root(space.columns(np.array([board]))), 1)[0])]

    @cached_property
    def boards(self) -> list[int]:
        """Some possible boards."""
        draw = np.random.default_rng(0)
        return list(map(int, draw.choice(self.possible, min(MOST_BOARDS, len(self.possible)), replace=False)))

    @cached_property
    def described(self) -> list[Question]:
        """States on some boards, as questions name them: fields that are None are left out."""
        draw, found = Random(str(self.size)), []
        n_boards = 0
        for board in self.boards:
            states = self.states_on(board)
            by_sort = {sort_of(word): state for state, word in states.items()}
            some = [*by_sort.values(), *draw.sample([*states], min(N_STATES, len(states)))]
            on_board = self.made.boards().board(board)
            told = [said for state in some for said in self.made.describe(on_board, state)]
            found += [{name: value for name, value in said.items() if value is not None} for said in told]
            n_boards += bool(told)
            if n_boards == N_BOARDS:
                break
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


def sort_of(word: Node) -> str:
    """What can be done in a state of the turn."""
    if isinstance(word, Decision):
        return "a choice" if len(word.moves) > 1 else "the only move"
    return "an end" if isinstance(word, End) else "a throw"


@lru_cache(maxsize=2)
def sample_of(size: Size) -> Sample:
    """The sample of this size: tests of one size follow each other, so that few are kept."""
    return Sample(size)


def few_questions(size: Size, few: int = 6) -> list[Question]:
    """The start and some other positions, as a question names them."""
    found, located = list[Question]([{}]), [said for said, _ in sample_of(size).located]
    for said in Random(str(size)).sample(located, len(located)):
        if said not in found and len(found) <= few and is_one(size.game, said):
            found.append(said)
    return found


def is_one(game: TurnGame, told: Question) -> bool:
    """Is there anything to ask there?"""
    try:
        asked_of(game, told)
    except BadInput:
        return False
    return True
