"""Imports from upload to campaign: files, states, the work of workers, the acts of users."""

import hashlib
import json
import logging
import random
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Q, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone
from pydantic import TypeAdapter

from annotate.campaigns import creating, plans, reading
from annotate.campaigns.creating import CheckedPlan
from annotate.campaigns.parsers import Uploaded, tidy
from annotate.campaigns.plans import Plan
from annotate.campaigns.problems import Column, Problems, Row, RowError, UploadRefused
from annotate.campaigns.reading import paired
from annotate.campaigns.sheet import Facts, Sheet
from annotate.common import audit
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.marks import import_waiting
from annotate.models import Campaign, CampaignImport, ImportChunk
from annotate.models.base import ImportStatus as Status

_PLAN: TypeAdapter[Plan] = TypeAdapter(Plan)
_REFUSAL: TypeAdapter[Problems] = TypeAdapter(Problems)


def as_json(plan: Plan) -> dict[str, Any]:
    return dict(_PLAN.dump_python(plan, mode="json", exclude={"planned"}))


def asked_of(of: CampaignImport) -> Plan:
    """Return the plan as its owner sent it; without a seed, unless they gave one."""
    return _PLAN.validate_python(of.plan)


def plan_of(of: CampaignImport) -> Plan:
    """Return the plan with its seed: the researcher's own, or this import's permanent one.

    With the seed, the preview counts the judgments that will be planned.
    """
    plan = asked_of(of)
    drawn = random.Random(of.public_id).getrandbits(63)
    return plan if plan.seed is not None else replace(plan, seed=drawn)


def facts_of(of: CampaignImport) -> Facts:
    return Facts.model_validate(of.facts)


def notices_of(of: CampaignImport) -> list[str]:
    """Return what the owner should know about the file, once it has been read."""
    if of.facts is None:
        return []
    facts = facts_of(of)
    names = of.campaign.metrics if of.campaign else of.plan["metrics"]
    forms = creating.form_notices(asked_of(of), facts)
    return [*facts.alike, *facts.notices, *forms, *plans.offers(names, facts)]


def refusal_of(of: CampaignImport) -> Problems:
    return _REFUSAL.validate_python(of.problems)


# How far imports are, for pages.


LATE = timedelta(seconds=15)  # longer than a worker takes to look for work


def unfinished(user_id: int) -> QuerySet[CampaignImport]:
    """Select this person's waiting and running imports, the newest first."""
    statuses = (*CampaignImport.RUNNING, *CampaignImport.WAITING)
    return CampaignImport.objects.filter(owner=user_id, status__in=statuses).order_by("-pk")


def drafts(user_id: int) -> QuerySet[CampaignImport]:
    """Select those that may become campaigns: a file that cannot be read is no draft."""
    return unfinished(user_id).exclude(status=Status.REFUSED)


def columns_of(of: CampaignImport) -> list[Column]:
    """Return the first columns of a file that was read or refused, as they were understood."""
    if of.status == Status.REFUSED:
        return refusal_of(of).columns
    return facts_of(of).read_as if of.facts else []


def waiting_state(of: CampaignImport) -> tuple[bool, bool, bool]:
    """Return whether an import waits for a worker, waits behind another import, and waits so long
    that perhaps no worker is running."""
    now = timezone.now()
    claimed = of.claimed_until is not None and of.claimed_until > now
    waits = of.is_running and not claimed
    others = CampaignImport.objects.filter(
        status__in=CampaignImport.RUNNING, claimed_until__gt=now
    ).exclude(pk=of.pk)
    behind = waits and others.exists()
    return waits, behind, waits and not behind and now - of.changed_at > LATE


# The only writer of an import's status (data rule 2).


TRANSITIONS: dict[Status, set[Status]] = {
    Status.READING: set(Status) - {Status.READING, Status.DONE},
    Status.READY: {Status.CREATING, Status.CANCELLED},
    Status.REFUSED: {Status.CANCELLED},
    Status.CREATING: {Status.DONE, Status.REFUSED, Status.FAILED, Status.CANCELLED},
    Status.FAILED: {Status.READING, Status.CREATING, Status.CANCELLED},
    Status.DONE: set(),
    Status.CANCELLED: set(),
}


