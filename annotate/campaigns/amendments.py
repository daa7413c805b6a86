"""Changes that people make to an existing campaign: fee, budget, links, metrics, screens, texts."""

from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotate.campaigns import exports, plans
from annotate.campaigns.exports import AMENDED, METRICS_BOUNDED
from annotate.campaigns.facts import bounded_transform
from annotate.campaigns.plans import MOST_BUDGET, MOST_FEE
from annotate.common import audit, locks, marks
from annotate.common.errors import Conflict, Invalid
from annotate.common.numbers import money_text
from annotate.common.text import is_visible
from annotate.crowds import adapters
from annotate.crowds.prices import CENT, FINEST, percent
from annotate.models import Campaign, CampaignTexts, Subscription
from annotate.models.base import CampaignStatus
from annotate.pay import budget as pay_budget
from annotate.screening.base import SettingsError
from annotate.screening.screens import Settings, by_path
from annotate.screening.signals import signals_on
from annotate.studies import queries as studies_queries
from annotate.studies.queries import AMENDED as TEXTS_AMENDED
from annotate.studies.queries import ReadTexts, StudyTexts


def change_fee(
    campaign_id: int, share: Decimal, *, actor_id: int | None, beyond_budget: bool = False
) -> bool:
    """Use this fee rate from now on; return False if it is unchanged. Existing ledger rows stay.

    Raises `Invalid` for an impossible rate. Raises `Conflict` for a campaign by link, and where the
    new rate raises what is promised above the budget, unless `beyond_budget` is set.
    """
    if not share.is_finite() or not 0 <= share < MOST_FEE or share != share.quantize(FINEST):
        raise Invalid({"fee_rate": "The fee is a share with at most four decimals, such as 0.4."})
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if not adapters.publishes(campaign.crowd):
            raise Conflict("People of this campaign come by link: no crowd adds a fee.")
        if campaign.fee_rate == share:
            return False
        before, was = pay_budget.excess(campaign), campaign.fee_rate
        Campaign.objects.filter(pk=campaign_id).update(fee_rate=share)
        campaign.refresh_from_db()
        excess = pay_budget.ask(campaign, before=before, beyond_budget=beyond_budget)
        marks.mark(campaign_id, "fee")  # a limit may be reached or lifted
        audit.record(
            "fee",
            campaign_id=campaign_id,
            actor_id=actor_id,
            was=percent(was),
            now=percent(share),
            beyond_budget=str(excess),
        )
    return True


def raise_budget(campaign_id: int, budget: Decimal, *, actor_id: int | None) -> bool:
    """Raise the budget; return False if it is this one already.

    Raises `Invalid` for an amount that is lower or impossible, and `Conflict` for a campaign
    without a budget and an archived one.
    """
    if not budget.is_finite() or not 0 < budget < MOST_BUDGET or budget != budget.quantize(CENT):
        raise Invalid({"budget": "Give an amount below a hundred million, in whole cents."})
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.budget is None:
            raise Conflict("This campaign has no budget, so none can be raised.")
        if campaign.status == CampaignStatus.ARCHIVED:
            raise Conflict("This campaign is archived.")
        if budget == campaign.budget:
            return False
        if budget < campaign.budget:
            raise Invalid(
                {"budget": f"The budget is {money_text(campaign.budget)}. Give a larger one."}
            )
        Campaign.objects.filter(pk=campaign_id).update(budget=budget)
        Subscription.objects.filter(campaign=campaign_id, ended_at=None).update(low_told=False)
        marks.mark(campaign_id, "budget")  # a limit may be lifted
        audit.record(
            "raise_budget",
            campaign_id=campaign_id,
            actor_id=actor_id,
            was=str(campaign.budget),
            now=str(budget.quantize(CENT)),
        )
    return True


def withdraw_links(campaign_id: int, *, actor_id: int) -> None:
    """Withdraw all links for annotators. People who have entered go on with their own pages."""
    with transaction.atomic():
        rows = Campaign.objects.filter(pk=campaign_id)
        rows.update(links_number=F("links_number") + 1)
        audit.record("withdraw_links", campaign_id=campaign_id, actor_id=actor_id)


# The switch of a running campaign's protocol to metrics that enter its estimates bounded.


RUNNING = (CampaignStatus.OPEN, CampaignStatus.PAUSED, CampaignStatus.CLOSING)


def bound(campaign_id: int, *, actor_id: int, why: str) -> bool:
    """Let a campaign that opened with raw metrics use them bounded; False if it does already.

    The rule looks at no judgment. Estimates are made again; the log and the export keep the
    protocol as it was. Raises `Invalid` without a reason, and `Conflict` for a campaign that does
    not run or has no metrics.
    """
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status not in RUNNING:
            raise Conflict(
                "How metrics enter can be changed while a campaign is open, paused or closing. One "
                "that is closed can be reopened."
            )
        if not campaign.metrics:
            raise Conflict("The campaign has no metrics.")
        assert campaign.protocol is not None  # it has opened
        now = bounded_transform(studies_queries.instrument_of(campaign))
        was = campaign.protocol.get("metric_transform")  # None in protocols of before the rule
        if was == now:
            return False
        why = audit.checked(why, status=campaign.status)
        protocol = {**campaign.protocol, "metric_transform": now}
        Campaign.objects.filter(pk=campaign_id).update(protocol=protocol)
        marks.mark(campaign_id, "metrics")
        changes = {"metric_transform": (was, now)}
        audit.record_reason(METRICS_BOUNDED, campaign, why, changes, actor_id=actor_id)
    return True


# Changes the settings of a campaign's screens: freely in a draft, later with a logged reason.


