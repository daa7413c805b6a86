"""Stores judgments that were made elsewhere, as a closed campaign of its own."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from annotate.campaigns import life, totals
from annotate.campaigns.creating import ITEM as CREATED_ITEM
from annotate.campaigns.sheet import wrong_text
from annotate.common import audit, locks
from annotate.common import rows as common_rows
from annotate.common.errors import Invalid
from annotate.common.numbers import count, many
from annotate.instruments.base import Criterion
from annotate.instruments.recorded.instrument import RecordedScores, definition_of
from annotate.instruments.tutorials import digest_of
from annotate.models import (
    Annotator,
    Assignment,
    Authorship,
    Campaign,
    CampaignTotals,
    InstrumentDefinition,
    Item,
    Judgment,
    Membership,
    Output,
    Participation,
    Slot,
    System,
)
from annotate.models.base import Estimand, new_public_id

MOST_SCORES = 200_000
MOST_ON_A_PAGE = 50_000  # that a request takes in some seconds
MOST_OUTPUTS = 10**7  # of each system, judged or not
MOST_STORED = 200_000  # of all systems, as every system has every item of a random sample
MOST_SYSTEMS, MOST_CRITERIA, MOST_ON_ONE = 100, 50, 1000
LONGEST_CHOSEN = 300
LONGEST_NAME = 120  # of a campaign, an item and a person
LONGEST_SYSTEM, LONGEST_CRITERION = 80, 40
ENVIRONMENT = "recorded-"  # of the people: nobody else has their names
ITEM = ("id", *CREATED_ITEM)
DONE = Assignment.Status.VERIFIED
ASSIGNMENT = (
    *("id", "campaign_id", "annotator_id", "participation_id", "output_id", "status"),
    *("leased_at", "started_at", "expires_at", "ended_at"),
)
JUDGMENT = (
    *("assignment_id", "campaign_id", "output_id", "annotator_id", "instrument"),
    *("instrument_version", "response", "submitted_at", "elapsed_seconds"),
)


class Recorded(NamedTuple):
    """What one person said about the output of one system for one item: scores by criterion."""

    system: str
    item: str
    annotator: str
    scores: Mapping[str, float]
    at: datetime | None


def create(
    name: str,
    judgments: Sequence[Recorded],
    *,
    criteria: Sequence[Criterion],
    owner_id: int | None,
    chosen: str,
    outputs: int | None = None,
    groups: Mapping[str, str] | None = None,
    estimand: str = Estimand.POPULATION,
) -> Campaign:
    """Store the judgments in their order, and close the campaign; a worker estimates it.

    outputs: how many outputs each system had, of which the judged ones are a random sample. None:
    they were not chosen at random, so nothing is said beyond the items that are judged.
    chosen: how they were chosen, in words. groups: of the items that belong together, by item.
    Raises `Invalid`.
    """
    name, chosen, groups = name.strip(), chosen.strip(), groups or {}
    items = list(dict.fromkeys(one.item for one in judgments))
    systems = list(dict.fromkeys(one.system for one in judgments))
    _check(name, judgments, criteria, chosen, outputs, groups, items, systems)
    with transaction.atomic():
        campaign = Campaign(
            name=name,
            recorded={"outputs": outputs, "chosen": chosen},
            instrument_version="1",
            tutorial_required=False,
            double_share=0.0,
            annotator_cap=None,
            reward=Decimal(0),
            seed=0,
            estimand=estimand,
        )
        campaign.instrument = f"{ENVIRONMENT}{campaign.public_id}"
        definition = definition_of(criteria)
        InstrumentDefinition.objects.create(
            owner_id=owner_id,
            key=campaign.instrument,
            version=1,
            definition=definition,
            digest=digest_of(definition),
        )
        campaign.public_title = str(RecordedScores.title)
        campaign.save()
        CampaignTotals.objects.create(campaign=campaign)
        if owner_id is not None:
            Membership.objects.create(
                campaign=campaign, user_id=owner_id, role=Membership.Role.OWNER
            )
        of = _texts(campaign, systems, items, groups, judgments, everything=outputs is not None)
        n_outputs = Authorship.objects.filter(item__campaign=campaign).count()
        audit.record("create", campaign_id=campaign.pk, actor_id=owner_id, outputs=n_outputs)
        _work(campaign, judgments, of)
        locks.campaign(campaign.pk)
        totals.recount(campaign.pk)
        with connection.cursor() as cursor:  # plans without it would take a new study for empty
            cursor.execute("ANALYZE annotate_judgment, annotate_slot, annotate_assignment")
        life.take_in(
            campaign.pk, actor_id=owner_id, judgments=len(judgments), chosen=chosen, outputs=outputs
        )
    return campaign


def _check(
    name: str,
    judgments: Sequence[Recorded],
    criteria: Sequence[Criterion],
    chosen: str,
    outputs: int | None,
    groups: Mapping[str, str],
    items: Sequence[str],
    systems: Sequence[str],
) -> None:
    errors: dict[str, str] = {}
    if not 0 < len(name) <= LONGEST_NAME:
        errors["name"] = f"Give the campaign a name of at most {LONGEST_NAME} characters."
    if not 0 < len(chosen) <= LONGEST_CHOSEN:
        errors["chosen"] = (
            "Say how the judged outputs were chosen, in one sentence of at most "
            f"{LONGEST_CHOSEN} characters."
        )
    if problem := _file_problem(judgments, criteria, groups, systems):
        errors["file"] = problem
    elif outputs is not None:
        if outputs < len(items):
            errors["outputs"] = (
                f"The file has judgments of {many(len(items), 'item')}, so each system had at "
                "least as many outputs."
            )
        elif outputs > MOST_OUTPUTS:
            errors["outputs"] = f"At most {count(MOST_OUTPUTS)} outputs of each system."
        elif groups and outputs > len(items):
            errors["outputs"] = (
                "The items come in groups, and this number does not say how many groups there "
                "were. Give the number of judged items, or leave the groups out."
            )
        elif len(items) * len(systems) > MOST_STORED:
            errors["file"] = (
                f"{many(len(items), 'item')} of {many(len(systems), 'system')} are more than "
                f"{count(MOST_STORED)} outputs. Import some systems at a time."
            )
    if errors:
        raise Invalid(errors)


def _file_problem(
    judgments: Sequence[Recorded],
    criteria: Sequence[Criterion],
    groups: Mapping[str, str],
    systems: Sequence[str],
) -> str:
    """Return what is wrong with the judgments; "" if nothing is."""
    if problem := _too_long(judgments, groups):
        return problem
    if len(systems) > MOST_SYSTEMS:
        return f"At most {MOST_SYSTEMS} systems; these are {count(len(systems))}."
    if len(criteria) > MOST_CRITERIA:
        return f"At most {MOST_CRITERIA} criteria; these are {count(len(criteria))}."
    of_each = Counter((one.system, name) for one in judgments for name in one.scores)
    if max(of_each.values(), default=0) < 2:
        return "No system has two judgments on a criterion, and an estimate needs two."
    ((system, item), n) = Counter((one.system, one.item) for one in judgments).most_common(1)[0]
    if n > MOST_ON_ONE:
        return f"At most {count(MOST_ON_ONE)} people judge one output; {item} of {system} has more."
    return ""


def _too_long(judgments: Sequence[Recorded], groups: Mapping[str, str]) -> str:
    """Return what is wrong with the first name that the database cannot hold; "" if nothing is."""
    for what, names, longest in (
        ("system", {one.system for one in judgments}, LONGEST_SYSTEM),
        ("item", {one.item for one in judgments}, LONGEST_NAME),
        ("annotator", {one.annotator for one in judgments}, LONGEST_NAME),
        ("group", set(groups.values()), LONGEST_NAME),
    ):
        for name in sorted(names):
            if found := next(wrong_text(what, name, longest), None):
                return f"{found[1]} It begins with {name[:30]!r}."
    return ""


def _texts(
    campaign: Campaign,
    systems: Sequence[str],
    items: Sequence[str],
    groups: Mapping[str, str],
    judgments: Sequence[Recorded],
    *,
    everything: bool,
) -> dict[tuple[str, str], tuple[int, int]]:
    """Store systems, items and outputs, whose texts are not known.

    everything: every system has every item of the file; otherwise, those that are judged for it.
    Return of each judged output, by system and item, its id and its item's position.
    """
    System.objects.bulk_create(System(campaign=campaign, name=name) for name in systems)
    ids = dict(campaign.systems.values_list("name", "pk"))
    # The items of a group have positions in a row.
    places = {name: place for place, name in enumerate(items)}
    first = {groups[name]: places[name] for name in reversed(items) if groups.get(name)}
    ordered = sorted(items, key=lambda name: first.get(groups.get(name, ""), places[name]))
    position = {name: number for number, name in enumerate(ordered)}
    begins = {groups[name]: position[name] for name in reversed(ordered) if groups.get(name)}
    keys = common_rows.reserve(Item, len(items))
    common_rows.insert(
        Item,
        ITEM,
        (
            (pk, campaign.pk, name, position[name], "", [], 0, "", group, begins.get(group))
            for pk, name in zip(keys, items, strict=True)
            for group in [groups.get(name, "")]
        ),
    )
    judged = {(one.system, one.item) for one in judgments}
    item_id = dict(zip(items, keys, strict=True))
    written = [
        (system, item)
        for item in items
        for system in systems
        if everything or (system, item) in judged
    ]
    outputs = common_rows.reserve(Output, len(written))
    common_rows.insert(
        Output,
        ("id", "campaign_id", "item_id", "text", "words", "digest", "given_metrics"),
        # Two systems' outputs stay two, although neither text is known.
        (
            (pk, campaign.pk, item_id[item], "", 0, digest_of([system]), {})
            for pk, (system, item) in zip(outputs, written, strict=True)
        ),
    )
    common_rows.insert(
        Authorship,
        ("system_id", "item_id", "output_id"),
        (
            (ids[system], item_id[item], pk)
            for pk, (system, item) in zip(outputs, written, strict=True)
        ),
    )
    campaign.planned_outputs = len(judged)
    return {
        pair: (pk, position[pair[1]])
        for pk, pair in zip(outputs, written, strict=True)
        if pair in judged
    }


def _work(
    campaign: Campaign,
    judgments: Sequence[Recorded],
    of: Mapping[tuple[str, str], tuple[int, int]],
) -> None:
    """Store people and what they judged, in the order of the judgments."""
    now = timezone.now()
    names = list(dict.fromkeys(one.annotator for one in judgments))
    where = f"{ENVIRONMENT}{campaign.public_id}"
    people = Annotator.objects.bulk_create(
        Annotator(crowd="link", environment=where, external_id=name, pseudonym=new_public_id())
        for name in names
    )
    came = Participation.objects.bulk_create(
        Participation(campaign=campaign, annotator=who, verified_at=now) for who in people
    )
    who = {one.annotator.external_id: (one.annotator_id, one.pk) for one in came}
    tasks = common_rows.reserve(Assignment, len(judgments))
    known: list[tuple[int, Recorded, datetime]] = [
        (task, one, one.at or now) for task, one in zip(tasks, judgments, strict=True)
    ]
    common_rows.insert(
        Assignment,
        ASSIGNMENT,
        (
            (task, campaign.pk, *who[one.annotator], of[one.system, one.item][0], DONE, *[at] * 4)
            for task, one, at in known
        ),
    )
    common_rows.insert(
        Judgment,
        JUDGMENT,
        (
            (task, campaign.pk, output, annotator, campaign.instrument, "1", response, at, 0.0)
            for task, one, at in known
            for output, annotator in [(of[one.system, one.item][0], who[one.annotator][0])]
            for response in [{"scores": dict(one.scores)}]
        ),
    )
    number: Counter[int] = Counter()
    slots: list[tuple[Any, ...]] = []
    for task, one, _at in known:
        output, position = of[one.system, one.item]
        number[output] += 1
        slots.append((campaign.pk, output, position, number[output], task))
    common_rows.insert(
        Slot, ("campaign_id", "output_id", "position", "number", "assignment_id"), slots
    )
    campaign.planned = len(slots)
    campaign.planned_twice = sum(n > 1 for n in number.values())
    campaign.save(update_fields=["planned", "planned_outputs", "planned_twice"])
