"""Large numbers, bytes and times to two digits."""

from __future__ import annotations

COUNTS = ("", " thousand", " million", " billion", " trillion")
BYTES = (" bytes", " KB", " MB", " GB", " TB", " PB")
TIMES = ((60, "second"), (60, "minute"), (24, "hour"), (365, "day"))  # number of each that make one of the next


def in_thousands(number: float, names: tuple[str, ...]) -> str:
    """A number to two digits, with the name of its power of a thousand.

    >>> in_thousands(7, COUNTS), in_thousands(8_120_601, COUNTS), in_thousands(5.6e19, COUNTS)
    ('7', '8.1 million', '5.6e19')
    >>> in_thousands(999_999, BYTES), in_thousands(3e17, BYTES)
    ('1.0 MB', '300 PB')
    """
    rank = 0
    short = whole = float(f"{number:.2g}")
    while short >= 1000 and rank < len(names) - 1:
        short, rank = short / 1000, rank + 1
    if short >= 1000:
        return f"{whole:.1e}".replace("e+", "e") + names[0]
    return f"{short:.1f}{names[rank]}" if short < 10 and rank else f"{short:.0f}{names[rank]}"


def time_in_words(seconds: float) -> str:
    """Seconds to two digits, as minutes, hours, days or years where they are many.

    >>> time_in_words(0.2), time_in_words(59), time_in_words(3603), time_in_words(4000), time_in_words(86400 * 3)
    ('a second', '59 seconds', 'an hour', '1.1 hours', '3 days')
    >>> time_in_words(3e12), time_in_words(3e15)
    ('95 thousand years', '95 million years')
    """
    number, unit = seconds, "year"
    for many, name in TIMES:
        if number < many:
            unit = name
            break
        number /= many
    if float(f"{number:.2g}") <= 1:  # only seconds are fewer than one
        return f"{'an' if unit == 'hour' else 'a'} {unit}"
    return f"{number:.2g} {unit}s" if number < 100 else f"{in_thousands(number, COUNTS)} {unit}s"
