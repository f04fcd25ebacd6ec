"""Parser of games typed by hand: throws and moves in sequence, ``1,3,3,3,5,6 keep 3 3 3 / 1 2 5 keep 1``.

docs/records.md describes the syntax.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.games.registry import LIST, nearest_game, spelt, unknown
from rollwise.match.review.replay import Replay
from rollwise.parsing.records import Line, Place, Source, at_place
from rollwise.parsing.validate import parse_assignments, parse_game, rule_parameters
from rollwise.parsing.words import PARAMETER, join_fields, join_game
from rollwise.solver.kinds.kind import Report, no_progress
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import one_line, quoted
from rollwise.solver.model.throws import Faces

COMMENT = re.compile(r"(?:^|\s)#.*")
LABEL = re.compile(r"\s*((?:[^\W\d]|\d+(?=\s*:))[\w .'-]{0,30}?)\s*:(?=\s)")
TURN_LABEL = re.compile(r"(?:turn |round )?\d+", re.IGNORECASE)  # a numbered line, not a player's name
SEAT_LABEL = re.compile(r"seat (\d+)", re.IGNORECASE)
DICE = re.compile(r"[\[(]?\s*\d[\d\s,.-]*[\])]?")
THROW_SEPARATOR = re.compile(r"(?:then|\+)\s*(?=[\[(]?\d)", re.IGNORECASE)
FIELD = re.compile(r"[^\W\d]\w*\s*=\s*\S+")
SEPARATOR = re.compile(r"\s*(?:(?:[,;]|\b(?:and|then)\b)\s*)+", re.IGNORECASE)
MAX_STEPS = 5_000  # throws and moves in a game
MAX_DICE_IN_A_ROW = 200  # in sequence, without a move between them
MAX_CHARS = 2_000  # of the first line, and between two slashes
MAX_DICE_OF_A_THROW = 60  # more than any game throws at once


@dataclass(frozen=True)
class TypedGame:
    """A typed game: its rules, the fields of its first state, and its lines."""

    game: TurnGame
    state: Mapping[str, Any]
    lines: list[Line]  # after the first line
    place: Place | None = None  # of the first line; None if the game was an argument


def parse_head(
    source: Source, game: str | None, params: Mapping[str, Any] | None, state: Mapping[str, Any] | None
) -> TypedGame:
    """Parse the game from the first line, or take it from the arguments; raises BadInput without either."""
    lines: list[Line] = source.lines
    place, text = next(((place, text) for place, text in lines if COMMENT.sub("", text).strip()), (Place(1), ""))
    rest = [(at, line) for at, line in lines if at.line > place.line]
    words = _head_words(COMMENT.sub("", _require_short(text, place)), place)
    name = spelt(words[0]) if words else None
    if name is None:
        if game is None:
            raise BadInput(
                f"{place}: the game is wanted, as 'zilch mine=8400 theirs=6300', got {quoted(text.strip())}",
                hint=_game_hint(source, words),
                field="game",
            )
        return TypedGame(parse_game(game, params), state or {}, lines)
    if game is not None and spelt(game) != name:
        raise BadInput(f"{place}: this is a game of {name}, and --game says {quoted(game)}", field="game")
    with at_place(place):
        parameters, fields = _split_head_words(name, words[1:], parse_game(name, params))
        turn_game = parse_game(name, {**parse_assignments(parameters, "parameter"), **(params or {})})
        values = {**parse_assignments(join_fields(turn_game, fields), "field"), **(state or {})}
        return TypedGame(turn_game, values, rest, place)


def _game_hint(source: Source, words: list[str]) -> str:
    """Hint how to name the game: the one whose name is nearest to the first word, or those like it."""
    typed = words[0] if words else ""
    name = spelt(nearest_game(typed))
    if name is None:
        hint = unknown(typed).hint
        return "" if hint == LIST else hint
    return f"rollwise review {source.file} --game {name}" if source.file else f"game='{name}'"


def _head_words(text: str, place: Place) -> list[str]:
    """Words of the first line, without 'rollwise ask'; the name of the game is one word."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    for before in ("rollwise", "ask", "game"):
        if words[:1] == [before]:
            words = words[1:]
    words = join_game(["ask", *words])[1:]
    return [words[0].removeprefix("game=").rstrip(":"), *words[1:]] if words else []


def _split_head_words(name: str, words: list[str], game: TurnGame) -> tuple[list[str], list[str]]:
    """Split the words of the first line into parameters and fields."""
    parameters, fields = [], []
    ahead, parameter_names = iter(words), rule_parameters(name).keys() - {field.name for field in game.fields()}
    for word in ahead:
        if word == PARAMETER:
            parameters.append(next(ahead, ""))
        elif word.startswith(PARAMETER) and "=" in word:
            parameters.append(word.removeprefix(PARAMETER))
        elif matched(word.partition("=")[0], parameter_names) and "=" in word:
            parameters.append(word)
        else:
            fields.append(word)
    return parameters, fields


def lines_by_player(head: TypedGame) -> dict[str, list[Line]]:
    """Lines by player of a one-player game, if labels name several players; else all lines as one player's."""
    sheets: dict[str, list[Line]] = {}
    name, names = "", dict[str, str]()
    for place, line in head.lines:
        label = LABEL.match(COMMENT.sub("", line))
        if label and not TURN_LABEL.fullmatch(label[1]):
            name = names.setdefault(label[1].casefold(), label[1])
        if COMMENT.sub("", line).strip():
            sheets.setdefault(name, []).append((place, line))
    if len(names) < 2:
        return {name: head.lines}
    people = " and ".join(names.values())
    if head.state:
        raise BadInput(f"the fields in which this begins are of one player's game, and the record is of {people}")
    if "" in sheets:
        raise BadInput(f"{sheets[''][0][0]}: a name is wanted here, in a record of {people}")
    return sheets


