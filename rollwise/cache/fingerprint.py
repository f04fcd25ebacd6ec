"""A fingerprint of source code: it changes when the code of any file changes that a module imports, directly or not.

Nothing is imported for it: files are found by path, and ``source_digests`` has the digest of each. It cannot see a
module name that is built at run time, ``import_module("games." + name)``: name such a module yourself. A user's own
files are refused where they may hold such a name.
"""

from __future__ import annotations

import ast
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

from rollwise.cache.errors import MissingSource
from rollwise.cache.loaded import IMPORT_NS
from rollwise.cache.source_digests import (
    Source,
    Stamp,
    hash_text,
    load_records,
    load_source,
    parse_tree,
    read_source,
    save_records,
)

SITE_FOLDERS = {"site-packages", "dist-packages"}  # anything elsewhere, such as an editable install, counts as source
PURE_MODULES = re.compile(  # of the standard library: modules that read no file, clock or setting
    "__future__|abc|bisect|collections|copy|dataclasses|decimal|enum|fractions|functools|heapq|itertools|math|numbers|"
    "operator|re|statistics|string|types|typing|warnings"
)
READERS = re.compile(r"open|exec|eval|compile|globals|input|__import__|read_\w+|load\w*|fromfile|genfromtxt|memmap")
UNSEEN_DATA = "through which data may come that no fingerprint sees"
SELF_READING = re.compile(rb"__doc__|__code__|lineno")  # code that reads its own text
DATA_ENDING = ".toml"
DATA_OF = re.compile(rb"\btext_of\(\s*(?:__package__|__name__|[\"']([\w.]+)[\"'])")
TEXT_OF = re.compile(rb"\btext_of\b(?!\s*\n)")  # but not at the end of an import


def fingerprint(modules: Iterable[str], packages: Collection[str]) -> str:
    """32 hex digits over the sources of ``modules`` and of all they import, at any remove, from ``packages``.

    ``modules`` are dotted names in any order, ``packages`` too; what is imported from elsewhere (numpy) does not count.
    The folders around a module, inside these packages, count too, since importing it runs their ``__init__.py``. Data
    files do not. Raises ``MissingSource`` for a module of ``modules`` that has no source file.
    """
    return trace_sources(modules, packages).digits


def trace_sources(modules: Iterable[str], packages: Collection[str]) -> SourceTrace:
    """Fingerprint with the names of its modules; of ``modules`` outside ``packages`` see ``_user_imports``."""
    queue = list(modules)
    request = (*queue, "", *packages)
    trace = _TRACES.get(request)
    if trace is not None and all(_stamp_of(file) == stamp for file, stamp in trace.stamps):
        save_records()  # where the folder of the cache was made meanwhile
        return trace
    newest = time.time_ns() - SETTLED_NS
    stamps: list[tuple[str, Stamp | None]] = []
    tree = _Tree()
    for name in queue:
        if tree.find(name) is None:
            raise MissingSource(f"no source file for module {name!r}: looked in {tree.places(name)}")
    sources: dict[str, Source] = {}
    inside = tuple(f"{package}." for package in packages)
    as_text = False
    load_records()
    while queue:
        name = queue.pop()
        module = None if name in sources else tree.find(name)
        if module is None:  # done before, or no module: a function's name
            continue
        sources[name] = Source()
        if module.file is not None:
            stamps.append((module.file, stamp := _stamp_of(module.file)))  # before it is read
            if name in sys.modules and (stamp or (0, 0))[1] > IMPORT_NS:
                raise MissingSource(f"{module.file} was written while this program ran: start it anew")
            is_settled = stamp is not None and max(stamp[:2]) < newest
            sources[name] = load_source(module.file, stamp if is_settled else None)
        parent = name.rpartition(".")[0]
        package = name if module.is_package else parent
        names = [parent, *(_absolute(each, package) for each in sources[name].names.split())]
        queue += [each for each in names if f"{each}.".startswith(inside)]
        if not f"{name}.".startswith(inside):
            text = read_source(module.file) if module.file else b""
            as_text = as_text or SELF_READING.search(text) is not None
            imports = list(_user_imports(name, text, [each for each in names if each not in queue], tree))
            queue += imports
            sources |= {each: Source() for each in imports if "=" in each}
            for file in tree.data(name):
                stamps.append((file, _stamp_of(file)))
                if file.endswith(DATA_ENDING):
                    sources[f"{name} {os.path.basename(file)}"] = Source(*[hash_text(read_source(file))] * 2)

    save_records()
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"{name!a} {sources[name].text if as_text else sources[name].code}\n".encode())
    result = SourceTrace(digest.hexdigest()[:32], stamps, list(sources))
    if all(stamp is not None and max(stamp[:2]) < newest for _, stamp in stamps):
        _TRACES[request] = result
    return result


