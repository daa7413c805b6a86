"""What to do next: every branch on a campaign that is so, and never "nothing" where all stands."""

import re
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import life
from annotate.campaigns.facts import SystemStanding
from annotate.campaigns.lists import CampaignFacts
from annotate.campaigns.progress import Availability, Liveness, Progress
from annotate.crowds import prices
from annotate.instruments.language_quality.instrument import OVERALL
from annotate.models import Campaign
from annotate.models.base import CampaignStatus as Status
from annotate.models.base import CloseReason
from annotate.pay import budget
from annotate.pay.budget import Deadline
from annotate.work import leasing
from annotate.work.admission import PublishedWork
from estimation.models import Estimate
from estimation.pages import advice as pages_advice
from estimation.pages.advice import Advice
from estimation.pages.criteria import CriterionRow, ShownCell
from estimation.pages.dashboard import Dashboard
from tests.crowds.clock import Clock
from tests.crowds.scripted import Scripted
from tests.estimation.advised import SITUATIONS, World
from tests.estimation.results.test_first_minutes import WRONG
from tests.estimation.reviewed import settle
from tests.factories import judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
MOST_QUERIES = 60  # in any situation, whatever the size
LINKS = {
    "people": "people",
    "budget": "budget",
    "batches": "batches",
    "launch": "batch-new",
    "pay": "pay",
}


@pytest.fixture
def world(ada: User) -> Any:
    with World(ada, Clock(), Scripted(auto_approval=True)) as world:
        yield world


def page(client: Client, made: Campaign) -> tuple[Dashboard, str]:
    answer = client.get(reverse("estimation:dashboard", args=[made.public_id]))
    assert answer.status_code == 200
    return answer.context["board"], answer.content.decode()


def advised(client: Client, made: Campaign) -> Advice:
    return page(client, made)[0].advice


@pytest.mark.slow
@pytest.mark.parametrize("name", SITUATIONS)
def test_every_branch_speaks_in_the_campaign_that_is_so(
    client: Client, world: World, name: str, django_assert_max_num_queries: Any
) -> None:
    made = SITUATIONS[name](world)
    with django_assert_max_num_queries(MOST_QUERIES):
        board, text = page(client, made)
    advice = board.advice
    assert advice.key == name.partition("-")[0], advice
    _speaks_well(advice)
    assert f'data-advice="{advice.key}"' in text
    assert ('id="next-act"' in text) == bool(advice.act)
    if advice.act in LINKS:
        assert reverse(f"annotate:{LINKS[advice.act]}", args=[made.public_id]) in text


def _speaks_well(advice: Advice) -> None:
    said = f"{advice.title}. {advice.text}"
    assert not WRONG.findall(f"{said} {advice.label} {advice.also_label}"), said
    assert advice.title
    assert advice.text.endswith(".")
    assert not re.search(r"  |\.\.| \.|\(\)|:\.", said), said
    assert bool(advice.act) == bool(advice.label)
    assert bool(advice.also) == bool(advice.also_label)


def test_every_branch_has_its_campaign() -> None:
    written = set(re.findall(r'Advice\(\s*"(\w+)"', Path(pages_advice.__file__).read_text()))
    assert {name.partition("-")[0] for name in SITUATIONS} == written


def test_a_page_in_use_is_a_sign_of_life(client: Client, world: World) -> None:
    made = world.study()
    who = person(made, "a")
    judge(who)
    lease = leased(who)
    settle(made)
    world.clock.move(minutes=14)
    leasing.heartbeat(lease.pk, participation_id=who.pk)
    world.clock.move(minutes=10)
    advice = advised(client, made)
    assert (advice.key, advice.title) == ("wait", "Wait: judgments are coming in")
    assert advice.text.startswith("1 text is being judged now.")
    world.clock.move(minutes=6)
    assert advised(client, made).key == "silence"


