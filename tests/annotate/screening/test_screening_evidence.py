"""Thin evidence: three ways, counted in judgments."""

import numpy as np
import pytest

from annotate.screening import Highlights, Settings, run
from annotate.screening.edits import THIN_EVIDENCE
from tests.annotate.screening.columns import columns, verdict

WORDS = 40


def campaign(rows):
    """rows: (annotator, output, {paragraph: (tokens, length)}); every verdict is +1."""
    verdicts = np.full((len(rows), 3), 0.0)
    judgment, paragraph, tokens, length = [], [], [], []
    for t, (_, _, marks) in enumerate(rows):
        for p, (words, size) in marks.items():
            verdicts[t, p] = 1
            judgment.append(t)
            paragraph.append(p)
            tokens.append(frozenset(words))
            length.append(size)
    whole = [np.array(one, dtype=np.int64) for one in (judgment, paragraph, length)]
    found = Highlights(*whole[:2], tokens, whole[2])
    return columns(
        [row[0] for row in rows],
        output=np.array([row[1] for row in rows]),
        plausible=np.ones(len(rows)),
        verdicts=verdicts,
        highlights=found,
    )


def alone(marks, n):
    """Person 1 with these highlights on `n` outputs, and person 0 on another output."""
    return campaign([(0, 99, {0: (range(8), WORDS)}), *((1, k, marks) for k in range(n))])


def of_one(found):
    return verdict(THIN_EVIDENCE, found, 1, Settings())


@pytest.mark.parametrize(("n", "fires"), [(6, False), (7, True)])
@pytest.mark.parametrize(
    ("way", "tokens"), [("one_word", [3]), ("whole", range(WORDS)), ("whole", range(36))]
)
def test_always_one_word_or_all_of_it(way, tokens, n, fires):
    found = of_one(alone({0: (tokens, WORDS)}, n))
    assert found.flagged is fires
    assert found.numbers[way] == 1


def test_two_words_or_most_of_it_are_not_thin():
    for tokens in ([3, 4], range(35)):
        assert of_one(alone({0: (tokens, WORDS)}, 20)).value == 0


def test_a_short_paragraph_may_be_highlighted_whole():
    found = of_one(alone({0: (range(19), 19)}, 20))
    assert found.numbers["whole"] is None
    assert not found.flagged


def test_many_highlights_of_one_judgment_count_once():
    found = of_one(alone({p: ([3], WORDS) for p in range(3)}, 6))
    assert (found.n, found.flagged) == (6, False)


def test_a_judgment_is_thin_if_more_than_half_of_its_highlights_are():
    half = {0: ([3], WORDS), 1: (range(8), WORDS)}
    assert of_one(alone(half, 20)).value == 0
    assert of_one(alone({**half, 2: ([1], WORDS)}, 20)).value == 1


def shared(mine, n, verdict_of_one=1):
    rows = [(who, k, {0: (tokens, WORDS)}) for k in range(n) for who, tokens in enumerate(mine)]
    found = campaign(rows)
    assert found.verdicts is not None
    found.verdicts[found.annotator == 1, 0] = verdict_of_one
    return found


def test_words_that_nobody_else_chose():
    found = shared([range(5), range(20, 25), range(4, 9)], 7)
    one, other = of_one(found), verdict(THIN_EVIDENCE, found, 2, Settings())
    assert (one.numbers["disjoint"], one.flagged) == (1, True)
    assert (other.numbers["disjoint"], other.flagged) == (0, False)


def test_a_common_word_is_enough():
    assert of_one(shared([range(5), range(4, 9)], 9)).numbers["disjoint"] == 0


def test_evidence_for_the_opposite_verdict_is_not_compared():
    assert (
        of_one(shared([range(5), range(20, 25)], 9, verdict_of_one=-1)).numbers["disjoint"] is None
    )


def test_a_campaign_without_highlights_has_not_enough():
    found = run(THIN_EVIDENCE, columns([0, 1]), Settings())
    assert [v.enough for v in found] == [False, False]