def move(
    of: CampaignImport,
    to: Status,
    *,
    where: dict[str, Any] | None = None,
    actor_id: int | None = None,
    **changes: Any,
) -> bool:
    """Change the status as it was read, log it, and wake a worker if there is work to do.

    Returns False and changes nothing if another process was faster or `where` does not hold.
    """
    mine = CampaignImport.objects.filter(pk=of.pk, **where or {})

    def record() -> None:
        audit.record(
            f"import_{to}", campaign_id=None, actor_id=actor_id, subject=f"import:{of.public_id}"
        )
        announce(of.pk)

    changes["changed_at"] = timezone.now()
    sources = [Status(of.status)]
    if not audit.change(mine, TRANSITIONS, to, sources=sources, record=record, **changes):
        return False
    of.refresh_from_db()
    return True


def announce(import_id: int) -> None:
    """Have a worker look at it once this transaction is committed."""
    transaction.on_commit(
        lambda: import_waiting.send_robust(sender=None, import_id=import_id), robust=True
    )


# Uploaded files, kept in the database, and their removal with the imports they belong to.


CHUNK = 1024 * 1024  # bytes of a file in one row
File = ImportChunk.File


class _StoredFile(Uploaded):
    """A file of another import, read as if it were uploaded again."""

    def __init__(self, of: CampaignImport, kind: str) -> None:
        self.of, self.kind = of, kind
        self.name: str = getattr(of, f"{kind}_name")
        self.size: int = getattr(of, f"{kind}_size")

    def chunks(self, _size: int | None = None) -> Iterator[bytes]:
        return blocks(self.of, self.kind)


def given_files(
    outputs: Uploaded | None,
    metrics: Uploaded | None,
    replaces: CampaignImport | None,
    *,
    drop_metrics: bool,
) -> dict[str, Uploaded]:
    """Return the files of an import: the uploaded ones, and those kept from its predecessor."""
    wanted: dict[str, Uploaded | None] = {File.OUTPUTS: outputs, File.METRICS: metrics}
    if replaces is not None and replaces.has_file:
        if outputs is None:
            wanted[File.OUTPUTS] = _StoredFile(replaces, File.OUTPUTS)
        if metrics is None and replaces.metrics_name and not drop_metrics:
            wanted[File.METRICS] = _StoredFile(replaces, File.METRICS)
    return {kind: file for kind, file in wanted.items() if file is not None}


def file_digest(plan: dict[str, Any], given: dict[str, Uploaded]) -> str:
    """Return a digest that is equal for the same plan with the same files."""
    found = hashlib.sha256(json.dumps(plan, sort_keys=True).encode())
    for kind, file in given.items():
        found.update(f"\0{kind} {file.size}\0".encode())
        for block in file.chunks(CHUNK):
            found.update(block)
    return found.hexdigest()


def keep(made: CampaignImport, given: dict[str, Uploaded]) -> None:
    """Store the files, one piece at a time. Call it in a transaction."""
    for kind, file in given.items():
        setattr(made, f"{kind}_name", tidy(file.name))
        setattr(made, f"{kind}_size", file.size)
        # Django yields a small file whole, whatever size is asked for.
        pieces = (
            block[start : start + CHUNK]
            for block in file.chunks(CHUNK)
            for start in range(0, len(block), CHUNK)
        )
        for number, piece in enumerate(pieces):
            ImportChunk.objects.create(campaign_import=made, file=kind, number=number, data=piece)
    made.save(update_fields=[f"{kind}_{what}" for kind in given for what in ("name", "size")])


def blocks(of: CampaignImport, file: str) -> Iterator[bytes]:
    """Yield a kept file piece by piece."""
    rows = ImportChunk.objects.filter(campaign_import=of, file=file).order_by("number")
    number = 0
    while (row := rows.filter(number=number).values_list("data", flat=True).first()) is not None:
        yield bytes(row)
        number += 1


