"""Check an exported policy with code that shares nothing with rollwise: the rules stand here a second time.

    rollwise export pig -o pig.csv && python scripts/checker.py pig.csv

It reads a CSV file of Pig, of Ten Thousand alone (``objective=turns``), of Shut the Box alone, or of Yahtzee's last
levels (``--levels 11-12``), and needs the standard library only. From what the rows at which a turn begins say of
their states, that turn is played back once, in whole numbers: with the moves that the table calls best it brings at
least ``lower``, with any moves at most ``upper``, at every row. Each state that comes up has a row, and no way of
playing goes on for ever. So the true values lie between the bounds: that holds of n turns played like this, for any
n, and the chance that more are needed goes to 0. Where low is good the two sides are exchanged.
"""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import ceil, factorial, floor, prod
from typing import Any, NamedTuple

ONE = 1 << 200  # bounds are whole numbers of 1 / ONE; what no double says so is rounded outwards
Faces = tuple[int, ...]
State = Any  # hashable, whatever a game makes of a row; None: the end. One that begins with THROW has no row
Moves = dict[str, list[tuple[int, int, State]]]  # by name: in so many ways, what is earned at once, and what follows
THROW = "throw"


class Rules(NamedTuple):
    """A game: the state that a row is about, the moves there, and which rows there must be."""

    state: Callable[[dict[str, str]], tuple[State, int]]  # and what the row's value counts and is in hand already
    moves: Callable[[State], Moves]
    begins: Callable[[Iterable[State]], set[State]]  # where play begins, if these are the rows
    turn_begins: Callable[[State], bool]
    progress: Callable[[State], int]  # goes up, on the whole: for speed alone
    low: bool = False  # low values are good
    duel: bool = False  # at the beginning of a turn the other player moves: to this one it is worth 1 less its value


class Wrong(Exception):
    """The table does not show what it says."""


