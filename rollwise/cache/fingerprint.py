"""A fingerprint of source code: it changes when any file changes that a module imports, directly or not.

Nothing is imported to find this out. Files are found by path, and imports by a regular expression, because this runs
before every cached answer and has a few milliseconds. Where the expression is in doubt (an import inside a docstring)
it takes a file too many, never one too few: the price is a solve too many, never a stale answer. What it cannot see
is a module name that is put together while running, ``import_module("games." + name)``: name such a module yourself.
A user's own files are refused where they may hold such a name.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from typing import Any, NamedTuple

from rollwise.cache.errors import MissingSource, explained
from rollwise.cache.loaded import BEGAN_NS

STATEMENT = re.compile(
    rb"[ \t]*(?:from[ \t]*(?P<source>[.\w]+)[ \t]*)?\bimport\b[ \t]*"
    rb"(?P<names>\((?:[^)#]++|#[^\n]*)*\)|[^\n#;]*)"  # a list in parentheses may hold comments
)
CALL = re.compile(rb"import_module\(\s*[\"'](?P<names>[\w.]+)[\"']")
COMMENT = re.compile(rb"#[^\n]*")
CONTINUATION = re.compile(rb"\\\r?\n")

SITES = {"site-packages", "dist-packages"}  # whatever lies elsewhere, such as an editable install, is not installed
PURE = re.compile(  # of the standard library: what reads no file, clock or setting
    "__future__|abc|bisect|collections|copy|dataclasses|decimal|enum|fractions|functools|heapq|itertools|math|numbers|"
    "operator|re|statistics|string|types|typing|warnings"
)
READING = re.compile(r"open|exec|eval|compile|globals|input|__import__|read_\w+|load\w*|fromfile|genfromtxt|memmap")
UNSEEN = "through which data may come that no fingerprint sees"
DATA_ENDING = ".toml"
DATA_OF = re.compile(rb"\btext_of\(\s*(?:__package__|__name__|[\"']([\w.]+)[\"'])")
TEXT_OF = re.compile(rb"\btext_of\b(?!\s*\n)")  # but not at the end of an import


def fingerprint(modules: Iterable[str], packages: Collection[str]) -> str:
    """32 hex digits over the sources of ``modules`` and of all they import, at any remove, from ``packages``.

    ``modules`` are dotted names in any order, ``packages`` too; what is imported from elsewhere (numpy) does not count.
    The folders around a module, inside these packages, count too, since importing it runs their ``__init__.py``. Data
    files do not. Raises ``MissingSource`` for a module of ``modules`` that has no source file.
    """
    return traced(modules, packages).digits


def traced(modules: Iterable[str], packages: Collection[str]) -> Traced:
    """The same, with the names of the modules; of ``modules`` outside ``packages`` see ``_own_imports``."""
    wanted = list(modules)
    asked = (*wanted, "", *packages)
    known = _KNOWN.get(asked)
    if known is not None and all(_stamp(file) == stamp for file, stamp in known.stamps):
        return known
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
            if name in sys.modules and (stamps[-1][1] or (0, 0))[1] > BEGAN_NS:
                raise MissingSource(f"{module.file} was written while this program ran: start it anew")
        text = sources[name] = _text(module.file)
        parent = name.rpartition(".")[0]
        names = [parent, *_imports(text, name if module.is_package else parent)]
        wanted += [each for each in names if _inside(each, packages)]
        if not _inside(name, packages):
            wanted += (mine := list(_own_imports(name, text, [each for each in names if each not in wanted], tree)))
            sources |= {each: b"" for each in mine if "=" in each}
            for file in tree.data(name):
                stamps.append((file, _stamp(file)))
                sources |= {f"{name} {os.path.basename(file)}": _text(file)} if file.endswith(DATA_ENDING) else {}

    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"{name} {len(sources[name])}\n".encode())
        digest.update(sources[name])
    found = Traced(digest.hexdigest()[:32], stamps, list(sources))
    if all(stamp is not None and max(stamp[:2]) < began - SETTLED for _, stamp in stamps):
        _KNOWN[asked] = found
    return found


Stamp = tuple[int, int, int]


class Traced(NamedTuple):
    """A fingerprint, and the files and names that it is of, the files as they were."""

    digits: str
    stamps: list[tuple[str, Stamp | None]]
    names: list[str]


_KNOWN: dict[tuple[str, ...], Traced] = {}  # in this process: source files do not change often
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

    def data(self, name: str) -> Iterator[str]:
        """The folder of a module, or those of a package, and the data files there, which ``games.data_files`` reads."""
        module = self._found[name]
        for folder in [os.path.dirname(module.file)] if module and module.file else self._folders[name]:
            yield from (folder, *sorted(file.path for file in os.scandir(folder) if file.name.endswith(DATA_ENDING)))

    def place(self, top: str) -> str:
        """Where a top-level module or package is, or what it is; empty where it is nowhere."""
        spec = _top(top)
        return "" if spec is None else spec.origin or next(iter(spec.submodule_search_locations or ()), "")

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
        spec = _top(name)
        if spec is None:
            return None
        is_package = spec.submodule_search_locations is not None
        self._folders[name] = list(spec.submodule_search_locations or [])
        file = spec.origin if spec.has_location else None
        if file is not None and not file.endswith(".py"):
            return None
        return _Module(file, is_package) if file or is_package else None


def _top(name: str) -> ModuleSpec | None:
    """Where a top-level name is found along sys.path; imports nothing."""
    with contextlib.suppress(ImportError, ValueError):  # no name, or that of a module not imported, such as __main__
        return importlib.util.find_spec(name)
    return None


def _text(file: str | None) -> bytes:
    if file is None:
        return b""
    with explained("read", file), open(file, "rb") as source:
        return source.read()


def _imports(text: bytes, package: str) -> Iterator[str]:
    """Names that ``text``, a file of ``package``, may import as modules.

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
            source = match["source"] if match.re is STATEMENT else None
            origin = [] if source is None else [_absolute(source.decode(), package)]
            yield from origin
            for part in _listed(match):
                yield ".".join([*origin, *part.split()[:1]])  # without "as ..."
        position = text.find(b"import", position + len(b"import"))


