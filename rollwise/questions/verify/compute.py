"""``verify``: the claims of rule sheets, computed exactly and compared at the precision stated."""

from __future__ import annotations

from pathlib import Path

from rollwise.arguments import check_arguments
from rollwise.games.claims import Claim, Verdict, check, claims, unread_verdict
from rollwise.games.registry import REGISTRY, find
from rollwise.questions.verify.data import match_source
from rollwise.solutions.progress import Progress
from rollwise.solver.model.errors import BadInput


@check_arguments
def verify(
    game: str | None = None,
    *,
    slow: bool = False,
    claims: str | Path | None = None,
    source: str | None = None,
    yes: bool = False,
) -> list[Verdict]:
    """Check every claim, or those of one game, or of one source (its title, or a part of it that no other has).

    A verdict is confirmed, refuted, depends (on a reading) or pending: its game does not exist yet, or the bounds do
    not settle it. Claims that need a long solve are left out unless ``slow`` is set; ``left_out`` names them. With
    ``claims`` the rows of your own claim sheet are checked, all of them: a TOML file as in docs/claims.md. A row with a
    question solves its game as ``ask`` does, and is pending where that needs ``yes``. A faulty row among several is
    unread: its reading has the reason and the line. A refuted figure is tried with the other choices of each rule
    parameter, and its reading names those under which it holds. Raises UnknownGame for an unknown game, UnknownName for
    an unknown source, and BadInput for a claim sheet that cannot be read.

    >>> {row.verdict for row in verify("ten-thousand")}
    {'confirmed'}
    """
    selected = [claim for claim in _claims(game, claims, source) if slow or not _is_slow(claim)]
    rows: list[Verdict] = []
    with Progress("claims", verb="checking") as progress:
        for claim in selected:
            progress.share(len(rows) / len(selected))
            try:
                if claim.fault is not None:
                    raise claim.fault
                rows.append(check(claim))
            except BadInput as error:
                if claims is None or len(selected) == 1:
                    raise
                rows.append(unread_verdict(claim, error))
    return rows


def left_out(game: str | None = None, *, source: str | None = None) -> list[str]:
    """The claims of the rule sheets that are checked only with ``slow``.

    >>> left_out("ten-thousand")
    []
    """
    return [claim.id for claim in _claims(game, None, source) if _is_slow(claim)]


def _claims(game: str | None, sheet: str | Path | None, source: str | None) -> list[Claim]:
    """The claims of this game and source, from the rule sheets or from a user's sheet."""
    if sheet is None:
        of_game = claims(game)
        all_claims = of_game if source is None else claims(None)
    else:
        from rollwise.questions.verify.claim_sheets import claims_of

        all_claims = claims_of(sheet)
        if game is not None:
            find(game)
        of_game = [claim for claim in all_claims if game in (None, claim.game)]
    if source is None:
        return of_game
    name = match_source(source, {claim.source for claim in all_claims})
    return [claim for claim in of_game if claim.source == name]


def _is_slow(claim: Claim) -> bool:
    """True if checking needs a long solve; a claim about a missing game is pending at once."""
    return claim.slow and claim.game in REGISTRY