@cache
def throws(dice: int) -> list[tuple[int, Faces]]:
    """Every throw of so many dice, sorted, with the number of ways to it."""
    every = combinations_with_replacement(range(1, 7), dice)
    return [(factorial(dice) // prod(map(factorial, Counter(faces).values())), faces) for faces in every]


@cache
def numbers(text: str) -> Faces:
    """Faces or boxes, as the table writes them."""
    return tuple(map(int, text.strip("[]").replace(",", " ").split()))


def shown(faces: Faces) -> str:
    """The same, as moves write them."""
    return " ".join(map(str, faces))


# --- the rules a second time -----------------------------------------------------------------------------------


def pig(target: str) -> Rules:
    """(mine, theirs, turn): hold, or throw once more, and a 1 loses the turn; at least one throw a turn."""
    goal = int(target)

    def moves(state: State) -> Moves:
        mine, theirs, turn = state
        on = [turn + face for face in range(2, 7)]  # with enough nobody goes on
        safe = [(1, 1, None) if mine + now >= goal else (1, 0, (mine, theirs, now)) for now in on]
        hold = (1, 1, None) if mine + turn >= goal else (1, 0, (theirs, mine + turn, 0))
        return {"roll": [(1, 0, (theirs, mine, 0)), *safe]} | ({"hold": [hold]} if turn else {})

    def state(row: dict[str, str]) -> tuple[State, int]:
        return (int(row["mine"]), int(row["theirs"]), int(row["turn"])), 0

    return Rules(state, moves, lambda _: {(0, 0, 0)}, lambda s: not s[2], lambda s: s[0] + s[1], duel=True)


def ten_thousand(goal: str, players: str, objective: str) -> Rules:
    """(mine, turn, dice, roll): how many turns it takes alone; each costs 1 where it ends."""
    if (players, objective) != ("1", "turns"):
        raise Wrong("of ten-thousand this checks players=1 objective=turns")

    def worth(face: int, n: int) -> int:
        return n // 3 * (1000 if face == 1 else 100 * face) + n % 3 * {1: 100, 5: 50}.get(face, 0)

    @cache
    def keeps(roll: Faces) -> list[tuple[str, int, int]]:
        ways = {kept: Counter(kept) for n in range(1, len(roll) + 1) for kept in combinations(roll, n)}
        good = {kept: n for kept, n in ways.items() if all(face in (1, 5) or n[face] % 3 == 0 for face in n)}
        points = {kept: sum(worth(face, n[face]) for face in n) for kept, n in good.items()}
        return [(f"keep {shown(kept)} for {won}", len(kept), won) for kept, won in points.items()]

    def moves(state: State) -> Moves:
        mine, turn, dice, roll = state
        if roll:
            on = {name: (turn + won, len(roll) - n or 6) for name, n, won in keeps(roll)}
            return {m: bank(now[0]) if now[0] >= int(goal) else [(1, 0, (mine, *now, ()))] for m, now in on.items()}
        thrown = [(n, 0, (mine, turn, 0, r)) if keeps(r) else (n, 1, (mine, 0, 6, ())) for n, r in throws(dice)]
        return {"roll": thrown} | ({"stop": bank(mine + turn)} if turn else {})

    def bank(points: int) -> list[tuple[int, int, State]]:  # with the goal itself nobody goes on
        return [(1, 1, None if points >= int(goal) else (points, 0, 6, ()))]

    def state(row: dict[str, str]) -> tuple[State, int]:
        return (int(row["mine"]), int(row["turn"]), int(row["dice"] or 0), numbers(row["roll"])), 0

    start = (0, 6, ())
    return Rules(state, moves, lambda _: {(0, *start)}, lambda s: s[1:] == start, lambda s: s[0], low=True)


def shut_the_box(players: str, variant: str, objective: str) -> Rules:
    """(open, roll): a roll shuts its sum or both its dice, one die its own box; what is open at the end counts."""
    if (players, variant, objective) != ("1", "basic", "score"):
        raise Wrong("of shut-the-box this checks players=1 variant=basic objective=score")

    def fitting(open: Faces, roll: Faces) -> list[Faces]:
        ways = [roll] * (len(set(roll)) == len(roll)) + [(sum(roll),)] * (max(open) > 6)
        return [shut for shut in ways if set(shut) <= set(open)]

    def moves(state: State) -> Moves:
        open, roll = state
        if roll:
            left = {shut: tuple(box for box in open if box not in shut) for shut in fitting(open, roll)}
            return {f"shut {shown(shut)}": [(1, 0, (now, ()) if now else None)] for shut, now in left.items()}
        thrown = {
            d: [(n, 0, (open, r)) if fitting(open, r) else (n, sum(open), None) for n, r in throws(d)] for d in (1, 2)
        }
        return {"roll": thrown[2]} if max(open) > 6 else {"one die": thrown[1], "two dice": thrown[2]}

    def state(row: dict[str, str]) -> tuple[State, int]:
        return (numbers(row["open"]), numbers(row["roll"])), 0

    first = (tuple(range(1, 10)), ())
    return Rules(state, moves, lambda _: {first}, lambda s: s == first, lambda s: -len(s[0]), low=True)


UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight", "yahtzee", "chance")
STRAIGHTS = {"small straight": (30, ("1234", "2345", "3456")), "large straight": (40, ("12345", "23456"))}


def yahtzee(joker: str, objective: str = "score") -> Rules:
    """(roll, throws left, filled, lacks, fifty): what the number boxes lack for the bonus; 0: it is decided."""
    if objective != "score":
        raise Wrong("of yahtzee this checks objective=score")

    @cache
    def sums(boxes: frozenset[str]) -> set[int]:
        """What these number boxes can hold together."""
        each = (range(0, 5 * face + 1, face) for face, box in enumerate(UPPER, 1) if box in boxes)
        return {sum(points) for points in product(*each)}

    @cache
    def lacking(filled: frozenset[str], lacks: int) -> int:
        """Sheets go on alike if the same sums earn the bonus: the least of these, 0 for none."""
        return min((points for points in sums(frozenset(UPPER) - filled) if points >= lacks > 0), default=0)

    def state(row: dict[str, str]) -> tuple[State, int]:
        holds = {box: int(won) for box, won in (part.split(":") for part in row["filled"].split(",") if part)}
        lacks = lacking(filled := frozenset(holds), 63 - sum(holds.get(box, 0) for box in UPPER))
        turn = numbers(row["roll"]), int(row["rolls_left"] or 3)
        return (*turn, filled, lacks, holds.get("yahtzee") == 50), sum(holds.values())

    @cache
    def points(box: str, roll: Faces, joker: bool) -> int:
        most, run = sorted(Counter(roll).values()), "".join(map(str, sorted(set(roll))))
        if box in UPPER:
            return (UPPER.index(box) + 1) * roll.count(UPPER.index(box) + 1)
        if box in STRAIGHTS:
            return STRAIGHTS[box][0] * (joker or any(part in run for part in STRAIGHTS[box][1]))
        if box == "full house":
            return 25 * (joker or most == [2, 3])
        alike = {"three of a kind": 3, "four of a kind": 4, "yahtzee": 5, "chance": 1}[box]
        return (50 if box == "yahtzee" else sum(roll)) * (most[-1] >= alike)

    @cache
    def scores(roll: Faces, filled: frozenset[str], fifty: bool) -> list[tuple[str, int, int]]:
        """The boxes that may be filled, what they score, and the hundred for a further yahtzee."""
        own, open = UPPER[roll[0] - 1], [box for box in UPPER + LOWER if box not in filled]
        further = len(set(roll)) == 1 and "yahtzee" in filled
        if further and joker == "forced":
            open = [own] if own in open else [box for box in open if box in LOWER] or open
        return [(box, points(box, roll, further and own in filled), 100 * (further and fifty)) for box in open]

    @cache
    def keeps(roll: Faces) -> dict[str, Faces]:
        return {f"keep {shown(kept) or 'nothing'}": kept for n in range(5) for kept in combinations(roll, n)}

    def moves(state: State) -> Moves:
        if state[0] == THROW:
            _, kept, left, *board = state
            return {"": [(n, 0, (tuple(sorted(kept + new)), left, *board)) for n, new in throws(5 - len(kept))]}
        roll, left, *board = state
        again = (keeps(roll) if roll else {"roll": ()}) if left else {}
        thrown: Moves = {name: [(1, 0, (THROW, kept, left - 1, *board))] for name, kept in again.items()}
        filled, lacks, fifty = board
        for box, won, further in scores(roll, filled, fifty) if roll else ():
            now, upper = filled | {box}, won * (box in UPPER)
            bonus = 35 * (0 < lacks <= upper)
            after = ((), 3, now, lacking(now, lacks - upper), fifty or (box == "yahtzee" and won > 0))
            thrown[f"score {box}"] = [(1, won + further + bonus, None if len(now) == 13 else after)]
        return thrown

    def begins(rows: Iterable[State]) -> set[State]:
        """Every sheet with the fewest filled boxes of the table."""
        every = list(map(frozenset, combinations(UPPER + LOWER, min(len(state[2]) for state in rows))))
        lacks = {filled: {lacking(filled, 63 - has) for has in sums(filled)} for filled in every}
        return {((), 3, f, n, fifty) for f in every for n in lacks[f] for fifty in {False, "yahtzee" in f}}

    return Rules(state, moves, begins, lambda s: not s[0], lambda s: len(s[-3]))


# --- the proof -------------------------------------------------------------------------------------------------

Game = Callable[..., Rules]
GAMES: dict[str, Game] = {"pig": pig, "ten-thousand": ten_thousand, "shut-the-box": shut_the_box, "yahtzee": yahtzee}


def check(path: str) -> str:
    """What is shown, in a line; raises Wrong where the table does not show it."""
    said: dict[State, tuple[int, int, str, int]] = {}
    game = ""
    with open(path, encoding="utf-8", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), 2):
            if not game:
                name, *parameters = (game := row["game"]).split(" ")
                if name not in GAMES:
                    raise Wrong(f"{name} is not checked here, but {', '.join(GAMES)}")
                rules = GAMES[name](**dict(part.split("=", 1) for part in parameters))
            (state, has), bounds = rules.state(row), [float(row[column]) for column in ("lower", "value", "upper")]
            if bounds != sorted(bounds) or state in said or row["game"] != game:
                raise Wrong(f"line {line}: a value outside of its bounds, a state told twice, or another game")
            moves = rules.moves(state)
            if set(row["moves"].split("|")) != set(moves) or row["best_move"] not in moves:
                raise Wrong(f"line {line}: the moves are {', '.join(moves)}")
            least, most = floor(bounds[0] * ONE) - has * ONE, ceil(bounds[2] * ONE) - has * ONE
            said[state] = least, most, sys.intern(row["best_move"]), line
    if not said:
        raise Wrong("it has no rows")
    if missing := rules.begins(said) - said.keys():
        raise Wrong(f"no row of {missing.pop()}, where play begins")

    played: dict[State, tuple[int, int]] = {}

    def worth(state: State) -> tuple[int, int]:
        """What a state that follows is worth, at least and at most: as the table says where a turn begins."""
        if state is None:
            return 0, 0
        if state not in said and state[0] != THROW:
            raise Wrong(f"no row of {state}, to which a move leads")
        if not rules.turn_begins(state):
            return played[state] if state in played else play(state)
        least, most = said[state][:2]
        return (ONE - most, ONE - least) if rules.duel else (least, most)

    def play(state: State) -> tuple[int, int]:
        """What the turn brings from here, at least with the table's best moves, and at most with any."""
        bounds = {}
        for move, ways in rules.moves(state).items():
            low = high = 0
            for n, earned, after in ways:
                least, most = worth(after)
                low, high = low + n * (earned * ONE + least), high + n * (earned * ONE + most)
            total = sum(n for n, _, _ in ways)
            bounds[move] = low // total, -(-high // total)
        lows, highs = zip(*bounds.values(), strict=True)
        lower, upper, best, line = said.get(state, (min(lows), max(highs), "", 0))
        low, high = (min(lows), bounds[best][1]) if rules.low else (bounds[best][0], max(highs))
        if not lower <= low <= high <= upper:
            raise Wrong(f"line {line}: the turn does not bring what the bounds say")
        played[state] = low, high
        return low, high

    for state in said:
        if state not in played:
            play(state)
    check_end(rules, sorted(played, key=rules.progress, reverse=True))
    return f"{len(said):,} rows of {game}: all bounds hold"


def check_end(rules: Rules, states: list[State]) -> None:
    """Take out, again and again, states where every move may lead out: where all are out, all play ends."""
    inside = set(states)
    while inside:
        before = len(inside)
        for state in states:
            if all(any(after not in inside for _, _, after in ways) for ways in rules.moves(state).values()):
                inside.discard(state)
        if len(inside) == before:
            raise Wrong(f"play may go on for ever from {inside.pop()}")
        states = [state for state in states if state in inside]


if __name__ == "__main__":
    sys.setrecursionlimit(20_000)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", help="a CSV file that rollwise exported")
    path = parser.parse_args().table
    try:
        print(check(path))
    except (Wrong, OSError, ArithmeticError, LookupError, ValueError, TypeError) as error:
        sys.exit(f"{path}: {error if isinstance(error, Wrong) else repr(error)}")
