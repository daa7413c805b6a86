"""What the stand-in says on the wire: botocore's own model of the service is the measure."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from botocore.loaders import Loader
from botocore.model import ServiceModel
from botocore.validate import ParamValidator

from extras.mturk_simulator.api import OPERATIONS
from tests.crowds.mturk.far_side import MTurkFarSide
from tests.extras.mturk_simulator.requester import HIT, TYPE

SERVICE = ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")


def post(turk: MTurkFarSide, target: str, arguments: object) -> tuple[int, dict[str, Any]]:
    """Return status and body of one request, as they came over the wire."""
    request = Request(
        turk.url,
        data=json.dumps(arguments).encode(),
        headers={"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"},
    )
    try:
        with urlopen(request) as answer:
            assert answer.headers["Content-Type"] == "application/x-amz-json-1.1"
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


def ask(turk: MTurkFarSide, operation: str, **arguments: Any) -> tuple[int, dict[str, Any]]:
    return post(turk, f"MTurkRequesterServiceV20170117.{operation}", arguments)


def breaches(shape: Any, value: Any) -> Iterator[str]:
    """Yield what botocore's validator leaves out: enumerations, patterns, lengths."""
    if shape.type_name == "structure":
        for name, member in value.items():
            yield from breaches(shape.members[name], member)
    elif shape.type_name == "list":
        for member in value:
            yield from breaches(shape.member, member)
    elif shape.type_name == "string":
        rules = shape.metadata
        if value not in rules.get("enum", [value]):
            yield f"{value!r} is not in {rules['enum']}"
        if not re.fullmatch(rules.get("pattern", ".*"), value, re.DOTALL):
            yield f"{value!r} is not {rules['pattern']}"
        if not rules.get("min", 0) <= len(value) <= rules.get("max", len(value)):
            yield f"{value!r} is too short or too long"
    elif shape.type_name == "timestamp" and not isinstance(value, int | float):
        yield f"{value!r} is not seconds since 1970"


def checked(turk: MTurkFarSide, operation: str, **arguments: Any) -> dict[str, Any]:
    """Return the answer to a request that must succeed, after holding it against the model."""
    status, body = ask(turk, operation, **arguments)
    assert status == 200, body
    shape = SERVICE.operation_model(operation).output_shape
    assert ParamValidator().validate(body, shape).generate_report() == ""
    assert list(breaches(shape, body)) == []
    return body


def test_every_answer_is_of_the_model(turk: MTurkFarSide) -> None:
    said = dict(script(turk))
    assert said.keys() == OPERATIONS.keys()
    for operation, body in said.items():
        if operation.startswith(("Get", "List")):
            assert body, operation


