"""Questions of every kind: declared, checked, scored and recalled."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.common.schemas import Refused
from annotate.instruments.base import InvalidResponse, Material, marked
from annotate.instruments.rating.instrument import READY, Rating, as_data, read_definition
from tests.annotate.own import KINDS, every_kind

INSTRUMENT = Rating(read_definition(every_kind()))
TEXT = "The 🔴 mill opens at nine. It are near the river."
GIVEN: dict[str, Any] = {
    "errors": [],
    "helpful": 1,
    "flaws": ["rude"],
    "quality": 70,
}


def error(words: str, category: str = "grammar", severity: str = "major") -> dict[str, Any]:
    start = TEXT.index(words)
    return {
        "start": start,
        "end": start + len(words),
        "text": words,
        "category": category,
        "severity": severity,
    }


def check(**changes: Any) -> dict[str, Any]:
    return INSTRUMENT.check(GIVEN | changes, material=Material(TEXT))


def scores(**changes: Any) -> dict[str, float]:
    return INSTRUMENT.scores(check(**changes), material=Material(TEXT))


def refused(**changes: Any) -> dict[str, str]:
    with pytest.raises(InvalidResponse) as caught:
        check(**changes)
    return caught.value.errors


def problems(place: str, **changes: Any) -> dict[str, str]:
    """Return the problems of a definition whose question `place` is changed."""
    data = copy.deepcopy(KINDS)
    question = next(one for one in data["criteria"] if one["name"] == place)
    question |= changes
    with pytest.raises(Refused) as caught:
        read_definition(data)
    return {one.path: one.message for one in caught.value.problems}


def test_each_kind_has_its_criteria() -> None:
    kinds = {
        one.name: (one.low, one.high, one.bounded, one.higher_is_better, one.distance)
        for one in INSTRUMENT.criteria
    }
    assert kinds == {
        "errors": (0, 25, False, False, "interval"),
        "helpful": (0, 1, True, True, "nominal"),
        "flaws_rude": (0, 1, True, False, "nominal"),
        "flaws_vague": (0, 1, True, False, "nominal"),
        "quality": (0, 100, True, True, "interval"),
    }
    assert {(one.balance, one.person_share) for one in INSTRUMENT.criteria} == {(0.15, 0.08)}
    assert [one.name for one in INSTRUMENT.questions()] == ["helpful"], "others are not screened"


def test_a_definition_is_written_as_it_was_read() -> None:
    own = [{"name": "bad", "label": "Bad", "weight": 2.5}]
    data = every_kind(
        criteria=[
            *KINDS["criteria"],
            KINDS["criteria"][0] | {"name": "more", "severities": own, "per": "text"},
            KINDS["criteria"][4]
            | {"name": "late", "only_if": {"question": "helpful", "values": [1], "hidden": 0}},
        ]
    )
    written = as_data(read_definition(data))
    assert written["criteria"] == data["criteria"]
    assert as_data(read_definition(written)) == written


def test_errors_weigh_by_severity_for_100_words() -> None:
    two = [error("are"), error("nine", "omission", "minor")]
    stored = check(errors=two)
    assert stored["errors"][0] == {
        "start": TEXT.index("nine"),
        "end": TEXT.index("nine") + 4,
        "category": "omission",
        "severity": "minor",
    }
    assert scores(errors=two)["errors"] == pytest.approx((5 + 1) * 100 / 10)  # ten words
    assert scores()["errors"] == 0
    assert "Errors: Accuracy: Omission (Minor); Grammar (Major)" in INSTRUMENT.answered(stored)
    assert [(one.title, one.spans) for one in INSTRUMENT.highlights(stored, Material(TEXT))] == [
        ("Errors: Accuracy: Omission (Minor)", [[20, 24]]),
        ("Errors: Grammar (Major)", [[29, 32]]),
    ]
    assert marked(stored, text=TEXT, paragraphs=()) == [
        {
            "criterion": "errors",
            "paragraph": None,
            "start": 20,
            "end": 24,
            "text": "nine",
            "category": "omission",
            "severity": "minor",
        },
        {
            "criterion": "errors",
            "paragraph": None,
            "start": 29,
            "end": 32,
            "text": "are",
            "category": "grammar",
            "severity": "major",
        },
    ]


@pytest.mark.parametrize(("per", "score"), [("text", {"errors": 5.0}), ("nothing", {})])
def test_errors_are_scored_by_text_or_not_at_all(per: str, score: dict[str, float]) -> None:
    data = every_kind(criteria=[KINDS["criteria"][0] | {"per": per}, KINDS["criteria"][1]])
    instrument = Rating(read_definition(data))
    stored = instrument.check(GIVEN | {"errors": [error("are")]}, material=Material(TEXT))
    assert instrument.scores(stored, material=Material(TEXT)) == score | {"helpful": 1.0}


def test_touching_errors_stay_apart_and_overlapping_ones_are_refused() -> None:
    assert len(check(errors=[error("It"), error("are")])["errors"]) == 2
    assert len(check(errors=[error("mi"), error("ll")])["errors"]) == 2
    assert refused(errors=[error("It are"), error("are")]) == {
        "errors": "Two of the marked errors overlap."
    }


@pytest.mark.parametrize(
    "given",
    [
        "none",
        [1],
        [{}],
        [error("are") | {"category": "spelling"}],
        [error("are") | {"severity": None}],
        [error("are") | {"severity": ["minor"]}],
        [error("are") | {"text": "is"}],
        [error("are") | {"start": 5, "end": 5, "text": ""}],
        [error("are") | {"end": 10_000}],
        [error("are")] * 101,
    ],
)
def test_what_is_no_list_of_errors_is_refused(given: Any) -> None:
    assert set(refused(errors=given)) == {"errors"}


def test_each_option_is_a_criterion_and_none_is_an_answer() -> None:
    assert scores()["flaws_rude"] == 1
    assert scores(flaws=[]) == scores() | {"flaws_rude": 0, "flaws_vague": 0}
    assert check(flaws=["vague", "rude", "vague"])["flaws"] == ["rude", "vague"]
    assert "Flaws: none of these" in INSTRUMENT.answered(check(flaws=[]))
    for wrong in (None, "rude", ["kind"], [["rude"]], {"rude": 1}, [None]):
        assert set(refused(flaws=wrong)) == {"flaws"}


def test_a_slider_takes_whole_numbers_from_0_to_100() -> None:
    assert (scores(quality=0)["quality"], scores(quality=100)["quality"]) == (0, 100)
    for wrong in (None, -1, 101, 50.0, "50", True, [50]):
        assert set(refused(quality=wrong)) == {"quality"}


def test_free_text_is_kept_and_never_scored() -> None:
    stored = check(helpful=0, why=" It misses the point. ", remark=None)
    assert (stored["why"], stored["remark"]) == ("It misses the point.", "")
    assert not {"why", "remark"} & set(scores(helpful=0, why="Because."))
    for wrong in (None, "", " \n", 5, ["x"], "x" * 2001, "a\x00b", "\ud800"):
        assert set(refused(helpful=0, why=wrong)) == {"why"}


def test_a_question_is_asked_only_after_its_answer() -> None:
    stored = check(helpful=1, why="Left in the draft.")
    assert "why" not in stored
    assert "Reason" not in INSTRUMENT.recalled(stored)
    assert set(refused(helpful=0)) == {"why"}
    assert set(refused(helpful=0.0)) == {"helpful"}, "no answer, so nothing follows from it"


@pytest.mark.parametrize(("hidden", "known"), [(None, False), (0, True)])
def test_what_was_not_asked_has_its_declared_score_or_none(hidden: Any, known: bool) -> None:
    condition = {"question": "helpful", "values": [0]}
    if known:
        condition["hidden"] = hidden
    late = KINDS["criteria"][4] | {"only_if": condition}
    instrument = Rating(read_definition(every_kind(criteria=[KINDS["criteria"][1], late])))
    stored = instrument.check({"helpful": 1, "quality": 40}, material=Material(TEXT))
    assert stored == {"helpful": 1}
    expected = {"helpful": 1.0} | ({"quality": 0.0} if known else {})
    assert instrument.scores(stored, material=Material(TEXT)) == expected
    assert {one.name for one in instrument.criteria} == set(expected)
    asked = instrument.check({"helpful": 0, "quality": 40}, material=Material(TEXT))
    assert instrument.scores(asked, material=Material(TEXT)).get("quality") == (
        40 if known else None
    )


@pytest.mark.parametrize(
    ("place", "changes", "path"),
    [
        ("quality", {"kind": "range"}, "criteria[4].kind"),
        ("quality", {"kind": ["slider"]}, "criteria[4].kind"),
        ("quality", {"levels": []}, "criteria[4].levels"),
        ("quality", {"left": ""}, "criteria[4].left"),
        ("flaws", {"options": []}, "criteria[3].options"),
        ("flaws", {"options": [{"name": "rude", "label": "x"}] * 2}, "criteria[3].options[1].name"),
        (
            "flaws",
            {"name": "f" * 30, "options": [{"name": "o" * 20, "label": "x"}]},
            "criteria[3].options[0].name",
        ),
        ("errors", {"categories": [{"name": "a", "label": "b"}] * 200}, "criteria[0].categories"),
        (
            "errors",
            {"severities": [{"name": "a", "label": "b", "weight": -1}]},
            "criteria[0].severities[0].weight",
        ),
        ("errors", {"higher_is_better": True}, "criteria[0].higher_is_better"),
        (
            "why",
            {"only_if": {"question": "quality", "values": [0]}},
            "criteria[2].only_if.question",
        ),
        (
            "why",
            {"only_if": {"question": "helpful", "values": [7]}},
            "criteria[2].only_if.values[0]",
        ),
        (
            "why",
            {"only_if": {"question": "helpful", "values": [0], "hidden": 1}},
            "criteria[2].only_if.hidden",
        ),
        (
            "quality",
            {"only_if": {"question": "helpful", "values": [0], "hidden": 101}},
            "criteria[4].only_if.hidden",
        ),
        (
            "flaws",
            {"only_if": {"question": "helpful", "values": [0], "hidden": 2}},
            "criteria[3].only_if.hidden",
        ),
        ("quality", {"name": "flaws_rude"}, "criteria[4].name"),
        (
            "helpful",
            {"only_if": {"question": "why", "values": [0]}},
            "criteria[1].only_if.question",
        ),
    ],
)
def test_what_a_definition_may_not_say_is_told_at_its_place(
    place: str, changes: dict[str, Any], path: str
) -> None:
    assert path in problems(place, **changes)


def test_what_is_not_always_asked_leads_to_no_other_question_and_is_not_compared() -> None:
    helpful = KINDS["criteria"][1]
    after = {"question": "helpful", "values": [0], "hidden": 0}
    late = helpful | {"name": "late", "only_if": after}
    definition = read_definition(every_kind(criteria=[helpful, late]))
    assert [one.name for one in Rating(definition).questions()] == ["helpful"]
    later = helpful | {"name": "later", "only_if": after | {"question": "late"}}
    with pytest.raises(Refused, match="that is always asked"):
        read_definition(every_kind(criteria=[helpful, late, later]))


def test_reviewers_see_each_answer_though_labels_are_the_same() -> None:
    remark = KINDS["criteria"][5]
    data = every_kind(criteria=[KINDS["criteria"][1], remark, remark | {"name": "more"}])
    instrument = Rating(read_definition(data))
    response = {"helpful": 1, "remark": "One.", "more": "Two."}
    assert instrument.other_answers(response) == [("Remark", "“One.”"), ("Remark", "“Two.”")]
    assert instrument.other_answers({}) == [("Remark", "–")] * 2


def test_a_study_without_scores_is_refused() -> None:
    with pytest.raises(Refused, match="Need a question that is scored"):
        read_definition(every_kind(criteria=[KINDS["criteria"][5]]))


def test_comparisons_ask_for_a_reason_in_words() -> None:
    levels = [{"value": v, "label": str(v), "cue": "x"} for v in (1, 0, -1)]
    better = {"name": "better", "label": "Better", "question": "Which?", "levels": levels}
    data = every_kind(
        criteria=[better, KINDS["criteria"][5]],
        compares=True,
        example={"text": "One.", "second": "Two."},
    )
    pair = Rating(read_definition(data))
    assert [one.name for one in pair.criteria] == ["better", "better_wins"]
    stored = pair.check({"better": 1, "remark": "Shorter."}, material=Material("x", turned=True))
    assert stored == {"better": -1, "remark": "Shorter.", "turned": True}
    assert pair.reopened(stored) == {"better": 1, "remark": "Shorter."}
    assert pair.answered(stored) == "Better: -1, Remark: “Shorter.”"
    data["criteria"].append(KINDS["criteria"][4])
    with pytest.raises(Refused, match="Comparisons have questions with levels"):
        read_definition(data)


@pytest.mark.parametrize("reference", READY)
def test_what_is_ready_to_start_from_can_be_defined(reference: str) -> None:
    data = READY[reference]
    definition = read_definition(data)
    assert as_data(definition)["criteria"] == data["criteria"]
    assert reference == f"ready:{definition.key}"
    assert Rating(definition).criteria


def test_errors_without_categories_have_a_severity_alone() -> None:
    instrument = Rating(read_definition(READY["ready:esa"]))
    given = {"errors": [error("are", "grammar", "major")], "overall": 80}
    stored = instrument.check(given, material=Material(TEXT))
    assert stored["errors"][0]["category"] == ""
    assert instrument.answered(stored) == "Errors: Major, Overall: 80"
    assert instrument.scores(stored, material=Material(TEXT)) == {"overall": 80.0}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["start", "end", "text", "category", "severity"]), inner, max_size=5
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([one["name"] for one in KINDS["criteria"]]), ANYTHING))
def test_no_answer_breaks_the_check(raw: dict[str, Any]) -> None:
    try:
        stored = INSTRUMENT.check(raw, material=Material(TEXT))
    except InvalidResponse:
        return
    known = INSTRUMENT.scores(stored, material=Material(TEXT))
    assert set(known) == {one.name for one in INSTRUMENT.criteria}
