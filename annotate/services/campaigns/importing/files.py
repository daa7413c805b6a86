"""Uploaded files, kept in the database, and their removal with the imports they belong to."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol

from django.db import transaction
from django.utils import timezone

from annotate.models import Campaign, CampaignImport, ImportChunk
from annotate.services.campaigns import drafts
from annotate.services.campaigns.importing import states
from annotate.states import ImportStatus as Status

CHUNK = 1024 * 1024  # bytes of a file in one row
File = ImportChunk.File


class Uploaded(Protocol):
    """A file as a request delivers it."""

    @property
    def name(self) -> Any: ...

    @property
    def size(self) -> Any: ...

    def chunks(self, chunk_size: int) -> Iterator[bytes]: ...


@dataclass(frozen=True)
class _Kept:
    """A file of another import, read as if it were uploaded again."""

    of: CampaignImport
    file: str
    name: str
    size: int

    def chunks(self, _size: int) -> Iterator[bytes]:
        return blocks(self.of, self.file)


def given(
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
            name, size = replaces.outputs_name, replaces.outputs_size
            wanted[File.OUTPUTS] = _Kept(replaces, File.OUTPUTS, name, size)
        if metrics is None and replaces.metrics_name and not drop_metrics:
            name, size = replaces.metrics_name, replaces.metrics_size
            wanted[File.METRICS] = _Kept(replaces, File.METRICS, name, size)
    return {kind: file for kind, file in wanted.items() if file is not None}


def digest(plan: dict[str, Any], given: dict[str, Uploaded]) -> str:
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
        for number, block in enumerate(_pieces(file)):
            ImportChunk.objects.create(campaign_import=made, file=kind, number=number, data=block)
    made.save(update_fields=[f"{kind}_{what}" for kind in given for what in ("name", "size")])


def _pieces(file: Uploaded) -> Iterator[bytes]:
    """Cut an upload into chunks. Django yields a small file whole, whatever size is requested."""
    for block in file.chunks(CHUNK):
        for start in range(0, len(block), CHUNK):
            yield block[start : start + CHUNK]


def tidy(name: object) -> str:
    """Return a file's name in a form that the database can store."""
    return str(name or "").replace("\0", "").encode(errors="replace").decode()[:200]


def blocks(of: CampaignImport, file: str) -> Iterator[bytes]:
    """Yield a kept file piece by piece."""
    rows = ImportChunk.objects.filter(campaign_import=of, file=file).order_by("number")
    number = 0
    while (row := rows.filter(number=number).values_list("data", flat=True).first()) is not None:
        yield bytes(row)
        number += 1


KEPT = timedelta(days=7)  # how long an import waits for its owner
OVER = (Status.DONE, Status.CANCELLED, Status.REFUSED)


def clean(of: CampaignImport) -> bool:
    """Remove what a finished import no longer needs; safe to run twice."""
    if of.status not in OVER:
        return False
    chunks = ImportChunk.objects.filter(campaign_import=of)
    removed = 0
    for pk in list(chunks.values_list("pk", flat=True)):
        removed += chunks.filter(pk=pk).delete()[0]
    if of.status != Status.DONE and of.campaign_id is not None:
        _remove(of, of.campaign_id)
        removed += 1
    return bool(removed)


def due() -> list[int]:
    """Return the ids of the imports with data to remove."""
    over = CampaignImport.objects.filter(status__in=OVER)
    with_file = over.filter(chunks__isnull=False).distinct()
    unfinished = over.exclude(status=Status.DONE).filter(campaign__isnull=False)
    return sorted(
        {*with_file.values_list("pk", flat=True), *unfinished.values_list("pk", flat=True)}
    )


def expire() -> None:
    """Cancel imports that have waited for their owner for a week."""
    old = timezone.now() - KEPT
    for of in CampaignImport.objects.filter(status__in=CampaignImport.WAITING, changed_at__lt=old):
        states.move(of, Status.CANCELLED)


def _remove(of: CampaignImport, campaign_id: int) -> None:
    """Remove a campaign that was never finished, in short transactions."""
    drafts.remove_items(campaign_id)
    with transaction.atomic():
        CampaignImport.objects.filter(pk=of.pk).update(campaign=None)
        Campaign.objects.filter(pk=campaign_id).delete()
