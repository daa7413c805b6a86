"""What workers do with imports: read the files, create the campaigns, clean up.

Workers run one import at a time, so a worker is always free for estimates. A worker claims an
import for a minute and extends the claim at every step. If the worker is killed, another one takes
over: it reads the file again and continues a campaign where it stopped.
"""

import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Q, QuerySet
from django.utils import timezone

from annotate.errors import Invalid
from annotate.models import Campaign, CampaignImport
from annotate.services import transitions
from annotate.services.campaigns import creating, storing
from annotate.services.campaigns.creating import Checked
from annotate.services.campaigns.importing import files, reading, states
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.importing.files import File, blocks
from annotate.services.campaigns.importing.problems import RowError, UploadRefused
from annotate.services.campaigns.importing.sheet import Sheet
from annotate.services.campaigns.importing.stored import plan_of, refusal_as_json
from annotate.states import ImportStatus as Status

CLAIM = timedelta(minutes=1)
MOST_ATTEMPTS = 3  # without progress between them
OFTEN = 0.5  # seconds between two notes of the reading progress
FREE: dict[str, Any] = {"claim": "", "claimed_until": None}
Progress = Callable[[int, int], None]  # items stored, items in all

logger = logging.getLogger(__name__)


class LostError(Exception):
    """This import was cancelled, or another worker has taken it over."""


def run(import_id: int) -> bool:
    """Do the due step of an import that is unclaimed; return whether there was one."""
    of = CampaignImport.objects.filter(pk=import_id).first()
    if of is None:
        return False
    if of.status not in CampaignImport.RUNNING:
        return files.clean(of)
    if not _claim(of):
        return False
    try:
        _go_on(of)
    except LostError:
        logger.info("import %s was cancelled or taken over", of.public_id)
    except Exception:
        logger.exception("import %s was stopped by an error", of.public_id)
        _mine(of).update(claimed_until=None)
    return True


def run_due() -> int:
    """Run imports whose message was lost or whose worker died; return how many were run."""
    files.expire()
    running = _unclaimed().order_by("pk").values_list("pk", flat=True)
    return sum(run(pk) for pk in [*files.due(), *running])


def run_directly(
    of: CampaignImport,
    outputs: Iterable[bytes],
    metrics: Iterable[bytes] | None = None,
    *,
    progress: Progress = lambda _done, _total: None,
) -> tuple[Campaign, Facts]:
    """Import files of any size in this process, completely or not at all.

    of: an unsaved import. It is saved once the files have been checked, so that the remains of a
        killed process are found and removed. Raises `Invalid` or `UploadRefused`, `IntegrityError`
        for the key of another import, and `LostError` if the owner cancels it on the page.
    """
    with Sheet() as sheet:
        plan = plan_of(of)
        checked = creating.check(plan, reading.read(sheet, outputs, metrics))
        creating.ask_about_names(checked.facts, distinct=plan.distinct_names)
        of.claim, of.claimed_until = uuid.uuid4().hex, timezone.now() + CLAIM
        of.facts = checked.facts.model_dump(mode="json")
        states.begin_read(of)
        try:
            return _create(of, checked, sheet, progress), checked.facts
        except BaseException:
            states.move(of, Status.CANCELLED)
            files.clean(of)
            raise


def _unclaimed() -> QuerySet[CampaignImport]:
    free = Q(claimed_until=None) | Q(claimed_until__lte=timezone.now())
    return CampaignImport.objects.filter(free, status__in=CampaignImport.RUNNING)


def _mine(of: CampaignImport) -> QuerySet[CampaignImport]:
    return CampaignImport.objects.filter(pk=of.pk, status=of.status, claim=of.claim)


