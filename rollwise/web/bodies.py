"""What programs send and get: the shapes of the JSON interface, with examples that can be sent as they stand.

What is sent is checked against these; what is answered is made elsewhere, the same as ``--json`` prints, and these say
of it what a program can rely on. Further names may stand beside those told here.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

MOVE = 200  # characters of a move
Values = dict[str, JsonValue]


class Sent(BaseModel):
    """A body: what it does not have is refused, and so is 0 where true or false is wanted."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _shown(*examples: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [*examples]})


RULES: dict[str, Any] = {"target": 30}
GAME = Field(description="a game, by any name of it", examples=["pig"])
PARAMS: Any = Field(default_factory=dict, description="its rule parameters; those left out have their defaults")
STATE: Any = Field(default_factory=dict, description="fields of the question; those left out are as at the start")


class TheGame(Sent):
    """A game with its rules."""

    model_config = _shown({"game": "pig", "params": RULES})

    game: str = GAME
    params: Values = PARAMS


class Question(TheGame):
    """A state of a game."""

    model_config = _shown(
        {"game": "pig", "params": RULES, "state": {"mine": 10, "theirs": 12, "turn": 6}},
        {"game": "dice-roulette", "state": {}},
    )

    state: Values = STATE
    move: str | None = Field(None, max_length=MOVE, description="a move there, in any spelling; not for every question")


class OfAMove(Question):
    """A move in a state."""

    model_config = _shown({"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "roll"})

    each: bool = Field(False, description="every throw by itself, not what it leads to")


class Compared(Question):
    """A state, and the move that the best one is compared with; by default the second best."""

    model_config = _shown({"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "hold"})


class Table(Question):
    """Which decisions: those whose fields agree with the state; ``"roll": "none"`` wants those before the throw."""

    model_config = _shown({"game": "pig", "params": RULES, "state": {"mine": 10, "theirs": 12}})

    format: Literal["jsonl", "csv"] = Field("jsonl", description="a JSON object a line, or comma-separated values")


RECORD: Any = [
    {
        "rollwise": 1,
        "game": "pig",
        "parameters": {"target": 30},
        "rules_version": 1,
        "seed": 7,
        "seats": 2,
        "next": {"state": {"mine": 0, "theirs": 0, "turn": 0}, "seat": 0, "choice": "roll"},
    },
]


class Played(Sent):
    """A game that was played: the lines of its record, or ``text`` as it was typed by hand."""

    model_config = _shown({"text": "pig target=30\nA: 5 6 hold\nB: 6 1"}, {"record": RECORD})

    record: list[Values] | None = Field(None, description="the lines of a record")
    text: str | None = Field(None, description="a game typed by hand; its first line says which")
    anyway: bool = Field(False, description="a record of other rules too, by the rules of now")
    grades: str | None = Field(None, max_length=100, description='limits of grades, like "0.5,2,5"')


class Thrown(Sent):
    """Dice are to fall: in a match that goes on (``record``), or after a ``move`` in a ``state``."""

    model_config = _shown(
        {"record": RECORD},
        {"record": RECORD, "dice": [5]},
        {"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "roll", "seed": 1},
    )

    record: list[Values] | None = Field(None, description="the lines of a record that waits for dice")
    dice: JsonValue = Field(None, description="how they fell; by default they are thrown, as the record's seed says")
    game: str | None = Field(None, description="instead of a record: the game")
    params: Values = PARAMS
    state: Values = STATE
    move: str | None = Field(None, max_length=MOVE, description="the move that is made first")
    seed: int | None = Field(None, ge=0, le=10**9, description="decides the throws; by default another each time")


# --- what is answered -------------------------------------------------------------------------------------------------


class Got(BaseModel):
    """An answer: at least what is told here."""

    model_config = ConfigDict(extra="allow")


class GameLine(Got):
    """A game in the list."""

    name: str
    title: str
    kind: str
    source: str
    reference: bool


class Rules(Got):
    """Our reading of a game's rules, its parameters and the fields of a question."""

    game: str
    title: str
    kind: str
    objective: str
    unit: str
    rules_version: int
    parameters: list[dict[str, Any]]
    fields: list[dict[str, Any]]


class PlanTold(Got):
    """What a solve takes, roughly: boards, edges of the turn, seconds, bytes of memory and kept on disk."""

    boards: int
    edges: int
    seconds: float
    memory: int
    kept: int
    solved: bool
    allowed: bool = Field(description="is it solved here when somebody asks?")


class Bounded(Got):
    """A value with certified bounds: ``lower`` <= true value <= ``upper``."""

    value: float
    lower: float
    upper: float


class Told(Got):
    """What every answer begins with."""

    game: str
    parameters: dict[str, Any]
    state: dict[str, Any]
    mover: int
    unit: str


class MoveTold(Bounded):
    """A move: what it is worth, and how much worse than the best."""

    move: str
    label: str
    exact: str | None
    loss: float = Field(ge=0)


class Answer(Told):
    """The moves of a state, best first; in games of luck ``quantities`` instead."""

    objective: str
    sense: Literal["max", "min"] | None
    assumed: dict[str, int] | None = None
    label: str | None = None
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    exact: str | None = None
    best: list[str] | None = None
    moves: list[MoveTold] | None = None
    shares: list[float] | None = None
    quantities: dict[str, Any] | None = None


class Solution(Told):
    """What the start of a game is worth, and how that was found."""

    objective: str
    value: float | None = None
    boards: int
    method: str
    seconds: float
    cached: bool


class OutcomeRow(Got):
    """One outcome of a move; ``chance`` is a fraction, or null for what a call leads to that nobody makes."""

    chance: str | None
    thrown: list[dict[str, Any]]
    state: dict[str, Any] | None
    mover: int
    ended: Literal["won", "lost", "shared", "over"] | None
    gained: float


class OutcomesTold(Told):
    """Every outcome of a move."""

    move: str
    rows: list[OutcomeRow]


class PartTold(Got):
    """What one class of ends makes of the difference."""

    called: str = Field(alias="class")
    chance: float
    value: float | None
    other_chance: float
    other_value: float | None
    part: float


class WhyTold(Told):
    """What makes the difference between two moves; ``parts`` add up to it."""

    best: str
    other: str
    difference: float
    reference: float
    parts: list[PartTold]
    words: str


class ReviewTold(Got):
    """What each choice cost, and by seat what was skill and what was luck."""

    complete: bool
    seats: list[dict[str, Any]]
    choices: list[dict[str, Any]]


class ThrowTold(Got):
    """The record after the throw. ``row`` is what was come to; null where a further throw is waited for."""

    record: list[dict[str, Any]]
    row: dict[str, Any] | None
    waiting: bool
    over: bool


class JobTold(Got):
    """A solve that is under way; ``/api/jobs/JOB/events`` tells of it. ``share`` is done of it, from 0 to 1."""

    job: str
    game: str
    parameters: dict[str, Any]
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    share: float = Field(ge=0, le=1)
    seconds: float
    left: float | None = Field(None, description="seconds that it will run yet, about; told while it runs")
    place: int | None = Field(None, description="in the line of those that wait, from 1; told while it waits")


class Problem(Got):
    """What is wrong, in one line, and perhaps what to do instead; ``field`` names what it is about."""

    error: str
    message: str
    hint: str | None = None
    field: str | None = None
