"""Pages of a server that solves nothing, opened as a browser without script does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient

import rollwise
from rollwise.web.app import make_app
from rollwise.web.settings import Settings
from tests.web.reading import Page


@contextmanager
def served(solved: Mapping[str, Mapping[str, Any]]) -> Iterator[TestClient]:
    """The page; these games are solved, and no others. A redirect is not followed."""
    with TestClient(
        make_app(Settings(allow_solve="none")), base_url="http://localhost:8606", follow_redirects=False
    ) as client:
        for name, parameters in solved.items():
            rollwise.solve(name, parameters)
        yield client


def opened(pages: TestClient, where: str, status: int = 200, **headers: str) -> Page:
    """A page that is whole; with headers, a part of one."""
    answer = pages.get(where, headers=headers)
    assert answer.status_code == status, answer.text[:300]
    page = Page(answer.text)
    if not headers:
        page.require_sound()
    return page
