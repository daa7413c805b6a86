"""Files of other forms than item, system and output: the rows that come of them, and refusals."""

import gzip
import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotate.campaigns import imports, packed, shapes
from annotate.campaigns.problems import Row, RowError, UploadRefused
from annotate.campaigns.reading import read, recognised, rows
from annotate.campaigns.sheet import Sheet, row_of
from annotate.models import Campaign, Output
from estimation import export
from tests.annotate.campaigns.test_import_forms import facts, refused
from tests.annotate.researcher import looked_at, press
from tests.factories import user

MILL = [("1", "gpt", "A mill."), ("1", "llama", "The mill.")]
ASKED = {"role": "user", "content": "What is this?"}


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def lines(*entries: Any) -> bytes:
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def archive(*members: tuple[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, content in members:
            file.writestr(name, content)
    return out.getvalue()


class Stream(io.BytesIO):
    """A file in which nothing is written again, so that sizes stand behind each member."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_place: int) -> int:
        raise OSError


def streamed(*members: tuple[str, bytes], large: bool = False) -> bytes:
    out = Stream()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            with file.open(name, "w", force_zip64=large) as member:
                member.write(content)
    return out.getvalue()


def short(found: list[Row]) -> list[tuple[str, ...]]:
    """Item, system and output, and the input where there is one."""
    return [(r.item, r.system, r.output, *filter(None, [r.input])) for r in found]


LONG = b"item,system,output\n1,gpt,A mill.\n1,llama,The mill.\n"
ONE, OTHER = b"item,output\n1,A mill.\n", b"item,output\n1,The mill.\n"
CHATS = lines(
    {"id": 1, "model": "gpt", "messages": [ASKED, answer("A mill.")]},
    {"id": 1, "model": "llama", "messages": [ASKED, answer("The mill.")]},
)
AS_CHAT = '[{"role": "user", "content": "What is this?"}]'
AS_INPUT = [(*row, AS_CHAT) for row in MILL]

FORMS = {
    # One column a system.
    "wide": (b"item,gpt,llama\n1,A mill.,The mill.\n", MILL),
    "wide, no item": (b"gpt,llama\nA mill.,The mill.\n", MILL),
    "wide, item and input": (
        b"llama;question;id;gpt\nThe mill.;What?;1;A mill.\n",
        [("1", "llama", "The mill.", "What?"), ("1", "gpt", "A mill.", "What?")],
    ),
    "wide, with numbers and notes": (
        b"item,gpt,length,url,llama\n1,A mill.,7,http://x,The mill.\n",
        MILL,
    ),
    "wide, a title": (b"title,gpt,llama\nMills,A mill.,The mill.\n", MILL),
    "wide, with remarks": (
        b"item,gpt,llama,what we saw,rater_notes,Comment (optional)\n"
        b"1,A mill.,The mill.,Look at this one.,good,\n"
        b"2,x,y,,fine,Hm.\n3,u,v,,ok then,\n",
        [
            *MILL,
            ("2", "gpt", "x"),
            ("2", "llama", "y"),
            ("3", "gpt", "u"),
            ("3", "llama", "v"),
        ],
    ),
    "wide lines": (lines({"id": 1, "gpt": "A mill.", "llama": "The mill."}), MILL),
    "wide, alike names": (
        b"item,system 1,system 2\n1,A,B\n",
        [("1", "system 1", "A"), ("1", "system 2", "B")],
    ),
    "wide, an empty cell": (
        b"item,gpt,llama\n1,,The mill.\n2,A mill.,\n",
        [("1", "gpt", ""), MILL[1], ("2", "gpt", "A mill."), ("2", "llama", "")],
    ),
    # Other names, and one system.
    "prompt, response, model": (
        lines(
            {"prompt_id": 1, "prompt": "What?", "response": "A mill.", "model": "gpt"},
            {"prompt_id": 1, "prompt": "What?", "response": "The mill.", "model": "llama"},
        ),
        [(*row, "What?") for row in MILL],
    ),
    "question, answer": (
        b"question,answer\nWhat?,A mill.\nWhere?,Here.\n",
        [("1", "system", "A mill.", "What?"), ("2", "system", "Here.", "Where?")],
    ),
    "one system lines": (lines({"item": 1, "output": "A mill."}), [("1", "system", "A mill.")]),
    # Chats.
    "messages": (CHATS, AS_INPUT),
    "messages in parts": (
        lines(
            {
                "id": 1,
                "model": "gpt",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    ASKED,
                    answer("?"),
                    ASKED,
                    answer([{"type": "text", "text": "A mill."}]),
                ],
            }
        ),
        [
            (
                *MILL[0],
                '[{"role": "system", "content": "Be brief."}, '
                '{"role": "user", "content": "What is this?"}, '
                '{"role": "assistant", "content": "?"}, '
                '{"role": "user", "content": "What is this?"}]',
            )
        ],
    ),
    "messages without id and model": (
        lines({"messages": [ASKED, answer("A mill.")]}),
        [("1", "system", "A mill.", AS_CHAT)],
    ),
    "messages with an input": (
        lines({"id": 1, "llm": "gpt", "prompt": "What?", "messages": [ASKED, answer("A mill.")]}),
        [(*MILL[0], "What?")],
    ),
    "messages in cells": (
        b'id,model,messages\n1,gpt,"[{""role"":""assistant"",""content"":""A mill.""}]"\n',
        MILL[:1],
    ),
    "chat as input": (
        lines(*({"item": i, "system": s, "output": o, "input": [ASKED]} for i, s, o in MILL)),
        AS_INPUT,
    ),
    "chosen, rejected": (
        lines({"prompt": "What?", "chosen": "A mill.", "rejected": "The mill."}),
        [("1", "chosen", "A mill.", "What?"), ("1", "rejected", "The mill.", "What?")],
    ),
    "chosen, rejected table": (
        b"prompt,rejected,chosen\nWhat?,The mill.,A mill.\n",
        [("1", "chosen", "A mill.", "What?"), ("1", "rejected", "The mill.", "What?")],
    ),
    "chosen, rejected with a model": (
        lines({"id": 1, "model": "m", "chosen": "A mill.", "rejected": "The mill."}),
        [("1", "chosen", "A mill."), ("1", "rejected", "The mill.")],
    ),
    "chosen, rejected chats": (
        lines(
            {
                "prompt_id": "1",
                "chosen": [ASKED, answer("A mill.")],
                "rejected": [ASKED, answer("The mill.")],
            }
        ),
        [
            ("1", "chosen", "A mill.", AS_CHAT),
            ("1", "rejected", "The mill.", AS_CHAT),
        ],
    ),
    # By columns.
    "pandas": (
        lines(
            {
                "item": {"0": 1, "1": 1},
                "system": {"0": "gpt", "1": "llama"},
                "output": {"0": "A mill.", "1": "The mill."},
            }
        ),
        MILL,
    ),
    "pandas, some rows": (
        lines({"id": {"3": 1}, "gpt": {"3": "A mill."}, "llama": {"3": "The mill."}}),
        MILL,
    ),
    "lists by column": (
        json.dumps(
            {"item": [1, 1], "system": ["gpt", "llama"], "output": ["A mill.", "The mill."]},
            indent=1,
        ).encode(),
        MILL,
    ),
    "wide by columns": (lines({"id": [1], "gpt": ["A mill."], "llama": ["The mill."]}), MILL),
    "a list in an object": (
        json.dumps(
            {"version": 2, "data": [{"item": i, "system": s, "output": o} for i, s, o in MILL]}
        ).encode(),
        MILL,
    ),
    # Tables of spreadsheets.
    "sep": (b"sep=;\r\nitem;system;output\r\n1;gpt;A mill.\r\n1;llama;The mill.\r\n", MILL),
    "sep, quoted": (b'"sep=,"\n' + LONG, MILL),
    "sep, tabs": (("sep=\t\n" + LONG.decode().replace(",", "\t")).encode("utf-16"), MILL),
    "sep, another": (b"sep=^\n" + LONG.replace(b",", b"^"), MILL),
    "tabs, marks as characters": (
        b'item\tsystem\toutput\n1\ta\t"Old" is it.\n1\tb\t12" wheel\n2\ta\t"A mill\n2\tb\tx\n',
        [
            ("1", "a", '"Old" is it.'),
            ("1", "b", '12" wheel'),
            ("2", "a", '"A mill'),
            ("2", "b", "x"),
        ],
    ),
    "tabs, quoted": (
        b'item\tsystem\toutput\n1\ta\t"a ""b""\tc\nd"\n1\tb\t12" wheel\n',
        [("1", "a", 'a "b"\tc\nd'), ("1", "b", '12" wheel')],
    ),
    # Compressed.
    "gzip": (gzip.compress(LONG), MILL),
    "gzip, joined": (gzip.compress(LONG[:30]) + gzip.compress(LONG[30:]), MILL),
    "zip": (archive(("a/b/outputs.csv", LONG)), MILL),
    "zip, stored": (archive(("outputs.csv", LONG), method=zipfile.ZIP_STORED), MILL),
    "zip, streamed": (streamed(("outputs.csv", LONG)), MILL),
    "zip, streamed and large": (streamed(("outputs.csv", LONG), large=True), MILL),
    "one file a system": (
        archive(
            ("run/", b""),
            ("__MACOSX/run/._gpt.csv", b"x"),
            ("run/gpt.csv", ONE),
            (".DS_Store", b"x"),
            ("../llama.csv", OTHER),
        ),
        MILL,
    ),
    "one file a system, named in Unicode": (
        archive(("modèle.csv", ONE)),
        [("1", "modèle", "A mill.")],
    ),
    "one file a system, named in another way": (
        archive(("modXle.csv", ONE)).replace(b"modXle", "modèle".encode("cp437")),
        [("1", "modèle", "A mill.")],
    ),
    "one file a system, no item": (
        streamed(("gpt.csv", b"output\nA mill.\n"), ("llama.csv", b"output\nThe mill.\n")),
        MILL,
    ),
    # This product's.
    "export": (
        lines(
            {"output": 7, "item": "1", "systems": ["gpt"], "text": "A mill.", "words": 2},
            {"output": 8, "item": "1", "systems": ["llama"], "text": "The mill.", "words": 2},
        ),
        MILL,
    ),
    "export of one text of two": (
        lines({"output": 7, "item": "1", "systems": ["gpt", "llama"], "text": "A mill."}),
        [MILL[0], ("1", "llama", "A mill.")],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_this_form_has_these_rows(form: str) -> None:
    data, expected = FORMS[form]
    assert short(rows([data])) == expected
    assert short(rows(data[i : i + 3] for i in range(0, len(data), 3))) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"item,system,output,gpt,llama\n1,gpt,A mill.,x y,z\n1,llama,The mill.,u,v\n",
        lines(
            *(
                {"item": i, "system": s, "output": o, "chosen": "x", "rejected": "y"}
                | {"messages": [ASKED, answer("x")], "systems": ["z"], "text": "x"}
                for i, s, o in MILL
            )
        ),
    ],
)
def test_nothing_is_guessed_where_item_system_and_output_are_named(data: bytes) -> None:
    assert short(rows([data])) == MILL
    (notice,) = facts(data).notices
    assert notice.startswith("Not used:")


def test_nothing_is_guessed_for_a_column_that_was_named_and_is_not_there() -> None:
    for data in (FORMS["wide"][0], FORMS["question, answer"][0]):
        with Sheet() as sheet, pytest.raises(UploadRefused, match=r"no columns? .*“who”"):
            read(sheet, [data], columns={"system": "who"})


def test_outputs_without_an_item_are_of_one_if_they_have_the_same_input() -> None:
    long = "What is this? " * 20
    data = lines(
        *(
            {"prompt": prompt, "model": model, "response": f"{model} {n}"}
            for model in ("gpt", "llama")
            for n, prompt in enumerate(["What is this?", long + "1", long + "2"])
        )
    )
    items: dict[str, list[str]] = {}
    for row in rows([data]):
        items.setdefault(row.item, []).append(row.output)
    assert list(items.values()) == [[f"gpt {n}", f"llama {n}"] for n in range(3)]
    assert all(name.startswith("What is this?") and len(name) < 120 for name in items)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (
            "wide",
            "Read as a column for each system: “gpt” and “llama”. Remove a column that is no "
            "system.",
        ),
        ("wide, no item", "No item is named, so the items are numbered."),
        ("wide, with numbers and notes", "Not used: “url”."),
        ("question, answer", "No system is named, so all outputs are of one, “system”."),
        (
            "messages",
            "Read “messages” as chats: the last turn is the output, the others are the input.",
        ),
        ("a list in an object", "Read the list “data” of the object around it."),
        ("pandas", "Read as a table that is written column by column."),
        ("tabs, marks as characters", "Quotation marks are read as characters of the texts."),
        ("one file a system", "The name of each file is its system."),
        ("export", "Read as the outputs of an export."),
    ],
)
def test_what_was_read_as_what_is_told(form: str, told: str) -> None:
    assert told in facts(FORMS[form][0]).notices


# --- what cannot be read

LACKING = "line 1: no columns “system” and “output”."


REFUSED: list[tuple[bytes, str]] = [
    # Tables that are not wide.
    (b"item,gpt,llama\n1,A,B\n2,A\n", "line 3: 2 columns, where the first line has 3."),
    (b"item,who,wrote\n1,a,x\n1,b,y\n", LACKING),  # an item comes twice
    (b"no,who,wrote\n1,a,q\n2,b,r\n3,a,s\n4,b,t\n", "line 1: no columns “item”, “system” and"),
    (b"item,title,url\n1,a,b\n", LACKING),
    (b"item,sytem,wrote\n1,a,x\n", LACKING),
    (b"1,a,Some text\n2,b,More\n", "line 1: no columns “item”, “system” and “output”."),
    (b"x,a,Some text\ny,a,More\n", "line 1: no columns “item”, “system” and “output”."),
    (lines({"item": 1, "gpt": "A", "llama": "B"}, {"item": 2, "gpt": "A"}), "line 2: no text"),
    (b"item,gpt_output,system\n1,x y,z\n", "line 1: no column “output”."),
    # No system.
    (b"item,bot,output\n1,a,x\n1,b,y\n", "line 1: no column “system”."),
    (
        b"item,bot,output\n" + b"".join(b"%d,a,x\n" % i for i in range(30)) + b"1,b,y\n",
        "line 32: a second output for an item, and no column names the system. Add one.",
    ),
    (lines({"item": 1, "sytem": "a", "output": "x"}), "line 1: “system” is missing. Did you"),
    # Chats.
    (lines({"id": 1, "model": "a", "messages": [ASKED]}), "line 1: the chat ends with a turn"),
    (lines({"id": 1, "model": "a", "messages": []}), "line 1: “messages” has no turns."),
    (lines({"id": 1, "model": "a", "messages": "x"}), "line 1: “messages” is no list of turns"),
    (lines({"id": 1, "model": "a", "messages": None}), "line 1: “messages” is no list of"),
    (lines({"messages": [ASKED, 7]}), "line 1: turn 2 of the chat has no “role”."),
    (lines({"messages": [{"from": "gpt", "value": "x"}]}), "line 1: turn 1 of the chat has no"),
    (
        lines({"messages": [{"role": "judge", "content": "x"}]}),
        "line 1: the chat ends with a turn of “judge”.",
    ),
    (
        lines({"messages": [{"role": "assistant", "content": None, "tool_calls": []}]}),
        "line 1: the last turn of the chat has no text as its “content”.",
    ),
    (
        lines({"messages": [answer([{"type": "image_url", "image_url": "x"}])]}),
        "line 1: turn 1 of the chat has no text as its “content”. Pictures",
    ),
    (
        lines({"item": 1, "system": "a", "output": "x", "input": [{"role": "\ud800"}]}),
        "line 1: “input” contains an incomplete character",
    ),
    (lines({"prompt": "p", "chosen": "A", "rejected": None}), "line 1: no text of “rejected”"),
    (b'id,model,messages\n1,a,"[{"\n', "line 2: “messages” is no list of turns"),
    # By columns.
    (
        lines({"item": [1, 2], "system": ["a"], "output": ["x", "y"]}),
        "the columns are not of the same rows: “item” has 2 and “system” has 1.",
    ),
    (lines({"item": [], "output": []}), "The file is empty."),
    (lines({"item": [1], "output": ["x"]}, {}), "something else than columns follows the"),
    (lines({"item": [1], "output": ["x"]}, 7), "something else than columns follows the"),
    (
        lines({"item": ["x" * 9_000_000], "output": ["x"]}),
        "line 1: longer than 8 MB. Is this a table that is written column by column? Write ",
    ),
    # This product's.
    (lines({"output": 7, "item": "1", "systems": "a", "text": "x"}), "line 1: “systems” is no"),
    # Compressed.
    (gzip.compress(LONG)[:-9], "This compressed file or spreadsheet cannot be read"),
    (gzip.compress(LONG) + b"more", "This compressed file or spreadsheet cannot be read"),
    (gzip.compress(gzip.compress(LONG)), "This is a compressed file in a compressed file."),
    (
        archive(("a.jsonl", lines(*[{"item": i, "output": "x"} for i in range(30)]) + b"[")),
        "a.jsonl, line 31: not JSON",
    ),
    (
        archive(("a.json", json.dumps([{"item": i, "output": ""} for i in range(30)])[:-1])),
        "a.json, line 1: not JSON",
    ),
    (archive(("a.csv", ONE), ("b.csv", OTHER))[:59], "This compressed file or spreadsheet"),
    (archive(("a.csv", LONG))[:60], "a.csv: This compressed file or spreadsheet cannot be"),
    (archive(("in.zip", archive(("a.csv", LONG)))), "in.zip: This is an archive or a"),
    (archive(("a.csv.gz", gzip.compress(LONG))), "a.csv.gz: This is a compressed file in a"),
    (archive(("a.csv", LONG), ("xl/a.xml", b"<x/>")), "This file looks like a spreadsheet"),
    (archive(), "There is no file in this archive."),
    (archive(("c-7/plan.json", b"{}")), "This is the export of a campaign. Unpack"),
    (archive(("__MACOSX/a", b"x")), "There is no file in this archive."),
    (archive(*((f"{i}.csv", ONE) for i in range(101))), "More than 100 files are in this"),
    (archive(("a.csv", LONG), ("b.csv", b"item,output\n1\n")), "b.csv: not of the same form"),
    (archive(("a.csv", LONG), ("b.jsonl", b"{}")), "b.jsonl: not of the same form"),
    (archive(("a.csv", ONE), ("b.csv", b"item,output\n1,x\n2\n")), "b.csv, line 3: 1 columns"),
    (archive(("a.csv", ONE), ("b.csv", b'item,output\n"",x\n')), "b.csv, line 2: “item” is"),
    (archive(("a/x.csv", ONE), ("b/x.csv", OTHER)), "x.csv, line 2: a second output"),
]


@pytest.mark.parametrize(("data", "told"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_read_says_why(data: bytes, told: str) -> None:
    problems = refused(data)
    assert len(problems) == 1
    assert problems[0].startswith(told)
    problems[0].encode()


def test_a_damaged_file_in_an_archive_is_noticed() -> None:
    whole = archive(("a.csv", LONG), method=zipfile.ZIP_STORED)
    assert "damaged" in refused(whole.replace(b"A mill", b"A mull", 1))[0]


def test_an_export_is_what_it_is_taken_for() -> None:
    assert export.PLAN == packed.EXPORT_BEGINS
    assert export.OUTPUTS.columns.keys() >= shapes.EXPORTED


def test_a_password_is_told() -> None:
    locked = bytearray(archive(("a.csv", LONG)))
    locked[6] |= 1
    assert refused(bytes(locked))[0].startswith("a.csv: “a.csv” is packed with a password.")


# --- limits


def bomb(megabytes: int) -> bytes:
    row = b'{"item": "1", "system": "a", "output": "' + b" " * 1_000_000 + b'"}\n'
    return row * megabytes


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: archive(("a.jsonl", data))])
def test_what_grows_beyond_reason_is_not_unpacked(pack: Any) -> None:
    data = pack(bomb(100))
    tracemalloc.start()
    try:
        (told,) = refused(data)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert "more than 100 times as large" in told


def test_many_tiny_parts_are_read() -> None:
    assert short(rows([gzip.compress(b"") * 50_000 + gzip.compress(LONG)])) == MILL
    assert short(rows([b"".join(gzip.compress(bytes([one])) for one in LONG)])) == MILL


def test_what_is_too_large_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MOST_BYTES", len(LONG) - 1)
    assert "larger than 2 GB" in refused(gzip.compress(LONG))[0]
    monkeypatch.setattr(packed, "MOST_BYTES", len(ONE))
    assert "larger than 2 GB" in refused(archive(("a.csv", ONE), ("b.csv", OTHER)))[0]


def test_a_compressed_file_is_read_in_blocks() -> None:
    def noise() -> Iterator[bytes]:
        for i in range(20_000):
            for system in ("a", "b"):
                yield lines({"item": i, "system": system, "output": f"{i * 7919} {system}" * 9})

    data = gzip.compress(b"".join(noise()))
    seen: list[int] = []

    def blocks() -> Iterator[bytes]:
        for start in range(0, len(data), 100_000):
            seen.append(start)
            yield data[start : start + 100_000]

    assert next(recognised(blocks()).records)
    assert len(seen) < 3


# --- nothing is an exception

NAMES = "item output messages chosen rejected role content text systems gpt llama prompt 0 1"
MADE = st.recursive(
    st.none() | st.integers(-2, 2) | st.text('a0"[{', max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES.split()),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(MADE, min_size=1, max_size=4))
def test_any_entries_are_read_or_refused(entries: list[Any]) -> None:
    for data in (lines(*entries), json.dumps(entries).encode()):
        with suppress(UploadRefused):
            assert rows([data])


@given(st.binary(max_size=40), st.integers(0, 200))
def test_any_damage_to_an_archive_is_refused_or_read(damage: bytes, at: int) -> None:
    for whole in (archive(("gpt.csv", ONE), ("llama.csv", OTHER)), streamed(("a.csv", LONG))):
        with suppress(UploadRefused):
            assert rows([whole[:at] + damage + whole[at + len(damage) :]])


@given(st.text('a"\t\n', max_size=30))
def test_any_table_with_tabs_is_read_or_refused(text: str) -> None:
    with suppress(UploadRefused):
        assert rows([b"item\tsystem\toutput\n" + text.encode()])


# --- from a file to an open campaign, by page, program and command

ITEMS = [str(i) for i in range(4)]
WIDE = b"item,gpt,llama\n" + b"".join(f"{i},gpt {i},llama {i}\n".encode() for i in ITEMS)
WAYS = {
    "wide": WIDE,
    "chats": lines(
        *(
            {"id": i, "model": model, "messages": [ASKED, answer(f"{model} {i}")]}
            for i in ITEMS
            for model in ("gpt", "llama")
        )
    ),
    "archive": archive(
        *(
            (
                f"runs/{model}.csv",
                "".join(["item,output\n", *(f"{i},{model} {i}\n" for i in ITEMS)]),
            )
            for model in ("gpt", "llama")
        )
    ),
}


def is_whole(made: Campaign) -> bool:
    texts = set(made.outputs.values_list("item__key", "authorships__system__name", "text"))
    return texts == {(i, model, f"{model} {i}") for i in ITEMS for model in ("gpt", "llama")}


@pytest.mark.orm
@pytest.mark.django_db
@pytest.mark.parametrize("way", WAYS)
def test_a_researcher_opens_a_campaign_from_it(way: str, client: Client) -> None:
    client.force_login(user("ada"))
    page = looked_at(client, WAYS[way])
    assert "Read" in page.content.decode()
    kept = page.context["of"].public_id
    first = client.get(reverse("annotate:import-item", args=[kept, 1]))
    assert "gpt 0" in first.content.decode()
    press(client, page)
    imports.run_due()
    made = Campaign.objects.get()
    assert is_whole(made)
    client.post(reverse("annotate:act", args=[made.public_id, "open"]))
    made.refresh_from_db()
    assert made.status == Campaign.Status.OPEN


@pytest.mark.orm
@pytest.mark.django_db
@pytest.mark.parametrize("way", WAYS)
def test_a_program_makes_the_same_of_it(way: str) -> None:
    api = APIClient()
    api.force_login(user("ada"))
    file = SimpleUploadedFile("outputs.any", WAYS[way])
    plan = {"name": "News", "targets": json.dumps({"overall": 0.2}), "file": file}
    answered = api.post("/api/v1/campaigns/", plan, format="multipart")
    assert answered.status_code == 201, answered.content
    assert any("column" in one or "system" in one for one in answered.json()["notices"])
    assert is_whole(Campaign.objects.get())
    bad = plan | {"file": SimpleUploadedFile("outputs.zip", archive())}
    refusal = api.post("/api/v1/campaigns/", bad, format="multipart")
    assert refusal.status_code == 422
    assert "There is no file in this archive" in refusal.content.decode()


@pytest.mark.orm
@pytest.mark.django_db
def test_rows_of_a_request_may_be_chats() -> None:
    api = APIClient()
    api.force_login(user("ada"))
    rows = [json.loads(line) for line in WAYS["chats"].splitlines()]
    plan = {"name": "News", "targets": {"overall": 0.2}, "outputs": rows}
    assert api.post("/api/v1/campaigns/", plan, format="json").status_code == 201
    assert is_whole(Campaign.objects.get())


@pytest.mark.orm
@pytest.mark.django_db
@pytest.mark.parametrize("way", WAYS)
def test_the_command_makes_the_same_of_it(way: str, tmp_path: Path) -> None:
    path, values = tmp_path / "outputs", tmp_path / "metrics.zip"
    path.write_bytes(WAYS[way])
    parts = (
        (f"{s}.csv", "system,item,metric,value\n" + "".join(f"{s},{i},comet,{i}\n" for i in ITEMS))
        for s in ("gpt", "llama")
    )
    values.write_bytes(archive(*parts))
    options = ["--target", "overall=0.2", "--metric", "comet", "--metrics", str(values)]
    call_command("create_campaign", str(path), "--name", "News", *options, stdout=io.StringIO())
    assert is_whole(Campaign.objects.get())
    assert Output.objects.filter(given_metrics__comet__isnull=False).count() == 8


# --- memory does not grow with the file


@pytest.mark.slow
def test_more_rows_of_a_wide_table_take_no_more_memory() -> None:
    def peak(items: int) -> int:
        def blocks() -> Iterator[bytes]:
            yield b"item,gpt,llama\n"
            for i in range(items):
                yield f"{i},{f'gpt {i} ' * 50},{f'llama {i} ' * 50}\n".encode()

        tracemalloc.start()
        try:
            with Sheet() as sheet:
                for record in recognised(blocks()).records:
                    assert not isinstance(record, RowError)
                    sheet.add(row_of(record[1], record[0]))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(100)
    assert peak(4000) < 1.5 * peak(1000)
