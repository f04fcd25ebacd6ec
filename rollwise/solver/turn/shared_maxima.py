"""Maxima that several choices of a turn have in common, taken once.

Choices are read as words whose letters are their children, and words are made shorter as Re-Pair compresses texts: the
pair of neighbours that most words have becomes a letter of its own, a choice of two, until no pair is in enough words.
Only neighbours are paired, so of equally good children the first is still the first.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush
from itertools import pairwise

Pair = tuple[int, int]


def share(words: list[list[int]], least: int, first_new: int) -> list[Pair]:
    """Shorten the words, none of which has a letter twice; returns the pairs that ``first_new`` and so on stand for.

    A pair becomes a letter where at least so many words have it.
    """
    where: defaultdict[Pair, set[int]] = defaultdict(set)
    for number, word in enumerate(words):
        for pair in pairwise(word):
            where[pair].add(number)
    most = [(-len(having), pair) for pair, having in where.items() if len(having) >= least]
    heapify(most)
    new: list[Pair] = []
    while most:
        count, pair = heappop(most)
        having = where[pair]
        if len(having) != -count:  # others took some of them
            if len(having) >= least:
                heappush(most, (-len(having), pair))
            continue
        letter = first_new + len(new)
        new.append(pair)
        met: set[Pair] = set()
        for number in having:
            word = words[number]
            at = word.index(pair[0])
            if at:
                where[word[at - 1], pair[0]].discard(number)
                met.add((word[at - 1], letter))
                where[word[at - 1], letter].add(number)
            if at + 2 < len(word):
                where[pair[1], word[at + 2]].discard(number)
                met.add((letter, word[at + 2]))
                where[letter, word[at + 2]].add(number)
            word[at : at + 2] = [letter]
        del where[pair]
        for pair in met:
            if len(where[pair]) >= least:
                heappush(most, (-len(where[pair]), pair))
    return new
