"""Digests of Python files over their code, not their text, kept in the cache so that few files are read.

Comments, docstrings, blank lines and layout do not change a digest; names, constants, defaults and decorators do. It is
taken of the syntax tree, which is what Python runs; tokens would keep line breaks inside parentheses, and cost more.
``ast.dump`` is another one in each minor version of Python; the form here leaves out what is empty, so that an upgrade
of Python, which is no part of an entry's key, makes entries stale only where it parses their sources otherwise.

A record is believed where the stamp of a file is the one of the record, or else the text. A damaged hint costs the time
to parse the files, 0.2 s; a process that can forge its checksum can write entries too.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from rollwise.cache.entry import FIELD_ERRORS
from rollwise.cache.errors import MissingSource, StoreError, explaining_os_errors
from rollwise.cache.index import read_index, write_index
from rollwise.cache.settings import default_root

VERSION = 1  # raise it when ``_spell`` or ``_imports`` changes
INDEX_NAME = f"sources-{sys.version_info[0]}.{sys.version_info[1]}-{VERSION}"  # in the folder of the cache
MAX_FILES = 1_000  # of which records are stored, the newest ones
RECORD_PATTERN = re.compile(r"[0-9a-f]{32} [0-9a-f]{32} (?:[\w.*]{1,300}(?: |$))*")  # names are looked up part by part
SECOND_NS = 10**9

Stamp = tuple[int, int, int]  # of a file: mtime and ctime in nanoseconds, size in bytes


class Source(NamedTuple):
    """Digests of a file's text and code, and the names that it imports as they stand there, with blanks between."""

    text: str = ""
    code: str = ""
    names: str = ""


_RECORDS: dict[str, tuple[list[int], Source]] = {}  # by path, the stamp first: empty where it is not trusted
_NEW_FILES: set[str] = set()  # paths of records newer than the index


def load_source(file: str, stamp: Stamp | None) -> Source:
    """Digests and imports of a Python file, which is read where the stamp is not the recorded one.

    ``stamp`` was taken before; None where the file may change again under the same stamp, as when it was written
    just now. A ctime of whole seconds is not trusted: in an image of a file system it is that of the image.

    Raises ``StoreError`` for a file that cannot be read, ``MissingSource`` for one that is no Python.
    """
    recorded = _RECORDS.get(file)
    stamp_row = list(stamp) if stamp is not None and stamp[1] % SECOND_NS else []
    if recorded is not None and stamp_row and stamp_row == recorded[0]:
        return recorded[1]
    digest = hash_text(text := read_source(file))
    source = recorded[1] if recorded is not None and recorded[1].text == digest else _parse_source(file, text, digest)
    if recorded != (stamp_row, source):
        _RECORDS[file] = stamp_row, source
        _NEW_FILES.add(file)
    return source


def read_source(file: str) -> bytes:
    """All bytes of a file. Raises ``StoreError``."""
    with explaining_os_errors("read", file), open(file, "rb") as source:
        return source.read()


def hash_text(text: bytes) -> str:
    """32 hex digits."""
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def parse_tree(file: str, text: bytes) -> ast.Module:
    """Syntax tree of a file. Raises ``MissingSource`` where it has none, since its imports are unknown then."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MissingSource(f"{file} is no Python source") from None


@cache
def load_records() -> None:
    """Load the records from the cache, once a process."""
    with contextlib.suppress(StoreError, *FIELD_ERRORS):
        for file, (now, line) in read_index(default_root(), INDEX_NAME).items():
            if RECORD_PATTERN.fullmatch(line):
                _RECORDS.setdefault(file, (now, Source(*line.split(" ", 2))))


def save_records() -> None:
    """Write the records to the cache if there are new ones; without a cache the next process parses the files again."""
    with contextlib.suppress(OSError, StoreError):
        if _NEW_FILES and (root := default_root()).is_dir():  # a question that is refused makes no folder
            _NEW_FILES.clear()
            rows = {file: (now, " ".join(source)) for file, (now, source) in list(_RECORDS.items())}
            write_index(root, dict([*(read_index(root, INDEX_NAME) | rows).items()][-MAX_FILES:]), INDEX_NAME)


def _parse_source(file: str, text: bytes, digest: str) -> Source:
    tree = parse_tree(file, text)
    names = " ".join(dict.fromkeys(each for node in ast.walk(tree) for each in _imports(node)))
    code = digest
    with contextlib.suppress(RecursionError, ValueError):  # a sum of a thousand terms, a number of 5,000 digits
        code = hash_text(_spell(tree).encode())
    return Source(digest, code, names)


def _spell(node: Any) -> str:
    """Injective text of a syntax tree, without strings that are statements, such as docstrings."""
    if isinstance(node, list):
        is_text = [isinstance(each, ast.Expr) and isinstance(getattr(each.value, "value", 0), str) for each in node]
        return f"[{' '.join(_spell(each) for each, skipped in zip(node, is_text, strict=True) if not skipped)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(field, _spell(getattr(node, field, None))) for field in node._fields]
    return f"{type(node).__name__}({' '.join(f'{field}={of}' for field, of in fields if of not in ('None', '[]'))})"


def _imports(node: ast.AST) -> Iterator[str]:
    """Names that a statement may import as modules.

    ``from a import b`` gives ``a`` and ``a.b``, since ``b`` may be either a module or something inside ``a``.
    """
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        source = "." * node.level + (node.module or "")
        yield from (source, *(f"{source}.{each.name}" if node.module else source + each.name for each in node.names))
    elif isinstance(node, ast.Call) and "import_module" in (getattr(node.func, name, "") for name in ("id", "attr")):
        yield from (str(each.value) for each in node.args[:1] if isinstance(each, ast.Constant))
