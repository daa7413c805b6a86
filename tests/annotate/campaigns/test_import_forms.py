"""A file is recognised by its content: the same rows from every form, encoding and cut."""

import csv
import io
import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.campaigns.problems import Row, UploadRefused
from annotate.campaigns.reading import read, rows
from annotate.campaigns.sheet import LARGEST, Facts, Sheet

HEAD = b"item,system,output\n"


def facts(data: bytes) -> Facts:
    with Sheet() as sheet:
        return read(sheet, [data])


def refused(data: bytes) -> list[str]:
    with pytest.raises(UploadRefused) as refusal:
        rows([data])
    return [str(problem) for problem in refusal.value.refusal.problems]


# --- every form gives the same rows

ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
TEXT = st.text(ANY, max_size=20) | st.text("a,;\t|\"'\r\n=+ {[", max_size=8)
NAME = TEXT.filter(bool)
FINITE = st.floats(-LARGEST, LARGEST)


@st.composite
def files(draw) -> list[Row]:
    items = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    shared = {
        item: (draw(TEXT), draw(TEXT), tuple(draw(st.lists(NAME.filter(str.strip), max_size=3))))
        for item in items
    }
    return [
        Row(item, system, draw(TEXT), *shared[item], metrics={"m": draw(FINITE)})
        for item in items
        for system in draw(st.lists(NAME, min_size=1, max_size=3, unique=True))
    ]


def as_dict(row: Row) -> dict[str, object]:
    return {
        "item": row.item,
        "system": row.system,
        "output": row.output,
        "reference": row.reference,
        "input": row.input,
        "paragraphs": list(row.paragraphs),
        "metrics": row.metrics,
    }


def json_lines(found: list[Row], draw) -> str:
    ending = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    escaped = draw(st.booleans())
    return "".join(json.dumps(as_dict(row), ensure_ascii=escaped) + ending for row in found)


def json_list(found: list[Row], draw) -> str:
    indent = draw(st.sampled_from([None, 2]))
    return json.dumps([as_dict(row) for row in found], indent=indent, ensure_ascii=False)


def json_objects(found: list[Row], draw) -> str:
    return "\n".join(json.dumps(as_dict(row), indent=1, ensure_ascii=False) for row in found)


