"""Opening, locking and writing of files: only regular ones are opened, and whole ones renamed into place."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

DAY_S = 24 * 3600.0
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


class AsideFile:
    """New empty file ``aside``, of a unique name beside ``path``, to be renamed into its place: ``put``.

    At the end of its block it is removed unless it was put, after Ctrl-C too. Raises ``OSError``.
    """

    def __init__(self, path: Path, mode: int = 0o666) -> None:
        self.path = path
        self.aside = path.with_name(f".{path.name}.tmp-{secrets.token_hex(8)}")
        os.close(os.open(self.aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | OPEN_FLAGS, mode))

    def __enter__(self) -> AsideFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def discard(self) -> None:
        """Remove it, unless it was put."""
        with suppress(OSError):
            self.aside.unlink(missing_ok=True)

    def put(self, place: Path | None = None) -> None:
        """Rename it into its place, or another one, in one step."""
        os.replace(self.aside, place or self.path)


def write_whole(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file, in place of an older one, all or nothing; asides of killed writers go first. Raises ``OSError``.

    It is not flushed to the disk: a power cut may leave any of it.
    """
    remove_asides(path, DAY_S)
    with AsideFile(path, mode) as file:
        file.aside.write_bytes(content)
        file.put()


def sync(path: Path) -> None:
    """Flush a file, or the names in a folder, to the disk: else a power cut can leave an empty file of the new name."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def list_asides(path: Path, *, locks: bool = False) -> list[Path]:
    """Asides of a file, of running and of dead writers; ``locks``: its lock too."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.({'lock|' if locks else ''}tmp-[0-9a-f]+)")
    try:
        return [path.with_name(name) for name in os.listdir(path.parent) if pattern.fullmatch(name)]
    except (OSError, ValueError):  # a folder that is writable but not readable
        return []


def remove_asides(path: Path, min_age_s: float | None = None) -> None:
    """Remove asides of a file; with ``min_age_s`` only those unchanged for so many seconds."""
    for aside in list_asides(path):
        with suppress(OSError):  # gone meanwhile, or of another user
            if min_age_s is None or time.time() - aside.stat().st_mtime > min_age_s:
                aside.unlink()
