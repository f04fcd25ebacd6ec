"""Playing a game in the browser."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter()
