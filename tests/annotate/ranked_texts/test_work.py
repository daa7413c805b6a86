"""People rank all texts of an item in one task."""

from decimal import Decimal

import pytest

from annotate.campaigns import facts, progress
from annotate.campaigns.problems import Row
from annotate.common.errors import Invalid
from annotate.models import Assignment, Output, Score
from annotate.work import leasing, scoring
from tests.annotate.ranked_texts.studies import ranking, rows, seen, study, submit, work
from tests.factories import person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def test_a_task_is_an_item_and_is_paid_once() -> None:
    made = study(items=3, reward=Decimal("0.40"))
    done = work(person(made))
    assert len(done) == made.judgments.count() == made.ledger.count() == 3
    assert made.planned == made.planned_outputs == 3


def test_the_page_shows_every_text_once_in_an_order_of_the_person() -> None:
    made = study(items=1, systems="ABCDEF", double_share=1, raters=6)
    pages = []
    for number in range(6):
        lease = leasing.lease(person(made, f"p{number}").pk)
        assert isinstance(lease, Assignment)
        pages.append([one.text[0] for one in seen(lease.pk)])
    assert all(sorted(page) == list("ABCDEF") for page in pages)
    assert len({tuple(page) for page in pages}) > 1


def test_the_score_is_the_share_of_the_others_that_a_system_beats() -> None:
    made = study(items=2)
    work(person(made))
    scoring.ensure(made.pk)
    found = facts.scores(made.pk)
    written = dict(Output.objects.values_list("pk", "text"))
    told = {
        (written[int(output)], value)
        for output, value in zip(found.output, found.value["rank"], strict=True)
    }
    shares = {"A": 1, "B": 0.5, "C": 0}
    assert told == {(f"{name} wrote {n}.", shares[name]) for n in (0, 1) for name in shares}
    assert found.judgment.size == 2
    assert found.output.size == found.annotator.size == 6


def test_equal_places_are_a_tie_and_only_the_order_counts() -> None:
    made = study(items=1)
    who = person(made)
    lease = leasing.lease(who.pk)
    assert isinstance(lease, Assignment)
    submit(who, lease.pk, [3, 1, 3])
    scoring.ensure(made.pk)
    stored = made.judgments.get().response
    assert sorted(stored["rank"]) == [1, 2, 2]
    assert sorted(Score.objects.values_list("value", flat=True)) == [0.25, 0.25, 1]


def test_systems_with_the_same_text_share_its_place() -> None:
    made = study(texts=[*rows(items=1, systems="AB"), Row("i0", "C", "A wrote 0.")])
    who = person(made)
    (judgment,) = work(who)
    assert len(judgment.response["rank"]) == 2
    scoring.ensure(made.pk)
    found = facts.scores(made.pk)
    by_output = dict(zip(found.output.tolist(), found.value["rank"].tolist(), strict=True))
    text = dict(Output.objects.values_list("text", "pk"))
    # A and C beat B, and tie: (1 + 1/2) / 2 each, so that all scores of an item have the mean 1/2.
    assert by_output == {text["A wrote 0."]: 0.75, text["B wrote 0."]: 0}


def test_nobody_is_asked_about_an_item_with_one_text() -> None:
    same = [
        row.__class__("i9", name, "The same.") for row, name in zip(rows(1), "ABC", strict=True)
    ]
    made = study(texts=[*rows(items=2), *same])
    assert made.items.count() == made.planned == 2


@pytest.mark.parametrize(
    "places",
    [
        None,
        [],
        [1, 2],
        [1, 2, 3, 3],
        [1, 2, None],
        [1, 2, 4],
        [0, 1, 2],
        [1, 2, True],
        [1, 2, "3"],
        [1.0, 2, 3],
        "123",
        {"0": 1},
    ],
)
def test_a_ranking_without_a_place_for_each_text_is_refused(places: object) -> None:
    made = study(items=1)
    who = person(made)
    lease = leasing.lease(who.pk)
    assert isinstance(lease, Assignment)
    with pytest.raises(Invalid) as refused:
        submit(who, lease.pk, places)  # type: ignore[arg-type]
    assert list(refused.value.errors) == ["rank"]
    assert not made.judgments.exists()


def test_the_best_text_wins_and_systems_with_the_same_text_share_the_win() -> None:
    texts = [*rows(items=1, systems="AC"), Row("i0", "B", "A wrote 0.")]
    made = study(texts=texts, definition=ranking(best_only=True))
    who = person(made)
    work(who)
    scoring.ensure(made.pk)
    assert sorted(Score.objects.values_list("value", flat=True)) == [0, 0.5]


def test_a_ranking_can_be_corrected_in_the_order_of_the_page() -> None:
    made = study(items=1, systems="ABCD")
    who = person(made)
    lease = leasing.lease(who.pk)
    assert isinstance(lease, Assignment)
    given = [2, 4, 1, 3]
    submit(who, lease.pk, given)
    asked = facts.studies_queries.instrument_of(made)
    stored = made.judgments.get().response
    assert asked.reopened(stored)["rank"] == given
    assert asked.recalled(stored) == "Place: 3 > 1 > 4 > 2"


def test_an_item_is_judged_for_all_systems_at_once() -> None:
    made = study(items=3)
    work(person(made), turns=2)
    found = progress.items(made.pk, most=10, ranks=True)
    assert found == {one.pk: (2, 3) for one in made.systems.all()}
    assert {progress.frontier(one.pk, ranks=True) for one in made.systems.all()} == {3}
