"""Instruments that researchers define: versions, owners, and campaigns that ask with them."""

from dataclasses import replace

import pytest

from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns import plans
from annotate.campaigns.problems import UploadRefused
from annotate.common.errors import Invalid
from annotate.models import AuditEntry, InstrumentDefinition, Judgment, Score
from annotate.studies import definitions
from annotate.studies import queries as studies_queries
from annotate.work import scoring, submitting
from tests.annotate.own import asked_rows, helpful
from tests.factories import campaign, leased, person, plan, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def define(owner, **changes):
    return definitions.define(helpful(**changes), owner_id=owner.pk)


def test_a_change_is_a_new_version_and_the_same_again_is_none():
    ada = user()
    assert [define(ada).version, define(ada, hint="Other").version] == [1, 2]
    assert define(ada).version == 1
    assert InstrumentDefinition.objects.count() == 2
    entries = AuditEntry.objects.filter(verb="define_instrument").order_by("id")
    assert [entry.subject for entry in entries] == [
        "instrument:helpfulness@1",
        "instrument:helpfulness@2",
    ]
    assert {entry.actor for entry in entries} == {ada}


@pytest.mark.parametrize(
    "reference", ["helpfullness", "helpfulness@2", "helpfulness@0", "helpfulness@x", "a@²", ""]
)
def test_an_unknown_instrument_is_told_with_those_there_are(reference):
    define(user())
    with pytest.raises(KeyError, match=r"language_quality, .*helpfulness"):
        studies_queries.named(reference)


def test_a_campaign_keeps_the_version_it_was_created_with():
    ada = user()
    define(ada)
    made = campaign(
        owner=ada, instrument="helpfulness", targets={"helpful": 0.4}, rows_=asked_rows()
    )
    define(ada, hint="Other")
    assert (made.instrument, made.instrument_version) == ("helpfulness", "1")
    assert studies_queries.instrument_of(made).definition.hint == helpful()["hint"]
    pinned = plan(instrument="helpfulness@1", targets={"helpful": 0.4})
    assert pinned.instrument == "helpfulness@1"


@pytest.mark.parametrize(
    ("targets", "fine"),
    [({"helpful": 0.4}, True), ({"overall": 0.2}, False), ({"helpful": 10}, False)],
)
def test_targets_are_those_of_the_instrument(targets, fine):

    define(user())
    wanted = plan(instrument="helpfulness@1", targets=targets)
    if fine:
        assert plans.check(wanted).key == "helpfulness"
        return
    with pytest.raises(Invalid) as caught:
        plans.check(wanted)
    assert set(caught.value.errors) == {"targets"}


def test_judgments_are_checked_and_scored_by_the_definition():
    ada = user()
    define(ada)
    made = campaign(
        owner=ada, instrument="helpfulness", targets={"helpful": 0.4}, rows_=asked_rows()
    )
    who = person(made)
    mine = leased(who)
    with pytest.raises(Invalid) as caught:
        submitting.submit_judgment(
            mine.pk, participation_id=who.pk, raw={"helpful": 3, "invented": 1}
        )
    assert set(caught.value.errors) == {"helpful"}
    submitting.submit_judgment(
        mine.pk, participation_id=who.pk, raw={"helpful": -2, "invented": 1, "x": 1}
    )
    stored = Judgment.objects.get()
    assert stored.response == {"helpful": -2, "invented": 1}
    assert (stored.instrument, stored.instrument_version) == ("helpfulness", "1")
    scoring.ensure(made.pk)
    assert dict(Score.objects.values_list("criterion", "value")) == {"helpful": -2, "invented": 1}
    assert scoring.differences(made.pk) == []
    assert [c.label for c in campaigns_lists.facts(made).criteria] == ["Help", "Invention"]


def test_rows_without_the_input_that_is_shown_are_refused():
    define(user())
    lacking = [replace(row, input="", line=n) for n, row in enumerate(asked_rows(2), start=1)]
    with pytest.raises(UploadRefused) as caught:
        campaign(instrument="helpfulness", targets={"helpful": 0.4}, rows_=lacking)
    assert [error.line for error in caught.value.errors] == [1, 2, 3, 4]
    assert "“input”" in caught.value.errors[0].message


def test_the_list_says_who_defined_what_and_where_it_is_used():
    ada, eve = user(), user("eve")
    define(ada)
    define(ada, hint="Other")
    campaign(owner=ada, instrument="helpfulness@1", targets={"helpful": 0.4}, rows_=asked_rows())
    campaign(owner=ada)
    found = {one.reference: one for one in studies_queries.listed(eve.pk)}
    assert found["language_quality"].built_in
    assert found["language_quality"].campaigns == 1
    first, second = found["helpfulness@1"], found["helpfulness@2"]
    assert (first.owner, first.campaigns, first.mine) == ("ada", 1, False)
    assert second.campaigns == 0
    assert [one.mine for one in studies_queries.listed(ada.pk) if not one.built_in] == [True, True]
