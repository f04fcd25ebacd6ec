"""Every command, in the order of the help, with two examples: lines to paste as they stand."""

from __future__ import annotations

EXAMPLES = {
    "": ("rollwise ask pig mine=43 theirs=61 turn=18", "rollwise rules shut-the-box"),
    "list": ("rollwise list", "rollwise list --json"),
    "rules": ("rollwise rules shut-the-box", "rollwise rules piggy-six -p max_dice=3"),
    "ask": ("rollwise ask pig mine=43 theirs=61 turn=18", "rollwise ask shut-the-box open=1-9 --next roll"),
    "solve": ("rollwise solve pig", "rollwise solve thunderstorm -p players=4 --json"),
    "sweep": ("rollwise sweep pig -p target=10..100..10", "rollwise sweep mexico -p players=2,3 -p lives=1..3 --json"),
    "export": ("rollwise export pig --output pig.csv", "rollwise export yahtzee --levels 11-12 --output endgame/"),
    "best": ("rollwise best policy.parquet mine=43 theirs=61 turn=18", "rollwise best pig.csv turn=4 --json"),
    "compare": ("rollwise compare pig", "rollwise compare pig hold-at-20 -p target=50"),
    "card": ("rollwise card pig", "rollwise card zilch --output zilch.html"),
    "odds": ("rollwise odds pig turn=18", "rollwise odds sixzee sixzee --rolls 2"),
    "forecast": ("rollwise forecast shut-the-box", "rollwise forecast shut-the-box --at-most 0,10"),
    "play": ("rollwise play pig --seed 7", "rollwise play shut-the-box --dice --save box.jsonl"),
    "quiz": ("rollwise quiz pig", "rollwise quiz shut-the-box -n 5 --seed 1 --json"),
    "review": ("rollwise review game.jsonl", "rollwise review game.txt --game pig --top 3"),
    "verify": ("rollwise verify shut-the-box --output ledger.html", "rollwise verify --refuted"),
    "serve": ("rollwise serve --open", "rollwise serve --lan --port 8700"),
    "warm": ("rollwise warm", "rollwise warm pig yahtzee"),
    "solve-all": ("rollwise solve-all", "rollwise solve-all mexico big-six --most-seconds 10 --json"),
    "cache": ("rollwise cache list", "rollwise cache check"),
    "cache list": ("rollwise cache list", "rollwise cache list --json"),
    "cache size": ("rollwise cache size", "rollwise cache size --json"),
    "cache path": ("rollwise cache path", "rollwise cache path --json"),
    "cache check": ("rollwise cache check", "rollwise cache check pig -p target=50"),
    "cache clear": ("rollwise cache clear pig -p target=50", "rollwise cache clear --stale"),
}


def examples_text(command: str) -> str | None:
    """The examples below the help of a command, '' for the program; a blank line ends each line there."""
    lines = EXAMPLES.get(command)
    return "\n\n".join(["Examples:", *lines]) if lines else None
