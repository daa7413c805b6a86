"""Changes of the screens' settings in an export: shown with their reasons, and checked."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from annotate.campaigns import amendments, life
from annotate.models import Campaign
from estimation import refresh
from tests import remembered
from tests.estimation.verifying.worlds import Files, changed, files_of, written
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]


def amended(owner: User) -> Campaign:
    """A setting was changed in the draft, which is no amendment, and twice later."""
    made = campaign(owner=owner, is_open=False, double_share=0)
    change(made, 0.2, "")
    life.open_(made.pk)
    change(made, 0.25, "Too many\n were \x1b[31mlisted.")
    life.pause(made.pk)
    change(made, 0.5, "Too few.")
    life.open_(made.pk)
    for name in ("p1", "p2"):
        judge(person(made, name))
    refresh.refresh(made.pk)
    return made


def change(made: Campaign, share: float, reason: str) -> None:
    settings = {"timing": {"share": share}}
    amendments.change(made.pk, settings, actor_id=None, reason=reason)


@pytest.fixture
def files(ada: User) -> Files:
    return files_of(remembered.again(amended, ada))


def verified(files: Files, to: Path) -> str:
    out = io.StringIO()
    path = written(files, to / "export.zip")
    call_command("verify", str(path), stdout=out, stderr=io.StringIO(), no_color=True)
    return out.getvalue()


def test_each_change_is_shown_with_its_reason(files: Files, tmp_path: Path) -> None:
    said = verified(files, tmp_path).splitlines()
    (first, last) = (line for line in said if "settings of the screens changed" in line)
    assert "timing.share from 0.2 to 0.25. Reason: “Too many were [31mlisted.”." in first
    assert "timing.share from 0.25 to 0.5. Reason: “Too few.”." in last
    assert said[-1].startswith("Everything agrees.")
    (readme,) = (data for name, data in files.items() if name.endswith("README.md"))
    assert "## amendments.jsonl" in readme.decode()


def rewritten(files: Files, each: Callable[[int, dict[str, Any]], Any]) -> Files:
    def rows(text: str) -> str:
        told = [each(n, json.loads(line)) for n, line in enumerate(text.splitlines())]
        return "".join(json.dumps(row) + "\n" for row in told if row is not None)

    return changed(files, "amendments.jsonl", rows)


def objection(files: Files, to: Path) -> str:
    with pytest.raises(CommandError) as refused:
        verified(files, to)
    return str(refused.value)


def test_a_change_that_was_left_out_or_changed_is_found(files: Files, tmp_path: Path) -> None:
    def without(place: int) -> Files:
        return rewritten(files, lambda n, row: None if n == place else row)

    assert "timing.share is said to have been 0.25; it was 0.2." in objection(without(0), tmp_path)
    assert "timing.share is 0.5; the changes lead to 0.25." in objection(without(1), tmp_path)
    other = {"changes": {"timing.share": [0.25, 0.4]}}
    changes = rewritten(files, lambda n, row: row | other if n == 1 else row)
    assert "timing.share is 0.5; the changes lead to 0.4." in objection(changes, tmp_path)


BROKEN = [
    *({"changes": changes} for changes in (3, {"a": 1}, {"a": [1]})),
    *({"at": at} for at in (3, "never", "0001-01-01T00:00:00+23:59")),
]


@pytest.mark.parametrize("row", BROKEN)
def test_what_is_no_change_is_told(files: Files, tmp_path: Path, row: dict[str, Any]) -> None:
    broken = rewritten(files, lambda _n, told: told | row)
    assert "amendments.jsonl cannot be read" in objection(broken, tmp_path)


def test_an_export_from_before_has_none(files: Files, tmp_path: Path) -> None:
    earlier = {name: data for name, data in files.items() if "amendments" not in name}
    said = verified(earlier, tmp_path)
    assert "changed:" not in said
    assert "Everything agrees." in said
