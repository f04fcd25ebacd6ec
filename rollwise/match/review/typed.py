"""A game typed by hand: throws and moves one after the other, ``1,3,3,3,5,6 keep 3 3 3 / 1 2 5 keep 1``.

docs/records.md says what may be typed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rollwise.games.registry import REGISTRY, spelt
from rollwise.match.review.places import Place, placed
from rollwise.match.review.sources import Source
from rollwise.match.review.walking import Walk
from rollwise.reading.door import known_parameters, split, the_game
from rollwise.reading.words import PARAMETER, fields_joined, game_joined
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.falls import Faces
from rollwise.solver.game.model import TurnGame
from rollwise.solver.game.names import matched, nearest
from rollwise.solver.game.plain import on_a_line, quoted
from rollwise.solver.kinds.kind import Report, unheard

COMMENT = re.compile(r"(?:^|\s)#.*")
LABEL = re.compile(r"\s*((?:[^\W\d]|\d+(?=\s*:))[\w .'-]{0,30}?)\s*:(?=\s)")
NUMBERED = re.compile(r"(?:turn |round )?\d+", re.IGNORECASE)  # lines that are counted, not players that are named
SEAT = re.compile(r"seat (\d+)", re.IGNORECASE)
DICE = re.compile(r"[\[(]?\s*\d[\d\s,.-]*[\])]?")
AGAIN = re.compile(r"(?:then|\+)\s*(?=[\[(]?\d)", re.IGNORECASE)
FIELD = re.compile(r"[^\W\d]\w*\s*=\s*\S+")
PARTS = re.compile(r"\s*(?:(?:[,;]|\b(?:and|then)\b)\s*)+", re.IGNORECASE)
Lines = list[tuple[Place, str]]
MOST_STEPS = 5_000  # throws and moves of a game
MOST_DICE = 200  # one after the other, without a move between them
LONGEST = 2_000  # letters of a first line, and of what stands between two slashes
AT_ONCE = 60  # of these are looked at for the next throw: more than any game throws


@dataclass(frozen=True)
class Head:
    """What is played: the game, and the fields of the question that it begins with."""

    game: TurnGame
    state: Mapping[str, Any]
    lines: Lines  # that follow
    place: Place | None = None  # where that is said; None where it is said beside


def head_of(
    source: Source, game: str | None, params: Mapping[str, Any] | None, state: Mapping[str, Any] | None
) -> Head:
    """The game of what was typed, from its first line or from what is said beside; raises BadInput without either."""
    lines: Lines = source.lines
    place, text = next(((place, text) for place, text in lines if COMMENT.sub("", text).strip()), (Place(1), ""))
    rest = [(at, line) for at, line in lines if at.line > place.line]
    words = _words(COMMENT.sub("", _short(text, place)), place)
    named = spelt(words[0]) if words else None
    if named is None:
        if game is None:
            raise BadInput(
                f"{place}: the game is wanted, as 'zilch mine=8400 theirs=6300', got {quoted(text.strip())}",
                hint=_game_said(source, words),
                field="game",
            )
        return Head(the_game(game, params), state or {}, lines)
    if game is not None and spelt(game) != named:
        raise BadInput(f"{place}: this is a game of {named}, and --game says {quoted(game)}", field="game")
    with placed(place):
        return _head(named, words[1:], params, state, rest, place)


def _game_said(source: Source, words: list[str]) -> str:
    """How to say the game beside what was typed: the one whose name is most like the first word."""
    named = nearest(words[0], REGISTRY) if words else None
    if not named:
        return ""
    return f"rollwise review {source.file} --game {named}" if source.file else f"game='{named}'"


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


def _head(
    name: str,
    words: list[str],
    params: Mapping[str, Any] | None,
    state: Mapping[str, Any] | None,
    rest: Lines,
    place: Place,
) -> Head:
    parameters, fields = [], []
    names = [field.name for field in the_game(name, params).fields()]
    ahead, known = iter(words), known_parameters(name).keys() - {*names}
    for word in ahead:
        if word == PARAMETER:
            parameters.append(next(ahead, ""))
        elif word.startswith(PARAMETER) and "=" in word:
            parameters.append(word.removeprefix(PARAMETER))
        elif matched(word.partition("=")[0], known) and "=" in word:
            parameters.append(word)
        else:
            fields.append(word)
    made = the_game(name, {**split(parameters, "parameter"), **(params or {})})
    return Head(made, {**split(fields_joined(made, fields), "field"), **(state or {})}, rest, place)


# --- throws and moves ------------------------------------------------------------------------------------------------


class Typist:
    """Reads line after line into a walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.seats: dict[str, int] = {}  # of players that lines begin with
        self.steps = 0

    def read(self, lines: Lines, report: Report = unheard) -> None:
        """Raises BadInput for the first thing that does not fit, with its line and column."""
        for number, (place, line) in enumerate(lines):
            report(number / len(lines))
            text = COMMENT.sub(lambda found: " " * len(found[0]), line).rstrip()
            label = LABEL.match(text)
            if label:
                self._label(label[1], Place(place.line, label.start(1) + 1))
            for column, item in _items(text, label.end() if label else 0):
                self._item(item, place.line, column)
        if lines:
            self.walk.end_if_clear(lines[-1][0])

    def _label(self, name: str, place: Place) -> None:
        """Who moves, as a line begins: the same name is always the same seat."""
        walk = self.walk
        if walk.n_seats == 1 or NUMBERED.fullmatch(name) or walk.over:
            return
        walk.lead_on()
        told = SEAT.fullmatch(name)
        seat = int(told[1]) if told else self.seats.get(name.casefold())
        if seat is None and walk.seat not in self.seats.values():
            self.seats[name.casefold()] = walk.seat
            return
        if seat != walk.seat:
            whose = next((known for known, at in self.seats.items() if at == walk.seat), f"seat {walk.seat}")
            raise BadInput(f"{place}: it is the turn of {whose} here, not of {quoted(name)}; is a move missing?")

    def _item(self, item: str, line: int, column: int) -> None:
        """Dice, moves and fields, in this order, each of which may be missing."""
        fields, item = {}, _short(item, Place(line, column))
        for found in FIELD.finditer(item):
            fields.update(split([re.sub(r"\s*=\s*", "=", found[0])], "field"))
        item = FIELD.sub(lambda found: " " * len(found[0]), item)
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
            self._step(Place(line, column))
            self.walk.stand(fields, None, Place(line, column))

    def _step(self, place: Place) -> None:
        """One more throw or move."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise BadInput(f"{place}: a game typed by hand has up to {MOST_STEPS:,} throws and moves")

    def _dice(self, text: str, place: Place) -> None:
        """A throw, or several one after the other where fewer dice fall at once."""
        faces: Faces = tuple(map(int, re.findall(r"\d", text)))
        wrong = next((face for face in faces if not 1 <= face <= 6), None)
        if wrong is not None:
            raise BadInput(f"{place}: dice show 1 to 6, got {on_a_line(text.strip())}", field="thrown")
        if len(faces) > MOST_DICE:
            raise BadInput(
                f"{place}: up to {MOST_DICE:,} dice stand between two slashes, got {len(faces):,}", field="thrown"
            )
        at = 0
        while at < len(faces):
            self._step(place)
            one = self.walk.first_throw(faces[at : at + AT_ONCE], place)
            self.walk.throw(one, place)
            at += len(one)

    def _moves(self, words: str, place: Place) -> None:
        """A move, or several with a comma, 'and' or 'then' between them."""
        self._step(place)
        if self.walk.names(words, place) is None:
            for found in PARTS.finditer(words):
                first, rest = words[: found.start()], words[found.end() :]
                if first and rest and self.walk.names(first, place):
                    self.walk.choose(first, place)
                    self._moves(rest, Place(place.line, (place.column or 1) + found.end()))
                    return
        self.walk.choose(words.rstrip(" ,;."), place)


def _short(text: str, place: Place) -> str:
    """The text, which is no longer than anybody types."""
    if len(text) > LONGEST:
        raise BadInput(
            f"{place}: up to {LONGEST:,} letters stand on the first line and between two slashes, got {len(text):,}"
        )
    return text


def _items(text: str, start: int) -> Iterator[tuple[int, str]]:
    """What stands between slashes, with its column."""
    for found in re.finditer(r"[^/|]+", text[start:]):
        item = found[0]
        if item.strip(" \t,;."):
            yield start + found.start() + 1, item
