"""Menus above the columns of a file, names that are joined, and what is kept of a refused file."""

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotate.campaigns import imports
from annotate.models import Campaign, CampaignImport, ImportChunk
from tests.annotate.campaigns.test_import_binary import sheet, table
from tests.annotate.campaigns.test_import_shapes import ASKED, answer, archive, lines
from tests.annotate.researcher import NEW, PLAN, begun, looked_at, press, walked
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(user("ada"))
    return client


def form_of(client: Client, of: CampaignImport) -> Any:
    return client.get(NEW, {"import": of.public_id}).context["form"]


def roles(client: Client, of: CampaignImport) -> dict[str, str]:
    return {one.label: one.value() for one in form_of(client, of).menus}


def chosen(client: Client, of: CampaignImport, **changes: str) -> Any:
    """Send the menus of the page with some of them changed, by the columns' names."""
    menus = form_of(client, of).menus
    body = {one.html_name: changes.get(str(one.label), one.value()) for one in menus}
    answered = client.post(NEW, {**PLAN, "import": of.public_id, **body})
    if answered.status_code == 302:
        imports.run_due()
    return answered


def newest() -> CampaignImport:
    return CampaignImport.objects.latest("pk")


def outputs(of: CampaignImport) -> dict[str, list[str]]:
    found = imports.facts_of(of).systems
    return {one.name: [sample.output for sample in one.samples] for one in found}


ODD = b"no;who;says\n1;a;one\n1;b;two\n2;a;three\n2;b;four\n"


def test_a_file_whose_columns_are_not_recognised_gets_menus(ada: Client) -> None:
    of = begun(ada, ODD)
    assert of.status == "refused"
    page = ada.get(reverse("annotate:import", args=[of.public_id])).content.decode()
    assert "Say which column is which" in page
    assert f"{NEW}?import={of.public_id}#columns-part" in page
    assert roles(ada, of) == {"no": "numbers", "who": "", "says": ""}
    assert form_of(ada, of).first_rows[:2] == [("1", "a", "one"), ("1", "b", "two")]
    assert chosen(ada, of, no="item", who="system", says="output").status_code == 302
    assert newest().status == "ready"
    assert outputs(newest()) == {"a": ["one", "three"], "b": ["two", "four"]}
    assert CampaignImport.objects.get(pk=of.pk).status == "cancelled"
    page = ada.get(walked(ada).url)
    assert "Read as you said: “no” as item, “who” as system, “says” as output." in (
        page.content.decode()
    )


def test_a_misspelt_name_is_proposed_so_one_press_corrects_it(ada: Client) -> None:
    of = begun(ada, b"item,sytem,output\n1,a,one\n1,b,two\n")
    assert roles(ada, of)["sytem"] == "system"
    assert chosen(ada, of).status_code == 302
    assert outputs(newest()) == {"a": ["one"], "b": ["two"]}


@pytest.mark.parametrize(
    "data",
    [
        lines({"item": 1, "sytem": "a", "output": "one"}),
        table([{"item": 1, "sytem": "a", "output": "one"}]),
        sheet([["item", "sytem", "output"], [1, "a", "one"]]),
        archive(("x.csv", b"item,sytem,output\n1,a,one\n")),
    ],
)
def test_so_it_is_in_every_kind_of_file(ada: Client, data: bytes) -> None:
    of = begun(ada, data)
    assert of.status == "refused"
    chosen(ada, of)
    assert outputs(newest()) == {"a": ["one"]}


