"""One metric, several, or all that the rows can have."""

from dataclasses import replace

import pytest

from annotate.campaigns import plans
from annotate.campaigns.problems import Row, UploadRefused
from annotate.campaigns.sheet import Sheet
from annotate.common.errors import Invalid
from estimation.metrics import METRICS
from tests.factories import campaign, plan, rows

FREE = tuple(name for name, metric in METRICS.items() if metric.needs == "nothing")


def resolve(asked: list[str], found: list[Row]) -> tuple[str, ...]:
    with Sheet() as sheet:
        for row in found:
            sheet.add(row)
        return plans.resolve(asked, sheet.facts())


def two(*, reference: str = "", **metrics: float) -> list[Row]:
    return [
        Row("1", "a", "A.", reference="R.", metrics=metrics, line=1),
        Row("2", "a", "B.", reference=reference, metrics=metrics, line=2),
    ]


def test_a_named_metric_that_some_output_lacks_is_refused_with_its_line():
    gap = [Row("1", "a", "A.", metrics={"m": 1.0}, line=1), Row("2", "a", "B.", line=2)]
    with pytest.raises(UploadRefused, match="line 2: no value of the metric “m”"):
        resolve(["length", "m"], gap)
    with pytest.raises(UploadRefused, match="line 2: no reference, which bleu needs"):
        resolve(["bleu"], two())
    looks_into = next(name for name, metric in METRICS.items() if metric.needs == "paragraphs")
    with pytest.raises(UploadRefused, match="lines 1 and 2: no input, whose"):
        resolve([looks_into], two())
    assert resolve([], gap) == ()


def test_consensus_needs_another_system_for_every_item():
    found = [*two(), Row("2", "b", "C.", line=3)]
    with pytest.raises(UploadRefused, match="line 1: no other system’s output, which consensus"):
        resolve(["consensus_f1"], found)
    assert resolve(["auto"], found) == FREE
    with pytest.raises(UploadRefused, match="lines 1 and 2: no other system’s"):
        resolve(["consensus_length"], two())


def test_auto_takes_what_every_row_can_have():
    assert resolve(["auto"], two()) == FREE
    against = [n for n, metric in METRICS.items() if metric.needs in ("nothing", "reference")]
    assert list(resolve(["auto"], two(reference="R."))) == against
    whole = [replace(row, input="One.\n\nTwo.") for row in two(reference="R.")]
    alone = [name for name, metric in METRICS.items() if metric.needs != "others"]
    assert list(resolve(["auto"], whole)) == alone
    both = [*whole, *(replace(row, system="b", output="C.") for row in whole)]
    assert list(resolve(["auto"], both)) == list(METRICS)
    assert resolve(["auto"], two(judge=0.5)) == (*FREE, "judge")


def test_auto_leaves_out_columns_with_gaps_whatever_their_name():
    gap = [Row("1", "a", "A.", metrics={"judge": 1.0, "length": 2.0}), Row("2", "a", "B.")]
    assert resolve(["auto"], gap) == tuple(name for name in FREE if name != "length")


def test_a_given_column_replaces_the_computed_metric_of_its_name():
    found = resolve(["auto"], two(length=3.0))
    assert sorted(found) == sorted(FREE)
    assert found[-1] == "length"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("auto", "length"), "name it alone"),
        (("length", "length"), "named twice"),
        ((" ",), "at least one"),
        (tuple(f"m{i}" for i in range(51)), "At most 50"),
    ],
)
def test_names_that_cannot_be(asked, told):
    with pytest.raises(Invalid, match=told):
        plans.check(plan(metrics=asked))


@pytest.mark.orm
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "choice"),
    [((), "none"), (("quality",), "named"), (("quality", "length"), "named"), (("auto",), "auto")],
)
def test_the_campaign_keeps_what_was_asked_and_what_it_came_to(asked, choice):
    made = campaign(metrics=asked, is_open=False)
    assert made.metric_choice == choice
    assert made.metrics == list(resolve(asked, rows()))
    assert plans.choice(asked) == choice
