"""Tasks run one after the other in this process, or by a dask cluster where a scheduler is named."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from rollwise.cache.errors import StoreError
from rollwise.cluster.task import Task
from rollwise.solver.model.errors import RollwiseError


def require_scheduler(scheduler: str) -> None:
    """Raise BadInput where no scheduler answers, or its workers do not run this code."""
    from rollwise.cluster.dask_cluster import connect

    with connect(scheduler):
        pass


def run_tasks(tasks: Sequence[Task], scheduler: str | None = None) -> Generator[tuple[int, Any], None, None]:
    """(place, result) of each task as it finishes; a failed task yields its error, and the others go on.

    Here each task uses all cores, so they run one at a time. ``scheduler``: the address of a dask scheduler, whose
    workers must run this very code; errors of the cluster, not of a task, are raised as ``BadInput`` or
    ``RollwiseError``. A task whose worker dies is run again by another one.
    """
    if scheduler is not None:
        from rollwise.cluster.dask_cluster import spread_over_workers

        yield from spread_over_workers(tasks, scheduler)
        return
    for place, task in enumerate(tasks):
        try:
            result = task.function(*task.arguments)
        except (RollwiseError, StoreError, MemoryError) as error:
            result = error
        yield place, result
