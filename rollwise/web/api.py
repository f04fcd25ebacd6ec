"""The JSON interface."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

import rollwise

router = APIRouter()


@router.get("/games")
def games() -> list[dict[str, Any]]:
    """The games there are."""
    return rollwise.list_games()
