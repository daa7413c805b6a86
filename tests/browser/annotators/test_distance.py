"""What the page says of an edit while it is typed: the distance that the server stores."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from estimation.metrics import levenshtein
from tests.browser.annotators.kinds_of_text import CODE, LONG, RIGHT_TO_LEFT, TABLE
from tests.browser.annotators.tasks import choose, see_task
from tests.browser.annotators.test_text_layout import at_work, rated

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DISTANCES = """async (pairs) => {
  const { distance } = await import("/static/js/distance.js");
  return pairs.map(([a, b]) => distance(a, b));
}"""
LETTERS = [
    "a",
    "b",
    "c",
    " ",
    "\n",
    "\t",
    "é",
    "e\u0301",
    "語",
    "👩‍👩‍👧",
    "\u200b",
    "\r\n",
    "ß",
    ".",
]


def pairs(rng: random.Random) -> list[tuple[str, str]]:
    """Texts of every length around the 32 characters that are compared at once, and long ones."""
    made = [("", ""), ("", "a"), ("a", ""), ("kitten", "sitting"), (CODE, TABLE), (LONG, LONG)]
    for length in [*range(1, 8), *range(30, 36), *range(62, 68), 95, 97, 130, 200]:
        for letters in (LETTERS, LETTERS[:2]):
            one, other = (rng.choices(letters, k=n) for n in (length, rng.randint(0, 140)))
            made.append(("".join(one), "".join(other)))
    for text in (CODE, RIGHT_TO_LEFT, LONG[:3000]):
        words = text.split(" ")
        rng.shuffle(words)
        made += [(text, " ".join(words)), (text, f"x{text}x"), (text, text[::-1])]
    return made


@pytest.mark.parametrize("seed", range(8))
def test_both_sides_find_the_same_distance(page: Page, live_server: Any, seed: int) -> None:
    page.goto(f"{live_server.url}/login/")
    texts = pairs(random.Random(seed))
    found = page.evaluate(DISTANCES, texts)
    assert found == [levenshtein(*pair) for pair in texts]


def test_an_edit_of_a_long_text_is_shown_word_by_word(page: Page, live_server: Any) -> None:
    """3,000 words, changed at both ends and in between."""
    at_work(page, live_server, rated(LONG))
    see_task(page, 1)
    choose(page, fluency=1, redundancy=0, overall=0)
    changed = f"Now: {LONG.replace('two hours', '2 h')} End."
    page.fill("#edit", changed)
    said = f"{levenshtein(LONG, changed)} characters changed"
    expect(page.locator("#edit-distance")).to_have_text(said)
    expect(page.locator("#edit-diff ins")).to_have_count(102)
    assert "".join(page.locator("#edit-diff del").all_inner_texts()).count("two hours") == 100


def test_the_page_cuts_words_as_the_server_does(page: Page, live_server: Any) -> None:
    cases = json.loads((Path(__file__).parents[2] / "words.json").read_text())
    page.goto(f"{live_server.url}/login/")
    found = page.evaluate(
        """async (texts) => {
          const { words } = await import("/static/js/word_diff.js");
          return texts.map(words);
        }""",
        [case["text"] for case in cases],
    )
    assert found == [case["words"] for case in cases]
