"""Tasks on a dask cluster; the only module that imports dask, loaded only where a scheduler is named."""

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
from rollwise.solver.model.cancellation import Token, with_token
from rollwise.solver.model.errors import BadInput, RollwiseError
from rollwise.solver.model.plain import quoted

if TYPE_CHECKING:
    from distributed import Client, Future

FIELD = "scheduler"
CONNECT_S = 2.5  # seconds for a scheduler to answer
REPLY_S = 20.0  # seconds for workers, which may have to import everything first
POLL_INTERVAL_S = 5.0  # without a result, until the workers are counted
MAX_POLLS_WITHOUT_WORKERS = 6  # then the cluster is given up
PROBE = f"__import__('importlib').import_module('{__name__}').source_fingerprint()"  # evaluated on each worker


def spread_over_workers(tasks: Sequence[Task], address: str) -> Iterator[tuple[int, Any]]:
    """See ``run_tasks``: the same on the workers of this scheduler."""
    with connect(address) as client:
        pending, running = iter(enumerate(tasks)), dict["Future", int]()
        n_polls = 0
        while True:
            # One task a thread, none queued on a worker: dask counts a worker's death against all tasks it holds.
            free = max(1, sum(client.nthreads().values())) - len(running)
            for place, task in islice(pending, max(0, free)):
                call = pickle.dumps((task.function, task.arguments))
                running[client.submit(run_on_worker, source_fingerprint(), call, pure=False)] = place
            if not running:
                return
            try:
                done = _next_done(client, running)
            except KeyboardInterrupt:
                yield from [(place, _result(client, one)) for one, place in _finished(running)]
                raise
            except (CancelledError, OSError) as error:
                raise _scheduler_lost(address) from error
            n_polls = 0 if done else n_polls + 1
            if client.status != "running":
                raise _scheduler_lost(address)
            if n_polls and not client.nthreads():
                if n_polls > MAX_POLLS_WITHOUT_WORKERS:
                    raise RollwiseError(f"the scheduler at {address} has no workers left", field=FIELD)
                continue
            for future in done:
                place = running.pop(future)
                yield place, _result(client, future)


def run_on_worker(expected: str, call: bytes) -> Any:
    """Run a task on a worker, which must have this very code; cancelled when the client drops the task."""
    from distributed import get_worker

    worker = get_worker()
    if source_fingerprint() != expected:
        raise _code_mismatch(worker.address)
    function, arguments = pickle.loads(call)
    key, at_work = worker.get_current_task(), worker.state.tasks
    with with_token(Token(lambda: key not in at_work or at_work[key].state == "cancelled")):
        return function(*arguments)


@cache
def source_fingerprint() -> str:
    """Fingerprint of all code of the package that tasks may run; a user's own game has one in its identity."""
    games = [module for game in REGISTRY.values() if (module := game.module).startswith("rollwise.")]
    return fingerprint([*games, "rollwise.solutions.transfer", __name__], ["rollwise"])


# --- results -------------------------------------------------------------------------------------------------


def _next_done(client: Client, running: dict[Future, int]) -> list[Future]:
    """The finished tasks, once there is one; none after POLL_INTERVAL_S without any."""
    from distributed import wait

    try:
        with client.as_current():
            wait(list(running), POLL_INTERVAL_S, "FIRST_COMPLETED")
    except TimeoutError:
        return []
    return [future for future, _ in _finished(running)]


def _finished(running: dict[Future, int]) -> list[tuple[Future, int]]:
    return [(future, place) for future, place in running.items() if future.done()]


