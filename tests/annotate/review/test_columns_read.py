"""What a worker has read of responses is not read again, and screens see what they saw without."""

import random
from dataclasses import replace

import numpy as np
import pytest

from annotate.models import Assignment, Campaign, Judgment, Review, Ruling
from annotate.screening.base import Columns
from annotate.selectors.review import columns_read, screening
from annotate.services.review import reviews, rulings
from tests import reviewed
from tests.factories import campaign, person, user
from tests.seeds import walks

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

EDIT = "The council of the district met on Monday, as it is told, and it will again."
VERIFIED, WAITING = Assignment.Status.VERIFIED, Assignment.Status.SUBMITTED


def plain(found: Columns | None) -> object:
    """The columns as lists, texts of edits by which of them are equal."""
    if found is None:
        return None
    lone = ("annotator", "output", "item", "order", "seconds", "words", "edit_text")
    rows = {name: getattr(found, name).tolist() for name in lone}
    distance = found.edit_distance
    more = {} if distance is None else {"distance": np.nan_to_num(distance, nan=-1).tolist()}
    return rows | more | {name: column.tolist() for name, column in found.scores.items()}


def rule_on_somebody(made: Campaign, choose: random.Random, owner: int) -> None:
    who = choose.choice(list(made.participations.values_list("annotator", flat=True)))
    review = Review.objects.get(pk=reviews.open_by_hand(made.pk, who, actor_id=owner))
    last = review.rulings.order_by("-pk").first()
    out = review.status == Review.Status.EXCLUDED
    act = Ruling.Act.RESTORE if out else choose.choice([Ruling.Act.EXCLUDE, Ruling.Act.CLEAR])
    if last and last.act == act:
        return
    seen = last.pk if last else 0
    rulings.rule(review.pk, [act], actor_id=owner, reason="Because.", seen=seen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", walks(3))
@pytest.mark.parametrize("few", [0, 500])
def test_columns_are_those_of_a_process_that_has_read_nothing(seed, few, monkeypatch):
    """After random work, rulings, and judgments that their crowd confirms late."""
    monkeypatch.setattr(screening, "FEW", few)
    monkeypatch.setattr(screening, "CHUNK", 4)
    choose, owner = random.Random(seed), user()
    made = campaign(owner=owner, items=25, double_share=1.0, targets={"overall": 0.01})
    for _round in range(6):
        for _turn in range(choose.randrange(1, 6)):
            who = person(made, choose.choice("abcde"))
            if not Review.objects.filter(annotator=who.annotator).exists():
                reviewed._judge(
                    who, choose.uniform(1, 90), overall=choose.choice([1, 0]), edit=EDIT
                )
        Assignment.objects.filter(status=WAITING).update(status=VERIFIED)
        done = list(Assignment.objects.filter(status=VERIFIED).values_list("pk", flat=True))
        late = choose.sample(done, min(2, len(done)))
        Assignment.objects.filter(pk__in=late).update(status=WAITING)
        if choose.random() < 0.5:
            rule_on_somebody(made, choose, owner.pk)
        after_others = plain(screening.columns(made))
        columns_read.forget()
        assert plain(screening.columns(made)) == after_others


@pytest.mark.slow
def test_only_new_responses_are_read_and_nothing_is_read_twice(monkeypatch):
    made = reviewed.case(user()).campaign
    read = []
    columns_read.forget()  # making the case screened it
    part = screening._part
    monkeypatch.setattr(screening, "_part", lambda *of: read.append(len(of[1])) or part(*of))
    for _look in range(2):
        screening.columns(made)
    reviewed._judge(person(made, "newcomer"), 30.0)
    screening.columns(made)
    assert read == [Judgment.objects.count() - 1, 1]


def test_judgments_of_another_database_are_read_anew():
    """A backup may bring other judgments under the same ids."""
    made = reviewed.case(user()).campaign
    wanted = plain(screening.columns(made))
    read = columns_read._read[made.pk]
    seconds = read.columns.seconds + 1
    for changed in ("annotator", "output"):
        other = getattr(read.columns, changed).copy()
        other[0] += 1
        columns = replace(read.columns, **{changed: other, "seconds": seconds})
        columns_read.keep(made.pk, replace(read, columns=columns))
        assert plain(screening.columns(made)) == wanted


@pytest.mark.slow
def test_what_was_read_is_bounded(monkeypatch):
    first, second = (reviewed.case(user(name)).campaign for name in ("ada", "eve"))
    monkeypatch.setattr(columns_read, "ROWS", Judgment.objects.filter(campaign=second).count())
    screening.columns(first)
    screening.columns(second)
    assert list(columns_read._read) == [second.pk]


def test_what_screens_compute_is_not_kept_with_what_was_read():
    made = reviewed.case(user()).campaign
    seen = screening.columns(made)
    assert seen is not None
    assert seen.turns.size
    kept = columns_read._read[made.pk].columns
    assert "turns" not in vars(kept)
    again = screening.columns(made)
    assert again is not seen
    assert again is not kept
