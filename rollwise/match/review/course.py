"""How a game went: what every seat had, noted line by line while a record is gone through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rollwise.answers.review import Moment
from rollwise.match.review.places import Place
from rollwise.match.review.walking import Walk
from rollwise.solver.kinds.kind import Report


class Course:
    """The moments of a walk; ``lines`` are those of the record that are played, in their order."""

    def __init__(self, walk: Walk, lines: Sequence[tuple[Place, Any]]) -> None:
        self.moments: list[Moment] = []
        self._walk, self._lines, self._read = walk, lines, 0

    def heard(self, report: Report) -> Report:
        """A report that is told before each line, and notes what the line before it came to."""

        def told(share: float) -> None:
            self.note(self._lines[self._read - 1][0].line if self._read else 0)
            self._read += 1
            report(share)

        return told

    def note(self, line: int) -> None:
        """This line is done."""
        seats = self._walk.known
        if self._walk.begun and not self.moments:  # a game of luck begins with the line of its first throw
            self.moments.append(Moment(0, self._walk.first))
        if seats is not None and (not self.moments or self.moments[-1].seats != tuple(seats)):
            self.moments.append(Moment(line, tuple(seats)))
