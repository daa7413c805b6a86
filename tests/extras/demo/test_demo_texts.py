"""The demo's texts: enough, different, repeatable, and flawed only where a system flaws them."""

import re
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


def test_there_are_many_topics_and_neighbours_differ() -> None:
    assert len({row.topic for row in ROWS}) >= 25
    assert all(one.topic != two.topic for one, two in pairwise(ROWS))


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


@pytest.mark.parametrize("system", corpus.SYSTEMS)
def test_a_flawed_output_has_another_correction_and_a_sound_one_itself(system: str) -> None:
    for output in outputs(system):
        known = corpus.known_output(output.text)
        assert bool(known.defects) == (known.corrected != output.text)
        assert not DOUBLED.search(known.corrected)
        assert known.corrected.endswith((".", '."', '"'))


def test_polishing_always_changes_more_than_whitespace() -> None:
    for row in ROWS:
        assert corpus.normalised(corpus.polished(row.reference)) != row.reference
    assert corpus.polished("Yes.") != "Yes."
