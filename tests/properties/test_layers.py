"""The rooms are as CONTRIBUTING lists them, kinds and transitions are read in one place, and a question is light.

That imports point down is for `lint-imports`, see pyproject.toml.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import rollwise
from rollwise.games.pig import Pig
from rollwise.games.registry import REGISTRY
from rollwise.solver.kinds import KINDS
from rollwise.solver.model import kind_mixins
from rollwise.solver.model.game import TurnGame
from tests.sizes import SIZES

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "rollwise").rglob("*.py"))
HEAVY = {"numba", "scipy", "sympy", "networkx", "pyarrow", "rich", "joblib", "flint", "tqdm", "distributed"}


def test_the_table_of_rooms_in_contributing_is_true() -> None:
    """A row for each package, with the first sentence that the package says of itself."""
    rows = dict(re.findall(r"^\| `(rollwise/\S*)` \| (.+?) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE))
    packages = {f"{file.parent.relative_to(ROOT)}/": file for file in FILES if file.name == "__init__.py"}
    said = {name: ast.get_docstring(ast.parse(file.read_text())) or "" for name, file in packages.items()}
    assert rows == {name: " ".join(re.split(r"\.\s", text + " ")[0].split()) for name, text in said.items()}


# --- a kind of game stands in one place, and so does the reader of transitions ---

FACE = [file for file in FILES if file.relative_to(ROOT).parts[1] not in ("games", "solver")]
OF_GAMES = {"kind", "seats"}  # what a game says of its kind
GAMES = ("game", "made", "cls")  # how code calls one; answers and matches have seats too
OF_RECORDS = {"hidden", "seats"}  # words of a record and of a form as well
READERS = {
    "rollwise/solver/turn/transition_reader.py": "the one reader",
    "rollwise/solver/markov_chains/recorded.py": "records it; each record is compared with the one reader",
    "rollwise/solver/checker/transitions.py": "the proof's own",
    "rollwise/solver/model/outcome.py": "one board, for the slow twins",
    "rollwise/solver/policy/policy_game.py": "passes it on, with the roles",
    "rollwise/solver/values/rows.py": "once a row, as if everything were needed",
    "rollwise/solver/checker/rows.py": "the same, and what follows from it is compared with three boards of the row",
    "rollwise/games/objectives/reaching.py": "which sheets a sheet can become, and with how many points",
    "rollwise/games/zilch.py": "says why a turn may not stop yet",
    "rollwise/games/claims/replay.py": "plays a round of a rule sheet by hand",
    "rollwise/games/claims/six_by_6.py": "a claim's own reading",
    "rollwise/games/claims/pay_the_rent.py": "a claim's own reading",
    "rollwise/games/claims/piggy_six.py": "a claim's own reading",
}


def kinds_named(source: str) -> list[int]:
    """Lines that look at a game's kind or seats, or compare with the word of a kind."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and node.attr in OF_GAMES:
            lines += [node.lineno] if ast.unparse(node.value).rpartition(".")[2] in GAMES else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            asked = {part.value for part in node.args[1:] if isinstance(part, ast.Constant)}
            lines += [node.lineno] if OF_GAMES & asked else []
        elif isinstance(node, ast.Compare | ast.MatchValue | ast.Dict):
            words = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
            lines += [node.lineno] if words & KINDS.keys() - OF_RECORDS else []
    return lines


WORDS = {  # of a kind, in its own classes; ``solver.model.kind_mixins`` has the same table for the author of a game
    **dict.fromkeys(("duel", "solo"), (kind_mixins.ChoiceMixin, kind_mixins.DuelMixin)),
    **dict.fromkeys(
        ("solo-rows", "duel-rows"), (kind_mixins.ChoiceMixin, kind_mixins.DuelMixin, kind_mixins.ReachMixin)
    ),
    "table": (kind_mixins.ChoiceMixin, kind_mixins.TableMixin),
    **dict.fromkeys(("hidden", "hidden-table"), (kind_mixins.ChoiceMixin, kind_mixins.HiddenMixin)),
    "seats": (kind_mixins.LuckMixin, kind_mixins.SeatsMixin),
    "alone": (kind_mixins.LuckMixin, kind_mixins.AloneMixin),
}


def words_given(games: Iterable[type[TurnGame]]) -> set[str]:
    """The words of single kinds that the files of some games give."""
    own = {word for game in games for cls in game.__mro__[: game.__mro__.index(TurnGame)] for word in vars(cls)}
    return {word for classes in WORDS.values() for cls in classes for word in own & words_of(cls)}


def words_of(cls: type) -> set[str]:
    """The words that one of these classes has."""
    return {word for word in vars(cls) if not word.startswith("_")}


def test_a_game_gives_no_word_that_none_of_its_kinds_has() -> None:
    """It would never be asked."""
    for name in REGISTRY:
        classes = {type(size.game) for size in SIZES if size.name == name}
        known = {word for cls in classes for words in WORDS[cls.kind] for word in words_of(words)}
        assert words_given(classes) <= known, name
    assert WORDS.keys() == KINDS.keys()
    sure = type("Sure", (Pig,), {"uncertain": 0.1, "unsolved_node": None})
    assert words_given([sure]) - words_of(kind_mixins.ChoiceMixin) == {"uncertain"}


def settles(source: str) -> bool:
    """Does it ask a game to settle, other than the class it is a subclass of?"""
    calls = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    named = [ast.unparse(func.value) for func in calls if isinstance(func, ast.Attribute) and func.attr == "transition"]
    return any(of != "super()" for of in named)


def test_face_export_and_cache_do_not_test_the_kind_of_a_game() -> None:
    found = {str(file): kinds_named(file.read_text()) for file in FACE}
    assert {file: lines for file, lines in found.items() if lines} == {}
    for line in (
        "if game.kind == 'duel': pass",
        "x = self.game.seats > 1",
        "found = getattr(game, 'kind')",
        "y = what in ('duel', 'solo')",
        "z = {'table': 1}[word]",
        "match word:\n    case 'alone': pass",
    ):
        assert kinds_named(line), line


def test_the_face_names_no_game() -> None:
    """But in examples; and ``finish`` is a word of a card as well."""
    names, beside = REGISTRY.keys() - {"finish"}, {"commands/examples.py", "web/bodies.py", "web/api.py"}
    for file in FACE:
        said = {node.value for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Constant)}
        assert str(file.relative_to(ROOT / "rollwise")) in beside or not said & names, file


def test_what_settle_says_is_read_in_one_place_beside_the_witness() -> None:
    sources = {str(file.relative_to(ROOT)): file.read_text() for file in FILES}
    assert {file for file, text in sources.items() if ".transition(" in text and settles(text)} == READERS.keys()


def test_a_file_beside_a_users_program_hides_nothing_and_a_question_loads_nothing_heavy(tmp_path: Path) -> None:
    """A question, that is, which is answered from the cache."""
    rollwise.ask("pig", params={"target": 3})
    for file in ("cache.py", "solver/__init__.py", "games/__init__.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("raise SystemExit('the wrong one')")
    (tmp_path / "mine.py").write_text(
        "import sys\n"
        "sys.argv = ['rollwise', 'ask', 'pig', '-p', 'target=3', 'turn=2']\n"
        "from rollwise.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    around = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(tmp_path / "mine.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=around, check=False)
    assert done.returncode == 0, done.stderr
    *answer, loaded = done.stdout.splitlines()
    assert "Roll again: win 86.05 % against 16.75 % for holding." in answer
    assert {"rollwise", "numpy"} <= set(ast.literal_eval(loaded))
    assert not set(ast.literal_eval(loaded)) & HEAVY