# --- throws and moves ------------------------------------------------------------------------------------------------


class TypedGameReader:
    """Reader of typed lines into a replay."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.seats: dict[str, int] = {}  # by the casefolded label of a line
        self.steps = 0

    def read(self, lines: list[Line], report: Report = no_progress) -> None:
        """Replay the lines; raises BadInput, with line and column, for the first item that does not fit."""
        at = self.replay.ledger.at
        for number, (place, line) in enumerate(lines):
            report(number / len(lines))
            text = COMMENT.sub(_blank, line).rstrip()
            label = LABEL.match(text)
            if label:
                with at(Place(place.line, label.start(1) + 1)):
                    self._check_label(label[1])
            start = label.end() if label else 0
            for item in re.finditer(r"[^/|]+", text[start:]):  # between slashes
                if item[0].strip(" \t,;."):
                    self._replay_item(item[0], place.line, start + item.start() + 1)
        if lines:
            with at(lines[-1][0]):
                self.replay.end_if_certain()

    def _check_label(self, name: str) -> None:
        """Check the label of a line: the same name is always the same seat."""
        replay = self.replay
        if replay.n_seats == 1 or TURN_LABEL.fullmatch(name) or replay.over:
            return
        replay.advance_if_certain()
        numbered = SEAT_LABEL.fullmatch(name)
        seat = int(numbered[1]) if numbered else self.seats.get(name.casefold())
        if seat is None and replay.seat not in self.seats.values():
            self.seats[name.casefold()] = replay.seat
            replay.ledger.names[replay.seat] = name
            return
        if seat != replay.seat:
            whose = next((other for other, at in self.seats.items() if at == replay.seat), f"seat {replay.seat}")
            raise BadInput(f"it is the turn of {whose} here, not of {quoted(name)}; is a move missing?")

    def _replay_item(self, item: str, line: int, column: int) -> None:
        """Replay an item: dice, moves and fields in this order, each optional."""
        fields, item = {}, _require_short(item, Place(line, column))
        for field in FIELD.finditer(item):
            fields.update(parse_assignments([re.sub(r"\s*=\s*", "=", field[0])], "field"))
        item = FIELD.sub(_blank, item)
        at = len(item) - len(item.lstrip())
        dice = DICE.match(item, at)
        while dice:
            self._replay_dice(dice[0], Place(line, column + at))
            at = dice.end()
            more = THROW_SEPARATOR.match(item, at)
            at = more.end() if more else at
            dice = DICE.match(item, at) if more else None
        between = SEPARATOR.match(item, at)
        at = between.end() if between else at
        words = item[at:].strip()
        at += len(item[at:]) - len(item[at:].lstrip())
        if words:
            self._replay_moves(words, Place(line, column + at))
        if fields:
            with self.replay.ledger.at(Place(line, column)):
                self._count_step()
                self.replay.enter_state(fields)

    def _count_step(self) -> None:
        """Count a throw or move; raises BadInput for too many."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise BadInput(f"a game typed by hand has up to {MAX_STEPS:,} throws and moves")

    def _replay_dice(self, text: str, place: Place) -> None:
        """Replay a throw, or several in sequence if fewer dice fall at once."""
        faces: Faces = tuple(map(int, re.findall(r"\d", text)))
        wrong = next((face for face in faces if not 1 <= face <= 6), None)
        with self.replay.ledger.at(place):
            if wrong is not None:
                raise BadInput(f"dice show 1 to 6, got {one_line(text.strip())}", field="thrown")
            if len(faces) > MAX_DICE_IN_A_ROW:
                raise BadInput(
                    f"up to {MAX_DICE_IN_A_ROW:,} dice stand between two slashes, got {len(faces):,}", field="thrown"
                )
            at = 0
            while at < len(faces):
                self._count_step()
                dice = self.replay.first_throw(faces[at : at + MAX_DICE_OF_A_THROW])
                self.replay.throw(dice)
                at += len(dice)

    def _replay_moves(self, words: str, place: Place) -> None:
        """Replay a move, or several separated by a comma, 'and' or 'then'."""
        move, rest = words, len(words)
        with self.replay.ledger.at(place):
            self._count_step()
            if self.replay.find_move(words) is None:
                for cut in SEPARATOR.finditer(words):
                    first = words[: cut.start()]
                    if (
                        first
                        and words[cut.end() :]
                        and (self.replay.find_move(first) or self.replay.is_keep_all(first))
                    ):
                        move, rest = first, cut.end()
                        break
            move = move if rest < len(words) else words.rstrip(" ,;.")
            if not self.replay.is_keep_all(move):
                self.replay.choose(move)
        if rest < len(words):
            self._replay_moves(words[rest:], Place(place.line, (place.column or 1) + rest))


def _blank(match: re.Match[str]) -> str:
    """Blanks in place of a match, so that columns stay."""
    return " " * len(match[0])


def _require_short(text: str, place: Place) -> str:
    """The text; raises BadInput if it is too long."""
    if len(text) > MAX_CHARS:
        raise BadInput(
            f"{place}: up to {MAX_CHARS:,} letters stand on the first line and between two slashes, got {len(text):,}"
        )
    return text
