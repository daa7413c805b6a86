"""Making campaigns: whole or nothing, and a sample that a seed determines (data rules 7, 9)."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import creating
from annotate.campaigns.problems import Row, UploadRefused
from annotate.common import rows as common_rows
from annotate.models import Authorship, Campaign, Item, Output, Slot, System
from tests.factories import plan, rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def make(rows_: list[Row] | None = None, **changes) -> Campaign:
    return creating.create(plan(**changes), rows_ or rows(20), owner_id=None)


def order(campaign: Campaign) -> list[str]:
    return list(campaign.items.order_by("position").values_list("key", flat=True))


def planned(campaign: Campaign) -> list[tuple]:
    return list(
        campaign.slots.order_by("position", "output_id", "number").values_list(
            "position", "output__digest", "number"
        )
    )


@pytest.mark.parametrize("model", [Item, Output, Authorship, Slot])
def test_a_failure_in_the_middle_leaves_nothing(monkeypatch, model):
    real = common_rows.insert

    def fail(of, *args):
        if of is model:
            raise RuntimeError("the disk is full")
        real(of, *args)

    owner = user()
    monkeypatch.setattr(common_rows, "insert", fail)
    with pytest.raises(RuntimeError):
        creating.create(plan(), rows(), owner_id=owner.pk)
    for each in (Campaign, System, Item, Output, Authorship, Slot):
        assert not each._base_manager.exists(), each


def test_the_same_seed_gives_the_same_sample_and_another_seed_another():
    first, again, other = make(seed=5), make(seed=5), make(seed=6)
    assert order(first) == order(again)
    assert planned(first) == planned(again)
    assert order(first) != order(other)
    assert sorted(order(first)) == sorted(order(other))


def test_all_systems_are_alike():
    made = make(systems_ := rows(30, ("a", "b", "c")), double_share=0.4)
    per_system = [
        sorted(
            Slot.objects.filter(output__authorships__system=system).values_list(
                "position", "number"
            )
        )
        for system in made.systems.all()
    ]
    assert len(systems_) == 90
    assert per_system[0] == per_system[1] == per_system[2]


def test_no_system_is_always_first_in_its_item():
    made = make(rows(40))
    alpha = made.systems.get(name="alpha")
    first_ids = [item.outputs.order_by("pk").first().pk for item in made.items.all()]
    n_first = Authorship.objects.filter(system=alpha, output__in=first_ids).count()
    assert 8 <= n_first <= 32


def test_identical_texts_of_an_item_are_one_output_of_several_systems():
    same = [
        Row("1", "a", "The same.", metrics={"quality": 1.0}),
        Row("1", "b", "The same.", metrics={"quality": 2.0}),
        Row("1", "c", "Another.", metrics={"quality": 5.0}),
        Row("2", "a", "The same.", metrics={"quality": 3.0}),
    ]
    made = make(same, double_share=0)
    assert made.outputs.count() == made.slots.count() == 3
    shared = Output.objects.get(item__key="1", text="The same.")
    assert set(shared.authorships.values_list("system__name", flat=True)) == {"a", "b"}
    assert shared.given_metrics == {"quality": 1.5}
    assert shared.digest == hashlib.sha256(b"The same.").hexdigest()


@given(
    st.floats(0, 1),
    st.integers(0, 2**63 - 1),
    st.integers(1, 300),
)
def test_every_prefix_of_the_sample_holds_its_share_of_double_judgments(share, seed, n):
    count = creating.every_so_many(plan(double_share=share), seed)
    doubles = 0
    for position in range(n):
        judgments = count(position)
        assert judgments in (1, 2)
        doubles += judgments - 1
        assert abs(doubles - share * (position + 1)) < 1 + 1e-6


def answers(**changes) -> list[Row]:
    full = {"input": "who drew it", "paragraphs": ("Ada did.", "It is tall.")} | changes
    return [Row("1", "a", "Ada", line=1, **full), Row("1", "b", "Bea", line=2, **full)]


def make_answers(rows_: list[Row]) -> Campaign:
    return make(rows_, instrument="answer_correctness", metrics=(), targets={"any_correct": 0.2})


@pytest.mark.parametrize("lacking", [{"paragraphs": ()}, {"input": " \n"}, {"input": ""}])
def test_answers_without_a_question_or_paragraphs_are_refused_line_by_line(lacking):
    with pytest.raises(UploadRefused) as refused:
        make_answers(answers(**lacking))
    assert [error.line for error in refused.value.errors] == [1, 2]
    assert "“paragraphs”" in str(refused.value)
    assert not Campaign.objects.exists()
