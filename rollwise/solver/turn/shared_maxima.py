"""Common subexpressions of choices: maxima that several choices of a turn share, computed once.

Choices are words whose letters are their children, shortened as Re-Pair compresses texts (Larsson and Moffat 1999): the
pair of neighbours in most words becomes a letter of its own, a choice of two, until no pair is in enough words. Only
neighbours are paired, so of equally good children the first is still the first.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush
from itertools import pairwise

Pair = tuple[int, int]


def share_pairs(words: list[list[int]], least: int, first_new: int) -> list[Pair]:
    """Shorten words without repeated letters in place; returns the pairs of the new letters ``first_new`` and so on.

    A pair becomes a letter where at least ``least`` words have it.
    """
    words_of_pair: defaultdict[Pair, set[int]] = defaultdict(set)
    for number, word in enumerate(words):
        for pair in pairwise(word):
            words_of_pair[pair].add(number)
    heap = [(-len(numbers), pair) for pair, numbers in words_of_pair.items() if len(numbers) >= least]
    heapify(heap)
    pairs: list[Pair] = []
    while heap:
        count, pair = heappop(heap)
        numbers = words_of_pair[pair]
        if len(numbers) != -count:  # others took some of them
            if len(numbers) >= least:
                heappush(heap, (-len(numbers), pair))
            continue
        letter = first_new + len(pairs)
        pairs.append(pair)
        changed: set[Pair] = set()
        for number in numbers:
            word = words[number]
            place = word.index(pair[0])
            if place:
                words_of_pair[word[place - 1], pair[0]].discard(number)
                changed.add((word[place - 1], letter))
                words_of_pair[word[place - 1], letter].add(number)
            if place + 2 < len(word):
                words_of_pair[pair[1], word[place + 2]].discard(number)
                changed.add((letter, word[place + 2]))
                words_of_pair[letter, word[place + 2]].add(number)
            word[place : place + 2] = [letter]
        del words_of_pair[pair]
        for pair in changed:
            if len(words_of_pair[pair]) >= least:
                heappush(heap, (-len(words_of_pair[pair]), pair))
    return pairs
