"""Answers to what programs ask: the functions of ``rollwise``, told as plain data. All of it runs in a worker."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import rollwise
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.stored import Unsolved
from rollwise.web.bodies import OfAMove, Played, Question, Table, TheGame, Thrown
from rollwise.web.jobs import Jobs
from rollwise.web.questions import require_small, the_game_asked, the_record

MOST_ROWS = 100_000  # of a table
PIECE = 1 << 16  # bytes that are sent at once
Plain = dict[str, Any]


def _asked(body: TheGame, jobs: Jobs) -> TurnGame:
    """The game of a question; raises Unsolved, before anything is worked out, while it is being solved."""
    game = the_game_asked(body.game, body.params)
    if isinstance(body, Question):
        require_small("state", body.state)
    job = jobs.of(game)
    if job is not None and not job.is_over:
        raise Unsolved(game)
    return game


def rules(game: str, parameters: Mapping[str, Any]) -> Plain:
    """``rollwise rules --json``."""
    return rollwise.rules(the_game_asked(game, parameters).name, parameters)


def ask(body: Question, jobs: Jobs) -> Plain:
    """``rollwise ask --json``."""
    return rollwise.ask(_asked(body, jobs).name, body.params, state=body.state).plain()


def outcomes(body: OfAMove, jobs: Jobs) -> Plain:
    """``rollwise ask --next --json``."""
    return rollwise.outcomes(_asked(body, jobs).name, body.state, body.move, body.params, each=body.each).plain()


def why(body: Question, jobs: Jobs) -> Plain:
    """``rollwise ask --why --json``."""
    return rollwise.why(_asked(body, jobs).name, body.state, body.move, body.params).plain()


def solve(body: TheGame, jobs: Jobs) -> Plain:
    """``rollwise solve --json``."""
    return rollwise.solve(_asked(body, jobs).name, body.params).plain_solution()


def review(body: Played, jobs: Jobs) -> Plain:
    """``rollwise review --json``."""
    if (body.record is None) == (body.text is None):
        raise BadInput("a game is reviewed from its record or from text; say one of them", field="record")
    # always a list: text by itself could be taken for the name of a file
    lines = (body.text or "").split("\n") if body.record is None else the_record(body.record)
    how: Plain = {} if body.grades is None else {"grades": body.grades}
    return rollwise.review(lines, anyway=body.anyway, **how).plain()


def throw(body: Thrown, jobs: Jobs) -> Plain:
    """A match after its next throw."""
    if (body.record is None) == (body.game is None):
        raise BadInput("dice fall in a record, or in a game after a move; say one of them", field="record")
    if body.record is not None:
        if body.params or body.state or body.move is not None or body.seed is not None:
            raise BadInput(
                "a record says itself what is played; leave out params, state, move and seed", field="record"
            )
        match = rollwise.Match.of(the_record(body.record))
    else:
        game = the_game_asked(body.game, body.params)
        require_small("state", body.state)
        match = rollwise.Match(game.name, body.params, state=body.state, seed=body.seed)
        if body.move is not None:
            match.play(body.move)
        elif kind_of(game).chooses:
            legal = ", ".join(match.legal)
            raise BadInput(f"dice fall after a move; say which: {legal}", field="move")
    require_small("dice", {"dice": body.dice})
    row = match.throw(body.dice) if match.waiting or body.move is None else None
    return {
        "record": match.record(),
        "row": None if row is None else row.plain(),
        "waiting": match.waiting,
        "over": match.over,
    }


@dataclass
class SentTable:
    """A table that is written and waits to be sent; nobody else sees its file."""

    name: str
    file: IO[bytes]

    def pieces(self) -> Iterator[bytes]:
        """Its bytes."""
        with self.file:
            while piece := self.file.read(PIECE):
                yield piece


def export(body: Table, jobs: Jobs) -> SentTable:
    """``rollwise export``, whole before anything is sent: an export that fails halfway sends nothing."""
    game = _asked(body, jobs)
    with tempfile.TemporaryDirectory(prefix="rollwise-") as folder:
        path = Path(folder) / f"{game.name}.{body.format}"
        rollwise.export(game.name, path, body.params, format=body.format, most=MOST_ROWS, state=body.state)
        sent = tempfile.TemporaryFile()  # noqa: SIM115  closed when it is sent
        with path.open("rb") as written:
            shutil.copyfileobj(written, sent)
    sent.seek(0)
    return SentTable(path.name, sent)
