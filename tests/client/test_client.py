"""The client against the product over HTTP: from a file to results, and what is refused."""

import json
import runpy
import zipfile
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from plumbline_client import (
    BadSignature,
    Campaign,
    Conflict,
    NotAllowed,
    NotFound,
    Plumbline,
    Refused,
    webhook,
)

from annotate.campaigns import imports
from annotate.models import Campaign as Stored
from annotate.notifications import sending
from estimation import refresh
from tests.annotate.accounts.second_factors import PASSWORD, code_of, forget_counts, secured
from tests.annotate.notifications.receiving import receiver
from tests.factories import judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

EXAMPLES = Path(__file__).parents[2] / "client" / "examples"
ROWS = [
    {"item": f"i{i}", "system": system, "output": f"{system} wrote {i}", "judge": i / 7}
    for i in range(12)
    for system in ("alpha", "beta")
]
PLAN: dict[str, Any] = {
    "targets": {"overall": 0.4},
    "metrics": ["judge"],
    "reward": "0.40",
    "tutorial": False,
    "double_share": 0.0,
}


def made(plumbline: Plumbline, **more: Any) -> Campaign:
    return plumbline.create("News", ROWS, **PLAN, **more)


def file_of(folder: Path, rows: Any) -> Path:
    path = folder / "outputs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def judged(campaign_id: str, people: int = 5) -> Stored:
    """Let people judge some of it, and refresh the estimates."""
    stored = Stored.objects.get(public_id=campaign_id)
    for n in range(people):
        who = person(stored, f"p{n}")
        for answer in (1, 0, 1, -1):
            edit = None if answer == 1 else "A better text of several words."
            judge(who, overall=answer, edit=edit)
    assert refresh.refresh(stored.pk)
    return stored


def test_from_rows_to_results(ada: Plumbline, tmp_path: Path) -> None:
    campaign = made(ada)
    assert (campaign.status, campaign.targets, campaign.metrics) == (
        "draft",
        {"overall": 0.4},
        ("judge",),
    )
    assert (campaign.reward, campaign.budget) == (Decimal("0.40"), None)
    assert campaign.created_at is not None
    assert campaign.created_at.tzinfo is not None
    assert ada.open(campaign.id).status == "open"
    stored = judged(campaign.id)
    found = list(ada.estimates(campaign.id))
    overall = [one for one in found if one.criterion == "overall"]
    assert {one.system for one in overall} == {"alpha", "beta"}
    assert all(isinstance(one.mean_estimate, float) for one in overall)
    (difference,) = ada.comparisons(campaign.id)
    assert {difference.first, difference.second} == {"alpha", "beta"}
    judgments = list(ada.judgments(campaign.id))
    assert len(judgments) == stored.judgments.count() == 20
    assert isinstance(judgments[0].submitted_at, datetime)
    assert judgments[0].scores["overall"] in (-1, 0, 1)
    assert len(list(ada.listed(campaign.id, "outputs", page_size=7))) == 24, "all of four pages"
    assert ada.told(campaign.id, "report")
    assert ada.end(campaign.id).status in ("closing", "closed")
    to = ada.export(campaign.id, tmp_path / "all.zip")
    assert "judgments.jsonl" in "".join(zipfile.ZipFile(to).namelist())


def test_named_experts_have_links_and_can_be_released(ada: Plumbline) -> None:
    with pytest.raises(Refused, match="judge every item"):
        ada.create("News", ROWS, **PLAN | {"double_share": 0.5, "experts": ["Ann", "Bob"]})
    campaign = ada.create("News", ROWS, **PLAN | {"double_share": 1.0, "experts": ["Ann", "Bob"]})
    assert [one["name"] for one in ada.experts(campaign.id)] == ["Ann", "Bob"]
    names = [one["name"] for one in ada.release_expert(campaign.id, "Ann", "Ill.", replacement="C")]
    assert names == ["Bob", "C", "Ann"]
    assert all("/work/join/" in one["link"] for one in ada.experts(campaign.id)[:2])


def systems(campaign: Any) -> list[str]:
    stored = Stored.objects.get(public_id=campaign.id)
    return sorted(stored.systems.values_list("name", flat=True))


