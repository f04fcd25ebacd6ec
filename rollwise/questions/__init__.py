"""The questions, a room each: its data, the function that computes it, its text and its command.

A room is a folder with ``data``, ``compute``, ``text`` and ``command``, or one file with these in that order, if it is
small. ``COMMANDS`` lists all commands; a module is loaded when its command is called, or when all are shown.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """A command: the module with its function, named for it, and two examples for its help: lines to paste."""

    module: str
    examples: tuple[str, str]


COMMANDS = {  # in the order of the help
    "list": Command("questions.catalogue", ("rollwise list", "rollwise list --json")),
    "rules": Command("questions.catalogue", ("rollwise rules shut-the-box", "rollwise rules piggy-six -p max_dice=3")),
    "ask": Command(
        "questions.ask.command",
        ("rollwise ask pig mine=43 theirs=61 turn=18", "rollwise ask shut-the-box open=1-9 --next roll"),
    ),
    "solve": Command("questions.solve", ("rollwise solve pig", "rollwise solve thunderstorm -p players=4 --json")),
    "sweep": Command(
        "questions.sweep.command",
        ("rollwise sweep pig -p target=10..100..10", "rollwise sweep mexico -p players=2,3 -p lives=1..3 --json"),
    ),
    "export": Command(
        "questions.export",
        ("rollwise export pig --output pig.csv", "rollwise export yahtzee --levels 11-12 --output endgame/"),
    ),
    "best": Command(
        "questions.best",
        ("rollwise best policy.parquet mine=43 theirs=61 turn=18", "rollwise best pig.csv turn=4 --json"),
    ),
    "compare": Command(
        "questions.compare.command", ("rollwise compare pig", "rollwise compare pig hold-at-20 -p target=50")
    ),
    "card": Command("questions.card.command", ("rollwise card pig", "rollwise card zilch --output zilch.html")),
    "odds": Command("questions.odds.command", ("rollwise odds pig turn=18", "rollwise odds sixzee sixzee --rolls 2")),
    "forecast": Command(
        "questions.forecast.command",
        ("rollwise forecast shut-the-box", "rollwise forecast shut-the-box --at-most 0,10"),
    ),
    "play": Command(
        "match.command", ("rollwise play pig --seed 7", "rollwise play shut-the-box --dice --save box.jsonl")
    ),
    "quiz": Command("questions.quiz.command", ("rollwise quiz pig", "rollwise quiz shut-the-box -n 5 --seed 1 --json")),
    "review": Command(
        "match.review.command", ("rollwise review game.jsonl", "rollwise review game.txt --game pig --top 3")
    ),
    "verify": Command(
        "questions.verify.command", ("rollwise verify shut-the-box --output ledger.html", "rollwise verify --refuted")
    ),
    "serve": Command("web.command", ("rollwise serve --open", "rollwise serve --lan --port 8700")),
    "warm": Command("questions.warm", ("rollwise warm", "rollwise warm pig yahtzee")),
    "solve-all": Command(
        "questions.sweep.command", ("rollwise solve-all", "rollwise solve-all mexico big-six --most-seconds 10 --json")
    ),
    "cache": Command("questions.cache", ("rollwise cache list", "rollwise cache check")),
}
