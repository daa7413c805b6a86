"""The one parser of JSON: it returns what every part can keep, or says why not."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.common.json import DEEPEST, NotJson, mended, parse_json, storable

NUMBERS = st.integers(-(10**300), 10**300) | st.floats(allow_nan=False, allow_infinity=False)
KEPT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
ANY_TEXT = st.text(st.characters(exclude_categories=[]))
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | KEPT,
    lambda inner: st.lists(inner) | st.dictionaries(KEPT, inner),
    max_leaves=20,
)
WILD = st.recursive(
    st.none() | st.floats() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
    max_leaves=20,
)


@pytest.mark.slow
@settings(deadline=None)
@given(VALUES)
def test_what_can_be_kept_comes_back_as_it_was(value: Any) -> None:
    assert parse_json(json.dumps(value)) == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.slow
@settings(deadline=None)
@given(st.binary() | WILD.map(lambda value: json.dumps(value).encode()))
def test_whatever_comes_is_kept_or_refused_with_words(raw: bytes) -> None:
    try:
        found = parse_json(raw)
    except NotJson as refused:
        found = str(refused)
        assert found
    assert_kept(found, 0)


@pytest.mark.slow
@settings(deadline=None)
@given(WILD)
def test_texts_of_people_are_mended_not_refused(value: Any) -> None:
    raw = json.dumps({"text": value}) if isinstance(value, str) else json.dumps([str(value)])
    assert_kept(parse_json(raw, text=mended), 0)


def assert_kept(value: Any, depth: int) -> None:
    assert depth <= DEEPEST
    if isinstance(value, str):
        assert storable(value)
    elif isinstance(value, int | float):
        assert math.isfinite(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            assert storable(key)
            assert_kept(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            assert_kept(inner, depth + 1)


@pytest.mark.parametrize("depth", [1, DEEPEST - 1, DEEPEST])
def test_depth_is_bounded_on_the_level(depth: int) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        deep = opening * depth + "1" + closing * depth
        assert parse_json(deep) == json.loads(deep)
        with pytest.raises(NotJson, match="too deep"):
            parse_json(opening * (DEEPEST + 1) + "1" + closing * (DEEPEST + 1))


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"[" * 100_000, "too deep"),
        (b"[" * 100_000 + b"]" * 100_000, "too deep"),
        (b'{"a":' * 100_000, "too deep"),
        (b'{"a": "\\u0000"}', "no text has"),
        (b'{"a\\u0000": 1}', "no text has"),
        (b'["\\ud800"]', "no text has"),
        (b'{"a": 1, "a": 2}', "stands twice"),
        (b'{"\\ud800": 1, "\\ud800": 2}', "stands twice"),
        (b"NaN", "not a number"),
        (b"-Infinity", "not a number"),
        (b"1e999", "too large"),
        (b"9" * 400, "too large"),
        (b"9" * 10_000, "too large"),
        (b'"\xff"', "Not UTF-8 at byte 2"),
        (b"", "Not JSON"),
        (b"{}{}", "Not JSON"),
        ("{}".encode("utf-16"), "Not UTF-8"),
    ],
)
def test_what_is_refused_is_told(raw: bytes, says: str) -> None:
    with pytest.raises(NotJson, match=says) as refused:
        parse_json(raw)
    assert len(str(refused.value)) < 300


def test_a_name_is_never_mended() -> None:
    with pytest.raises(NotJson, match="no text has"):
        parse_json('{"\\u0000a": "fine"}', text=mended)


def test_a_byte_order_mark_is_no_obstacle() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
