"""Highlights as a browser sends them: what is refused, and what merging keeps."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.instruments import base as instruments_base

TEXT = "The 👩‍👩‍👧 café́ opened in 1913, on a market day."
LETTERS = st.sampled_from("ab \u00a0\n\u3000.é́👩‍مש")
PIECES = st.text(LETTERS, min_size=1, max_size=20)


def sent(start: int, end: int, text: str = TEXT) -> dict[str, object]:
    return {"start": start, "end": end, "text": text[start:end]}


@st.composite
def text_and_spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(PIECES)
    ends = st.tuples(*[st.integers(0, len(text))] * 2).filter(lambda pair: pair[0] < pair[1])
    return text, draw(st.lists(ends, max_size=6))


def covered(some: list[list[int]]) -> set[int]:
    return {at for start, end in some for at in range(start, end)}


@pytest.mark.slow
@given(text_and_spans())
def test_merging_adds_nothing_but_space_and_leaves_words_between(case):
    text, given_ = case
    merged = instruments_base.merge(given_, text)
    added = covered(merged) - covered([list(one) for one in given_])
    assert covered([list(one) for one in given_]) <= covered(merged)
    assert not "".join(text[at] for at in added).strip()
    for (_start, end), (start, _end) in pairwise(merged):
        assert text[end:start].strip()


@pytest.mark.slow
@given(text_and_spans())
def test_what_was_sent_rightly_is_read_as_it_is_merged(case):
    text, given_ = case
    words = [(start, end) for start, end in given_ if text[start:end].strip()]
    read = instruments_base.read_spans([sent(start, end, text) for start, end in words], text)
    assert read == instruments_base.merge(words, text)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(0, 3), (2, 9)], [[0, 9]]),
        ([(0, 3), (3, 9)], [[0, 9]]),
        ([(0, 3), (4, 9)], [[0, 9]]),  # a space between them
        ([(0, 9), (2, 3)], [[0, 9]]),
        ([(0, 3), (10, 14)], [[0, 3], [10, 14]]),
        ([], []),
    ],
)
def test_known_merges(pairs, expected):
    assert instruments_base.read_spans([sent(*pair) for pair in reversed(pairs)], TEXT) == expected


def test_offsets_count_code_points():
    start = TEXT.index("1913")
    assert instruments_base.read_spans([{"start": start, "end": start + 4, "text": "1913"}], TEXT)
    units = len(TEXT[:start].encode("utf-16-le")) // 2
    assert units > start
    with pytest.raises(instruments_base.InvalidSpans, match="other words"):
        instruments_base.read_spans([{"start": units, "end": units + 4, "text": "1913"}], TEXT)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (None, "a list"),
        ({"start": 0}, "a list"),
        ([[0, 3]], "start, an end"),
        ([{"start": 0, "text": "The"}], "outside"),
        ([{"start": -3, "end": 3, "text": ""}], "outside"),
        ([{"start": 3, "end": 3, "text": ""}], "outside"),
        ([{"start": 0, "end": len(TEXT) + 1, "text": TEXT}], "outside"),
        ([sent(3, 4)], "no words"),
        ([sent(0, 3), {"start": 0, "end": 3, "text": "the"}], "other words"),
    ],
)
def test_what_is_no_part_of_the_text_is_refused(bad, message):
    with pytest.raises(instruments_base.InvalidSpans, match=message):
        instruments_base.read_spans(bad, TEXT)
