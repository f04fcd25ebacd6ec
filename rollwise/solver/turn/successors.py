"""What a move leads to: the dice that fall, and where play goes on, up to the next question that anybody can be asked.

The game's own words are walked, for a compiled turn has no faces: throws that do the same are one node of it. Turns in
which nobody is asked (a robot's, a roll-off) are played on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import (
    Bounded,
    Chance,
    Columns,
    Decision,
    End,
    FirstLegal,
    Goto,
    Node,
    NodeKey,
    TurnGame,
)
from rollwise.solver.model.outcome import Effect, Numbers, one_board, only, outcome
from rollwise.solver.model.throws import Faces
from rollwise.solver.model.two_seats import is_duel
from rollwise.solver.turn.algebra import Legality

Thrown: TypeAlias = tuple[Faces, ...]  # the dice of one throw after the other, faces ascending
MOST = 200_000  # ways that a move goes on
REMEMBERED = 100_000  # states of which it is remembered whether anybody is asked there


@dataclass(frozen=True)
class ThrowOutcome:
    """One way that a move goes on.

    ``chance`` of it (None where hidden dice leave it open), and the dice ``thrown``, which fall so in ``ways`` ways;
    dice that others throw before anybody is asked again are not told. ``board`` and ``word`` are where it stands then:
    a ``Goto`` to the state of the next question, or a choice past a proven cut, of which only bounds are known; ``board``
    is None where the game is over. ``passed``: how many seats to the left the turn has gone; ``earned`` goes to who
    made the move, in a game that is over all of it; ``shares`` by seat from that one to the left, of a game that is
    over and shared. ``result``: how the mover's own turn ended, None where it goes on. ``reply``: what another player,
    who has seen nothing, replied.
    """

    chance: Fraction | None
    thrown: Thrown
    ways: int
    board: Numbers | None
    word: Node | None
    passed: int
    earned: Fraction
    shares: tuple[Fraction, ...] | None
    result: Any
    reply: str | None = None


@dataclass(frozen=True)
class _Place:
    """Where a walk stands: all that is to be told of a ``ThrowOutcome`` but how likely it is."""

    board: Numbers
    thrown: Thrown = ()
    open: bool = False  # may another die join the last throw?
    told: bool = True  # are dice told still?
    passed: int = 0
    earned: Fraction = Fraction(0)
    result: Any = None


Stop: TypeAlias = (
    ThrowOutcome | tuple[_Place, Fraction, int, Goto]
)  # or a place, its chance and ways, and the state to go on in


class Successors:
    """Walks the words of one game."""

    def __init__(self, game: TurnGame) -> None:
        self.game = game
        self.names = game.boards().names
        self.roots = [tuple(root) for root in game.roots()]
        self._asked: dict[tuple[Numbers, NodeKey], bool] = {}

    def falls(self, board: Mapping[str, Any], word: Node) -> list[ThrowOutcome]:
        """Every way that play goes on from a word of a turn on this board; chances are 1 together."""
        found: list[ThrowOutcome] = []
        here = {(_Place(tuple(board[name] for name in self.names)), None): (Fraction(1), 1, word)}
        while here:
            ahead: dict[Any, tuple[Fraction, int, Node]] = {}
            for (place, _), (chance, ways, at) in here.items():
                if isinstance(at, Goto) and self.is_asked(place.board, at.state):
                    found.append(self._stopped(place, at, chance, ways))
                    continue
                word = self.game.turn(*at.state) if isinstance(at, Goto) else at
                for stop in self._inside(place, word, chance, ways):
                    if isinstance(stop, ThrowOutcome):
                        found.append(stop)
                        continue
                    after, more, fallen, go = stop
                    key = (after, go.state)
                    before = ahead.get(key, (Fraction(0), 0, go))
                    ahead[key] = before[0] + more, before[1] + fallen, go
            here = ahead
            if len(here) + len(found) > MOST:
                raise ModelError(f"a move of {self.game} goes on in more than {MOST} ways")
        return found

    def _inside(self, place: _Place, word: Node, chance: Fraction, ways: int) -> Iterator[Stop]:
        """Follow a word that is no question to where it stops, or to the states of the turn that come next."""
        if isinstance(word, Goto):
            yield place, chance, ways, word
        elif isinstance(word, Chance):
            whole = sum(weight for weight, _ in word.outcomes)
            for number, (weight, after) in enumerate(word.outcomes):
                for thrown, some in self._thrown(place, word, number, weight):
                    part = chance * Fraction(some, whole)
                    yield from self._inside(thrown, after, part, ways * some if thrown.told else ways)
        elif isinstance(word, End):
            yield from self._ended(place, word, chance, ways)
        elif isinstance(word, FirstLegal):
            legal = next(filter(Legality(self.game, self.by_name(place.board)).worth, word.words), None)
            if legal is None:
                raise ModelError(f"{self.game} prefers what is not legal")
            yield from self._inside(place, legal, chance, ways)
        elif isinstance(word, Decision) and len(word.moves) == 1:
            yield from self._inside(place, word.moves[0][1], chance, ways)
        else:
            assert isinstance(word, Decision | Bounded)
            yield self._stopped(place, word, chance, ways)

    def _thrown(self, place: _Place, word: Chance, number: int, weight: int) -> list[tuple[_Place, int]]:
        """The dice of one outcome, with their ways."""
        if word.falls is None or not place.told:
            return [(replace(place, open=False), weight)]
        joins = word.falls.joins
        found = []
        for faces, ways in word.falls.shown[number]:
            before, last = (place.thrown[:-1], place.thrown[-1]) if joins and place.open else (place.thrown, ())
            found.append((replace(place, thrown=(*before, tuple(sorted((*last, *faces)))), open=joins), ways))
        if sum(ways for _, ways in found) != weight:
            raise ModelError(f"{self.game} gives a throw another weight than it has ways")
        return found

    def _ended(self, place: _Place, end: End, chance: Fraction, ways: int) -> Iterator[Stop]:
        """A turn is over: the game too, or the next one begins."""
        said = self.settled(place.board, end.result)
        if not said.legal:
            raise ModelError(f"{self.game} ends a turn with {end.result}, which is not legal there")
        result = end.result if place.told else place.result
        gone = is_duel(self.game) and place.passed % 2
        worth = said.worth + Fraction(end.reward)
        if said.following is None:
            earned = place.earned + (self.game.total - worth if gone else worth)
            shares = said.shares and _from_first(said.shares, place.passed)
            yield ThrowOutcome(chance, place.thrown, ways, None, None, place.passed, earned, shares, result)
            return
        earned = place.earned + (-worth if gone else worth)
        following = _Place(said.following, place.thrown, False, False, place.passed + said.passed, earned, result)
        yield following, chance, ways, Goto(*self.root(said.following))

    def _stopped(self, place: _Place, word: Node, chance: Fraction, ways: int) -> ThrowOutcome:
        return ThrowOutcome(
            chance, place.thrown, ways, place.board, word, place.passed, place.earned, None, place.result
        )

    # --- what a game says --------------------------------------------------------------------------------------------

    def is_asked(self, board: Numbers, state: NodeKey) -> bool:
        """Can anybody be asked here?

        Not while dice of one throw still fall. ``describe`` may leave out states that are asked about all the same:
        those past the solved turn, and any in which there is a choice of more than how the turn ends.
        """
        found = self._asked.get((board, state))
        if found is None:
            if len(self._asked) >= REMEMBERED:
                self._asked.clear()  # another thread may do so at any time
            word = self.game.turn(*state)
            if isinstance(word, Chance) and word.falls is not None and word.falls.joins:
                found = False
            elif next(iter(self.game.describe(self.by_name(board), state)), None) is not None:
                found = True
            else:
                ends = isinstance(word, Decision) and len(word.moves) == 1 and isinstance(word.moves[0][1], End)
                past = self.game.asked(*state) is not None and not isinstance(word, End)
                found = past or (isinstance(word, Decision) and not ends)
            self._asked[board, state] = found
        return found

    def settled(self, board: Numbers, result: Any) -> Effect:
        """What a result does to a board."""
        return outcome(self.game, board, result)

    def root(self, board: Numbers) -> NodeKey:
        """The state that the turn of a board starts in."""
        columns: Columns = one_board(self.by_name(board))
        return self.roots[int(only(self.game.root(columns)))]

    def by_name(self, board: Numbers) -> dict[str, Any]:
        """A board's fields by name."""
        return dict(zip(self.names, board, strict=True))


def _from_first(shares: tuple[Fraction, ...], passed: int) -> tuple[Fraction, ...]:
    """Shares from a later mover to the left as shares from the first one on."""
    back = -passed % len(shares)
    return (*shares[back:], *shares[:back])