CASES: dict[str, tuple[bytes, dict[str, str], dict[str, str], dict[str, list[str]]]] = {
    "a column that is no system": (
        b"item,gpt,llama,judge says\n1,A,B,fine by me\n2,C,D,well then\n",
        {"item": "item", "gpt": "systems", "llama": "systems", "judge says": "systems"},
        {"judge says": ""},
        {"gpt": ["A", "C"], "llama": ["B", "D"]},
    ),
    "another column is the output": (
        b"item,system,output,final\n1,a,x,one\n2,a,y,two\n",
        {"item": "item", "system": "system", "output": "output", "final": ""},
        {"output": "", "final": "output"},
        {"a": ["one", "two"]},
    ),
    "a column is ignored": (
        b"item,system,output,len\n1,a,x,3\n2,a,y,4\n",
        {"item": "item", "system": "system", "output": "output", "len": "numbers"},
        {"len": ""},
        {"a": ["x", "y"]},
    ),
    "several could be it": (
        b"item,system,answer,summary\n1,a,x,one\n2,a,y,two\n",
        {"item": "item", "system": "system", "answer": "output", "summary": ""},
        {"answer": "", "summary": "output"},
        {"a": ["one", "two"]},
    ),
    "chats": (
        lines({"id": 1, "model": "a", "talk": [ASKED, answer("x")]}),
        {"id": "item", "model": "system", "talk": ""},
        {"talk": "chat"},
        {"a": ["x"]},
    ),
    "text files": (
        archive(("gpt.txt", "A\nB\n"), ("src.txt", "C\nD\n"), ("other.txt", "E\nF\n")),
        {"gpt": "systems", "src": "input", "other": "systems"},
        {"other": "reference", "src": "systems"},
        {"gpt": ["A", "B"], "src": ["C", "D"]},
    ),
    "text files, none of a system": (
        archive(("src.txt", "A\nB\n"), ("ref.txt", "C\nD\n")),
        {"src": "input", "ref": "reference"},
        {"ref": "systems"},
        {"ref": ["C", "D"]},
    ),
    "no item": (
        b"item,output\n1,x\n1,y\n",
        {"item": "item", "output": "output"},
        {"item": ""},
        {"system": ["x", "y"]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_another_choice_reads_the_file_that_is_here_in_another_way(ada: Client, case: str) -> None:
    data, proposed, changes, expected = CASES[case]
    of = begun(ada, data)
    assert roles(ada, of) == proposed
    assert chosen(ada, of, **changes).status_code == 302
    assert outputs(newest()) == expected
    assert roles(ada, newest()) == proposed | changes  # as they were said


def test_what_is_not_changed_is_not_read_again(ada: Client) -> None:
    of = begun(ada, CASES["a column is ignored"][0])
    chosen(ada, of)
    assert newest().pk == of.pk
    assert (of.status, newest().columns) == ("ready", {})


def test_another_file_is_read_by_its_own_names(ada: Client) -> None:
    of = begun(ada, ODD)
    file = SimpleUploadedFile("outputs.csv", b"item,system,output\n1,a,one\n")
    body = {**PLAN, "import": of.public_id, "role_0": "item", "outputs": file}
    assert ada.post(NEW, body).status_code == 302
    imports.run_due()
    assert (newest().status, newest().columns) == ("ready", {})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"no": "item", "who": "item", "says": "output"}, "Two columns are chosen as “item (its"),
        ({"no": "item"}, "Choose which columns hold the outputs: “output” or"),
        ({"who": "systems", "says": "output"}, "Choose which columns hold the outputs"),
        ({"who": "system", "says": "systems"}, "Choose either a column for each system"),
        ({"who": "nonsense"}, "Choose which columns hold the outputs"),
    ],
)
def test_menus_that_contradict_each_other_are_told(
    ada: Client, changes: dict[str, str], told: str
) -> None:
    answered = chosen(ada, begun(ada, ODD), **changes)
    assert answered.status_code == 422
    assert told in answered.content.decode()


def test_a_refused_file_is_no_draft_and_goes_after_an_hour(ada: Client) -> None:
    of = begun(ada, ODD)
    assert "Not created yet" not in ada.get(reverse("annotate:campaigns")).content.decode()
    assert ImportChunk.objects.exists()
    imports.run_due()
    assert ImportChunk.objects.exists()
    earlier = timezone.now() - timedelta(minutes=61)
    CampaignImport.objects.filter(pk=of.pk).update(changed_at=earlier)
    imports.run_due()
    assert not ImportChunk.objects.exists()
    page = ada.get(reverse("annotate:import", args=[of.public_id])).content.decode()
    assert "Say which column is which" not in page
    assert "Nothing of it was kept." in page
    assert form_of(ada, newest()).menus == []
    assert chosen(ada, newest()).status_code == 422  # and the file is asked for


def test_the_next_file_takes_the_place_of_a_refused_one(ada: Client) -> None:
    first, second = begun(ada, ODD), begun(ada, ODD, name="Other")
    first.refresh_from_db()
    assert (first.status, second.status) == ("cancelled", "refused")
    imports.run_due()
    assert set(ImportChunk.objects.values_list("campaign_import", flat=True)) == {second.pk}


def test_a_file_that_no_menu_corrects_is_not_kept(ada: Client) -> None:
    of = begun(ada, b"item,system,output\n1,a,one\n1,a,two\n")
    assert of.status == "refused"
    assert not ImportChunk.objects.exists()


def test_columns_with_hostile_names_and_cells_are_shown_or_left_out(ada: Client) -> None:
    odd = {"item": 1, "\ud800": 2, "a\0b": 3, "<b>": "<script>", "": 4, "x" * 201: 5}
    of = begun(ada, lines(odd | {"note": "\0\ud800" + "x" * 99, "d": {"e": [1]}}))
    assert list(roles(ada, of)) == ["item", "<b>", "note", "d"]
    page = ada.get(NEW, {"import": of.public_id}).content.decode()
    assert "<script>" not in page.replace("<script type", "").replace("<script id", "")
    assert "&lt;script&gt;" in page
    many = lines({f"c{n}": n for n in range(900)})
    assert len(roles(ada, begun(ada, many))) == 60


# --- names that look alike

