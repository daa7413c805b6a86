"""The plan of a campaign that exists, as the start of another one."""

from annotate.crowds.tariffs import usual_share
from annotate.models import Campaign
from annotate.selectors.studies import instruments, texts
from annotate.services.campaigns.metric_choice import AUTO
from annotate.services.campaigns.plans import LONGEST_NAME, Plan
from annotate.states import MetricChoice

AS_THEY_ARE = (
    "public_title",
    "public_about",
    "tutorial_bonus",
    "bonus_after",
    "failed_try_pay",
    "open_link_bonus",
    "tutorial_id",
    "reward",
    "crowd",
    "budget",
    "max_judgments",
    "double_share",
    "annotator_cap",
    "people",
    "lease_minutes",
    "estimand",
    "level",
    "stop_mode",
    "planned_items",
    "language",
    "contact",
    "gold_share",
    "screening",
)


def plan_of(campaign: Campaign) -> Plan:
    """Return what was decided for this campaign, for other texts.

    Its deadline has passed or will, its seed belongs to its items, and so do its gold items: these
    three are left out. A usual fee stays the usual one, whichever crowd is chosen then.
    """
    targets = list(campaign.targets.all())
    is_auto = campaign.metric_choice == MetricChoice.AUTO
    return Plan(
        name=f"Copy of {campaign.name}"[:LONGEST_NAME],
        instrument=_chosen(campaign),
        texts=texts.of(campaign),
        tutorial=campaign.tutorial_required,
        fee_rate=None if campaign.fee_rate == usual_share(campaign.crowd) else campaign.fee_rate,
        metrics=(AUTO,) if is_auto else tuple(campaign.metrics),
        targets={one.criterion: one.width for one in targets if one.width is not None},
        margins={one.criterion: one.margin for one in targets if one.margin is not None},
        **{name: getattr(campaign, name) for name in AS_THEY_ARE},
    )


def _chosen(campaign: Campaign) -> str:
    """Return the name by which a plan chooses the instrument of this campaign."""
    key, version = campaign.instrument, campaign.instrument_version
    return key if instruments.is_built_in(key) else f"{key}@{version}"
