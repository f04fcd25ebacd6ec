"""Hints are lines to paste: each runs, or comes to another question, and has lost nothing that was typed."""

from __future__ import annotations

import ast
import io
import json
import shlex
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rollwise
from rollwise.solver.model.errors import RollwiseError

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).parents[2]
PIG = "-p target=10"

# where a hint is made: what is typed there, the words that it changes or leaves out, and what the hint says in place
LINES: dict[str, list[tuple[str, str, str]]] = {
    "clear.py clear": [("cache clear", "clear", "list")],
    "clear.py select_items": [
        ("cache clear pig-0123456789abcdef", "clear pig-0123456789abcdef", "list"),
        ("cache check pig-0123456789abcdef", "check pig-0123456789abcdef", "list"),
    ],
    "clear.py _parse_game_name": [
        ("cache clear target=50", "clear target=50", "list"),
        ("cache clear zilhc", "clear zilhc", "list"),
    ],
    "match/command.py play_command": [("play --dice --seed 3", "", "pig")],
    "table_rows.py require_same_game": [
        ("compare pig whole.csv -p target=12 --slice --json mine=3", "target=12", "target=10"),
        ("odds pig turn=4 --policy whole.csv -p target=12 --json", "target=12", "target=10"),
        ("compare sevens whole.csv -p goal=20 --json", "sevens -p goal=20", "pig"),
    ],
    "table_policy.py _missing": [(f"compare pig part.csv {PIG} theirs=4 --json", "", "--slice")],
    "validate.py _parse_field": [
        ("ask ten-thousand -p players=1 turn=1,200 dice=2 --json --top 2", "turn=1,200", "turn=1200")
    ],
    "validate.py _unknown_field": [("ask pig target=12 turn=4 --json --top 1", "", "-p")],
    "export.py to_standard_output": [("export pig -p target=6 turn=2 -o -", "", "--format csv")],
    "export.py _missing_sheet": [("export sixzee -p objective=reach -o late.csv --json", "", "target=200")],
    "reaching.py points_so_far": [
        ("ask yahtzee -p objective=reach filled=ones:5,yahtzee:50 target=237 --json", "", "yahtzee_bonus=0"),
        ("ask yahtzee -p objective=reach filled=ones:5,yahtzee:50 target=237 mine=160 --json", "mine=160", "mine=155"),
    ],
    "sheets.py earned_further": [
        ("ask sixzee filled=sixzee:60,chance:12 yahtzee_bonus=300", "yahtzee_bonus=300", "yahtzee_bonus=100")
    ],
    "record_files.py with_hint": [("play --resume cut.jsonl --dice", "play --resume --dice", "review")],
    "review/compute.py game_of_record": [("review old.jsonl --grades 1,2,3 --json --top 2", "", "--anyway")],
    "typed.py parse_head": [("review typed.txt --anyway --top 2", "", "--game pig")],
    "why/compute.py _moves_compared": [
        (
            "ask ten-thousand -p players=1 -p goal=500 turn=300 roll=1,2 --why --json",
            "turn=300 roll=1,2",
            "turn=400 dice=1",
        )
    ],
    "card/compute.py card": [
        ("card zilch -p goal=5000 -p opening=350 --json", "goal=5000 opening=350", "goal=10000 opening=750"),
        ("card piggy-six -p max_dice=3 -p target=40 --format csv", "max_dice=3", "max_dice=2"),
    ],
    "odds/compute.py odds": [
        ("odds yahtzee full house --policy best -p joker=free --json", "full house --policy best", "'full house'"),
        ("odds yahtzee --dice 3 --rolls 2", "--dice 3", "ones"),
    ],
    "words.py _missing_field_name": [
        ("ask ten-thousand 1200 3000 450 --json --top 3", "1200 3000 450", "mine=1200 theirs=3000 turn=450")
    ],
    "fields.py _read_part": [
        ("ask shut-the-box open=12345 roll=5 3 -p variant=partial --json", "open=12345 roll=5 3", "open=1,2,3,4,5"),
        ("ask shut-the-box open=9-1 --exact --json", "open=9-1", "open=1-9"),
    ],
    "hidden_table.py ask": [("ask bluff -p players=3 -p chips=2 total=9 --json", "ask total=9", "compare")],
    "kind.py other_ties": [(f"solve pig {PIG} --ties --exact --json", "--ties", "")],
    "busted/rules.py require_all_chips": [
        ("ask busted chips=20,19,19 board=3:3 mover=1 --json", "board=3:3", "board=3:3,7:14")
    ],
    "dice_roulette/rules.py onward": [("ask dice-roulette --next roll --json --each", "", "bet=2")],
    "finish/rules.py __post_init__": [
        ("rules finish -p placing=free -p players=5 --json", "placing=free", "placing=forced")
    ],
    "questions.py require_chips": [
        ("ask 421 chips=11,11,2 pot=11 --json", "pot=11", "pot=0"),
        ("ask 421 -p players=2 chips=9,13 pot=11 --json", "pot=11", "pot=0"),
    ],
    "martinetti/rules.py __post_init__": [
        ("rules martinetti -p players=5 -p crossing=free --json", "crossing=free", "crossing=forced")
    ],
    "piggy_six/rules.py of": [
        ("rules piggy-six -p players=3 -p target=80 -p max_dice=3 --json", "target=80", "target=50")
    ],
    "registry.py unknown": [("ask zilhc --json", "ask zilhc", "list")],
    "six_by_6/rules.py of": [
        ("rules six-by-6 -p objective=reach --json", "objective=reach", "objective=reach -p posting=free")
    ],
    "chosen_set.py __post_init__": [
        ("rules six-by-6 -p players=8 -p posting=free --json", "posting=free", "posting=forced")
    ],
    "turn.py check_total": [("ask zilch turn=450 dice=2 mine=2000 --json --top 2", "", "trio=4")],
    "overwrite.py _overwrite_error": [
        ("export pig -p target=10 -o typed.txt --format csv --json", "", "--force"),
        ("card pig -o typed.txt --format html", "", "--force"),
        ("play pig -p target=10 --save part.csv --seed 1", "", "--force"),
    ],
    "overwrite.py require_own_folder": [("export pig -p target=10 -o ./ --json", "", "--into")],
    "serving.py open_listener": [("serve --port {port} --allow-solve none --log-states", "{port}", "{next}")],
}
NOT_PASTED = {
    *("dask_cluster.py connect", "options.py hint_without_scheduler"),  # a command of pip; test_cluster has it
    *("web/command.py serve_command", "jobs.py plan_job"),  # a command of pip; said by a server: tests/web has it
    *(
        "function_policy.py too_large",
        "cameroon/rules.py closed_boxes",
        "killer/rules.py require_sheet",
        "sheets.py locate",
    ),  # nobody knows
    *("beating.py part", "objective.py game_with_objective"),  # nobody knows what the others have
    *("errors.py __init__", "player_cost.py explain_refusal"),  # keep it, pass it on
    "options.py announce",  # takes ten minutes: test_announcing pastes it with less
    *("warm.py _temporary_cache", "warm.py _require_place", "memory_errors.py _shortage"),  # begin with a setting
    *("records.py at_place", "tables.py error_of", "cli.py add_hint", "best.py best"),
}


