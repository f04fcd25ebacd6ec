"""A game for one player as an explicit model for other programs: python -m scripts.benched.explicit JSON FILE.

JSON is [game, parameters]. FILE.npz has arrays: of states, where their choices begin; of choices, where their entries
begin, the sum of their weights, and what they earn on average; of entries, target and weight. State 0 is the end, 1 the
first. FILE.drn is the same in Storm's format, in fractions. Prints how large it is and how long it took.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from rollwise.games.pig.rules import Pig
from rollwise.games.registry import game
from rollwise.solver.model.game import Boards, Chance, Columns, Decision, End, Goto, Node, NodeKey, Transition, TurnGame
from rollwise.solver.model.outcome import one_board, only, outcome

END, FIRST = 0, 1


@dataclass(frozen=True)
class PigAlone(Pig):
    """Alone; the value is the least expected number of turns, the present one included. Not one of our games."""

    name = "pig-alone"
    kind = "solo"
    measure = "turns"
    unit = "turns"
    sense = "min"
    scale = 10
    total = 0

    def boards(self) -> Boards:
        """The player's score."""
        return Boards(mine=self.target)

    def transition(self, board: Columns, result: int) -> Transition:
        """One more turn; points are banked."""
        mine = board.mine + result
        return Transition(over=mine >= self.target, next={"mine": mine}, reward=1)

    def level(self, board: Columns) -> Any:
        """The score never falls."""
        return board.mine


def made(name: str, parameters: dict[str, Any]) -> TurnGame:
    """The game of that name."""
    found = PigAlone(**parameters) if name == PigAlone.name else game(name, parameters)
    assert isinstance(found, TurnGame)
    return found


class Explicit:
    """States in the order in which they are met, each with its moves: targets with weights, and the mean earned.

    A state is a board and a state of the turn: ``game.turn`` and ``game.transition`` are asked about one at a time.
    """

    def __init__(self, game: TurnGame) -> None:
        self.game, self.turn, self.outcome = game, cache(game.turn), cache(partial(outcome, game))
        self.state_is_legal = cache(lambda board, state: self.is_legal(board, self.turn(*state)))
        self.number: dict[Any, int] = {END: END}
        self.waiting: list[Any] = []
        start = game.first_board()
        self.place(self.turn_start(tuple(start[name] for name in game.boards().names)))
        self.moves: list[list[tuple[dict[int, int], Fraction]]] = [[({END: 1}, Fraction(0))]]
        for board, state in self.waiting:  # grows meanwhile
            words = self.legal_moves(board, self.turn(*state))
            sure = [word for word in words if game.measure == "turns" and self.ends(board, word)]
            self.moves.append([self.move(board, word) for word in sure[:1] or words])  # nothing beats the end of a race

    def turn_start(self, board: Any) -> tuple[Any, NodeKey]:
        """The state in which a turn starts on this board."""
        columns = one_board(dict(zip(self.game.boards().names, board, strict=True)))
        return board, tuple(self.game.roots()[int(only(self.game.root(columns)))])

    def legal_moves(self, board: Any, word: Node) -> list[Node]:
        """The moves of a word, those of a choice within a choice too."""
        if not isinstance(word, Decision):
            return [word]
        legal = [after for _, after in word.moves if self.is_legal(board, after)]
        return [move for after in legal for move in self.legal_moves(board, after)]

    def is_legal(self, board: Any, word: Node) -> bool:
        """False where the rules forbid what must follow: some throw's result, or every move of a choice."""
        if isinstance(word, End):
            return self.outcome(board, word.result).legal
        if isinstance(word, Goto):
            return bool(self.state_is_legal(board, word.state))
        below = word.outcomes if isinstance(word, Chance) else word.moves if isinstance(word, Decision) else ()
        return (any if isinstance(word, Decision) else all)(self.is_legal(board, after) for _, after in below)

    def ends(self, board: Any, word: Node) -> bool:
        """Does this word end the game at once?"""
        return isinstance(word, End) and self.outcome(board, word.result).following is None

    def place(self, state: Any) -> int:
        """The number of a state."""
        if state not in self.number:
            self.number[state] = len(self.number)
            self.waiting.append(state)
        return self.number[state]

    def move(self, board: Any, word: Node) -> tuple[dict[int, int], Fraction]:
        """One move."""
        weights: dict[int, int] = defaultdict(int)
        earned = Fraction(0)
        for weight, after in word.outcomes if isinstance(word, Chance) else [(1, word)]:
            assert isinstance(after, End | Goto), "a choice within a throw has no number of its own"
            target: Any = (board, after.state) if isinstance(after, Goto) else END
            if isinstance(after, End):
                said = self.outcome(board, after.result)
                earned += weight * (said.value + Fraction(after.reward))
                target = END if said.following is None else self.turn_start(said.following)
            weights[self.place(target)] += weight
        return weights, earned / sum(weights.values())

    def write(self, path: str) -> dict[str, int]:
        """Both files; how many states, choices and entries."""
        flat = [move for moves in self.moves for move in moves]
        np.savez(
            f"{path}.npz",
            choices=np.cumsum([0, *map(len, self.moves)]),
            entries=np.cumsum([0, *(len(weights) for weights, _ in flat)]),
            total=np.array([sum(weights.values()) for weights, _ in flat]),
            earned=np.array([float(earned) for _, earned in flat]),
            target=np.array([target for weights, _ in flat for target in weights]),
            weight=np.array([weight for weights, _ in flat for weight in weights.values()]),
        )
        sizes = {"states": len(self.moves), "choices": len(flat), "entries": sum(len(weights) for weights, _ in flat)}
        with open(f"{path}.drn", "w", encoding="utf-8") as file:
            file.write("@type: MDP\n@parameters\n\n@reward_models\nearned\n@nr_states\n")
            file.write(f"{sizes['states']}\n@nr_choices\n{sizes['choices']}\n@model\n")
            for state, moves in enumerate(self.moves):
                file.write(f"state {state} [0]{({END: ' end', FIRST: ' init'}).get(state, '')}\n")
                for number, (weights, earned) in enumerate(moves):
                    total = sum(weights.values())
                    file.write(f"\taction {number} [{earned}]\n")
                    file.writelines(f"\t\t{target} : {Fraction(n, total)}\n" for target, n in sorted(weights.items()))
        return sizes


def main() -> None:
    """Write both files."""
    name, parameters = json.loads(sys.argv[1])
    begin = time.process_time()
    sizes = Explicit(made(name, parameters)).write(sys.argv[2])
    print(json.dumps(sizes | {"seconds": time.process_time() - begin}))


if __name__ == "__main__":
    main()
