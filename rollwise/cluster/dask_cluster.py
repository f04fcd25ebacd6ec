"""Tasks over a dask cluster. This file alone imports dask, and it is loaded only where a scheduler is named."""

from __future__ import annotations

import asyncio
import logging
import pickle
import re
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from rollwise.cache.fingerprint import fingerprint
from rollwise.cluster.task import Task
from rollwise.games.registry import REGISTRY
from rollwise.solver.model.cancellation import given_up_when
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.plain import quoted

if TYPE_CHECKING:
    from distributed import Client, Future

FIELD = "scheduler"
WITHIN = 2.5  # seconds in which a scheduler has to say what it is
PATIENCE = 20.0  # seconds for workers, which may have to load everything first
LOOK = 5.0  # seconds without news, after which it is looked at whether anybody is left
LOOKS = 6  # of them, after which nobody will come again
PROBE = f"__import__('importlib').import_module('{__name__}').sources()"  # for eval, which every worker has


def over(tasks: Sequence[Task], address: str) -> Iterator[tuple[int, Any]]:
    """See ``spread``: the same over the workers of this scheduler."""
    with reached(address) as client:
        waiting, running = iter(enumerate(tasks)), dict["Future", int]()
        looks = 0
        while True:
            # A task for each thread, and none waits on a worker: who dies would be blamed on all that it has.
            free = max(1, sum(client.nthreads().values())) - len(running)
            for place, task in islice(waiting, max(0, free)):
                call = pickle.dumps((task.function, task.arguments))
                running[client.submit(done_there, sources(), call, pure=False)] = place
            if not running:
                return
            try:
                done = _next_done(client, running)
            except KeyboardInterrupt:
                yield from [(place, _result(client, one)) for one, place in _finished(running)]
                raise
            except (CancelledError, OSError) as error:
                raise _gone(address) from error
            looks = 0 if done else looks + 1
            if client.status != "running":
                raise _gone(address)
            if looks and not client.nthreads():
                if looks > LOOKS:
                    raise RollwiseError(f"the scheduler at {address} has no workers left", field=FIELD)
                continue
            for future in done:
                place = running.pop(future)
                yield place, _result(client, future)


def done_there(expected: str, call: bytes) -> Any:
    """What a worker does of a task: nothing with other code than this; it stops where nobody waits any more."""
    from distributed import get_worker

    worker = get_worker()
    if sources() != expected:
        raise _unlike(worker.address)
    function, arguments = pickle.loads(call)
    key, at_work = worker.get_current_task(), worker.state.tasks
    with given_up_when(lambda: key not in at_work or at_work[key].state == "cancelled"):
        return function(*arguments)


@cache
def sources() -> str:
    """A fingerprint of all code of ours that tasks may run; of a user's own game, the identity has one."""
    games = [module for game in REGISTRY.values() if (module := game.module).startswith("rollwise.")]
    return fingerprint([*games, "rollwise.solutions.carried", __name__], ["rollwise"])


# --- what comes back -------------------------------------------------------------------------------------------------


def _next_done(client: Client, running: dict[Future, int]) -> list[Future]:
    """Those that are done, once one is; none where nothing happens for long."""
    from distributed import wait

    try:
        with client.as_current():
            wait(list(running), LOOK, "FIRST_COMPLETED")
    except TimeoutError:
        return []
    return [future for future, _ in _finished(running)]


def _finished(running: dict[Future, int]) -> list[tuple[Future, int]]:
    return [(future, place) for future, place in running.items() if future.done()]


def _result(client: Client, future: Future) -> Any:
    """The result of a task, or its error. Raises what is not the task's own fault."""
    from distributed import KilledWorker

    try:
        return future.result()
    except RollwiseError as error:
        if error.field == FIELD:
            raise
        return error
    except KilledWorker as error:
        died = f"{error.allowed_failures + 1} one after the other"
        return RollwiseError(f"its workers died, {died}; it may need more memory than they have")
    except (CancelledError, OSError) as error:
        raise _gone(client.scheduler.address) from error
    except Exception as error:
        if isinstance(error, ImportError):  # a worker that came later
            _require_alike(client)
        return RollwiseError(f"{type(error).__name__} on a worker: {error}")
    finally:
        future.release()


