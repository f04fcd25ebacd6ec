"""Games for a target played by lot, and all targets together beside the best play for the mean."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import pytest

import rollwise
from rollwise.games.sixzee.rules import Sixzee, SixzeeReach
from rollwise.games.yahtzee.rules import Yahtzee, YahtzeeReach
from rollwise.solutions.lookup import load_or_solve
from rollwise.solver.kinds import kind_of
from rollwise.solver.model.game import Position, TurnGame
from tests.solver.plain import thorough

AT_999 = 3.2905  # standard errors to either side that hold 99.9 % of a normal distribution


def test_so_many_of_200_000_games_reach_the_target() -> None:
    made, needed = YahtzeeReach(boxes="sixes,yahtzee"), 19
    found = load_or_solve(made.part(), quiet=True)
    board = {**made.first_board(), "needed": needed}
    played = kind_of(made).simulate(found.solution, Position(board, tuple(made.roots()[0])), 200_000, 1)
    ((chance,), _) = found.solution.read(np.array([found.game.boards().index_of(**board)]))
    assert 0.05 < chance < 0.95
    assert abs(played.mean[0] - chance) <= AT_999 * played.error[0] < 0.004


@pytest.mark.parametrize(
    ("mean", "reach"),
    [
        (Yahtzee(boxes="sixes,full house"), YahtzeeReach(boxes="sixes,full house")),
        *thorough((Sixzee(boxes="twos,sixzee"), SixzeeReach(boxes="twos,sixzee"))),
    ],
)
def test_play_for_the_mean_is_nowhere_ahead_and_all_its_targets_come_to_its_mean(
    mean: TurnGame, reach: YahtzeeReach | SixzeeReach, play: Any
) -> None:
    play(mean)
    ends = rollwise.forecast(mean.name).quantities
    scores = {int(score): p for score, p in ends["score_distribution"].value.items()}
    usual = [fsum(p for score, p in scores.items() if score >= target) for target in range(1, max(scores) + 2)]
    found = load_or_solve(reach.part(), quiet=True)
    space = found.game.boards()
    places = [space.index_of(**{**reach.first_board(), "needed": n}) for n in range(1, len(usual) + 1)]
    best = found.solution.read(np.array(places))[0]
    assert (best >= np.array(usual) - 1e-12).all()
    assert best[-1] == usual[-1] == 0
    assert ends["mean_score"].lower - 1e-9 <= fsum(usual) <= ends["mean_score"].upper + 1e-9 < fsum(best)
