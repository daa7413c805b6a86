"""What researchers do and read where the texts of an item stand side by side."""

import json
import re
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.campaigns import exports
from annotate.models import InstrumentDefinition
from annotate.studies import definitions
from estimation.pages import report as pages_report
from estimation.pages.report import checklist, methods, plain
from tests.annotate.campaigns.test_steps import keep
from tests.annotate.own import side_by_side
from tests.annotate.researcher import begun, owner_of
from tests.annotate.side_by_side.studies import study, work
from tests.annotate.studies.test_instrument_form import PAGE, posted, sent
from tests.factories import person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

READ = re.compile(r'<p class="read[^>]*>([^<]*)</p>')


def test_the_form_has_the_choice_with_one_sentence(ada: Client) -> None:
    page = " ".join(ada.get(PAGE).content.decode().split())
    assert "People see all texts of an item" in page
    assert "scores say how texts compare within this study" in page


def test_the_form_stores_it(ada: Client) -> None:
    definitions.define(side_by_side(), owner_id=owner_of(ada).pk)
    given = sent(ada.get(PAGE, {"from": "side_by_side@1"}))
    given["task"] = "Rate them."
    assert posted(ada, given).status_code == 302
    made = InstrumentDefinition.objects.get(version=2)
    assert made.definition["shows_others"] is True


def test_what_does_not_go_together_is_told_at_the_choice(ada: Client) -> None:
    definitions.define(side_by_side(), owner_id=owner_of(ada).pk)
    given = sent(ada.get(PAGE, {"from": "side_by_side@1"}))
    given["compares"] = "on"
    page = posted(ada, given)
    assert page.status_code == 422
    assert 'href="#shows_others"' in page.content.decode()


def test_the_preview_shows_both_texts_of_the_example(ada: Client) -> None:
    definitions.define(side_by_side(), owner_id=owner_of(ada).pk)
    html = ada.get(reverse("annotate:instrument-preview", args=["side_by_side", "1"]))
    assert READ.findall(html.content.decode()) == list(side_by_side()["example"].values())


def test_the_first_items_of_a_file_are_shown_whole(ada: Client) -> None:
    definitions.define(side_by_side(), owner_id=owner_of(ada).pk)
    texts = {"a": ["one", "two", "one"], "b": ["three", "four", "five"]}
    rows = [
        {"item": item, "system": system, "output": text}
        for item, each in texts.items()
        for system, text in zip("xyz", each, strict=True)
    ]
    file = "\n".join(map(json.dumps, rows)).encode()
    of = begun(ada, file)
    keep(ada, of, "questions", instrument="side_by_side@1")
    shown = []
    for number in (1, 2):
        page = ada.get(reverse("annotate:import-item", args=[of.public_id, number]))
        shown.append(READ.findall(page.content.decode()))
    assert shown == [["one", "two"], ["four", "three", "five"]]


def test_methods_and_checklist_say_it() -> None:
    owner: User = user()
    report = pages_report.build(study(owner=owner))
    told = " ".join(plain(one) for one in methods(report))
    assert "all texts of an item side by side in random order, without their systems" in told
    assert "ratings are relative to the texts beside them" in told
    assert "one text at a time" not in told
    assert any("rated them one after the other" in one.answer for one in checklist(report))


def test_the_definition_is_in_the_protocol_and_comes_back() -> None:
    made = study()
    told = exports.protocol(made)
    assert told["instrument"]["definition"]["shows_others"] is True
    assert exports.instrument_in(json.loads(json.dumps(told, default=str))).shows_others


def test_one_text_is_one_judgment_and_paid_once() -> None:
    made = study(items=2, reward=Decimal("0.40"))
    work(person(made))
    assert made.judgments.count() == made.ledger.count() == 6
    assert {entry.amount for entry in made.ledger.all()} == {made.reward}
