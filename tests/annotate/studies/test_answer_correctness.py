"""What answer correctness takes as a response, refuses, and scores."""

import pytest

from annotate.instruments import registry
from annotate.instruments.base import InvalidResponse, Material
from extras.replication import replaying
from extras.replication.released import Release
from tests import released_data

INSTRUMENT = registry.get("answer_correctness")
PARAGRAPHS = (
    "The tower was drawn by Ada 👩‍👩‍👧 Marsh.",
    "It stands on the old market.",
    "Some say her brother drew the tower.",
)
MATERIAL = Material("Ada Marsh", input="who drew the tower", paragraphs=PARAGRAPHS)
NEITHER = {"value": 0}


def found(paragraph: int, *words: str, value: int = 1, **changes: object) -> dict[str, object]:
    """A confirmed verdict on a paragraph, with these of its words as evidence."""
    text = PARAGRAPHS[paragraph]
    spans = [{"start": text.index(w), "end": text.index(w) + len(w), "text": w} for w in words]
    return {"value": value, "spans": spans, "confirmed": True, **changes}


GOOD = [found(0, "drawn", "Marsh"), NEITHER, found(2, "her brother", value=-1)]


def check(*verdicts: object, plausible: object = True) -> dict[str, object]:
    return INSTRUMENT.check({"plausible": plausible, "verdicts": [*verdicts]}, material=MATERIAL)


def refused(*verdicts: object, **given: object) -> dict[str, str]:
    with pytest.raises(InvalidResponse) as caught:
        check(*verdicts, **given)
    return caught.value.errors


def test_a_whole_response_is_stored_in_order_with_offsets_in_code_points():
    start = PARAGRAPHS[0].index("Marsh")
    assert check(*GOOD) == {
        "plausible": True,
        "verdicts": [
            {"value": 1, "spans": [[14, 19], [start, start + 5]]},
            {"value": 0, "spans": []},
            {"value": -1, "spans": [[9, 20]]},
        ],
    }


def test_what_is_implausible_is_complete_and_its_paragraphs_are_ignored():
    stored = check(*GOOD, plausible=False)
    assert stored == {"plausible": False, "verdicts": []}
    assert INSTRUMENT.check({"plausible": False}, material=MATERIAL) == stored
    assert INSTRUMENT.scores(stored, material=MATERIAL) == {"any_correct": 0, "avg_correct": 0}


def test_highlights_on_neither_are_dropped_and_need_no_confirmation():
    kept = {"value": 0, "spans": found(1, "market")["spans"], "confirmed": False}
    assert check(found(0, "Ada"), kept, NEITHER)["verdicts"][1] == {"value": 0, "spans": []}
    assert check(found(0, "Ada"), {"value": 0, "spans": "nonsense"}, NEITHER)


@pytest.mark.parametrize("plausible", [None, 1, 0, "yes", [], {}])
def test_plausible_is_yes_or_no(plausible):
    assert set(refused(*GOOD, plausible=plausible)) == {"plausible"}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (None, "no answer"),
        ({}, "no answer"),
        (found(1, "market", value=2), "one of the three"),
        (found(1, "market", value=True), "one of the three"),
        (found(1), "highlight the words"),
        (found(1, "market", spans=None), "a list"),
        (found(1, "market", spans=[{"start": 0, "end": 99, "text": "It"}]), "outside"),
        (found(0, "tower was"), "other words"),  # of another paragraph
        (found(1, "market", confirmed=False), "confirm"),
        ({k: v for k, v in found(1, "market").items() if k != "confirmed"}, "confirm"),
    ],
)
def test_what_is_missing_or_wrong_is_said_at_its_paragraph(bad, message):
    errors = refused(NEITHER, bad, NEITHER)
    assert set(errors) == {"paragraph-2"}
    assert errors["paragraph-2"].startswith("Paragraph 2: ")
    assert message in errors["paragraph-2"]


def test_all_that_is_missing_is_said_at_once():
    assert set(refused(NEITHER, plausible=None)) == {"plausible", "paragraph-2", "paragraph-3"}
    assert set(refused(*GOOD, NEITHER)) == {"verdicts"}
    with pytest.raises(InvalidResponse) as caught:
        INSTRUMENT.check({"plausible": True, "verdicts": "all"}, material=MATERIAL)
    assert len(caught.value.errors) == len(PARAGRAPHS)


@pytest.mark.parametrize(
    ("values", "any_correct", "avg_correct"),
    [((), 0, 0), ((0, 0), 0, 0), ((-1,), 0, 0), ((1, 0), 1, 1), ((1, -1, -1, 0), 1, 1 / 3)],
)
def test_known_scores(values, any_correct, avg_correct):
    response = {"plausible": True, "verdicts": [{"value": value} for value in values]}
    assert INSTRUMENT.scores(response, material=MATERIAL) == {
        "any_correct": any_correct,
        "avg_correct": pytest.approx(avg_correct),
    }


def test_every_released_judgment_scores_as_it_was_released():
    """Through `check` too, with the first word of a paragraph as evidence."""
    seen = 0
    for record in released_data.records("price-of-debiasing-qa-sample.jsonl.gz"):
        contents, given = record["input"]["contents"], record["output"]["_responses"]
        texts = tuple(one["passage_text"] for one in contents["passages"])
        material = Material(contents["answer"], input=contents["query"], paragraphs=texts)
        columns = (given[name] for name in ("plausibility", "passages", "AnyCorrect", "AvgCorrect"))
        for plausible, values, any_correct, avg_correct in zip(*columns, strict=True):
            verdicts = [_confirmed(int(v), text) for v, text in zip(values, texts, strict=True)]
            raw = {"plausible": plausible, "verdicts": verdicts}
            stored = INSTRUMENT.check(raw, material=material)
            scores = INSTRUMENT.scores(stored, material=material)
            assert scores["any_correct"] == (any_correct or 0)
            assert scores["avg_correct"] == pytest.approx(avg_correct or 0)
            seen += 1
    assert seen > 300


def _confirmed(value: int, text: str) -> dict[str, object]:
    word = text.split()[0]
    start = text.index(word)
    spans = [{"start": start, "end": start + len(word), "text": word}]
    return {"value": value, "spans": spans, "confirmed": True}


def test_the_example_can_be_judged_with_the_instrument():
    example = INSTRUMENT.example
    assert all([example.text, example.input, example.paragraphs])
    verdicts = [_confirmed(1, text) for text in example.paragraphs]
    assert INSTRUMENT.check({"plausible": True, "verdicts": verdicts}, material=example)


@pytest.mark.parametrize("kind", ["answer_correctness", "language_quality"])
def test_a_release_without_its_judgments_is_asked_anew(kind):
    release = Release(kind, (), ())
    assert replaying.instrument_for(release, with_judgments=False) == kind
    recorded = replaying.instrument_for(release, with_judgments=True)
    assert not registry.get(recorded).template
    assert registry.get(recorded).criteria == registry.get(kind).criteria
