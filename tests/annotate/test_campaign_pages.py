"""The researcher's pages: who sees what, uploading, inviting, acting."""

import csv
import json
import re
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotate import tokens
from annotate.models import AuditEntry, Campaign, Membership, Output
from annotate.services import campaigns, scoring
from estimation.metrics import available
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

NEW = "/campaigns/new/"
PLAN = {
    "name": "News", "width_overall": "0.2", "metric_choice": "named",
    "metric_names": ["repetition"], "reward": "0.40",
    "annotator_cap": "25", "double_share": "25", "level": "95", "estimand": "population",
    "stop_mode": "precision",
}  # fmt: skip


def lines(items: int = 4) -> bytes:
    rows = [
        {"item": f"i{i}", "system": system, "output": f"Text {i}" if i == 0 else f"{system} {i}"}
        for i in range(items)
        for system in ("alpha", "beta")
    ]
    return "\n".join(json.dumps(row) for row in rows).encode()


def send(
    client: Client, content: bytes | None = None, *, metrics: bytes = b"", **fields: Any
) -> Any:
    body: dict[str, Any] = {**PLAN, "act": "preview", **fields}
    body["outputs"] = SimpleUploadedFile("outputs.jsonl", lines() if content is None else content)
    if metrics:
        body["metrics_file"] = SimpleUploadedFile("metrics.csv", metrics)
    return client.post(NEW, body)


def shown(answer: Any) -> str:
    found = re.search(r'name="shown" value="([^"]+)"', answer.content.decode())
    assert found, answer.content.decode()
    return found.group(1)


@pytest.fixture
def ada(client: Client) -> Client:
    client.force_login(user())
    return client


@pytest.fixture
def mine(ada: Client) -> Campaign:
    return campaign(owner=owner_of(ada))


def owner_of(client: Client) -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(pk=client.session["_auth_user_id"])


def addresses(made: Campaign) -> list[str]:
    plot = [made.public_id, "overall", made.systems.all()[0].pk, 1]
    return [
        reverse("estimation:dashboard", args=[made.public_id]),
        reverse("estimation:numbers", args=[made.public_id]),
        reverse("estimation:trend", args=[*plot, "light"]),
        reverse("estimation:trend-table", args=plot),
        reverse("estimation:trend-data", args=plot),
        reverse("annotate:people", args=[made.public_id]),
        reverse("annotate:payments", args=[made.public_id]),
        reverse("annotate:export", args=[made.public_id]),
        reverse("annotate:act", args=[made.public_id, "close"]),
    ]


def test_everything_asks_for_a_login(client: Client) -> None:
    made = campaign(owner=user())
    for address in [*addresses(made), "/", NEW, reverse("estimation:at-target")]:
        answer = client.get(address)
        assert answer.status_code == 302, address
        assert answer["Location"].startswith("/login/"), address


def test_a_fragment_never_becomes_a_login_page(client: Client) -> None:
    made = campaign(owner=user())
    headers = {"HX-Request": "true"}
    numbers = client.get(reverse("estimation:numbers", args=[made.public_id]), headers=headers)
    assert (numbers.status_code, numbers["HX-Refresh"]) == (401, "true")
    upload = client.post(NEW, PLAN, headers=headers)
    assert upload.status_code == 401
    assert "HX-Refresh" not in upload


def test_a_foreign_campaign_is_not_there(ada: Client) -> None:
    made = campaign(owner=user("eve"))
    for address in addresses(made):
        answer = ada.get(address)
        assert answer.status_code == 404, address
        assert made.name.encode() not in answer.content, address
    act = reverse("annotate:act", args=[made.public_id, "pause"])
    assert ada.post(act).status_code == 404
    assert ada.get("/").context["campaigns"] == []


def test_a_reviewer_sees_but_cannot_act(ada: Client) -> None:
    made = campaign(owner=user("eve"))
    Membership.objects.create(campaign=made, user=owner_of(ada), role=Membership.Role.REVIEWER)
    page = ada.get(reverse("estimation:dashboard", args=[made.public_id]))
    assert page.status_code == 200
    assert b"/act/" not in page.content
    for verb in ("open", "pause", "close", "finish", "reopen", "archive"):
        act = reverse("annotate:act", args=[made.public_id, verb])
        assert ada.post(act, {"why": "because"}).status_code == 403, verb
    assert ada.get(reverse("annotate:payments", args=[made.public_id])).status_code == 403
    reviewers = reverse("annotate:reviewers", args=[made.public_id])
    assert ada.post(reviewers, {"username": "eve"}).status_code == 403
    made.refresh_from_db()
    assert made.status == Campaign.Status.OPEN


def test_the_empty_list_says_how_to_start(ada: Client) -> None:
    page = ada.get("/").content.decode()
    assert "create_campaign" in page
    assert NEW in page
    assert "&quot;item&quot;" in page or '"item"' in page


