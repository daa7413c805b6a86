"""The campaigns whose rows are copied: made by the services, with every kind of answer."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotate.models import Campaign, Feedback, Participation, TutorialRun
from annotate.selectors.studies import tutorial_contents
from annotate.services.campaigns import life
from annotate.services.campaigns.importing.problems import Row
from annotate.services.work import scoring
from estimation.services import estimating
from tests import factories

EDIT = "The council of the district met, and spoke about the new bridge."
ANSWERS: tuple[dict[str, Any], ...] = (
    {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None},
    {"fluency": 0, "redundancy": 1, "overall": 0, "edit": EDIT},
    {"fluency": 1, "redundancy": -1, "overall": 0, "edit": EDIT[:31] + "."},
    {"fluency": -1, "redundancy": 1, "overall": -1, "edit": "The district’s council: bridges."},
    {"fluency": -1, "redundancy": -1, "overall": -1, "edit": EDIT.upper()},
)
# Which answer judgment t is, in the usual proportions.
WHICH = "(ARRAY[0,0,0,0,1,1,0,2,3,0,1,0,4])[(1 + (t * 7919 % 10007) % 13)::int]"
METRICS = {"quality": 1.0}
TEXT = "The council of district nine met on Monday, and its members spoke about the new bridge. "


def link() -> Campaign:
    """Return an open campaign by link, with one judgment of each kind and its estimates."""
    made = _campaign("By link")
    for n, answer in enumerate(ANSWERS):
        who = factories.person(made, f"template-{made.pk}-{n}")
        factories.judge(who, **answer)
        _passed(who.pk)
        Feedback.objects.create(participation=who, clarity=4, enjoyment=3, pay=2, comment="Fine.")
    _judge_the_rest(made)
    estimating.refresh(made.pk)
    scoring.ensure(made.pk)
    return made


def market() -> Campaign:
    """Return an open campaign of MTurk's sandbox: one unit, with every kind of judgment."""
    from tests.annotate import market as at

    made = _campaign("On MTurk", crowd="mturk", contact="ada@plumbline.example")
    posting = at.posting(made, tasks=len(ANSWERS), listing=f"HIT{made.pk}")
    who = at.arrive(posting, f"AW{made.pk}", f"U{made.pk}", verified=True)
    for answer in ANSWERS:
        factories.judge(who, **answer)
    estimating.refresh(made.pk)
    scoring.ensure(made.pk)
    return made


def _campaign(name: str, **changes: Any) -> Campaign:
    rows = [
        Row(f"item-{i}", name, f"{TEXT * 3}This is told by {name}.", TEXT, metrics=METRICS)
        for i in range(len(ANSWERS))
        for name in ("north", "south", "alpha", "omega")
    ]
    made = factories.campaign(
        rows_=rows, name=name, targets={"overall": 1e-6}, double_share=0, is_open=False, **changes
    )
    life.open_(made.pk)
    Campaign.objects.filter(pk=made.pk).update(double_share=0.25, annotator_cap=None)
    made.refresh_from_db()
    return made


def _judge_the_rest(made: Campaign) -> None:
    """Let more people judge, so that systems can be compared."""
    for n in range(3):
        who = factories.person(made, f"rest-{made.pk}-{n}")
        for _turn in range(5):
            factories.judge(who, **ANSWERS[n])


def _passed(participation_id: int) -> None:
    who = Participation.objects.select_related("campaign").get(pk=participation_id)
    who.campaign.tutorial_required = True  # as it is in the copies
    content, now = tutorial_contents.of_campaign(who.campaign), timezone.now()
    assert content is not None
    TutorialRun.objects.create(
        annotator_id=who.annotator_id,
        participation=who,
        instrument=who.campaign.instrument,
        version=content.version,
        started_at=now - timedelta(minutes=5),
        passed_at=now,
        promised=who.campaign.tutorial_bonus,
    )
