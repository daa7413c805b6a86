"""Coming in from MTurk and leaving: nothing that it sends is signed, so all of it is checked."""

import pytest

from annotate.common import tokens
from annotate.common.errors import ServiceError
from annotate.crowds.contract import Claim, Completion, Configuration
from annotate.crowds.mturk.marketplace import MTurk

OWN = {"endpoint_url": "http://localhost:8123", "worker_url": "http://workers.test:9"}
WORLDS = {
    "production": MTurk("production"),
    "sandbox": MTurk("sandbox"),
    "localhost:8123": MTurk("sandbox", **OWN),
}
SUBMIT_TO = {
    "production": "https://www.mturk.com",
    "sandbox": "https://workersandbox.mturk.com",
    "localhost:8123": "http://workers.test:9",
}
every_world = pytest.mark.parametrize("name", WORLDS)


def given(name: str = "sandbox", **changes: str) -> dict[str, str]:
    return {
        "posting": tokens.posting_token("p0st1ng"),
        "assignmentId": "3ASSIGNMENT",
        "hitId": "3HIT",
        "workerId": "A1WORKER",
        "turkSubmitTo": SUBMIT_TO[name],
        **changes,
    }


def refused(params: dict[str, str], name: str = "sandbox") -> int:
    with pytest.raises(ServiceError) as error:
        WORLDS[name].parse_entry(params)
    return error.value.status


@pytest.mark.parametrize(
    ("endpoint", "environment"),
    [
        ("https://mturk-requester.us-east-1.amazonaws.com/", "production"),
        ("https://MTurk-Requester-Sandbox.us-east-1.amazonaws.com", "sandbox"),
    ],
)
def test_amazons_addresses_are_recognised(endpoint, environment):
    assert MTurk(environment, endpoint_url=endpoint).environment == environment


@pytest.mark.parametrize(
    ("environment", "endpoint", "worker", "setting"),
    [
        ("prod", "", "", "MTURK_ENVIRONMENT"),
        ("", "", "", "MTURK_ENVIRONMENT"),
        ("sandbox", "localhost:8123", "", "MTURK_ENDPOINT_URL"),
        ("sandbox", "ftp://localhost", "", "MTURK_ENDPOINT_URL"),
        ("sandbox", "http://localhost:8123", "localhost", "MTURK_WORKER_URL"),
        ("production", "", "http://localhost:8123", "MTURK_WORKER_URL"),
        ("sandbox", "https://mturk-requester.us-east-1.amazonaws.com", "", "MTURK_ENDPOINT_URL"),
        (
            "production",
            "https://mturk-requester-sandbox.us-east-1.amazonaws.com",
            "",
            "MTURK_ENVIRONMENT",
        ),
    ],
)
def test_settings_that_contradict_each_other_say_which(environment, endpoint, worker, setting):
    with pytest.raises(Configuration, match=setting):
        MTurk(environment, endpoint_url=endpoint, worker_url=worker)


@every_world
def test_somebody_who_accepted_comes_in(name):
    assert WORLDS[name].parse_entry(given(name)) == Claim(
        person="A1WORKER",
        posting="p0st1ng",
        listing="3HIT",
        unit="3ASSIGNMENT",
        submit_to=SUBMIT_TO[name],
    )


def test_a_look_before_accepting_is_a_preview():
    seen = {"posting": tokens.posting_token("p0st1ng"), "hitId": "3HIT"}
    unsure = {**seen, "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}
    assert WORLDS["sandbox"].parse_entry(unsure) == Claim(posting="p0st1ng")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("assignmentId", ""),
        ("assignmentId", "3assignment"),
        ("assignmentId", "3'--"),
        ("assignmentId", "3" * 65),
        ("assignmentId", "3A\n"),
        ("hitId", ""),
        ("hitId", "../x"),
        ("workerId", ""),
        ("workerId", "B1"),
        ("workerId", "A"),
        ("workerId", "A1 "),
        ("workerId", "A" * 65),
        ("workerId", "Ä1"),
    ],
)
def test_names_that_mturk_never_gives_are_refused(name, value):
    assert refused(given(**{name: value})) == 400


@pytest.mark.parametrize(
    "submit_to",
    [
        "",
        "https://evil.example",
        "https://workersandbox.mturk.com.evil.example",
        "https://workersandbox.mturk.com@evil.example",
        "//workersandbox.mturk.com",
        "http://workersandbox.mturk.com",
        "https://workersandbox.mturk.com:444",
        "javascript:alert(1)//workersandbox.mturk.com",
        "https://[",
        "https://www.mturk.com",
        "https://worker.mturk.com",
        "http://localhost:8123",
    ],
)
def test_work_is_handed_in_only_at_the_same_world(submit_to):
    assert refused(given(turkSubmitTo=submit_to)) == 403


def test_only_the_origin_is_kept_of_where_to_submit():
    disguised = given(turkSubmitTo="https://evil.example@workersandbox.mturk.com/x?y#z")
    found = WORLDS["sandbox"].parse_entry(disguised)
    assert found.submit_to == "https://workersandbox.mturk.com"


@pytest.mark.parametrize("posting", ["", "p0st1ng", "forged:x:y"])
def test_our_own_signature_is_needed(posting):
    assert refused(given(posting=posting)) == 404


@every_world
def test_the_form_takes_the_receipt_where_the_work_came_from(name):
    crowd = WORLDS[name]
    leaving = {"unit": "3ASSIGNMENT", "submit_to": SUBMIT_TO[name], "receipt": "9f2a"}
    assert crowd.completion(**leaving, code="") == Completion(
        SUBMIT_TO[name] + "/mturk/externalSubmit",
        {"assignmentId": "3ASSIGNMENT", "receipt": "9f2a"},
    )
    assert SUBMIT_TO[name] in crowd.frame_policy()["form-action"]


def test_pages_are_framed_by_the_workers_site_of_their_world_alone():
    policies = {name: crowd.frame_policy() for name, crowd in WORLDS.items()}
    amazon = ["https://worker.mturk.com", "https://www.mturk.com"]
    sandbox, own = ["https://workersandbox.mturk.com"], ["http://workers.test:9"]
    assert policies == {
        "production": {"frame-ancestors": amazon, "form-action": ["'self'", *amazon]},
        "sandbox": {"frame-ancestors": sandbox, "form-action": ["'self'", *sandbox]},
        "localhost:8123": {"frame-ancestors": own, "form-action": ["'self'", *own]},
    }
