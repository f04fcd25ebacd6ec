"""The review of a game: what was skill and what was luck."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(include_in_schema=False)