def _own_imports(name: str, text: bytes, names: Iterable[str], tree: _Tree) -> Iterator[str]:
    """Imports of a module outside ``packages``: modules, and installed packages as ``NAME ==VERSION``.

    Raises ``MissingSource`` for what may read anything else, and where a constant is not as the file says.
    """
    import ast

    try:
        parsed = ast.parse(text)
    except (SyntaxError, ValueError):
        raise MissingSource(f"the file of {name} is no Python source") from None
    for call in [node.func for node in ast.walk(parsed) if isinstance(node, ast.Call)]:
        if READING.fullmatch(word := getattr(call, "id", getattr(call, "attr", ""))):
            raise MissingSource(f"{name} calls {word}, {UNSEEN}")
    for line in parsed.body if name in sys.modules else ():
        with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):  # it is no plain constant
            target: Any = getattr(line, "targets", [getattr(line, "target", None)])[0]
            if vars(sys.modules[name])[target.id] != ast.literal_eval(getattr(line, "value", "")):
                raise MissingSource(f"{name}.{target.id} is not as its file says")
    if len(TEXT_OF.findall(text)) != len(packages := DATA_OF.findall(text)):
        raise MissingSource(f"{name} calls text_of with a package that is not written there")
    for each in [*names, *(package.decode() for package in packages if package)]:
        top = each.partition(".")[0]
        place = tree.place(top)
        is_site = not SITES.isdisjoint(place.split(os.sep))
        if not is_site and place.startswith(("built-in", "frozen", os.path.dirname(os.__file__))):
            if not PURE.fullmatch(top):
                raise MissingSource(f"{name} imports {top}, {UNSEEN}")
        elif is_site and top in _versions():
            yield f"{top} =={_versions()[top]}"
        elif not place.endswith(".py") and not os.path.isdir(place) and (place or top in sys.modules):
            raise MissingSource(f"{name} imports {top}, of which there is no source")
        else:
            yield each


@cache
def _versions() -> dict[str, str]:
    """The installed packages with their versions, by the modules that they bring."""
    from importlib.metadata import packages_distributions, version

    return {
        top: str({each: version(each) for each in sorted(names)}) for top, names in packages_distributions().items()
    }


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
