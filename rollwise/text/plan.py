"""What a solve will take, in words."""

from __future__ import annotations

from rollwise.answers.plan import SolvePlan
from rollwise.answers.sizes import BYTES, COUNTS, in_thousands, time_in_words


def plan_lines(plan: SolvePlan) -> list[str]:
    """What a solve will take, and whether it is done."""
    boards, room = in_thousands(plan.boards, COUNTS), in_thousands(plan.memory, BYTES)
    if not plan.seconds:
        return [f"{boards} boards, {plan.edges:,} edges a turn: nothing is solved before a question"]
    kept = f"{in_thousands(plan.kept, BYTES)} in the cache"
    done = "it is solved: answers come from the cache" if plan.solved else "it is not solved yet"
    slow = [f"settled slowly: {result}" for result in plan.unrecorded]
    takes = f"{boards} boards, {plan.edges:,} edges a turn: about {time_in_words(plan.seconds)}, {room}, {kept}"
    return [takes, *slow, done]
