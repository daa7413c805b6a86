"""Scores are computed once for equal texts and again for another version; crashes lose a chunk."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from annotate.campaigns import facts
from annotate.campaigns.problems import Row
from annotate.common.errors import Invalid
from annotate.models import Output
from estimation import scores
from estimation.metrics import METRICS, MetricError, UnknownMetricError, scoring, vectors
from estimation.models import MetricScore
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def rows(start: int = 0, *, count: int = 6, reference: str = "The cat sat.") -> list[Row]:
    return [
        Row(
            item=f"item-{i}",
            system="alpha",
            output=f"The cat {i} sat down, sat down.",
            reference=reference,
            input=f"Where did cat {i} sit?\n\nThe cat {i} sat.",
        )
        for i in range(start, start + count)
    ]


def study(start: int = 0, **options):
    made = campaign(rows_=rows(start, **options), systems=("alpha",), metrics=(), is_open=False)
    return made.pk


def stored(campaign_id, name):
    found = MetricScore.objects.filter(campaign=campaign_id, metric=name).order_by("output")
    return list(found.values_list("version", "value"))


@pytest.fixture
def computed(monkeypatch):
    """Replace a metric by another version of it that notes what it was asked for."""
    asked = []

    def use(name, *, version="1", value=None):
        real = METRICS[name]

        def function(*args):
            asked.append((name, args[0]))
            return real.function(*args) if value is None else value

        known = {**scoring.METRICS, name: replace(real, function=function, version=version)}
        monkeypatch.setattr(scoring, "METRICS", MappingProxyType(known))
        return asked

    return use


def test_several_metrics_at_once():
    made, seen = study(), []
    names = ["repetition", "rouge_1_f", "support_2", "repetition"]
    scores.compute(made, names, progress=lambda *count: seen.append(count))
    assert seen == [(6, 18), (12, 18), (18, 18)]
    output = Output.objects.filter(campaign=made).order_by("pk").first()
    text, item = output.text, output.item
    for name in names[:3]:
        beside = {"references": [item.reference], "paragraphs": [item.input.split("\n\n")]}
        assert stored(made, name)[0] == (
            METRICS[name].version,
            METRICS[name].score([text], **beside)[0],
        )
    scores.compute(made, names, progress=lambda *count: seen.append(count))
    assert len(seen) == 3
    scores.compute(made, [*names, "length"], progress=lambda *count: seen.append(count))
    assert seen[3:] == [(6, 6)]


def test_what_a_crash_leaves_is_kept(monkeypatch, computed):
    monkeypatch.setattr(scores, "CHUNK", 2)
    asked, made = computed("length"), study()

    def crash(done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scores.compute(made, ["length"], progress=crash)
    assert len(stored(made, "length")) == 4
    scores.compute(made, ["length"])
    assert len(stored(made, "length")) == 6
    assert len(asked) == len(set(asked)) == 6


def test_equal_texts_are_computed_once_across_campaigns(computed):
    asked = computed("rouge_1_f")
    first = study()
    scores.compute(first, ["rouge_1_f"])
    second = study(3)  # three of its six texts are the first one's
    scores.compute(second, ["rouge_1_f"])
    assert len(asked) == len(set(asked)) == 9
    assert stored(second, "rouge_1_f")[:3] == stored(first, "rouge_1_f")[3:]
    scores.compute(study(reference="Another."), ["rouge_1_f"])
    assert len(asked) == 15


def test_a_new_version_is_computed_anew(computed):
    made = study()
    scores.compute(made, ["length"])
    asked = computed("length", version="next", value=7.0)
    scores.compute(made, ["length"])
    assert stored(made, "length") == [("next", 7.0)] * 6
    scores.compute(made, ["length"])
    assert len(asked) == 6


def test_given_values_are_taken_as_they_are():
    given = [replace(row, metrics={"mine": i / 8}) for i, row in enumerate(rows())]
    made = campaign(rows_=given, systems=("alpha",), metrics=("mine",), is_open=False).pk
    scores.compute(made, ["mine", "length"])
    assert sorted(stored(made, "mine")) == [("given", i / 8) for i in range(6)]
    assert MetricScore.objects.filter(metric="mine", digest="").count() == 6
    # Equal texts elsewhere do not inherit what somebody gave.
    with pytest.raises(UnknownMetricError, match="no metric 'mine'"):
        scores.compute(study(), ["mine"])


def test_a_given_metric_must_be_whole():
    made = study()
    Output.objects.filter(pk=Output.objects.first().pk).update(given_metrics={"mine": 1.0})
    with pytest.raises(scores.PartlyGivenError, match="mine was given for 1 of 6 outputs"):
        scores.compute(made, ["mine"])
    assert issubclass(scores.PartlyGivenError, MetricError)


def three_systems(items: int = 3) -> list[Row]:
    """Alpha and beta write the same for item 0; gamma writes something else for all."""
    return [
        Row(f"item-{i}", system, text)
        for i in range(items)
        for system, text in (
            ("alpha", f"cat {i} sat"),
            ("beta", f"cat {i} sat" if i == 0 else f"cat {i} ran away"),
            ("gamma", f"dog {i}"),
        )
    ]


def among(found: list[Row]) -> int:
    made = campaign(
        rows_=found, systems=("alpha", "beta", "gamma"), metrics=("consensus_f1",), is_open=False
    )
    scores.ensure(facts.design(made.pk))
    return made.pk


def by_text(campaign_id: int) -> dict[str, float]:
    found = MetricScore.objects.filter(campaign=campaign_id, metric="consensus_f1")
    return dict(found.values_list("output__text", "value"))


def test_consensus_compares_with_every_other_system():
    found = by_text(among(three_systems()))
    assert found["cat 0 sat"] == pytest.approx((1 + 2 / 5) / 2)  # beta agrees, gamma shares "0"
    assert found["dog 0"] == pytest.approx(2 / 5)
    assert found["cat 1 sat"] == pytest.approx((4 / 7 + 2 / 5) / 2)
    assert len(found) == 8


def test_consensus_of_the_same_text_among_other_texts_is_another(computed):
    asked = computed("consensus_f1")
    one, same = among(three_systems()), among(three_systems())
    assert len(asked) == 8  # once for both campaigns
    assert by_text(one) == by_text(same)
    changed = [
        replace(row, output="a bird") if row.system == "gamma" and row.item == "item-1" else row
        for row in three_systems()
    ]
    other = by_text(among(changed))
    assert len(asked) == 8 + 3
    assert other["cat 1 sat"] == pytest.approx((4 / 7 + 0) / 2)
    assert other["cat 2 sat"] == by_text(one)["cat 2 sat"]


def test_sentence_vectors_are_computed_where_the_package_is(monkeypatch):
    class Model:
        def encode(self, sentences):
            return [[1.0, len(sentence)] for sentence in sentences]

    def made():
        return campaign(rows_=rows(), systems=("alpha",), metrics=("vecsim:my-model",))

    monkeypatch.setattr(vectors, "find_spec", lambda name: None)
    with pytest.raises(Invalid) as refused:
        made()
    assert "pip install sentence-transformers" in refused.value.errors["metrics"]
    monkeypatch.setattr(vectors, "find_spec", lambda name: object())
    monkeypatch.setattr(vectors, "_loaded", lambda name: Model())
    study_id = made().pk
    scores.ensure(facts.design(study_id))
    assert all(0.99 < value < 1 for _, value in stored(study_id, "vecsim:my-model"))
    with pytest.raises(Invalid):
        campaign(rows_=rows(), systems=("alpha",), metrics=("vecsim:" + "m" * 60,))


def test_long_texts_come_in_small_chunks(monkeypatch):
    monkeypatch.setattr(scores, "CHUNK_CHARACTERS", 130)
    made, seen = study(), []
    size = len(rows()[0].output) + len(rows()[0].reference)
    assert 3 * size < 130 <= 4 * size  # inputs are read only where a metric needs them
    scores.compute(made, ["rouge_1_f"], progress=lambda *count: seen.append(count))
    assert seen == [(4, 6), (6, 6)]
    seen.clear()
    scores.compute(made, ["support_1"], progress=lambda *count: seen.append(count))
    assert [done for done, _total in seen] == [2, 4, 6]
