"""Large imports through the API: taken in, followed, cancelled; keys; bodies of any size."""

import json
from decimal import Decimal

import pytest

from annotate.campaigns import imports
from annotate.campaigns.parsers import BLOCK
from annotate.models import Campaign, CampaignImport, ImportChunk
from tests.api.test_import import CAMPAIGNS, PLAN, ROWS, post, post_file

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def large(items: int = 2000) -> list[dict[str, str]]:
    text = "A text that is long enough for this file to be a large one. " * 5
    return [
        {"item": str(i), "system": system, "output": f"{system} {i}: {text}"}
        for i in range(items)
        for system in ("alpha", "beta")
    ]


def as_lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.slow
def test_a_large_file_is_taken_in_by_a_worker(api, ada):
    answer = post_file(api, as_lines(large()))
    assert answer.status_code == 202, answer.content
    started = answer.json()
    assert (started["status"], started["campaign"]) == ("reading", None)
    address = answer["Location"]
    assert address.endswith(f"/api/v1/imports/{started['id']}/")
    imports.run_due()
    done = api.get(address).json()
    assert done["status"] == "done"
    made = api.get(f"{CAMPAIGNS}{done['campaign']}/").json()
    assert (made["planned"], made["role"]) == (5000, "owner")
    assert [one["id"] for one in api.get("/api/v1/imports/").json()["results"]] == [started["id"]]


def test_what_is_wrong_with_a_large_file_is_told_at_its_address(api):
    rows = large()
    for row in rows[7:3000]:
        row["system"] = ""
    answer = post_file(api, as_lines(rows))
    imports.run_due()
    found = api.get(answer["Location"]).json()
    assert found["status"] == "refused"
    (problem,) = found["refusal"]["problems"]
    assert problem == {
        "message": "“system” is missing.",
        "lines": [8, 9, 10, 11, 12],
        "count": 2993,
    }
    assert found["refusal"]["rows"][0] == {"line": 8, "message": "“system” is missing."}
    assert not Campaign.objects.exists()


def test_a_plan_that_cannot_be_is_refused_at_once_whatever_the_size(api):
    answer = post_file(api, as_lines(large()), targets=json.dumps({"charm": 1}))
    assert (answer.status_code, list(answer.json()["errors"])) == (422, ["targets"])
    assert not CampaignImport.objects.exists()


@pytest.mark.slow
def test_an_import_can_be_cancelled_until_it_is_a_campaign(api):
    address = post_file(api, as_lines(large()))["Location"]
    assert api.post(f"{address}cancel/").json()["status"] == "cancelled"
    imports.run_due()
    assert not Campaign.objects.exists()
    assert not ImportChunk.objects.exists()
    again = post_file(api, as_lines(large()))["Location"]
    imports.run_due()
    assert api.post(f"{again}cancel/").status_code == 409


@pytest.mark.slow
@pytest.mark.parametrize("rows", [ROWS, large()])
def test_the_same_request_with_a_key_again_is_the_same_import(api, rows):
    answers = []
    for _time in range(3):
        answers.append(post(api, outputs=rows, key="mine"))
        imports.run_due()
    small = len(rows) < 10
    assert [answer.status_code for answer in answers] == (
        [201, 200, 200] if small else [202, 200, 200]
    )
    assert Campaign.objects.count() == 1
    other = post(api, outputs=rows, key="mine", name="Another")
    assert other.status_code == 409
    assert post(api, outputs=rows[:4], key="another").status_code == 201


def test_the_answer_to_a_repeated_request_is_the_same_address_until_then(api):
    first, second = (post(api, outputs=large(), key="mine") for _time in range(2))
    assert first["Location"] == second["Location"]
    assert second.status_code == 202


def test_what_is_not_used_of_a_file_is_told(api):
    table = "id,model,output,comet,url\n1,a,x,0.5,http://x\n2,a,y,0.25,http://y\n"
    told = [
        "Read by their usual names: “id” as item, “model” as system.",
        "Not used: “url”.",
        "Metrics of the file that are not used: comet. To use one, name it among the metrics of "
        "the plan; they are fixed when the campaign is created.",
    ]
    assert post_file(api, table).json()["notices"] == told
    (one,) = api.get("/api/v1/imports/").json()["results"]
    assert one["notices"] == told
    assert post(api).json()["notices"] == []


# --- bodies that are read piece by piece


def send(api, body: bytes):
    return api.post(CAMPAIGNS, body, content_type="application/json")


def test_rows_may_come_before_the_plan_and_cross_any_border(api):
    for size in (BLOCK - 40, BLOCK - 1, BLOCK, 3 * BLOCK):
        rows = json.dumps([{**ROWS[0], "output": "ü" * (size // 12)}, *ROWS[1:]])
        plan = json.dumps({**PLAN, "reward": "0.55"})[1:-1]
        answer = send(api, f'{{"outputs": {rows}, {plan}}}'.encode())
        assert answer.status_code in (201, 422), answer.content
    assert {one.reward for one in Campaign.objects.all()} == {Decimal("0.55")}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"name"',
        b'{"name": ',
        b'{"name": "x"',
        b'{"name": "x",',
        b'{"name": "x",}',
        b'{"name" "x"}',
        b'{name: "x"}',
        b'{"name": "x"} {}',
        b"{1: 2}",
        b'{"name": "\xff"}',
        b'{"outputs": [1, 2',
        b'{"outputs": [1 2]}',
        b'{"outputs": [NaN]}',
        b'{"outputs": ["\xff"]}',
        b'{"level": -Infinity}',
        b"[" * 100_000,
        b'{"outputs": ' + b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_a_body_that_is_no_json_is_a_400(api, body):
    answer = send(api, body)
    assert (answer.status_code, answer.json()["error"]) == (400, "parse_error")


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"7", b'"text"', b"null", b"{}", b'{"outputs": {}}', b'{"outputs": null}']
)
def test_a_body_of_another_shape_is_a_422(api, body):
    assert send(api, body).status_code == 422
