"""A program as a user writes it, with types: mypy --strict reads it from outside, and the tests run it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, assert_type

import rollwise


def should_roll(state: dict[str, Any]) -> bool:
    """Is rolling among the best moves?"""
    advice: rollwise.Advice = rollwise.ask("pig", params={"target": 10}, state=state)
    assert_type(advice.best, list[str])
    return "roll" in advice.best


def should_hold(state: Mapping[str, Any], moves: Sequence[str]) -> str:
    """A rule of thumb."""
    return moves[0] if state["turn"] >= 2 else moves[-1]


def losses(advice: rollwise.Advice) -> dict[str, float]:
    """What every move loses."""
    moves: list[rollwise.MoveAdvice] = advice.moves
    return {move.move: move.loss for move in moves}


def fraction(game: str, params: dict[str, int]) -> Fraction:
    """The exact value of a game."""
    exact = rollwise.solve(game, params=params, exact=True).exact
    assert_type(exact, str | None)
    return Fraction(exact or 0)


def why_not(game: str) -> str:
    """What is wrong with this name."""
    try:
        rollwise.ask(game)
    except rollwise.UnknownGame as error:
        return error.line()
    except (rollwise.RollwiseError, rollwise.StoreError) as error:
        return str(error)
    return ""


def gap_reached(error: rollwise.NotConverged) -> float:
    """How narrow the interval became."""
    return assert_type(error.gap, float)


def written(folder: Path) -> int:
    """How many decisions a policy has."""
    exported: rollwise.Exported = rollwise.export("pig", folder / "pig.csv", params={"target": 4}, state={"turn": 2})
    return exported.rows


def quantities(advice: rollwise.Advice) -> dict[str, rollwise.Quantity]:
    """The odds of a game of pure luck."""
    win = advice.quantities["win"]
    assert isinstance(win.value, list)
    assert_type(win.value, list[float])
    return dict(advice.quantities)


def main(folder: Path) -> list[Any]:
    """Everything above, once."""
    comparison: rollwise.Comparison = rollwise.compare("pig", "keep-pace", params={"target": 4})
    final: rollwise.FinalScore = rollwise.forecast("shut-the-box", at_least=1)
    assert_type(final.quantities["mean_score"].value, float)
    assert_type(final.quantities["at_least"].exact, dict[str, str | None] | None)
    turn: rollwise.TurnOdds = rollwise.odds("yahtzee", boxes="yahtzee", rolls=1)
    rule: rollwise.Policy = should_hold
    risk = assert_type(rollwise.odds("pig", params={"target": 4}, policy=rule, turn=2), rollwise.TurnRisk)
    assert risk.again is not None
    assert_type(risk.again.gain.value, float)
    assert_type(risk.turn.points.value, dict[str, float])
    planned: rollwise.SolvePlan = rollwise.plan("pig", params={"target": 4})
    assert planned.boards == 16
    checked: list[rollwise.Verdict] = rollwise.verify("ten-thousand")
    asked: list[rollwise.QuizPosition] = rollwise.quiz("pig", params={"target": 4}, seed=1, n=1, least=0, look=10)
    wrong: list[rollwise.WrongRule] = [each for position in asked for each in position.wrong]
    return [
        should_roll({"turn": 4}),
        list(losses(rollwise.ask("pig", params={"target": 10}, mine=7, theirs=9, turn=3))),
        str(fraction("pig", {"target": 3})),
        why_not("pigg"),
        written(folder),
        "win_share" in " ".join(quantities(rollwise.solve("big-six", params={"players": 2}))),
        comparison.game,
        [position.best for position in asked],
        [rule.loss > 0 for rule in wrong],
        final.game,
        turn.odds[0].best.exact,
        [risk.bust[0].chance.exact, risk.turn.points.value, risk.again.gain.exact],
        {verdict.verdict for verdict in checked},
        [game["name"] for game in rollwise.list_games()][:2],
    ]


if __name__ == "__main__":
    import sys

    print(main(Path(sys.argv[1])))