def _result(client: Client, future: Future) -> Any:
    """The result of a task, or its error; raises errors of the cluster."""
    from distributed import KilledWorker

    try:
        return future.result()
    except RollwiseError as error:
        if error.field == FIELD:
            raise
        return error
    except KilledWorker as error:
        deaths = f"{error.allowed_failures + 1} one after the other"
        return RollwiseError(f"its workers died, {deaths}; it may need more memory than they have")
    except (CancelledError, OSError) as error:
        raise _scheduler_lost(client.scheduler.address) from error
    except Exception as error:
        if isinstance(error, ImportError):  # a worker that joined later
            _require_same_code(client)
        return RollwiseError(f"{type(error).__name__} on a worker: {error}")
    finally:
        future.release()


def _scheduler_lost(address: str) -> RollwiseError:
    return RollwiseError(f"the scheduler at {address} is gone; what came before is kept", field=FIELD)


# --- connection ----------------------------------------------------------------------------------------------------


@contextmanager
def connect(address: str) -> Iterator[Client]:
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
            warnings.simplefilter("ignore")  # of versions, which are checked here
            client = Client(address, timeout=CONNECT_S, set_as_default=False)
        with client:
            _require_same_code(client)
            yield client


@contextmanager
def _silence() -> Iterator[None]:
    """Silence the logs of dask: errors here are one line each."""
    previous_level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(previous_level)


def _require_scheduler(address: str) -> None:
    """Raise BadInput where no scheduler of this version answers."""
    from distributed import __version__

    try:
        with ThreadPoolExecutor(1) as other:  # an event loop may run in this thread
            kind, version = other.submit(asyncio.run, asyncio.wait_for(_identify(address), CONNECT_S)).result()
    except Exception as error:  # an answer from another program can raise anything in dask
        reason = type(error).__name__ if isinstance(error, MemoryError) or not str(error) else str(error)
        raise BadInput(f"no dask scheduler answers at {quoted(address)}: {reason}", field=FIELD) from None
    if kind != "Scheduler":
        raise BadInput(f"{address} is a dask {kind.lower()}, not a scheduler", field=FIELD)
    if version != __version__:
        raise BadInput(f"the scheduler at {address} has distributed {version}, this has {__version__}", field=FIELD)


async def _identify(address: str) -> tuple[str, str]:
    """The type of the dask server at an address, and its version of distributed."""
    from distributed import rpc
    from distributed.security import Security

    async with rpc(address, timeout=CONNECT_S, connection_args=Security().get_connection_args("client")) as remote:
        return (await remote.identity())["type"], (await remote.versions())["packages"]["distributed"]


def _require_same_code(client: Client) -> None:
    """Raise BadInput where there is no worker, or one runs other code."""
    from distributed import __version__

    address = client.scheduler.address
    results = _evaluate_on_workers(client, PROBE)
    if not results:
        raise BadInput(f"the scheduler at {address} has no workers: dask worker {address}", field=FIELD)
    for worker, result in results.items():
        if isinstance(result, ModuleNotFoundError) and re.fullmatch(r"rollwise(\..*)?", result.name or ""):
            raise BadInput(f"the worker {worker} has no rollwise: install there what is here", field=FIELD)
        if isinstance(result, BaseException):
            raise BadInput(f"the worker {worker} cannot load rollwise: {result}", field=FIELD)
        if result != source_fingerprint():
            raise _code_mismatch(worker)
    versions = _evaluate_on_workers(client, "__import__('distributed').__version__")
    for worker, version in versions.items():
        if version != __version__:
            raise BadInput(f"the worker {worker} has distributed {version}, this has {__version__}", field=FIELD)


def _evaluate_on_workers(client: Client, expression: str) -> dict[str, Any]:
    """The value of an expression on each worker, or its error."""
    try:
        values: dict[str, Any] = client.sync(client._run, eval, expression, on_error="return", callback_timeout=REPLY_S)
    except TimeoutError:
        text = f"a worker of {client.scheduler.address} does not answer within {REPLY_S:.0f} seconds; is one stopped?"
        raise BadInput(text, field=FIELD) from None
    return values


def _code_mismatch(worker: str) -> BadInput:
    return BadInput(f"the worker {worker} has another rollwise than this: install there what is here", field=FIELD)
