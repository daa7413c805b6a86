"""The whole life of a HIT, driven by an unmodified boto3 client and a worker's browser."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import urlopen
from xml.etree import ElementTree as ET

import pytest

from tests.crowds.far_side import NoPlace
from tests.crowds.mturk.far_side import MTurkFarSide
from tests.extras.mturk_simulator.requester import HIT, TYPE, hit, refused

LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)
ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2005-10-01/QuestionFormAnswers.xsd}"
)


def read(turk: MTurkFarSide, path: str, **form: str) -> tuple[str, str]:
    """Return the address where a request ended, and the page."""
    data = urlencode(form).encode() if form else None
    with urlopen(turk.url + path, data=data) as answer:
        return answer.url, answer.read().decode()


def framed(page: str) -> tuple[str, dict[str, list[str]]]:
    """Return the address in the page's frame, without and with its parameters."""
    url = unescape(re.search(r'<iframe src="([^"]+)"', page)[1])
    return url.partition("?")[0], parse_qs(urlsplit(url).query)


def test_life(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester, UniqueRequestToken="launch-1", RequesterAnnotation="op 1")
    assert made["HITStatus"] == "Assignable"
    assert made["RequesterAnnotation"] == "op 1"

    _, page = read(turk, f"/mturk/preview?groupId={made['HITGroupId']}&worker=A1")
    assert "not Amazon" in page
    address, parameters = framed(page)
    assert address == "https://example.org/work"
    assert parameters == {
        "study": ["1"],
        "part": ["2"],
        "hitId": [made["HITId"]],
        "assignmentId": ["ASSIGNMENT_ID_NOT_AVAILABLE"],
    }

    here, page = read(turk, "/accept", hit=made["HITId"], worker="A1")
    _, parameters = framed(page)
    unit = parameters["assignmentId"][0]
    assert parameters["workerId"] == ["A1"]
    assert parameters["turkSubmitTo"] == [turk.url]
    assert counts(requester, made) == (2, 1, 0)

    _, said = read(turk, "/mturk/externalSubmit", assignmentId=unit, receipt="r <1>", note="ü")
    assert "Handed in" in said
    assert "Submitted" in read(turk, here.removeprefix(turk.url))[1]

    listed = requester.list_assignments_for_hit(HITId=made["HITId"])["Assignments"]
    assert [one["AssignmentId"] for one in listed] == [unit]
    assert answers(listed[0]) == {"receipt": "r <1>", "note": "ü"}
    assert requester.get_assignment(AssignmentId=unit)["HIT"]["HITId"] == made["HITId"]

    requester.approve_assignment(AssignmentId=unit, RequesterFeedback="Thanks.")
    requester.send_bonus(WorkerId="A1", AssignmentId=unit, BonusAmount="0.50", Reason="Tutorial")
    assert turk.paid() == {unit: Decimal("0.80")}
    assert turk.bonuses() == [("A1", unit, Decimal("0.50"))]
    assert balance(requester) == Decimal(10000) - Decimal("0.96") - Decimal("0.60")
    _, earnings = read(turk, "/earnings?worker=A1")
    assert "$0.80" in earnings
    assert "Tutorial" in earnings

    requester.update_expiration_for_hit(HITId=made["HITId"], ExpireAt=LONG_AGO)
    assert counts(requester, made) == (2, 0, 1)
    requester.delete_hit(HITId=made["HITId"])
    assert requester.list_hits()["HITs"] == []
    assert requester.get_hit(HITId=made["HITId"])["HIT"]["HITStatus"] == "Disposed"
    assert refused(requester.delete_hit, HITId=made["HITId"])[0] == "InvalidHITState"


def counts(requester: Any, made: dict[str, Any]) -> tuple[int, int, int]:
    """Return how many places are available, pending, completed."""
    now = requester.get_hit(HITId=made["HITId"])["HIT"]
    names = ("Available", "Pending", "Completed")
    return tuple(now[f"NumberOfAssignments{name}"] for name in names)


def answers(listed: dict[str, Any]) -> dict[str, str]:
    root = ET.fromstring(listed["Answer"])
    return {
        one.findtext(f"{ANSWERS}QuestionIdentifier"): one.findtext(f"{ANSWERS}FreeText")
        for one in root.findall(f"{ANSWERS}Answer")
    }


def balance(requester: Any) -> Decimal:
    return Decimal(requester.get_account_balance()["AvailableBalance"])


