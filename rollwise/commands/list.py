"""``list``: the games."""

from __future__ import annotations

from rollwise.commands.options import Json, print_answer


def list_command(as_json: Json = False) -> None:
    """List the games."""
    from rollwise.asking.catalogue import list_games
    from rollwise.text.layout import align_columns

    games = list_games()
    rows = [["game", "title", "kind", "source"]]
    rows += [[game["name"], game["title"], game["kind"], game["source_title"]] for game in games]
    print_answer(as_json, lambda: games, lambda: align_columns(rows))
