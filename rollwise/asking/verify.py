"""``verify``: what the rule sheets state, computed exactly and compared at the precision stated."""

from __future__ import annotations

from pathlib import Path

from rollwise.answers.claims import the_source
from rollwise.games.claims import Claim, Verdict, check, claims, unread
from rollwise.games.registry import REGISTRY, find
from rollwise.parsing.validate import checked
from rollwise.solutions.progress import Progress
from rollwise.solver.model.errors import BadInput


@checked
def verify(
    game: str | None = None,
    *,
    slow: bool = False,
    claims: str | Path | None = None,
    source: str | None = None,
    yes: bool = False,
) -> list[Verdict]:
    """Check every claim, or those of one game, or of one source (its title, or a part of it that no other has).

    A verdict is confirmed, refuted, depends (on a reading) or pending: its game is not there yet, or what was computed
    does not settle it. Claims that need a long solve are left out, unless ``slow`` asks for them too; ``left_out``
    names them. With ``claims`` the rows of a claim sheet of one's own are checked, a TOML file as docs/claims.md has
    it, and all of them: a row that asks solves its game as ``ask`` does, and is pending where that wants ``yes``. Of
    several rows one that is not as it should be is unread: its reading says why, and in which line it stands. A figure
    that is refuted is tried with the other choices of each rule parameter, and its reading names those it holds with.
    Raises UnknownGame for a name that no claim and no game has, UnknownName for such a source, and BadInput for a claim
    sheet that nothing can be read of.

    >>> {row.verdict for row in verify("ten-thousand")}
    {'confirmed'}
    """
    chosen = [claim for claim in _claims(game, claims, source) if slow or not _is_slow(claim)]
    rows: list[Verdict] = []
    with Progress("claims", verb="checking") as progress:
        for claim in chosen:
            progress.share(len(rows) / len(chosen))
            try:
                if claim.fault is not None:
                    raise claim.fault
                rows.append(check(claim))
            except BadInput as error:
                if claims is None or len(chosen) == 1:
                    raise
                rows.append(unread(claim, error))
    return rows


def left_out(game: str | None = None, *, source: str | None = None) -> list[str]:
    """The claims of the rule sheets that are checked only where ``slow`` asks for them.

    >>> left_out("ten-thousand")
    []
    """
    return [claim.id for claim in _claims(game, None, source) if _is_slow(claim)]


def _claims(game: str | None, sheet: str | Path | None, source: str | None) -> list[Claim]:
    """The claims of this game and source, of the rule sheets or of a sheet of one's own."""
    if sheet is None:
        of_game = claims(game)
        every = of_game if source is None else claims(None)
    else:
        from rollwise.asking.claim_sheets import claims_of

        every = claims_of(sheet)
        if game is not None:
            find(game)
        of_game = [claim for claim in every if game in (None, claim.game)]
    if source is None:
        return of_game
    name = the_source(source, {claim.source for claim in every})
    return [claim for claim in of_game if claim.source == name]


def _is_slow(claim: Claim) -> bool:
    """A claim about a game that is not there yet takes no time: it is pending."""
    return claim.slow and claim.game in REGISTRY