def test_several_files_are_sent_together(ada: Plumbline, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.txt" for name in ("gpt", "llama", "source")]
    for path in paths:
        path.write_text("".join(f"{path.stem} {i}\n" for i in range(4)))
    campaign = ada.create("News", map(str, paths), **PLAN | {"metrics": []})
    assert systems(campaign) == ["gpt", "llama"]


def test_columns_of_other_names_are_said(ada: Plumbline, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("no;who;says\n" + "".join(f"{i};{s};{s} {i}\n" for i in "123" for s in "ab"))
    said = {"no": "item", "who": "system", "says": "output"}
    campaign = ada.create("News", path, **PLAN | {"metrics": []}, columns=said)
    assert systems(campaign) == ["a", "b"]


def test_a_file_is_imported_and_its_numbers_are_metrics(ada: Plumbline, tmp_path: Path) -> None:
    campaign = ada.create("News", file_of(tmp_path, ROWS), **PLAN)
    assert campaign.metrics == ("judge",)
    assert campaign.targets == {"overall": 0.4}
    assert [one.id for one in ada.campaigns()] == [campaign.id]


def test_the_same_key_is_one_campaign(ada: Plumbline) -> None:
    assert made(ada, key="mine").id == made(ada, key="mine").id
    assert Stored.objects.count() == 1
    with pytest.raises(Conflict, match="Another import"):
        ada.create("Other", ROWS, **PLAN, key="mine")


def test_a_large_file_is_waited_for(ada: Plumbline, tmp_path: Path) -> None:
    """The worker reads it while the client waits."""
    ada._sleep = lambda _seconds: imports.run_due() and None
    large = [row | {"output": row["output"] + " word" * 9_000} for row in ROWS]
    assert ada.create("Large", file_of(tmp_path, large), **PLAN).planned == 24
    large[3]["system"] = ""
    with pytest.raises(Refused) as refused:
        ada.create("Large", file_of(tmp_path, large), **PLAN)
    (problem,) = refused.value.problems
    assert (problem.lines, problem.count) == ((4,), 1)
    assert "“system” is missing" in problem.message


def test_a_worker_that_never_comes_is_a_timeout(ada: Plumbline, tmp_path: Path) -> None:
    large = [row | {"output": row["output"] + " word" * 9_000} for row in ROWS]
    with pytest.raises(TimeoutError, match="still reading"):
        ada.create("Large", file_of(tmp_path, large), **PLAN, wait=0)


def test_what_needs_correcting_is_told_by_field_and_line(ada: Plumbline) -> None:
    with pytest.raises(Refused) as wrong:
        ada.create("News", ROWS, targets={"charm": 1})
    assert list(wrong.value.errors) == ["targets"]
    with pytest.raises(Refused) as broken:
        ada.create("News", [*ROWS, ROWS[0]], **PLAN)
    assert broken.value.problems[0].lines == (25,)
    assert not Stored.objects.exists()


def test_a_revoked_token_and_a_foreign_campaign(ada: Plumbline, live_server: Any) -> None:
    campaign = made(ada)
    user("eve")
    with Plumbline.log_in(live_server.url, "eve", "long enough to be fine") as eve:
        assert list(eve.campaigns()) == []
        with pytest.raises(NotFound):
            eve.open(campaign.id)
    with Plumbline(live_server.url, token="no such token") as nobody:
        with pytest.raises(NotAllowed) as refused:
            nobody.campaign(campaign.id)
        assert refused.value.status == 401
    with pytest.raises(Refused):
        Plumbline.log_in(live_server.url, "eve", "wrong")


def test_odd_ids_stay_inside_the_api(ada: Plumbline) -> None:
    for odd in ("../../admin", "a/b", "%2e%2e", "a?b=c", "a#b", "ä"):
        with pytest.raises(NotFound):
            ada.campaign(odd)


def test_the_example_runs(
    ada: Plumbline,
    live_server: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    token = Plumbline.log_in(live_server.url, "ada", "long enough to be fine")
    monkeypatch.setenv("PLUMBLINE_URL", live_server.url)
    monkeypatch.setenv("PLUMBLINE_TOKEN", token._at._http.headers["Authorization"].split()[1])
    token.close()
    main = runpy.run_path(str(EXAMPLES / "campaign.py"))["main"]
    assert main(str(file_of(tmp_path, ROWS)), "News, autumn") == 0
    assert "News, autumn: " in capsys.readouterr().out
    assert Stored.objects.get().status == "open"
    assert main(str(file_of(tmp_path, [{"item": "a"}])), "News") == 1


def test_events_are_told_and_checked(ada: Plumbline, settings: Any) -> None:
    settings.PRIVATE_WEBHOOKS = True
    campaign = made(ada)
    with receiver() as far:
        one = ada.tell_me(campaign.id, events=["status", "closed"], webhook=far.url)
        assert (one.channel, one.events, one.waiting) == ("webhook", ("closed", "status"), 0)
        assert one.secret not in repr(one)
        ada.open(campaign.id)
        assert ada.test_notifications(campaign.id, one.id).waiting == 2
        assert sending.send_due() == 2
    for (_path, headers, body), kind in zip(far.got, ("status", "test"), strict=True):
        assert webhook(one.secret, headers, body)["type"] == kind
        for wrong in (body + b" ", body.replace(b"News", b"Olds"), b""):
            with pytest.raises(BadSignature):
                webhook(one.secret, headers, wrong)
        with pytest.raises(BadSignature, match="too old"):
            webhook(one.secret, headers, body, now=int(headers["webhook-timestamp"]) + 301)
        with pytest.raises(BadSignature):
            webhook(one.secret.upper(), headers, body)
        with pytest.raises(BadSignature, match="no time"):
            webhook(one.secret, {}, body)
    assert ada.end_notifications(campaign.id, one.id).ended_at is not None
    assert [told.id for told in ada.notifications(campaign.id)] == [one.id]


def test_an_account_with_a_second_factor_logs_in_with_a_code(live_server: Any) -> None:
    forget_counts()
    secured()
    with pytest.raises(Refused, match="second factor"):
        Plumbline.log_in(live_server.url, "ada", PASSWORD)
    with Plumbline.log_in(live_server.url, "ada", PASSWORD, code=code_of()) as plumbline:
        assert list(plumbline.campaigns()) == []


def test_judgments_come_in_from_a_file_and_as_rows(ada: Plumbline, tmp_path: Path) -> None:
    found = [
        {"annotator": f"p{n % 5}", "item": n // 2, "system": "alpha", "criterion": "style"}
        | {"score": 1 + n % 4}
        for n in range(40)
    ]
    path = tmp_path / "theirs.json"
    path.write_text(json.dumps(found))
    given = {"chosen": "The first twenty.", "scales": ["style 1 5"]}
    made = [ada.import_judgments("Theirs", one, **given) for one in (path, found)]
    assert [one.status for one in made] == ["closed", "closed"]
    sample = ada.import_judgments("A sample", found, **given, outputs=300)
    refresh.refresh(Stored.objects.get(public_id=sample.id).pk)
    (estimate,) = ada.estimates(sample.id)
    assert estimate.criterion == "style"
    assert estimate.data["n_population"] == 300
    with pytest.raises(Refused, match="style 1 4"):
        ada.import_judgments("Theirs", path, chosen="The first twenty.")
