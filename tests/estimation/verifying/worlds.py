"""A closed campaign with a correction, an exclusion and decisions, and its export changed."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User

from annotate.models import Campaign, Judgment
from annotate.work import scoring, submitting
from annotate.work.submitting import PageResponse
from estimation import export
from tests.estimation.reviewed import exclude, respond, settle, take_turns
from tests.factories import campaign, person

Files = dict[str, bytes]


def closed(ada: User) -> Campaign:
    """Two systems at their targets; one person was excluded, and one answer corrected."""
    made = campaign(
        owner=ada, items=40, targets={"overall": 1.6}, double_share=0, annotator_cap=None
    )
    cast = [person(made, f"p{i}") for i in range(8)]
    assert take_turns(cast, 24) == 24
    corrected(Judgment.objects.filter(campaign=made).order_by("pk").last())
    scoring.ensure(made.pk)
    exclude(cast[0], ada, "too_fast")
    settle(made)
    while made.status != "closed":
        assert take_turns(cast[1:], 14)
        settle(made)
    return made


def corrected(last: Judgment | None) -> None:
    assert last is not None
    submitting.correct(
        last.assignment_id,
        participation_id=last.assignment.participation_id,
        given=PageResponse(respond(3, overall=0)),
        after=1,
    )


def files_of(made: Campaign) -> Files:
    data = io.BytesIO(b"".join(export.stream(made.public_id)))
    with zipfile.ZipFile(data) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def written(files: Files, to: Path, *, with_sums: bool = True) -> Path:
    """Write files as an export; with the right checksums, as somebody careful would."""
    if with_sums:
        (name,) = (name for name in files if name.endswith("manifest.json"))
        told = json.loads(files[name])
        told["files"] = {
            one.partition("/")[2]: {
                "sha256": hashlib.sha256(data).hexdigest(),
                "bytes": len(data),
            }
            for one, data in files.items()
            if one != name
        }
        files = files | {name: json.dumps(told).encode()}
    with zipfile.ZipFile(to, "w") as zipped:
        for one, data in files.items():
            zipped.writestr(one, data)
    return to


def changed(files: Files, short: str, change: Callable[[str], str]) -> Files:
    """Return the files with one of them changed."""
    (name,) = (one for one in files if one.endswith(f"/{short}"))
    after = change(files[name].decode()).encode()
    assert after != files[name]
    return files | {name: after}


def each_judgment(files: Files, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Files:
    """Return the files with judgments changed, or left out (None)."""

    def rewritten(text: str) -> str:
        rows = [change(json.loads(line)) for line in text.split("\n") if line]
        return "".join(json.dumps(row) + "\n" for row in rows if row is not None)

    return changed(files, "judgments.jsonl", rewritten)
