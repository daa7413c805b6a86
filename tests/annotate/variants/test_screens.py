"""A screen that is registered with one line is on every page about reviews, in its own words."""

import pytest
from django.test import Client
from django.urls import reverse

from annotate.common import tokens
from annotate.models import Flag, Participation, Review
from annotate.review import reviews
from annotate.screening.screens import SCREENS
from tests.annotate.researcher import owner_of
from tests.annotate.variants.yawning import YAWNING
from tests.reviewed import spammer, study

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

API = "/api/v1/campaigns/{}/reviews/{}/"


@pytest.fixture
def who(ada: Client, monkeypatch: pytest.MonkeyPatch) -> Participation:
    """Somebody whom the new screen has flagged, under a threshold of the campaign's own."""
    monkeypatch.setitem(SCREENS, YAWNING.key, YAWNING)
    made = study(owner_of(ada))
    made.screening = {"yawns": {"yawns": 4}}
    made.save()
    found = spammer(made)
    reviews.screen(made.pk)
    assert Flag.objects.filter(screen=YAWNING.key, review__annotator=found.annotator).exists()
    return found


def page(client: Client, who: Participation, name: str) -> str:
    public_id, pseudonym = who.campaign.public_id, who.annotator.pseudonym
    token = tokens.participation_token(who.pk)
    addresses = {
        "queue": reverse("annotate:reviews"),
        "case": reverse("annotate:review", args=[public_id, pseudonym]),
        "everywhere": reverse("annotate:review-everywhere", args=[pseudonym]),
        "people": reverse("annotate:people", args=[public_id]),
        "dashboard": reverse("estimation:dashboard", args=[public_id]),
        "own": reverse("annotate:me", args=[token]),
        "work": reverse("annotate:work", args=[token]),
        "api": API.format(public_id, pseudonym),
        "api queue": "/api/v1/reviews/",
    }
    answer = client.get(addresses[name])
    assert answer.status_code == 200, name
    return answer.content.decode()


def test_reviewers_read_its_words(ada: Client, who: Participation) -> None:
    for name in ("queue", "case", "everywhere"):
        assert "Yawning" in page(ada, who, name), name
    case = page(ada, who, "case")
    assert "Flagged" in case
    assert "The others slept. Flags above 4 yawns." in case
    assert "yawns in all" in case
    assert "We noticed this: some yawns." in case
    assert "Flagged: yawning. New tasks paused." in case


def test_annotators_read_its_words(ada: Client, who: Participation) -> None:
    own = page(ada, who, "own")
    assert "You may have yawned" in own
    assert "We look at work with more than 4 yawns." in own
    assert "a long yawn" in own
    assert page(ada, who, "work")


def test_an_empty_queue_lists_what_screens_look_at(
    ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCREENS, YAWNING.key, YAWNING)
    said = ada.get(reverse("annotate:reviews")).content.decode()
    assert "at reading time, agreement with others," in said
    assert " and yawns." in said


def test_flags_of_a_screen_that_is_gone_are_still_read(
    ada: Client, who: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(SCREENS, YAWNING.key)
    who.campaign.screening = {}
    who.campaign.save()
    assert Review.objects.get(annotator=who.annotator).flags.filter(screen="yawning").exists()
    for name in ("queue", "case", "everywhere"):
        assert "Yawning" in page(ada, who, name), name
    assert "Something in your work differs" in page(ada, who, "own")
