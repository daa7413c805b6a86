"""What goes wrong between us and MTurk, and what is made of it."""

import socket
from datetime import timedelta
from decimal import Decimal

import boto3
import pytest
from botocore import exceptions as raised

from annotate.crowds import contract
from annotate.crowds.contract import Bonus, Configuration, Effect, Transient
from annotate.crowds.mturk.client import CONNECT_TIMEOUT, READ_TIMEOUT, turk_error
from annotate.crowds.mturk.marketplace import MTurk
from annotate.crowds.outbox import CLAIM
from tests.crowds.contract import publish, spec
from tests.crowds.mturk.far_side import mturk_far_side
from tests.servers import free_port

BONUS = Bonus("3HIT", "3ASSIGNMENT", "A1WORKER", Decimal("0.50"), "For the tutorial")


def answer(code: str, turk: str = "", message: str = "So it is.", status: int = 400) -> Exception:
    response = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
        **({"TurkErrorCode": turk} if turk else {}),
    }
    return raised.ClientError(response, "CreateHIT")


def request_error(turk: str, message: str = "So it is.") -> Exception:
    return answer("RequestError", f"AWS.MechanicalTurk.{turk}", message)


ANSWERS = {
    contract.Throttled: [
        answer("ThrottlingException", message="Rate exceeded"),
        answer("Any", status=429),
    ],
    contract.Unanswered: [
        answer("ServiceFault", "AWS.ServiceUnavailable", status=500),
        answer("", status=503),
        answer("ServiceFault"),
    ],
    contract.InsufficientFunds: [
        request_error("InsufficientFunds", "This Requester has insufficient funds")
    ],
    contract.NotFoundAtCrowd: [
        request_error("HITDoesNotExist", "Hit 3A does not exist. (1657421793250 s)"),
        request_error("AssignmentDoesNotExist"),
        request_error("QualificationTypeDoesNotExist"),
    ],
    contract.InvalidTransition: [
        request_error("InvalidAssignmentState", "This operation can be called with a status of"),
        request_error("InvalidHITState"),
    ],
    contract.Duplicate: [
        request_error("HITAlreadyExists"),
        request_error("HitAlreadyExists"),
        request_error("DuplicateRequest"),
        request_error("QualificationTypeAlreadyExists"),
        answer("RequestError", "", 'The idempotency token "3VX" has already been processed.'),
    ],
    contract.Configuration: [
        answer("UnrecognizedClientException"),
        answer("InvalidSignatureException"),
        answer("AccessDeniedException"),
        answer("ExpiredTokenException", status=403),
        answer("RequestError", "AWS.AccountNotLinked"),
        answer("RequestError", "AWS.NotAuthorized"),
    ],
    contract.CrowdError: [
        answer("ValidationException"),
        request_error("InvalidMaximumAssignmentsIncrease"),
        request_error("InvalidParameterValue"),
        answer("RequestError", "AWS.ParameterOutOfRange"),
        answer("RequestError", "AWS.MechanicalTurk.PermissionDeniedException"),
    ],
}
BROKEN = {
    contract.Transient: [
        raised.EndpointConnectionError(endpoint_url="x"),
        raised.ConnectTimeoutError(endpoint_url="x"),
        raised.ProxyConnectionError(proxy_url="x"),
    ],
    contract.Unanswered: [
        raised.ReadTimeoutError(endpoint_url="x"),
        raised.ConnectionClosedError(endpoint_url="x"),
        raised.HTTPClientError(error="x"),
        raised.SSLError(endpoint_url="x", error="x"),
    ],
    contract.Configuration: [
        raised.NoCredentialsError(),
        raised.ProfileNotFound(profile="x"),
        raised.PartialCredentialsError(provider="env", cred_var="x"),
    ],
    contract.CrowdError: [raised.ParamValidationError(report="x")],
}
EFFECTS = {
    contract.Throttled: Effect.RETRYABLE,
    contract.Transient: Effect.RETRYABLE,
    contract.Unanswered: Effect.AMBIGUOUS,
    contract.InsufficientFunds: Effect.REFUSED,
    contract.NotFoundAtCrowd: Effect.REFUSED,
    contract.InvalidTransition: Effect.REFUSED,
    contract.Duplicate: Effect.ALREADY,
    contract.CrowdError: Effect.REFUSED,
}


