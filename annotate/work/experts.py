"""The named experts of a campaign: who may enter, and how one is released or replaced."""

from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate.campaigns import plans
from annotate.campaigns.facts import experts_of
from annotate.common import audit, locks, marks
from annotate.common.errors import Conflict, Invalid, NotAllowed, NotFound
from annotate.common.text import tidy
from annotate.models import Annotator, Assignment, Campaign, Expert
from annotate.models.base import CampaignStatus
from annotate.pay import promises
from annotate.work import leasing, slots

FEWEST = 2  # experts that stay


def ask(campaign_id: int, name: str) -> None:
    """Raise `NotAllowed` where experts are named and this name is none of theirs."""
    campaign = Campaign.objects.get(pk=campaign_id)
    if campaign.named_experts and name not in experts_of(campaign):
        raise NotAllowed(
            _("This study is for people who were named. Ask the researcher for your own link.")
        )


def release(
    campaign_id: int,
    name: str,
    *,
    actor_id: int | None,
    reason: str = "",
    replacement: str = "",
) -> None:
    """Release an expert, whose judgments do not count any more; they stay, and so does their pay.

    replacement: the name of a new expert, who takes all slots of the released one and begins at the
    first item. Without one, one judgment less is planned of each output. Raises `NotFound` for a
    name that is none of the experts', `Invalid` for a wrong replacement, a missing reason and fewer
    than two experts left, and `Conflict` where a replacement could not judge.
    """
    if replacement and not tidy(replacement):
        raise Invalid({"replacement": "The name of the new expert cannot be seen."})
    name, replacement = tidy(name), tidy(replacement)
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        experts = Expert.objects.filter(campaign=campaign)
        here = experts.filter(released_at=None)
        reason = audit.checked(reason, status=CampaignStatus.OPEN)  # in a draft, too
        if campaign.status == CampaignStatus.ARCHIVED:
            raise Conflict("This campaign is archived.")
        if replacement:
            named = experts.values_list("name", flat=True)
            if wrong := plans.expert_problem([*named, replacement]):
                raise Invalid({"replacement": wrong})
            if campaign.status == CampaignStatus.CLOSED:
                raise Conflict("The campaign is closed. Reopen it, so that a new expert can judge.")
        elif here.count() <= FEWEST:
            raise Invalid({"replacement": f"At least {FEWEST} experts judge. Name a new one."})
        if not here.filter(name=name).update(released_at=timezone.now()):
            raise NotFound("There is no expert of this name any more.")
        _free(campaign, name)
        told: dict[str, Any] = {"campaign_id": campaign_id, "actor_id": actor_id}
        told |= {"expert": name, "why": reason}
        if replacement:
            Expert.objects.create(campaign=campaign, name=replacement)
            audit.record("replace_expert", **told, replacement=replacement)
        else:
            slots.drop_one_of_each(campaign_id)
            Campaign.objects.filter(pk=campaign_id).update(raters=F("raters") - 1)
            audit.record("release_expert", **told)
        marks.mark(campaign_id, "experts")


def _free(campaign: Campaign, name: str) -> None:
    """Free the slots of somebody who has just been released, and let a promised bonus fall due."""
    who = Annotator.by_name([name]).first()
    if who is None:  # never came
        return
    leasing.end_open(campaign.pk, who.pk, now=timezone.now())
    held = Assignment.objects.filter(campaign=campaign, annotator=who, slot__isnull=False)
    slots.free(list(held.values_list("pk", flat=True)), campaign_id=campaign.pk)
    promises.look(campaign, who.pk)
