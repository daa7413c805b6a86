"""Answers as dots on their scale: by hand, and what holds for any answers."""

from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st

from annotate.instruments import registry
from annotate.review import items
from annotate.review.items import CEILING, EDGE, FLOOR, WIDTH


def test_two_who_are_opposed_stand_at_the_ends_and_their_mean_between_them():
    found = items.answers([1, -1], mean=0, low=-1, high=1)
    assert found.dots == ((6.0, 21.0), (66.0, 21.0))
    assert found.mark == 36.0
    assert found.values == (-1, 1)
    assert found.below == "M36.0 26l3.5 4h-7Z"


def test_equal_answers_stand_above_each_other():
    found = items.answers([-1, -1, 1], mean=-1 / 3, low=-1, high=1)
    assert found.dots == ((6.0, 21.0), (6.0, 13.5), (66.0, 21.0))


def test_people_beside_what_is_predicted():
    found = items.beside(0.0, 0.5, low=-1, high=1)
    assert (found.dots, found.mark) == (((36.0, 21.0),), 51.0)
    alone = items.beside(0.0, None, low=-1, high=1)
    assert (alone.diamond, alone.mark) == ("", None)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=40))
def test_every_answer_is_a_dot_inside_the_drawing(values):
    found = items.answers(values, mean=fmean(values), low=-1, high=1)
    assert len(found.dots) == len(values)
    for x, y in found.dots:
        assert EDGE <= x <= WIDTH - EDGE
        assert CEILING - 0.1 <= y <= FLOOR
    assert len(set(found.dots)) >= min(len(values), 1)


def test_answers_are_opposed_where_one_text_has_both_ends():
    criteria = registry.get("language_quality").criteria
    overall = next(one for one in criteria if one.name == "overall")
    for texts, opposed in (
        ([[-1, 1], [0]], True),
        ([[-1, 0], [1, 1]], False),
        ([[0, 1, -1]], True),
        ([[-1]], False),
        ([], False),
    ):
        assert items._of_item(texts, [], overall).opposed is opposed