ALIKE = (
    b"item,system,output\n"
    b"cafe\xcc\x81,GPT,one\ncaf\xc3\xa9,llama ,two\n"
    b"caf\xc3\xa9 2,gpt ,three\nCAF\xc3\x89  2,llama,four\n"
)
JOINED = {"GPT": ["one", "three"], "llama ": ["two", "four"]}


@pytest.mark.slow
def test_names_that_look_alike_are_joined_by_a_button(ada: Client) -> None:
    page = looked_at(ada, ALIKE)
    assert "Join names that look alike" in page.content.decode()
    answered = press(ada, page, "join")
    imports.run_due()
    assert outputs(newest()) == JOINED
    page = ada.get(answered.url)
    text = page.content.decode()
    assert "The system “gpt·” is read as “GPT”." in text
    assert "Join names" not in text
    press(ada, page)
    imports.run_due()
    made = Campaign.objects.get()
    assert (made.systems.count(), made.items.count()) == (2, 2)


def test_joined_names_that_were_two_of_one_are_told(ada: Client) -> None:
    page = looked_at(ada, b"item,system,output\n1,GPT,one\n1,gpt,two\n")
    press(ada, page, "join")
    imports.run_due()
    assert "system “GPT” already has an output for item “1” on line 2" in str(
        imports.refusal_of(newest())
    )


def test_a_program_and_a_command_join_them(ada: Client, tmp_path: Any) -> None:
    api = APIClient()
    api.force_login(user("bea"))
    plan = {"name": "News", "targets": json.dumps({"overall": 0.2})}

    def sent(**more: Any) -> Any:
        body = {**plan, "file": SimpleUploadedFile("a.csv", ALIKE), **more}
        return api.post("/api/v1/campaigns/", body, format="multipart")

    refused = sent()
    assert "`join_names`" in refused.json()["errors"]["distinct_names"]
    assert sent(join_names="true").status_code == 201
    path = tmp_path / "a.csv"
    path.write_bytes(ALIKE)
    values = tmp_path / "metrics.csv"
    values.write_text("system,item,metric,value\ngpt,café 2,comet,1\n")
    options = ["--name", "News", "--target", "overall=0.2", "--join-names"]
    options += ["--metrics", str(values)]
    call_command("create_campaign", str(path), *options, stdout=io.StringIO())
    for made in Campaign.objects.all():
        assert sorted(made.systems.values_list("name", flat=True)) == ["GPT", "llama "]


# --- programs say the same


@pytest.mark.parametrize("way", ["file", "rows", "large file"])
def test_a_program_says_which_column_is_which(
    way: str, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = APIClient()
    api.force_login(user("bea"))
    columns = {"no": "item", "who": "system", "says": "output"}
    if way == "rows":
        rows = [{"no": "1", "who": s, "says": f"{s} 1"} for s in ("a", "b")]
        body = {"name": "News", "targets": {"overall": 0.2}, "outputs": rows, "columns": columns}
        answered = api.post("/api/v1/campaigns/", body, format="json")
    else:
        if way == "large file":
            monkeypatch.setattr(imports, "MOST_AT_ONCE", 9)
        body = {"name": "News", "targets": json.dumps({"overall": 0.2})}
        body |= {"file": SimpleUploadedFile("a.csv", ODD), "columns": json.dumps(columns)}
        answered = api.post("/api/v1/campaigns/", body, format="multipart")
        imports.run_due()
    assert answered.status_code == (202 if way == "large file" else 201), answered.content
    assert sorted(Campaign.objects.get().systems.values_list("name", flat=True)) == ["a", "b"]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"no": "nonsense"}, "A column is one of item, system, output"),
        ({"no": "item", "who": "item"}, "Two columns are chosen as"),
        ({"x" * 201: "item"}, "is no name of a column"),
        ({"no": "output", "who": "systems"}, "Choose which columns hold the outputs"),
        ([1], ""),
        ("nonsense", ""),
    ],
)
def test_columns_that_contradict_are_refused(columns: Any, told: str) -> None:
    api = APIClient()
    api.force_login(user("bea"))
    rows = [{"no": "1", "who": "a", "says": "one"}]
    body = {"name": "News", "targets": {"overall": 0.2}, "outputs": rows, "columns": columns}
    answered = api.post("/api/v1/campaigns/", body, format="json")
    assert 400 <= answered.status_code < 500
    assert told in str(answered.json()["errors"]["columns"])


def test_a_command_says_which_column_is_which(tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(ODD)
    options = ["--name", "News", "--target", "overall=0.2"]
    named = [f"--column={one}" for one in ("no=item", "who=system", "says=output")]
    with pytest.raises(CommandError, match="Two columns are chosen"):
        call_command("create_campaign", str(path), *options, *named, "--column=x=item")
    with pytest.raises(CommandError, match="must look like text_no=item"):
        call_command("create_campaign", str(path), *options, "--column=item")
    call_command("create_campaign", str(path), *options, *named, stdout=io.StringIO())
    assert Campaign.objects.get().items.count() == 2
