"""Keeps the screens' verdicts, so that a reviewer's page reads one person's row.

Every judgment changes the verdicts on everybody a little. Writing all rows after each one would
cost more than screening, so a campaign's verdicts are kept at most once in a time that grows with
its people. What is left over is kept by a periodic task.
"""

import io
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import timedelta
from itertools import islice
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from annotate.models import Campaign, ScreenedAnnotator, Screening
from annotate.screening.arrays import medians_of_others
from annotate.screening.base import Columns, Verdict
from annotate.screening.screens import Settings, screen_all
from annotate.selectors.review import calibrations, screening
from annotate.services import plain_rows

PEOPLE_A_SECOND = 200  # so that a few percent of a worker's time go into it
AT_ONCE = 30.0  # seconds after which one run of the task ends
BATCH = 2000  # people whose rows are written at once
_USUAL = [(one.name, one.default) for one in fields(Verdict)]
FIELDS = ("campaign_id", "annotator_id", "state", "at", "verdicts", "others_seconds")


def found(campaign: Campaign, columns: Columns, flagged_only: bool = False) -> list[Verdict]:
    """Return what the screens say of everybody who works on, with the campaign's cut-offs."""
    chosen = Settings.from_dict(campaign.screening)
    said = screen_all(columns, chosen, calibrations.cutoffs(campaign.pk), flagged_only)
    return [verdict for verdict in said if verdict.annotator > 0]


def keep(campaign_id: int, state: str, columns: Columns, said: Sequence[Verdict]) -> bool:
    """Store what the screens found at `state`; return False if that is not due, or outdated."""
    if not is_due(campaign_id):
        return False
    shown = _by_screen(said)
    with transaction.atomic():
        made = {"state": state, "at": timezone.now(), "people": columns.people.size}
        Screening.objects.update_or_create(
            campaign_id=campaign_id, defaults={**made, "values": _values(shown)}
        )
        if not Campaign.objects.filter(pk=campaign_id, screened=state).exists():
            transaction.set_rollback(True)  # a later screening keeps its own
            return False
        # The row above is locked: no other screening stores the same people now.
        rows = _rows(campaign_id, state, columns, shown)
        while batch := list(islice(rows, BATCH)):
            people = [person for _campaign, person, *_ in batch]
            before = ScreenedAnnotator.objects.filter(campaign=campaign_id, annotator__in=people)
            before.delete()
            plain_rows.insert(ScreenedAnnotator, FIELDS, batch)
    return True


def is_due(campaign_id: int) -> bool:
    """Return whether verdicts are to be kept again."""
    last = Screening.objects.filter(campaign=campaign_id).values_list("at", "people").first()
    return last is None or timezone.now() >= last[0] + _pause(last[1])


def keep_due() -> int:
    """Keep the verdicts that no screening has kept yet; return for how many campaigns."""
    ends, kept = time.monotonic() + AT_ONCE, 0
    for campaign in _due():
        columns = screening.columns(campaign)
        if columns is not None and time.monotonic() < ends:
            kept += keep(campaign.pk, campaign.screened, columns, found(campaign, columns))
    return kept


def _due() -> list[Campaign]:
    """Return the screened campaigns whose verdicts are from before, those without any first."""
    kept = Screening.objects.filter(campaign=OuterRef("pk"))
    never = Campaign.objects.filter(~Exists(kept)).exclude(screened="").order_by("pk")
    old = Screening.objects.exclude(state=F("campaign__screened")).select_related("campaign")
    now = timezone.now()
    return [
        *never,
        *(one.campaign for one in old.defer("values") if now >= one.at + _pause(one.people)),
    ]


def _pause(people: int) -> timedelta:
    return timedelta(seconds=people / PEOPLE_A_SECOND)


def _by_screen(said: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    """Return the verdicts of each screen that has looked at anything."""
    screens: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in said:
        screens[verdict.screen].append(verdict)
    return {name: each for name, each in screens.items() if any(one.n for one in each)}


def _values(shown: Mapping[str, Sequence[Verdict]]) -> bytes:
    columns = {
        name: np.sort([one.value for one in each if one.value is not None])
        for name, each in shown.items()
    }
    file = io.BytesIO()
    np.savez(file, **columns)  # type: ignore[arg-type]
    return file.getvalue()


def _told(verdict: Verdict) -> dict[str, object]:
    """Return the verdict without what it says by default; `asdict` would copy deeply."""
    return {name: value for name, usual in _USUAL if (value := getattr(verdict, name)) != usual}


def _rows(
    campaign_id: int, state: str, columns: Columns, shown: Mapping[str, Sequence[Verdict]]
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of `FIELDS` for each person."""
    verdicts: defaultdict[int, list[Verdict]] = defaultdict(list)
    for each in shown.values():
        for verdict in each:
            verdicts[verdict.annotator].append(verdict)
    medians = medians_of_others(columns.who, columns.seconds, columns.people.size)
    others = [None if np.isnan(median) else float(median) for median in medians]
    now = timezone.now()
    for person, median in zip(columns.people.tolist(), others, strict=True):
        if person > 0:  # the others are work that was cleared
            yield campaign_id, person, state, now, list(map(_told, verdicts[person])), median
