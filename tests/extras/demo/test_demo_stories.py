"""The sample stories are files of a declared form."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from extras.demo import corpus

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
    (choir,) = corpus.read_stories(written(tmp_path))
    drawn = {corpus.fill_slots(choir, Random(seed))["good"] for seed in range(50)}
    assert drawn == {"the three singers", "the five singers", "the seven singers"}


@pytest.mark.parametrize("story", corpus.STORIES, ids=lambda story: story.topic)
def test_every_story_can_be_told(story: corpus.Story) -> None:
    assert min(map(len, (*story.article, *story.summary))) > 0
    assert len(story.article) >= 3
    assert len(story.summary) == 3
    assert len(story.summary[0]) >= 3
    for seed in range(20):
        facts = corpus.fill_slots(story, Random(seed))
        for position in (*story.article, *story.summary):
            for sentence in position:
                assert not set("{}<>|") & set(corpus.render(sentence, facts))
