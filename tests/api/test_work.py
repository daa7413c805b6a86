"""What people wrote, through the API: the same as in an export."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from annotate.campaigns.problems import Row
from annotate.models import Campaign, Membership
from annotate.work import scoring
from tests.estimation.exporting.exported import exported
from tests.estimation.reviewed import exclude
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

LISTS = ("judgments", "items", "outputs", "annotators", "exclusions", "metrics")


def at(study: Campaign, part: str) -> str:
    return f"/api/v1/campaigns/{study.public_id}/{part}/"


def rows(api: APIClient, study: Campaign, part: str) -> list[dict[str, Any]]:
    return list(api.get(at(study, part)).json()["results"])


@pytest.fixture
def scored(study: Campaign, ada: Any) -> Campaign:
    exclude(study.participations.order_by("pk")[0], ada, "too_fast")
    scoring.ensure(study.pk)
    return study


def test_judgments_carry_the_whole_answer(api: APIClient, scored: Campaign) -> None:
    told = rows(api, scored, "judgments")
    assert told[1]["response"]["edit"].startswith("The council met on Monday in the district")
    assert [one["excluded"] for one in told] == [True, True, False]
    assert [one["counts"] for one in told] == [False, False, True]


def test_the_lists_say_what_the_export_says(api: APIClient, scored: Campaign) -> None:
    found = exported(scored)
    for name in ("items", "outputs"):
        assert rows(api, scored, name) == found.objects(f"{name}.jsonl"), name
    whole = found.objects("judgments.jsonl")
    for told, one in zip(rows(api, scored, "judgments"), whole, strict=True):
        both = set(told) & set(one) - {"submitted_at"}
        assert len(both) >= 12
        assert {name: told[name] for name in both} == {name: one[name] for name in both}
        assert told["id"] == one["judgment"]
    people = {row["annotator"]: row for row in found.table("annotators.csv")}
    for one in rows(api, scored, "annotators"):
        same = people[one["annotator"]]
        for name in ("judgments", "counting", "excluded", "review"):
            assert str(one[name]) == same[name], name
        assert " + ".join(one["screens"]) == same["screens"]
    exclusions = rows(api, scored, "exclusions")
    assert [str(one["judgment"]) for one in exclusions] == [
        row["judgment"] for row in found.table("exclusions.csv")
    ]


def test_metrics_are_told_for_each_output(api: APIClient, ada: Any) -> None:
    from estimation import refresh as estimating

    made = campaign(owner=ada, items=2)
    judge(person(made))
    estimating.refresh(made.pk)
    told = rows(api, made, "metrics")
    assert {(one["systems"][0], one["item"]): one["value"] for one in told} == {
        (row["system"], row["item"]): float(row["value"])
        for row in exported(made).table("metrics.csv")
    }
    assert {one["version"] for one in told} == {"given"}


def test_highlights_are_told_with_their_words(api: APIClient, ada: Any) -> None:
    text = "Ada lived in London."
    made = campaign(
        owner=ada,
        instrument="answer_correctness",
        targets={"any_correct": 0.2},
        metrics=(),
        rows_=[Row(item="q", system="s", output="London", input="where?", paragraphs=(text,))],
    )
    words = {"start": 4, "end": 19, "text": text[4:19]}
    judge(
        person(made), plausible=True, verdicts=[{"value": 1, "spans": [words], "confirmed": True}]
    )
    (told,) = rows(api, made, "judgments")
    assert told["highlights"] == [{"criterion": None, "paragraph": 1, **words}]


@pytest.mark.parametrize("part", LISTS)
def test_a_list_takes_as_many_queries_however_long_it_is(
    api: APIClient, ada: Any, scored: Campaign, part: str
) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as found:
            assert api.get(at(scored, part)).status_code == 200
        return len(found)

    before = asked()
    for n in range(3):
        who = person(scored, f"more-{n}")
        judge(who)
        exclude(who, ada, "too_fast")
    scoring.ensure(scored.pk)
    assert asked() == before


@pytest.mark.parametrize("part", LISTS)
def test_a_foreign_campaign_has_no_lists(client_of: Any, scored: Campaign, part: str) -> None:
    assert client_of(user("mallory")).get(at(scored, part)).status_code == 404
    assert APIClient().get(at(scored, part)).status_code == 401


@pytest.mark.parametrize("part", ["outputs", "metrics", "export"])
def test_reviewers_do_not_see_who_wrote_what_before_the_end(
    client_of: Any, scored: Campaign, part: str
) -> None:
    eve = user("eve")
    Membership.objects.create(campaign=scored, user=eve, role="reviewer")
    assert client_of(eve).get(at(scored, part)).status_code == 403
    assert client_of(eve).get(at(scored, "items")).status_code == 200
