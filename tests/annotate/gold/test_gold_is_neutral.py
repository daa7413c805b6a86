"""A campaign with gold is, to every reader of its judgments, the campaign without gold.

Every public function of the modules that read that takes a campaign, a system or a person is read
before and after people get and answer gold items. Readers of money, time and open tasks are named
here, with the reason; any other one that changes is red, and so is a new one that looks at gold.
"""

import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from annotate.campaigns import exports, progress
from annotate.instruments import registry
from annotate.models import Assignment, Campaign, ChangeMark, Judgment, Participation, Slot
from annotate.review import gold
from annotate.work import picking, submitting
from estimation.models import Decision, Estimate
from tests.annotate.gold.study import BAD, items
from tests.estimation.test_estimating import settle, work
from tests.factories import GOOD, campaign, change, lease_gold, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

# Gold is work that is paid: these count tasks, money, pages in use, or what has happened.
MONEY = ("annotate.pay.",)
READERS = (
    *("annotate.campaigns.exports", "annotate.campaigns.facts", "annotate.campaigns.lists"),
    *("annotate.campaigns.progress", "annotate.common.rows", "annotate.crowds.queries"),
    *("annotate.pay.budget", "annotate.pay.promise_queries", "annotate.pay.queries"),
    *("annotate.pay.tallies", "annotate.review.effects", "annotate.review.eligibility"),
    *("annotate.review.evidence", "annotate.review.gold_queries", "annotate.review.items"),
    *("annotate.review.queries", "annotate.studies.queries", "annotate.work.admission"),
    *("annotate.work.picking", "annotate.work.queries", "annotate.work.task"),
    *("annotate.work.tutorial_queries", "annotate.work.units", "estimation.facts"),
    *("estimation.pages.advice", "estimation.pages.criteria", "estimation.pages.dashboard"),
    *("estimation.pages.looks", "estimation.pages.numbers", "estimation.pages.report"),
    "estimation.read",
)
WORK = {
    "annotate.campaigns.progress.liveness": "the last sign of work",
    "annotate.campaigns.progress.progress": "`spent`; the counts are compared below",
    "annotate.campaigns.progress.count_slots": "`spent`; the counts are compared below",
    "annotate.campaigns.exports.protocol": "what was decided, gold too",
    "annotate.common.rows.newest": "what has happened",
    "annotate.work.admission.open_of": "tasks in hand",
    "annotate.work.queries.find_correction": "the last task",
    "annotate.work.queries.hand_in_at": "the last task",
    "annotate.work.queries.last_submitted": "the last task",
    "annotate.work.queries.may_correct": "the last task",
    "annotate.work.picking.standing_of": "tasks in hand and pay of a person",
    "annotate.pay.queries.earnings_of": "pay of a person",
    "annotate.work.task.visit": "tasks and pay of a person",
    "annotate.work.units.judged": "tasks of a paid unit",
    "annotate.work.units.stages": "pay of a unit",
    "estimation.pages.report.build": "`spent`, what is offered, and when it was made",
    "annotate.review.effects.effects": "pay at stake; the judgments are compared above",
    "annotate.campaigns.exports.acts_of": "what has happened",
    "estimation.pages.dashboard.lines": "what has happened",
    "estimation.pages.dashboard.of_campaign": "`spent`; estimates are compared below",
    "annotate.campaigns.exports.answers": "gold",
    "annotate.review.gold_queries.items": "gold",
    "annotate.review.gold_queries.of_person": "gold",
    "annotate.review.gold_queries.people": "gold",
    "annotate.review.gold_queries.n_people": "gold",
    "annotate.review.gold_queries.state": "gold",
    "annotate.review.gold_queries.counts": "gold",
    "annotate.review.gold_queries.verdicts": "gold",
    "annotate.work.picking.pick_gold": "gold",
    "annotate.work.picking.usable": "gold",
}


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in READERS:
        yield from _public(importlib.import_module(name))


