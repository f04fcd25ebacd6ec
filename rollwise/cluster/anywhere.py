"""Tasks, done one after the other in this process, or by the machines of a dask cluster where a scheduler is named."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from rollwise.cache.errors import StoreError
from rollwise.cluster.task import Task
from rollwise.solver.model.errors import RollwiseError


def require_scheduler(scheduler: str) -> None:
    """Raise BadInput where no scheduler is, or its workers are not as ``spread`` needs them."""
    from rollwise.cluster.dask_cluster import reached

    with reached(scheduler):
        pass


def spread(tasks: Sequence[Task], scheduler: str | None = None) -> Generator[tuple[int, Any], None, None]:
    """(place, result) of each task, as they are done; of one that fails the error, and the others go on.

    Here each task has all cores, so one at a time is done. ``scheduler``: the address of a dask scheduler, whose
    workers have to have this very code; what goes wrong with them and not with a task is raised, as ``BadInput`` or
    ``RollwiseError``. A task whose worker dies is done again by another one.
    """
    if scheduler is not None:
        from rollwise.cluster.dask_cluster import over

        yield from over(tasks, scheduler)
        return
    for place, task in enumerate(tasks):
        try:
            came = task.function(*task.arguments)
        except (RollwiseError, StoreError, MemoryError) as error:
            came = error
        yield place, came
