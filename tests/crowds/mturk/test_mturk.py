"""What is particular to MTurk, against the bundled server."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds.contract import Audience, Bonus, Effect, Stage
from annotate.crowds.mturk.marketplace import MTurk, reference
from tests.crowds.contract import REWARD, hand_in, publish, spec
from tests.crowds.far_side import Fault
from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side


@pytest.fixture
def far() -> Iterator[MTurkFarSide]:
    with mturk_far_side() as far_side:
        yield far_side


@pytest.fixture
def crowd(far) -> MTurk:
    return far.adapter()


def hit(far, listing):
    return far.world.hits[listing]


# ---------------------------------------------------------------- postings


def test_a_hit_carries_what_the_terms_say(far, crowd):
    posted = crowd.publish(spec(places=4), "publish-1").posted
    made = hit(far, posted.listing)
    assert (made.annotation, made.places, made.url) == ("publish-1", 4, spec().url)
    kind = made.type
    assert (kind.title, kind.description) == (spec().title, spec().description)
    assert (kind.keywords, kind.reward) == ("reading, comparison", REWARD)
    assert (kind.duration, kind.auto_approval) == (timedelta(hours=1), timedelta(days=7))
    assert made.expires_at - made.created_at == timedelta(days=3)
    assert posted.group == kind.id
    assert posted.url == f"{far.url}/mturk/preview?groupId={kind.group}"


def test_a_hit_that_was_made_before_is_taken_from_the_message(far, crowd, monkeypatch):
    listing = publish(crowd)
    monkeypatch.setattr(crowd, "find_postings", lambda op_id: pytest.fail("nothing to look for"))
    again = crowd.publish(spec(), "publish-1")
    assert (again.effect, again.posted.listing) == (Effect.ALREADY, listing)


def test_a_hit_that_the_message_does_not_name_is_looked_for(far, crowd, monkeypatch):
    listing = publish(crowd)
    named = far.world.look_for

    def unnamed(kind, token):
        try:
            named(kind, token)
        except Exception as refused:
            refused.message = "It exists."
            raise

    monkeypatch.setattr(far.world, "look_for", unnamed)
    again = crowd.publish(spec(), "publish-1")
    assert (again.effect, again.posted.listing) == (Effect.ALREADY, listing)


def test_a_hit_that_exists_but_is_not_listed_yet_is_not_given_up(far, crowd, monkeypatch):
    listing = publish(crowd)
    made = far.world.hits.pop(listing)
    again = crowd.publish(spec(), "publish-1")
    assert (again.effect, again.posted) == (Effect.AMBIGUOUS, None)
    far.world.hits[listing] = made
    assert crowd.publish(spec(), "publish-1").posted.listing == listing


def test_somebody_elses_hit_in_the_message_is_not_taken_for_ours(far, crowd):
    ours, other = publish(crowd, "publish-1"), publish(crowd, "publish-2")
    far.world._tokens["hit", "publish-1"] = (far.world.now(), other)
    assert crowd.publish(spec(), "publish-1").posted.listing == ours


def test_a_stop_needs_no_exact_clock(far, crowd):
    listing = publish(crowd)
    assert crowd.stop(listing).effect is Effect.APPLIED
    assert hit(far, listing).expires_at <= far.world.now()
    assert crowd.posting_level(listing).stage is Stage.CLOSED


def test_a_hit_that_is_over_or_deleted_needs_no_stop(far, crowd):
    listing = publish(crowd, lifetime=timedelta(seconds=30))
    hit(far, listing).expires_at = far.world.now()
    assert crowd.stop(listing).effect is Effect.ALREADY
    hit(far, listing).disposed = True
    assert crowd.stop(listing).effect is Effect.ALREADY
    del far.world.hits[listing]
    assert crowd.archive(listing).effect is Effect.ALREADY


def test_a_full_hit_is_open_as_long_as_a_place_may_come_back(far, crowd):
    listing = publish(crowd, places=1)
    unit = far.accept(listing, far.person(1))
    level = crowd.posting_level(listing)
    assert (level.stage, level.available, level.pending) == (Stage.OPEN, 0, 1)
    far.give_back(unit)
    assert crowd.posting_level(listing).stage is Stage.OPEN
    hand_in(far, listing, 2)
    assert crowd.posting_level(listing).stage is Stage.CLOSED


def test_a_hit_that_ran_out_by_the_servers_clock_is_draining(far, crowd):
    listing = publish(crowd, lifetime=timedelta(minutes=10))
    far.accept(listing, far.person(1))
    far.move_clock(timedelta(minutes=11))
    assert crowd.posting_level(listing).stage is Stage.DRAINING


def test_what_cannot_be_archived_yet_says_what_is_missing(far, crowd):
    listing = publish(crowd)
    unit = hand_in(far, listing)
    outcome = crowd.archive(listing)
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "open")
    crowd.stop(listing)
    outcome = crowd.archive(listing)
    assert (outcome.effect, outcome.code) == (Effect.RETRYABLE, "undecided")
    crowd.approve(unit)
    assert crowd.archive(listing).effect is Effect.APPLIED


# ---------------------------------------------------------------- money


def test_a_bonus_says_why_and_how_to_find_it_again(far, crowd):
    listing = publish(crowd)
    unit = hand_in(far, listing)
    crowd.pay_bonus(Bonus(listing, unit, far.person(1), Decimal("0.5"), "For the tutorial"), "b-1")
    assert far.world.bonuses[0].reason == f"For the tutorial {reference('b-1')}"
    assert len(reference("b-1")) < 20
    assert reference("b-1") != reference("b-2")


@pytest.mark.parametrize("amount", ["0", "-1", "0.005", "NaN"])
def test_a_bonus_that_cannot_be_paid_is_refused(far, crowd, amount):
    unit = hand_in(far, publish(crowd))
    bonus = Bonus("", unit, far.person(1), Decimal(amount), "For the tutorial")
    outcome = crowd.pay_bonus(bonus, "bonus-1")
    assert (outcome.effect, outcome.code, far.bonuses()) == (Effect.REFUSED, "amount", [])


def test_a_bonus_for_what_is_not_handed_in_yet_waits(far, crowd):
    listing = publish(crowd)
    unit = far.accept(listing, far.person(1))
    bonus = Bonus(listing, unit, far.person(1), Decimal("0.50"), "For the tutorial")
    assert crowd.pay_bonus(bonus, "bonus-1").effect is Effect.RETRYABLE
    far.submit(unit, receipt="r")
    assert crowd.pay_bonus(bonus, "bonus-1").effect is Effect.APPLIED


def test_words_about_a_decision_are_cut_where_mturk_would_refuse_them(far, crowd):
    unit = hand_in(far, publish(crowd))
    assert crowd.reject(unit, reason="ä" * 2000).effect is Effect.APPLIED
    told = far.world.assignments[unit].feedback
    assert len(told) == 1024
    assert told.endswith("ä…")


# ---------------------------------------------------------------- people


def test_requirements_say_whom_a_hit_is_for(far, crowd):
    audience = Audience(("DE", "AT"), (), 97, 500, exclusion="study-a")
    kind = hit(far, publish(crowd, audience=audience)).type
    asked = {one["QualificationTypeId"]: one for one in kind.requirements}
    own = next(name for name in asked if name in far.world.qualification_types)
    assert asked == {
        "00000000000000000071": {
            "QualificationTypeId": "00000000000000000071",
            "Comparator": "In",
            "ActionsGuarded": "Accept",
            "LocaleValues": [{"Country": "DE"}, {"Country": "AT"}],
        },
        "000000000000000000L0": {
            "QualificationTypeId": "000000000000000000L0",
            "Comparator": "GreaterThanOrEqualTo",
            "ActionsGuarded": "Accept",
            "IntegerValues": [97],
        },
        "00000000000000000040": {
            "QualificationTypeId": "00000000000000000040",
            "Comparator": "GreaterThanOrEqualTo",
            "ActionsGuarded": "Accept",
            "IntegerValues": [500],
        },
        own: {
            "QualificationTypeId": own,
            "Comparator": "DoesNotExist",
            "ActionsGuarded": "DiscoverPreviewAndAccept",
        },
    }


def test_an_exclusion_list_is_made_once_and_found_again_by_its_name(far, crowd):
    assert crowd.set_excluded(far.person(1), True, group="study-a").happened
    crowd.set_excluded(far.person(2), True, group="other")
    assert far.adapter().set_excluded(far.person(3), True, group="study-a").happened
    names = [one.given["Name"] for one in far.world.qualification_types.values()]
    assert names.count("Plumbline: study-a") == 1


def test_an_exclusion_list_that_somebody_deleted_is_made_anew(far, crowd):
    crowd.set_excluded(far.person(1), True, group="study-a")
    far.world.qualification_types.clear()
    assert crowd.set_excluded(far.person(1), True, group="study-a").effect is Effect.RETRYABLE
    assert crowd.set_excluded(far.person(1), True, group="study-a").effect is Effect.APPLIED


def worked(far, crowd, n_people: int) -> list[str]:
    listing = publish(crowd)
    hit(far, listing).places = n_people
    for number in range(n_people):
        far.world.pay(far.world.assignments[hand_in(far, listing, number)], far.world.now())
    return [far.person(number) for number in range(n_people)]


def test_people_are_written_to_a_hundred_at_a_time(far, crowd):
    people = worked(far, crowd, 150)
    stranger = far.person(900)
    outcome = crowd.message([*people, stranger, people[0]], "Your work", "Thank you.")
    assert outcome.effect is Effect.APPLIED
    assert "1 of 151" in outcome.message
    assert [notice.worker for notice in far.world.notices] == people


@pytest.mark.parametrize("fault", list(Fault))
def test_nobody_is_written_to_twice_because_a_later_portion_failed(far, crowd, fault, monkeypatch):
    people = worked(far, crowd, 150)
    sent = crowd.api.act

    def second_fails(operation, **arguments):
        if people[0] not in arguments["WorkerIds"]:
            far.fail_next("message", fault)
        return sent(operation, **arguments)

    monkeypatch.setattr(crowd.api, "act", second_fails)
    outcome = crowd.message(people, "Your work", "Thank you.")
    assert outcome.effect is Effect.APPLIED
    assert "50 people were not reached" in outcome.message
    assert len(far.world.notices) == (150 if fault is Fault.AFTER else 100)


def test_a_message_that_reached_nobody_says_so(far, crowd):
    outcome = crowd.message([far.person(1), far.person(2)], "Your work", "Thank you.")
    assert outcome.effect is Effect.REFUSED


@pytest.mark.parametrize(("subject", "text"), [("", "x"), ("x" * 201, "x"), ("x", "x" * 4097)])
def test_a_message_that_is_too_long_is_not_sent(far, crowd, subject, text):
    people = worked(far, crowd, 1)
    assert crowd.message(people, subject, text).effect is Effect.REFUSED
    assert far.world.notices == []