def script(turk: MTurkFarSide) -> Iterator[tuple[str, dict[str, Any]]]:
    """Call every operation there is with something to find; yield what it answered."""

    def call(operation: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
        return operation, checked(turk, operation, **arguments)

    kind = call(
        "CreateQualificationType",
        Name="Left out",
        Description="Not again",
        Keywords="own",
        QualificationTypeStatus="Active",
    )
    yield kind
    type_id = {"QualificationTypeId": kind[1]["QualificationType"]["QualificationTypeId"]}
    worker = {"WorkerId": "A1"}
    yield call("AssociateQualificationWithWorker", IntegerValue=3, **type_id, **worker)
    yield call("DisassociateQualificationFromWorker", **type_id, **worker)
    asked = [{"Comparator": "DoesNotExist", **type_id}]
    made = call("CreateHITType", **TYPE, QualificationRequirements=asked)
    yield made
    own = {name: HIT[name] for name in ("Question", "LifetimeInSeconds")}
    yield call("CreateHITWithHITType", HITTypeId=made[1]["HITTypeId"], **own)
    created = call("CreateHIT", **HIT, RequesterAnnotation="op")
    yield created
    yield from of_a_hit(turk, created[1]["HIT"]["HITId"])
    yield call("ListQualificationTypes", MustBeRequestable=False)
    yield call("GetAccountBalance")


def of_a_hit(turk: MTurkFarSide, hit_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    hit = {"HITId": hit_id}
    units = [turk.accept(hit_id, name) for name in ("A1", "A2")]
    for unit in units:
        turk.submit(unit, receipt="r")
    one = {"AssignmentId": units[0]}
    bonus = {"WorkerId": "A1", "BonusAmount": "0.5", "Reason": "Thanks"}
    places = {"NumberOfAdditionalAssignments": 1}
    message = {"Subject": "Thanks", "MessageText": "More soon.", "WorkerIds": ["A1", "A9"]}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("ApproveAssignment", {**one, "RequesterFeedback": "Thanks"}),
        ("RejectAssignment", {"AssignmentId": units[1], "RequesterFeedback": "Copied"}),
        ("GetAssignment", one),
        ("SendBonus", {**one, **bonus}),
        ("ListBonusPayments", hit),
        ("ListAssignmentsForHIT", {**hit, "MaxResults": 2}),
        ("CreateAdditionalAssignmentsForHIT", {**hit, **places}),
        ("GetHIT", hit),
        ("UpdateExpirationForHIT", {**hit, "ExpireAt": 0}),
        ("ListHITs", {"MaxResults": 2}),
        ("NotifyWorkers", message),
    ]
    for operation, arguments in calls:
        yield operation, checked(turk, operation, **arguments)
    yield "DeleteHIT", checked(turk, "DeleteHIT", **hit)


@pytest.mark.parametrize(
    "target",
    ["", "MTurkRequesterServiceV20170117.Conjure", "AWSMechanicalTurkRequester.GetHIT", "GetHIT"],
)
def test_unknown_operations(turk: MTurkFarSide, target: str) -> None:
    status, body = post(turk, target, {})
    assert (status, body["__type"]) == (400, "UnknownOperationException")
    assert body["Message"]


def test_operations_that_are_not_offered_say_so(turk: MTurkFarSide) -> None:
    status, body = ask(turk, "ListQualificationRequests")
    assert (status, body["__type"]) == (400, "RequestError")
    assert "does not offer" in body["Message"]


def test_errors_have_three_parts(turk: MTurkFarSide) -> None:
    status, body = ask(turk, "GetHIT", HITId="3NONE")
    assert status == 400
    assert body == {
        "__type": "RequestError",
        "Message": "HIT 3NONE does not exist.",
        "TurkErrorCode": "AWS.MechanicalTurk.HITDoesNotExist",
    }


INVALID, RANGE, MISSING = (
    "AWS.MechanicalTurk.InvalidParameterValue",
    "AWS.ParameterOutOfRange",
    "AWS.MissingParameters",
)


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        ("GetHIT", {}, MISSING),
        ("GetHIT", {"HITId": 7}, INVALID),
        ("GetHIT", {"HITId": "with-hyphen"}, INVALID),
        ("GetHIT", {"HITId": "3" * 65}, RANGE),
        ("GetHIT", {"HITId": ""}, RANGE),
        ("GetHIT", {"HITId": "3A", "Colour": "red"}, INVALID),
        ("GetHIT", [], INVALID),
        ("ListHITs", {"MaxResults": 101}, RANGE),
        ("ListHITs", {"MaxResults": 0}, RANGE),
        ("ListHITs", {"MaxResults": True}, INVALID),
        ("ListAssignmentsForHIT", {"HITId": "3A", "AssignmentStatuses": ["Active"]}, INVALID),
        ("GetHIT", {"HITId": "a hit"}, INVALID),
    ],
)
def test_wrong_shapes(turk: MTurkFarSide, operation: str, arguments: Any, code: str) -> None:
    status, body = post(turk, f"MTurkRequesterServiceV20170117.{operation}", arguments)
    assert (status, body["TurkErrorCode"]) == (400, code)
