"""The demo's texts: enough, different, repeatable, and flawed only where a system flaws them."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from extras.demo import corpus
from extras.demo.people import SEVERITY

ROWS = corpus.sample_outputs()
DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)


def outputs(system: str) -> list[corpus.CorpusOutput]:
    return [row.outputs[system] for row in ROWS]


def flawed(system: str) -> float:
    return sum(bool(output.defects) for output in outputs(system)) / len(ROWS)


def test_there_are_260_items_with_three_outputs_each() -> None:
    assert len(ROWS) == len({row.item for row in ROWS}) == 260
    assert all(tuple(row.outputs) == corpus.SYSTEMS for row in ROWS)


def test_no_text_belongs_to_two_items() -> None:
    assert len({row.input for row in ROWS}) == len({row.reference for row in ROWS}) == 260
    owners: dict[str, set[str]] = {}
    for row in ROWS:
        for output in row.outputs.values():
            owners.setdefault(output.text, set()).add(row.item)
    assert all(len(items) == 1 for items in owners.values())


def test_a_text_that_was_used_is_drawn_again() -> None:
    first = corpus._new_row(corpus.STORIES[0], 1, 5, set())
    for used in (first.input, first.reference, first.outputs["lead-3"].text):
        second = corpus._new_row(corpus.STORIES[0], 1, 5, {used})
        assert second.input != first.input


def test_the_same_seed_gives_the_same_texts_and_another_seed_others() -> None:
    assert corpus.sample_outputs(seed=7, items=40) == corpus.sample_outputs(seed=7, items=40)
    one, two = corpus.sample_outputs(seed=7, items=40), corpus.sample_outputs(seed=8, items=40)
    assert not {row.input for row in one} & {row.input for row in two}


def test_a_smaller_sample_is_the_beginning_of_a_larger_one() -> None:
    assert corpus.sample_outputs(items=50) == ROWS[:50]


def test_there_are_many_topics_and_neighbours_differ() -> None:
    assert len({row.topic for row in ROWS}) >= 25
    assert all(one.topic != two.topic for one, two in pairwise(ROWS))


def test_about_three_in_a_hundred_outputs_are_shared_by_systems() -> None:
    counts = [Counter(output.text for output in row.outputs.values()) for row in ROWS]
    shared = sum(n for count in counts for n in count.values() if n > 1)
    assert 0.015 <= shared / (3 * len(ROWS)) <= 0.06


def test_systems_differ_in_how_often_they_err() -> None:
    large, lead, base = (flawed(s) for s in ("abstractive-large", "lead-3", "abstractive-base"))
    assert large + 0.1 < lead < base - 0.1


def test_every_kind_of_defect_occurs_and_has_a_cost() -> None:
    kinds = {kind for system in corpus.SYSTEMS for o in outputs(system) for kind in o.defects}
    assert kinds == set(SEVERITY)


def test_references_and_inputs_are_sound() -> None:
    for text in (text for row in ROWS for text in (row.input, row.reference)):
        assert text[-1] in '."', text
        assert not re.search(r"[{}<>|]|  ", text), text
        assert not DOUBLED.search(text), text


def test_references_and_articles_have_the_length_of_their_kind() -> None:
    for row in ROWS:
        sentences = corpus.split_sentences(row.reference)
        assert 2 <= len(sentences) <= 3, row.reference
        assert all(sentence[-1] in '.!?"' for sentence in sentences), row.reference
        assert 6 <= len(corpus.split_sentences(row.input)) <= 8, row.input


@pytest.mark.parametrize("system", corpus.SYSTEMS)
def test_a_flawed_output_has_another_correction_and_a_sound_one_itself(system: str) -> None:
    for output in outputs(system):
        known = corpus.known_output(output.text)
        assert bool(known.defects) == (known.corrected != output.text)
        assert not DOUBLED.search(known.corrected)
        assert known.corrected.endswith((".", '."', '"'))


def test_an_output_of_a_lead_system_is_the_start_of_its_article() -> None:
    assert all(row.input.startswith(row.outputs["lead-3"].text) for row in ROWS)


def test_upload_rows_hold_one_output_each() -> None:
    rows = list(corpus.rows_for_upload(items=10))
    assert len(rows) == 30
    assert {tuple(row) for row in rows} == {("item", "system", "output", "reference", "input")}


def test_whitespace_does_not_hide_a_known_text() -> None:
    output = next(o for o in outputs("abstractive-base") if o.defects)
    spaced = output.text.replace(" ", "\u00a0 ") + "\n"
    assert corpus.known_output(spaced).defects == output.defects


def test_an_unknown_text_counts_as_sound() -> None:
    correction = corpus.known_output("The  cat sat.")
    assert (correction.corrected, correction.defects) == ("The cat sat.", ())


def test_polishing_always_changes_more_than_whitespace() -> None:
    for row in ROWS:
        assert corpus.normalised(corpus.polished(row.reference)) != row.reference
    assert corpus.polished("Yes.") != "Yes."