def _claim(of: CampaignImport) -> bool:
    """Claim an import for this worker; False if a worker is busy with it or with another one."""
    now = timezone.now()
    others = CampaignImport.objects.filter(
        status__in=CampaignImport.RUNNING, claimed_until__gt=now
    ).exclude(outputs_size=0)
    taken = (
        _unclaimed()
        .filter(~Exists(others), pk=of.pk)
        .update(claim=uuid.uuid4().hex, claimed_until=now + CLAIM, attempts=F("attempts") + 1)
    )
    of.refresh_from_db()
    if taken and of.attempts > MOST_ATTEMPTS:
        states.move(of, Status.FAILED, **FREE)
        return False
    return bool(taken)


def _note(of: CampaignImport, **changes: int) -> None:
    """Store progress and extend the claim; raises `LostError` if the claim was lost."""
    if not transitions.note(_mine(of), claimed_until=timezone.now() + CLAIM, **changes):
        raise LostError


def _go_on(of: CampaignImport) -> None:
    if of.is_direct:  # the process was killed; other processes do not have its file
        states.move(of, Status.CANCELLED, where={"claim": of.claim})
        files.clean(of)
        return
    with Sheet() as sheet:
        try:
            facts = _read(of, sheet)
            if of.status == Status.READING and not of.at_once:
                _settle(of, Status.READY, facts=facts.model_dump(mode="json"))
                return
            checked = creating.check(plan_of(of), facts)
            if of.at_once:  # nobody was asked on a page
                creating.ask_about_names(facts, distinct=checked.plan.distinct_names)
        except UploadRefused as refused:
            _refuse(of, refused)
            return
        except Invalid as invalid:
            _refuse(of, UploadRefused([RowError(0, text) for text in invalid.errors.values()]))
            return
        if of.status == Status.READING:
            _settle(of, Status.CREATING, facts=facts.model_dump(mode="json"), keep=True)
        _create(of, checked, sheet)


def _read(of: CampaignImport, sheet: Sheet) -> Facts:
    metrics = _watched(of, File.METRICS, of.outputs_size) if of.metrics_name else None
    return reading.read(sheet, _watched(of, File.OUTPUTS), metrics, columns=of.columns)


def _watched(of: CampaignImport, file: str, before: int = 0) -> Iterator[bytes]:
    """Yield a file's blocks, and store from time to time how much has been read."""
    done, noted = before, 0.0
    for block in blocks(of, file):
        yield block
        done += len(block)
        if time.monotonic() - noted >= OFTEN:
            far = {"done": done, "total": of.outputs_size + of.metrics_size}
            _note(of, **far if of.status == Status.READING else {})
            noted = time.monotonic()


def _refuse(of: CampaignImport, refused: UploadRefused) -> None:
    _settle(of, Status.REFUSED, problems=refusal_as_json(refused.refusal))
    files.clean(of)


def _settle(of: CampaignImport, to: Status, *, keep: bool = False, **changes: Any) -> None:
    free = {} if keep else FREE
    if not states.move(of, to, where={"claim": of.claim}, done=0, total=0, **free, **changes):
        raise LostError


def _create(
    of: CampaignImport,
    checked: Checked,
    sheet: Sheet,
    progress: Progress = lambda _done, _total: None,
) -> Campaign:
    """Create the campaign in chunks, each in a short transaction; continue where it stopped."""
    total = checked.facts.n_items
    campaign = of.campaign or _begin(of, checked, sheet)
    start = campaign.items.count()
    rows = creating.source(checked, sheet)
    for chunk in creating.chunks(campaign, rows, checked.loose, start=start):
        done = chunk[-1][0] + 1
        with transaction.atomic():
            _note(of, done=done, total=total, attempts=0)
            storing.store(campaign, checked.plan, chunk)
        progress(done, total)
    with transaction.atomic():
        creating.finish(campaign, owner_id=of.owner_id, outputs=checked.facts.n_rows)
        _settle(of, Status.DONE)
    files.clean(of)
    return campaign


def _begin(of: CampaignImport, checked: Checked, sheet: Sheet) -> Campaign:
    with transaction.atomic():
        _note(of)
        campaign = creating.begin(checked, sheet)
        _mine(of).update(campaign=campaign)
    of.campaign = campaign
    return campaign
