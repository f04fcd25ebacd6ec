"""Tables of a claim sheet, by key: what they may hold, as schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Required, TypedDict

from rollwise.games.claims.throwing import MAX_DICE
from rollwise.solver.model.schema import schema_of


class ThrowTable(TypedDict, total=False):
    """Throw of dice, and a pattern that it shows."""

    dice: Required[Annotated[int, {"minimum": 1, "maximum": MAX_DICE}]]
    text: Required[str]


class ScoreTable(TypedDict, total=False):
    """Score of a roll in a box, in a position (``state``) and after steps of the turn."""

    roll: Required[Any]
    box: Required[str]
    state: Annotated[Mapping[str, Any], "state is a table like {mine = 43, theirs = 61}"]
    after: str


class OddsTable(TypedDict, total=False):
    """Best chance of a turn that goes for a box."""

    box: Required[str]
    rolls: Required[int]
    aim: str


class PlayTable(TypedDict, total=False):
    """Steps of a game, of their own or ``of`` a [[play]], and what to read ``after`` so many of them."""

    of: str
    state: Annotated[Mapping[str, Any], "state is a table like {mine = 43, theirs = 61}"]
    steps: str
    names: str
    after: Any
    read: Any


class NamedPlay(TypedDict, total=False):
    """``[[play]]`` table: steps that several claims share."""

    id: Required[str]
    state: Annotated[Mapping[str, Any], "state is a table like {mine = 43, theirs = 61}"]
    steps: Required[str]
    names: str


class ClaimTable(TypedDict, total=False):
    """``[[claim]]`` table: ``read`` goes with ``ask``, whose table has fields of a question, and with ``play``."""

    id: str
    game: str
    params: Annotated[Mapping[str, Any], "params is a table like {target = 50}"]
    statement: str
    stated: Any
    means: Any
    throw: Annotated[ThrowTable, "throw is a table like {dice = ..., text = ...}"]
    ask: Annotated[Mapping[str, Any], "ask is a table like {mine = 43, theirs = 61}"]
    score: Annotated[ScoreTable, "score is a table like {roll = ..., box = ...}"]
    odds: Annotated[OddsTable, "odds is a table like {box = ..., rolls = ...}"]
    play: Annotated[PlayTable, "play is a table like {steps = ..., read = ...}"]
    readings: Annotated[Mapping[str, Any], "readings is a table of readings, each a table like {throw = ...}"]
    combine: str
    read: str
    source: str
    reading: str


class OwnClaimTable(ClaimTable, total=False):
    """``[[claim]]`` table of the package: ``compute`` and ``agrees`` name functions of the module beside the sheet."""

    compute: str
    args: Mapping[str, Any]
    agrees: str
    slow: Any


CLAIM, OWN_CLAIM, PLAY = (schema_of(table, closed=True) for table in (ClaimTable, OwnClaimTable, NamedPlay))
SHAPES = ("throw", "ask", "score", "odds", "play")  # by which a value is computed; a claim has one of them
IN_LISTS = ("throw", "score", "play")  # of these it may have several, in a list
OF_A_SHAPE = (*SHAPES, "compute", "args", "read", "combine")  # what a reading with a shape of its own does not inherit
FOR_ALL = ("game", "source", "params")  # keys that a sheet may say once, for all its claims
