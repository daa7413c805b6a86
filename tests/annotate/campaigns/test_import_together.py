"""Several files chosen together: one for each system, or text files that are aligned by line."""

import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotate.campaigns import imports, packed
from annotate.campaigns.problems import Row, UploadRefused
from annotate.campaigns.reading import rows
from annotate.models import Campaign, CampaignImport
from tests.annotate.campaigns.test_import_forms import facts, refused
from tests.annotate.campaigns.test_import_shapes import ITEMS, archive, is_whole, lines
from tests.annotate.researcher import NEW, NO_FILE, PLAN, press, walked
from tests.factories import user

GPT, LLAMA = ("gpt.txt", "A mill.\nTwo\n"), ("llama.txt", "The mill.\r\nZwei")
SOURCE, REF = ("source.txt", "What?\nHow many?\n"), ("wmt.ref.en", "One mill.\nA pair\n")
READ = [("1", "gpt", "A mill."), ("1", "llama", "The mill.")]
READ += [("2", "gpt", "Two"), ("2", "llama", "Zwei")]


def short(found: list[Row]) -> list[tuple[str, ...]]:
    return [(row.item, row.system, row.output) for row in found]


def test_lines_of_one_number_are_of_one_item() -> None:
    found = rows([archive(GPT, SOURCE, LLAMA, REF)])
    assert short(found) == READ
    assert [(row.input, row.reference) for row in found] == [
        ("What?", "One mill."),
        ("What?", "One mill."),
        ("How many?", "A pair"),
        ("How many?", "A pair"),
    ]


def test_what_the_files_were_taken_for_is_told() -> None:
    found = facts(archive(GPT, SOURCE, LLAMA, REF, ("my_ref-2.txt", "x\ny")))
    assert found.form == "text files, aligned by line"
    assert found.notices == [
        "No item is named, so the items are numbered.",
        "Each line of a file is an output. The systems are “gpt” and “llama”.",
        "“source” has the input of each item, by its name.",
        "“wmt.ref” has the reference of each item, by its name.",
        "“my_ref-2” is not used: an item has one input and one reference.",
    ]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        # Empty lines are empty outputs; the last line may have an end or not.
        ([("a.txt", "\nx\n\n"), ("b.txt", "1\n\n3")], ["", "1", "x", "", "", "3"]),
        ([("a.txt", "x\n".encode("utf-16")), ("b.txt", "ä\n")], ["x", "ä"]),
        # What looks like a table or JSON in places is text here.
        ([("a.de", '{"x"\n'), ("b.en", "[1] is it\n")], ['{"x"', "[1] is it"]),
        ([("a.txt", "item, or so\n"), ("b.txt", "one;two\n")], ["item, or so", "one;two"]),
        # The same name but for the ending.
        ([("run.a", "x\n"), ("run.b", "y\n")], ["x", "y"]),
        # Tables and JSON are what they are, whatever their ending is.
        ([("a.txt", "item,output\n1,x\n"), ("b.txt", "item,output\n1,y\n")], ["x", "y"]),
        ([("a.txt", lines({"item": 1, "output": "x"}))], ["x"]),
        ([("a.txt", json.dumps([{"item": 1, "output": "x"}], indent=1))], ["x"]),
    ],
)
def test_texts_are_read_as_they_are(members: list[Any], expected: list[str]) -> None:
    assert [row.output for row in rows([archive(*members)])] == expected


REFUSED = [
    (
        [GPT, ("llama.txt", "x\ny\nz")],
        "the files do not have the same number of lines: “gpt.txt” has 2 and “llama.txt” has 3.",
    ),
    (
        [GPT, *((f"{i}.txt", "x\n") for i in range(9))],
        "the files do not have the same number of lines: “gpt.txt” has 2, “0.txt” has 1,",
    ),
    ([GPT, ("llama.txt", b"x\n\xff\n")], "llama.txt, line 2: not UTF-8 at byte 1."),
    (
        [GPT, ("llama.txt", b"x\n" + b"a" * 99 + b"\0\n")],
        "line 2: “output” contains a NUL character",
    ),
    ([GPT, ("x/gpt.txt", "1\n2\n")], "two files are called “gpt.txt”. Rename one."),
    ([GPT, ("y.pdf", "%PDF-")], "y.pdf: This is a PDF document."),
    ([SOURCE, REF], "no file has the outputs of a system"),
    ([("gpt.txt", "")], "The file is empty."),
    ([("a.csv", "item,output\n1,x\n"), GPT], "gpt.txt: This is neither JSON nor a table."),
]