@pytest.mark.slow
def test_the_page_asks_again_only_when_the_advice_changes(client: Client, world: World) -> None:
    made = world.study()
    judge(person(made, "a"))
    settle(made)
    before = page(client, made)[0].fingerprint
    world.clock.move(minutes=10)
    assert page(client, made)[0].fingerprint == before
    world.clock.move(minutes=5)
    assert page(client, made)[0].fingerprint != before


@pytest.mark.slow
def test_only_an_owner_gets_the_button_of_an_owner(client: Client, world: World) -> None:
    from annotate.campaigns import members
    from annotate.models.base import MemberRole

    made = SITUATIONS["widened"](world)  # closed: a reviewer sees it
    members.join(made.pk, user("rea").pk, MemberRole.REVIEWER, by=world.owner.pk)
    client.logout()
    client.login(username="rea", password="long enough to be fine")
    _, text = page(client, made)
    assert "Only owners and collaborators of the campaign can do this." in text
    assert 'id="next-act"' not in text


# ---- over all situations -----------------------------------------------------------------------

SMALL = st.integers(0, 4)
SPANS = st.sampled_from([None, *(timedelta(minutes=m) for m in (0, 15, 45, 180, 1440, 9000))])


def _facts(
    status: Status, crowd: str, close_reason: str, estimand: str, cap: int | None
) -> CampaignFacts:
    return CampaignFacts(
        campaign_id=1,
        public_id="x",
        name="News",
        status=status,
        close_reason=close_reason,
        opened_at=None,
        closed_at=None,
        reward=Decimal("0.40"),
        budget=Decimal(30),
        max_judgments=None,
        deadline=None,
        annotator_cap=cap,
        lease_minutes=30,
        double_share=0.25,
        raters=2,
        metric_choice="none",
        metrics=(),
        stop_mode="precision",
        estimand=estimand,
        level=0.95,
        contact="",
        crowd=crowd,
        criteria=(OVERALL,),
        targets={"overall": 0.2},
        systems=(SystemStanding(1, "alpha", None),),
    )


@st.composite
def cells(draw: Any) -> ShownCell:
    row = None
    if draw(st.booleans()):
        n, width = draw(st.integers(2, 400)), draw(st.none() | st.floats(0, 20))
        half = None if width is None else width / 2
        row = Estimate(
            estimate=0.4,
            low=half and 0.4 - half,
            high=half and 0.4 + half,
            width=width,
            std_error=half,
            n_items=n,
            n_population=400,
            n_judgments=n,
            n_annotators=draw(st.integers(1, 60)),
            effective_annotators=draw(st.floats(1, 60)),
            detail={
                "at_target": draw(st.booleans()),
                "parts": {"annotator": draw(st.floats(0, 1))},
            },
        )
    return ShownCell(SystemStanding(1, "alpha", None), OVERALL, 0.2, row, Decimal("0.40"))


def _rows(*cells: ShownCell) -> tuple[CriterionRow, ...]:
    return (CriterionRow(OVERALL, 0.2, cells, is_primary=True),)


