"""What is the same for everybody in a campaign, kept in the process by its version."""

from dataclasses import dataclass, field

from annotate.models import Campaign, LeaseAllowance
from annotate.selectors.studies import tutorial_contents
from annotate.selectors.work import gold, signal_keys, task_page
from annotate.selectors.work.task_page import Study

KEPT = 500  # campaigns


@dataclass(frozen=True)
class CampaignTerms:
    """A campaign as it was when leases were allowed; a lease that spends of them confirms it.

    tutorial: the version that comes before the first task; None without one.
    gold: how many gold items there are; they do not change while it is open.
    signal_key: of the hashes of networks and devices; None where pages count no signals.
    passed: people who have passed it, for ever, as far as this process knows.
    """

    campaign: Campaign
    version: int
    study: Study
    tutorial: str | None
    gold: int = 0
    signal_key: bytes | None = None
    passed: set[int] = field(default_factory=set)


_kept: dict[int, CampaignTerms] = {}


def of(campaign_id: int) -> CampaignTerms:
    """Return the terms that this process knows; read them at the first time."""
    return _kept.get(campaign_id) or _read(campaign_id)


def forget(campaign_id: int) -> None:
    """Read them again next time: they are not those of the allowance any more."""
    _kept.pop(campaign_id, None)


def forget_all() -> None:
    """Read all terms again: another database takes the place of the one that was read."""
    _kept.clear()


def _read(campaign_id: int) -> CampaignTerms:
    # The version is read first: terms that are newer than it are refused, older ones never taken.
    mine = LeaseAllowance.objects.filter(campaign=campaign_id).order_by("part")
    version = mine.values_list("version", flat=True).first() or 0
    campaign = Campaign.objects.select_related("texts").get(pk=campaign_id)
    study = task_page.study_of(campaign)
    tutorial = tutorial_contents.of_campaign(campaign, study.instrument)
    asked = None if tutorial is None else tutorial.version
    n_gold = gold.usable(campaign_id).count() if campaign.gold_share else 0
    found = CampaignTerms(campaign, version, study, asked, n_gold, signal_keys.of(campaign))
    if len(_kept) >= KEPT:
        _kept.clear()
    _kept[campaign_id] = found
    return found