def cases():
    return [
        pytest.param(error, kind, id=f"{kind.__name__}-{error}"[:70])
        for table in (ANSWERS, BROKEN)
        for kind, errors in table.items()
        for error in errors
    ]


@pytest.mark.parametrize(("error", "kind"), cases())
def test_each_error_is_what_it_is(error, kind):
    found = turk_error(error)
    assert type(found) is kind
    assert found.message
    if kind in EFFECTS:
        assert found.outcome().effect is EFFECTS[kind]


def test_the_code_is_mturks_own_and_the_message_without_its_stamp():
    outcome = turk_error(ANSWERS[contract.NotFoundAtCrowd][0]).outcome()
    assert outcome.code == "AWS.MechanicalTurk.HITDoesNotExist"
    assert outcome.message == "MTurk: Hit 3A does not exist."


# ---------------------------------------------------------------- the connection itself


@pytest.fixture
def without_credentials(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def test_without_credentials_it_says_what_to_set(without_credentials):
    crowd = MTurk("production")
    for call in (crowd.balance, lambda: crowd.approve("3A"), lambda: crowd.pay_bonus(BONUS, "x")):
        with pytest.raises(Configuration, match=r"AWS_ACCESS_KEY_ID.*link"):
            call()


@pytest.mark.parametrize("environment", ["production", "sandbox", "localhost:8123"])
def test_a_client_of_another_world_is_never_used(environment, monkeypatch):
    real = boto3.Session.client

    def misled(session, service, **options):
        return real(session, service, **{**options, "endpoint_url": elsewhere.url})

    monkeypatch.setattr(boto3.Session, "client", misled)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with mturk_far_side() as elsewhere:
        own = "http://localhost:8123" if ":" in environment else ""
        crowd = MTurk("sandbox" if own else environment, endpoint_url=own)
        assert crowd.environment == environment
        for call in (crowd.balance, lambda: crowd.stop("3A"), lambda: crowd.pay_bonus(BONUS, "x")):
            with pytest.raises(Configuration, match="MTURK_ENDPOINT_URL"):
                call()
        with pytest.raises(Configuration):
            crowd.publish(spec(), "publish-1")
        assert far_is_untouched(elsewhere)


def far_is_untouched(far) -> bool:
    return not far.world.hit_types and not far.postings() and not far.bonuses()


def test_the_environment_of_boto3_does_not_lead_elsewhere(monkeypatch):
    with mturk_far_side() as meant, mturk_far_side() as other:
        monkeypatch.setenv("AWS_ENDPOINT_URL", other.url)
        monkeypatch.setenv("AWS_ENDPOINT_URL_MTURK", other.url)
        publish(meant.adapter())
        assert (len(meant.postings()), len(other.postings())) == (1, 0)


def test_where_nobody_listens_nothing_happened():
    crowd = MTurk("sandbox", endpoint_url=f"http://localhost:{free_port()}")
    outcome = crowd.pay_bonus(BONUS, "bonus-1")
    assert outcome.effect is Effect.RETRYABLE
    with pytest.raises(Transient):
        crowd.balance()


def test_who_answers_too_late_may_have_done_it():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        crowd = MTurk("sandbox", endpoint_url=url, timeout=0.2)
        assert crowd.pay_bonus(BONUS, "bonus-1").effect is Effect.AMBIGUOUS
        assert crowd.approve("3ASSIGNMENT").effect is Effect.AMBIGUOUS


@pytest.mark.parametrize(("attempts", "call"), [(1, "act"), (3, "read")])
def test_how_often_a_request_is_sent(attempts, call, monkeypatch):
    with mturk_far_side() as far:
        met = []
        monkeypatch.setattr(
            far.world.faults, "of", lambda operation, name: met.append(operation) or "before"
        )
        with pytest.raises(Transient):
            getattr(far.adapter().api, call)("get_account_balance")
        assert met == ["GetAccountBalance"] * attempts


def test_a_claim_of_the_outbox_outlives_the_longest_effect():
    """Whoever waits longer than the claim lasts would be doing it beside somebody else."""
    assert timedelta(seconds=CONNECT_TIMEOUT + READ_TIMEOUT) < CLAIM
