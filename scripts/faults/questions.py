"""Questions with anything in them, in process and as processes: an error in a line, or an answer that agrees."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path
from random import Random
from typing import Any

from scripts.faults.children import OF_THE_RUN, Hung, batches, child, command, fresh, in_time, scratch, tell
from scripts.faults.counting import HANGS, TRACEBACKS, WRONG, Counts, difference
from scripts.faults.harms import ESCAPE, NESTED, ODD, shown

FULL, QUICK = 10_300, 408
PROCESSES = 0.0292  # this part of them as processes
BATCH = 500
GAMES: dict[str, dict[str, Any]] = {"pig": {"target": 16}, "bluff": {"chips": 1}, "shut-the-box": {}, "big-six": {}}
GAMES |= {name: {} for name in ("slam", "high-dice", "dice-roulette", "pay-the-rent", "thunderstorm")}
GAMES |= {name: {} for name in ("aces-in-the-pot", "drop-dead", "martinetti", "six-by-6")}
NO_JSON: list[Any] = [(), {1, 2}, b"1", 1j, object, Path("x")]


def value(field: Any, game: Any, draw: Random) -> Any:
    """Something for a field: at its edges, within them, or anything."""
    from tests.asked import edges

    way = draw.random()
    if way < 0.4:
        return draw.choice(edges(field, game))
    if way < 0.6 and hasattr(field, "high"):
        return draw.randint(field.low, min(field.high, 60))
    if way < 0.7:
        return [draw.randint(1, 6) for _ in range(draw.randint(1, 6))]
    return "".join(draw.choices(string.printable, k=9)) if way < 0.8 else draw.choice(ODD + NO_JSON)


def question(draw: Random) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """A game, parameters and a state."""
    from rollwise.parsing.validate import parse_game

    name = draw.choice(sorted(GAMES))
    params, game = dict(GAMES[name]), parse_game(name, GAMES[name])
    fields = game.fields()
    asked = draw.sample(fields, draw.randint(0, min(4, len(fields))))
    state = {field.name: value(field, game, draw) for field in asked}
    if draw.random() < 0.05:
        params[draw.choice(["target", "players", "x", ESCAPE, "a" * 999])] = draw.choice(ODD + NO_JSON)
    if draw.random() < 0.05:
        state[draw.choice(["turn", "bet", "x", ESCAPE, "\0", "self", "game"])] = draw.choice(ODD + NO_JSON)
    return draw.choice([name] * 9 + ["pigg", ESCAPE, "a" * 9999]), params, state


def run(times: int, draw: Random) -> Counts:
    """Ask so many."""
    from rollwise.solutions.lookup import cache_only

    counts, processes = Counts("questions"), round(times * PROCESSES)
    with scratch("questions"):
        for name, params in GAMES.items():  # what is solved beforehand
            child(tell, f"solve {name} {' '.join(f'-p {key}={told}' for key, told in params.items())}")
        with cache_only():
            batches(counts, times - processes, BATCH, draw, _batch)
        for _ in range(processes):
            _process(draw, counts)
    return counts


def _batch(times: int, seed: float) -> Counts:
    """Ask so many in this process; what is answered is asked again, with the state that the answer says."""
    import rollwise
    from rollwise.solutions.lookup import Unsolved
    from tests.asked import require_sound

    counts, draw = Counts("questions"), Random(seed)
    for _ in range(times):
        name, params, state = question(draw)
        said = (f"{key[:20]!r}: {shown(told)}" for key, told in {**params, **state}.items())
        what = f"ask {name[:20]!r} {', '.join(said)}"
        print(what, flush=True)
        counts.tried += 1
        try:
            with in_time():
                answer = rollwise.ask(name, params=params, state=state)
                require_sound(answer, 1e-8)
                again = rollwise.ask(name, params=params, state=json.loads(json.dumps(answer.plain()))["state"])
            if again.plain() != answer.plain():
                counts.add(WRONG, f"with the state it says, {again.plain()} for {answer.plain()}: {what}")
        except Unsolved:
            pass
        except Hung:
            counts.add(HANGS, what)
        except (rollwise.RollwiseError, rollwise.StoreError) as error:
            counts.refuse(str(error), what)
        except Exception as error:
            counts.add(WRONG if isinstance(error, AssertionError) else TRACEBACKS, f"{error!r}: {what}")
    return counts


def _process(draw: Random, counts: Counts) -> None:
    """A process of its own says what is said in process, word for word."""
    name, _, state = question(draw)
    params = {key: told for key, told in GAMES.get(name, {}).items() if draw.random() < 0.9}
    words = ["ask", name, *(f"-p{key}={told}" for key, told in params.items()), *map(_typed, state.items())]
    words = [re.sub("[\0\ud800]", "", word)[:50_000] for word in words] + ["--json"] * draw.choice((0, 1))
    here, ended = child(command, *words), fresh(*words)
    what, counts.tried = f"rollwise {str(words)[:300]}", counts.tried + 1
    told, right = (OF_THE_RUN.sub("", f"{end.code}\n{end.out}{end.err}") for end in (ended, here))
    if counts.judge(ended, what) and told != right:
        counts.add(WRONG, f"a process says {difference(told, right)}: {what}")


def _typed(pair: tuple[str, Any]) -> str:
    name, told = pair
    if told is NESTED:
        return f"{name}={'[' * 3000}"
    return f"{name}={','.join(map(str, told)) if isinstance(told, list | tuple) else told}"
