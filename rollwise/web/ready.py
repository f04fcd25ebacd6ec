"""Games that are not solved yet: what the play page says of them."""

from __future__ import annotations

from rollwise.cache.errors import StoreError
from rollwise.cache.store import Store
from rollwise.solver.game.errors import BadInput
from rollwise.solver.game.model import TurnGame
from rollwise.solver.kinds import kind_of
from rollwise.stored import identity
from rollwise.web.texts import text


def is_solved(game: TurnGame) -> bool:
    """Is the game ready to be asked, without a solve?"""
    if not kind_of(game).keeps:
        return True
    store = Store()
    try:
        return store.read(store.key(game.name, identity(game))) is not None
    except StoreError:
        return False


def require_solved(game: TurnGame) -> None:
    """Raise BadInput for a game that is not solved yet."""
    if not is_solved(game):
        raise BadInput(text("play.unsolved", game=game.title), hint=f"rollwise solve {game.name}")
