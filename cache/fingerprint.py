"""A fingerprint of source code: it changes when any file changes that a module imports, directly or not.

Nothing is imported to find this out. Files are found by path, and imports by a regular expression, because this runs
before every cached answer and has a few milliseconds. Where the expression is in doubt (an import inside a docstring)
it takes a file too many, never one too few: the price is a solve too many, never a stale answer. What it cannot see
is a module name that is put together while running, ``import_module("games." + name)``: name such a module yourself.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from rollwise.cache.errors import MissingSource, explained

STATEMENT = re.compile(
    rb"[ \t]*(?:from[ \t]*(?P<source>[.\w]+)[ \t]*)?\bimport\b[ \t]*"
    rb"(?P<names>\((?:[^)#]++|#[^\n]*)*\)|[^\n#;]*)"  # a list in parentheses may hold comments
)
CALL = re.compile(rb"import_module\(\s*[\"'](?P<names>[\w.]+)[\"']")
COMMENT = re.compile(rb"#[^\n]*")
CONTINUATION = re.compile(rb"\\\r?\n")


def fingerprint(modules: Iterable[str], packages: Collection[str]) -> str:
    """32 hex digits over the sources of ``modules`` and of all they import, at any remove, from ``packages``.

    ``modules`` are dotted names in any order, ``packages`` too; what is imported from elsewhere (numpy) does not count.
    The folders around a module, inside these packages, count too, since importing it runs their ``__init__.py``. Data
    files do not. Raises ``MissingSource`` for a module of ``modules`` that has no source file.
    """
    wanted = list(modules)
    asked = (*wanted, "", *packages)
    known = _KNOWN.get(asked)
    if known is not None and all(_stamp(file) == stamp for file, stamp in known.stamps):
        return known.digits
    began = time.time_ns()
    stamps: list[tuple[str, Stamp | None]] = []
    tree = _Tree()
    for name in wanted:
        if tree.find(name) is None:
            raise MissingSource(f"no source file for module {name!r}: looked in {tree.places(name)}")
    sources: dict[str, bytes] = {}
    while wanted:
        name = wanted.pop()
        module = None if name in sources else tree.find(name)
        if module is None:  # seen before, or no module: a function's name, a word in a docstring
            continue
        if module.file is not None:
            stamps.append((module.file, _stamp(module.file)))  # before it is read
        text = sources[name] = _text(module.file)
        parent = name.rpartition(".")[0]
        wanted += [parent] if _inside(parent, packages) else []
        wanted += _imports(text, name if module.is_package else parent, packages)

    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"{name} {len(sources[name])}\n".encode())
        digest.update(sources[name])
    digits = digest.hexdigest()[:32]
    if all(stamp is not None and max(stamp[:2]) < began - SETTLED for _, stamp in stamps):
        _KNOWN[asked] = _Known(digits, stamps)
    return digits


Stamp = tuple[int, int, int]


class _Known(NamedTuple):
    """A fingerprint, and the files it is of as they were."""

    digits: str
    stamps: list[tuple[str, Stamp | None]]


_KNOWN: dict[tuple[str, ...], _Known] = {}  # in this process: source files do not change often
SETTLED = 2 * 10**9  # nanoseconds; a file written later than that ago may be written again at the same time of day


def _stamp(file: str) -> Stamp | None:
    try:
        at = os.stat(file)
    except OSError:
        return None
    return at.st_mtime_ns, at.st_ctime_ns, at.st_size


class _Module(NamedTuple):
    file: str | None  # None: a folder without __init__.py
    is_package: bool


class _Tree:
    """Where modules live, by path arithmetic; remembers what it found for as long as one fingerprint takes."""

    def __init__(self) -> None:
        self._found: dict[str, _Module | None] = {}
        self._folders: dict[str, list[str]] = {}

    def find(self, name: str) -> _Module | None:
        if name not in self._found:
            self._found[name] = self._look(name)
        return self._found[name]

    def places(self, name: str) -> str:
        parent = name.rpartition(".")[0]
        return ", ".join(self._folders.get(parent, [])) or "sys.path"

    def _look(self, name: str) -> _Module | None:
        parent, _, last = name.rpartition(".")
        if not last.isidentifier():
            return None
        if not parent:
            return self._look_for_top(name)
        above = self.find(parent)
        if above is None or not above.is_package:
            return None
        stems = [os.path.join(folder, last) for folder in self._folders[parent]]
        for stem in stems:
            for file, is_package in ((os.path.join(stem, "__init__.py"), True), (stem + ".py", False)):
                if os.path.isfile(file):
                    self._folders[name] = [stem]
                    return _Module(file, is_package)
        self._folders[name] = [stem for stem in stems if os.path.isdir(stem)]
        return _Module(None, True) if self._folders[name] else None

    def _look_for_top(self, name: str) -> _Module | None:
        try:
            spec = importlib.util.find_spec(name)  # a top-level name: looks along sys.path, imports nothing
        except (ImportError, ValueError):
            return None
        if spec is None:
            return None
        is_package = spec.submodule_search_locations is not None
        self._folders[name] = list(spec.submodule_search_locations or [])
        file = spec.origin if spec.has_location else None
        if file is not None and not file.endswith(".py"):
            return None
        return _Module(file, is_package) if file or is_package else None


def _text(file: str | None) -> bytes:
    if file is None:
        return b""
    with explained("read", file), open(file, "rb") as source:
        return source.read()


def _imports(text: bytes, package: str, packages: Collection[str]) -> Iterator[str]:
    """Names below ``packages`` that ``text``, a file of ``package``, may import as modules.

    ``from a import b`` gives ``a`` and ``a.b``, since ``b`` may be either a module or something inside ``a``.
    """
    if b"\\" in text:
        text = CONTINUATION.sub(b" ", text)
    # bytes.find is several times faster here than letting the expression walk through the text.
    position = text.find(b"import")
    while position >= 0:
        line = text.rfind(b"\n", 0, position) + 1
        start = max(line, text.rfind(b";", line, position) + 1, text.rfind(b":", line, position) + 1)
        match = STATEMENT.match(text, start) or CALL.match(text, position)
        if match:
            yield from _names(match, package, packages)
        position = text.find(b"import", position + len(b"import"))


def _names(match: re.Match[bytes], package: str, packages: Collection[str]) -> Iterator[str]:
    source = match["source"] if match.re is STATEMENT else None
    prefix = ""
    if source is not None:
        origin = _absolute(source.decode(), package)
        if not _inside(origin, packages):
            # "from rollwise import solver" names a package only with its last word
            if not any(package.startswith(origin + ".") for package in packages):
                return
            names = (part.split() for part in _listed(match))
            yield from (
                name for name in (f"{origin}.{words[0]}" for words in names if words) if _inside(name, packages)
            )
            return
        yield origin
        prefix = origin + "."
    for part in _listed(match):
        name = prefix + (part.split() or [""])[0]  # without "as ..."
        if _inside(name, packages):
            yield name


def _listed(match: re.Match[bytes]) -> list[str]:
    """What stands behind ``import``, name by name."""
    return COMMENT.sub(b"", match["names"]).strip(b"()").decode("utf-8", "replace").split(",")


def _inside(name: str, packages: Collection[str]) -> bool:
    """Is this a module of one of these packages, or one of them?"""
    return any(name == package or name.startswith(package + ".") for package in packages)


def _absolute(source: str, package: str) -> str:
    """``games.x`` for ``.x`` in a file of the package ``games``; an absolute name as it is."""
    if not source.startswith("."):
        return source
    name = source.lstrip(".")
    parts = package.split(".")
    n_up = len(source) - len(name) - 1
    return ".".join(parts[: len(parts) - n_up] + ([name] if name else []))
