"""``rollwise cache``: what is kept on disk, whether it still holds, and what is to go."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rollwise.commands.examples import examples
from rollwise.commands.options import Json, Parameters, parameters_typed, show, show_json, tell

cache_app = typer.Typer(no_args_is_help=True, help="The solved games kept on disk.", epilog=examples("cache"))


@cache_app.command("list", epilog=examples("cache list"))
def cache_list(as_json: Json = False) -> None:
    """List the solved games on disk, and the turns that are kept compiled."""
    from rollwise.cache.store import Damaged, Store
    from rollwise.saying.layout import columns
    from rollwise.solved.turns import kept_turns
    from rollwise.solver.game.model import in_a_line

    store, turns = Store(), kept_turns()
    entries: list[dict[str, Any]] = []
    rows = [["key", "boards", "bytes", "seconds", "parameters"]]
    for place, entry in [
        *((store, entry) for entry in store.entries()),
        *((turns, entry) for entry in turns.entries()),
    ]:
        about: dict[str, Any] = {"key": entry.key, "game": "damaged", "parameters": "", "size": entry.size}
        holds = {"holds": "compiled turn"} if place is turns else {}
        if isinstance(entry, Damaged):
            about["parameters"] = entry.reason
        else:
            about["game"] = entry.manifest["game"]
            about["parameters"] = in_a_line(entry.manifest["parameters"])
            facts = {} if holds else entry.manifest["facts"]
            about |= {name: facts[name] for name in ("seconds", "boards") if name in facts} | {"path": str(place.root)}
        entries.append(about | holds)
        boards, seconds = f"{about['boards']:,}" if "boards" in about else "", str(about.get("seconds", ""))
        rows.append([entry.key, boards, f"{entry.size:,}", seconds, ": ".join([*holds.values(), about["parameters"]])])
    solved = sum("holds" not in about for about in entries)
    count = f"{solved} solved game{'s' if solved != 1 else ''} in {store.root}"
    unfinished, lines = unfinished_told()
    tell(as_json, lambda: entries + unfinished, lambda: [*columns(rows, right=(1, 2, 3), names=0), "", count, *lines])


def unfinished_told() -> tuple[list[dict[str, Any]], list[str]]:
    """What killed exports have left, as JSON and in lines."""
    from rollwise.saying.layout import columns
    from rollwise.tables.unfinished import unfinished_exports

    found = unfinished_exports()
    told = [{"holds": "unfinished export", "path": str(path), "size": size} for path, size in found]
    rows = [["file", "bytes left"], *([str(path), f"{size:,}"] for path, size in found)]
    head = ["", "Exports that were not finished; the next one removes what they left:"]
    return told, [*head, *columns(rows, right=(1,), names=0)] if found else []


@cache_app.command("check", epilog=examples("cache check"))
def cache_check(
    what: Annotated[list[str] | None, typer.Argument(metavar="GAME|KEY...", help="what to prove, or all")] = None,
    p: Parameters = None,
    everything: Annotated[bool, typer.Option("--all", help="all solved games, as if nothing is named")] = False,
    as_json: Json = False,
) -> None:
    """Prove stored bounds again, by other code than found them: of games, with -p of those parameters, or by key."""
    from rollwise.cache.store import Store
    from rollwise.saying.layout import columns
    from rollwise.solved.check import check
    from rollwise.solved.clear import named
    from rollwise.solved.turns import kept_turns

    words, parameters, stores = what or [], parameters_typed(p), (Store(), kept_turns())
    all_of_it = everything or not (words or parameters)
    chosen = named(words, parameters, stores, everything=all_of_it, do="check")
    checked = []
    for store in stores:
        there = {entry.key for entry in store.entries()}
        checked += check(store, [kept.key for kept in chosen if kept.store is store and kept.key in there])
    if as_json:
        show_json([one.plain() for one in checked])
    else:
        rows = [[one.verdict, one.key, f"{one.seconds:.2f} s", one.detail] for one in checked]
        nothing = f"nothing is solved of {' and '.join(words)}" if words else "the cache is empty"
        show(columns(rows, right=(2,)) if rows else [nothing])
    if any(one.verdict in ("damaged", "refuted") for one in checked):
        raise typer.Exit(1)


@cache_app.command("clear", epilog=examples("cache clear"))
def cache_clear(
    what: Annotated[list[str] | None, typer.Argument(metavar="GAME|KEY...", help="what to remove")] = None,
    p: Parameters = None,
    everything: Annotated[bool, typer.Option("--all", help="all solved games, forecasts and turns")] = False,
) -> None:
    """Remove solved games, their forecasts and turns: of the games named, with -p of these parameters; or by key."""
    from rollwise.cache.store import Store
    from rollwise.saying.layout import columns
    from rollwise.solved.clear import clear
    from rollwise.tables.unfinished import clear_unfinished_exports

    removed, freed = clear(what or [], parameters_typed(p), everything=everything)
    freed += clear_unfinished_exports()
    if removed:
        show(columns([kept.row() for kept in removed]))
    entries = "1 entry" if len(removed) == 1 else f"{len(removed)} entries"
    typer.echo(f"{entries} removed, {freed:,} bytes freed in {Store().root}")