class SourceTrace(NamedTuple):
    """Fingerprint with the stamps of its files and the names of its modules."""

    digits: str
    stamps: list[tuple[str, Stamp | None]]
    names: list[str]


_TRACES: dict[tuple[str, ...], SourceTrace] = {}  # in this process: source files do not change often
SETTLED_NS = 2 * 10**9  # nanoseconds; a file written later than that ago may be written again at the same time of day


def _stamp_of(file: str) -> Stamp | None:
    try:
        at = os.stat(file)
    except OSError:
        return None
    return at.st_mtime_ns, at.st_ctime_ns, at.st_size


class _Module(NamedTuple):
    file: str | None  # None: a folder without __init__.py
    is_package: bool


class _Tree:
    """Files of modules, by path arithmetic; caches them for one fingerprint."""

    def __init__(self) -> None:
        self._modules: dict[str, _Module | None] = {}
        self._folders: dict[str, list[str]] = {}

    def find(self, name: str) -> _Module | None:
        if name not in self._modules:
            self._modules[name] = self._locate(name)
        return self._modules[name]

    def data(self, name: str) -> Iterator[str]:
        """Folder of a module, or those of a package, and the data files there, which ``games.data_files`` reads."""
        module = self._modules[name]
        for folder in [os.path.dirname(module.file)] if module and module.file else self._folders[name]:
            yield from (folder, *sorted(file.path for file in os.scandir(folder) if file.name.endswith(DATA_ENDING)))

    def place(self, top: str) -> str:
        """Path of a top-level module or package, or ``built-in`` or ``frozen``; empty where it is not found."""
        spec = _top_spec(top)
        return "" if spec is None else spec.origin or next(iter(spec.submodule_search_locations or ()), "")

    def places(self, name: str) -> str:
        parent = name.rpartition(".")[0]
        return ", ".join(self._folders.get(parent, [])) or "sys.path"

    def _locate(self, name: str) -> _Module | None:
        parent, _, last = name.rpartition(".")
        if not last.isidentifier():
            return None
        if not parent:
            return self._locate_top(name)
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

    def _locate_top(self, name: str) -> _Module | None:
        spec = _top_spec(name)
        if spec is None:
            return None
        is_package = spec.submodule_search_locations is not None
        self._folders[name] = list(spec.submodule_search_locations or [])
        file = spec.origin if spec.has_location else None
        if file is not None and not file.endswith(".py"):
            return None
        return _Module(file, is_package) if file or is_package else None


def _top_spec(name: str) -> ModuleSpec | None:
    """Spec of a top-level name on sys.path; imports nothing."""
    with contextlib.suppress(ImportError, ValueError):  # no name, or that of a module not imported, such as __main__
        return importlib.util.find_spec(name)
    return None


def _user_imports(name: str, text: bytes, names: Iterable[str], tree: _Tree) -> Iterator[str]:
    """Imports of a module outside ``packages``: modules, and installed packages as ``NAME ==VERSION``.

    Raises ``MissingSource`` for what may read anything else, and where a constant is not as the file says.
    """
    parsed = parse_tree(f"the file of {name}", text)
    for call in [node.func for node in ast.walk(parsed) if isinstance(node, ast.Call)]:
        if READERS.fullmatch(word := getattr(call, "id", getattr(call, "attr", ""))):
            raise MissingSource(f"{name} calls {word}, {UNSEEN_DATA}")
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
        is_site = not SITE_FOLDERS.isdisjoint(place.split(os.sep))
        if not is_site and place.startswith(("built-in", "frozen", os.path.dirname(os.__file__))):
            if not PURE_MODULES.fullmatch(top):
                raise MissingSource(f"{name} imports {top}, {UNSEEN_DATA}")
        elif is_site and top in _versions():
            yield f"{top} =={_versions()[top]}"
        elif not place.endswith(".py") and not os.path.isdir(place) and (place or top in sys.modules):
            raise MissingSource(f"{name} imports {top}, of which there is no source")
        else:
            yield each


@cache
def _versions() -> dict[str, str]:
    """Versions of the installed packages, by their modules."""
    from importlib.metadata import packages_distributions, version

    return {
        top: str({each: version(each) for each in sorted(names)}) for top, names in packages_distributions().items()
    }


def _absolute(source: str, package: str) -> str:
    """``games.x`` for ``.x`` in a file of the package ``games``; an absolute name as it is."""
    if not source.startswith("."):
        return source
    name = source.lstrip(".")
    parts = package.split(".")
    n_up = len(source) - len(name) - 1
    return ".".join(parts[: len(parts) - n_up] + ([name] if name else []))
