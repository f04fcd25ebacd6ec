"""A game typed by hand: throws and moves one after the other, ``1,3,3,3,5,6 keep 3 3 3 / 1 2 5 keep 1``.

docs/records.md says what may be typed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.games.registry import LIST, nearest_game, spelt, unknown
from rollwise.match.review.walk import Walk
from rollwise.parsing.records import Line, Place, Source, placed
from rollwise.parsing.validate import known_parameters, split, the_game
from rollwise.parsing.words import PARAMETER, fields_joined, game_joined
from rollwise.solver.kinds.kind import Report, unheard
from rollwise.solver.model.errors import BadInput
from rollwise.solver.model.game import TurnGame
from rollwise.solver.model.names import matched
from rollwise.solver.model.plain import on_a_line, quoted
from rollwise.solver.model.throws import Faces

COMMENT = re.compile(r"(?:^|\s)#.*")
LABEL = re.compile(r"\s*((?:[^\W\d]|\d+(?=\s*:))[\w .'-]{0,30}?)\s*:(?=\s)")
NUMBERED = re.compile(r"(?:turn |round )?\d+", re.IGNORECASE)  # lines that are counted, not players that are named
SEAT = re.compile(r"seat (\d+)", re.IGNORECASE)
DICE = re.compile(r"[\[(]?\s*\d[\d\s,.-]*[\])]?")
AGAIN = re.compile(r"(?:then|\+)\s*(?=[\[(]?\d)", re.IGNORECASE)
FIELD = re.compile(r"[^\W\d]\w*\s*=\s*\S+")
PARTS = re.compile(r"\s*(?:(?:[,;]|\b(?:and|then)\b)\s*)+", re.IGNORECASE)
MOST_STEPS = 5_000  # throws and moves of a game
MOST_DICE = 200  # one after the other, without a move between them
LONGEST = 2_000  # letters of a first line, and of what stands between two slashes
AT_ONCE = 60  # of these are looked at for the next throw: more than any game throws


@dataclass(frozen=True)
class TypedGame:
    """What is played: the game, the fields of the question that it begins with, and what was typed of it."""

    game: TurnGame
    state: Mapping[str, Any]
    lines: list[Line]  # that follow
    place: Place | None = None  # where that is said; None where it is said beside


def head_of(
    source: Source, game: str | None, params: Mapping[str, Any] | None, state: Mapping[str, Any] | None
) -> TypedGame:
    """The game of what was typed, from its first line or from what is said beside; raises BadInput without either."""
    lines: list[Line] = source.lines
    place, text = next(((place, text) for place, text in lines if COMMENT.sub("", text).strip()), (Place(1), ""))
    rest = [(at, line) for at, line in lines if at.line > place.line]
    words = _words(COMMENT.sub("", _short(text, place)), place)
    name = spelt(words[0]) if words else None
    if name is None:
        if game is None:
            raise BadInput(
                f"{place}: the game is wanted, as 'zilch mine=8400 theirs=6300', got {quoted(text.strip())}",
                hint=_hint(source, words),
                field="game",
            )
        return TypedGame(the_game(game, params), state or {}, lines)
    if game is not None and spelt(game) != name:
        raise BadInput(f"{place}: this is a game of {name}, and --game says {quoted(game)}", field="game")
    with placed(place):
        parameters, fields = _parted(name, words[1:], the_game(name, params))
        made = the_game(name, {**split(parameters, "parameter"), **(params or {})})
        return TypedGame(made, {**split(fields_joined(made, fields), "field"), **(state or {})}, rest, place)


def _hint(source: Source, words: list[str]) -> str:
    """How to say the game beside what was typed: the one whose name the first word nearly is, or those like it."""
    typed = words[0] if words else ""
    name = spelt(nearest_game(typed))
    if name is None:
        hint = unknown(typed).hint
        return "" if hint == LIST else hint
    return f"rollwise review {source.file} --game {name}" if source.file else f"game='{name}'"


def _words(text: str, place: Place) -> list[str]:
    """The words of a first line, those of the game's name as one, without 'rollwise ask'."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    for before in ("rollwise", "ask", "game"):
        if words[:1] == [before]:
            words = words[1:]
    words = game_joined(["ask", *words])[1:]
    return [words[0].removeprefix("game=").rstrip(":"), *words[1:]] if words else []


def _parted(name: str, words: list[str], game: TurnGame) -> tuple[list[str], list[str]]:
    """The parameters and the fields among the words of a first line."""
    parameters, fields = [], []
    ahead, known = iter(words), known_parameters(name).keys() - {field.name for field in game.fields()}
    for word in ahead:
        if word == PARAMETER:
            parameters.append(next(ahead, ""))
        elif word.startswith(PARAMETER) and "=" in word:
            parameters.append(word.removeprefix(PARAMETER))
        elif matched(word.partition("=")[0], known) and "=" in word:
            parameters.append(word)
        else:
            fields.append(word)
    return parameters, fields


