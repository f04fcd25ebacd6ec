"""Count the names, terms and docstrings of the product that its naming rules speak of: python scripts/count_names.py

    python scripts/count_names.py CHECKOUT        the table for a checkout; without it, for the script's own
    python scripts/count_names.py --where found   file and line of each binding of a word
    python scripts/count_names.py --json          the table as JSON

The product is every Python file of ``rollwise``, ``solver``, ``games`` and ``cache``; a file counts once, however many
links lead to it. A binding is a name each time it is assigned, a parameter, a caught exception, a function, or an
attribute assigned on ``self``. A term counts as code in each identifier that contains it (``best_response``,
``BestResponse``), and as prose in docstrings and comments. Other strings, and the stem ``__init__``, do not count.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("rollwise", "solver", "games", "cache")
WORDS = ("found", "said", "told", "kept", "made", "seen", "known", "held", "asked", "wanted", "meant", "given", "left")
PREFIXES = ("MOST", "FEW", "LONG", "LONGEST", "SOON", "ROOM")
CONSTANT = re.compile(rf"_*({'|'.join(PREFIXES)})(_[A-Z0-9_]+)?")
TERMS = {  # regular expressions; the text is in small letters, and spaces stand for its hyphens and underscores
    "value iteration": r"\bvalue iteration",
    "policy iteration": r"\bpolicy iteration",
    "Gauss-Seidel": r"\bgauss seidel",
    "Anderson": r"\banderson",
    "MDP / Markov decision process": r"\bmdps?\b|\bmarkov decision process",
    "minimax": r"\bminimax",
    "best response": r"\bbest response",
    "transition": r"\btransition",
    "Bellman": r"\bbellman",
    "strongly connected component": r"\bstrongly connected component",
    "linear program": r"\blinear program",
    "successor": r"\bsuccessor",
    "absorbing": r"\babsorbing",
    "topological": r"\btopological",
    "mixed strategy": r"\bmixed strateg(y|ies)\b",
    "backup": r"\bbackups?\b|\bback(s|ed|ing)? up\b",
}
DOCSTRINGS = {
    "one line, with nobody, somebody, whoever, no one": r"(?i).*\b(nobody|somebody|whoever|no one)\b.*\Z",
    "begins with What, Who, That, Is it, Are, Nobody, Somebody": r"(What|Who|That|Is it|Are|Nobody|Somebody)\b",
}
CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # where CamelCase begins a word


def sources(root: Path) -> dict[Path, str]:
    """The text of each product file, by its real path in the checkout, in alphabetical order."""
    root = root.resolve()
    paths = {path.resolve() for folder in FOLDERS for path in (root / folder).resolve().rglob("*.py")}
    return {path.relative_to(root): path.read_text(encoding="utf-8") for path in sorted(paths)}


def bindings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of each binding, in no order."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(ast.Name(id="self"), name, ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name


def word_of(name: str) -> str:
    """The name without underscores at its ends, a plural s and capitals."""
    return name.strip("_").lower().removesuffix("s")


def docstrings(tree: ast.AST) -> list[str]:
    """The docstrings of a module, its classes and its functions."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, owners)]


def identifiers(tree: ast.AST) -> str:
    """All identifiers, one a line, CamelCase split into words: each text in a syntax tree that is not a constant."""
    nodes = (node for node in ast.walk(tree) if not isinstance(node, ast.Constant))
    texts = (text for node in nodes for _, text in ast.iter_fields(node) if isinstance(text, str))
    return "\n".join(CAPITAL.sub("_", name) for text in texts for name in text.split("."))


def prose(text: str) -> str:
    """The docstrings of a module, one a line, then its comments on a single line."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = " ".join(token.string.lstrip("#") for token in tokens if token.type == tokenize.COMMENT)
    return "\n".join([*(" ".join(docstring.split()) for docstring in docstrings(ast.parse(text))), comments])


def hits(pattern: str, texts: list[str]) -> int:
    """The number of times a term stands in the texts."""
    return sum(len(re.findall(pattern, re.sub(r"[ _–-]+", " ", text.lower()))) for text in texts)


def table(texts: dict[Path, str]) -> dict[str, dict[str, list[int]]]:
    """Sections of rows; each row is a name with one number or more."""
    trees = {path: ast.parse(text) for path, text in texts.items()}
    names = [(name, path) for path, tree in trees.items() for _, name in bindings(tree)]
    words = Counter(word_of(name) for name, _ in names)
    stems = Counter(path.stem for path in texts if not path.stem.startswith("__"))
    often = sorted((stem for stem, count in stems.items() if count > 2), key=lambda stem: (-stems[stem], stem))
    shared = [count for count in stems.values() if count > 1]
    code, comments = [identifiers(tree) for tree in trees.values()], [prose(text) for text in texts.values()]
    constants = {(match[1], name, path) for name, path in names if (match := CONSTANT.fullmatch(name))}
    rows = (*PREFIXES, "all")
    modules = {prefix: [path for first, _, path in constants if prefix in (first, "all")] for prefix in rows}
    documented = [docstring for tree in trees.values() for docstring in docstrings(tree)]
    return {
        "bindings": {word: [words[word]] for word in WORDS} | {"all": [sum(words[word] for word in WORDS)]},
        "stems in more than two files": {stem: [stems[stem]] for stem in often},
        "stems in more than one file; such files; all files": {"all": [len(shared), sum(shared), len(texts)]},
        "terms in code; in prose": {term: [hits(at, code), hits(at, comments)] for term, at in TERMS.items()},
        "constants; modules": {prefix: [len(paths), len({*paths})] for prefix, paths in modules.items()},
        "docstrings": {row: [sum(bool(re.match(at, one)) for one in documented)] for row, at in DOCSTRINGS.items()},
    }


def main() -> None:
    """Print the table, or the places of one word."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).parents[1], help="its root folder")
    parser.add_argument("--where", metavar="WORD", help="list file and line of each binding of this word")
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    options = parser.parse_args()
    texts = sources(options.checkout)
    if options.where:
        for path, text in texts.items():
            for line, name in sorted(bindings(ast.parse(text))):
                if word_of(name) == word_of(options.where):
                    print(f"{path}:{line}: {name}")
    elif options.json:
        print(json.dumps(table(texts), indent=2))
    else:
        for section, rows in table(texts).items():
            print(section)
            for row, numbers in rows.items():
                print(f"  {row:58}" + "".join(f"{number:7}" for number in numbers))


if __name__ == "__main__":
    main()