def table(found: list[Row], draw) -> str:
    out = io.StringIO()
    # Python 3.11 quotes a CR in a cell only where it is part of the line's end.
    ending, quoting = draw(
        st.sampled_from(
            [("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]
        )
    )
    delimiter = draw(st.sampled_from(",;\t|"))
    writer = csv.writer(out, delimiter=delimiter, lineterminator=ending, quoting=quoting)
    names = ["item", "system", "output", "reference", "input", "paragraphs", "metrics"]
    writer.writerow(names)
    for row in found:
        cells = as_dict(row)
        writer.writerow(
            json.dumps(cell) if isinstance(cell := cells[name], list | dict) else cell
            for name in names
        )
    return out.getvalue()


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
MARKS = {"utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    blocks, at = [], 0
    while at < len(data):
        size = sizes[len(blocks) % len(sizes)]
        blocks.append(data[at : at + size])
        at += size
    return blocks


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    files(),
    st.sampled_from([json_lines, json_list, json_objects, table]),
    st.sampled_from(ENCODINGS),
    st.lists(st.integers(1, 4000), min_size=1, max_size=5),
    st.data(),
)
@pytest.mark.slow
def test_what_was_written_in_any_form_is_read_back(found, form, encoding, sizes, data):
    text = MARKS.get(encoding, "") + form(found, data.draw)
    read_back = rows(cut(text.encode(encoding), sizes))
    assert sorted(map(as_key, read_back)) == sorted(map(as_key, found))


def as_key(row: Row) -> str:
    return json.dumps(as_dict(row))


@given(st.binary(max_size=300), st.sampled_from([b"", b"[", b'[{"', b"item,system,output\n", b"{"]))
def test_no_file_at_all_fails_otherwise_than_by_refusing(data, start):
    found: list[Row] = []
    with suppress(UploadRefused):
        found = rows([start + data])
        assert found
    if not found:
        for problem in refused(start + data):
            problem.encode()


@pytest.mark.parametrize(
    ("data", "form", "encoding"),
    [
        (b'{"item": 1, "system": "a", "output": "x"}', "JSON lines", "UTF-8"),
        (b'\n \n{"item": 1, "system": "a", "output": "x"}', "JSON lines", "UTF-8"),
        (b'[{"item": 1, "system": "a", "output": "x"}]', "a JSON list", "UTF-8"),
        (b'{"item": 1,\n"system": "a", "output": "x"}', "JSON objects", "UTF-8"),
        (b"item,system,output\n1,a,x", "CSV with commas", "UTF-8"),
        (b"item;system;output\n1;a;x,y,z", "CSV with semicolons", "UTF-8"),
        (b"item\tsystem\toutput\r\n1\ta\tx", "CSV with tabs", "UTF-8"),
        ("item|system|output\n1|a|ü".encode("utf-16"), "CSV with vertical bars", "UTF-16"),
        ('{"item": 1, "system": "a", "output": "x"}'.encode("utf-16-le"), "JSON lines", "UTF-16"),
        ('{"item": 1, "system": "a", "output": "x"}'.encode("utf-16-be"), "JSON lines", "UTF-16"),
    ],
)
def test_the_form_is_told(data, form, encoding):
    found = facts(data)
    assert (found.form, found.encoding, found.n_rows) == (form, encoding, 1)


# --- tables


def test_a_header_has_the_names_that_people_give():
    (row,) = rows([b"Doc-ID,Model Name,Prediction,Gold,Source\n7,a,x,y,z\n"])
    assert (row.item, row.system, row.output, row.reference, row.input) == tuple("7axyz")
    told = facts(b"Doc-ID,system,Prediction\n7,a,x\n").notices
    assert told == ["Read by their usual names: “Doc-ID” as item, “Prediction” as output."]


def test_ones_own_name_wins_over_a_usual_one():
    found = facts(b"item,id,system,output,summary\n1,77,a,x,y\n")
    assert (found.first.item, found.systems[0].samples[0].output) == ("1", "x")
    assert [column.name for column in found.columns] == ["id"]
    assert found.notices == ["Not used: “summary”."]


def test_an_optional_field_that_could_be_either_is_not_guessed():
    found = facts(b"item,system,output,source,document\n1,a,x,y,z\n")
    assert found.first.input == ""
    assert "could be “source” or “document”" in " ".join(found.notices)


def test_cells_hold_lists_and_objects_as_json_or_one_by_one():
    whole = b'item,system,output,input,paragraphs,metrics\n1,a,x,q,"[""p"", ""r""]","{""m"": 1}"\n'
    one_by_one = b"item,system,output,input,paragraph_2,paragraph 1,metrics.m\n1,a,x,q,r,p,1\n"
    for data in (whole, one_by_one):
        (row,) = rows([data])
        assert (row.paragraphs, row.metrics) == (("p", "r"), {"m": 1.0})


def test_a_cell_spans_lines_and_its_row_is_counted_from_its_first():
    assert rows([HEAD + b'1,a,"x\ny"\n'])[0].output == "x\ny"
    assert refused(HEAD + b'1,a,"x\ny"\n2,,z\n') == ["line 4: “system” is missing."]


def test_blank_lines_and_empty_cells_at_the_end_are_no_rows():
    assert len(rows([b"item,system,output,,\n1,a,x,,\n,,,,\n\n2,a,y\t,,\n"])) == 2


def test_what_looks_like_a_formula_is_a_text():
    texts = ["=1+1", "+49 30", "-", "@user", '=HYPERLINK("http://x")']
    cells = "".join(
        f'{i},a,"{text.replace(chr(34), chr(34) * 2)}"\n' for i, text in enumerate(texts)
    )
    assert [row.output for row in rows([HEAD + cells.encode()])] == texts
    told = facts(HEAD + b"1,a,#NAME?\n2,a," + b"x" * 32_767 + b"\n").notices
    assert "takes for a formula" in told[0]
    assert "Excel cuts" in told[1]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (HEAD + b"1,a\n2,a\n3,a,x,y\n", "line 2: 2 columns, where the first line has 3."),
        (b"item,system,output,item\n1,a,x,1\n", "line 1: two columns are called “item”."),
        (b"item,model,engine,output\n1,a,x,1\n", "line 1: “model” and “engine” could each be"),
        (b"item,alpha\n1,x\n", "line 1: no columns “system” and “output”. The columns are"),
        (b"1,a,Some text\n2,a,More\n", "line 1: no columns “item”, “system” and “output”."),
        (HEAD + b'1,a,"x\n2,a,y\n3,a,z\n', "line 2: a quotation mark that opens here is never"),
        (HEAD + b'1,a,"x" y\n', "line 2: quotation marks that do not match."),
        (HEAD + b"1,a,x\x00\n", "line 2: “output” contains a NUL"),
        (HEAD + b"1,a,\xff\n", "line 2: not UTF-8 at byte 5."),
        (b"item,system,output,metrics.m\n1,a,x,much\n", "line 2: metric “m” is not a number."),
        (b"item,system,output,paragraphs\n1,a,x,p\n", "line 2: “paragraphs” must be a list"),
        (HEAD, "The file is empty."),
    ],
)
def test_a_table_that_cannot_be_read_says_why(data, told):
    problems = refused(data)
    assert len(problems) == 1
    assert problems[0].startswith(told)


