"""Sentences that are correct and hard to read do not come back (`docs/glossary.md`)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("annotate", "config", "docs", "estimation", "extras", "static", "templates")
FILES = ("README.md", "CONTRIBUTING.md", "Makefile", "docker-compose.yml")
READ = {".py", ".html", ".js", ".css", ".md", ".json", ".txt"}
IN_CODE = (
    "who comes is not surely whom it concerns",
    "a lone giant squeezes nobody",
    "one long break hides nothing",
    "who works on is not locked out",
    "a person's word holds",
    "what is too much waits for the next second",
    "for whoever is done first",
    "nobody may wait for the campaign with that in hand",
    "nothing is read twice or dropped",
    "what is no object is told once",
    "half a character",
    "an unknown one is told beside the field",
    "until when it waits for such a decision",
    "under which name a browser remembers",
    "tells nothing of them",
    "that is not worked on any more",
    "because there is no between",
    "no module is longer than one sitting",
)
ON_PAGES = (
    "not final before",
    "as likely from dice",
    "with great certainty",
    "known once",
    "not told apart",
    "whether it is ahead of another is told by the differences below",
    "whom the intervals speak for",
    "who ends it",
    "a bad one costs little but the saving",
    "nothing is stored until you have seen what it will be",
    "so that no exclusion moves a result unseen",
    "odds for dice against a person",
    "flags surely below",
    "far below the others",
    "this page follows by itself",
    "by themselves",
    "all campaigns of theirs",
    "acts on this campaign",
    ">take it<",
    '"take it"',
    "made {{",
    "others in this study must not have the same",
    "middling",
    "moved by less than its half-width",
    "work is waits for",
    "by 1 people",
    "2.0 judgments",
)
# Names of things, which stay although a word in them is listed.
NAMES = ("overall-middling",)


@pytest.mark.parametrize("phrase", IN_CODE + ON_PAGES)
def test_nothing_is_said_like_this(phrase: str, texts: dict[str, str]) -> None:
    # A sentence may be wrapped, and its second line be a comment or another string.
    words = re.compile(r"""[\s"'#]+""".join(map(re.escape, phrase.split())), re.IGNORECASE)
    assert [name for name, text in texts.items() if words.search(text)] == []


def test_buttons_and_messages_say_correct_not_mend(texts: dict[str, str]) -> None:
    assert [name for name, text in texts.items() if re.search(r"\bMend\b", text)] == []


def test_a_wrapped_sentence_is_found() -> None:
    words = re.compile(r"""[\s"'#]+""".join(["known", "once"]), re.IGNORECASE)
    assert words.search('f"It is known "\n    "once 30 items"')


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return dict(_texts())


def _texts() -> Iterator[tuple[str, str]]:
    for path in _paths():
        text = path.read_text(encoding="utf-8")
        for name in NAMES:
            text = text.replace(name, "")
        yield str(path.relative_to(ROOT)), text


def _paths() -> Iterator[Path]:
    yield from (ROOT / name for name in FILES)
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in READ)