KEPT = timedelta(days=7)  # how long an import waits for its owner
KEPT_REFUSED = timedelta(hours=1)  # how long a refused file waits for a correction, or the next
OVER = (Status.DONE, Status.CANCELLED, Status.REFUSED)


def clean(of: CampaignImport) -> bool:
    """Remove what a finished import no longer needs; safe to run twice."""
    recent = timezone.now() - of.changed_at < KEPT_REFUSED
    if of.status not in OVER or (of.may_be_corrected and recent):
        return False
    chunks = ImportChunk.objects.filter(campaign_import=of)
    removed = 0
    for pk in list(chunks.values_list("pk", flat=True)):
        removed += chunks.filter(pk=pk).delete()[0]
    campaign_id = of.campaign_id
    if of.status == Status.DONE or campaign_id is None:
        return bool(removed)
    creating.remove_items(campaign_id)  # of a campaign that was never finished
    with transaction.atomic():
        CampaignImport.objects.filter(pk=of.pk).update(campaign=None)
        Campaign.objects.filter(pk=campaign_id).delete()
    return True


def due() -> list[int]:
    """Return the ids of the imports with data to remove."""
    never_finished = ~Q(status=Status.DONE) & Q(campaign__isnull=False)
    over = CampaignImport.objects.filter(
        Q(chunks__isnull=False) | never_finished, status__in=OVER
    ).exclude(status=Status.REFUSED, changed_at__gt=timezone.now() - KEPT_REFUSED)
    return list(over.order_by("pk").values_list("pk", flat=True).distinct())


# What workers do with imports: read the files, create the campaigns, clean up.
#
# Workers run one import at a time, so a worker is always free for estimates. A worker claims an
# import for a minute and extends the claim at every step. If the worker is killed, another one
# takes over: it reads the file again and continues a campaign where it stopped.


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
        return clean(of)
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
    """Run imports whose message was lost or whose worker died, and cancel forgotten ones.

    Returns how many were run.
    """
    forgotten = CampaignImport.objects.filter(
        status__in=CampaignImport.WAITING, changed_at__lt=timezone.now() - KEPT
    )
    for of in forgotten:
        move(of, Status.CANCELLED)
    running = _unclaimed().order_by("pk").values_list("pk", flat=True)
    return sum(run(pk) for pk in [*due(), *running])


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
    plan = plan_of(of)
    with Sheet(joins=plan.join_names) as sheet:
        facts = reading.read(sheet, outputs, metrics, columns=of.columns)
        checked = creating.check(plan, facts)
        creating.ask_about_names(checked.facts, distinct=plan.distinct_names)
        of.claim, of.claimed_until = uuid.uuid4().hex, timezone.now() + CLAIM
        of.facts = checked.facts.model_dump(mode="json")
        of.status = Status.CREATING  # the files have been read already
        of.save(force_insert=True)
        try:
            return _create(of, checked, sheet, progress), checked.facts
        except BaseException:
            move(of, Status.CANCELLED)
            clean(of)
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
        move(of, Status.FAILED, **FREE)
        return False
    return bool(taken)


def _note(of: CampaignImport, **changes: int) -> None:
    """Store progress and extend the claim; raises `LostError` if the claim was lost."""
    if not audit.note(_mine(of), claimed_until=timezone.now() + CLAIM, **changes):
        raise LostError


def _go_on(of: CampaignImport) -> None:
    if of.is_direct:  # the process was killed; other processes do not have its file
        move(of, Status.CANCELLED, where={"claim": of.claim})
        clean(of)
        return
    with Sheet(joins=plan_of(of).join_names) as sheet:
        try:
            metrics = _watched(of, File.METRICS, of.outputs_size) if of.metrics_name else None
            outputs = _watched(of, File.OUTPUTS)
            facts = reading.read(sheet, outputs, metrics, columns=of.columns)
            if of.status == Status.READING and not of.at_once:
                _keep_first(of, sheet)
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
    _settle(of, Status.REFUSED, problems=_REFUSAL.dump_python(refused.refusal, mode="json"))
    clean(of)


