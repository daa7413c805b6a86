"""What the page and the data of a task hold where the texts of an item stand side by side."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Assignment, Participation
from annotate.work import leasing
from tests.annotate.side_by_side.studies import ANSWER, SAID, seen, study, submit, work
from tests.annotate.work.pages.working import call, work_data, work_url
from tests.annotate.work.test_submitting import AROUND, LOCK
from tests.factories import leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

BODY = {"response": ANSWER, "version": "1"}
SHEET = re.compile(r'<article class="sheet( rated)?"(.*?)</article>', re.DOTALL)
READ = re.compile(r'<p class="read[^>]*>([^<]*)</p>')
PLACE = re.compile(r'<p class="said" data-word="(said-[0-9]+)"></p>')


def sheets(html: str) -> list[tuple[bool, str]]:
    """Return the texts of a page in their order, and which is rated."""
    found = [(bool(rated), READ.search(rest)) for rated, rest in SHEET.findall(html)]
    return [(rated, text[1]) for rated, text in found if text]


def page(client: Client, who: Participation) -> str:
    return client.get(work_url(who)).content.decode()


def test_the_page_holds_all_texts_and_marks_one(client):
    who = person(study())
    html = page(client, who)
    shown = sheets(html)
    assert [text[0] for text in sorted(text for _rated, text in shown)] == ["A", "B", "C"]
    assert len({text[1:] for _rated, text in shown}) == 1
    assert [rated for rated, _text in shown] == [True, False, False]
    assert "Text 1 of 3: rate this one" in html
    assert work_data(client, work_url(who))["assignment"]["text"] == shown[0][1]


def test_the_order_is_the_same_everywhere(client):
    """On the page, after a reload, in the submit's answer, in what comes ahead, in a correction."""
    who = person(study(items=3, systems="ABCD"))
    first = page(client, who)
    order = [text for _rated, text in sheets(first)]
    assert [text for _rated, text in sheets(page(client, who))] == order
    now = leased(who).pk
    ahead = call(client, who, "ahead", assignment=now).json()["coming"]["parts"]
    assert sheets(ahead) == [(text == order[1], text) for text in order]
    answer = call(client, who, "submit", BODY, assignment=now).json()
    assert sheets(answer["coming"]["parts"]) == [(text == order[2], text) for text in order]
    correction = client.get(reverse("annotate:correct", args=[tokens.participation_token(who.pk)]))
    assert sheets(correction.content.decode()) == [(text == order[0], text) for text in order]


def test_what_was_rated_shows_its_answer(client):
    who = person(study())
    now = leased(who).pk
    leasing.lease_ahead(who.pk, after=now)
    coming = call(client, who, "submit", BODY, assignment=now).json()["coming"]["parts"]
    assert coming.count(SAID) == 1
    assert page(client, who).count(SAID) == 1


def test_a_task_in_hand_gets_the_answer_that_was_not_given_when_it_was_made(client):
    """It has a place for it, which the submit's answer fills."""
    who = person(study())
    now = leased(who).pk
    parts = call(client, who, "ahead", assignment=now).json()["coming"]["parts"]
    assert SAID not in parts
    (place,) = PLACE.findall(parts)
    assert place == f"said-{now}"
    answer = call(client, who, "submit", BODY, assignment=now).json()
    assert answer["words"]["texts"][place] == SAID
    # The one after that has it in full, and a place for the one that is rated now.
    assert SAID in answer["coming"]["parts"]
    assert PLACE.findall(answer["coming"]["parts"]) == [f"said-{answer['assignment']}"]


def test_a_correction_shows_what_was_answered_to_the_others(client):
    who = person(study())
    work(who, turns=1)
    submit(who, leased(who).pk, helpful=-2)
    address = reverse("annotate:correct", args=[tokens.participation_token(who.pk)])
    html = client.get(address).content.decode()
    assert html.count(SAID) == 1
    assert "Misleads, " not in html
    last = Assignment.objects.filter(status="verified").latest("pk")
    changed = call(
        client,
        who,
        "correct",
        BODY | {"response": {"helpful": 0, "invented": 0}, "after": 1},
        assignment=last.pk,
    )
    assert changed.status_code == 200
    assert "Your answer: Help: Helps a little" in page(client, who)


