"""Strongly connected components of ``solver.order.components``, compiled (numba; the kernels release the GIL)."""

from __future__ import annotations

from rollwise.solver.order import components
from rollwise.solver.turn.kept_kernels import compiled

strong, rank = compiled()(components.strong), compiled()(components.rank)