def _settle(of: CampaignImport, to: Status, *, keep: bool = False, **changes: Any) -> None:
    free = {} if keep else FREE
    if not move(of, to, where={"claim": of.claim}, done=0, total=0, **free, **changes):
        raise LostError


def _create(
    of: CampaignImport,
    checked: CheckedPlan,
    sheet: Sheet,
    progress: Progress = lambda _done, _total: None,
) -> Campaign:
    """Create the campaign in chunks, each in a short transaction; continue where it stopped."""
    total = checked.facts.n_items
    campaign = of.campaign
    if campaign is None:
        with transaction.atomic():
            _note(of)
            campaign = creating.begin(checked, sheet)
            _mine(of).update(campaign=campaign)
        of.campaign = campaign
    start = campaign.items.count()
    rows = creating.campaign_rows(checked, sheet)
    for chunk in creating.chunks(campaign, rows, checked.loose, start=start):
        done = chunk[-1][0] + 1
        with transaction.atomic():
            _note(of, done=done, total=total, attempts=0)
            creating.store(campaign, checked.plan, chunk)
        progress(done, total)
    with transaction.atomic():
        creating.finish(campaign, owner_id=of.owner_id, outputs=checked.facts.n_rows)
        _settle(of, Status.DONE)
    clean(of)
    return campaign


# What users do with imports: upload, change the plan, create, cancel and retry.


MOST_OPEN = 50  # waiting or running imports of one person, each with its files
MOST_AT_ONCE = 1024 * 1024  # bytes that an API request imports in its own process
ALL_STEPS = 4  # of the form; a program sends the whole plan at once


def receive(
    plan: Plan,
    outputs: Uploaded | None,
    metrics: Uploaded | None = None,
    *,
    owner_id: int,
    key: str,
    at_once: bool = False,
    replaces: CampaignImport | None = None,
    drop_metrics: bool = False,
    columns: dict[str, Any] | None = None,
    steps_done: int = ALL_STEPS,
) -> CampaignImport:
    """Store the files and let a worker read them. A repeated request returns the same import.

    key: names the request; the form or the client chooses it.
    at_once: create the campaign without asking if the file has no errors.
    replaces: an import that this one replaces; its files are used where no new ones are given.
    drop_metrics: do not take over the metrics file of `replaces`.
    columns: which column is which, as `FieldNames` takes it, where its names do not say so.
    steps_done: how many steps of the form its owner has been through.
    """
    given = given_files(outputs, metrics, replaces, drop_metrics=drop_metrics)
    digest = file_digest(as_json(plan) | ({"columns": columns} if columns else {}), given)
    same = CampaignImport.objects.exclude(status=Status.CANCELLED).filter(
        owner=owner_id, key=key, digest=digest
    )
    if (found := same.first()) is not None:
        return found
    if drafts(owner_id).count() >= MOST_OPEN:
        raise Conflict(
            f"{MOST_OPEN} of your imports are not campaigns yet. Finish or discard some of them."
        )
    try:
        with transaction.atomic():
            made = CampaignImport.objects.create(
                owner_id=owner_id,
                key=key,
                digest=digest,
                plan=as_json(plan),
                at_once=at_once,
                columns=columns or {},
                steps_done=steps_done,
            )
            keep(made, given)
            if replaces is not None:
                cancel(replaces, actor_id=owner_id)
            kept = unfinished(owner_id).filter(status=Status.REFUSED, chunks__isnull=False)
            for refused in kept.distinct():  # a person has one file to correct
                cancel(refused, actor_id=owner_id)
            announce(made.pk)
    except IntegrityError:  # the same request came twice at the same time
        if (found := same.first()) is None:
            raise Conflict("This import has just been cancelled. Send the form again.") from None
        return found
    return made


