"""What is Prolific's own; what every marketplace does is in `test_contract`."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds.contract import (
    Audience,
    Bonus,
    Configuration,
    Effect,
    NotFoundAtCrowd,
    Spec,
    Stage,
)
from annotate.crowds.prolific import client as prolific_client
from annotate.crowds.prolific.marketplace import Prolific
from tests.crowds.far_side import Fault
from tests.crowds.prolific.far_side import ProlificFarSide, prolific_far_side

OP = "0f8a4c2be0d14d0f9a7b3c5d6e7f8a9b"
URL = "https://plumbline.example/work/on/prolific/token/"
REASON = "Each answer was given at once, and none of them has to do with its text." * 2


@pytest.fixture
def far() -> Iterator[ProlificFarSide]:
    with prolific_far_side() as far_side:
        yield far_side


@pytest.fixture
def crowd(far) -> Prolific:
    return far.adapter()


def spec(**changes: object) -> Spec:
    made = Spec(
        title="Compare texts",
        description="Say which of two texts reads better.",
        keywords=(),
        reward=Decimal("1.50"),
        places=3,
        url=URL,
        minutes=4.2,
        duration=timedelta(minutes=30),
        lifetime=timedelta(days=1),
        auto_approval=timedelta(days=7),
        code="C0DE",
    )
    return replace(made, **changes)


def publish(crowd: Prolific, op_id: str = OP, **changes: object) -> str:
    outcome = crowd.publish(spec(**changes), op_id)
    assert outcome.effect is Effect.APPLIED, outcome
    return outcome.posted.listing


def handed_in(far: ProlificFarSide, crowd: Prolific) -> tuple[str, str]:
    listing = publish(crowd)
    unit = far.accept(listing, far.person(1))
    far.submit(unit, receipt="")
    return listing, unit


def a_bonus(far: ProlificFarSide, crowd: Prolific) -> Bonus:
    listing, unit = handed_in(far, crowd)
    return Bonus(listing, unit, far.person(1), Decimal("0.75"), "For the tutorial")


# ---------------------------------------------------------------- settings


def test_the_token_is_never_sent_to_prolific_in_the_clear():
    with pytest.raises(Configuration, match="https"):
        Prolific(base_url="http://api.prolific.com", api_token="t").balance()


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_missing_or_wrong_token_says_what_to_set(far, token):
    crowd = far.adapter(token=token)
    for call in (crowd.balance, lambda: crowd.publish(spec(), OP), lambda: crowd.stop("a")):
        with pytest.raises(Configuration, match="PROLIFIC_API_TOKEN"):
            call()
    assert [one.field for one in crowd.validate(spec())] == [""]
    assert "PROLIFIC_API_TOKEN" in crowd.validate(spec())[0].message
    assert far.world.studies == {}


def test_a_connection_that_was_never_made_did_nothing(far, crowd):
    far.server.close()
    reply = crowd.client.ask("POST", "bulk-bonus-payments/a/pay/", {})
    assert prolific_client.outcome_of(reply).effect is Effect.RETRYABLE


# ---------------------------------------------------------------- publishing


def test_a_study_says_what_the_posting_says(far, crowd):
    listing = publish(crowd)
    study = far.world.studies[listing]
    assert study["external_study_url"].startswith(f"{URL}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&")
    assert study["prolific_id_option"] == "url_parameters"
    assert (study["reward"], study["total_available_places"]) == (150, 3)
    assert (study["estimated_completion_time"], study["maximum_allowed_time"]) == (5, 30)
    assert [code["code"] for code in study["completion_codes"]] == ["C0DE"]
    assert study["completion_codes"][0]["actions"] == [{"action": "MANUALLY_REVIEW"}]
    assert study["status"] == "ACTIVE"


@pytest.mark.parametrize(
    ("call", "fault", "effect"),
    [
        ("create", Fault.AFTER, Effect.AMBIGUOUS),
        ("PUBLISH", Fault.BEFORE, Effect.RETRYABLE),
        ("PUBLISH", Fault.TIMEOUT, Effect.AMBIGUOUS),
        ("PUBLISH", Fault.THROTTLE, Effect.RETRYABLE),
    ],
)
def test_a_draft_that_was_left_behind_is_published_rather_than_made_twice(
    far, crowd, call, fault, effect
):
    far.fail_next(call, fault)
    assert crowd.publish(spec(), OP).effect is effect
    (draft,) = far.world.studies
    assert far.postings() == []
    assert crowd.find_postings(OP) == [], "a draft counts as published"
    outcome = far.adapter().publish(spec(), OP)
    assert outcome.effect is Effect.APPLIED
    assert (outcome.posted.listing, list(far.world.studies)) == (draft, [draft])


def test_what_went_live_before_the_connection_broke_is_found(far, crowd):
    far.fail_next("PUBLISH", Fault.AFTER)
    assert crowd.publish(spec(), OP).effect is Effect.AMBIGUOUS
    assert [one.listing for one in crowd.find_postings(OP)] == far.postings()
    assert crowd.publish(spec(), OP).effect is Effect.ALREADY
    assert len(far.world.studies) == 1


def test_a_study_that_went_live_meanwhile_counts_as_published(far, crowd):
    def somebody_else() -> None:
        (listing,) = far.world.studies
        far.world.move_study(listing, "PUBLISH")

    far.server.meanwhile["PUBLISH"] = somebody_else
    assert crowd.publish(spec(), OP).effect is Effect.ALREADY


def test_without_funds_the_draft_waits_until_somebody_tops_up(far, crowd):
    far.balance = Decimal("5.00")
    outcome = crowd.publish(spec(), OP)
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "funds")
    assert "not enough money" in outcome.message
    far.balance = Decimal("50.00")
    assert crowd.publish(spec(), OP).effect is Effect.APPLIED
    assert len(far.world.studies) == 1


def test_operations_are_told_apart_by_their_whole_name(crowd):
    publish(crowd, "abc1")
    assert crowd.find_postings("abc") == []
    assert crowd.publish(spec(), "abc").effect is Effect.APPLIED


def test_every_page_is_read_and_the_token_follows_no_foreign_link(far, crowd, monkeypatch):
    monkeypatch.setattr(prolific_client, "PAGE", 2)
    listings = [publish(crowd, f"op{number}") for number in range(5)]
    assert [crowd.find_postings(f"op{n}")[0].listing for n in range(5)] == listings


def test_a_list_without_links_is_read_to_its_count(far, crowd, monkeypatch):
    monkeypatch.setattr(prolific_client, "PAGE", 2)
    far.server.links = False
    listings = [publish(crowd, f"op{number}") for number in range(5)]
    assert [crowd.find_postings(f"op{n}")[0].listing for n in range(5)] == listings


# ---------------------------------------------------------------- audience


def test_an_audience_becomes_filters_with_prolifics_numbers(far, crowd):
    wanted = Audience(countries=("DE", "US"), languages=("en",), approval_rate=95)
    assert crowd.validate(spec(audience=wanted)) == []
    listing = publish(crowd, audience=wanted)
    assert far.world.studies[listing]["filters"] == [
        {"filter_id": "current-country-of-residence", "selected_values": ["9", "1"]},
        {"filter_id": "fluent-languages", "selected_values": ["19"]},
        {"filter_id": "approval_rate", "selected_range": {"lower": 95}},
    ]


@pytest.mark.parametrize(
    ("audience", "words"),
    [
        (Audience(masters=True), "masters"),
        (Audience(countries=("XX",)), "XX"),
        (Audience(countries=("FR",)), "France"),
        (Audience(languages=("klingon",)), "klingon"),
        (Audience(approval_rate=101), "0 to 100"),
        (Audience(approved_work=100), "approval_numbers"),
    ],
)
def test_who_cannot_be_asked_for_is_a_problem(crowd, audience, words):
    (problem,) = crowd.validate(spec(audience=audience))
    assert problem.field == "audience"
    assert words in problem.message


def test_a_choice_that_left_prolifics_list_stops_the_launch(far, crowd):
    outcome = crowd.publish(spec(audience=Audience(countries=("FR",))), OP)
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "audience")
    assert far.world.studies == {}


# ---------------------------------------------------------------- after the launch


def test_a_repeated_extension_is_known_by_its_note(far, crowd):
    listing = publish(crowd)
    for number in range(1, 6):
        op_id = f"{number:032x}"[::-1]
        assert crowd.add_places(listing, 2, op_id).posted.places == 3 + 2 * number
        assert crowd.add_places(listing, 2, op_id).effect is Effect.ALREADY
    assert far.world.studies[listing]["total_available_places"] == 13
    assert [one.listing for one in crowd.find_postings(OP)] == [listing]


@pytest.mark.parametrize(
    ("stops_full", "effect"), [(True, Effect.APPLIED), (False, Effect.ALREADY)]
)
def test_a_study_that_is_full_before_the_stop_arrives_is_stopped(far, crowd, stops_full, effect):
    far.world.stops_full = stops_full
    listing = publish(crowd, places=1)
    unit = far.accept(listing, far.person(1))
    far.server.meanwhile["STOP"] = lambda: far.submit(unit, receipt="")
    assert crowd.stop(listing).effect is effect


def test_a_study_is_asked_to_stop_unless_it_is_complete(far, crowd):
    listing = publish(crowd, places=1)
    unit = far.accept(listing, far.person(1))
    far.submit(unit, receipt="")
    assert crowd.stop(listing).effect is Effect.APPLIED
    assert crowd.stop(listing).effect is Effect.APPLIED, "it may have been extended there"
    assert crowd.approve(unit).happened
    assert crowd.stop(listing).effect is Effect.ALREADY
    assert far.server.calls.count("STOP") == 2


def test_nobody_can_take_a_free_place_of_a_paused_study(far, crowd):
    listing = publish(crowd)
    unit = far.accept(listing, far.person(1))
    far.world.move_study(listing, "PAUSE")
    level = crowd.posting_level(listing)
    assert (level.stage, level.available, level.paused) == (Stage.DRAINING, 0, True)
    far.give_back(unit)
    level = crowd.posting_level(listing)
    assert (level.stage, level.places, level.available) == (Stage.CLOSED, 3, 0)
    assert crowd.stop(listing).effect is Effect.APPLIED


def test_a_place_of_a_rejected_submission_is_free_again(far, crowd):
    listing, unit = handed_in(far, crowd)
    assert crowd.posting_level(listing).available == 2
    assert crowd.reject(unit, reason=REASON).effect is Effect.APPLIED
    assert crowd.posting_level(listing).available == 3


@pytest.mark.parametrize("name", ["../users/me", "a/b", "", "a?b=c"])
def test_no_name_leads_to_another_address(far, crowd, name):
    with pytest.raises(NotFoundAtCrowd):
        crowd.get_submission(name)
    assert far.server.calls == []


# ---------------------------------------------------------------- review


@pytest.mark.parametrize("reason", ["x" * 99, " " * 200])
def test_a_rejection_that_prolific_would_refuse_is_not_sent(far, crowd, reason):
    _listing, unit = handed_in(far, crowd)
    outcome = crowd.reject(unit, reason=reason)
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "reason")
    assert "100" in outcome.message
    assert "REJECT" not in far.server.calls


def test_a_rejection_carries_its_reason_and_its_category(far, crowd):
    _listing, unit = handed_in(far, crowd)
    assert crowd.reject(unit, reason="x" * 100).effect is Effect.APPLIED
    assert far.world.submissions[unit]["decided"] == {
        "action": "REJECT",
        "message": "x" * 100,
        "rejection_category": "OTHER",
    }


def test_what_was_given_back_is_not_decided(far, crowd):
    unit = far.accept(publish(crowd), far.person(1))
    far.give_back(unit)
    outcome = crowd.approve(unit)
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "transition")
    assert "bonus" in outcome.message


# ---------------------------------------------------------------- bonuses


@pytest.mark.parametrize(
    ("call", "fault", "effect", "n_paid"),
    [
        ("prepare", Fault.BEFORE, Effect.RETRYABLE, 0),
        ("prepare", Fault.AFTER, Effect.RETRYABLE, 0),
        ("prepare", Fault.TIMEOUT, Effect.RETRYABLE, 0),
        ("pay", Fault.THROTTLE, Effect.RETRYABLE, 0),
        ("pay", Fault.BEFORE, Effect.AMBIGUOUS, 0),
        ("pay", Fault.TIMEOUT, Effect.AMBIGUOUS, 0),
        ("pay", Fault.AFTER, Effect.AMBIGUOUS, 1),
    ],
)
def test_a_bonus_is_asked_for_once_and_left_open_where_nobody_knows(
    far, crowd, call, fault, effect, n_paid
):
    bonus = a_bonus(far, crowd)
    far.fail_next(call, fault)
    outcome = crowd.pay_bonus(bonus, "b")
    assert outcome.effect is effect
    assert far.server.calls.count("pay") == (call == "pay"), "it was sent again"
    assert len(far.bonuses()) == n_paid
    if effect is Effect.AMBIGUOUS:
        with pytest.raises(Configuration, match=rf"{bonus.unit} got 0\.75"):
            crowd.find_bonus(bonus, "b")


def test_a_bonus_whose_amount_was_read_differently_is_not_paid(far, crowd, monkeypatch):
    bonus = a_bonus(far, crowd)
    real = far.world.prepare_bonus
    monkeypatch.setattr(far.world, "prepare_bonus", lambda body: {**real(body), "amount": 7500})
    outcome = crowd.pay_bonus(bonus, "b")
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "amount")
    assert far.bonuses() == []


# ---------------------------------------------------------------- money


def test_costs_are_prolifics_own(crowd):
    cost = crowd.estimate_cost(Decimal("1.50"), 10)
    assert (cost.reward, cost.fee) == (Decimal("15.00"), Decimal("5.00"))
    assert crowd.bonus_cost(Decimal("0.30")).total == Decimal("0.40")


@pytest.mark.parametrize("fault", list(Fault), ids=str)
def test_without_an_answer_no_cost_is_known(far, crowd, fault):
    far.fail_next("estimate_cost", fault)
    assert crowd.estimate_cost(Decimal("1.50"), 10) is None


def test_who_answers_too_late_may_have_done_it():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/api/v1/"
        client = prolific_client.ProlificClient(url, "a-token", read_seconds=0.1)
        reply = client.ask("POST", "submissions/bonus-payments/", {})
        assert prolific_client.outcome_of(reply).effect is Effect.AMBIGUOUS
