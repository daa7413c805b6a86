"""The service's errors: `{"__type", "Message", "TurkErrorCode"}`."""

from typing import Any

TURK = "AWS.MechanicalTurk."

MISSING = "AWS.MissingParameters"
OUT_OF_RANGE = "AWS.ParameterOutOfRange"
INVALID = TURK + "InvalidParameterValue"
BAD_XML = TURK + "XMLParseError"
FUNDS = TURK + "InsufficientFunds"
HIT_UNKNOWN = TURK + "HITDoesNotExist"
HIT_EXISTS = TURK + "HitAlreadyExists"  # spelled as in the API reference
HIT_STATE = TURK + "InvalidHITState"
HIT_TYPE_UNKNOWN = TURK + "HITTypeDoesNotExist"
TOO_MANY_PLACES = TURK + "InvalidMaximumAssignmentsIncrease"
DUPLICATE = TURK + "DuplicateRequest"
ASSIGNMENT_UNKNOWN = TURK + "AssignmentDoesNotExist"
ASSIGNMENT_STATE = TURK + "InvalidAssignmentState"
TYPE_UNKNOWN = TURK + "QualificationTypeDoesNotExist"
TYPE_EXISTS = TURK + "QualificationTypeAlreadyExists"
QUALIFICATION_UNKNOWN = TURK + "QualificationDoesNotExist"
QUALIFICATION_STATE = TURK + "InvalidQualificationState"
NOT_OFFERED = TURK + "NotOfferedByStandIn"


class RequestRefused(Exception):
    """The request is wrong, or impossible in the present state."""

    status = "400 Bad Request"
    kind = "RequestError"

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def body(self) -> dict[str, Any]:
        return {"__type": self.kind, "Message": self.message, "TurkErrorCode": self.code}


class Unknown(RequestRefused):
    """There is no such operation."""

    kind = "UnknownOperationException"


class Faulty(RequestRefused):
    """The service itself fails; the same request may succeed later."""

    status = "500 Internal Server Error"
    kind = "ServiceFault"


class RequestThrottled(RequestRefused):
    """Too many requests."""

    kind = "ThrottlingException"

    def body(self) -> dict[str, Any]:
        return {"__type": self.kind, "Message": self.message}
