"""What programs send: the bodies of the JSON interface, with examples that can be sent as they stand.

What no body may be is refused here: its form when it is read, and all that takes time to look at, or a game, by methods
that the thread of a question calls.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

import rollwise
from rollwise.parsing.records import RECORD_SCHEMA
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.web.questions import require_small, the_game_asked, the_record

MOVE = 200  # characters of a move
Values = dict[str, JsonValue]
Record = Annotated[list[Values], WithJsonSchema(RECORD_SCHEMA)]


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

    def checked_game(self) -> TurnGame:
        """The game; raises BadInput for what no game has."""
        return the_game_asked(self.game, self.params)


class Question(TheGame):
    """A state of a game."""

    model_config = _shown(
        {"game": "pig", "params": RULES, "state": {"mine": 10, "theirs": 12, "turn": 6}},
        {"game": "dice-roulette", "state": {}},
    )

    state: Values = STATE
    move: str | None = Field(None, max_length=MOVE, description="a move there, in any spelling; not for every question")

    def checked_game(self) -> TurnGame:
        """The game, of a state that may be looked at."""
        require_small("state", self.state)
        return super().checked_game()


class OfAMove(Question):
    """A move in a state."""

    model_config = _shown({"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "roll"})

    each: bool = Field(False, description="every throw by itself, not what it leads to")


class Compared(Question):
    """A state, and the move that the best one is compared with; by default the second best."""

    model_config = _shown({"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "hold"})


class TableOrder(Question):
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


class GameRecord(Sent):
    """A game that was played: the lines of its record, or ``text`` as it was typed by hand."""

    model_config = _shown({"text": "pig target=30\nA: 5 6 hold\nB: 6 1"}, {"record": RECORD})

    record: Record | None = Field(None, description="the lines of a record")
    text: str | None = Field(None, description="a game typed by hand; its first line says which")
    anyway: bool = Field(False, description="a record of other rules too, by the rules of now")
    grades: str | None = Field(None, max_length=100, description='limits of grades, like "0.5,2,5"')

    def lines(self) -> list[Any]:
        """The lines of the game, in a list even of text: by itself that could be taken for the name of a file."""
        if (self.record is None) == (self.text is None):
            raise BadInput("a game is reviewed from its record or from text; say one of them", field="record")
        return (self.text or "").split("\n") if self.record is None else the_record(self.record)


class Thrown(Sent):
    """Dice are to fall: in a match that goes on (``record``), or after a ``move`` in a ``state``."""

    model_config = _shown(
        {"record": RECORD},
        {"record": RECORD, "dice": [5]},
        {"game": "pig", "params": RULES, "state": {"turn": 6}, "move": "roll", "seed": 1},
    )

    record: Record | None = Field(None, description="the lines of a record that waits for dice")
    dice: JsonValue = Field(None, description="how they fell; by default they are thrown, as the record's seed says")
    game: str | None = Field(None, description="instead of a record: the game")
    params: Values = PARAMS
    state: Values = STATE
    move: str | None = Field(None, max_length=MOVE, description="the move that is made first")
    seed: int | None = Field(None, ge=0, le=10**9, description="decides the throws; by default another each time")

    def match(self) -> rollwise.Match:
        """The match that waits for dice, unless it is over or the move needed none."""
        if (self.record is None) == (self.game is None):
            raise BadInput("dice fall in a record, or in a game after a move; say one of them", field="record")
        require_small("dice", {"dice": self.dice})
        if self.record is not None:
            if self.params or self.state or self.move is not None or self.seed is not None:
                raise BadInput(
                    "a record says itself what is played; leave out params, state, move and seed", field="record"
                )
            return rollwise.Match.of(the_record(self.record))
        game = the_game_asked(self.game, self.params)
        require_small("state", self.state)
        match = rollwise.Match(game.name, params=self.params, state=self.state, seed=self.seed)
        if self.move is not None:
            match.play(self.move)
        elif kind_of(game).chooses:
            raise BadInput(f"dice fall after a move; say which: {', '.join(match.legal)}", field="move")
        return match