def at_once(
    plan: Plan,
    outputs: Uploaded,
    metrics: Uploaded | None = None,
    *,
    owner_id: int,
    key: str,
    columns: dict[str, Any] | None = None,
) -> tuple[CampaignImport, bool]:
    """Import a request's files: create the campaign in this process if the files are small.

    Returns the import, which is then done or waits for a worker, and whether it is new; a repeated
    request returns the same import. columns: as in `receive`. Raises `Conflict` where the key
    belongs to another import, and what `ingest` raises for unusable files or plans.
    """
    given = given_files(outputs, metrics, None, drop_metrics=False)
    digest = file_digest(as_json(plan) | ({"columns": columns} if columns else {}), given)
    if (found := _under(owner_id, key, digest)) is not None:
        return found, False
    plans.check(plan)
    if sum(file.size for file in given.values()) > MOST_AT_ONCE:
        options: dict[str, Any] = {"owner_id": owner_id, "key": key, "columns": columns}
        return receive(plan, outputs, metrics, at_once=True, **options), True
    blocks = [file.chunks(CHUNK) for file in given.values()]
    of = direct(plan, str(outputs.name), owner_id=owner_id, key=key, digest=digest)
    of.columns = columns or {}
    try:
        run_directly(of, *blocks)
        return of, True
    except IntegrityError:  # the same request was sent twice at the same time
        if (same := _under(owner_id, key, digest)) is None:
            raise Conflict("This import has just been cancelled. Send it again.") from None
        return same, False


def direct(
    plan: Plan, name: str, *, owner_id: int | None, key: str = "", digest: str = ""
) -> CampaignImport:
    """Return an unsaved import of a file of this name, for `run_directly`."""
    return CampaignImport(
        plan=as_json(plan),
        at_once=True,
        outputs_name=tidy(name),
        owner_id=owner_id,
        key=key or uuid.uuid4().hex,
        digest=digest,
    )


def _under(owner_id: int, key: str, digest: str) -> CampaignImport | None:
    """Return the import with this key, if any; raises `Conflict` if its content differs."""
    found = (
        CampaignImport.objects.exclude(status=Status.CANCELLED)
        .filter(owner=owner_id, key=key)
        .select_related("campaign")
        .first()
    )
    if found is not None and found.digest != digest:
        raise Conflict("Another import was made with this key. Take a new one.")
    return found


def receive_or_change(
    plan: Plan,
    outputs: Uploaded | None,
    metrics: Uploaded | None,
    *,
    owner_id: int,
    key: str,
    before: CampaignImport | None,
    drop_metrics: bool = False,
    columns: dict[str, Any] | None = None,
) -> CampaignImport:
    """Take the first step of the form: start a new import, or change the plan of stored files."""
    columns = columns or {}
    done = max(1, before.steps_done) if before else 1
    same_files = outputs is None and metrics is None and not drop_metrics
    if before is not None and same_files and columns == before.columns:
        change_plan(before, plan, steps_done=done)
        return before
    return receive(
        plan,
        outputs,
        metrics,
        owner_id=owner_id,
        key=key,
        replaces=before,
        drop_metrics=drop_metrics,
        columns=columns,
        steps_done=done,
    )


def change_plan(
    of: CampaignImport, plan: Plan, *, shown: int | None = None, steps_done: int = 0
) -> None:
    """Replace the plan of an import whose campaign is not being created yet.

    shown: the revision that was changed; None: whichever there is. steps_done: how many steps of
    the form are done with this one. Raises `Conflict` where somebody has changed it since, or its
    campaign is being created.
    """
    still = CampaignImport.objects.filter(
        pk=of.pk, status__in=(Status.READING, *CampaignImport.WAITING)
    )
    changed = (still if shown is None else still.filter(revision=shown)).update(
        plan=as_json(plan),
        revision=F("revision") + 1,
        steps_done=Greatest("steps_done", steps_done),
        changed_at=timezone.now(),
        digest=hashlib.sha256(f"{of.digest} {as_json(plan)}".encode()).hexdigest(),
    )
    if not changed and shown is not None and still.exists():
        raise Conflict("The plan was changed in another window since this page was shown.")
    if not changed:
        raise Conflict("The campaign is being created already: its plan cannot be changed here.")


