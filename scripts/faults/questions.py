"""Questions with anything in them, in process and as processes: an error in a line, or an answer that agrees."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from scripts.faults.asking import batches, difference, one_line, scratch, tell
from scripts.faults.children import child, command, fresh
from scripts.faults.counting import HANGS, TRACEBACKS, WRONG, Counts

FULL, QUICK = 10_300, 408
PROCESSES = 0.0292  # this part of them as processes
BATCH = 700
GAMES: dict[str, dict[str, Any]] = {
    "pig": {"target": 16},
    "shut-the-box": {},
    "big-six": {},
    "slam": {},
    "high-dice": {},
    "dice-roulette": {},
    "pay-the-rent": {},
    "thunderstorm": {},
    "aces-in-the-pot": {},
    "drop-dead": {},
    "martinetti": {},
    "six-by-6": {},
    "bluff": {"chips": 1},
}
NESTED: Any = []
for _ in range(3000):
    NESTED = [NESTED]
ODD: list[Any] = [None, True, -1, 0, 7, 1.5, 10**30, 10**400, float("nan"), float("inf"), "", " ", "x", "none", "-1"]
ODD += ["१", "½", "1e5", "1_000", "0x5", "9" * 100_000, "\0", "\x1b[2J", "a\nb", "\ud800", "=", "1,2,3", "{", "[[[["]
ODD += [[], [[]], [0], [7] * 7, [None], {}, {1: 2}, NESTED, (), {1, 2}, b"1", 1j, object, Path("x")]


def value(field: Any, game: Any, draw: Random) -> Any:
    """Something for a field: at its edges, within them, or anything."""
    from tests.questions import edges

    way = draw.random()
    if way < 0.4:
        return draw.choice(edges(field, game))
    if way < 0.6 and hasattr(field, "high"):
        return draw.randint(field.low, min(field.high, 60))
    if way < 0.7:
        return [draw.randint(1, 6) for _ in range(draw.randint(1, 6))]
    if way < 0.8:
        return "".join(draw.choices(string.printable, k=draw.randint(1, 9)))
    return draw.choice(ODD)


def question(draw: Random) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A game, parameters and a state."""
    from rollwise.reading.door import the_game

    name = draw.choice(sorted(GAMES))
    params: dict[Any, Any] = dict(GAMES[name])
    game = the_game(name, params)
    fields = game.fields()
    state = {field.name: value(field, game, draw) for field in draw.sample(fields, draw.randint(0, min(4, len(fields))))}
    if draw.random() < 0.05:
        params[draw.choice(["target", "players", "x", "\x1b", "a" * 999])] = draw.choice(ODD)
    if draw.random() < 0.05:
        state[draw.choice(["turn", "bet", "x", "\x1b[2J", "\0", "self", "game"])] = draw.choice(ODD)
    return draw.choice([name] * 9 + ["pigg", "\x1b", "a" * 9999]), params, state


def run(times: int, draw: Random) -> Counts:
    """Ask so many."""
    from rollwise.solved.games import only_kept

    counts = Counts("questions")
    with scratch("questions") as folder:
        child(tell, "list")
        for name, params in GAMES.items():  # what is solved beforehand
            child(tell, ["solve", name, *(f"-p{key}={told}" for key, told in params.items())])
        processes = round(times * PROCESSES)
        with only_kept():
            batches(counts, times - processes, BATCH, draw, _batch)
        for _ in range(processes):
            _process(draw, counts)
        assert folder.exists()
    return counts


def _batch(times: int, seed: float) -> Counts:
    """Ask so many in this process; what is answered is asked again, as the answer says its own state."""
    import rollwise
    from rollwise.solved.games import Unsolved
    from tests.questions import require_sound

    counts, draw = Counts("questions"), Random(seed)
    for _ in range(times):
        name, params, state = question(draw)
        what = f"ask({name[:20]!r}, {shown(params)}, {shown(state)})"
        print(what, flush=True)
        counts.tried += 1
        try:
            answer = rollwise.ask(name, params=params, state=state)
            require_sound(answer, 1e-8)
            again = rollwise.ask(name, params=params, state=json.loads(json.dumps(answer.plain()))["state"])
            if again.plain() != answer.plain():
                counts.add(WRONG, f"{what}: asked as it says itself, {again.plain()} for {answer.plain()}")
        except Unsolved:
            pass
        except (rollwise.RollwiseError, rollwise.StoreError) as error:
            if not one_line(str(error)):
                counts.add(WRONG, f"{what}: an error of more than a line, or that a terminal would obey: {error!r}")
        except AssertionError as error:
            counts.add(WRONG, f"{what}: {error!r}")
        except Exception as error:
            counts.add(TRACEBACKS, f"{what}: {error!r}")
    return counts


def shown(told: dict[str, Any]) -> str:
    """What is asked, as far as it can be shown."""
    return ", ".join(f"{key[:20]!r}: {'[[[...' if part is NESTED else str(part)[:60]!r}" for key, part in told.items())


def _process(draw: Random, counts: Counts) -> None:
    """A process of its own says what is said in process, word for word."""
    name, params, state = question(draw)
    params = {key: told for key, told in params.items() if name in GAMES and told == GAMES[name].get(key)}
    words = ["ask", name, *(f"-p{key}={told}" for key, told in params.items()), *map(_typed, state.items())]
    words = [re.sub("[\0\ud800]", "", word)[:50_000] for word in words] + ["--json"] * draw.choice((0, 1))
    ended, here = fresh(*words), child(command, *words)
    what = f"rollwise {str(words)[:300]}"
    counts.tried += 1
    if ended.hung or ended.trace:
        counts.add(HANGS if ended.hung else TRACEBACKS, f"{what}: {ended.trace}")
    elif (ended.code, ended.out, ended.err) != (here.code, here.out, here.err):
        counts.add(WRONG, f"{what}: in process {difference(ended.out + ended.err, here.out + here.err)}")
    elif ended.code and not one_line(ended.err.partition("\nhint: ")[0].strip()):
        counts.add(WRONG, f"{what}: {ended.err}")


def _typed(pair: tuple[str, Any]) -> str:
    name, told = pair
    plain: Sequence[Any] = told if isinstance(told, list | tuple) else [told]
    return f"{name}={','.join(str(part)[:200_000] for part in plain) if plain is not NESTED else '[' * 3000}"
