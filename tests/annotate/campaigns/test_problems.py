"""Reading uploads: what is wrong is said with its line, all of it at once."""

import json

import pytest

from annotate.campaigns.problems import MOST_FAULTS, Row, UploadRefused
from annotate.campaigns.reading import rows

GOOD = {"item": "1", "system": "alpha", "output": "A text."}


def read(lines, metrics=None) -> list[Row]:
    return rows((one + b"\n" for one in lines), metrics)


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
        (b"[1, 2]", "not an object"),
        (b'{"data": [{"item": 1}]}', "Save the list “data” alone"),
        (b"[" * 100_000, "nested far too deep"),
        ('{"item": "é"}'.encode("latin-1"), "not UTF-8 at byte 11"),
        (line(item=...), "“item” is missing."),
        (line(system=..., sytem="x"), "“system” is missing. Did you mean “sytem”?"),
        (line(output=..., summary="x", answer="y"), "“summary” and “answer” could each be the"),
        (line(item=True), "“item” must be text"),
        (line(output=["A"]), "“output” must be text"),
        (line(item="x" * 121), "“item” is longer than 120 characters"),
        (line(output="x" * 50_001), "“output” is longer than 50,000 characters"),
        (line(output="a\x00b"), "“output” contains a NUL"),
        (line(reference="\ud800"), "“reference” contains an incomplete character"),
        (line(metrics=[1]), "“metrics” must be an object"),
        (line(metrics={"m": "1"}), "metric “m” is not a number"),
        (line(metrics={"m": float("nan")}), "NaN is not a number"),
        (line(metrics={"m": -1.1e100}), "metric “m” is not between −10^100 and 10^100"),
        (
            line(metrics={"m": 0}).replace(b"0}", b"1e999}"),
            "metric “m” is not between −10^100 and 10^100",
        ),
        (line(metrics={"m\x00": 1}), "contains a character that no text has"),
        (line(metrics={"m" * 61: 1}), "1 to 60 characters"),
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
        (["The text.", 7], "must be a list of texts"),
        (["The text.", ""], "a paragraph is empty"),
        (["\u00a0\n"], "a paragraph is empty"),
        (["x"] * 11, "more than 10 paragraphs"),
        (["x" * 20_001], "“paragraphs” is longer than 20,000 characters"),
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
    [
        ("reference", "x", "y"),
        ("input", "x", "y"),
        ("paragraphs", ["x", "y"], ["y", "x"]),
        ("paragraphs", ["x"], []),
    ],
)
def test_outputs_of_an_item_share_what_they_were_written_for(name, one, other):
    ((number, told),) = errors_of(line(**{name: one}), line(system="beta", **{name: other}))
    assert number == 2
    assert f"another {name} for item “1” than on line 1" in told


def refusal_of(*lines: bytes) -> UploadRefused:
    with pytest.raises(UploadRefused) as refused:
        read(lines)
    return refused.value


@pytest.mark.parametrize(
    ("n_bad", "title"),
    [
        (1, "line 2"),
        (2, "lines 2 and 3"),
        (5, "lines 2, 3, 4, 5 and 6"),
        (6, "lines 2, 3, 4 and 3 more"),
        (1207, "lines 2, 3, 4 and 1,204 more"),
    ],
)
def test_equal_errors_are_told_once_with_their_lines(n_bad, title):
    refused = refusal_of(line(), *[line(system="")] * n_bad)
    (problem,) = refused.refusal.problems
    assert (problem.title, problem.others, problem.count) == (title, "", n_bad)
    assert str(refused) == f"{title}: “system” is missing."
    assert refused.refusal.more == (n_bad > 5)


def test_errors_of_one_kind_with_other_words_are_told_by_an_example():
    repeated = [line(item=f"i{i}") for i in range(9)]
    (problem,) = refusal_of(*repeated, *repeated).refusal.problems
    assert problem.title == "line 10"
    assert "item “i0” on line 1" in problem.message
    assert problem.others == "lines 11, 12, 13 and 5 more"


def test_each_fault_of_a_row_is_told_and_each_kind_in_the_order_of_the_file():
    refused = refusal_of(line(item="2", reference=7), line(system=7, output=["A"]), b"{")
    assert [str(problem) for problem in refused.refusal.problems] == [
        "line 1: “reference” must be text.",
        "line 2: “system” must be text.",
        "line 2: “output” must be text.",
        "line 3: not JSON: Expecting property name enclosed in double quotes at column 2.",
    ]


def test_an_endless_bad_file_is_given_up():
    def endless():
        while True:
            yield b"{"

    with pytest.raises(UploadRefused) as refused:
        read(endless())
    assert refused.value.refusal.cut
    assert refused.value.refusal.problems[0].count == MOST_FAULTS
    assert "There are more errors" in str(refused.value)


# --- the table of metrics


TWO = [line(), line(item="2", output="B.", metrics={"given": 1.0})]
HEAD = b"system,item,metric,value\n"


def test_a_table_of_metrics_is_added_to_its_outputs():
    table = [b"\xef\xbb\xbf" + HEAD, b"alpha,1,m,0.5\n", b"alpha,2,m,-1e3\n"]
    assert [row.metrics for row in read(TWO, table)] == [{"m": 0.5}, {"given": 1.0, "m": -1000.0}]


@pytest.mark.parametrize(
    "table",
    [
        "Item;System;Metric;Value\n1;alpha;m;0,5\n2;alpha;m;-1e3\n".encode("utf-16"),
        b"metric\titem\tsystem\tvalue\r\nm\t1\talpha\t 0.5 \r\nm\t2\talpha\t-1000\r\n",
    ],
)
def test_the_table_may_come_from_any_spreadsheet(table):
    assert [row.metrics["m"] for row in read(TWO, [table])] == [0.5, -1000.0]


@pytest.mark.parametrize(
    ("lines", "number", "message"),
    [
        ([b"system,item,value\n"], 1, "the columns must be"),
        ([b"PK\x03\x04 ..."], 0, "cannot be read"),
        ([HEAD, b"beta,1,m,1\n"], 2, "no output of system “beta” for item “1”"),
        ([HEAD, b"alpha,1,m,1\n", b"alpha,1,m,1\n"], 3, "given twice"),
        ([HEAD, b"alpha,1,m,one\n"], 2, "“one” is not a number"),
        ([HEAD, b"alpha,1,m,nan\n"], 2, "“nan” is not a number between −10^100 and 10^100"),
        ([HEAD, b"alpha,1,m\n"], 2, "columns, where the first line has 4"),
        ([HEAD, b"alpha,1," + b"m" * 61 + b",1\n"], 2, "1 to 60 characters"),
        ([HEAD, b"alpha,1,\xff,1\n", b"alpha,1,m,1\n"], 2, "not UTF-8 at byte 9"),
        (
            [HEAD, b"alpha,1,m," + b"1" * 140_000 + b"\n"],
            2,
            "1…” is not a number between −10^100 and 10^100",
        ),
        ([HEAD, b'alpha,1,m,"1\n'], 2, "never closed"),
    ],
)
def test_a_bad_line_of_the_table_is_named(lines, number, message):
    with pytest.raises(UploadRefused) as refused:
        read(TWO, lines)
    error = refused.value.errors[0]
    assert (error.line, error.unit) == (number, "metrics file, line")
    assert message in error.message
    assert len(error.message) < 200
