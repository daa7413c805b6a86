"""Who may judge and review a campaign, what they did, and what they are owed."""

import csv
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.common import tokens
from annotate.models import Campaign
from annotate.work import scoring
from tests.factories import judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def test_the_link_lets_people_in(ada: Client, mine: Campaign, settings: Any) -> None:
    settings.PUBLIC_URL = "https://plumbline.example"
    link = ada.get(reverse("annotate:people", args=[mine.public_id])).context["link"]
    assert link.startswith("https://plumbline.example/work/join/")
    token = link.rstrip("/").rsplit("/", 1)[1]
    assert tokens.read_invitation(token) == (mine.pk, "", 0)


def test_personal_links_for_a_list_of_names(ada: Client, mine: Campaign) -> None:
    address = reverse("annotate:people", args=[mine.public_id])
    made = ada.post(address, {"names": "Ann  Lee\n\n bob \nbob\n"}).context["personal"]
    assert [name for name, _ in made] == ["Ann Lee", "bob"]
    token = made[0][1].rstrip("/").rsplit("/", 1)[1]
    assert tokens.read_invitation(token) == (mine.pk, "Ann Lee", 0)
    assert ada.post(address, {"names": " \n"}).status_code == 422
    assert ada.post(address, {"names": "x" * 81}).status_code == 422


def test_who_worked_and_what_they_are_owed(ada: Client, mine: Campaign) -> None:
    worker = person(mine, "=cmd|evil")
    judge(worker)
    judge(worker)
    page = ada.get(reverse("annotate:people", args=[mine.public_id]))
    (row,) = page.context["people"].rows
    assert (row.pseudonym, row.judgments, row.money.earned, row.money.due) == (
        worker.annotator.pseudonym,
        2,
        Decimal("0.80"),
        Decimal("0.80"),
    )
    assert b"evil" not in page.content
    paid = rows_of(ada.get(reverse("annotate:payments", args=[mine.public_id])))
    assert paid == [
        ["pseudonym", "external_id", "earned_usd", "refused_usd", "paid_usd", "due_usd"],
        [worker.annotator.pseudonym, "'=cmd|evil", "0.80", "0.00", "0.00", "0.80"],
    ]


def test_the_export_is_pseudonymous_and_complete(ada: Client, mine: Campaign) -> None:
    worker = person(mine, "secret name")
    judge(worker)
    scoring.ensure(mine.pk)
    answer = ada.get(reverse("annotate:export", args=[mine.public_id]))
    header, *scores = rows_of(answer)
    assert {row[header.index("criterion")] for row in scores} == {
        "fluency",
        "redundancy",
        "overall",
        "edit",
    }
    assert {row[header.index("pseudonym")] for row in scores} == {worker.annotator.pseudonym}
    assert {row[header.index("counts")] for row in scores} == {"1"}


def rows_of(answer: Any) -> list[list[str]]:
    return list(csv.reader(b"".join(answer.streaming_content).decode().splitlines()))