def test_nobody_sees_the_answers_of_others(client):
    made = study(items=1, double_share=1)
    work(person(made, "p1"))
    other = person(made, "p2")
    html = page(client, other)
    assert "Your answer" not in html
    assert [one.task for one in seen(leased(other)) if not one.is_rated] == [None, None]


def test_an_unsure_visit_shows_answers_of_its_own_alone():
    """Anybody may have come in under the name, until the crowd confirms it."""
    made = study(items=1, systems="AB")
    who = person(made)
    (done,) = work(who, turns=1)
    task = leased(who)
    other = Participation.objects.create(
        campaign=made, annotator=who.annotator, external_key="later", status="active", tasks=5
    )
    Assignment.objects.filter(pk=task.pk).update(participation=other)
    mine = Assignment.objects.select_related(
        "campaign", "participation", "output__item", "gold"
    ).get(pk=task.pk)
    assert not other.is_sure
    assert [(one.task, one.answer) for one in seen(mine)] == [(None, "")] * 2
    Participation.objects.filter(pk=other.pk).update(verified_at=task.leased_at)
    mine.participation.refresh_from_db()
    assert [one.task for one in seen(mine)] == [done.pk, None]


NAMES = ("zebra-system", "quagga-system", "okapi-system")


def test_no_system_is_named_and_no_output_numbered(client):
    texts = [Row("i0", name, f"Text {n}.") for n, name in enumerate(NAMES)]
    who = person(study(texts=texts))
    now = leased(who).pk
    told = page(client, who) + call(client, who, "ahead", assignment=now).content.decode()
    told += call(client, who, "submit", BODY, assignment=now).content.decode()
    assert not [name for name in NAMES if name in told]
    assert set(re.findall(r"said-[0-9]+", told)) <= {
        f"said-{one.pk}" for one in Assignment.objects.all()
    }


def test_a_text_alone_looks_as_in_other_studies(client):
    html = page(client, person(study(items=2, systems="A")))
    assert 'class="sheets"' not in html
    assert 'id="text"' in html
    assert "of 1" not in html


@pytest.mark.parametrize("systems", ["AB", "ABCDEFGHIJKL"])
def test_a_submit_takes_few_statements_with_few_texts_and_many(client, systems):
    made = study(items=30, systems=systems, annotator_cap=None)
    for n in range(3):
        work(person(made, f"other-{n}"), turns=3)
    who = person(made)
    work(who, turns=1)
    now = leased(who).pk
    call(client, who, "draft", {"revision": 0, "data": {}}, assignment=now)
    with CaptureQueriesContext(connection) as captured:
        answer = call(client, who, "submit", BODY, assignment=now)
    assert answer.json()["coming"] is not None
    found = [one["sql"] for one in captured.captured_queries]
    found = [one for one in found if not AROUND.match(one)]
    assert len(found) <= 24, found
    assert not any(LOCK.search(one) for one in found)


def test_the_page_takes_one_query_more_than_with_a_text_alone(client):
    counts = []
    for systems in ("AB", "ABCDEFGHIJKL"):
        who = person(study(items=3, systems=systems))
        page(client, who)
        with CaptureQueriesContext(connection) as captured:
            page(client, who)
        counts.append(len(captured.captured_queries))
    assert counts[0] == counts[1]


def test_hostile_texts_are_text(client):
    texts = [
        Row("i0", "A", "<script>alert(1)</script>"),
        Row("i0", "B", "שלום עולם " * 2000),
        Row("i0", "C", " \t "),
    ]
    html = page(client, person(study(texts=texts)))
    assert "<script>alert" not in html
    assert "The system wrote nothing." in html
    assert html.count('dir="auto"') >= 3


def test_the_page_speaks_german(client):
    who = person(study(language="de"))
    work(who, turns=1)
    html = page(client, who)
    assert "Text 2 von 3: Bewerten Sie diesen" in html
    assert "Ihre Antwort: Help: Helps much" in html