def test_the_list_shows_money_and_progress(ada: Client) -> None:
    made = campaign(owner=owner_of(ada), budget=Decimal(50), fee_rate=Decimal("0.2"))
    judge(person(made))
    (row,) = ada.get("/").context["campaigns"]
    assert (row.judged, row.spent, row.budget) == (1, Decimal("0.48"), Decimal(50))
    assert row.planned == made.places.count()


def test_preview_stores_nothing_and_counts(ada: Client) -> None:
    answer = send(ada)
    preview = answer.context["preview"]
    assert not Campaign.objects.exists()
    assert (preview.n_items, preview.n_rows, preview.n_outputs, preview.n_shared) == (4, 8, 7, 1)
    assert preview.planned == 9  # 7 outputs, a quarter of them twice
    assert preview.most == Decimal("3.60")
    assert [len(system.samples) for system in preview.systems] == [3, 3]


def test_the_second_press_creates_what_was_shown(ada: Client) -> None:
    answer = send(ada, act="create", shown=shown(send(ada)))
    made = Campaign.objects.get()
    assert answer["Location"] == reverse("estimation:dashboard", args=[made.public_id])
    assert made.status == Campaign.Status.DRAFT
    assert made.targets.get().width == 0.2
    assert (made.metrics, made.annotator_cap, made.level) == (["repetition"], 25, 0.95)
    assert made.memberships.get().role == Membership.Role.OWNER


def test_by_htmx_the_answer_is_a_fragment_and_then_a_redirect(ada: Client) -> None:
    headers = {"HX-Request": "true"}
    body = {**PLAN, "act": "preview"}
    first = ada.post(NEW, {**body, "outputs": SimpleUploadedFile("o", lines())}, headers=headers)
    assert b"<html" not in first.content
    body |= {"act": "create", "shown": shown(first)}
    then = ada.post(NEW, {**body, "outputs": SimpleUploadedFile("o", lines())}, headers=headers)
    assert then["HX-Redirect"] == reverse(
        "estimation:dashboard", args=[Campaign.objects.get().public_id]
    )


@pytest.mark.parametrize("changed", [{"content": lines(5)}, {"reward": "0.50"}])
def test_a_file_or_plan_that_was_not_shown_is_shown_first(ada: Client, changed: Any) -> None:
    answer = send(ada, **changed, act="create", shown=shown(send(ada)))
    assert answer.context["changed"]
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("forged", ["", "abc", "abc:def:ghi"])
def test_a_forged_digest_creates_nothing(ada: Client, forged: str) -> None:
    assert send(ada, act="create", shown=forged).status_code == 200
    assert not Campaign.objects.exists()


ZEROS = b"0" * 400
GOOD_ROW = b'{"item": "a", "system": "s", "output": "x"}\n'


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        (b"   \n", 0, "The file is empty"),
        (GOOD_ROW + b"nope\n", 2, "not JSON"),
        (GOOD_ROW + b'{"item": "b", "system": "s"}\n', 2, "“output” is missing"),
        (GOOD_ROW + b'{"item": "b", "sytem": "s", "output": "x"}', 2, "Did you mean “system”"),
        (GOOD_ROW + GOOD_ROW, 2, "already has an output"),
        ("{'é'}".encode("utf-16"), 1, "not UTF-8"),
        (GOOD_ROW + b'{"item": "\xe9", "system": "s", "output": "x"}', 2, "not UTF-8"),
        (b'{"item":"a","system":"s","output":"x","metrics":{"m":NaN}}', 1, "NaN is not a number"),
        (b'{"item":"a","system":"s","output":"x","metrics":{"m":1e999}}', 1, "not finite"),
        (b'{"item":"a","system":"s","output":"x","metrics":{"m":1%s}}' % ZEROS, 1, "not finite"),
        (b'{"item":"a","system":"s","output":"\\ud800"}', 1, "half a character"),
        (b"[" * 100_000, 1, "not "),
    ],
)  # fmt: skip
def test_bad_lines_are_told_with_their_number(
    ada: Client, content: bytes, line: int, says: str
) -> None:
    answer = send(ada, content)
    assert answer.status_code == 422
    (error,) = answer.context["problems"].errors
    assert error.line == line
    assert says in error.message
    assert says.split("“")[0] in answer.content.decode()
    assert not Campaign.objects.exists()
    assert not Output.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": " "}, "name"),
        ({"width_overall": ""}, "width_fluency"),
        ({"width_overall": "-1"}, "width_overall"),
        ({"width_overall": "nan"}, "width_overall"),
        ({"reward": "-1"}, "reward"),
        ({"reward": "NaN"}, "reward"),
        ({"budget": "0"}, "budget"),
        ({"level": "100"}, "level"),
        ({"double_share": "101"}, "double_share"),
        ({"annotator_cap": "0"}, "annotator_cap"),
        ({"max_judgments": "0"}, "max_judgments"),
        ({"deadline": "tomorrow"}, "deadline"),
        ({"metric_names": []}, "metric_names"),
        ({"metric_names": ["no such metric"]}, "metric_names"),
        ({"estimand": "everybody"}, "estimand"),
        ({"contact": "not an address"}, "contact"),
    ],
)
def test_bad_fields_are_told_beside_them(ada: Client, fields: Any, field: str) -> None:
    answer = send(ada, **fields)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert f'id="id_{field}_error"' in answer.content.decode()
    assert not Campaign.objects.exists()


