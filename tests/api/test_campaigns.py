"""The API about campaigns: who sees what, acts, and judgments."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotate.models import ApiToken, Campaign, Slot
from annotate.work import scoring
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

CAMPAIGNS = "/api/v1/campaigns/"


def at(study: Campaign, part: str = "") -> str:
    return f"{CAMPAIGNS}{study.public_id}/{part}"


def test_a_token_opens_the_api(ada, study):
    client = APIClient()
    given = client.post(
        "/api/v1/token/", {"username": "ada", "password": "long enough to be fine"}, format="json"
    )
    client.credentials(HTTP_AUTHORIZATION=f"Token {given.json()['token']}")
    assert client.get(at(study)).json()["name"] == "News"
    assert not ApiToken.objects.filter(digest=given.json()["token"]).exists(), "only a digest"


def test_passwords_cannot_be_guessed_fast(ada):
    client = APIClient()
    wrong = {"username": "ada", "password": "wrong"}
    forged = ({"HTTP_X_FORWARDED_FOR": f"10.0.0.{n}"} for n in range(11))
    answers = [client.post("/api/v1/token/", wrong, format="json", **headers) for headers in forged]
    assert [answer.status_code for answer in answers] == [400] * 10 + [429]
    assert answers[-1].json()["error"] == "too_many"


def test_a_campaigns_life(api, study):
    assert api.post(at(study, "pause/")).json()["status"] == "paused"
    assert api.post(at(study, "open/")).json()["status"] == "open"
    closing = api.post(at(study, "close/")).json()
    assert (closing["status"], closing["close_reason"]) == ("closing", "hand")
    again = api.post(at(study, "close/"))
    assert (again.status_code, again.json()["error"]) == (409, "conflict")
    assert api.post(at(study, "pause/")).status_code == 409


def test_acts_need_the_csrf_token_of_a_session(ada, study):
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(ada)
    assert client.post(at(study, "pause/")).status_code == 403


def test_a_campaign_tells_money_as_decimal_strings(api, study):
    shown = api.get(at(study)).json()
    assert (shown["reward"], shown["spent"], shown["budget"]) == ("0.40", "1.20", None)
    planned = Slot.objects.filter(campaign=study).count()
    assert (shown["judged"], shown["planned"], shown["role"]) == (3, planned, "owner")
    assert shown["targets"] == {"overall": 0.2}
    assert shown["systems"] == ["alpha", "beta"]


def test_judgments_are_told_by_pseudonym(api, study):
    assert api.get(at(study, "judgments/")).json()["results"][0]["scores"] == {}  # not yet
    scoring.ensure(study.pk)
    answer = api.get(at(study, "judgments/"))
    rows = answer.json()["results"]
    assert len(rows) == 3
    assert rows[1]["scores"]["overall"] == 0
    assert rows[1]["scores"]["edit"] > 0
    assert rows[0]["counts"] is True
    assert rows[0]["systems"] in (["alpha"], ["beta"])
    assert rows[0]["item"].startswith("item-")
    assert len({row["annotator"] for row in rows}) == 2
    assert "worker-" not in answer.content.decode()


def test_judgments_come_in_pages(api, study):
    first = api.get(at(study, "judgments/?page_size=2")).json()
    judge(person(study, "later"))
    second = api.get(first["next"]).json()
    ids = [row["id"] for page in (first, second) for row in page["results"]]
    assert len(ids) == 4
    assert ids == sorted(ids)
    forged = api.get(at(study, "judgments/?cursor=cD1hYmM="))  # p=abc
    assert (forged.status_code, forged.json()["error"]) == (400, "bad_cursor")


def test_queries_do_not_grow_with_the_rows(api, ada, study):
    def count(path: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert api.get(path).status_code == 200
        return len(captured)

    scoring.ensure(study.pk)
    count(at(study, "judgments/"))  # the first look at results is written down
    before = count(CAMPAIGNS), count(at(study, "judgments/"))
    for n in range(4):
        campaign(owner=ada)
        judge(person(study, f"more-{n}"))
    scoring.ensure(study.pk)
    after = count(CAMPAIGNS), count(at(study, "judgments/"))
    assert before == after
    assert max(after) <= 9