def places() -> Iterator[str]:
    """Where the product makes a hint: file and function, with the room where every room has such a file."""
    for folder in ("rollwise",):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text()
            for made in ast.walk(ast.parse(text)) if "hint" in text else ():
                if not isinstance(made, ast.FunctionDef):
                    continue
                for node in ast.walk(made):
                    said = isinstance(node, ast.keyword) and node.arg == "hint"
                    targets = node.targets if isinstance(node, ast.Assign) else []
                    if said or any(isinstance(one, ast.Attribute) and one.attr == "hint" for one in targets):
                        room = f"{path.parent.name}/" if path.stem in ("compute", "command", "rules") else ""
                        yield f"{room}{path.name} {made.name}"


def test_every_hint_of_the_product_is_pasted_here() -> None:
    assert set(places()) == {*LINES, *NOT_PASTED}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of all decisions of Pig to 10, and what is said of it: nobody writes here."""
    return rollwise.export("pig", tmp_path_factory.mktemp("table") / "whole.csv", params={"target": 10}).path.parent


@pytest.fixture
def taken(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port that somebody listens at, in a folder with tables and records."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(table, tmp_path, dirs_exist_ok=True)
    rows = Path("whole.csv").read_text().splitlines()
    Path("part.csv").write_text("\n".join(row for row in rows if not row.startswith("0,4,4,")) + "\n")
    head = {"rollwise": 1, "game": "pig", "parameters": {"target": 10}, "rules_version": 1, "seed": 1, "seats": 2}
    Path("cut.jsonl").write_text(json.dumps(head) + "\n{")
    Path("old.jsonl").write_text(json.dumps({**head, "rules_version": 9}) + "\n")
    Path("typed.txt").write_text("pigg target 10\n5 hold\n")
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        yield somebody.getsockname()[1]


def hint_of(words: list[str], error: str) -> list[str]:
    """The words of the line that an error shows."""
    hint = json.loads(error)["hint"] if "--json" in words else error.splitlines()[-1].removeprefix("hint: ")
    return shlex.split(hint)


@pytest.mark.parametrize(
    "place", [pytest.param(place, marks=pytest.mark.thorough if "_missing_sheet" in place else ()) for place in LINES]
)
def test_a_hint_runs_and_keeps_all_that_was_typed(
    place: str, taken: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rollwise.web.serving.next_free_port", lambda host, port: port + 1)
    for case in LINES[place]:
        typed, changed, said = (shlex.split(words.format(port=taken, next=taken + 1)) for words in case)
        code, _, error = run(*typed)
        assert code == 2, error
        first, *words = hint_of(typed, error)
        assert first == "rollwise"
        assert {*words} >= {*typed, *said} - {*changed}
        assert not {*changed} - {*said} & {*words}
        with monkeypatch.context() as patched:
            assert runs(words, run, patched) or run(*words)[2] not in ("", error)


def runs(words: list[str], run: Run, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Does a line run, up to where something would be solved or served?"""

    def reached(*_: Any, **__: Any) -> None:
        raise RollwiseError("reached")

    for module in ("rollwise.solutions.lookup.load_or_solve", "rollwise.web.serving.open_listener"):
        monkeypatch.setattr(module, reached)
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    code, _, error = run(*words)
    return code == 0 or "reached" in error


