"""Reading uploads: what is wrong is said with its line, all of it at once."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.services.upload import (
    MOST_ERRORS,
    Row,
    UploadRefused,
    read,
    read_metrics,
)

GOOD = {"item": "1", "system": "alpha", "output": "A text."}


def line(**changes) -> bytes:
    return json.dumps({k: v for k, v in (GOOD | changes).items() if v is not ...}).encode()


def errors_of(*lines: bytes) -> list[tuple[int, str]]:
    with pytest.raises(UploadRefused) as refused:
        read(lines)
    return [(error.line, error.message) for error in refused.value.errors]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b'{"item": 1,', "not JSON"),
        (b"item,system,output", "not JSON"),
        (b"[1, 2]", "not an object"),
        (b'"text"', "not an object"),
        (b"[" * 100_000, "nested far too deep"),
        ('{"item": "é"}'.encode("latin-1"), "not UTF-8 at byte 11"),
        ('{"item": "x"}'.encode("utf-16"), "not UTF-8 at byte 1"),
        (line(item=...), "“item” is missing"),
        (line(item=""), "“item” is missing"),
        (line(item=None), "“item” is missing"),
        (line(system=...), "“system” is missing"),
        (line(output=...), "“output” is missing"),
        (line(item=True), "“item” must be text"),
        (line(item=1.5), "“item” must be text"),
        (line(system=7), "“system” must be text"),
        (line(output=["A"]), "“output” must be text"),
        (line(sytem="x"), "unknown field “sytem”. Did you mean “system”?"),
        (line(zzz="x"), "unknown field “zzz”."),
        (b'{"\\ud800": 1}', "unknown field “?”."),
        (line(item="x" * 121), "“item” is longer than 120 characters"),
        (line(system="x" * 81), "“system” is longer than 80 characters"),
        (line(output="x" * 50_001), "“output” is longer than 50,000 characters"),
        (line(input="x" * 200_001), "“input” is longer than 200,000 characters"),
        (line(output="a\x00b"), "“output” contains a NUL"),
        (line(reference="\ud800"), "“reference” contains half a character"),
        (line(metrics=[1]), "“metrics” must be an object"),
        (line(metrics={"m": "1"}), "metric “m” is not a number"),
        (line(metrics={"m": True}), "metric “m” is not a number"),
        (line(metrics={"m": None}), "metric “m” is not a number"),
        (line(metrics={"m": float("nan")}), "NaN is not a number"),
        (line(metrics={"m": float("-inf")}), "-Infinity is not a number"),
        (line(metrics={"m": 10**400}), "metric “m” is not finite"),
        (line(metrics={"m": 0}).replace(b"0}", b"1e999}"), "metric “m” is not finite"),
        (line(metrics={"m\x00": 1}), "contains a character that no text has"),
        (line(metrics={"m" * 61: 1}), "1 to 60 characters"),
        (line(metrics={"": 1}), "1 to 60 characters"),
    ],
)
def test_a_bad_line_is_named_with_what_to_do(bad, message):
    ((number, told),) = errors_of(line(item="first"), b"", bad)
    assert number == 3
    assert message in told
    told.encode()


@pytest.mark.parametrize(
    ("paragraphs", "message"),
    [
        ("The text.", "must be a list of texts"),
        ({"1": "The text."}, "must be a list of texts"),
        (None, "must be a list of texts"),
        (["The text.", 7], "must be a list of texts"),
        ([["The text."]], "must be a list of texts"),
        (["The text.", ""], "a paragraph is empty"),
        (["\u00a0\n"], "a paragraph is empty"),
        (["x"] * 11, "more than 10 paragraphs"),
        (["x" * 20_001], "“paragraphs” is longer than 20,000 characters"),
        (["a\x00b"], "“paragraphs” contains a NUL"),
        (["\ud800"], "“paragraphs” contains half a character"),
    ],
)
def test_paragraphs_are_a_list_of_texts(paragraphs, message):
    ((number, told),) = errors_of(line(paragraphs=paragraphs))
    assert number == 1
    assert message in told


def test_paragraphs_are_read_in_order_and_as_they_are():
    given_ = [" Second first.", "👩‍👩‍👧\r\nThen the rest. "]
    (row,) = read([line(input="Which?", paragraphs=given_)])
    assert row.paragraphs == tuple(given_)
    assert row.whole_input == "\n\n".join(["Which?", *given_])
    assert len(read([line(paragraphs=["x"] * 10)])[0].paragraphs) == 10


def test_an_output_may_be_empty_and_an_item_a_number():
    assert read([line(output="", item=7)]) == [Row("7", "alpha", "")]


def test_a_byte_order_mark_and_windows_line_ends_are_no_error():
    assert len(read([b"\xef\xbb\xbf" + line() + b"\r\n", line(item="2") + b"\r\n"])) == 2


def test_a_byte_order_mark_in_the_middle_is():
    assert errors_of(line(), b"\xef\xbb\xbf" + line(item="2"))[0][0] == 2


@pytest.mark.parametrize("lines", [[], [b""], [b"\n", b"  \n"]])
def test_an_empty_file_says_what_it_needs(lines):
    ((number, told),) = errors_of(*lines)
    assert number == 0
    assert "The file is empty" in told


def test_a_duplicate_names_both_lines():
    ((number, told),) = errors_of(line(), line(system="beta"), line(output="Another."))
    assert number == 3
    assert "on line 1" in told


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [("reference", "x", "y"), ("input", "x", "y"), ("paragraphs", ["x", "y"], ["y", "x"]),
     ("paragraphs", ["x"], [])],
)  # fmt: skip
def test_outputs_of_an_item_share_what_they_were_written_for(name, one, other):
    ((number, told),) = errors_of(line(**{name: one}), line(system="beta", **{name: other}))
    assert number == 2
    assert f"another {name} for item “1” than on line 1" in told


def test_all_errors_come_at_once_and_in_order():
    assert [n for n, _told in errors_of(b"{", line(), b"[]", line(item="2", system=""))] == [
        1, 3, 4,
    ]  # fmt: skip


@pytest.mark.parametrize(("n_bad", "more"), [(MOST_ERRORS, False), (MOST_ERRORS + 1, True)])
def test_only_so_many_errors_are_shown_and_it_is_said_when_there_are_more(n_bad, more):
    with pytest.raises(UploadRefused) as refused:
        read([b"{"] * n_bad)
    assert len(refused.value.errors) == MOST_ERRORS
    assert refused.value.more is more
    assert ("only the first" in str(refused.value)) is more


def test_an_endless_bad_file_is_given_up():
    def endless():
        while True:
            yield b"{"

    with pytest.raises(UploadRefused):
        read(endless())


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)


@given(
    st.lists(
        st.builds(
            Row, item=TEXT.filter(bool), system=TEXT.filter(bool), output=TEXT,
            metrics=st.dictionaries(
                TEXT.filter(bool), st.floats(allow_nan=False, allow_infinity=False), max_size=3
            ),
        ),
        min_size=1, max_size=8, unique_by=lambda row: (row.item, row.system),
    ),
    st.booleans(),
)  # fmt: skip
def test_what_was_written_is_read_back(rows, escaped):
    lines = [
        json.dumps(
            {"item": r.item, "system": r.system, "output": r.output, "metrics": r.metrics},
            ensure_ascii=escaped,
        ).encode()
        for r in rows
    ]
    assert read(lines) == rows


@given(st.lists(st.binary(max_size=60), max_size=10))
def test_no_bytes_at_all_make_it_fail_otherwise_than_by_refusing(lines):
    with suppress(UploadRefused):
        assert read(lines)


# --- the table of metrics


def two() -> list[Row]:
    return [Row("1", "alpha", "A."), Row("2", "alpha", "B.", metrics={"given": 1.0})]


HEAD = b"system,item,metric,value\n"


def test_a_table_of_metrics_is_added_to_its_outputs():
    rows = read_metrics([b"\xef\xbb\xbf" + HEAD, b"alpha,1,m,0.5\n", b"alpha,2,m,-1e3\n"], two())
    assert [row.metrics.get("m") for row in rows] == [0.5, -1000.0]


@pytest.mark.parametrize(
    ("lines", "number", "message"),
    [
        ([b"system,item,value\n"], 1, "The columns must be"),
        ([], 1, "The columns must be"),
        ([HEAD, b"beta,1,m,1\n"], 2, "no output of system “beta” for item “1”"),
        ([HEAD, b"alpha,1,m,1\n", b"alpha,1,m,1\n"], 3, "given twice"),
        ([HEAD, b"alpha,2,given,1\n"], 2, "given twice"),
        ([HEAD, b"alpha,1,m,one\n"], 2, "“one” is not a number"),
        ([HEAD, b"alpha,1,m,\n"], 2, "“” is not a number"),
        ([HEAD, b"alpha,1,m,nan\n"], 2, "“nan” is not a finite number"),
        ([HEAD, b"alpha,1,m,inf\n"], 2, "“inf” is not a finite number"),
        ([HEAD, b"alpha,1,m\n"], 2, "not four columns"),
        ([HEAD, b"alpha,1,m,1,2\n"], 2, "not four columns"),
        ([HEAD, b"alpha,1," + b"m" * 61 + b",1\n"], 2, "1 to 60 characters"),
        ([HEAD, b"alpha,1,\xff,1\n"], 0, "not UTF-8"),
        ([HEAD, b"alpha,1,m," + b"1" * 140_000 + b"\n"], 0, "not CSV"),
    ],
)
def test_a_bad_line_of_the_table_is_named(lines, number, message):
    with pytest.raises(UploadRefused) as refused:
        read_metrics(lines, two())
    (error,) = refused.value.errors
    assert error.line == number
    assert message in error.message


def test_the_table_shows_only_so_many_errors():
    with pytest.raises(UploadRefused) as refused:
        read_metrics([HEAD, *[b"x,1,m,1\n"] * 80], two())
    assert (len(refused.value.errors), refused.value.more) == (MOST_ERRORS, True)
