"""Questions are worked out in threads of their own, so many at once, while the server goes on listening."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

Told = TypeVar("Told")
AT_ONCE = 2


class Workers:
    """A pool of threads."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="question")

    async def run(self, ask: Callable[..., Told], *args: Any, **named: Any) -> Told:
        """What ``ask`` gives."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, partial(ask, *args, **named))
