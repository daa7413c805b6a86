"""What users do with imports: upload, change the plan, create, cancel and retry."""

import hashlib
import uuid
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from annotate.errors import Conflict
from annotate.models import CampaignImport
from annotate.services.campaigns import creating, plans
from annotate.services.campaigns.importing import files, running, states
from annotate.services.campaigns.importing.files import Uploaded
from annotate.services.campaigns.importing.stored import as_json, facts_of, plan_of
from annotate.services.campaigns.plans import Plan
from annotate.states import ImportStatus as Status

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
    columns: dict[str, str] | None = None,
    steps_done: int = ALL_STEPS,
) -> CampaignImport:
    """Store the files and let a worker read them. A repeated request returns the same import.

    key: names the request; the form or the client chooses it.
    at_once: create the campaign without asking if the file has no errors.
    replaces: an import that this one replaces; its files are used where no new ones are given.
    drop_metrics: do not take over the metrics file of `replaces`.
    columns: our name -> the file's column, where its own names do not say which is which.
    steps_done: how many steps of the form its owner has been through.
    """
    given = files.given(outputs, metrics, replaces, drop_metrics=drop_metrics)
    digest = files.digest(as_json(plan) | ({"columns": columns} if columns else {}), given)
    same = CampaignImport.objects.exclude(status=Status.CANCELLED).filter(
        owner=owner_id, key=key, digest=digest
    )
    if (found := same.first()) is not None:
        return found
    _check_room(owner_id)
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
            files.keep(made, given)
            if replaces is not None:
                cancel(replaces, actor_id=owner_id)
            states.announce(made.pk)
    except IntegrityError:  # the same request came twice at the same time
        if (found := same.first()) is None:
            raise Conflict("This import has just been cancelled. Send the form again.") from None
        return found
    return made


def _check_room(owner_id: int) -> None:
    unfinished = (*CampaignImport.RUNNING, *CampaignImport.WAITING)
    if CampaignImport.objects.filter(owner=owner_id, status__in=unfinished).count() >= MOST_OPEN:
        raise Conflict(
            f"{MOST_OPEN} of your imports are not campaigns yet. Finish or discard some of them."
        )


def at_once(
    plan: Plan, outputs: Uploaded, metrics: Uploaded | None = None, *, owner_id: int, key: str
) -> tuple[CampaignImport, bool]:
    """Import a request's files: create the campaign in this process if the files are small.

    Returns the import, which is then done or waits for a worker, and whether it is new; a repeated
    request returns the same import. Raises `Conflict` where the key belongs to another import, and
    what `ingest` raises for unusable files or plans.
    """
    given = files.given(outputs, metrics, None, drop_metrics=False)
    digest = files.digest(as_json(plan), given)
    if (found := _under(owner_id, key, digest)) is not None:
        return found, False
    plans.check(plan)
    if sum(file.size for file in given.values()) > MOST_AT_ONCE:
        return receive(plan, outputs, metrics, owner_id=owner_id, key=key, at_once=True), True
    blocks = [file.chunks(files.CHUNK) for file in given.values()]
    of = _direct(plan, outputs.name, owner_id=owner_id, key=key, digest=digest)
    try:
        running.run_directly(of, *blocks)
        return of, True
    except IntegrityError:  # the same request was sent twice at the same time
        if (same := _under(owner_id, key, digest)) is None:
            raise Conflict("This import has just been cancelled. Send it again.") from None
        return same, False


def by_command(plan: Plan, name: str, *, owner_id: int | None) -> CampaignImport:
    """Return an unsaved import of a file of this name, for `running.run_directly`."""
    return _direct(plan, name, owner_id=owner_id, key=uuid.uuid4().hex)


def _direct(plan: Plan, name: str, **more: Any) -> CampaignImport:
    return CampaignImport(plan=as_json(plan), at_once=True, outputs_name=files.tidy(name), **more)


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
    columns: dict[str, str] | None = None,
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
    moved = states.move(
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
        states.move(of, Status.CANCELLED, actor_id=actor_id)
        of.refresh_from_db()
    if of.status == Status.DONE:
        raise Conflict("The campaign exists already. It can be archived on its own page.")


def retry(of: CampaignImport, *, actor_id: int) -> None:
    """Let a worker retry an import that failed because of a server error."""
    if of.status != Status.FAILED:
        return
    to = Status.READING if of.facts is None else Status.CREATING
    states.move(of, to, actor_id=actor_id, attempts=0)
