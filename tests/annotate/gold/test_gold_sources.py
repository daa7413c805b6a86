"""Where gold items come from: files, instructions, and what 0.2.0 planted."""

import json

import pytest

from annotate.campaigns import life
from annotate.common.errors import Conflict, Invalid
from annotate.common.schemas import Refused
from annotate.instruments import base as instruments_base
from annotate.instruments import registry
from annotate.instruments.base import Material
from annotate.models import AuditEntry, GoldItem
from annotate.review import gold
from tests.annotate.gold.study import NOT_FLUENT, campaign, do, planted
from tests.factories import campaign as plain
from tests.factories import person, rows

orm = [pytest.mark.orm, pytest.mark.django_db]
pytestmark = orm
QUALITY = registry.get("language_quality")
LONG = (
    "The council of district {i} met on Monday evening in the old town hall. "
    "It was agreed that the bridge is closed for eleven weeks, and that the buses have a detour."
)


def draft(n: int = 12):
    return plain(is_open=False, rows_=district_rows(n))


def district_rows(n: int):
    return [type(one)(**{**vars(one), "reference": LONG.format(i=one.item)}) for one in rows(n)]


def test_a_file_of_items_is_added_and_confirmed():
    study = draft()
    items = [
        {"item": "a", "output": "The the bridge.", "expected": {"fluency": [-1, 0]}},
        {"item": "b", "output": "A fine text.", "expected": {"fluency": [1], "overall": [1, 0]}},
    ]
    for text in (json.dumps(items), json.dumps({"gold": items}).encode()):
        assert [one.name for one in gold.from_file(text)] == ["a", "b"]
    gold.add(study.pk, gold.from_file(json.dumps(items)), actor_id=None)
    found = list(GoldItem.objects.values_list("name", "expected", "kind"))
    assert found[0] == ("a", {"fluency": [-1, 0]}, "given")
    assert GoldItem.objects.filter(confirmed_at=None).count() == 0
    assert AuditEntry.objects.filter(verb="gold_added").count() == 1


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"expected": {}}, "no right answer"),
        ({"expected": {"fluency": []}}, "list of right answers"),
        ({"expected": {"fluency": [2]}}, "list of right answers"),
        ({"expected": {"fluency": [-1, 0, 1]}}, "no answer can be wrong"),
        ({"expected": {"charm": [1]}}, "the questions are fluency"),
        ({"expected": {"fluency.1": [1]}}, "it is called “fluency”"),
        ({"item": "x" * 121}, "1 to 120"),
        ({"output": "x" * 20_001}, "more than 20000"),
        ({"output": "a\0b"}, ""),
    ],
)
def test_what_is_wrong_with_an_item_is_said(item, problem):
    study = draft(2)
    given = {"item": "a", "output": "The the.", "expected": NOT_FLUENT, **item}
    with pytest.raises((Refused, Invalid)) as refused:
        gold.add(study.pk, gold.from_file(json.dumps([given])), actor_id=None)
    assert problem in str(getattr(refused.value, "errors", refused.value))
    assert not GoldItem.objects.exists()


@pytest.mark.parametrize(
    "text", ["", "7", "{}", "[" * 5000, '[{"item": "a"}]', '{"gold": [{"item": 1}]}', "null"]
)
def test_a_file_that_is_none_is_refused(text):
    with pytest.raises(Refused):
        gold.from_file(text)


def test_two_items_of_one_name_are_refused():
    study = draft(2)
    one = GoldItem(name="a", text="The the.", expected=NOT_FLUENT)
    with pytest.raises(Invalid, match="another gold item"):
        gold.add(study.pk, [one, one], actor_id=None)
    gold.add(study.pk, [one], actor_id=None)
    with pytest.raises(Invalid):
        gold.add(study.pk, [one], actor_id=None)


def test_answers_about_paragraphs_are_named_by_number():
    instrument = registry.get("answer_correctness")
    material = Material("Paris", "What is the capital?", ("One.", "Two."))
    assert not list(instruments_base.problems(instrument, {"paragraph.2": [1]}, material))
    for wrong in ("paragraph", "paragraph.0", "paragraph.3", "plausible.1", "paragraph.²"):
        assert list(instruments_base.problems(instrument, {wrong: [1]}, material)), wrong
    said = {"plausible": 1, "verdicts": [{"value": 0}, {"value": 1}]}
    assert instruments_base.is_right(instrument, {"plausible": [1], "paragraph.2": [1]}, said)
    assert not instruments_base.is_right(instrument, {"paragraph.1": [1]}, said)
    implausible = {"plausible": 0, "verdicts": []}
    assert not instruments_base.is_right(instrument, {"paragraph.1": [0]}, implausible)
    assert instruments_base.chance(instrument, {"plausible": [1], "paragraph.2": [1, 0]}) == 1 / 3


@pytest.mark.slow
def test_an_item_that_was_planted_is_used_once_a_person_has_confirmed_it():
    study = draft()
    made = planted(study, 3)
    gold.set_share(study.pk, 5, actor_id=None)
    with pytest.raises(Conflict, match="none is confirmed"):
        life.open_(study.pk)
    assert gold.confirm(study.pk, [made[0].name], actor_id=None) == 1
    assert gold.remove(study.pk, [one.name for one in made[1:]], actor_id=None) == 2
    life.open_(study.pk)
    found = {got.gold_id for got, _receipt in filter(None, (do(person(study)) for _ in range(25)))}
    assert made[0].pk in found


def test_an_instruction_asks_for_one_answer_in_the_language_of_the_study():
    study = plain(is_open=False, rows_=district_rows(3), language="de")
    made = gold.instruct(study.pk, question="overall", value=-1, actor_id=None)
    assert made.expected == {"overall": [-1]}
    assert made.confirmed_at is not None
    assert "bitte" in made.text
    with pytest.raises(Invalid):
        gold.instruct(study.pk, question="overall", value=3, actor_id=None)


def test_the_share_is_less_than_half():
    study = campaign(is_open=False)
    for share in (-1, 13):
        with pytest.raises(Invalid, match="0 to 12"):
            gold.set_share(study.pk, share, actor_id=None)
    assert not gold.set_share(study.pk, 5, actor_id=None)  # as it is
