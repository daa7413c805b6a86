"""The sample stories are files of a declared form."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from extras.demo import story

SAID = ["The {place} choir sang {n} songs.", "In {place}, {n} songs.", "<It|The choir> sang {n}."]
GOOD: dict[str, Any] = {
    "topic": "choir",
    "slots": {"n": {"from": 3, "below": 9, "step": 2}, "good": ["the {n} singers"]},
    "article": [SAID, ["It was for {good}."], ["{person} was there."]],
    "summary": [SAID, ["{she} sang."], ["All of it."]],
}


def written(folder: Path, **changed: Any) -> Path:
    (folder / "01-choir.json").write_text(json.dumps(GOOD | changed))
    return folder


def test_a_story_is_read_and_its_gaps_are_filled(tmp_path: Path) -> None:
    (choir,) = story.read_stories(written(tmp_path))
    drawn = {story.fill_slots(choir, Random(seed))["good"] for seed in range(50)}
    assert drawn == {"the three singers", "the five singers", "the seven singers"}


def test_stories_come_in_the_order_of_their_files(tmp_path: Path) -> None:
    for name, topic in (("02-b", "b"), ("10-c", "c"), ("01-z", "z")):
        (tmp_path / f"{name}.json").write_text(json.dumps(GOOD | {"topic": topic}))
    assert [one.topic for one in story.read_stories(tmp_path)] == ["z", "b", "c"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"summary": [SAID, ["{nobody} sang."], ["All."]]}, "nothing fills the gap {nobody}"),
        ({"slots": {"n": {"from": 3, "below": 9}, "good": ["{later}"], "later": ["x"]}}, "later"),
        ({"article": [SAID, ["{n:>9}"], ["x"]]}, "nothing fills the gap"),
        ({"article": [SAID, ["{n.real}"], ["x"]]}, "nothing fills the gap"),
        ({"article": [SAID, ["{n"], ["x"]]}, "expected '}'"),
        ({"article": [SAID, [], ["x"]]}, "article.1"),
        ({"article": [SAID, ["  "], ["x"]]}, "article.1.0"),
        ({"article": [SAID]}, "article"),
        ({"summary": [SAID[:2], ["x"], ["x"]]}, "summary.0"),
        ({"summary": [SAID, ["x"]]}, "summary.2"),
        ({"slots": {"n": {"from": 9, "below": 9}, "good": ["x"]}}, "no number from 9 below 9"),
        ({"slots": {"n": {"from": 3, "below": 9, "step": 0}, "good": ["x"]}}, "slots.n"),
        ({"slots": {"n": {"from": "3", "below": 9}, "good": ["x"]}}, "slots.n"),
        ({"title": "more"}, "title"),
    ],
)
def test_a_file_of_another_form_is_refused(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError) as refused:
        story.read_stories(written(tmp_path, **changed))
    assert said in str(refused.value)
    assert refused.value.__notes__ == [f"In the file {tmp_path / '01-choir.json'}."]


def test_two_stories_have_two_topics(tmp_path: Path) -> None:
    (written(tmp_path) / "02-again.json").write_text(json.dumps(GOOD))
    with pytest.raises(ValueError, match="two stories have the topic choir"):
        story.read_stories(tmp_path)


def test_every_file_is_named_after_its_topic() -> None:
    files = [path.stem.partition("-")[2] for path in sorted(story.TEXTS.iterdir())]
    assert files == [one.topic for one in story.read_stories()]