@st.composite
def situations(draw: Any, statuses: tuple[Status, ...] = tuple(Status)) -> Dashboard:
    crowd = draw(st.sampled_from(["link", "mturk", "prolific"]))
    status = draw(st.sampled_from(statuses))
    facts = _facts(
        status,
        crowd,
        draw(st.sampled_from(["", *CloseReason.values])),
        draw(st.sampled_from(["population", "panel"])),
        draw(st.none() | st.integers(1, 25)),
    )
    free = draw(SMALL)
    came = draw(SMALL)
    reviewed, left_out = draw(st.integers(0, came)), 0
    at_cap = draw(st.integers(0, came - reviewed))
    some = draw(st.booleans())
    leases = draw(SMALL)
    offered = PublishedWork()
    if crowd != "link":
        offered = PublishedWork(
            launched=draw(st.booleans()),
            publishing=draw(SMALL),
            untaken=draw(SMALL),
            at_work=draw(SMALL),
            promised=draw(SMALL),
            waited=draw(SPANS),
            retried=draw(SMALL),
            stuck=draw(SMALL),
            unfunded=draw(SMALL),
        )
    return Dashboard(
        facts=facts,
        progress=Progress(
            outputs=9,
            outputs_judged=1,
            planned=20,
            doubled=2,
            judged=draw(SMALL),
            missing=free,
            running=leases + draw(SMALL),
            annotators=came,
            room=None,
            spent=Decimal("1.20"),
        ),
        rows=_rows(*draw(st.lists(cells(), min_size=1, max_size=3))),
        price=Decimal("0.40"),
        most=budget.HighestCost(prices.Bill(20, 1, prices.Price(Decimal("8.00"))), None),
        n_waiting=reviewed if some else draw(SMALL),
        availability=Availability(
            came,
            reviewed,
            left_out,
            at_cap,
            free,
            free if reviewed + at_cap == came else draw(st.integers(0, free)),
        ),
        liveness=Liveness(
            leases,
            draw(st.integers(0, leases)),
            None,
            draw(SPANS),
            draw(SPANS),
            draw(SPANS) or timedelta(0),
        ),
        offered=offered,
        limit=draw(st.none() | st.sampled_from(list(CloseReason))),
        reserved=draw(st.booleans()),
        deadline_soon=draw(st.booleans()),
        n_in_doubt=draw(SMALL) if crowd != "link" else 0,
        near=draw(st.none() | st.builds(Deadline, st.integers(1, 3), st.just(None)))
        if crowd != "link"
        else None,
        n_pending=draw(SMALL),
        due=Decimal(draw(SMALL)),
    )


@pytest.mark.slow
@given(now=situations())
def test_there_is_always_one_act_and_it_is_well_said(now: Dashboard) -> None:
    advice = pages_advice.advise(now)
    _speaks_well(advice)
    acts = {"open", "finish", "reopen", "close", "people", "batches", "launch", "reviews"}
    assert advice.act in acts | {"pay", "budget", ""}


@st.composite
def stalled(draw: Any) -> Dashboard:
    """Judgments are wanted, and none can come; nothing urgent speaks first."""
    now = draw(situations((Status.OPEN, Status.CLOSING)))
    free = draw(st.integers(1, 5))
    wide = replace(now.primary[0], row=None)
    nothing = ("publishing", "untaken", "at_work", "promised", "stuck", "unfunded")
    found = replace(
        now,
        limit=None,
        reserved=False,
        rows=_rows(wide, *now.primary[1:]),
        progress=replace(now.progress, missing=free, running=0),
        availability=replace(now.availability, free=free, for_nobody=free),
        liveness=replace(now.liveness, leases=0, active=0, behind=timedelta(0)),
        offered=replace(now.offered, **dict.fromkeys(nothing, 0)),
        near=None,
        n_in_doubt=0,
    )
    assert not found.can_come
    return found


@given(now=stalled())
def test_nobody_is_told_to_wait_for_what_cannot_come(now: Dashboard) -> None:
    advice = pages_advice.advise(now)
    assert not advice.waits, advice
    assert advice.act
    assert not advice.title.startswith(("Nothing", "Wait"))


@pytest.mark.slow
@given(now=situations((Status.OPEN,)), silence=st.sampled_from([None, 15, 45, 1440]))
def test_nobody_is_told_that_judgments_come_in_where_nobody_was_seen(
    now: Dashboard, silence: int | None
) -> None:
    quiet = None if silence is None else timedelta(minutes=silence)
    by_link = replace(now.facts, crowd="link")
    live = replace(now.liveness, silence=quiet, judged_ago=quiet, active=0)
    now = replace(now, facts=by_link, liveness=live, offered=PublishedWork())
    assert "coming in" not in pages_advice.advise(now).title


def test_a_campaign_that_was_just_opened_again_is_not_called_silent(
    client: Client, world: World
) -> None:
    made = SITUATIONS["paused"](world)
    life.open_(made.pk)
    assert advised(client, made).key == "wait"
