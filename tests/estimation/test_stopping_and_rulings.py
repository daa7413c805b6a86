"""Stopping where rulings change what counts: resuming, waiting for reviews, staying closed."""

import pytest
from django.contrib.auth.models import User

from annotate.campaigns import life
from annotate.models import Assignment, Campaign, Participation, Ruling, System
from annotate.work import admission, leasing, submitting
from estimation import read
from estimation.models import Decision
from tests import remembered
from tests.estimation.reviewed import exclude, flag, respond, rule, settle, take_turns
from tests.factories import GOOD, campaign, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db, pytest.mark.usefixtures("no_screens")]


def people(made: Campaign, n: int, prefix: str = "p") -> list[Participation]:
    return [person(made, f"{prefix}{i}") for i in range(n)]


def at_target_once(ada: User, **changes: object) -> tuple[Campaign, list[Participation]]:
    """One system whose wide target 40 judgments by 8 people reach; nothing estimated yet."""
    made = remembered.again(_at_target_once, ada, **changes)
    return made, people(made, 8)


def _at_target_once(ada: User, **changes: object) -> Campaign:
    settings = {"items": 60, "systems": ("alpha",), "targets": {"overall": 1.6}, "double_share": 0}
    made = campaign(owner=ada, **(settings | changes))
    assert take_turns(people(made, 8), 40) == 40
    return made


def erratic(index: int) -> dict[str, object]:
    return respond(index, overall=(-1, 1)[index % 2], edit="It met on Monday, they say.")


@pytest.mark.slow
def test_a_stopped_system_resumes_when_an_exclusion_widens_its_interval(ada: User) -> None:
    made = campaign(
        owner=ada, items=120, targets={"overall": 0.4}, double_share=0, annotator_cap=None
    )
    cast = people(made, 10)
    spammer = person(made, "spammer")
    # alpha is always fine; beta differs from judgment to judgment, so it goes on.
    for index in range(120):
        who = spammer if index % 3 == 0 else cast[index % 10]
        got = leasing.lease(who.pk)
        assert isinstance(got, Assignment)
        raw = GOOD if "alpha" in got.output.text else erratic(index // 2)
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=raw)
    settle(made)
    alpha, beta = System.objects.get(name="alpha"), System.objects.get(name="beta")
    assert alpha.stop_position is not None
    assert beta.stop_position is None
    assert made.status == "open"
    exclude(spammer, ada, "too_fast")
    settle(made)
    alpha.refresh_from_db()
    assert alpha.stop_position is not None  # its gaps are collected again first
    for who in [*cast, *people(made, 5, "new")] * 4:
        got = leasing.lease(who.pk)
        assert isinstance(got, Assignment)
        is_alpha = "alpha" in got.output.text
        raw = erratic(0) if is_alpha else GOOD
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=raw)
    settle(made)
    alpha.refresh_from_db()
    assert alpha.stop_position is None
    assert Decision.objects.filter(verb="resume_system", system=alpha).exists()
    assert made.status == "open"


@pytest.mark.slow
@pytest.mark.parametrize("act", [Ruling.Act.CLEAR, Ruling.Act.EXCLUDE])
def test_open_reviews_hold_the_end_back_and_the_ruling_lets_it_come(
    ada: User, act: Ruling.Act
) -> None:
    made, cast = at_target_once(ada)
    review = flag(cast[0])
    settle(made)
    assert made.status == "closing"
    assert all(row.provisional for row in read.newest([made.pk]))
    rule(review, ada, act)
    settle(made)
    if act == Ruling.Act.EXCLUDE:
        assert made.status == "closing"  # what was excluded is collected again
        assert take_turns(cast[1:], 40) == 5
        settle(made)
    assert (made.status, made.close_reason) == ("closed", "target")
    assert not any(row.provisional for row in read.newest([made.pk]))
    assert {row.n_judgments for row in read.newest([made.pk])} == {40}


@pytest.mark.slow
def test_a_review_begun_while_closing_holds_the_end_back(ada: User) -> None:
    made, cast = at_target_once(ada)
    runner = person(made, "runner")
    running = leasing.lease(runner.pk)
    assert isinstance(running, Assignment)
    settle(made)
    assert made.status == "closing"
    review = flag(cast[1])
    submitting.submit_judgment(running.pk, participation_id=runner.pk, raw=GOOD)
    settle(made)
    assert made.status == "closing"
    rule(review, ada, Ruling.Act.CLEAR)
    settle(made)
    assert made.status == "closed"


@pytest.mark.slow
def test_an_exclusion_while_closing_resumes_collection_where_the_target_is_missed(
    ada: User,
) -> None:
    made, cast = at_target_once(ada)
    review = flag(cast[0])
    settle(made)
    made.targets.update(width=0.001)  # stands for what people judge differently the second time
    rule(review, ada, Ruling.Act.EXCLUDE)
    settle(made)
    assert made.status == "closing"
    take_turns(cast[1:], 40)
    settle(made)
    assert (made.status, made.close_reason) == ("open", "")
    assert System.objects.get().stop_position is None


@pytest.mark.slow
def test_an_exclusion_after_closing_keeps_it_closed_and_collects_nothing(ada: User) -> None:
    made, cast = at_target_once(ada)
    settle(made)
    assert made.status == "closed"
    for who in cast[:6]:
        exclude(who, ada)
    settle(made)
    assert made.status == "closed"
    (row,) = [one for one in read.newest([made.pk]) if one.criterion == "overall"]
    assert (row.n_judgments, row.provisional) == (10, False)
    assert not row.detail["at_target"]
    got = leasing.lease(person(made, "late").pk)
    assert isinstance(got, admission.NoTask)
    life.reopen(made.pk, actor_id=ada.pk, why="Six people were excluded.")
    settle(made)
    assert made.status == "open"
    assert take_turns(people(made, 6, "new"), 40) > 0
