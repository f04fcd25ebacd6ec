"""The plan of a solve in words: boards, time and memory."""

from __future__ import annotations

from rollwise.answers.plan import SolvePlan
from rollwise.answers.sizes import BYTES, COUNTS, in_thousands, time_in_words


def plan_lines(plan: SolvePlan) -> list[str]:
    """The cost of a solve, and whether it is done."""
    boards, memory = in_thousands(plan.boards, COUNTS), in_thousands(plan.memory, BYTES)
    if not plan.seconds:
        return [f"{boards} boards, {plan.edges:,} edges a turn: nothing is solved in advance"]
    disk = f"{in_thousands(plan.kept, BYTES)} in the cache"
    done = "it is solved: answers come from the cache" if plan.solved else "it is not solved yet"
    slow = [f"slow transition: {result}" for result in plan.unrecorded]
    takes = f"{boards} boards, {plan.edges:,} edges a turn: about {time_in_words(plan.seconds)}, {memory}, {disk}"
    return [takes, *slow, done]