def create(
    of: CampaignImport, *, revision: int, actor_id: int, distinct_names: bool = False
) -> None:
    """Let a worker create the campaign with the plan that was shown. A repeat does nothing.

    distinct_names: its owner says that names that look alike are of different things.
    Raises `Conflict` where the plan has changed since, and `Invalid` or `UploadRefused` where it
    does not fit the file, or names look alike.
    """
    if of.status in (Status.CREATING, Status.DONE):
        return
    if of.status != Status.READY:
        raise Conflict("There is nothing to create yet.")
    plan, facts = plan_of(of), facts_of(of)
    creating.check(plan, facts)
    creating.ask_about_names(facts, distinct=distinct_names or plan.distinct_names)
    moved = move(
        of,
        Status.CREATING,
        where={"revision": revision},
        actor_id=actor_id,
        done=0,
        total=0,
        attempts=0,
    )
    of.refresh_from_db()
    if not moved and of.status not in (Status.CREATING, Status.DONE):
        raise Conflict("The plan has been changed since it was shown. This is the new one.")


def cancel(of: CampaignImport, *, actor_id: int | None) -> None:
    """Cancel an import and remove its stored data. A finished import stays."""
    while of.status not in (Status.CANCELLED, Status.DONE):
        move(of, Status.CANCELLED, actor_id=actor_id)
        of.refresh_from_db()
    if of.status == Status.DONE:
        raise Conflict("The campaign exists already. It can be archived on its own page.")


def retry(of: CampaignImport, *, actor_id: int) -> None:
    """Let a worker retry an import that failed because of a server error."""
    if of.status != Status.FAILED:
        return
    to = Status.READING if of.facts is None else Status.CREATING
    move(of, to, actor_id=actor_id, attempts=0)


# The first items of an uploaded file, whole, before anything else is stored of them.


SHOWN = 5  # items, each with one output
_ITEMS: TypeAdapter[list[list[Row]]] = TypeAdapter(list[list[Row]])
UNREAD = (
    "The first items can be seen once the file has been read. The page of the import says how far "
    "that is, or what is wrong."
)


def _keep_first(of: CampaignImport, sheet: Sheet) -> None:
    """Store the first items for the pages that show them; they read no file.

    What the rows of an item share, such as a long input, is stored with the first of them alone.
    """
    items = [sheet.group(item) for item in sheet.first(SHOWN)]
    bare: dict[str, Any] = {"input": "", "paragraphs": (), "reference": ""}
    data = _ITEMS.dump_json(
        [[rows[0], *(replace(row, **bare) for row in rows[1:])] for rows in items]
    )
    with transaction.atomic():
        _note(of)
        ImportChunk.objects.filter(campaign_import=of, file=File.FIRST).delete()
        for number, start in enumerate(range(0, len(data), CHUNK)):
            piece = data[start : start + CHUNK]
            ImportChunk.objects.create(
                campaign_import=of, file=File.FIRST, number=number, data=piece
            )


def first_items(of: CampaignImport, *, compares: bool) -> list[tuple[Row, tuple[str, ...]]]:
    """Return one output of each of the first items in the file, in turn of all its systems.

    Each comes with the file's other texts for its item. compares: one pair of outputs of each,
    likewise. Raises `NotFound` until the file has been read, and once it is not here any more.
    """
    if not of.has_file:
        raise NotFound("The file of this import is not here any more.")
    kept = b"".join(blocks(of, File.FIRST))
    if not kept:
        raise NotFound(UNREAD)
    items = [
        [
            replace(rows[0], system=one.system, output=one.output, metrics=one.metrics)
            for one in rows
        ]
        for rows in _ITEMS.validate_json(kept)
    ]
    each = [list(paired(rows)) if compares else rows for rows in items]
    found = []
    for number, rows in enumerate(filter(None, each)):
        row = rows[number % len(rows)]
        texts = dict.fromkeys(one.output for one in rows)  # identical texts are one
        del texts[row.output]
        found.append((row, tuple(texts)))
    return found
