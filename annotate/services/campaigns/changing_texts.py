"""Changes what annotators read of a campaign: freely in a draft, later with a logged reason."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from annotate.errors import Conflict, Invalid
from annotate.models import Campaign, CampaignTexts
from annotate.selectors.campaigns import protocol
from annotate.selectors.studies import amended_texts, instruments, texts
from annotate.selectors.studies.amended_texts import AMENDED, ReadTexts
from annotate.selectors.studies.texts import StudyTexts
from annotate.services import locks, reasons
from annotate.services.campaigns import study_texts
from annotate.services.campaigns.screen_settings import OVER
from annotate.states import CampaignStatus
from annotate.text.visible import is_visible

STALE = (
    "The texts were changed in another window since this page was opened. What you entered stands "
    "below. Look at it again."
)
ACCEPTED = "People were asked to accept a text: it can be changed, but not taken away any more."
CLOSED = "The campaign is closed: nobody reads its instructions or its consent text any more."

Changes = dict[str, tuple[str, str]]


def change(
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
        before = amended_texts.of(campaign)
        if seen and seen != before.revision:
            raise Conflict(STALE, code="stale")
        changes = _changes(campaign, asdict(before), given)
        if not changes:
            return {}
        reason = _checked(campaign, changes, reason)
        _store(campaign, before, {name: now for name, (_was, now) in changes.items()})
        reasons.record(AMENDED, campaign, reason, changes, actor_id=actor_id)
    return changes


def _problems(given: Mapping[str, str]) -> dict[str, str]:
    own = study_texts.problems(
        StudyTexts(consent=given.get("consent", ""), instructions=given.get("instructions", ""))
    )
    found = {name.removeprefix("texts."): problem for name, problem in own.items()}
    found |= study_texts.public_word_problems(
        given.get("public_title", ""), given.get("public_about", "")
    )
    if problem := _contact_problem(given.get("contact", "")):
        found["contact"] = problem
    return found | {name: "It contains a NUL character." for name in given if "\0" in given[name]}


def _contact_problem(address: str) -> str:
    if len(address) > study_texts.LONGEST_ADDRESS:
        return f"An e-mail address has at most {study_texts.LONGEST_ADDRESS} characters."
    try:
        if address:
            validate_email(address)
    except ValidationError as refused:
        return " ".join(refused.messages)
    return ""


def _changes(campaign: Campaign, before: Mapping[str, str], given: Mapping[str, str]) -> Changes:
    now = {name: _plain(text) for name, text in given.items()}
    if "public_title" in given:
        asked = instruments.of(campaign), campaign.language
        now["public_title"] = protocol.title(given["public_title"], *asked)
    return {
        name: (was, now[name])
        for name, was in before.items()
        if name in now and now[name] != _plain(was)
    }


def _plain(text: str) -> str:
    """Return a text without what nobody sees: a form sends other line ends than it was given."""
    return text.replace("\r\n", "\n").strip() if is_visible(text) else ""


def _checked(campaign: Campaign, changes: Changes, reason: str) -> str:
    """Return the reason, after checking that these texts may still be changed."""
    if campaign.status in OVER and changes.keys() & {"instructions", "consent"}:
        raise Conflict(CLOSED)
    was, now = changes.get("consent", ("", ""))
    if campaign.status != CampaignStatus.DRAFT and was and not now:
        raise Invalid({"consent": ACCEPTED})
    return reasons.checked(reason, status=campaign.status)


def _store(campaign: Campaign, before: ReadTexts, now: Mapping[str, str]) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(
        public_title=now.get("public_title", before.public_title),
        public_about=now.get("public_about", before.public_about),
        contact=now.get("contact", before.contact),
    )
    own: dict[str, Any] = {name: now[name] for name in ("instructions", "consent") if name in now}
    if "consent" in own:
        own["consent_version"] = texts.consent_version(campaign) + 1
    if "instructions" in own and campaign.status != CampaignStatus.DRAFT:
        own["instructions_at"] = timezone.now()
    if own:
        CampaignTexts.objects.update_or_create(campaign=campaign, defaults=own)
