"""A user's own game is answered by the code that is there, whatever of it is edited or changed.

A Pig to 3 in which the lowest faces lose the turn. Of one that does, 36/43 of all games are won (``golden/pig.toml``),
of two 1 / (2 - 4/6) = 3/4, by hand as there.
"""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.cache import fingerprint
from rollwise.cache.store import Store
from rollwise.cluster.dask_cluster import source_fingerprint
from rollwise.games.pig import rules as pig
from rollwise.games.pig.rules import Pig
from rollwise.games.registry import REGISTRY, RegistryEntry, game
from rollwise.games.yahtzee import rules as yahtzee
from rollwise.games.zilch.rules import Zilch
from rollwise.solutions import identity
from rollwise.solutions.lookup import cache_only
from rollwise.solver.model.game import End, chance_of

pytestmark = pytest.mark.filterwarnings("ignore:.* is solved for this program alone")
OWN = """
from dataclasses import dataclass
from rollwise.games.pig.rules import Pig
from rollwise.games.registry import REGISTRY, RegistryEntry
from rollwise.solver.model.dice import d6
from rollwise.solver.model.game import Decision, End, Goto, chance_of
{first}
@dataclass(frozen=True)
class Own(Pig):
    name = "own"
    def turn(self, total):
        {then}
        rolled = chance_of(d6, lambda face: End(0) if face <= {lost} else Goto(total + face))
        return End(total) if total >= 3 else Decision([("hold", End(total)), ("roll", rolled)]) if total else rolled
REGISTRY["own"] = RegistryEntry("own", __name__, "Own")
"""


def own(first: str = "", lost: str = "LOST", then: str = "pass") -> str:
    return OWN.format(first=first, then=then, lost=lost)


FACES, READ = own("from faces import LOST"), "from rollwise.games.data_files import text_of"
DATA, SITE, INFO = "tables/lost.toml", "site-packages/faces.py", "site-packages/faces-1.dist-info/"
FIRST, SECOND = ({INFO + "METADATA": f"Name: faces\nVersion: {n}\n", INFO + "top_level.txt": "faces"} for n in (1, 2))
ONE, TWO = "LOST = 1", "LOST = 2"
CASES: dict[str, list[dict[str, str]]] = {  # the files of a game, and those that are edited
    "itself": [{"own.py": own(lost="1")}, {"own.py": own(lost="2")}],
    "a helper's": [{"own.py": own("from a import LOST"), "a.py": "from b import *", "b.py": ONE}, {"b.py": TWO}],
    "folder": [{"own/__init__.py": own(then="from .a.b import LOST"), "own/a/b.py": ONE}, {"own/a/b.py": TWO}],
    "data": [{"own.py": own(READ, "int(text_of('tables', 'lost'))"), DATA: "1"}, {DATA: "2"}],
    "editable": [{"own.py": FACES, "elsewhere/faces.py": ONE, **FIRST}, {"elsewhere/faces.py": TWO}],
    "installed": [{"own.py": FACES, SITE: ONE, **FIRST}, {SITE: TWO, **SECOND}],
    "of one name": [{"own.py": FACES + "...", "faces.py": ONE}, {"before/faces.py": TWO}],
    "words: own": [{"own.py": own("A = 2", "1", then)} for then in ("'A turn.'", '"""Another\n\n turn."""  # or two')],
    "its words": [{"own.py": f"'{n}'\n" + own(lost="int(__doc__)")} for n in (1, 2)],
    "shown words": [{"own.py": own("import b", "int(b.f.__doc__)"), "b.py": f"def f():\n '{n}'"} for n in (1, 2)],
    "not kept: open": [{"own.py": own(lost="int(open('lost').read())"), "lost": "1"}, {"lost": "2"}],
    "not kept: text": [{"own.py": own(READ + "\nat = 'tables'", "int(text_of(at, 'lost'))"), DATA: "1"}, {DATA: "2"}],
    "not kept: os": [{"own.py": own("import os", "len(os.listdir('a'))"), "a/1": ""}, {"a/2": ""}],
    "not kept: exec": [{"own.py": f"exec({own(lost='1')!r})"}, {"own.py": f"exec({own(lost='2')!r})"}],
    "not kept: set": [
        {"own.py": own(f"import faces\nfaces.{lost}", "faces.LOST"), "faces.py": "LOST = 3"} for lost in (ONE, TWO)
    ],
}
ASKED = """
import json, os, sys, time, warnings
from pathlib import Path
import rollwise
from rollwise.cache import fingerprint
sys.dont_write_bytecode = True
rollwise.ask("pig", params={"target": 3})
for case, versions in json.load(sys.stdin).items():
    place = Path(case).absolute()
    for path, text in [each for files in versions for each in [*files.items(), ("", "")]]:
        if path:
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text)
        elif not os.fork():  # a process that has just begun, but for what all of them import
            os.chdir(place)
            sys.path[:0] = [str(place / each) for each in ("before", "", "elsewhere", "site-packages")]
            fingerprint.IMPORT_NS, fingerprint.SETTLED_NS = time.time_ns(), 0
            with warnings.catch_warnings(record=True) as told:
                import own
                answers = [rollwise.ask("own", params={"target": 3}) for _ in range(2)]
            print(json.dumps([[each.value, each.facts["cached"]] for each in answers] + [len(told)]), flush=True)
            os._exit(0)
        else:
            assert os.wait()[1] == 0
"""


