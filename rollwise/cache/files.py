"""Opening and locking of cache files, which are data from outside: only regular files are opened."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

OPEN_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # follow no link, and do not block on a pipe


class NotRegular(OSError):
    """A link, a pipe, a device or a folder stands in place of a file."""


def open_regular(path: Path | str, flags: int = os.O_RDONLY) -> BinaryIO:
    """Open a regular file. Raises ``OSError``; ``NotRegular`` for anything else."""
    try:
        handle = os.open(path, flags | OPEN_FLAGS, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):  # a link, a socket, a folder
            raise NotRegular(error.errno, "it is no regular file") from error
        raise
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise NotRegular(errno.EINVAL, "it is no regular file")
        return os.fdopen(handle, "rb" if flags == os.O_RDONLY else "ab")
    except BaseException:
        os.close(handle)
        raise


def lock_shared(file: BinaryIO) -> None:
    """Take a shared lock while the file, or a memory map of it, is open; without locks, do nothing."""
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


def is_in_use(folder: Path) -> bool:
    """True where any process has a file of this folder open under the shared lock of ``lock_shared``."""
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(NotRegular, FileNotFoundError, PermissionError), open_regular(path) as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return True
    return False
