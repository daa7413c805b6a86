"""How far people agree: known answers through the whole path, and when it is measured."""

from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.campaigns.exports import moment
from annotate.campaigns.problems import Row
from annotate.common.numbers import percent
from annotate.instruments.language_quality.instrument import QUALITY_CRITERIA
from annotate.models import Campaign, Review, Ruling
from annotate.studies import definitions
from annotate.work import submitting
from estimation import deferred as deferred_module
from estimation import export, read
from estimation import refresh as refresh_module
from estimation.core import fleiss_kappa, intraclass_correlation, krippendorff_alpha
from estimation.models import Agreement
from estimation.pages.criteria import Axis
from estimation.pages.numbers import ShownAgreement
from tests.annotate.own import helpful
from tests.core.agreement.test_alpha import CANONICAL
from tests.core.agreement.test_alpha import rows as as_columns
from tests.estimation.reviewed import exclude, rule
from tests.factories import campaign, judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def canonical(**changes: Any) -> Campaign:
    """Krippendorff's twelve units as outputs, each with as many slots as it has judgments."""
    units = [
        Row(item=f"{unit:02d}", system="alpha", output=f"Text {unit}.", input="A question.")
        for unit in range(CANONICAL.shape[1])
    ]
    return campaign(
        rows_=units,
        metrics=(),
        annotator_cap=None,
        planned=lambda row, _position: int((CANONICAL[:, int(row.item)] > 0).sum()),
        **changes,
    )


def judged_as(study: Campaign, response: Any) -> None:
    """Every observer judges the units that they have a value for; `response` says how."""
    observers = [person(study, f"observer-{j}") for j in range(len(CANONICAL))]
    order = study.outputs.order_by("item__position").values_list("item__key", flat=True)
    for unit in map(int, order):
        for observer, value in zip(observers, CANONICAL[:, unit], strict=True):
            if value:
                got = leased(observer)
                submitting.submit_judgment(
                    got.pk, participation_id=observer.pk, raw=response(int(value))
                )


def judged_as_edits(others: Any = lambda _value: {}, **changes: Any) -> Campaign:
    """A campaign in which the values are edits, and all other scores are 1 or as said."""
    study = canonical(instrument="recorded_language_quality", targets={"edit": 0.1}, **changes)
    ones = {"fluency": 1, "redundancy": 1, "overall": 1}
    judged_as(study, lambda value: {"scores": ones | others(value) | {"edit": value}})
    return study


def refresh(study: Campaign) -> None:
    """What the worker does: estimates first, and then what they left to a task of its own."""
    refresh_module.refresh(study.pk)
    deferred_module.MEASURING.carry_out(study.pk)


def newest(study: Campaign) -> dict[str, Agreement]:
    return {row.criterion: row for row in read.newest_agreement(study.pk)}


def alpha(study: Campaign, criterion: str) -> tuple[float, str]:
    refresh(study)
    row = newest(study)[criterion]
    assert row.alpha is not None
    assert (row.n_outputs, row.n_judgments, row.n_annotators) == (11, 40, 4)
    assert row.low is not None
    assert row.low < row.alpha < row.high
    return round(row.alpha, 3), row.distance


@pytest.mark.slow
def test_krippendorffs_table_as_edits_and_as_levels(db: None) -> None:
    edits = judged_as_edits()
    assert alpha(edits, "edit") == (0.849, "interval")
    made = definitions.define(helpful(), owner_id=user().pk)
    levels = canonical(instrument=made.key, targets={"helpful": 0.1})
    judged_as(levels, lambda value: {"helpful": value - 3, "invented": int(value > 2)})
    assert alpha(levels, "helpful") == (0.815, "ordinal")
    two = krippendorff_alpha(*_with(lambda value: float(value > 2)), distance="nominal")
    assert alpha(levels, "invented") == (round(two.alpha, 3), "nominal")


def _with(change: Any) -> tuple[Any, Any, Any]:
    item, annotator, value = as_columns(CANONICAL)
    return item, annotator, np.array([change(one) for one in value])