def test_an_edit_is_answered_by_the_next_process_and_kept_where_it_can_be_seen(tmp_path: Path) -> None:
    """Each of two processes asks twice, one before the edit and one after it."""
    around = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "ROLLWISE_CACHE": str(tmp_path / "cache")}
    words, cases = [sys.executable, "-c", ASKED], json.dumps(CASES)
    done = subprocess.run(words, input=cases, capture_output=True, text=True, env=around, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    lines = iter(map(json.loads, done.stdout.splitlines()))
    for name in CASES:
        is_kept, is_same = not name.startswith("not kept"), name.startswith("words: ")
        for value, is_there in ((36 / 43, False), (36 / 43 if is_same else 3 / 4, is_same)):
            near = pytest.approx(value)
            assert next(lines) == [[near, is_there], [near, is_kept], not is_kept], name


def two_is_one(dice: Any, after: Any) -> Any:
    return chance_of(dice, lambda face: after(1 if face == 2 else face))


def turn_with_two(self: Pig, total: int, turn: Any = Pig.turn) -> Any:
    return End(0) if total == 2 else turn(self, total)


@dataclass(frozen=True)
class Heir(Zilch):
    name = "heir"


@dataclass(frozen=True)
class Nameless(Pig):
    pass


def asked(name: str = "pig") -> tuple[Any, bool]:
    """The value to 3, and whether it comes from the cache."""
    advice = rollwise.ask(name, params={"target": 3})
    return advice.value, advice.facts["cached"]


def unkept(name: str, why: str) -> Any:
    """The value of a game of which nothing is kept, which is said once."""
    before = Store().keys()
    with pytest.warns(RuntimeWarning, match=f"{name} is solved for this program alone, and not kept: {why}") as told:
        (value, _), again = asked(name), asked(name)
    assert (again, len({str(each.message) for each in told}), Store().keys()) == ((value, False), 1, before)
    return pytest.approx(value)


SET = "this program has changed rollwise.games.pig.rules since it was imported"
WRITTEN = ".*py was written while this program ran: start it anew"


@pytest.mark.parametrize(
    ("place", "name", "value", "won", "why"),
    [
        (pig, "chance_of", two_is_one, 3 / 4, SET),
        (Pig, "turn", turn_with_two, 3 / 4, SET),
        (fingerprint, "IMPORT_NS", 0, 36 / 43, WRITTEN),
    ],
    ids=["function", "method", "file"],
)
def test_what_changes_while_a_program_runs_counts_at_once_and_for_it_alone(
    place: Any, name: str, value: Any, won: float, why: str, own_cache: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheets: Any = game("yahtzee")
    first = asked()
    monkeypatch.setattr(builtins, "_", first, raising=False)  # as the prompt does: no change of a game
    again = asked()
    assert (first[0], again) == (pytest.approx(36 / 43), (first[0], True))
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(fingerprint, "_TRACES", {})
        meanwhile.setattr(place, name, value)
        assert unkept("pig", why) == won
        with cache_only(), pytest.raises(rollwise.RollwiseError, match="Start this program anew"):
            rollwise.ask("pig", params={"target": 4})
        meanwhile.setattr(yahtzee, "BONUS", 50)
        with pytest.warns(RuntimeWarning, match="yahtzee is solved for this program alone"):
            assert identity.identity(sheets)["fingerprint"] is None
    assert asked() == again
    assert identity.identity(sheets)["fingerprint"]


def test_an_own_game_is_no_reason_to_distrust_the_workers_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    before = source_fingerprint()
    monkeypatch.setitem(REGISTRY, "own", RegistryEntry("own", "of_this_program_alone", "Own"))
    assert source_fingerprint.__wrapped__() == before


def test_a_class_that_its_module_has_not_is_answered_and_not_kept(
    own_cache: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner: Any = dataclass(frozen=True)(
        type("Inner", (Pig,), {"name": "inner", "turn": turn_with_two, "__module__": "none"})
    )
    monkeypatch.setattr(sys.modules[__name__], "There", inner, raising=False)
    monkeypatch.setitem(REGISTRY, "inner", RegistryEntry("inner", __name__, "There"))
    assert unkept("inner", "module 'none' has no such class 'Inner'") == 3 / 4
    inner.turn = Pig.turn
    assert asked("inner") == (pytest.approx(36 / 43), False)


@pytest.mark.parametrize("cls", ["Heir", "Nameless"])
def test_a_game_that_would_answer_as_its_parent_is_refused(cls: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = cls.lower()
    monkeypatch.setitem(REGISTRY, name, RegistryEntry(name, __name__, cls))
    wanted = rf"write name = '{name}' and a class method 'of' that returns cls\(\*\*parameters\) in it"
    with pytest.raises(rollwise.RollwiseError, match=f"{cls} would answer as its parent: {wanted}"):
        rollwise.ask(name)
