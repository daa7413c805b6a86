"""Coming in from Prolific, leaving again, and what Prolific tells us by itself."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus

import pytest
from django.utils.datastructures import CaseInsensitiveMapping

from annotate.common import tokens
from annotate.common.errors import ServiceError
from annotate.crowds.contract import (
    Claim,
    Configuration,
    Event,
    Transient,
)
from annotate.crowds.prolific.marketplace import EVENT_ID, SIGNATURE, TIMESTAMP, Prolific, signature
from tests.crowds.far_side import Fault
from tests.crowds.prolific.far_side import SECRET, ProlificFarSide, prolific_far_side
from tests.crowds.prolific.test_prolific import publish


@pytest.fixture
def far() -> Iterator[ProlificFarSide]:
    with prolific_far_side() as far_side:
        yield far_side


@pytest.fixture
def crowd(far) -> Prolific:
    return far.adapter()


@pytest.fixture
def claim(far, crowd) -> Claim:
    listing = publish(crowd)
    unit = far.accept(listing, far.person(1))
    return Claim(posting="p0sting", listing=listing, unit=unit, person=far.person(1))


def address(claim: Claim) -> dict[str, str]:
    return {
        "PROLIFIC_PID": claim.person,
        "STUDY_ID": claim.listing,
        "SESSION_ID": claim.unit,
        "posting": tokens.posting_token(claim.posting),
    }


KNOWN = "fEdfxHIZSq4xI3fc68+mG2s1NECtAkNDbuGI/q8u+Ic="


def refused(status: int, call: Callable[..., object], *given: object) -> bool:
    with pytest.raises(ServiceError) as error:
        call(*given)
    return error.value.status == status and bool(error.value.message)


# ---------------------------------------------------------------- in


def test_the_address_says_who_comes_for_what(crowd, claim):
    assert crowd.parse_entry(address(claim)) == claim
    assert crowd.verify_claim(claim) is True


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
@pytest.mark.parametrize("value", ["", "{{%PROLIFIC_PID%}}", "A" * 24, "0" * 23, "0" * 24 + "\n"])
def test_ids_of_another_shape_do_not_come_in(crowd, claim, name, value):
    assert refused(HTTPStatus.BAD_REQUEST, crowd.parse_entry, {**address(claim), name: value})


def test_a_posting_that_we_did_not_sign_does_not_come_in(crowd, claim):
    forged = {**address(claim), "posting": "p0sting:1x:forged"}
    assert refused(HTTPStatus.NOT_FOUND, crowd.parse_entry, forged)
    assert refused(HTTPStatus.NOT_FOUND, crowd.parse_entry, {**forged, "posting": ""})


@pytest.mark.parametrize("field", ["person", "listing", "unit"])
def test_an_id_that_belongs_to_something_else_is_not_confirmed(far, crowd, claim, field):
    other = publish(crowd, "another")
    others = {"person": far.person(2), "listing": other, "unit": far.accept(other, far.person(2))}
    other_claim = replace(claim, **{field: others[field]})
    assert refused(HTTPStatus.FORBIDDEN, crowd.verify_claim, other_claim)


def test_a_submission_that_nobody_made_is_not_confirmed(crowd, claim):
    assert refused(HTTPStatus.FORBIDDEN, crowd.verify_claim, replace(claim, unit="f" * 24))


def test_what_timed_out_or_was_handed_in_is_over(far, crowd, claim):
    other = replace(claim, unit=far.accept(claim.listing, far.person(2)), person=far.person(2))
    far.submit(other.unit, receipt="")
    assert refused(HTTPStatus.GONE, crowd.verify_claim, other)
    far.move_clock(timedelta(hours=2))
    assert refused(HTTPStatus.GONE, crowd.verify_claim, claim)


def test_a_place_that_is_reserved_is_theirs(far, crowd, claim):
    far.world.submissions[claim.unit]["status"] = "RESERVED"
    assert crowd.verify_claim(claim) is True


@pytest.mark.parametrize("fault", list(Fault), ids=str)
def test_nobody_is_turned_away_because_prolific_does_not_answer(far, crowd, claim, fault):
    far.fail_next("verify_claim", fault)
    with pytest.raises(Transient):
        crowd.verify_claim(claim)
    assert crowd.verify_claim(claim) is True


def test_a_wrong_token_is_a_matter_of_settings(far, claim):
    with pytest.raises(Configuration, match="PROLIFIC_API_TOKEN"):
        far.adapter(token="wrong").verify_claim(claim)


# ---------------------------------------------------------------- out


def test_the_work_is_handed_in_by_going_back_with_the_code(far, crowd):
    leaving = {"unit": "U", "submit_to": "", "receipt": "", "code": "A&B 1"}
    live = Prolific(base_url="https://api.prolific.com", api_token="t")
    assert live.completion(**leaving).url == (
        "https://app.prolific.com/submissions/complete?cc=A%26B+1"
    )
    own = crowd.completion(**leaving).url
    assert own.startswith(f"{far.server.url}/submissions/complete?cc=")


# ---------------------------------------------------------------- events


def test_a_signature_is_known():
    """Worked out with `openssl dgst -sha256 -hmac a-secret -binary | base64`."""
    assert signature("a-secret", "1700000000", b'{"a":1}') == KNOWN


def test_events_say_where_to_look(far, crowd):
    about_unit = crowd.parse_event(*far.event("submission.status.change", "unit1", name="e1"))
    assert isinstance(about_unit, Event)
    assert (about_unit.id, about_unit.unit, about_unit.listing) == ("e1", "unit1", "")
    assert abs(about_unit.at - far.world.now()) < timedelta(minutes=1)
    about_study = crowd.parse_event(*far.event("study.status.change", "study1", name="e2"))
    assert (about_study.id, about_study.unit, about_study.listing) == ("e2", "", "study1")


def test_a_replayed_event_has_the_same_name(far, crowd):
    sent = far.event("study.progress.change", "study1", name="e7")
    assert crowd.parse_event(*sent) == crowd.parse_event(*sent)
    raw, headers = sent
    nameless = {name: value for name, value in headers.items() if name != EVENT_ID}
    assert crowd.parse_event(raw, nameless).id == crowd.parse_event(raw, nameless).id != ""


def test_headers_are_read_in_any_case(far, crowd):
    raw, headers = far.event("study.status.change", "study1")
    sent = CaseInsensitiveMapping({name.lower(): value for name, value in headers.items()})
    assert isinstance(crowd.parse_event(raw, sent), Event)


@pytest.mark.parametrize("missing", [SIGNATURE, TIMESTAMP])
def test_an_unsigned_event_is_refused(far, crowd, missing):
    raw, headers = far.event("study.status.change", "study1")
    del headers[missing]
    assert refused(HTTPStatus.UNAUTHORIZED, crowd.parse_event, raw, headers)


def test_an_event_that_was_changed_on_the_way_is_refused(far, crowd):
    raw, headers = far.event("study.status.change", "study1")
    assert refused(HTTPStatus.UNAUTHORIZED, crowd.parse_event, raw + b" ", headers)
    later = {**headers, TIMESTAMP: str(int(headers[TIMESTAMP]) + 1)}
    assert refused(HTTPStatus.UNAUTHORIZED, crowd.parse_event, raw, later)
    odd = {**headers, SIGNATURE: "Ärger"}
    assert refused(HTTPStatus.UNAUTHORIZED, crowd.parse_event, raw, odd)


def test_without_a_secret_of_ours_no_event_is_believed(far):
    raw, headers = far.event("study.status.change", "study1")
    headers[SIGNATURE] = signature("", headers[TIMESTAMP], raw)
    with pytest.raises(ServiceError, match="PROLIFIC_WEBHOOK_SECRET"):
        far.adapter(secret="").parse_event(raw, headers)


@pytest.mark.parametrize("name", ["x" * 121, "a\x00b", "ä"])
def test_names_that_cannot_be_stored_are_refused_though_signed(far, crowd, name):
    """The name of an event is in a header that the signature does not cover."""
    assert refused(400, crowd.parse_event, *far.event("study.status.change", name))
    raw, headers = far.event("study.status.change", "study1")
    assert refused(HTTPStatus.BAD_REQUEST, crowd.parse_event, raw, {**headers, EVENT_ID: name})


@pytest.mark.parametrize("raw", [b"", b"[]", b"{}", b"\xff"])
def test_an_event_that_cannot_be_read_is_refused_though_signed(crowd, raw):
    headers = {TIMESTAMP: "1700000000", SIGNATURE: signature(SECRET, "1700000000", raw)}
    assert refused(HTTPStatus.BAD_REQUEST, crowd.parse_event, raw, headers)
