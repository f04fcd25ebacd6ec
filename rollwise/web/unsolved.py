"""Whether a question has to wait for a solve, and what is told meanwhile."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from rollwise.solver.game.model import TurnGame


async def waiting_for(request: Request, game: TurnGame) -> Any:
    """The work that a game needs before it can be asked; None where it is solved, or nobody keeps such work."""
    jobs = getattr(request.app.state, "jobs", None)
    return None if jobs is None else await jobs.wanted(game)
