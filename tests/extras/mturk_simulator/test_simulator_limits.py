"""What the stand-in refuses, as Amazon's documentation says; request tokens; faults."""

import threading
import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from extras.mturk_simulator.world import FaultKind
from tests.crowds.far_side import Fault, NoPlace
from tests.crowds.mturk.far_side import MTurkFarSide
from tests.extras.mturk_simulator.requester import (
    HIT,
    NAMESPACE,
    QUESTION,
    client,
    hit,
    refused,
)

RANGE = "AWS.ParameterOutOfRange"
YEAR = 365 * 86400
LOCALE = "00000000000000000071"
RATE = "000000000000000000L0"


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("LifetimeInSeconds", 30, YEAR),
        ("AssignmentDurationInSeconds", 30, YEAR),
        ("AutoApprovalDelayInSeconds", 0, 30 * 86400),
        ("MaxAssignments", 1, 1_000_000_000),
    ],
)
def test_ranges(requester: Any, name: str, least: int, most: int) -> None:
    for fits in (least, most):
        assert hit(requester, **{name: fits})
    for wrong in (least - 1, most + 1):
        assert refused(requester.create_hit, **{**HIT, name: wrong})[0] == RANGE


@pytest.mark.parametrize(
    ("name", "most"),
    [("Title", 128), ("Description", 2000), ("Keywords", 1000), ("RequesterAnnotation", 255)],
)
def test_lengths(requester: Any, name: str, most: int) -> None:
    assert hit(requester, **{name: "x" * most})
    assert refused(requester.create_hit, **{**HIT, name: "x" * (most + 1)})[0] == RANGE


@pytest.mark.parametrize("reward", ["-1", "0.123", "$1", "1,50", ""])
def test_no_rewards(requester: Any, reward: str) -> None:
    assert refused(requester.create_hit, **{**HIT, "Reward": reward})[0] == "InvalidParameterValue"


@pytest.mark.parametrize("url", ["https://a.org/x", "http://localhost:8000/x", "http://127.0.0.1/"])
def test_addresses(requester: Any, url: str) -> None:
    """Amazon takes https alone; for one's own machine the stand-in takes http."""
    assert hit(requester, Question=QUESTION.format(url))


@pytest.mark.parametrize(
    ("question", "code"),
    [
        (QUESTION.format("http://a.org/x"), "InvalidParameterValue"),
        (QUESTION.format("ftp://localhost/x"), "InvalidParameterValue"),
        (QUESTION.format("/x"), "InvalidParameterValue"),
        (QUESTION.format(""), "InvalidParameterValue"),
        (QUESTION.format("https://a.org/?a=1&b=2"), "XMLParseError"),
        ("who what?", "XMLParseError"),
        (QUESTION.format("https://a.org").replace(NAMESPACE, "x"), "XMLParseError"),
        (QUESTION.format("https://a.org").replace("ExternalURL", "Url"), "XMLParseError"),
        (QUESTION.format("https://a.org").replace(">0<", ">tall<"), "XMLParseError"),
        ("<!DOCTYPE x>" + QUESTION.format("https://a.org"), "XMLParseError"),
        (f'<ExternalQuestion xmlns="{NAMESPACE}"/>', "XMLParseError"),
    ],
)
def test_questions(requester: Any, question: str, code: str) -> None:
    assert refused(requester.create_hit, **{**HIT, "Question": question})[0] == code


def test_a_question_is_needed(requester: Any) -> None:
    without = {name: value for name, value in HIT.items() if name != "Question"}
    assert refused(requester.create_hit, **without)[0] == "AWS.MissingParameters"
    layout = refused(requester.create_hit, **without, HITLayoutId="3LAYOUT")
    assert "does not know HITLayoutId" in layout[1]


def of(kind: str, comparator: str, **values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": kind, "Comparator": comparator, **values}


US = {"Country": "US"}


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (of("3NOBODYMADE", "DoesNotExist"), "QualificationTypeDoesNotExist"),
        (of(RATE, "Exists"), "NotOfferedByStandIn"),
        (of(RATE, "DoesNotExist", IntegerValues=[1]), "InvalidParameterValue"),
        (of(RATE, "GreaterThanOrEqualTo"), "InvalidParameterValue"),
        (of(RATE, "GreaterThanOrEqualTo", IntegerValues=[1, 2]), "InvalidParameterValue"),
        (of(LOCALE, "In", IntegerValues=[1]), "InvalidParameterValue"),
        (of(LOCALE, "In", LocaleValues=[US] * 31), "InvalidParameterValue"),
    ],
)
def test_requirements_that_make_no_sense(requester: Any, asked: Any, code: str) -> None:
    assert refused(requester.create_hit, **{**HIT, "QualificationRequirements": [asked]})[0] == code


def test_few_places_stay_few(requester: Any) -> None:
    made = hit(requester, MaxAssignments=8)["HITId"]
    more = requester.create_additional_assignments_for_hit
    more(HITId=made, NumberOfAdditionalAssignments=1)
    tenth = refused(more, HITId=made, NumberOfAdditionalAssignments=1)
    assert tenth[0] == "InvalidMaximumAssignmentsIncrease"
    assert requester.get_hit(HITId=made)["HIT"]["MaxAssignments"] == 9
    many = hit(requester, MaxAssignments=10)["HITId"]
    more(HITId=many, NumberOfAdditionalAssignments=5)
    assert requester.get_hit(HITId=many)["HIT"]["MaxAssignments"] == 15


