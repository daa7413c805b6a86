"""What a page counts is told in the posting, at the crowd itself, before anybody accepts it."""

from unittest.mock import patch
from urllib.parse import urlsplit

import pytest
from django.test import Client

from annotate.crowds import adapters, batches, outbox
from annotate.models import Campaign, Posting
from tests.crowds.clock import Clock
from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side
from tests.crowds.prolific.far_side import prolific_far_side
from tests.crowds.walk import Walk, terms_for
from tests.factories import change

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

ON = {"signals": {"on": True}}
SAID = "The page counts how you type and paste"


def published(far, clock: Clock, seed: int, **changes) -> tuple[str, str]:
    """Launch a batch over HTTP; return the description at the crowd and our terms of it."""
    crowd = far.adapter()
    walk = Walk.begin(far, crowd, clock, seed)
    change(walk.study, **changes)
    with patch.object(adapters, "marketplace", lambda _crowd: crowd):
        shown = batches.offer(walk.study.pk, terms_for(crowd), places=1)
        walk.launch(1)
        outbox.carry_out_due()
    posting = Posting.objects.get(batch__campaign=walk.study)
    if isinstance(far, MTurkFarSide):
        at_crowd = far.world.hits[posting.external_id].type.description
    else:
        at_crowd = far.world.studies[posting.external_id]["description"]
    assert shown.terms.description == posting.batch.terms["description"] == at_crowd
    return at_crowd, posting.external_id


@pytest.mark.slow
@pytest.mark.parametrize("far_side", [mturk_far_side, prolific_far_side])
def test_signals_are_told_where_people_choose_work(far_side, clock: Clock, quick: None) -> None:
    with far_side() as far:
        told, _listing = published(far, clock, 1, screening=ON)
        assert told.startswith("Read a short text and rate it. " + SAID)
        assert told.count(SAID) == 1
        german, _listing = published(far, clock, 2, screening=ON, language="de")
        assert "wie Sie tippen" in german
        off, _listing = published(far, clock, 3)
        assert off == "Read a short text and rate it."


@pytest.mark.slow
def test_more_places_are_told_once(clock: Clock, quick: None) -> None:
    with mturk_far_side() as far:
        published(far, clock, 1, screening=ON)
        study = Campaign.objects.get()
        with patch.object(adapters, "marketplace", lambda _crowd: far.adapter()):
            batch = Posting.objects.get().batch
            again = batches.offer_more(batch.pk, places=1)
            assert again.terms.description.count(SAID) == 1
            whole = terms_for(far.adapter()).__class__(**vars(again.terms))
            shown = batches.offer(study.pk, whole, places=1)
            assert shown.terms.description == again.terms.description


def test_the_preview_on_mturk_tells_it_in_full(clock: Clock, quick: None) -> None:
    with mturk_far_side() as far:
        for seed, on in ((1, True), (2, False)):
            _told, listing = published(far, clock, seed, screening=ON if on else {})
            address = urlsplit(far.world.hits[listing].url)
            asked = f"{address.path}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId={listing}"
            page = Client().get(asked).content.decode()
            assert ("how many are pasted" in page) is on
