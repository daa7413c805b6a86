"""A crowd, and who works there, read the public title of a campaign and never its name."""

import random
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.common import tokens
from annotate.crowds import adapters, outbox
from annotate.crowds import views as crowds_views
from annotate.crowds.mturk.marketplace import NOT_ACCEPTED
from annotate.models import Posting
from annotate.models.base import CloseReason
from annotate.review import reviews
from tests.annotate.campaigns.test_public_title import (
    ELSEWHERE,
    learn,
    look_around,
    page,
    say_something,
    secret_rows,
)
from tests.annotate.reading import NAME, SECRET, Reader
from tests.annotate.work.pages.working import submit
from tests.crowds.clock import Clock
from tests.crowds.far_side import FarSide
from tests.crowds.market import Market, Status, Unit
from tests.crowds.mturk.far_side import mturk_far_side
from tests.crowds.prolific.far_side import SECRET as HOOK_SECRET
from tests.crowds.prolific.far_side import TOKEN, prolific_far_side
from tests.crowds.researcher import at, offered
from tests.crowds.test_messages import FAST
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture(params=["mturk", "prolific"])
def far(request: pytest.FixtureRequest, settings: Any, quick: None) -> Iterator[FarSide]:
    """A far side that the settings name."""
    if request.param == "mturk":
        with mturk_far_side() as turk:
            settings.MTURK_ENVIRONMENT, settings.MTURK_WORKER_URL = "sandbox", ""
            settings.MTURK_ENDPOINT_URL = turk.url
            yield turk
        return
    with prolific_far_side() as other:
        settings.PROLIFIC_BASE_URL, settings.PROLIFIC_API_TOKEN = other.server.url, TOKEN
        settings.PROLIFIC_WEBHOOK_SECRET = HOOK_SECRET
        yield other


@pytest.fixture
def market(far: FarSide, clock: Clock) -> Market:
    """A campaign that a researcher has launched with all that the form suggests."""
    key = "mturk" if "mturk" in type(far).__name__.lower() else "prolific"
    ada = user(f"{SECRET}-ada")
    made = campaign(
        owner=ada,
        name=NAME,
        rows_=secret_rows(),
        crowd=key,
        reward=Decimal("0.90"),
        tutorial=True,
        fee_rate=Decimal("0.4"),
        double_share=0.5,
        contact="ada@example.org",
    )
    researcher = Client()
    researcher.force_login(ada)
    sent, _ = offered(
        researcher, made, tasks=2, minutes=4, places=3, countries="", approved_work=""
    )
    assert researcher.post(at(made, "batch-new"), sent).status_code == 302
    outbox.carry_out_due()
    return Market(far, adapters.marketplace(key), clock, random.Random(1), made, ada)


def way_in(market: Market, unit: Unit | None) -> str:
    """The address that the crowd opens: for a unit, or for a preview."""
    posting = Posting.objects.get(external_id=market.ours()[0])
    key = market.study.crowd
    path = reverse("annotate:entry", args=[key, tokens.posting_token(posting.public_id)])
    came = unit or Unit(posting.external_id, NOT_ACCEPTED, "")
    mine = {
        "assignmentId": came.unit,
        "hitId": came.listing,
        "workerId": came.person,
        "turkSubmitTo": getattr(market.far, "url", ""),
    }
    theirs = {"SESSION_ID": came.unit, "STUDY_ID": came.listing, "PROLIFIC_PID": came.person}
    return f"{path}?{urlencode(mine if key == 'mturk' else theirs)}"


def come(reader: Reader, market: Market, number: int) -> Unit:
    """Somebody accepts a unit there, and opens it here."""
    listing, person = market.ours()[0], market.far.person(number)
    unit = Unit(listing, market.far.accept(listing, person), person)
    answer = reader.get(way_in(market, unit))
    if answer.status_code == 303:
        token = answer["Location"].split("/")[-2]
        unit.entered = tokens.read_participation(token)[0]
    return unit


def work(reader: Reader, market: Market, unit: Unit) -> None:
    """The tutorial, both tasks, and handing in, by the pages."""
    who = market.of(unit)
    page(reader, who)
    learn(reader, who)
    for _ in range(2):
        look_around(reader, market.study, who)
        assert submit(reader, who).status_code == 200
    page(reader, who)
    market.far.submit(unit.unit, receipt=market.of(unit).receipt)
    page(reader, who)


def events(reader: Reader, market: Market) -> None:
    reader.post(reverse("annotate:crowd-events", args=["prolific"]), "{}", "application/json")


@pytest.mark.slow
def test_no_page_in_a_crowds_frame_and_nothing_sent_there_tells_the_name(market: Market) -> None:
    reader = Reader()
    reader.get(reverse("annotate:batch-preview", args=[tokens.preview_token(market.study.pk, 2)]))
    reader.get(way_in(market, None))
    events(reader, market)
    first, second = come(reader, market, 1), come(reader, market, 2)
    work(reader, market, first)
    market.sync()
    page(reader, market.of(first))
    be_reviewed(reader, market, first)
    look_around(reader, market.study, market.of(second))
    assert market.of(second).status == Status.LEFT  # its time is over meanwhile
    third = come(reader, market, 3)
    life.close(market.study.pk, CloseReason.HAND)
    life.finish(market.study.pk)
    look_around(reader, market.study, market.of(third))
    outbox.carry_out_due()
    assert reader.leaks() == []
    there = repr(vars(market.far.world))
    assert SECRET not in there.lower()
    assert "Rate short texts" in there
    assert "About your work in “Rate short texts”" in there
    assert reader.asked >= ELSEWHERE


def be_reviewed(reader: Reader, market: Market, unit: Unit) -> None:
    """Noticed, appealed, decided both ways, and told through the crowd."""
    who = market.of(unit)
    reviews.flag(who.campaign_id, who.annotator_id, [FAST])
    outbox.carry_out_due()
    look_around(reader, market.study, who)
    say_something(reader, who, "appeal", {"text": "I read fast."})
    market.ruled(unit, "exclude", "refuse")
    market.later(hours=30)
    for acts in (["restore"], ["exclude", "block"]):
        market.ruled(unit, *acts)
        look_around(reader, market.study, who)
    say_something(reader, who, "appeal", {"text": "I read very fast."})
    market.later(minutes=5)
    assert messages(market), "nobody was written to: nothing was looked at"


def messages(market: Market) -> list[Any]:
    world = market.far.world
    return list(getattr(world, "notices", None) or getattr(world, "messages", []))


def test_a_batch_suggests_the_public_words_in_the_language_of_the_study() -> None:
    made = campaign(crowd="mturk", language="de", tutorial=True, name=NAME)
    words = crowds_views.defaults(made, None)
    assert words["title"] == "Kurze Texte bewerten"
    assert words["description"].startswith("Sie lesen kurze Texte, die Computerprogramme")
    assert (
        "Wer sie besteht, bekommt einen Bonus, sobald einige der eigenen Aufgaben zählen."
        in words["description"]
    )
    own = campaign(
        crowd="mturk",
        public_title="Read news",
        public_about="You read news.",
        tutorial=True,
        tutorial_bonus=Decimal(0),
    )
    words = crowds_views.defaults(own, None)
    assert words["title"] == "Read news"
    assert words["description"] == (
        "You read news. A short tutorial comes first, once. The work is research; your answers "
        "are published under a random code."
    )
