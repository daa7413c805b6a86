"""From tables to samples: what counts, whose it is, and that columns arrive as they were."""

import numpy as np
import pytest
from django.db import connection

from annotate.campaigns import facts as campaigns_facts
from annotate.common import rows as common_rows
from annotate.models import Authorship, Campaign, Judgment, Score, Slot, System
from annotate.work import scoring
from estimation import facts
from estimation import scores as scores_module
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def judged(n: int = 5, *, judgments: int = 6, **changes) -> Campaign:
    """A campaign with judgments by two people, overall 1 and -1 in turn."""
    study = campaign(items=n, annotator_cap=None, **changes)
    people = [person(study, name) for name in ("p1", "p2")]
    for t in range(judgments):
        worse = {"overall": -1, "edit": "The council of the district met on Monday."}
        judge(people[t % 2], **(worse if t % 2 else {}))
    scoring.ensure(study.pk)
    return study


def found(study: Campaign) -> dict[tuple[str, str], facts.Cell]:
    design = campaigns_facts.design(study.pk)
    scores_module.ensure(design)
    cells = facts.cells(design, facts.evidence(design))
    return {(cell.system.name, cell.criterion.name): cell for cell in cells}


def rows(cell: facts.Cell) -> list[tuple[int, int, float]]:
    """(output, annotator, score) of each judgment in a sample."""
    sample = cell.sample
    outputs = cell.system.output[sample.item].tolist()
    return list(zip(outputs, sample.annotator.tolist(), sample.score.tolist(), strict=True))


def expected(system: System, criterion: str) -> list[tuple[int, int, float]]:
    """The same by one query for each output, in order of arrival."""
    outputs = Authorship.objects.filter(system=system).values_list("output", flat=True)
    scores = Score.objects.filter(
        criterion=criterion,
        judgment__output__in=list(outputs),
        judgment__assignment__slot__isnull=False,
    )
    return list(
        scores.order_by("judgment").values_list("judgment__output", "judgment__annotator", "value")
    )


def test_samples_hold_what_the_tables_say():
    judged()  # another campaign's judgments lie before, between and after
    study = judged(judgments=7)
    judged()
    cells = found(study)
    for system in study.systems.all():
        for criterion in ("fluency", "redundancy", "overall", "edit"):
            wanted = expected(system, criterion)
            assert len(wanted) >= 2
            assert rows(cells[system.name, criterion]) == wanted


def test_judgments_far_apart_are_read_through_their_campaign():
    study = judged(judgments=2)
    judged(n=8, judgments=12)
    who = person(study, "p3")
    judge(who)
    judge(who)
    scoring.ensure(study.pk)
    ids = Judgment.objects.filter(campaign=study).values_list("pk", flat=True)
    assert max(ids) - min(ids) >= 2 * len(ids)
    scores = campaigns_facts.scores(study.pk)
    assert scores.output.size == 4
    assert {name: row.size for name, row in scores.value.items()}["overall"] == 4


def test_a_judgment_without_a_slot_does_not_count():
    study = judged()
    before = campaigns_facts.scores(study.pk)
    slot = Slot.objects.filter(campaign=study, assignment__isnull=False).first()
    judgment = Judgment.objects.get(assignment=slot.assignment)
    Slot.objects.filter(pk=slot.pk).update(assignment=None)
    after = campaigns_facts.scores(study.pk)
    gone = set(zip(before.output, before.annotator, strict=True)) - set(
        zip(after.output, after.annotator, strict=True)
    )
    assert gone == {(judgment.output_id, judgment.annotator_id)}


def test_a_system_ends_at_its_stop_position():
    study = judged(n=6, judgments=10, double_share=0)
    System.objects.filter(campaign=study, name="alpha").update(stop_position=3)
    cells = found(study)
    cell = cells["alpha", "overall"]
    assert cell.system.position[cell.sample.item].max() < 3
    other = cells["beta", "overall"]
    assert other.system.position[other.sample.item].max() >= 3


def test_criteria_share_an_incidence_unless_one_lacks_scores():
    study = judged(n=6, judgments=10)
    cells = found(study)
    shared = cells["alpha", "overall"].sample.incidence
    assert cells["alpha", "fluency"].sample.incidence is shared
    first = Score.objects.filter(
        judgment__output__authorships__system__name="alpha",
        criterion="fluency",
        judgment__campaign=study,
    ).first()
    Score.objects.filter(pk=first.pk)._raw_delete(using="default")
    cells = found(study)
    alpha = study.systems.get(name="alpha")
    assert rows(cells["alpha", "fluency"]) == expected(alpha, "fluency")
    assert rows(cells["alpha", "overall"]) == expected(alpha, "overall")
    assert len(rows(cells["alpha", "fluency"])) == len(rows(cells["alpha", "overall"])) - 1


def test_an_unknown_metric_value_is_nan_and_order_does_not_matter():
    study = campaign(items=3, systems=("alpha",))
    (system,) = campaigns_facts.systems(study.pk)
    metric = facts.Metrics(system.output[1:], np.array([[5.0], [7.0]]), "raw")
    values = facts.metric_of(system.output, metric)
    assert np.isnan(values[0])
    assert values[1:].tolist() == [5.0, 7.0]


def test_nothing_judged_gives_no_cells():
    study = campaign()
    assert found(study) == {}
    assert campaigns_facts.scores(study.pk).output.size == 0


@pytest.mark.parametrize("pooled", [False, True])
def test_rows_come_in_parts_with_and_without_a_pool_of_connections(monkeypatch, pooled):
    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", pooled)
    query = Score.objects.filter(judgment__campaign=judged()).order_by("pk")
    parts = list(common_rows.parts(query, "pk", "criterion", size=5))
    assert [len(part) for part in parts] == [5, 5, 5, 5, 4]
    assert [tuple(row) for part in parts for row in part] == list(
        query.values_list("pk", "criterion")
    )
    assert list(common_rows.parts(query.filter(value__gt=1000), "pk", size=5)) == []


@pytest.mark.parametrize("ids", [[], [4], [3, 4, 9], [3, 4, 1_000_000_000]])
def test_places_are_found_in_dense_and_in_scattered_ids(ids):
    wanted = np.array([-5, 0, 3, 4, 5, 9, 10, 999_999_999, 1_000_000_000, 2**40])
    place = common_rows.places(np.array(ids, dtype=np.int64), wanted=wanted)
    assert place.tolist() == [ids.index(w) if w in ids else -1 for w in wanted.tolist()]
