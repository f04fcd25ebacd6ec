"""``list``: the games."""

from __future__ import annotations

from rollwise.commands.options import Json, tell


def list_command(as_json: Json = False) -> None:
    """List the games."""
    from rollwise.asking.catalogue import list_games
    from rollwise.text.layout import columns

    games = list_games()
    rows = [["game", "title", "kind", "source"]]
    rows += [[game["name"], game["title"], game["kind"], game["source_title"]] for game in games]
    tell(as_json, lambda: games, lambda: columns(rows))