@pytest.mark.parametrize(("members", "told"), REFUSED)
def test_files_that_do_not_go_together_say_why(members: list[Any], told: str) -> None:
    assert refused(archive(*members))[0].startswith(told)


@given(st.lists(st.text('a\n\r\0\ud800{",', max_size=9), min_size=1, max_size=4))
def test_any_text_files_are_read_or_refused(texts: list[str]) -> None:
    members = ((f"{n}.txt", t.encode(errors="surrogatepass")) for n, t in enumerate(texts))
    with suppress(UploadRefused):
        assert rows([archive(*members)])


# --- from files to a campaign, by page, program and command

MODELS = ("gpt", "llama")
WAYS = {
    "text": {f"{m}.txt": "".join(f"{m} {i}\n" for i in range(1, 5)) for m in MODELS},
    "tables": {
        f"{m}.csv": "item,output\n" + "".join(f"{i},{m} {i}\n" for i in ITEMS) for m in MODELS
    },
    "lines": {
        f"{m}.jsonl": lines(*({"id": i, "text": f"{m} {i}", "response": f"{m} {i}"} for i in ITEMS))
        for m in MODELS
    },
}


def content(way: str) -> list[tuple[str, bytes]]:
    return [(n, t.encode() if isinstance(t, str) else t) for n, t in WAYS[way].items()]


def is_right(made: Campaign, way: str) -> bool:
    if way != "text":
        return is_whole(made)
    texts = set(made.outputs.values_list("item__key", "authorships__system__name", "text"))
    return texts == {(str(i), m, f"{m} {i}") for i in range(1, 5) for m in MODELS}


@pytest.mark.orm
@pytest.mark.django_db
@pytest.mark.parametrize("way", WAYS)
def test_a_researcher_a_program_and_a_command_send_several(
    way: str, client: Client, tmp_path: Path
) -> None:
    ada = user("ada")
    client.force_login(ada)
    files = [SimpleUploadedFile(*one) for one in content(way)]
    assert client.post(NEW, PLAN | {"outputs": files}).status_code == 302
    imports.run_due()
    of = CampaignImport.objects.get()
    assert of.outputs_name == ", ".join(WAYS[way])
    page = client.get(walked(client).url)
    assert "system" in page.content.decode()
    press(client, page)
    imports.run_due()
    api = APIClient()
    api.force_login(ada)
    plan = {"name": "News", "targets": json.dumps({"overall": 0.2})}
    sent = plan | {"file": [SimpleUploadedFile(*one) for one in content(way)]}
    answered = api.post("/api/v1/campaigns/", sent, format="multipart")
    assert answered.status_code == 201, answered.content
    for name, data in content(way):
        (tmp_path / name).write_bytes(data)
    paths = [str(tmp_path / name) for name in WAYS[way]]
    options = ["--name", "News", "--target", "overall=0.2"]
    call_command("create_campaign", *paths, *options, stdout=io.StringIO())
    assert [is_right(one, way) for one in Campaign.objects.all()] == [True] * 3


@pytest.mark.orm
@pytest.mark.django_db
def test_a_form_sent_twice_is_one_import(client: Client) -> None:
    client.force_login(user("ada"))
    for _time in range(2):
        files = [SimpleUploadedFile(*one) for one in content("text")]
        assert client.post(NEW, PLAN | {"outputs": files, "key": "k"}).status_code == 302
    assert CampaignImport.objects.count() == 1


@pytest.mark.orm
@pytest.mark.django_db
def test_files_that_no_form_can_have_are_refused_in_words(client: Client, settings: Any) -> None:
    client.force_login(user("ada"))
    odd = [SimpleUploadedFile(name, b"x\n") for name in (".hidden", "a/../b.txt")]
    assert client.post(NEW, PLAN | {"outputs": odd}).status_code == 302
    empty = [SimpleUploadedFile("a.txt", b"x\n"), SimpleUploadedFile("b.txt", b"")]
    page = client.post(NEW, PLAN | {"outputs": empty})
    assert (page.status_code, "The file is empty." in page.content.decode()) == (422, True)
    page = client.post(NEW, PLAN | {"outputs": NO_FILE})
    assert (page.status_code, "Choose the file" in page.content.decode()) == (422, True)
    settings.UPLOAD_LIMIT = 10
    large = [SimpleUploadedFile(f"{n}.txt", b"123456\n") for n in range(2)]
    assert client.post(NEW, PLAN | {"outputs": large}).status_code == 413


def test_too_much_is_not_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "MOST_BYTES", 5)
    with pytest.raises(UploadRefused, match="larger than"):
        packed.pack([("a", [b"123"]), ("b", [b"456"])], io.BytesIO())
