"""The meaning of a game of boards and turns: the same game said in one level, state by state.

``flatten(game)`` knows nothing of turn graphs, codes or lanes. It asks ``game.turn`` for words and ``game.transition``
about one board at a time, so what it says is what the game file says; the two-level form is only the quicker one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from rollwise.solver.model.errors import ModelError
from rollwise.solver.model.game import Bounded, Chance, Decision, End, Game, Goto, Node, NodeKey, TurnGame
from rollwise.solver.model.outcome import Effect, Numbers, next_board, one_board, only, outcome


class StateGame(Game):
    """A game in one level: ``node(state)`` is a word in which ``Goto(state)`` leads on and ``End(x)`` is worth x.

    ``Earn(points, *state)`` is a ``Goto`` with points on the way. In a duel every state names its own mover: values are
    those of the player who moves in the first state, and ``minimises(state)`` says where a choice belongs to someone
    who wants that value low.
    """

    endless: ClassVar[bool] = False

    def first(self) -> NodeKey:
        """The state that the game starts in."""
        raise NotImplementedError

    def node(self, *state: Any) -> Node:
        """What happens in this state."""
        raise NotImplementedError

    def minimises(self, *state: Any) -> bool:
        """True where the choice belongs to a player who wants the value low; alone, that is the game's ``sense``."""
        return self.sense == "min"


class Earn(Goto):
    """``Goto`` to another state, and ``reward`` points for the first player on the way (a cost where it is below 0)."""

    __slots__ = ("reward",)

    def __init__(self, reward: int | Fraction, *state: Any) -> None:
        super().__init__(*state)
        self.reward = reward


@dataclass(frozen=True)
class SeatOutcome:
    """What a result comes to: the next board with the seats of its places, or the shares by place of the last one."""

    chance: Fraction
    board: dict[str, Any] | None
    seats: tuple[int, ...]
    shares: tuple[Fraction, ...]


def seat_turn(game: TurnGame, board: Mapping[str, Any], seats: tuple[int, ...]) -> list[SeatOutcome]:
    """One turn of a luck game of several seats, asked of ``turn`` and ``transition`` about one board.

    ``seats`` are those of the board's places, the mover's first.
    """
    columns = one_board(board)
    around = int(only(game.standing(columns)))
    found = []
    for chance, result in _ends(game, Goto(*game.roots()[int(only(game.root(columns)))]), Fraction(1)):
        said = game.transition(columns, result)
        if only(said.over):
            shares = tuple(Fraction(int(only(row)), said.per) for row in said.shares)
            found.append(SeatOutcome(chance, None, seats, shares))
            continue
        if said.next is None:
            raise ModelError(f"result {result} of {dict(board)} leads nowhere")
        following = next_board(said, columns)
        left = int(only(said.mover)) % around
        turned = (*seats[left:around], *seats[:left])
        still = int(only(game.standing(one_board(following))))
        found.append(SeatOutcome(chance, following, turned[:still], ()))
    return found


def _ends(game: TurnGame, word: Node, chance: Fraction) -> Iterator[tuple[Fraction, Any]]:
    """(chance, result) of every way through a turn without choices."""
    if isinstance(word, Goto):
        yield from _ends(game, game.turn(*word.state), chance)
    elif isinstance(word, End):
        yield chance, word.result
    elif isinstance(word, Chance):
        total = sum(weight for weight, _ in word.outcomes)
        for weight, after in word.outcomes:
            yield from _ends(game, after, chance * Fraction(weight, total))
    else:
        raise ModelError(f"a turn of {game} is not decided by dice alone")


def flatten(game: TurnGame) -> Flattened:
    """The game in one level.

    States are (player, board, state of the turn): who moves, 0 for the player who moves first; the board's fields as
    that player sees them; and the state that ``game.turn`` knows.
    """
    return Flattened(game)