# ---------------------------------------------------------------- request tokens


def test_a_token_makes_one_hit_in_a_day(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester, UniqueRequestToken="t")["HITId"]
    turk.move_clock(timedelta(hours=23, minutes=59))
    code, message = refused(requester.create_hit, **HIT, UniqueRequestToken="t")
    assert code == "HitAlreadyExists"
    assert made in message
    assert turk.postings() == [made]
    turk.move_clock(timedelta(minutes=1))
    second = hit(requester, UniqueRequestToken="t")["HITId"]
    assert turk.postings() == [made, second]


def test_a_refused_request_does_not_use_its_token_up(requester: Any) -> None:
    refused(requester.create_hit, **{**HIT, "Reward": "-1"}, UniqueRequestToken="t")
    assert hit(requester, UniqueRequestToken="t")


def test_tokens_of_bonuses_and_places(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester, UniqueRequestToken="t")["HITId"]
    unit = turk.accept(made, "A1")
    turk.submit(unit, receipt="r")
    bonus = {"WorkerId": "A1", "AssignmentId": unit, "BonusAmount": "1", "Reason": "r"}
    places = {"HITId": made, "NumberOfAdditionalAssignments": 1}
    for call, arguments in (
        (requester.send_bonus, bonus),
        (requester.create_additional_assignments_for_hit, places),
    ):
        call(**arguments, UniqueRequestToken="t")
        assert refused(call, **arguments, UniqueRequestToken="t")[0] == "DuplicateRequest"
    assert len(turk.bonuses()) == 1
    assert requester.get_hit(HITId=made)["HIT"]["MaxAssignments"] == 4
    turk.move_clock(timedelta(hours=24))
    requester.send_bonus(**bonus, UniqueRequestToken="t")
    assert len(turk.bonuses()) == 2


# ---------------------------------------------------------------- faults


def test_a_silent_second_try_makes_two_hits(turk: MTurkFarSide) -> None:
    """Why every publishing request needs a token: botocore re-sends by itself."""
    turk.world.faults.add(["CreateHIT"], FaultKind.AFTER)
    with client(turk.url) as requester:
        hit(requester)
        assert len(turk.postings()) == 2
        turk.world.faults.add(["CreateHIT"], FaultKind.AFTER)
        code, message = refused(requester.create_hit, **HIT, UniqueRequestToken="t")
    assert len(turk.postings()) == 3
    assert code == "HitAlreadyExists"
    assert turk.postings()[-1] in message


def test_before(turk: MTurkFarSide, requester: Any) -> None:
    turk.fail_next("publish", Fault.BEFORE)
    with pytest.raises(ClientError) as caught:
        hit(requester)
    assert caught.value.response["Error"]["Code"] == "ServiceFault"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
    assert turk.postings() == []
    assert hit(requester)


def test_after(turk: MTurkFarSide, requester: Any) -> None:
    turk.fail_next("publish", Fault.AFTER)
    with pytest.raises(ConnectionClosedError):
        hit(requester)
    assert len(turk.postings()) == 1
    assert hit(requester)


def test_throttled(turk: MTurkFarSide, requester: Any) -> None:
    turk.fail_next("approve", Fault.THROTTLE)
    assert hit(requester)  # another operation is not touched
    with pytest.raises(ClientError) as caught:
        requester.approve_assignment(AssignmentId="3X")
    assert caught.value.response["Error"]["Code"] == "ThrottlingException"


def test_timed_out(turk: MTurkFarSide) -> None:
    turk.world.faults.patience = 60
    turk.fail_next("publish", Fault.TIMEOUT)
    patience = {"read_timeout": 0.3, "retries": {"total_max_attempts": 1}}
    with client(turk.url, **patience) as requester:
        with pytest.raises(ReadTimeoutError):
            hit(requester)
        assert turk.postings() == []
        turk.heal()
        assert hit(requester)


@pytest.mark.slow
def test_a_fault_lasts_for_one_call_with_its_second_tries(turk: MTurkFarSide) -> None:
    turk.fail_next("publish", Fault.THROTTLE)
    with client(turk.url, retries={"mode": "standard", "total_max_attempts": 3}) as requester:
        with pytest.raises(ClientError) as caught:
            hit(requester)
        assert caught.value.response["ResponseMetadata"]["RetryAttempts"] == 2
        assert hit(requester)
    assert len(turk.postings()) == 1


def test_places_are_given_out_once(turk: MTurkFarSide, requester: Any) -> None:
    """Twenty people reach for three places at once; looking at the clock lets others go first."""
    made = hit(requester)["HITId"]
    clock = turk.world.clock

    def slow() -> datetime:
        time.sleep(0.001)
        return clock()

    turk.world.clock = slow
    start, got, refusals = threading.Barrier(20), [], []

    def reach(worker: str) -> None:
        start.wait()
        try:
            got.append(turk.accept(made, worker))
        except NoPlace as refusal:
            refusals.append(str(refusal))

    threads = [threading.Thread(target=reach, args=(f"A{number}",)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(got)) == 3
    assert len(refusals) == 17
