"""Highlights laid over each other: no letter is lost, and each has exactly its markers."""

from hypothesis import given
from hypothesis import strategies as st

from annotate.common.text import overlaid

SPANS = st.lists(st.tuples(st.integers(-3, 30), st.integers(-3, 30)), max_size=4)


@given(st.text(max_size=25), st.dictionaries(st.sampled_from("abc"), SPANS))
def test_each_letter_has_exactly_the_people_who_marked_it(
    text: str, marks: dict[str, list[tuple[int, int]]]
) -> None:
    pieces = overlaid(text, marks)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)
    found = [set(piece.by) for piece in pieces for _letter in piece.text]
    wanted = [
        {name for name, spans in marks.items() if any(a <= i < b for a, b in spans)}
        for i in range(len(text))
    ]
    assert found == wanted
