"""``rollwise cache``: what is kept on disk, whether it still holds, and what is to go."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rollwise.commands.examples import examples
from rollwise.commands.options import Json, Parameters, show, show_json

cache_app = typer.Typer(no_args_is_help=True, help="The solved games kept on disk.", epilog=examples("cache"))


@cache_app.command("list", epilog=examples("cache list"))
def cache_list(as_json: Json = False) -> None:
    """List the solved games on disk."""
    from rollwise.cache.store import Damaged, Store
    from rollwise.saying.layout import columns

    store = Store()
    plain: list[dict[str, Any]] = []
    for entry in store.entries():
        if isinstance(entry, Damaged):
            plain.append({"key": entry.key, "game": "damaged", "parameters": entry.reason, "size": entry.size})
            continue
        told = entry.manifest
        parameters = ", ".join(f"{name}={value}" for name, value in told["parameters"].items())
        plain.append(
            {
                "key": entry.key,
                "game": told["game"],
                "parameters": parameters,
                "size": entry.size,
                "seconds": told["facts"]["seconds"],
                "boards": told["facts"]["boards"],
                "path": str(store.root),
            }
        )
    if as_json:
        show_json(plain)
        return
    rows = [["key", "boards", "bytes", "seconds", "parameters"]]
    rows += [
        [
            item["key"],
            f"{item.get('boards', ''):,}" if "boards" in item else "",
            f"{item['size']:,}",
            str(item.get("seconds", "")),
            item["parameters"],
        ]
        for item in plain
    ]
    show([*columns(rows, right=(1, 2, 3), names=0), "", f"{len(plain)} solved games in {store.root}"])


@cache_app.command("check", epilog=examples("cache check"))
def cache_check(
    what: Annotated[list[str] | None, typer.Argument(metavar="GAME|KEY...", help="what to prove, or all")] = None,
    p: Parameters = None,
    everything: Annotated[bool, typer.Option("--all", help="all solved games, as if nothing is named")] = False,
    as_json: Json = False,
) -> None:
    """Prove stored bounds again, by other code than found them: of games, with -p of those parameters, or by key."""
    from rollwise.cache.store import Store
    from rollwise.reading.door import split
    from rollwise.saying.layout import columns
    from rollwise.solved.check import check
    from rollwise.solved.clear import named

    words, parameters, store = what or [], split(p or [], "parameter"), Store()
    all_of_it = everything or not (words or parameters)
    chosen = named(words, parameters, [store], everything=all_of_it, do="check")
    there = {entry.key for entry in store.entries()}
    rows = check(store, [kept.key for kept in chosen if kept.key in there])
    if as_json:
        show_json([row.plain() for row in rows])
    else:
        shown = [[row.verdict, row.key, f"{row.seconds:.2f} s", row.detail] for row in rows]
        nothing = f"nothing is solved of {' and '.join(words)}" if words else "the cache is empty"
        show(columns(shown, right=(2,)) if shown else [nothing])
    if any(row.verdict in ("damaged", "refuted") for row in rows):
        raise typer.Exit(1)


@cache_app.command("clear", epilog=examples("cache clear"))
def cache_clear(
    what: Annotated[list[str] | None, typer.Argument(metavar="GAME|KEY...", help="what to remove")] = None,
    p: Parameters = None,
    everything: Annotated[bool, typer.Option("--all", help="all solved games and all forecasts")] = False,
) -> None:
    """Remove solved games, and their forecasts: of the games named, with -p of those parameters only; or by key."""
    from rollwise.cache.store import Store
    from rollwise.reading.door import split
    from rollwise.saying.layout import columns
    from rollwise.solved.clear import clear

    removed, freed = clear(what or [], split(p or [], "parameter"), everything=everything)
    entries = "1 entry" if len(removed) == 1 else f"{len(removed)} entries"
    lines = columns([kept.told() for kept in removed]) if removed else []
    if lines:
        show(lines)
    typer.echo(f"{entries} removed, {freed:,} bytes freed in {Store().root}")