def sheets_of(head: TypedGame) -> dict[str, list[Line]]:
    """The lines of each player of a game for one, where names of several begin them; else all lines as one player's."""
    sheets: dict[str, list[Line]] = {}
    name, names = "", dict[str, str]()
    for place, line in head.lines:
        label = LABEL.match(COMMENT.sub("", line))
        if label and not NUMBERED.fullmatch(label[1]):
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


class Typist:
    """Reads line after line into a walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.seats: dict[str, int] = {}  # of players that lines begin with
        self.steps = 0

    def read(self, lines: list[Line], report: Report = unheard) -> None:
        """Raises BadInput for the first thing that does not fit, with its line and column."""
        at = self.walk.ledger.at
        for place, line in self.walk.each(lines, report):
            text = COMMENT.sub(_blank, line).rstrip()
            label = LABEL.match(text)
            if label:
                with at(Place(place.line, label.start(1) + 1)):
                    self._label(label[1])
            for column, item in _items(text, label.end() if label else 0):
                self._item(item, place.line, column)
        if lines:
            with at(lines[-1][0]):
                self.walk.end_if_clear()

    def _label(self, name: str) -> None:
        """Who moves, as a line begins: the same name is always the same seat."""
        walk = self.walk
        if walk.n_seats == 1 or NUMBERED.fullmatch(name) or walk.over:
            return
        walk.lead_on()
        numbered = SEAT.fullmatch(name)
        seat = int(numbered[1]) if numbered else self.seats.get(name.casefold())
        if seat is None and walk.seat not in self.seats.values():
            self.seats[name.casefold()] = walk.seat
            walk.ledger.names[walk.seat] = name
            return
        if seat != walk.seat:
            whose = next((known for known, at in self.seats.items() if at == walk.seat), f"seat {walk.seat}")
            raise BadInput(f"it is the turn of {whose} here, not of {quoted(name)}; is a move missing?")

    def _item(self, item: str, line: int, column: int) -> None:
        """Dice, moves and fields, in this order, each of which may be missing."""
        fields, item = {}, _short(item, Place(line, column))
        for field in FIELD.finditer(item):
            fields.update(split([re.sub(r"\s*=\s*", "=", field[0])], "field"))
        item = FIELD.sub(_blank, item)
        at = len(item) - len(item.lstrip())
        dice = DICE.match(item, at)
        while dice:
            self._dice(dice[0], Place(line, column + at))
            at = dice.end()
            more = AGAIN.match(item, at)
            at = more.end() if more else at
            dice = DICE.match(item, at) if more else None
        between = PARTS.match(item, at)
        at = between.end() if between else at
        words = item[at:].strip()
        at += len(item[at:]) - len(item[at:].lstrip())
        if words:
            self._moves(words, Place(line, column + at))
        if fields:
            with self.walk.ledger.at(Place(line, column)):
                self._step()
                self.walk.stand(fields)

    def _step(self) -> None:
        """One more throw or move."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise BadInput(f"a game typed by hand has up to {MOST_STEPS:,} throws and moves")

    def _dice(self, text: str, place: Place) -> None:
        """A throw, or several one after the other where fewer dice fall at once."""
        faces: Faces = tuple(map(int, re.findall(r"\d", text)))
        wrong = next((face for face in faces if not 1 <= face <= 6), None)
        with self.walk.ledger.at(place):
            if wrong is not None:
                raise BadInput(f"dice show 1 to 6, got {on_a_line(text.strip())}", field="thrown")
            if len(faces) > MOST_DICE:
                raise BadInput(
                    f"up to {MOST_DICE:,} dice stand between two slashes, got {len(faces):,}", field="thrown"
                )
            at = 0
            while at < len(faces):
                self._step()
                dice = self.walk.first_throw(faces[at : at + AT_ONCE])
                self.walk.throw(dice)
                at += len(dice)

    def _moves(self, words: str, place: Place) -> None:
        """A move, or several with a comma, 'and' or 'then' between them."""
        move, rest = words, len(words)
        with self.walk.ledger.at(place):
            self._step()
            if self.walk.names(words) is None:
                for between in PARTS.finditer(words):
                    first = words[: between.start()]
                    if first and words[between.end() :] and (self.walk.names(first) or self.walk.keeps_all(first)):
                        move, rest = first, between.end()
                        break
            move = move if rest < len(words) else words.rstrip(" ,;.")
            if not self.walk.keeps_all(move):
                self.walk.choose(move)
        if rest < len(words):
            self._moves(words[rest:], Place(place.line, (place.column or 1) + rest))


def _blank(match: re.Match[str]) -> str:
    """Blanks for what was read, so that columns stay."""
    return " " * len(match[0])


def _short(text: str, place: Place) -> str:
    """The text, which is no longer than anybody types."""
    if len(text) > LONGEST:
        raise BadInput(
            f"{place}: up to {LONGEST:,} letters stand on the first line and between two slashes, got {len(text):,}"
        )
    return text


def _items(text: str, start: int) -> Iterator[tuple[int, str]]:
    """What stands between slashes, with its column."""
    for item in re.finditer(r"[^/|]+", text[start:]):
        if item[0].strip(" \t,;."):
            yield start + item.start() + 1, item[0]
