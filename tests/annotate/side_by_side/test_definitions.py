"""The field `shows_others` of a definition, and what does not go with it."""

import pytest

from annotate.campaigns import creating
from annotate.common.errors import Invalid
from annotate.common.schemas import Refused
from annotate.instruments.rating.instrument import as_data, read_definition
from annotate.review import gold
from tests.annotate.own import helpful, side_by_side
from tests.annotate.side_by_side.studies import rows, study
from tests.factories import plan

TWO = {"text": "Hold the button.", "second": "Pull the plug."}


def refused(**changes: object) -> dict[str, str]:
    with pytest.raises(Refused) as error:
        read_definition(side_by_side(**changes))
    return {one.path: one.message for one in error.value.problems}


def test_it_is_read_and_written():
    found = read_definition(side_by_side())
    assert found.shows_others
    assert [one.text for one in found.example.side_by_side] == list(
        side_by_side()["example"].values()
    )
    assert as_data(found)["shows_others"] is True
    assert read_definition(as_data(found)) == found


def test_it_does_not_go_with_comparisons():
    assert "compares" in refused(compares=True)["shows_others"]


def test_the_example_has_a_second_text():
    assert "Missing" in refused(example={"text": "Alone."})["example.second"]


def test_a_second_text_belongs_to_somebody():
    with pytest.raises(Refused, match="shows_others"):
        read_definition(helpful(example=TWO | {"input": "Why?"}))


def test_it_takes_edits_and_evidence():
    levels = side_by_side()["criteria"]
    levels[1]["levels"][1]["requires"] = ["edit", "evidence"]
    assert read_definition(side_by_side(criteria=levels)).asks_for_edits


GOLD = {"item": "g", "output": "Wrong.", "expected": {"helpful": [-2]}}


@pytest.mark.orm
@pytest.mark.django_db
class TestGold:
    """It would stand alone, so that people knew it."""

    def test_a_plan_with_a_share_is_refused(self):
        study(is_open=False)
        asked = plan(instrument="side_by_side", targets={"helpful": 0.4}, metrics=(), gold_share=5)
        with pytest.raises(Invalid) as error:
            creating.create(asked, rows(), owner_id=None)
        assert "recognise" in error.value.errors["gold_share"]

    def test_a_draft_takes_none(self):
        made = study(is_open=False)
        with pytest.raises(Invalid, match="recognise"):
            gold.set_share(made.pk, 5, actor_id=None)
        with pytest.raises(Invalid, match="recognise"):
            gold.add(made.pk, gold.from_data({"gold": [GOLD]}), actor_id=None)
        assert not gold.set_share(made.pk, 0, actor_id=None)