OVER = (CampaignStatus.CLOSED, CampaignStatus.ARCHIVED)
UNTOLD = (
    "Signals can be switched on before the campaign opens only: people who have joined were not "
    "told about them."
)


def change(
    campaign_id: int,
    given: Mapping[str, Mapping[str, Any]],
    *,
    actor_id: int | None,
    reason: str = "",
) -> dict[str, tuple[Any, Any]]:
    """Change some settings; return what changed, by path, as (was, now).

    given: group -> name -> value; what is not named stays. The screens look again with the new
    settings. Flags that were raised stay. Raises `Invalid` for unknown names, values outside their
    ranges and a missing reason, and `Conflict` after closing and where signals would be switched on
    too late.
    """
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status in OVER:
            raise Conflict("The campaign is closed: its screens have done their work.")
        merged = dict(campaign.screening)
        for group, values in given.items():  # what is no object is left to the check
            whole = isinstance(values, Mapping) and isinstance(merged.get(group, {}), Mapping)
            merged[group] = {**merged.get(group, {}), **values} if whole else values
        before, now = _settings(campaign.screening), _settings(merged)
        changes = {
            path: (before[one.group][one.name], now[one.group][one.name])
            for path, one in by_path().items()
            if before[one.group][one.name] != now[one.group][one.name]
        }
        if not changes:
            return {}
        is_draft = campaign.status == CampaignStatus.DRAFT
        if not is_draft and signals_on(now) and not signals_on(campaign.screening):
            raise Conflict(UNTOLD)
        reason = audit.checked(reason, status=campaign.status)
        Campaign.objects.filter(pk=campaign_id).update(screening=now, screened="")
        marks.mark(campaign_id, "screens")
        audit.record_reason(AMENDED, campaign, reason, changes, actor_id=actor_id)
    return changes


def _settings(stored: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    try:
        return Settings.from_dict(stored).to_dict()
    except SettingsError as refused:
        raise Invalid(refused.errors("settings")) from None


# Changes what annotators read of a campaign: freely in a draft, later with a logged reason.


STALE = (
    "The texts were changed in another window since this page was opened. What you entered stands "
    "below. Look at it again."
)
ACCEPTED = "People were asked to accept a text: it can be changed, but not taken away any more."
CLOSED = "The campaign is closed: nobody reads its instructions or its consent text any more."

Changes = dict[str, tuple[str, str]]


def change_texts(
    campaign_id: int,
    given: Mapping[str, str],
    *,
    actor_id: int | None,
    reason: str = "",
    seen: str = "",
) -> Changes:
    """Change some texts; return what changed, by name, as (was, now).

    given: by the names of `ReadTexts`; what is not named stays, and an empty title is the neutral
    one. seen: the revision on which the changes rest; "" for any. A changed consent text is asked
    of everybody again; existing postings keep their own words. Raises `Invalid` for texts that
    cannot be and for a missing reason, and `Conflict` for a stale revision and after closing.
    """
    if wrong := _problems(given):
        raise Invalid(wrong)
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        before = studies_queries.amended_texts_of(campaign)
        if seen and seen != before.revision:
            raise Conflict(STALE, code="stale")
        now = {name: _plain(text) for name, text in given.items()}
        if "public_title" in given:
            asked = studies_queries.instrument_of(campaign), campaign.language
            now["public_title"] = exports.title(given["public_title"], *asked)
        changes = {
            name: (was, now[name])
            for name, was in asdict(before).items()
            if name in now and now[name] != _plain(was)
        }
        if not changes:
            return {}
        if campaign.status in OVER and changes.keys() & {"instructions", "consent"}:
            raise Conflict(CLOSED)
        had_consent, has_consent = changes.get("consent", ("", ""))
        if campaign.status != CampaignStatus.DRAFT and had_consent and not has_consent:
            raise Invalid({"consent": ACCEPTED})
        reason = audit.checked(reason, status=campaign.status)
        _store(campaign, before, {name: now for name, (_was, now) in changes.items()})
        audit.record_reason(TEXTS_AMENDED, campaign, reason, changes, actor_id=actor_id)
    return changes


def _problems(given: Mapping[str, str]) -> dict[str, str]:
    own = plans.text_problems(
        StudyTexts(consent=given.get("consent", ""), instructions=given.get("instructions", ""))
    )
    found = {name.removeprefix("texts."): problem for name, problem in own.items()}
    found |= plans.public_word_problems(
        given.get("public_title", ""), given.get("public_about", "")
    )
    address = given.get("contact", "")
    try:
        if len(address) > plans.LONGEST_ADDRESS:
            longest = f"An e-mail address has at most {plans.LONGEST_ADDRESS} characters."
            raise ValidationError(longest)
        if address:
            validate_email(address)
    except ValidationError as refused:
        found["contact"] = " ".join(refused.messages)
    return found | {name: "It contains a NUL character." for name in given if "\0" in given[name]}


def _plain(text: str) -> str:
    """Return a text without what nobody sees: a form sends other line ends than it was given."""
    return text.replace("\r\n", "\n").strip() if is_visible(text) else ""


def _store(campaign: Campaign, before: ReadTexts, now: Mapping[str, str]) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(
        public_title=now.get("public_title", before.public_title),
        public_about=now.get("public_about", before.public_about),
        contact=now.get("contact", before.contact),
    )
    own: dict[str, Any] = {name: now[name] for name in ("instructions", "consent") if name in now}
    if "consent" in own:
        own["consent_version"] = studies_queries.consent_version(campaign) + 1
    if "instructions" in own and campaign.status != CampaignStatus.DRAFT:
        own["instructions_at"] = timezone.now()
    if own:
        CampaignTexts.objects.update_or_create(campaign=campaign, defaults=own)
