"""Request bodies of the JSON interface, with examples that can be sent as they stand.

The form of a body is validated when it is read; checks that take time or need a game are methods, which run in the
thread of the question.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

import rollwise
from rollwise.parsing.records import RECORD_SCHEMA
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.web.questions import checked_record, listed_game, require_small

MAX_MOVE_CHARS = 200  # of a move's name
Values = dict[str, JsonValue]
Record = Annotated[list[Values], WithJsonSchema(RECORD_SCHEMA)]


class RequestBody(BaseModel):
    """A body; unknown fields are refused, and so is 0 for false."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _with_examples(*examples: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [*examples]})


RULES: dict[str, Any] = {"target": 30}
GAME = Field(description="a game, by any name of it", examples=["pig"])
PARAMS: Any = Field(default_factory=dict, description="its rule parameters; those left out have their defaults")
STATE: Any = Field(default_factory=dict, description="fields of the question; those left out are as at the start")


class TheGame(RequestBody):
    """A game with its rules."""

    model_config = _with_examples({"game": "pig", "params": RULES})

    game: str = GAME
    params: Values = PARAMS

    def checked_game(self) -> TurnGame:
        """The validated game; raises BadInput for invalid parameters."""
        return listed_game(self.game, self.params)


class OfAState(TheGame):
    """A state of a game."""

    model_config = _with_examples({"game": "pig", "params": RULES, "state": {"turn": 6}})

    state: Values = STATE
    move: str | None = Field(
        None, max_length=MAX_MOVE_CHARS, description="a move there, in any spelling; not for every question"
    )

    def checked_game(self) -> TurnGame:
        """The validated game; raises BadInput also for a state beyond the limits."""
        require_small("state", self.state)
        return super().checked_game()


class Question(OfAState):
    """A state of a game."""

    model_config = _with_examples(
        {"game": "pig", "params": RULES, "state": {"mine": 10, "theirs": 12, "turn": 6}},
        {"game": "dice-roulette", "state": {}},
    )


class OfAMove(OfAState):
    """A move in a state."""

    model_config = _with_examples({"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "roll"})

    each: bool = Field(False, description="every throw by itself, not what it leads to")


class Compared(OfAState):
    """A state, and the move that the best one is compared with; by default the second best."""

    model_config = _with_examples({"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "hold"})


class TableOrder(OfAState):
    """Decisions whose fields agree with the state; ``"roll": "none"`` selects those before the throw."""

    model_config = _with_examples({"game": "pig", "params": RULES, "state": {"mine": 10, "theirs": 12}})

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
    }
]


class GameRecord(RequestBody):
    """A game that was played: the lines of its record, or ``text`` as it was typed by hand."""

    model_config = _with_examples({"text": "pig target=30\nA: 5 6 hold\nB: 6 1"}, {"record": RECORD})

    record: Record | None = Field(None, description="the lines of a record")
    text: str | None = Field(None, description="a game typed by hand; its first line names it")
    anyway: bool = Field(False, description="a record of other rules too, by the rules of now")
    grades: str | None = Field(None, max_length=100, description='limits of grades, like "0.5,2,5"')

    def lines(self) -> list[Any]:
        """The lines of the game, a list even of text, which by itself could be read as the name of a file."""
        if (self.record is None) == (self.text is None):
            raise BadInput("a game is reviewed from its record or from text; say one of them", field="record")
        return (self.text or "").split("\n") if self.record is None else checked_record(self.record)


class Thrown(RequestBody):
    """Dice are to fall: in a match that goes on (``record``), or after a ``move`` in a ``state``."""

    model_config = _with_examples(
        {"record": RECORD},
        {"record": RECORD, "dice": [5]},
        {"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "roll", "seed": 1},
    )

    record: Record | None = Field(None, description="the lines of a record that waits for dice")
    dice: JsonValue = Field(None, description="how they fell; by default they are thrown, as the record's seed says")
    game: str | None = Field(None, description="instead of a record: the game")
    params: Values = PARAMS
    state: Values = STATE
    move: str | None = Field(None, max_length=MAX_MOVE_CHARS, description="the move that is made first")
    seed: int | None = Field(None, ge=0, le=10**9, description="decides the throws; by default another each time")

    def match(self) -> rollwise.Match:
        """The match of the body, with its move played."""
        if (self.record is None) == (self.game is None):
            raise BadInput("dice fall in a record, or in a game after a move; say one of them", field="record")
        require_small("dice", {"dice": self.dice})
        if self.record is not None:
            if self.params or self.state or self.move is not None or self.seed is not None:
                raise BadInput("a record has its own game; leave out params, state, move and seed", field="record")
            return rollwise.Match.of(checked_record(self.record))
        game = listed_game(self.game, self.params)
        require_small("state", self.state)
        match = rollwise.Match(game.name, params=self.params, state=self.state, seed=self.seed)
        if self.move is not None:
            match.play(self.move)
        elif kind_of(game).has_decisions:
            raise BadInput(f"dice fall after a move; say which: {', '.join(match.legal)}", field="move")
        return match