def test_more_than_a_page(turk: MTurkFarSide, requester: Any) -> None:
    """Amazon gives a token with every full page, even where nothing follows."""
    made = hit(requester, MaxAssignments=200)
    units = [turk.accept(made["HITId"], f"A{number}") for number in range(200)]
    for unit in units:
        turk.submit(unit, receipt=unit)
    pages = requester.get_paginator("list_assignments_for_hit").paginate(
        HITId=made["HITId"], PaginationConfig={"PageSize": 100}
    )
    sizes, found = [], []
    for page in pages:
        assert page["NumResults"] == len(page["Assignments"])
        sizes.append(page["NumResults"])
        found += [one["AssignmentId"] for one in page["Assignments"]]
    assert sizes == [100, 100, 0]
    assert found == units
    assert len(requester.list_assignments_for_hit(HITId=made["HITId"])["Assignments"]) == 10


def test_identical_properties_are_one_type(requester: Any) -> None:
    first = requester.create_hit_type(**TYPE)["HITTypeId"]
    assert requester.create_hit_type(**{**TYPE, "Reward": "0.8"})["HITTypeId"] == first
    assert requester.create_hit_type(**{**TYPE, "Reward": "0.81"})["HITTypeId"] != first
    assert hit(requester)["HITTypeId"] == first
    both = {name: HIT[name] for name in ("Question", "LifetimeInSeconds")}
    made = requester.create_hit_with_hit_type(HITTypeId=first, **both)["HIT"]
    assert (made["HITTypeId"], made["MaxAssignments"]) == (first, 1)
    unknown = refused(requester.create_hit_with_hit_type, HITTypeId="3X", **both)
    assert unknown[0] == "HITTypeDoesNotExist"


def test_a_returned_id_can_be_given_to_another(turk: MTurkFarSide, requester: Any) -> None:
    turk.world.reuse_ids = True
    made = hit(requester)
    unit = turk.accept(made["HITId"], "A1")
    turk.give_back(unit)
    assert turk.accept(made["HITId"], "A2") == unit
    turk.submit(unit, receipt="r")
    assert requester.get_assignment(AssignmentId=unit)["Assignment"]["WorkerId"] == "A2"


def test_a_second_submission_changes_nothing(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester)
    unit = turk.accept(made["HITId"], "A1")
    turk.submit(unit, receipt="first")
    before = requester.get_assignment(AssignmentId=unit)["Assignment"]
    turk.submit(unit, receipt="second")
    assert requester.get_assignment(AssignmentId=unit)["Assignment"] == before
    assert answers(before) == {"receipt": "first"}


def test_ten_places_cost_more(turk: MTurkFarSide, requester: Any) -> None:
    made = hit(requester, MaxAssignments=10, Reward="1.00")
    unit = turk.accept(made["HITId"], "A1")
    turk.submit(unit, receipt="r")
    requester.approve_assignment(AssignmentId=unit)
    assert balance(requester) == Decimal("9998.60")


def test_exclusion_by_qualification(turk: MTurkFarSide, requester: Any) -> None:
    kind = requester.create_qualification_type(
        Name="Left out", Description="Not again", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    asked = [
        {
            "QualificationTypeId": kind,
            "Comparator": "DoesNotExist",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        },
        {
            "QualificationTypeId": "00000000000000000071",
            "Comparator": "In",
            "LocaleValues": [{"Country": "US"}, {"Country": "GB"}],
        },
        {
            "QualificationTypeId": "000000000000000000L0",
            "Comparator": "GreaterThanOrEqualTo",
            "IntegerValues": [95],
        },
    ]
    made = hit(requester, QualificationRequirements=asked)
    worker = {"QualificationTypeId": kind, "WorkerId": "A1"}
    requester.associate_qualification_with_worker(IntegerValue=1, **worker)
    with pytest.raises(NoPlace, match="requirements"):
        turk.accept(made["HITId"], "A1")
    assert "no work" in read(turk, "/?worker=A1")[1]
    assert "Rate short texts" in read(turk, "/?worker=A2")[1]
    requester.disassociate_qualification_from_worker(Reason="Cleared", **worker)
    again = refused(requester.disassociate_qualification_from_worker, **worker)
    assert again[0] == "InvalidQualificationState"
    turk.accept(made["HITId"], "A1")
    turk.world.profile("A3").country = "DE"
    with pytest.raises(NoPlace, match="requirements"):
        turk.accept(made["HITId"], "A3")
    turk.world.profile("A4").approval_rate = 94
    with pytest.raises(NoPlace, match="requirements"):
        turk.accept(made["HITId"], "A4")
