"""Files of a cache are data from outside: regular ones alone are opened, and no more is read than there may be."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

HOW = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK  # no link is followed, and opening a pipe waits for nobody


class NotRegular(OSError):
    """A link, a pipe, a device or a folder stands where a file is wanted."""


def opened(path: Path | str, flags: int = os.O_RDONLY) -> BinaryIO:
    """A regular file, opened. Raises ``OSError``, ``NotRegular`` where it is none."""
    try:
        handle = os.open(path, flags | HOW, 0o666)
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


def hold(file: BinaryIO) -> None:
    """Say that a file is read, for as long as it, or a map of it, is open; where that cannot be said it is not."""
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


def is_held(folder: Path) -> bool:
    """Does anybody, here or in another process, have a file of this folder open (as ``hold`` tells)?"""
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(NotRegular, FileNotFoundError, PermissionError), opened(path) as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    return True
    return False