def test_an_empty_file_is_told_beside_the_field(ada: Client) -> None:
    answer = send(ada, b"")
    assert answer.status_code == 422
    assert "The file is empty" in answer.context["form"].errors["outputs"][0]


def test_a_metric_that_cannot_be_had_is_told_by_line(ada: Client) -> None:
    assert (
        "no reference"
        in send(ada, metric_names=["rouge_l_f"]).context["problems"].errors[0].message
    )
    own = send(ada, metric_names=[], metric_columns="comet").context["problems"]
    assert "no value of the metric “comet”" in own.errors[0].message


@pytest.mark.parametrize(
    ("fields", "choice", "kept"),
    [
        ({"metric_names": ["length", "repetition"]}, "named", ["length", "repetition"]),
        ({"metric_choice": "none"}, "none", []),
        ({"metric_choice": "auto"}, "auto", [m.name for m in available(has_reference=False)]),
    ],
)
def test_the_preview_names_the_metrics_that_are_kept(
    ada: Client, fields: Any, choice: str, kept: list[str]
) -> None:
    first = send(ada, **fields)
    assert first.context["preview"].metrics == tuple(kept)
    assert (", ".join(kept) or "No metric") in first.content.decode()
    send(ada, **fields, act="create", shown=shown(first))
    assert Campaign.objects.values_list("metric_choice", "metrics").get() == (choice, kept)


def test_metric_values_come_from_a_second_file(ada: Client) -> None:
    values = b"system,item,metric,value\n" + b"".join(
        f"{system},i{i},comet,0.{i}\n".encode() for i in range(4) for system in ("alpha", "beta")
    )
    own = {"metric_names": [], "metric_columns": "comet", "metrics": values}
    first = send(ada, **own)
    assert first.status_code == 200
    send(ada, **own, act="create", shown=shown(first))
    assert Campaign.objects.get().metrics == ["comet"]
    bad = send(ada, **{**own, "metrics": values + b"alpha,i9,comet,1\n"})
    (error,) = bad.context["problems"].errors
    assert (error.line, "no output" in error.message) == (10, True)


def test_too_large_is_refused_before_reading(ada: Client, settings: Any) -> None:
    settings.UPLOAD_LIMIT = 1000
    huge = ada.post(NEW, data=b"x", content_type="multipart/form-data", CONTENT_LENGTH="99999999")
    counted = send(ada, GOOD_ROW * 100)
    for answer in (huge, counted):
        assert answer.status_code == 413
        assert "create_campaign" in answer.content.decode()


