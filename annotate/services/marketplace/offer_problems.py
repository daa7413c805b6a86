"""Why a batch cannot be launched, checked before money is spent."""

from collections.abc import Iterable, Iterator
from decimal import Decimal

from annotate.crowds.base import ListingProblem, Marketplace
from annotate.crowds.tariffs import CENT, ZERO
from annotate.crowds.terms import Terms
from annotate.models import Campaign
from annotate.selectors.campaigns import slot_counts
from annotate.selectors.pay import budget, open_units
from annotate.text.figures import DOLLARS, count, money

MOST_PLACES = 10_000
Status = Campaign.Status


def against(
    campaign: Campaign, *, places: int, tasks: int, total: Decimal, currency: str = DOLLARS
) -> Iterator[ListingProblem]:
    """Yield why `places` more units cannot be published now."""
    if campaign.status not in (Status.OPEN, Status.CLOSING):
        yield ListingProblem("campaign", f"The campaign is {campaign.status}. Open it first.")
    elif places > 0 and tasks > 0:
        yield from _of_need(places, tasks, units_needed(campaign.pk, tasks))
    rest = budget.left(campaign)
    if rest is not None and total > rest:
        yield ListingProblem(
            "budget",
            f"This may cost {money(total, currency)}, but only "
            f"{money(max(rest, ZERO), currency)} of the campaign’s budget is left. Take fewer "
            "places: a budget is fixed when its campaign is made.",
        )


def units_needed(campaign_id: int, tasks: int) -> int:
    """Return how many units of `tasks` tasks are needed for the free slots that no unit covers.

    Some of the tasks are gold items, which fill no slot.
    """
    share = Campaign.objects.values_list("gold_share", flat=True).get(pk=campaign_id)
    coming = sum(one.units * one.tasks for one in open_units.untaken(campaign_id))
    wanted = budget.with_gold(slot_counts.missing(campaign_id), share)
    missing = wanted - open_units.promised_tasks(campaign_id) - coming
    return max(0, -(-missing // tasks))


def by_field(problems: Iterable[ListingProblem]) -> dict[str, str]:
    """Return one text per field."""
    found: dict[str, list[str]] = {}
    for problem in problems:
        found.setdefault(problem.field or "launch", []).append(problem.message)
    return {name: " ".join(messages) for name, messages in found.items()}


def _of_need(places: int, tasks: int, needed: int) -> Iterator[ListingProblem]:
    """Yield the problem of more places than work: people without work would be paid."""
    if not needed:
        yield ListingProblem(
            "places",
            "Nothing is missing: every planned judgment is given, in progress, or offered already.",
        )
    elif places > needed:
        yield ListingProblem(
            "places",
            f"Only {count(needed)} submissions of {tasks} tasks are missing. Ask for no more than "
            "that: people who took another would find no task and would be paid.",
        )


def of_numbers(
    campaign: Campaign, terms: Terms, places: int, reward: Decimal
) -> Iterator[ListingProblem]:
    if not 1 <= places <= MOST_PLACES:
        yield ListingProblem("places", f"Ask for 1 to {count(MOST_PLACES)} places.")
    if terms.tasks < 1:
        yield ListingProblem("tasks", "One submission holds at least one task.")
        return
    if campaign.annotator_cap is not None and terms.tasks > campaign.annotator_cap:
        yield ListingProblem(
            "tasks",
            f"One person may do {campaign.annotator_cap} tasks in this campaign, so a submission "
            f"of {terms.tasks} could never be finished.",
        )
    if reward <= 0:
        yield ListingProblem(
            "reward",
            "A crowd requires a reward, and this campaign’s reward is 0. A reward is fixed when "
            "its campaign is made: make another.",
        )
    elif reward != reward.quantize(CENT):
        yield ListingProblem("reward", "The reward is in whole cents.")


def without_effect(terms: Terms, crowd: Marketplace) -> Iterator[ListingProblem]:
    """Name the terms that have no effect on this crowd."""
    words = {
        "keywords": "has no keywords",
        "auto_approval": f"approves automatically after {crowd.refusal_limit.days} days, "
        "and this cannot be changed",
    }
    for name in crowd.can.no_effect:
        if getattr(terms, name):
            yield ListingProblem(name, f"{crowd.label} {words[name]}. Leave this out.")


def of_times(terms: Terms, crowd: Marketplace) -> Iterator[ListingProblem]:
    ours = terms.auto_approval is not None
    limit = terms.auto_approval if terms.auto_approval is not None else crowd.refusal_limit
    if crowd.can.auto_approval and terms.approve_after >= limit:
        yield ListingProblem(
            "approve_after",
            "The crowd would approve the work automatically before your reviewers’ time is over. "
            f"Give them less time{', or let it approve later' if ours else ''}.",
        )