# --- lists


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"[]", ["The file is empty."]),
        (b'[{"item": 1}, 7]', ["entry 1: “system”", "entry 1: “output”", "entry 2: not an object"]),
        (
            b'[{"item": 1, "system": "a", "output": "x"}\n{"item": 2}]',
            ["line 2: not JSON: a comma"],
        ),
        (
            b'[{"item": 1, "system": "a", "output": "x"}] []',
            ["line 1: not JSON: something follows"],
        ),
        (b'[\n{"item": 1,\n"system": "a"', ["line 3: not JSON: Expecting"]),
        (b'["' + b"x" * 8_500_000, ["line 1: an entry is longer than 8 MB."]),
        (b"[" * 100_000, ["line 1: not such an object: it is nested far too deep."]),
        (b'[{"a": ' + b"[" * 100_000, ["line 1: not such an object: it is nested far too deep."]),
        (b'[{"item": 1, "system": "a", "output": "\xff"}]', ["The file is not UTF-8."]),
        (
            b'{"prompt": "x", "data": [{"item": 1}]}',
            ["line 1: an object around the rows. Save the list “data”"],
        ),
        (
            b'{\n"data": [{"item": 1}]} {"data": [{"item": 2}]}',
            ["entries 1 and 2: an object around the rows."],
        ),
        (
            b'[{"item": 1, "system": "a", "output": "x", "metrics": {"m": NaN}}]',
            ["entry 1: NaN is"],
        ),
    ],
)
def test_a_list_that_cannot_be_read_says_why(data, told):
    problems = refused(data)
    assert len(problems) == len(told)
    for problem, start in zip(problems, told, strict=True):
        assert problem.startswith(start)


