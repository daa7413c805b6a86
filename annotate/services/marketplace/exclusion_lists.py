"""Keeps people out of a campaign at its crowd, so that they do not accept work they cannot get.

Each campaign has its own list there, with the people excluded from it and those blocked by its
owners. Leasing refuses them in any case; the list saves them the attempt.
"""

from dataclasses import replace

from django.db import transaction

from annotate.crowds.terms import Terms
from annotate.models import Annotator, Batch, Campaign, Membership, Operation, Review
from annotate.models.payloads import ExcludePayload, IncludePayload
from annotate.selectors.review import eligibility
from annotate.services.outbox import intents

Kind = Operation.Kind
OVER = (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)


def exclusion_group(campaign: Campaign) -> str:
    """Return the list's name at the crowd: `Audience.exclusion` of all postings."""
    return f"plumbline-{campaign.public_id}"


def applied(terms: Terms, campaign: Campaign) -> Terms:
    """Return these terms with the campaign's list. People on it do not see the posting."""
    return replace(terms, audience=replace(terms.audience, exclusion=exclusion_group(campaign)))


def follow(review: Review) -> None:
    """Update the lists after a ruling: of its campaign, and of its owners' other campaigns."""
    owners = Membership.objects.filter(campaign=review.campaign_id, role=Membership.Role.OWNER)
    theirs = Membership.objects.filter(
        user__in=owners.values("user"), role=Membership.Role.OWNER
    ).values("campaign")
    for campaign in Campaign.objects.filter(pk__in=theirs).exclude(status__in=OVER):
        out = review.annotator_id in eligibility.kept_out_people(campaign.pk)
        _bring_into_line(campaign, review.annotator, out=out)


def sync(campaign_id: int) -> None:
    """Update a campaign's list. It includes people who were blocked before the launch."""
    campaign = Campaign.objects.get(pk=campaign_id)
    out, listed = eligibility.kept_out_people(campaign_id), _listed(campaign_id)
    changed = Annotator.objects.filter(pk__in=out ^ listed, crowd=campaign.crowd)
    for annotator in changed.order_by("pk") if out ^ listed else ():
        _bring_into_line(campaign, annotator, out=annotator.pk in out)


def _listed(campaign_id: int) -> set[int]:
    """Return the annotators on the list, counting the operations that are still intended."""
    changes = Operation.objects.filter(campaign=campaign_id, annotator__isnull=False)
    last = dict(changes.order_by("pk").values_list("annotator", "kind"))
    return {annotator for annotator, kind in last.items() if kind == Kind.EXCLUDE}


def _bring_into_line(campaign: Campaign, annotator: Annotator, *, out: bool) -> None:
    """Intend the change, if one is needed and the campaign has been launched."""
    batch = Batch.objects.filter(
        campaign=campaign, crowd=annotator.crowd, environment=annotator.environment
    ).last()
    if batch is None:
        return
    with transaction.atomic():
        before = Operation.objects.filter(campaign=campaign, annotator=annotator)
        last = before.order_by("-pk").first()
        if out == (last is not None and last.kind == Kind.EXCLUDE):
            return
        form = ExcludePayload if out else IncludePayload
        intents.intend(
            form(person=annotator.external_id, group=exclusion_group(campaign)),
            key=f"standing:{campaign.pk}:{annotator.pk}:{before.count()}",
            campaign_id=campaign.pk,
            crowd=batch.crowd,
            environment=batch.environment,
            batch_id=batch.pk,
            annotator_id=annotator.pk,
        )