def _public(module: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, one in inspect.getmembers(module, inspect.isfunction):
        if one.__module__ == module.__name__ and not name.startswith("_"):
            yield f"{module.__name__}.{name}", one


def known(study: Campaign, who: Participation) -> dict[str, Any]:
    now = exports.moment(study.pk)
    return {
        "campaign": study,
        "campaign_id": study.pk,
        "campaign_ids": [study.pk],
        "public_id": study.public_id,
        "annotator_id": who.annotator_id,
        "annotator": who.annotator_id,
        "annotators": [who.annotator_id],
        "participation_id": who.pk,
        "who": who,
        "system_id": study.systems.first().pk,
        "instrument": registry.get("language_quality"),
        "cap": 25,
        "free": 3,
        "lease_minutes": 30,
        "metric": "quality",
        "after": 0,
        "now": now,
        "with_excluded": True,
        "level": 0.95,
        "user": study.memberships.first().user,
    }


def of_work_or_money(name: str) -> bool:
    return name.startswith(MONEY) or name in WORK


def read(
    study: Campaign, who: Participation, *, without: Callable[[str], bool] = of_work_or_money
) -> dict[str, str]:
    """Return what every function says that can be asked about a campaign, a system or a person."""
    values, found = known(study, who), {}
    for name, one in functions():
        if without(name):
            continue
        asked = inspect.signature(one).parameters.values()
        needed = [
            each.name
            for each in asked
            if each.default is each.empty
            and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
        ]
        if not needed or not set(needed) <= set(values):
            continue
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL transaction_read_only = on")  # some write beside
                found[name] = plain(one(**{each: values[each] for each in needed}))
                transaction.set_rollback(True)
        except Exception as problem:
            found[name] = f"{type(problem).__name__}"
    return found


def plain(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.tolist()}"
    if isinstance(value, QuerySet):
        return plain(list(value.values_list("pk", flat=True)))
    if is_dataclass(value) and not isinstance(value, type):
        parts = {one.name: getattr(value, one.name) for one in fields(value)}
        return f"{type(value).__name__}{plain(parts)}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{plain(k)}: {plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, str | bytes | Q) or not hasattr(value, "__iter__"):
        return repr(value)
    return "[" + ", ".join(plain(one) for one in itertools.islice(value, 10_000)) + "]"


def _difference(name: str, before: str, after: str) -> str:
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return f"{name}: …{before[max(0, at - 80) : at + 80]} … {after[max(0, at - 80) : at + 80]}"


def answer_gold(study: Campaign, cast: list[Participation]) -> None:
    """Let people get gold items, answer most of them, and keep one open."""
    change(study, status=Campaign.Status.DRAFT)
    gold.add(study.pk, items(8), actor_id=None)
    change(study, status=Campaign.Status.OPEN, gold_share=picking.MOST)
    study.refresh_from_db()
    for n, who in enumerate(cast * 2):
        picked = picking.pick_gold(study, who.annotator_id)
        task = lease_gold(who, picked)
        if n % 5 < 4:
            given = {**GOOD, **(BAD if n % 2 else {})}
            submitting.submit_judgment(task.pk, participation_id=who.pk, raw=given)
    change(study, gold_share=0)
    study.refresh_from_db()


def estimates() -> list[dict[str, Any]]:
    last = Estimate.objects.order_by("-pk")[:8]
    skipped = {"id", "created_at", "at"}
    return [
        {name: value for name, value in vars(one).items() if name not in skipped and name[0] != "_"}
        for one in last
    ]


@pytest.fixture
def world():
    study = campaign(owner=user(), items=12, double_share=0.5, annotator_cap=9)
    cast = [person(study, f"p{n}") for n in range(8)]
    work(study, judgments_=30)
    leased(cast[0])
    settle(study)
    study.refresh_from_db()
    return study, cast


@pytest.mark.slow
def test_every_reader_of_judgments_sees_the_same(world):
    study, cast = world
    before, facts = read(study, cast[1]), [*Judgment.objects.values(), *Slot.objects.values()]
    assert len(before) > 60, sorted(before)
    answer_gold(study, cast)
    assert Assignment.objects.filter(gold__isnull=False).count() == 16
    ChangeMark.objects.all().delete()  # estimates made anew are compared below
    after = read(study, cast[1])
    changed = {name for name in before if before[name] != after[name]}
    assert not changed, "\n".join(_difference(name, before[name], after[name]) for name in changed)
    assert [*Judgment.objects.values(), *Slot.objects.values()] == facts


@pytest.mark.slow
def test_estimates_agreement_and_decisions_are_the_same_to_the_last_bit(world):
    study, cast = world
    before, decided, counts = (
        estimates(),
        Decision.objects.count(),
        progress.progress(study.pk, cap=9),
    )
    answer_gold(study, cast)
    settle(study)
    assert estimates() == before
    assert Decision.objects.count() == decided
    now = progress.progress(study.pk, cap=9)
    assert now.spent > counts.spent
    assert replace(now, spent=counts.spent) == counts