@pytest.mark.parametrize("word", ["-p target=10 --slice", "--slice -p target=10", "-ptarget=10 theirs=4", "--json"])
def test_hints_do_not_send_each_other_round(word: str, taken: int, run: Run) -> None:
    """A table of which rows are missing, with whatever was said."""
    words = ["compare", "pig", "part.csv", *shlex.split(word)]
    for _ in range(2):
        code, _, error = run(*words)
        if code == 0:
            return
        words = hint_of(words, error)[1:]
    raise AssertionError(words)


def test_a_command_gets_no_hint_of_another_and_is_asked_for_once(run: Run) -> None:
    file_first = [f"{command} pig 3 2 4" for command in ("best", "review", "serve", "sweep", "solve-all")]
    for typed in (*file_first, "best pig mine=3", "aks pig", "cache lst"):
        code, _, error = run(*shlex.split(typed))
        assert (code, "mine=3 theirs=2" in error, "format" in error) == (2, False, False), typed
        assert error.count("Did you mean") == (typed in ("aks pig", "cache lst")), typed


def test_the_rules_of_a_table_are_not_hinted_at(taken: int) -> None:
    with pytest.raises(rollwise.BadInput, match="is a rule parameter of pig") as refused:
        rollwise.best("whole.csv", target=10)
    assert refused.value.hint == ""
