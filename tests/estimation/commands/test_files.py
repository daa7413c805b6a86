"""Reading judgments and metrics from files."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from estimation import from_files
from estimation.from_files import FileError, vocabulary
from tests.annotate.campaigns.test_import_binary import sheet, table
from tests.annotate.campaigns.test_import_shapes import archive

HEADER = "system,item,annotator,criterion,score\n"
GOOD = HEADER + "alpha,1,ann,overall,0.5\nalpha,2,bob,overall,-1\n"
ROWS: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(GOOD)))
ROWS = [row | {"item": int(row["item"]), "score": float(row["score"])} for row in ROWS]
PACKED = gzip.compress(GOOD.encode(), mtime=0)  # names of tests must not depend on the clock


@pytest.fixture
def write(tmp_path):
    def written(content: str | bytes, name: str = "J.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def test_rows_become_numbers_that_name_what_they_stand_for(write):
    names = vocabulary()
    table = from_files.read_judgments(write(GOOD), names)
    assert list(names["annotator"]) == ["ann", "bob"]
    assert table.columns["system"].tolist() == [0, 0]
    assert table.columns["item"].tolist() == [0, 1]
    assert table.value.tolist() == [0.5, -1.0]
    assert table.line.tolist() == [2, 3]


@pytest.mark.parametrize(
    "content",
    [
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\n\n"),
        GOOD.replace(",", " , "),
        GOOD.replace("alpha", '"alpha"'),
        PACKED,
        GOOD.encode("utf-16"),
        GOOD.replace(",", ";"),
        "sep=;\n" + GOOD.replace(",", ";"),
        GOOD.replace(",", "\t"),
        "".join(json.dumps(row) + "\n" for row in ROWS),
        json.dumps(ROWS),
        json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}),
        sheet([list(ROWS[0]), *(list(row.values()) for row in ROWS)]),
        table(ROWS),
        archive(("a.csv", GOOD)),
        archive(*((f"{n}.csv", HEADER + line + "\n") for n, line in enumerate(GOOD.split()[1:]))),
    ],
    ids=range(17),
)
def test_spellings_of_the_same_file_read_alike(write, content):
    names = vocabulary()
    table = from_files.read_judgments(write(content), names)
    assert (list(names["system"]), table.value.tolist()) == (["alpha"], [0.5, -1.0])


def test_two_files_share_their_numbers(write):
    names = vocabulary()
    metrics = from_files.read_metrics(
        write("system,item,metric,value\nalpha,2,length,4\nalpha,1,length,5\n", "M.csv"), names
    )
    table = from_files.read_judgments(write(GOOD), names)
    assert metrics.columns["item"].tolist() == [0, 1]
    assert table.columns["item"].tolist() == [1, 0]


BAD = [
    ("", 0, "empty"),
    (HEADER, 0, "no rows"),
    ("system,item,annotator,score\na,1,x,0\n", 1, "'criterion'"),
    ("system," + GOOD, 1, "two columns are called “system”"),
    (GOOD + "alpha,3,ann,overall,nan\n", 4, "'nan'"),
    (GOOD + "alpha,3,ann,overall,inf\n", 4, "'inf'"),
    (GOOD + "\nalpha,3,ann,overall,good\n", 5, "'good'"),
    (GOOD + "alpha,3,ann,overall,1_0\n", 4, "'1_0'"),
    (GOOD + "alpha,3,ann,overall, \n", 4, "empty"),
    (GOOD + "alpha,3,ann,overall\n", 4, "4 columns"),
    (GOOD + " ,3,ann,overall,1\n", 4, "system is empty"),
    (GOOD + '"alpha,3,ann,overall,1\n', 4, "quotation mark"),
    (GOOD + "alpha,1,ann,overall,1\n", 4, "first on line 2"),
    (GOOD.encode() + b"\xff\n", 4, "UTF-8"),
    (PACKED[:-9], 0, "cannot be read"),
    ("Some words\n", 0, "this is no table; it needs the columns system, item, annotator"),
    (json.dumps([*ROWS, {"system": "alpha"}]), 3, "the item is empty"),
    (sheet([*[list(ROWS[0])] * 2, list(ROWS[0])]), 2, "'score' is not a finite number"),
    (archive(("a.csv", GOOD), ("b.csv", "x,y\n1,2\n")), 0, "b.csv: other columns"),
]


@pytest.mark.parametrize(("content", "line", "words"), BAD)
def test_errors_name_the_file_the_line_and_the_trouble(write, content, line, words):
    path = write(content)
    with pytest.raises(FileError) as caught:
        from_files.read_judgments(path, vocabulary())
    assert caught.value.line == line
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}: " if line else f"{path}: ")
    assert words in message
    assert "\n" not in message


def test_an_absent_file_is_said_to_be_absent(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        from_files.read_metrics(tmp_path / "absent.csv", vocabulary())


def test_a_metric_given_twice_is_refused(write):
    path = write("system,item,metric,value\na,1,m,4\nb,1,m,4\na,1,m,5\n")
    with pytest.raises(FileError, match="m of a, item 1, is given a second time"):
        from_files.read_metrics(path, vocabulary())


def test_names_are_of_the_right_row_when_a_judgment_is_given_twice(write):
    path = write(GOOD + "beta,1,ann,overall,1\nalpha,1,ann,edit,1\nalpha,2,bob,overall,1\n")
    with pytest.raises(FileError, match="line 6: bob judged item 2 of alpha on overall a second"):
        from_files.read_judgments(path, vocabulary())