# --- what is no text


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PK\x03\x04\x14\x00", "This compressed file or spreadsheet cannot be read"),
        (b"\x1f\x8b\x08\x00", "This compressed file or spreadsheet cannot be read"),
        (b"%PDF-1.7", "This is a PDF document."),
        (b"PAR1", "This compressed file or spreadsheet cannot be read"),
        (b"Some notes\nabout my systems\n", "This is neither JSON nor a table."),
        (b"\x00\x01\x02\x03" * 30, "This is neither JSON nor a table."),
        (b"\xff\xfe{\x00\x00\xd8\x00\xd8", "The file begins like UTF-16, but is damaged"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(data, told):
    (problem,) = refused(data)
    assert problem.startswith(told)


def test_a_line_that_is_far_too_long_is_refused_and_the_next_is_read():
    long = b'{"item": 1, "system": "a", "output": "' + b"x" * 8_500_000
    good = b'{"item": 2, "system": "a", "output": "x"}\n'
    assert refused(good + long + b"\n" + good.replace(b"2", b"3")) == ["line 2: longer than 8 MB."]
    assert refused(good + long) == ["line 2: longer than 8 MB."]


# --- what is told beside the rows


def test_unknown_fields_are_ignored_and_named():
    line = b'{"item": 1, "system": "a", "output": "x", "refrence": "y", "url": [1], "z": null}\n'
    told = facts(line).notices
    assert told == ["Not used: “refrence” (did you mean “reference”?), “url”, “z”."]


def test_a_file_with_a_new_name_on_every_line_is_told_briefly():
    lines = [f'{{"item": {i}, "system": "a", "output": "x", "n{i}": {i}}}\n' for i in range(500)]
    found = facts("".join(lines).encode())
    assert len(found.columns) <= 50
    assert len(" ".join(found.notices)) < 1000


@pytest.mark.parametrize("name", ["\ud800", "a\x00b", "x" * 5000])
def test_hostile_names_can_be_told_and_kept(name):
    row = {"item": 1, "system": "a", "output": "x", name: 3, "metrics": {}}
    found = facts(json.dumps(row).encode())
    assert "\\u0000" not in found.model_dump_json()
    assert not found.columns


def test_numbers_beside_the_fields_may_be_metrics():
    data = (
        b"item;system;output;comet;year;when;gap\n"
        b"1;a;x;0,5;2020;May;1\n2;a;y;-1e-3;2021;7;\n3;a;z;7;2022;1.5;NA\n"
    )
    columns = {column.name: column for column in facts(data).columns}
    assert set(columns) == {"comet", "year", "gap"}
    assert columns["comet"].loose
    assert columns["comet"].is_whole
    assert (columns["gap"].lacking.count, columns["gap"].lacking.lines) == (2, [3, 4])
    with Sheet() as sheet:
        read(sheet, [data])
        groups = [sheet.group(item, ("comet",)) for item in sheet.in_order()]
        assert [row.metrics for (row,) in groups] == [
            {"comet": 0.5},
            {"comet": -0.001},
            {"comet": 7},
        ]


def test_too_many_systems_or_metrics_are_a_mistake():
    many = "".join(f"1,{i},x\n" for i in range(1001))
    assert refused(HEAD + many.encode()) == [
        "line 1,002: more than 1,000 systems. Is “system” what it should be?"
    ]
    rows_ = [{"item": i, "system": "a", "output": "x", "metrics": {f"m{i}": 1}} for i in range(201)]
    assert refused(json.dumps(rows_).encode())[0].startswith("entry 201: more than 200 different")


def test_facts_count_what_is_there():
    lines = [
        {"item": "1", "system": "a", "output": "same", "reference": "r", "metrics": {"m": 1}},
        {"item": "1", "system": "b", "output": "same", "reference": "r"},
        {"item": "2", "system": "a", "output": " ", "input": "q"},
    ]
    found = facts("\n".join(map(json.dumps, lines)).encode())
    assert (found.n_rows, found.n_items, found.n_outputs, found.n_references) == (3, 2, 2, 1)
    assert (found.n_empty, found.n_systems, found.is_even) == (1, 2, False)
    assert [(s.name, s.n_outputs) for s in found.systems] == [("a", 2), ("b", 1)]
    assert (found.no_reference.lines, found.no_input.lines) == ([3], [1, 2])
    assert found.no_question.count == 3
    (column,) = found.columns
    assert (column.lacking.count, column.lacking.lines) == (2, [2, 3])


# --- memory does not grow with the file