@pytest.mark.slow
def test_without_each_annotator_is_the_table_without_their_row(db: None) -> None:
    study = judged_as_edits()
    refresh(study)
    found = newest(study)["edit"].detail["without"]
    names = dict(study.participations.values_list("annotator__external_id", "annotator__pseudonym"))
    assert names
    for j in range(len(CANONICAL)):
        others = CANONICAL.copy()
        others[j] = 0
        own = next(one for one in found if one["annotator"] == names[f"observer-{j}"])
        expected = krippendorff_alpha(*as_columns(others), distance="interval", replicates=0)
        assert own["alpha"] == pytest.approx(expected.alpha)
        shared = CANONICAL[j][(CANONICAL > 0).sum(axis=0) > 1]
        assert own["shared"] == (shared > 0).sum()
    why = {name: row.detail.get("why", "") for name, row in newest(study).items()}
    assert "same score" in why["overall"]
    assert newest(study)["overall"].alpha is None


@pytest.mark.slow
def test_those_without_whom_alpha_changes_most_are_told_first(db: None, monkeypatch) -> None:
    def told() -> list[dict[str, Any]]:
        study = judged_as_edits()
        refresh(study)
        row = newest(study)["edit"]
        return [one | {"change": abs(one["alpha"] - row.alpha)} for one in row.detail["without"]]

    all_ = told()
    changes = [one["change"] for one in all_]
    assert len(all_) == len(CANONICAL)
    assert changes == sorted(changes, reverse=True)
    assert len(set(changes)) > 1
    monkeypatch.setattr(deferred_module, "TOLD", 2)
    assert [one["alpha"] for one in told()] == [one["alpha"] for one in all_[:2]]


@pytest.mark.slow
def test_other_measures_go_with_alpha(ada: User, client: Client) -> None:
    study = judged_as_edits(lambda value: {"overall": int(value > 2)}, owner=ada)
    refresh(study)
    client.force_login(ada)
    address = reverse("api-agreement", args=[study.public_id])
    told = {row["criterion"]: row for row in client.get(address).json()["results"]}
    rows = export.agreement(moment(study.pk))
    exported = {row["criterion"]: row for row in rows if row["newest"]}
    compared = CANONICAL * ((CANONICAL > 0).sum(axis=0) > 1)
    item, annotator, value = as_columns(compared)
    high = fleiss_kappa(item, annotator, value > 2)
    expected = {
        "edit": (intraclass_correlation(item, annotator, value), None),
        "overall": (intraclass_correlation(item, annotator, value > 2), high),
        "fluency": (None, None),  # all scores are equal
    }
    for found in (told, exported):
        for criterion, numbers in expected.items():
            row = found[criterion]
            assert (row["icc"], row["fleiss_kappa"]) == pytest.approx(numbers), criterion


# ---- when it is measured -----------------------------------------------------------------------


def twice(owner: User | None = None, *, items: int = 30, people: int = 4) -> Campaign:
    """A campaign whose outputs are all judged twice, and some judgments in it."""
    made = campaign(
        owner=owner,
        items=items,
        systems=("alpha",),
        double_share=1.0,
        annotator_cap=None,
        targets={"overall": 0.001},
    )
    more(made, 24, people=people)
    return made


def more(made: Campaign, n: int, *, people: int = 4) -> None:
    for i in range(n):
        overall = (1, 1, -1, 1, 0)[i % 5]
        judge(person(made, f"p{i % people}"), overall=overall, edit=f"It met, for the {i}th time.")
    refresh(made)


def n_rows(made: Campaign) -> int:
    return Agreement.objects.filter(campaign=made, criterion="overall").count()


def test_nothing_is_measured_before_two_outputs_have_two_judgments(ada: User) -> None:
    made = campaign(owner=ada, systems=("alpha",), double_share=1.0)
    judge(person(made, "a"))
    judge(person(made, "b"))
    refresh(made)
    assert not Agreement.objects.exists()
    judge(person(made, "a"), overall=-1, edit="It met.")
    judge(person(made, "b"), overall=-1, edit="It met.")
    refresh(made)
    row = newest(made)["overall"]
    assert (row.alpha, row.n_outputs) == (1.0, 2)


