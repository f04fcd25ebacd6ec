"""``rollwise cache``: what is kept on disk, whether it still holds, and what is to go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rollwise.commands.examples import examples
from rollwise.commands.options import Json, Parameters, parameters_typed, show, show_json, tell
from rollwise.solver.model.plain import count_of

if TYPE_CHECKING:
    from rollwise.solutions.listed import Listed

cache_app = typer.Typer(
    no_args_is_help=True, help="The solved games kept on disk.", epilog=examples("cache"), suggest_commands=False
)


@cache_app.command("list", epilog=examples("cache list"))
def cache_list(as_json: Json = False) -> None:
    """List solved games, their fractions, the turns that are kept, and what is stale, unfinished or left over."""
    from rollwise.solutions.listed import FORECAST, everything

    found = [one for one in everything() if one.holds != FORECAST or one.stale or one.damaged]
    unfinished, lines = unfinished_told()
    tell(as_json, lambda: [one.plain() for one in found] + unfinished, lambda: [*_sections(found), *lines])


def _sections(found: list[Listed]) -> Iterator[str]:
    """Tables of what is solved, of what is unfinished, and of what is left over."""
    from rollwise.cache.store import Store
    from rollwise.solutions.listed import LEFTOVER, SOLVED, UNFINISHED
    from rollwise.text.layout import columns

    begun, left = ([one for one in found if one.holds == holds] for holds in (UNFINISHED, LEFTOVER))
    rows = [["key", "boards", "bytes", "seconds", "parameters"]]
    for one in found:
        if one.holds not in (UNFINISHED, LEFTOVER):
            boards, seconds = ("" if x is None else f"{x:,}" for x in (one.boards, one.seconds))
            rows.append([one.key, boards, f"{one.size:,}", seconds, one.words])
    n_solved, n_stale = sum(one.holds == SOLVED for one in found), sum(one.stale for one in found)
    count = f"{count_of(n_solved, 'solved game')} in {Store().root}"
    yield from [*columns(rows, right=(1, 2, 3), names=0), "", count]
    if n_stale:
        yield f"{n_stale} stale: never served, and removed by 'rollwise cache clear --stale'"
    if begun:
        told = [[one.key, "" if one.done is None else f"{one.done:.0%}", f"{one.size:,}", one.line] for one in begun]
        yield from ["", *columns([["unfinished solve", "done", "bytes", "parameters"], *told], right=(1, 2), names=0)]
    if left:
        told = [[str(one.path), f"{one.size:,}"] for one in left]
        yield from ["", *columns([["half written, or left over", "bytes"], *told], right=(1,), names=0)]


@cache_app.command("size", epilog=examples("cache size"))
def cache_size(as_json: Json = False) -> None:
    """Tell how many bytes the cache has, and of what; compiled machine code is not counted."""
    from rollwise.cache.store import Store
    from rollwise.solutions.listed import everything
    from rollwise.text.layout import columns

    store, sizes = Store(), dict[str, list[int]]()
    for one in everything():
        sizes.setdefault(one.holds, []).append(one.size)
    parts = [{"holds": holds, "number": len(each), "size": sum(each)} for holds, each in sizes.items()]
    rows = [[holds, f"{len(each):,}", f"{sum(each):,}"] for holds, each in sizes.items()]
    whole = {"path": str(store.root), "size": sum(map(sum, sizes.values())), "limit": store.limit, "parts": parts}
    room = "no limit" if store.limit is None else f"of {store.limit:,} that it may have"
    count = f"{whole['size']:,} bytes in {store.root}, {room}"
    tell(as_json, lambda: whole, lambda: [*columns([["holds", "number", "bytes"], *rows], right=(1, 2)), "", count])


@cache_app.command("path", epilog=examples("cache path"))
def cache_path(as_json: Json = False) -> None:
    """Tell where the cache is."""
    from rollwise.cache.errors import NO_FOLDER, NOWHERE
    from rollwise.cache.store import Store, StoreError

    path = str(Store().root)
    if path == str(NOWHERE):
        raise StoreError(NO_FOLDER)
    if as_json:
        show_json({"path": path})
    else:
        typer.echo(path)  # on one line, to be pasted


def unfinished_told() -> tuple[list[dict[str, Any]], list[str]]:
    """What killed exports have left, as JSON and in lines."""
    from rollwise.cache.errors import shown
    from rollwise.policy_tables.unfinished import unfinished_exports
    from rollwise.text.layout import columns

    found = unfinished_exports()
    told = [{"holds": "unfinished export", "path": str(path), "size": size} for path, size in found]
    rows = [["file", "bytes left"], *([shown(str(path)), f"{size:,}"] for path, size in found)]
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
    from rollwise.solutions.check import check
    from rollwise.solutions.clear import named
    from rollwise.solutions.listed import FRACTIONS, SOLVED, TURN, UNFINISHED, stores
    from rollwise.text.layout import columns

    words, parameters = what or [], parameters_typed(p)
    places = {holds: store for holds, store in stores().items() if holds in (SOLVED, TURN, FRACTIONS)}
    all_of_it = everything or not (words or parameters)
    chosen = named(words, parameters, places, everything=all_of_it, do="check")
    checked = []
    for holds, store in places.items():
        checked += check(store, [one.key for one in chosen if one.holds == holds != UNFINISHED])
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
    everything: Annotated[bool, typer.Option("--all", help="all solved games, fractions, forecasts and turns")] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="only what other rules or code than those of now made")
    ] = False,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="only what solves that were stopped have left")
    ] = False,
    older_than: Annotated[
        str | None, typer.Option("--older-than", metavar="AGE", help="only what was not used for so long: 30d, 12h, 2w")
    ] = None,
) -> None:
    """Remove solved games with fractions, forecasts and turns: those named, with -p of these parameters; or by key."""
    from rollwise.cache.store import Store
    from rollwise.policy_tables.unfinished import clear_unfinished_exports
    from rollwise.solutions.clear import clear
    from rollwise.text.layout import columns

    removed, freed = clear(
        what or [],
        parameters_typed(p),
        everything=everything,
        stale=stale,
        unfinished=unfinished,
        older_than=older_than,
    )
    freed += clear_unfinished_exports()
    if removed:
        show(columns([[one.key, one.holds, one.line] for one in removed]))
    entries = "1 entry" if len(removed) == 1 else f"{len(removed)} entries"
    typer.echo(f"{entries} removed, {freed:,} bytes freed in {Store().root}")
