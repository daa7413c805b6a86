"""Sentences with a number in them, for scripts."""

# A number that falls into each plural category, in the languages that have it (Intl.PluralRules).
SAMPLES = {"zero": 0, "one": 1, "two": 2, "few": 3, "many": 11, "other": 100}
