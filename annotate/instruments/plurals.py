"""Sentences with a number in them, for scripts."""

from collections.abc import Callable

# A number in each plural category, in the languages that have it (Intl.PluralRules).
SAMPLES = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}


def by_number(say: Callable[[int], str]) -> dict[str, str]:
    """Return the result of `say` for each category, without those that equal "other"."""
    said = {category: say(n) for category, n in SAMPLES.items()}
    return {
        name: words for name, words in said.items() if name == "other" or words != said["other"]
    }