def _gone(address: str) -> RollwiseError:
    return RollwiseError(f"the scheduler at {address} is gone; what came before is kept", field=FIELD)


# --- who is there ----------------------------------------------------------------------------------------------------


@contextmanager
def reached(address: str) -> Iterator[Client]:
    """A client of this scheduler, whose workers have this code. Raises BadInput, with the address or the worker."""
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise BadInput(
            f"more than one machine needs further packages ({error.name} is missing)",
            hint='pip install "rollwise[cluster]"',
            field=FIELD,
        ) from None
    with _silence():
        _require_scheduler(address)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions, which are looked at here
            client = Client(address, timeout=WITHIN, set_as_default=False)
        with client:
            _require_alike(client)
            yield client


@contextmanager
def _silence() -> Iterator[None]:
    """What dask would log is said here in one line, or not at all."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _require_scheduler(address: str) -> None:
    """Raise BadInput where no scheduler of this version answers."""
    from distributed import __version__

    try:
        with ThreadPoolExecutor(1) as other:  # an event loop may run in this thread
            kind, version = other.submit(asyncio.run, asyncio.wait_for(_asked(address), WITHIN)).result()
    except Exception as error:  # whatever a stranger's answer does to dask
        reason = type(error).__name__ if isinstance(error, MemoryError) or not str(error) else str(error)
        raise BadInput(f"no dask scheduler answers at {quoted(address)}: {reason}", field=FIELD) from None
    if kind != "Scheduler":
        raise BadInput(f"{address} is a dask {kind.lower()}, not the scheduler that is wanted", field=FIELD)
    if version != __version__:
        raise BadInput(f"the scheduler at {address} has distributed {version}, this has {__version__}", field=FIELD)


async def _asked(address: str) -> tuple[str, str]:
    """What stands at an address, and its version of distributed."""
    from distributed import rpc
    from distributed.security import Security

    async with rpc(address, timeout=WITHIN, connection_args=Security().get_connection_args("client")) as there:
        return (await there.identity())["type"], (await there.versions())["packages"]["distributed"]


def _require_alike(client: Client) -> None:
    """Raise BadInput where no worker is, or one has not this very code."""
    from distributed import __version__

    address = client.scheduler.address
    found = _said_by_all(client, PROBE)
    if not found:
        raise BadInput(f"the scheduler at {address} has no workers: dask worker {address}", field=FIELD)
    for worker, there in found.items():
        if isinstance(there, ModuleNotFoundError) and re.fullmatch(r"rollwise(\..*)?", there.name or ""):
            raise BadInput(f"the worker {worker} has no rollwise: install there what is here", field=FIELD)
        if isinstance(there, BaseException):
            raise BadInput(f"the worker {worker} cannot load rollwise: {there}", field=FIELD)
        if there != sources():
            raise _unlike(worker)
    versions = _said_by_all(client, "__import__('distributed').__version__")
    for worker, version in versions.items():
        if version != __version__:
            raise BadInput(f"the worker {worker} has distributed {version}, this has {__version__}", field=FIELD)


def _said_by_all(client: Client, expression: str) -> dict[str, Any]:
    """What this is on each worker, or its error."""
    try:
        found: dict[str, Any] = client.sync(client._run, eval, expression, on_error="return", callback_timeout=PATIENCE)
    except TimeoutError:
        told = f"a worker of {client.scheduler.address} does not answer within {PATIENCE:.0f} seconds; is one stopped?"
        raise BadInput(told, field=FIELD) from None
    return found


def _unlike(worker: str) -> BadInput:
    return BadInput(f"the worker {worker} has another rollwise than this: install there what is here", field=FIELD)
