"""``rollwise cache``: list, check and remove the solved games on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from rollwise.cache.errors import NO_FOLDER, NOWHERE, printable
from rollwise.cache.store import Store, StoreError
from rollwise.policy_tables.files import clear_unfinished_exports, unfinished_exports
from rollwise.questions import COMMANDS
from rollwise.questions.options import (
    Json,
    Parameters,
    examples_text,
    parameters_typed,
    print_answer,
    print_json,
    print_lines,
)
from rollwise.solutions import listing
from rollwise.solutions.check import check
from rollwise.solutions.clear import clear, select_items
from rollwise.solver.model.plain import count_of
from rollwise.text.layout import align_columns

EXAMPLES = {
    "list": ("rollwise cache list", "rollwise cache list --json"),
    "size": ("rollwise cache size", "rollwise cache size --json"),
    "path": ("rollwise cache path", "rollwise cache path --json"),
    "check": ("rollwise cache check", "rollwise cache check pig -p target=50"),
    "clear": ("rollwise cache clear pig -p target=50", "rollwise cache clear --stale"),
}
cache_command = typer.Typer(
    name="cache",
    no_args_is_help=True,
    add_completion=False,
    help="The solved games kept on disk.",
    epilog=examples_text(COMMANDS["cache"].examples),
    suggest_commands=False,
)


@cache_command.command("list", epilog=examples_text(EXAMPLES["list"]))
def cache_list(as_json: Json = False) -> None:
    """List solved games, their fractions, stored turns, and stale, unfinished or leftover entries."""
    entries = [
        entry for entry in listing.list_items() if entry.holds != listing.FORECAST or entry.stale or entry.damaged
    ]
    exports = unfinished_exports()
    as_plain = [entry.plain() for entry in entries]
    as_plain += [{"holds": "unfinished export", "path": str(path), "size": size} for path, size in exports]
    rows = [["file", "bytes left"], *([printable(str(path)), f"{size:,}"] for path, size in exports)]
    head = ["", "Unfinished exports; the next export removes their files:"]
    lines = [*head, *align_columns(rows, right=(1,), names=0)] if exports else []
    print_answer(as_json, lambda: as_plain, lambda: [*_sections(entries), *lines])


def _sections(entries: list[listing.CacheItem]) -> Iterator[str]:
    """Tables of solved games, of unfinished solves and of leftover files."""
    unfinished, leftovers = (
        [entry for entry in entries if entry.holds == holds] for holds in (listing.UNFINISHED, listing.LEFTOVER)
    )
    rows = [["key", "boards", "bytes", "seconds", "parameters"]]
    for entry in entries:
        if entry.holds not in (listing.UNFINISHED, listing.LEFTOVER):
            boards, seconds = ("" if x is None else f"{x:,}" for x in (entry.boards, entry.seconds))
            rows.append([entry.key, boards, f"{entry.size:,}", seconds, entry.label])
    n_solved, n_stale = sum(entry.holds == listing.SOLVED for entry in entries), sum(entry.stale for entry in entries)
    count = f"{count_of(n_solved, 'solved game')} in {Store().root}"
    yield from [*align_columns(rows, right=(1, 2, 3), names=0), "", count]
    if n_stale:
        yield f"{n_stale} stale: never used, and removed by 'rollwise cache clear --stale'"
    if unfinished:
        table = [["unfinished solve", "done", "bytes", "parameters"]]
        for entry in unfinished:
            done = "" if entry.done is None else f"{entry.done:.0%}"
            table.append([entry.key, done, f"{entry.size:,}", entry.line])
        yield from ["", *align_columns(table, right=(1, 2), names=0)]
    if leftovers:
        table = [[str(entry.path), f"{entry.size:,}"] for entry in leftovers]
        yield from ["", *align_columns([["half written, or left over", "bytes"], *table], right=(1,), names=0)]


@cache_command.command("size", epilog=examples_text(EXAMPLES["size"]))
def cache_size(as_json: Json = False) -> None:
    """Show how many bytes the cache uses, by kind of entry; compiled machine code does not count."""
    store, sizes = Store(), dict[str, list[int]]()
    for entry in listing.list_items():
        sizes.setdefault(entry.holds, []).append(entry.size)
    parts = [{"holds": holds, "number": len(each), "size": sum(each)} for holds, each in sizes.items()]
    rows = [[holds, f"{len(each):,}", f"{sum(each):,}"] for holds, each in sizes.items()]
    whole = {"path": str(store.root), "size": sum(map(sum, sizes.values())), "limit": store.limit, "parts": parts}
    limit = "no limit" if store.limit is None else f"of at most {store.limit:,}"
    count = f"{whole['size']:,} bytes in {store.root}, {limit}"
    lines = [*align_columns([["holds", "number", "bytes"], *rows], right=(1, 2)), "", count]
    print_answer(as_json, lambda: whole, lambda: lines)


@cache_command.command("path", epilog=examples_text(EXAMPLES["path"]))
def cache_path(as_json: Json = False) -> None:
    """Print the folder of the cache."""
    path = str(Store().root)
    if path == str(NOWHERE):
        raise StoreError(NO_FOLDER)
    if as_json:
        print_json({"path": path})
    else:
        typer.echo(path)  # on one line, to be pasted


@cache_command.command("check", epilog=examples_text(EXAMPLES["check"]))
def cache_check(
    what: Annotated[
        list[str] | None, typer.Argument(metavar="GAME|KEY...", help="games or keys; by default all")
    ] = None,
    p: Parameters = None,
    everything: Annotated[bool, typer.Option("--all", help="all solved games, as if none is named")] = False,
    as_json: Json = False,
) -> None:
    """Check stored bounds with independent code: of these games, with -p of these parameters, or by key."""
    words, parameters = what or [], parameters_typed(p)
    places = {
        holds: store
        for holds, store in listing.stores().items()
        if holds in (listing.SOLVED, listing.TURN, listing.FRACTIONS)
    }
    all_of_it = everything or not (words or parameters)
    chosen = select_items(words, parameters, places, everything=all_of_it, command="check")
    checked = []
    for holds, store in places.items():
        checked += check(store, [entry.key for entry in chosen if entry.holds == holds != listing.UNFINISHED])
    if as_json:
        print_json([entry.plain() for entry in checked])
    else:
        rows = [[entry.verdict, entry.key, f"{entry.seconds:.2f} s", entry.detail] for entry in checked]
        nothing = f"no solved games of {' and '.join(words)}" if words else "the cache is empty"
        print_lines(align_columns(rows, right=(2,)) if rows else [nothing])
    if any(entry.verdict in ("damaged", "refuted") for entry in checked):
        raise typer.Exit(1)


@cache_command.command("clear", epilog=examples_text(EXAMPLES["clear"]))
def cache_clear(
    what: Annotated[list[str] | None, typer.Argument(metavar="GAME|KEY...", help="games or keys to remove")] = None,
    p: Parameters = None,
    everything: Annotated[bool, typer.Option("--all", help="all solved games, fractions, forecasts and turns")] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="only entries of other rules or other code than the current ones")
    ] = False,
    unfinished: Annotated[bool, typer.Option("--unfinished", help="only the files of stopped solves")] = False,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="only entries not used for so long: 30d, 12h, 2w")
    ] = None,
) -> None:
    """Remove solved games with fractions, forecasts and turns: of these games, with -p of these parameters, or keys."""
    which = {"everything": everything, "stale": stale, "unfinished": unfinished}
    removed, freed = clear(what or [], parameters_typed(p), older_than=older_than, **which)
    freed += clear_unfinished_exports()
    if removed:
        print_lines(align_columns([[entry.key, entry.holds, entry.line] for entry in removed]))
    entries = "1 entry" if len(removed) == 1 else f"{len(removed)} entries"
    typer.echo(f"{entries} removed, {freed:,} bytes freed in {Store().root}")