@pytest.mark.slow
def test_it_is_measured_anew_where_it_may_have_changed_and_only_there(ada: User) -> None:
    made = twice(ada)
    assert n_rows(made) == 1
    life.pause(made.pk)
    life.open_(made.pk)  # marks, but no evidence
    refresh(made)
    assert n_rows(made) == 1
    more(made, 1)  # its output has one judgment: nothing to compare
    assert n_rows(made) == 1
    more(made, 5)
    assert n_rows(made) == 2


def shut_out(made: Campaign, name: str, ada: User) -> Review:
    review = exclude(person(made, name), ada)
    refresh(made)
    return review


@pytest.mark.slow
def test_an_exclusion_is_measured_at_once_and_its_reversal_to_the_digit(ada: User) -> None:
    made = twice(ada)
    before = newest(made)["overall"]
    review = shut_out(made, "p2", ada)
    without = newest(made)["overall"]
    assert without.n_annotators < before.n_annotators
    assert without.excluded == 6
    rule(review, ada, Ruling.Act.RESTORE)
    refresh(made)
    after = newest(made)["overall"]
    assert (after.alpha, after.low, after.high, after.digest) == (
        before.alpha,
        before.low,
        before.high,
        before.digest,
    )


@pytest.mark.slow
def test_when_nothing_can_be_compared_any_more_there_is_no_alpha(ada: User) -> None:
    made = twice(ada, people=2)
    assert newest(made)["overall"].alpha is not None
    shut_out(made, "p0", ada)
    row = newest(made)["overall"]
    assert (row.alpha, row.n_outputs) == (None, 0)
    assert "Fewer than two outputs" in row.detail["why"]


# ---- what a reader sees ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "low", "high", "word"),
    [
        (0.9, 0.8, 0.95, "people agree"),
        (0.7, 0.5, 0.9, "people mostly agree"),
        (0.4, 0.2, 0.6, "people often differ"),
        (0.4, -0.1, 0.9, "not distinguishable from chance"),
        (-0.3, -0.5, -0.1, "people disagree more than chance would"),
    ],
)
def test_words_follow_the_interval(alpha: float, low: float, high: float, word: str) -> None:
    row = Agreement(distance="ordinal", alpha=alpha, low=low, high=high, n_outputs=9)
    axis = Axis(-1.0, 1.0, 300.0, 10.0)
    assert ShownAgreement(QUALITY_CRITERIA[0], row, axis, 9).state.word == word


@pytest.mark.slow
def test_people_who_agree_on_skewed_answers_are_said_to_agree(ada: User, client: Client) -> None:
    """58 of 60 ratings are the best one: alpha is about 0, and people differ on two outputs."""
    made = campaign(
        owner=ada, items=30, systems=("alpha",), double_share=1.0, targets={"overall": 0.001}
    )
    for i in range(60):
        overall = 0 if i in (7, 23) else 1
        judge(person(made, f"p{i % 6}"), overall=overall, edit=f"It met, for the {i}th time.")
    refresh(made)
    row = newest(made)["overall"]
    values = (row.alpha, row.detail["observed"], row.detail["by_chance"])
    assert values == pytest.approx(
        (-0.0172, 28 / 30, 58 * 57 / (60 * 59) + 2 / (60 * 59)), abs=1e-4
    )
    client.force_login(ada)
    for name in ("estimation:dashboard", "estimation:report"):
        page = client.get(reverse(name, args=[made.public_id])).content.decode()
        assert f"the same score in {percent(28 / 30)} of cases" in page
        assert "from chance" not in page
    address = reverse("api-agreement", args=[made.public_id])
    told = {one["criterion"]: one for one in client.get(address).json()["results"]}
    assert told["overall"]["observed"] == pytest.approx(28 / 30)
    assert told["edit"]["observed"] == pytest.approx(28 / 30)  # nearly all edits are none
