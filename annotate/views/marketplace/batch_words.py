"""Texts about a batch: its defaults, what is needed, what it costs."""

import math
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override

from annotate.crowds.base import Audience
from annotate.crowds.bills import Bill
from annotate.crowds.tariffs import CENT
from annotate.crowds.terms import USUAL_AUTO_APPROVAL, Terms, usual_tasks
from annotate.instruments.base import Instrument
from annotate.selectors.campaigns import protocol, slot_counts
from annotate.selectors.marketplace.environments import CrowdEnvironment
from annotate.selectors.pay import budget, open_units, promises
from annotate.selectors.studies import instruments
from annotate.services.marketplace import batches, beforehand
from annotate.services.marketplace.offer_problems import units_needed
from annotate.services.marketplace.offers import Offer
from annotate.text.figures import count, money
from annotate.text.languages import interface_language


@dataclass(frozen=True)
class Needed:
    """What the plan still needs: judgments that are not under way, and submissions for those that
    no published or running submission covers."""

    judgments: int
    tasks: int
    units: int
    published: int  # free units
    left: Decimal | None  # of the budget
    suggested: int


@dataclass(frozen=True)
class BillLine:
    """One line of the table of costs."""

    what: str
    unit: Decimal
    all: Decimal


@dataclass(frozen=True)
class BillTable:
    lines: tuple[BillLine, ...]
    unit_total: Decimal
    note: str  # what the crowd itself says of it


def defaults(campaign: Any, last: Terms | None) -> dict[str, Any]:
    """Return what the form of a new batch starts from: the terms of the last, if there was one."""
    terms = last or _usual(campaign)
    people, auto_approval = terms.audience, terms.auto_approval or USUAL_AUTO_APPROVAL
    return {
        "key": uuid.uuid4().hex,
        "title": terms.title,
        "description": terms.description,
        "keywords": ", ".join(terms.keywords),
        "tasks": terms.tasks,
        "minutes": _number(terms.minutes),
        "places": batches.suggested_places(campaign.pk, terms.tasks) or 1,
        "duration": math.ceil(terms.duration / timedelta(minutes=1)),
        "lifetime": _number(terms.lifetime / timedelta(days=1)),
        "approve_after": _number(terms.approve_after / timedelta(hours=1)),
        "auto_approval": _number(auto_approval / timedelta(days=1)),
        "countries": ", ".join(people.countries),
        "languages": ", ".join(people.languages),
        "approval_rate": people.approval_rate,
        "approved_work": people.approved_work,
    }


def _usual(campaign: Any) -> Terms:
    instrument = instruments.of(campaign)
    tasks = usual_tasks(campaign.annotator_cap)
    minutes = _minutes(instrument) * tasks
    return Terms(
        title=campaign.public_title,
        description=_description(campaign, instrument),
        keywords=("text", "language", "judging", "research"),
        tasks=tasks,
        minutes=minutes,
        duration=timedelta(minutes=max(60, 4 * minutes)),
        audience=Audience(approval_rate=95, approved_work=100),
    )


def needed(campaign: Any, tasks: int) -> Needed:
    """Return the numbers behind the suggested number of places."""
    return Needed(
        judgments=slot_counts.missing(campaign.pk),
        tasks=tasks,
        units=units_needed(campaign.pk, tasks),
        published=sum(one.units for one in open_units.untaken(campaign.pk)),
        left=budget.left(campaign),
        suggested=batches.suggested_places(campaign.pk, tasks),
    )


def bill(offer: Offer) -> BillTable:
    """Return what one unit costs at most, and all of them, each part on its own line."""
    found, n = offer.bill, offer.places
    lines = tuple(BillLine(what, _each(amount, n), amount) for what, amount in parts(found))
    return BillTable(lines, _each(offer.total, n), offer.note)


def parts(found: Bill) -> list[tuple[str, Decimal]]:
    """Return the parts of a bill in words."""
    told = [("Rewards", found.rewards), ("The crowd’s fees on them", found.work.fee)]
    if found.bonuses.reward:
        told += [
            ("Tutorial bonuses, if everybody is new", found.bonuses.reward),
            ("The crowd’s fees on bonuses", found.bonuses.fee),
        ]
    return told


def hourly(reward: Decimal, minutes: float) -> Decimal:
    """Return the pay for an hour of the announced time."""
    return (reward * 60 / Decimal(str(minutes))).quantize(CENT, ROUND_HALF_UP)


def launched(batch: Any, here: CrowdEnvironment) -> str:
    units = "unit" if batch.places == 1 else "units"
    reward = money(batch.reward, batch.campaign.currency)
    return (
        f"Launched {here.place}: {count(batch.places)} {units} at {reward}. "
        "It is being published; this page shows how far that is."
    )


def extended(places: int, here: CrowdEnvironment) -> str:
    units = "1 further place is" if places == 1 else f"{count(places)} further places are"
    return f"{units} being published {here.place}."


def _number(value: float) -> float | int:
    """Return a number as people type it: whole numbers without a decimal, others with one."""
    return int(value) if value == int(value) else round(value, 1)


def _each(amount: Decimal, n: int) -> Decimal:
    return (amount / n).quantize(CENT, ROUND_HALF_UP) if n else amount


def _minutes(instrument: Instrument) -> int:
    """Return the middle of the announced minutes for one task, such as “1–3”."""
    said = [int(number) for number in re.findall(r"\d+", instrument.minutes)] or [2]
    return -(-sum(said) // len(said))


def _description(campaign: Any, instrument: Instrument) -> str:
    """No number is named, because the same form can change the tasks of a submission."""
    said = [protocol.about(campaign.public_about, instrument, campaign.language)]
    with override(interface_language(campaign.language)):
        said += _about_tutorial(campaign)
        said.append(_("The work is research; your answers are published under a random code."))
    return beforehand.told(" ".join(map(str, said)), campaign)


def _about_tutorial(campaign: Any) -> Iterator[str]:
    if campaign.tutorial_required:
        yield _("A short tutorial comes first, once.")
    if promises.offered(campaign) and campaign.bonus_after:
        yield _("Passing it brings a bonus, which is due once a few of your tasks count.")
    elif promises.offered(campaign):
        yield _("Passing it brings a bonus.")