def test_the_form_is_protected_against_other_sites(ada: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(owner_of(ada))
    assert send(strict).status_code == 403


def test_acts_change_the_state_and_are_logged(ada: Client) -> None:
    made = campaign(owner=owner_of(ada), is_open=False)
    steps = [
        ("open", "open"), ("pause", "paused"), ("open", "open"), ("close", "closing"),
        ("finish", "closed"), ("reopen", "open"), ("close", "closing"), ("finish", "closed"),
        ("archive", "archived"),
    ]  # fmt: skip
    for verb, status in steps:
        ada.post(reverse("annotate:act", args=[made.public_id, verb]), {"why": "more people"})
        made.refresh_from_db()
        assert made.status == status, verb
    acted = AuditEntry.objects.filter(campaign=made, actor=owner_of(ada)).order_by("id")
    assert [entry.verb for entry in acted] == ["create", *(verb for verb, _ in steps)]
    assert acted.get(verb="reopen").detail == {"why": "more people"}
    assert acted.filter(verb="close")[0].detail["reason"] == "hand"


@pytest.mark.parametrize("verb", ["close", "finish", "reopen", "archive"])
def test_acts_of_weight_ask_first(ada: Client, mine: Campaign, verb: str) -> None:
    answer = ada.get(reverse("annotate:act", args=[mine.public_id, verb]))
    assert answer.status_code == 200
    assert b'<form method="post"' in answer.content
    mine.refresh_from_db()
    assert mine.status == Campaign.Status.OPEN


def test_reopening_needs_a_reason(ada: Client, mine: Campaign) -> None:
    campaigns.close(mine.pk, Campaign.Reason.HAND)
    campaigns.finish(mine.pk)
    answer = ada.post(reverse("annotate:act", args=[mine.public_id, "reopen"]), {"why": " "})
    assert answer.status_code == 422
    mine.refresh_from_db()
    assert mine.status == Campaign.Status.CLOSED


def test_an_act_that_came_too_late_is_explained(ada: Client, mine: Campaign) -> None:
    for verb in ("open", "finish", "archive"):
        act = reverse("annotate:act", args=[mine.public_id, verb])
        page = ada.post(act, follow=True)
        (message,) = page.context["messages"]
        assert message.level_tag == "error", verb
    assert ada.get(reverse("annotate:act", args=[mine.public_id, "explode"])).status_code == 404


def test_the_link_lets_people_in(ada: Client, mine: Campaign, settings: Any) -> None:
    settings.PUBLIC_URL = "https://plumbline.example"
    link = ada.get(reverse("annotate:people", args=[mine.public_id])).context["link"]
    assert link.startswith("https://plumbline.example/work/join/")
    token = link.rstrip("/").rsplit("/", 1)[1]
    assert tokens.read_invitation(token) == (mine.pk, "")


def test_personal_links_for_a_list_of_names(ada: Client, mine: Campaign) -> None:
    address = reverse("annotate:people", args=[mine.public_id])
    made = ada.post(address, {"names": "Ann  Lee\n\n bob \nbob\n"}).context["personal"]
    assert [name for name, _ in made] == ["Ann Lee", "bob"]
    token = made[0][1].rstrip("/").rsplit("/", 1)[1]
    assert tokens.read_invitation(token) == (mine.pk, "Ann Lee")
    assert ada.post(address, {"names": " \n"}).status_code == 422
    assert ada.post(address, {"names": "x" * 81}).status_code == 422


def test_who_worked_and_what_they_are_owed(ada: Client, mine: Campaign) -> None:
    worker = person(mine, "=cmd|evil")
    judge(worker)
    judge(worker)
    page = ada.get(reverse("annotate:people", args=[mine.public_id]))
    (row,) = page.context["people"]
    assert (row.pseudonym, row.judgments, row.earned) == (
        worker.annotator.pseudonym, 2, Decimal("0.80"),
    )  # fmt: skip
    assert b"evil" not in page.content
    paid = rows_of(ada.get(reverse("annotate:payments", args=[mine.public_id])))
    assert paid == [
        ["pseudonym", "external_id", "amount_usd"],
        [worker.annotator.pseudonym, "'=cmd|evil", "0.80"],
    ]


def test_the_export_is_pseudonymous_and_complete(ada: Client, mine: Campaign) -> None:
    worker = person(mine, "secret name")
    judge(worker)
    scoring.ensure(mine.pk)
    answer = ada.get(reverse("annotate:export", args=[mine.public_id]))
    header, *scores = rows_of(answer)
    assert {row[header.index("criterion")] for row in scores} == {
        "fluency", "redundancy", "overall", "edit",
    }  # fmt: skip
    assert {row[header.index("pseudonym")] for row in scores} == {worker.annotator.pseudonym}
    assert {row[header.index("counts")] for row in scores} == {"1"}


def rows_of(answer: Any) -> list[list[str]]:
    return list(csv.reader(b"".join(answer.streaming_content).decode().splitlines()))


def test_a_reviewer_is_added_by_name(ada: Client, mine: Campaign) -> None:
    bea = user("bea")
    address = reverse("annotate:reviewers", args=[mine.public_id])
    ada.post(address, {"username": "bea"})
    assert mine.memberships.get(user=bea).role == Membership.Role.REVIEWER
    assert AuditEntry.objects.get(campaign=mine, verb="add_reviewer").actor == owner_of(ada)
    for name in ("bea", "nobody", owner_of(ada).username):
        (*_, message) = ada.post(address, {"username": name}, follow=True).context["messages"]
        assert message.level_tag == "error", name
    assert mine.memberships.count() == 2


def count_queries(client: Client, address: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    return len(queries)


def test_pages_ask_a_constant_number_of_queries(ada: Client, mine: Campaign) -> None:
    listing, people = "/", reverse("annotate:people", args=[mine.public_id])
    judge(person(mine, "first"))
    before = [count_queries(ada, address) for address in (listing, people)]
    for n in range(3):
        other = campaign(owner=owner_of(ada), systems=("a", "b", "c"))
        judge(person(other, f"p{n}"))
        judge(person(mine, f"p{n}"))
    assert [count_queries(ada, address) for address in (listing, people)] == before


def test_an_unknown_address_has_a_page_in_the_look(ada: Client) -> None:
    answer = ada.get("/nowhere/")
    assert answer.status_code == 404
    assert b"There is nothing at this address" in answer.content
