"""A campaign with questions of every kind: its estimates, pages, exports and review."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from annotate.campaigns import life
from annotate.common import tokens
from annotate.common.errors import Invalid
from annotate.models import Assignment, Campaign, Judgment
from annotate.studies import definitions
from annotate.work import leasing, submitting
from estimation import deferred, export, refresh
from estimation.models import Estimate
from tests.annotate.own import every_kind
from tests.estimation.collecting import people
from tests.estimation.reviewed import settle
from tests.factories import campaign, leased, person, rows, user
from tests.remembered import again
from tests.reviewed import flagged, logged_in

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

REASON = "It misses the <point>."


@pytest.fixture
def made() -> Campaign:
    return again(judged, user())


def judged(owner: User) -> Campaign:
    """A campaign in which twelve people have judged forty texts."""
    definitions.define(every_kind(), owner_id=owner.pk)
    found = campaign(
        owner=owner,
        instrument="kinds",
        targets={"quality": 2.0, "errors": 0.5, "flaws_rude": 0.01},
        metrics=(),
        rows_=rows(items=40),
    )
    crowd = people(found, 12)
    for number in range(40):
        got = leasing.lease(crowd[number % 12].pk)
        assert isinstance(got, Assignment)
        text = got.output.text
        helpful = number % 3 != 0
        answer = {
            "errors": [] if helpful else [error(text, "minor"), error(text[4:], "major", 4)],
            "helpful": int(helpful),
            "why": REASON,
            "flaws": ["rude"] if number % 4 == 0 else [],
            "quality": 40 + 7 * (got.output_id % 8) + number % 5,
        }
        submitting.submit_judgment(
            got.pk, participation_id=crowd[number % 12].pk, raw=answer, active_seconds=40.0
        )
    assert refresh.refresh(found.pk)
    deferred.MEASURING.carry_out(found.pk)
    deferred.LOOKING.carry_out(found.pk)
    return found


def error(text: str, severity: str, start: int = 0) -> dict[str, object]:
    return {
        "start": start,
        "end": start + 3,
        "text": text[:3],
        "category": "grammar",
        "severity": severity,
    }


def test_each_criterion_is_estimated(made: Campaign) -> None:
    found = {
        one.criterion: one
        for one in Estimate.objects.filter(campaign=made, system__name="alpha").order_by("pk")
    }
    assert set(found) == {"quality", "errors", "helpful", "flaws_rude", "flaws_vague"}
    assert 40 < found["quality"].estimate < 100
    assert 0 < found["errors"].estimate < 200
    assert 0 < found["flaws_rude"].estimate < 1
    for one in (found["quality"], found["errors"]):
        assert one.low is not None
        assert one.low < one.estimate


def test_the_pages_show_them_by_their_labels(made: Campaign) -> None:
    client = logged_in(User.objects.get(username="ada"))
    for address in ("", "report/"):
        page = client.get(f"/campaigns/{made.public_id}/{address}")
        assert page.status_code == 200
        text = page.content.decode()
        for label in ("quality", "errors", "flaws"):
            assert label in text.lower()
        assert "<point>" not in text


def test_reviewers_read_what_has_no_level(made: Campaign) -> None:
    review = flagged(made.participations.order_by("pk")[0])
    client = logged_in(User.objects.get(username="ada"))
    address = f"/reviews/{made.public_id}/{review.annotator.pseudonym}/"
    text = client.get(address).content.decode()
    assert "It misses the &lt;point&gt;." in text
    assert "Grammar (Major)" in text
    number = Judgment.objects.filter(response__helpful=0).first().output.item.position + 1
    page = client.get(f"/campaigns/{made.public_id}/items/{number}/")
    assert page.status_code == 200
    assert "Grammar (Major)" in page.content.decode()


def test_the_api_has_all_answers(made: Campaign) -> None:
    client = logged_in(User.objects.get(username="ada"))
    found = client.get(f"/api/v1/campaigns/{made.public_id}/judgments/").json()["results"]
    bad = next(one for one in found if one["response"]["helpful"] == 0)
    assert bad["response"]["why"] == REASON
    assert [one["severity"] for one in bad["response"]["errors"]] == ["minor", "major"]
    assert [(one["text"], one["category"], one["severity"]) for one in bad["highlights"]] == [
        ("The", "grammar", "minor"),
        ("cou", "grammar", "major"),
    ]
    assert {"errors", "helpful", "flaws_rude", "flaws_vague", "quality"} == set(bad["scores"])


def test_people_are_not_listed_by_kinds_that_are_not_calibrated(made: Campaign) -> None:
    assert not made.reviews.exists()


def test_a_target_must_be_a_scored_question() -> None:
    owner = user()
    definitions.define(every_kind(), owner_id=owner.pk)
    with pytest.raises(Invalid, match="why"):
        campaign(owner=owner, instrument="kinds", targets={"why": 0.2}, metrics=())


NASTY = (
    *(None, True, -1, 1e308, "", "\x00", "\ud800", "x" * 5000, [], {}, [None], [[]], [{}]),
    *([{"start": 10**30, "end": -1}], [{"start": 0, "end": 3, "text": ["The"]}], {"a": [1]}),
    [{"start": 0, "end": 3, "text": "The", "category": {}, "severity": []}],
)


def test_no_answer_breaks_a_submit() -> None:
    owner = user()
    definitions.define(every_kind(), owner_id=owner.pk)
    who = person(campaign(owner=owner, instrument="kinds", targets={"quality": 5.0}, metrics=()))
    task = leased(who)
    right = {"errors": [], "helpful": 0, "why": REASON, "flaws": [], "quality": 5, "remark": ""}
    headers = {"Authorization": f"Bearer {tokens.participation_token(who.pk)}"}
    client = Client(raise_request_exception=False)
    statuses = set()
    for name in right:
        for wrong in NASTY:
            body = json.dumps({"response": right | {name: wrong}})
            for verb in ("draft", "submit"):
                answer = client.generic(
                    "PUT" if verb == "draft" else "POST",
                    f"/work/a/{task.pk}/{verb}",
                    body,
                    content_type="application/json",
                    headers=headers,
                )
                statuses.add(answer.status_code)
                assert answer.status_code < 500, (name, wrong)
    assert 422 in statuses, "the answers are looked at"


@pytest.mark.slow
def test_an_export_can_be_verified(made: Campaign, tmp_path: Path) -> None:
    life.close(made.pk, Campaign.Reason.HAND)
    settle(made)
    path = tmp_path / "export.zip"
    path.write_bytes(b"".join(export.stream(made.public_id)))
    out = io.StringIO()
    call_command("verify", str(path), stdout=out, no_color=True)
    assert "score" in out.getvalue()
    with zipfile.ZipFile(path) as zipped:
        (name,) = (one for one in zipped.namelist() if one.endswith("plan.json"))
        plan = json.loads(zipped.read(name))
    errors = next(one for one in plan["instrument"]["criteria"] if one["name"] == "errors")
    assert errors["categories"][2] == {"name": "grammar", "label": "Grammar"}
    assert errors["severities"][2] == {"name": "critical", "label": "Critical", "weight": 25}
