"""Somebody else makes a campaign's numbers again from its export, and finds what was changed."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import amendments, life
from annotate.models import Campaign
from annotate.models.base import CloseReason
from config.version import VERSION
from estimation import refresh
from estimation.facts import chosen, packed, runs, unpacked
from estimation.models import Comparison, Decision, DecisionEvidence, Estimate
from tests import remembered
from tests.annotate.comparing import BAD, compared, prefer
from tests.annotate.comparing import judged as judge_pairs
from tests.annotate.comparing import rows as compared_rows
from tests.estimation import ranked
from tests.estimation.reviewed import settle, take_turns
from tests.estimation.verifying.worlds import (
    Files,
    changed,
    closed,
    each_judgment,
    files_of,
    written,
)
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]


@pytest.fixture
def made(ada: User) -> Campaign:
    return remembered.again(closed, ada)


@pytest.fixture
def files(made: Campaign) -> Files:
    return files_of(made)


def verified(path: Path) -> str:
    out = io.StringIO()
    call_command("verify", str(path), stdout=out, stderr=io.StringIO(), no_color=True)
    return out.getvalue()


def told(files: Files, tmp_path: Path) -> str:
    with pytest.raises(CommandError) as refused:
        verified(written(files, tmp_path / "tampered.zip"))
    return str(refused.value)


def each_row(files: Files, name: str, change: Callable[[dict[str, str]], Any]) -> Files:
    """Return the files with each row of a table changed; None leaves a row out."""

    def rewritten(text: str) -> str:
        rows = list(csv.DictReader(io.StringIO(text)))
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(new for row in rows if (new := change(row)) is not None)
        return out.getvalue()

    return changed(files, name, rewritten)


def with_plan(files: Files, change: Callable[[dict[str, Any]], Any]) -> Files:
    def rewritten(text: str) -> str:
        plan = json.loads(text)
        change(plan)
        return json.dumps(plan)

    return changed(files, "plan.json", rewritten)


@pytest.mark.slow
def test_an_untouched_export_agrees(made: Campaign, files: Files, tmp_path: Path) -> None:
    assert set(Decision.objects.values_list("verb", flat=True)) >= {"stop_system", "finish"}
    said = verified(written(files, tmp_path / "whole.zip", with_sums=False))
    assert "Everything agrees." in said
    assert f"{Decision.objects.count()} decisions" in said
    assert "0 decisions" in said.partition("Not made again")[2]


def test_decisions_of_one_moment_share_their_evidence(made: Campaign) -> None:
    assert not Decision.objects.filter(evidence=None).exists()
    last = DecisionEvidence.objects.order_by("pk").last()
    assert last is not None
    finish = Decision.objects.get(verb="finish")
    assert finish.evidence == last
    counted = {row.n_judgments for row in finish.estimates.filter(criterion="overall")}
    assert unpacked(last.judgments).size == sum(
        row.n_judgments for row in finish.estimates.filter(criterion="overall")
    )
    assert counted


@pytest.mark.slow
def test_it_runs_without_a_database(files: Files, tmp_path: Path) -> None:
    whole = written(files, tmp_path / "whole.zip", with_sums=False)
    found = subprocess.run(
        [sys.executable, "manage.py", "verify", str(whole)],
        cwd=settings.BASE_DIR,
        env=os.environ | {"DATABASE_URL": "postgres://nobody@127.0.0.1:9/nowhere"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Everything agrees." in found.stdout, found.stderr


def test_files_that_were_changed_are_named(files: Files, tmp_path: Path) -> None:
    changes = changed(files, "items.jsonl", lambda text: text.replace("Monday", "Sunday"))
    with pytest.raises(CommandError, match=r"items\.jsonl: it was changed after the export"):
        verified(written(changes, tmp_path / "a.zip", with_sums=False))
    fewer = {name: data for name, data in files.items() if "annotators" not in name}
    with pytest.raises(CommandError, match=r"annotators\.csv: it is not in the export"):
        verified(written(fewer, tmp_path / "b.zip", with_sums=False))


def better(row: dict[str, Any]) -> dict[str, Any]:
    return row | {"scores": {**row["scores"], "overall": 1.0}} if row["scores"] else row


def included(row: dict[str, Any]) -> dict[str, Any]:
    return row | ({"excluded": False, "counts": True} if row["excluded"] else {})


def brought_back(files: Files) -> Files:
    later = {row["supersedes"]: row for row in judgments(files) if row["supersedes"]}

    def back(row: dict[str, Any]) -> dict[str, Any]:
        if row["judgment"] not in later:
            return row
        scores = later[row["judgment"]]["scores"]
        return row | {"superseded": False, "counts": True, "scores": scores}

    return each_judgment(files, back)


def turned(text: str) -> str:
    head, *rows = text.splitlines(keepends=True)
    return "".join([head, *rows[::-1]])


OTHER = {"definition": None, "key": "language_quality", "version": "99"}
TAMPERED: dict[str, Callable[[Files], Files]] = {
    "its score on overall is 1.0; its answer gives": lambda files: each_judgment(files, better),
    "the protocol was another one": lambda files: with_plan(
        files, lambda plan: plan["protocol"]["targets"].update(overall=1.9)
    ),
    "version 99 of language_quality": lambda files: with_plan(
        files, lambda plan: plan["instrument"].update(OTHER)
    ),
    "a later one": lambda files: changed(files, "decisions.csv", turned),
    "exclusions.csv says otherwise": lambda files: each_judgment(files, included),
    "superseded is False, and corrections say otherwise": brought_back,
}


@pytest.mark.parametrize("said", TAMPERED)
def test_what_was_changed_is_found(files: Files, tmp_path: Path, said: str) -> None:
    assert said in told(TAMPERED[said](files), tmp_path)


def test_rows_that_another_version_made_may_differ(files: Files, tmp_path: Path) -> None:
    """Nobody has touched the campaign: it is the arithmetic that was another."""

    def by(version: str) -> Files:
        def other(row: dict[str, str]) -> dict[str, str]:
            return row | {"version": version, "estimate": str(float(row["estimate"] or 0) + 0.01)}

        return each_row(files, "estimates.csv", other)

    changes = written(by("0.0.1"), tmp_path / "earlier.zip")
    with pytest.raises(CommandError) as refused:
        verified(changes)
    assert refused.value.returncode == 2
    said = str(refused.value)
    assert "Another version of Plumbline made these" in said
    assert "It differs" not in said
    assert "Everything else agrees" in said
    assert told(by(VERSION), tmp_path).startswith("It differs")


def test_an_estimator_that_is_gone_is_named(files: Files, tmp_path: Path) -> None:
    exact = each_row(files, "estimates.csv", lambda row: row | {"estimator": "gls"})
    changes = written(exact, tmp_path / "gls.zip")
    with pytest.raises(CommandError, match="no longer estimates by gls") as refused:
        verified(changes)
    assert refused.value.returncode == 2


def test_a_changed_answer_is_found_by_the_estimates(files: Files, tmp_path: Path) -> None:
    """Score and answer changed alike: nothing contradicts itself but the numbers."""

    def kinder(row: dict[str, Any]) -> dict[str, Any]:
        if not row["scores"] or row["scores"]["overall"] == 1:
            return row
        answer = row["response"] | {"overall": 1}
        return row | {"response": answer, "scores": {**row["scores"], "overall": 1.0}}

    def raised(row: dict[str, str]) -> dict[str, str]:
        return row | ({"score": "1.0"} if row["criterion"] == "overall" else {})

    said = told(each_row(each_judgment(files, kinder), "scores.csv", raised), tmp_path)
    assert said.splitlines()[1].startswith(("estimate", "decision"))
    assert "overall): estimate is" in said


def test_a_dropped_judgment_is_found(files: Files, tmp_path: Path) -> None:
    seen: list[int] = []

    def without_one(row: dict[str, Any]) -> dict[str, Any] | None:
        if row["counts"] and not seen:
            seen.append(row["judgment"])
            return None
        return row

    dropped = each_judgment(files, without_one)

    def neither(row: dict[str, str]) -> dict[str, str] | None:
        return row if row["judgment"] != str(seen[0]) else None

    said = told(each_row(dropped, "scores.csv", neither), tmp_path)
    assert "judgments, and" in said.splitlines()[1]


def test_another_version_is_named(files: Files, tmp_path: Path) -> None:
    def older(text: str) -> str:
        return text.replace('"numpy": "', '"numpy": "0.')

    path = written(changed(files, "manifest.json", older), tmp_path / "old.zip")
    assert "It was made with numpy 0." in verified(path)


def test_swapped_people_are_found(files: Files, tmp_path: Path) -> None:
    names = sorted({row["annotator"] for row in judgments(files) if row["counts"]})[:2]
    swap = dict(zip(names, reversed(names), strict=True))
    seen: list[int] = []

    def swapped(row: dict[str, Any]) -> dict[str, Any]:
        if row["annotator"] == names[0] and len(seen) < 3 and row["counts"]:
            seen.append(row["judgment"])
            return row | {"annotator": swap[names[0]]}
        return row

    def alike(row: dict[str, str]) -> dict[str, str]:
        is_one = row["judgment"] in map(str, seen)
        return row | ({"annotator": swap[names[0]]} if is_one else {})

    said = told(each_row(each_judgment(files, swapped), "scores.csv", alike), tmp_path)
    assert said.splitlines()[1].startswith("estimate")


def test_decisions_that_the_rule_would_not_have_made_are_found(
    files: Files, tmp_path: Path
) -> None:
    """A system is stopped before its target: with fewer judgments it is wider."""

    def earlier(text: str) -> str:
        one, *rest = [json.loads(line) for line in text.split("\n") if line]
        first = next(row["judgment"] for row in judgments(files) if row["counts"])
        one |= {"judgments": [[first, first + 3]]}
        kept = [row for row in judgments(files) if first <= row["judgment"] <= first + 3]
        one["n_judgments"] = len(kept)
        return "".join(json.dumps(row) + "\n" for row in (one, *rest))

    said = told(changed(files, "evidence.jsonl", earlier), tmp_path)
    assert "had not reached the goal" in said


@pytest.mark.parametrize(
    ("short", "content"),
    [
        ("plan.json", "[" * 100_000),
        ("plan.json", "{}"),
        ("plan.json", '{"instrument": 3}'),
        ("judgments.jsonl", '{"judgment": 1e999}\n'),
        ("judgments.jsonl", "\x00\n"),
        ("judgments.jsonl", f'{{"judgment": {"9" * 400}}}\n'),
        ("metrics.csv", "metric,output,value\nquality,x,y\n"),
        ("decisions.csv", "id\n1\n2\n"),
        ("evidence.jsonl", '{"evidence": {}, "judgments": [[1]]}\n'),
        ("evidence.jsonl", '{"evidence": 1, "judgments": 7, "stops": 3}\n'),
        ("estimates.csv", 'id\n"'),
        ("manifest.json", "null"),
    ],
)
def test_nonsense_is_named_and_never_an_error_of_ours(
    files: Files, tmp_path: Path, short: str, content: str
) -> None:
    path = tmp_path / "nonsense.zip"
    written(changed(files, short, lambda _text: content), path, with_sums=short != "manifest.json")
    with pytest.raises(CommandError):
        verified(path)


def test_what_is_no_zip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no.zip"
    path.write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(CommandError, match="is no export"):
        verified(path)
    with pytest.raises(CommandError, match="is no export"):
        verified(tmp_path / "absent.zip")


def judgments(files: Files) -> list[dict[str, Any]]:
    (name,) = (one for one in files if one.endswith("/judgments.jsonl"))
    return [json.loads(line) for line in files[name].decode().split("\n") if line]


@pytest.mark.slow
def test_a_ranking_is_made_again_with_its_decisions_about_pairs(tmp_path: Path) -> None:
    study = ranked.ranked(items=40, systems=("good", "fair", "poor"), double_share=0)
    given = ranked.judge(study, ranked.crowd(study, 12), 120, every=40)
    assert given == 120
    settle(study)
    decided = Decision.objects.filter(campaign=study)
    assert decided.filter(comparisons__isnull=False).exists()
    path = written(files_of(study), tmp_path / "ranked.zip", with_sums=False)
    said = verified(path)
    assert f"{decided.count()} decisions" in said
    cited = sum(
        rows.filter(decisions__isnull=False).distinct().count()
        for rows in (Estimate.objects.all(), Comparison.objects.all())
    )
    made = re.search(r"and (\d+) estimates and differences", said)
    assert made is not None
    assert int(made[1]) >= cited > 6


@pytest.mark.slow
def test_answers_of_another_campaign_between_them_change_nothing(ada: User, tmp_path: Path) -> None:
    """Numbers of judgments are of an installation: neighbours of a campaign are not consecutive."""
    one, other = (campaign(owner=ada, items=12, targets={"overall": 0.2}) for _ in range(2))
    for k in range(3):
        for study in (one, other):
            take_turns([person(study, f"p{k}")], 6)
    for study in (one, other):
        life.close(study.pk, CloseReason.HAND)
        finisher = person(study, "finisher")
        while take_turns([finisher], 1):
            pass
        settle(study)
        path = written(files_of(study), tmp_path / f"{study.pk}.zip", with_sums=False)
        assert "Everything agrees" in verified(path)


@pytest.mark.slow
def test_a_campaign_that_still_collects_agrees_too(study: Campaign, tmp_path: Path) -> None:
    """First with all estimates up to date, then with an answer that waits to be counted."""
    for name in ("current", "behind"):
        files = files_of(study)
        (manifest,) = (data for one, data in files.items() if one.endswith("manifest.json"))
        assert json.loads(manifest)["current"] is (name == "current")
        assert "Everything agrees" in verified(written(files, tmp_path / f"{name}.zip"))
        judge(person(study, "late"))


@pytest.mark.slow
def test_a_comparison_can_be_verified(tmp_path: Path) -> None:
    made = compared(compared_rows(40, "AB"), double_share=0, annotator_cap=None)
    judge_pairs(made, 36, people=8)
    for _n in range(4):
        prefer(person(made, "p0"), BAD)
    settle(made)
    assert made.status == "closed"
    files = files_of(made)
    assert "Everything agrees." in verified(written(files, tmp_path / "whole.zip"))

    def turned(row: dict[str, Any]) -> dict[str, Any]:
        """Say that the texts stood the other way round, and leave the score as it is."""
        answer = row["response"]
        return row | {"response": {**answer, "preference": -answer["preference"]}}

    assert "its score on preference is" in told(each_judgment(files, turned), tmp_path)

    def fine(row: dict[str, Any]) -> dict[str, Any]:
        """Say that the texts are about the same."""
        return row | {"response": {**row["response"], "both_bad": []}}

    found = told(each_judgment(files, fine), tmp_path)
    assert "its score on preference_both_bad is" in found
    assert "its score on preference is" not in found


@pytest.mark.slow
def test_a_folder_and_a_zip_that_was_packed_again_are_read(files: Files, tmp_path: Path) -> None:
    whole = written(files, tmp_path / "whole.zip")
    told_of_it = verified(whole)
    with ZipFile(whole) as packed:
        packed.extractall(tmp_path / "out")
    (folder,) = (tmp_path / "out").iterdir()
    (folder / ".DS_Store").write_text("x")
    again = tmp_path / "again.zip"
    with ZipFile(again, "w") as packed:
        packed.writestr("Archive/", b"")
        packed.writestr("__MACOSX/Archive/._README.md", b"x")
        for one in folder.rglob("*"):
            packed.write(one, f"Archive/{folder.name}/{one.relative_to(folder)}")
    flat = tmp_path / "flat.zip"
    with ZipFile(flat, "w") as packed:
        for one in folder.rglob("*"):
            packed.write(one, str(one.relative_to(folder)))
    for path in (folder, tmp_path / "out", again, flat):
        assert verified(path) == told_of_it, path
    (folder / "extra.csv").write_text("a,b")
    with pytest.raises(CommandError, match=r"extra\.csv: it is not in the manifest"):
        verified(folder)
    with pytest.raises(CommandError, match="is no export"):
        verified(tmp_path / "nowhere")


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
def changes(ada: User) -> Files:
    return files_of(remembered.again(amended, ada))


def test_each_change_is_shown_with_its_reason(changes: Files, tmp_path: Path) -> None:
    said = verified(written(changes, tmp_path / "export.zip")).splitlines()
    (first, last) = (line for line in said if "settings of the screens changed" in line)
    assert "timing.share from 0.2 to 0.25. Reason: “Too many were [31mlisted.”." in first
    assert "timing.share from 0.25 to 0.5. Reason: “Too few.”." in last
    assert said[-1].startswith("Everything agrees.")
    (readme,) = (data for name, data in changes.items() if name.endswith("README.md"))
    assert "## amendments.jsonl" in readme.decode()


def each_change(files: Files, each: Callable[[int, dict[str, Any]], Any]) -> Files:
    def rows(text: str) -> str:
        told = [each(n, json.loads(line)) for n, line in enumerate(text.splitlines())]
        return "".join(json.dumps(row) + "\n" for row in told if row is not None)

    return changed(files, "amendments.jsonl", rows)


def test_a_change_that_was_left_out_or_changed_is_found(changes: Files, tmp_path: Path) -> None:
    def without(place: int) -> Files:
        return each_change(changes, lambda n, row: None if n == place else row)

    assert "timing.share is said to have been 0.25; it was 0.2." in told(without(0), tmp_path)
    assert "timing.share is 0.5; the changes lead to 0.25." in told(without(1), tmp_path)
    other = {"changes": {"timing.share": [0.25, 0.4]}}
    other_one = each_change(changes, lambda n, row: row | other if n == 1 else row)
    assert "timing.share is 0.5; the changes lead to 0.4." in told(other_one, tmp_path)


BROKEN = [
    *({"changes": changes} for changes in (3, {"a": 1}, {"a": [1]})),
    *({"at": at} for at in (3, "never", "0001-01-01T00:00:00+23:59")),
]


@pytest.mark.parametrize("row", BROKEN)
def test_what_is_no_change_is_told(changes: Files, tmp_path: Path, row: dict[str, Any]) -> None:
    broken = each_change(changes, lambda _n, said: said | row)
    assert "amendments.jsonl cannot be read" in told(broken, tmp_path)


def test_an_export_from_before_has_none(changes: Files, tmp_path: Path) -> None:
    earlier = {name: data for name, data in changes.items() if "amendments" not in name}
    said = verified(written(earlier, tmp_path / "export.zip"))
    assert "changed:" not in said
    assert "Everything agrees." in said


IDS = st.sets(st.integers(1, 2**62), max_size=60).map(lambda found: np.array(sorted(found), "i8"))


@pytest.mark.slow
@given(IDS)
def test_what_is_packed_comes_back(ids: np.ndarray) -> None:
    assert np.array_equal(unpacked(packed(ids)), ids)


@pytest.mark.slow
@given(IDS, st.data())
def test_runs_choose_exactly_these(among: np.ndarray, data: st.DataObject) -> None:
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=among.size, max_size=among.size)))
    ids = among[kept.astype(bool)] if among.size else among
    told = runs(ids, among)
    assert np.array_equal(among[chosen(told, among)], ids)
    assert len(told) <= among.size // 2 + 1


def test_neighbours_are_one_run_though_their_numbers_are_not() -> None:
    among = np.array([3, 7, 8, 20, 31])
    assert runs(np.array([3, 7, 8, 31]), among) == [[3, 8], [31, 31]]