@dataclass(frozen=True)
class Flattened(StateGame):
    """A turn game in one level; see ``flatten``. Values are those of the player who moves in the first state."""

    name = "flattened"
    title = "A game of boards and turns, state by state"
    source = "tests.reference.flatten"
    rules = "Those of the game that was flattened."
    kind = "solo"
    measure = "points"
    unit = "points"

    game: TurnGame
    _outcomes: dict[Any, Effect] = field(default_factory=dict, repr=False, compare=False)
    _legal: dict[Any, bool] = field(default_factory=dict, repr=False, compare=False)
    _words: dict[NodeKey, Node] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for word in ("name", "title", "source", "rules", "kind", "measure", "unit", "sense", "total", "endless"):
            object.__setattr__(self, word, getattr(self.game, word))

    def parameters(self) -> dict[str, Any]:
        """Those of the game."""
        return self.game.parameters()

    def __str__(self) -> str:
        return f"flattened {self.game}"

    def first(self) -> NodeKey:
        """The board that a game starts from, seat 0 to move."""
        start = self.game.first_board()
        return self.turn_start(0, tuple(start[name] for name in self.game.boards().names))

    def turn_start(self, player: int, board: Numbers) -> NodeKey:
        """The state in which this player's turn starts on this board."""
        names = self.game.boards().names
        columns = one_board(dict(zip(names, board, strict=True)))
        root = int(only(self.game.root(columns)))
        return player, board, tuple(self.game.roots()[root])

    def minimises(self, player: int, board: Numbers, state: NodeKey) -> bool:
        """The second player of a duel wants what the first one does not."""
        return (self.game.sense == "min") != (player == 1)

    def node(self, player: int, board: Numbers, state: NodeKey) -> Node:
        """The turn's word, with its results settled on this board and moves that are illegal here left out."""
        return self._flat(player, board, self._word(state))

    def _word(self, state: NodeKey) -> Node:
        if state not in self._words:
            self._words[state] = self.game.turn(*state)
        return self._words[state]

    def _flat(self, player: int, board: Numbers, word: Node) -> Node:
        if isinstance(word, Goto):
            return Goto(player, board, word.state)
        if isinstance(word, Chance):
            return Chance((weight, self._flat(player, board, after)) for weight, after in word.outcomes)
        if isinstance(word, Decision):
            legal = [(name, after) for name, after in word.moves if self._is_legal(board, after)]
            return Decision((name, self._flat(player, board, after)) for name, after in legal)
        if isinstance(word, Bounded):
            ends = sorted(self._seen_first(player, Fraction(end)) for end in (word.lower, word.upper))
            return Bounded(*ends)
        assert isinstance(word, End)
        return self._settled(player, board, word)

    def _settled(self, player: int, board: Numbers, word: End) -> Node:
        said = self._outcome(board, word.result)
        worth = said.value + Fraction(word.reward)
        if said.following is None:
            return End(self._seen_first(player, worth))
        following = self.turn_start(player ^ said.other, said.following)
        return Earn(-worth if player else worth, *following) if worth else Goto(*following)

    def _seen_first(self, player: int, worth: Fraction) -> Fraction:
        """What the end of a game is worth to the first player, from what it is worth to ``player``."""
        return self.game.total - worth if player else worth

    def _outcome(self, board: Numbers, result: Any) -> Effect:
        if (board, result) not in self._outcomes:
            self._outcomes[board, result] = outcome(self.game, board, result)
        return self._outcomes[board, result]

    def _is_legal(self, board: Numbers, word: Node) -> bool:
        """False where the rules forbid what must follow: some throw's result, or every move of a choice."""
        if isinstance(word, End):
            return self._outcome(board, word.result).legal
        if isinstance(word, Chance):
            return all(self._is_legal(board, after) for _, after in word.outcomes)
        if isinstance(word, Decision):
            return any(self._is_legal(board, after) for _, after in word.moves)
        if isinstance(word, Goto):
            if (board, word.state) not in self._legal:
                self._legal[board, word.state] = self._is_legal(board, self._word(word.state))
            return self._legal[board, word.state]
        return True
