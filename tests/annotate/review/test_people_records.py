"""The line of each person on the page People: time, agreement, flags and tutorial."""

import html

import pytest
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.models import Campaign, Judgment, Membership, ScreenedAnnotator
from annotate.work import queries as work_queries
from tests.estimation.reviewed import flag, take_turns
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def made(client: Client) -> Campaign:
    owner = user()
    client.force_login(owner)
    return campaign(owner=owner, items=4, double_share=1.0)


def page(client: Client, made: Campaign, query: str = "") -> str:
    address = reverse("annotate:people", args=[made.public_id])
    return html.unescape(client.get(f"{address}?{query}").content.decode())


def test_a_line_tells_time_agreement_flags_and_tutorial(client: Client, made: Campaign) -> None:
    people = [person(made, name) for name in ("ann", "ben", "cem")]
    take_turns(people, 6)
    every: models.QuerySet[Judgment] = models.QuerySet(Judgment)  # `objects` refuses changes
    every.update(active_seconds=90)
    flag(people[1], "too_fast", "agreement")
    for one in people:
        kept = [{"screen": "too_fast", "value": 9.0}, {"screen": "agreement", "value": 0.25}]
        ScreenedAnnotator.objects.update_or_create(
            campaign=made,
            annotator=one.annotator,
            defaults={"state": "", "at": timezone.now(), "verdicts": kept},
        )
    ids = [one.annotator_id for one in people]
    found = work_queries.people_records_of(made.pk, ids)
    assert [found[pk].flags for pk in ids] == [0, 2, 0]
    for pk in ids:
        assert found[pk].minutes == 1.5 * Judgment.objects.filter(annotator=pk).count()
        assert found[pk].agreement == 0.25
    shown = page(client, made, "sort=flags")
    first = shown.index(f">{people[1].annotator.pseudonym}<")
    assert all(
        first < shown.index(f">{one.annotator.pseudonym}<") for one in (people[0], people[2])
    )
    assert 'data-label="Flags">2<' in shown
    assert "agreement 0.25" in shown


def test_a_viewer_sees_no_flags(made: Campaign) -> None:
    who = person(made, "ann")
    take_turns([who], 1)
    flag(who)
    vic, visitor = user("vic"), Client()
    Membership.objects.create(campaign=made, user=vic, role=Membership.Role.VIEWER)
    visitor.force_login(vic)
    for query in ("", "sort=flags"):
        shown = page(visitor, made, query)
        assert who.annotator.pseudonym in shown
        assert "Flags" not in shown
        assert "Agreement" not in shown
