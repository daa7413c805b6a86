"""Bots that guess, and bots that remember, do not pass the built-in tutorials."""

import pytest
from scipy.stats import binom

from annotate.instruments import registry
from tests.annotate.studies.tutorial_bots import all_of, passes

TRIES = 40
# Bots that pass one time in a hundred pass more often than this once in 10,000 runs of the test.
MOST = int(binom.ppf(1 - 1e-4, TRIES, 0.01))


@pytest.mark.slow
@pytest.mark.parametrize("key", ["language_quality", "answer_correctness", "preference"])
@pytest.mark.parametrize("language", ["en", "de"])
def test_few_bots_pass(key: str, language: str) -> None:
    tutorial = registry.get(key).tutorial(language)
    assert tutorial is not None
    for bot in all_of(tutorial, seed=3, accounts=60):
        passed = sum(passes(tutorial, bot, f"try {n}") for n in range(TRIES))
        assert passed <= MOST, bot.name
