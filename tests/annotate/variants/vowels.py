"""A metric of no use: the vowels of a text."""

from estimation.metrics import Metric


def vowels(text: str) -> float:
    return float(sum(letter in "aeiou" for letter in text))


VOWELS = Metric(
    name="vowels",
    version="1",
    needs="nothing",
    description="Letters a, e, i, o and u, from 0 up.",
    higher_is_better=None,
    function=vowels,
)
